"""What the literature and the five programs say of their flocks, as numbers that are measured again.

A claim is a row: where it is from, what was flown, what is expected and how it is measured. test_literature.py holds each against
its bounds; validate.py writes the rows into docs/validation.md. Flights are keyed by their seeds, so nothing here changes by
chance: a value can only move when draws, order or formulas do. A tolerance is five standard errors of what is averaged, from
the spread over seeds. Lengths are those of the presets: the papers' times 100.

BOIDS is the program, default ./boids.
"""

import functools
import json
import math
import os
import random
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Callable

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOIDS = os.path.abspath(os.environ.get("BOIDS", os.path.join(ROOT, "boids")))

VICSEK = "Vicsek et al. 1995"
CHATE = "Grégoire and Chaté 2004"
MAHAULT = "Mahault, Ginelli and Chaté 2019"
COUZIN = "Couzin et al. 2002"
BALLERINI = "Ballerini et al. 2008"
EXACT = "exact"


@dataclass
class Claim:
    """A number that should lie within [low, high]."""

    source: str
    flown: str  # the preset, and what differs from it
    quantity: str
    measure: Callable[[], float]
    low: float = -math.inf
    high: float = math.inf

    def expected(self):
        if self.low == -math.inf:
            return "below %.4g" % self.high
        if self.high == math.inf:
            return "above %.4g" % self.low
        return "%.4g ± %.2g" % ((self.low + self.high) / 2, (self.high - self.low) / 2)

    def holds(self, value):
        return self.low <= value <= self.high


def near(value, tolerance):
    return {"low": value - tolerance, "high": value + tolerance}


@functools.lru_cache(maxsize=None)
def flown(preset, steps, since, init, sets):
    command = [BOIDS, "-c", preset, "-n", str(steps), "-t", "1", "-o", "none", "--summary"]
    for key, value in sets:
        command += ["--set", "%s=%s" % (key, value)]
    sets = ["--set", "output.mean_from=%d" % since]
    done = subprocess.run(command + sets + (["--init", init] if init else []), capture_output=True, text=True, timeout=240)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)["mean"]


def fly(preset, steps, since, init=None, **sets):
    """The means of the observables of one run from step `since` on; `__` stands for the dot. Measured every tenth step."""
    sets = dict({"output__observables_every": 10}, **sets)
    return flown(preset, steps, since, init, tuple((key.replace("__", "."), json.dumps(value)) for key, value in sets.items()))


def mean(quantity, *words, seeds=(1,), **sets):
    """Of an observable, over steps and seeds."""
    sets["output__observables"] = [quantity]
    return sum(fly(*words, seed=seed, **sets)[quantity] for seed in seeds) / len(seeds)


polarization = functools.partial(mean, "polarization")


@functools.lru_cache(maxsize=None)
def folder():
    return tempfile.TemporaryDirectory()


@functools.lru_cache(maxsize=None)
def ordered(count, side, speed):
    """A state in which all fly one way."""
    draw = random.Random(20261122).random
    path = os.path.join(folder().name, "%d-%g-%g.csv" % (count, side, speed))
    with open(path, "w", encoding="utf-8") as file:
        file.write("id,type,x,y,vx,vy\n")
        file.writelines("%d,boid,%r,%r,%r,0\n" % (i, side * draw(), side * draw(), speed) for i in range(count))
    return path


# Noise -----------------------------------------------------------------------------------------------------


def vicsek(eta, **sets):
    return polarization("vicsek", 6000, 1000, seeds=(1, 2, 3, 4), flock__noise__eta=eta, **sets)


def all_see_all(eta):
    return polarization("vicsek", 200, 20, flock__count=1000, world__width=100, world__height=100, flock__noise__eta=eta)


def inside(eta):
    return polarization("chate", 5000, 2000, init=ordered(512, 1600, 50), flock__noise__vector=50 * eta)


def noise_claims():
    curve = {1: (0.9521, 0.0013), 2: (0.8158, 0.004), 3: (0.6088, 0.006), 4: (0.3320, 0.011), 5: (0.1240, 0.005)}
    for eta, expected in curve.items():
        yield Claim(VICSEK, f"`vicsek`, noise {eta}, 4 seeds", "order", functools.partial(vicsek, eta), **near(*expected))
    yield Claim(VICSEK, "`vicsek`, noise 4, `explicit`", "order, more than with the new velocity",
                lambda: vicsek(4, integrator="explicit"), **near(0.365, 0.018))
    for eta in curve:
        yield Claim(EXACT, f"`vicsek`, all see all, noise {eta}", "order, sin(eta/2)/(eta/2)", functools.partial(all_see_all, eta),
                    **near(math.sin(eta / 2) / (eta / 2), 0.005))
    yield Claim(EXACT, "`vicsek`, noise of a whole turn", "order of 100 by chance",
                lambda: polarization("vicsek", 2000, 1, flock__noise__eta=2 * math.pi, output__observables_every=1),
                **near(0.0886, 0.002))
    yield Claim(MAHAULT, "`chate`, noise 1.2566 as an angle, begun in order, 2 seeds", "order",
                lambda: polarization("chate", 4000, 1000, seeds=(1, 2), init=ordered(512, 1600, 50), flock__noise__vector=0,
                                     flock__noise__eta=1.2566), **near(0.8937, 0.006))
    yield Claim(CHATE, "`chate`, noise .6, begun in order", "order, just below the jump", lambda: inside(0.6), low=0.74)
    yield Claim(CHATE, "`chate`, noise .65, begun in order", "order, just above it", lambda: inside(0.65), high=0.12)


