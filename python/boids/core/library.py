"""Finds and loads libboids, the C library that steps flocks (include/boids/boids.h).

The order is: the file that BOIDS_LIBRARY names; the folder of this package, where pip puts the library; the build of a checkout, or
lib/ of the installation that contains this package; the libraries of the system.
"""

import ctypes
import ctypes.util
import functools
import glob
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, List

from .errors import Error
from .places import ABOVE, PACKAGE, place

SONAME = "libboids.so.1"
FAILED, REFUSED, CANCELLED = 1, 2, 3

# A rule takes data, the step, agents, the numbers of boids and predators, and changes. If it returns 0, the step continues.
RULE: Any = ctypes.CFUNCTYPE(
    c_int, c_void_p, c_uint64, POINTER(c_double), c_size_t, c_size_t, POINTER(c_double)
)

# name: (type of the result, types of the arguments)
FUNCTIONS = {
    "boids_version": (c_char_p, []),
    "boids_results": (c_int, []),
    "boids_create": (c_void_p, []),
    "boids_copy": (c_void_p, [c_void_p]),
    "boids_free": (None, [c_void_p]),
    "boids_message": (c_char_p, [c_void_p]),
    "boids_configure": (c_int, [c_void_p, c_char_p, c_size_t, c_char_p]),
    "boids_preset": (c_int, [c_void_p, c_char_p]),
    "boids_set_all": (c_int, [c_void_p, POINTER(c_char_p), POINTER(c_char_p), c_size_t]),
    "boids_begin": (c_int, [c_void_p, c_int]),
    "boids_place": (c_int, [c_void_p, c_void_p, c_size_t, c_uint64]),
    "boids_rule": (c_int, [c_void_p, RULE, c_void_p, c_char_p]),
    "boids_step": (c_int, [c_void_p, c_uint64]),
    "boids_cancel": (None, [c_void_p]),
    "boids_steps": (c_uint64, [c_void_p]),
    "boids_count": (c_size_t, [c_void_p, POINTER(c_size_t)]),
    "boids_get": (None, [c_void_p, c_void_p]),
    "boids_hash": (c_uint64, [c_void_p]),
    "boids_observable": (c_char_p, [c_size_t]),
    "boids_measure": (c_int, [c_void_p, c_char_p, POINTER(c_double), c_size_t]),
    "boids_config": (c_char_p, [c_void_p, c_int]),
    "boids_pairs": (
        c_int,
        [c_void_p, c_size_t, c_size_t, c_size_t, c_double, c_double, c_void_p, c_uint32],
    ),
    "boids_error_of_mean": (c_double, [c_void_p, c_size_t, POINTER(c_double)]),
    "boids_near": (
        c_int,
        [c_void_p, c_size_t, *[c_double] * 3, c_size_t, *[c_void_p] * 3],
    ),
    "boids_sums": (None, [c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
}


class LibraryError(Error, ImportError):
    """libboids was not found, cannot be loaded, or is of another version than this package."""


def package_version() -> str:
    """Return the version of this package, from the file VERSION."""
    with open(place("VERSION"), encoding="ascii") as file:
        return file.read().strip()


def candidates() -> List[str]:
    """Return the paths and names to try, in order."""
    named = os.environ.get("BOIDS_LIBRARY")
    if named:
        return [named]
    beside = [os.path.join(PACKAGE, SONAME), os.path.join(ABOVE, "build", "release", SONAME)]
    prefix = os.path.dirname(os.path.dirname(ABOVE))  # of PREFIX/share/boids
    beside += [
        os.path.join(prefix, "lib", SONAME),
        *sorted(glob.glob(os.path.join(prefix, "lib", "*", SONAME))),
    ]
    return [path for path in beside if os.path.exists(path)] + [SONAME]


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """Return the library with the types of its functions. Raise LibraryError if there is none of this version."""
    path = candidates()[0]
    try:
        library = ctypes.CDLL(path)
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except OSError as error:
        raise LibraryError(
            f"{path} cannot be loaded ({' '.join(str(error).split())}); `make` or `pip install .` in the source of boids "
            "builds it, or BOIDS_LIBRARY names it"
        ) from None
    except AttributeError as error:
        raise LibraryError(
            f"{path} is not libboids {package_version()}: {' '.join(str(error).split())}"
        ) from None
    found = library.boids_version().decode()
    if found != package_version():
        raise LibraryError(
            f"{path} is libboids {found}, but this is the Python package boids {package_version()}; install the same "
            "version of both, or name another library with BOIDS_LIBRARY"
        )
    return library
