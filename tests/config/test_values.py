"""Claims about valid configurations: each text and its settings give these values, as --print-config prints them."""

import functools
import json
import sys
import unittest

sys.path[0] += "/.."
from support import Folder

MARGIN, SPEED, FAST = "world.margin", "flock.init.speed", '{"flock": {"count": 5, "max_speed": 9}}'
LEFT_BOTTOM = '{"world": {"margin": {"left": 1, "bottom": 4}}}'
PLACES = '{"goals": {"points": [[1.5, -2], [3, 4e3]]}, "obstacles": {"circles": [[1, 2, 3]]}}'


def sides(left, right, top, bottom):
    return {MARGIN: {"left": left, "right": right, "top": top, "bottom": bottom}}


# A claim: the text, the settings, and values by their keys.
CASES = {
    "steps reach 2 to the 53": ('{"steps": 9007199254740992}', (), {"steps": 2**53}),
    "a mean may begin after the last step": (
        '{"steps": 10, "output": {"mean_from": 11}}',
        (),
        {"output.mean_from": 11},
    ),
    "a seed in quotes keeps all 64 bits": (
        '{"seed": "18446744073709551615"}',
        (),
        {"seed": str(2**64 - 1)},
    ),
    "a seed that is set keeps all 64 bits": (
        "{}",
        ("seed=18446744073709551614",),
        {"seed": str(2**64 - 2)},
    ),
    "a small seed is a number": ("{}", ('seed="7"',), {"seed": 7}),
    "speeds are null": (
        '{"flock": {"min_speed": null, "max_speed": null}}',
        (),
        {"flock.min_speed": None, "flock.max_speed": None, SPEED: [0, 0]},
    ),
    "starting speeds follow the limits": (
        '{"flock": {"min_speed": null, "max_speed": 1.5}}',
        (),
        {SPEED: [0, 1.5]},
    ),
    "starting speeds follow the lower limit": (
        '{"flock": {"min_speed": 2, "max_speed": null}}',
        (),
        {SPEED: [2, 2]},
    ),
    "starting speeds that are given stay": (
        '{"flock": {"max_speed": 4, "init": {"speed": [0.5, 9]}}}',
        (),
        {SPEED: [0.5, 9]},
    ),
    "a vector is two numbers in any order": (
        '{"world": {"wind": [1.5, -2]}}',
        (),
        {"world.wind": [1.5, -2]},
    ),
    "a vector is set": ("{}", ("world.wind=[-3,0]",), {"world.wind": [-3, 0]}),
    "places are read": (
        PLACES,
        (),
        {"goals.points": [[1.5, -2], [3, 4000]], "obstacles.circles": [[1, 2, 3]]},
    ),
    "places are replaced": (
        PLACES,
        ("obstacles.circles=[[-1,2,3.5]]", "goals.points=[[7, 8]]"),
        {"goals.points": [[7, 8]], "obstacles.circles": [[-1, 2, 3.5]]},
    ),
    "places are removed": (
        PLACES,
        ("obstacles.circles=[]", "goals.points=[]"),
        {"goals.points": [], "obstacles.circles": []},
    ),
    "a list has 1024 entries": (
        '{"goals": {"points": %s}}' % json.dumps(1024 * [[1, 2]]),
        (),
        {"goals.points": 1024 * [[1, 2]]},
    ),
    "predators have their own speeds": (
        '{"predators": {"min_speed": null, "max_speed": 7.5}}',
        (),
        {"predators.min_speed": None, "predators.max_speed": 7.5},
    ),
    "predators have the speeds of the flock": (
        '{"predators": {"min_speed": null}}',
        ("predators.max_speed=flock", 'predators.min_speed="flock"'),
        {"predators.min_speed": "flock", "predators.max_speed": "flock"},
    ),
    "a wrapped world is a torus": (
        '{"world": {"border": "wrap"}}',
        (),
        {"world.distance": "torus"},
    ),
    "a wrapped world may be a plane": (
        '{"world": {"border": "wrap", "distance": "plane"}}',
        (),
        {"world.distance": "plane"},
    ),
    "a torus that is left by a setting is a plane": (
        '{"world": {"border": "wrap"}}',
        ("world.border=open",),
        {"world.distance": "plane"},
    ),
    "a margin is one number": ('{"world": {"margin": 7}}', (), {MARGIN: 7}),
    "a margin is four numbers": (
        '{"world": {"margin": {"left": 1, "bottom": 4, "right": 2, "top": 3}}}',
        (),
        sides(1, 2, 3, 4),
    ),
    "sides that are missing have the default": (LEFT_BOTTOM, (), sides(1, 100, 100, 4)),
    "a margin of no sides": ('{"world": {"margin": {}}}', (), {MARGIN: 100}),
    "one side is set": (
        '{"world": {"margin": 7}}',
        ("world.margin.left=5", 'world.margin={"top": 3}', 'world={"margin": {"right": 1}}'),
        sides(5, 1, 3, 7),
    ),
    "all sides are set": (LEFT_BOTTOM, ('world={"margin": 2}',), {MARGIN: 2}),
    "a later setting wins": (
        FAST,
        ("flock.count=6", "flock.count=7"),
        {"flock.count": 7, "flock.max_speed": 9},
    ),
    "settings are words, null and sections": (
        FAST,
        (
            "update=passes",
            'integrator="explicit"',
            "title=hello world",
            "flock.max_speed=null",
            'flock.init={"speed":[1,2]}',
        ),
        {
            "update": "passes",
            "integrator": "explicit",
            "title": "hello world",
            "flock.max_speed": None,
            SPEED: [1, 2],
        },
    ),
    "a number that is set needs no zero": (
        "{}",
        ("flock.cohesion.factor=.5", "flock.alignment.factor=-.25e1", "title=.5"),
        {"flock.cohesion.factor": 0.5, "flock.alignment.factor": -2.5, "title": ".5"},
    ),
    "a byte order mark is skipped": ('\ufeff{"steps": 7}', (), {"steps": 7}),
    "a title is any text": ("{}", (r'title="say \"hi\"\n"',), {"title": 'say "hi"\n'}),
    "keys that are not in use are accepted": (
        '{"world": {"border": "open", "margin": 3, "wrap_to": "edge"}, "flock": {"max_force": 2}}',
        (),
        {"flock.max_force": 2},
    ),
    "fixed point stores small and large numbers": (
        '{"arithmetic": "fixed", "world": {"width": 32767.99998, "height": 0.0000152587890625},'
        ' "flock": {"min_speed": null, "max_speed": 0}, "output": {"flush_seconds": 1e6}}',
        (),
        {"world.width": 32767.99998, "world.height": 2**-16, "flock.max_speed": 0},
    ),
    "float64 stores extreme numbers": (
        '{"world": {"width": 1e308, "height": 1e-308}}',
        (),
        {"world.width": 1e308, "world.height": 1e-308},
    ),
}
for number in ("300", "300.0", "3e2", "3E+2", "0.3e3", "30000e-2", "300.000e0"):
    CASES["a whole number is " + number] = (
        '{"flock": {"count": %s}}' % number,
        (),
        {"flock.count": 300},
    )
for zero in ("0", "-0", "0.0", "-0e5", "0e99999999999999999999", "0.00e-9"):
    CASES["zero is " + zero] = (
        '{"steps": %s, "flock": {"min_speed": %s}}' % (zero, zero),
        (),
        {"steps": 0, "flock.min_speed": 0},
    )
for title in ("2024", "true", "null", "{", "it's", ""):
    CASES["a title may look like JSON: " + title] = ("{}", ("title=" + title,), {"title": title})


class Values(Folder):
    def test_each_configuration_has_its_values(self):
        for claim, (text, settings, values) in CASES.items():
            with self.subTest(claim):
                self.write("a.json", text)
                words = (word for setting in settings for word in ("-s", setting))
                printed = json.loads(self.good("-c", "a.json", *words, "--print-config"))
                found = {
                    key: functools.reduce(dict.__getitem__, key.split("."), printed)
                    for key in values
                }
                self.assertEqual(found, values)


if __name__ == "__main__":
    unittest.main()
