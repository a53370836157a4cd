"""Reads files of animal trackers, and tables of simulators, into one table with a row per detection: its animal, its moment and its place.

A file becomes a Table: a DataFrame of its cells, as text or as numbers, and the names of its columns. track_columns.py finds the roles of
the columns (Layout), and Detections applies them: every cell is used, counted in `left_out`, or refused with its line. docs/animals.md
lists the programs.
"""

import contextlib
import csv
import io
import itertools
import os
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
import pandas as pd

from ..core.errors import argument
from ..core.messages import Refused, did_you_mean, note, unreadable
from .track_columns import (
    ABSENT,
    CLOCK,
    DEGREES,
    SECONDS,
    Layout,
    Part,
    is_header,
    is_number,
    layout_of,
)
from .track_formats import HEADERS, dataset, read_binary, refuse_foreign

WORDS = {
    **dict.fromkeys(("true", "t", "yes"), True),
    **dict.fromkeys(("false", "f", "no"), False),
}
COMMA = re.compile(r"[+-]?\d*,(\d+)(?:[eE][+-]?\d+)?", re.ASCII)
DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
CLOCKS = (" %H:%M:%S.%f", " %H:%M:%S", " %H:%M", "", " %I:%M:%S %p", " %I:%M %p")
# What is replaced in dates, so that fewer forms are tried.
CLEARER = (
    ("(?<=[0-9])T", " "),
    (" ?(Z|UTC)$", "+0000"),
    (f"^(?={CLOCK.pattern}$)", "1970-01-01 "),
)
ROWS = 20_000  # that are read at a time
LINES = 60  # the header is searched in
VALUES = 50  # a column with more values does not distinguish recordings
RATE = re.compile(r"(?:frame ?_?rate|fps)[^\d\n]{0,5}(\d+(?:\.\d+)?)", re.I)


class Table:
    """The cells of a file or DataFrame. `head` has the first rows of a text, or the names of columns, and `about` what the file says about
    the recording (fps). `begin` rows of the header precede the data of a text. The index of `cells` has the lines.
    """

    def __init__(self, head: List[List[str]], cells: Any, is_text: bool = False) -> None:
        self.head, self.cells, self.is_text, self.begin = head, cells, is_text, 1
        self.about: Dict[str, Any] = {}
        self.given: Mapping[str, str] = {}  # {role: column} of --columns
        self.separator = self.where = self.path = ""

    @property
    def width(self) -> int:
        return len(self.cells.columns)

    def body(self) -> Any:
        return self.cells.iloc[self.begin * self.is_text :]

    def sample(self, column: int) -> str:
        """Return the cell of a column in the first row."""
        return "".join(self.body().iloc[:1, column].astype(str)).strip()

    def split(self, column: int) -> Tuple[int, int]:
        """Make two columns of one with texts such as "(1.5, 2)", and return them."""
        words = self.cells[column].astype(str).str.findall(r"[^\s,;()\[\]]+")
        is_pair, other = words.str.len() == 2, self.width
        for k, at in enumerate((column, other)):
            self.cells[at] = words.str[k].where(is_pair, "")
        self.head[0].append(self.head[0][column])
        return column, other


def opened(source: Any, encoding: str) -> Any:
    """Open a file, or the bytes of one, as text."""
    raw = io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb")
    return io.TextIOWrapper(raw, encoding, newline="")


def read_text(source: Any, name: str, given: Mapping[str, str], skip: int) -> Table:
    """Return the table of a text, a file or its bytes, that is separated by commas, semicolons, tabs or spaces."""
    with opened(source, "latin-1") as file:
        start = file.read(4096).encode("latin-1")
    is_wide = start[:2] in (b"\xff\xfe", b"\xfe\xff")
    if b"\0" in start and not is_wide:
        raise Refused(": it is neither text nor a file of a tracker that is known")
    if is_wide:
        return decoded(source, "utf-16", given, skip)
    with contextlib.suppress(UnicodeDecodeError):
        return decoded(source, "utf-8-sig", given, skip)
    note(f"{name}: it is not UTF-8 and was read as Latin-1")
    return decoded(source, "latin-1", given, skip)


