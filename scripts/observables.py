#!/usr/bin/env python3
"""Print python/boids/_observables.py, from data/observables.json. `make schema` calls it."""

import json
import os
import textwrap

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "observables.json"), encoding="utf-8") as file:
    TABLE = json.load(file)

print('''"""The observables as attributes. scripts/observables.py writes this file from the table of observables."""


class Observables:
    """What boids measures; docs/observables.md has the formulas."""

    def _measure(self, name: str) -> float:
        raise NotImplementedError''')
for name, about in TABLE.items():
    notes = [f"In {about['unit']}."] * bool(about["unit"]) + [f"NaN {about['undefined']}."] * bool(about["undefined"])
    text = textwrap.fill(" ".join([about["sentence"], *notes]), 120, subsequent_indent=" " * 8)
    print(f'''
    @property
    def {name}(self) -> float:
        """{text}"""
        return self._measure("{name}")''')
