/* Questions of distance between points, put to the grid (grid.h) and, where that does not do, to the tree (tree.h): whoever
 * asks need not know to which. */
#ifndef DISTANCES_H
#define DISTANCES_H

#include "agent.h"
#include "grid.h"

#include <stddef.h>
#include <stdint.h>

struct distances;

/** Bytes that so many points take. */
size_t distances_memory(uint32_t count);

/** Room for up to `count` points, 1 or more. NULL when memory ran out; nothing is allocated later. */
struct distances *distances_create(uint32_t count, const struct grid_question *question);

/** File the positions of `count` agents, which are borrowed until others are filed, and answer everything (grid.h). */
void distances_answer(struct distances *distances, const struct agent *agents, uint32_t count,
                      const struct agent *others, size_t other_count, struct grid_answers *answers);

/** NULL is accepted. */
void distances_free(struct distances *distances);

#endif