def decoded(source: Any, encoding: str, given: Mapping[str, str], skip: int) -> Table:
    """Return the table of a text in an encoding."""
    with opened(source, encoding) as file:
        lines = list(itertools.islice(file, skip, skip + LINES))
    if not any(map(str.strip, lines)):
        raise Refused(": it is empty")
    header, at, mark = find_header(lines, given)
    if not given:
        refuse_foreign("header", header)
    begin = skip + at + 1
    with opened(source, encoding) as file:
        most, is_full = checked(itertools.islice(file, begin, None), mark, begin, header)
    with opened(source, encoding) as file:
        for _ in range(begin):
            next(file)
        form: Any = {"header": None, "names": range(most), "dtype": str, "index_col": False}
        form |= {"na_filter": False, "skipinitialspace": True, "skip_blank_lines": False}
        rows = pd.read_csv(file, sep=mark, **form) if is_full else None
    rows = pd.concat([pd.DataFrame([header]), rows], ignore_index=True)
    rows.index += begin
    table = Table([], rows[[True, *is_full]].iloc[:, : len(header)], True)
    table.head = table.cells.iloc[:7].to_numpy().tolist()
    rate = RATE.search("".join(lines[:at]))
    table.about = {"fps": float(rate[1])} if rate else {}
    table.separator, table.where = mark, f" (line {begin})"
    return table


def checked(
    file: Iterator[str], mark: str, begin: int, header: List[str]
) -> Tuple[int, List[bool]]:
    """Return the most cells in the rows after the first `begin` lines, and whether each row has cells. Refuse rows that are short or long,
    and cells that are not closed. Give `header` a name for the names of the rows in a table of R, and none for an empty column at the end.
    """
    reader = csv.reader(file, delimiter=mark, skipinitialspace=True, strict=True)
    is_full: List[bool] = []
    is_named = bool(header[-1])
    del header[len(header) - (not is_named) :]  # idTracker ends lines with a tab
    most = len(header)
    try:
        while rows := list(itertools.islice(reader, ROWS)):
            line = begin + len(is_full) + 1
            if begin + reader.line_num != line + len(rows) - 1:
                raise Refused(
                    f":{line}: a cell after this line has a line break; is a quotation mark missing?"
                )
            first: List[str] = [] if any(is_full) else next(filter(any, rows), [])
            if is_named and len(first) == len(header) + 1 and first[-1]:
                header.insert(0, "")
            width = len(header)
            for k, row in enumerate(rows) if set(map(len, rows)) - {width} else ():
                if any(row) and (len(row) < width or any(row[width:])):
                    raise Refused(f":{line + k}: {len(row)} cells; the first row has {width}")
                most = max(most, len(row))
            is_full += map(any, rows)
    except csv.Error as error:
        raise Refused(f":{begin + reader.line_num}: not a table of tracks: {error}") from None
    return max(most, len(header)), is_full


def find_header(lines: List[str], given: Mapping[str, str]) -> Tuple[List[str], int, str]:
    """Return the names in the header, which may be a comment and follow other lines, its index, and the separator."""
    full = [i for i, line in enumerate(lines) if line.strip()]
    named = re.match('"?sep=(.)', lines[full[0]], re.I)
    known = named[1] if named and len(full) > 1 else ""
    full = full[bool(known) :]
    wanted, is_first, found = set(given.values()) - {""}, True, full[0]
    if wanted and all(map(str.isdecimal, wanted)):
        found = next((i for i in full if lines[i].lstrip()[:1] not in "#%"), found)
    for i in full:
        names = names_in(lines[i], known)
        if wanted <= set(names) if wanted else is_header(names, is_first):
            found = i
            break
        is_first = is_first and lines[i].lstrip()[:1] in "#%"
    after = next((lines[i] for i in full if i > found), lines[found])
    is_comment = lines[found].lstrip()[:1] in ("#", "%")
    mark = known or separator_of(after if is_comment else lines[found])
    return names_in(lines[found], known), found, mark


def names_in(line: str, mark: str) -> List[str]:
    """Return the cells of a line, without the sign of a comment."""
    line = re.sub("^\\s*[#%]+ *", "", line).strip("\n\r ")
    reader = csv.reader([line], delimiter=mark or separator_of(line), skipinitialspace=True)
    return next(reader, [""])


