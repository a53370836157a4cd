"""What can be worked out on paper, in float64, from frames with all their digits."""

import itertools
import json
import math
import random
import statistics

from runs import BOIDS, Measured, called, preset_file, run, write_csv

QUIET = {
    "arithmetic": "float64",
    "update": "synchronous",
    "world.border": "open",
    "flock.min_speed": None,
    "flock.max_speed": None,
    "flock.separation.factor": 0,
    "flock.alignment.factor": 0,
    "flock.cohesion.factor": 0,
    "flock.alignment.inner_radius": 0,
    "flock.cohesion.inner_radius": 0,
    "predators.count": 0,
}


def run_boids(boids, steps, every=1, **sets):
    """[frame][boid]: (x, y, vx, vy), from the boids that are given."""
    state = called("state.csv")
    names = ("id", "type", "x", "y", "vx", "vy")
    write_csv(
        state, [dict(zip(names, (i, "boid", *map(repr, boid)))) for i, boid in enumerate(boids)]
    )
    sets = {
        **QUIET,
        "flock.count": len(boids),
        **{key.replace("__", "."): value for key, value in sets.items()},
    }
    command = [
        BOIDS,
        "-c",
        preset_file("adams"),
        "--init",
        state,
        "-n",
        str(steps),
        "--every",
        str(every),
        "--digits",
        "17",
        "-q",
        "-o",
        "-",
        "--format",
        "csv",
    ]
    for key, value in sets.items():
        command += ["--set", "%s=%s" % (key, json.dumps(value))]
    names, *rows = (line.split(",") for line in run(command).splitlines())
    begin = names.index("x")
    frames = itertools.groupby(rows, key=lambda row: row[0])
    return [[tuple(map(float, row[begin : begin + 4])) for row in frame] for _, frame in frames]


PAIR = [(10.0, 0.0, 1.0, 0.0), (20.0, 5.0, -0.5, 0.75)]


def relative_speed(update):
    """The ratio of the relative velocities of two boids that align, from step to step."""
    (a, b), (c, d) = run_boids(
        PAIR, 1, update=update, flock__alignment__radius=1000, flock__alignment__factor=0.05
    )
    return Measured((d[2] - c[2]) / (b[2] - a[2]))


def period(factor):
    """Return the period with which two boids that attract each other oscillate, from three places: r(n + 1) + r(n - 1) = 2 (1 - c)
    r(n)."""
    frames = run_boids(
        [(0.0, 0.0, 0.0, 0.0), (60.0, 80.0, 0.0, 0.0)],
        42,
        flock__cohesion__radius=1000,
        flock__cohesion__factor=factor,
    )
    a, b, c = (pair[1][0] - pair[0][0] for pair in frames[-3:])
    return Measured(2 * math.pi / math.acos((a + c) / 2 / b))


def crowd(n, side, speed):
    draw = random.Random(7).uniform
    return [
        (draw(0, side), draw(0, side), draw(-speed, speed), draw(-speed, speed)) for _ in range(n)
    ]


def momentum():
    """How far the total momentum goes in 1000 steps, over the sum of all speeds: 100 boids that all see each other."""
    frames = run_boids(
        crowd(100, 50, 1),
        1000,
        every=1000,
        flock__separation__radius=10,
        flock__separation__factor=0.001,
        flock__alignment__radius=1e4,
        flock__alignment__factor=0.001,
    )
    sums = [
        [math.fsum(boid[axis] for boid in frame) for axis in (2, 3)]
        for frame in (frames[0], frames[-1])
    ]
    return Measured(math.dist(*sums) / math.fsum(math.hypot(*boid[2:]) for boid in frames[0]))


def spread_kept(exponent):
    """The spread of velocities after 1500 steps over that at the start, of 100 boids in a square of 300 scales. Their weights fall
    off with this exponent (Cucker and Smale 2007)."""
    frames = run_boids(
        crowd(100, 3e4, 5),
        1500,
        every=1500,
        integrator="explicit",
        flock__alignment__radius=1e7,
        flock__alignment__factor=0.001,
        flock__alignment__normalise="sum",
        flock__alignment__falloff_scale=100,
        flock__alignment__falloff_exponent=exponent,
    )
    spreads = [
        sum(statistics.pvariance([boid[axis] for boid in frame]) for axis in (2, 3))
        for frame in (frames[0], frames[-1])
    ]
    return Measured(math.sqrt(spreads[1] / spreads[0]))


def speed_left(share):
    """The relative speed that two boids keep, over the bound above which they do not flock. They start half a scale apart and separate
    with this share of the bound; their weights fall off with the exponent 1.

    In a time dt, the relative speed w decreases by 2 c dt / (1 + (x/s)^2), while the distance x grows by w dt. So the sum of w and
    2 c s atan(x/s) is conserved, and w stays above 0 if it exceeds 2 c s (pi/2 - atan(x/s)) at the start.
    """
    scale, factor = 1e4, 1e-3
    bound = 2 * factor * scale * (math.pi / 2 - math.atan(0.5))
    boids = [(0.0, 0.0, 0.0, 0.0), (scale / 2, 0.0, share * bound, 0.0)]
    end = run_boids(
        boids,
        1000000,
        every=1000000,
        integrator="explicit",
        flock__alignment__radius=1e9,
        flock__alignment__factor=factor,
        flock__alignment__normalise="sum",
        flock__alignment__falloff_scale=scale,
        flock__alignment__falloff_exponent=1,
    )[-1]
    return Measured((end[1][2] - end[0][2]) / bound)


def nearest_of_all():
    """How far 33 boids that heed their 32 nearest are, after 20 steps, from those that heed all."""
    rules = {
        "flock__alignment__radius": 1e4,
        "flock__alignment__factor": 0.05,
        "flock__cohesion__radius": 1e4,
        "flock__cohesion__factor": 0.002,
    }
    ends = [
        run_boids(crowd(33, 100, 3), 20, every=20, **rules, **more)[-1]
        for more in ({}, {"flock__alignment__nearest": 32, "flock__cohesion__nearest": 32})
    ]
    return Measured(max(abs(p - q) for a, b in zip(*ends) for p, q in zip(a, b)))
