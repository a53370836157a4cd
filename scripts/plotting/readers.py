"""Trajectories into one small interface, whatever their format: name, steps int64 [T], counts {kind: n}, world (World or None) and
frame(kind, k).

A frame is an array [n, 4] of x, y (world units) and vx, vy (world units per step), rows by id. k counts the frames
of the file from 0; a step is the number that the simulation gave that frame.
"""

import csv
import json
import os
import re
import sys
import warnings

import numpy as np

from . import plain
from .faults import Failed, Refused, note, number_in, reason
from .runs import KINDS, TableTrajectory
from .world import World, positive, world_of

STDIN = "standard input"
LACKS_FIELDS = ("{}: it holds the {} alone, as output.fields asked, and boids are drawn by position and velocity; fly it again "
                "with both")
LARGEST = 2 ** 53  # of steps and ids
COLUMNS = ("step", "type", "id", "x", "y", "vx", "vy")  # what drawing needs of a CSV; `time` is not in it


class Hdf5Trajectory:
    """Frames of an H5MD file, read when they are asked for: a long run need not fit in memory."""

    def __init__(self, name, steps, rows, groups, orders, world):
        self.name = name
        self.steps = steps  # int64 [T]
        self.rows = rows  # int64 [T], where these frames stand in the file
        self.groups = groups  # {kind: (positions, velocities)}, datasets [rows, n, 2 or 3]
        self.orders = orders  # {kind: int [n]}, file column of each agent by rising id
        self.counts = {kind: orders[kind].size for kind in KINDS}
        self.world = world

    def frame(self, kind, k):
        """x, y, vx, vy, float64 [n, 4], of frame k."""
        if not self.counts[kind]:
            return np.empty((0, 4))
        try:
            halves = [dataset[int(self.rows[k])][:, :2] for dataset in self.groups[kind]]
        except (OSError, KeyError, RuntimeError, ValueError) as error:
            raise Failed(f"{self.name}: step {self.steps[k]} cannot be read: {reason_h5(error)}") from None
        return np.concatenate(halves, axis=1).astype(np.float64)[self.orders[kind]]

    def keep(self, frames):
        """Forget all frames but those with these indices, int [T]."""
        self.steps, self.rows = self.steps[frames], self.rows[frames]


def read_runs(paths):
    """The trajectories of several files, cut down to the steps that all of them have."""
    runs = [read_trajectory(path) for path in paths]
    shared = set(runs[0].steps).intersection(*(run.steps for run in runs))
    if not shared:
        raise Refused(f"{runs[-1].name}: it has no step in common with {runs[0].name}")
    for run in runs if len(runs) > 1 else []:
        run.keep(np.flatnonzero(np.isin(run.steps, list(shared))))
    return runs


def read_trajectory(path, needs_velocity=True):
    """The trajectory in the file `path`, or on standard input for `-`. The first bytes tell the format.

    Where velocities are not needed, frames of an HDF5 file without them are [n, 2].
    """
    if path == "-":
        data = sys.stdin.buffer.read()
        if data.startswith(b"\x89HDF"):
            raise Refused(f"{STDIN}: HDF5 cannot be read from a pipe; give the name of the file")
        return read_text(STDIN, data)
    try:
        with open(path, "rb") as file:
            is_hdf5 = file.read(8) == b"\x89HDF\r\n\x1a\n"
            if not is_hdf5 and re.search(r"\.(h5|hdf5)(\.part)?$", path, re.IGNORECASE):
                raise Refused(f"{path}: not an HDF5 file, whatever its name says")
            if not is_hdf5:
                file.seek(0)
                return read_text(path, file.read())
    except OSError as error:
        raise Refused(f"{path}: {reason(error)}") from None
    return read_hdf5(path, needs_velocity)


