#!/usr/bin/env python3
"""Draw a trajectory of boids: a window, a film, a picture or a contact sheet.

How the file is laid out, in the order in which data flow through it:

    world     the box, its margin and the sense of the y axis, from a configuration
    readers   CSV and HDF5 into one small interface: steps, counts, frame(kind, k)
    looks     colours and shapes; numpy in, numpy out, no matplotlib
    scene     a Page holds a header and one Panel, or several (a contact sheet)
    writers   what leaves: window, mp4, gif, one picture
    command   options in, exit status out

A frame is an array [n, 4] of x, y (world units) and vx, vy (world units per step), rows by id. k counts the
frames of the file from 0; a step is the number that the simulation gave that frame.

Exit status: 0 done, 1 it failed while working, 2 the input or the command line was refused, 130 interrupted.
"""

import argparse
import contextlib
import csv
import json
import logging
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the slow imports quietly; see main()

MISSING = None
try:
    import numpy as np
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
    from matplotlib.collections import PathCollection, PolyCollection
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.patches import Rectangle
    from matplotlib.path import Path
except ImportError as error:
    MISSING = error  # said in main(), so that --help still works

STDIN = "standard input"
KINDS = ("boid", "predator")
COLUMNS = ("step", "type", "id", "x", "y", "vx", "vy")  # what drawing needs of a CSV; `time` is not in it
PICTURES = (".png", ".svg", ".pdf")
FILMS = (".mp4", ".gif")
DOTS_ABOVE = 2000  # boids; more triangles than that are slow and too small to be read as triangles
TRAIL_SEGMENTS = 20000  # a default trail stays below this many pieces, about 0.1 s of drawing
DEBIAN = {"numpy": "python3-numpy", "matplotlib": "python3-matplotlib", "h5py": "python3-h5py",
          "PIL": "python3-pil"}


class Refused(Exception):
    """The input or the command line cannot be used; one sentence, exit status 2."""


class Failed(Exception):
    """Work that had begun could not be finished; one sentence, exit status 1."""


def note(sentence):
    """A line on standard error that does not stop the work."""
    print(f"plot.py: {sentence}", file=sys.stderr)


def reason(error):
    """The short text of an OSError, on one line."""
    return " ".join(str(error.strerror or error).split())


# ------------------------------------------------------------------------------------------------------------
# World


@dataclass
class World:
    """What a configuration says about the picture. Lengths in world units, from (0, 0) to (width, height)."""

    width: float
    height: float
    border: str = ""
    margin: tuple = (0.0, 0.0, 0.0, 0.0)  # left, right, low y, high y
    y_axis: str = "up"
    title: str = ""


