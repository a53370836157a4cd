"""Finds the files of the project: inside this package after pip, otherwise two folders above it (in a checkout and in share/boids)."""

import os
from typing import Optional

PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
FOLDER_OF_PROJECT = os.path.dirname(os.path.dirname(PACKAGE))


def path_in_project(name: str) -> str:
    """Return the path of a folder of the project: configs, data or scripts."""
    inside = os.path.join(PACKAGE, name)
    return inside if os.path.exists(inside) else os.path.join(FOLDER_OF_PROJECT, name)


def program_of_package() -> Optional[str]:
    """Return the program boids of a checkout, an installation or a package of pip, or None."""
    paths = [os.path.join(PACKAGE, "boids"), os.path.join(FOLDER_OF_PROJECT, "boids")]
    if FOLDER_OF_PROJECT.endswith(os.path.join("share", "boids")):
        paths.append(os.path.join(FOLDER_OF_PROJECT, "..", "..", "bin", "boids"))
    return next((path for path in paths if os.access(path, os.X_OK) and os.path.isfile(path)), None)
