"""Matrix text and extended XYZ, as boids writes them; what a stopped run has not finished is left out."""

import json
import re

import numpy as np

from .faults import Refused, note
from .runs import TableTrajectory
from .world import World, world_of

LETTERS = {b"B": "boid", b"P": "predator"}
PROPERTIES = "species:S:1:pos:R:3:velo:R:3:id:I:1"


def read_matrix(name, data):
    """Trajectory from matrix text: after the size, rows of x, y, vx and vy in turn, one column per boid. It does not say
    its steps, so frames are counted."""
    head, _, body = data.lstrip().partition(b"\n")
    columns = int(head.split()[1])
    rows = [row for row in body.splitlines() if row.strip()]
    if rows and (len(rows[-1].split()) < columns or not body.endswith(b"\n")):
        rows.pop()
    frames = len(rows) // 4
    if not frames or not columns:
        raise Refused(f"{name}: it holds no whole frame")
    for number, row in enumerate(rows, 2):
        if len(row.split()) != columns:
            raise Refused(f"{name}: line {number}: {len(row.split())} numbers where the first line says {columns}")
    numbers = numbers_of(name, b" ".join(rows[:4 * frames]))
    if np.isnan(numbers[:columns]).all() or np.isnan(numbers[2 * columns:3 * columns]).all():
        raise Refused(f"{name}: its {'positions' if np.isnan(numbers[0]) else 'velocities'} are nan, as output.fields asked, and "
                      "boids are drawn by both; fly it again with both")
    agents = np.moveaxis(numbers.reshape(frames, 4, columns), 1, 2)
    return TableTrajectory(name, np.arange(frames), {"boid": agents, "predator": np.empty((frames, 0, 4))})


def numbers_of(name, text):
    """The numbers in a text of nothing else."""
    try:
        return np.array(text.split(), float)
    except ValueError as error:
        raise Refused(f"{name}: {error}") from None


def read_xyz(name, data):
    """Trajectory from extended XYZ: per frame the number of atoms, a line of key=value and a line per atom."""
    lines = data.lstrip().split(b"\n")
    lines.pop()  # empty, or cut short
    steps, frames, at = [], [], 0
    while at + 2 <= len(lines) and lines[at].strip():
        size = count_of(name, lines[at], at + 1)
        if at + 2 + size > len(lines):
            break
        steps.append(step_of(name, lines[at + 1], len(steps), at + 2))
        frames.append(atoms_of(name, lines[at + 2:at + 2 + size], at + 3))
        at += 2 + size
    if not frames:
        raise Refused(f"{name}: it holds no whole frame")
    if at < len(lines):
        note(f"{name}: the input ends early; its last frame is left out")
    run = TableTrajectory(name, np.array(steps), agents_of(name, steps, frames))
    run.world = world_in(name, lines[1].decode(errors="replace"))
    return run


def count_of(name, line, number):
    if not line.strip().isdigit():
        raise Refused(f"{name}: line {number}: {ascii(line[:40].decode(errors='replace'))} is not a number of atoms")
    return int(line)


def step_of(name, comment, count, number):
    """The step that a frame's comment names, else its place."""
    if f"Properties={PROPERTIES}".encode() not in comment:
        raise Refused(f"{name}: line {number}: not extended XYZ of boids: it has no Properties={PROPERTIES}")
    found = re.search(rb"\bstep=(\d+)", comment)
    return int(found.group(1)) if found else count


def atoms_of(name, lines, number):
    """{kind: float [n, 4]} of a frame, by id."""
    rows = [line.split() for line in lines]
    for i, row in enumerate(rows):
        if len(row) != 8 or row[0] not in LETTERS:
            raise Refused(f"{name}: line {number + i}: it is not a B or P and seven numbers")
    kinds = np.array([LETTERS[row[0]] for row in rows])
    table = numbers_of(name, b" ".join(b" ".join(row[1:]) for row in rows)).reshape(-1, 7)
    order = np.argsort(table[:, 6], kind="stable")
    return {kind: table[order][kinds[order] == kind][:, (0, 1, 3, 4)] for kind in LETTERS.values()}


def agents_of(name, steps, frames):
    """{kind: float [T, n, 4]}; refused where frames differ in how many they hold."""
    for step, frame in zip(steps, frames):
        for kind, agents in frame.items():
            if len(agents) != len(frames[0][kind]):
                raise Refused(f"{name}: step {step} has {len(agents)} {kind}s, step {steps[0]} has "
                              f"{len(frames[0][kind])}")
    return {kind: np.stack([frame[kind] for frame in frames]) for kind in LETTERS.values()}


def world_in(name, comment):
    """World from the configuration in the first frame's comment, else from its box."""
    config = re.search(r'\bconfig="((?:[^"\\]|\\.)*)"', comment)
    if config:
        try:
            return world_of(json.loads(re.sub(r"\\(.)", r"\1", config.group(1))), f"{name}: config")
        except ValueError:
            raise Refused(f"{name}: its config is not JSON") from None
    box = re.search(r'\bLattice="(\S+) 0 0 0 (\S+) ', comment)
    return World(float(box.group(1)), float(box.group(2))) if box else None