def positive(value, what):
    """`value` as a float above 0; anything else is refused under the name `what`."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (is_number and math.isfinite(value) and value > 0):
        raise Refused(f"{what} is {json.dumps(value)}; it must be a number above 0")
    return float(value)


def margin_of(value, where):
    """Margin widths (left, right, low y, high y) from a number or an object of left, right, top and bottom.

    `top` is the side of small y and `bottom` that of large y, as on a screen, whichever way y_axis points:
    that is how the rule reads it (y < top pushes up in y), and a drawing that swapped them would show a
    margin nobody flies in.
    """
    sides = ("left", "right", "top", "bottom")
    values = [value.get(side, 0) for side in sides] if isinstance(value, dict) else [value] * 4
    for number in values:
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number < math.inf:
            raise Refused(f"{where}: world.margin is {json.dumps(value)}; it must be a number or an object "
                          "of left, right, top and bottom")
    return tuple(float(number) for number in values)


def world_of(config, where):
    """World from a configuration, resolved or with keys left out. `where` begins each complaint."""
    if not isinstance(config, dict):
        raise Refused(f"{where}: the configuration is not a JSON object")
    keys = config.get("world", {})
    if not isinstance(keys, dict):
        raise Refused(f"{where}: world is {json.dumps(keys)}; it must be an object")
    y_axis = keys.get("y_axis", "up")
    if y_axis not in ("up", "down"):
        raise Refused(f"{where}: world.y_axis is {json.dumps(y_axis)}; it must be up or down")
    return World(width=positive(keys.get("width", 640), f"{where}: world.width"),
                 height=positive(keys.get("height", 480), f"{where}: world.height"),
                 border=str(keys.get("border", "bounce")),
                 margin=margin_of(keys.get("margin", 100), where),
                 y_axis=y_axis,
                 title=str(config.get("title", "")))


def read_config(path):
    """World from a configuration file."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            config = json.load(file)
    except OSError as error:
        raise Refused(f"{path}: {reason(error)}") from None
    except UnicodeDecodeError:
        raise Refused(f"{path}: not a JSON configuration: it is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise Refused(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    return world_of(config, path)


# ------------------------------------------------------------------------------------------------------------
# Readers. Each gives: name, steps int64 [T], counts {kind: n}, world (World or None), frame(kind, k).


class TableTrajectory:
    """Frames held in memory."""

    def __init__(self, name, steps, agents):
        self.name = name
        self.steps = steps  # int64 [T]
        self.agents = agents  # {kind: float64 [T, n, 4]}
        self.counts = {kind: array.shape[1] for kind, array in agents.items()}
        self.world = None

    def frame(self, kind, k):
        """x, y, vx, vy, float64 [n, 4], of frame k."""
        return self.agents[kind][k]


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


def read_trajectory(path):
    """The trajectory in the file `path`, or on standard input for `-`. The first bytes tell the format."""
    if path == "-":
        data = sys.stdin.buffer.read()
        if data.startswith(b"\x89HDF"):
            raise Refused(f"{STDIN}: HDF5 cannot be read from a pipe; give the name of the file")
        return read_csv(STDIN, data)
    try:
        with open(path, "rb") as file:
            is_hdf5 = file.read(8) == b"\x89HDF\r\n\x1a\n"
            if not is_hdf5 and re.search(r"\.(h5|hdf5)(\.part)?$", path, re.IGNORECASE):
                raise Refused(f"{path}: not an HDF5 file, whatever its name says")
            if not is_hdf5:
                file.seek(0)
                return read_csv(path, file.read())
    except OSError as error:
        raise Refused(f"{path}: {reason(error)}") from None
    return read_hdf5(path)


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
    body = body.replace(b'"', b"")
    rows, width = body.count(b"\n"), len(header)
    if body.count(b"boid") + body.count(b"predator") != rows:
        return None
    marks = np.frombuffer(body, np.uint8)
    commas, newlines = np.flatnonzero(marks == ord(",")), np.flatnonzero(marks == ord("\n"))
    if not np.array_equal(np.searchsorted(commas, newlines), np.arange(1, rows + 1) * (width - 1)):
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
    is_whole = (np.isfinite(whole) & (whole == np.floor(whole))).all()
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
            values.append(float(cell))
        except ValueError:
            wrong = f"{column} is {cell!r}, not a number" if cell else f"{column} is empty"
            raise ValueError(wrong) from None
        if column in ("step", "id") and not values[-1].is_integer():
            raise ValueError(f"{column} is {cell}, not a whole number")
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


def read_hdf5(path):
    """Trajectory of an HDF5 file; also of NAME.h5.part, stopped or still growing."""
    # A running simulation holds a lock on its file; reading frames it has flushed does no harm.
    os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")
    import h5py
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise Refused(f"{path}: cannot be opened as HDF5: {reason_h5(error)}") from None
    try:
        return hdf5_trajectory(h5py, path, file)
    except (OSError, RuntimeError) as error:
        raise Refused(f"{path}: {reason_h5(error)}") from None


def hdf5_trajectory(h5py, path, file):
    """Hdf5Trajectory of an open file. A frame counts where its step is >= 0: that is written last."""
    def dataset(where, dimensions):
        found = file.get(where)
        if not isinstance(found, h5py.Dataset):
            raise Refused(f"{path}: not a trajectory of boids: it has no dataset /{where}")
        if found.ndim != dimensions or found.dtype.kind not in "iuf":
            raise Refused(f"{path}: /{where} is {found.dtype} {list(found.shape)}; "
                          f"{dimensions} dimensions of numbers were expected")
        return found

    step = dataset("particles/boids/position/step", 1)
    groups, orders, frames = {}, {}, step.shape[0]
    for kind in KINDS:
        group = f"particles/{kind}s"
        if kind == "predator" and group not in file:
            orders[kind] = np.empty(0, int)
            continue
        groups[kind] = tuple(dataset(f"{group}/{part}/value", 3) for part in ("position", "velocity"))
        shapes = [part.shape[1:] for part in groups[kind]]
        if shapes[0] != shapes[1] or shapes[0][1] < 2:
            raise Refused(f"{path}: positions and velocities of /{group} do not fit: "
                          f"{shapes[0]} and {shapes[1]}")
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


# ------------------------------------------------------------------------------------------------------------
# Looks: colours, shapes, sizes. Arrays in, arrays out.

PAGE, FIELD, BOX, MARGIN = "#0b1018", "#0f1622", "#3d4c63", "#2c394c"
TEXT, MUTED = "#dbe3ee", "#7f8da3"
PREDATOR, PREDATOR_EDGE = "#ff4f45", "#ffe9e0"
# Headings: a ring in OKLab, evenly spaced, beginning at the right and turning as the angles do. Left and
# right differ in blue and yellow, up and down in lightness; red and green carry little, so the common kinds
# of colour blindness see four directions too. Nothing on it is dark: the background is.
RING = ("#98a9ff", "#98c9ff", "#a1e2ff", "#b3ecdf", "#c7e3aa", "#d4ca71",
        "#d3a946", "#c98a41", "#b9755b", "#ab6f81", "#a176ae", "#9b8bdb")
# Tip first, pointing along +x; about one unit long. The notch shows the direction of a small dart.
DART = ((0.60, 0.0), (-0.40, 0.34), (-0.22, 0.0), (-0.40, -0.34))
HAWK = ((0.70, 0.0), (0.10, 0.17), (-0.42, 0.56), (-0.24, 0.10),
        (-0.46, 0.0), (-0.24, -0.10), (-0.42, -0.56), (0.10, -0.17))


def rgb(color):
    """float [3] in 0..1 from #rrggbb."""
    return np.array([int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)])


def ring_colors(angle):
    """float [..., 3] sRGB of headings on the screen, radians [...], counter-clockwise from the right."""
    anchors = np.array([rgb(color) for color in RING + RING[:1]])
    at = np.mod(angle, 2 * np.pi) / (2 * np.pi) * len(RING)
    low = np.minimum(at.astype(int), len(RING) - 1)
    part = (at - low)[..., None]
    return anchors[low] * (1 - part) + anchors[low + 1] * part


def shapes_along(agents, shape, length):
    """Vertices float [n, m, 2] in world units: `shape` [m, 2], scaled by `length`, along each velocity.

    agents [n, 4]; none of them at rest. Turning happens in world coordinates, so an axis turned upside down
    turns the shapes with the paths, and they point where the boids fly on the screen.
    """
    ahead = agents[:, 2:] / np.hypot(agents[:, 2], agents[:, 3])[:, None]
    aside = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    shape = np.asarray(shape) * length
    return agents[:, None, :2] + shape[None, :, :1] * ahead[:, None] + shape[None, :, 1:] * aside[:, None]


