"""The errors of the package. Their messages are those of the program `boids`, without its name in front."""

import contextlib
from typing import Iterator

__all__ = ["ConfigError", "Error", "RunError", "VersionWarning"]

is_command = False  # while guard() of command_line.py runs a command
owner = (
    ""  # of the arguments that messages name, if it is not what the user called: " of boids-tracks"
)


def argument(name: str, value: object = "") -> str:
    """Return what the reader of a message writes to give an argument: --max-gap 5 for a command, max_gap=5 in Python."""
    if is_command:
        return f"--{name} {value}".rstrip() + owner
    return name.replace("-", "_") + (" " if "=" in str(value) else "=") + str(value) + owner


class Error(Exception):
    """Every error that this package raises on purpose."""


class ConfigError(Error, ValueError):
    """A configuration, a key, a file or an argument was refused. Nothing has changed."""


class MissingFileError(ConfigError, FileNotFoundError):
    """There is no file of a name."""


class RunError(Error, RuntimeError):
    """Work that had begun failed: memory ran out, a file cannot be read, or an agent has left the range of its number type."""


class VersionWarning(UserWarning):
    """A state was saved by a version of boids whose results may differ."""


@contextlib.contextmanager
def refusals_about(name: str) -> Iterator[None]:
    """Put a name in front of the messages of refusals within this context."""
    try:
        yield
    except ConfigError as error:
        raise type(error)(f"{name}: {error}") from None