def read_text(name, data):
    """Trajectory from the bytes of a text: matrix text begins with two numbers, extended XYZ with one, CSV with words."""
    if re.match(rb"\s*\d+[ \t]+\d+\s*\n", data):
        return plain.read_matrix(name, data)
    if re.match(rb"\s*\d+\s*\n", data):
        return plain.read_xyz(name, data)
    return read_csv(name, data)


# CSV: the text is split into a table [rows, COLUMNS], the table into frames.


def read_csv(name, data):
    """Trajectory from the bytes of a CSV in tidy form, whole or cut off anywhere."""
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    if not data.strip():
        hint = " (did the command before the pipe fail?)" if name == STDIN else ""
        raise Refused(f"{name}: it is empty{hint}")
    head, _, body = data.partition(b"\n")
    header = csv_header(name, head)
    body, is_cut = whole_rows(body, header)
    if not body.strip():
        raise Refused(f"{name}: it has a header but no whole row")
    table = parse_fast(body, header)
    if table is None:
        table = parse_slow(name, body, header)
    return frames_of(name, table, is_cut)


def csv_header(name, line):
    """Column names of the first line; refused unless all of COLUMNS are there."""
    try:
        header = [cell.strip().strip('"') for cell in line.decode().split(",")]
    except UnicodeDecodeError:
        raise Refused(f"{name}: not a trajectory: its first line is not text") from None
    missing = [column for column in COLUMNS if column not in header]
    if len(missing) > len(COLUMNS) - 2:
        shown = ascii(line.decode()[:40])
        raise Refused(f"{name}: not a trajectory: its first line is {shown}, not step,time,id,type,x,y,vx,vy")
    if missing:
        raise Refused(f"{name}: it lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)} "
                      f"(it has {', '.join(header)})")
    return header


def whole_rows(body, header):
    """(rows that end in a newline, whether the last one was cut short).

    A last line without a newline is kept where every cell it needs is there and reads well: files edited by
    hand end like that. What a cut may have taken from its last number cannot be seen.
    """
    rows, newline, tail = body.rpartition(b"\n")
    if not tail.strip():
        return body, False
    cells = tail.decode(errors="replace").replace('"', "").split(",")
    try:
        parse_cells(dict(zip(header, cells)))
        is_whole = len(cells) == len(header)
    except (KeyError, ValueError):
        is_whole = False
    return (body + b"\n", False) if is_whole else (rows + newline, True)


def parse_fast(body, header):
    """float64 [rows, COLUMNS], or None where the text needs parse_slow: it is wrong, or out of the ordinary.

    numpy reads one long list of numbers quickly, so the two words become digits and the newlines commas. That
    would hide a row with too few cells next to one with too many; hence the look at where the commas stand.
    """
    for word in (b"boid", b"predator"):  # R writes words in quotes
        body = body.replace(b'"%s"' % word, word)
    rows, width = body.count(b"\n"), len(header)
    if b'"' in body or body.count(b"boid") + body.count(b"predator") != rows:
        return None
    marks = np.frombuffer(body, np.uint8)
    commas, newlines = np.flatnonzero(marks == ord(",")), np.flatnonzero(marks == ord("\n"))
    if not np.array_equal(np.searchsorted(commas, newlines), np.arange(1, rows + 1) * (width - 1)):
        return None
    ends = np.append(-1, np.sort(np.concatenate([commas, newlines]))).reshape(-1)
    column = header.index("type")
    begin, end = ends[column:-1:width] + 1, ends[column + 1::width]
    sizes = np.where(marks[begin] == ord("b"), 4, np.where(marks[begin] == ord("p"), 8, 0))
    if not np.array_equal(end - begin, sizes):  # a word is elsewhere
        return None
    numbers = body.replace(b"boid", b"0").replace(b"predator", b"1").replace(b"\n", b",")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            values = np.fromstring(numbers, sep=",")
        except (DeprecationWarning, ValueError):
            return None
    if values.size != rows * width:
        return None
    table = values.reshape(rows, width)[:, [header.index(column) for column in COLUMNS]]
    whole = table[:, (0, 2)]
    is_whole = ((np.abs(whole) <= LARGEST) & (whole == np.floor(whole))).all()
    return table if is_whole and np.isin(table[:, 1], (0, 1)).all() else None


