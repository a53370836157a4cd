"""Claims that take minutes, by `make validate` alone. The flights are those of at_length.py."""

import functools
import math

import at_length
from at_length import CURVES, GROUPS, WIDTHS_A
from claims import BALLERINI, CHATE, COUZIN, MAHAULT, VICSEK, Claim, informed_claim, near, state_claims, state_of, thin
from flights import Measured, measured, number

CAVAGNA = "Cavagna et al. 2010"
BINDER = "Chaté et al. 2008"


def vicsek_claims():
    for count in (40, 100, 400, 4000):
        side, etas, seeds, rest, steps = CURVES[count, "disorder"]
        flown = f"{count} in {side / 100:g} × {side / 100:g}, {len(etas)} noises, {seeds} seed{'s' * (seeds > 1)}"
        yield Claim(VICSEK, "`vicsek`, `explicit`, " + flown, f"{rest}–{steps}",
                    "maximum difference / standard error",
                    functools.partial(at_length.farthest_apart, count), high=5)
    for eta, told_as, bounds in ((0.6, "same curve", {"high": 0.02}), (3.8, "separate curves", {"low": 0.1})):
        yield Claim(VICSEK, f"`vicsek`, `explicit`, 40 and 10,000 (ordered start), noise {eta}", "2000–12000, 3000–7000",
                    f"order, difference ({told_as})", functools.partial(parting, eta), **bounds)


def parting(eta):
    small, large = at_length.vicsek_curve(40)[eta], at_length.vicsek_curve(10000, "order")[eta]
    return Measured(small.value - large.value, math.hypot(small.error, large.error))


def jump_claims():
    for eta, expected in ((0.5, 0.861), (0.6, 0.758), (0.65, 0.043)):
        yield Claim(CHATE, f"`chate`, 2048 boids, noise {eta}, ordered start, 2 seeds", "5000–20000", "order",
                    functools.partial(at_length.larger, eta), **near(expected, 0.01))
    yield Claim(BINDER, "`chate`, 512 in 16 × 16, noise inside the sum, 0.62", "2000–300000", "U4, 3 seeds",
                functools.partial(at_length.binder_at, 0.62, 300000), high=0)
    for name, flown, bounds in (("inside, larger", "2048 in 32 × 32, noise inside the sum", {"high": 0}),
                                ("as an angle", "512 in 16 × 16, noise as an angle", {"low": 0.3})):
        _, _, etas, steps = at_length.TRANSITIONS[name]
        yield Claim(BINDER, f"`chate`, {flown}, {etas[0]:g} to {etas[-1]:g}", f"2000–{steps}",
                    "minimum U4, 3 seeds",
                    functools.partial(at_length.least_binder, name), **bounds)


def ordered_claims():
    yield Claim(MAHAULT, "`chate`, noise 1.2566 as an angle, sides 16 to 64, 3 seeds", "5000–30000",
                "exponent of order − 0.8685", at_length.decay, **near(0.64, 0.08))
    yield Claim("Toner and Tu 1995; " + BINDER, "the same, 8192 in 64 × 64", "5000–30000",
                "a in number fluctuations n^a", at_length.fluctuation_exponent, **near(0.8, 0.05))
    yield Claim(CAVAGNA, "the same, sides 16 to 64", "5000–30000", "a in correlation length L^a",
                at_length.growth, **near(1, 0.1))


def couzin_claims():
    # Both means are of 20 seeds; by the spread over seeds that another program had, five standard errors of their difference.
    yield from state_claims(20, {(100, "polarization"): near(0.131, 0.033), (100, "milling"): near(0.124, 0.062),
                                 (250, "polarization"): near(0.102, 0.035), (250, "milling"): near(0.877, 0.0095),
                                 (2000, "polarization"): near(0.999, 0.001)})
    # The other reading. Five standard errors of the difference to an independent program, 0.315(18).
    yield Claim(COUZIN, "a mill with plain sums, unbroken of 20", "2000–3000", "milling",
                functools.partial(state_of, 250, 20, "milling", True), **near(0.315, 0.127))
    # The other program had 20 of 20. Were a school lost as seldom as in 1 of 40, as in both together, a loss of four would be a
    # chance of one in five hundred.
    yield Claim(COUZIN, "a school", "0–3000", "unbroken groups of 20", pieces, low=17)
    corners = {"swarm": (0.1, "polarization", {"high": 0.35}), "mill": (2, "milling", {"low": 0.5}),
               "parallel": (16, "polarization", {"low": 0.99})}
    for name, (o, quantity, bounds) in corners.items():
        a = WIDTHS_A[-1]
        yield Claim(COUZIN, f"`couzin`, 100 fish, zones {o:g} and {a:g} wide: {name}, {GROUPS} seeds", "2000–3000",
                    quantity, functools.partial(corner, quantity, o, a), **bounds)
    held, steps = "500–1000 per width", "`couzin`, 100 fish, attraction 14 wide, orientation in steps, 10 seeds"
    yield Claim(COUZIN, steps, held, "milling at 5, widening", lambda: branch("up", 1, 5), low=0.5)
    yield Claim(COUZIN, "the same, narrowing", held, "milling at 5",
                lambda: branch("down", 1, 5), high=0.3)
    yield Claim(COUZIN, "the same", held, "polarization at 5", lambda: branch("down", 0, 5), low=0.5)


def pieces():
    whole, _ = at_length.schools(2000, 20)
    return Measured(len(whole))


def corner(quantity, o, a):
    return measured([row for row in at_length.diagram()[o, a] if number(row["mean_largest_flock"]) == 1], quantity)


def branch(way, quantity, r_o):
    return at_length.hysteresis()[way][r_o][quantity]


def neighbour_claims():
    seeds = (1, 2, 3, 4, 5, 6)
    yield Claim(BALLERINI, "`topological`, 200 diluted, noise 1, 6 seeds", "1000–6000", "order",
                lambda: thin("topological", seeds, flock__alignment__radius=700), **near(0.908, 0.065))
    yield Claim(BALLERINI, "`vicsek`, the same", "1000–6000", "order", lambda: thin("vicsek", seeds), high=0.7)


def informed_claims():
    for count in (30, 50, 100, 200):
        yield informed_claim(count, 100 if count < 200 else 40)


SECTIONS = {"informed": informed_claims, "vicsek": vicsek_claims, "jump": jump_claims, "ordered": ordered_claims, "couzin": couzin_claims,
            "neighbours": neighbour_claims}
