/* Both cores take small ranges of the work from a common counter, under a hardware lock, until none is left. So they
 * finish nearly together, even if ranges differ in cost. Messages in the mailbox start and end the work; no core
 * polls memory that the other core uses. */
#include "core1.h"

#include "rp2040.h"
#include "stack_guard.h"

#include <stdbool.h>

/* Items per range. At the end, a core waits at most until the other core has computed one range. */
enum { RANGE = 4 };

static core1_work *volatile shared_work;
static volatile uint32_t shared_next, shared_count;
static bool is_busy;

extern uint32_t stack_top_1[], stack_bottom_1[];

static inline void memory_barrier(void)
{
    __asm volatile("dmb" ::: "memory");
}

static void fifo_write(uint32_t word)
{
    while (!(REGISTER(SIO_FIFO_ST) & SIO_FIFO_ST_RDY))
        ;
    REGISTER(SIO_FIFO_WR) = word;
    /* Wake the other core: it may sleep in the boot ROM. */
    __asm volatile("sev");
}

static uint32_t fifo_read(void)
{
    while (!(REGISTER(SIO_FIFO_ST) & SIO_FIFO_ST_VLD))
        ;
    return REGISTER(SIO_FIFO_RD);
}

static uint32_t next_range(void)
{
    while (REGISTER(SIO_SPINLOCK0) == 0)
        ;
    memory_barrier();
    const uint32_t begin = shared_next;
    shared_next = begin + RANGE;
    memory_barrier();
    REGISTER(SIO_SPINLOCK0) = 1;
    return begin;
}

static void run_ranges(void)
{
    const uint32_t count = shared_count;
    for (uint32_t begin = next_range(); begin < count; begin = next_range())
        shared_work(begin, count - begin < RANGE ? count : begin + RANGE);
}

static void core1_main(void)
{
    stack_guard_start(stack_bottom_1);
    for (;;) {
        fifo_read();
        memory_barrier();
        run_ranges();
        memory_barrier();
        fifo_write(0);
    }
}

uint32_t core_number(void)
{
    return REGISTER(SIO_CPUID);
}

void core1_await(void)
{
    if (is_busy)
        fifo_read();
    is_busy = false;
    memory_barrier();
}

void core1_begin(core1_work *work, uint32_t count)
{
    core1_await();
    shared_work = work;
    shared_next = 0;
    shared_count = count;
    memory_barrier();
    is_busy = true;
    fifo_write(0);
}

void core1_share(core1_work *work, uint32_t count)
{
    core1_begin(work, count);
    run_ranges();
    core1_await();
}

void core1_empty_mailbox(void)
{
    while (REGISTER(SIO_FIFO_ST) & SIO_FIFO_ST_VLD)
        (void)REGISTER(SIO_FIFO_RD);
}

/* The protocol of the boot ROM (datasheet 2.8.2): core 1 echoes each expected word; after an unexpected word, the
 * sequence starts again. reset_peripherals() has kept core 1 in reset so far. */
void core1_start(void)
{
    extern const uint32_t vectors_begin[];
    const uintptr_t words[] = {
        0, 0, 1, (uintptr_t)vectors_begin, (uintptr_t)stack_top_1, (uintptr_t)core1_main};
    CLEAR(PSM_FRCE_OFF) = PSM_FRCE_OFF_PROC1;
    for (uint32_t i = 0; i < sizeof words / sizeof *words;) {
        if (words[i] == 0) {
            core1_empty_mailbox();
            __asm volatile("sev");
        }
        fifo_write(words[i]);
        i = fifo_read() == words[i] ? i + 1 : 0;
    }
}