def trail_pieces(positions, extent):
    """Pieces of trail (segments float [m, 2, 2], age int [m]) from positions [K + 1, n, 2], oldest first.

    Age 0 is the newest. A piece longer than half the world (extent, [2]) is a jump across the seam and is
    left out, as is one with an end that is not finite.
    """
    segments = np.stack([positions[:-1], positions[1:]], axis=2)
    with np.errstate(invalid="ignore"):
        jump = np.abs(segments[:, :, 1] - segments[:, :, 0])
        keep = np.isfinite(jump).all(axis=2) & (jump <= np.asarray(extent) / 2).all(axis=2)
    age = np.broadcast_to(np.arange(len(segments))[::-1, None], keep.shape)
    return segments[keep], age[keep]


def bins_of(angle, bins):
    """Which of `bins` sectors of the circle each angle lies in, int [...]."""
    return np.mod(np.rint(angle / (2 * np.pi) * bins).astype(int), bins)


# ------------------------------------------------------------------------------------------------------------
# Scene. A Page is measured in pixels; one design pixel is `unit` real ones: the proportions stay.

PAD, HEADER, LABEL, GAP, WHEEL = 22, 66, 22, 16, 34


@dataclass
class Look:
    """What the command line decides about the picture."""

    title: str
    y_axis: str
    trail: int  # frames
    unit: float = 1.0  # real pixels per design pixel


def view_of(trajectory, world):
    """(low [2], high [2]) world units: what the panel shows.

    Boids fly out of an open world, and some way out of a bouncing one when a predator chases them. The view
    follows the bulk of them, within bounds, lest a few runaways shrink the flock to a point. Sixty frames
    stand for all.
    """
    if world:
        size = np.array([world.width, world.height])
        beyond = {"open": 1.0, "bounce": 0.08}.get(world.border, 0.0)
        band = 0.015 * size.max()  # so that the box is seen, and whole boids at the walls
        if beyond:
            low, high = spread_of(trajectory, 0.01)
            band += np.clip(max(*-low, *(high - size)), 0, beyond * size.max())
        return -np.full(2, band), size + band
    low, high = spread_of(trajectory, 0)
    middle, size = (low + high) / 2, high - low
    size = np.maximum(size, size.max() / 4)  # a file of one row of boids still gets a picture, not a line
    size = np.where(size > 0, size, 10.0)
    return middle - 0.54 * size, middle + 0.54 * size


def spread_of(trajectory, beyond):
    """(low [2], high [2]): what all positions lie within but for the share `beyond` on each side."""
    frames = np.unique(np.linspace(0, len(trajectory.steps) - 1, 60).round().astype(int))
    points = np.concatenate([trajectory.frame(kind, k)[:, :2] for k in frames for kind in KINDS])
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        raise Refused(f"{trajectory.name}: no agent has a finite position")
    return np.quantile(points, beyond, axis=0), np.quantile(points, 1 - beyond, axis=0)


