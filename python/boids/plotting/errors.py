"""Exceptions with their exit status, notes on standard error, and strict parsing of numbers."""

import difflib
import os
import re
import sys

from ..errors import ConfigError, RunError
from .sanitize import tidy

# The name of the command: boids-plot and boids-analyse after an installation.
CALLED = os.path.basename(sys.argv[0])
PROGRAM = CALLED if CALLED in ("boids-plot", "boids-analyse", "analyse.py") else "plot.py"


class Refused(ConfigError):
    """The input or the command line cannot be used; one sentence, exit status 2."""


class Failed(RunError):
    """Work that had begun failed; one sentence, exit status 1."""


def note(sentence):
    """A line on standard error that does not stop the work."""
    print(f"{PROGRAM}: {tidy(sentence)}", file=sys.stderr)


def report(sentence, is_quiet=False):
    """A line on a terminal that says what was written."""
    if sys.stderr.isatty() and not is_quiet:
        print(tidy(sentence), file=sys.stderr)


def did_you_mean(word, words):
    """"; did you mean A or B?" with the words that contain `word` or are spelt nearly so; means come first. Empty: there are none."""
    inside = sorted((name for name in words if word.lower() in name.lower()), key=lambda name: not name.startswith("mean_"))
    found = (inside or difflib.get_close_matches(word, list(words)))[:2]
    return f"; did you mean {' or '.join(found)}?" if word and found else ""


# The numbers that boids writes; float() would accept underscores, too.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf)", re.ASCII)


def number_in(text):
    """float of a text that is a number and nothing else; else ValueError."""
    if not NUMBER.fullmatch(text.strip()):
        raise ValueError(text)
    return float(text)


def reason(error):
    """The short text of an OSError, on one line."""
    return " ".join(str(error.strerror or error).split())
