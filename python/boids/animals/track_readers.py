"""Reads files of animal trackers into one table with a row per detection: its animal, its frame or time, and its place.

A file is a table: text (TextTable, here) or arrays (ArrayTable: DataFrames, and the binary files of track_files.py). track_layouts.py
finds the roles of its columns. Then every cell is read as text. It is used, counted in Detections.left_out, or refused with its line.
docs/animals.md lists the programs.
"""

import contextlib
import csv
import itertools
import re
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    NoReturn,
    Optional,
    Sequence,
    Set,
    Tuple,
)

import numpy as np
import numpy.typing as npt
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

Array = npt.NDArray[np.float64]
WORDS = {
    **dict.fromkeys(("true", "t", "yes"), True),
    **dict.fromkeys(("false", "f", "no"), False),
}
COMMA = re.compile(r"[+-]?\d*,(\d+)([eE][+-]?\d+)?", re.ASCII)
DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
CLOCKS = (" %H:%M:%S.%f", " %H:%M:%S", " %H:%M", "", " %I:%M:%S %p", " %I:%M %p")
# What is replaced in dates, so that fewer forms are tried.
CLEARER = (
    ("(?<=[0-9])T", " "),
    (" ?(Z|UTC)$", "+0000"),
    (f"^(?={CLOCK.pattern}$)", "1970-01-01 "),
)
CELLS = 200_000  # the most cells that are held as text
LINES = 60  # the header is searched in
VALUES = 50  # a column with more values does not distinguish recordings
RATE = re.compile(r"(?:frame ?_?rate|fps)[^\d\n]{0,5}(\d+(?:\.\d+)?)", re.I)


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
            raise Refused(": it is neither text nor a file of a tracker that is known")
        with self._open() as file:
            lines = list(itertools.islice(file, LINES))
        if not any(map(str.strip, lines)):
            raise Refused(": it is empty")
        header = self._find_header(lines)
        rate = RATE.search("".join(lines[: self.begin - skip]))
        self.fps = float(rate[1]) or None if rate else None
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
        self.head[0] = list(map(latin, self.head[0]))

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
                            f":{begin + 1}: a cell after this line has a line break; is a quotation mark missing?"
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
                    f":{first + reader.line_num}: not a table of tracks: {error}"
                ) from None

    def chunks(self, begin: int) -> Iterator[Tuple[Any, Sequence[Any]]]:
        """Yield the lines and the columns of the rows after the header, many thousands at a time."""
        for lines, rows in self._rows(max(9, CELLS // self.width)):
            lines, rows, begin = lines[begin:], rows[begin:], max(0, begin - len(rows))
            for line, row in zip(lines, rows) if set(map(len, rows)) - {self.width} else ():
                if len(row) != self.width:
                    if len(row) < self.width or any(row[self.width :]):
                        raise Refused(f":{line}: {len(row)} cells; the first row has {self.width}")
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
        head: List[List[str]],
        columns: Sequence[Any],
        layout: Optional[Layout] = None,
        fps: Any = None,
    ) -> None:
        self.head, self.columns, self.layout = head, columns, layout
        is_rate = isinstance(fps, (int, float, np.number)) and 0 < fps < np.inf
        self.width, self.fps = len(columns), float(fps) if is_rate else None

    def sample(self, column: int) -> str:
        return str(self.columns[column][0]).strip() if len(self.columns[column]) else ""

    def chunks(self, _: int) -> Iterator[Tuple[Any, Sequence[Any]]]:
        if self.width and len(self.columns[0]):
            yield np.arange(len(self.columns[0]), dtype=np.int32), self.whole(self.columns)


def table_of(frame: Any) -> ArrayTable:
    """Return the table of a DataFrame. An index with a name is a column; several levels of columns are the header rows of poses."""
    if frame.columns.nlevels == 1 and any(frame.index.names):
        frame = pd.concat(
            [frame.index.to_frame(index=False), frame.reset_index(drop=True)], axis=1
        )  # their names may be the same
    if not frame.shape[1]:
        raise Refused(": not a table of tracks: it has no columns")
    columns = [frame.iloc[:, i] for i in range(frame.shape[1])]
    head = [list(map(str, frame.columns))]
    if frame.columns.nlevels > 1:
        head = [
            [str(name), *map(str, frame.columns.get_level_values(name))]
            for name in frame.columns.names
        ]
        columns.insert(0, frame.index.to_series())
    return ArrayTable(head, list(map(cells_of, columns)))


def cells_of(column: Any) -> Any:
    """Return a column of a DataFrame as numbers, of seconds if they are differences of times, or texts."""
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else "O"
    if kind == "m":
        return column.dt.total_seconds().to_numpy()
    return column.to_numpy() if kind in "iuf" else column.astype(str).to_numpy(object)


def is_numeric(cells: Any) -> bool:
    return isinstance(cells, np.ndarray) and cells.dtype.kind in "iufb"


# Why rows are left out: a sentence, and a function of the rows and the Detections.
REASONS: Sequence[Tuple[str, Callable[[Any, Any], Any]]] = (
    ("have only one coordinate", lambda rows, _: rows.x.isna() != rows.y.isna()),
    ("have no id", lambda rows, one: (rows.animal < 0) & bool(one.animals)),
    ("have a likelihood below {:g}", lambda rows, one: rows.likelihood < one.least),
    ("are neither x nor y", lambda rows, _: rows.side == 2),
)


class Detections:
    """The detections in one table. `rows` has one in each row: animal (an index of `names`), moment (`kind`: a frame, a time in seconds or
    a date in seconds since 1970), x and y in units of the file, and line. `watched` gives the columns of `rows` with the values of
    columns that may distinguish recordings. `left_out` has {reason: lines}."""

    def __init__(self, table: Any, layout: Layout, keypoint: Optional[str], least: float) -> None:
        self.table, self.layout, self.keypoint, self.least = table, layout, keypoint, least
        self.path = table.path
        self.animals: Dict[str, int] = {}
        self.words: Set[str] = set()  # the ids as they are written
        self.dates: Dict[str, Any] = {}  # the index and the first line of each text of a time
        self.seen: Dict[str, str] = {}  # what all rows must have in common
        self.left_out: Dict[str, List[int]] = {}
        self.dot = self.comma = 0  # the first lines with a decimal point and with a comma
        self.count = 0  # rows so far
        self.digits: Set[int] = set()  # numbers of digits after decimal commas
        self.sizes: List[Any] = []  # of boxes
        self.unused = [i for i in range(table.width) if i not in {*layout.used(), table.pair}]
        # Columns that may distinguish recordings: the values of each and their indices.
        is_tidy = layout.begin and len(layout.parts) == 1 and table.width < 100
        self.values: Dict[int, Dict[str, int]] = {i: {} for i in self.unused if is_tidy}
        parts, points = layout.parts, [part.point for part in layout.parts]
        if layout.point is None:
            point = choose_point(points, keypoint, layout.default)
            parts = [part for part in parts if part.point == point]
        found = [
            rows
            for lines, cells in table.chunks(layout.begin)
            for rows in self.rows_of(lines, cells, parts)
        ]
        self.check_commas()
        if layout.point is not None:
            choose_point([key[6:] for key in self.seen if key.startswith("point ")], keypoint)
        names = ["animal", "moment", "x", "y", "line", "side", *self.values]
        self.rows = pd.concat(
            found or [pd.DataFrame(columns=names, dtype=float)], ignore_index=True
        )
        self.finish()
        self.kind = "date" if self.dates else "time" if layout.kind == "time" else "frame"
        self.names, self.plane, self.columns = self.ids(), self.plane_of(parts), self.roles(parts)

    def note(self, sentence: str) -> None:
        note(f"{self.path}: {sentence}")

    def refuse(self, line: Any, what: str) -> NoReturn:
        raise Refused(f":{line}: {what}")

    def name(self, column: int) -> str:
        is_pose = self.table.head[0][:1] == ["scorer"]
        rows = self.table.head[1 : self.layout.begin] if is_pose else self.table.head[:1]
        words = [row[column].strip() for row in rows if column < len(row)]
        return " ".join(filter(None, words * bool(self.layout.begin))) or f"column {column + 1}"

    def leave_out(self, why: str, mask: Any, lines: Any) -> None:
        if mask.any():
            self.left_out.setdefault(why, []).extend(lines[mask])

    def numbers(self, cells: Any, lines: Any, column: int) -> Array:
        """Return float64 (n): NaN where a cell is empty or a word such as NA; other cells that are no numbers are refused."""
        if is_numeric(cells):
            return np.where(np.isfinite(cells), cells, np.nan).astype(np.float64)
        text = "".join(cells)
        if "." in text and not self.dot:
            self.dot = next(line for line, cell in zip(lines, cells) if "." in cell)
        if re.fullmatch("[-+.0-9eE]*", text):
            with contextlib.suppress(ValueError):  # a cell is empty, or wrong
                return np.array(list(map(float, cells)))
        return np.array([self.number(cell.strip(), at, column) for cell, at in zip(cells, lines)])

    def number(self, cell: str, line: int, column: int) -> float:
        comma = COMMA.fullmatch(cell)
        if comma:
            self.comma = self.comma or line
            self.digits.add(len(comma[1]))
        elif not NUMBER.fullmatch(cell):
            if cell.lower() not in ABSENT:
                self.refuse(line, f'{self.name(column)} is "{cell[:40]}"; it must be a number')
            return np.nan
        return float(cell.replace(",", "."))

    def check_commas(self) -> None:
        is_separator = self.table.separator == ","
        if self.comma and self.dot:
            self.refuse(
                self.comma,
                f"a number has a decimal comma; others, from line {self.dot} on, have a decimal point",
            )
        if self.digits == {3} and is_separator:
            self.refuse(
                self.comma,
                "a comma before three digits may be a decimal comma or separate thousands; write a point, or remove it",
            )
        if self.comma and is_separator:
            self.note(f"numbers have decimal commas (first: line {self.comma})")

    def same(self, what: str, text: str, line: int, remedy: str) -> None:
        """Refuse a text that differs from that of the rows before."""
        if self.seen.setdefault(what, text) != text:
            self.refuse(line, f"{what} is {text} here, and {self.seen[what]} before; {remedy}")

    def moments(self, cells: Sequence[Any], lines: Any) -> Array:
        """Return the frames or seconds of the rows, or the indices of their texts in self.dates."""
        layout = self.layout
        if not layout.moment:
            return np.arange(self.count, self.count + len(lines), dtype=np.float64)
        values, *others = (cells[i] for i in layout.moment)
        if layout.kind == "image":
            rows = (["/".join(map(str, row)).strip() for row in zip(values, *others)], lines)
            return np.array(list(map(self.image, *rows)))
        if others:
            values = list(map("{} {}".format, values, *others))
        if layout.kind == "time" and not is_numeric(values):
            words = (cell.strip() for cell in values)
            first = next((word for word in words if word.lower() not in ABSENT), "0")
            if self.dates or not (is_number(first) or COMMA.fullmatch(first)):
                known = self.dates
                places = [
                    known.setdefault(word, (len(known), line))[0]
                    for word, line in zip(values, lines)
                ]
                return np.array(places, np.float64)
        found = self.numbers(values, lines, layout.moment[0])
        is_large = np.abs(found) >= 2**53
        wrong = (is_large | (found % 1 > 0)) & (layout.kind == "frame")
        if wrong.any():
            k = np.argmax(wrong)
            what = f"{self.name(layout.moment[0])} {found[k]:g} is not a whole number"
            self.refuse(lines[k], what + " below 2^53" * bool(is_large[k]))
        return found

    def image(self, text: str, line: int) -> float:
        """Return the number at the end of the name of an image."""
        match = re.fullmatch(r"(.*?)(\d+)(\.\w+)?", text)
        if match is None:
            self.refuse(line, f'"{text[:60]}" is neither a frame nor an image with a number')
        name = f"{match[1]}...{match[3]}"
        self.same("the name of the images", name, line, "convert one video at a time")
        return float(match[2])

    def date_values(self) -> Any:
        """Return the seconds since 1970 of the texts in self.dates, by the one format that fits all of them."""
        words = pd.Series([*self.dates], dtype=object).str.strip()
        for form, instead in CLEARER:
            words = words.str.replace(form, instead, regex=True)
        if words.str.contains(r":\d\d\.\d").any():  # Python leaves .000 out
            words = words.str.replace(r"(:\d\d:\d\d)(?![.:\d])", r"\1.0", regex=True)
        texts = words[~words.str.lower().isin(ABSENT)]
        lines = pd.Series([line for _, line in self.dates.values()])[texts.index]
        name, first, values = self.name(self.layout.moment[0]), texts.iloc[0], []
        for form in (d + clock + zone for d in DATES for clock in CLOCKS for zone in ("", "%z")):
            for some in (texts.iloc[:1], texts):
                found = pd.to_datetime(some, format=form, errors="coerce", utc=True)
                if found.isna().iloc[0]:
                    break
            else:
                values.append(found)
        if not values:
            self.refuse(
                lines.iloc[0],
                f'{name} is "{first}"; it must be a number or a date such as 2020-02-11 12:00:00',
            )
        values = [found for found in values if found.notna().all()] or values[-1:]
        missing = values[0].isna()
        if missing.any():
            k = missing.idxmax()
            self.refuse(lines[k], f'{name} is "{texts[k]}", but "{first}" in line {lines.iloc[0]}')
        for other in values[1:]:
            if not other.equals(values[0]):
                k = (values[0] != other).idxmax()
                self.refuse(
                    lines[k],
                    f"{texts[k]} may be {values[0][k]:%Y-%m-%d} or {other[k]:%Y-%m-%d}; write the year first",
                )
        seconds = (values[0] - pd.Timestamp(0, tz="UTC")).dt.total_seconds()
        return seconds.reindex(words.index).to_numpy()

    def codes(self, cells: Sequence[Any]) -> Any:
        """Return the index of the animal of each row, -1 for a row without an id."""
        *groups, column = (cells[i] for i in self.layout.ids)
        if groups:
            column = [f"{str(a).strip()}/{str(b).strip()}" for a, b in zip(*groups, column)]
        if is_numeric(column):
            codes, words = pd.factorize(column)  # -1: NaN
        else:  # pandas would confuse texts with bytes that are not UTF-8
            words = {word: i for i, word in enumerate(dict.fromkeys(column))}
            codes = [words[word] for word in column]
        self.words.update(() if groups else map(str, words))
        found = []
        for name in (*(str(word).strip() for word in words), ""):
            last = name.rpartition("/")[2] if groups else name
            is_absent = last.lower() in ABSENT or last == "-1" and not self.layout.begin
            found.append(-1 if is_absent else self.animals.setdefault(name, len(self.animals)))
        return np.array(found, np.int32)[codes]

    def truth(self, word: str, is_wrong: bool) -> Optional[bool]:
        """Return what a cell of a flag says; TRex writes 0.000. The confidence of MOTChallenge is a number above 0."""
        begin = self.layout.begin
        if word in ABSENT:
            return not is_wrong
        if is_number(word) and (float(word) in (0, 1) or not begin):
            return float(word) != 0
        return WORDS.get(word, None if begin else True)

    def kept(self, cells: Sequence[Any], lines: Any) -> Any:
        """Return whether each row counts. This also checks the columns whose value concerns all rows."""
        layout, kept = self.layout, np.ones(len(lines), bool)
        for one, other in layout.twins:
            for line, a, b in zip(lines, cells[one], cells[other]):
                if a != b and not (a != a and b != b):
                    self.refuse(line, f"two columns are called {self.name(one)}, and they differ")
        for column, is_wrong in layout.flags.items():
            words = [str(cell).strip().lower() for cell in cells[column]]
            values = [self.truth(word, is_wrong) for word in words]
            if None in values:
                k = values.index(None)
                self.refuse(
                    lines[k], f'{self.name(column)} is "{words[k][:40]}"; it must be true or false'
                )
            marked = np.array(values) == is_wrong
            self.leave_out("are marked by the tracker", marked & kept, lines)
            kept &= ~marked
        for line, zone in zip(lines, cells[layout.zone] if layout.zone is not None else ()):
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
            if pd.Series(heights).nunique() > 1:
                self.seen["height"] = "noted"
                self.note("its third coordinate is not used")
        return kept

    def rows_of(self, lines: Any, cells: Sequence[Any], parts: Sequence[Part]) -> Iterator[Any]:
        """Yield the detections in some rows, for one part after the other."""
        layout, side = self.layout, 0  # type: Layout, Any

        def number(column: Optional[int]) -> Any:
            return np.inf if column is None else self.numbers(cells[column], lines, column)

        moments, kept = self.moments(cells, lines), self.kept(cells, lines)
        animals = self.codes(cells) if layout.ids else None
        if layout.space is not None:
            side = [{"x": 0, "y": 1}.get(cell.strip(), 2) for cell in cells[layout.space]]
        if layout.point is not None:
            points = np.array([str(cell).strip() for cell in cells[layout.point]])
            self.seen.update(dict.fromkeys("point " + point for point in np.unique(points)))
            kept &= (points == self.keypoint) | (self.keypoint is None)
        self.leave_out("have no frame or time", kept & np.isnan(moments), lines)
        kept &= np.isfinite(moments)
        base = {"moment": moments, "line": lines, "side": side, **self.watch(cells)}
        for part in parts:
            x, y = number(part.x), number(part.y)
            if part.box:
                size = np.stack(list(map(number, part.box)))
                size -= [x, y] if part.is_corner else 0.0
                self.sizes.append(size)
                x, y = [x, y] + size / 2
            animal = (
                self.animals.setdefault(part.animal, len(self.animals))
                if animals is None
                else animals
            )
            rows = pd.DataFrame({**base, "animal": animal, "x": x, "y": y})
            rows["likelihood"] = number(part.likelihood)
            rows = rows[kept & (np.isfinite(x) | np.isfinite(y)) & (number(part.mark) >= 0)]
            for why, is_bad in REASONS:
                bad = is_bad(rows, self)
                self.leave_out(why.format(self.least), bad, rows.line)
                rows = rows[~bad]
            yield rows.drop(columns="likelihood")
        self.count += len(lines)

    def watch(self, cells: Sequence[Any]) -> Dict[Any, Any]:
        """Return the values of the columns that may distinguish recordings; those with many values do not."""
        found = {}
        for column, known in list(self.values.items()):
            found[column] = [known.setdefault(t, len(known)) for t in map(str, cells[column])]
            if len(known) > VALUES:
                del self.values[column], found[column]
        return found

    def finish(self) -> None:
        """Make the rows of all chunks detections."""
        layout, rows = self.layout, self.rows
        if layout.ids and len(rows) and not self.animals:
            self.note(
                f"its column {self.name(layout.ids[-1])} is empty, so all rows are one animal"
            )
            self.animals, rows["animal"] = {"": 0}, 0
        if self.dates:
            rows["moment"] = self.date_values()[rows.moment.astype(int)]
            self.leave_out("have no frame or time", rows.moment.isna(), rows.line)
        elif layout.kind == "time":
            rows["moment"] *= self.scale(rows.moment)
        rows = rows[rows.moment.notna() & (rows.animal >= 0)]
        if layout.space is not None:  # x and y of a detection are two rows
            halves = (rows[rows.side == side] for side in (0, 1))
            both = pd.merge(*halves, on=["animal", "moment"], suffixes=("", "_y"))
            alone = ~rows.line.isin([*both.line, *both.line_y])
            self.leave_out("have an x or a y alone", alone, rows.line)
            rows, self.values = both.assign(y=both.x_y), {}
        wrong = layout.is_globe & (rows[["x", "y"]].abs() > (360, 90)).any(axis=1)
        if wrong.any():
            first = rows[wrong].iloc[0]
            place = [float(first.x), float(first.y)]
            self.refuse(rows.line[wrong].iloc[0], f"{place} is not a longitude and a latitude")
        self.watched = {self.name(i): i for i in self.values if rows[i].nunique() > 1}
        self.rows = rows[["animal", "moment", "x", "y", "line", *self.watched.values()]]

    def scale(self, moments: Any) -> float:
        """Return the seconds of a unit of time. Times without a unit that are too large for seconds since 1970 have the unit that fits."""
        unit, name = self.layout.unit, self.name(self.layout.moment[0])
        most = moments.abs().median()
        if not unit and most > 1e11:
            unit = self.layout.unit = "ms" if most < 1e14 else "us" if most < 1e17 else "ns"
            self.note(f"the times in {name} are {unit} since 1970")
        scale = SECONDS.get(unit or "s") or SECONDS.get(unit.removesuffix("s"))
        if not scale:
            raise Refused(
                f": the unit of {name} is not known; convert the times to s, ms, min or h"
            )
        return scale

    def roles(self, parts: Sequence[Part]) -> Dict[str, str]:
        """Return the roles of the columns, and what is not used."""
        layout, part, more = self.layout, parts[0], len(parts) - 1
        columns: Dict[str, Any] = {
            "animal": layout.ids,
            layout.kind: layout.moment,
            "place": (part.x, part.y, *part.box),
            "confidence": () if part.likelihood is None else (part.likelihood,),
            "not used": self.unused,
        }
        found = {role: ", ".join(dict.fromkeys(map(self.name, of))) for role, of in columns.items()}
        if layout.kind == "time":
            found["time"] += f" ({'date' if self.dates else layout.unit or 's'})"
        found[layout.kind] = found[layout.kind] or "the rows"
        found["animal"] = found["animal"] or ("a pair of columns" if more else "all rows")
        found["place"] += f" and {more} more pairs" * bool(more)
        if self.sizes:
            size = " x ".join(f"{side:.3g}" for side in np.nanmean(np.hstack(self.sizes), axis=1))
            found["place"] = f"the middle of the box {found['place']}, on average {size}"
        return {role: names for role, names in found.items() if names}

    def plane_of(self, parts: Sequence[Part]) -> str:
        """Return the kind of the places, which all files of one call must have in common. Refuse x and y in two units."""
        layout, zone = self.layout, self.seen.get("the UTM zone")
        if layout.is_globe:
            return DEGREES
        columns = {column for part in parts for column in (part.x, part.y)}
        units = sorted({"".join(layout.units[column : column + 1]) for column in columns})
        if len(units) > 1:
            raise Refused(
                f": its coordinates have different units: {' and '.join(unit or 'none' for unit in units)}"
            )
        unit = f" in {units[0]}" * bool(units[0]) + f" of UTM zone {zone}" * bool(zone)
        return f"coordinates{unit} (y {layout.y_axis})"

    def ids(self) -> List[str]:
        """Return the ids. Ids that pandas has written as floats lose their .0; if all animals have the same arena, it is left out."""
        names = list(self.animals)
        if len(self.layout.ids) == 2 and len({name.partition("/")[0] for name in names}) == 1:
            names = [name.partition("/")[2] for name in names]
        if len(set(map(str.strip, self.words))) < len(self.words):
            self.note("ids that differ only in the spaces around them are one animal")
        texts = list(map(latin, names))
        if texts != names:
            self.note("it is not UTF-8 and was read as Latin-1")
        are_floats = all(re.fullmatch(r"\d+\.0", name) for name in texts)
        return [name[:-2] for name in texts] if are_floats else texts


def latin(text: str) -> str:
    """Return a text; if it has bytes that are not UTF-8, it is Latin-1."""
    is_text = not re.search("[\udc80-\udcff]", text)
    return text if is_text else text.encode(errors="surrogateescape").decode("latin-1")


def choose_point(points: Sequence[str], keypoint: Optional[str], default: str = "") -> str:
    """Choose the point of the body that stands for the animal."""
    points = list(dict.fromkeys(points))
    if keypoint is None and len(points) > 1 and not default:
        raise Refused(
            f": its animals have the keypoints {', '.join(points)}; choose one with --keypoint"
        )
    if keypoint is not None and keypoint not in points:
        known = ", ".join(filter(None, points)) or "without names"
        hint = did_you_mean(keypoint, points) or f"; its keypoints are {known}"
        raise Refused(f": there is no keypoint {keypoint}{hint}")
    return keypoint or default or "".join(points)
