"""Claims of the literature and of the five programs, as numbers that are measured again.

A claim is a row of docs/validation.md: its source, the kind of its bound, the run, the expected number and how it is measured.
test_literature.py tests the claims of this file; long_claims.py has those that take minutes, and page.py writes the page. Lengths
are those of the presets: the papers' times 100.
"""

import functools
import math
import os
import sys
from dataclasses import dataclass
from typing import Callable

import numpy as np

import exact
from at_length import accuracy, difference, reference, schools
from runs import ROOT, Measured, mean, measured, number, ordered, polarization, pooled, run, sweep

VICSEK = "Vicsek et al. 1995"
CHATE = "Grégoire and Chaté 2004"
MAHAULT = "Mahault et al. 2019"
COUZIN = "Couzin et al. 2002"
COUZIN_2005 = "Couzin et al. 2005"
CUCKER = "Cucker and Smale 2007"
BALLERINI = "Ballerini et al. 2008"
CZIROK = "Czirók et al. 1997"
EXACT = "exact"

# What the expected number of a row is, and where its bound comes from.
KINDS = {
    "exact": "a formula or a conservation law; the bound is the rounding error, or five standard errors that a formula gives.",
    "published": "the paper prints the number and its error.",
    "program": "an independent program, written from the paper; the bound is five of its standard errors. `vicsek.c` and `tests/oracle/netlogo.py` are in this repository.",
    "sign": "the paper states the direction of an effect, which must exceed two standard errors.",
    "ours": "we chose the bound, often after the first measurement.",
}


@dataclass
class Claim:
    """A number that should lie within [low, high]."""

    source: str
    kind: str  # one of KINDS
    setup: str  # the preset, and what differs from it
    steps: str  # those that are averaged, after how many of rest
    quantity: str
    measure: Callable[[], Measured]
    low: float = -math.inf
    high: float = math.inf

    def expected(self):
        if self.low == -math.inf:
            return "<\u00a0%.4g" % self.high
        if self.high == math.inf:
            return ">\u00a0%.4g" % self.low
        tolerance = "%.2g" % ((self.high - self.low) / 2)
        digits = tolerance.partition(".")[2]
        decimals = 6 if "e" in tolerance else len(digits) + 2 - len(digits.lstrip("0"))
        return "%.6g±%s" % (round((self.low + self.high) / 2, decimals), tolerance)

    def holds(self, found):
        margin = 2 * found.error if self.kind == "sign" else 0
        return self.low + margin <= found.value <= self.high - margin


def near(value, tolerance):
    return {"low": value - tolerance, "high": value + tolerance}


def near_program(*where):
    """Within five standard errors of the second program, vicsek.c."""
    found = reference(*where)
    return near(found.value, 5 * found.error)


# On paper --------------------------------------------------------------------------------------------------


def paper_claims():
    for update, value in (("synchronous", 0.9), ("sequential", 0.9025)):
        yield Claim(
            EXACT,
            "exact",
            f"two boids, alignment 0.05, {update}",
            "0–1",
            "relative velocity, after / before",
            functools.partial(exact.relative_speed, update),
            **near(value, 1e-12),
        )
    for factor in (0.0005, 0.005):
        yield Claim(
            EXACT,
            "exact",
            f"two boids, cohesion {factor}",
            "40–42",
            "period, 2π / acos(1 − c)",
            functools.partial(exact.period, factor),
            **near(2 * math.pi / math.acos(1 - factor), 1e-6),
        )
    yield Claim(
        EXACT,
        "exact",
        "100 boids, alignment and separation",
        "0–1000",
        "change of momentum / sum of speeds",
        exact.momentum,
        high=1e-12,
    )
    for eta in (1, 2, 3, 4, 5):
        yield Claim(
            EXACT,
            "exact",
            f"`vicsek`, 1000 in sight, noise {eta}",
            "20–200",
            "order, sin(η/2) / (η/2)",
            functools.partial(all_see_all, eta),
            **near(*order_in_sight(eta, 1000, 37)),
        )
    yield Claim(
        EXACT,
        "exact",
        "`vicsek`, noise 2π",
        "0–2000",
        "order, √(π / 4N)",
        lambda: polarization(
            "vicsek", 2000, 1, flock__noise__eta=2 * math.pi, output__observables_every=1
        ),
        **near(math.sqrt(math.pi / 400), 5 * math.sqrt((4 - math.pi) / 400 / 2000)),
    )
    yield Claim(
        EXACT,
        "exact",
        "`vicsek`, density 0.4, steps of 15 radii, 6 seeds",
        "300–900",
        "critical noise in molecular chaos, from order²",
        critical_noise,
        **near(2.584, 0.03),
    )


