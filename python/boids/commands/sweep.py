"""Points for a sweep: a grid of keys and values, or a random design, times seeds; `boids --points` runs them.

--print prints the table of points. Change it, or make one elsewhere (SALib, a spreadsheet), and run it with
boids -c CONFIG --points POINTS.csv --table TABLE.csv.
"""

import argparse
import ast
import contextlib
import csv
import itertools
import math
import operator
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from decimal import Decimal, InvalidOperation
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from .errors import ConfigError, RunError
from .places import PACKAGE, place
from .plotting.command import Parser as PlotParser
from .plotting.command import number, open_closed_streams
from .plotting.errors import NUMBER
from .plotting.sanitize import tidy

MAX_RUNS_WITHOUT_YES = 100000
MAX_RUNS_NAMED = 10**18
MAX_DIGITS = 400  # before or after the decimal point of a range; a double has 309 and 324
MAX_BITS = 1024  # of an exact power; larger ones are doubles
PROGRESS_SECONDS = 1
MAX_SHOWN = 200  # characters of an expression in a message
HERE = place("scripts")


def command(name):
    """The command that starts a script, as it is typed here: ./boids-NAME in a checkout."""
    is_here = os.path.exists(f"boids-{name}") and not shutil.which(f"boids-{name}")
    return "./" * is_here + f"boids-{name}"


def refuse(sentence):
    raise ConfigError(sentence)


def shorten(text):
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "..."


def is_whole(text):
    return text.removeprefix("-").isascii() and text.removeprefix("-").isdigit()


def split(text):
    """The parts between commas. Commas within brackets, braces and quotes do not separate parts."""
    parts, depth, is_quoted = [""], 0, False
    for c in text:
        is_quoted ^= c == '"'
        depth += 0 if is_quoted else (c in "[{") - (c in "]}")
        if c == "," and depth == 0 and not is_quoted:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def stepped(option, text, first, last, step):
    """The numbers of a range, computed in decimal: 0:1:0.1 contains exactly 0.3, and ends with 1."""
    try:
        first, last, step = numbers = Decimal(first), Decimal(last), Decimal(step)
        if not all(number.is_finite() and abs(number.adjusted()) <= MAX_DIGITS for number in numbers):
            raise ValueError
        count = int((last - first) / step) + 1
    except (InvalidOperation, ValueError, ZeroDivisionError, OverflowError):
        refuse(f"{option} is {shorten(text)}; a range is A..B or A:B:STEP, of numbers with decimal points, with a step that is not 0")
    if count < 1:
        refuse(f"{option} is {shorten(text)}; a range leads from A to B in steps: 1..5, 0:1:0.1 or 1:0:-0.1")
    return lambda: (format(first + i * step, "f") for i in range(count)), count


def values_of(option, text, width=1):
    """(function that makes the values, their number) of A,B,C or A..B or A:B:STEP. A value is a tuple of `width` texts: the same text for
    all keys, or A:B:C, one for each key."""
    ends, parts = text.split(".."), text.split(":")
    if len(ends) == 2 and all(map(is_whole, ends)):
        make, count = stepped(option, text, *ends, "1")
        return lambda: ((value,) * width for value in make()), count
    if width == 1 and len(parts) > 3 and all(NUMBER.fullmatch(part) for part in parts):
        refuse(f"{option}={shorten(text)}: a range is A:B:STEP, three numbers")
    if width == 1 and len(parts) == 3 and not text.startswith(("[", "{", '"')):
        make, count = stepped(option, text, *parts)
        return lambda: ((value,) for value in make()), count
    ends = re.fullmatch(r"(-?\d[\d.]*?)(?::|-|\.{2,3})(-?\d*\.?\d+)", text)
    if width == 1 and ends:
        refuse(f"{option}={text}: a range needs a step, {ends[1]}:{ends[2]}:STEP; a range of whole numbers is A..B")
    if re.fullmatch(r"-?\d+,0\d+", text):
        refuse(f"{option}={text}: a comma separates values; a number has a decimal point: {text.replace(',', '.')}")
    values = split(text)
    if "" in values:
        refuse(f"{option}={shorten(text)}: a value is missing; values have commas between them: 1,2,5")
    tuples = [tuple(value.split(":")) if width > 1 and ":" in value else (value,) * width for value in values]
    for value, found in zip(values, tuples):
        if len(found) != width or "" in found:
            refuse(f"{option}: {shorten(value)} has {len(found)} values for {width} keys; give one value for all keys, or one for each "
                   "with colons between them")
    return lambda: iter(tuples), len(tuples)


