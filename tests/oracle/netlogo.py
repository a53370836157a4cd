"""Flocking of NetLogo's Models Library (Wilensky 1998; version of NetLogo 7), in degrees: headings change one by one, then all turtles move.

It shares no line with reference.py except the random numbers for the order and the rounding of limits.
"""

import math

import draws
from sums import sum

SEED = 1
SIZE = 71.0
VISION, MINIMUM_SEPARATION = 5.0, 1.0


def rounded(degrees):
    """The angle of the program's limit: a point of the unit circle, rounded to 2^-30."""
    c, s = draws.circle(math.floor(degrees / 360 * 2**32 + 0.5))
    return math.degrees(math.atan2(s, c))


MAX_ALIGN_TURN, MAX_COHERE_TURN, MAX_SEPARATE_TURN = rounded(5.0), rounded(3.0), rounded(1.5)


class Turtle:
    """A place and a heading, in degrees from the y axis towards the x axis."""

    def __init__(self, x, y, vx, vy):
        self.x, self.y, self.heading = x, y, math.degrees(math.atan2(vx, vy))

    def numbers(self):
        angle = math.radians(self.heading)
        return self.x, self.y, math.sin(angle), math.cos(angle)


def way(a, b):
    """The offset from turtle a to turtle b, across the border if that is shorter."""
    return [(there - here + SIZE / 2) % SIZE - SIZE / 2 for here, there in ((a.x, b.x), (a.y, b.y))]


def turn_at_most(turtle, turn, most):
    turn = (turn + 180) % 360 - 180
    turtle.heading += max(-most, min(most, turn))


def towards(x, y, heading):
    return heading if x == 0 and y == 0 else math.degrees(math.atan2(x, y))


def flock(turtle, turtles):
    """One turtle's change of heading."""
    mates = [(math.hypot(*way(turtle, other)), other) for other in turtles if other is not turtle]
    mates = [(distance, other) for distance, other in mates if distance < VISION]
    if not mates:
        return
    distance, nearest = min(mates, key=lambda mate: mate[0])
    if distance < MINIMUM_SEPARATION:
        turn_at_most(turtle, turtle.heading - nearest.heading, MAX_SEPARATE_TURN)
        return
    angles = [math.radians(other.heading) for _, other in mates]
    mean = towards(sum(map(math.sin, angles)), sum(map(math.cos, angles)), turtle.heading)
    turn_at_most(turtle, mean - turtle.heading, MAX_ALIGN_TURN)
    ways = [[one / distance for one in way(turtle, other)] for distance, other in mates]
    mean = towards(sum(x for x, _ in ways), sum(y for _, y in ways), turtle.heading)
    turn_at_most(turtle, mean - turtle.heading, MAX_COHERE_TURN)


def step(turtles, number):
    """All headings in random order, then all places."""
    dice = {i: draws.draw(SEED, draws.ORDER, number, i) >> 32 for i in range(len(turtles))}
    for i in sorted(dice, key=lambda i: (dice[i], i)):
        flock(turtles[i], turtles)
    for turtle in turtles:
        _, _, dx, dy = turtle.numbers()
        turtle.x, turtle.y = (turtle.x + dx) % SIZE, (turtle.y + dy) % SIZE
