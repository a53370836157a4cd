/* A stand-in: core 1 never starts, and its mailbox answers at once. */
#include <stdint.h>

static inline void multicore_launch_core1(void (*entry)(void))
{
    (void)entry;
}

static inline void multicore_fifo_push_blocking(uint32_t word)
{
    (void)word;
}

static inline uint32_t multicore_fifo_pop_blocking(void)
{
    return 0;
}