def separator_of(line: str) -> str:
    """Return the separator of a line: the sign that makes the most cells, or spaces."""
    found = max(",;\t", key=lambda mark: len(next(csv.reader([line], delimiter=mark), [])))
    return " " if found not in line and len(line.split()) > 1 else found


def table_of(frame: Any) -> Table:
    """Return the table of a DataFrame. An index with a name is a column; several levels of columns are the header rows of poses. Messages
    count its rows from 0, as lines of a file."""
    if frame.columns.nlevels == 1 and any(frame.index.names):
        index = frame.index.to_frame(index=False)
        frame = pd.concat([index, frame.reset_index(drop=True)], axis=1)  # of equal names, too
    if not frame.shape[1]:
        raise Refused(": not a table of tracks: it has no columns")
    columns = [frame.iloc[:, i] for i in range(frame.shape[1])]
    head = [list(map(str, frame.columns))]
    if frame.columns.nlevels > 1:
        level = frame.columns.get_level_values
        head = [[str(name), *map(str, level(name))] for name in frame.columns.names]
        columns.insert(0, frame.index.to_series())
    return Table(head, pd.DataFrame(dict(enumerate(map(plain, columns))), range(len(frame))))


def plain(column: Any) -> Any:
    """Return a column of a DataFrame as numbers, of seconds if they are differences of times, or texts."""
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else "O"
    if kind == "m":
        return column.dt.total_seconds().to_numpy()
    return column.to_numpy() if kind in "iuf" else column.astype(str).to_numpy(object)


# Why rows are left out: a sentence, and a function of the rows and the Detections.
REASONS: Sequence[Tuple[str, Callable[[Any, Any], Any]]] = (
    ("have only one coordinate", lambda rows, _: rows.x.isna() != rows.y.isna()),
    ("have no id", lambda rows, one: (rows.animal < 0) & (len(one.animals) > 0)),
    ("have a likelihood below {:g}", lambda rows, one: rows.likelihood < one.least),
    ("are neither x nor y", lambda rows, _: rows.side.isna()),
)


