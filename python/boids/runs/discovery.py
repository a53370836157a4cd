"""Lists and explains the presets and the keys of a configuration in Python."""

import json
import re
from pathlib import Path
from typing import Dict, List, Mapping

from ..core.config import key_schemas
from ..core.observables import Observables
from ..core.places import path_in_project
from .simulation import Simulation, observable_names

__all__ = ["help", "keys", "presets"]


def presets() -> Dict[str, str]:
    """Return {name: title} of all presets.

    >>> boids.presets()["adams"]
    "V. Hunter Adams' boids, with a predator"
    """
    paths = sorted(Path(path_in_project("configs")).resolve(strict=True).glob("*.json"))
    return {path.stem: json.loads(path.read_text("utf-8")).get("title", "") for path in paths}


def keys(word: str = "") -> List[str]:
    """Return the keys of a configuration that contain a word, or all.

    >>> boids.keys("noise")
    ['flock.noise.eta', 'flock.noise.vector']
    """
    return [key for key in key_schemas() if word.lower() in key]


def _search(word: str, texts: Mapping[str, str]) -> Dict[str, str]:
    """Return {name: text} of the section `word`, or else of all texts in which a word begins with it, as `boids --help WORD` finds them."""
    section = {name: text for name, text in texts.items() if name.startswith(word + ".")}
    begin = re.compile(f"(?<![a-z0-9]){re.escape(word)}", re.IGNORECASE)
    return section or {name: text for name, text in texts.items() if begin.search(f"{name} {text}")}


def help(key: str) -> None:  # noqa: A001
    """Print the meaning, the bounds and the default of a key of the configuration: ``boids.help("flock.noise.eta")``. Of another word,
    such as a section, list the keys and observables.

    Raises:
        ConfigError: there is no such key and no such word.
    """
    known = key_schemas()
    if key not in known:
        texts = {name: schema["description"] for name, schema in known.items()}
        texts.update({name: vars(Observables)[name].__doc__ for name in observable_names()})
        found = _search(key, texts) if isinstance(key, str) else {}
        for name, text in found.items():
            print(f"{name}: {text}")
        if not found:
            Simulation(threads=1)[key]  # refused with the suggestion of the program
        return
    schema = known[key]
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "more than",
        "maximum": "at most",
        "enum": "one of",
        "default": "default",
    }
    print(f"{key}: {schema['description']}")
    for name, word in words.items():
        if name in schema:
            value = schema[name]
            print(
                f"    {word} "
                + (", ".join(map(str, value)) if name == "enum" else json.dumps(value))
            )
    if key == "schedule":
        changeable = schema["items"]["properties"]["set"]["properties"]
        print("    keys that may change: " + ", ".join(changeable))
