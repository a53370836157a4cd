"""Vicsek, Czirok, Ben-Jacob, Cohen and Shochet (1995), transcribed on its own: angles, means of angles, a noise added to them;
and Gregoire and Chate (2004) with the noise inside the sum.

It shares no line with reference.py except the random numbers. Particles move by their new headings, as in most programs, or by
their old ones, as in the paper.
"""

import math

import draws
from sums import sum

SEED = 1


class Model:
    """A square of side L with periodic boundaries, radius r, speed v, noise eta."""

    def __init__(self, L, r, v, eta, k=None):
        self.L, self.r, self.v, self.eta, self.k = L, r, v, eta, k


vicsek = Model(500.0, 100.0, 3.0, 2.0)
chate = Model(1600.0, 100.0, 50.0, 0.6)
topological = Model(500.0, math.inf, 3.0, 2.0, 7)


class Particle:
    """A position and a heading."""

    def __init__(self, x, y, vx, vy):
        self.x, self.y, self.theta = x, y, math.atan2(vy, vx)
        self.vx, self.vy = vx, vy


def separation(model, a, b):
    """The distance to the nearest image."""
    dx = (a.x - b.x + model.L / 2) % model.L - model.L / 2
    dy = (a.y - b.y + model.L / 2) % model.L - model.L / 2
    return math.hypot(dx, dy)


def neighbours(model, particles, one):
    """The particle itself and all within the radius, or only the k nearest of them (Ballerini et al. 2008)."""
    others = [
        other for other in particles if other is not one and separation(model, one, other) < model.r
    ]
    if model.k is not None:
        others = sorted(others, key=lambda other: separation(model, one, other))[: model.k]
    return others + [one]


def angle_of(point):
    """The angle of the random point on the circle."""
    return math.atan2(point[1], point[0])


def mean_angle(model, particles, one, step, number):
    """<theta>_r + dtheta, where <theta>_r = arctan(<sin theta>_r / <cos theta>_r)."""
    near = neighbours(model, particles, one)
    mean_sine = sum(math.sin(other.theta) for other in near) / len(near)
    mean_cosine = sum(math.cos(other.theta) for other in near) / len(near)
    dtheta = angle_of(draws.within(draws.draw(SEED, draws.NOISE, step, number), model.eta))
    return math.atan2(mean_sine, mean_cosine) + dtheta


def angle_of_sum(model, particles, one, step, number):
    """arg(sum of e^(i theta) + eta n e^(i xi))."""
    near = neighbours(model, particles, one)
    e = draws.anywhere(draws.draw(SEED, draws.NOISE, step, number))
    x = sum(math.cos(other.theta) for other in near) + model.eta * len(near) * e[0]
    y = sum(math.sin(other.theta) for other in near) + model.eta * len(near) * e[1]
    return math.atan2(y, x)


def move(model, particles, heading, step, by_old=False):
    """One step: all headings change, then all particles move; with `by_old`, x(t + 1) = x(t) + v(t)."""
    headings = [
        heading(model, particles, one, step, number) for number, one in enumerate(particles)
    ]
    for one, theta in zip(particles, headings):
        old = one.vx, one.vy
        one.theta = theta
        one.vx, one.vy = model.v * math.cos(theta), model.v * math.sin(theta)
        vx, vy = old if by_old else (one.vx, one.vy)
        one.x = (one.x + vx) % model.L
        one.y = (one.y + vy) % model.L
