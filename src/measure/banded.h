/* The questions of grid.h, asked of points that several ranks have between them (band.h): each asks those it has, and what lies
 * between ranks they find out together. The answers are those of one who has all, to the bit. */
#ifndef BANDED_H
#define BANDED_H

#include "band.h"
#include "fault.h"
#include "grid.h"
#include "ranks/ranks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct banded;

/** Bytes that so many boids of one rank take, but for those of its edges. */
size_t banded_memory(uint32_t boids);

/** NULL when memory ran out. `ranks` is borrowed. */
struct banded *banded_create(const struct grid_question *question, const struct ranks *ranks);

/** Collective. Radii must not be wider than the bands' reach. `nearest` are those of a rank's own boids, without zeros between
 * them, and valid until it is asked again; all other answers are of all boids, on each rank.
 *
 * @return false with a fault, on all ranks, when memory ran out.
 */
bool banded_answer(struct banded *banded, const struct band *band, size_t predators,
                   struct grid_answers *answers, struct fault *fault);

/** NULL is accepted. */
void banded_free(struct banded *banded);

#endif
