/* The second core: asleep in the boot ROM until second_start(), then it waits for work to share. */
#ifndef SECOND_H
#define SECOND_H

#include <stdint.h>

/** Part of a piece of work: items [begin, end). Parts may run on either core, in any order or at once. */
typedef void second_work(uint32_t begin, uint32_t end);

void second_start(void);

/** Do items [0, count) on both cores; returns when all are done. */
void second_share(second_work *work, uint32_t count);

#endif
