"""Reads files of animal trackers, and tables of simulators, into one table with a row per detection: its animal, its moment and its place.

A file becomes a Table: a DataFrame of its cells, as text or as numbers, and the names of its columns. track_columns.py finds the roles of
the columns (Layout), and Detections applies them: every cell is used, counted in `left_out`, or refused with its line. docs/animals.md
lists the programs.
"""

import contextlib
import csv
import itertools
import os
import re
from pathlib import Path
from typing import (
    Any,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    NoReturn,
    Optional,
    Sequence,
    Tuple,
)

import numpy as np
import pandas as pd

from ..core.columns import encoding_of
from ..core.errors import argument
from ..core.messages import Refused, did_you_mean, note, unreadable
from .track_columns import (
    MISSING_VALUES,
    CLOCK_TIME,
    DATE_OF_DIGITS,
    UNIT_SECONDS,
    Layout,
    Part,
    Table,
    is_header,
    is_number,
)
from .track_formats import opened, read_binary, read_dataset, refuse_foreign

BOOLEANS = {"true": True, "t": True, "yes": True, "false": False, "f": False, "no": False}
DECIMAL_COMMA = r"^(\s*[+-]?[0-9]*),([0-9]+)((?:[eE][+-]?[0-9]+)?\s*)$"
DATE_FORMATS = "%Y-%m-%d %Y/%m/%d %d.%m.%Y %d/%m/%Y %m/%d/%Y %d-%m-%Y %m-%d-%Y".split()
CLOCK_FORMATS = " %H:%M:%S.%f| %H:%M:%S| %H:%M|| %I:%M:%S %p| %I:%M %p".split("|")
# What is replaced in dates, so that fewer forms are tried.
DATE_REPLACEMENTS = (
    ("(?<=[0-9])T|(?<=^[0-9]{8})(?=[0-9])", " "),
    ("^([0-9]{4})([0-9]{2})([0-9]{2})(?![0-9])", r"\1-\2-\3"),
    ("(?<= [0-9]{2})([0-9]{2})([0-9]{2})(?![0-9])", r":\1:\2"),
    ("(?<=:[0-9][0-9]),(?=[0-9])", "."),  # a decimal comma
    (" ?(Z|UTC)$", "+0000"),
    (f"^(?={CLOCK_TIME.pattern}$)", "1970-01-01 "),
)
# Parts that some dates of a column lack: seconds, and fractions of them, which Python leaves out if they are 0.
DATE_PARTS = (
    (r":\d\d:\d\d", r"( \d+:\d\d)(?![:\d])", ":00"),
    (r":\d\d\.\d", r"(:\d\d:\d\d)(?![.:\d])", ".0"),
)
BLOCK_ROWS = 20_000  # that are read at a time
HEADER_LINES = 60  # the header is searched in
MAX_DISTINCT_VALUES = 50  # a column with more values does not distinguish recordings
RATE_PATTERN = re.compile(r"(?:frame ?_?rate|fps)[^\d\n]{0,5}(\d+(?:\.\d+)?)", re.I)
COMMENT_SIGNS = ("#", "%")  # of comments


class Text(NamedTuple):
    """The bytes of a text, and a name for messages."""

    name: str
    data: bytes


def read_text(source: Any, name: str, given: Mapping[str, str], skip: int) -> Table:
    """Return the table of a text, a file or its bytes, that is separated by commas, semicolons, tabs or spaces."""
    with opened(source, "latin-1") as file:
        start = file.read(4096)
    encoding = encoding_of(start.encode("latin-1"))
    if "\0" in start and encoding != "utf-16":
        raise Refused(": it is neither text nor a file of a tracker that is known")
    with contextlib.suppress(*[] if encoding == "utf-16" else [UnicodeDecodeError]):
        return decoded_table(source, encoding, name, given, skip)
    note(f"{name}: it is not UTF-8 and was read as Latin-1")
    return decoded_table(source, "latin-1", name, given, skip)


