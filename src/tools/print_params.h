/* The rules of a flock as initialisers in C, for a configuration.h. */
#pragma once

#include "flock/model.h"

/** Print SIM_PARAMS and SIM_START, and SIM_OBSTACLES and SIM_GOALS if the flock has any, for a core of one number type. A core of
 * another type skips these lines. */
void print_params_fixed(const struct flock_model *model);
void print_params_f32(const struct flock_model *model);
