"""This module has what all commands share: the parser of options, and guard(), which turns an exception into one line and an exit status."""

import argparse
import contextlib
import logging
import math
import os
import re
import shlex
import signal
import sys
import traceback
import warnings
from typing import Any, Callable, Dict, Iterator, List, Mapping, NoReturn, Optional, Sequence

from ..core.library import LibraryError
from ..core.errors import ConfigError, RunError
from ..core import errors
from ..core.messages import PROGRAM, Refused, did_you_mean, note, reason
from ..core.sanitize import one_line

Options = argparse.Namespace


class Parser(argparse.ArgumentParser):
    """A parser whose help begins with an example and whose errors are one sentence."""

    def __init__(
        self,
        example: str,
        synonyms: Mapping[str, str],
        options: Sequence[Any] = (),
        *,
        choices: Optional[Mapping[str, str]] = None,
        column: int = 26,
        width: int = 96,
        prog: str = PROGRAM,
        **words: Any,
    ) -> None:
        """Make a parser. `synonyms` are names of options in other programs, and `choices` are names of values in other programs. `column` and
        `width` set the layout of the help.

        Each row of `options` is the names of an option and of its values (none: a flag), its help and, as far as needed, the type of a
        value or the choices for it, its default, and a dictionary of other arguments of argparse.
        """

        def layout(prog: str) -> argparse.HelpFormatter:
            return argparse.HelpFormatter(prog, max_help_position=column, width=width)

        super().__init__(prog=prog, allow_abbrev=False, formatter_class=layout, **words)
        self.example, self.choices = example, choices or {}
        self.synonyms = {"--version": "boids --version", **synonyms}
        self._negative_number_matcher = re.compile(r"-[\d.][-+\d.,eE]*$")  # -10,20 is a value
        for names, text, *given in options:
            more = given.pop() if given and isinstance(given[-1], dict) else {}
            kind, default = given + [None, None][len(given) :]
            flags = re.findall(r"--?\w\S*", names) or [names.split()[0]]
            values = names.split()[len(flags) :]
            form: Dict[str, Any] = {"default": default, "metavar": (*values,)}
            form["type" if callable(kind) else "choices"] = kind
            if not values:
                form = {"action": "store_true", "default": None}
            elif len(values) == 1:
                form["metavar"] = values[0]
            else:
                form["nargs"] = len(values)
            self.add_argument(*flags, help=text, **{**form, **more})

    def format_help(self) -> str:
        return self.example + super().format_help()

    def error(self, message: str) -> NoReturn:
        choice = re.search(r": invalid choice: '(.*)' \(choose from (.*)\)$", message)
        if choice:
            names = choice[2].replace("'", "").split(", ")  # Python 3.12 does not quote them
            meant = self.choices.get(choice[1])
            message = message.replace(choice[2], ", ".join(map(repr, names))) + (
                f"; did you mean {meant}?" if meant else did_you_mean(choice[1], names)
            )
        if message.startswith("the following arguments are required"):
            message += f"; an example is: {self.example.splitlines()[1].strip()}"
        raise Refused(f"{message} ({PROGRAM} --help has more)")

    def parse(self, arguments: Sequence[str]) -> Options:
        """Return the options; FILE may stand between them."""
        known = self._option_string_actions
        for at, argument in enumerate(arguments):
            word = argument.partition("=")[0]
            if re.fullmatch("-[a-z][a-z-]+", word) and "-" + word in known:
                raise Refused(f"{word}: write two dashes: -{word}")
            if argument == "=" and arguments[at - 1] in known:
                raise Refused(
                    f"{arguments[at - 1]}: no spaces around '=': {''.join(arguments[at - 1:at + 2])}"
                )
        options, rest = self.parse_known_intermixed_args(arguments)
        self.refuse_unknown(rest)
        return options

    def refuse_unknown(self, words: Sequence[str]) -> None:
        """Refuse the first of these unknown words, and suggest the option that was meant."""
        for word in words:
            name = word.partition("=")[0]
            if not name.startswith("-"):
                raise Refused(f"{word}: unexpected; {self.usage}")
            known = sorted(name[2:] for name in self._option_string_actions if name[:2] == "--")
            hint = did_you_mean(name.lstrip("-"), known)
            hint = hint.replace(" mean ", " mean --").replace(" or ", " or --")
            if name in self.synonyms:
                hint = f"; did you mean {self.synonyms[name]}?"
            raise Refused(f"{name} is not an option{hint or f' ({self.prog} --help lists them)'}")


def converter(what: str) -> Callable[[Callable[[str], Any]], Callable[[str], Any]]:
    """Make a function a converter for argparse. A text for which it raises ValueError or returns nothing is not `what`."""

    def decorated(parse: Callable[[str], Any]) -> Callable[[str], Any]:
        def convert(text: str) -> Any:
            with contextlib.suppress(ValueError):
                found = parse(text)
                if found:
                    return found
            raise argparse.ArgumentTypeError(f"{text!r} is not {what}")

        return convert

    return decorated


def given(options: Options, names: str) -> List[str]:
    """Return those of some names of options, separated by spaces, that were given."""
    return [name for name in names.split() if getattr(options, name.replace("-", "_")) is not None]


def number(kind: Callable[[str], Any], low: float, high: float = math.inf) -> Callable[[str], Any]:
    """A converter for argparse: a finite `kind` (int or float) within [low, high]."""
    span = f" of at least {low:g}" if high == math.inf else f" from {low:g} to {high:g}"
    what = ("a whole number" if kind is int else "a number") + span * (low != -math.inf)

    def convert(text: str) -> Any:
        with contextlib.suppress(ValueError):
            value = kind(text)
            if low <= value <= high and abs(value) < math.inf:
                return value
        unit = re.fullmatch(r"([\d.]+)\s*(?![kKM]$)[a-zA-Z/]+", text)
        hint = f"; write {unit[1]}, without a unit" if unit else ""
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}{hint}")

    return convert


