"""Finds the roles of the columns of a table of tracks: the animal, its frame or time, and its place.

Names are compared by rule (`name_stem`): without capitals, spaces and signs, and without a final id, number or index. If several columns fit
a role, the first name in ROLES wins, and a note names the others. `columns=` and --columns give roles to columns themselves.
"""

import itertools
import re
import shlex
import unicodedata
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np
import pandas as pd

from ..core import errors
from ..core.errors import argument
from ..core.messages import Refused, did_you_mean
from .track_formats import POSE_HEADERS

# The folded names of a role, the best first.
ROLES = {
    role: names.split()
    for role, names in {
        "frame": "frame slice image fnum fr step tick",
        "time": "trialtime recordingtime studylocaltimestamp timestamp datetime utcdatetime datetimeutc utctime gpstime fixtime localtime utcdate gpsdate fixdate localdate date time t second millisecond microsecond nanosecond elapsedtime elapsed",
        "id": "trackfixed track individuallocal individual particle animal identity subject object agent tag tracker collar target who ind "
        "ped per person fish bird ant bee mouse cell turtle boid device tid id name",
        "confidence": "likelihood confidence conf probability",
        "keypoint": "keypoint bodypart",
        "height": "z positionz posz",
        "zone": "utmzone",
        "group": "group arena video trial session recording experiment camera scene replicate",
        "easting": "utmeasting easting utme",
        "northing": "utmnorthing northing utm",
        "longitude": "locationlong longitude long lon lng",
        "latitude": "locationlat latitude lat",
        "pair": "pos position coordinate location xy",
        "vx": "vx velx velocityx xvelocity xvel",
        "vy": "vy vely velocityy yvelocity yvel",
    }.items()
}
PLACE_ROLES = ["easting", "northing", "longitude", "latitude", "pair"]
GIVEN_ROLES = (
    "frame time id x y vx vy left top width height right bottom confidence group keypoint".split()
)
# What may stand beside x and y in the names of a place; other words name a point of the body.
WORDS_BESIDE_AXIS = re.compile(
    "(w?centroid|cent(er|re)|c|p|pos(ition)?|coord(inate)?|cor|loc(ation)?|smoothed)*"
)
# Names of the sides of boxes: left, top, right and bottom; or left, top, width and height.
CORNER_NAMES = [
    words.split()
    for words in (
        "x1 y1 x2 y2/x0 y0 x1 y1/xmin ymin xmax ymax/minx miny maxx maxy/left top right bottom/"
        "xtl ytl xbr ybr/tlx tly brx bry"
    ).split("/")
]
SIZE_NAMES = [["width", "height"], ["w", "h"]]
BOX_SIDE_NAMES = CORNER_NAMES + [
    words[:2] + size for words in [*CORNER_NAMES, ["x", "y"]] for size in SIZE_NAMES
]
BOX_PREFIX = "^(bbox|bb|box|rect)"
# Columns of trackdf, TRex and Movebank, and what marks a detection as missing.
FLAG_MEANINGS = {"ignore": True, "missing": True, "visible": False}
MISSING_VALUES = {
    *"na n/a #n/a <na> nan none null - inf -inf +inf infinity -infinity +infinity".split(),
    "",
}

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
CLOCK_TIME = re.compile(r"\d+:\d\d(:\d\d([.,]\d+)?)?( [AP]M)?", re.I)
CLOCK_OF_DIGITS = re.compile(rf"{CLOCK_TIME.pattern}|\d{{6}}(\.\d+)?", re.I)  # beside a date
# Numbers that are dates, YYYYMMDD, or dates and times of day, YYYYMMDDhhmmss.
DAY_OF_DIGITS = r"(19|20)\d\d(0[1-9]|1[0-2])([0-2]\d|3[01])"
DATE_OF_DIGITS = re.compile(rf"{DAY_OF_DIGITS}(([01]\d|2[0-3])[0-5]\d[0-5]\d)?(\.\d+)?", re.ASCII)
# The seconds of the units of times, also with an s at their end.
TIME_UNITS = (
    "s sec second 1/ms msec millisecond 1e-3/us µs μs usec microsecond 1e-6/ns nsec nanosecond 1e-9/min minute 60/"
    "h hr hour 3600/d day 86400"
)
UNIT_SECONDS = {
    unit + plural: float(seconds)
    for *units, seconds in map(str.split, TIME_UNITS.split("/"))
    for unit in units
    for plural in ("", "s")
}
LENGTH_UNITS = "px pixel pixels cm mm m um µm μm km".split()


