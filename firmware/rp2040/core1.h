/* Core 1: it sleeps in the boot ROM until core1_start(), and then waits for work. */
#ifndef CORE1_H
#define CORE1_H

#include <stdint.h>

/** A function that processes the items [begin, end). Ranges may run on either core, in any order or at the same time. */
typedef void core1_work(uint32_t begin, uint32_t end);

/** Discard the words that core 1 has sent. */
void core1_empty_mailbox(void);

void core1_start(void);

/** Start work on core 1 and return at once. */
void core1_begin(core1_work *work);

/** Wait until core 1 has done its work. */
void core1_await(void);

/** Wait for the work of core1_begin(), and then process items [0, count) on both cores. Returns when all items are
 * done. */
void core1_share(core1_work *work, uint32_t count);

#endif
