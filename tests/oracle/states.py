"""Start states, the same on every machine, for the comparison with the reference.

Every function returns a state (boids, predators) as in reference.py; the index in a list is the id.

Two kinds:

- Flocks at random places: `spread`, `clumped`, `outside`. The numbers come from random.Random(seed).random(),
  which Python promises to keep.
- Thresholds: boids placed *exactly* on a radius, a margin, an edge, a speed. All their coordinates are dyadic
  (integers over a power of two) and oblique distances are Pythagorean triples, so that sums, squares
  and roots come out exact and both programs must take the same side of every `<`.

Three traps are avoided on purpose, because in them two correct programs may differ by more than rounding:

- Neighbours that cancel only up to rounding leave a sum of random direction, which `reynolds` scales to full
  speed and min_speed to itself. So sums that should be zero are exactly zero (mirror images, added in any
  order), and lattices have holes and uneven velocities.
- For a pair that *stays* on a radius, the last digit of each step decides. So the boids of a threshold pair
  have different velocities: they are on the threshold in frame 0 and well off it in frame 1.
- Coincident boids with equal velocities stay coincident only if their sums have equal terms in equal order. So
  twins have no neighbours, and coincident boids with neighbours have different velocities.
"""

import math
import random
from fractions import Fraction

TRIPLES = ((3, 4, 5), (8, 15, 17), (7, 24, 25))

# A sixteenth of a unit: near enough to a threshold to be on its own side of it, far enough to stay dyadic.
HAIR = 1 / 16


# Flocks at random places ----------------------------------------------------------------------------------


def spread(n, config, seed=1, predators=0):
    """`n` boids anywhere in the world, at speeds below, within and above the limits."""
    world = config["world"]
    return in_box(n, config, seed, predators, 0, 0, world["width"], world["height"])


def clumped(n, config, seed=2, predators=0):
    """`n` boids in a corner of the world, across its margin, so that each has many neighbours.

    The size of the box follows from `n` and the separation radius, so that a boid has three neighbours for
    separation and many more for the other rules. Much denser flocks amplify rounding, especially in `unit` and
    `inverse`, until 20 steps no longer agree to 1e-9.
    """
    world = config["world"]
    side = math.sqrt(n) * config["flock"]["separation"]["radius"]
    wide, high = min(side, world["width"] * 0.7), min(side, world["height"] * 0.7)
    return in_box(
        n, config, seed, predators, world["width"] * 0.1, world["height"] * 0.125, wide, high
    )


def dense(n, config, seed=8, predators=0):
    """`n` boids in a box of two radii of the widest rule, so that nearly all boids are neighbours."""
    world = config["world"]
    side = 2 * max(radii(config))
    return in_box(
        n, config, seed, predators, world["width"] * 0.9, world["height"] * 0.1, side, side
    )


def at_speed(state, speed):
    """The same state with all boids at one speed."""
    boids, predators = state
    return [
        [x, y, vx * speed / math.hypot(vx, vy), vy * speed / math.hypot(vx, vy)]
        for x, y, vx, vy in boids
    ], predators


def outside(n, config, seed=3, predators=0, worlds=3):
    """`n` boids in several clumps, each at a distance of some widths of the world, on all its sides."""
    world = config["world"]
    boids, hunters = in_box(
        n, config, seed, predators, 0, 0, world["width"] / 2, world["height"] / 2
    )
    away = ((-worlds, 0.25), (worlds + 0.5, -worlds), (0.125, worlds), (-worlds - 0.25, -worlds))
    for i, agent in enumerate(boids + hunters):
        agent[0] += away[i % 4][0] * world["width"]
        agent[1] += away[i % 4][1] * world["height"]
    return boids, hunters


