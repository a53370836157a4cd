"""Reads files of animal trackers into one table with a row per detection: its animal, its frame or time, and its place.

A file is a table: text (TextTable, here) or arrays (ArrayTable: DataFrames, and the binary files of track_files.py). track_layouts.py
finds the roles of its columns. Then every cell is read as text. It is used, counted in Detections.left_out, or refused with its line.
docs/animals.md lists the programs.
"""

import csv
import itertools
import re
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import pandas as pd

from ..core.messages import Refused, did_you_mean, note
from .track_layouts import (
    ABSENT,
    CLOCK,
    DEGREES,
    NUMBER,
    SECONDS,
    Layout,
    Part,
    is_header,
    is_number,
)

WORDS = {
    **dict.fromkeys(("true", "t", "yes"), True),
    **dict.fromkeys(("false", "f", "no"), False),
}
COMMA = re.compile(r"[+-]?\d*,(\d+)([eE][+-]?\d+)?", re.ASCII)
DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
CLOCKS = (" %H:%M:%S.%f", " %H:%M:%S", " %H:%M", "", " %I:%M:%S %p", " %I:%M %p")
CELLS = 200_000  # the most cells that are held as text
LINES = 60  # the header is searched in
VALUES = 50  # a column with more values does not distinguish recordings
RATE = re.compile(r"(?:frame ?_?rate|fps)[^\d\n]{0,5}(\d+(?:\.\d+)?)", re.I)


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
    unit: str  # of times, as the file gives it; empty: it does not
    y_axis: str
    left_out: Dict[str, List[int]]  # reason: [number of rows, first line]
    columns: Dict[str, str]  # roles and the columns that have them
    rivals: List[str]  # Layout.rivals
    watched: Dict[
        str, np.ndarray
    ]  # int (n): the values of the columns that may distinguish recordings
    fps: Optional[float] = None  # frames per second, if the file says it


class Table:
    """What text and arrays have in common. `begin_rows` rows of the header precede the data."""

    layout: Optional[Layout] = None
    begin_rows = 1
    pair: Optional[int] = None  # a column of texts such as "(1.5, 2)", which are two more columns
    given: Mapping[str, str] = {}  # {role: column} of --columns
    fps: Optional[float] = None
    path: str
    head: List[List[str]]
    width: int

    def split(self, column: int) -> Tuple[int, int]:
        """Give the two numbers of a column of pairs columns of their own, and return these."""
        self.pair = column
        self.head[0] += [f"{self.head[0][column]}"] * 2
        return self.width, self.width + 1

    def sample(self, column: int) -> str:
        """Return the cell of a column in the first row."""
        return (
            self.head[self.begin_rows][column].strip() if len(self.head) > self.begin_rows else ""
        )

    def where(self) -> str:
        return ""

    def whole(self, columns: Sequence[Any]) -> Sequence[Any]:
        if self.pair is None:
            return columns
        words = [re.findall(r"[^\s,;()\[\]]+", str(cell)) for cell in columns[self.pair]]
        halves = [[cell[k] if len(cell) == 2 else "" for cell in words] for k in (0, 1)]
        return [*columns, *halves]