Pairs = Dict[Tuple[str, bool, str], Dict[str, Any]]


def columns_argument(pairs: str) -> str:
    """Return what the reader of a message writes to give columns their roles: ROLE=NAME,..., quoted for the shell of a command."""
    return argument("columns", shlex.quote(pairs) if errors.is_command else pairs)


def expected_table() -> str:
    """Return what a table of tracks has, for a message."""
    names = argument("columns", "frame=NAME,id=NAME,x=NAME,y=NAME")
    return f"a table with a frame or time, an id, x and y; {names} names its columns, or counts them (frame=1) if they have no names"


@dataclass
class Table:
    """The cells of a file or DataFrame; the index has the lines. `head` has the first rows of a text, which are in `cells`, too, or the names
    of columns. `about` is what the file says about the recording (fps), and `given` is {role: column} of --columns.
    """

    path: str
    given: Mapping[str, str]
    head: List[List[str]]
    cells: Any
    about: Dict[str, Any]
    separator: str = ""  # of a text
    where: str = ""


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


def is_number(cell: Any) -> bool:
    """Return whether a cell is a finite number."""
    text = str(cell).strip()
    return bool(NUMBER.fullmatch(text)) and abs(float(text)) < np.inf


def name_stem(name: str) -> str:
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
    for form in (
        r"(?P<axis>[xy])(?P<gap>[\W_]*)(?P<rest>.*)",
        r"(?P<rest>.*?)(?P<gap>[\W_]*)(?P<axis>[xy])",
    ):
        match = re.fullmatch(form, text, re.I | re.S)
        if match:
            axis, gap, rest = match.group("axis", "gap", "rest")
            is_first = match.start("rest") > 0
            if gap or is_first and rest.isdigit() or WORDS_BESIDE_AXIS.fullmatch(name_stem(rest)):
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
        is_time = unit in UNIT_SECONDS and name_stem(stem) in ROLES["time"]
        if is_time or unit in LENGTH_UNITS and axis_of(stem)[0]:
            return stem, unit
    word = name_stem(name)  # a column of "seconds", not one that is called s or d
    return short, word if word in UNIT_SECONDS and len(word) > 1 else ""


def are_cells(cells: Sequence[str]) -> bool:
    """Return whether no cell of a row can be a name."""
    return all(is_number(cell) or cell.lower() in MISSING_VALUES for cell in cells)