def in_box(n, config, seed, predators, x, y, wide, high):
    """`n` boids and some predators, uniform in the given box, each velocity component uniform."""
    draw = random.Random(seed).random
    top = config["flock"]["max_speed"] or 3

    def agent():
        return [
            x + wide * draw(),
            y + high * draw(),
            top * (2 * draw() - 1),
            top * (2 * draw() - 1),
        ]

    return [agent() for _ in range(n)], [agent() for _ in range(predators)]


def close_pairs(config, seed=7):
    """Pairs of close neighbours, spread over the world, also for the smallest radius."""
    boids, predators = spread(20, config, seed)
    reach = config["flock"]["separation"]["radius"] / 2
    others, _ = spread(20, config, seed + 1)
    return (
        boids + [[x + reach, y, vx, vy] for (x, y, _, _), (_, _, vx, vy) in zip(boids, others)],
        predators,
    )


def still(n, config, seed=4):
    """`n` boids at rest, spread out: those without a neighbour must stay where they are."""
    boids, predators = spread(n, config, seed)
    return [[x, y, 0.0, 0.0] for x, y, _, _ in boids], predators


# Thresholds -----------------------------------------------------------------------------------------------


def radii(config):
    """Every radius that the three rules compare a distance with, ascending, without 0; 400 if they compare with none."""
    flock = config["flock"]
    found = {flock["separation"]["radius"]}
    for rule in ("alignment", "cohesion"):
        found |= {flock[rule]["radius"], flock[rule]["inner_radius"]}
    return sorted(found - {0, None}) or [400]


def exact_offsets(radius):
    """Offsets of exactly this length: along both axes, and oblique where a Pythagorean triple allows it."""
    offsets = [(radius, 0), (0, radius)]
    for a, b, c in TRIPLES:
        x, y = radius * a / c, radius * b / c
        if Fraction(x) ** 2 + Fraction(y) ** 2 == Fraction(radius) ** 2:
            offsets += [(x, y), (-y, x)]
    return offsets


def place_groups(groups, apart, columns=6):
    """Put small groups of agents on a wide lattice, out of sight of each other.

    The anchors are `apart` and a little more from each other, so that their positions within the cells of
    the program's grid differ. Returns (boids, width, height).
    """
    boids = []
    for n, group in enumerate(groups):
        x = apart * (n % columns + 1) + 0.375 * n
        y = apart * (n // columns + 1) + 0.625 * n
        boids += [[x + dx, y + dy, vx, vy] for dx, dy, vx, vy in group]
    return boids, apart * (columns + 2), apart * (len(groups) // columns + 3)


def rims(config):
    """Pairs exactly on each radius, and slightly inside and outside of it. Defines the size of its world.

    Returns (state, width, height).
    """
    velocities = [(0.25, 1.0), (-1.0, 0.5), (0.5, -0.75), (-0.25, -1.25)]
    groups = []
    for radius in radii(config):
        for n, (dx, dy) in enumerate(exact_offsets(radius)):
            for stretch in (0, -HAIR, HAIR):
                # Off by a hair along one axis is off the circle as well: a little more or a little less.
                end_x = dx + math.copysign(1, dx) * stretch if dx else dx
                end_y = dy if dx else dy + stretch
                near, far = velocities[n % 4], velocities[(n + 1) % 4]
                groups.append([(0, 0) + near, (end_x, end_y) + far])
    boids, width, height = place_groups(groups, 3 * math.ceil(max(radii(config))) + 8)
    return (boids, []), width, height


def lattice(config, spacing, sites=6, seed=5):
    """Boids on a square lattice with holes, so that many distances equal a radius exactly.

    Holes, one site in three, and velocities in uneven eighths keep sums from cancelling to rounding noise.
    """
    draw = random.Random(seed).random
    world = config["world"]
    left, top = world["width"] // 4 + 0.5, world["height"] // 4 + 0.25
    boids = []
    for row in range(sites):
        for column in range(sites):
            vx, vy = (round(8 * (2 * draw() - 1)) / 8 for _ in range(2))
            if draw() < 2 / 3:
                boids.append([left + spacing * column, top + spacing * row, vx, vy])
    return boids, []


def walls(config):
    """Boids exactly on margins, edges and corners, and slightly off them, that move in, out and along.

    For rules that are switched off: then boids that move along a wall stay exactly on it.
    """
    world, margin = config["world"], config["world"]["margin"]
    columns = [
        0,
        margin["left"],
        world["width"] / 2,
        world["width"] - margin["right"],
        world["width"],
    ]
    rows = [
        0,
        margin["top"],
        world["height"] / 2,
        world["height"] - margin["bottom"],
        world["height"],
    ]
    headings = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)]
    # The two middle lines and the two diagonals cross each margin and edge separately, and each corner.
    places = [(x, rows[2]) for x in columns] + [(columns[2], y) for y in rows]
    places += list(zip(columns, rows)) + list(zip(columns, reversed(rows)))
    boids = []
    for x, y in places:
        boids += [[x, y, vx, vy] for vx, vy in headings]
        boids += [[x + HAIR, y - HAIR, 0.0, 1.0], [x - HAIR, y + HAIR, 1.0, 0.0]]
    # These reach an edge exactly after one step, unless min_speed makes them faster. At the edge a boid has not
    # left the world.
    boids += [[1.0, 5.0, -1.0, 0.0], [world["width"] - 1.0, 5.0, 1.0, 0.0]]
    boids += [[5.0, 1.0, 0.0, -1.0], [5.0, world["height"] - 1.0, 0.0, 1.0]]
    return boids, []