class TextTable(Table):
    """Cells, as text, of a file that is separated by commas, semicolons, tabs or spaces."""

    separator = ""

    def __init__(self, path: str, given: Mapping[str, str], skip: int = 0) -> None:
        self.path, self.given, self.begin = path, given, skip
        with open(path, "rb") as file:
            start = file.read(4096)
        self.encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        if self.encoding != "utf-16" and b"\0" in start:
            raise Refused(f"{path}: it is neither text nor a file of a tracker that is known")
        with self._open() as file:
            lines = list(itertools.islice(file, LINES))
        if not any(map(str.strip, lines)):
            raise Refused(f"{path}: it is empty")
        header = self._find_header(lines)
        rate = RATE.search("".join(lines[: self.begin - skip]))
        self.fps = float(rate[1]) if rate else None
        self.head = [header, *(row for _, (row,) in itertools.islice(self._rows(1), 1, 6))]
        if (
            len(self.head) > 1
            and len(self.head[1]) == len(header) + 1
            and header[-1]
            and self.head[1][-1]
        ):
            header.insert(0, "")  # R: names of the rows
        self.width = len(header) - (not header[-1])  # idTracker ends lines with a tab
        self.head = [row + [""] * (self.width - len(row)) for row in self.head]
        self.head[0] = [
            name.encode(errors="surrogateescape").decode("latin-1")
            if re.search("[\udc80-\udcff]", name)
            else name
            for name in self.head[0]
        ]

    def _find_header(self, lines: List[str]) -> List[str]:
        """Find the line of the header, which may be a comment and follow others; set the separator. Return its names."""
        full = [i for i, line in enumerate(lines) if line.strip()]
        mark = re.match('"?sep=(.)', lines[full[0]], re.I)
        if mark and len(full) > 1:
            full, self.separator = full[1:], mark[1]
        is_first, found = True, full[0]
        for i in full:
            names = self._names(lines[i])
            if (
                set(self.given.values()) - {""} <= set(names)
                if self.given
                else is_header(names, is_first)
            ):
                found = i
                break
            is_first = is_first and lines[i].lstrip()[:1] in "#%"
        self.begin += found
        after = next((lines[i] for i in full if i > found), lines[found])
        is_comment = lines[found].lstrip()[:1] in ("#", "%")
        names = self._names(lines[found])
        self.separator = self.separator or separator_of(after if is_comment else lines[found])
        return names

    def _names(self, line: str) -> List[str]:
        """Return the cells of a line, without the sign of a comment."""
        line = re.sub("^\\s*[#%]+ *", "", line).strip("\n\r ")
        mark = self.separator or separator_of(line)
        return next(csv.reader([line], delimiter=mark, skipinitialspace=True), [""])

    def where(self) -> str:
        return f" (line {self.begin + 1})"

    def _open(self) -> Any:
        file = open(self.path, encoding=self.encoding, errors="surrogateescape", newline="")
        for _ in range(self.begin):
            next(file, None)
        return file

    def _rows(self, most: int) -> Iterator[Tuple[Sequence[int], Sequence[List[str]]]]:
        """Yield the lines of up to `most` rows at a time, and their cells. Empty rows are skipped."""
        with self._open() as file:
            reader = csv.reader(file, delimiter=self.separator, skipinitialspace=True, strict=True)
            first = begin = self.begin
            try:
                while rows := list(itertools.islice(reader, most)):
                    if first + reader.line_num - begin != len(rows):
                        raise Refused(
                            f"{self.path}:{begin + 1}: a cell after this line has a line break; is a quotation mark missing?"
                        )
                    lines: Sequence[int] = range(begin + 1, first + reader.line_num + 1)
                    begin = first + reader.line_num
                    if not all(map(any, rows)):
                        lines, rows = [line for line, row in zip(lines, rows) if any(row)], [
                            row for row in rows if any(row)
                        ]
                    if rows:
                        yield lines, rows
            except (csv.Error, UnicodeError) as error:
                raise Refused(
                    f"{self.path}:{first + reader.line_num}: not a table of tracks: {error}"
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
                yield np.array(lines, np.int32), self.whole(list(zip(*rows)))


def separator_of(line: str) -> str:
    """Return the separator of a line: the sign that makes the most cells, or spaces."""
    found = max(",;\t", key=lambda mark: len(next(csv.reader([line], delimiter=mark), [])))
    return " " if found not in line and len(line.split()) > 1 else found


class ArrayTable(Table):
    """A table of numbers or texts, from a DataFrame or a binary file. Messages count its rows from 0, as lines of a file."""

    separator = "array"

    def __init__(
        self,
        path: str,
        head: List[List[str]],
        columns: Sequence[np.ndarray],
        layout: Optional[Layout] = None,
        fps: Any = None,
    ) -> None:
        self.path, self.head, self.columns, self.layout = path, head, columns, layout
        is_rate = isinstance(fps, (int, float, np.number)) and 0 < fps < np.inf
        self.width, self.fps = len(columns), float(fps) if is_rate else None

    def sample(self, column: int) -> str:
        return str(self.columns[column][0]).strip() if len(self.columns[column]) else ""

    def chunks(self, _: int) -> Iterator[Tuple[np.ndarray, Sequence[Any]]]:
        if self.width and len(self.columns[0]):
            yield np.arange(len(self.columns[0]), dtype=np.int32), self.whole(self.columns)


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
    return ArrayTable("the DataFrame", head, list(map(cells_of, columns)))


def cells_of(column: Any) -> np.ndarray:
    """Return a column of a DataFrame as numbers, of seconds if they are differences of times, or texts."""
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else "O"
    if kind == "m":
        return column.dt.total_seconds().to_numpy()
    return column.to_numpy() if kind in "iuf" else column.astype(str).to_numpy(object)


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
        self.sizes: List[np.ndarray] = []  # of boxes
        self.unused = [i for i in range(table.width) if i not in {*layout.used(), table.pair}]
        # Columns that may distinguish recordings: the values of each and, per piece of rows, their indices.
        is_tidy = layout.begin and len(layout.parts) == 1 and table.width < 100
        self.watched: Dict[int, Dict[Any, int]] = {i: {} for i in self.unused if is_tidy}
        self.pieces: List[Dict[int, np.ndarray]] = []
        self.found: List[List[np.ndarray]] = []

    def refuse(self, line: int, what: str) -> None:
        raise Refused(f"{self.table.path}:{line}: {what}")

    def name(self, column: int) -> str:
        is_pose = self.table.head[0][:1] == ["scorer"]
        rows = self.table.head[1 : self.layout.begin] if is_pose else self.table.head[:1]
        words = (
            [row[column].strip() for row in rows if column < len(row)] if self.layout.begin else []
        )
        return " ".join(filter(None, words)) or f"column {column + 1}"

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
        if len(layout.moment) == 2:
            cells = {-1: [f"{a} {b}" for a, b in zip(*(cells[i] for i in layout.moment))]}
            column = -1
        elif layout.kind == "image":
            return np.array(
                [
                    self.image("/".join(map(str, row)).strip(), line)
                    for *row, line in zip(*(cells[i] for i in layout.moment), lines)
                ]
            )
        else:
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
        wrong = (layout.kind == "frame") & (
            (np.abs(found) >= 2**53) | (np.isfinite(found) & (found != np.rint(found)))
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
        words = ["1970-01-01 " + word if CLOCK.fullmatch(word) else word for word in words]
        if any(re.search(r":\d\d\.\d", word) for word in words):  # Python leaves .000 out
            words = [re.sub(r"(:\d\d:\d\d)(?![.:\d])", r"\1.0", word) for word in words]
        given = [i for i, word in enumerate(words) if word.lower() not in ABSENT]
        name, lines = self.name(self.layout.moment[0]), self.date_lines
        texts, values = pd.Series(words, dtype=object)[given], []
        for form in (d + clock + zone for d in DATES for clock in CLOCKS for zone in ("", "%z")):
            for some in (texts.iloc[:1], texts):
                found = pd.to_datetime(some, format=form, errors="coerce", utc=True)
                if found.isna().iloc[0]:
                    break
            else:
                values.append(found)
        if not values:
            self.refuse(
                lines[given[0]],
                f'{name} is "{texts.iloc[0]}"; it must be a number or a date such as 2020-02-11 12:00:00',
            )
        values = [found for found in values if found.notna().all()] or values[-1:]
        if values[0].isna().any():
            k = int(values[0].isna().to_numpy().argmax())
            self.refuse(
                lines[given[k]],
                f'{name} is "{texts.iloc[k]}", but "{texts.iloc[0]}" in line {lines[given[0]]}',
            )
        first, *others = values
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
        *groups, column = (cells[i] for i in self.layout.ids)
        if groups:
            column = [f"{str(a).strip()}/{str(b).strip()}" for a, b in zip(*groups, column)]
        if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
            codes, words = pd.factorize(column)  # -1: NaN
        else:  # pandas would confuse texts with bytes that are not UTF-8
            words = {word: i for i, word in enumerate(dict.fromkeys(column))}
            codes = np.fromiter(map(words.__getitem__, column), np.int64, len(column))
        self.words.update(() if groups else map(str, words))
        found = []
        for name in (*(str(word).strip() for word in words), ""):
            last = name.rpartition("/")[2] if groups else name
            is_absent = last.lower() in ABSENT or last == "-1" and not self.layout.begin
            found.append(-1 if is_absent else self.animals.setdefault(name, len(self.animals)))
        return np.array(found, np.int32)[codes]

    def truth(self, word: str) -> Optional[bool]:
        """Return what a cell of a flag says; TRex writes 0.000. The confidence of MOTChallenge is a number above 0."""
        if is_number(word) and (float(word) in (0, 1) or not self.layout.begin):
            return float(word) != 0
        return WORDS.get(word, None if self.layout.begin else True)

    def kept(self, cells: Sequence[Any], lines: np.ndarray) -> np.ndarray:
        """Return whether each row counts. This also checks the columns whose value concerns all rows."""
        layout, kept = self.layout, np.ones(len(lines), bool)
        for one, other in layout.twins:
            for line, a, b in zip(lines, cells[one], cells[other]):
                if a != b and not (a != a and b != b):
                    self.refuse(line, f"two columns are called {self.name(one)}, and they differ")
        for column, wrong in layout.flags.items():
            words = [str(cell).strip().lower() for cell in cells[column]]
            values = [not wrong if word in ABSENT else self.truth(word) for word in words]
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
            if part.box:
                width, height = number(part.box[0]), number(part.box[1])
                if part.is_corner:
                    width, height = width - x, height - y
                self.sizes.append(np.stack([width, height]))
                x, y = x + width / 2, y + height / 2
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
            if self.watched:
                self.watch(cells, rest)
        self.rows += len(lines)

    def watch(self, cells: Sequence[Any], rest: np.ndarray) -> None:
        """Keep the values of the columns that may distinguish recordings; those with many values do not."""
        piece = {}
        for column, known in list(self.watched.items()):
            texts = list(map(str, cells[column]))
            for text in dict.fromkeys(texts):
                known.setdefault(text, len(known))
            if len(known) > VALUES:
                del self.watched[column]
            else:
                piece[column] = np.array([known[text] for text in texts], np.int16)[rest]
        self.pieces.append(piece)

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
        elif layout.kind == "time":
            moments = self.seconds(moments)
        watched = {
            self.name(i): np.concatenate([piece[i] for piece in self.pieces]) for i in self.watched
        }
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
            watched = {}
        codes, moments, places, lines = (
            values if rest.all() else values[rest] for values in (codes, moments, places, lines)
        )
        watched = {
            name: values[rest] for name, values in watched.items() if len(np.unique(values)) > 1
        }
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
            layout.unit,
            layout.y_axis,
            self.left_out,
            self.columns(parts),
            layout.rivals,
            watched,
            self.table.fps,
        )

    def seconds(self, moments: np.ndarray) -> np.ndarray:
        """Return times in seconds. Times without a unit that are too large for seconds since 1970 have the unit that fits."""
        unit, name = self.layout.unit, self.name(self.layout.moment[0])
        most = np.nanmedian(np.abs(moments)) if len(moments) else 0
        if not unit and most > 1e11:
            unit = self.layout.unit = "ms" if most < 1e14 else "us" if most < 1e17 else "ns"
            note(f"{self.table.path}: the times in {name} are {unit} since 1970")
        scale = SECONDS.get(unit) or SECONDS.get(unit.removesuffix("s")) if unit else 1
        if not scale:
            raise Refused(
                f"{self.table.path}: the unit of {name} is not known; convert the times to s, ms, min or h"
            )
        return moments * scale

    def columns(self, parts: Sequence[Part]) -> Dict[str, str]:
        """Return the roles of the columns, and what is not used."""
        layout, part = self.layout, parts[0]
        unit = f" ({'date' if self.dates else layout.unit or 's'})" * (layout.kind == "time")
        columns = {
            "animal": layout.ids,
            layout.kind: layout.moment,
            "place": dict.fromkeys((part.x, part.y, *part.box)),
            "confidence": () if part.likelihood is None else (part.likelihood,),
            "not used": self.unused,
        }
        found = {role: ", ".join(dict.fromkeys(map(self.name, of))) for role, of in columns.items()}
        found[layout.kind] = found[layout.kind] + unit or "the rows"
        found["animal"] = found["animal"] or ("all rows", "a pair of columns")[len(parts) > 1]
        found["place"] += f" and {len(parts) - 1} more pairs" * (len(parts) > 1)
        if self.sizes:
            size = " x ".join(f"{side:.3g}" for side in np.nanmean(np.hstack(self.sizes), axis=1))
            found["place"] = f"the middle of the box {found['place']}, on average {size}"
        return {role: names for role, names in found.items() if names}

    def plane(self, parts: Sequence[Part]) -> str:
        """Return Detections.plane. Refuse x and y in two units."""
        layout = self.layout
        if layout.is_globe:
            return DEGREES
        units = (
            sorted(
                {
                    "".join(layout.units[column : column + 1])
                    for part in parts
                    for column in (part.x, part.y)
                }
            )
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
