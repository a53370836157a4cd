"""Runs that take minutes, measured for claims and drawn in pictures: curves, phase diagrams, exponents.

Each function does the runs that it needs and returns numbers; an existing table is read instead (runs.py).
"""

import functools
import math
import os
import sys
import warnings

import numpy as np

from runs import (
    ROOT,
    Measured,
    called,
    is_older,
    measured,
    number,
    ordered,
    pooled,
    read_csv,
    run,
    sweep,
)

# Vicsek's curves ---------------------------------------------------------------------------------------------

ETAS = tuple(round(0.2 + 0.4 * k, 1) for k in range(13))
FEW_ETAS = (0.6, 1.4, 2.2, 3.0, 3.8)
# (particles, how they begin): side of the square (density 4), noises, seeds, steps of rest, steps. Disorder takes a large flock
# more steps to leave than these.
CURVES = {
    (40, "disorder"): (310, ETAS, 5, 2000, 12000),
    (100, "disorder"): (500, ETAS, 5, 2000, 12000),
    (400, "disorder"): (1000, ETAS, 5, 10000, 20000),
    (4000, "disorder"): (3160, FEW_ETAS, 3, 8000, 16000),
    (4000, "order"): (3160, FEW_ETAS, 1, 4000, 10000),
    (10000, "order"): (5000, FEW_ETAS, 1, 3000, 7000),
}


@functools.lru_cache(maxsize=None)
def vicsek_curve(count, begin="disorder"):
    """{noise: order}, by the paper's own order of things: positions move by the old headings."""
    side, etas, seeds, rest, steps = CURVES[count, begin]
    points = [
        {"flock__noise__eta": eta, "seed": seed} for eta in etas for seed in range(1, seeds + 1)
    ]
    rows = sweep(
        "vicsek",
        steps,
        rest,
        points,
        integrator="explicit",
        flock__count=count,
        world__width=side,
        world__height=side,
        output__observables=["polarization"],
        init=ordered(count, side, 3) if begin == "order" else None,
    )
    return {
        eta: measured(rows[k * seeds : (k + 1) * seeds], "polarization")
        for k, eta in enumerate(etas)
    }


@functools.lru_cache(maxsize=None)
def largest_cluster(eta):
    """The share of the particles in the largest cluster, for 1000 particles at Vicsek's low density."""
    points = [{"flock__noise__eta": eta, "seed": seed} for seed in (1, 2, 3)]
    # Cohesion of strength 0; its radius links the particles of a cluster.
    rows = sweep(
        "vicsek",
        12000,
        6000,
        points,
        integrator="explicit",
        flock__count=1000,
        world__width=5000,
        world__height=5000,
        flock__cohesion__radius=100,
        flock__cohesion__factor=0,
        output__observables=["largest_flock"],
    )
    return measured(rows, "largest_flock")


@functools.lru_cache(maxsize=None)
def reference_rows(name):
    """{(particles, noise): rows} of vicsek.csv, vicsek_new.csv or gregoire.csv, the recorded output of the second program, vicsek.c."""
    found = {}
    for row in read_csv(os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".csv")):
        found.setdefault((int(row["particles"]), float(row["eta"])), []).append(row)
    return found


def reference(name, count, eta):
    """The order that the second program found."""
    rows = reference_rows(name)[count, eta]
    return pooled(*([float(row[key]) for row in rows] for key in ("order", "error")))


def reference_curve(count):
    """{noise: order} of Vicsek's model by the second program."""
    return {
        eta: reference("vicsek", count, eta)
        for particles, eta in reference_rows("vicsek")
        if particles == count
    }


def largest_difference(count):
    """The largest difference of our curve from that of the second program, in standard errors of the latter."""
    ours, theirs = vicsek_curve(count), reference_curve(count)
    return Measured(
        max(abs(ours[eta].value - theirs[eta].value) / theirs[eta].error for eta in theirs)
    )


