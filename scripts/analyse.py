#!/usr/bin/env python3
"""Statistics of a flock's trajectory: pair and velocity correlation, displacement, groups, number fluctuations,
leadership, structure factor.

This file only calls python/boids/analysis/.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "python"))
from boids.commands.entry_points import analyse  # noqa: E402

if __name__ == "__main__":
    sys.exit(analyse())