def parse_slow(name, body, header):
    """float64 [rows, COLUMNS], cell by cell, refusing the first bad cell by its line and column."""
    text = body.decode(errors="replace")
    table = []
    for number, line in enumerate(text.split("\n"), 2):  # the header was line 1
        if not line.strip():
            continue
        try:
            cells = next(csv.reader([line]))
            if len(cells) != len(header):
                raise ValueError(f"{len(cells)} cells where the header has {len(header)}")
            table.append(parse_cells(dict(zip(header, cells))))
        except (ValueError, csv.Error) as error:
            raise Refused(f"{name}: line {number}: {error}") from None
    return np.array(table)


def parse_cells(row):
    """The numbers of COLUMNS from {column: text}. ValueError says which cell is bad and how."""
    values = []
    for column in COLUMNS:
        cell = row[column].strip()
        if column == "type":
            if cell not in KINDS:
                raise ValueError(f"type is {cell!r}, not boid or predator")
            values.append(float(KINDS.index(cell)))
            continue
        try:
            values.append(number_in(cell))
        except ValueError:
            wrong = f"{column} is {cell!r}, not a number" if cell else f"{column} is empty"
            raise ValueError(wrong) from None
        if column in ("step", "id") and not (values[-1].is_integer() and abs(values[-1]) <= LARGEST):
            raise ValueError(f"{column} is {cell}, not a whole number" + " up to 2^53" * values[-1].is_integer())
    return values


def frames_of(name, table, is_cut):
    """Trajectory from a table [rows, COLUMNS]; the last frame is left out where it is not whole."""
    last_step = table[-1, 0]
    order = np.lexsort((table[:, 2], table[:, 1], table[:, 0]))
    if not np.array_equal(order, np.arange(len(order))):
        table = table[order]
    steps, starts, sizes = np.unique(table[:, 0], return_index=True, return_counts=True)
    if len(steps) > 1 and sizes[-1] < sizes[0] and steps[-1] == last_step:
        how = "the last line is cut short" if is_cut else "the input ends early"
        note(f"{name}: {how}; step {int(last_step)} has {sizes[-1]} of {sizes[0]} agents and is left out")
        table, steps, sizes = table[:starts[-1]], steps[:-1], sizes[:-1]
    elif is_cut:
        note(f"{name}: the last line is cut short and is left out")
    if (sizes != sizes[0]).any():
        odd = int(np.argmax(sizes != sizes[0]))
        raise Refused(f"{name}: step {int(steps[odd])} has {sizes[odd]} agents, "
                      f"step {int(steps[0])} has {sizes[0]}")
    table = table.reshape(len(steps), sizes[0], len(COLUMNS))
    check_agents(name, table)
    is_boid = table[0, :, 1] == 0
    agents = {"boid": table[:, is_boid, 3:], "predator": table[:, ~is_boid, 3:]}
    return TableTrajectory(name, steps.astype(np.int64), agents)


def check_agents(name, table):
    """Refuse a sorted table [T, agents, COLUMNS] where an agent comes twice or frames differ in agents."""
    who = table[:, :, 1:3]
    twice = (who[0, 1:] == who[0, :-1]).all(axis=1)
    if twice.any():
        kind, number = who[0, int(np.argmax(twice))].astype(int)
        raise Refused(f"{name}: {KINDS[kind]} {number} comes twice at step {int(table[0, 0, 0])}")
    strange = (who != who[0]).any(axis=(1, 2))
    if strange.any():
        step = int(table[int(np.argmax(strange)), 0, 0])
        raise Refused(f"{name}: step {step} has other agents than step {int(table[0, 0, 0])}")


# HDF5, in the H5MD layout that boids writes.


