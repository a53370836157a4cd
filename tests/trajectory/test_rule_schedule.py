"""A schedule changes rules during a run: the bits are those of several runs with one set of rules each, each run started from
the last state of the one before. Runs with wind, goals, obstacles and hunters are stopped, restarted, converted and compared like others.

BOIDS is the program, default ./boids.
"""

import itertools
import json
import sys
import unittest

from numpy.testing import assert_array_equal

sys.path[0] += "/.."

from support import IS_QUICK, Folder


STEPS = 40
FIRST, SECOND = 11, 25
CHANGES = {
    FIRST: {
        "flock.cohesion.factor": 0.004,
        "flock.cohesion.radius": 90,
        "flock.max_speed": 7.5,
        "world.wind": [0.5, -0.25],
        "goals.points": [[100, 100], [500, 300]],
        "predators.hunt": "nearest",
    },
    SECOND: {
        "flock.separation.radius": 3,
        "flock.cohesion.radius": 20,
        "predators.radius": 10,
        "flock.alignment.factor": 0.2,
        "goals.points": [],
        "obstacles.circles": [[320, 240, 60], [9, 9, 30]],
        "predators.max_speed": 9,
    },
}
# Lists and words in the configuration itself.
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
SCHEDULE = [{"at": at, "set": changes} for at, changes in CHANGES.items()]
WORLDS = {"bounce": (), "wrap": "-s world.border=wrap"}


def schedule_words(schedule):
    return ("-s", "schedule=" + json.dumps(schedule))


def words_of(arithmetic, update, world, count=60):
    sets = f"-s flock.count={count} -s arithmetic={arithmetic} -s update={update}"
    return "-c adams -s predators.count=2", sets, WORLDS[world]


def setting_words(changes):
    return [
        word
        for key, value in changes.items()
        for word in ("-s", "%s=%s" % (key, json.dumps(value)))
    ]


