"""Finds the roles of the columns of a table of tracks: the animal, its frame or time, and its place.

Names are compared by rule (`folded`): without capitals, spaces and signs, and without a final id, number or index. If several columns fit
a role, the first name in ROLES wins, and a note names the others. `columns=` and --columns give roles to columns themselves.
"""

import itertools
import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .plotting.errors import Refused, did_you_mean

# The folded names of a role, the best first.
ROLES = {
    role: names.split()
    for role, names in {
        "frame": "frame slice image fnum step tick",
        "time": "trialtime recordingtime studylocaltimestamp timestamp datetime date time t second millisecond microsecond nanosecond",
        "id": "trackfixed track individuallocal individual particle animal identity subject object agent tag tracker target who ind "
        "ped per person fish bird ant bee fly mouse cell tid id name",
        "confidence": "likelihood confidence conf probability",
        "keypoint": "keypoint bodypart",
        "height": "z positionz posz",
        "zone": "utmzone",
        "group": "arena video trial session recording experiment camera scene replicate",
        "easting": "utmeasting easting",
        "northing": "utmnorthing northing",
        "longitude": "locationlong longitude long lon lng",
        "latitude": "locationlat latitude lat",
        "pair": "pos position coordinate location xy",
    }.items()
}
GIVEN = "frame time id x y left top width height right bottom confidence group keypoint".split()
# What may stand beside x and y in the names of a place; other words name a point of the body.
AROUND = re.compile(
    "(w?centroid|cent(er|re)|c|pos(ition)?|coord(inate)?|cor|loc(ation)?|smoothed)*"
)
# Names of the sides of boxes: left, top, and then right and bottom, or SIZES.
CORNERS = [
    words.split()
    for words in (
        "x1 y1 x2 y2",
        "x0 y0 x1 y1",
        "xmin ymin xmax ymax",
        "minx miny maxx maxy",
        "left top right bottom",
        "xtl ytl xbr ybr",
        "tlx tly brx bry",
    )
]
SIZES = ("width", "height"), ("w", "h")
FLAGS = {
    "ignore": True,
    "missing": True,
    "visible": False,
}  # columns of trackdf, TRex and Movebank, and what marks a detection as missing
ABSENT = {
    *("", "na", "n/a", "#n/a", "<na>", "nan", "none", "null", "-"),
    *(sign + word for sign in ("", "-", "+") for word in ("inf", "infinity")),
}
HEADERS = ("scorer", "individuals", "bodyparts", "coords")
DEGREES = "longitudes and latitudes"
EXPECTED = "a table with a frame or time, an id, x and y; --columns frame=NAME,id=NAME,x=NAME,y=NAME names its columns"

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
CLOCK = re.compile(r"\d+:\d\d(:\d\d([.,]\d+)?)?( [AP]M)?", re.I)
SECONDS = {
    unit: seconds
    for units, seconds in (
        ("s sec second", 1),
        ("ms msec millisecond", 1e-3),
        ("us µs μs usec microsecond", 1e-6),
        ("ns nsec nanosecond", 1e-9),
        ("min minute", 60),
        ("h hr hour", 3600),
        ("d day", 86400),
    )
    for unit in units.split()
}  # of the units of times; an s may follow
LENGTHS = "px pixel pixels cm mm m um µm μm km".split()


@dataclass
class Part:
    """The columns of one animal, of one point of its body, or of all animals if Layout.ids has columns."""

    x: int
    y: int
    animal: str = ""  # empty: it is in Layout.ids, or the file has one animal
    point: str = ""
    likelihood: Optional[int] = None
    box: Tuple[int, ...] = ()  # columns of the width and height of a box whose corner is (x, y)
    is_corner: bool = False  # ... or of the opposite corner
    mark: Optional[int] = None  # negative where the animal is absent


