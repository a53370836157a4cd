#!/usr/bin/env python3
"""Write an XDMF sidecar, so that ParaView opens a trajectory.

This file only calls python/boids/xdmf.py.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "python"))
from boids.commands.entry_points import xdmf  # noqa: E402

if __name__ == "__main__":
    sys.exit(xdmf())