class Detections:
    """The detections in one table. `rows` has one in each row: animal (an index of `names`), moment (`kind`: a frame, a time in seconds or
    a date in seconds since 1970), x and y in units of the file, and line. `watched` gives the columns of `rows` with the values of
    columns that may distinguish recordings. `left_out` has {reason: lines}."""

    def __init__(self, table: Table, layout: Layout, keypoint: Optional[str], least: float) -> None:
        self.table, self.layout, self.least, self.path = table, layout, least, table.path
        self.cells = table.body()
        self.lines = self.cells.index.to_numpy()
        self.left_out: Dict[str, List[int]] = {}
        self.dots: List[int] = []  # the first lines with a decimal point
        self.commas: List[int] = []  # the lines with a decimal comma
        self.digits: Set[int] = set()  # numbers of digits after decimal commas
        self.sizes: List[Any] = []  # of boxes
        used = layout.used()
        self.unused = [i for i in range(table.width) if i not in used]
        self.about = {
            name: float(value)
            for name, value in table.about.items()
            if isinstance(value, (int, float, np.number)) and 0 < value < np.inf
        }
        self.animals: List[str] = []
        self.is_date = False
        parts = self.parts_of(keypoint)
        base = {**self.base(keypoint), **self.watch()}
        self.rows = pd.concat([self.rows_of(part, base) for part in parts], ignore_index=True)
        self.check_commas()
        self.finish()
        self.kind = "date" if self.is_date else "time" if layout.kind == "time" else "frame"
        self.names = [name.removesuffix("/") for name in self.ids()]
        self.plane, self.columns = self.plane_of(parts), self.roles(parts)
        del self.cells, table.cells

    def note(self, sentence: str) -> None:
        note(f"{self.path}: {sentence}")

    def refuse(self, line: Any, what: str) -> NoReturn:
        raise Refused(f":{line}: {what}")

    def name(self, column: int) -> str:
        levels = [row for row in self.table.head[: self.layout.begin] if row[0] in HEADERS]
        rows = [row for row in levels if row[0] != "scorer"] or self.table.head[:1]
        if levels and not (column or self.table.is_text):
            return "the rows"
        words = [row[column].strip() for row in rows if column < len(row)]
        return " ".join(filter(None, words * bool(self.layout.begin))) or f"column {column + 1}"

    def leave_out(self, why: str, mask: Any, lines: Any) -> None:
        if mask.any():
            self.left_out.setdefault(why, []).extend(lines[mask])

    def words(self, column: int) -> Any:
        """Return the cells of a column as texts, without spaces around them."""
        return self.cells[column].astype(str).str.strip()

    def numbers(self, column: Optional[int], words: Any = None) -> Any:
        """Return a column, or `words` in it, as float64: NaN where a cell is empty or a word such as NA; other cells that are no numbers
        are refused. No column is infinite."""
        if column is None:
            return np.full(len(self.lines), np.inf)
        cells = self.cells[column] if words is None else words
        if cells.dtype.kind in "iufb":
            return cells.where(np.isfinite(cells)).to_numpy(np.float64)
        text = "".join(cells)
        if "." in text:
            self.dots.append(next(line for line, cell in cells.items() if "." in cell))
        if re.fullmatch("[-+.0-9eE]*", text):
            with contextlib.suppress(ValueError):  # a cell is empty, or wrong
                return np.array(list(map(float, cells)))
        cells = cells.str.strip()
        digits = cells.str.extract(f"^{COMMA.pattern}$", expand=False)
        is_absent = cells.str.lower().isin(ABSENT)
        wrong = ~(is_absent | digits.notna() | cells.map(is_number))
        if wrong.any():
            line = wrong.idxmax()
            self.refuse(line, f'{self.name(column)} is "{cells[line][:40]}"; it must be a number')
        self.commas += [*digits.dropna().index]
        self.digits |= set(digits.dropna().str.len())
        return cells.mask(is_absent, "nan").str.replace(",", ".").to_numpy().astype(np.float64)

    def check_commas(self) -> None:
        if not self.commas:
            return
        is_separator, first = self.table.separator == ",", min(self.commas)
        if self.dots:
            self.refuse(
                first,
                f"a number has a decimal comma; others, from line {min(self.dots)} on, have a decimal point",
            )
        if self.digits == {3} and is_separator:
            self.refuse(
                first,
                "a comma before three digits may be a decimal comma or separate thousands; write a point, or remove it",
            )
        if is_separator:
            self.note(f"numbers have decimal commas (first: line {first})")

    def same(self, what: str, words: Any, remedy: str) -> None:
        """Refuse texts that differ from the first one."""
        differ = words != words.iloc[0] if len(words) else words.astype(bool)
        if differ.any():
            line = differ.idxmax()
            self.refuse(line, f"{what} is {words[line]} here, and {words.iloc[0]} before; {remedy}")

    def moments(self) -> Any:
        """Return the frames or seconds of the rows."""
        layout = self.layout
        if not layout.moment:
            return np.arange(len(self.lines), dtype=np.float64)
        first, *others = layout.moment
        words = self.cells[first]
        if layout.kind == "image":
            words = words.astype(str).str.cat([self.cells[i].astype(str) for i in others], sep="/")
            return self.images(words.str.strip())
        if others:
            words = words + " " + self.cells[others[0]]
        if layout.kind == "time" and words.dtype == object:
            words = words.str.strip()
            some = words[~words.str.lower().isin(ABSENT)]
            if len(some) and not (is_number(some.iloc[0]) or COMMA.fullmatch(some.iloc[0])):
                self.is_date = True
                return self.dates(words, some.drop_duplicates())
        found = self.numbers(first, words)
        is_large = np.abs(found) >= 2**53
        wrong = (is_large | (found % 1 > 0)) & (layout.kind == "frame")
        if wrong.any():
            k = np.argmax(wrong)
            what = f"{self.name(first)} {found[k]:g} is not a whole number"
            self.refuse(self.lines[k], what + " below 2^53" * bool(is_large[k]))
        return found

    def images(self, words: Any) -> Any:
        """Return the numbers at the ends of the names of images."""
        parts = words.str.extract(r"^(.*?)(\d+)(\.\w+)?$")
        missing = parts[1].isna()
        if missing.any():
            line = missing.idxmax()
            self.refuse(line, f'"{words[line][:60]}" is neither a frame nor an image with a number')
        names = parts[0] + "..." + parts[2].fillna("None")
        self.same("the name of the images", names, "convert one video at a time")
        return parts[1].to_numpy().astype(np.float64)

    def dates(self, cells: Any, texts: Any) -> Any:
        """Return the seconds since 1970 of dates, by the one format that fits all different `texts` in them."""
        words = texts
        for form, instead in CLEARER:
            words = words.str.replace(form, instead, regex=True)
        if words.str.contains(r":\d\d\.\d").any():  # Python leaves .000 out
            words = words.str.replace(r"(:\d\d:\d\d)(?![.:\d])", r"\1.0", regex=True)
        name, line, values = self.name(self.layout.moment[0]), words.index[0], []
        for form in (d + clock + zone for d in DATES for clock in CLOCKS for zone in ("", "%z")):
            for some in (words.iloc[:1], words):
                found = pd.to_datetime(some, format=form, errors="coerce", utc=True)
                if found.isna().iloc[0]:
                    break
            else:
                values.append(found)
        if not values:
            self.refuse(
                line,
                f'{name} is "{words[line]}"; it must be a number or a date such as 2020-02-11 12:00:00 ({argument("columns", "frame=")}: rows are frames)',
            )
        values = [found for found in values if found.notna().all()] or values[-1:]
        missing = values[0].isna()
        if missing.any():
            k = missing.idxmax()
            self.refuse(k, f'{name} is "{words[k]}", but "{words[line]}" in line {line}')
        for other in values[1:]:
            if not other.equals(values[0]):
                k = (values[0] != other).idxmax()
                self.refuse(
                    k,
                    f"{words[k]} may be {values[0][k]:%Y-%m-%d} or {other[k]:%Y-%m-%d}; write the year first",
                )
        seconds = (values[0] - pd.Timestamp(0, tz="UTC")).dt.total_seconds()
        return cells.map(dict(zip(texts, seconds))).to_numpy(np.float64)

    def codes(self) -> Any:
        """Return the index of the animal of each row, -1 for a row without an id."""
        *groups, column = self.layout.ids
        codes, values = pd.factorize(self.cells[column])
        words = pd.Series(values).astype(str).str.strip()
        is_absent = words.str.lower().isin(ABSENT) | (words == "-1") & (not self.layout.begin)
        if not groups and words.nunique() < len(words):
            self.note("ids that differ only in the spaces around them are one animal")
        words = words.mask(is_absent).reindex(codes)
        words = self.words(groups[0]).to_numpy() + "/" + words if groups else words
        codes, names = pd.factorize(words)
        self.animals = list(names)
        return codes

    def truth(self, word: str, is_wrong: bool) -> Optional[bool]:
        """Return what a cell of a flag says; TRex writes 0.000. The confidence of MOTChallenge is a number above 0."""
        begin = self.layout.begin
        if word in ABSENT:
            return not is_wrong
        if is_number(word) and (float(word) in (0, 1) or not begin):
            return float(word) != 0
        return WORDS.get(word, None if begin else True)

    def kept(self) -> Any:
        """Return whether each row counts. This also checks the columns whose value concerns all rows."""
        layout, kept = self.layout, np.ones(len(self.lines), bool)
        for one, other in layout.twins:
            a, b = self.cells[one], self.cells[other]
            differ = (a != b) & ~(a.isna() & b.isna())
            if differ.any():
                self.refuse(
                    differ.idxmax(), f"two columns are called {self.name(one)}, and they differ"
                )
        for column, is_wrong in layout.flags.items():
            words = self.words(column).str.lower()
            known = {word: self.truth(word, is_wrong) for word in words.unique()}
            values = words.map(known)
            if None in known.values():
                line = values.isna().idxmax()
                what = f'{self.name(column)} is "{words[line][:40]}"; it must be true or false'
                self.refuse(line, what)
            marked = (values == is_wrong).to_numpy()
            self.leave_out("are marked by the tracker", marked & kept, self.lines)
            kept &= ~marked
        if layout.height is not None and pd.Series(self.numbers(layout.height)).nunique() > 1:
            self.note("its third coordinate is not used")
        return kept

    def parts_of(self, keypoint: Optional[str]) -> List[Part]:
        """Return the parts of the point that stands for the animals."""
        parts = self.layout.parts
        if self.layout.point is not None:
            return parts
        point = choose_point([part.point for part in parts], keypoint, self.layout.default)
        return [part for part in parts if part.point == point]

    def base(self, keypoint: Optional[str]) -> Dict[Any, Any]:
        """Return what the detections of a row have in common, apart from their places."""
        layout = self.layout
        moments, kept, side = self.moments(), self.kept(), 0  # type: Any, Any, Any
        animals = self.codes() if layout.ids else None
        self.zone = None
        if layout.zone is not None:
            zones = self.words(layout.zone)
            zones = zones[zones != ""]
            remedy = "they have no common plane; remove the columns of UTM: then longitudes and latitudes are used"
            self.same("the UTM zone", zones, remedy)
            self.zone = next(iter(zones), None)
        if layout.space is not None:
            side = self.words(layout.space).map({"x": 0, "y": 1}).to_numpy()
        if layout.point is not None:
            points = self.words(layout.point)
            choose_point(sorted(points.unique()), keypoint)
            kept &= (points == keypoint).to_numpy() | (keypoint is None)
        self.leave_out("have no frame or time", kept & np.isnan(moments), self.lines)
        kept &= np.isfinite(moments)
        found = {"moment": moments, "line": self.lines, "side": side, "kept": kept}
        return found if animals is None else {**found, "animal": animals}

    def watch(self) -> Dict[Any, Any]:
        """Return the values of the columns that may distinguish recordings; those with many values do not."""
        is_tidy = self.layout.begin and len(self.layout.parts) == 1 and self.table.width < 100
        found = {i: pd.factorize(self.cells[i].astype(str)) for i in self.unused if is_tidy}
        return {i: codes for i, (codes, values) in found.items() if 1 < len(values) <= VALUES}

    def rows_of(self, part: Part, base: Dict[Any, Any]) -> Any:
        """Return the detections of one part."""
        x, y = self.numbers(part.x), self.numbers(part.y)
        if part.box:
            size = np.stack(list(map(self.numbers, part.box)))
            size -= [x, y] if part.is_corner else 0.0
            self.sizes.append(size)
            x, y = [x, y] + size / 2
        if not self.layout.ids:
            if part.animal not in self.animals:
                self.animals.append(part.animal)
            base = {**base, "animal": self.animals.index(part.animal)}
        likelihood = self.numbers(part.likelihood)
        rows = pd.DataFrame({**base, "x": x, "y": y, "likelihood": likelihood})
        for name, column in zip(("vx", "vy"), self.layout.velocity):
            rows[name] = self.numbers(column)
        is_marked = self.numbers(part.mark) < 0
        rows = rows[rows.pop("kept") & (np.isfinite(x) | np.isfinite(y)) & ~is_marked]
        for why, is_bad in REASONS:
            bad = is_bad(rows, self)
            self.leave_out(why.format(self.least), bad, rows.line)
            rows = rows[~bad]
        return rows.drop(columns="likelihood")

    def finish(self) -> None:
        """Make the rows of all parts detections."""
        layout, rows = self.layout, self.rows
        if layout.ids and len(rows) and not self.animals:
            self.note(
                f"its column {self.name(layout.ids[-1])} is empty, so all rows are one animal"
            )
            self.animals, rows["animal"] = [""], 0
        if layout.kind == "time" and not self.is_date:
            rows["moment"] *= self.scale(rows.moment)
        rows = rows[rows.animal >= 0]
        self.watched = {self.name(i): i for i in self.unused if i in rows and rows[i].nunique() > 1}
        if layout.space is not None:  # x and y of a detection are two rows
            halves = (rows[rows.side == side] for side in (0, 1))
            both = pd.merge(*halves, on=["animal", "moment"], suffixes=("", "_y"))
            alone = ~rows.line.isin([*both.line, *both.line_y])
            self.leave_out("have an x or a y alone", alone, rows.line)
            rows, self.watched = both.assign(y=both.x_y), {}
        wrong = layout.is_globe & (rows[["x", "y"]].abs() > (360, 90)).any(axis=1)
        if wrong.any():
            first = rows[wrong].iloc[0]
            place = [float(first.x), float(first.y)]
            self.refuse(int(first.line), f"{place} is not a longitude and a latitude")
        places = places_in(rows)
        self.rows = rows[["animal", "moment", *places, "line", *self.watched.values()]]

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
            "velocity": layout.velocity,
            "confidence": () if part.likelihood is None else (part.likelihood,),
            "not used": self.unused,
        }
        found = {role: ", ".join(dict.fromkeys(map(self.name, of))) for role, of in columns.items()}
        if layout.kind == "time":
            found["time"] += f" ({'date' if self.is_date else layout.unit or 's'})"
        found[layout.kind] = found[layout.kind] or "the rows"
        found["animal"] = found["animal"] or ("a pair of columns" if more else "all rows")
        found["place"] += f" and {more} more pairs" * bool(more)
        if self.sizes:
            size = " x ".join(f"{side:.3g}" for side in np.nanmean(np.hstack(self.sizes), axis=1))
            found["place"] = f"the middle of the box {found['place']}, on average {size}"
        return {role: names for role, names in found.items() if names}

    def plane_of(self, parts: Sequence[Part]) -> str:
        """Return the kind of the places, which all files of one call must have in common. Refuse x and y in two units."""
        layout = self.layout
        if layout.is_globe:
            return DEGREES
        columns = {column for part in parts for column in (part.x, part.y)}
        units = sorted({"".join(layout.units[column : column + 1]) for column in columns})
        if len(units) > 1:
            both = " and ".join(unit or "none" for unit in units)
            raise Refused(f": its coordinates have different units: {both}")
        zone = f" of UTM zone {self.zone}" * bool(self.zone)
        return f"coordinates{f' in {units[0]}' * bool(units[0])}{zone} (y {layout.y_axis})"

    def ids(self) -> List[str]:
        """Return the ids. Ids that pandas has written as floats lose their .0; if all animals have the same arena, it is left out."""
        names = self.animals
        if len(self.layout.ids) == 2 and len({name.partition("/")[0] for name in names}) == 1:
            names = [name.partition("/")[2] for name in names]
        are_floats = all(re.fullmatch(r"\d+\.0", name) for name in names)
        return [name[:-2] for name in names] if are_floats else names