CHAOS = {  # steps of 15 radii mix the particles, so that each step has new neighbours
    "flock__min_speed": 1500,
    "flock__max_speed": 1500,
    "integrator": "explicit",
}


def chaos(steps, since, points, density, count, **sets):
    """The rows of `vicsek` in molecular chaos."""
    side = 100 * math.sqrt(count / density)
    world = {"flock__count": count, "world__width": side, "world__height": side}
    return sweep("vicsek", steps, since, points, **CHAOS, **world, **sets)


def critical_noise():
    """Where the line through the squares of the order vanishes; the error is that over the seeds."""
    noises, seeds = (2.0, 2.25, 2.5), range(1, 7)
    points = [{"flock__noise__eta": noise, "seed": seed} for seed in seeds for noise in noises]
    rows, found = chaos(900, 300, points, 0.4, 2000), []
    for k in range(len(seeds)):
        squares = [number(row["mean_polarization"]) ** 2 for row in rows[3 * k : 3 * k + 3]]
        slope = 2 * (squares[2] - squares[0])  # per unit of noise
        found.append(noises[1] - sum(squares) / 3 / slope)
    return pooled(found, [0] * len(found))


def jump_in_chaos():
    """Order from an ordered start minus order from a disordered one."""
    noise = {"flock__noise__eta": 0, "flock__noise__vector": 900}
    seeds = [{"seed": seed} for seed in range(1, 7)]
    ordered_start, other = (
        measured(chaos(300, 150, seeds, 2, 1000, **noise, **start), "polarization")
        for start in ({"flock__init__direction": 0}, {})
    )
    return Measured(ordered_start.value - other.value, math.hypot(ordered_start.error, other.error))


def correlation_length(side):
    """The first zero of C(r), as a share of the side, over three seeds."""
    rows = sweep(
        "vicsek",
        3000,
        1500,
        [{"seed": seed} for seed in (1, 2, 3)],
        trajectories=True,
        flock__count=side**2 // 2500,
        world__width=side,
        world__height=side,
        flock__noise__eta=1,
        output__every=15,
    )
    program = os.path.join(ROOT, "scripts", "analyse.py")
    numbers = []
    for row in rows:
        words = [row["stem"] + ".h5", "--only", "velocity_correlation", "-q", "-o", row["stem"]]
        cells = run([sys.executable, program, *words]).splitlines()
        numbers.append([number(line.split(",")[1]) / side for line in cells[1:3]])
    return pooled(*zip(*numbers))


def falloff_claims():
    for share, left in ((0.8, 0), (1.25, 0.25)):
        yield Claim(
            CUCKER,
            "exact",
            f"two boids, exponent 1, {share} of the bound",
            "1000000",
            "relative speed / bound",
            functools.partial(exact.speed_left, share),
            **near(left, 0.003),
        )
    for exponent, limits in ((0.25, {"high": 0.01}), (1, {"low": 0.9})):
        yield Claim(
            CUCKER,
            "ours",
            f"100 boids, far apart, exponent {exponent}",
            "0–1500",
            "spread of velocities, after / before",
            functools.partial(exact.spread_kept, exponent),
            **limits,
        )


def order_in_sight(eta, count, frames):
    """The order of independent headings, uniform within eta, and five of its standard errors."""
    order = math.sin(eta / 2) / (eta / 2)
    variance = (1 + math.sin(eta) / eta) / 2 - order**2
    return order, 5 * math.sqrt(variance / count / frames)


# Noise -----------------------------------------------------------------------------------------------------


def vicsek(eta, **sets):
    return polarization("vicsek", 6000, 1000, seeds=(1, 2, 3, 4), flock__noise__eta=eta, **sets)


def all_see_all(eta):
    return polarization(
        "vicsek",
        200,
        20,
        flock__count=1000,
        world__width=100,
        world__height=100,
        flock__noise__eta=eta,
        output__observables_every=5,
    )