@dataclass
class Layout:
    """The roles of the columns of a table; columns are numbers from 0."""

    parts: List[Part]
    moment: Tuple[int, ...] = ()  # empty: rows are successive frames; two: a date and a time of day
    kind: str = "frame"  # what is in `moment`: frame, time or image
    unit: str = ""  # of a time; empty: the file does not say it
    ids: Tuple[int, ...] = ()  # two: a group of animals and an animal in it
    flags: Dict[int, bool] = field(default_factory=dict)
    point: Optional[int] = None
    space: Optional[
        int
    ] = None  # x and y have separate rows; this column says which coordinate a row has
    height: Optional[int] = None
    zone: Optional[int] = None
    twins: List[Tuple[int, int]] = field(
        default_factory=list
    )  # columns of the same name, which must be equal
    units: List[str] = field(default_factory=list)  # of the columns, if the file has units
    begin: int = 1  # rows of the header
    rivals: List[str] = field(default_factory=list)  # sentences about columns that fit a role, too
    default: str = ""  # the point that stands for the animal if there is no --keypoint
    is_globe: bool = False  # x and y are longitude and latitude
    y_axis: str = "down"

    def used(self) -> set:
        """Return the columns that have a role."""
        parts = (
            column for part in self.parts for column in (part.x, part.y, part.likelihood, *part.box)
        )
        others = (self.point, self.space, self.height, self.zone)
        twins = (other for _, other in self.twins)
        return {*self.moment, *self.ids, *self.flags, *parts, *others, *twins}


def is_number(cell: Any) -> bool:
    return bool(NUMBER.fullmatch(str(cell).strip()))


def folded(name: str) -> str:
    """Return a name without what programs write in different ways: Track_ID, trackid and Track n° are "track"."""
    text = unicodedata.normalize("NFKC", name).casefold()
    text = re.sub(
        r"(?<=[^\W_]{2})[\W_]*((?<!centro)id|identifier|number|num|no|nb|nr|idx|index|(?<=[\W_])n)s?[\W_]*$",
        "",
        text,
    )
    return re.sub(r"[\W_]|(?<=\w{3})s$", "", text)


def axis_of(name: str) -> Tuple[str, str, bool, str]:
    """Return the axis of a column (x, y or empty), the rest of its name, whether the axis comes first, and the sign between them."""
    text = re.sub("(?<=[a-z])(?=[A-Z])", "_", name)
    first = re.fullmatch(r"([xy])([\W_]*)(.*)", text, re.I | re.S)
    last = re.fullmatch(r"(.*?)([\W_]*)([xy])", text, re.I | re.S)
    for match, axis, rest in ((first, 1, 3), (last, 3, 1)):
        if match:
            numbered = axis == 1 and match[rest].isdigit()
            if match[2] or numbered or AROUND.fullmatch(folded(match[rest])):
                return match[axis].lower(), match[rest], axis == 1, match[2]
    return "", "", False, ""


def split_unit(name: str) -> Tuple[str, str]:
    """Return the name of a column and its unit: of "x (cm)", "time [ms]" and "time_ms"."""
    short = re.sub(r"\s*[(\[].*[)\]]$", "", name.strip()).strip()
    if short != name.strip():
        return short, name.strip()[len(short) :].strip(" ()[]").casefold()
    match = re.fullmatch(r"(.*[^\W_])[\W_]+([a-zµμ]+)", short, re.I)
    if match:
        stem, unit = match[1], match[2].casefold()
        if unit in SECONDS and folded(stem) in ROLES["time"]:
            return stem, unit
        if unit in LENGTHS and axis_of(stem)[0]:
            return stem, unit
    return short, folded(name) if folded(name) in SECONDS else ""


