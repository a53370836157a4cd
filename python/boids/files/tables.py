"""Reads observables and sweeps: columns of numbers from the CSV that boids writes, or from HDF5.

An empty cell is a number that is not defined, NaN here.
"""

import csv
import io
import itertools
import json
import math
import os
import re
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ..core.arrays import Array, Integers

from ..core import observables
from ..core.config import key_schemas
from ..core.errors import refusals_about
from ..core.messages import NUMBER, READS_TRACKS, Refused, did_you_mean, file_name, note, number_in
from .readers import hdf5_world, observables_in, open_hdf5, read_input
from .source import Agents
from .text_readers import wrong_cell_count, refuse_semicolons


@dataclass
class Observables:
    """What was measured along one run."""

    name: str
    title: str
    steps: Array  # float [T], rising
    values: Agents  # {name: float [T]}
    attributes: Mapping[str, Any] = field(default_factory=dict)  # of /parameters
    world: Any = None  # the World of an HDF5 file


@dataclass
class Sweep:
    """One row per run: the varied keys and the results."""

    name: str
    keys: List[str]  # the varied keys, in the order of the table
    points: List[
        Any
    ]  # a tuple of texts per row: the values of the keys, equal values in one spelling
    values: Agents  # {name: float [rows]}
    seeds: List[str]  # a text per row
    settings: List[
        str
    ]  # a text per row: what differs between rows other than keys and seed, such as the configuration; "" if all agree
    factors: Array  # float [rows]: what the values are multiplied by
    scaling: Any = None  # set by collapsed(): x, series, (CENTRE, A, B)
    series: str = ""  # the key whose values are settings
    panel: str = ""  # set by panels(): KEY = VALUE, which all runs share

    def of_rows(self, rows: Integers) -> "Sweep":
        """Return the Sweep of some rows, an int array."""
        return replace(
            self,
            points=[self.points[i] for i in rows],
            values={name: numbers[rows] for name, numbers in self.values.items()},
            seeds=[self.seeds[i] for i in rows],
            settings=[self.settings[i] for i in rows],
            factors=self.factors[rows],
        )

    def groups(self) -> Dict[Any, Array]:
        """Return {(point, setting): int array of the rows of its seeds}, in the order of the table."""
        groups: Dict[Any, Any] = {}
        for row, key in enumerate(zip(self.points, self.settings)):
            groups.setdefault(key, []).append(row)
        return {key: np.array(rows) for key, rows in groups.items()}


OF_A_RUN = ("version", "state_hash")  # differ if a run is another one with the same keys
# Columns that boids writes beside the keys: names, and numbers.
NAMES_OF_A_RUN = ("seed", "config", "status", "stopped_by", "run", "kept", *OF_A_RUN)
STATISTICS = ("final", "mean", "sd", "error", "autocorrelation_time", "drift")
NUMBERS_OF_A_RUN = {
    *("wall_seconds", "steps_run", "averaged_steps", "binder", "susceptibility"),
    *(f"{part}_{name}" for part in STATISTICS for name in vars(observables.Observables)),
}
Rows = Tuple[List[str], List[List[str]]]  # a header, and rows of texts
EMPTY_CELLS = ("", "NA", "NaN")  # how boids, R and others write a cell without a number


def floats_or_none(cells: Sequence[str], column: str = "") -> Optional[Array]:
    """Return float [n], NaN for cells without a number, or None if a cell is another text. In a column of NUMBERS_OF_A_RUN it is refused."""
    try:
        return np.array(
            [math.nan if cell.strip() in EMPTY_CELLS else number_in(cell) for cell in cells]
        )
    except ValueError as text:
        if column in NUMBERS_OF_A_RUN:
            raise Refused(f"{column} is {str(text)!r}, not a number") from None
        return None