def speeds(config):
    """Boids exactly at min_speed and max_speed, slightly above and below them, and at rest, with and without neighbours.

    Returns (state, width, height).
    """
    flock = config["flock"]
    limits = [value for value in (flock["min_speed"], flock["max_speed"]) if value is not None]
    groups = [[(0, 0, 0.0, 0.0)]]
    for speed in limits:
        for vx, vy in exact_offsets(speed):
            groups.append([(0, 0, vx, vy)])
        groups += [[(0, 0, speed + HAIR, 0.0)], [(0, 0, speed - HAIR, 0.0)]]
    step = flock["cohesion"]["radius"] / 4 or 1
    groups += [
        # One at rest near one that passes, and two at rest that can only attract each other.
        [(0, 0, 0.0, 0.0), (step, 0, 0.5, 1.0)],
        [(0, 0, 0.0, 0.0), (step, 2 * step, 0.0, 0.0)],
        # Between two mirror images: all three sums of the middle one are zero, exactly.
        [(0, 0, 0.25, 0.75), (step, step / 2, 1.0, -0.5), (-step, -step / 2, -1.0, 0.5)],
    ]
    boids, width, height = place_groups(groups, 3 * math.ceil(max(radii(config))) + 8)
    return (boids, []), width, height


def coincident(config):
    """Boids on top of each other: twins, strangers, and with a third at some distance.

    Returns (state, width, height).
    """
    near = config["flock"]["separation"]["radius"] / 2
    groups = [
        [(0, 0, 0.5, 1.0), (0, 0, 0.5, 1.0)],
        [(0, 0, 0.5, 1.0), (0, 0, -1.0, 0.25)],
        [(0, 0, 0.0, 0.0), (0, 0, 0.75, 0.25)],
        [(0, 0, 0.5, 1.0), (0, 0, -0.75, 0.25), (near, 0, 0.25, -1.0)],
        [(0, 0, 0.5, -1.0), (0, 0, -0.75, 0.5), (0, 0, 1.0, 0.25), (0, near, -0.25, 0.875)],
    ]
    boids, width, height = place_groups(groups, 3 * math.ceil(max(radii(config))) + 8)
    return (boids, []), width, height


