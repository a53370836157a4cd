#!/usr/bin/env python3
"""Print python/boids/core/observables.py, from data/observables.json. `make schema` calls it."""

import json
import os
import textwrap

with open(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "observables.json"),
    encoding="utf-8",
) as file:
    TABLE = json.load(file)

print(
    '''"""The observables as attributes. scripts/observables.py writes this file from the table of observables."""

from typing import Any, NoReturn


class Observable:
    """An attribute of a flock or frame that is measured when it is read."""

    def __init__(self, text: str) -> None:
        self.__doc__ = text

    def __set_name__(self, _: Any, name: str) -> None:
        self._name = name

    def __get__(self, owner: Any, _: Any = None) -> float:
        return owner._observable(self._name) if owner is not None else self  # type: ignore[no-any-return]

    def __set__(self, owner: Any, value: NoReturn) -> None:
        raise AttributeError(f"{self._name} is measured; it cannot be set")


class Observables:
    """What boids measures; docs/observables.md has the formulas."""
'''
)
for name, about in TABLE.items():
    notes = [f"In {about['unit']}."] * about["unit"].startswith("world") + [
        f"NaN {about['undefined']}."
    ] * bool(about["undefined"])
    text = textwrap.wrap(" ".join([about["sentence"], *notes]), 105)
    lines = [json.dumps(line + " " * (line != text[-1])) for line in text]
    whole = f"    {name} = Observable({' '.join(lines)})"
    is_short = len(lines) == 1 and len(whole) <= 100  # as black sets it
    print(
        whole if is_short else "\n        ".join([f"    {name} = Observable(", *lines]) + "\n    )"
    )
