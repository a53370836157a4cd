"""Exceptions with their exit status, notes on standard error, and strict parsing of numbers."""

import difflib
import math
import os
import re
import sys
import warnings
from typing import Any, Iterable, List

from . import errors
from .errors import ConfigError, MissingFileError, RunError
from .places import path_in_project
from .sanitize import one_line, shown, tidy

# The exit statuses are 2 and 1.
Refused, Failed = ConfigError, RunError
# The name of the command: boids-plot, boids-tracks and so on after an installation.
CALLED_AS = os.path.basename(sys.argv[0])
SCRIPTS = ("analyse.py", "fit.py", "tracks.py", "xdmf.py")
PROGRAM = (
    CALLED_AS
    if CALLED_AS.startswith("boids-") or CALLED_AS in SCRIPTS
    else "boids-sweep"
    if CALLED_AS == "sweep.py"
    else "plot.py"
)
READS_TRACKS = "boids-tracks reads the tracks of animals"
PACKAGE = os.path.dirname(os.path.dirname(__file__))


def print_note(sentence: str) -> None:
    """Print a line on standard error that begins with the name of the command."""
    # The command before a pipe may have a progress bar in this line.
    bar = (
        "\r\033[K"
        if sys.stderr.isatty() and not sys.stdin.isatty() and os.environ.get("TERM") != "dumb"
        else ""
    )
    print(f"{bar}{PROGRAM}: {tidy(sentence)}", file=sys.stderr)


def note(sentence: str) -> None:
    """Report something that does not stop the work: a command prints it; elsewhere, it is a warning at the line of the caller of this
    package."""
    if errors.is_command:
        print_note(sentence)
        return
    warnings.warn(sentence, stacklevel=stack_level_of_caller())


def stack_level_of_caller() -> int:
    """Return the level of the stack, for warnings.warn() in the function that calls this one, of the first caller outside of this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    return level


def note_old_name(sentence: str) -> None:
    """Warn of a name that will go, if a caller outside of this package used it."""
    if not sys._getframe(2).f_code.co_filename.startswith(PACKAGE):
        warnings.warn(sentence, DeprecationWarning, stacklevel=3)


def report(path: str, what: str, is_quiet: bool) -> None:
    """Print a line on a terminal that names what was written to a file or a folder."""
    if not sys.stderr.isatty() or is_quiet:
        return
    size = os.path.getsize(path) / 1000
    text = (
        ""
        if os.path.isdir(path)
        else f", {size / 1000:.1f} MB"
        if size >= 1000
        else f", {math.ceil(size)} KB"
    )
    print(tidy(f"{path}: {what}{text}"), file=sys.stderr)


def file_name(value: Any, name: str = "path", wanted: str = "the name of a file") -> str:
    """Return the text of the argument `name`, which must be a text or a path; refuse others: a number is no file that happens to be open."""
    if not isinstance(value, (str, os.PathLike)):
        raise Refused(f"{name} is {shown(value)}; it must be {wanted}")
    return os.fspath(value)


def listed(name: str, values: Any, example: str) -> List[Any]:
    """Return the items of an argument that is one name or several; refuse others."""
    if isinstance(values, str):
        return [values]
    if not isinstance(values, Iterable):
        raise Refused(f"{name} is {shown(values)}; it must be a list of names, such as {example}")
    return list(values)


def unreadable(path: str, error: OSError, hint: str = "") -> ConfigError:
    """Return the refusal of a file that cannot be opened or read because of an OSError."""
    kind = MissingFileError if isinstance(error, FileNotFoundError) else Refused
    return kind(f"{path}: {reason(error)}{hint}")


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return "; did you mean A or B?" with the words that contain `word` or are spelt nearly so, or an empty text. Words of the same
    meaning come first."""
    inside = [name for name in words if word.lower() in name.lower() and len(word) > 2]
    inside.sort(key=lambda name: not name.startswith("mean_"))
    found = (inside or difflib.get_close_matches(word, list(words)))[:2]
    return f"; did you mean {' or '.join(found)}?" if found else ""


# The numbers that boids writes; float() would accept underscores, too.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf)", re.ASCII)


def number_in(text: str) -> float:
    """Return the float of a text that is a number and nothing else; raise ValueError otherwise."""
    if not NUMBER.fullmatch(text.strip()):
        raise ValueError(text)
    return float(text)


def reason(error: Any) -> str:
    """Return the short text of an OSError, on one line."""
    name = os.fsdecode(getattr(error, "filename", None) or "")
    if (
        isinstance(error, FileNotFoundError)
        and re.fullmatch("[a-z_0-9]+", name)
        and os.path.isfile(os.path.join(path_in_project("configs"), name + ".json"))
    ):
        return f"this is a preset, and a file is expected; boids -c {name} -o {name}.h5 writes one"
    if isinstance(error, IsADirectoryError):
        return "this is a folder; name a file in it"
    return one_line(error.strerror or error)