def places_in(rows: Any) -> List[str]:
    """Return the names of the columns of places and of velocities."""
    return [name for name in ("x", "y", "vx", "vy") if name in rows]


def choose_point(points: Sequence[str], keypoint: Optional[str], default: str = "") -> str:
    """Choose the point of the body that stands for the animal."""
    points = list(dict.fromkeys(points))
    if keypoint is None and len(points) > 1 and not default:
        raise Refused(
            f": its animals have the keypoints {', '.join(points)}; choose one with {argument('keypoint')}"
        )
    if keypoint is not None and keypoint not in points:
        known = ", ".join(filter(None, points)) or "without names"
        hint = did_you_mean(keypoint, points) or f"; its keypoints are {known}"
        raise Refused(f": there is no keypoint {keypoint}{hint}")
    return keypoint or default or "".join(points)


def read_tracks(
    source: Any,
    keypoint: Optional[str] = None,
    least: float = 0.6,
    columns: Optional[Mapping[str, str]] = None,
    skip: int = 0,
    name: str = "the DataFrame",
) -> Detections:
    """Return the detections in a file, in the bytes of a text, or in a DataFrame.

    Args:
        keypoint: the point of a pose that is the animal; None: the only one.
        least: detections with a smaller likelihood are left out.
        columns: {role: name of its column}; the others are found by their names.
        skip: lines before the header of a text.
        name: of a source that is no file.

    Raises:
        ConfigError: this is not a table of tracks, or a cell of it has no meaning.
    """
    given, frame, about = columns or {}, source, {}  # type: Any, Any, Dict[str, Any]
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
    try:
        if hasattr(source, "data_vars"):
            name = "the dataset"
            frame, about = dataset(source)
        elif not isinstance(source, pd.DataFrame):
            frame, about = (None, {}) if isinstance(source, bytes) else read_binary(name)
        table = read_text(source, name, given, skip) if frame is None else table_of(frame)
        table.path, table.given = name, given
        table.about.update(about)
        return Detections(table, layout_of(table), keypoint, least)
    except OSError as error:
        raise unreadable(name, error) from None
    except UnicodeError as error:
        raise Refused(f"{name}: not a table of tracks: {error}") from None
    except Refused as error:
        if str(error).startswith(":"):  # and the line, if there is one
            raise Refused(name + str(error)) from None
        raise
