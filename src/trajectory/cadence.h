/* At which steps something happens: at a first one, wherever that lies, and from then on at each multiple of `every`. */
#ifndef CADENCE_H
#define CADENCE_H

#include <stdbool.h>
#include <stdint.h>

struct cadence {
    uint64_t first, every;
};

static inline bool cadence_has(struct cadence cadence, uint64_t step)
{
    return step == cadence.first || (step > cadence.first && step % cadence.every == 0);
}

/** The step of a row, counted from 0. */
static inline uint64_t cadence_step(struct cadence cadence, uint64_t row)
{
    return row == 0 ? cadence.first : (cadence.first / cadence.every + row) * cadence.every;
}

/** How many rows there are up to a step, that one included. */
static inline uint64_t cadence_rows(struct cadence cadence, uint64_t last)
{
    return last < cadence.first ? 0 : 1 + last / cadence.every - cadence.first / cadence.every;
}

static inline bool cadence_is_same(struct cadence a, struct cadence b)
{
    return a.first == b.first && a.every == b.every;
}

#endif
