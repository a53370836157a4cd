/* One boid after another on a page of packs, by the scalar rules: for blocks that a pack declines (pack_survey.h). */
#include "pack.h"

#include "gather.h"
#include "grid.h"
#include "rules.h"

enum flock_status pack_fly_alone(const struct pack_page *page, const struct flock_scene *scene,
                                 const struct pack_next *next, uint32_t begin, uint32_t end)
{
    const struct flock_params *params = scene->params;
    /* The page is a flock's grid in the form of runs, and only read. */
    const struct flock flock = {
        .grid = {.start = (uint32_t *)page->start, .slots = (struct flock_agent *)page->boids}};
    for (uint32_t s = begin; s < end; s++) {
        const struct sight_view view = flock_gather_run(&flock, params, s, SIGHT_ALL);
        struct flock_agent boid = page->boids[s];
        if (flock_take_turn(&boid, (uint32_t)page->keys[s], &view, scene) != FLOCK_OK)
            return FLOCK_E_RANGE;
        next->boids[s] = boid;
        next->cell[s] = flock_grid_cell(params, boid.position);
    }
    return FLOCK_OK;
}
