"""The example Flocking of Processing, transcribed on its own: own loop, own numbers, the names of the source.

It shares no line with reference.py, so that a misreading in one of them shows as a difference between the two. A boid adds its
acceleration, moves, and is wrapped when it is r beyond the edge. Here the world begins there, so coordinates are those of the
source plus r. In the source, boids at the same position are not neighbours.
"""

import math

width, height, r = 640, 360, 2
maxspeed, maxforce = 2, 0.03
desiredseparation, neighbordist = 25, 50


class PVector:
    """As much of Processing's PVector as a boid needs; it changes in place."""

    def __init__(self, x=0.0, y=0.0):
        self.x, self.y = x, y

    def add(self, other):
        self.x += other.x
        self.y += other.y

    def sub(self, other):
        self.x -= other.x
        self.y -= other.y

    def mult(self, n):
        self.x *= n
        self.y *= n

    def div(self, n):
        self.x /= n
        self.y /= n

    def mag(self):
        return math.sqrt(self.x * self.x + self.y * self.y)

    def normalize(self):
        if self.mag() != 0:
            self.div(self.mag())

    def limit(self, most):
        if self.mag() > most:
            self.normalize()
            self.mult(most)


def difference(a, b):
    return PVector(a.x - b.x, a.y - b.y)


class Boid:
    def __init__(self, x, y, vx, vy):
        self.position, self.velocity, self.acceleration = (
            PVector(x - r, y - r),
            PVector(vx, vy),
            PVector(),
        )

    def run(self, boids):
        self.flock(boids)
        self.update()
        self.borders()

    def flock(self, boids):
        sep, ali, coh = self.separate(boids), self.align(boids), self.cohesion(boids)
        sep.mult(1.5)
        ali.mult(1.0)
        coh.mult(1.0)
        for force in (sep, ali, coh):
            self.acceleration.add(force)

    def update(self):
        self.velocity.add(self.acceleration)
        self.velocity.limit(maxspeed)
        self.position.add(self.velocity)
        self.acceleration.mult(0)

    def steer(self, wish):
        """The change towards full speed in a desired direction, limited to the force."""
        wish.normalize()
        wish.mult(maxspeed)
        steer = difference(wish, self.velocity)
        steer.limit(maxforce)
        return steer

    def seek(self, target):
        return self.steer(difference(target, self.position))

    def borders(self):
        if self.position.x < -r:
            self.position.x = width + r
        if self.position.y < -r:
            self.position.y = height + r
        if self.position.x > width + r:
            self.position.x = -r
        if self.position.y > height + r:
            self.position.y = -r

    def separate(self, boids):
        steer, count = PVector(), 0
        for other in boids:
            d = difference(self.position, other.position).mag()
            if 0 < d < desiredseparation:
                diff = difference(self.position, other.position)
                diff.normalize()
                diff.div(d)
                steer.add(diff)
                count += 1
        if count > 0:
            steer.div(count)
        return self.steer(steer) if steer.mag() > 0 else steer

    def align(self, boids):
        total, count = PVector(), 0
        for other in boids:
            if 0 < difference(self.position, other.position).mag() < neighbordist:
                total.add(other.velocity)
                count += 1
        if count == 0:
            return PVector()
        total.div(count)
        return self.steer(total)

    def cohesion(self, boids):
        total, count = PVector(), 0
        for other in boids:
            if 0 < difference(self.position, other.position).mag() < neighbordist:
                total.add(other.position)
                count += 1
        if count == 0:
            return PVector()
        total.div(count)
        return self.seek(total)


def step(flock):
    """One step, in place: each boid is updated completely, so the next one reads its new state."""
    for boid in flock:
        boid.run(flock)


def numbers(boid):
    """x, y, vx, vy of a boid in the world that begins at -r."""
    return (boid.position.x + r, boid.position.y + r, boid.velocity.x, boid.velocity.y)
