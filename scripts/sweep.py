#!/usr/bin/env python3
"""Points for a sweep: a grid of keys and values, or a random design, times seeds; `boids --points` runs them.

This file only calls python/boids/commands/sweep.py.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "python"))
from boids.commands.entry_points import sweep  # noqa: E402

if __name__ == "__main__":
    sys.exit(sweep())
