"""Lists and explains the presets and the keys of a configuration in Python."""

import json
import os
from typing import Any, Dict, Iterator, List, Mapping, Tuple

from .errors import ConfigError
from .places import place
from .plotting.errors import did_you_mean

__all__ = ["help", "keys", "presets"]


def presets() -> Dict[str, str]:
    """Return {name: title} of all presets.

    >>> boids.presets()["adams"]
    "V. Hunter Adams' boids, with a predator"
    """
    found = {}
    for name in sorted(os.listdir(place("configs"))):
        if name.endswith(".json"):
            with open(os.path.join(place("configs"), name), encoding="utf-8") as file:
                found[name[:-5]] = json.load(file).get("title", "")
    return found


def _schema(
    properties: Mapping[str, Any], before: str = ""
) -> Iterator[Tuple[str, Mapping[str, Any]]]:
    for name, schema in properties.items():
        if "properties" in schema:
            yield from _schema(schema["properties"], before + name + ".")
        elif not name.startswith("$"):
            yield before + name, schema


def key_schemas() -> Dict[str, Mapping[str, Any]]:
    """Return {key: its part of the JSON Schema} of all keys of a configuration."""
    with open(os.path.join(place("data"), "boids.schema.json"), encoding="utf-8") as file:
        return dict(_schema(json.load(file)["properties"]))


def keys(word: str = "") -> List[str]:
    """Return the keys of a configuration that contain a word, or all.

    >>> boids.keys("noise")
    ['flock.noise.eta', 'flock.noise.vector']
    """
    return [key for key in key_schemas() if word in key]


def help(key: str) -> None:  # noqa: A001
    """Print the meaning, the bounds and the default of a key of the configuration: ``boids.help("flock.noise.eta")``.

    Raises:
        ConfigError: there is no such key.
    """
    known = key_schemas()
    if key not in known:
        raise ConfigError(
            f"there is no key {key}{did_you_mean(str(key), known) or '; boids.keys() lists all'}"
        )
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
