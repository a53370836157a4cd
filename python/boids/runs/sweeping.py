"""Sweeps in Python: boids.sweep() runs a table of points with the program `boids`. commands/sweep.py is boids-sweep."""

import ast
import contextlib
import csv
import io
import itertools
import math
import operator
import os
import re
import shutil
import subprocess
import tempfile
import warnings
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from ..core.config import Keys
from ..core.errors import ConfigError, RunError, argument
from ..core.messages import file_name, listed, note_old_name
from ..core.places import program_of_package
from ..core.progress import print_count
from ..core.sanitize import shown
from ..estimates.estimators import note_doubtful_runs
from ..estimates.seeds import estimated_columns, columns_of_text
from ..files.tables import read_sweep
from .simulation import CONFIG_FORMS, _checked_mapping, as_json, with_advice

if TYPE_CHECKING:
    from ..core.outside_types import DataFrame

__all__ = ["sweep"]

MAX_BITS = 1024  # the most bits of an exact power; larger powers are doubles
PROGRESS_SECONDS = 1
MAX_SHOWN = 200  # characters of an expression in a message


def shorten(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "..."


def is_whole(text: str) -> bool:
    return text.removeprefix("-").isascii() and text.removeprefix("-").isdigit()


def assignment(option: str, text: str, wanted: str) -> Tuple[List[str], str]:
    """Return (keys, value) of KEY+KEY=VALUE."""
    keys, equals, value = text.partition("=")
    if "" in keys.split("+") or not equals:
        raise ConfigError(f"{option} {shorten(text)} is not {wanted}")
    return keys.split("+"), value


def power(base: float, exponent: float) -> Any:
    """Return base ** exponent. It is exact for whole numbers, if the result has no more bits than the largest double. Raise ValueError if
    it is complex."""
    if (
        isinstance(base, int)
        and isinstance(exponent, int)
        and abs(exponent) * base.bit_length() <= MAX_BITS
    ):
        return base**exponent
    return math.pow(base, exponent)


OPERATORS: Dict[Any, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: power,
    ast.USub: operator.neg,
}


def evaluate(node: Any, values: Mapping[str, str]) -> Any:
    """Compute the number that an expression (a syntax tree) gives. It may contain numbers, + - * / **, sqrt(...) and keys, whose values
    are texts. Raise ValueError, ArithmeticError or RecursionError if it gives none."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, (ast.Name, ast.Attribute)):
        key = ast.unparse(node)
        if key not in values:
            raise ValueError(
                f"{key} is not a column before it; the columns are {', '.join(values)}"
            )
        return int(values[key]) if is_whole(values[key]) else float(values[key])
    if type(getattr(node, "op", None)) in OPERATORS:
        operands = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        return OPERATORS[type(node.op)](*(evaluate(operand, values) for operand in operands))
    if (
        isinstance(node, ast.Call)
        and ast.unparse(node.func) == "sqrt"
        and len(node.args) == 1
        and not node.keywords
    ):
        return math.sqrt(evaluate(node.args[0], values))
    raise ValueError(
        f"{shorten(ast.unparse(node))} is not a number, a key, + - * / ** or sqrt(...)"
    )


def read_expressions(texts: Iterable[str]) -> List[Any]:
    """Return [(option, keys, syntax tree)] of each --let KEY=EXPRESSION."""
    expressions = []
    for text in texts:
        keys, value = assignment("--let", text, "KEY=EXPRESSION")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the parser, about odd numbers
                expressions.append(
                    (argument("let", shorten(text)), keys, ast.parse(value, mode="eval").body)
                )
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ConfigError(
                f"{argument('let', shorten(text))}: {shorten(value)} is not an expression; an example is 50*sqrt(flock.count)"
            ) from None
    return expressions


def columns_of(header: Iterable[str], expressions: Any) -> List[str]:
    """Return the columns of the points: those of a header, and those of the expressions."""
    columns = [*header, *(key for _, keys, _ in expressions for key in keys)]
    for key in columns:
        if columns.count(key) > 1:
            raise ConfigError(f"{key} is given twice; a key is one column")
    return columns


def with_expression_values(header: Sequence[str], point: Any, expressions: Any) -> Tuple[str, ...]:
    """Return the cells of a row: the point, and the values of the expressions."""
    values = dict(zip(header, point))
    for option, keys, tree in expressions:
        try:
            value = evaluate(tree, values)
            if not math.isfinite(value):
                raise ValueError(f"its value is {value}")
        except (ValueError, ArithmeticError) as error:
            raise ConfigError(f"{option}: {error}") from None
        except RecursionError:
            raise ConfigError(
                f"{option}: it has too many parts within each other; divide it into several {argument('let')}"
            ) from None
        text = str(int(value)) if value == int(value) else repr(value)
        values.update((key, text) for key in keys)
    return tuple(values.values())


def with_names_of_cells(said: str, name_of: Callable[[int, int], str]) -> str:
    """Return what boids said about points on standard input, which the user has not written, with other names of places: name_of(column,
    row), both from 1; row 0 is the header."""
    said = re.sub(
        r"(?:--points )?standard input:(\d+), column (\d+)",
        lambda at: name_of(int(at[2]), int(at[1]) - 1),
        said,
    )
    said = re.sub(r"column (\d+) of standard input", lambda at: name_of(int(at[1]), 0), said)
    return re.sub(r"standard input:(\d+)", lambda at: f"point {int(at[1]) - 1}", said)


def find_boids(named: Optional[str]) -> str:
    given = named or os.environ.get("BOIDS")
    for program in (given,) if given else (program_of_package(), "boids"):
        found = program and shutil.which(program)
        if found:
            return found
    raise ConfigError(
        f"there is no program {given or 'boids; the environment variable BOIDS names it'}"
    )


def cell_text(value: Any) -> str:
    """Return a value as text for a table of points, as --set takes it."""
    return os.fspath(value) if isinstance(value, (str, os.PathLike)) else as_json(value)


def with_absolute_init_file(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the configuration with a flock.init.file that names the same file when it is read in another folder."""
    flock: Any = config.get("flock")
    init: Any = flock.get("init") if isinstance(flock, Mapping) else None
    name = init.get("file") if isinstance(init, Mapping) else None
    if not isinstance(name, str) or not name:
        return config
    return {**config, "flock": {**flock, "init": {**init, "file": os.path.abspath(name)}}}


def _items_of(values: Any) -> List[Any]:
    """Return the items of a list, a tuple, an array and so on. A text, a mapping or a single value has none."""
    is_list = isinstance(values, Iterable) and not isinstance(values, (str, Mapping))
    return list(values) if is_list else []


def _cells_of(keys: Sequence[str], value: Any) -> Tuple[str, ...]:
    """Return the texts of a value of one key, or of a tuple with a value for each of several keys."""
    parts = [value] if len(keys) == 1 else _items_of(value)
    if len(parts) != len(keys):
        raise ConfigError("a tuple of keys and each of its values must be equally long")
    return tuple(map(cell_text, parts))


def _checked_list(name: str, values: Any) -> List[Any]:
    """Return the values of a key, or the seeds."""
    found = _items_of(values)
    if not found:
        raise ConfigError(
            f"{name} is {shown(values)}; it must be a list of at least one value, such as [1, 2] or range(4)"
        )
    return found


def _wait(running: Any, table: str, points: int, progress: bool) -> Tuple[str, str]:
    """Wait until the program ends, and return what it wrote to standard output and to standard error."""
    said, rows = None, 0
    while said is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            said = running.communicate(timeout=PROGRESS_SECONDS if progress else None)
        if progress:
            with contextlib.suppress(OSError), open(table, "rb") as file:
                rows = max(0, sum(1 for _ in file) - 1)
            print_count(rows, points, "run", said is not None)
    return said


def _rows_of(pandas: Any, table: str, runs: Sequence[str]) -> Any:
    """Return the DataFrame of some runs, in this order, from a table that may have others. It is read without the others, whose values
    may be of other types."""
    if not os.path.exists(table) or not os.path.getsize(table):  # the disk was full
        return pandas.DataFrame({"run": [], "status": []})
    rows = pandas.read_csv(table, dtype=str, keep_default_na=False, on_bad_lines="skip")
    own = rows.dropna().drop_duplicates("run").set_index("run", drop=False)
    text = own.loc[[run for run in runs if run in own.index]].to_csv(index=False)
    return pandas.read_csv(
        io.StringIO(text), float_precision="round_trip", dtype={"state_hash": str}
    )


def sweep(
    config: Any,
    vary: Optional[Mapping[Union[str, Sequence[str]], Iterable[Any]]] = None,
    seeds: Optional[Iterable[int]] = None,
    *,
    let: Optional[Mapping[str, str]] = None,
    changes: Keys = None,
    steps: Optional[int] = None,
    threads: Optional[int] = None,
    table: Optional[str] = None,
    program: Optional[str] = None,
    progress: bool = False,
    jobs: Optional[int] = None,
) -> "DataFrame":
    """Run a configuration with all combinations of values and seeds, in parallel, and return the table of boids-sweep as a pandas
    DataFrame: one row per run, with the keys, the results and the status (docs/sweeps.md).

    Args:
        config: as for Flock; or a flock, all of whose values are used: flock.init.speed no longer follows flock.max_speed.
        vary: {key: values}. A tuple of keys is varied as one: {("world.width", "world.height"): [(100, 100), (200, 50)]}.
        seeds: the seeds of the runs at each point.
        let: {key: expression} of keys that are computed from others: {"world.width+world.height": "50*sqrt(flock.count)"}.
        changes: keys and values of all runs.
        steps: steps of each run; None: as in the configuration.
        threads: runs at a time; None: one per processor. `jobs` is its old name.
        table: a CSV file to keep the table in; the same call again makes only the missing runs.
        program: the program `boids` that runs the points; None: the one of this installation.
        progress: print the number of rows of the table to standard error once per second.

    Raises:
        ConfigError: the program refused something; the message is its sentence.
        RunError: no run succeeded.

    Warns:
        UserWarning: some runs failed, are too short or still drift (docs/analysis.md).

    ``table = boids.sweep("vicsek", {"flock.noise.eta": [1, 2, 3]}, range(4), steps=300)`` makes 12 runs.
    """
    if jobs is not None:
        note_old_name("jobs= is called threads=")
        threads = jobs
    keys, points = _points_of(vary, seeds, let)
    with tempfile.TemporaryDirectory() as folder:
        config = getattr(config, "config", {} if config is None else config)
        if isinstance(config, Mapping):
            config = with_absolute_init_file(config)
            with open(os.path.join(folder, "configuration.json"), "w", encoding="utf-8") as file:
                file.write(cell_text(config))
            config = file.name
        with open(os.path.join(folder, "points.csv"), "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([keys, *points])
        table = file_name(table or os.path.join(folder, "table.csv"), "table")
        words = [find_boids(program), "-qv", "-c", file_name(config, "config", CONFIG_FORMS)]
        words += ["--points", "-", "--table", table, *_options_of(changes, steps, threads)]
        found, said = _run(words, table, folder, keys, len(points), progress)
        if said:
            warnings.warn(said, stacklevel=2)
    done = read_sweep(found[found["status"] == "done"])
    note_doubtful_runs(done, columns_of_text(estimated_columns(done.values), []))
    return found


def _points_of(
    vary: Any, seeds: Any, let: Optional[Mapping[str, str]]
) -> Tuple[List[str], List[Any]]:
    """Return the columns of the points, and a row for each."""
    varied = _checked_mapping("vary", vary, "{'flock.count': [50, 100]}")
    columns = [
        (
            tuple(listed("a key of vary", key, "('world.width', 'world.height')")),
            _checked_list(f"vary of {key}", values),
        )
        for key, values in varied.items()
    ]
    columns += [] if seeds is None else [(("seed",), _checked_list("seeds", seeds))]
    header = [key for keys, _ in columns for key in keys]
    if not header:
        raise ConfigError("neither vary nor seeds were given")
    formulas = _checked_mapping("let", let).items()
    expressions = read_expressions([f"{key}={value}" for key, value in formulas])
    names = columns_of(header, expressions)
    grid = [[_cells_of(keys, value) for value in values] for keys, values in columns]
    points = [
        with_expression_values(header, tuple(itertools.chain(*point)), expressions)
        for point in itertools.product(*grid)
    ]
    return names, points


def _options_of(changes: Keys, steps: Any, threads: Any) -> Iterator[str]:
    for key, value in _checked_mapping("changes", changes).items():
        yield from ("--set", f"{key}={cell_text(value)}")
    for option, value in (("--steps", steps), ("--threads", threads)):
        if value is not None:
            yield from (option, str(value))


def _run(
    words: Sequence[str], table: str, folder: str, keys: List[str], count: int, progress: bool
) -> Tuple[Any, str]:
    """Run the points of a folder, and return their rows of the table, and what the program said."""
    import pandas  # if it is missing, nothing is run

    with open(os.path.join(folder, "points.csv"), "rb") as points, subprocess.Popen(
        words,
        stdin=points,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        try:
            listed, said = _wait(running, table, count, progress)
        except BaseException:  # Ctrl-C
            running.terminate()
            raise
    status, runs = running.returncode, listed.split()
    said = re.sub("^boids: ", "", said.strip(), flags=re.M).replace(folder + os.sep, "")
    said = re.sub(
        r"\A(?:--points )?standard input:\d+, column (\d+): ",
        lambda at: f"{keys[int(at[1]) - 1]}: ",
        said,
    )
    said = with_names_of_cells(
        said, lambda _, row: f"point {row}" if row else "a key of the points"
    )
    if status == 2:
        sentence, _, advice = said.partition("; boids --")
        # Options are arguments here.
        raise ConfigError(with_advice(re.sub(r"\B--(set )?", "", sentence), advice))
    found = _rows_of(pandas, table, runs)
    missing = len(runs) - len(found)
    if missing and not said:
        said = f"{missing} of {len(runs)} runs are missing: the program ended with status {status}"
    if not (found["status"] == "done").any():
        raise RunError(said or "no run succeeded")
    return found, said
