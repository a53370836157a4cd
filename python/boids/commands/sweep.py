"""Points for a sweep: a grid of keys and values, or a random design, times seeds; `boids --points` runs them.

--print prints the table of points. Change it, or make one elsewhere (SALib, a spreadsheet), and run it with
boids -c CONFIG --points POINTS.csv --table TABLE.csv.
"""

import contextlib
import csv
import itertools
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from decimal import Decimal
from typing import Any, Callable, Iterator, List, Sequence, Tuple

from ..core.config import key_schemas
from ..core.messages import NUMBER, Refused, note
from ..runs.sweeping import (
    assignment,
    columns_of,
    with_expression_values,
    with_names_of_cells,
    find_boids,
    is_whole,
    read_expressions,
    shorten,
)
from .command_line import LIST, Options, Parser, guard, number, split

MAX_RUNS_WITHOUT_YES = 100000
MAX_RUNS_NAMED = 10**18
RANGE_FORMS = "a range is A..B or A:B:STEP, with a step that is not 0; A:B/N has N values, and A:B/Nlog grows by factors from A above 0"
MAX_DIGITS = 400  # the most digits before or after the decimal point of a range; a double has at most 309 and 324


Texts = Tuple[str, ...]
Grid = Tuple[
    Callable[[int], Texts], int
]  # a function that makes a value of an index, and their number
Numbers = Tuple[Callable[[int], str], int]  # the same of a number
Design = Tuple[
    str, float, float, bool
]  # of --random: key, low, high, whether its numbers are whole
Rows = Callable[[], Iterator[Sequence[str]]]


def command(name: str) -> str:
    """Return the command that starts a script, as the user types it: ./boids-NAME in a checkout."""
    is_here = os.path.exists(f"boids-{name}") and not shutil.which(f"boids-{name}")
    return "./" * is_here + f"boids-{name}"


def decimals(*numbers: str) -> List[Decimal]:
    """Return the numbers of a range as decimals: 0:1:0.1 contains exactly 0.3, and ends with 1. Raise ArithmeticError if there are others."""
    found = list(map(Decimal, numbers))
    if not all(x.is_finite() and abs(x.adjusted()) <= MAX_DIGITS for x in found):
        raise ArithmeticError
    return found


def stepped(*numbers: str) -> Numbers:
    """Return the numbers of a range with a step."""
    first, last, step = decimals(*numbers)
    return lambda i: format(first + i * step, "f"), int((last - first) / step) + 1


def spaced(numbers: "re.Match[str]", takes_integers: bool) -> Numbers:
    """Return numbers from the first to the last, with equal differences or, if they end with `log`, with equal ratios."""
    first, last = decimals(numbers[1], numbers[2])
    count, log = int(numbers[3]), numbers[4]
    ends = float(first), float(last)
    if count < 1 or not all(map(math.isfinite, ends)) or (log and min(ends) <= 0):
        raise ArithmeticError

    def value(i: int) -> str:
        share = Decimal(i) / max(1, count - 1)
        found = first * (last / first) ** share if log else first + (last - first) * share
        return (
            str(round(found)) if takes_integers else f"{Decimal(repr(float(found))).normalize():f}"
        )

    return value, count


def values_of(option: str, text: str, width: int, takes_integers: bool) -> Grid:
    """Return the values of A,B,C or of a range. A value is a tuple of `width` texts: A gives the same text to all keys, and A:B:C gives
    each key its own text."""
    ends, parts = text.split(".."), text.split(":")
    numbers = re.fullmatch(r"([^:]+):([^:]+)/(\d{1,18})(log)?", text)
    found = None
    try:
        if width == 1 and numbers and all(map(NUMBER.fullmatch, numbers.groups()[:2])):
            found = spaced(numbers, takes_integers)
        elif len(ends) == 2 and all(map(is_whole, ends)):
            found = stepped(*ends, "1")
        elif width == 1 and len(parts) == 3 and not text.startswith(("[", "{", '"')):
            found = stepped(*parts)
    except ArithmeticError:
        raise Refused(f"{option} is {shorten(text)}; {RANGE_FORMS}") from None
    if found:
        value, count = found
        if count < 1:
            raise Refused(
                f"{option} is {shorten(text)}; a range leads from A to B in steps: 1..5, 0:1:0.1 or 1:0:-0.1"
            )
        return lambda i: (value(i),) * width, count
    wrong = fault_of_range(text, width)
    if wrong:
        raise Refused(f"{option}={shorten(text)}: {wrong}")
    values = split(text)
    tuples = [
        tuple(parts) if width > 1 and parts[1:] else (value,) * width
        for value in values
        for parts in [split(value, ":")]
    ]
    for word, given in zip(values, tuples):
        if len(given) != width or "" in given:
            raise Refused(
                f"{option}: {shorten(word)} has {len(given)} values for {width} keys; give one value for all keys, or one for "
                "each with colons between them"
            )
    return tuples.__getitem__, len(tuples)


