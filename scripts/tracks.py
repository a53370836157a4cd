#!/usr/bin/env python3
"""Convert the tracks of animals to a trajectory.

This file only calls python/boids/commands/tracks.py.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "python"))
from boids.commands.entry_points import tracks  # noqa: E402

if __name__ == "__main__":
    sys.exit(tracks())
