/* Masks, zeros and two-dimensional vectors of lanes, for the scalar and the SIMD operations: included by both. */
#pragma once

LANE_OP lane_mask lane_not(lane_mask a)
{
    return lane_and_not(lane_mask_set1(true), a);
}

LANE_OP lane lane_zero(void)
{
    return lane_set1(num_zero());
}

LANE_OP lane_vec lane_vec_set1(struct flock_vec a)
{
    return (lane_vec){lane_set1(a.x), lane_set1(a.y)};
}

LANE_OP lane_vec lane_vec_zero(void)
{
    return (lane_vec){lane_zero(), lane_zero()};
}

LANE_OP lane_vec lane_vec_add(lane_vec a, lane_vec b)
{
    return (lane_vec){lane_add(a.x, b.x), lane_add(a.y, b.y)};
}

LANE_OP lane_vec lane_vec_subtract(lane_vec a, lane_vec b)
{
    return (lane_vec){lane_subtract(a.x, b.x), lane_subtract(a.y, b.y)};
}

LANE_OP lane_vec lane_vec_scale(num_factor factor, lane_vec a)
{
    return (lane_vec){lane_scale(factor, a.x), lane_scale(factor, a.y)};
}

LANE_OP lane_vec lane_vec_select(lane_mask where, lane_vec yes, lane_vec no)
{
    return (lane_vec){lane_select(where, yes.x, no.x), lane_select(where, yes.y, no.y)};
}

LANE_OP lane_square lane_vec_norm_squared(lane_vec a)
{
    return lane_norm_squared(a.x, a.y);
}

/** True for the zero vector. False for a vector whose squared length is only rounded to zero. */
LANE_OP lane_mask lane_vec_is_zero(lane_vec a)
{
    lane_square squared = lane_vec_norm_squared(a);
    if (lane_any_of(lane_square_is_small(squared)))
        lane_vec_rescale(a, &squared);
    return lane_square_is_zero(squared);
}

/** The vector scaled to the length `to`; zero stays zero. `squared` is the square of its length. */
LANE_OP lane_vec lane_vec_of_length(lane_vec a, lane to, lane_square squared)
{
    if (!lane_any_of(lane_square_is_lost(squared)))
        return lane_vec_scale_to(a, to, squared);
    a = lane_vec_rescale(a, &squared);
    const lane_mask is_some = lane_not(lane_square_is_zero(squared));
    return lane_worth_doing(is_some) ? lane_vec_select(is_some, lane_vec_scale_to(a, to, squared), a) : a;
}

/** As lane_vec_of_length() with the length 1, but rounded differently. */
LANE_OP lane_vec lane_vec_unit(lane_vec a, lane_square squared)
{
    if (!lane_any_of(lane_square_is_lost(squared)))
        return lane_vec_over_length(a, squared);
    a = lane_vec_rescale(a, &squared);
    const lane_mask is_some = lane_not(lane_square_is_zero(squared));
    return lane_worth_doing(is_some) ? lane_vec_select(is_some, lane_vec_over_length(a, squared), a) : a;
}

/** The length. If the square of the length has lost bits, the length is the component of the vector along its own direction. */
LANE_OP lane lane_vec_length(lane_vec a)
{
    const lane_square squared = lane_vec_norm_squared(a);
    const lane_mask is_lost = lane_square_is_lost(squared);
    if (!lane_any_of(is_lost))
        return lane_length(squared);
    return lane_select(is_lost, lane_vec_dot(a, lane_vec_unit(a, squared)), lane_length(squared));
}
