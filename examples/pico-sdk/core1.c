/* What firmware/rp2040/core1.h declares, by calls of the SDK. Both cores take small ranges of the items from a common counter, under a
 * lock, until none is left. */
#include "core1.h"

#include "hardware/sync.h"
#include "pico/multicore.h"

enum { RANGE = 4 };

static core1_work *volatile shared_work;
static volatile uint32_t shared_next, shared_count;
static spin_lock_t *lock;

static void run_ranges(void)
{
    for (;;) {
        spin_lock_unsafe_blocking(lock);
        const uint32_t begin = shared_next;
        shared_next = begin + RANGE;
        spin_unlock_unsafe(lock);
        if (begin >= shared_count)
            return;
        shared_work(begin, shared_count - begin < RANGE ? shared_count : begin + RANGE);
    }
}

static void core1_main(void)
{
    for (;;) {
        multicore_fifo_pop_blocking();
        run_ranges();
        multicore_fifo_push_blocking(0);
    }
}

void core1_start(void)
{
    lock = spin_lock_instance((uint)spin_lock_claim_unused(true));
    multicore_launch_core1(core1_main);
}

void core1_share(core1_work *work, uint32_t count)
{
    shared_work = work;
    shared_count = count;
    shared_next = 0;
    multicore_fifo_push_blocking(0);
    run_ranges();
    multicore_fifo_pop_blocking();
}

uint32_t core_number(void)
{
    return get_core_num();
}
