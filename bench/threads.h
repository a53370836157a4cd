/* Speed-up by threads, on an idle machine and with other busy processes. */
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#include "flock/model.h"

/** Measure a flock and print one row per kind of other processes. */
void threads_measure(const struct flock_model *model, int threads);

/** Print the headings of the columns. */
void threads_explain(int threads);

#endif
