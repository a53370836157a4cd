"""Couzin, Krause, James, Ruxton and Franks (2002), transcribed on its own in two dimensions: zones of repulsion, orientation
and attraction, a blind angle, an error, a largest turn. d_o and d_a are sums of unit vectors, and d_i is their mean.

It shares no line with reference.py except the random numbers. The error is uniform; draws.py rotates directions.
"""

import math
from typing import NamedTuple

import draws

SEED = 1
r_r, r_a = 100.0, 2500.0
alpha = 270.0
theta = 4.0
eta = 0.1732
s = 30.0


class Zones(NamedTuple):
    """The radius of orientation, and whether d_o and d_a are scaled to length 1 (couzin_unit, a variant of ours)."""

    r_o: float = 700.0
    are_equal: bool = False


class Fish:
    """Position c and direction v, a unit vector."""

    def __init__(self, x, y, vx, vy):
        self.c = (x, y)
        length = math.hypot(vx, vy)
        self.v = (vx / length, vy / length)

    def velocity(self):
        return s * self.v[0], s * self.v[1]


def unit(a):
    length = math.hypot(*a)
    return (a[0] / length, a[1] / length) if length > 0 else (0.0, 0.0)


def angle(a, b):
    """From a to b, anticlockwise: -pi to pi."""
    return math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])


def desired(one, fish, zones):
    """d_i(t + tau), None without neighbours."""
    repulsion, orientation, attraction = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
    is_repelled = is_social = False
    for j in fish:
        if j is one:
            continue
        r = (j.c[0] - one.c[0], j.c[1] - one.c[1])
        d = math.hypot(*r)
        if d < r_r:
            is_repelled = True
            repulsion[0] -= r[0] / d
            repulsion[1] -= r[1] / d
        elif abs(angle(one.v, r)) < math.radians(alpha / 2) and d < r_a:
            is_social = True
            zone, what = (orientation, j.v) if d < zones.r_o else (attraction, (r[0] / d, r[1] / d))
            zone[0] += what[0]
            zone[1] += what[1]
    if is_repelled:
        return unit(repulsion)
    if not is_social:
        return None
    o, a = (unit(orientation), unit(attraction)) if zones.are_equal else (orientation, attraction)
    return (o[0] + a[0]) / 2, (o[1] + a[1]) / 2


def turn_towards(one, wish, step, number):
    """The desired direction plus an error; the fish turns by at most theta."""
    if wish is None or wish == (0.0, 0.0):
        wish = one.v
    error = draws.within(draws.draw(SEED, draws.NOISE, step, number), eta)
    wish = unit(draws.turned(*wish, error))
    a = angle(one.v, wish)
    if abs(a) <= math.radians(theta):
        return wish
    c, sine = draws.circle(round(theta / 360 * 2**32))
    return unit(draws.turned(*one.v, (c, math.copysign(sine, a))))


def step(fish, number, zones=Zones()):
    """All fish choose their directions, then all move."""
    directions = [
        turn_towards(one, desired(one, fish, zones), number, i) for i, one in enumerate(fish)
    ]
    for one, v in zip(fish, directions):
        one.v = v
        one.c = (one.c[0] + s * v[0], one.c[1] + s * v[1])
