/* The second core: asleep in the boot ROM until second_start(), then it waits for work to share. */
#ifndef SECOND_H
#define SECOND_H

#include <stdint.h>

/** Part of a piece of work: items [begin, end), or [0, 1) when there is but one. Parts may run on either core, in any
 * order or at once. */
typedef void second_work(uint32_t begin, uint32_t end);

void second_start(void);

/** Do something on the second core and return at once. */
void second_begin(second_work *work);

/** Do items [0, count) on both cores, after what second_begin() began; returns when all are done. */
void second_share(second_work *work, uint32_t count);

#endif
