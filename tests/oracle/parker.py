"""Conrad Parker's pseudocode, transcribed on its own: own loop, own numbers, his names.

It shares no line with reference.py, so that a misreading in one of them shows as a difference between the two. All boids are
neighbours. The pseudocode leaves the size of the box and the speed limit to the reader.
"""

import math

from sums import sum

Xmin, Xmax, Ymin, Ymax = 0, 1000, 0, 800
vlim = 20


class Boid:
    """Position and velocity; vectors are pairs."""

    def __init__(self, x, y, vx, vy):
        self.position, self.velocity = (x, y), (vx, vy)


def plus(*vectors):
    return tuple(sum(parts) for parts in zip(*vectors))


def minus(a, b):
    return (a[0] - b[0], a[1] - b[1])


def over(a, divisor):
    return (a[0] / divisor, a[1] / divisor)


def rule1(bJ, boids):
    """One per cent of the offset to the mean position of the others."""
    others = [b for b in boids if b is not bJ]
    if not others:
        return (0, 0)
    pcJ = over(plus(*(b.position for b in others)), len(boids) - 1)
    return over(minus(pcJ, bJ.position), 100)


def rule2(bJ, boids):
    """The sum of the offsets from all near boids."""
    c = (0, 0)
    for b in boids:
        if b is not bJ and math.hypot(*minus(b.position, bJ.position)) < 100:
            c = minus(c, minus(b.position, bJ.position))
    return c


def rule3(bJ, boids):
    """An eighth of the difference to the mean velocity of the others."""
    others = [b for b in boids if b is not bJ]
    if not others:
        return (0, 0)
    pvJ = over(plus(*(b.velocity for b in others)), len(boids) - 1)
    return over(minus(pvJ, bJ.velocity), 8)


def bound_position(b):
    """10 towards the inside for a boid outside."""
    x, y = b.position
    return (10 if x < Xmin else -10 if x > Xmax else 0, 10 if y < Ymin else -10 if y > Ymax else 0)


def limit_velocity(b):
    speed = math.hypot(*b.velocity)
    if speed > vlim:
        b.velocity = over(b.velocity, speed / vlim)


def move_all_boids_to_new_positions(boids):
    """One step, in place: each boid moves before the next one is updated."""
    for b in boids:
        b.velocity = plus(
            b.velocity, rule1(b, boids), rule2(b, boids), rule3(b, boids), bound_position(b)
        )
        limit_velocity(b)
        b.position = plus(b.position, b.velocity)
