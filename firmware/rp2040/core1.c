/* Both cores take small parts of the work from a common counter, under a hardware lock, until none is left: so they
 * finish together however uneven the parts are. The mailbox carries the start and the end; nobody waits in memory that
 * the other needs. */
#include "core1.h"

#include "rp2040.h"
#include "stack_guard.h"

#include <stdbool.h>

/* The cores wait for each other at the end, for a part at most. */
enum { PART = 4 };

static core1_work *volatile shared_work;
static volatile uint32_t shared_next, shared_count;
static bool is_busy;

extern uint32_t stack_top_1[], stack_bottom_1[];

static inline void memory_barrier(void)
{
    __asm volatile("dmb" ::: "memory");
}

static void post(uint32_t word)
{
    while (!(REGISTER(SIO_FIFO_ST) & SIO_FIFO_ST_RDY))
        ;
    REGISTER(SIO_FIFO_WR) = word;
    /* Wakes the other core where it sleeps: the boot ROM does. */
    __asm volatile("sev");
}

static uint32_t fetch(void)
{
    while (!(REGISTER(SIO_FIFO_ST) & SIO_FIFO_ST_VLD))
        ;
    return REGISTER(SIO_FIFO_RD);
}

static uint32_t take_part(void)
{
    while (REGISTER(SIO_SPINLOCK0) == 0)
        ;
    memory_barrier();
    const uint32_t begin = shared_next;
    shared_next = begin + PART;
    memory_barrier();
    REGISTER(SIO_SPINLOCK0) = 1;
    return begin;
}

static void do_parts(void)
{
    const uint32_t count = shared_count;
    for (uint32_t begin = take_part(); begin < count; begin = take_part())
        shared_work(begin, count - begin < PART ? count : begin + PART);
}

static void serve(void)
{
    stack_guard_start(stack_bottom_1);
    for (;;) {
        fetch();
        memory_barrier();
        do_parts();
        memory_barrier();
        post(0);
    }
}

static void await_second(void)
{
    if (is_busy)
        fetch();
    is_busy = false;
    memory_barrier();
}

static void begin(core1_work *work, uint32_t count)
{
    await_second();
    shared_work = work;
    shared_next = 0;
    shared_count = count;
    memory_barrier();
    is_busy = true;
    post(0);
}

void core1_begin(core1_work *work)
{
    begin(work, 1);
}

void core1_share(core1_work *work, uint32_t count)
{
    begin(work, count);
    do_parts();
    await_second();
}

static void empty_mailbox(void)
{
    while (REGISTER(SIO_FIFO_ST) & SIO_FIFO_ST_VLD)
        (void)REGISTER(SIO_FIFO_RD);
}

/* The boot ROM's protocol (datasheet 2.8.2): it answers each word with the same one, and begins anew at any other.
 * reset_peripherals() has held the core since the start, wherever it was. */
void core1_start(void)
{
    extern const uint32_t vectors_begin[];
    const uint32_t words[] = {0,
                              0,
                              1,
                              (uint32_t)(uintptr_t)vectors_begin,
                              (uint32_t)(uintptr_t)stack_top_1,
                              (uint32_t)(uintptr_t)serve};
    CLEAR(PSM_FRCE_OFF) = PSM_FRCE_OFF_PROC1;
    for (uint32_t i = 0; i < sizeof words / sizeof *words;) {
        if (words[i] == 0) {
            empty_mailbox();
            __asm volatile("sev");
        }
        post(words[i]);
        i = fetch() == words[i] ? i + 1 : 0;
    }
}