# Zones and neighbours --------------------------------------------------------------------------------------


def school(quantity, r_o, pick):
    """Of four schools the middle ones: one of those that fly one way loses a fish."""
    values = sorted(fly("couzin", 3000, 2000, seed=seed, flock__alignment__radius=r_o, flock__cohesion__inner_radius=r_o)[quantity]
                    for seed in (1, 2, 3, 4))
    return pick(values[1:3])


def zone_claims():
    def row(name, r_o, quantity, pick, **bounds):
        return Claim(COUZIN, f"`couzin`, {name}: alignment to {r_o / 100:g}", f"{quantity}, middle of 4 seeds",
                     lambda: school(quantity, r_o, pick), **bounds)

    yield row("a swarm", 100, "polarization", max, high=0.25)
    yield row("a swarm", 100, "milling", max, high=0.25)
    yield row("a mill", 250, "polarization", max, high=0.2)
    yield row("a mill", 250, "milling", min, **near(0.877, 0.02))
    yield row("a mill", 250, "milling", max, **near(0.877, 0.02))
    yield row("a school", 2000, "polarization", min, low=0.99)
    thin = {"flock__count": 200, "world__width": 2828.4, "world__height": 2828.4, "flock__noise__eta": 1}
    yield Claim(BALLERINI, "`topological`, a thin flock, 2 seeds", "order by the seven nearest",
                lambda: polarization("topological", 6000, 1000, seeds=(1, 2), **dict(thin, flock__alignment__radius=700)), low=0.8)
    yield Claim(BALLERINI, "`vicsek`, the same", "order by distance",
                lambda: polarization("vicsek", 6000, 1000, seeds=(1, 2), **thin), high=0.7)


# What each rule of the five programs is for ----------------------------------------------------------------

PROGRAMS = {"adams": "V. Hunter Adams", "castor": "Castor", "bees": "The Boids and the Bees", "fish": "the pygame fish",
            "p5": "p5.js, after The Coding Train"}


def ratio(quantity, preset, rule):
    """An observable without a rule over that with all."""
    seeds = (1, 2, 3)
    without = mean(quantity, preset, 1000, 500, seeds=seeds, **{f"flock__{rule}__factor": 0})
    return without / mean(quantity, preset, 1000, 500, seeds=seeds)


def program_claims():
    def row(preset, rule, quantity, told, **bounds):
        return Claim(PROGRAMS[preset], f"`{preset}` without {rule}, 3 seeds", told, lambda: ratio(quantity, preset, rule), **bounds)

    for preset in PROGRAMS:
        yield row(preset, "separation", "nearest_neighbour_distance", "nearest neighbours, over those with it", high=1 / 4)
        if preset != "fish":
            yield row(preset, "alignment", "polarization", "order, over that with it", high=1 / 3)
        if preset in ("castor", "fish", "p5"):
            yield row(preset, "cohesion", "nearest_neighbour_distance", "nearest neighbours, over those with it", low=1.8)


# At length -------------------------------------------------------------------------------------------------


def larger(eta):
    return polarization("chate", 20000, 5000, init=ordered(2048, 3200, 50), flock__count=2048, world__width=3200,
                        world__height=3200, flock__noise__vector=50 * eta)


def decay():
    """The exponent a of p - .8685 ~ L^-a, from sides of 16, 32 and 64."""
    sides = (16, 32, 64)
    rest = [math.log(polarization("chate", 30000, 5000, seeds=(1, 2, 3), init=ordered(2 * side**2, 100 * side, 50),
                                  flock__count=2 * side**2, world__width=100 * side, world__height=100 * side,
                                  flock__noise__vector=0, flock__noise__eta=1.2566) - 0.8685) for side in sides]
    return (rest[0] - rest[2]) / math.log(sides[2] / sides[0])


def long_claims():
    for eta, expected in ((0.5, 0.861), (0.6, 0.758), (0.65, 0.043)):
        yield Claim(CHATE, f"`chate`, 2048 boids, noise {eta}, 20,000 steps, begun in order", "order",
                    functools.partial(larger, eta), **near(expected, 0.01))
    yield Claim(MAHAULT, "`chate`, noise 1.2566 as an angle, sides 16, 32, 64, 3 seeds", "exponent of the order above .8685", decay,
                **near(0.64, 0.08))


def claims():
    return [*noise_claims(), *zone_claims(), *program_claims()]
