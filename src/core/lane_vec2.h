/* Two-dimensional vectors of lanes, for the scalar and the SIMD operations: included by both. */
#ifndef FLOCK_LANE_VEC2_H
#define FLOCK_LANE_VEC2_H

LANE_OP lane_vec lane_vec_set1(struct flock_vec a)
{
    return (lane_vec){lane_set1(a.x), lane_set1(a.y)};
}

LANE_OP lane_vec lane_vec_zero(void)
{
    return (lane_vec){lane_set1(num_zero()), lane_set1(num_zero())};
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

LANE_OP lane_vec lane_vec_times(lane_vec a, lane_count count)
{
    return (lane_vec){lane_times(a.x, count), lane_times(a.y, count)};
}

LANE_OP lane_vec lane_vec_select(lane_mask where, lane_vec yes, lane_vec no)
{
    return (lane_vec){lane_select(where, yes.x, no.x), lane_select(where, yes.y, no.y)};
}

LANE_OP lane_square lane_vec_norm_squared(lane_vec a)
{
    return lane_norm_squared(a.x, a.y);
}

#endif
