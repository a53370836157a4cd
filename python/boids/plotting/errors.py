"""Exceptions with their exit status, notes on standard error, and strict parsing of numbers."""

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