def default_trail(trajectory, extent):
    """Frames of trail that cover a fifteenth of the world; 0 where frames lie too far apart for a trail."""
    n = trajectory.counts["boid"]
    if len(trajectory.steps) < 2 or not n:
        return 0
    k = len(trajectory.steps) // 2
    hop = np.hypot(*(trajectory.frame("boid", k)[:, :2] - trajectory.frame("boid", k - 1)[:, :2]).T)
    hop = np.median(hop[np.isfinite(hop)]) if np.isfinite(hop).any() else 0
    frames = int(min(24, np.mean(extent) / 15 / hop)) if hop > 0 else 0
    return min(frames, TRAIL_SEGMENTS // n)


class Panel:
    """One view of the flock: axes, the still things in them, and the artists that move."""

    HUES = 16  # sectors of heading in a trail, where a finer grading is not seen

    def __init__(self, figure, rectangle, trajectory, world, view, look):
        """rectangle: left, bottom, width, height, in fractions of the figure. view: that of view_of()."""
        self.trajectory, self.look = trajectory, look
        self.low, self.high = view
        self.extent = np.array([world.width, world.height]) if world else self.high - self.low
        self.upward = -1 if look.y_axis == "down" else 1
        self.axes = figure.add_axes(rectangle)
        self.axes.set_axis_off()
        self.axes.set_aspect("equal")
        self.axes.set_xlim(self.low[0], self.high[0])
        self.axes.set_ylim(self.low[1], self.high[1])
        if look.y_axis == "down":
            self.axes.invert_yaxis()
        width = figure.get_figwidth() * figure.dpi * rectangle[2]  # pixels
        self.per_pixel = (self.high[0] - self.low[0]) / width  # world units
        self.side = math.sqrt(np.prod(self.high - self.low)) / self.per_pixel  # pixels
        self.points = 72 / figure.dpi  # per pixel
        self.add_world(world)
        self.add_agents()
        self.cache = {}

    def add_world(self, world):
        """The field, the box, and the margin where there is a border that heeds it."""
        if world is None:
            size = self.high - self.low
            self.axes.add_patch(Rectangle(self.low, *size, facecolor=FIELD, edgecolor="none", zorder=0))
            return
        unit = self.look.unit * self.points
        self.axes.add_patch(Rectangle((0, 0), world.width, world.height, facecolor=FIELD, edgecolor=BOX,
                                      linewidth=1.1 * unit, zorder=0))
        left, right, low, high = world.margin
        if world.border != "bounce" or not any(world.margin):
            return
        style = dict(color=MARGIN, linewidth=1.0 * unit, linestyle=(0, (5, 4)), zorder=1)
        if left + right < world.width and low + high < world.height:
            self.axes.add_patch(Rectangle((left, low), world.width - left - right, world.height - low - high,
                                          fill=False, **style))
            return
        # Margins that meet leave no inner box; each side is then a line of its own.
        for x in (left, world.width - right):
            self.axes.plot([x, x], [0, world.height], **style)
        for y in (low, world.height - high):
            self.axes.plot([0, world.width], [y, y], **style)

    def add_agents(self):
        """The moving artists, empty as yet. Lengths of agents follow the panel and how crowded it is."""
        n = max(1, self.trajectory.counts["boid"])
        self.is_dots = n > DOTS_ABOVE
        self.length = self.side * float(np.clip(0.33 / math.sqrt(n), 0.0085, 0.021)) * self.per_pixel
        self.predator_length = max(1.9 * self.length, 0.026 * self.side * self.per_pixel)  # world units, both
        dot = self.side * float(np.clip(0.20 / math.sqrt(n), 0.0016, 0.004))  # pixels
        rest = self.side * float(np.clip(0.12 / math.sqrt(n), 0.0016, 0.006))

        add = self.axes.add_collection
        dots = dict(linewidths=0, zorder=3, animated=True)
        self.trails = add(PathCollection([], facecolors="none", capstyle="butt", zorder=2, animated=True,
                                         transform=self.axes.transData), autolim=False)
        self.dots = self.axes.scatter([], [], s=(dot * self.points) ** 2, **dots)
        self.resting = self.axes.scatter([], [], s=(rest * self.points) ** 2, color=MUTED, **dots)
        self.boids = add(PolyCollection([], linewidths=0, zorder=4, animated=True), autolim=False)
        self.predators = add(PolyCollection([], facecolors=PREDATOR, edgecolors=PREDATOR_EDGE,
                                            linewidths=1.1 * self.look.unit * self.points, joinstyle="miter",
                                            zorder=5, animated=True), autolim=False)
        self.moving = [self.trails, self.dots, self.resting, self.boids, self.predators]
        self.style_trails()

    def style_trails(self):
        """A path per age and sector of heading, and per age for predators; older is thinner and fainter."""
        if not self.look.trail:
            return
        fade = 1 - np.arange(self.look.trail) / self.look.trail  # 1 for the newest
        hues = ring_colors(np.arange(self.HUES) * 2 * np.pi / self.HUES)
        hues = np.concatenate([hues, rgb(PREDATOR)[None]])
        colors = np.ones((len(fade), len(hues), 4))
        colors[:, :, :3] = hues
        colors[:, :, 3] = 0.42 * fade[:, None] ** 1.6
        colors[:, -1, 3] = 0.75 * fade ** 1.6
        self.trails.set_edgecolors(colors.reshape(-1, 4))
        widths = (0.6 + 0.9 * fade)[:, None] * np.append(np.ones(self.HUES), 2.0)
        thickness = self.look.unit * self.points * (0.7 if self.is_dots else 1.0)
        self.trails.set_linewidths(widths.ravel() * thickness)

    def agents_at(self, kind, k):
        """trajectory.frame(kind, k), remembered while a trail still needs it."""
        if (kind, k) not in self.cache:
            self.cache = {key: agents for key, agents in self.cache.items()
                          if 0 <= k - key[1] <= self.look.trail}
            self.cache[kind, k] = self.trajectory.frame(kind, k)
        return self.cache[kind, k]

    def show(self, k):
        """Set every moving artist to frame k."""
        agents = self.agents_at("boid", k)
        agents = agents[np.isfinite(agents).all(axis=1)]
        is_moving = (agents[:, 2:] != 0).any(axis=1)
        self.resting.set_offsets(agents[~is_moving, :2])
        agents = agents[is_moving]
        colors = ring_colors(np.arctan2(self.upward * agents[:, 3], agents[:, 2]))
        if self.is_dots:
            self.dots.set_offsets(agents[:, :2])
            self.dots.set_facecolors(colors)
        else:
            self.boids.set_verts(shapes_along(agents, DART, self.length))
            self.boids.set_facecolors(colors)
        hunters = self.agents_at("predator", k)
        hunters = hunters[np.isfinite(hunters).all(axis=1)].copy()
        hunters[(hunters[:, 2:] == 0).all(axis=1), 2] = 1.0  # a predator at rest has to point somewhere
        self.predators.set_verts(shapes_along(hunters, HAWK, self.predator_length))
        if self.look.trail:
            self.show_trails(k)
        # An empty collection still costs milliseconds to draw.
        for artist, n in ((self.resting, np.sum(~is_moving)), (self.dots, len(agents) * self.is_dots),
                          (self.boids, len(agents) * (not self.is_dots)), (self.predators, len(hunters))):
            artist.set_visible(n > 0)

    def show_trails(self, k):
        """Sort the pieces of trail behind frame k into the paths that style_trails() coloured."""
        paths = [Path(np.empty((0, 2)))] * (self.look.trail * (self.HUES + 1))
        frames = range(max(0, k - self.look.trail), k + 1)
        for kind in KINDS:
            if len(frames) < 2 or not self.trajectory.counts[kind]:
                continue
            positions = np.stack([self.agents_at(kind, frame)[:, :2] for frame in frames])
            segments, age = trail_pieces(positions, self.extent)
            along = segments[:, 1] - segments[:, 0]
            hue = bins_of(np.arctan2(self.upward * along[:, 1], along[:, 0]), self.HUES)
            slot = age * (self.HUES + 1) + (hue if kind == "boid" else self.HUES)
            order = np.argsort(slot, kind="stable")
            ends = np.searchsorted(slot[order], np.arange(len(paths) + 1))
            strokes = np.tile(np.array([Path.MOVETO, Path.LINETO], np.uint8), len(segments))
            for s in np.flatnonzero(np.diff(ends)):
                points = segments[order[ends[s]:ends[s + 1]]].reshape(-1, 2)
                paths[s] = Path(points, strokes[:len(points)])
        self.trails.set_paths(paths)


class Page:
    """A figure with a header and one panel, or rows x columns of them. Everything is placed in pixels."""

    def __init__(self, trajectory, world, look, size, grid=None, make_figure=None):
        """size: (width, height) pixels, or None. grid: (rows, columns) of a contact sheet, or None.

        make_figure(figsize, dpi) makes the figure where it is not to be drawn by Agg: a window makes its own.
        """
        self.trajectory, self.look, self.grid = trajectory, look, grid
        view = view_of(trajectory, world)
        aspect = (view[1] - view[0])[0] / (view[1] - view[0])[1]
        self.width, self.height = size or self.fitting_size(aspect)
        dpi = 100 * look.unit
        # The hundredth of a pixel keeps a rounding error from costing a whole one.
        inches = ((self.width + 0.01) / dpi, (self.height + 0.01) / dpi)
        self.figure = (make_figure or self.agg_figure)(inches, dpi)
        self.figure.set_facecolor(PAGE)
        self.ruler = RendererAgg(8, 8, 100)  # measures texts, whatever draws the figure
        self.sheet = self.figure.add_axes((0, 0, 1, 1))
        self.sheet.set_axis_off()
        self.sheet.set_xlim(0, self.width)
        self.sheet.set_ylim(0, self.height)
        self.panels, self.labels = [], []
        for left, bottom, width, height in self.cells(aspect):
            rectangle = (left / self.width, bottom / self.height, width / self.width, height / self.height)
            self.panels.append(Panel(self.figure, rectangle, trajectory, world, view, look))
            if grid:
                above = bottom + height + 5 * look.unit
                self.labels.append(self.write(left, above, "", 9.5, MUTED, va="bottom"))
        self.add_header()

    @staticmethod
    def agg_figure(figsize, dpi):
        """A figure drawn by Agg, without pyplot and whatever backend the user has."""
        figure = Figure(figsize=figsize, dpi=dpi)
        FigureCanvasAgg(figure)
        return figure

    def fitting_size(self, aspect):
        """(width, height) in pixels, both even, of a page whose panels are of a pleasant size."""
        rows, columns = self.grid or (1, 1)
        side = 840 if not self.grid else max(260, 1500 / math.sqrt(rows * columns))
        width = min(side * math.sqrt(aspect), 1500)
        height = min(width / aspect, 1000)
        width = max(height * aspect, 400)
        width = columns * width + (columns - 1) * GAP + 2 * PAD
        height = rows * (max(height, 120) + self.label_height()) + (rows - 1) * GAP + HEADER + PAD
        return tuple(2 * math.ceil(number * self.look.unit / 2) for number in (width, height))

    def label_height(self):
        """Design pixels above a panel for its step."""
        return LABEL if self.grid else 0

    def cells(self, aspect):
        """(left, bottom, width, height) of each panel in pixels, by rows from the top, as large as fits."""
        rows, columns = self.grid or (1, 1)
        unit, label = self.look.unit, self.label_height()
        free_width = (self.width / unit - 2 * PAD - (columns - 1) * GAP) / columns
        free_height = (self.height / unit - HEADER - PAD - (rows - 1) * GAP) / rows - label
        if free_width < 20 or free_height < 20:
            raise Refused(f"--size {self.width}x{self.height} is too small for {rows} x {columns} panels")
        width = min(free_width, free_height * aspect)
        height = width / aspect
        for row in range(rows):
            for column in range(columns):
                left = PAD + column * (free_width + GAP) + (free_width - width) / 2
                top = HEADER + row * (free_height + label + GAP) + label + (free_height - height) / 2
                yield tuple(unit * x for x in (left, self.height / unit - top - height, width, height))

    def write(self, x, y, text, points, color, **how):
        """A text at (x, y) pixels. `points` at 100 dpi. A dollar sign does not start a formula."""
        return self.sheet.text(x, y, text.replace("$", r"\$"), fontsize=points, color=color, **how)

    def text_width(self, text, points):
        """Pixels that `text` takes."""
        font = FontProperties(size=points)
        return self.ruler.get_text_width_height_descent(text, font, ismath=False)[0] * self.look.unit

    def shortened(self, text, points, room):
        """`text`, cut with an ellipsis where it would take more than `room` pixels."""
        text = " ".join(text.split())
        if self.text_width(text, points) <= room:
            return text
        fits, too_long = 0, len(text)  # letters
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            if self.text_width(text[:middle] + "\u2026", points) <= room:
                fits = middle
            else:
                too_long = middle
        return text[:fits].rstrip() + "\u2026" if fits else ""

    def add_header(self):
        """Title and counts at the left, step and the wheel of headings at the right, all above the panels."""
        unit, steps, grid = self.look.unit, self.trajectory.steps, self.grid
        left, right = PAD * unit, self.width - PAD * unit
        upper, lower = self.height - 30 * unit, self.height - 49 * unit  # baselines
        self.add_wheel(right - WHEEL / 2 * unit, self.height - (HEADER / 2 + 1) * unit)
        right -= (WHEEL + 12) * unit
        self.write(right, lower, "heading", 9.5, MUTED, ha="right")
        widest = f"steps {min(steps)} to {max(steps)}" if grid else f"step {max(steps)}"
        self.counter = self.write(right, upper, widest if grid else "", 12, TEXT, ha="right")

        room = right - left - 24 * unit
        beside_steps, beside_key = room - self.text_width(widest, 12), room - self.text_width("heading", 9.5)
        counts = ", ".join(f"{n} {kind}{'s' * (n != 1)}" for kind, n in self.trajectory.counts.items()
                           if n or kind == "boid")
        if self.look.title.strip():
            self.write(left, upper, self.shortened(self.look.title, 13.5, beside_steps), 13.5, TEXT)
            self.write(left, lower, self.shortened(counts, 9.5, beside_key), 9.5, MUTED)
        else:
            self.write(left, upper, self.shortened(counts, 12, beside_steps), 12, TEXT)

        self.moving = [artist for panel in self.panels for artist in panel.moving]
        if not grid:
            self.counter.set_animated(True)
            self.moving.append(self.counter)

    def add_wheel(self, x, y):
        """The key to the colours: a ring about (x, y), coloured by direction from its centre."""
        turn = np.linspace(0, 2 * np.pi, 73)
        rim = np.stack([np.cos(turn), np.sin(turn)], axis=1) * self.look.unit * WHEEL / 2
        wedges = np.stack([rim[:-1], rim[1:], 0.56 * rim[1:], 0.56 * rim[:-1]], axis=1) + (x, y)
        colors = ring_colors((turn[:-1] + turn[1:]) / 2)
        # Edges of the same colour close the hairlines between wedges.
        ring = PolyCollection(wedges, facecolors=colors, edgecolors=colors, linewidths=0.4)
        self.sheet.add_collection(ring, autolim=False)

    def show(self, frames):
        """Set the panels to these frames, one index per panel; panels without one stay empty."""
        for panel, k in zip(self.panels, frames):
            panel.show(k)
        for label, k in zip(self.labels, frames):
            label.set_text(f"step {self.trajectory.steps[k]}")
        if not self.grid:
            self.counter.set_text(f"step {self.trajectory.steps[frames[0]]}")

    def images(self, frames):
        """For each index in `frames` the page as RGBA, uint8 [height, width, 4], valid until the next one.

        The still parts are drawn once and put back before each frame, which is faster than drawing all.
        """
        canvas = self.figure.canvas
        canvas.draw()
        still = canvas.copy_from_bbox(self.figure.bbox)
        renderer = canvas.get_renderer()
        for k in frames:
            canvas.restore_region(still)
            self.show([k])
            for artist in self.moving:
                artist.draw(renderer)
            yield np.asarray(canvas.buffer_rgba())


# ------------------------------------------------------------------------------------------------------------
# Writers


class Progress:
    """A bar on standard error while rendering, where someone is looking."""

    def __init__(self, total, is_quiet):
        self.total, self.started, self.last = total, time.monotonic(), 0.0
        self.is_shown = sys.stderr.isatty() and not is_quiet

    def each(self, items):
        """`items`, one by one, moving the bar; the line is wiped at the end, however it comes."""
        try:
            for done, item in enumerate(items):
                self.draw(done)
                yield item
        finally:
            if self.is_shown:
                print("\r\033[K", end="", file=sys.stderr, flush=True)

    def draw(self, done):
        now = time.monotonic()
        if not self.is_shown or now - self.last < 0.1:
            return
        self.last = now
        filled = round(24 * done / self.total)
        left = (now - self.started) / done * (self.total - done) if done else 0
        eta = f"  {math.ceil(left)} s left" if done else ""
        print(f"\r  [{'#' * filled}{'.' * (24 - filled)}] frame {done} of {self.total}{eta}\033[K", end="",
              file=sys.stderr, flush=True)


@contextlib.contextmanager
def finished_only(path):
    """The name to write under; it becomes `path` when all went well and vanishes otherwise."""
    final = os.path.realpath(path)  # where `path` is a symbolic link, the link stays
    stem, ending = os.path.splitext(final)
    part = f"{stem}.part{ending}"
    try:
        open(part, "wb").close()  # what cannot be written is better known before the rendering than after
        yield part
        os.replace(part, final)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(part)
        raise


def save_picture(page, path, frames):
    """The page as .png, .svg or .pdf; the same bytes from the same input."""
    kind = os.path.splitext(path)[1][1:].lower()
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    page.show(frames)
    with finished_only(path) as part:
        page.figure.savefig(part, format=kind, dpi=page.figure.dpi, metadata=metadata)


def save_mp4(page, path, frames, fps, progress):
    """A film by way of ffmpeg, which gets raw pixels through a pipe.

    Colours are converted and marked as BT.709, lest players guess a matrix from the height of the picture.
    """
    with finished_only(path) as part, tempfile.TemporaryFile() as log:
        raw = ["-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{page.width}x{page.height}", "-r", f"{fps:g}"]
        color = ["-vf", "scale=out_color_matrix=bt709", "-pix_fmt", "yuv420p", "-colorspace", "bt709",
                 "-color_primaries", "bt709", "-color_trc", "bt709"]
        command = ["ffmpeg", "-v", "error", "-y", *raw, "-i", "pipe:0", "-an", *color, "-crf", "18",
                   "-movflags", "+faststart", "-f", "mp4", part]
        # In a session of its own, Ctrl-C reaches ffmpeg through us, after we have decided what to do.
        ffmpeg = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log,
                                  start_new_session=True)
        try:
            with contextlib.suppress(BrokenPipeError):
                for image in progress.each(page.images(frames)):
                    ffmpeg.stdin.write(image)
                ffmpeg.stdin.close()
            status = ffmpeg.wait()
        finally:
            if ffmpeg.poll() is None:
                ffmpeg.kill()
                ffmpeg.wait()
            with contextlib.suppress(BrokenPipeError):
                ffmpeg.stdin.close()
        if status:
            log.seek(0)
            said = log.read().decode(errors="replace").strip().splitlines() or ["it did not say why"]
            raise Failed(f"{path}: ffmpeg stopped with status {status}: {said[-1].strip()}")


