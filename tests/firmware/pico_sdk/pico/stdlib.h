/* A stand-in for the header of the Pico SDK. Time does not pass. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef unsigned uint;
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

static inline void tight_loop_contents(void)
{
}

void busy_wait_until(absolute_time_t target);

/* Pins (screen.c). */
enum { GPIO_OUT = 1, GPIO_FUNC_SPI = 1 };
void gpio_init(uint pin);
void gpio_set_dir(uint pin, bool is_output);
void gpio_put(uint pin, bool value);
void gpio_set_function(uint pin, uint function);
void sleep_ms(uint32_t ms);