def assignment(option, text, wanted):
    """(keys, value) of KEY+KEY=VALUE."""
    keys, equals, value = text.partition("=")
    if "" in keys.split("+") or not equals:
        refuse(f"{option} {shorten(text)} is not {wanted}")
    return keys.split("+"), value


def power(base, exponent):
    """base ** exponent. It is exact for whole numbers, if the result has no more bits than the largest double. ValueError if it is
    complex."""
    if isinstance(base, int) and isinstance(exponent, int) and abs(exponent) * base.bit_length() <= MAX_BITS:
        return base ** exponent
    return math.pow(base, exponent)


OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: power,
             ast.USub: operator.neg}


def evaluate(node, values):
    """The number of a syntax tree of numbers, + - * / **, sqrt(...) and keys, whose values are texts. ValueError, ArithmeticError or
    RecursionError if it has none."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, (ast.Name, ast.Attribute)):
        key = ast.unparse(node)
        if key not in values:
            raise ValueError(f"{key} is not a column before it; the columns are {', '.join(values)}")
        return int(values[key]) if is_whole(values[key]) else float(values[key])
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](evaluate(node.left, values), evaluate(node.right, values))
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](evaluate(node.operand, values))
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "sqrt" and len(node.args) == 1 and not node.keywords:
        return math.sqrt(evaluate(node.args[0], values))
    raise ValueError(f"{shorten(ast.unparse(node))} is not a number, a key, + - * / ** or sqrt(...)")


def read_expressions(texts):
    """[(option, keys, syntax tree)] of each --let KEY=EXPRESSION."""
    expressions = []
    for text in texts:
        keys, value = assignment("--let", text, "KEY=EXPRESSION")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the parser, about odd numbers
                expressions.append((f"--let {shorten(text)}", keys, ast.parse(value, mode="eval").body))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            refuse(f"--let {shorten(text)}: {shorten(value)} is not an expression; an example is sqrt(flock.count/4)")
    return expressions


def extended(header, point, expressions):
    """The cells of a row: the point, and the values of the expressions."""
    values = dict(zip(header, point))
    for option, keys, tree in expressions:
        try:
            value = evaluate(tree, values)
            if not math.isfinite(value):
                raise ValueError(f"its value is {value}")
        except (ValueError, ArithmeticError) as error:
            refuse(f"{option}: {error}")
        except RecursionError:
            refuse(f"{option}: it has too many parts within each other; divide it into several --let")
        text = str(int(value)) if value == int(value) else repr(value)
        values.update((key, text) for key in keys)
    return tuple(values.values())


def hypercube(designs, samples, seed):
    """Points of a Latin hypercube: each key's range in `samples` strata, each of which has one point in it."""
    chance = random.Random(seed)
    columns = []
    for key, low, high in designs:
        strata = list(range(samples))
        for i in reversed(range(1, samples)):  # random() alone is the same in every version of Python
            j = int(chance.random() * (i + 1))
            strata[i], strata[j] = strata[j], strata[i]
        columns.append([repr(low + (high - low) * ((stratum + chance.random()) / samples)) for stratum in strata])
    return zip(*columns)


def read_designs(texts):
    for text in texts:
        keys, value = assignment("--random", text, "KEY=A:B")
        try:
            low, high = map(float, value.split(":"))
        except ValueError:
            refuse(f"--random {text} is not KEY=A:B, two numbers")
        if len(keys) > 1 or not math.isfinite(high - low):
            refuse(f"--random {text} is not KEY=A:B, one key and two numbers whose difference is finite")
        yield keys[0], low, high


