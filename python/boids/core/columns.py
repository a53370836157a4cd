"""Tables as text: columns of numbers as CSV, and the encodings of others."""

import csv
import io
from typing import Any, Mapping

import numpy as np


def encoding_of(start: bytes) -> str:
    """Return the encoding of a text that begins with these bytes: UTF-16 has a byte order mark."""
    return "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def text_of(value: Any) -> str:
    """Return the text of a cell: all digits of a float, or nothing if it is undefined."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, str) else "" if value != value else repr(value)


def csv_of(columns: Mapping[str, Any]) -> bytes:
    """Return the bytes of a table, {name: values}, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(map(text_of, column) for column in columns.values())))
    return out.getvalue().encode()