def decoded_table(
    source: Any, encoding: str, name: str, given: Mapping[str, str], skip: int
) -> Table:
    """Return the table of a text in an encoding."""
    blocks: List[Any] = []
    with opened(source, encoding) as file:
        lines = list(itertools.islice(file, skip, skip + HEADER_LINES))
        if not any(map(str.strip, lines)):
            raise Refused(": it is empty")
        header, at, mark = find_header(lines, given)
        if not given:
            refuse_foreign("header", header)
        begin = skip + at + 1
        file.seek(0)
        rows = checked_lines(itertools.islice(file, begin, None), mark, begin, header)
        while block := list(itertools.islice(rows, BLOCK_ROWS)):
            blocks.append(pd.DataFrame(block))
    cells = pd.concat([pd.DataFrame([(*header, begin)]), *blocks]).set_index(len(header))
    rate = RATE_PATTERN.search("".join(lines[:at]))
    about = {"fps": float(rate[1])} if rate else {}
    return Table(name, given, cells[:7].to_numpy().tolist(), cells, about, mark, f" (line {begin})")


def checked_lines(file: Iterator[str], mark: str, begin: int, header: List[str]) -> Iterator[Any]:
    """Yield the cells and the number of each line that has some, from the line after `begin` on. Refuse rows that are short or long, and cells
    that are not closed. Give `header` a name for the names of the rows in a table of R, and none for an empty column at the end.
    """
    reader = csv.reader(file, delimiter=mark, skipinitialspace=True, strict=True)
    is_named = bool(header[-1])
    del header[len(header) - (not is_named) :]  # idTracker ends lines with a tab
    try:
        for line, row in enumerate(reader, begin + 1):
            if begin + reader.line_num != line:
                raise Refused(
                    f":{line}: a cell after this line has a line break; is a quotation mark missing?"
                )
            if not any(row):
                continue
            if is_named and len(row) == len(header) + 1 and row[-1]:
                header.insert(0, "")
            is_named, width = False, len(header)
            if len(row) < width or any(row[width:]):
                raise Refused(f":{line}: {len(row)} cells; the first row has {width}")
            yield (*row[:width], line)
    except csv.Error as error:
        raise Refused(f":{begin + reader.line_num}: not a table of tracks: {error}") from None


def find_header(lines: List[str], given: Mapping[str, str]) -> Tuple[List[str], int, str]:
    """Return the names in the header, which may be a comment and follow other lines, its index, and the separator."""
    full = [i for i, line in enumerate(lines) if line.strip()]
    comments = {i for i in full if lines[i].lstrip().startswith(COMMENT_SIGNS)}
    named = re.match('"?sep=(.)', lines[full[0]], re.I) if len(full) > 1 else None
    known = named[1] if named else ""
    full = full[bool(known) :]
    wanted, found = {*given.values()} - {""}, full[0]
    if wanted and all(map(str.isdecimal, wanted)):
        found = next((i for i in full if i not in comments), found)
    for k, i in enumerate(full):
        names = names_in(lines[i], known)
        if wanted <= {*names} if wanted else is_header(names, comments.issuperset(full[:k])):
            found = i
            break
    after = next((i for i in full if i > found and found in comments), found)
    return names_in(lines[found], known), found, known or separator_of(lines[after])


def names_in(line: str, mark: str) -> List[str]:
    """Return the cells of a line, without the sign of a comment."""
    line = re.sub("^\\s*[#%]+ *", "", line).strip("\n\r ")
    reader = csv.reader([line], delimiter=mark or separator_of(line), skipinitialspace=True)
    return next(reader, [""])


def separator_of(line: str) -> str:
    """Return the separator of a line: the sign that makes the most cells, or spaces."""
    found = max(",;\t", key=lambda mark: len(next(csv.reader([line], delimiter=mark), [])))
    return " " if found not in line and len(line.split()) > 1 else found


def table_of(name: str, given: Mapping[str, str], frame: Any, about: Dict[str, Any]) -> Table:
    """Return the table of a DataFrame. An index with a name is a column; several levels of columns are the header rows of poses. Messages
    count its rows from 0, as lines of a file."""
    is_pose, names = frame.columns.nlevels > 1, [*frame.columns]
    head = [list(map(str, words)) for words in zip(frame.columns.names, *names)] if is_pose else []
    if is_pose or any(frame.index.names):
        index = frame.index.to_frame(index=False)
        names = [*index.columns, *names]
        frame = pd.concat([index, frame.reset_index(drop=True)], axis=1)  # of equal names, too
    if not names:
        raise Refused(": not a table of tracks: it has no columns")
    columns = {i: plain_column(frame.iloc[:, i]) for i in range(len(names))}
    cells = pd.DataFrame(columns, range(len(frame)))
    return Table(name, given, head or [list(map(str, names))], cells, about)


