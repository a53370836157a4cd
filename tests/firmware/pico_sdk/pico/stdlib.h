/* A stand-in for the header of the Pico SDK. Time does not pass. */
#include <stdint.h>

typedef uint64_t absolute_time_t;

static inline void stdio_init_all(void)
{
}

static inline absolute_time_t get_absolute_time(void)
{
    return 0;
}

static inline absolute_time_t make_timeout_time_ms(uint32_t ms)
{
    return ms;
}

void busy_wait_until(absolute_time_t target);