def fault_of_range(text: str, width: int) -> str:
    """Return what is wrong with values that are meant as a range, with a decimal comma or with a missing value; "" if nothing is."""
    ends, parts, values = text.split(".."), text.split(":"), split(text)
    if len(ends) == 3 and all(map(NUMBER.fullmatch, ends)):
        return f"a range with a step is {':'.join(ends)}"
    if re.fullmatch(r"-?\d+,0\d+", text):
        return f"a comma separates values; a number has a decimal point: {text.replace(',', '.')}"
    if width == 1:
        if len(parts) > 3 and all(map(NUMBER.fullmatch, parts)):
            return "a range is A:B:STEP, three numbers"
        found = re.fullmatch(r"(-?\d[\d.]*?)(?::|-|\.{2,3})(-?\d*\.?\d+)", text)
        if found:
            return f"a range needs a step, {found[1]}:{found[2]}:STEP; a range of whole numbers is A..B"
        if any(re.fullmatch(r"-?[\d.]+(\.\.|:)-?[\d.:-]+", value) for value in values):
            return "a range cannot be one of several values; write the values, with commas between them"
    if "" in values:
        return "a value is missing; values have commas between them: 1,2,5"
    return ""


def hypercube(designs: Sequence[Design], samples: int, seed: int) -> Iterator[Tuple[str, ...]]:
    """Return the points of a Latin hypercube: each key's range is divided into `samples` strata, and each stratum contains one point."""
    chance = random.Random(seed)
    columns = []
    for _, low, high, takes_integers in designs:
        strata = list(range(samples))
        # Of the functions of `random`, only random() gives the same numbers in every version of Python.
        for i in range(samples - 1, 0, -1):
            j = int(chance.random() * (i + 1))
            strata[i], strata[j] = strata[j], strata[i]
        shares = [(stratum + chance.random()) / samples for stratum in strata]
        columns.append(
            [str(min(high, low + int((high - low + 1) * share))) for share in shares]
            if takes_integers
            else [repr(low + (high - low) * share) for share in shares]
        )
    return zip(*columns)


def are_integers(key: str) -> bool:
    """Return whether the values of a key are whole numbers, or null."""
    return key == "seed" or "integer" in key_schemas().get(key, {}).get("type", "")


def read_designs(texts: Sequence[str]) -> Iterator[Design]:
    """Return (key, low, high, whether its numbers are whole) for each --random KEY=A:B or, for whole numbers, KEY=A..B."""
    for text in texts:
        keys, value = assignment("--random", text, "KEY=A:B")
        ends = value.split(".." if ".." in value else ":")
        try:
            low, high = map(float, ends)
        except ValueError:
            raise Refused(f"--random {text} is not KEY=A:B, two numbers") from None
        if len(keys) > 1 or not math.isfinite(high - low):
            raise Refused(
                f"--random {text} is not KEY=A:B, one key and two numbers whose difference is finite"
            )
        is_integer = ".." in value or are_integers(keys[0])
        if is_integer and not all(map(is_whole, ends)):
            raise Refused(f"--random {text}: {keys[0]} takes whole numbers; write them as A..B")
        if is_integer:
            low, high = sorted(map(int, ends))
        yield keys[0], low, high, is_integer