def plain_column(column: Any) -> Any:
    """Return a column of a DataFrame as numbers, of seconds if they are differences of times, or texts."""
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else "O"
    if kind == "m":
        return column.dt.total_seconds().to_numpy()
    return column.to_numpy() if kind in "iuf" else column.astype(str).to_numpy(object)


class Detections(Layout):
    """The detections in one table. `rows` has one in each row: animal (one of `names`), moment (`kind`: a frame, a time in seconds or a
    date in seconds since 1970), x and y in units of the file, and line. `watched` gives the columns of `rows` with the values of
    columns that may distinguish recordings. `left_out` has {reason: lines}. `prefixes` are the groups as they begin
    the names of animals, such as "trial/"."""

    def __init__(self, table: Table, keypoint: Optional[str], least: float) -> None:
        super().__init__(table)
        self.cells, self.role, used = self.cells_below_header(), self.kind, self.columns_with_role()
        self.left_out: Dict[str, List[int]] = {}
        self.prefixes = {""}
        self.kind = self.kind.replace("image", "frame")
        self.unused = [i for i in self.cells if i not in used]
        self.about = {
            name: float(value)
            for name, value in self.about.items()
            if isinstance(value, (int, float, np.number)) and 0 < value < np.inf
        }
        is_tidy = self.begin and len(self.cells.columns) < 100
        points = [part.point for part in self.parts]
        if "keypoint" in self.roles:
            points = sorted(self.texts_of(self.roles["keypoint"]).unique())
        point = choose_point(points, keypoint, self.default)
        self.parts = [part for part in self.parts if part.point == point] or self.parts
        self.sizes: List[Any] = []  # of boxes
        self.mend_commas(table.separator == ",")
        base = self.rows_without_places(point, self.unused if is_tidy else [])
        rows = pd.concat(self.rows_of(part, base) for part in self.parts)
        self.names = [*rows.animal.dropna().unique()]
        self.rows = self.detections_of(self.accepted(rows, least))
        self.plane, self.columns = self.plane_of(), self.columns_described()
        del self.cells

    def note(self, sentence: str) -> None:
        note(f"{self.path}: {sentence}")

    def refuse(self, line: Any, what: str) -> NoReturn:
        raise Refused(f":{line}: {what}")

    def name(self, column: int) -> str:
        return self.labels[column]

    def texts_of(self, *columns: int, between: str = "") -> Any:
        """Return the cells of columns, joined, as texts without spaces around them."""
        first, *others = (self.cells[i].astype(str) for i in columns)
        return first.str.cat(others, sep=between).str.strip()

    def numbers(self, column: Any) -> Any:
        """Return a column as float64: NaN where a cell is empty or a word such as NA; other cells that are no numbers are refused."""
        cells = pd.Series(np.nan, self.cells.index) if column is None else self.cells[column]
        if cells.dtype.kind in "iufb":
            return cells.where(np.isfinite(cells)).astype(float)
        with contextlib.suppress(ValueError):  # a cell is empty, or wrong
            found = cells.astype(float)
            if re.fullmatch("[-+.0-9eE]*", "".join(cells)) and np.isfinite(found).all():
                return found
        cells = cells.str.strip()
        is_absent = are_missing(cells)
        for line, cell in cells[~(is_absent | cells.map(is_number))].items():
            self.refuse(line, f'{self.name(column)} is "{cell[:40]}"; it must be a number')
        return cells.mask(is_absent).astype(float)

    def mend_commas(self, is_separator: bool) -> None:
        """Make decimal commas points."""
        texts = [self.cells[i] for i in self.numeric_columns() if self.cells[i].dtype == object]
        commas = [text for text in texts if "," in "".join(text)]
        found = [text.str.extract(DECIMAL_COMMA)[1].dropna() for text in commas]
        digits = pd.concat([pd.Series(dtype=object), *found])
        if digits.empty:
            return
        first, points = digits.index.min(), pd.concat(texts)
        points = points[points.str.contains(".", regex=False) & points.map(is_number)]
        if len(points):
            self.refuse(
                first,
                f"a number has a decimal comma; others, from line {points.index.min()} on, have a decimal point",
            )
        if is_separator and (digits.str.len() == 3).all():
            self.refuse(
                first,
                "a comma before three digits may be a decimal comma or separate thousands; write a point, or remove it",
            )
        if is_separator:
            self.note(f"numbers have decimal commas (first: line {first})")
        forms = {text.name: DECIMAL_COMMA for text in commas}
        self.cells = self.cells.replace(forms, r"\1.\2\3", regex=True)

    def refuse_differing(self, what: str, words: Any, remedy: str) -> None:
        """Refuse texts that differ from the first one."""
        for line, word in words[words != words.iloc[0]].items() if len(words) else ():
            self.refuse(line, f"{what} is {word} here, and {words.iloc[0]} before; {remedy}")

    def moments(self) -> Any:
        """Return the frames or seconds of the rows."""
        columns = self.moment
        if not columns:
            return np.arange(len(self.cells), dtype=float)
        if self.role == "image":
            return self.numbers_of_images(self.texts_of(*columns, between="/"))
        cells = self.cells[columns[0]]
        if self.kind == "time" and (
            cells.dtype == object or DATE_OF_DIGITS.fullmatch(f"{cells.max()}")
        ):
            is_absent = sum(are_missing(self.texts_of(i)) for i in columns) > 0
            words = self.texts_of(*columns, between=" ").mask(is_absent)
            texts = words.dropna().drop_duplicates()
            first = "".join(texts[:1])
            if DATE_OF_DIGITS.fullmatch(first + self.unit) or not is_number(first or 0):
                self.kind = "date"
                return words.map(dict(zip(texts, self.seconds_of_dates(texts))))
        found = self.numbers(columns[0])
        is_large = abs(found) >= 2**53
        wrong = found[(is_large | (found % 1 > 0)) & (self.kind == "frame")]
        for line, value in wrong.items():
            what = f"{self.name(columns[0])} {value:g} is not a whole number"
            self.refuse(line, what + " below 2^53" * bool(is_large[line]))
        return found

    def numbers_of_images(self, words: Any) -> Any:
        """Return the numbers at the ends of the names of images."""
        parts = words.str.extract(r"^(.*?)(\d+)(\.\w+)?$")
        for line, word in words[parts[1].isna()].items():
            self.refuse(line, f'"{word[:60]}" is neither a frame nor an image with a number')
        names = parts[0] + "..." + parts[2].fillna("None")
        self.refuse_differing("the name of the images", names, "convert one video at a time")
        return parts[1].astype(float)

    def seconds_of_dates(self, texts: Any) -> Any:
        """Return the seconds since 1970 of dates, by the one format that fits all of them."""
        words, name, first = texts, self.name(self.moment[0]), texts.index[0]
        for form, instead in DATE_REPLACEMENTS:
            words = words.str.replace(form, instead, regex=True)
        for part, without, zero in DATE_PARTS:
            if words.str.contains(part).any():
                words = words.str.replace(without, rf"\1{zero}", regex=True)

        def read(form: Sequence[str], some: Any) -> Any:
            return pd.to_datetime(some, format="".join(form), errors="coerce", utc=True)

        forms = itertools.product(DATE_FORMATS, CLOCK_FORMATS, ("", "%z"))
        found = [read(form, words) for form in forms if read(form, words[:1]).notna().all()]
        if not found:
            self.refuse(
                first,
                f'{name} is "{texts[first]}"; it must be a number or a date such as 2020-02-11 12:00:00 ({argument("columns", "frame=")}: rows are frames)',
            )
        dates, *others = [of for of in found if of.notna().all()] or found[-1:]
        for line, text in texts[dates.isna()].items():
            self.refuse(line, f'{name} is "{text}", but "{texts[first]}" in line {first}')
        for other in others:
            for k, text in texts[dates != other].items():
                self.refuse(
                    k,
                    f"{text} may be {dates[k]:%Y-%m-%d} or {other[k]:%Y-%m-%d}; write the year first",
                )
        if re.fullmatch(r"\d+:\d+", texts[first]):
            self.note(
                f'{name} is read as hours and minutes (first: "{texts[first]}"); times of minutes and seconds need hours, 00:{texts[first]}'
            )
        return (dates - pd.Timestamp(0, tz="UTC")).dt.total_seconds()

    def refuse_midnight(self, rows: Any) -> None:
        """Refuse times of day without dates that go on after midnight: those of an animal fall back once, by more than half a day, and end
        before its first one. Note other times of day that fall back once, and dates that do so by half an hour to an hour. Rows in
        another order fall back more often.
        """
        tracks = rows.groupby("animal").moment
        steps = tracks.diff()
        falls, least = rows[steps < 0], -steps[steps < 0].max()
        if falls.empty or not falls.animal.is_unique:
            return
        line, name = falls.line.iloc[0], self.name(self.moment[0])
        word = self.texts_of(*self.moment, between=" ")[line]
        is_clock = CLOCK_TIME.fullmatch(word)
        is_new_day = (tracks.last() < tracks.first())[falls.animal].all()
        if is_clock and is_new_day and least > UNIT_SECONDS["day"] / 2:
            self.refuse(
                line,
                f'{name} is "{word}", more than 12 h before the previous row of the animal; times that pass midnight need dates, such as '
                f"2020-02-11 {word}",
            )
        if is_clock or 0.5 <= least / UNIT_SECONDS["h"] < 1:
            self.note(
                f'{name} goes back to "{word}" (line {line}); all rows are in the order of their times: do these lack dates or offsets from UTC?'
            )

    def animal_ids(self) -> Any:
        """Return the id of each row, after its group, NaN in a row without one. Ids that pandas has written as floats lose their .0."""
        *groups, column = self.ids
        codes, values = pd.factorize(self.cells[column])
        words = pd.Series(values).astype(str).str.strip()
        is_absent = are_missing(words) | (words == "-1") & (not self.begin)
        if not groups and words.nunique() < len(words):
            self.note("ids that differ only in the spaces around them are one animal")
        if is_absent.all():
            self.note(f"its column {self.name(column)} is empty, so all rows are one animal")
            return ""
        words = words.mask(is_absent)
        if words.dropna().str.fullmatch(r"\d+\.0").all():
            words = words.str[:-2]
        words = words.reindex(codes).set_axis(self.cells.index)
        return self.in_groups(self.texts_of(*groups), words) if groups else words

    def in_groups(self, groups: Any, names: Any) -> Any:
        """Return names of animals after those of their groups."""
        prefixes = groups + "/"
        found = prefixes + names
        self.prefixes = {*prefixes[found.notna()]}
        return found

    def truth_of_flag(self, word: str, is_wrong: bool) -> Optional[bool]:
        """Return what a cell of a flag says; TRex writes 0.000. The confidence of MOTChallenge is a number above 0."""
        if word in MISSING_VALUES:
            return not is_wrong
        if is_number(word) and (float(word) in (0, 1) or not self.begin):
            return float(word) != 0
        return BOOLEANS.get(word, None if self.begin else True)

    def is_marked_missing(self) -> Any:
        """Return whether the tracker marks each row as missing."""
        marked = pd.Series(False, self.cells.index)
        for column, is_wrong in self.flags.items():
            words = self.texts_of(column).str.lower()
            values = words.map(
                {word: self.truth_of_flag(word, is_wrong) for word in words.unique()}
            )
            for line, word in words[values.isna()].items():
                what = f'{self.name(column)} is "{word[:40]}"; it must be true or false'
                self.refuse(line, what)
            marked |= values == is_wrong
        return marked

    def rows_without_places(self, point: str, watched: Sequence[int]) -> Any:
        """Return what the detections of a row have in common, apart from their places. This also checks the columns whose value concerns all
        rows."""
        roles = self.roles
        for one, other in self.twins:
            a, b = self.cells[one], self.cells[other]
            for line in a.index[(a != b) & ~(a.isna() & b.isna())]:
                self.refuse(line, f"two columns are called {self.name(one)}, and they differ")
        if "height" in roles and self.numbers(roles["height"]).nunique() > 1:
            self.note("its third coordinate is not used")
        self.zone = ""
        if "zone" in roles:
            zones = self.texts_of(roles["zone"])
            zones = zones[zones != ""]
            remedy = "they have no common plane; remove the columns of UTM: then longitudes and latitudes are used"
            self.refuse_differing("the UTM zone", zones, remedy)
            self.zone = next(iter(zones), "")
        rows = pd.DataFrame({"moment": self.moments(), "line": self.cells.index}, self.cells.index)
        rows["is_marked"], rows["is_other"], rows["side"] = self.is_marked_missing(), False, 0
        if "keypoint" in roles:
            rows["is_other"] = self.texts_of(roles["keypoint"]) != point
        if "space" in roles:
            rows["side"] = self.texts_of(roles["space"]).map({"x": 0, "y": 1})
        if self.ids:
            rows["animal"] = self.animal_ids()
        for i in watched:
            codes, values = pd.factorize(self.cells[i].astype(str))
            if 1 < len(values) <= MAX_DISTINCT_VALUES:  # it may distinguish recordings
                rows[i] = codes
        return rows

    def rows_of(self, part: Part, base: Any) -> Any:
        """Return the detections of one part."""
        place = np.stack([self.numbers(part.x), self.numbers(part.y)])
        if part.box:
            size = np.stack(list(map(self.numbers, part.box)))
            size -= place if part.is_corner else 0
            self.sizes.append(size)
            place = place + size / 2
        rows = base.assign(x=place[0], y=place[1], likelihood=self.numbers(part.likelihood))
        rows["is_absent"] = self.numbers(part.mark) < 0
        if not self.ids:
            rows["animal"] = part.animal
        elif part.animal:
            rows["animal"] = self.in_groups(rows.animal, part.animal)
        for axis in {"vx", "vy"} & {*self.roles}:
            rows[axis] = self.numbers(self.roles[axis])
        return rows

    def accepted(self, rows: Any, least: float) -> Any:
        """Return the rows that count. The others are in `left_out`, apart from those that have no place at all."""
        x, y, kept = rows.x.isna(), rows.y.isna(), pd.Series(True, rows.index)
        if 0 < least < 2 and (rows.likelihood > 2).mean() > 0.5:
            self.note(
                f"likelihoods go up to {rows.likelihood.max():g}; if they are in percent, {argument('min-likelihood', '60')} leaves out those "
                "below 60 %"
            )
        for why, is_bad in (
            ("", rows.is_other),
            ("are marked by the tracker", rows.is_marked),
            ("have no frame or time", rows.moment.isna()),
            ("", x & y | rows.is_absent),
            ("have only one coordinate", x | y),
            ("have no id", rows.animal.isna()),
            (f"have a likelihood below {least:g}", rows.likelihood < least),
            ("are neither x nor y", rows.side.isna()),
        ):
            self.leave_out(why, rows[kept & is_bad])
            kept &= ~is_bad
        return rows[kept]

    def leave_out(self, why: str, rows: Any) -> None:
        if why and len(rows):
            self.left_out[why] = [*rows.line.unique()]

    def detections_of(self, rows: Any) -> Any:
        """Make the rows of all parts detections."""
        if self.kind == "time":
            rows = rows.assign(moment=rows.moment * self.seconds_per_unit(rows.moment))
        self.watched = {self.name(i): i for i in self.unused if i in rows and rows[i].nunique() > 1}
        if "space" in self.roles:  # x and y of a detection are two rows
            halves = (rows[rows.side == side] for side in (0, 1))
            both = pd.merge(*halves, on=["animal", "moment"], suffixes=("", "_y"))
            alone = rows[~rows.line.isin([*both.line, *both.line_y])]
            self.leave_out("have an x or a y alone", alone)
            rows, self.watched = both.assign(y=both.x_y), {}
        wrong = rows[(rows[["x", "y"]].abs() > (360, 90)).any(axis=1)]
        if self.is_globe and len(wrong):
            place = wrong[["x", "y"]].iloc[0].tolist()
            self.refuse(wrong.line.iloc[0], f"{place} is not a longitude and a latitude")
        if self.kind == "date":
            self.refuse_midnight(rows)
        return rows[["animal", "moment", *places_in(rows), "line", *self.watched.values()]]

    def seconds_per_unit(self, moments: Any) -> float:
        """Return the seconds of a unit of time. Times without a unit that are too large for seconds since 1970 have the unit that fits."""
        name, most = self.name(self.moment[0]), moments.abs().median()
        if not self.unit and most > 1e11:
            self.unit = "ms" if most < 1e14 else "us" if most < 1e17 else "ns"
            self.note(f"the times in {name} are {self.unit} since 1970")
        unit = self.unit or "s"
        scale = UNIT_SECONDS.get(unit)
        if not scale:
            raise Refused(
                f": the unit of {name} is not known; convert the times to s, ms, min or h"
            )
        return scale

    def columns_described(self) -> Dict[str, str]:
        """Return the roles of the columns, and what is not used."""

        def named(columns: Any) -> str:
            return ", ".join(dict.fromkeys(map(self.name, columns)))

        part, more = self.parts[0], len(self.parts) - 1
        unit = "date" if self.kind == "date" else self.unit or "s"
        place = named((part.x, part.y, *part.box))
        place += f" and {more} more pair" * (more > 0) + "s" * (more > 1)
        if self.sizes:
            size = " x ".join(f"{side:.3g}" for side in np.nanmean(np.hstack(self.sizes), axis=1))
            place = f"the middle of the box {place}, on average {size}"
        found = {
            "animal": ", ".join(filter(None, [named(self.ids), "a pair of columns" * (more > 0)]))
            or "all rows",
            self.role: (named(self.moment) or "the rows") + f" ({unit})" * (self.role == "time"),
            "place": place,
            "velocity": named(self.roles[axis] for axis in ("vx", "vy") if axis in self.roles),
            "confidence": named({part.likelihood} - {None}),
            "not used": named(self.unused),
        }
        return {role: names for role, names in found.items() if names}

    def plane_of(self) -> str:
        """Return the kind of the places, which all files of one call must have in common. Refuse x and y in two units."""
        if self.is_globe:
            return "longitudes and latitudes"
        units = {self.units[i] for part in self.parts for i in (part.x, part.y)}
        unit = min(units)
        if len(units) > 1:
            both = " and ".join(unit or "none" for unit in sorted(units))
            raise Refused(f": its coordinates have different units: {both}")
        zone = f" of UTM zone {self.zone}" * bool(self.zone)
        return f"coordinates{f' in {unit}' * bool(unit)}{zone} (y {self.y_axis})"