def value_of(cell: str) -> Any:
    """Return the value of the cell of a key. It is equal for 5e-4 and 0.0005, for 01 and 1.0, and for the forms in which pandas and R
    write true and null."""
    text = cell.strip()
    if text in (*EMPTY_CELLS, "null", "nan"):
        return None
    if text.isascii() and text.isdigit() and len(text) <= 20:
        return int(text)  # a seed may have more digits than a float
    if NUMBER.fullmatch(text):
        return float(text)
    try:
        text = text.lower() if text.lower() in ("true", "false") else text
        return json.dumps(json.loads(text, parse_int=float), sort_keys=True)
    except (ValueError, RecursionError):
        return text


def text_of(data: Optional[bytes]) -> str:
    """Return the text of a table, or of joined tables, without byte order marks. Refuse HDF5 (None) and bytes that are not UTF-8."""
    try:
        if data is not None:
            return data.decode().replace("\ufeff", "")
    except UnicodeDecodeError:
        pass
    raise Refused(f"not a table: it is not text; {READS_TRACKS}")


def summaries_of(name: str, text: str) -> Rows:
    """Return (header, rows of texts), as a table of boids --table has them, from the lines of boids --summary. The keys are those that
    options set and that differ between the runs. Lines that differ in the steps that were run or in the reason of the end have a column for
    these. A line of version 1.0.0 has an empty cell for a key that its options did not set.
    """
    runs: List[Any] = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            run = json.loads(line)
        except (ValueError, RecursionError):
            if number == len(lines) and not text.endswith("\n"):
                note(f"{name}: the last line is cut short and is left out")
                break
            raise Refused(
                f"line {number}: not JSON; each line must be one of boids --summary"
            ) from None
        if not (isinstance(run, dict) and isinstance(run.get("set"), dict) and "status" in run):
            raise Refused(
                f"line {number}: not a line of boids --summary: it has no status and no set"
            )
        runs.append(run)
    if not runs:
        raise Refused("it has no whole line")
    keys = varied_keys(runs)
    # Equal runs of several files, such as those that --resume continued, do not differ by the names of these.
    points = [json.dumps([value_in_run(run, key) for key in keys]) for run in runs]
    pairs = {*zip(points, (run.get("config") for run in runs))}
    if len(pairs) > len({*points}) and all("parameters" in run for run in runs):
        for run in runs:
            run["config"] = ""
    ends = {  # `steps` is the name of a key
        column: name
        for column, name in (("steps_run", "steps"), ("stopped_by", "stopped_by"))
        if len({json.dumps(run.get(name)) for run in runs}) > 1
    }
    rows = [
        {
            **{key: value_in_run(run, key) for key in keys},
            **{column: run.get(column) for column in ("seed", "config", *OF_A_RUN, "status")},
            **{column: run.get(name) for column, name in ends.items()},
            **{
                f"{part}_{name}": run[part][name]
                for part in STATISTICS
                for name in run.get(part, ())
            },
            **{
                column: run.get(column) for column in ("averaged_steps", "binder", "susceptibility")
            },
        }
        for run in runs
    ]

    def cell(value: Any) -> str:
        return "" if value is None else value if isinstance(value, str) else json.dumps(value)

    header = list(dict.fromkeys(itertools.chain(*rows)))
    return header, [[cell(row.get(column)) for column in header] for row in rows]


def value_in_run(run: Any, key: str) -> Any:
    """Return the value of a key in a line of boids --summary."""
    return run["set"].get(key, run.get("parameters", {}).get(key))


def varied_keys(runs: List[Any]) -> List[str]:
    """Return the keys whose values differ between the lines of boids --summary: those that options set, and those of an edited file. A key
    that only follows other keys is left out, as the sides of a margin do."""
    given = dict.fromkeys(key for run in runs for key in run["set"])
    found: List[str] = []
    points: List[Tuple[str, ...]] = [()] * len(runs)
    for key in dict.fromkeys([*given, *(key for run in runs for key in run.get("parameters", ()))]):
        values = [json.dumps(value_in_run(run, key)) for run in runs]
        longer = [(*point, value) for point, value in zip(points, values)]
        is_own = len({*longer}) > len({*points}) or (key in given and len({*values}) > 1)
        if is_own and key not in ("seed", "$schema", "title"):
            found.append(key)
            points = longer
    return found


