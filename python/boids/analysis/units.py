"""The units of numbers and columns, and seconds and body lengths in their place."""

import re
from dataclasses import replace
from typing import Any, Dict, Iterable, Sequence, Tuple

import numpy as np

from ..core.errors import argument
from ..core.messages import Refused, note
from .result import Columns, Result

Scales = Dict[str, Tuple[str, float]]  # {word: (the word instead, a factor)}

# The units of the columns of analyses, without error_, sd_, _low and _high; others have none.
COLUMN_UNITS = {
    **dict.fromkeys(("r", "front", "left", "distance", "radius"), "world units"),
    **dict.fromkeys(("steps", "delay", "mean_delay", "delays", "gap"), "steps"),
    **dict.fromkeys(("msd", "msd_relative"), "world units²"),
    **dict.fromkeys(("speeding", "turning"), "world units / step²"),
    "k": "radians per world unit",
    "speed": "world units / step",
}


def different_rates(things: str, rates: Iterable[float]) -> str:
    """Return a sentence on films, or other things, of different frames per second."""
    said = " and ".join(f"{rate:g}" for rate in sorted(rates))
    return f"the {things} have {said} frames per second; resample() of boids.tracks in Python makes them the same"


def scales_of(runs: Sequence[Any]) -> Scales:
    """Return seconds for steps and, if they are known, body lengths for world units, of files of boids-tracks."""
    rates = {run.attributes.get("fps"): run.name for run in runs}
    lengths = dict.fromkeys(run.attributes.get("body_length") for run in runs)
    if None in rates:
        raise Refused(
            f"{argument('per-second')}: {rates[None]}: the frames per second are not known"
        )
    if len(rates) > 1:
        raise Refused(f"{argument('per-second')}: {different_rates('files', rates)}")
    scales = {"step": ("second", 1 / rates.popitem()[0])}
    if len(lengths) > 1:
        said = " and ".join("none" if length is None else f"{length:g}" for length in lengths)
        note(
            f"{argument('per-second')}: the files have different body lengths ({said}), so distances are in world units"
        )
    elif None not in lengths:
        scales["world unit"] = ("body length", 1 / lengths.popitem()[0])
    return scales


def scaled_unit(scales: Scales, unit: str) -> Tuple[str, float]:
    """Return what stands for a unit, or for those in a text, and the factor of its values."""
    factor = 1.0
    for word, (other, scale) in scales.items():
        for inverse, square in re.findall(f"(per |/ )?{word}s?(²)?", unit):
            factor *= scale ** ((-1 if inverse else 1) * (2 if square else 1))
        unit = unit.replace(word, other)
    return unit, factor


def scaled_columns(scales: Scales, columns: Columns) -> Columns:
    """Return the columns of an analysis in other units."""
    units = {**COLUMN_UNITS, "density": "steps per world unit" if "speed_low" in columns else ""}
    found = {}
    for name, values in columns.items():
        stem = re.sub("^(error|sd)_|_(low|high)$", "", name)
        factor = scaled_unit(scales, units.get(stem, ""))[1]
        found[name] = values if factor == 1 else np.multiply(values, factor)
    return found


def scaled_result(scales: Scales, result: Result) -> Result:
    """Return a result in other units."""
    numbers = []
    for name, value, unit in result.numbers:
        other, factor = scaled_unit(scales, unit)
        numbers.append((name, value * factor, other))
    columns = scaled_columns(scales, result.columns)
    picture = scaled_columns(scales, result.picture)
    tables = {end: scaled_columns(scales, part) for end, part in result.tables.items()}
    return replace(result, numbers=numbers, columns=columns, picture=picture, tables=tables)
