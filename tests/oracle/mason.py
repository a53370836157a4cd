"""Flockers, the flocking example of MASON, transcribed on its own: flockers in a random order; each is its own neighbour.

It shares no line with reference.py except the random numbers for the order and the random direction. The source draws a direction
from a square and normalises it; here no flocker is "dead".
"""

import math

import draws
from sums import sum

SEED = 1
width = height = 150.0
neighborhood, jump = 10.0, 0.7
cohesion, avoidance, consistency, randomness, momentum = 1.0, 1.0, 1.0, 0.05, 1.0


class Flocker:
    """A position and the last displacement."""

    def __init__(self, x, y, vx, vy):
        self.loc, self.lastd = (x, y), (vx, vy)


def tv(a, b):
    """a - b on the torus."""
    return tuple((p - q + size / 2) % size - size / 2 for p, q, size in zip(a, b, (width, height)))


def consistent(bag):
    """The mean of the last displacements, including its own."""
    return sum(f.lastd[0] for f in bag) / len(bag), sum(f.lastd[1] for f in bag) / len(bag)


def cohesive(bag, loc):
    """A tenth of the mean offset to the neighbours."""
    ways = [tv(loc, f.loc) for f in bag]
    return -sum(w[0] for w in ways) / len(bag) / 10, -sum(w[1] for w in ways) / len(bag) / 10


def avoiding(this, bag):
    """The mean of the offsets from the neighbours, each divided by the fourth power of the distance plus 1."""
    x = y = 0.0
    count = 0
    for f in bag:
        if f is not this:
            dx, dy = tv(this.loc, f.loc)
            lensquared = dx * dx + dy * dy
            count += 1
            x += dx / (lensquared * lensquared + 1)
            y += dy / (lensquared * lensquared + 1)
    return (400 * x / count, 400 * y / count) if count > 0 else (0.0, 0.0)


def move(this, flockers, number, identity):
    bag = [f for f in flockers if math.hypot(*tv(this.loc, f.loc)) < neighborhood]
    avoid, cohe, cons = avoiding(this, bag), cohesive(bag, this.loc), consistent(bag)
    rand = draws.anywhere(draws.draw(SEED, draws.NOISE, number, identity))
    dx, dy = (
        cohesion * cohe[k]
        + avoidance * avoid[k]
        + consistency * cons[k]
        + randomness * rand[k]
        + momentum * this.lastd[k]
        for k in range(2)
    )
    dis = math.sqrt(dx * dx + dy * dy)
    if dis > 0:
        dx, dy = dx / dis * jump, dy / dis * jump
    this.lastd = (dx, dy)
    this.loc = ((this.loc[0] + dx) % width, (this.loc[1] + dy) % height)


def step(flockers, number):
    """All flockers once, in random order."""
    dice = {i: draws.draw(SEED, draws.ORDER, number, i) >> 32 for i in range(len(flockers))}
    for i in sorted(dice, key=lambda i: (dice[i], i)):
        move(flockers[i], flockers, number, i)
