"""Finds the roles of the columns of a table of tracks: the animal, its frame or time, and its place.

Names are compared by rule (`folded`): without capitals, spaces and signs, and without a final id, number or index. If several columns fit
a role, the first name in ROLES wins, and a note names the others. `columns=` and --columns give roles to columns themselves.
"""

import itertools
import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np
import pandas as pd

from ..core.errors import argument
from ..core.messages import Refused, did_you_mean
from .track_formats import HEADERS

# The folded names of a role, the best first.
ROLES = {
    role: names.split()
    for role, names in {
        "frame": "frame slice image fnum fr step tick",
        "time": "trialtime recordingtime studylocaltimestamp timestamp datetime utcdatetime datetimeutc utctime gpstime fixtime localtime date time t second millisecond microsecond nanosecond",
        "id": "trackfixed track individuallocal individual particle animal identity subject object agent tag tracker target who ind "
        "ped per person fish bird ant bee mouse cell turtle boid device tid id name",
        "confidence": "likelihood confidence conf probability",
        "keypoint": "keypoint bodypart",
        "height": "z positionz posz",
        "zone": "utmzone",
        "group": "group arena video trial session recording experiment camera scene replicate",
        "easting": "utmeasting easting",
        "northing": "utmnorthing northing",
        "longitude": "locationlong longitude long lon lng",
        "latitude": "locationlat latitude lat",
        "pair": "pos position coordinate location xy",
        "vx": "vx velx velocityx xvelocity xvel",
        "vy": "vy vely velocityy yvelocity yvel",
    }.items()
}
GIVEN = (
    "frame time id x y vx vy left top width height right bottom confidence group keypoint".split()
)
# What may stand beside x and y in the names of a place; other words name a point of the body.
AROUND = re.compile(
    "(w?centroid|cent(er|re)|c|p|pos(ition)?|coord(inate)?|cor|loc(ation)?|smoothed)*"
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
SIZES = [["width", "height"], ["w", "h"]]
SIDES = [word for words in CORNERS + SIZES for word in words]
FLAGS = {
    "ignore": True,
    "missing": True,
    "visible": False,
}  # columns of trackdf, TRex and Movebank, and what marks a detection as missing
ABSENT = {
    *("", "na", "n/a", "#n/a", "<na>", "nan", "none", "null", "-"),
    *(sign + word for sign in ("", "-", "+") for word in ("inf", "infinity")),
}
DEGREES = "longitudes and latitudes"

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


def expected() -> str:
    """Return what a table of tracks has, for a message."""
    names = argument("columns", "frame=NAME,id=NAME,x=NAME,y=NAME")
    return f"a table with a frame or time, an id, x and y; {names} names its columns, or counts them (frame=1) if they have no names"


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
    velocity: Tuple[int, ...] = ()
    twins: List[Tuple[int, int]] = field(
        default_factory=list
    )  # columns of the same name, which must be equal
    units: List[str] = field(default_factory=list)  # of the columns, if the file has units
    begin: int = 1  # rows of the header
    rivals: List[str] = field(default_factory=list)  # sentences about columns that fit a role, too
    default: str = ""  # the point that stands for the animal if there is no --keypoint
    is_globe: bool = False  # x and y are longitude and latitude
    y_axis: str = "down"

    def used(self) -> Set[Optional[int]]:
        """Return the columns that have a role."""
        parts = [i for part in self.parts for i in (part.x, part.y, part.likelihood, *part.box)]
        others = (self.point, self.space, self.height, self.zone, *(i for i, _ in self.twins))
        return {*self.moment, *self.ids, *self.flags, *self.velocity, *parts, *others}


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


def axis_of(name: str) -> Tuple[str, str, bool]:
    """Return the axis of a column (x, y or empty), the rest of its name, and whether the axis comes first."""
    text = re.sub("(?<=[a-z])(?=[A-Z])", "_", name)
    for is_first, form in (True, r"([xy])([\W_]*)(.*)"), (False, r"(.*?)([\W_]*)([xy])"):
        match = re.fullmatch(form, text, re.I | re.S)
        if match:
            axis, rest = match.group(*((1, 3) if is_first else (3, 1)))
            if match[2] or is_first and rest.isdigit() or AROUND.fullmatch(folded(rest)):
                return axis.lower(), rest, is_first
    return "", "", False


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
    word = folded(name)  # a column of "seconds", not one that is called s or d
    return short, word if word in SECONDS and len(word) > 1 else ""


def are_counted(given: Mapping[str, str], names: Sequence[str]) -> bool:
    """Return whether --columns counts the columns of a table that has no names."""
    columns = set(given.values()) - {""}
    return bool(columns) and all(map(str.isdecimal, columns)) and not columns <= set(names)


class Header:
    """The names of the columns of a table apart from their units, and the columns that --columns has `chosen` for roles."""

    def __init__(self, table: Any) -> None:
        self.table, self.raw = table, table.head[0]
        table.begin = header_rows(table)
        if all(map(is_number, self.raw)) or are_counted(table.given, self.raw):
            self.raw, table.begin = [str(i + 1) for i in range(table.width)], 0
        pairs = list(map(split_unit, self.raw))
        self.names, self.units = [name for name, _ in pairs], [unit for _, unit in pairs]
        self.rivals: List[str] = []
        self.chosen: Dict[str, Tuple[int, ...]] = {}
        for words, name in table.given.items():
            role, unit = split_unit(words)
            if role not in GIVEN:
                hint = did_you_mean(role, GIVEN) or "; there are " + ", ".join(GIVEN)
                raise Refused(f"{argument('columns')}: {role} is no role{hint}")
            self.chosen[role] = (self.column(name),) if name else ()
            if name and unit:
                self.units[self.column(name)] = unit
        others = {i for columns in self.chosen.values() for i in columns}
        self.names = ["" if i in others else name for i, name in enumerate(self.names)]
        self.keys = list(map(folded, self.names))

    def column(self, name: str) -> int:
        """Return the column that --columns names, exactly or in other capitals."""
        folds: Any = str, lambda text: split_unit(text)[0].casefold()
        for fold in folds:
            names = list(map(fold, self.raw))
            if fold(name) in names:
                return names.index(fold(name))
        hint = did_you_mean(name, self.raw)
        raise Refused(f": it has no column {name}{hint}; its columns are {', '.join(self.raw[:8])}")

    def option(self, roles: str, columns: Sequence[int]) -> str:
        pairs = (f"{role}={self.raw[i]}" for role, i in zip(roles.split(), columns))
        return argument("columns", ",".join(pairs))

    def all(self, role: str) -> List[Tuple[int, ...]]:
        """Return the columns that fit a role, the best first."""
        if role in self.chosen:
            return [self.chosen[role]] if self.chosen[role] else []
        return [(i,) for name in ROLES[role] for i, key in enumerate(self.keys) if key == name]

    def find(self, role: str, roles: str = "") -> Optional[int]:
        found = self.all(role)
        return self.best(found, roles)[0] if found else None

    def best(self, found: Sequence[Any], roles: str) -> Any:
        """Return the first of several columns, or pairs of columns, that fit some roles. The others of other names get a note."""
        names = [", ".join(self.raw[i] for i in columns) for columns in found]
        rest = {n: c for n, c in zip(names, found) if n.casefold() != names[0].casefold()}
        if rest and roles:
            option = self.option(roles, next(iter(rest.values())))
            self.rivals.append(f"{names[0]} is used, not {' or '.join(rest)} ({option})")
        return found[0]

    def moment(self) -> Dict[str, Any]:
        """Return the fields of a Layout about frames or times; none if there are neither."""
        if self.chosen.get("frame") == ():
            return {"moment": ()}  # rows are frames
        is_timed = "time" in self.chosen and "frame" not in self.chosen
        frame, times = None if is_timed else self.find("frame", "frame"), self.all("time")
        if frame is not None:
            is_image = folded(self.raw[frame]) == "image" and not is_number(
                self.table.sample(frame)
            )
            return {"moment": (frame,), "kind": "image" if is_image else "frame"}
        cells = {i: self.table.sample(i) for i, in times}
        clocks = [i for i, cell in cells.items() if CLOCK.fullmatch(cell)]
        days = [i for i, cell in cells.items() if not is_number(cell) and ":" not in cell]
        if clocks and days:
            return {"moment": (days[0], clocks[0]), "kind": "time", "unit": "s"}
        times.sort(key=lambda columns: columns[0] in days)  # a day alone is no time
        moment = self.best(times, "time") if times else ()
        unit = self.units[moment[0]] if moment else "frame"
        kind = {} if unit.removesuffix("s") == "frame" else {"kind": "time", "unit": unit}
        return {"moment": moment, **kind}

    def pairs(self) -> Dict[Tuple[str, bool, str], Dict[str, int]]:
        """Return {(rest of the name, whether the axis comes first, unit): {axis: column}} of all columns that are an x or a y."""
        found: Dict[Tuple[str, bool, str], Dict[str, int]] = {}
        for i, (name, unit) in enumerate(zip(self.names, self.units)):
            axis, rest, is_first = axis_of(name)
            if axis:
                pair = found.setdefault((rest, is_first, ""), {})
                if axis in pair and unit != self.units[pair[axis]]:
                    pair = found.setdefault((rest, is_first, unit), {})
                pair.setdefault(axis, i)
        return found

    def box(self) -> Optional[Part]:
        """Return the columns of boxes, if there are any."""
        keys = [re.sub("^(bbox|bb|box|rect)", "", key) for key in self.keys]
        columns = {key: i for i, key in reversed(list(enumerate(keys)))}
        columns.update((role, of[0]) for role, of in self.chosen.items() if of)
        starts = [*(words[:2] for words in CORNERS), ["x", "y"]]
        for words in [*CORNERS, *(start + size for start in starts for size in SIZES)]:
            # bbox_x is the side of a box, and x its middle
            if set(words) <= set(columns) and (words[0] != "x" or "x" not in self.keys):
                x, y, *box = map(columns.__getitem__, words)
                return Part(x, y, box=tuple(box), is_corner=words in CORNERS)
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
            f": its header rows are {', '.join(levels)}; {', '.join(HEADERS)} were expected (individuals may be absent)"
        )
    table.begin = len(levels)
    columns = list(zip(*(map(str.strip, row[: table.width]) for row in table.head[: len(levels)])))
    first = next((i for i, words in enumerate(columns) if i and any(words)), table.width)
    found: Dict[Any, Dict[str, int]] = {}
    for i, words in enumerate(columns[first:], first):
        word = dict(zip(levels, words))
        key, coord = (word.get("individuals", ""), word["bodyparts"]), word["coords"]
        if found.setdefault(key, {}).setdefault(coord, i) != i:
            raise Refused(f": {' '.join(key).strip()} has two columns {coord}")
    for key, coords in found.items():
        if not {"x", "y"} <= set(coords):
            raise Refused(
                f": {' '.join(key).strip()} has the coords {', '.join(coords)}; x and y were expected"
            )
    is_frame = first == 1 and is_number(table.sample(first - 1) or 0)
    is_timed = table.about.get("kind") == "time"
    return Layout(
        [
            Part(of["x"], of["y"], animal, point, of.get("likelihood"))
            for (animal, point), of in found.items()
        ],
        tuple(range(first)),
        "time" if is_timed else "frame" if is_frame else "image",
        "s" * is_timed,
        begin=len(levels),
        height=next((coords["z"] for coords in found.values() if "z" in coords), None),
    )


