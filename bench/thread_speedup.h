/* Speed-up by threads, on an idle machine and with other busy processes. */
#ifndef BENCH_THREAD_SPEEDUP_H
#define BENCH_THREAD_SPEEDUP_H

#include "flock/model.h"

/** Measure a flock and print one row per kind of other processes. */
void thread_speedup_measure(const struct flock_model *model, int threads);

/** Print the headings of the columns. */
void thread_speedup_explain(int threads);

#endif
