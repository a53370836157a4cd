"""Atomic output files: a temporary file in the same folder is renamed when it is complete.

The temporary file is new and has its own name, so no file in the folder is overwritten or lost, not even through a link.
"""

import contextlib
import os
import secrets
import shutil
from typing import Iterable, Iterator, Optional

from .messages import Failed, Refused, reason


def refuse_inputs(path: str, inputs: Iterable[Optional[str]]) -> None:
    """Refuse an output that is one of the input files, or the file of standard output or standard error, under any name. Replacing such a
    file would lose its contents."""
    for stream in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.isfile(path) and os.path.samefile(path, stream):
                raise Refused(
                    f"{path}: this is the file of standard output or standard error; give the output another name"
                )
    for given in inputs:
        if (
            given
            and given != "-"
            and os.path.exists(path)
            and os.path.exists(given)
            and os.path.samefile(path, given)
        ):
            raise Refused(f"{path}: this is the file that is read; give the output another name")


def refuse_other_than_csv(name: str) -> None:
    """Refuse the name of an output of numbers that has another ending: it may be a trajectory or a picture."""
    if not name.lower().endswith(".csv"):
        raise Refused(f"{name}: the numbers are written as CSV; the name must end in .csv")


def replaced_file(path: str) -> str:
    """Return the path of the file that an output replaces: a symbolic link at `path` remains a link. Refuse a folder, a device and so on."""
    final = os.path.realpath(path)
    if os.path.exists(final) and not os.path.isfile(final):
        raise Refused(f"{path}: this is not a regular file")
    return final


@contextlib.contextmanager
def finished_only(path: str) -> Iterator[str]:
    """Give the name of a temporary file, which has the permissions of the file that it replaces. It is renamed to `path` after success and
    removed after an error."""
    final = replaced_file(path)
    part = os.path.join(
        os.path.dirname(final), f".boids-{secrets.token_hex(4)}{os.path.splitext(final)[1]}"
    )
    try:
        with open(part, "xb"):
            pass
        if os.path.exists(final):
            shutil.copymode(final, part)
        yield part
        os.replace(part, final)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(part)
        if isinstance(error, OSError):
            raise Failed(f"{path}: {reason(error)}") from None
        raise


def write_bytes(path: str, data: bytes) -> None:
    with finished_only(path) as part, open(part, "wb") as file:
        file.write(data)
