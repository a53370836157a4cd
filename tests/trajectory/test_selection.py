"""output.boids and output.fields: a file of some boids or fields has the same numbers for them as a complete file, and the
observables and initial state of the whole flock. It is refused if complete frames are needed."""

import signal
import subprocess
import sys
import unittest

import numpy
from numpy.testing import assert_allclose, assert_array_equal

sys.path[0] += "/.."

from support import (
    ENDINGS,
    PATIENCE,
    Folder,
    csv_rows,
    in_root,
    last_given,
    texts_of,
)

import boids

RUN = (
    "-c adams -n",
    20,
    "--every",
    5,
    "-s flock.count=30 -s predators.count=2 --digits",
    17,
)
TENTHS = ("--boids", '{"every": 10}')
RANGE = ("--boids", '{"from": 7, "to": 9}')
POSITION = ("-s", 'output.fields=["position"]')
VELOCITY = ("-s", 'output.fields=["velocity"]')
LACKS = (
    "a.h5: it does not contain all boids with position and velocity, so %s; repeat the run and write all: boids --from a.h5 "
    '-s output.boids=all -s \'output.fields=["position","velocity"]\' -o OTHER.h5'
)


def outputs(name, endings=ENDINGS):
    return [word for ending in endings for word in ("-o", name + "." + ending)] + [
        "--observables",
        name + ".order",
    ]