@functools.lru_cache(maxsize=None)
def critical_exponent():
    """The exponent of the noise at which chi has its maximum, against the density: the mean of four groups of three seeds."""
    densities = (0.25, 0.5, 1, 2)
    chi = []  # of each density, noise and seed
    noises = np.outer(np.power(densities, 0.45), 2.5 * np.arange(0.4, 1.3, 0.1))
    for density, etas in zip(densities, noises):
        rows = sweep(
            "vicsek",
            6000,
            2000,
            [
                {"flock__noise__eta": float(eta), "seed": seed}
                for eta in etas
                for seed in range(1, 13)
            ],
            integrator="explicit",
            flock__init__direction=0,
            flock__count=round(400 * density),
            world__width=2000,
            world__height=2000,
            output__observables=["polarization"],
        )
        chi.append([number(row["susceptibility"]) for row in rows])
    chi = np.array(chi)
    found = []
    for few in np.moveaxis(chi.reshape(*noises.shape, 4, 3).mean(axis=3), 2, 0):
        peaks = []
        for etas, curve in zip(noises, few):
            k = np.clip(curve.argmax(), 1, len(etas) - 2)
            a, b, _ = np.polyfit(etas[k - 1 : k + 2], curve[k - 1 : k + 2], 2)
            peaks.append(-b / (2 * a))
        found.append(np.polyfit(np.log(densities), np.log(peaks), 1)[0])
    return Measured(np.mean(found), np.std(found, ddof=1) / 2)


# The force map --------------------------------------------------------------------------------------------------

FILMS = 100


@functools.lru_cache(maxsize=None)
def force_maps():
    """Columns of the force maps of films of the tank: {name: (films, cells)}."""
    sys.path.insert(0, os.path.join(ROOT, "python"))
    import boids

    found = []
    for seed in range(1, FILMS + 1):
        flock = boids.Flock(os.path.join(ROOT, "examples", "tank.json"), seed=seed, threads=1)
        flock.step(300)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some films are short
            found.append(boids.analysis.forces(flock.record(600), bins=6, reach=12).columns)
    return {name: np.array([columns[name] for columns in found]) for name in found[0]}


def forces_covered(component, errors):
    """The share of the cells within some printed errors of the mean over the films."""
    maps = force_maps()
    values, printed = maps[component], maps[f"error_{component}"]
    truth = np.average(values, axis=0, weights=maps["pairs"])
    of_films = np.mean(abs(values - truth) < errors * printed, axis=1)
    return Measured(of_films.mean(), of_films.std() / math.sqrt(FILMS))


# The jump ----------------------------------------------------------------------------------------------------

# Kind of noise, side, noises and steps. Disorder is forgotten after 2000 steps.
TRANSITIONS = {
    "inside": (
        "flock.noise.vector",
        16,
        (0.6, 0.605, 0.61, 0.615, 0.617, 0.618, 0.619, 0.62, 0.63, 0.64, 0.65),
        102000,
    ),
    "inside, larger": (
        "flock.noise.vector",
        20,
        (0.61, 0.615, 0.616, 0.617, 0.6175, 0.618, 0.6185, 0.619, 0.62, 0.63, 0.64),
        202000,
    ),
    "as an angle": ("flock.noise.eta", 16, tuple(round(2 + 0.2 * k, 1) for k in range(13)), 22000),
}


def transition_rows(name, etas, steps, seeds=(1,)):
    """Rows of density 2, noise inside the sum or as an angle."""
    key, side, _, _ = TRANSITIONS[name]
    is_inside = key == "flock.noise.vector"
    sets = {} if is_inside else {"flock__noise__vector": 0}
    if side != 16:
        sets.update(flock__count=2 * side**2, world__width=100 * side, world__height=100 * side)
    points = [
        {key: round(50 * eta, 6) if is_inside else eta, "seed": seed}
        for eta in etas
        for seed in seeds
    ]
    return sweep("chate", steps, 2000, points, output__observables=["polarization"], **sets)


@functools.lru_cache(maxsize=None)
def transition(name):
    """{noise: (order, Binder cumulant)}, of one seed."""
    _, _, etas, steps = TRANSITIONS[name]
    return {
        eta: (measured([row], "polarization"), number(row["binder"]))
        for eta, row in zip(etas, transition_rows(name, etas, steps))
    }


def binder(name, eta, steps):
    """The mean cumulant of three seeds, which are not that of the picture."""
    return over_seeds(
        [number(row["binder"]) for row in transition_rows(name, [eta], steps, (2, 3, 4))]
    )


def reference_binder(eta):
    """The mean cumulant of 512 particles by the second program."""
    return over_seeds([float(row["binder"]) for row in reference_rows("gregoire")[512, eta]])