class Header:
    """The names of the columns of a table, and apart from these their units."""

    def __init__(self, table: Any) -> None:
        self.table, self.raw = table, table.head[0]
        self.names, self.units = zip(*map(split_unit, self.raw)) if self.raw else ((), ())
        self.keys = [folded(name) for name in self.names]
        self.twins: List[Tuple[int, int]] = []
        self.rivals: List[str] = []
        self.given: Dict[str, Optional[int]] = {}
        self.time_unit = ""
        for role, name in table.given.items():
            role, unit = split_unit(role)
            if role not in GIVEN:
                raise Refused(
                    f"--columns: {role} is no role{did_you_mean(role, GIVEN) or '; there are ' + ', '.join(GIVEN)}"
                )
            self.time_unit = unit or self.time_unit
            self.given[role] = self.column(name) if name else None

    def column(self, name: str) -> int:
        """Return the column that --columns names, exactly, in other capitals, or by its number."""
        for fold in (str, lambda text: split_unit(text)[0].casefold()):
            for i, other in enumerate(self.raw):
                if fold(other) == fold(name):
                    return i
        if name.isdecimal() and 0 < int(name) <= self.table.width:
            return int(name) - 1
        raise Refused(
            f"{self.table.path}: it has no column {name}{did_you_mean(name, self.raw)}; its columns are {self.shown()}"
        )

    def shown(self) -> str:
        return ", ".join(self.raw[:8])

    def all(self, role: str) -> List[int]:
        """Return the columns that fit a role, the best first."""
        if role in self.given:
            return [self.given[role]] if self.given[role] is not None else []  # type: ignore[list-item]
        return [i for name in ROLES[role] for i, key in enumerate(self.keys) if key == name]

    def find(self, role: str, rival: str = "") -> Optional[int]:
        """Return the column of a role. The others that fit it get a note, with the role of --columns that takes them."""
        found = self.all(role)
        return self.best(found, [(i,) for i in found], rival) if found else None

    def best(self, found: Sequence[Any], columns: Sequence[Tuple[int, ...]], roles: str) -> Any:
        """Return the first of several. The others have a note or, if they have the same name, must be equal."""
        names = [[self.raw[i].casefold() for i in pair] for pair in columns]
        self.twins += [
            pair
            for i in range(1, len(found))
            if names[i] == names[0]
            for pair in zip(columns[0], columns[i])
        ]
        others = [pair for pair, name in zip(columns, names) if name != names[0]]
        if others and roles:
            first, *rest = (", ".join(self.raw[i] for i in pair) for pair in [columns[0], *others])
            option = ",".join(f"{role}={self.raw[i]}" for role, i in zip(roles.split(), others[0]))
            self.rivals.append(f"{first} is used, not {' or '.join(rest)} (--columns {option})")
        return found[0]

    def moment(self) -> Dict[str, Any]:
        """Return the fields of a Layout about frames or times; none if there are neither."""
        frame = (
            None
            if "time" in self.given and "frame" not in self.given
            else self.find("frame", "frame")
        )
        times = self.all("time") if frame is None else []
        if frame is not None:
            is_image = self.keys[frame] == "image" and not is_number(self.table.sample(frame))
            return {"moment": (frame,), "kind": "image" if is_image else "frame"}
        if not times:
            return {}
        cells = [self.table.sample(i) for i in times]
        clock = next((i for i, cell in zip(times, cells) if CLOCK.fullmatch(cell)), None)
        day = next(
            (i for i, cell in zip(times, cells) if not is_number(cell) and ":" not in cell), None
        )
        if clock is not None and day is not None:
            return {"moment": (day, clock), "kind": "time", "unit": "s"}
        times.sort(key=lambda i: i == day)  # a day alone is no time
        time = self.best(times, [(i,) for i in times], "time")
        unit = self.time_unit or self.units[time]
        if unit.removesuffix("s") == "frame":
            return {"moment": (time,)}
        return {"moment": (time,), "kind": "time", "unit": unit}

    def pairs(self) -> Dict[Tuple[str, bool, str], Dict[str, List[int]]]:
        """Return {(rest of the name, whether the axis comes first, unit): {axis: columns}} of all columns that are an x or a y."""
        found: Dict[Tuple[str, bool, str], Dict[str, List[int]]] = {}
        for i, name in enumerate(self.names):
            axis, rest, is_first, _ = axis_of(name)
            for unit in ("", self.units[i]) if axis else ():
                same = found.setdefault((rest, is_first, unit), {}).setdefault(axis, [])
                if not same or self.units[same[0]] == self.units[i]:
                    same.append(i)
                    break
        return found

    def box(self) -> Optional[Part]:
        """Return the columns of boxes, if there are any."""
        keys = [re.sub("^(bbox|bb|box|rect)", "", key) for key in self.keys]
        forms = [(words, True) for words in CORNERS]
        forms += [([*words[:2], *size], False) for words in CORNERS for size in SIZES]
        for words, is_corner in forms:
            if set(words) <= set(keys):
                x, y, *box = map(keys.index, words)
                return Part(x, y, box=tuple(box), is_corner=is_corner)
        return None

    def given_part(self) -> Optional[Part]:
        """Return the place that --columns gives."""
        for words in ("left top right bottom", "left top width height", "x y"):
            columns = [self.given.get(word) for word in words.split()]
            if None not in columns:
                x, y, *box = columns
                return Part(x, y, box=tuple(box), is_corner="right" in words)  # type: ignore[arg-type]
        if set(GIVEN[3:11]) & set(self.given):
            raise Refused(
                "--columns: a place is x and y, or left, top and width, height or right, bottom"
            )
        return None


