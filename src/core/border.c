/* Wrapping and reflecting, one agent at a time: few are out in a step. */
#include "border.h"

#include "num.h"

static num wrap(const struct flock_axis *axis, enum flock_wrap_to wrap_to, num a)
{
    const bool is_below = num_less(a, num_zero());
    if (!is_below && !num_less(axis->length, a))
        return a;
    if (wrap_to == FLOCK_WRAP_EDGE)
        return is_below ? axis->length : num_zero();
    const num once = is_below ? num_add(a, axis->length) : num_subtract(a, axis->length);
    bool is_odd;
    if (!num_less(once, num_zero()) && !num_less(axis->length, once))
        return once;
    /* Whole worlds are taken away until it is inside, and the far edge is. */
    const num rest = num_modulo(a, axis->length, &is_odd);
    return num_is_zero(rest) && !is_below ? axis->length : rest;
}

/* A mirror at either wall, as often as it takes: an agent that is faster than the world is wide meets both. */
static void reflect(const struct flock_axis *axis, num *position, num *velocity)
{
    const num a = *position;
    const bool is_below = num_less(a, num_zero());
    if (!is_below && !num_less(axis->length, a))
        return;
    bool is_odd = true;
    num mirrored =
        is_below ? num_subtract(num_zero(), a) : num_subtract(axis->length, num_subtract(a, axis->length));
    if (num_less(mirrored, num_zero()) || num_less(axis->length, mirrored)) {
        mirrored = num_modulo(a, axis->length, &is_odd);
        const bool is_on_far_wall = num_is_zero(mirrored) && !is_below;
        if (is_odd)
            mirrored = num_subtract(axis->length, mirrored);
        /* It is inside as soon as it stands on the wall: the last of its mirrors is not needed. */
        is_odd = is_odd != is_on_far_wall;
    }
    *position = mirrored;
    if (is_odd)
        *velocity = num_subtract(num_zero(), *velocity);
}

void flock_wrap(struct flock_agent *agent, const struct flock_params *params, enum flock_wrap_to wrap_to)
{
    agent->position.x = wrap(&params->x, wrap_to, agent->position.x);
    agent->position.y = wrap(&params->y, wrap_to, agent->position.y);
}

void flock_cross_border(struct flock_agent *agent, const struct flock_params *params)
{
    switch (params->border) {
    case FLOCK_WRAP: flock_wrap(agent, params, params->wrap_to); break;
    case FLOCK_REFLECT:
        reflect(&params->x, &agent->position.x, &agent->velocity.x);
        reflect(&params->y, &agent->position.y, &agent->velocity.y);
        break;
    case FLOCK_BOUNCE:
    case FLOCK_OPEN: break;
    }
}
