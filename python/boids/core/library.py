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
from typing import Any

from .errors import Error
from .places import FOLDER_OF_PROJECT, PACKAGE, path_in_project
from .sanitize import one_line

SONAME = "libboids.so.1"
FAILED, REFUSED, CANCELLED = 1, 2, 3

# A rule takes data, the step, agents, the numbers of boids and predators, and changes. If it returns 0, the step continues.
RULE_FUNCTION: Any = ctypes.CFUNCTYPE(
    c_int, c_void_p, c_uint64, POINTER(c_double), c_size_t, c_size_t, POINTER(c_double)
)

TYPES = {
    "nothing": None,
    "address": c_void_p,  # of a flock or an array
    "text": c_char_p,
    "texts": POINTER(c_char_p),
    "int": c_int,
    "uint": c_uint32,
    "number": c_double,
    "numbers": POINTER(c_double),
    "rule": RULE_FUNCTION,
    "size": c_size_t,
    "sizes": POINTER(c_size_t),
    "step": c_uint64,
}
# The functions with the types of their result and arguments.
FUNCTIONS = dict(
    line.split(": ")
    for line in """\
boids_version: text
boids_results: int
boids_create: address
boids_copy: address, address
boids_free: nothing, address
boids_message: text, address
boids_advice: text, address
boids_configure: int, address, text, size, text
boids_preset: int, address, text
boids_set_all: int, address, texts, texts, size
boids_begin: int, address, int
boids_place: int, address, address, size, step
boids_rule: int, address, rule, address, text
boids_step: int, address, step
boids_cancel: nothing, address
boids_steps: step, address
boids_count: size, address, sizes
boids_get: nothing, address, address
boids_hash: step, address
boids_observable: text, size
boids_measure: int, address, text, numbers, size
boids_config: text, address, int
boids_pairs: int, address, size, size, size, number, number, address, uint
boids_error_of_mean: number, address, size, numbers
boids_near: int, address, size, number, number, number, size, address, address, address
boids_sums: nothing, address, size, address, size, address
""".splitlines()
)


class LibraryError(Error, ImportError):
    """libboids was not found, cannot be loaded, or is of another version than this package."""


def package_version() -> str:
    """Return the version of this package, from the file VERSION."""
    with open(path_in_project("VERSION"), encoding="ascii") as file:
        return file.read().strip()


def library_path() -> str:
    """Return the path of the library; of one of the system, its name."""
    prefix = os.path.dirname(os.path.dirname(FOLDER_OF_PROJECT))  # of PREFIX/share/boids
    paths = [
        os.path.join(PACKAGE, SONAME),
        os.path.join(FOLDER_OF_PROJECT, "build", "release", SONAME),
        os.path.join(prefix, "lib", SONAME),
        *sorted(glob.glob(os.path.join(prefix, "lib", "*", SONAME))),
    ]
    return os.environ.get("BOIDS_LIBRARY", "") or next(
        (path for path in paths if os.path.exists(path)), SONAME
    )


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """Return the library with the types of its functions. Raise LibraryError if there is none of this version."""
    path = library_path()
    try:
        library = ctypes.CDLL(path)
        for name, types in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, *function.argtypes = map(TYPES.get, types.split(", "))
    except OSError as error:
        raise LibraryError(
            f"{path} cannot be loaded ({one_line(error)}); `make` or `pip install .` in the source of boids "
            "builds it, or BOIDS_LIBRARY names it"
        ) from None
    except AttributeError as error:
        raise LibraryError(
            f"{path} is not libboids {package_version()}: {one_line(error)}"
        ) from None
    found = library.boids_version().decode()
    if found != package_version():
        raise LibraryError(
            f"{path} is libboids {found}, but this is the Python package boids {package_version()}; install the same "
            "version of both, or name another library with BOIDS_LIBRARY"
        )
    return library
