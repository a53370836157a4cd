"""Reads files of animal trackers into one table with a row per detection: its animal, its frame or time, and its place.

A file is a table: text (TextTable, here) or arrays (ArrayTable: DataFrames, and the binary files of track_files.py). LAYOUTS find the
roles of its columns in its header. Then every cell is read as text. It is used, counted in Detections.left_out, or refused with its line.
docs/animals.md lists the programs.
"""

import csv
import itertools
import re
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import pandas as pd

from .plotting.errors import Refused, did_you_mean, note

# The names that a column may have, by its role, without units in brackets; the first of them that the file has is used.
FRAMES = ("frame", "frame_idx", "frame_number", "imageNumber")
TIMES = ("time", "seconds", "timestamp", "t")
IDS = (
    "track_fixed",
    "track",
    "individual-local-identifier",
    "individual_local_identifier",
    "individual",
    "individuals",
    "particle",
    "TRACK_ID",
    "id",
)
PLACES = (
    ("x", "y"),
    ("X#wcentroid", "Y#wcentroid"),
    ("X", "Y"),
    ("utm-easting", "utm-northing"),
    ("utm_easting", "utm_northing"),
    ("POSITION_X", "POSITION_Y"),
    ("Pos. X", "Pos. Y"),
    ("pos_x", "pos_y"),
    ("location-long", "location-lat"),
    ("longitude", "latitude"),
    ("lon", "lat"),
)
GLOBE = ("location-long", "longitude", "lon")
KEYPOINTS, LIKELIHOODS = ("keypoint", "keypoints"), ("likelihood", "confidence", "probability")
HEIGHTS, ZONES = ("z", "POSITION_Z"), ("utm-zone", "utm_zone")
FLAGS = {
    "ignore": True,
    "missing": True,
    "visible": False,
}  # columns of trackdf, TRex and Movebank, and what marks a detection as missing
WORDS = {
    **dict.fromkeys(("true", "1", "1.0", "t", "yes"), True),
    **dict.fromkeys(("false", "0", "0.0", "f", "no"), False),
}
ABSENT = {
    "",
    "na",
    "n/a",
    "#n/a",
    "<na>",
    "nan",
    "none",
    "null",
    "inf",
    "-inf",
    "+inf",
    "infinity",
    "-infinity",
    "-",
}
HEADERS = ("scorer", "individuals", "bodyparts", "coords")
DEGREES = "longitudes and latitudes"
EXPECTED = "a table with a frame or time, an id, x and y (docs/animals.md lists the names)"

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
COMMA = re.compile(r"[+-]?\d*,(\d+)([eE][+-]?\d+)?", re.ASCII)
SECONDS = {
    "": 1,
    "s": 1,
    "sec": 1,
    "second": 1,
    "ms": 1e-3,
    "msec": 1e-3,
    "millisecond": 1e-3,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hr": 3600,
    "hour": 3600,
    "d": 86400,
    "day": 86400,
}  # of the units of times; an s may follow
DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
CLOCKS = (" %H:%M:%S.%f", " %H:%M:%S", " %H:%M", "", " %I:%M:%S %p", " %I:%M %p")
CELLS = 200_000  # the most cells that are held as text


@dataclass
class Part:
    """The columns of one animal, of one point of its body, or of all animals if Layout.ids has columns."""

    x: int
    y: int
    animal: str = ""  # empty: it is in Layout.ids, or the file has one animal
    point: str = ""
    likelihood: Optional[int] = None
    size: Tuple[int, ...] = ()  # columns of the width and height of a box whose corner is (x, y)
    mark: Optional[int] = None  # negative where the animal is absent


@dataclass
class Layout:
    """The roles of the columns of a table; columns are numbers from 0."""

    parts: List[Part]
    moment: Tuple[int, ...] = ()  # empty: rows are successive frames
    kind: str = "frame"  # what is in `moment`: frame, time or image
    seconds: Optional[float] = 1  # per unit of a time; None: the unit is not known
    ids: Tuple[int, ...] = ()  # two: an arena and an animal in it
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
    others: List[str] = field(default_factory=list)  # columns without a role in a table without ids
    default: str = ""  # the point that stands for the animal if there is no --keypoint
    is_even: bool = False  # times are those of successive frames, some of which may be missing
    is_globe: bool = False  # x and y are longitude and latitude
    y_axis: str = "down"