def reason_h5(error):
    """What an exception of h5py says, on one line and without the name of a C function in front."""
    return " ".join(str(error.args[-1] if error.args else error).split())


def read_hdf5(path, needs_velocity=True):
    """Trajectory of an HDF5 file; also of NAME.h5.part, stopped or still growing."""
    # A running simulation holds a lock on its file; reading frames it has flushed does no harm.
    os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")
    import h5py
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise Refused(f"{path}: cannot be opened as HDF5: {reason_h5(error)}") from None
    try:
        return hdf5_trajectory(h5py, path, file, needs_velocity)
    except (OSError, RuntimeError) as error:
        raise Refused(f"{path}: {reason_h5(error)}") from None


def hdf5_trajectory(h5py, path, file, needs_velocity):
    """Hdf5Trajectory of an open file. A frame counts where its step is >= 0: that is written last."""
    def dataset(where, dimensions):
        found = file.get(where)
        if not isinstance(found, h5py.Dataset):
            raise Refused(f"{path}: not a trajectory of boids: it has no dataset /{where}")
        if found.ndim != dimensions or found.dtype.kind not in "iuf":
            raise Refused(f"{path}: /{where} is {found.dtype} {list(found.shape)}; "
                          f"{dimensions} dimensions of numbers were expected")
        return found

    field = file["parameters"].attrs.get("fields") if "parameters" in file else None
    if field is not None and needs_velocity:
        raise Refused(LACKS_FIELDS.format(path, field.decode()))
    if field == b"velocity":
        raise Refused(f"{path}: it holds no positions, as output.fields asked; fly it again with them")
    parts = ("position", "velocity") if field is None else ("position",)
    step = dataset("particles/boids/position/step", 1)
    groups, orders, frames = {}, {}, step.shape[0]
    for kind in KINDS:
        group = f"particles/{kind}s"
        if kind == "predator" and group not in file:
            orders[kind] = np.empty(0, int)
            continue
        groups[kind] = tuple(dataset(f"{group}/{part}/value", 3) for part in parts)
        shapes = [part.shape[1:] for part in groups[kind]]
        if shapes[0] != shapes[-1] or shapes[0][1] < 2:
            raise Refused(f"{path}: positions and velocities of /{group} do not fit: "
                          f"{shapes[0]} and {shapes[-1]}")
        frames = min(frames, *(part.shape[0] for part in groups[kind]))
        ids = dataset(f"{group}/id", 1)[:] if f"{group}/id" in file else np.arange(shapes[0][0])
        if len(ids) != shapes[0][0]:
            raise Refused(f"{path}: /{group} has {len(ids)} ids for {shapes[0][0]} positions")
        orders[kind] = np.argsort(ids, kind="stable")
    steps = step[:frames].astype(np.int64)
    rows = np.flatnonzero(steps >= 0)
    if not rows.size:
        raise Refused(f"{path}: it holds no whole frame" + (" yet" if path.endswith(".part") else ""))
    return Hdf5Trajectory(path, steps[rows], rows, groups, orders, hdf5_world(h5py, path, file))


def hdf5_world(h5py, path, file):
    """World from the configuration in the file, else from its box, else None."""
    config = file.get("parameters/config")
    if isinstance(config, h5py.Dataset):
        text = config[()]
        try:
            return world_of(json.loads(text), f"{path}: /parameters/config")
        except (TypeError, ValueError):
            raise Refused(f"{path}: /parameters/config is not JSON") from None
    edges = file.get("particles/boids/box/edges")
    if isinstance(edges, h5py.Group):
        edges = edges.get("value")
    if edges is None:
        return None
    edges = np.asarray(edges[()], float)
    edges = edges[0] if edges.ndim == 3 else edges  # [T, d, d], the box of each frame
    edges = np.diagonal(edges) if edges.ndim == 2 else edges
    if edges.size < 2:
        return None
    return World(*(positive(float(edge), f"{path}: a box edge") for edge in edges[:2]))
