"""The errors of the package. Their messages are those of the program `boids`, without its name in front."""

import re

__all__ = ["ConfigError", "Error", "RunError", "VersionWarning"]

is_command = False  # while guard() of command_line.py runs a command
# An option in a message, with a setting, its value or the word for its value: --columns id=NAME, --reach 10000, --radius R.
OPTION = re.compile(
    r"(?<!boids )(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?:( )(?=[\w.+]+=)| (?=[\d.(\[])|=| [A-Z]+\b)?"
)


def spoken(sentence: str) -> str:
    """Return a message that names parameters of Python instead of options, unless a command runs: reach=10 for --reach 10."""
    if is_command:
        return sentence
    return OPTION.sub(lambda found: found[1].replace("-", "_") + (found[2] or "="), sentence)


class Error(Exception):
    """Every error that this package raises on purpose."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(spoken(arg) if isinstance(arg, str) else arg for arg in args))


class ConfigError(Error, ValueError):
    """A configuration, a key, a file or an argument was refused. Nothing has changed."""


class MissingFileError(ConfigError, FileNotFoundError):
    """There is no file of a name."""


class RunError(Error, RuntimeError):
    """Work that had begun failed: memory ran out, a file cannot be read, or an agent has left the range of its number type."""


class VersionWarning(UserWarning):
    """A state was saved by a version of boids whose results may differ."""
