"""The flocking examples of Mesa and Agents.jl, transcribed on their own: birds in a random order, one count for all rules.

It shares no line with reference.py except the random numbers for the order.
"""

import math

import draws

SEED = 1
SIZE = 100.0


class Model:
    """Factors of cohere, separate and match, speed, vision and the distance to keep."""

    def __init__(self, cohere, separate, match, speed, vision, separation):
        self.cohere, self.separate, self.match = cohere, separate, match
        self.speed, self.vision, self.separation = speed, vision, separation


mesa = Model(0.03, 0.015, 0.05, 1.0, 10.0, 2.0)
agents = Model(0.1, 0.25, 0.04, 1.5, 5.0, 2.0)


class Bird:
    """A position and a direction, which has the length 1 after the first step. The bird moves by its speed along it."""

    def __init__(self, model, x, y, vx, vy):
        self.position, self.direction = [x, y], [vx / model.speed, vy / model.speed]

    def velocity(self, model):
        return [model.speed * one for one in self.direction]


def heading(a, b):
    """The offset from a to b, across the border if that is shorter."""
    return [(y - x + SIZE / 2) % SIZE - SIZE / 2 for x, y in zip(a, b)]


def move(model, bird, birds):
    """One bird's step."""
    cohere, separate, match, n = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0
    for other in birds:
        way = heading(bird.position, other.position)
        distance = math.hypot(*way)
        if other is bird or not distance < model.vision:
            continue
        n += 1
        for k in range(2):
            cohere[k] += way[k]
            match[k] += other.direction[k]
            if distance < model.separation:
                separate[k] -= way[k]
    for k in range(2):
        n_or_one = max(n, 1)
        bird.direction[k] += (
            model.cohere * cohere[k] + model.separate * separate[k] + model.match * match[k]
        ) / n_or_one
    length = math.hypot(*bird.direction)
    for k in range(2):
        bird.direction[k] /= length
        bird.position[k] = (bird.position[k] + model.speed * bird.direction[k]) % SIZE


def step(model, birds, number):
    """All birds once, in random order."""
    dice = {i: draws.draw(SEED, draws.ORDER, number, i) >> 32 for i in range(len(birds))}
    for i in sorted(dice, key=lambda i: (dice[i], i)):
        move(model, birds[i], birds)