def grid_of(options: Options, option: str, keys: Sequence[str], text: str) -> Grid:
    """Return values_of() keys. Note a range that has only one value, such as 0:5:11, which is meant as 11 values."""
    value, count = values_of(option, text, len(keys), are_integers(keys[0]))
    parts = text.split(":") if len(keys) == 1 else []
    if count == 1 and not options.quiet:
        if option == "--seeds" and is_whole(text) and int(text) > 1:
            note(f"note: --seeds {text} is one seed; {text} seeds are --seeds 1..{text}")
        elif (".." in text or parts[1:]) and text not in value(0):
            many = len(parts) == 3 and is_whole(parts[2]) and int(parts[2]) > 1
            cure = f"; {parts[2]} values are {parts[0]}:{parts[1]}/{parts[2]}" if many else ""
            note(f"note: {option} is {shorten(text)}, one value, {value(0)[0]}{cure}")
    return value, count


def design(options: Options) -> Tuple[List[str], Rows]:
    """Return (header, a function that makes the rows)."""
    header: List[str] = []  # of the grids
    grids = []
    for text in options.vary:
        keys, value = assignment("--vary", text, "KEY=A,B,..., KEY=A..B or KEY=A:B:STEP")
        grids.append(grid_of(options, f"--vary {'+'.join(keys)}", keys, value))
        header += keys
    if options.seeds:
        grids.append(grid_of(options, "--seeds", ["seed"], options.seeds))
        header.append("seed")
    expressions = read_expressions(options.let)
    designs = list(read_designs(options.random))
    for key, low, high, _ in designs:
        if low == high and not options.quiet:
            note(f"note: --random {key} is one value, {low}")
    if not (grids or designs):
        raise Refused(
            "no --vary KEY=A,B,..., --random KEY=A:B or --seeds A..B was given; see --help"
        )
    if bool(designs) != bool(options.samples):
        raise Refused("--random KEY=A:B and --samples N belong together")
    if not designs and options.random_seed != 1:
        raise Refused("--random-seed is for --random KEY=A:B; --seeds has the seeds of the runs")
    count = (options.samples or 1) * math.prod(n for _, n in grids)
    header = [key for key, *_ in designs] + header

    def rows() -> Iterator[Sequence[str]]:
        for point in hypercube(designs, options.samples, options.random_seed) if designs else [()]:
            for values in itertools.product(*(map(value, range(n)) for value, n in grids)):
                yield with_expression_values(
                    header, (*point, *itertools.chain(*values)), expressions
                )

    columns = columns_of(header, expressions)
    if count > MAX_RUNS_WITHOUT_YES and not options.yes:
        raise Refused(
            f"that makes {count if count <= MAX_RUNS_NAMED else 'more than 10^18'} runs; --yes confirms that"
        )
    next(rows(), None)  # an expression without a value is refused before anything is written
    return columns, rows


def check_points(words: List[str], options: Options, header: List[str], rows: Rows) -> None:
    """Run boids to check all points. An error names the option and the value that the user gave, not the line of a table."""
    done = subprocess.run(
        [*words, "--quiet", *["--check"] * ("--check" not in words)],
        stdin=sys.stdin,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
    )
    if done.returncode == 0:
        return

    def given(column: int, row: int) -> str:
        key = header[column - 1]
        if key == "seed" and options.seeds:
            return f"--seeds {options.seeds}"
        named = ((name, text) for name in ("random", "let") for text in getattr(options, name))
        others = {key: name for name, text in named for key in text.split("=")[0].split("+")}
        value = f"={next(itertools.islice(rows(), row - 1, None))[column - 1]}" if row else ""
        return f"--{others.get(key, 'vary')} {key}{value}"

    said = with_names_of_cells(done.stderr, given)
    sys.stderr.write(re.sub("^boids: ", "boids-sweep: ", said, flags=re.MULTILINE))
    sys.exit(done.returncode)