# The layouts: each function returns the Layout of a table of its kind, or None.


def from_pose(table: Any) -> Optional[Layout]:
    """Find the layout of DeepLabCut and Lightning Pose: three or four header rows. The columns before the first named column are the index:
    the frame, or the name of an image in up to three columns."""
    levels = list(itertools.takewhile(HEADERS.__contains__, (row[0].strip() for row in table.head)))
    if len(levels) < 2 and levels[:1] != ["scorer"]:
        return None
    if not {"coords", "bodyparts"} <= set(levels):
        raise Refused(
            f"{table.path}: its header rows are {', '.join(levels)}; {', '.join(HEADERS)} were expected (individuals may be absent)"
        )
    rows = dict(zip(levels, table.head))
    first = next(
        (i for i in range(1, table.width) if any(row[i].strip() for row in rows.values())),
        table.width,
    )
    found: Dict[Tuple[str, str], Dict[str, int]] = {}
    for i in range(first, table.width):
        key, coord = (
            tuple(
                rows[level][i].strip() if level in rows else ""
                for level in ("individuals", "bodyparts")
            ),
            rows["coords"][i].strip(),
        )
        if found.setdefault(key, {}).setdefault(coord, i) != i:
            raise Refused(f"{table.path}: {' '.join(key).strip()} has two columns {coord}")
    for key, coords in found.items():
        if not {"x", "y"} <= set(coords):
            raise Refused(
                f"{table.path}: {' '.join(key).strip()} has the coords {', '.join(coords)}; x and y were expected"
            )
    index = table.head[len(levels)][first - 1] if len(table.head) > len(levels) else 0
    return Layout(
        [
            Part(coords["x"], coords["y"], *key, coords.get("likelihood"))
            for key, coords in found.items()
        ],
        tuple(range(first)),
        "frame" if first == 1 and is_number(index) else "image",
        begin=len(levels),
        height=next((coords["z"] for coords in found.values() if "z" in coords), None),
    )