def are_missing(words: Any) -> Any:
    """Return which texts of a Series mark a missing value."""
    return words.str.lower().isin(MISSING_VALUES)


def places_in(rows: Any) -> List[str]:
    """Return the names of the columns of places and of velocities."""
    return [name for name in ("x", "y", "vx", "vy") if name in rows]


def choose_point(points: Sequence[str], keypoint: Optional[str], default: str) -> str:
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
    source: Any, keypoint: Optional[str], least: float, given: Any, skip: int, number: str
) -> Detections:
    """Return the detections in a file, in a Text, or in a DataFrame.

    Args:
        keypoint: the point of a pose that is the animal; None: the only one.
        least: detections with a smaller likelihood are left out.
        given: {role: name of its column}; the others are found by their names.
        skip: lines before the header of a text.
        number: of a DataFrame among several, such as " 2".

    Raises:
        ConfigError: this is not a table of tracks, or a cell of it has no meaning.
    """
    frame, about, name = source, {}, f"the DataFrame{number}"  # type: Any, Dict[str, Any], str
    try:
        if isinstance(source, Text):
            name, source = source
        elif isinstance(source, (str, os.PathLike)):
            name = source = os.fspath(source)
            if Path(source).is_fifo():  # such as <(gunzip -c tracks.csv.gz)
                source = Path(source).read_bytes()
        if isinstance(source, (str, bytes)):
            frame, about = read_binary(source)
        elif hasattr(source, "data_vars"):
            name = f"the dataset{number}"
            frame, about = read_dataset(source)
        if frame is None:
            table = read_text(source, name, given, skip)
        else:
            table = table_of(name, given, frame, about)
        return Detections(table, keypoint, least)
    except OSError as error:
        raise unreadable(name, error) from None
    except UnicodeError as error:
        raise Refused(f"{name}: not a table of tracks: {error}") from None
    except Refused as error:
        if str(error).startswith(":"):  # and the line, if there is one
            raise Refused(name + str(error)) from None
        raise
