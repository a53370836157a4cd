/* Order parameters from headings, speeds and the centre of the boids. All of them are exact sums (exact_sum.h), so the
 * order of the boids does not matter. */
#ifndef ORDER_PARAMETERS_H
#define ORDER_PARAMETERS_H

#include "agent.h"

#include <stddef.h>

struct order_parameters {
    double polarization, mean_speed;
    double speed_sd;  /**< the standard deviation of the speeds */
    double centre[2]; /**< on a torus, a coordinate is NAN if the boids balance */
    double milling;   /**< NAN without a centre */
};

/** Of `count` boids. Periods are the sides of a torus, INFINITY on a plane. A value that double cannot hold is infinite
 * or NAN. */
struct order_parameters order_parameters_of(const struct agent *agents, size_t count, const double period[2]);

#endif
