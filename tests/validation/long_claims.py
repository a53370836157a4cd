"""Claims that take minutes, by `make validate` alone. The runs are those of at_length.py."""

import functools
import math

import numpy as np

import at_length
import recovery
from at_length import CURVES, GROUPS, WIDTHS_A, difference
from claims import (
    BALLERINI,
    CHATE,
    COUZIN,
    COVERED,
    CZIROK,
    MAHAULT,
    VICSEK,
    Claim,
    columns_of,
    coverage_claims,
    larger_group,
    more_informed,
    near,
    near_program,
    state_claims,
    thin,
)
from runs import Measured, measured, number

BINDER = "Chaté et al. 2008"


def vicsek_claims():
    for count in (40, 100, 400, 4000):
        _, etas, seeds, rest, steps = CURVES[count, "disorder"]
        setup = f"`vicsek`, `explicit`, {count}, {len(etas)} noises, {seeds} seeds"
        yield Claim(
            VICSEK,
            "program",
            setup,
            f"{rest}–{steps}",
            "maximum difference / standard error",
            functools.partial(at_length.largest_difference, count),
            high=5,
        )
    yield Claim(
        VICSEK,
        "sign",
        "`vicsek`, `explicit`, 40 and 10,000 (ordered start), noise 3.8",
        "2000–12000, 3000–7000",
        "order, difference",
        parting,
        low=0,
    )
    yield Claim(
        "Barberis 2017",
        "sign",
        "`vicsek`, `explicit`, 1000, side 50, 3 seeds",
        "6000–12000",
        "share in the largest cluster, noise 0.1 − 2",
        lambda: difference(at_length.largest_cluster(0.1), at_length.largest_cluster(2)),
        low=0,
    )
    yield Claim(
        CZIROK,
        "ours",
        "`vicsek`, `explicit`, side 20, densities 0.25 to 2, ordered start, 12 seeds",
        "2000–6000",
        "exponent of the critical noise (maximum of χ) against the density",
        at_length.critical_exponent,
        **near(0.45, 0.2),
    )


def parting():
    return difference(at_length.vicsek_curve(40)[3.8], at_length.vicsek_curve(10000, "order")[3.8])


def jump_claims():
    for eta in (0.5, 0.6, 0.65):
        yield Claim(
            CHATE,
            "program",
            f"`chate`, 2048 boids, noise {eta}, ordered start, 2 seeds",
            "5000–20000",
            "order",
            functools.partial(at_length.larger, eta),
            **near_program("gregoire", 2048, eta),
        )
    known = at_length.reference_binder(0.62)
    yield Claim(
        CHATE,
        "program",
        "`chate`, noise 0.62, 3 seeds",
        "2000–302000",
        "U4",
        functools.partial(at_length.binder, "inside", 0.62, 302000),
        **near(known.value, 5 * known.error),
    )
    yield Claim(
        BINDER,
        "sign",
        "`chate`, 800, side 20, noise 0.6185, 3 seeds",
        "2000–502000",
        "U4",
        functools.partial(at_length.binder, "inside, larger", 0.6185, 502000),
        high=0,
    )
    yield Claim(
        CHATE,
        "sign",
        "`chate`, 8192, side 64, noise 0.6 to 0.68 and back, ordered start, 3 seeds",
        "1000–2000 per noise",
        "order at 0.62, rising − falling",
        lambda: difference(*at_length.noise_hysteresis()),
        low=0,
    )
    yield Claim(
        BINDER,
        "ours",
        "`chate`, noise 2 to 4.4 as an angle",
        "2000–22000",
        "minimum U4",
        lambda: Measured(min(u4 for _, u4 in at_length.transition("as an angle").values())),
        low=0.3,
    )
    setup, steps = "`chate`, 32,768, side 128, noise 0.615, ordered start", "19000–20000"
    # The other program had 0.880(4).
    yield Claim(
        CHATE,
        "program",
        setup,
        steps,
        "wave speed / particle speed",
        lambda: at_length.band()["speed"],
        **near(0.88, 0.02),
    )
    yield Claim(
        BINDER,
        "sign",
        "the same",
        steps,
        "maximum / mean density, along − across",
        lambda: at_length.band()["contrast"],
        low=0,
    )