def larger(eta):
    """2048 particles near the jump, from an ordered start."""
    rows = sweep(
        "chate",
        20000,
        5000,
        [{"seed": seed} for seed in (1, 2)],
        init=ordered(2048, 3200, 50),
        flock__count=2048,
        world__width=3200,
        world__height=3200,
        flock__noise__vector=50 * eta,
        output__observables=["polarization"],
    )
    return measured(rows, "polarization")


NOISES, NOISE_HELD, NOISE_SETTLED = (0.6, 0.62, 0.64, 0.66, 0.68, 0.66, 0.64, 0.62, 0.6), 2000, 1000


@functools.lru_cache(maxsize=None)
def noise_hysteresis():
    """The order at the noise 0.62, while the noise rises and while it falls; 8192 particles, three seeds."""
    first, *later = ({"flock.noise.vector": round(50 * eta, 6)} for eta in NOISES)
    schedule = [{"at": NOISE_HELD * k, "set": each} for k, each in enumerate(later, 1)]
    rows = sweep(
        "chate",
        NOISE_HELD * len(NOISES),
        0,
        [{"seed": seed} for seed in (1, 2, 3)],
        keep=True,
        schedule=schedule,
        init=ordered(8192, 6400, 50),
        flock__count=8192,
        world__width=6400,
        world__height=6400,
        flock__noise__vector=first["flock.noise.vector"],
        output__observables=["polarization"],
    )
    runs = [read_csv(row["stem"] + ".observables.csv") for row in rows]
    return [
        over_seeds(
            [
                level_means(frames, k, ["polarization"], NOISE_HELD, NOISE_SETTLED)["polarization"]
                for frames in runs
            ]
        )
        for k, eta in enumerate(NOISES)
        if eta == 0.62
    ]


# Travelling bands --------------------------------------------------------------------------------------------

BAND_SIDE, BAND_BLOCKS = 12800, 5


@functools.lru_cache(maxsize=None)
def band():
    """{"speed": of the density wave over that of particles, "contrast": maximum over mean density along the motion (x), minus across}.

    The speed is the slope of the phase of the strongest of the longest waves. Errors are of the mean of blocks of frames.
    """
    import h5py
    import numpy as np

    (row,) = sweep(
        "chate",
        20000,
        0,
        [{"seed": 1}],
        trajectories=True,
        init=ordered(32768, BAND_SIDE, 50),
        flock__count=32768,
        world__width=BAND_SIDE,
        world__height=BAND_SIDE,
        flock__noise__vector=30.75,
        output__observables=["polarization"],
        output__first=19000,
        output__every=10,
        output__fields=["position"],
    )
    with h5py.File(row["stem"] + ".h5") as file:
        frames = file["particles/boids/position/value"][1:]
    waves = np.array(
        [np.exp(2j * np.pi * k * frames[:, :, 0] / BAND_SIDE).mean(axis=1) for k in (1, 2, 3, 4)]
    )
    k = int(np.argmax(abs(waves).mean(axis=1)))
    phases = np.unwrap(np.angle(waves[k])) * BAND_SIDE / (2 * np.pi * (k + 1)) / 10 / 50
    peaks = [
        np.array(
            [
                np.histogram(frame, 128, (0, BAND_SIDE))[0].max() / 256
                for frame in frames[:, :, axis]
            ]
        )
        for axis in (0, 1)
    ]
    return {
        "speed": over_seeds(
            [
                float(np.polyfit(range(len(block)), block, 1)[0])
                for block in np.array_split(phases, BAND_BLOCKS)
            ]
        ),
        "contrast": over_seeds(
            [float(block.mean()) for block in np.array_split(peaks[0] - peaks[1], BAND_BLOCKS)]
        ),
    }


# Informed individuals ----------------------------------------------------------------------------------------