def from_headless(table: Any) -> Optional[Layout]:
    """Find the layout of tables without a header: MOTChallenge (frame, id, left, top, width, height, confidence, ...; or two corners), ToxTrac
    (frame, arena, track, x, y, label) and Ctrax (id, x, y and three more for each animal)."""
    if table.given or not are_cells(table.head[0]):
        return None
    table.begin, width, has_commas = 0, table.width, table.separator == ","
    if table.separator == "\t" and width == 6:
        return Layout([Part(3, 4)], (0,), ids=(1, 2), begin=0)
    ids = [float(row[1]) for row in table.head if width > 1 and is_number(row[1])]
    if has_commas and 7 <= width <= 10 and all(map(float.is_integer, ids)):
        part = Part(2, 3, box=(4, 5))
        part.is_corner = are_corners(table, part)
        return Layout([part], (0,), ids=(1,), begin=0, flags={6: False})
    if has_commas and width % 6 == 0:
        parts = [Part(i + 1, i + 2, str(i // 6), mark=i) for i in range(0, width, 6)]
        return Layout(parts, begin=0, y_axis="up")
    raise Refused(
        f": it has no header, and it is no file of MOTChallenge, ToxTrac or Ctrax; expected is {expected()}"
    )


def are_cells(cells: Sequence[str]) -> bool:
    """Return whether no cell of a row can be a name."""
    return all(is_number(cell) or cell.lower() in ABSENT for cell in cells)


def are_corners(table: Any, part: Part) -> bool:
    """Return whether the columns of a box are two corners: the second is always right of and below the first, and their difference varies
    less than the second itself, which would be a size."""
    values = table.body().iloc[:9999, [part.x, part.y, *part.box]]
    values = values.apply(pd.to_numeric, errors="coerce").replace([np.inf, -np.inf], np.nan)
    values = values.dropna().to_numpy(float).T
    sizes, corners = values[2:] - values[:2], values[2:]
    if sizes.shape[1] < 2 or (sizes <= 0).any():
        return False
    return bool(np.ptp(sizes, axis=1).sum() < np.ptp(corners, axis=1).sum())


def likelihood_of(header: Header, rest: str) -> Optional[int]:
    """Return the column of the likelihood of a point or an animal: nose.score, ProbId1."""
    names = {folded(f"{rest}.{word}") for word in ("score", "likelihood", "confidence")}
    names.add(f"probid{rest}")
    return next((i for i, key in enumerate(header.keys) if key in names), None)


def places_of(header: Header, whole: Mapping[Any, Tuple[int, int]]) -> List[Any]:
    """Return the pairs of columns that may be the one place in a row, and their kinds: place, map, globe. The best is the first."""
    keys, chosen = header.keys, [header.chosen.get(axis, ()) for axis in "xy"]
    if any(chosen):
        if not all(chosen):
            raise Refused(f": {argument('columns')} names x or y; give both, as x=NAME,y=NAME")
        return [(*chosen[0], *chosen[1], "place")]
    known: List[Any] = [
        (*pair, "place") for (rest, *_), pair in whole.items() if AROUND.fullmatch(folded(rest))
    ]
    known.sort(key=lambda pair: ("wcentroid" not in keys[pair[0]], len(keys[pair[0]])))
    for *words, kind in ("easting", "northing", "map"), ("longitude", "latitude", "globe"):
        columns = list(map(header.find, words))
        known += [(*columns, kind)] if None not in columns else []
    return known


def parts_of(header: Header, animal: Optional[int]) -> Tuple[List[Part], str]:
    """Return the places in a row, and what they are: place, map, globe, points or animals."""
    table, pairs, box, keys = header.table, header.pairs(), header.box(), header.keys
    whole = {key: (axes["x"], axes["y"]) for key, axes in pairs.items() if len(axes) == 2}
    if "left" in header.chosen and box:
        return [box], "place"
    known = places_of(header, whole)
    if known:
        x, y, kind = header.best([pair[:2] for pair in known], "x y") + known[0][2:]
        sizes = next((size for size in SIZES if set(size) <= set(keys)), None)
        if keys[x] == "x" and sizes:
            option = header.option("left top width height", [x, y, *map(keys.index, sizes)])
            header.rivals.append(
                f"x, y are taken as the middle of a box; if they are its corner: {option}"
            )
        return [Part(x, y)], kind
    several = {
        rest: axes
        for (rest, is_first, _), axes in pairs.items()
        if is_first and rest[-1:].isdigit()
    }
    if box and (animal is not None or not several):
        return [box], "place"
    if several and animal is not None:
        raise Refused(
            f": it has an animal in each row ({header.raw[animal]}) and x and y of several; {argument('columns', 'id=')} or x=NAME,y=NAME "
            "says which count"
        )
    if box and len(several) == 2 and are_corners(table, box):
        option = header.option("left top right bottom", (box.x, box.y, *box.box))
        header.rivals.append(f"x and y of two animals may be two corners of a box: {option}")
    column = header.find("pair")
    if column is not None and re.fullmatch(r"[(\[].*[\s,;].*[)\]]", table.sample(column)):
        return [Part(*table.split(column))], "place"
    found = []
    points = {rest: axes for (rest, *_), axes in pairs.items()} if whole else {}
    for rest, axes in (several or points).items():
        if len(axes) < 2:
            raise Refused(
                f": there is no column {'x' if 'y' in axes else 'y'} of {rest}; each animal or point has an x and a y"
            )
        names = (rest, "") if several else ("", rest)
        found.append(Part(axes["x"], axes["y"], *names, likelihood_of(header, rest)))
    return found, "animals" if several else "points"


def from_header(table: Any) -> Layout:
    """Find the layout of a table with the names of its columns."""
    header = Header(table)
    keys, shown = header.keys, ", ".join(header.raw[:8])
    if {"step", "time", "id", "type"} <= set(header.raw):
        raise Refused(
            ": this is a trajectory of boids, not of tracks; boids-analyse, boids-plot and boids.read() read it"
        )
    animal = header.find("id", "id")
    parts, kind = parts_of(header, animal)
    space = keys.index("space") if {"space", "position"} <= set(keys) and not parts else None
    if space is not None:
        column = keys.index("position")
        parts, kind = [Part(column, column)], "place"
    if not parts:
        raise Refused(
            f": not a table of tracks: its columns are {shown}{table.where}; expected is {expected()}"
        )
    moment = header.moment()
    if not moment["moment"] and kind in ("place", "map", "globe") and "frame" not in table.given:
        raise Refused(
            f": it has no column of frames or times; {argument('columns', 'frame=NAME')} names it, and with frame= rows are frames; "
            f"its columns are {shown}"
        )
    if len(parts) == 1 and parts[0].likelihood is None:
        parts[0].likelihood = header.find("confidence")
    velocity = tuple(i for i in map(header.find, ("vx", "vy")) if i is not None)
    has_group = "group" in table.given or animal is not None and "arena" in keys
    ids = [header.find("group") if has_group else None, animal]
    units: Any = header.units
    if table.begin > 1:
        units = [cell.strip(" ()").casefold() for cell in table.head[table.begin - 1]]
    layout = Layout(
        parts,
        ids=tuple(i for i in ids if i is not None),
        flags={keys.index(name): word for name, word in FLAGS.items() if name in keys},
        point=header.find("keypoint"),
        space=space,
        velocity=velocity if len(velocity) == 2 and len(parts) == 1 and space is None else (),
        height=header.find("height"),
        zone=header.find("zone") if kind == "map" else None,
        is_globe=kind == "globe",
        y_axis=table.about.get("y_axis", "up" if kind in ("map", "globe") else "down"),
        default="Body" if any(part.point == "Body" for part in parts) else "",
        begin=table.begin,
        units=units,
        rivals=header.rivals,
        **moment,
    )
    names, used = [name.casefold() for name in table.head[0][: table.width]], layout.used()
    layout.twins = [
        (i, names.index(name, 0))
        for i, name in enumerate(names)
        if i not in used and names.index(name) in used
    ]
    return layout


def header_rows(table: Any) -> int:
    """Return the number of rows of the header: below the names, EthoVision has a row of units, and TrackMate two rows of names and one of
    units."""
    rows = next((k for k, row in enumerate(table.head) if k and any(map(is_number, row))), 1)
    return rows if any("(" in cell for cell in table.head[rows - 1]) else 1


def is_header(cells: Sequence[str], is_first: bool) -> bool:
    """Return whether a row names places, or begins a table without a header."""
    names = [split_unit(cell)[0] for cell in cells]
    keys = {re.sub("^(bbox|bb|box|rect)", "", folded(name)) for name in names}
    places = {*ROLES["latitude"], *ROLES["northing"], *ROLES["pair"], *next(zip(*CORNERS))}
    return (
        cells[0] in HEADERS
        or is_first
        and are_cells(cells)
        or {"x", "y"} <= {axis_of(name)[0] for name in names}
        or len(cells) > 1
        and not places.isdisjoint(keys)
    )


def layout_of(table: Any) -> Layout:
    """Return the layout of a table; refuse a table of another kind."""
    return from_pose(table) or from_headless(table) or from_header(table)
