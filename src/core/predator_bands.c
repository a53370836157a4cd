/* See predator_bands.h. */
#include "predator_bands.h"

/* With fewer predators, the masks cost more than they save. */
enum { MANY_PREDATORS = 16 };

/* Add `group` to the masks of the bands that an interval overlaps, and of one more on either side, because distances have rounding
 * errors. On a torus, band 64 is band 0. */
static void add_group(uint64_t *near, const struct flock_axis *axis, num_ratio ratio, num centre, num reach,
                      uint64_t group)
{
    int32_t first = num_ratio_floor(num_subtract(centre, reach), ratio) - 1;
    int32_t last = num_ratio_floor(num_add(centre, reach), ratio) + 1;
    if (axis->is_torus) {
        last = last < first + PREDATOR_BANDS ? last : first + PREDATOR_BANDS - 1;
    } else {
        first = first < 0 ? 0 : first < PREDATOR_BANDS ? first : PREDATOR_BANDS - 1;
        last = last < 0 ? 0 : last < PREDATOR_BANDS ? last : PREDATOR_BANDS - 1;
    }
    for (int32_t band = first; band <= last; band++)
        near[(uint32_t)band % PREDATOR_BANDS] |= group;
}

const struct flock_predator_bands *flock_predator_bands_build(struct flock_predator_bands *bands,
                                                              const struct flock_params *params,
                                                              const struct flock_agent *predators,
                                                              uint32_t count)
{
    const num reach = num_widen(num_length(params->predator_radius_squared));
    if (count < MANY_PREDATORS)
        return NULL;
    *bands = (struct flock_predator_bands){
        .group = (count - 1) / PREDATOR_BANDS + 1,
        .x = num_ratio_make(PREDATOR_BANDS, params->x.length),
        .y = num_ratio_make(PREDATOR_BANDS, params->y.length),
    };
    for (uint32_t k = 0; k < count; k++) {
        const uint64_t group = UINT64_C(1) << k / bands->group;
        add_group(bands->near_x, &params->x, bands->x, predators[k].position.x, reach, group);
        add_group(bands->near_y, &params->y, bands->y, predators[k].position.y, reach, group);
    }
    return bands;
}