SYNONYMS = {
    "--jobs": "-j",
    "--threads": "-j",
    "--sample": "--samples",
    "--seed": "--seeds",
    "--table": "-o",
    "--out": "-o",
    "--save": "-o",
}
OPTIONS: Sequence[Any] = (
    ("-c --config FILE", "the configuration that all runs share, or a preset"),
    (
        "--vary KEY=VALUES",
        "A,B,C, a range of whole numbers A..B, A:B:STEP, or N values A:B/N, with A:B/Nlog on a logarithmic scale; repeatable: all combinations are run. KEY+KEY=A,B gives keys the same values; KEY+KEY=A:B,C:D gives each its own",
        LIST,
    ),
    (
        "--let KEY=EXPRESSION",
        "compute a column from columns before it: world.width='50*sqrt(flock.count)'; repeatable",
        LIST,
    ),
    ("--seeds VALUES", "seeds: A,B,C or A..B"),
    (
        "--random KEY=A:B",
        "a range to sample, a Latin hypercube over all of them; repeatable. A..B: whole numbers",
        LIST,
    ),
    ("--samples N", "how many points --random makes", number(int, 1), 0),
    ("--random-seed N", "of the hypercube (default: 1)", number(int, -math.inf), 1),
    ("-n --steps N", "steps of each run"),
    ("-s --set KEY=VALUE", "for all runs; repeatable", LIST),
    ("-o --output TABLE.csv", "one row per run"),
    ("-j N", "runs at a time (default: one per processor)"),
    ("--boids PROGRAM", "the program (default: the one beside this script, or on PATH)"),
    ("--yes", f"also more than {MAX_RUNS_WITHOUT_YES} runs"),
    ("--print", "print the points, run nothing"),
    ("-q --quiet", "no progress, no closing line"),
    (
        "more -- OPTION",
        "for boids, as they are: -- --keep DIR -o .h5",
        {"nargs": "*", "metavar": "-- OPTION"},
    ),
)


def read_options(arguments: List[str]) -> Options:
    parser = Parser(
        f"Example:\n  {command('sweep')} -c p5 --vary flock.alignment.factor=0.1,0.3,1,3 --seeds 1..10 -o table.csv\n\n",
        SYNONYMS,
        OPTIONS,
        prog=command("sweep"),
        description="Make a grid or a random design of points and run it.",
        usage=f"{command('sweep')} [options] [-- OPTION ...]",
        epilog="The same command again makes only the missing runs. Draw the table with: "
        f"{command('plot')} table.csv --save table.png",
    )
    options, rest = parser.parse_known_args(arguments)
    parser.refuse_unknown(rest)
    return options


def write_points(file: Any, header: List[str], rows: Rows) -> None:
    csv.writer(file, lineterminator="\n").writerows(itertools.chain([header], rows()))


def run(options: Options) -> None:
    """Print the points, or let boids run them."""
    header, rows = design(options)
    if options.print:
        stdout: Any = sys.stdout
        stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
        write_points(stdout, header, rows)
        return
    if not options.config:
        raise Refused("no --config was given; see --help")
    if not options.output:
        raise Refused("no -o TABLE.csv was given; see --help")
    words = [
        find_boids(options.boids),
        "-c",
        options.config,
        "--points",
        "-",
        "--table",
        options.output,
    ]
    for option, values in (
        ("--steps", [options.steps]),
        ("--set", options.set),
        ("--threads", [options.j]),
    ):
        words += [word for value in values if value is not None for word in (option, value)]
    more = [word for word in options.more if word not in ("-q", "--quiet")]
    is_quiet = options.quiet or more != options.more
    points = tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogateescape", newline="")
    write_points(points, header, rows)
    points.flush()
    points.seek(0)
    os.dup2(points.fileno(), sys.stdin.fileno())
    try:
        check_points(words + more, options, header, rows)
        points.seek(0)
        running = subprocess.Popen(
            words + ["--quiet"] * is_quiet + more,
            start_new_session=True,  # Ctrl-C reaches it once, from here
        )
    except OSError as error:
        raise Refused(
            f"{words[0]}: it cannot be started: {error.strerror}; --boids names the program"
        ) from None
    wait_for(running, options.output)


def wait_for(running: "subprocess.Popen[bytes]", table: str) -> None:
    """Wait for a sweep, pass signals on to it, report states, and exit with its status."""
    for stop in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGXCPU):
        signal.signal(stop, lambda which, _: running.send_signal(which))
    status = running.wait()
    if not status:
        # There may be no numpy, or a limit of time may have ended the sweep before its first run.
        with contextlib.suppress(ImportError, Refused):
            from ..estimates import estimators, seeds
            from ..files.tables import read_sweep

            sweep = read_sweep(table)
            estimators.note_unequal_spreads(sweep, seeds.columns_of_text(sweep.values, []))
    sys.exit(status if status >= 0 else 128 - status)


def main(arguments: List[str]) -> int:
    """Run the command and return its exit status."""
    return guard(lambda: run(read_options(arguments)), "the points", "the points of this sweep")