APPEND: Dict[str, Any] = {"action": "append"}  # of an option that may be repeated
LIST: Dict[str, Any] = {**APPEND, "default": []}


def words(text: str) -> List[str]:
    """A converter for argparse: names, separated by commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def split(text: str, separator: str = ",") -> List[str]:
    """Return the parts between commas, or another separator. Those within brackets, braces and quotes do not separate parts."""
    parts, depth, is_quoted = [""], 0, False
    for c in text:
        is_quoted ^= c == '"'
        depth += 0 if is_quoted else (c in "[{") - (c in "]}")
        if c == separator and depth == 0 and not is_quoted:
            parts.append("")
        else:
            parts[-1] += c
    return parts


@converter("KEY=VALUE, KEY=A,B or KEY=A:B")
def condition(text: str) -> Any:
    """KEY=A,B as (KEY, [A, B])."""
    key, _, values = text.partition("=")
    found = [value for value in split(values) if value]
    return key and found and (key, found)


def create_folder(path: str) -> str:
    """The folder to write to, created if it is missing."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    return path


def missing_module(error: ImportError) -> str:
    """Return the sentence for a module that is not there."""
    module = (error.name or str(error)).partition(".")[0]
    python = sys.executable or "this python3"
    sentence = f"{python} has no usable module {module} ({one_line(error)})"
    if sys.prefix != sys.base_prefix:
        return f"{sentence}; install it with: {python} -m pip install {module}"
    packages = "python3-numpy, python3-matplotlib and python3-h5py"
    sentence += f"; on Debian it is {'python3-' + module.lower() if error.name else packages}"
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        script = shlex.quote(sys.argv[0])
        sentence += f", which serves /usr/bin/python3; run: /usr/bin/python3 {script}"
    return sentence


@contextlib.contextmanager
def without_settings_of_the_user() -> Iterator[None]:
    """Remove the user's settings of matplotlib, so that Agg draws the files whatever MPLBACKEND, SOURCE_DATE_EPOCH and a matplotlibrc
    contain. A notebook sets a backend that exists only there. matplotlib reads its settings when it is imported, and prefers a matplotlibrc
    in the working folder."""
    os.environ.update(MPLBACKEND="agg", MATPLOTLIBRC=os.devnull)
    os.environ.pop("SOURCE_DATE_EPOCH", None)
    if not os.path.exists("matplotlibrc"):
        yield
        return
    here = os.open(".", os.O_RDONLY)
    os.chdir(os.sep)
    try:
        yield
    finally:
        os.fchdir(here)
        os.close(here)


def configure_matplotlib(has_window: bool = False) -> None:
    """Import matplotlib with its default settings, so that the user's settings do not change a picture, and without warnings. Only a
    window has the backend that the user chose."""
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")  # such as missing glyphs
    has_defaults = not has_window and "matplotlib" not in sys.modules
    try:
        with contextlib.nullcontext() if has_window else without_settings_of_the_user():
            import matplotlib.artist

            matplotlib.artist.kwdoc = (
                lambda artist: ""
            )  # writes the docstrings of all artists, a quarter of the time of an import
            import matplotlib.font_manager
    except (KeyError, OSError, ValueError) as error:
        raise Refused(
            f"matplotlib cannot start ({one_line(error)}); check MPLBACKEND, MPLCONFIGDIR and matplotlibrc"
        ) from None
    if not has_defaults:
        matplotlib.rcdefaults()  # all but the backend
    matplotlib.rcParams.update(
        {
            "path.simplify": False,
            "svg.hashsalt": "boids",
            "toolbar": "None",
            # Texts stay texts, to be searched, copied and edited; many journals refuse Type 3 fonts.
            "svg.fonttype": "none",
            "pdf.fonttype": 42,
        }
    )


def report_fault(error: BaseException) -> int:
    """Print one line with the place of a defect of this program, for a report. Return the exit status."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    note(
        f"internal fault, please report: {type(error).__name__}: {one_line(error)} "
        f"({os.path.basename(where.filename)}:{where.lineno})"
    )
    return 1


def open_closed_streams() -> None:
    """Open the null device for each standard stream that was closed (`<&-`, cron)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(
                sys, name, open(os.devnull, mode, encoding="utf-8")
            )  # pylint: disable=consider-using-with


def drop_output() -> None:
    """Drop the buffer of standard output after an error: it could not be written at the end of the process either."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def guard(
    work: Callable[[], None],
    output: str = "standard output",
    memory: str = "this trajectory; an .h5 file needs less of it than CSV",
) -> int:
    """Run a command; print its notes and an exception as one line each, and return the exit status. `output` is what it writes to standard
    output, and `memory` what needs most of it."""
    errors.is_command = True
    open_closed_streams()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        try:
            work()
        finally:
            sys.stdout.flush()
        return 0
    except BrokenPipeError:  # the reader has closed the pipe, as `| head` does
        drop_output()
        return 0
    except (ConfigError, RunError, LibraryError) as error:
        note(str(error))
        return 2 if isinstance(error, ConfigError) else 1
    except KeyboardInterrupt:
        return 130
    except ImportError as error:  # one of those at the top, or h5py
        note(missing_module(error))
        return 1
    except MemoryError:
        note(f"not enough memory for {memory}")
        return 1
    except OSError as error:  # those of named files are refused where the files are opened
        if error.filename is not None:
            return report_fault(error)
        drop_output()
        note(f"{output} cannot be written: {reason(error)}")
        return 1
    except Exception as error:
        return report_fault(error)
    finally:
        errors.is_command = False