def vicsek_claims():
    for eta in (1, 2, 3, 4, 5):
        yield Claim(
            VICSEK,
            "program",
            f"`vicsek`, noise {eta}, 4 seeds",
            "1000–6000",
            "order",
            functools.partial(vicsek, eta),
            **near_program("vicsek_new", 100, eta),
        )
    yield Claim(
        VICSEK,
        "program",
        "`vicsek`, noise 3.8, `explicit`, 4 seeds",
        "1000–6000",
        "order",
        lambda: vicsek(3.8, integrator="explicit"),
        **near_program("vicsek", 100, 3.8),
    )


def inside(eta):
    return polarization(
        "chate", 5000, 2000, init=ordered(512, 1600, 50), flock__noise__vector=50 * eta
    )


def jump_claims():
    for eta in (0.6, 0.65):
        yield Claim(
            CHATE,
            "program",
            f"`chate`, noise {eta}, ordered start",
            "2000–5000",
            "order",
            functools.partial(inside, eta),
            **near_program("gregoire", 512, eta),
        )
    yield Claim(
        "Aldana et al. 2007",
        "ours",
        "`vicsek`, density 2, noise inside the sum 0.6, steps of 15 radii, 6 seeds",
        "150–300",
        "order from an ordered start − from a disordered one",
        jump_in_chaos,
        low=0.3,
    )


def ordered_claims():
    for side in (500, 1000):
        yield Claim(
            "Cavagna et al. 2010",
            "ours",
            f"`vicsek`, noise 1, side {side}, 3 seeds",
            "1500–3000",
            "correlation length / side",
            functools.partial(correlation_length, side),
            **near(0.32, 0.06),
        )
    yield Claim(
        MAHAULT,
        "ours",
        "`chate`, noise 1.2566 as an angle, ordered start, 2 seeds",
        "1000–4000",
        "order",
        lambda: polarization(
            "chate",
            4000,
            1000,
            seeds=(1, 2),
            init=ordered(512, 1600, 50),
            flock__noise__vector=0,
            flock__noise__eta=1.2566,
        ),
        **near(0.8937, 0.006),
    )


# Zones and neighbours --------------------------------------------------------------------------------------


def state_of(quantity, *which):
    whole = schools(*which)
    return measured(whole, quantity) if whole else Measured(math.nan)


def state_claims(kind, seeds, bounds, preset="couzin", count=60, last=3000):
    """Rows of Couzin's states: {(radius of orientation, quantity): bounds}."""
    for (r_o, quantity), limits in bounds.items():
        yield Claim(
            COUZIN,
            kind,
            f"`{preset}`, {count} fish, orientation {r_o / 100:g}, unbroken of {seeds}",
            f"{last - 1000}–{last}",
            quantity,
            functools.partial(state_of, quantity, r_o, seeds, preset, count, last),
            **limits,
        )


def couzin_claims():
    return state_claims(
        "ours",
        4,
        {
            (100, "polarization"): {"high": 0.25},
            (100, "milling"): {"high": 0.25},
            (700, "polarization"): {"high": 0.35},
            (700, "milling"): near(0.7, 0.1),
            (1000, "polarization"): {"low": 0.99},
        },
    )


def higher_accuracy(what, one, other, seeds):
    """A group (its count, the share of informed individuals) follows them with higher accuracy than another."""
    return Claim(
        COUZIN_2005,
        "sign",
        f"{what}, {seeds} seeds",
        "2950–3000",
        "accuracy",
        lambda: difference(accuracy(*one, seeds), accuracy(*other, seeds)),
        low=0,
    )


def more_informed(count, share, less, seeds):
    what = f"{count} fish, share {share}−{less}"
    return higher_accuracy(what, (count, share), (count, less), seeds)


def larger_group(share, count, smaller, seeds):
    what = f"share {share}, {count}−{smaller} fish"
    return higher_accuracy(what, (count, share), (smaller, share), seeds)


def informed_claims():
    yield more_informed(10, 0.4, 0.1, 20)
    yield larger_group(0.1, 50, 10, 20)


def thin(preset, seeds, **sets):
    return polarization(
        preset,
        6000,
        1000,
        seeds=seeds,
        flock__count=200,
        world__width=2828.4,
        world__height=2828.4,
        flock__noise__eta=1,
        **sets,
    )


