/* A start and a C library for examples/pico-sdk under QEMU, which loads the program into RAM and clears the rest. Output goes through
 * semihosting. After step 100, a line `drawn CALLS X Y` has the number of calls that drew an agent and the sums of their coordinates,
 * modulo 2^32, and the program ends. */
#include "pico/stdlib.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAST_STEP = 100, WRITE_CHARACTER = 3, EXIT = 0x18, STOPPED = 0x20026 };
enum { HEAP = 1 << 20 };

int main(void);
void reset(void) __attribute__((noreturn));
uint32_t semihost(uint32_t operation, uintptr_t argument);
#if !defined SCREEN_WIDTH
void draw_agent(int x, int y, unsigned colour);
#endif
void dma_channel_wait_for_finish_blocking(unsigned channel) __attribute__((weak));

extern uint32_t stack_top[];
static uint64_t heap[HEAP / sizeof(uint64_t)];
static size_t used;
static unsigned long calls, sum_x, sum_y;

uint32_t semihost(uint32_t operation, uintptr_t argument)
{
    register uint32_t r0 __asm("r0") = operation;
    register uintptr_t r1 __asm("r1") = argument;
    __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void put(char character)
{
    semihost(WRITE_CHARACTER, (uintptr_t)&character);
}

static void put_number(unsigned long number, unsigned base, unsigned digits)
{
    if (number >= base || digits > 1)
        put_number(number / base, base, digits > 1 ? digits - 1 : 1);
    put("0123456789abcdef"[number % base]);
}

static void stop(void)
{
    semihost(EXIT, STOPPED);
}

int printf(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    for (const char *c = format; *c != '\0'; c++)
        if (*c != '%') {
            put(*c);
        } else if (*++c == 'l') {
            put_number(va_arg(list, unsigned long), 10, 1);
            c++;
        } else {
            put_number(va_arg(list, unsigned long), 16, 8);
            c += 3;
        }
    va_end(list);
    return 0;
}

void *malloc(size_t size)
{
    void *block = &heap[used];
    used += size / sizeof *heap + 1;
    return used <= HEAP / sizeof *heap ? block : NULL;
}

#if !defined SCREEN_WIDTH
void draw_agent(int x, int y, unsigned colour)
{
    if (colour == 0)
        return;
    calls++;
    sum_x += (unsigned long)x;
    sum_y += (unsigned long)y;
}
#endif

void busy_wait_until(absolute_time_t target)
{
    static unsigned step;
    (void)target;
    if (step++ < LAST_STEP)
        return;
    if (dma_channel_wait_for_finish_blocking)
        dma_channel_wait_for_finish_blocking(0);
    printf("drawn %lu %lu %lu\n", calls, sum_x, sum_y);
    stop();
}

void abort(void)
{
    stop();
    for (;;)
        ;
}

/* The floating point unit is off after a reset. */
void reset(void)
{
#if defined __ARM_FP
    *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20;
    __asm volatile("dsb\n\tisb");
#endif
    main();
    abort();
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    stack_top,          (const void *)reset, (const void *)stop, (const void *)stop,
    (const void *)stop, (const void *)stop,  (const void *)stop,
};
