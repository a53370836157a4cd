#!/usr/bin/env python3
"""Draw a flock: a window, a film, a picture, a contact sheet, or charts of what was measured.

This file only calls python/boids/drawing/.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "python"))
from boids.commands.entry_points import plot  # noqa: E402

if __name__ == "__main__":
    sys.exit(plot())
