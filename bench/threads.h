/* What threads gain, alone on the machine and beside busy processes. */
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#include "flock/model.h"

/** Measure a flock and print one row for each kind of neighbour. */
void threads_measure(const struct flock_model *model, int threads);

/** Print what the columns are. */
void threads_explain(int threads);

#endif
