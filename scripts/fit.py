#!/usr/bin/env python3
"""Find the parameters of a flock that agrees with tracked animals.

This file only calls python/boids/commands/fit.py.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "python"))
from boids.commands.entry_points import fit  # noqa: E402

if __name__ == "__main__":
    sys.exit(fit())
