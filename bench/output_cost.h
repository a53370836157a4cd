/* The cost of output: text compared with fprintf, HDF5 with write(2), observables with a step. */
#ifndef BENCH_OUTPUT_COST_H
#define BENCH_OUTPUT_COST_H

#include <stdbool.h>

/** Measure and print, as a table or as the members of a JSON object: "output_cost": [...]. Files go to `folder` and are
 * removed. */
void output_cost_report(const char *folder, bool is_json);

#endif