def rows_of(name: str, data: Optional[bytes]) -> Rows:
    """Return (header, rows of texts) from the bytes of a CSV, None for HDF5; a last row that was cut short is left out."""
    with refusals_about(name):
        text = text_of(data)
        table = csv.reader(io.StringIO(text), skipinitialspace=True)
        header, *rows = [[cell.strip() for cell in row] for row in table if row] or [[]]
        refuse_semicolons(header)
        if rows and not text.endswith("\n") and len(rows[-1]) < len(header):
            note(f"{name}: the last line is cut short and is left out")
            rows.pop()
        for line, row in enumerate(rows, 2):
            if len(row) != len(header):
                raise Refused(f"line {line}: {wrong_cell_count(len(row), len(header))}")
        if not rows:
            raise Refused("it has no rows after its header" if header else "it is empty")
        return header, [row for row in rows if row != header]  # joined tables repeat it


def read_observables(path: str) -> Observables:
    """Return the Observables in a file of `--observables FILE.csv` or in the group /observables of a trajectory."""
    name, data = read_input(path)
    if data is None:
        with open_hdf5(path) as file:
            steps, values = observables_in(file, path)
            world = hdf5_world(path, file)
            known = dict(file["parameters"].attrs) if "parameters" in file else {}
        if not values:
            raise Refused(f"{path}: it has no observables")
        return Observables(path, world.title if world else "", steps, values, known, world)
    header, rows = rows_of(name, data)
    columns: Dict[str, Any] = {}
    with refusals_about(name):
        if "step" not in header or "type" in header:
            raise Refused(
                f"no observables: its first line is {','.join(header)[:40]}, not step,time and what "
                "boids --observables measures"
            )
        for column, cells in zip(header, zip(*rows)):
            columns[column] = floats_or_none(cells)
            for line, cell in enumerate(cells if columns[column] is None else (), 2):
                if floats_or_none([cell]) is None:
                    raise Refused(f"line {line}: {column} is {cell!r}, not a number")
    steps = columns.pop("step")
    columns.pop("time", None)
    return Observables(name, "", steps, columns)


def read_table(table: Any) -> Any:
    """Return (name, header, rows of texts) of a table of boids --table: a file, or a DataFrame, whose index may have keys. Lines of boids
    --summary become such a table."""
    name, data = (
        ("the sweep", table.to_csv(index=any(map(key_schemas().get, table.index.names))).encode())
        if hasattr(table, "to_csv")
        else read_input(file_name(table, "table", "a DataFrame or the name of a file"))
    )
    if data is not None and data.lstrip()[:1] == b"{":
        with refusals_about(name):
            header, rows = summaries_of(name, text_of(data))
    else:
        header, rows = rows_of(name, data)
    for column in ("seed", "status"):
        if column not in header:
            raise Refused(f"{name}: not a table of boids --table: it has no column {column}")
    return name, header, rows


def key_and_number_columns(header: List[str], rows: Any) -> Tuple[List[int], List[int]]:
    """Return (columns of keys, columns that may be numbers), as places in the header.

    The keys are the columns before `config`, or before the seed if there is no `config`, as in a table that was made by hand. If a number that
    boids writes is there, or no key, a program such as pandas has moved the columns: then statistics are numbers, and keys and sections of
    a configuration are keys anywhere. If not, a key may still be behind `config`, but so may a column that a user has added, such as
    `steps`. It is a key if its values differ and are no numbers, as those of `update`, or if its name has a dot, as flock.noise.eta has. A
    title behind `config` is no key.
    """
    known = key_schemas()
    end = header.index("config" if "config" in header else "seed")
    # pandas writes the numbers of rows in a column without a name, and reads it as "Unnamed: 0".
    own = [
        at
        for at, column in enumerate(header)
        if column not in ("", *NAMES_OF_A_RUN) and not column.startswith("Unnamed:")
    ]
    has_numbers = not NUMBERS_OF_A_RUN.isdisjoint(header[:end])
    statistics = NUMBERS_OF_A_RUN.union(STATISTICS) if has_numbers else ()
    keys = [at for at in own if at < end and header[at] not in statistics]
    is_moved = has_numbers or not keys
    for at in own:
        column = header[at]
        is_known = column in known or any(key.startswith(column + ".") for key in known)
        values = {value_of(row[at]) for row in rows}
        is_sure = len(values) > 1 and ("." in column or str in map(type, values))
        if at > end and is_known and column != "title" and (is_moved or is_sure):
            keys.append(at)
    return keys, [at for at in own if at not in keys]