@dataclass
class Detections:
    """The n detections in one file, in its order."""

    path: str
    names: List[str]  # names of the animals; empty: the file has one animal
    codes: np.ndarray  # int (n), indices of names
    moments: np.ndarray  # float64 (n)
    places: np.ndarray  # float64 (n, 2), in units of the file
    plane: str  # the kind of the places; all files of one call must have the same
    lines: np.ndarray  # int (n): the line in the file
    kind: str  # what moments are: frame, time (seconds) or date (seconds since 1970)
    is_even: bool
    y_axis: str
    left_out: Dict[str, List[int]]  # reason: [number of rows, first line]
    others: List[str]  # Layout.others


class TextTable:
    """Cells, as text, of a file that is separated by commas, semicolons, tabs or spaces."""

    layout = None

    def __init__(self, path: str) -> None:
        self.path = path
        with open(path, "rb") as file:
            start = file.read(4096)
        self.encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        if self.encoding != "utf-16" and b"\0" in start:
            raise Refused(f"{path}: it is neither text nor a file of a tracker that is known")
        self.separator = ","
        with self._open() as file:
            line = next((line for line in file if line.strip()), "")
        self.separator = max(
            ",;\t", key=lambda mark: len(next(csv.reader([line], delimiter=mark), []))
        )
        if self.separator not in line and len(line.split()) > 1:
            self.separator = " "
        self.head = [row for _, (row,) in itertools.islice(self._rows(1), 6)]
        if not self.head:
            raise Refused(f"{path}: it is empty")
        self.width = len(self.head[0]) - (not self.head[0][-1])  # idTracker ends lines with a tab
        self.head = [row + [""] * (self.width - len(row)) for row in self.head]

    def _open(self) -> Any:
        return open(self.path, encoding=self.encoding, errors="surrogateescape", newline="")

    def _rows(self, most: int) -> Iterator[Tuple[Sequence[int], Sequence[List[str]]]]:
        """Yield the lines of up to `most` rows at a time, and their cells. Empty rows are skipped."""
        with self._open() as file:
            reader, begin = (
                csv.reader(file, delimiter=self.separator, skipinitialspace=True, strict=True),
                0,
            )
            try:
                while rows := list(itertools.islice(reader, most)):
                    if reader.line_num - begin != len(rows):
                        raise Refused(
                            f"{self.path}:{begin + 1}: a cell after this line has a line break; is a quotation mark missing?"
                        )
                    lines: Sequence[int] = range(begin + 1, reader.line_num + 1)
                    begin = reader.line_num
                    if not all(map(any, rows)):
                        lines, rows = [line for line, row in zip(lines, rows) if any(row)], [
                            row for row in rows if any(row)
                        ]
                    if rows:
                        yield lines, rows
            except (csv.Error, UnicodeError) as error:
                raise Refused(
                    f"{self.path}:{reader.line_num}: not a table of tracks: {error}"
                ) from None

    def chunks(self, begin: int) -> Iterator[Tuple[np.ndarray, Sequence[Any]]]:
        """Yield the lines and the columns of the rows after the header, many thousands at a time."""
        for lines, rows in self._rows(max(9, CELLS // self.width)):
            lines, rows, begin = lines[begin:], rows[begin:], max(0, begin - len(rows))
            for line, row in zip(lines, rows) if set(map(len, rows)) - {self.width} else ():
                if len(row) != self.width:
                    if len(row) < self.width or any(row[self.width :]):
                        raise Refused(
                            f"{self.path}:{line}: {len(row)} cells; the first row has {self.width}"
                        )
                    del row[self.width :]
            if rows:
                yield np.array(lines, np.int32), list(zip(*rows))


class ArrayTable:
    """A table of numbers or texts, from a DataFrame or a binary file. Messages count its rows from 0, as lines of a file."""

    separator = "array"

    def __init__(
        self,
        path: str,
        head: List[List[str]],
        columns: Sequence[np.ndarray],
        layout: Optional[Layout] = None,
    ) -> None:
        self.path, self.head, self.columns, self.layout, self.width = (
            path,
            head,
            columns,
            layout,
            len(columns),
        )

    def chunks(self, _: int) -> Iterator[Tuple[np.ndarray, Sequence[Any]]]:
        if self.width and len(self.columns[0]):
            yield np.arange(len(self.columns[0]), dtype=np.int32), self.columns


def table_of(frame: Any) -> ArrayTable:
    """Return the table of a DataFrame. An index with a name is a column; several levels of columns are the header rows of poses."""
    if frame.columns.nlevels == 1 and any(frame.index.names):
        frame = pd.concat(
            [frame.index.to_frame(index=False), frame.reset_index(drop=True)], axis=1
        )  # their names may be the same
    if not frame.shape[1]:
        raise Refused("the DataFrame: not a table of tracks: it has no columns")
    columns = [frame.iloc[:, i] for i in range(frame.shape[1])]
    head = [list(map(str, frame.columns))]
    if frame.columns.nlevels > 1:
        head = [
            [str(name), *map(str, frame.columns.get_level_values(name))]
            for name in frame.columns.names
        ]
        columns.insert(0, frame.index.to_series())
    return ArrayTable(
        "the DataFrame",
        head,
        [
            column.to_numpy()
            if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf"
            else column.astype(str).to_numpy(object)
            for column in columns
        ],
    )


# The layouts: each function returns the Layout of a table of its kind, or None.


def is_number(cell: Any) -> bool:
    return bool(NUMBER.fullmatch(str(cell).strip()))


class Header:
    """The names of the columns of a table, and apart from these their units, which are in brackets."""

    def __init__(self, table: Any) -> None:
        self.names = [re.sub(r"\s*[(\[].*[)\]]$", "", name).strip() for name in table.head[0]]
        self.units = [
            name.strip()[len(short) :].strip(" ()[]").casefold()
            for name, short in zip(table.head[0], self.names)
        ]
        self.twins: List[Tuple[int, int]] = []
        self.known: set = set()  # columns that were found

    def find(self, *names: str) -> Optional[int]:
        """Return the column of the first of these names that the table has; capitals may differ."""
        for fold in (str, str.casefold):
            for name in names:
                found = [i for i, other in enumerate(self.names) if fold(other) == fold(name)]
                if found:
                    self.known.update(found)
                    self.twins += [(found[0], other) for other in found[1:]]
                    return found[0]
        return None

    def common(self) -> Dict[str, Any]:
        """Return the fields of a Layout that all layouts with a header have; without `moment`, there are neither frames nor times."""
        frame, time = self.find(*FRAMES), self.find(*TIMES)
        unit = self.units[time].removesuffix("s") if time is not None else ""
        found: Dict[str, Any] = {"twins": self.twins, "units": self.units}
        if frame is not None or unit == "frame":
            found.update(moment=(time if frame is None else frame,))
        elif time is not None:
            found.update(
                moment=(time,),
                kind="time",
                seconds=SECONDS.get(self.units[time], SECONDS.get(unit)),
            )
        return found


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
    """Find the layout of tables without a header: MOTChallenge (frame, id, left, top, width, height, confidence, ...), ToxTrac (frame,
    arena, track, x, y, label) and Ctrax (id, x, y and three more for each animal)."""
    if not all(is_number(cell) or cell.lower() in ABSENT for cell in table.head[0]):
        return None
    if table.separator == "\t" and table.width == 6:
        return Layout([Part(3, 4)], (0,), ids=(1, 2), begin=0)
    if table.separator == "," and 7 <= table.width <= 10:
        return Layout([Part(2, 3, size=(4, 5))], (0,), ids=(1,), begin=0, flags={6: False})
    if table.width % 6 == 0:
        return Layout(
            [Part(i + 1, i + 2, str(i // 6), mark=i) for i in range(0, table.width, 6)],
            begin=0,
            y_axis="up",
        )
    raise Refused(
        f"{table.path}: it has no header; expected is {EXPECTED}, or a file of MOTChallenge, ToxTrac or Ctrax"
    )


def from_points(table: Any) -> Optional[Layout]:
    """Find the layout of SLEAP (nose.x, nose.y, nose.score) and FastTrack (xHead, yHead, xBody, yBody), which have several points in a
    row."""
    header = Header(table)
    form = (
        ("{axis}{point}", r"[xy]([A-Z]\w*)")
        if header.find("imageNumber") is not None
        else ("{point}.{axis}", r"(.+)\.[xy]")
    )
    points = list(
        dict.fromkeys(
            match[1] for match in (re.fullmatch(form[1], name) for name in header.names) if match
        )
    )
    columns = [
        [header.find(form[0].format(axis=axis, point=point)) for axis in ("x", "y", "score")]
        for point in points
    ]
    animal = header.find(*IDS)
    for point, (x, y, _) in zip(points, columns):
        if x is None or y is None:
            raise Refused(f"{table.path}: the point {point} has no {'x' if x is None else 'y'}")
    return (
        Layout(
            [Part(x, y, "", point, score) for point, (x, y, score) in zip(points, columns)],
            ids=(animal,) if animal is not None else (),
            default="Body" if "Body" in points else "",
            **header.common(),
        )
        if points
        else None
    )


def from_wide(table: Any) -> Optional[Layout]:
    """Find the layout of idtracker.ai and idTracker: a pair of columns per animal (x1, y1; X1, Y1, ProbId1)."""
    header = Header(table)
    animals = sorted({int(name[1:]) for name in header.names if re.fullmatch("[xyXY][0-9]+", name)})
    columns = [
        [header.find(f"{name}{animal}") for name in ("x", "y", "ProbId")] for animal in animals
    ]
    for animal, (x, y, _) in zip(animals, columns):
        if x is None or y is None:
            raise Refused(
                f"{table.path}: there is no column {'x' if x is None else 'y'}{animal}; each animal has an x and a y"
            )
    return (
        Layout(
            [
                Part(x, y, str(animal), "", likelihood)
                for animal, (x, y, likelihood) in zip(animals, columns)
            ],
            is_even=True,
            **header.common(),
        )
        if animals
        else None
    )


def from_tidy(table: Any) -> Layout:
    """Find the layout of tables with a row per detection: trackdf, idtracker.ai, TRex, trackpy, Movebank, TrackMate, ToxTrac, tracktor,
    movement and others."""
    header = Header(table)
    if {"step", "time", "id", "type"} <= set(header.names):
        raise Refused(
            f"{table.path}: this is a trajectory of boids, not of tracks; boids-analyse, boids-plot and boids.read() read it"
        )
    pair = next((pair for pair in PLACES if set(pair) <= set(header.names)), None) or next(
        (pair for pair in PLACES if None not in map(header.find, pair)), None
    )
    space = header.find("space") if "position" in header.names else None
    if pair is None and space is None:
        raise Refused(
            f"{table.path}: not a table of tracks: its columns are {', '.join(table.head[0][:8])}; expected is {EXPECTED}"
        )
    header.twins.clear()
    (x, y), common = map(header.find, pair or ("position", "position")), header.common()
    if "moment" not in common:
        raise Refused(
            f"{table.path}: it has no column of frames or times; it must have one of {', '.join(FRAMES + TIMES)}; "
            f"its columns are {', '.join(table.head[0][:8])}"
        )
    columns = [header.find(*names) for names in (("Arena",), IDS)]
    is_globe, is_map = pair in PLACES[-3:], pair in PLACES[3:5] + PLACES[-3:]
    flags = {header.find(name): word for name, word in FLAGS.items()}
    # Three rows with names and units follow the header of TrackMate.
    more = (
        3
        if len(table.head) > 3 and (header.names[x], table.head[1][x]) == ("POSITION_X", "X")
        else 0
    )
    if more:
        common["units"] = [cell.strip(" ()").casefold() for cell in table.head[more]]
    part = Part(x, y, "", "", header.find(*LIKELIHOODS))
    point, height, zone = (header.find(*names) for names in (KEYPOINTS, HEIGHTS, ZONES))
    others = [
        name
        for i, name in enumerate(header.names)
        if name and i not in header.known and columns[1] is None
    ]
    return Layout(
        [part],
        others=others,
        ids=tuple(i for i in columns if i is not None) if columns[1] is not None else (),
        flags={i: word for i, word in flags.items() if i is not None},
        point=point,
        space=space,
        begin=1 + more,
        height=height,
        zone=zone if is_map and not is_globe else None,
        is_globe=is_globe,
        y_axis="up" if is_map else "down",
        **common,
    )


LAYOUTS = (
    from_pose,
    from_headless,
    from_points,
    from_wide,
    from_tidy,
)  # in the order in which they are tried


class Reader:
    """Reads the rows of one table with its layout."""

    def __init__(self, table: Any, layout: Layout, keypoint: Optional[str], least: float) -> None:
        self.table, self.layout, self.keypoint, self.least = table, layout, keypoint, least
        self.animals: Dict[str, int] = {}
        self.words: set = set()  # the ids as they are written
        self.dates: Dict[
            str, int
        ] = {}  # texts of the column of times, in the order of their first lines
        self.date_lines: List[int] = []
        self.seen: Dict[str, str] = {}  # what all rows must have in common
        self.left_out: Dict[str, List[int]] = {}
        self.dot = (
            self.comma
        ) = self.rows = 0  # the first lines with a decimal point and with a comma; rows so far
        self.digits: set = set()  # numbers of digits after decimal commas
        self.found: List[List[np.ndarray]] = []

    def refuse(self, line: int, what: str) -> None:
        raise Refused(f"{self.table.path}:{line}: {what}")

    def name(self, column: int) -> str:
        return (self.layout.begin and self.table.head[0][column].strip()) or f"column {column + 1}"

    def leave_out(self, why: str, mask: np.ndarray, lines: np.ndarray) -> None:
        if mask.any():
            self.left_out.setdefault(why, [0, int(lines[np.argmax(mask)])])[0] += int(mask.sum())

    def numbers(self, cells: Any, lines: np.ndarray, column: int) -> np.ndarray:
        """Return float64 (n): NaN where a cell is empty or a word such as NA; other cells that are no numbers are refused."""
        if isinstance(cells, np.ndarray) and cells.dtype.kind in "iufb":
            return np.where(np.isfinite(cells), cells, np.nan).astype(np.float64)
        text = "".join(cells)
        if "." in text and not self.dot:
            self.dot = int(next(line for line, cell in zip(lines, cells) if "." in cell))
        if text.isascii() and not text.encode().translate(None, b"0123456789.eE+-"):
            try:
                return np.array([float(cell) for cell in cells])
            except ValueError:
                pass  # a cell is empty, or wrong
        return np.array(
            [self.number(cell.strip(), line, column) for cell, line in zip(cells, lines)]
        )

    def number(self, cell: str, line: int, column: int) -> float:
        if NUMBER.fullmatch(cell):
            return float(cell)
        comma = COMMA.fullmatch(cell)
        if comma:
            self.comma = self.comma or int(line)
            self.digits.add(len(comma[1]))
            return float(cell.replace(",", "."))
        if cell.lower() not in ABSENT:
            self.refuse(line, f'{self.name(column)} is "{cell[:40]}"; it must be a number')
        return np.nan

    def check_commas(self) -> None:
        if self.comma and self.dot:
            self.refuse(
                self.comma,
                f"a number has a decimal comma; others, from line {self.dot} on, have a decimal point",
            )
        if self.digits == {3} and self.table.separator == ",":
            self.refuse(
                self.comma,
                "a comma before three digits may be a decimal comma or separate thousands; write a point, or remove it",
            )
        if self.comma and self.table.separator == ",":
            note(f"{self.table.path}: numbers have decimal commas (first: line {self.comma})")

    def same(self, what: str, text: str, line: int, remedy: str) -> None:
        """Refuse a text that differs from that of the rows before."""
        if self.seen.setdefault(what, text) != text:
            self.refuse(line, f"{what} is {text} here, and {self.seen[what]} before; {remedy}")

    def moments(self, cells: Sequence[Any], lines: np.ndarray) -> np.ndarray:
        """Return the frames or seconds of the rows, or the indices of their texts in self.dates."""
        layout = self.layout
        if not layout.moment:
            return np.arange(self.rows, self.rows + len(lines), dtype=np.float64)
        if layout.kind == "image":
            return np.array(
                [
                    self.image("/".join(map(str, row)).strip(), line)
                    for *row, line in zip(*(cells[i] for i in layout.moment), lines)
                ]
            )
        (column,) = layout.moment
        if layout.kind == "time" and not (
            isinstance(cells[column], np.ndarray) and cells[column].dtype.kind in "iuf"
        ):
            first = next(
                (cell for cell in cells[column] if cell.strip().lower() not in ABSENT), "0"
            ).strip()
            if self.dates or not (is_number(first) or COMMA.fullmatch(first)):
                codes, words = pd.factorize(np.array(cells[column], object))
                places = np.array([self.dates.setdefault(word, len(self.dates)) for word in words])
                self.date_lines += lines[
                    np.unique(codes, return_index=True)[1][places >= len(self.date_lines)]
                ].tolist()
                return places[codes].astype(np.float64)
        found = self.numbers(cells[column], lines, column)
        wrong = (np.abs(found) >= 2**53) | (
            (layout.kind == "frame") & np.isfinite(found) & (found != np.rint(found))
        )
        if wrong.any():
            k = int(np.argmax(wrong))
            self.refuse(
                lines[k],
                f"{self.name(column)} {found[k]:g} is not a whole number"
                + " below 2^53" * bool(abs(found[k]) >= 2**53),
            )
        return found

    def image(self, text: str, line: int) -> float:
        """Return the number at the end of the name of an image."""
        match = re.fullmatch(r"(.*?)(\d+)(\.\w+)?", text)
        if match is None:
            self.refuse(line, f'"{text[:60]}" is neither a frame nor an image with a number')
        self.same(
            "the name of the images",
            f"{match[1]}...{match[3]}",
            line,
            "convert one video at a time",
        )
        return float(match[2])

    def date_values(self) -> np.ndarray:
        """Return the seconds since 1970 of the texts in self.dates, by the one format that fits all of them."""
        words = [
            re.sub(" ?(Z|UTC)$", "+0000", re.sub("(?<=[0-9])T", " ", word.strip()))
            for word in self.dates
        ]
        given = [i for i, word in enumerate(words) if word.lower() not in ABSENT]
        name = self.name(self.layout.moment[0])
        formats, texts, lines, values = (
            [],
            pd.Series(words, dtype=object)[given],
            self.date_lines,
            {},
        )
        for form in (
            date + clock + zone for date in DATES for clock in CLOCKS for zone in ("", "%z")
        ):
            if pd.to_datetime(texts.iloc[:1], format=form, errors="coerce", utc=True).notna().all():
                formats.append(form)
        for form in formats:
            found = pd.to_datetime(texts, format=form, errors="coerce", utc=True)
            if found.notna().all():
                values[form] = found
            elif len(formats) == 1 or form == formats[-1] and not values:
                k = int(found.isna().to_numpy().argmax())
                self.refuse(
                    lines[given[k]],
                    f'{name} is "{texts.iloc[k]}", but "{texts.iloc[0]}" in line {lines[given[0]]}',
                )
        if not formats:
            self.refuse(
                lines[given[0]],
                f'{name} is "{texts.iloc[0]}"; it must be a number or a date such as 2020-02-11 12:00:00',
            )
        first, *others = values.values()
        for other in others:
            if (first != other).any():
                k = int((first != other).to_numpy().argmax())
                self.refuse(
                    lines[given[k]],
                    f"{texts.iloc[k]} may be {first.iloc[k]:%Y-%m-%d} or {other.iloc[k]:%Y-%m-%d}; write the year first",
                )
        result = np.full(len(words), np.nan)
        result[given] = (first - pd.Timestamp(0, tz="UTC")).dt.total_seconds()
        return result

    def codes(self, cells: Sequence[Any]) -> np.ndarray:
        """Return the index of the animal of each row, -1 for a row without an id."""
        levels = []
        for column in (cells[i] for i in self.layout.ids):
            numbers = isinstance(column, np.ndarray) and column.dtype.kind in "iuf"
            if numbers:
                codes, words = pd.factorize(column)  # -1: NaN
            else:  # pandas would confuse texts with bytes that are not UTF-8
                words = {word: i for i, word in enumerate(dict.fromkeys(column))}
                codes = np.fromiter(map(words.__getitem__, column), np.int64, len(column))
            self.words.update(map(str, words) if len(self.layout.ids) == 1 else ())
            names = [*(str(word).strip() for word in words), ""]
            levels.append(
                [
                    [
                        ""
                        if name.lower() in ABSENT or (name == "-1" and not self.layout.begin)
                        else name
                        for name in names
                    ],
                    codes,
                ]
            )
        names, codes = levels[-1]
        if len(levels) == 2:
            pairs, codes = np.unique(
                np.stack([levels[0][1], codes], axis=1), axis=0, return_inverse=True
            )
            names = [
                names[track] and f"{levels[0][0][arena]}/{names[track]}" for arena, track in pairs
            ]
        return np.array(
            [self.animals.setdefault(name, len(self.animals)) if name else -1 for name in names],
            np.int32,
        )[codes.reshape(-1)]

    def kept(self, cells: Sequence[Any], lines: np.ndarray) -> np.ndarray:
        """Return whether each row counts. This also checks the columns whose value concerns all rows."""
        layout, kept = self.layout, np.ones(len(lines), bool)
        for one, other in layout.twins:
            for line, a, b in zip(lines, cells[one], cells[other]):
                if a != b and not (a != a and b != b):
                    self.refuse(line, f"two columns are called {self.name(one)}, and they differ")
        for column, wrong in layout.flags.items():
            words = [str(cell).strip().lower() for cell in cells[column]]
            values = [
                not wrong if word in ABSENT else WORDS.get(word, None if layout.begin else True)
                for word in words
            ]
            if None in values:
                self.refuse(
                    lines[values.index(None)],
                    f'{self.name(column)} is "{words[values.index(None)][:40]}"; it must be true or false',
                )
            marked = np.array(values) == wrong
            self.leave_out("are marked by the tracker", marked & kept, lines)
            kept &= ~marked
        if layout.zone is not None:
            for line, zone in zip(lines, cells[layout.zone]):
                if str(zone).strip():
                    self.same(
                        "the UTM zone",
                        str(zone).strip(),
                        line,
                        "they have no common plane; remove the columns of UTM: then longitudes and "
                        "latitudes are used",
                    )
        if layout.height is not None and "height" not in self.seen:
            heights = self.numbers(cells[layout.height], lines, layout.height)
            if len(np.unique(heights[np.isfinite(heights)])) > 1:
                self.seen["height"] = "noted"
                note(f"{self.table.path}: its third coordinate is not used")
        return kept

    def add(self, lines: np.ndarray, cells: Sequence[Any], parts: Sequence[Part]) -> None:
        """Read some rows."""
        layout, number = self.layout, lambda column: self.numbers(cells[column], lines, column)
        moments, kept = self.moments(cells, lines), self.kept(cells, lines)
        codes = self.codes(cells) if layout.ids else None
        side = (
            np.array([{"x": 0, "y": 1}.get(cell.strip(), 2) for cell in cells[layout.space]])
            if layout.space is not None
            else None
        )
        points = (
            np.array([str(cell).strip() for cell in cells[layout.point]])
            if layout.point is not None
            else None
        )
        if points is not None:
            self.seen.update(dict.fromkeys("point " + point for point in np.unique(points)))
            kept &= (points == self.keypoint) | (self.keypoint is None)
        self.leave_out("have no frame or time", kept & np.isnan(moments), lines)
        for part in parts:
            x, y = number(part.x), number(part.y)
            if part.size:
                x, y = x + number(part.size[0]) / 2, y + number(part.size[1]) / 2
            code = (
                codes
                if codes is not None
                else np.full(
                    len(lines), self.animals.setdefault(part.animal, len(self.animals)), np.int32
                )
            )
            rest = kept & np.isfinite(moments) & (np.isfinite(x) | np.isfinite(y))
            if part.mark is not None:
                rest &= number(part.mark) >= 0
            reasons = {
                "have only one coordinate": np.isfinite(x) != np.isfinite(y),
                "have no id": code < 0,
            }
            if part.likelihood is not None:
                reasons[f"have a likelihood below {self.least:g}"] = (
                    number(part.likelihood) < self.least
                )
            if side is not None:
                reasons["are neither x nor y"] = side == 2
            for why, mask in reasons.items():
                if why != "have no id" or self.animals:
                    self.leave_out(why, rest & mask, lines)
                    rest &= ~mask
            self.found.append(
                [
                    values[rest]
                    for values in (
                        code,
                        moments,
                        x,
                        y,
                        lines,
                        *([side] if side is not None else []),
                    )
                ]
            )
        self.rows += len(lines)

    def read(self) -> Detections:
        layout, path = self.layout, self.table.path
        parts = layout.parts
        if layout.point is None:
            point = choose_point(
                path, [part.point for part in parts], self.keypoint, layout.default
            )
            parts = [part for part in parts if part.point == point]
        for lines, cells in self.table.chunks(layout.begin):
            self.add(lines, cells, parts)
        self.check_commas()
        if layout.point is not None:
            choose_point(
                path, [name[6:] for name in self.seen if name.startswith("point ")], self.keypoint
            )
        codes, moments, x, y, lines, *side = (
            map(np.concatenate, zip(*self.found))
            if self.found
            else [np.empty(0)] * (5 + (layout.space is not None))
        )
        self.found.clear()
        if layout.ids and len(codes) and not self.animals:
            note(
                f"{path}: its column {self.name(layout.ids[-1])} is empty, so all rows are one animal"
            )
            self.animals, codes = {"": 0}, np.zeros(len(codes))
        if self.dates:
            moments = self.date_values()[moments.astype(np.int64)]
            self.leave_out("have no frame or time", np.isnan(moments), lines)
        elif layout.seconds is None:
            raise Refused(
                f"{path}: the unit of {self.name(layout.moment[0])} is not known; convert the times to s, ms, min or h"
            )
        else:
            moments = moments * layout.seconds
        places = np.stack([x, y], axis=1)
        rest = np.isfinite(moments) & (codes >= 0)
        if side:  # x and y of a detection are two rows
            table = pd.DataFrame(
                {
                    "code": codes,
                    "moment": moments,
                    "value": x,
                    "line": lines,
                    "row": np.arange(len(codes)),
                }
            )
            both = table[side[0] == 0].merge(
                table[side[0] == 1], on=["code", "moment"], suffixes=("", "_y")
            )
            self.leave_out(
                "have an x or a y alone",
                ~np.isin(table.row, np.concatenate([both.row, both.row_y])),
                lines,
            )
            codes, moments, lines, places = (
                both[name].to_numpy() for name in ("code", "moment", "line", ["value", "value_y"])
            )
            rest = np.ones(len(codes), bool)
        codes, moments, places, lines = (
            values if rest.all() else values[rest] for values in (codes, moments, places, lines)
        )
        wrong = layout.is_globe & (np.abs(places) > (360, 90)).any(axis=1)
        if wrong.any():
            self.refuse(
                lines[np.argmax(wrong)],
                f"{places[np.argmax(wrong)].tolist()} is not a longitude and a latitude",
            )
        return Detections(
            path,
            self.names(),
            codes.astype(np.int32),
            moments,
            places,
            self.plane(parts),
            lines,
            "date" if self.dates else "time" if layout.kind == "time" else "frame",
            layout.is_even,
            layout.y_axis,
            self.left_out,
            layout.others,
        )

    def plane(self, parts: Sequence[Part]) -> str:
        """Return Detections.plane. Refuse x and y in two units."""
        layout = self.layout
        if layout.is_globe:
            return DEGREES
        units = (
            sorted({layout.units[column] for part in parts for column in (part.x, part.y)})
            if layout.units
            else [""]
        )
        if len(units) > 1:
            raise Refused(
                f"{self.table.path}: its coordinates have different units: {' and '.join(unit or 'none' for unit in units)}"
            )
        zone = self.seen.get("the UTM zone")
        return (
            "coordinates"
            + f" in {units[0]}" * bool(units[0])
            + f" of UTM zone {zone}" * bool(zone)
            + f" (y {layout.y_axis})"
        )

    def names(self) -> List[str]:
        """Return the ids. Ids that pandas has written as floats lose their .0; if all animals have the same arena, it is left out."""
        names = list(self.animals)
        if len(self.layout.ids) == 2 and len({name.partition("/")[0] for name in names}) == 1:
            names = [name.partition("/")[2] for name in names]
        if len({word.strip() for word in self.words}) < len(self.words):
            note(
                f"{self.table.path}: ids that differ only in the spaces around them are one animal"
            )
        if any(re.search("[\udc80-\udcff]", name) for name in names):
            note(f"{self.table.path}: it is not UTF-8 and was read as Latin-1")
            names = [name.encode(errors="surrogateescape").decode("latin-1") for name in names]
        return (
            [name[:-2] for name in names]
            if all(re.fullmatch(r"\d+\.0", name) for name in names)
            else names
        )


def choose_point(
    path: str, points: Sequence[str], keypoint: Optional[str], default: str = ""
) -> str:
    """Choose the point of the body that stands for the animal."""
    points = list(dict.fromkeys(points))
    if keypoint is None and len(points) > 1 and not default:
        raise Refused(
            f"{path}: its animals have the keypoints {', '.join(points)}; choose one with --keypoint"
        )
    if keypoint is not None and keypoint not in points:
        hint = (
            did_you_mean(keypoint, points)
            or f"; its keypoints are {', '.join(filter(None, points)) or 'without names'}"
        )
        raise Refused(f"{path}: there is no keypoint {keypoint}{hint}")
    return keypoint or default or "".join(points)
