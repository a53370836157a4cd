"""Columns of numbers as CSV."""

import csv
import io
from typing import Any, Mapping

import numpy as np


def text_of(value: Any) -> str:
    """Return the text of a cell: all digits of a float, or nothing if it is undefined."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, str) else "" if value != value else repr(value)


def csv_of(columns: Mapping[str, Any]) -> bytes:
    """Return the bytes of a table, {name: values}, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(
        zip(
            *(
                map(text_of, column.tolist() if isinstance(column, np.ndarray) else column)
                for column in columns.values()
            )
        )
    )
    return out.getvalue().encode()
