/* Core 1: it sleeps in the boot ROM until core1_start(), and then waits for work. */
#ifndef CORE1_H
#define CORE1_H

#include <stdint.h>

/** A function that processes the items [begin, end). Ranges may run on either core, in any order or at the same time. */
typedef void core1_work(uint32_t begin, uint32_t end);

/** Discard the words that core 1 has sent. */
void core1_empty_mailbox(void);

void core1_start(void);

/** The core that calls, 0 or 1. */
uint32_t core_number(void);

/** Wait for earlier work, start to process items [0, count) on core 1, and return at once. */
void core1_begin(core1_work *work, uint32_t count);

/** Wait until core 1 has done its work. */
void core1_await(void);

/** As core1_begin(), but on both cores. Returns when all items are done. */
void core1_share(core1_work *work, uint32_t count);

#endif
