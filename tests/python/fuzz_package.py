"""Calls the package with random names and arguments: each call gives a result, or an error that the package raises on purpose.

    /usr/bin/python3 tests/python/fuzz_package.py 100000 [SEED]

With libboids built with AddressSanitizer, which is how a write beyond an array is found:

    make BUILD=build/asan CFLAGS='-O1 -g -fsanitize=address' build/asan/libboids.so.1
    BOIDS_LIBRARY=build/asan/libboids.so.1 LD_PRELOAD=$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 \
        /usr/bin/python3 tests/python/fuzz_package.py 100000
"""

import copy
import os
import pickle
import random
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

import numpy as np  # noqa: E402

import boids  # noqa: E402

WORDS = [
    "polarization",
    "milling",
    "polarization,milling",
    "flocks,flocks,flocks,flocks",
    "",
    ",",
    "seed",
    "flock.count",
    "flock",
    "flock.cohesion.factor",
    "flock.alignment.radius",
    "world.width",
    "\ud83d",
    "a\0b",
    "x" * 100,
    "x" * 5000,
    ",".join(["spread"] * 500),
    "adams",
    "schedule",
    "heading",
    "predators.hunt",
    "nearest",
    "output.observables",
]
SCHEDULE = [
    {"at": 3, "set": {"flock.cohesion.radius": 15}},
    {"at": 9, "set": {"flock.separation.radius": 3, "flock.noise.eta": 1}},
]
CONFIGS = [
    {"flock": {"count": 7}, "predators": {"count": 1}},
    {"flock": {"count": 1}},
    {"flock": {"count": 7}, "schedule": SCHEDULE},
    {"flock": {"count": 9}, "world": {"border": "wrap"}, "arithmetic": "fixed"},
    {"flock": {"count": 7}, "update": "shuffled", "schedule": SCHEDULE},
]
EXPECTED = (boids.Error, TypeError, IndexError, AttributeError, KeyboardInterrupt)


def value(chance, flock):
    """A random argument."""
    n = len(flock)
    return chance.choice(
        (
            lambda: chance.choice(WORDS),
            lambda: chance.choice(WORDS),
            lambda: chance.choice(
                (0, 1, 2, 3, 17, -1, 2**31, 2**63, 2**64 - 1, 2**64, 10**30)
            ),
            lambda: chance.choice(
                (0.0, 1.5, -1e300, float("nan"), float("inf"), 1j, None, True, b"seed", object())
            ),
            lambda: np.full((n, 2), chance.choice((0.0, 1e39, -3.5, np.nan))),
            lambda: np.zeros((chance.randrange(9), chance.randrange(4)), chance.choice("fdicO")),
            lambda: flock.frame(),
            lambda: [chance.choice(WORDS) for _ in range(chance.randrange(4))],
            lambda: {chance.choice(WORDS): chance.choice((1, "x", None))},
            lambda: np.empty((n + len(flock.predators), 4)),
            lambda: flock.positions,
        )
    )()


def call(chance, flock):
    """One random call; the flock that is used next."""
    names = "step place place read observables observables frame record fork copy set "
    names += "get update in pickle measure attribute cancel close schedule"
    name = chance.choice(names.split())
    arguments = [value(chance, flock) for _ in range(chance.randrange(3))]
    if name in ("step", "record"):
        flock.step(chance.randrange(6))
        return (
            flock.record(chance.randrange(5), *arguments[:1]) and flock
            if name == "record"
            else flock.step(*[a for a in arguments[:1] if not isinstance(a, int)])
        )
    if name in ("set", "update"):
        flock.config.update({chance.choice(WORDS): value(chance, flock)})
    elif name == "get":
        flock[chance.choice(WORDS)]  # pylint: disable=pointless-statement
    elif name == "in":
        return flock if chance.choice(WORDS) in flock else copy.deepcopy(flock)
    elif name == "pickle":
        return pickle.loads(pickle.dumps(flock))
    elif name == "measure":
        flock.record(4).measure(*[a for a in arguments if isinstance(a, str)])
    elif name == "schedule":
        return flock.place(flock.frame(), step=chance.randrange(12)).step(chance.randrange(4))
    elif name == "attribute":
        getattr(flock, chance.choice((*boids.observable_names(), *WORDS)))
    elif name == "close" and chance.random() > 0.1:
        return flock
    else:
        got = getattr(flock, name)(*arguments)
        return got if isinstance(got, boids.Flock) else flock
    return flock


def fuzz(count, seed):
    """Random calls. An exception that is not EXPECTED ends it, with the number of the call."""
    chance = random.Random(seed)
    flock = boids.Flock("adams", {"flock.count": 5})  # else a library that is missing would pass
    warnings.simplefilter("ignore")
    for k in range(count):
        try:
            if flock is None or chance.random() < 0.05:
                flock = boids.Flock(chance.choice(CONFIGS), threads=chance.choice((1, 1, 1, 2)))
            flock = call(chance, flock)
        except EXPECTED as error:
            if "\n" in str(error):
                raise AssertionError(f"call {k} of seed {seed}: {error!r} has two lines") from error
            if isinstance(error, boids.RunError):
                flock = None
        except BaseException as error:
            raise AssertionError(f"call {k} of seed {seed}: {error!r}") from error


if __name__ == "__main__":
    fuzz(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