def design(options):
    """(header, what makes the rows)."""
    grids = []
    for text in options.vary:
        keys, value = assignment("--vary", text, "KEY=A,B,..., KEY=A..B or KEY=A:B:STEP")
        grids.append((keys, *values_of(f"--vary {'+'.join(keys)}", value, len(keys))))
    if options.seeds:
        grids.append((["seed"], *values_of("--seeds", options.seeds)))
    expressions = read_expressions(options.let)
    designs = list(read_designs(options.random))
    if not (grids or designs):
        refuse("no --vary KEY=A,B,..., --random KEY=A:B or --seeds A..B was given; see --help")
    if bool(designs) != bool(options.samples):
        refuse("--random KEY=A:B and --samples N belong together")
    count = options.samples or 1
    for _, _, n in grids:
        count *= n

    def rows():
        for point in hypercube(designs, options.samples, options.random_seed) if designs else [()]:
            for values in itertools.product(*(make() for _, make, _ in grids)):
                yield extended(header, (*point, *itertools.chain(*values)), expressions)
    header = [key for key, *_ in designs] + [key for keys, *_ in grids for key in keys]
    columns = header + [key for _, keys, _ in expressions for key in keys]
    for key in columns:
        if columns.count(key) > 1:
            refuse(f"{key} is given twice; a key is one column")
    if count > MAX_RUNS_WITHOUT_YES and not options.yes:
        refuse(f"that makes {count if count <= MAX_RUNS_NAMED else 'more than 10^18'} runs; --yes confirms that")
    next(rows(), None)  # an expression without a value is refused before anything is written
    return columns, rows


def check_points(words, options, header, rows):
    """Let boids check all points. An error names the option and the value that the user gave, not the line of a table."""
    done = subprocess.run([*words, "--check", "--quiet"], stdin=sys.stdin, capture_output=True, text=True, errors="surrogateescape",
                          check=False)
    if done.returncode == 0:
        return

    def given(column, row=0):
        key = header[column - 1]
        option = "--seeds" if key == "seed" and options.seeds else next(
            (f"--{name}" for name in ("random", "let") for text in getattr(options, name) if key in text.split("=")[0].split("+")), "--vary")
        if option == "--seeds":
            return f"--seeds {options.seeds}"
        return f"{option} {key}" + (f"={next(itertools.islice(rows(), row - 1, None))[column - 1]}" if row else "")

    said = re.sub(r"(?:--points )?standard input:(\d+), column (\d+)", lambda at: given(int(at[2]), int(at[1]) - 1), done.stderr)
    said = re.sub(r"column (\d+) of standard input", lambda at: given(int(at[1])), said)
    said = re.sub(r"standard input:(\d+)", lambda at: f"point {int(at[1]) - 1}", said)
    sys.stderr.write(re.sub("^boids: ", "boids-sweep: ", said, flags=re.MULTILINE))
    sys.exit(done.returncode)


def find_boids(named):
    for program in (named, os.environ.get("BOIDS"), os.path.join(HERE, "..", "boids"),
                    os.path.join(HERE, "..", "..", "..", "bin", "boids"), os.path.join(PACKAGE, "boids"), "boids"):
        if program and shutil.which(program):
            return shutil.which(program)
    refuse("there is no program boids; --boids names it")


class Parser(PlotParser):
    """argparse whose help begins with an example."""

    SYNONYMS = {"--jobs": "-j", "--threads": "-j", "--sample": "--samples", "--seed": "--seeds", "--table": "-o", "--out": "-o", "--save": "-o"}

    def format_help(self):
        example = f"{command('sweep')} -c p5 --vary flock.alignment.factor=0.1,0.3,1,3 --seeds 1..10 -o table.csv"
        return f"Example:\n  {example}\n\n" + argparse.ArgumentParser.format_help(self)


