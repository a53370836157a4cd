"""Runs with wind, goals, obstacles and hunters are stopped, restarted, converted and compared like others.

BOIDS is the program, default ./boids.
"""

import itertools
import json
import os
import sys
import unittest

import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from support import Folder, read_trajectory


STEPS, STOP = 30, 13
ROUTE = {
    "goals.points": [[100, 100], [500, 300], [600.5, -40]],
    "goals.every": 7,
    "goals.factor": 0.3,
    "world.wind": [0.25, -0.5],
    "obstacles.circles": [[320, 240, 60], [0, 0, 45.5]],
    "predators.hunt": "centre",
    "predators.max_speed": 8,
    "predators.min_speed": None,
    "predators.form": "unit",
}


def words_of(arithmetic, update, count=60):
    sets = {
        "flock.count": count,
        "predators.count": 2,
        "arithmetic": arithmetic,
        "update": update,
        **ROUTE,
    }
    return [
        "-c",
        "adams",
        *(
            word
            for key, value in sets.items()
            for word in ("-s", "%s=%s" % (key, json.dumps(value)))
        ),
    ]


class Forces(Folder):
    def test_a_stopped_run_is_resumed(self):
        for case in itertools.product(
            ("float32", "float64", "fixed"), ("synchronous", "sequential", "passes")
        ):
            with self.subTest(case=case):
                words = words_of(*case)
                self.good(words, "-n", STEPS, "-o whole.h5 --force")
                self.good(words, "-n", STOP, "-o a.h5 --force")
                self.good("--resume a.h5 -n", STEPS)
                self.assertSameFile("a.h5", "whole.h5")

    def test_a_run_starts_from_a_frame(self):
        words = words_of("float64", "synchronous")
        self.good(words, "-n", STEPS, "-o whole.h5")
        self.good(words, "--init", "whole.h5@%d" % STOP, "--keep-step -n", STEPS, "-o rest.h5")
        numpy.testing.assert_array_equal(
            read_trajectory(self.path("rest.h5"))[1],
            read_trajectory(self.path("whole.h5"))[1][STOP:],
        )

    def test_a_file_contains_the_lists_and_prints_them(self):
        words = words_of("float64", "sequential")
        self.good(words, "-n", STEPS, "-o a.h5")
        printed = self.good("--print-config --from a.h5")
        config = json.loads(printed)
        for key, value in ROUTE.items():
            section, name = key.split(".")
            self.assertEqual(config[section][name], value, key)
        self.write("c.json", printed)
        self.good("-c c.json -o b.h5")
        self.assertSameFile("b.h5", "a.h5")
        self.refused(
            "--set goals.points=[[1,2]]: a.h5 was run with goals.points "
            "[[100, 100], [500, 300], [600.5, -40]]",
            "--resume a.h5 -n 99 -s 'goals.points=[[1,2]]'",
        )

    def test_files_are_converted_and_compared(self):
        words = words_of("float64", "sequential")
        self.good(words, "-n", STEPS, "-o a.h5 -o a.csv --digits 17")
        self.good("--convert a.h5 -o b.csv --digits 17")
        self.assertSameFile("b.csv", "a.csv")
        self.good("--diff a.h5 b.csv")


if __name__ == "__main__":
    unittest.main()