def neighbour_claims():
    yield Claim(
        BALLERINI,
        "ours",
        "`topological`, 200 diluted, noise 1, 2 seeds",
        "1000–6000",
        "order",
        lambda: thin("topological", (1, 2), flock__alignment__radius=700),
        low=0.8,
    )
    yield Claim(
        BALLERINI,
        "ours",
        "`vicsek`, the same",
        "1000–6000",
        "order",
        lambda: thin("vicsek", (1, 2)),
        high=0.7,
    )


# What each rule of the five programs is for ----------------------------------------------------------------

PROGRAMS = {
    "adams": "V. Hunter Adams",
    "castor": "Castor",
    "bees": "The Boids and the Bees",
    "fish": "the pygame fish",
    "p5": "p5.js, after The Coding Train",
}


def ratio(quantity, preset, rule):
    """An observable without a rule over that with all."""
    seeds = (1, 2, 3)
    without = mean(quantity, preset, 1000, 500, seeds=seeds, **{f"flock__{rule}__factor": 0})
    whole = mean(quantity, preset, 1000, 500, seeds=seeds)
    value = without.value / whole.value
    return Measured(
        value, value * math.hypot(without.error / without.value, whole.error / whole.value)
    )


def program_claims():
    def row(preset, rule, quantity, reported, **bounds):
        return Claim(
            PROGRAMS[preset],
            "ours",
            f"`{preset}` without {rule}",
            "500–1000",
            reported,
            functools.partial(ratio, quantity, preset, rule),
            **bounds,
        )

    for preset in PROGRAMS:
        yield row(
            preset, "separation", "nearest_neighbour_distance", "neighbour distance", high=1 / 4
        )
        if preset != "fish":
            yield row(preset, "alignment", "polarization", "order", high=1 / 3)
        if preset in ("castor", "fish", "p5"):
            yield row(
                preset, "cohesion", "nearest_neighbour_distance", "neighbour distance", low=1.8
            )


# Errors that are printed -----------------------------------------------------------------------------------

RUNS = 300  # seeds of each flock; the mean over them is taken for the truth
COVERED = ("polarization", "nearest_neighbour_distance", "milling", "mean_speed")
FLOCKS = {
    "`vicsek`": ("vicsek", 3000, {}, COVERED[:3], RUNS),
    "`vicsek`, noise 3.8": ("vicsek", 1500, {"flock__noise__eta": 3.8}, COVERED[:3], RUNS),
    "`fish`": ("fish", 2500, {"output__observables_every": 5}, COVERED, RUNS),
}  # the speed in vicsek is constant


def columns_of(flock, quantity):
    """(mean, standard deviation, error) of an observable in each run, float [3, runs]."""
    preset, steps, sets, _, runs = flock
    rows = sweep(
        preset,
        steps,
        500,
        [{"seed": seed} for seed in range(1, runs + 1)],
        **{"output__observables_every": 1, **sets},
    )
    parts = ("mean", "sd", "error")
    return np.array([[number(row[f"{part}_{quantity}"]) for row in rows] for part in parts])


def covered(flock, quantity, errors):
    """The share of runs whose mean is within some printed errors of the truth."""
    means, _, printed = columns_of(flock, quantity)
    share = float(np.mean(abs(means - means.mean()) < errors * printed))
    return Measured(share, math.sqrt(share * (1 - share) / len(means)))


def coverage_claims(flocks=FLOCKS, held=COVERED):
    """The claims on flocks; nothing is claimed of observables that are not `held`."""
    for name, flock in flocks.items():
        _, steps, _, quantities, runs = flock
        for errors, low in ((1, 0.6), (2, 0.88)):
            for quantity in quantities:
                yield Claim(
                    "coverage",
                    "ours",
                    f"{name}, {runs} seeds",
                    f"500–{steps}",
                    f"share within {errors} × `error`, {quantity}",
                    functools.partial(covered, flock, quantity, errors),
                    low=round(low - 2 * math.sqrt(low * (1 - low) / runs), 2) * (quantity in held),
                )


# {section of the page: its claims}, in the order of the page.
SECTIONS = {
    "paper": paper_claims,
    "falloff": falloff_claims,
    "vicsek": vicsek_claims,
    "jump": jump_claims,
    "ordered": ordered_claims,
    "couzin": couzin_claims,
    "informed": informed_claims,
    "neighbours": neighbour_claims,
    "recovery": tuple,
    "programs": program_claims,
    "turtles": tuple,
    "errors": coverage_claims,
}


def claims():
    return [claim for section in SECTIONS.values() for claim in section()]
