"""The errors of the package. Their messages are those of the program `boids`, without its name in front."""

__all__ = ["ConfigError", "Error", "RunError", "VersionWarning"]


class Error(Exception):
    """Every error that this package raises on purpose."""


class ConfigError(Error, ValueError):
    """A configuration, a key, a file or an argument was refused. Nothing has changed."""


class RunError(Error, RuntimeError):
    """Work that had begun failed: memory ran out, a file cannot be read, or an agent has left the range of its number type."""


class VersionWarning(UserWarning):
    """A state was saved by a version of boids whose results may differ."""