def from_headless(table: Any) -> Optional[Layout]:
    """Find the layout of tables without a header: MOTChallenge (frame, id, left, top, width, height, confidence, ...; or two corners), ToxTrac
    (frame, arena, track, x, y, label) and Ctrax (id, x, y and three more for each animal)."""
    if table.given or not all(is_number(cell) or cell.lower() in ABSENT for cell in table.head[0]):
        return None
    table.begin_rows = 0
    if table.separator == "\t" and table.width == 6:
        return Layout([Part(3, 4)], (0,), ids=(1, 2), begin=0)
    if table.separator == "," and 7 <= table.width <= 10:
        part = Part(2, 3, box=(4, 5))
        part.is_corner = are_corners(table, part)
        return Layout([part], (0,), ids=(1,), begin=0, flags={6: False})
    if table.separator == "," and table.width % 6 == 0:
        return Layout(
            [Part(i + 1, i + 2, str(i // 6), mark=i) for i in range(0, table.width, 6)],
            begin=0,
            y_axis="up",
        )
    raise Refused(
        f"{table.path}: it has no header; expected is {EXPECTED}, or a file of MOTChallenge, ToxTrac or Ctrax"
    )


def are_corners(table: Any, part: Part) -> bool:
    """Return whether the columns of a box are two corners: the second is always right of and below the first, and their difference varies
    less than the second itself, which would be a size."""
    import pandas as pd

    _, cells = next(table.chunks(table.begin_rows), ([], []))
    if not len(cells):
        return False
    columns = [pd.Series(cells[i]) for i in (part.x, part.y, *part.box)]
    values = np.array([pd.to_numeric(column, "coerce") for column in columns], float)
    values = values[:, np.isfinite(values).all(axis=0)]
    sizes = values[2:] - values[:2]
    return (
        values.shape[1] > 1
        and bool((sizes > 0).all())
        and np.ptp(sizes, axis=1).sum() < np.ptp(values[2:], axis=1).sum()
    )


def likelihood_of(header: Header, rest: str) -> Optional[int]:
    """Return the column of the likelihood of a point or an animal: nose.score, ProbId1."""
    names = {folded(f"{rest}.{word}") for word in ("score", "likelihood", "confidence")}
    names.add(f"probid{rest}")
    return next((i for i, key in enumerate(header.keys) if key in names), None)


def parts_of(header: Header, animal: Optional[int]) -> Tuple[List[Part], str]:
    """Return the places in a row, and what they are: place, map, globe, points or animals."""
    table, pairs, box = header.table, header.pairs(), header.box()
    if one := header.given_part():
        return [one], "place"
    numbered = {
        rest: axes
        for (rest, is_first, _), axes in pairs.items()
        if is_first and rest[-1:].isdigit()
    }
    whole = {key: axes for key, axes in pairs.items() if set(axes) == {"x", "y"}}
    known = sorted(
        (
            (axes["x"][0], axes["y"][0])
            for (rest, *_), axes in whole.items()
            if AROUND.fullmatch(folded(rest))
        ),
        key=lambda pair: ["wcentroid" not in header.keys[pair[0]], len(header.keys[pair[0]])],
    )
    for words, kind in ("easting northing", "map"), ("longitude latitude", "globe"):
        columns = [header.find(word) for word in words.split()]
        known += [(*columns, kind)] if None not in columns else []
    if known:
        x, y, *kind = header.best(known, [pair[:2] for pair in known], "x y")
        sizes = next((size for size in SIZES if set(size) <= set(header.keys)), None)
        if header.keys[x] == "x" and sizes:
            corner = ",".join(f"{role}={header.raw[i]}" for role, i in (("left", x), ("top", y)))
            rest = ",".join(
                f"{role}={header.raw[header.keys.index(key)]}" for role, key in zip(SIZES[0], sizes)
            )
            header.rivals.append(
                f"{header.raw[x]}, {header.raw[y]} are taken as the middle of a box; if they are its corner: --columns {corner},{rest}"
            )
        for axis, first in (("x", x), ("y", y)):
            header.twins += [
                (first, i)
                for axes in pairs.values()
                if first in axes.get(axis, ())
                for i in axes[axis]
                if i != first
            ]
        return [Part(x, y)], "".join(kind) or "place"
    if box and (animal is not None or not numbered):
        return [box], "place"
    if numbered and animal is not None:
        raise Refused(
            f"{table.path}: it has {header.raw[animal]}, the animal of a row, and also x and y of several animals ({', '.join(numbered)}); "
            "--columns id= or x=NAME,y=NAME says which counts"
        )
    if numbered:
        for rest, axes in numbered.items():
            if len(axes) < 2:
                axis = {"x", "y"} - set(axes)
                raise Refused(
                    f"{table.path}: there is no column {axis.pop()}{rest}; each animal has an x and a y"
                )
        if box and len(numbered) == 2 and are_corners(table, box):
            header.rivals.append(
                "x and y of two animals may be two corners of a box; if they are: --columns "
                + ",".join(
                    f"{role}={header.raw[i]}"
                    for role, i in zip(GIVEN[5:7] + GIVEN[9:11], (box.x, box.y, *box.box))
                )
            )
        return [
            Part(axes["x"][0], axes["y"][0], rest, "", likelihood_of(header, rest))
            for rest, axes in numbered.items()
        ], "animals"
    if (column := header.find("pair")) is not None and re.fullmatch(
        r"[(\[].*[\s,;].*[)\]]", table.sample(column)
    ):
        return [Part(*table.split(column))], "place"
    points = []
    for (rest, *_), axes in pairs.items() if whole else ():
        if len(axes) < 2:
            raise Refused(f"{table.path}: the point {rest} has no {'x' if 'y' in axes else 'y'}")
        points.append(Part(axes["x"][0], axes["y"][0], "", rest, likelihood_of(header, rest)))
    return points, "points"


def from_header(table: Any) -> Layout:
    """Find the layout of a table with the names of its columns."""
    table.begin_rows = header_rows(table)
    header = Header(table)
    if {"step", "time", "id", "type"} <= set(header.raw):
        raise Refused(
            f"{table.path}: this is a trajectory of boids, not of tracks; boids-analyse, boids-plot and boids.read() read it"
        )
    animal = header.find("id", "id")
    parts, kind = parts_of(header, animal)
    space = (
        header.keys.index("space")
        if {"space", "position"} <= set(header.keys) and not parts
        else None
    )
    if space is not None:
        parts = [Part(*[header.keys.index("position")] * 2)]
    if not parts:
        raise Refused(
            f"{table.path}: not a table of tracks: its columns are {header.shown()}{table.where()}; expected is {EXPECTED}"
        )
    moment = header.moment()
    if not moment and kind in ("place", "map", "globe"):
        raise Refused(
            f"{table.path}: it has no column of frames or times; --columns frame=NAME names it; its columns are {header.shown()}"
        )
    if len(parts) == 1:
        parts[0].likelihood = (
            header.find("confidence") if parts[0].likelihood is None else parts[0].likelihood
        )
    group = (
        header.find("group")
        if "group" in header.given or (animal is not None and "arena" in header.keys)
        else None
    )
    units = (
        header.units
        if table.begin_rows == 1
        else [cell.strip(" ()").casefold() for cell in table.head[table.begin_rows - 1]]
    )
    points = [part.point for part in parts]
    return Layout(
        parts,
        ids=tuple(i for i in (group, animal) if i is not None),
        flags={
            header.keys.index(name): word for name, word in FLAGS.items() if name in header.keys
        },
        point=header.find("keypoint"),
        space=space,
        height=header.find("height"),
        zone=header.find("zone") if kind == "map" else None,
        is_globe=kind == "globe",
        y_axis="up" if kind in ("map", "globe") else "down",
        default="Body" if "Body" in points else "",
        begin=table.begin_rows,
        twins=header.twins,
        units=list(units),
        rivals=header.rivals,
        **moment,
    )


def header_rows(table: Any) -> int:
    """Return the number of rows of the header: below the names, EthoVision has a row of units, and TrackMate two rows of names and one of
    units."""
    rows = next((k for k, row in enumerate(table.head) if k and any(map(is_number, row))), 1)
    return rows if any("(" in cell for cell in table.head[rows - 1]) else 1


def is_header(cells: Sequence[str], is_first: bool) -> bool:
    """Return whether a row names places, or begins a table without a header."""
    names = [split_unit(cell)[0] for cell in cells]
    keys = {re.sub("^(bbox|bb|box|rect)", "", folded(name)) for name in names}
    places = {
        *ROLES["latitude"],
        *ROLES["northing"],
        *ROLES["pair"],
        *(words[0] for words in CORNERS),
    }
    return (
        cells[0] in HEADERS
        or (is_first and all(is_number(cell) or cell.lower() in ABSENT for cell in cells))
        or {"x", "y"} <= {axis_of(name)[0] for name in names}
        or (len(cells) > 1 and bool(keys & places))
    )


LAYOUTS = (from_pose, from_headless, from_header)  # in the order in which they are tried
