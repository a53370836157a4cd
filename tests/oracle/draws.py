"""Random numbers by key, and sine and cosine in integers, as docs/models.md defines them.

The transcription of a program with noise shares only these numbers with the flock that it is compared with.
"""

import math

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
NOISE, ORDER, SPEED = 5, 6, 7


def mix(z):
    """The finalizer of SplitMix64, Mix13."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def draw(seed, purpose, step, boid):
    """The first 64 bits of a boid in a step."""
    key = 0
    for part in (seed, purpose, step, boid):
        key = mix(((key ^ part) + GOLDEN) & MASK)
    return mix((key + GOLDEN) & MASK)


def product(a, b):
    """a b / 2^30, rounded to the nearest integer."""
    return (a * b + (1 << 29)) >> 30


def polynomial(z, *coefficients):
    """By Horner's scheme."""
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = product(value, z) + coefficient
    return value


def circle(turns):
    """Cosine and sine of an angle in 2^-32 of a turn."""
    turns &= 0xFFFFFFFF
    quarter = (turns + (1 << 29)) >> 30
    t = 2 * (turns - (quarter << 30))
    z = product(t, t)
    s = product(polynomial(z, 332, -39269, 2674039, -86699833, 843314857), t) / 2**30
    c = polynomial(z, 3792, -349978, 17023455, -331168968, 1073741824) / 2**30
    return ((c, s), (-s, c), (-c, -s), (s, -c))[quarter % 4]


def turned(vx, vy, point):
    """A vector, rotated by the angle of a point on the circle."""
    c, s = point
    return c * vx - s * vy, s * vx + c * vy


def within(bits, eta):
    """The point on the circle at a random angle in [-eta/2, eta/2), from the upper half of a draw."""
    half = bits >> 32
    signed = half - (1 << 32) if half >> 31 else half
    return circle(signed * math.floor(eta / (2 * math.pi) * 2**32 + 0.5) >> 32)


def anywhere(bits):
    """A random point on the circle, from the lower half of a draw."""
    return circle(bits & 0xFFFFFFFF)