# Couzin et al. 2005 in units of the zone of avoidance, 100, and of their time step, 0.2 s: speed 0.2, turns of 2 rad/s at most, a weight
# of 0.5, Gaussian noise of 0.01 rad as uniform noise of the same spread. As in the paper, the social direction is the sum of the unit
# vectors to others and of all headings, scaled to length 1.
INFORMED = {
    "flock__min_speed": 20,
    "flock__max_speed": 20,
    "flock__max_turn": 22.92,
    "flock__noise__eta": 0.0346,
    "flock__means": "with_self",
    "flock__alignment__radius": 600,
    "flock__alignment__view": 360,
    "flock__alignment__normalise": "sum",
    "flock__alignment__factor": 0.05,
    "flock__cohesion__radius": 600,
    "flock__cohesion__inner_radius": 100,
    "flock__cohesion__view": 360,
    "flock__cohesion__normalise": "sum",
    "goals__direction": 0,
    "goals__factor": 0.5,
    "goals__form": "balanced",
    "output__observables": ["centre_x", "centre_y"],
    "output__observables_every": 50,
}


@functools.lru_cache(maxsize=None)
def accuracy(count, share, seeds):
    """The mean cosine between the preferred direction and the group's motion in its last 50 steps."""
    side = 60 * math.sqrt(count)
    cosines = []
    for row in sweep(
        "couzin",
        3000,
        0,
        [{"goals__share": share, "seed": seed} for seed in range(1, seeds + 1)],
        keep=True,
        flock__count=count,
        world__width=side,
        world__height=side,
        **INFORMED,
    ):
        before, last = read_csv(row["stem"] + ".observables.csv")[-2:]
        x, y = (float(last[name]) - float(before[name]) for name in ("centre_x", "centre_y"))
        cosines.append(x / math.hypot(x, y))
    return pooled(cosines, [math.nan] * len(cosines))


def difference(one, other):
    return Measured(one.value - other.value, math.hypot(one.error, other.error))


# The ordered phase: finite size, numbers ---------------------------------------------------------------------

SIDES = (16, 32, 64)


@functools.lru_cache(maxsize=None)
def ordered_phase(side):
    """Rows of three seeds of a flock in order, noise as an angle of a fifth of a turn, and its trajectories of 100 frames."""
    count, width = 2 * side**2, 100 * side
    return sweep(
        "chate",
        30000,
        5000,
        [{"seed": seed} for seed in (1, 2, 3)],
        trajectories=True,
        init=ordered(count, width, 50),
        flock__count=count,
        world__width=width,
        world__height=width,
        flock__noise__vector=0,
        flock__noise__eta=1.2566,
        output__observables=["polarization"],
        output__every=250,
    )


def order_of(side):
    return measured(ordered_phase(side), "polarization")


def decay():
    """The exponent a of p - .8685 ~ L^-a, from the smallest and the largest side."""
    value, error = slope(
        *(Measured(order_of(side).value - 0.8685, order_of(side).error) for side in SIDES[::2])
    )
    return Measured(-value, error)


def slope(low, high):
    """The exponent of a power law through what was measured at the smallest and at the largest side."""
    across = math.log(SIDES[-1] / SIDES[0])
    return Measured(
        math.log(high.value / low.value) / across,
        math.hypot(low.error / low.value, high.error / high.value) / across,
    )


@functools.lru_cache(maxsize=None)
def analysis(name, side, seed, frames=100):
    """(table, numbers) of boids-analyse for one of these flocks."""
    row = ordered_phase(side)[seed - 1]
    place = called("%s-%d-%d" % (name, side, seed))
    numbers = os.path.join(place, "numbers.csv")
    if is_older(numbers, row["stem"] + ".h5"):
        reported = run(
            [
                sys.executable,
                os.path.join(ROOT, "scripts", "analyse.py"),
                row["stem"] + ".h5",
                "-q",
                "--only",
                name,
                "--frames",
                str(frames),
                "--bins",
                "40",
                "-o",
                place,
            ]
        )
        with open(numbers, "w", encoding="utf-8") as file:
            file.write(reported)
    return read_csv(os.path.join(place, name + ".csv")), {
        each["quantity"]: number(each["value"]) for each in read_csv(numbers)
    }


def over_seeds(values):
    return pooled(values, [0.0] * len(values))


def fluctuation_exponent():
    return over_seeds(
        [analysis("fluctuations", 64, seed)[1]["fluctuation_exponent"] for seed in (1, 2, 3)]
    )


# Couzin's states ---------------------------------------------------------------------------------------------

STATES = ["polarization", "milling", "largest_flock"]


