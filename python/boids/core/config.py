"""The configuration of a flock as a mapping, and the keys that it may have."""

import copy
import json
import os
import weakref
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple

from .errors import ConfigError, RunError
from .places import path_in_project

Keys = Optional[Mapping[str, Any]]  # of a configuration, with their values


class Section(Dict[str, Any]):
    """A configuration, or a part of it, that cannot be changed: ``config["flock"]["count"]`` or ``config["flock.count"]``. copy.deepcopy()
    makes a plain dict of it."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise ConfigError(
            "a key is changed by its whole name, such as flock['flock.cohesion.factor'] = 0.001; copy.deepcopy(flock.config) is "
            "a dict of your own"
        )

    def __getitem__(self, key: str) -> Any:
        if super().__contains__(key):  # also of a schedule, whose keys have dots
            return super().__getitem__(key)
        found: Any = self
        for part in key.split("."):
            if not isinstance(found, dict):
                raise KeyError(key)
            found = dict.__getitem__(found, part)
        return found

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default

    def __contains__(self, key: Any) -> bool:
        try:
            self[key]
        except (AttributeError, KeyError):
            return False
        return True

    _refused: Any = _refuse
    __setitem__ = __delitem__ = update = pop = popitem = clear = setdefault = __ior__ = _refused

    def __deepcopy__(self, memo: Any) -> Dict[str, Any]:
        return {key: copy.deepcopy(value, memo) for key, value in self.items()}

    def __reduce__(self) -> Any:
        return section_of, (json.dumps(self),)


def section_of(text: Any, **more: Any) -> Any:
    """Return the value of a JSON text, with a Section for each object. `more` is for json.loads()."""
    return json.loads(text, object_hook=Section, **more)


class Config(Section):
    """The configuration in effect. Setting a key changes the flock."""

    def __init__(self, flock: Any, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self._flock = weakref.ref(flock)

    def __setitem__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def update(self, *changes: Mapping[str, Any], **more: Any) -> None:  # type: ignore[override]
        """Change several keys of the flock: all, or none if one is refused."""
        flock = self._flock()
        if flock is None:
            raise RunError("the flock was closed")
        flock._set(dict(*changes, **more))
        super(Section, self).update(flock.config)


def flattened(config: Mapping[str, Any], before: str = "") -> Iterator[Tuple[str, Any]]:
    """Yield the whole name and the value of each key but those of the schedule."""
    for name, value in config.items():
        if isinstance(value, dict):
            yield from flattened(value, f"{before}{name}.")
        elif before + name != "schedule":
            yield before + name, value


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
    with open(os.path.join(path_in_project("data"), "boids.schema.json"), encoding="utf-8") as file:
        return dict(_schema(json.load(file)["properties"]))