def hunted(config):
    """Boids exactly at the reach of a predator, on top of one, and between two whose offsets cancel.

    Each scene, one boid and its predators, is far from the others. The boid between two predators moves along
    the axis of symmetry, and they move as mirror images at dyadic velocities (3-4-5, within the speed limits),
    so one of the two sums is exactly zero in every step. Returns (state, width, height).
    """
    reach = config["predators"]["radius"]
    top = config["flock"]["max_speed"]
    short, long = (3.0, 4.0) if top is None or top >= 5 else (0.75, 1.0)
    scenes = [[(0, 0, 0.0, 1.0), (dx, dy, -1.0, 0.5)] for dx, dy in exact_offsets(reach)]
    scenes += [
        [(0, 0, 0.25, 1.0), (reach - HAIR, 0, 0.5, 1.0)],
        [(0, 0, 0.25, 1.0), (0, -reach - HAIR, 0.5, 1.0)],
        [(0, 0, 0.5, 0.75), (0, 0, 1.0, -0.25)],
        [
            (0, 0, 0.0, 1.0),
            (reach / 4, reach / 8, short, long),
            (-reach / 4, reach / 8, -short, long),
        ],
        [
            (0, 0, 1.0, 0.0),
            (reach / 8, reach / 4, long, short),
            (reach / 8, -reach / 4, long, -short),
        ],
        [(0, 0, 0.0, 0.0), (reach / 2, 0, 1.0, 0.5)],
    ]
    apart = 4 * math.ceil(reach)
    boids, width, height = place_groups([scene[:1] for scene in scenes], apart)
    predators = []
    for (x, y, _, _), scene in zip(boids, scenes):
        predators += [[x + dx, y + dy, vx, vy] for dx, dy, vx, vy in scene[1:]]
    return (boids, predators), width, height


def seam(config, seed=6):
    """Boids on a lattice over a small torus: distances across the border, and differences of half the world.

    Sites are eighths of the world, so every fourth neighbour is exactly half the world away; velocities are
    uneven, so no two stay there. It has holes, as `lattice` does.
    """
    draw = random.Random(seed).random
    world = config["world"]
    boids = []
    for row in range(8):
        for column in range(8):
            vx, vy = (round(16 * (2 * draw() - 1)) / 16 for _ in range(2))
            if draw() < 0.4:
                boids.append([world["width"] * column / 8, world["height"] * row / 8, vx, vy])
    # Both ends of the world are the same point on a torus, and a boid may be on either.
    boids.append([float(world["width"]), float(world["height"]), 0.5, -0.25])
    boids.append([0.0, float(world["height"]), -0.25, 0.375])
    return boids, []


def between_goals(_config):
    """At rest on one of the goals (64, 64) and (192, 64), and at the same distance from both."""
    return [
        [64.0, 64.0, 0.0, 0.0],
        [192.0, 64.0, 0.0, 0.0],
        [128.0, 64.0, 0.0, 0.0],
        [128.0, 200.0, 0.0, 0.0],
    ], []


def on_obstacles(_config):
    """Boids in front of a circle of radius 32 at (128, 128), beside it, on its rim, in it and exactly in its centre."""
    rows = [
        (64, 128, 4, 0),
        (64, 91, 4, 0),
        (64, 90.5, 4, 0),
        (96, 128, 2, 0),
        (124, 128, 4, 0),
        (128, 128, 0, 0),
        (130, 128, 0, 0),
        (128, 100, 0, -3),
        (192, 160, -4, 0),
        (128, 200, 0, -1),
    ]
    return [[float(number) for number in row] for row in rows], []


def hunters(_config):
    """Three boids at rest, and predators between two of them, on one, and in the middle of all three."""
    boids = [[160.0, 200.0, 0.0, 0.0], [224.0, 200.0, 0.0, 0.0], [192.0, 224.0, 0.0, 0.0]]
    return boids, [[192.0, 190.0, 0.0, 0.0], [224.0, 200.0, 1.0, 0.0], [192.0, 208.0, 0.0, 1.0]]