@functools.lru_cache(maxsize=None)
def schools(r_o, seeds, preset="couzin", count=60, last=3000):
    """The rows of the groups that stayed in one piece, as in the paper, over the last 1000 steps."""
    rows = sweep(
        preset,
        last,
        last - 1000,
        [{"seed": seed} for seed in range(1, seeds + 1)],
        output__observables=STATES,
        flock__count=count,
        flock__alignment__radius=r_o,
        flock__cohesion__inner_radius=r_o,
    )
    return [row for row in rows if number(row["mean_largest_flock"]) == 1]


# Widths of the zones of orientation and of attraction, the paper's axes.
WIDTHS_O = (0.1, 0.5, 1, 2, 4, 6, 8, 10, 13, 16)
WIDTHS_A = (4, 8, 10, 13, 16, 18, 20, 22, 25, 28)
GROUPS = 10


@functools.lru_cache(maxsize=None)
def diagram():
    """{(width of orientation, width of attraction): rows of ten groups of 100}."""
    points = [
        {
            "flock__alignment__radius": 100 + 100 * o,
            "flock__cohesion__inner_radius": 100 + 100 * o,
            "flock__cohesion__radius": 100 + 100 * o + 100 * a,
            "seed": seed,
        }
        for o in WIDTHS_O
        for a in WIDTHS_A
        for seed in range(1, GROUPS + 1)
    ]
    rows = sweep("couzin", 3000, 2000, points, flock__count=100, output__observables=STATES)
    cells = [(o, a) for o in WIDTHS_O for a in WIDTHS_A]
    return {cell: rows[k * GROUPS : (k + 1) * GROUPS] for k, cell in enumerate(cells)}


RISING = (1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20, 23)
HELD, SETTLED = 1000, 500


@functools.lru_cache(maxsize=None)
def hysteresis():
    """{"up" or "down": {radius of orientation: (polarization, milling)}}, Measured over all groups.

    Within each run a schedule widens the zone of orientation and narrows it again; that of attraction is 14 wide.
    """
    levels = RISING + RISING[-2::-1]
    sets = [
        {
            "flock.alignment.radius": 100 * r,
            "flock.cohesion.inner_radius": 100 * r,
            "flock.cohesion.radius": 100 * r + 1400,
        }
        for r in levels
    ]
    schedule = [{"at": HELD * k, "set": each} for k, each in enumerate(sets) if k > 0]
    first = {key.replace(".", "__"): value for key, value in sets[0].items()}
    rows = sweep(
        "couzin",
        HELD * len(levels),
        0,
        [{"seed": seed} for seed in range(1, GROUPS + 1)],
        keep=True,
        flock__count=100,
        schedule=schedule,
        output__observables=STATES,
        **first,
    )
    runs = [read_csv(row["stem"] + ".observables.csv") for row in rows]
    names = STATES[:2]
    means = [
        [level_means(frames, k, names, HELD, SETTLED) for frames in runs]
        for k in range(len(levels))
    ]
    numbers = [
        tuple(over_seeds([group[name] for group in groups]) for name in names) for groups in means
    ]
    top = len(RISING)
    return {
        "up": dict(zip(RISING, numbers[:top])),
        "down": dict(zip(RISING, numbers[: top - 2 : -1])),
    }


def level_means(frames, level, names, held, settled):
    """Return the means of the observables over the settled part of a level of a schedule."""
    inside = [
        frame
        for frame in frames
        if held * level + settled < int(frame["step"]) <= held * (level + 1)
    ]
    return {name: sum(float(frame[name]) for frame in inside) / len(inside) for name in names}


# The first flock of NetLogo's turtles ------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def first_steps(quantity, least):
    """The median over 20 flocks of the first measured step at which the observable is that large; its error is half of the distance
    between the flocks whose ranks are a standard deviation beside it."""
    first = []
    for row in sweep(
        "netlogo",
        4000,
        0,
        [{"seed": seed} for seed in range(1, 21)],
        keep=True,
        output__observables=["polarization", "largest_flock"],
    ):
        measurements = read_csv(row["stem"] + ".observables.csv")
        first.append(next(int(at["step"]) for at in measurements if float(at[quantity]) >= least))
    first.sort()
    beside = round(math.sqrt(len(first)) / 2)
    middle = len(first) // 2
    return Measured(
        (first[middle - 1] + first[middle]) / 2,
        (first[middle - 1 + beside] - first[middle - beside]) / 2,
    )
