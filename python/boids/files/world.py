"""World: the part of a configuration that a picture shows."""

import json
import math
import os
import re
from dataclasses import dataclass, field, replace
from typing import Any, List, Optional, Tuple

from ..core.config import Section, section_of
from ..core.places import path_in_project
from ..core.errors import argument
from ..core.messages import Refused, unreadable
from ..core.space import DEFAULT_WORLD, Space

DEFAULT_MARGIN = 100
WHOLE = {"output.first": (0, 0), "output.every": (1, 1), "steps": (0, 300)}  # least value, default
Places = Any  # tuples of numbers


@dataclass
class World:
    """The part of a configuration that a picture shows. Lengths in world units, from (0, 0) to (width, height)."""

    width: float
    height: float
    border: str = ""
    margin: Places = (0.0, 0.0, 0.0, 0.0)  # left, right, low y, high y
    y_axis: str = "up"
    title: str = ""
    circles: Places = ()  # of obstacles: x, y, radius
    goals: Places = ()  # x, y
    changes: Places = ()  # step, circles, goals: what the schedule makes of them, by step
    is_disc: bool = False  # the disc whose diameter is width and height
    config: Any = field(
        default_factory=dict, compare=False, repr=False
    )  # all of it, as it was read

    def setting(self, key: str, step: int = 0) -> Any:
        """Return the value of a key, such as flock.cohesion.radius, in the frame of a step, or None. A change of the schedule acts after
        the frame of its step."""
        found = Section(self.config).get(key)
        for change in self.config.get("schedule", ()):
            if change["at"] < step and key in change["set"]:
                found = change["set"][key]
        return found

    def __deepcopy__(self, _: Any) -> "World":
        return self  # nothing changes it

    def whole(self, key: str) -> int:
        """Return the value of a key of WHOLE, or its default if the value is missing or wrong."""
        (least, default), value = WHOLE[key], self.setting(key)
        return value if isinstance(value, int) and value >= least else default

    @property
    def initial_step(self) -> Optional[int]:
        """The step at which the run begins; None if it keeps the step of flock.init.file, which does not name it."""
        if self.setting("flock.init.steps") != "kept":
            return 0
        step = re.search("@([0-9]+)$", str(self.setting("flock.init.file")))
        return int(step[1]) if step else None

    def frame_step(self, k: int) -> int:
        """Return the step of frame k of the run: its first step or output.first, then multiples of output.every, then the last step."""
        every, last = self.whole("output.every"), self.whole("steps")
        first = max(self.whole("output.first"), self.initial_step or 0)
        step = max(first, (first // every + k) * every)
        return last if step - every < last < step else step

    @property
    def space(self) -> Space:
        return Space.bordered(
            self.width,
            self.height,
            self.border,
            self.y_axis,
            self.setting("world.distance"),
            "disc" if self.is_disc else None,
        )

    def stages(self) -> List[Tuple[int, "World"]]:
        """Return (step, World) for the first appearance of the world and for each change, which applies from its step on."""
        return [(0, self)] + [
            (step, replace(self, circles=circles, goals=goals))
            for step, circles, goals in self.changes
        ]

    def images(self) -> Places:
        """Return the obstacles as they are seen: in a wrapped world, one at an edge is also drawn at the opposite edge."""
        if self.border != "wrap":
            return list(self.circles)
        shifted = [
            (x + across * self.width, y + along * self.height, radius)
            for x, y, radius in self.circles
            for across in (-1, 0, 1)
            for along in (-1, 0, 1)
        ]
        return [
            (x, y, radius)
            for x, y, radius in shifted
            if -radius < x < self.width + radius and -radius < y < self.height + radius
        ]


def refuse_second(run: Any, config: Any) -> None:
    """Refuse --config beside a trajectory that carries the configuration of its run."""
    if config and run.world and run.world.config:
        raise Refused(
            f"{run.name}: it has its own configuration; leave out {argument('config', config)}"
        )


def is_number(value: Any) -> bool:
    """Return whether a value of JSON is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def positive(value: Any, what: str) -> float:
    """Return `value` as a float above 0; refuse anything else under the name `what`."""
    if not (is_number(value) and value > 0):
        raise Refused(f"{what} is {json.dumps(value)}; it must be a number above 0")
    return float(value)


def margin_of(value: Any, where: str) -> Any:
    """Return the margin widths (left, right, low y, high y) from a number or an object of left, right, top and bottom.

    `top` is the side of small y and `bottom` the side of large y, whichever way y_axis points. The rule uses them so
    (y < top pushes up in y), and a drawing that swapped them would show the margin on the wrong side.
    """
    sides = ("left", "right", "top", "bottom")
    values = (
        [value.get(side, DEFAULT_MARGIN) for side in sides]
        if isinstance(value, dict)
        else [value] * 4
    )
    if not all(is_number(number) and number >= 0 for number in values):
        raise Refused(
            f"{where}: world.margin is {json.dumps(value)}; it must be a number or an object of left, right, top and bottom"
        )
    return tuple(map(float, values))


def section_value(config: Any, section: str, name: str) -> Any:
    """Return the value of a key of a section, an empty list if it is missing, or None if the section is no object."""
    keys = config.get(section, {})
    return keys.get(name, []) if isinstance(keys, dict) else None


def places_of(places: Any, what: str, width: int, where: str) -> Places:
    """Return a list of places, each of `width` numbers; `what` is its key."""
    if not isinstance(places, list) or not all(
        isinstance(place, list) and len(place) == width and all(map(is_number, place))
        for place in places
    ):
        raise Refused(f"{where}: {what} must be a list whose entries have {width} numbers")
    return tuple(tuple(map(float, place)) for place in places)


def changes_of(schedule: Any, circles: Any, goals: Any, where: str) -> Any:
    """Return (step, circles, goals) for each change of the schedule that concerns them."""
    if not isinstance(schedule, list) or not all(
        isinstance(change, dict)
        and isinstance(change.get("at"), int)
        and isinstance(change.get("set"), dict)
        for change in schedule
    ):
        raise Refused(f'{where}: schedule must be a list of {{"at": STEP, "set": {{KEY: VALUE}}}}')
    changes = []
    for change in schedule:
        keys, before = change["set"], (circles, goals)
        circles = places_of(
            keys.get("obstacles.circles", list(map(list, circles))), "obstacles.circles", 3, where
        )
        goals = places_of(
            keys.get("goals.points", list(map(list, goals))), "goals.points", 2, where
        )
        changes += [(change["at"], circles, goals)] if (circles, goals) != before else []
    return tuple(changes)


def world_of(config: Any, where: str) -> World:
    """Return the World of a configuration, in which keys may be missing. Each message begins with `where`."""
    if not isinstance(config, dict):
        raise Refused(f"{where}: the configuration is not a JSON object")
    keys = config.get("world", {})
    if not isinstance(keys, dict):
        raise Refused(f"{where}: world is {json.dumps(keys)}; it must be an object")
    keys = {**DEFAULT_WORLD, **keys}
    y_axis = keys["y_axis"]
    if y_axis not in ("up", "down"):
        raise Refused(f"{where}: world.y_axis is {json.dumps(y_axis)}; it must be up or down")
    circles = places_of(
        section_value(config, "obstacles", "circles"), "obstacles.circles", 3, where
    )
    goals = places_of(section_value(config, "goals", "points"), "goals.points", 2, where)
    return World(
        width=positive(keys["width"], f"{where}: world.width"),
        height=positive(keys["height"], f"{where}: world.height"),
        border=str(keys["border"]),
        is_disc=keys["shape"] == "disc",
        margin=margin_of(keys.get("margin", DEFAULT_MARGIN), where),
        y_axis=y_axis,
        title=str(config.get("title", "")),
        config=config,
        circles=circles,
        goals=goals,
        changes=changes_of(config.get("schedule", []), circles, goals, where),
    )


def json_of(text: Any) -> Any:
    """Return the value of a JSON text. Raise ValueError also for NaN and infinity, which Python accepts, and for values that are nested
    too deeply."""

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is not JSON")

    try:
        return section_of(text, parse_constant=refuse)
    except RecursionError:
        raise ValueError("too many nested values") from None


def read_config(word: str) -> World:
    """Return the World of a configuration file or a preset. A bare name that is not a regular file is a preset, as for the program."""
    if word == "-":
        raise Refused(f"{argument('config')} cannot be -; give a file or a preset")
    preset = os.path.join(path_in_project("configs"), f"{word}.json")
    path = (
        preset
        if os.path.basename(word) == word and not os.path.isfile(word) and os.path.isfile(preset)
        else word
    )
    try:
        with open(path, encoding="utf-8-sig") as file:
            config = json_of(file.read())
    except OSError as error:
        hint = ", and no preset has that name; boids --presets lists them"
        raise unreadable(path, error, hint * isinstance(error, FileNotFoundError)) from None
    except UnicodeDecodeError as error:
        is_run = error.object.startswith(b"\x89HDF")
        raise Refused(
            f"{path}: not a JSON configuration: "
            + (
                "it is a trajectory; boids --print-config --from prints its own"
                if is_run
                else "it is not UTF-8 text"
            )
        ) from None
    except json.JSONDecodeError as error:
        begin = (
            ""
            if error.doc.lstrip().startswith("{")
            else "; a configuration begins with {; boids --print-config -c adams prints one"
        )
        raise Refused(f"{path}:{error.lineno}: not JSON: {error.msg}{begin}") from None
    except ValueError as error:
        raise Refused(f"{path}: not JSON: {error}") from None
    return world_of(config, path)


def has_margin(world: Optional[World]) -> bool:
    """Return whether there is a margin in which agents turn back."""
    return bool(world and world.border == "bounce" and any(world.margin))