def read_options():
    parser = Parser(prog=command("sweep"), description="Make a grid or a random design of points and run it.",
                    allow_abbrev=False, usage=f"{command('sweep')} [options] [-- OPTION ...]",
                    epilog="The same command again makes only the missing runs. Draw the table with: "
                           f"{command('plot')} table.csv --save table.png")
    parser.add_argument("-c", "--config", metavar="FILE", help="the configuration that all runs share, or a preset")
    parser.add_argument("--vary", action="append", default=[], metavar="KEY=VALUES",
                        help="A,B,C, a range of whole numbers A..B, or A:B:STEP; repeatable: all combinations are run. KEY+KEY=A,B gives "
                             "keys the same values; KEY+KEY=A:B,C:D gives each its own")
    parser.add_argument("--let", action="append", default=[], metavar="KEY=EXPRESSION",
                        help="compute a column from columns before it: world.width='sqrt(flock.count/4)'; repeatable")
    parser.add_argument("--seeds", metavar="VALUES", help="seeds: A,B,C or A..B")
    parser.add_argument("--random", action="append", default=[], metavar="KEY=A:B",
                        help="a range to sample, a Latin hypercube over all of them; repeatable")
    parser.add_argument("--samples", type=number(int, 1), default=0, metavar="N", help="how many points --random makes")
    parser.add_argument("--random-seed", type=number(int, -math.inf), default=1, metavar="N", help="of the hypercube (default: 1)")
    parser.add_argument("-n", "--steps", metavar="N", help="steps of each run")
    parser.add_argument("-s", "--set", action="append", default=[], metavar="KEY=VALUE", help="for all runs; repeatable")
    parser.add_argument("-o", "--output", metavar="TABLE.csv", help="one row per run")
    parser.add_argument("-j", metavar="N", help="runs at a time (default: one per processor)")
    parser.add_argument("--boids", metavar="PROGRAM", help="the program (default: the one beside this script, or on PATH)")
    parser.add_argument("--yes", action="store_true", help=f"also more than {MAX_RUNS_WITHOUT_YES} runs")
    parser.add_argument("--print", action="store_true", help="print the points, run nothing")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress, no closing line")
    parser.add_argument("more", nargs="*", metavar="-- OPTION", help="for boids, as they are: -- --keep DIR -o .h5")
    parser.error = lambda message: refuse(f"{message} (--help has more)")
    options, rest = parser.parse_known_args()
    parser.refuse_unknown(rest)
    return options


def main():
    options = read_options()
    header, rows = design(options)
    if options.print:
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
        out = csv.writer(sys.stdout, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows())
        sys.stdout.flush()
        return
    if not options.config:
        refuse("no --config was given; see --help")
    if not options.output:
        refuse("no -o TABLE.csv was given; see --help")
    words = [find_boids(options.boids), "-c", options.config, "--points", "-", "--table", options.output]
    for option, values in (("--steps", [options.steps]), ("--set", options.set), ("--threads", [options.j])):
        words += [word for value in values if value is not None for word in (option, value)]
    points = tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogateescape", newline="")
    csv.writer(points, lineterminator="\n").writerow(header)
    csv.writer(points, lineterminator="\n").writerows(rows())
    points.flush()
    points.seek(0)
    os.dup2(points.fileno(), sys.stdin.fileno())
    if options.seeds and is_whole(options.seeds) and int(options.seeds) > 1 and not options.quiet:
        sys.stderr.write(f"boids-sweep: note: --seeds {options.seeds} is one seed; {options.seeds} seeds are --seeds 1..{options.seeds}\n")
    try:
        check_points(words + options.more, options, header, rows)
        points.seek(0)
        os.execv(words[0], words + ["-q"] * options.quiet + options.more)
    except OSError as error:
        refuse(f"{words[0]}: it cannot be started: {error.strerror}; --boids names the program")


def guarded_main():
    """main() with one line for each error. Returns the exit status."""
    open_closed_streams()
    try:
        main()
    except (ConfigError, MemoryError) as error:
        sys.stderr.write(f"boids-sweep: {tidy(str(error) or 'not enough memory for so many points')}\n")
        return 2
    except BrokenPipeError:  # the reader has closed the pipe, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        sys.stderr.write(f"boids-sweep: the points cannot be written: {error.strerror}\n")
        os._exit(1)  # what is still in the buffer of standard output cannot be written either
    except KeyboardInterrupt:
        return 130
    return 0


# For notebooks.


def cell(value: Any) -> str:
    """A value in a table of points, as --set takes it."""
    from .flock import as_json
    return value if isinstance(value, str) else as_json(value)


def _listed(name: str, values: Any) -> list:
    """The values of a key, or the seeds."""
    found = [] if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable) else list(values)
    if not found:
        refuse(f"{name} is {shorten(repr(values))}; it must be a list of at least one value, such as [1, 2] or range(4)")
    return found