def ordered_claims():
    yield Claim(
        MAHAULT,
        "published",
        "`chate`, noise 1.2566 as an angle, sides 16 to 64, 3 seeds",
        "5000–30000",
        "exponent of order − 0.8685",
        at_length.decay,
        **near(0.62, 0.04),
    )
    yield Claim(
        "Toner and Tu 1995; " + BINDER,
        "ours",
        "the same, side 64",
        "5000–30000",
        "a in number fluctuations n^a",
        at_length.fluctuation_exponent,
        **near(0.8, 0.05),
    )


def recovery_claims():
    for quantity, measure, bounds in (
        (
            f"true values in the 90 % interval, of {recovery.FLOCKS}",
            recovery.inside,
            {"low": 15, "high": 20},
        ),
        ("mean width of the interval / width of the prior", recovery.width, {"high": 0.8}),
    ):
        for key in recovery.KEYS:
            yield Claim(
                "known parameters",
                "ours",
                f"`boids-fit`, `{key}`",
                "200–600",
                quantity,
                functools.partial(measure, key),
                **bounds,
            )


def couzin_claims():
    # Five standard errors of the other programs, from 20 seeds for 60 fish and 8 seeds for 100 fish.
    yield from state_claims(
        "program",
        20,
        {
            (100, "polarization"): near(0.131, 0.023),
            (100, "milling"): near(0.124, 0.044),
            (250, "milling"): near(0.315, 0.09),
        },
    )
    yield from state_claims(
        "program",
        8,
        {
            (250, "milling"): near(0.25, 0.25),
            (500, "milling"): near(0.647, 0.06),
            (700, "milling"): near(0.682, 0.04),
        },
        count=100,
        last=6000,
    )
    yield from state_claims(
        "ours", 20, {(700, "milling"): near(0.7, 0.1), (1000, "polarization"): near(0.999, 0.001)}
    )
    yield from state_claims(
        "program",
        20,
        {(250, "polarization"): near(0.102, 0.025), (250, "milling"): near(0.877, 0.0067)},
        preset="couzin_unit",
    )
    corners = {
        "swarm": (0.1, "polarization", {"high": 0.35}),
        "mill": (6, "milling", {"low": 0.5}),
        "parallel": (16, "polarization", {"low": 0.99}),
    }
    for name, (o, quantity, bounds) in corners.items():
        a = WIDTHS_A[-1]
        yield Claim(
            COUZIN,
            "ours",
            f"`couzin`, 100 fish, zones {o:g} and {a:g} wide: {name}, {GROUPS} seeds",
            "2000–3000",
            quantity,
            functools.partial(corner, quantity, o, a),
            **bounds,
        )
    for k, quantity, bounds in ((1, "milling", {"low": 0}), (0, "polarization", {"high": 0})):
        yield Claim(
            COUZIN,
            "sign",
            "`couzin`, 100 fish, attraction 14 wide, orientation in steps, 10 seeds",
            "500–1000 per width",
            f"{quantity} at 8, widening − narrowing",
            functools.partial(hysteresis_of, k),
            **bounds,
        )


def hysteresis_of(quantity):
    branches = at_length.hysteresis()
    return difference(branches["up"][8][quantity], branches["down"][8][quantity])


def corner(quantity, o, a):
    return measured(
        [row for row in at_length.diagram()[o, a] if number(row["mean_largest_flock"]) == 1],
        quantity,
    )


def neighbour_claims():
    seeds = (1, 2, 3, 4, 5, 6)
    # Five standard errors of the other program over 6 seeds.
    yield Claim(
        BALLERINI,
        "program",
        "`topological`, 200 diluted, noise 1, 6 seeds",
        "1000–6000",
        "order",
        lambda: thin("topological", seeds, flock__alignment__radius=700),
        **near(0.908, 0.046),
    )
    yield Claim(
        BALLERINI,
        "sign",
        "`topological` and `vicsek`, the same",
        "1000–6000",
        "order, difference",
        lambda: difference(
            thin("topological", seeds, flock__alignment__radius=700), thin("vicsek", seeds)
        ),
        low=0,
    )


