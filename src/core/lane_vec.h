/* Vectors of lanes, made of the words of whichever vocabulary includes this. */
#ifndef FLOCK_LANE_VEC_H
#define FLOCK_LANE_VEC_H

LANE_WORD lane_vec lane_vec_all(struct flock_vec a)
{
    return (lane_vec){lane_all(a.x), lane_all(a.y)};
}

LANE_WORD lane_vec lane_vec_zero(void)
{
    return (lane_vec){lane_all(num_zero()), lane_all(num_zero())};
}

LANE_WORD lane_vec lane_vec_add(lane_vec a, lane_vec b)
{
    return (lane_vec){lane_add(a.x, b.x), lane_add(a.y, b.y)};
}

LANE_WORD lane_vec lane_vec_subtract(lane_vec a, lane_vec b)
{
    return (lane_vec){lane_subtract(a.x, b.x), lane_subtract(a.y, b.y)};
}

LANE_WORD lane_vec lane_vec_weigh(num_factor factor, lane_vec a)
{
    return (lane_vec){lane_weigh(factor, a.x), lane_weigh(factor, a.y)};
}

LANE_WORD lane_vec lane_vec_times(lane_vec a, lane_count count)
{
    return (lane_vec){lane_times(a.x, count), lane_times(a.y, count)};
}

LANE_WORD lane_vec lane_vec_choose(lane_mask where, lane_vec yes, lane_vec no)
{
    return (lane_vec){lane_choose(where, yes.x, no.x), lane_choose(where, yes.y, no.y)};
}

LANE_WORD lane_square lane_vec_norm_squared(lane_vec a)
{
    return lane_norm_squared(a.x, a.y);
}

#endif
