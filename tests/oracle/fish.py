"""The school of fish of the pygame demo, transcribed on its own: own loop, own numbers, the names of the source.

It shares no line with reference.py, so that a misreading in one of them shows as a difference between the
two. A fish that leaves the screen appears exactly on the opposite edge, and has no neighbours across the border.
"""

import math

WIDTH = HEIGHT = 512
MAX_SPEED = 2
NEIGHBOR_RADIUS, SEPARATION_RADIUS = 50, 30
SEPARATION_FORCE, ALIGNMENT_FORCE, COHESION_FORCE = 0.8, 0.1, 0.05


class Fish:
    """One fish: a position and a velocity."""

    def __init__(self, x, y, vx, vy):
        self.x, self.y, self.vx, self.vy = x, y, vx, vy

    def update(self, school):
        """The update of one fish: find neighbours, change the velocity, move, wrap."""
        separation_x = separation_y = 0.0
        alignment_x = alignment_y = cohesion_x = cohesion_y = 0.0
        aligned = cohered = 0
        for other in school:
            if other is self:
                continue
            dx, dy = self.x - other.x, self.y - other.y
            distance = math.sqrt(dx**2 + dy**2)
            if 0 < distance < SEPARATION_RADIUS:
                separation_x += dx / distance
                separation_y += dy / distance
            if distance < NEIGHBOR_RADIUS:
                alignment_x += other.vx
                alignment_y += other.vy
                aligned += 1
            if distance < NEIGHBOR_RADIUS:
                cohesion_x += other.x
                cohesion_y += other.y
                cohered += 1

        self.vx += separation_x * SEPARATION_FORCE
        self.vy += separation_y * SEPARATION_FORCE
        if aligned:
            self.vx += alignment_x / aligned * ALIGNMENT_FORCE
            self.vy += alignment_y / aligned * ALIGNMENT_FORCE
        if cohered:
            self.vx += (cohesion_x / cohered - self.x) * COHESION_FORCE
            self.vy += (cohesion_y / cohered - self.y) * COHESION_FORCE

        speed = math.sqrt(self.vx**2 + self.vy**2)
        if speed > MAX_SPEED:
            self.vx = self.vx / speed * MAX_SPEED
            self.vy = self.vy / speed * MAX_SPEED

        self.x += self.vx
        self.y += self.vy
        if self.x > WIDTH:
            self.x = 0
        elif self.x < 0:
            self.x = WIDTH
        if self.y > HEIGHT:
            self.y = 0
        elif self.y < 0:
            self.y = HEIGHT


def step(school):
    """One step, in place: each fish is updated completely, so the next one reads its new state."""
    for fish in school:
        fish.update(school)
