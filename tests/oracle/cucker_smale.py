"""Cucker and Smale (2007), equation (1) of the paper with its Euler step of length H.

It shares no line with reference.py. A bird is [x, y, vx, vy].
"""

from sums import sum

K, SIGMA, BETA, H = 0.01, 100.0, 0.25, 1.0


def acceleration(i, birds, axis):
    """The sum of a_ij (v_j - v_i) along an axis."""
    x, y = birds[i][:2]
    return sum(
        K / (SIGMA**2 + (p - x) ** 2 + (q - y) ** 2) ** BETA * (v[axis] - birds[i][2 + axis])
        for p, q, *v in birds
    )


def step(birds):
    """The birds after a step."""
    return [
        [
            x + H * vx,
            y + H * vy,
            vx + H * acceleration(i, birds, 0),
            vy + H * acceleration(i, birds, 1),
        ]
        for i, (x, y, vx, vy) in enumerate(birds)
    ]