def read_sweep(table: Any) -> Sweep:
    """Return the Sweep in a table that read_table() reads.

    Rows of failed runs have no numbers and are left out. So are rows that repeat another run.
    """
    name, header, rows = read_table(table)
    status = header.index("status")
    done = [row for row in rows if row[status] == "done"]
    if not done:
        raise Refused(f"{name}: none of its runs ended well")
    if len(done) < len(rows):
        note(
            f"{name}: {len(rows) - len(done)} of {len(rows)} runs did not end well and are left out"
        )
    keys, numbers = key_and_number_columns(header, done)
    places = [*keys, header.index("seed")]
    for at in places:
        spellings: Dict[Any, str] = {}  # the first one of each value
        for row in done:
            row[at] = spellings.setdefault(value_of(row[at]), row[at].strip() or "null")
    identity = places + [header.index(name) for name in ("config", *OF_A_RUN) if name in header]
    first: Dict[Any, List[str]] = {}
    for row in done:
        first.setdefault(tuple(row[at] for at in identity), row)
    runs = list(first.values())
    if len(runs) < len(done):
        note(
            f"{name}: {len(done) - len(runs)} of {len(done)} rows repeat the keys, the seed and the configuration of another; each run "
            "counts once"
        )
    with refusals_about(name):
        values = {
            header[at]: floats_or_none([row[at] for row in runs], header[at]) for at in numbers
        }
    return Sweep(
        name,
        [header[at] for at in keys],
        [tuple(row[at] for at in keys) for row in runs],
        {column: found for column, found in values.items() if found is not None},
        [row[places[-1]] for row in runs],
        differing_settings(header, runs),
        np.ones(len(runs)),
    )


def collapsed(sweep: Sweep, x: str, series: str, scaling: Any) -> Sweep:
    """Return as_lines() with (x - CENTRE) S^A on the horizontal axis and values times S^B; S is the value of the key `series`."""
    lines = as_lines(sweep, x, series)
    centre, a, b = scaling
    try:
        sizes = np.array([float(point[sweep.keys.index(series)]) for point in sweep.points])
        places = (np.array([float(point) for point, in lines.points]) - centre) * sizes**a
    except ValueError:
        raise Refused(f"{sweep.name}: --collapse needs numbers for {x} and {series}") from None
    if not (sizes > 0).all():
        raise Refused(f"{sweep.name}: --collapse needs values above 0 for {series}")
    lines.points = [(repr(float(place)),) for place in places]
    lines.factors, lines.scaling = sizes**b, (x, series, scaling)
    return lines


def as_lines(sweep: Sweep, x: str, series: Optional[str]) -> Sweep:
    """Return the Sweep with only the key `x`. If a key `series` is given, each of its values becomes a setting, and so a line. Any other
    key, such as a world that grows with the flock, must have one value per point of a line."""
    points = reduced_points(
        sweep,
        [key for key in (x, series) if key],
        "name it with --series, draw a panel for each of its values with --panel, or one value with --where KEY=VALUE",
    )
    labels = [f"{series} = {point[1]}" if series else "" for point in points]
    settings = [", ".join(filter(None, texts)) for texts in zip(labels, sweep.settings)]
    first = [point[:1] for point in points]
    return replace(sweep, keys=[x], points=first, settings=settings, series=series or "")