def gif_palette():
    """uint8 [256, 3]: the colours that a page is made of. One palette for all frames: no flicker."""
    def blends(color, base, parts):
        return [rgb(base) * (1 - part) + color * part for part in parts]
    colors = [rgb(color) for color in (PAGE, FIELD, BOX, MARGIN)]
    for color in (rgb(TEXT), rgb(MUTED), rgb(PREDATOR_EDGE)):
        colors += blends(color, PAGE, np.linspace(0.2, 1, 5))
    colors += blends(rgb(PREDATOR), FIELD, np.linspace(0.1, 1, 9))
    for part, hues in ((1, 64), (0.75, 36), (0.5, 36), (0.33, 36), (0.22, 24), (0.12, 20), (0.05, 12)):
        ring = ring_colors(np.arange(hues) * 2 * np.pi / hues)
        colors += list(rgb(FIELD) * (1 - part) + ring * part)
    assert len(colors) == 256
    return (np.array(colors) * 255).round().astype(np.uint8)


def save_gif(page, path, frames, fps, progress):
    """An animated GIF. Its clock ticks in hundredths of a second; frames take turns to keep the mean rate."""
    from PIL import Image
    palette = Image.new("P", (1, 1))
    palette.putpalette(gif_palette().tobytes())

    def pages():
        for image in progress.each(page.images(frames)):
            yield Image.fromarray(image[:, :, :3]).quantize(palette=palette, dither=Image.Dither.NONE)

    ticks = np.diff(np.rint(100 * np.arange(len(frames) + 1) / fps)).astype(int)
    lasting = [int(10 * max(2, tick)) for tick in ticks]  # milliseconds; viewers slow down what is below 20
    with finished_only(path) as part:
        images = pages()
        first = next(images)
        first.save(part, format="GIF", save_all=True, append_images=images, duration=lasting, loop=0,
                   optimize=False)