class Schedule(Folder):
    def glue(self, words):
        """Three runs, each with its own rules and from the last state of the previous one; their frames and observables."""
        settings, begin, states, measured = [], ["-s", "flock.init.file="], [], []
        for changes, length in (
            ({}, FIRST),
            (CHANGES[FIRST], SECOND - FIRST),
            (CHANGES[SECOND], STEPS - SECOND),
        ):
            settings += setting_words(changes)
            self.good(words, settings, begin, "-n", length, "-o piece.h5 --force")
            skip = 1 if states else 0
            states.extend(self.read_trajectory("piece.h5")[1][skip:])
            with self.h5("piece.h5") as file:
                measured.extend(file["observables/flocks/value"][skip:])
            self.good(
                "--from piece.h5 -n 0 --init", "piece.h5@%d" % length, "-o last.csv --digits 17"
            )
            begin = "--init last.csv"
        return states, measured

    def test_a_scheduled_run_equals_its_parts_joined(self):
        for number, case in enumerate(
            itertools.product(
                ("float32", "float64", "fixed"), ("synchronous", "sequential", "passes"), WORLDS
            )
        ):
            if number // 2 % 2 != number % 2 and IS_QUICK:
                continue  # then the worlds take turns
            with self.subTest(case=case):
                words = words_of(*case)
                states, measured = self.glue(words)
                for threads in (1, 2):
                    run = (words, schedule_words(SCHEDULE), "-n", STEPS)
                    self.good(run, "-t", threads, "-o a.h5 --force")
                    assert_array_equal(self.read_trajectory("a.h5")[1], states)
                    with self.h5("a.h5") as file:
                        assert_array_equal(file["observables/flocks/value"][:], measured)

    def test_a_large_flock_with_a_schedule(self):
        words = words_of("float64", "synchronous", "wrap", 700)
        states, _ = self.glue(words)
        self.good(words, schedule_words(SCHEDULE), "-n", STEPS, "-t 2 -o a.h5")
        assert_array_equal(self.read_trajectory("a.h5")[1], states)

    def test_a_stopped_run_with_a_schedule_is_resumed(self):
        for case in (
            ("float64", "sequential", "bounce"),
            ("float32", "synchronous", "wrap"),
            ("fixed", "passes", "bounce"),
        ):
            words = (words_of(*case), setting_words(ROUTE), schedule_words(SCHEDULE))
            self.good(words, "-n", STEPS, "-o whole.h5 --force")
            for stop in (0, FIRST - 1, FIRST, FIRST + 1, SECOND, STEPS - 1):
                with self.subTest(case=case, stop=stop):
                    self.good(words, "-n", stop, "-o a.h5 --force")
                    self.good("--resume a.h5 -n", STEPS)
                    self.assertSameFile("a.h5", "whole.h5")

    def test_a_trajectory_contains_its_schedule(self):
        words = (words_of("float64", "sequential", "bounce"), setting_words(ROUTE))
        self.good(words, schedule_words(SCHEDULE), "-n", STEPS, "-o a.h5 -o a.csv --digits 17")
        self.good("--from a.h5 -o b.h5")
        self.assertSameFile("b.h5", "a.h5")
        self.good("--convert a.h5 -o b.csv --digits 17")
        self.assertSameFile("b.csv", "a.csv")
        self.good("--diff a.h5 b.csv")
        printed = self.good("--from a.h5 --print-config")
        config = json.loads(printed)
        self.assertEqual(config["schedule"], SCHEDULE)
        for key, value in ROUTE.items():
            section, name = key.split(".")
            self.assertEqual(config[section][name], value, key)
        self.write("c.json", printed)
        self.good("-c c.json -o c.h5")
        self.assertEqual(self.good("-c c.json --print-config"), printed)
        self.good("-c c.json --init a.h5@0 -o d.h5")
        assert_array_equal(self.read_trajectory("d.h5")[1], self.read_trajectory("a.h5")[1])
        schedule = schedule_words([{"at": 3, "set": {"flock.max_speed": 5}}])
        self.good(words, schedule, "-n 4 -o a.h5 --force")
        self.refused(
            '--set schedule=[]: a.h5 was run with schedule [{"at": 3, "set": {"flock.max_speed": 5}}]',
            "--resume a.h5 -n 99 -s 'schedule=[]'",
        )
        self.refused(
            "--set goals.points=[[1,2]]: a.h5 was run with goals.points "
            "[[100, 100], [500, 300], [600.5, -40]]",
            "--resume a.h5 -n 99 -s 'goals.points=[[1,2]]'",
        )

    def test_a_run_starts_from_a_frame(self):
        words = (words_of("float64", "synchronous", "bounce"), setting_words(ROUTE))
        self.good(words, "-n", STEPS, "-o whole.h5")
        self.good(words, "--init", f"whole.h5@{FIRST}", "--keep-step -n", STEPS, "-o rest.h5")
        whole, rest = (self.read_trajectory(name)[1] for name in ("whole.h5", "rest.h5"))
        assert_array_equal(rest, whole[FIRST:])

    def test_changes_at_the_first_step_and_after_the_last(self):
        words = words_of("float64", "sequential", "bounce")
        self.good(words, "-n 0 -o first.csv --digits 17")
        self.good(words, setting_words(CHANGES[FIRST]), "--init first.csv -n 9 -o a.h5")
        self.good(
            words,
            schedule_words(
                [
                    {"at": 0, "set": CHANGES[FIRST]},
                    {"at": 9, "set": CHANGES[SECOND]},
                    {"at": 500, "set": {}},
                ]
            ),
            "--init first.csv -n 9 -o b.h5",
        )
        assert_array_equal(self.read_trajectory("b.h5")[1], self.read_trajectory("a.h5")[1])

    def test_a_schedule_is_printed_as_it_was_written(self):
        schedule = [
            {"at": 0, "set": {}},
            {
                "at": 3,
                "set": {
                    "goals.points": [[1, 2.5], [-0.0, 4]],
                    "flock.max_speed": 6.000000000000001,
                },
            },
            {
                "at": 5,
                "set": {
                    "predators.min_speed": "flock",
                    "predators.hunt": "nearest",
                    "goals.every": 7,
                    "obstacles.circles": [],
                    "goals.direction": None,
                    "world.wind": [0.1, -2],
                },
            },
            {"at": 2**53, "set": {"flock.cohesion.nearest": 7}},
        ]
        printed = self.good("--print-config -c hunt", schedule_words(schedule))
        self.assertEqual(json.loads(printed)["schedule"], schedule)
        self.write("printed.json", printed)
        self.assertEqual(self.good("--print-config -c printed.json"), printed)

    def test_points_may_have_a_schedule(self):
        with open(self.path("p.csv"), "w", encoding="utf-8") as file:
            file.write("schedule,flock.alignment.factor\n[],0.05\n")
            file.write('"%s",0.05\n' % json.dumps(SCHEDULE).replace('"', '""'))
            file.write('"%s",0.07\n' % json.dumps(SCHEDULE).replace('"', '""'))
        words = words_of("float64", "sequential", "bounce")
        self.good(words, "-n", STEPS, "--points p.csv --table t.csv -t 1 -q")
        text = self.read("t.csv")
        for settings in (
            (),
            schedule_words(SCHEDULE),
            (schedule_words(SCHEDULE), "-s flock.alignment.factor=0.07"),
        ):
            line = self.json(words, settings, "-n", STEPS, "-o none --summary")
            self.assertIn(line["state_hash"], text)

    def test_an_invalid_schedule_is_refused_before_the_first_step(self):
        def at(step, **changes):
            return {
                "at": step,
                "set": {key.replace("__", "."): value for key, value in changes.items()},
            }

        lists = self.good("--help schedule").split("keys that may change:\n")[1].split()
        self.assertIn("flock.alignment.nearest", lists)
        self.assertNotIn("flock.count", lists)
        with open(self.path("c.json"), "w", encoding="utf-8") as file:
            json.dump({"schedule": [at(step, flock__max_speed=7) for step in range(1707)]}, file)
        self.refused(
            "c.json: schedule has too many changes: the one at step 1706 exceeds the room for 1706 numbers",
            "-c c.json -o a.csv",
        )


if __name__ == "__main__":
    unittest.main()