def index_of(sweep: Sweep, key: str) -> int:
    """Return the place of a key in each point."""
    if key not in sweep.keys:
        known = (
            f"; the keys that vary are {', '.join(sweep.keys)}" if sweep.keys else "; no key varies"
        )
        raise Refused(
            f"{sweep.name}: {key} is not a key that varies{bool(sweep.panel) * ' in the panel '}{sweep.panel}{did_you_mean(key, sweep.keys) or known}"
        )
    return sweep.keys.index(key)


def where(sweep: Sweep, conditions: Any) -> Sweep:
    """Return the Sweep of the runs that meet all conditions, (key, its values as texts). A value is equal to that of the run, or it is a
    range A..B or A:B of numbers, both included."""
    for key, wanted in conditions or ():
        at = None if key == "seed" else index_of(sweep, key)
        cells = sweep.seeds if at is None else [point[at] for point in sweep.points]
        rows = [
            row for row, cell in enumerate(cells) if any(is_within(cell, one) for one in wanted)
        ]
        if not rows:
            raise Refused(
                f"{sweep.name}: no run has {key}={','.join(wanted)}; its values are {', '.join(sorted_texts(cells)[0][:20])}"
            )
        sweep = sweep.of_rows(np.array(rows))
    return sweep


def is_within(cell: str, wanted: str) -> bool:
    """Return whether the text of a value is another, or a number in a range."""
    ends = re.fullmatch(rf"({NUMBER.pattern})(?:\.\.|:)({NUMBER.pattern})", wanted)
    value = value_of(cell)
    if ends and isinstance(value, (int, float)):
        return float(ends[1]) <= value <= float(ends[5])
    return bool(value == value_of(wanted))


def sorted_texts(texts: Iterable[str]) -> Tuple[List[str], bool]:
    """Return (distinct texts, whether all are numbers): numbers in ascending order, other texts in the order of the table."""
    texts = list(dict.fromkeys(texts))
    try:
        return sorted(texts, key=float), True
    except ValueError:
        return texts, False


def panels(sweep: Sweep, key: str) -> List[Sweep]:
    """Return a Sweep for each value of a key, without this key and those that depend on it, as a width that --let computes."""
    columns = [np.array(column) for column in zip(*sweep.points)]
    own = columns[index_of(sweep, key)]
    rows_of = {value: np.flatnonzero(own == value) for value in sorted_texts(own)[0]}
    varied = [
        at
        for at, column in enumerate(columns)
        if any(len(set(column[rows])) > 1 for rows in rows_of.values())
    ]
    return [
        replace(with_keys(sweep.of_rows(rows), varied), panel=f"{key} = {value}")
        for value, rows in rows_of.items()
    ]


def with_keys(sweep: Sweep, places: Sequence[int]) -> Sweep:
    """Return the Sweep with only the keys at these places."""
    return replace(
        sweep,
        keys=[sweep.keys[at] for at in places],
        points=[tuple(point[at] for at in places) for point in sweep.points],
    )


def independent(sweep: Sweep, whole: Sweep) -> Sweep:
    """Return the Sweep without keys that are no dimension of their own: those that vary only in the `whole` table, of which --where has
    chosen runs, and numbers that rise or fall with those of an earlier key, as a width that --let computes.
    """
    before = dict(zip(whole.keys, zip(*whole.points)))
    columns = [(column, before[key]) for key, column in zip(sweep.keys, zip(*sweep.points))]
    kept: List[int] = []
    for at, (column, whole_column) in enumerate(columns):
        is_one = len(set(column)) == 1 < len(set(whole_column))
        if not is_one and not any(
            all(map(is_monotone, columns[other], columns[at])) for other in kept
        ):
            kept.append(at)
    return with_keys(sweep, kept)