def headless_names(table: Table) -> List[str]:
    """Return names for the columns of tables without a header: MOTChallenge (frame, id, left, top, width, height, confidence, ...; or two
    corners), ToxTrac (frame, arena, track, x, y, label) and Ctrax (id, x, y and three more for each animal).
    """
    width, has_commas = len(table.head[0]), table.separator == ","
    if table.separator == "\t" and width == 6:
        return ["frame", "arena", "track", "x", "y", ""]
    if (
        has_commas
        and 7 <= width <= 10
        and all(float(row[1]).is_integer() for row in table.head if is_number(row[1]))
    ):
        sides = (
            ("right", "bottom") if are_corners(table.cells, range(2, 6)) else ("width", "height")
        )
        return ["frame", "id", "left", "top", *sides, "visible", "", "", ""][:width]
    if has_commas and width % 6 == 0:
        table.about["y_axis"] = "up"
        animals = range(width // 6)
        return [name for k in animals for name in (f"mark{k}", f"x{k}", f"y{k}", "", "", "")]
    raise Refused(
        f": it has no header, and it is no file of MOTChallenge, ToxTrac or Ctrax; expected is {expected_table()}"
    )


def header_row_count(head: Sequence[List[str]]) -> int:
    """Return the number of rows of the header: below the names, EthoVision has a row of units, and TrackMate two rows of names and one of
    units."""
    rows = next((k for k, row in enumerate(head) if k and any(map(is_number, row))), 1)
    units = {*UNIT_SECONDS, *LENGTH_UNITS}
    return rows if any("(" in cell or cell in units for cell in head[rows - 1]) else 1


def are_corners(cells: Any, box: Sequence[int]) -> bool:
    """Return whether the columns of a box are two corners: the second is always right of and below the first, and their difference varies
    less than the second itself, which would be a size."""
    values = cells.iloc[:9999, [*box]].apply(pd.to_numeric, errors="coerce").to_numpy(float)
    values = values[np.isfinite(values).all(axis=1)]
    corners = values[:, 2:]
    sizes = corners - values[:, :2]
    return bool(
        len(sizes)
        and np.ptp(sizes, axis=0).sum() < np.ptp(corners, axis=0).sum()
        and (sizes > 0).all()
    )


class Layout(Table):
    """The roles of the columns of a table, which has `begin` rows of a header; columns are numbers from 0. `raw` are the names of the
    columns, and `keys` are their stems without units.
    """

    kind = "frame"  # what is in `moment`: frame, time or image
    unit = ""  # of a time; empty: the file does not say it
    default = ""  # the point that stands for the animal if there is no --keypoint
    is_globe = False  # x and y are longitude and latitude

    def __init__(self, table: Table) -> None:
        super().__init__(**vars(table))
        self.begin, self.raw, width = (
            header_row_count(self.head),
            self.head[0],
            len(self.cells.columns),
        )
        self.parts: List[Part] = []
        self.moment: Tuple[int, ...] = ()  # none: rows are frames; two: a date and a time of day
        self.ids: Tuple[int, ...] = ()  # two: a group of animals and an animal in it
        self.flags: Dict[int, bool] = {}
        # Columns of other roles: keypoint, height, zone, vx, vy, and space: x and y have separate rows, and it says which a row has.
        self.roles: Dict[str, int] = {}
        self.twins: List[Tuple[int, int]] = []  # columns of the same name, which must be equal
        self.rivals: List[str] = []  # sentences about columns that fit a role, too
        levels = [
            *itertools.takewhile(POSE_HEADERS.__contains__, (row[0].strip() for row in self.head))
        ]
        wanted = {*self.given.values()} - {""}
        are_counted = wanted and all(map(str.isdecimal, wanted)) and not wanted <= {*self.raw}
        if len(levels) > 1 or levels == ["scorer"]:
            self.begin = len(levels)
            self.raw = self.find_pose(levels)
        elif not self.given and are_cells(self.raw):
            self.raw, self.begin = headless_names(self), 0
        elif all(map(is_number, self.raw)) or are_counted:
            self.raw, self.begin = [str(i + 1) for i in range(width)], 0
        names = self.raw if self.begin else [""] * width
        # For messages.
        self.labels = [name.strip() or f"column {i + 1}" for i, name in enumerate(names)]
        stems, units = zip(*map(split_unit, self.raw))
        self.units: List[str] = [*units]
        self.y_axis = self.about.get("y_axis", "down")
        if not self.parts:
            if self.begin > 1:
                self.units = [cell.strip(" ()").casefold() for cell in self.head[self.begin - 1]]
            self.stems = self.apply_given_roles(stems)
            self.keys = list(map(name_stem, self.stems))
            self.find_roles()

    def apply_given_roles(self, stems: Sequence[str]) -> List[str]:
        """Return the names of the columns, where those of --columns have the names of their roles, and no others have these roles."""
        chosen: Dict[str, Optional[int]] = {}
        for words, name in self.given.items():
            role, unit = split_unit(words)
            if role not in GIVEN_ROLES:
                hint = did_you_mean(role, GIVEN_ROLES) or "; there are " + ", ".join(GIVEN_ROLES)
                raise Refused(f"{argument('columns')}: {role} is no role{hint}")
            column = self.given_column(name) if name else None
            chosen[role] = column
            if column is not None:
                self.units[column] = unit or self.units[column]
        if len({"x", "y"} & {*chosen}) == 1:
            raise Refused(f": {argument('columns')} names x or y; give both, as x=NAME,y=NAME")
        is_placed = "x" in chosen or "left" in chosen
        lost = [*chosen, *["frame"] * ("time" in chosen), *PLACE_ROLES * is_placed]
        taken = {name for role in lost for name in ROLES.get(role, ())}
        moving = {*ROLES["vx"], *ROLES["vy"]}
        names = [
            "" if key in taken or is_placed and axis_of(stem)[0] and key not in moving else stem
            for stem, key in zip(stems, map(name_stem, stems))
        ]
        for role, column in chosen.items():
            if column is not None:
                names[column] = role
        return names

    def cells_below_header(self) -> Any:
        """Return the cells below the header."""
        return self.cells.iloc[self.begin * bool(self.separator) :]

    def first_cell(self, column: int) -> str:
        """Return the first cell of a column that is not missing; empty if there is none."""
        cells = (str(cell).strip() for cell in self.cells_below_header()[column])
        return next((cell for cell in cells if cell.lower() not in MISSING_VALUES), "")

    def split_column(self, column: int) -> Tuple[int, int]:
        """Make two columns of one with texts such as "(1.5, 2)", and return them. Other texts are in both."""
        cells, other = self.cells[column].astype(str), len(self.labels)
        pairs = cells.str.findall(r"[^\s,;()\[\]]+")
        for k, at in enumerate((column, other)):
            self.cells[at] = pairs.str[k].where(pairs.str.len() == 2, cells)
        for words in self.labels, self.units:
            words.append(words[column])
        return column, other

    def numeric_columns(self) -> Set[Any]:
        """Return the columns of numbers, and of moments."""
        parts = [i for part in self.parts for i in (part.x, part.y, part.likelihood, *part.box)]
        axes = [i for role, i in self.roles.items() if role in ("height", "vx", "vy")]
        return {*self.moment, *axes, *parts} - {None}

    def columns_with_role(self) -> Set[Any]:
        """Return the columns that have a role."""
        twins = [i for i, _ in self.twins]
        return {*self.numeric_columns(), *self.ids, *self.flags, *self.roles.values(), *twins}

    def find_pose(self, levels: Sequence[str]) -> List[str]:
        """Find the roles in a table of DeepLabCut or Lightning Pose with three or four header rows, and return the names of its columns. The
        columns before the first named column are the index: the frame, or the name of an image in up to three columns.
        """
        if not {"coords", "bodyparts"} <= {*levels}:
            raise Refused(
                f": its header rows are {', '.join(levels)}; {', '.join(POSE_HEADERS)} were expected (individuals may be absent)"
            )
        found: Dict[Any, Dict[str, int]] = {}
        rows = dict(zip(levels, self.head))
        names = (map(str.strip, rows[level]) for level in POSE_HEADERS[1:] if level in rows)
        columns = [*zip(*names)]
        first = next((i for i, words in enumerate(columns) if i and any(words)), len(columns))
        for i, (*key, coord) in enumerate(columns[first:], first):
            if found.setdefault((*key,), {}).setdefault(coord, i) != i:
                raise Refused(f": {' '.join(key).strip()} has two columns {coord}")
        for key, coords in found.items():
            animal, point = ("", *key)[-2:]
            self.add_part(animal, point, coords)
            if "z" in coords:
                self.roles["height"] = coords["z"]
        is_frame = first == 1 and is_number(self.first_cell(0) or 0)
        self.moment = tuple(range(first))
        self.kind = self.about.get("kind", "frame" if is_frame else "image")
        self.unit = "s" * (self.kind == "time")
        labels = [" ".join(filter(None, words)) for words in columns]
        return labels if self.separator else ["the rows", *labels[1:]]

    def given_column(self, name: str) -> int:
        """Return the column that --columns names, exactly or in other capitals."""
        folds: Any = str, lambda text: split_unit(text)[0].casefold()
        for fold in folds:
            names = list(map(fold, self.raw))
            if fold(name) in names:
                return names.index(fold(name))
        hint = did_you_mean(name, self.raw)
        raise Refused(f": it has no column {name}{hint}; its columns are {self.shown_columns()}")

    def shown_columns(self) -> str:
        return ", ".join(self.raw[:8])

    def columns_option(self, roles: str, columns: Sequence[int]) -> str:
        pairs = map("{}={}".format, roles.split(), (self.raw[i] for i in columns))
        return columns_argument(",".join(pairs))

    def columns_of_role(self, role: str) -> List[int]:
        """Return the columns that fit a role, the best first."""
        return [i for name in ROLES[role] for i, key in enumerate(self.keys) if key == name]

    def column_of_role(self, role: str, roles: str = "") -> Optional[int]:
        found = self.columns_of_role(role)
        return self.first_of_rivals([(i,) for i in found], roles)[0] if found else None

    def first_of_rivals(self, found: Sequence[Tuple[int, ...]], roles: str) -> Tuple[int, ...]:
        """Return the first of several columns, or pairs of columns, that fit some roles. The others of other names get a note."""
        names = [", ".join(self.raw[i] for i in columns) for columns in found]
        rest = {n: c for n, c in zip(names, found) if n.casefold() != names[0].casefold()}
        if rest and roles:
            option = self.columns_option(roles, next(iter(rest.values())))
            self.rivals.append(f"{names[0]} is used, not {' or '.join(rest)} ({option})")
        return found[0]

    def find_moment(self) -> None:
        """Find the frames or times; a date and a time of day may be in two columns."""
        if self.given.get("frame") == "":
            return  # rows are frames
        frame = self.column_of_role("frame", "frame")
        if frame is not None:
            self.moment, sample = (frame,), self.first_cell(frame)
            if name_stem(self.raw[frame]) == "image" and not is_number(sample):
                self.kind = "image"
            return
        cells = {i: self.first_cell(i) for i in self.columns_of_role("time")}
        clocks = [i for i, cell in cells.items() if CLOCK_OF_DIGITS.fullmatch(cell)]
        days = [
            i
            for i, cell in cells.items()
            if re.fullmatch(DAY_OF_DIGITS, cell) or not (is_number(cell) or ":" in cell)
        ]
        times = [(i,) for i in sorted(cells, key=days.__contains__)]  # a day alone is no time
        if clocks and days:
            self.moment, self.kind, self.unit = (days[0], clocks[0]), "time", "s"
        elif times:
            self.moment = self.first_of_rivals(times, "time")
            unit = self.units[self.moment[0]]
            if unit.removesuffix("s") != "frame":
                self.kind, self.unit = "time", unit

    def axis_pairs(self) -> Pairs:
        """Return {(rest of the name, whether the axis comes first, unit): {axis: column}} of all columns that are an x or a y."""
        found: Pairs = {}
        for i, (name, unit) in enumerate(zip(self.stems, self.units)):
            axis, rest, is_first = axis_of(name)
            if axis:
                pair = found.setdefault((rest, is_first, ""), {})
                if axis in pair and unit != self.units[pair[axis]]:
                    pair = found.setdefault((rest, is_first, unit), {})
                pair.setdefault(axis, i)
        return found

    def box_columns(self) -> Optional[Part]:
        """Return the columns of boxes, if there are any."""
        columns = {re.sub(BOX_PREFIX, "", key): i for i, key in reversed([*enumerate(self.keys)])}
        for words in BOX_SIDE_NAMES:
            # bbox_x is the side of a box, and x its middle
            if {*words} <= {*columns} and (words[0] != "x" or "x" not in self.keys):
                x, y, *box = map(columns.__getitem__, words)
                return Part(x, y, box=tuple(box), is_corner=words in CORNER_NAMES)
        return None

    def add_part(self, animal: str, point: str, columns: Any) -> None:
        for axis in "xy":
            if axis not in columns:
                raise Refused(
                    f": there is no column {axis} of {f'{animal} {point}'.strip()}; each animal or point has an x and a y"
                )
        place = columns["x"], columns["y"], animal, point, columns.get("likelihood")
        self.parts.append(Part(*place, mark=columns.get("mark")))

    def column_of_key(self, *keys: str) -> Optional[int]:
        """Return the first column with one of these keys."""
        return next((i for i, key in enumerate(self.keys) if key in keys), None)

    def place_pairs(self, whole: Any) -> List[Any]:
        """Return the pairs of columns that may be the one place in a row, and their kinds: place, map, globe. The best is the first."""
        known: List[Any] = [
            (*pair, "place")
            for rest, *pair in whole
            if WORDS_BESIDE_AXIS.fullmatch(name_stem(rest))
        ]
        known.sort(
            key=lambda pair: ("wcentroid" not in self.keys[pair[0]], len(self.keys[pair[0]]))
        )
        known.append((self.column_of_role("easting"), self.column_of_role("northing"), "map"))
        known.append((self.column_of_role("longitude"), self.column_of_role("latitude"), "globe"))
        return [pair for pair in known if None not in pair]

    def find_parts(self, animal: Optional[int]) -> str:
        """Find the places in a row. Return what they are: place, map, globe, points or animals."""
        pairs, box = self.axis_pairs(), self.box_columns()
        whole = [(rest, of["x"], of["y"]) for (rest, *_), of in pairs.items() if len(of) == 2]
        several = {
            rest: axes
            for (rest, is_first, _), axes in pairs.items()
            if rest[-1:].isdigit()
            and (is_first or name_stem(rest.rstrip("0123456789")) in ("", *ROLES["id"]))
        }
        known = self.place_pairs(whole)
        if known:
            x, y = self.first_of_rivals([pair[:2] for pair in known], "x y")
            self.parts = [Part(x, y)]
            sizes = next((size for size in SIZE_NAMES if {*size} <= {*self.keys}), None)
            if self.keys[x] == "x" and sizes and "x" not in self.given:
                option = self.columns_option(
                    "left top width height", [x, y, *map(self.keys.index, sizes)]
                )
                self.rivals.append(
                    f"x, y are taken as the middle of a box; if they are its corner: {option}"
                )
            return str(known[0][2])
        if box and (animal is not None or not several):
            self.parts = [box]
            return "place"
        if several and animal is not None:
            raise Refused(
                f": it has an animal in each row ({self.raw[animal]}) and x and y of several; {argument('columns', 'id=')} or x=NAME,y=NAME "
                "says which count"
            )
        if (
            box
            and len(several) == 2
            and self.begin
            and are_corners(self.cells_below_header(), (box.x, box.y, *box.box))
        ):
            option = self.columns_option("left top right bottom", (box.x, box.y, *box.box))
            self.rivals.append(f"x and y of two animals may be two corners of a box: {option}")
        column = self.column_of_role("pair")
        if column is not None and re.fullmatch(r"[(\[].*[\s,;].*[)\]]", self.first_cell(column)):
            self.parts = [Part(*self.split_column(column))]
            return "place"
        points = {rest: axes for (rest, *_), axes in pairs.items()} if whole else {}
        for rest, axes in (several or points).items():
            words = (name_stem(f"{rest}.{word}") for word in ("score", "likelihood", "confidence"))
            axes["likelihood"] = self.column_of_key(f"probid{rest}", *words)
            axes["mark"] = None if self.begin else self.column_of_key(f"mark{rest}")
            self.add_part(*((rest, "") if several else ("", rest)), axes)
        return "animals" if several else "points"

    def find_roles(self) -> None:
        """Find the roles of columns with names; refuse a table that has no places or moments."""
        keys, roles = self.keys, self.roles
        if {"step", "time", "id", "type"} <= {*self.raw}:
            raise Refused(
                ": this is a trajectory of boids, not of tracks; boids-analyse, boids-plot and boids.read() read it"
            )
        animal = self.column_of_role("id", "id")
        kind = self.find_parts(animal)
        if not self.parts and {"space", "position"} <= {*keys}:
            column, roles["space"], kind = keys.index("position"), keys.index("space"), "place"
            self.parts = [Part(column, column)]
        if not self.parts:
            raise Refused(
                f": not a table of tracks: its columns are {self.shown_columns()}{self.where}; expected is {expected_table()}"
            )
        self.find_moment()
        if not self.moment and kind in ("place", "map", "globe") and "frame" not in self.given:
            raise Refused(
                f": it has no column of frames or times; {argument('columns', 'frame=NAME')} names it, and with frame= rows are frames; "
                f"its columns are {self.shown_columns()}"
            )
        is_one = len(self.parts) == 1
        if is_one and self.parts[0].likelihood is None:
            self.parts[0].likelihood = self.column_of_role("confidence")
        has_group = "group" in self.given or animal is not None and "arena" in keys
        ids = self.column_of_role("group") if has_group else None, animal
        self.ids = tuple(i for i in ids if i is not None)
        self.flags = {
            keys.index(name): word for name, word in FLAG_MEANINGS.items() if name in keys
        }
        wanted = ["keypoint", "height", *["zone"] * (kind == "map")]
        if (
            is_one
            and "space" not in roles
            and self.columns_of_role("vx")
            and self.columns_of_role("vy")
        ):
            wanted += ["vx", "vy"]
        roles.update({role: i for role in wanted for i in self.columns_of_role(role)[:1]})
        self.is_globe = kind == "globe"
        if kind in ("map", "globe"):
            self.y_axis = "up"
        self.default = "Body" * any(part.point == "Body" for part in self.parts)
        names, used = list(map(str.casefold, self.raw)), self.columns_with_role()
        firsts = [names.index(name) for name in names]
        self.twins = [(i, k) for i, k in enumerate(firsts) if i not in used and k in used]


def is_header(cells: Sequence[str], is_first: bool) -> bool:
    """Return whether a row names places, or begins a table without a header."""
    names = [split_unit(cell)[0] for cell in cells]
    keys = {re.sub(BOX_PREFIX, "", name_stem(name)) for name in names}
    places = {*ROLES["latitude"], *ROLES["northing"], *ROLES["pair"], *next(zip(*CORNER_NAMES))}
    others = {*ROLES["frame"], *ROLES["time"], *ROLES["id"]}  # a line Location;Kiel has none
    return (
        cells[0] in POSE_HEADERS
        or is_first
        and are_cells(cells)
        or {"x", "y"} <= {axis_of(name)[0] for name in names}
        or not (places.isdisjoint(keys) or others.isdisjoint(keys))
    )