def informed_claims():
    for count in (10, 30, 50):
        yield more_informed(count, 0.2, 0.1, 200)
    yield larger_group(0.1, 30, 10, 200)
    yield larger_group(0.1, 50, 30, 200)
    yield larger_group(0.04, 100, 50, 100)
    yield larger_group(0.04, 200, 100, 100)


def turtle_claims():
    for kind, quantity, least, limits in (
        ("program", "polarization", 0.9, near(130, 50)),
        ("ours", "largest_flock", 1, near(700, 99)),
    ):
        yield Claim(
            "Wilensky 1998",
            kind,
            "`netlogo`, 20 seeds",
            "0–4000",
            f"first step with `{quantity}` ≥ {least}, median",
            functools.partial(at_length.first_steps, quantity, least),
            **limits,
        )


# Runs of 501 steps. The observables of each preset are those whose errors hold, those whose errors do not, and those that change more
# slowly: the spread of their means over the seeds is above half of the standard deviation in a run.
SHORT_RUNS = 100
ORDER, DISTANCE, MILLING, SPEED = COVERED
SHORT_FLOCKS = {
    "adams": ((SPEED,), (), (ORDER, DISTANCE, MILLING)),
    "bees": ((SPEED,), (), (ORDER, DISTANCE, MILLING)),
    "castor": ((SPEED,), (DISTANCE,), (ORDER, MILLING)),
    "couzin": ((), (DISTANCE,), (ORDER, MILLING)),
    "fish": ((), (SPEED,), (ORDER, DISTANCE, MILLING)),
    "p5": ((MILLING,), (), (ORDER, DISTANCE, SPEED)),
    "topological": ((MILLING,), (), (ORDER, DISTANCE)),
    "vicsek": ((ORDER, MILLING), (), (DISTANCE,)),
}


def ratio_of(flock, quantity, part, power):
    """The spread of the means over the seeds in medians of column `part` of columns_of(), to a power of 1 or -1."""
    columns = columns_of(flock, quantity)
    ratio = float((np.std(columns[0], ddof=1) / np.median(columns[part])) ** power)
    return Measured(ratio, ratio / math.sqrt(2 * SHORT_RUNS))


def short_claims():
    for preset, (held, missed, slow) in SHORT_FLOCKS.items():
        name, flock = f"`{preset}`", (preset, 1000, {}, held + missed + slow, SHORT_RUNS)
        for quantity in flock[3]:
            spread = {"low" if quantity in slow else "high": 0.5}
            error = near(1.05, 0.35) if quantity in held else {"low": 0}
            for words, column, bounds in (
                ("spread of the means / median `sd`", (1, 1), spread),
                ("median `error` / spread of the means", (2, -1), error),
            ):
                yield Claim(
                    "coverage",
                    "ours",
                    f"{name}, {SHORT_RUNS} seeds",
                    "500–1000",
                    f"{words}, {quantity}",
                    functools.partial(ratio_of, flock, quantity, *column),
                    **bounds,
                )
        yield from coverage_claims({name: flock}, held)


def error_claims():
    yield from short_claims()
    for errors, low in ((1, 0.6), (2, 0.88)):
        for component in ("speeding", "turning"):
            yield Claim(
                "coverage",
                "ours",
                f"`examples/tank.json`, {at_length.FILMS} seeds",
                "300–900",
                f"share of the cells of `forces` within {errors} × `error`, {component}",
                functools.partial(at_length.forces_covered, component, errors),
                low=low - 0.05,
            )


SECTIONS = {
    "errors": error_claims,
    "turtles": turtle_claims,
    "informed": informed_claims,
    "vicsek": vicsek_claims,
    "jump": jump_claims,
    "ordered": ordered_claims,
    "recovery": recovery_claims,
    "couzin": couzin_claims,
    "neighbours": neighbour_claims,
}
