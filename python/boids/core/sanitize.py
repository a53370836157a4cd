"""Makes texts that others wrote (names of files, columns and settings) fit for a terminal and for a figure."""

import re
from typing import Any, Mapping

# C0, DEL and C1 control a terminal. Line separators and marks of direction can make a line look like another one.
CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def one_line(text: object) -> str:
    """Return the text on one line, with single spaces between its words."""
    return " ".join(str(text).split())


def shown(value: Any) -> str:
    """Return a value as text for a message of one line; a number of numpy 2 without its type."""
    text = one_line(repr(value.item() if getattr(value, "shape", None) == () else value))
    return text if len(text) <= 100 else text[:100] + "..."


def tidy(text: object) -> str:
    """Return the text on one line, with control characters as escape sequences of Python: \\x1b."""
    return CONTROLS.sub(lambda found: ascii(found.group())[1:-1], str(text))


def literal_mathtext(text: object) -> str:
    """Return the text for matplotlib: a dollar sign does not start a formula, and control characters, which would damage a file, are
    removed."""
    return tidy(text).replace("$", r"\$")


def counted(count: int, thing: str) -> str:
    """Return a text such as "1 frame" or "2 frames"."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def counts_text(counts: Mapping[str, int]) -> str:
    """Return a text such as "400 boids, 1 predator" for {"boid": 400, "predator": 1}."""
    return ", ".join(counted(n, kind) for kind, n in counts.items() if n or kind == "boid")
