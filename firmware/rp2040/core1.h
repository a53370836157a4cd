/* The second core: asleep in the boot ROM until core1_start(), then it waits for work to share. */
#ifndef CORE1_H
#define CORE1_H

#include <stdint.h>

/** Part of a piece of work: items [begin, end), or [0, 1) when there is but one. Parts may run on either core, in any
 * order or at once. */
typedef void core1_work(uint32_t begin, uint32_t end);

void core1_start(void);

/** Do something on the second core and return at once. */
void core1_begin(core1_work *work);

/** Do items [0, count) on both cores, after what core1_begin() began; returns when all are done. */
void core1_share(core1_work *work, uint32_t count);

#endif
