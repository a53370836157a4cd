/* A boid or a predator outside the core. A double holds every float32, float64 and Q16.16 number exactly. */
#pragma once

/** Position in world units, velocity in world units per step. */
struct agent {
    double x, y, vx, vy;
};