class Selection(Folder):
    def setUp(self):
        super().setUp()
        self.good(RUN, *outputs("whole"))

    def rows(self, name):
        return csv_rows(self.read(name))

    def tool(self, name, *words):
        command = [sys.executable, in_root("scripts", name), *words]
        return texts_of(subprocess.run(command, **self.how(timeout=PATIENCE)))

    def test_each_format_contains_the_selected_part_of_the_whole(self):
        steps, states = self.read_trajectory("whole.h5")
        columns = ["x", "y", "vx", "vy"]
        for chosen, ids in (
            (TENTHS, [0, 10, 20]),
            (RANGE, [7, 8, 9]),
            ("--boids all", list(range(30))),
        ):
            rows = [
                row
                for row in self.rows("whole.csv")
                if row["type"] == "predator" or int(row["id"]) in ids
            ]
            for fields, halves in ((POSITION, columns[:2]), (VELOCITY, columns[2:]), ((), columns)):
                with self.subTest(boids=chosen, fields=fields):
                    endings = {*ENDINGS} - ({"xyz"} if fields == VELOCITY else set())
                    self.good(RUN, chosen, fields, *outputs("a", endings))
                    self.assertSameFile("a.order", "whole.order")
                    names = ["step", "time", "id", "type", *halves]
                    self.assertEqual(
                        self.rows("a.csv"), [{name: row[name] for name in names} for row in rows]
                    )
                    matrix = numpy.loadtxt(self.path("a.txt"), skiprows=1)
                    expected = states[:, ids].transpose(0, 2, 1).copy()
                    expected[:, [name not in halves for name in columns]] = numpy.nan
                    assert_array_equal(matrix.reshape(len(steps), 4, len(ids)), expected)
                    self.check_hdf5(ids, fields, states[:, [*ids, 30, 31]])
                    if fields != VELOCITY:
                        self.check_xyz(rows, halves)

    def check_hdf5(self, ids, fields, states):
        with self.h5("a.h5") as file, self.h5("whole.h5") as whole:
            both = [file["particles"][kind] for kind in ("boids", "predators")]
            self.assertEqual(list(both[0]["id"]), ids)
            for name, columns in (("position", slice(0, 2)), ("velocity", slice(2, 4))):
                if fields and name not in fields[1]:
                    for group in both:
                        self.assertNotIn(name, group)
                    continue
                found = [group[name]["value"][:] for group in both]
                assert_array_equal(numpy.concatenate(found, axis=1), states[:, :, columns])
            for name, group in whole["observables"].items():
                assert_array_equal(file["observables"][name]["value"], group["value"])

    def check_xyz(self, rows, halves):
        lines = self.lines("a.xyz")
        agents = len(rows) // 5
        for frame in range(5):
            head, comment, *atoms = lines[frame * (agents + 2) : (frame + 1) * (agents + 2)]
            self.assertEqual(head, str(agents))
            self.assertEqual(":velo:R:3" in comment, "vx" in halves)
            for atom, row in zip(atoms, rows[frame * agents :]):
                numbers = [row["x"], row["y"], "0"]
                if "vx" in halves:
                    numbers += [row["vx"], row["vy"], "0"]
                self.assertEqual(atom.split(), [row["type"][0].upper(), *numbers, row["id"]])

    def test_a_converted_file_has_the_bytes_of_the_run(self):
        self.good(RUN, "--every 1 -o all.h5")
        for words in (
            TENTHS,
            RANGE,
            POSITION,
            (TENTHS, POSITION),
            (TENTHS, "-s output.precision=float32"),
        ):
            self.good(RUN, words, *outputs("a"))
            self.good("--convert all.h5 --every 5", words, *outputs("b"))
            for ending in (*ENDINGS, "order"):
                self.assertSameFile("a." + ending, "b." + ending, words)
        late = (RANGE, "-s output.first=7 -s output.observables=false")
        for source, name in (RUN, "a.h5"), ("--convert all.h5 --every 5", "b.h5"):
            self.good(source, late, "-o", name)
        self.assertSameFile("a.h5", "b.h5")

    def test_a_file_with_selected_data_is_converted(self):
        for words in (TENTHS, POSITION, (RANGE, VELOCITY)):
            self.good(RUN, words, "-o a.h5 -o a.csv")
            self.good("--convert a.h5 -o b.csv -o b.h5")
            self.assertSameFile("a.csv", "b.csv", words)
            self.good("--diff a.h5 b.h5")
            self.good("--from b.h5 -o c.h5")
            self.assertSameFile("b.h5", "c.h5", words)

    def test_a_run_from_a_file_with_selected_data_is_the_same(self):
        whole = self.json(RUN, "-o none --summary")
        for words in (TENTHS, POSITION, (RANGE, VELOCITY), (TENTHS, "-s output.precision=float32")):
            self.good(RUN, words, "-o a.h5")
            again = self.json("--from a.h5 -o b.h5 --summary")
            self.assertSameFile("a.h5", "b.h5", words)
            self.assertEqual(
                [again[key] for key in ("initial_hash", "state_hash", "mean")],
                [whole[key] for key in ("initial_hash", "state_hash", "mean")],
            )
            self.good(RUN, "--init a.h5@0 -o b.csv")
            self.assertSameFile("b.csv", "whole.csv")
            self.good(
                '--from a.h5 -s output.boids=all -s \'output.fields=["position","velocity"]\' -s output.precision=native -o b.h5'
            )
            self.assertSameFile("b.h5", "whole.h5")
            self.assertIn("a.h5 is whole", self.good("--verify a.h5"))

    def test_ids_that_a_file_brings(self):
        boids_ = "".join(f"{7 * i},boid,{9 * i},20,1,2\n" for i in range(1, 9))
        self.write("i.csv", f"id,type,x,y,vx,vy\n5,predator,60,60,1,1\n{boids_}")
        self.good("-c adams --init i.csv -n 9 --boids '{\"every\": 2}' -o a.h5 -o a.csv")
        ids = [row["id"] for row in self.rows("a.csv")]
        self.assertEqual(ids[:5], ["14", "28", "42", "56", "5"])
        self.rename("i.csv", "gone.csv")
        self.good("--from a.h5 -o b.h5")
        self.assertSameFile("a.h5", "b.h5")
        self.refused(
            '--boids {"every": 1000}: output.boids selects no boid; ids go from 7 to 56',
            "-c adams --init gone.csv --boids '{\"every\": 1000}' -o c.csv",
        )

    def test_a_selection_without_hashes_as_python_saves_it_is_converted(self):
        self.good(RUN, "-s flock.count=9000", RANGE, "-o a.h5 -o a.csv")
        with self.unproven("a.h5") as file:
            del file["parameters"].attrs["initial_hash"]
        self.good("--convert a.h5 -o b.csv")
        self.assertSameFile("b.csv", "a.csv")

    def test_no_run_begins_from_a_selection_that_python_saved(self):
        self.good(RUN, TENTHS, "-o a.h5 -o a.xyz")
        advice = LACKS.partition(": boids")[
            0
        ]  # no command repeats a run whose initial state is not there
        for source in "a.h5", "a.xyz":
            self.trajectory(source).save(self.path("saved.h5"))
            self.good("--convert saved.h5 --force -o copy.h5")
            for name in "saved.h5", "copy.h5":
                reported = (advice % "no run can begin from its frames").replace("a.h5", name)
                self.refused(reported, RUN, "--init", name, "-o b.h5")

    def test_commands_that_need_whole_frames_refuse_a_selection(self):
        for words in (TENTHS, POSITION, VELOCITY, (RANGE, POSITION)):
            self.good(RUN, words, "-o a.h5")
            self.refused(LACKS % "it cannot be resumed", "--resume a.h5 -n 40")
            self.refused(LACKS % "no run can begin from its frames", RUN, "--init a.h5 -o b.h5")
            self.refused(
                "a.h5 does not hold all boids with position and velocity, so nothing can be measured; only the observables "
                "that it contains can be copied, with output.observables_every 5 or a multiple",
                "--convert a.h5 -s output.observables_every=2 -o b.h5",
            )
        no_position = "output.fields has no position, which XYZ needs; write %s as CSV or HDF5"
        for message, *words in (
            (
                'output.boids cannot be changed: a.h5 holds only { "from": 7, "to": 9 }',
                "--convert a.h5 --boids all -o b.h5",
            ),
            (
                "output.fields names a field that a.h5 does not contain; it contains only the position",
                *("--convert a.h5", VELOCITY, "-o b.h5"),
            ),
            (no_position % "b.xyz", RUN, VELOCITY, "-o b.xyz"),
            (no_position % "-", RUN, VELOCITY, "--format xyz"),
            (
                '--boids {"from": 30, "to": 40}: output.boids selects no boid; ids go from 0 to 29',
                *(RUN, '--boids \'{"from": 30, "to": 40}\' -o b.csv'),
            ),
        ):
            self.refused(message, words)

    def test_a_selection_of_all_boids_is_whole(self):
        """The configuration selects boids, but the file has all of them."""
        for count, chosen in (
            (30, '{"from": 0, "to": 1000}'),
            (30, '{"from": 0, "to": 29}'),
            (1, '{"every": 2}'),
            (1, '{"from": 0, "to": 0}'),
        ):
            with self.subTest(count=count, boids=chosen):
                words = (RUN, "-s", f"flock.count={count}", "--boids", chosen, "--force")
                self.good(words, "-n 20 -o b.h5")
                self.good(words, "-n 9 -o a.h5")
                self.assertIn("a.h5 is whole", self.good("--verify a.h5"))
                self.good(RUN, "--init a.h5 -n 1 -o none")
                self.good("--resume a.h5 -n 20")
                self.assertSameFile("a.h5", "b.h5")
                self.assertIn("a.h5 is whole", self.good("--verify a.h5"))
        self.good(RUN, '--boids \'{"from": 0, "to": 30}\'', POSITION, "-o a.h5 --force")
        self.assertIn("a.h5 is whole", self.good("--verify a.h5"))
        self.refused(LACKS % "it cannot be resumed", "--resume a.h5 -n 40")

    def test_observables_are_copied(self):
        """A conversion writes the bytes that the run itself would have written."""
        measure = '-s \'output.observables=["polarization","milling"]\''
        for words in (
            TENTHS,
            POSITION,
            VELOCITY,
            (RANGE, POSITION),
            (TENTHS, "-s output.observables_every=3"),
        ):
            with self.subTest(words=words):
                self.good(RUN, measure, words, "-n 32 -o a.h5 --observables a.order --force")
                self.good("--convert a.h5 -o b.h5 --observables b.order --force")
                self.assertSameFile("a.h5", "b.h5")
                self.assertSameFile("a.order", "b.order")
                less = "-s 'output.observables=[\"milling\"]' --every 10 -s output.observables_every=15"
                self.good(RUN, words, less, "-n 32 -o a2.h5 --force")
                self.good("--convert a.h5", less, "-o b.h5 --force")
                self.assertSameFile("a2.h5", "b.h5")
                self.good("--convert a.h5 -s output.observables=false -o b.h5 --force")
                self.assertIn("0 rows of observables", self.good("--verify b.h5"))
        self.refused(
            "a.h5 does not hold all boids with position and velocity, so nothing can be measured; only the observables "
            "that it contains can be copied, with output.observables_every 3 or a multiple",
            "--convert a.h5 -s output.observables_every=2 -o c.h5",
        )

    def test_a_killed_run_is_converted_without_measuring_its_last_frame(self):
        self.good(RUN, TENTHS, "-s output.observables_every=4 -n 12 -o a.h5")
        with self.unproven("a.h5") as file:
            file["observables/polarization/step"][2:] = -1  # as if rows were not committed
        self.assertEqual(self.good("--convert a.h5 --observables b.order"), "")
        self.assertEqual([row["step"] for row in self.rows("b.order")], ["0", "4"])

    def test_a_run_that_ended_before_its_first_frame(self):
        for words in (
            "-n 5 --every 2 -s output.first=6",
            "-n 5 -s output.first=100",
            ("-n 1 --every 3 -s output.first=2", TENTHS),
            "-n 1 -s output.first=2",
        ):
            with self.subTest(words=words):
                self.good(RUN, words, "-o a.h5 -o a.csv --force")
                self.good("--convert a.h5 -o b.h5 -o b.csv --force")
                self.assertSameFile("a.h5", "b.h5")
                self.assertSameFile("a.csv", "b.csv")

    def test_diff_refuses_files_with_different_selections(self):
        self.good(RUN, POSITION, "-o a.h5")
        self.refused(
            "a.h5 holds positions and whole.h5 holds positions and velocities; only files with the same fields can be compared",
            "--diff a.h5 whole.h5",
        )
        self.good(RUN, TENTHS, "-o b.h5")
        self.refused(
            "step 0 of b.h5 has 3 boids and 2 predators, that of whole.h5 has 30 and 2; only frames with the same agents can be compared",
            "--diff b.h5 whole.h5",
        )
        self.good(RUN, POSITION, "--seed 2 -o c.h5")
        self.assertEqual(self.run_boids("--diff a.h5 c.h5").returncode, 1)

    def test_csv_of_some_fields_is_read_back(self):
        for words, held, absent, other in (
            (POSITION, "position", "vx", VELOCITY),
            (VELOCITY, "velocity", "x", POSITION),
        ):
            self.good(RUN, words, "-o a.csv -o a.h5 -o a.txt")
            self.good(RUN, words, "--every 10 -o thin.csv")
            for file in ("a.csv", "a.h5"):
                self.assertIn("are equal in every value", self.good("--diff a.csv", file))
            convert = "--convert a.csv -s output.digits=17"
            self.good(convert, "-o b.csv -o b.txt")
            self.assertSameFile("a.csv", "b.csv", words)
            self.assertSameFile("a.txt", "b.txt", words)
            self.good(convert, "--every 10 -o b.csv")
            self.assertSameFile("thin.csv", "b.csv", words)
            needs = f"a.csv contains only the {held}; %s needs positions and velocities"
            for message, *command in (
                (
                    f"output.fields names a field that a.csv does not contain; it contains only the {held}",
                    *("--convert a.csv", other, "-o c.csv"),
                ),
                (needs % "c.h5", "--convert a.csv", RUN, "-o c.h5"),
                (needs % "c.csv", "--convert a.csv", RUN, "-o none --observables c.csv"),
                (
                    f"a.csv:1: there is no column {absent}; a state has id,type,x,y,vx,vy",
                    *(RUN, "--init a.csv -o c.csv"),
                ),
            ):
                self.refused(message, command)
        self.good(RUN, POSITION, "-o a.csv -o a.xyz")
        self.good("--convert a.csv", RUN, "-o b.xyz")
        self.assertSameFile("a.xyz", "b.xyz")
        for text, absent in (
            ("step,id,type,x,vx,vy\n0,0,boid,1,2,3\n", "y"),
            ("step,id,type\n0,0,boid\n", "x"),
        ):
            self.write("a.csv", text)
            self.refused(
                f"a.csv:1: there is no column {absent}; a state has id,type,x,y,vx,vy",
                "--diff a.csv a.csv",
            )

    def test_a_stopped_run_does_not_promise_to_be_resumed(self):
        endless = ("-n", 10**8, "--max-seconds", PATIENCE)
        process = self.start(last_given((RUN, endless, TENTHS, "-o - -o a.h5")))
        self.assertEqual(len(process.stdout.read(1000)), 1000)
        self.assertRegex(
            self.ended_by(signal.SIGTERM, process)[2],
            r"\Aboids: stopped at step \d+; the frames written so far are kept\n\Z",
        )
        self.good(RUN, TENTHS, "-o a.h5")
        self.assertNotIn("a.h5.part", self.names())

    def test_paraview_and_plots(self):
        self.good(RUN, POSITION, "-o position.h5 -o position.txt")
        self.good(RUN, VELOCITY, "-o velocity.h5")
        self.assertEqual(self.tool("xdmf.py", "position.h5"), (0, "", ""))
        self.assertNotIn("velocity", self.read("position.xdmf"))
        for program, name, *words, message in (
            (
                "xdmf.py",
                "velocity.h5",
                "its output.fields has no position; run it again with positions",
            ),
            (
                *("plot.py", "position.h5", "--save", "a.png"),
                "its output.fields is position, and drawing needs positions and velocities; run it again with both",
            ),
            (
                *("plot.py", "position.txt", "--save", "a.png"),
                "its positions or velocities are nan: output.fields left them out; run it again with position and velocity",
            ),
        ):
            self.assertEqual(
                self.tool(program, name, *words), (2, "", f"{program}: {name}: {message}\n")
            )