def has_display():
    """Whether a window could open. Only X11 and Wayland can be told from outside."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_window():
    """pyplot with a backend that has windows, or Refused."""
    sentence = "no display to open a window on; --save flock.mp4 writes a film, --save flock.png a picture"
    if not has_display():
        raise Refused(sentence)
    try:
        import matplotlib.pyplot as pyplot
        canvas = pyplot.figure().canvas  # this is what picks the backend
        pyplot.close("all")
    except Exception as error:  # whatever the toolkits raise
        raise Refused(f"{sentence} ({' '.join(str(error).split())})") from None
    if canvas.required_interactive_framework is None:
        raise Refused(f"{sentence} (matplotlib found no window toolkit; on Debian: python3-tk)")
    return pyplot


def show_window(pyplot, make_page, name, frames, fps):
    """Play the frames in a window, over and over, until it is closed. Space stops and goes on."""
    from matplotlib.animation import FuncAnimation
    page = make_page(lambda figsize, dpi: pyplot.figure(figsize=figsize, dpi=dpi))
    page.figure.canvas.manager.set_window_title(name)

    def update(k):
        page.show([k])
        return page.moving

    film = FuncAnimation(page.figure, update, frames=frames, interval=1000 / fps, blit=True,
                         cache_frame_data=False)
    is_paused = False

    def on_key(event):
        nonlocal is_paused
        if event.key == " ":
            is_paused = not is_paused
            (film.pause if is_paused else film.resume)()

    page.figure.canvas.mpl_connect("key_press_event", on_key)
    # Toolkits swallow exceptions in their callbacks, KeyboardInterrupt too. Here is nothing to clean up.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    pyplot.show()


# ------------------------------------------------------------------------------------------------------------
# Command

EXAMPLE = """Example:
  boids --config configs/adams.json --steps 300 | plot.py --save flock.mp4

