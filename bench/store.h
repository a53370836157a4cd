/* The cost of output: text compared with fprintf, HDF5 with write(2), observables with a step. */
#ifndef BENCH_STORE_H
#define BENCH_STORE_H

#include <stdbool.h>

/** Measure and print, as a table or as the members of a JSON object: "store": [...]. Files go to `folder` and are
 * removed. */
void store_report(const char *folder, bool is_json);

#endif
