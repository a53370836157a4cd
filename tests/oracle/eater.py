"""Ben Eater's boids, transcribed on its own: own loop, own numbers, his names.

It shares no line with reference.py. A boid is among its own neighbours, and each rule reads the velocity after the previous rule.
"""

import math

from sums import sum

width, height = 1000, 800
visualRange = 75


class Boid:
    """Position and velocity, dx and dy."""

    def __init__(self, x, y, dx, dy):
        self.x, self.y, self.dx, self.dy = x, y, dx, dy


def distance(boid1, boid2):
    return math.sqrt(
        (boid1.x - boid2.x) * (boid1.x - boid2.x) + (boid1.y - boid2.y) * (boid1.y - boid2.y)
    )


def keepWithinBounds(boid):
    margin, turnFactor = 200, 1
    if boid.x < margin:
        boid.dx += turnFactor
    if boid.x > width - margin:
        boid.dx -= turnFactor
    if boid.y < margin:
        boid.dy += turnFactor
    if boid.y > height - margin:
        boid.dy -= turnFactor


def flyTowardsCenter(boid, boids):
    centeringFactor = 0.005
    near = [other for other in boids if distance(boid, other) < visualRange]
    boid.dx += (sum(other.x for other in near) / len(near) - boid.x) * centeringFactor
    boid.dy += (sum(other.y for other in near) / len(near) - boid.y) * centeringFactor


def avoidOthers(boid, boids):
    minDistance, avoidFactor = 20, 0.05
    moveX = moveY = 0
    for other in boids:
        if other is not boid and distance(boid, other) < minDistance:
            moveX += boid.x - other.x
            moveY += boid.y - other.y
    boid.dx += moveX * avoidFactor
    boid.dy += moveY * avoidFactor


def matchVelocity(boid, boids):
    matchingFactor = 0.05
    near = [other for other in boids if distance(boid, other) < visualRange]
    avgDX, avgDY = sum(other.dx for other in near) / len(near), sum(
        other.dy for other in near
    ) / len(near)
    boid.dx += (avgDX - boid.dx) * matchingFactor
    boid.dy += (avgDY - boid.dy) * matchingFactor


def limitSpeed(boid):
    speedLimit = 15
    speed = math.sqrt(boid.dx * boid.dx + boid.dy * boid.dy)
    if speed > speedLimit:
        boid.dx = boid.dx / speed * speedLimit
        boid.dy = boid.dy / speed * speedLimit


def animationLoop(boids):
    """One step, in place: each boid moves before the next one looks."""
    for boid in boids:
        flyTowardsCenter(boid, boids)
        avoidOthers(boid, boids)
        matchVelocity(boid, boids)
        limitSpeed(boid)
        keepWithinBounds(boid)
        boid.x += boid.dx
        boid.y += boid.dy