Draw a trajectory of boids: as an animation in a window (space stops it, q closes it) or, with --save, in a
file.

"""


class Parser(argparse.ArgumentParser):
    """argparse whose help begins with an example and whose refusals are one sentence."""

    def format_help(self):
        return EXAMPLE + super().format_help()

    def error(self, message):
        raise Refused(f"{message} (plot.py --help tells more)")


def number(kind, low, high=math.inf):
    """A converter for argparse: a finite `kind` (int or float) within [low, high]."""
    def convert(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not (low <= value <= high and math.isfinite(value)):
            word = "a whole number" if kind is int else "a number"
            span = f"of at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
            raise argparse.ArgumentTypeError(f"{text!r} is not {word} {span}")
        return value
    return convert


def pair(low, high):
    """A converter for argparse: AxB with both whole numbers within [low, high]."""
    def convert(text):
        match = re.fullmatch(r"(\d+)x(\d+)", text)
        values = tuple(map(int, match.groups())) if match else ()
        if not match or min(values) < low or max(values) > high:
            raise argparse.ArgumentTypeError(f"{text!r} is not two whole numbers from {low} to {high}, "
                                             "joined by an x")
        return values
    return convert


def parse_options(arguments):
    """The options, each checked alone and with the others, before any input is read."""
    parser = Parser(prog="plot.py", allow_abbrev=False, usage="plot.py [options] [FILE]",
                    formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=22, width=96))
    add = parser.add_argument
    add("file", nargs="?", default="-", metavar="FILE",
        help=".h5, .h5.part or .csv; without it, or with -, CSV on standard input")
    add("--save", metavar="OUT",
        help=".mp4 or .gif: the animation; .png, .svg or .pdf: one frame, or a --sheet")
    add("--frame", type=int, metavar="K",
        help="the step to draw in a picture; -1 is the last frame, -2 the one before (default: the last)")
    add("--sheet", type=pair(1, 50), metavar="RxC",
        help="a contact sheet: R rows of C frames, evenly spaced in time")
    add("--every", type=number(int, 1), default=1, metavar="K", help="take every K-th frame of the file")
    add("--fps", type=number(float, 0.1, 1000), default=30, help="frames a second (default: 30)")
    add("--size", type=pair(160, 16000), metavar="WxH", help="pixels (default: what suits the world)")
    add("--trail", type=number(int, 0, 10000), metavar="K",
        help="frames of trail behind each boid; 0 is none (default: what covers a fifteenth of the world)")
    add("--config", metavar="FILE",
        help="the configuration of the run: gives a CSV its box, margin, y axis and title")
    add("--y", choices=("up", "down"), help="where y grows on the screen (default: world.y_axis)")
    add("--title", metavar="TEXT", help="(default: the title in the configuration)")
    add("-q", "--quiet", action="store_true", help="no progress bar")
    options = parser.parse_args(arguments)
    check_options(options)
    return options


def check_options(options):
    """Refuse what does not fit together. An .mp4 becomes a .gif here where there is no ffmpeg."""
    for name in ("frame", "sheet"):
        if getattr(options, name) is not None and not (options.save or "").lower().endswith(PICTURES):
            raise Refused(f"--{name} makes a picture; it needs --save with a name in {', '.join(PICTURES)}"
                          + (f", not {options.save}" if options.save else ""))
    if options.frame is not None and options.sheet:
        raise Refused("--frame is one frame and --sheet many; give one of them")
    if options.save:
        check_output(options)
    if options.file == "-" and sys.stdin.isatty():
        raise Refused("no FILE was given and standard input is a terminal; try plot.py flock.h5 "
                      "(plot.py --help tells more)")


def check_output(options):
    """Refuse a name for --save that cannot work."""
    ending = os.path.splitext(options.save)[1].lower()
    if ending not in PICTURES + FILMS:
        what = f"the ending {ending} is unknown" if ending else "the name has no ending"
        raise Refused(f"{options.save}: {what}; it must be one of {', '.join(FILMS + PICTURES)}")
    if ending == ".mp4" and not shutil.which("ffmpeg"):
        gif = options.save[:-4] + ".gif"
        note(f"{options.save}: there is no ffmpeg to write it (Debian package ffmpeg); writing {gif} instead")
        options.save, ending = gif, ".gif"
    if ending == ".mp4" and options.size and any(side % 2 for side in options.size):
        raise Refused("--size {}x{}: an .mp4 needs even numbers".format(*options.size))
    folder = os.path.dirname(options.save) or "."
    if not os.path.isdir(folder):
        raise Refused(f"{options.save}: there is no folder {folder}")
    if os.path.isdir(options.save):
        raise Refused(f"{options.save}: this is a folder")


def frame_index(trajectory, wanted):
    """Index of the frame that --frame names: a step, or a place from the end; None is the last frame."""
    steps = trajectory.steps
    if wanted is None:
        return len(steps) - 1
    if wanted < 0:
        if -wanted > len(steps):
            raise Refused(f"{trajectory.name}: there is no frame {wanted}; it has {len(steps)} "
                          f"frame{'s' * (len(steps) > 1)}")
        return len(steps) + wanted
    found = np.flatnonzero(steps == wanted)
    if not found.size:
        shown = [str(step) for step in steps]
        if len(shown) > 8:
            shown = shown[:4] + ["..."] + shown[-1:]
        raise Refused(f"{trajectory.name}: there is no step {wanted}; its steps are {', '.join(shown)}")
    return int(found[-1])


def make_look(options, trajectory, world):
    """Look from the options and, where they are silent, from the world."""
    size = options.size
    unit = float(np.clip(math.sqrt(size[0] * size[1]) / 850, 0.6, 8)) if size else 1.0
    if options.sheet and size:
        unit = max(0.6, unit / 1.6)
    if not size and options.save and options.save.lower().endswith(".gif"):
        unit = 0.7  # a GIF of full size is too big to be sent to anyone
    title = options.title if options.title is not None else world.title if world else ""
    extent = (world.width, world.height) if world else np.subtract(*view_of(trajectory, world)[::-1])
    trail = options.trail if options.trail is not None else default_trail(trajectory, extent)
    y_axis = options.y or (world.y_axis if world else "up")
    return Look(title=title, y_axis=y_axis, trail=min(trail, len(trajectory.steps) - 1), unit=unit)


def run(options):
    """Do what the options say."""
    pyplot = None if options.save else open_window()
    config = read_config(options.config) if options.config else None
    trajectory = read_trajectory(options.file)
    world = config or trajectory.world
    look = make_look(options, trajectory, world)
    frames = list(range(0, len(trajectory.steps), options.every))

    def make_page(make_figure=None):
        return Page(trajectory, world, look, options.size, options.sheet, make_figure)

    if pyplot:
        show_window(pyplot, make_page, f"boids: {trajectory.name}", frames, options.fps)
        return
    ending = os.path.splitext(options.save)[1].lower()
    try:
        if ending in FILMS:
            save = save_mp4 if ending == ".mp4" else save_gif
            save(make_page(), options.save, frames, options.fps, Progress(len(frames), options.quiet))
        elif options.sheet:
            places = np.linspace(0, len(frames) - 1, min(len(frames), math.prod(options.sheet)))
            save_picture(make_page(), options.save, [frames[place] for place in places.round().astype(int)])
        else:
            save_picture(make_page(), options.save, [frame_index(trajectory, options.frame)])
    except OSError as error:
        raise Failed(f"{options.save}: {reason(error)}") from None


def missing_module(error):
    """The sentence for a module that is not there."""
    module = (error.name or str(error)).partition(".")[0]
    package = DEBIAN.get(module, "python3-numpy, python3-matplotlib and python3-h5py")
    said = " ".join(str(error).split())
    python = sys.executable or "this python3"
    sentence = f"{python} has no usable module {module} ({said}); on Debian it is {package}"
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        return sentence + ", which serves /usr/bin/python3: run plot.py with that one"
    return sentence


def settle_matplotlib():
    """The same picture whatever the user's matplotlibrc says, and no chatter on standard error."""
    matplotlib.rcdefaults()  # all but the backend
    matplotlib.rcParams.update({"path.simplify": False, "svg.hashsalt": "boids", "toolbar": "None"})
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")  # glyphs that the font lacks and the like


def main(arguments):
    """Exit status of the command."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        options = parse_options(arguments)
        if MISSING is not None:
            raise MISSING
        settle_matplotlib()
        run(options)
        return 0
    except Refused as refusal:
        note(refusal)
        return 2
    except Failed as failure:
        note(failure)
        return 1
    except KeyboardInterrupt:
        return 130
    except ImportError as error:  # one of those at the top, or h5py
        note(missing_module(error))
        return 1
    except MemoryError:
        note("not enough memory for this trajectory; an .h5 file needs less of it than CSV")
        return 1
    except Exception as error:  # our own mistake; still one line, with what a report of it needs
        where = error.__traceback__
        while where.tb_next:
            where = where.tb_next
        note(f"internal fault, please report: {type(error).__name__}: {' '.join(str(error).split())} "
             f"({os.path.basename(where.tb_frame.f_code.co_filename)}:{where.tb_lineno})")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
