"""The flock of "The Boids and the Bees", transcribed on its own: own loop, own numbers, the names of the source.

It shares no line with reference.py, so that a misreading in one of them shows as a difference between the
two. The three rules act together on the old velocity, and, unlike Adams', every boid
in view counts in the means, the too close ones as well.
"""

import math

from sums import sum

WIDTH, HEIGHT = 640, 480
MARGIN, TURN_FACTOR = 100, 0.2
VISUAL_RANGE, PROTECTED_RANGE = 40, 8
CENTERING_FACTOR, AVOIDANCE_FACTOR, MATCHING_FACTOR = 0.0005, 0.05, 0.05
MIN_SPEED, MAX_SPEED = 3, 6


def distance(bee, other):
    """The distance of two bees."""
    return math.sqrt((bee[0] - other[0]) ** 2 + (bee[1] - other[1]) ** 2)


def fly_towards_centre(bee, others):
    """A small part of the way to the centre of those in view."""
    seen = [other for other in others if distance(bee, other) < VISUAL_RANGE]
    if not seen:
        return 0, 0
    centre_x = sum(other[0] for other in seen) / len(seen)
    centre_y = sum(other[1] for other in seen) / len(seen)
    return (centre_x - bee[0]) * CENTERING_FACTOR, (centre_y - bee[1]) * CENTERING_FACTOR


def avoid_others(bee, others):
    """Away from those closer than the minimal distance."""
    move_x = move_y = 0
    for other in others:
        if distance(bee, other) < PROTECTED_RANGE:
            move_x += bee[0] - other[0]
            move_y += bee[1] - other[1]
    return move_x * AVOIDANCE_FACTOR, move_y * AVOIDANCE_FACTOR


def match_velocity(bee, others):
    """A small part of the way to the mean velocity of those in view."""
    seen = [other for other in others if distance(bee, other) < VISUAL_RANGE]
    if not seen:
        return 0, 0
    mean_vx = sum(other[2] for other in seen) / len(seen)
    mean_vy = sum(other[3] for other in seen) / len(seen)
    return (mean_vx - bee[2]) * MATCHING_FACTOR, (mean_vy - bee[3]) * MATCHING_FACTOR


def keep_within_bounds(bee):
    """Turn back inside a margin."""
    if bee[0] < MARGIN:
        bee[2] += TURN_FACTOR
    if bee[0] > WIDTH - MARGIN:
        bee[2] -= TURN_FACTOR
    if bee[1] < MARGIN:
        bee[3] += TURN_FACTOR
    if bee[1] > HEIGHT - MARGIN:
        bee[3] -= TURN_FACTOR


def limit_speed(bee):
    """Limit the speed from above and, unless the boid is at rest, from below."""
    speed = math.sqrt(bee[2] ** 2 + bee[3] ** 2)
    if speed > MAX_SPEED:
        bee[2:] = bee[2] / speed * MAX_SPEED, bee[3] / speed * MAX_SPEED
    if 0 < speed < MIN_SPEED:
        bee[2:] = bee[2] / speed * MIN_SPEED, bee[3] / speed * MIN_SPEED


def step(bees):
    """One step, in place: each bee is updated completely, so the next one reads its new state."""
    for n, bee in enumerate(bees):
        others = bees[:n] + bees[n + 1 :]
        inwards, away, along = (
            rule(bee, others) for rule in (fly_towards_centre, avoid_others, match_velocity)
        )
        bee[2] += inwards[0] + away[0] + along[0]
        bee[3] += inwards[1] + away[1] + along[1]
        keep_within_bounds(bee)
        limit_speed(bee)
        bee[0] += bee[2]
        bee[1] += bee[3]
