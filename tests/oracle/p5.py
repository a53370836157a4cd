"""The p5.js boids after The Coding Train, transcribed on its own: own loop, own numbers, the names of the source.

It shares no line with reference.py, so that a misreading in one of them shows as a difference between the
two. A boid moves by its old velocity before the velocity changes. It wraps after the move, exactly onto the
opposite edge, and has no neighbours across the border.
"""

import math

width, height = 640, 360
maxSpeed, maxForce = 6, 0.05
avoidanceRadius, alignmentRadius, cohesionRadius = 50, 50, 100


class Vector:
    """As much of a p5.Vector as a boid needs; like the original, it changes in place."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def add(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def sub(self, other):
        self.x -= other.x
        self.y -= other.y
        return self

    def mult(self, factor):
        self.x *= factor
        self.y *= factor
        return self

    def div(self, factor):
        self.x /= factor
        self.y /= factor
        return self

    def mag(self):
        return math.sqrt(self.x * self.x + self.y * self.y)

    def setMag(self, length):
        return self.div(self.mag()).mult(length) if self.mag() > 0 else self

    def limit(self, most):
        return self.setMag(most) if self.mag() > most else self


class Boid:
    """Position, velocity, and the acceleration in one update."""

    def __init__(self, x, y, vx, vy):
        self.position, self.velocity = Vector(x, y), Vector(vx, vy)

    def distance(self, other):
        return Vector(self.position.x, self.position.y).sub(other.position).mag()

    def steer(self, steering, total):
        """Reynolds' steering: the desired velocity, at full speed, minus the present one, limited to the force."""
        return steering.div(total).setMag(maxSpeed).sub(self.velocity).limit(maxForce)

    def align(self, boids):
        steering, total = Vector(0, 0), 0
        for other in boids:
            if other is not self and self.distance(other) < alignmentRadius:
                steering.add(other.velocity)
                total += 1
        return self.steer(steering, total) if total > 0 else steering

    def separation(self, boids):
        steering, total = Vector(0, 0), 0
        for other in boids:
            d = self.distance(other)
            if other is not self and d < avoidanceRadius:
                if d > 0:  # The original divides zero by zero here.
                    steering.add(
                        Vector(self.position.x, self.position.y).sub(other.position).div(d * d)
                    )
                total += 1
        return self.steer(steering, total) if total > 0 else steering

    def cohesion(self, boids):
        steering, total = Vector(0, 0), 0
        for other in boids:
            if other is not self and self.distance(other) < cohesionRadius:
                steering.add(other.position)
                total += 1
        if total == 0:
            return steering
        steering.div(total).sub(self.position)
        return self.steer(steering, 1)

    def flock(self, boids):
        self.acceleration = Vector(0, 0)
        self.acceleration.add(self.align(boids)).add(self.cohesion(boids)).add(
            self.separation(boids)
        )

    def update(self):
        self.position.add(self.velocity)
        self.velocity.add(self.acceleration)
        self.velocity.limit(maxSpeed)

    def edges(self):
        if self.position.x > width:
            self.position.x = 0
        elif self.position.x < 0:
            self.position.x = width
        if self.position.y > height:
            self.position.y = 0
        elif self.position.y < 0:
            self.position.y = height


def step(flock):
    """One step, in place: each boid is updated completely, so the next one reads its new state."""
    for boid in flock:
        boid.flock(flock)
        boid.update()
        boid.edges()
