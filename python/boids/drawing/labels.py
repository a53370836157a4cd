"""The names of keys, observables and statistics in a picture: words, a symbol and a unit. No other file has them.

A key that is not in the table is named by its own words: flock.cohesion.factor is "cohesion factor".
"""

import json
import os
import re
from typing import Any

from ..analysis.units import Scales, scaled_unit
from ..core.places import path_in_project
from ..core.sanitize import literal_mathtext

# {name: unit, whether it is a share, ...} in the order of every file. `make schema` writes it from the table of the program.
with open(os.path.join(path_in_project("data"), "observables.json"), encoding="utf-8") as file:
    KNOWN = json.load(file)
# name: (words, symbol, unit). A symbol is a formula for matplotlib; unit "" is none. Units of observables are in KNOWN.
NAMES = {
    "flock.count": ("number of boids", "N", ""),
    "predators.count": ("number of predators", "N_p", ""),
    "flock.noise.eta": ("noise", "η", "radians"),
    "flock.noise.vector": ("noise vector", "η", "world units per step"),
    "world.width": ("width of the world", "L", "world units"),
    "world.height": ("height of the world", "H", "world units"),
    "world.margin": ("margin", "", "world units"),
    "flock.max_force": ("maximum force", "", "world units per step"),
    "flock.max_turn": ("maximum turn", "", "degrees"),
    "goals.direction": ("direction of the goal", "", "degrees"),
    "steps": ("steps", "", ""),
    "binder": ("Binder cumulant", "U_4", ""),
    "susceptibility": ("susceptibility", "χ", ""),
    "averaged_steps": ("averaged steps", "", ""),
    "autocorrelation_time": ("autocorrelation time", "τ", "steps"),
    "drift": ("drift between the halves", "", "standard errors"),
    "wall_seconds": ("time", "", "seconds"),
}
# The unit that follows from the last word of a key.
UNIT_OF_ENDING = {
    "radius": "world units",
    "clearance": "world units",
    "speed": "world units per step",
    "turn_factor": "world units per step",
    "view": "degrees",
    "length": "world units",
}
FULL_WORDS = {"min": "minimum", "max": "maximum"}
# Prefixes of columns whose meaning needs more than their words.
STATISTIC_WORDS = {"sd": "standard deviation of", "error": "standard error of"}
SUBSCRIPTS = str.maketrans("0123456789p", "₀₁₂₃₄₅₆₇₈₉ₚ")


def scale_labels(figure: Any, scales: Scales) -> None:
    """Name other units in the labels of a figure."""
    for axes in figure.axes:
        legend = axes.get_legend()
        texts = [*(legend.get_texts() if legend else ()), axes.xaxis.label, axes.yaxis.label]
        for text in texts:
            text.set_text(scaled_unit(scales, text.get_text())[0])


def observable_facts(column: str) -> Any:
    """Return the entry in KNOWN for an observable, or for one of its columns in a sweep, such as mean_ or final_; {} for another column."""
    return KNOWN.get(column) or KNOWN.get(column.partition("_")[2], {})


def is_share(column: str) -> Any:
    """Return whether the column is a fraction from 0 to 1. Standard deviations and errors of fractions are not: they are much smaller."""
    return (
        observable_facts(column).get("is_share", False)
        and column.partition("_")[0] not in STATISTIC_WORDS
    )


def name_symbol_and_unit(column: str) -> Any:
    """Return (words, symbol, unit) of a key, an observable, or one of its columns in a sweep, such as mean_ or final_."""
    if column in NAMES:
        return NAMES[column]
    unit, (first, _, rest) = observable_facts(column).get("unit", ""), column.partition("_")
    if re.fullmatch(r"(flock|predators|goals|obstacles|world|output)(\.\w+)+", column):
        section, *parts = column.split(".")
        own = [] if section in ("flock", "world", "output") else [section.removesuffix("s")]
        unit = next(
            (found for word, found in UNIT_OF_ENDING.items() if parts[-1].endswith(word)), ""
        )
        return (
            " ".join(FULL_WORDS.get(word, word) for word in "_".join(own + parts).split("_")),
            "",
            unit,
        )
    if column not in KNOWN and (rest in KNOWN or rest in NAMES):
        words = NAMES[rest][0] if rest in NAMES else rest
        text = f"{STATISTIC_WORDS.get(first, first)} {words}".replace("_", " ")
        return text.replace("mean mean ", "mean "), "", unit
    return column.replace("_", " "), "", unit


def label_of(column: str, texts: Any = None, unit_below: bool = False) -> Any:
    """Return the text on an axis, for matplotlib: "noise η (radians)", "mean polarization". `texts` holds what --label says instead."""
    if column in (texts or {}):
        return texts[column]
    words, symbol, unit = name_symbol_and_unit(column)
    label = " ".join([literal_mathtext(words), *([f"${symbol}$"] if symbol else [])])
    return f"{label}{chr(10) if unit_below else ' '}({unit})" if unit else label


def short_label(column: str, texts: Any = None) -> Any:
    """Return a short name of a key for use with a value or in a formula: its symbol or, if it has none, its words."""
    if column in (texts or {}):
        return texts[column]
    words, symbol, _ = name_symbol_and_unit(column)
    return f"${symbol}$" if symbol else literal_mathtext(words)


def setting_label(setting: Any, texts: Any = None) -> Any:
    """Return the text of a setting for a legend: "N = 64, version 1.0" for "flock.count = 64, version 1.0"."""
    key, equals, rest = setting.partition(" = ")
    return (
        f"{short_label(key, texts)} = {literal_mathtext(rest)}"
        if equals
        else literal_mathtext(setting)
    )


def plain_setting(key: str, value: Any) -> str:
    """Return the same without formulas: "N = 64"."""
    words, symbol, _ = name_symbol_and_unit(key)
    base, _, index = symbol.partition("_")
    shown = value if isinstance(value, str) else json.dumps(value)
    return f"{base + index.translate(SUBSCRIPTS) if symbol else words} = {shown}"