def _wait(running: Any, table: str, points: int, progress: bool) -> str:
    """What the program writes to standard error until it ends."""
    said, rows = None, 0
    while said is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            said = running.communicate(timeout=PROGRESS_SECONDS if progress else None)[1]
        with contextlib.suppress(FileNotFoundError), open(table, "rb") as file:
            rows = max(0, sum(1 for _ in file) - 1)
        if progress:
            print(f"\r{rows} of {points} runs", end="" if said is None else "\n", file=sys.stderr, flush=True)
    return said


def sweep(config: Any, vary: Optional[Mapping[Union[str, Sequence[str]], Iterable[Any]]] = None,
          seeds: Optional[Iterable[int]] = None, *, let: Optional[Mapping[str, str]] = None,
          changes: Optional[Mapping[str, Any]] = None, steps: Optional[int] = None, jobs: Optional[int] = None,
          table: Optional[str] = None, program: Optional[str] = None, progress: bool = False) -> Any:
    """Run a configuration with all combinations of values and seeds, in parallel, and return the table of boids-sweep as a pandas
    DataFrame: one row per run, with the keys, the results and the status (docs/sweeps.md).

    Args:
        config: a dict, a JSON file or the name of a preset, as for Flock.
        vary: {key: values}. A tuple of keys is varied as one: {("world.width", "world.height"): [(100, 100), (200, 50)]}.
        seeds: the seeds of the runs at each point.
        let: {key: expression} of keys that are computed from others: {"world.width": "sqrt(flock.count/4)"}.
        changes: keys and values of all runs.
        steps: steps of each run; None: as in the configuration.
        jobs: runs at a time; None: one per processor.
        table: a CSV file to keep the table in; the same call again makes only the missing runs.
        program: the program `boids` that runs the points; None: the one of this installation.
        progress: print the number of rows of the table to standard error once per second.

    Raises:
        ConfigError: the program refused something; the message is its sentence.
        RunError: no run succeeded.
    """
    import pandas
    if not isinstance(vary or {}, Mapping):
        refuse(f"vary is {shorten(repr(vary))}; it must be a dict, such as {{'flock.count': [50, 100]}}")
    columns = [((key,) if isinstance(key, str) else tuple(key), _listed(f"vary of {key}", values)) for key, values in (vary or {}).items()]
    columns += [] if seeds is None else [(("seed",), _listed("seeds", seeds))]
    header = [key for keys, _ in columns for key in keys]
    if not header:
        refuse("neither vary nor seeds were given")
    expressions = read_expressions([f"{key}={value}" for key, value in (let or {}).items()])
    grid = [[tuple(map(cell, value)) if len(keys) > 1 else (cell(value),) for value in values] for keys, values in columns]
    points = [extended(header, tuple(itertools.chain(*point)), expressions) for point in itertools.product(*grid)]
    if any(len(point) != len(header) + len(expressions) for point in points):
        refuse("a tuple of keys and each of its values must be equally long")
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(config, Mapping):
            with open(os.path.join(folder, "configuration.json"), "w", encoding="utf-8") as file:
                file.write(cell(config))
            config = file.name
        with open(os.path.join(folder, "points.csv"), "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header + list(let or {}), *points])
        table = table or os.path.join(folder, "table.csv")
        words = [find_boids(program), "-q", "-c", os.fspath(config), "--points", file.name, "--table", os.fspath(table)]
        words += [word for key, value in (changes or {}).items() for word in ("--set", f"{key}={cell(value)}")]
        words += [word for option, value in (("--steps", steps), ("--threads", jobs)) if value is not None for word in (option, str(value))]
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
            try:
                said = _wait(running, table, len(points), progress).strip().removeprefix("boids: ")
            except BaseException:  # Ctrl-C
                running.terminate()
                raise
        if running.returncode == 2:
            refuse(said.replace(folder + os.sep, ""))
        found = pandas.read_csv(table, float_precision="round_trip", dtype={"state_hash": str}) if os.path.exists(table) else None
        if found is None or not (found["status"] == "done").any():
            raise RunError(said or "no run succeeded")
        if said:
            warnings.warn(said, stacklevel=2)
        wanted = pandas.read_csv(file.name, float_precision="round_trip").drop_duplicates()
    # A table that was there before may have rows of other points, and of other settings: those have another `config`.
    return found[found["config"] == found["config"].iloc[-1]].merge(wanted, on=list(wanted))
