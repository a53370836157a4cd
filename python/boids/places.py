"""Finds the files of the project: inside this package after pip, otherwise two folders above it (in a checkout and in share/boids)."""

import os

PACKAGE = os.path.dirname(os.path.realpath(__file__))
ABOVE = os.path.dirname(os.path.dirname(PACKAGE))


def place(name):
    """The path of a folder of the project: configs, data or scripts."""
    inside = os.path.join(PACKAGE, name)
    return inside if os.path.exists(inside) else os.path.join(ABOVE, name)