FAST = (
    "-q -c vicsek -s flock.count=30 -s flock.alignment.radius=1 -s world.width=5 -s world.height=4 -s flock.min_speed=0.4 -s flock.max_speed=0.4 "
    "-s predators.count=1 --digits",
    17,
)
UNWRAPPED = ("-s", 'output.fields=["velocity","unwrapped"]')


class Unwrapped(Folder):
    """output.fields has unwrapped: a boid of 0.4 crosses a world of 5 more than once between frames that are 50 steps apart."""

    def paths(self, name):
        run = self.trajectory(name)
        self.addCleanup(run.close)
        return run, run.unwrapped

    def test_paths_go_on_between_frames_in_each_format_and_number_type(self):
        for arithmetic in ("float32", "float64", "fixed"):
            more = (*FAST, "-s", f"arithmetic={arithmetic}", "-n", 200)
            self.good(*more, "-o each.h5")
            each, wanted = self.paths("each.h5")
            self.good(*more, "--every 50", *UNWRAPPED, *outputs("a"))
            self.assertGreater(abs(wanted[50:] - wanted[:-50]).max(), 5)
            for ending in "h5", "csv", "xyz":
                run, found = self.paths(f"a.{ending}")
                run.save(self.path(f"saved.{ending}"), each.config)
                for paths in found, self.paths(f"saved.{ending}")[1]:
                    assert_allclose(paths, wanted[::50], atol=1e-9, err_msg=ending)
                known = run if ending == "csv" else each
                assert_allclose(
                    run.positions[:], known.positions[:][:: 1 if ending == "csv" else 50], atol=1e-9
                )
            run = self.trajectory("a.csv")
            (run[:2] + run[2:]).save(self.path("saved.csv"))
            table = [line.split(",")[::-1] for line in self.lines("a.csv")]
            self.write("turned.csv", "".join(",".join(row) + "\n" for row in table))
            self.write("quoted.csv", self.read("a.csv").replace("xu,yu", '"xu","yu"'))
            for name in "saved.csv", "turned.csv", "quoted.csv":
                assert_array_equal(self.paths(name)[1], run.unwrapped, name)
            self.assertEqual(len(self.lines("a.xyz")[2].split()), 11)
            far = ((wanted[50::50] - wanted[:-50:50]) ** 2).sum(axis=2).mean()
            msd = boids.analysis.displacement(self.trajectory("a.h5")[:]).columns["msd"]
            self.assertAlmostEqual(msd[0], far, places=6)

    def test_a_run_is_resumed_converted_and_compared(self):
        self.good(*FAST, "-n 230 --every 50", *UNWRAPPED, *outputs("whole"))
        self.good(*FAST, "-n 130 --every 50", *UNWRAPPED, "-o part.h5")
        self.good("--resume part.h5 --steps 230")
        self.assertSameFile("part.h5", "whole.h5")
        self.good("--convert whole.h5", *outputs("copy"))
        self.assertSameFile("copy.csv", "whole.csv")
        self.assertIn("are equal", self.good("--diff copy.h5 whole.h5"))
        self.good(
            "--convert whole.h5", "-s", 'output.fields=["position","velocity"]', "-o wrapped.h5"
        )
        with self.assertWarnsRegex(UserWarning, "the sum has no paths across the seams"):
            run = self.trajectory("whole.h5")
            assert_array_equal((run[:2] + run[2:]).positions, run.positions)
        self.good("--verify wrapped.h5")
        self.good("--verify copy.h5")
        self.good(*FAST, "-n 230 --every 50 -o plain.h5")
        places = [self.trajectory(name).positions[:] for name in ("plain.h5", "wrapped.h5")]
        assert_allclose(*places, atol=1e-9)
        self.refused(
            "plain.h5 holds positions and velocities and whole.h5 holds unwrapped positions; only files with the same fields can "
            "be compared",
            "--diff plain.h5 whole.h5",
        )
        self.refused(
            "wrapped.h5: its positions were unwrapped, and have lost digits, so it cannot be resumed; continue in another file with: "
            "boids --from wrapped.h5 --init wrapped.h5@230 --keep-step --steps 240 -o OTHER.h5",
            "--resume wrapped.h5 -n 240",
        )
        self.trajectory("wrapped.h5").save(self.path("saved.h5"))
        done = self.run_boids("--resume saved.h5 -n 240")
        self.assertIn(b"unwrapped, and have lost digits", done.stderr)
        for words in ("--init whole.csv -c adams", "--convert whole.csv"):
            self.refused(
                "whole.csv:1: there is no column x; a state has id,type,x,y,vx,vy; write the run without unwrapped, or as HDF5",
                words,
                "-o a.csv",
            )

    def test_a_run_begins_in_the_world(self):
        """The step is in the middle, and read from its path, or the last one, and exact."""
        self.good(*FAST, "-n 200 -o plain.h5")
        self.good(*FAST, "-n 200", *UNWRAPPED, "-o far.h5")
        for step in (150, 200):
            for name in ("plain", "far"):
                self.good(*FAST, f"--init {name}.h5@{step} --keep-step -n 210 -o {name}.csv")
            places = [self.trajectory(f"{name}.csv").positions[:] for name in ("plain", "far")]
            assert_allclose(*places, atol=0 if step == 200 else 1e-9)

    def test_paths_are_followed_through_frames_that_are_left_out(self):
        self.good(*FAST, "-n 200 -o each.h5")
        for words in ("--every 50", "-s output.first=30 --every 60"):
            self.good(*FAST, "-n 200", words, *UNWRAPPED, *outputs("a"))
            self.good("--convert each.h5", words, *UNWRAPPED, *outputs("b"))
            for ending in ENDINGS:
                self.assertSameFile(f"a.{ending}", f"b.{ending}", words)

    def test_some_boids_a_schedule_and_a_world_without_seams(self):
        change = (
            "-s",
            'schedule=[{"at": 70, "set": {"flock.max_speed": 0.1, "flock.min_speed": 0.1}}]',
        )
        self.good(*FAST, *change, "-n 200 -o each.h5")
        self.good(
            *FAST,
            *change,
            "-n 200 --every 50",
            *UNWRAPPED,
            "--boids",
            '{"every": 7}',
            "-o a.h5 -o a.xyz",
        )
        wanted = self.paths("each.h5")[1][::50, ::7]
        for name in "a.h5", "a.xyz":
            assert_allclose(self.paths(name)[1], wanted, atol=1e-9)
        self.good("-c adams -n 20 --every 10", *UNWRAPPED, *outputs("b"))
        self.good("-c adams -n 20 --every 10", *outputs("c"))
        self.assertSameFile("b.csv", "c.csv")

    def test_an_animal_that_was_absent_goes_on_from_its_last_place(self):
        places = numpy.array([[[1, 1]], [[4.5, 1]], [[0.5, 1]], [[4, 1]], [[0.5, 1]]], float)
        places[3] = numpy.nan
        world = {"width": 5, "height": 4, "border": "wrap"}
        run = boids.Trajectory.from_arrays(
            range(5), places, 0 * places, config={"world": world, "flock": {"count": 1}}
        )
        run.save(self.path("gap.h5"))
        self.good("--convert gap.h5", *UNWRAPPED, "-o a.h5 -o a.csv -o a.xyz")
        for name in "a.h5", "a.csv", "a.xyz":
            found = self.paths(name)[1][:, 0, 0]
            assert_allclose(found, [1, -0.5, 0.5, numpy.nan, 0.5], err_msg=name)


if __name__ == "__main__":
    unittest.main()