def is_monotone(column: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether each text of a column has one text in the other, and these are numbers that rise, or fall, with it."""
    pairs = set(zip(column, other))
    if not 1 < len(pairs) == len(set(column)) == len(set(other)):
        return False
    if not (sorted_texts(column)[1] and sorted_texts(other)[1]):
        return False
    steps = np.diff([float(b) for _, b in sorted(pairs, key=lambda pair: float(pair[0]))])
    return bool((steps > 0).all() or (steps < 0).all())


def reduced_points(sweep: Sweep, keys: Sequence[str], cure: str) -> List[Tuple[str, ...]]:
    """Return the values of some keys in each row, a tuple of texts each. Every other key must have one value per point; `cure` is the
    advice if it has several."""
    chosen, points = [index_of(sweep, key) for key in keys], []
    first: Dict[Any, Any] = {}
    for point in sweep.points:
        points.append(tuple(point[i] for i in chosen))
        other = first.setdefault(points[-1], point)
        if other != point:
            names = [key for key, a, b in zip(sweep.keys, point, other) if a != b]
            raise Refused(
                f"{sweep.name}: {'each of ' * (len(names) > 1)}{', '.join(names)} varies as well; {cure}"
            )
    return points


def joined(sweeps: Sequence[Sweep]) -> Sweep:
    """Return one Sweep with the runs of all, whose settings begin with the name of their table."""
    first = sweeps[0]
    for at, other in enumerate(sweeps):
        if other.name in [sweep.name for sweep in sweeps[:at]]:
            raise Refused(f"{other.name} is given twice; its runs would count twice")
        if other.keys != first.keys:
            raise Refused(
                f"{other.name}: its points have {', '.join(other.keys) or 'no key'}, and those of {first.name} "
                f"{', '.join(first.keys) or 'none'}; --compare needs the same keys, as --x KEY gives them"
            )
    return replace(
        first,
        name=", ".join(sweep.name for sweep in sweeps),
        points=[point for sweep in sweeps for point in sweep.points],
        values={
            name: np.concatenate([sweep.values[name] for sweep in sweeps])
            for name in first.values
            if all(name in sweep.values for sweep in sweeps)
        },
        seeds=[seed for sweep in sweeps for seed in sweep.seeds],
        settings=[
            ", ".join(filter(None, (name, setting)))
            for name, sweep in zip(short_names(sweeps), sweeps)
            for setting in sweep.settings
        ],
        factors=np.concatenate([sweep.factors for sweep in sweeps]),
    )


def short_names(files: Any) -> List[str]:
    """Return the names of tables or other files without their folders, unless two would be alike."""
    paths = [file.name for file in files]
    short = list(map(os.path.basename, paths))
    return short if len({*short}) == len({*paths}) else paths


def differing_settings(header: List[str], rows: Any) -> List[str]:
    """Return the differences between rows other than keys and seed: "configuration 139542619". The configuration contains the initial
    state, which is no difference if its file is a key."""
    texts = [
        [f"{word} {row[header.index(column)]}" for row in rows]
        for column, word in (("config", "configuration"), ("version", "version"))
        if column in header
    ]
    name = "flock.init.file"
    files = [row[header.index(name)] if name in header else "" for row in rows]
    differing = [column for column in texts if len({*zip(files, column)}) > len({*files})]
    return [", ".join(column[i] for column in differing) for i in range(len(rows))]


def rolling_mean(steps: Array, values: Array, window: float) -> Array:
    """Return the rolling mean, float [T]: at each step, the mean of the defined values within half a window. It is NaN near the ends, where
    a window would reach beyond the data."""
    defined = np.isfinite(values)
    sums = np.concatenate([[0], np.cumsum(np.where(defined, values, 0))])
    counts = np.concatenate([[0], np.cumsum(defined)])
    low = np.searchsorted(steps, steps - window / 2, "left")
    high = np.searchsorted(steps, steps + window / 2, "right")
    n = counts[high] - counts[low]
    is_full = (steps - window / 2 >= steps[0]) & (steps + window / 2 <= steps[-1])
    return np.where(is_full & (n > 0), (sums[high] - sums[low]) / np.maximum(n, 1), np.nan)
