#!/usr/bin/env python3
"""A flock in a current with a vortex: a rule of one's own (docs/rule.md). Writes vortex.png, or the file that is named.

    python3 examples/vortex.py [FILE]
"""

import os
import sys

sys.path.append(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "python")
)  # if boids is not installed

import numpy as np  # noqa: E402

import boids  # noqa: E402

CENTRE, RADIUS, STRENGTH = np.array([320, 240]), 120, 0.05


def vortex(frame):
    """A change across the direction from the centre, which is largest at RADIUS (a Gaussian vortex)."""
    x, y = (frame.positions - CENTRE).T / RADIUS
    return STRENGTH * np.exp((1 - x * x - y * y) / 2)[:, None] * np.stack([-y, x], axis=1)


still, turned = boids.Flock("adams", seed=3), boids.Flock("adams", seed=3).rule(vortex)
for flock in (still, turned):
    flock.step(400)
print(
    f"milling after 400 steps: {still.milling:.2f} in still water, {turned.milling:.2f} in the vortex"
)
boids.plot.frame(turned).figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "vortex.png")
