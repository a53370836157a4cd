"""--convert writes, from the frames of a run, the bytes that the run itself would write; other requests are refused."""

import json
import random
import signal
import sys
import unittest

import numpy

sys.path[0] += "/.."

from support import (
    ENDINGS,
    PATIENCE,
    SEED,
    Folder,
    by_level,
)


HEADER = "step,time,id,type,x,y,vx,vy\n"
SIZE = "-s flock.count=15 -s predators.count=2"
RUN = ("-c adams -n", 23, SIZE)
DIGITS = {"float32": 9, "float64": 17, "fixed": 10}


def outputs(name):
    return [word for ending in ENDINGS for word in ("-o", name + "." + ending)] + [
        "--observables",
        name + ".order",
    ]


class Convert(Folder):
    def assertSameOutputs(self, one, other, reported):
        for ending in (*ENDINGS, "order"):
            self.assertSameFile(one + "." + ending, other + "." + ending, reported)

    def test_the_bytes_are_those_of_the_run(self):
        for config, arithmetic in (
            ("adams", "float64"),
            ("murmuration", "float32"),
            ("adams", "fixed"),
        ):
            settings = ("-s", "arithmetic=" + arithmetic, "--digits", DIGITS[arithmetic])
            run = ("-c", config, "-n 23", SIZE, settings)
            self.good(run, *outputs("run"))
            for every in ((), "--every 5"):
                self.good(run, every, *outputs("thin"))
                for source in "--convert run.h5", ("--convert run.csv", run):
                    with self.subTest(arithmetic=arithmetic, source=source, every=every):
                        self.good(source, every, *outputs("made"))
                        self.assertSameOutputs("thin", "made", config + arithmetic)

    def test_a_step_beyond_the_last_one_of_any_run_is_refused(self):
        """It would become negative in HDF5, or a time that is not exact."""
        config = "-c adams -s flock.count=1"
        rows = "step,id,type,x,y,vx,vy\n0,0,boid,1,1,1,1\n%d,0,boid,2,2,1,1\n"
        for step in (2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30):
            with self.subTest(step=step):
                self.write("a.csv", rows % step)
                for words in (
                    ("--convert a.csv", config, "-o a.h5"),
                    "--convert a.csv -o b.csv",
                    (config, "--init a.csv -o none"),
                    "--diff a.csv a.csv",
                ):
                    self.refused(
                        f'a.csv:3: step is "{step}"; it must be a whole number from 0 to 9007199254740992',
                        words,
                    )
                self.refused(
                    f"a.csv: step {step} is beyond the last step of any run, 9007199254740992",
                    config,
                    f"--init a.csv@{step} -o none",
                )
        last = 2**53
        self.write("a.csv", rows % last)
        self.good("--convert a.csv", config, "-o a.h5 -o b.csv --force")
        self.assertEqual(self.steps("b.csv"), [0, last])
        self.good("--verify a.h5")
        resume, convert = "--resume c.h5 -n 9", "--convert c.h5 -o d.h5"
        for path, *commands in (
            ("particles/boids/position/step", resume, convert),
            ("observables/milling/step", resume, convert),
            ("checkpoint/initial_step", resume),
        ):
            self.good(
                config, "-n 5 -s output.first=2 -s output.observables_every=3 -o c.h5 --force"
            )
            with self.unproven("c.h5") as file:
                file[path][-1] = last + 1
            for words in commands:
                with self.subTest(path=path, words=words):
                    self.assertEqual(self.ended(words)[0], 2)

    def test_other_digits_and_storage_equal_those_of_a_run_with_them(self):
        self.good(RUN, "-o run.h5")
        for words in (
            "--digits 3",
            "-s output.compression=2",
            "-s output.h5_dims=3",
            "-s output.precision=float32",
            "-s output.mean_from=3",
        ):
            self.good(RUN, words, *outputs("asked"))
            self.good("--convert run.h5", words, *outputs("made"))
            self.assertSameOutputs("asked", "made", words)

    def test_a_run_from_a_file_with_ids_of_its_own(self):
        self.write(
            "i.csv",
            "id,type,x,y,vx,vy\n"
            + "".join("%d,boid,%d,20,1,2\n" % (7 * i, 9 * i) for i in range(1, 9))
            + "5,predator,60,60,1,1\n",
        )
        self.good("-c adams --init i.csv -n 9 --digits 17", *outputs("run"))
        self.remove("i.csv")
        self.good("--convert run.h5", *outputs("made"))
        self.assertSameOutputs("run", "made", "ids")

    def test_a_converted_file_is_continued_as_the_run_would_be(self):
        self.good(RUN, "-o run.h5")
        self.good(RUN, "-n 40 --every 5 -o thin.h5")
        self.good("--convert run.h5 --every 5 -o made.h5")
        self.good("--resume made.h5 -n 40")
        self.assertSameFile("thin.h5", "made.h5")

    def test_csv_without_a_configuration_becomes_csv_and_matrix_text(self):
        self.good(RUN, "--digits 17 -o run.csv")
        self.good(RUN, "--digits 5 --every 4 -o thin.csv -o thin.txt")
        self.good("--convert run.csv --digits 5 --every 4 -o made.csv -o made.txt")
        self.assertSameFile("thin.csv", "made.csv")
        self.assertSameFile("thin.txt", "made.txt")
        for name in ("x.h5", "x.xyz"):
            self.refused(
                "run.csv contains no configuration, which %s needs; give that of the run with --config FILE"
                % name,
                "--convert run.csv -o",
                name,
            )
        self.refused(
            "run.csv contains no configuration, which x.order needs; give that of the run with --config FILE",
            "--convert run.csv -o none --observables x.order",
        )

    def test_matrix_text_on_a_pipe_begins_with_its_number_of_rows(self):
        self.good(RUN, "-o run.h5 -o run.csv")
        self.good(RUN, "--every 5 -o thin.txt")
        for name in ("run.h5", "run.csv"):
            self.assertEqual(
                self.good("--convert", name, "--every 5 --format matrix -o /dev/stdout"),
                self.read("thin.txt"),
            )
        self.refused(
            "/dev/stdin is a stream, but must be read twice for these outputs; save it to a file first",
            "--convert /dev/stdin -o x.txt",
            stdin=None,
            input=self.bytes("run.csv"),
        )

    def test_frames_from_a_step_on_and_always_the_last(self):
        self.good(RUN, "-o run.h5 -o run.csv")
        for name in ("run.h5", "run.csv"):
            for words, steps in (
                ("--first 21", [21, 22, 23]),
                ("--first 9 --every 5", [9, 10, 15, 20, 23]),
                ("--first 23", [23]),
                ("--first 0 --every 100", [0, 23]),
            ):
                self.good("--convert", name, words, "-o part.csv")
                self.assertEqual(self.steps("part.csv"), steps, (name, words))
            late = "its last step is 23; --first is 24"
            self.refused(f"{name}: {late}", "--convert", name, "--first 24 -o x.csv")
        self.good("--convert run.h5 --first 9 --every 5 -o part.h5")
        steps, states = self.read_trajectory("part.h5")
        self.assertEqual(list(steps), [9, 10, 15, 20, 23])
        numpy.testing.assert_array_equal(states, self.read_trajectory("run.h5")[1][steps])
        run, part = (self.h5(name)["parameters"].attrs for name in ("run.h5", "part.h5"))
        self.assertEqual(part["initial_hash"], run["initial_hash"])

    def test_a_run_that_ended_before_its_first_frame_has_its_last_one(self):
        self.good(RUN, "-s output.first=30 -o run.h5")
        for words in ((), "--first 9", "--first 23"):
            self.good("--convert run.h5", words, "-o part.csv")
            self.assertEqual(self.steps("part.csv"), [23], words)
        self.refused(
            "run.h5: its last step is 23; --first is 24", "--convert run.h5 --first 24 -o x.csv"
        )

    def test_a_file_of_later_frames_contains_the_initial_state(self):
        self.good(RUN, *outputs("run"))
        self.good(RUN, "--every 5 -s output.first=9", *outputs("late"))
        for first in "--first 9", "-s output.first=9":
            self.good("--convert run.h5 --every 5", first, *outputs("made"))
            self.assertSameOutputs("late", "made", first)
        for words in ("-s output.precision=float32", ()):
            run = (RUN, "--digits 17")
            self.good(run, "-o run.h5 -o run.csv")
            storage = ("-s output.observables=false --every 5", words)
            for source, step, first in (
                ("--convert run.h5", 9, "--first 9"),
                (("--convert run.csv", run), 9, "--first 9"),
                ("--convert run.h5", 7, "-s output.first=7"),
            ):
                self.good(run, storage, f"-s output.first={step}", "-o late.h5")
                self.good(source, storage, first, "-o made.h5")
                self.assertSameFile("late.h5", "made.h5", (source, words))
        self.good("--resume late.h5 -n 40")
        self.good("--convert late.h5 --first 19 -o part.h5")
        self.good("--from part.h5 -o again.h5")
        self.assertSameFile("part.h5", "again.h5")
        self.assertEqual(self.steps("part.h5"), [20, 25, 30, 35, 40])

    def test_a_first_frame_off_the_interval_is_kept(self):
        self.good(RUN, "-o run.h5")
        self.good(RUN, "--init run.h5@3 --keep-step --every 10 -o kept.h5 -o kept.csv")
        self.good("--convert kept.h5 -o made.h5 -o made.csv")
        self.assertSameFile("kept.h5", "made.h5")
        self.assertSameFile("kept.csv", "made.csv")

    def test_observables_measured_between_frames_are_copied(self):
        for words in (
            "--every 5 -s output.observables_every=2",
            "-s output.observables_every=6",
            '--every 5 -s output.observables_every=1 -s \'output.observables=["flocks","milling"]\'',
        ):
            self.good(RUN, words, *outputs("run"))
            self.good("--convert run.h5", *outputs("made"))
            self.assertSameOutputs("run", "made", words)
            for name in ("made.h5", "run.h5"):
                self.good("--resume", name, "-n 40")
            self.assertSameFile("run.h5", "made.h5", words)
        self.good(RUN, "-s output.observables_every=2", *outputs("run"))
        for words in (
            "--every 10",
            "-s output.first=7",
            "-s 'output.observables=[\"speed_sd\"]'",
            "-s output.observables_every=4",
        ):
            self.good(RUN, "-s output.observables_every=2", words, *outputs("asked"))
            self.good("--convert run.h5", words, *outputs("made"))
            self.assertSameOutputs("asked", "made", words)

    def test_missing_observables_are_computed_from_the_frames(self):
        self.good(
            RUN,
            "--every 5 -s output.observables_every=2 -s 'output.observables=[\"flocks\"]' -o own.h5",
        )
        self.good(RUN, "--every 5 -n 40 -o whole.h5")
        self.good("--convert own.h5 -s output.observables=true -o made.h5")
        self.good("--resume made.h5 -n 40")
        self.assertSameFile("whole.h5", "made.h5")
        self.good(RUN, "-s 'output.observables=[\"flocks\"]' -o run.h5")
        self.good("--convert run.h5 -s output.observables=true --first 6 -o late.h5")
        self.refused(
            "late.h5: it does not contain all observables of its run, so it cannot be resumed; continue in another file with: boids --from late.h5 --init late.h5@23 --keep-step --steps 40 -o OTHER.h5",
            "--resume late.h5 -n 40",
        )
        self.good("--from late.h5 --init late.h5@23 --keep-step -n 40 -o on.h5")

    def test_absent_agents_are_in_no_number(self):
        """The observables of a frame, and the hash of the initial state, are those of a table without the absent agents."""
        model = "-c adams -s flock.count=5 -s predators.count=2"
        outs = "-o made.h5 --observables made.order --force"

        def convert(rows):
            self.write("a.csv", HEADER + "".join(",".join(row) + "\n" for row in rows))
            self.good("--convert a.csv", model, outs)
            found = self.h5("made.h5")["parameters"].attrs["initial_hash"]
            return found, self.lines("made.order")[1:]

        self.good(model, "-n 2 --digits 17 -o all.csv --observables all.order")
        rows = [row.split(",") for row in self.lines("all.csv")[1:]]
        empty = "," * self.read("all.order").partition("\n")[0].count(",")
        flock = (0, 1, 2, 3, 4)
        for gone in (
            {0: (0,)},
            {0: flock},
            {0: flock, 1: flock, 2: flock + (5,)},
            {0: (4, 5, 6), 1: flock[1:]},
            {2: (1, 6)},
            {2: flock},
        ):
            with self.subTest(gone=gone):
                table, frames = [], {"0": [], "1": [], "2": []}
                for row in rows:
                    is_here = int(row[2]) not in gone.get(int(row[0]), ())
                    frames[row[0]] += [row] * is_here
                    table.append(row if is_here else row[:4] + ["nan"] * 4)
                hashes, measured = [], []
                for step, frame in frames.items():
                    found, lines = b"0" * 16, [step + "," + step + empty[1:]]
                    if any(row[3] == "boid" for row in frame):
                        found, lines = convert(frame)
                    hashes.append(found)
                    measured += lines
                self.assertEqual(convert(table), (hashes[0], measured))
                self.good("--verify made.h5")
                self.good("--diff a.csv made.h5")
                # as boids.Trajectory.save() leaves it
                self.good(
                    "--convert a.csv", model, "-s output.observables=false -o saved.h5 --force"
                )
                with self.unproven("saved.h5") as file:
                    del file["parameters"].attrs["initial_hash"]
                self.good("--convert saved.h5 -s output.observables=true", outs)
                self.assertEqual(self.lines("made.order")[1:], measured)
                self.good("--diff a.csv made.h5")

    def test_a_state_stored_beside_the_frames_keeps_its_absent_agents(self):
        self.good(RUN, "--digits 17 -o a.csv")
        rows = [row.split(",") for row in self.lines("a.csv")[1:]]
        rows = [row[:4] + ["nan"] * 4 if row[:3:2] == ["0", "4"] else row for row in rows]
        self.write("a.csv", HEADER + "".join(",".join(row) + "\n" for row in rows))
        self.good("--convert a.csv", RUN, "-o a.h5")
        for words in ("--first 3", "--boids '{\"every\": 2}'"):
            self.good("--convert a.h5", words, "-o one.h5 --force")
            self.good("--convert one.h5 -o two.h5 --force")
            self.assertSameFile("one.h5", "two.h5", words)
            self.good("--from two.h5 -n 1 -o none")

    def test_observables_use_the_scheduled_values(self):
        words = (
            RUN,
            '-s \'schedule=[{"at": 0, "set": {"flock.cohesion.radius": 90, "flock.alignment.radius": 90}}, {"at": 10, "set": {"flock.cohesion.radius": 9, "flock.alignment.radius": 9, "flock.separation.radius": 60}}]\'',
        )
        self.good(words, *outputs("run"))
        self.good(words, "-s 'schedule=[]'", *outputs("plain"))
        self.good("--convert run.h5", *outputs("made"))
        self.assertSameOutputs("run", "made", "schedule")
        self.assertNotEqual(self.bytes("run.order"), self.bytes("plain.order"))

    def test_rounded_frames_stay_rounded(self):
        self.good(RUN, "-s output.precision=float32 -o run.h5")
        self.good("--convert run.h5 --every 5 -o made.h5 -o made.csv")
        self.assertEqual(self.ended("--diff made.h5 made.csv")[0], 1)
        self.good("--convert run.h5 --every 5 --digits 9 -o made.csv")
        self.good("--diff made.h5 made.csv")
        wrap = "-s world.border=wrap -s output.precision=float32"
        self.good(RUN, wrap, "-s", 'output.fields=["unwrapped","velocity"]', "-o far.h5")
        for name in ("run.h5", "far.h5"):
            self.refused(
                f"output.precision is native, but the frames of {name} are rounded to float32; their other digits are lost",
                "--convert",
                name,
                "-s output.precision=native -o x.h5",
            )
        for words, steps in (("-n 40", 40), ((), 24), ("-n 20", 24)):
            self.refused(
                "made.h5: its frames are rounded or unwrapped, and it contains no checkpoint, so it cannot be resumed; continue in "
                f"another file with: boids --from made.h5 --init made.h5@23 --keep-step --steps {steps} -o OTHER.h5",
                "--resume made.h5",
                words,
            )
        self.good("--from made.h5 --init made.h5@23 --keep-step --steps 24 -o on.h5")
        self.good("--from made.h5 -o again.h5")
        self.good(RUN, "-s output.precision=float32 --every 5 -o asked.h5")
        self.assertSameFile("again.h5", "asked.h5")

    def test_a_part_file_is_converted_up_to_its_last_frame(self):
        self.good(RUN, "-o run.h5 -o run.csv")
        self.rename("run.h5", "cut.h5.part")
        self.good("--convert cut.h5.part -o made.csv")
        self.assertSameFile("run.csv", "made.csv")

    def test_invalid_requests_are_refused(self):
        self.good(RUN, "--every 2 -o run.h5 -o run.csv -o run.txt")
        self.good(RUN, "--every 2 -s output.observables=false -o bare.h5")
        self.write("bare.csv", "step,id,type,x,vx,vy\n0,1,boid,2,3,4\n")
        self.copy("run.h5", "slow.h5")
        with self.unproven("slow.h5") as file:
            del file["particles/boids/velocity"]
        only_output = "makes no run; only keys of output may be changed"
        same = "is read and written by the same run; give the output another name"
        for words, message in (
            (
                "--convert run.h5",
                "--convert run.h5 needs --output PATH for its frames; - is standard output",
            ),
            (
                "--convert run.h5 -c adams -o x.csv",
                "run.h5 contains its configuration; remove --config adams",
            ),
            (
                "--convert bare.h5 --every 4 -s output.observables=true -s "
                "output.observables_every=1 -o x.h5",
                "output.observables_every is 1, but what bare.h5 does not contain is measured "
                "from the written frames, every 4 steps; it must be a multiple of that",
            ),
            ("--convert run.h5 -n 9 -o x.csv", f"--steps 9: --convert run.h5 {only_output}"),
            (
                "--convert run.h5 -s flock.count=3 -o x.csv",
                f"--set flock.count=3: --convert run.h5 {only_output}",
            ),
            ("--convert run.csv --seed 9 -o x.csv", f"--seed 9: --convert run.csv {only_output}"),
            (
                "--convert run.h5 --every 3 -o x.csv",
                "--every is 3, but run.h5 has a frame every 2 steps; it must be a multiple of that",
            ),
            (
                "--convert run.h5 --first=-1 -o x.csv",
                "--first is -1; it must be a whole number, 0 or more",
            ),
            ("-c adams --first 3 -o x.csv", "--first is for --convert FILE, which is missing"),
            ("--convert run.h5 -o run.h5", f"run.h5 {same}"),
            ("--convert run.csv -o run.csv", f"run.csv {same}"),
            ("--convert run.txt -o x.csv", "run.txt: trajectories are read from HDF5 and CSV only"),
            ("--convert no.h5 -o x.csv", "no.h5: there is no such file"),
            (
                "--convert bare.csv -o x.csv",
                "bare.csv:1: there is no column y; a state has id,type,x,y,vx,vy",
            ),
            (
                "--convert slow.h5 -o x.csv",
                "slow.h5: /particles/boids lacks the id, position or velocity that boids writes",
            ),
        ):
            self.refused(message, words)
        for words in (
            "--from run.h5",
            "--resume run.h5",
            "--init run.csv",
            "--summary",
            "--hash 1",
            "--check",
            "--print-config",
        ):
            option = words.split()[0]
            self.refused(
                f"{option} is for a run; --convert run.h5 copies frames of an earlier run",
                "--convert run.h5 -o none",
                words,
            )
        for first, name in (("12", "first.csv"), ("1.2e1", "same.csv")):
            self.good("--convert run.h5 --first", first, "-o", name)
        self.assertSameFile("first.csv", "same.csv")

    def test_numbers_out_of_range_of_the_arithmetic_are_refused(self):
        for arithmetic, x in (("fixed", "40000"), ("float64", "nan")):
            self.write("far.csv", HEADER + f"0,0,4,boid,{x},2,3,4\n")
            self.refused(
                f"far.csv: step 0: id 4 has a number that is not finite or that {arithmetic} cannot hold",
                f"--convert far.csv -c adams -s arithmetic={arithmetic} -o x.h5",
            )

    def test_a_truncated_file_gives_no_complete_output(self):
        self.good(RUN, "-o run.csv")
        text = self.read("run.csv")
        whole = text[: text.index("\n9,") + 1]
        cut = "the line does not end, so the file may have been cut short; if it is complete, add a line break"
        other = "step 23 has other boids or predators than the frames before it; the file may have been cut short"
        for name, left, reported in (
            ("open.csv", text[:-1], f":409: {cut}"),
            ("few.csv", text[: text.rindex("\n", 0, -1) + 1], f": {other}"),
            ("within.csv", whole + "9,9,0,bo", f":155: {cut}"),
        ):
            self.write(name, left)
            said = f"boids: {name}{reported}\n"
            self.says(said, "--convert", name, "-o x.txt -o x.csv", status=1)
            self.assertNotIn("x.csv", self.names())
            self.assertIn("x.csv.part", self.names())
        self.assertEqual(self.read("x.csv.part"), whole)
        self.write("whole.csv", whole)
        self.good("--convert whole.csv -o whole.txt")
        self.assertSameFile("x.txt.part", "whole.txt")

    def test_a_closed_pipe_ends_the_conversion_quietly(self):
        self.good(RUN, "-n 3000 -o run.h5")
        process = self.start("--convert run.h5 -o -")
        process.stdout.read(1000)
        process.stdout.close()
        self.assertEqual((process.wait(PATIENCE), process.stderr.read()), (0, b""))

    def test_an_interrupt_ends_the_conversion_after_the_current_frame(self):
        self.good(RUN, "-n 3000 -o run.h5")
        process = self.start("--convert run.h5 -o - -o x.csv")
        self.assertEqual(len(process.stdout.read(1000)), 1000)
        status, _, said = self.ended_by(signal.SIGTERM, process)
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertRegex(
            said,
            r"\Aboids: stopped at step \d+ of run\.h5; the frames written so far are kept\n\Z",
        )
        self.assertIn("x.csv.part", self.names())
        self.assertEqual(self.bytes("x.csv.part")[-1:], b"\n")


class RandomRuns(Folder):
    """Random configurations with schedules: each file has the same bytes if it is written by the run, converted or resumed."""

    @staticmethod
    def configuration(chance, steps):
        rules = {
            "flock.cohesion.factor": chance.choice([0, 0.001, 0.01]),
            "flock.alignment.radius": chance.choice([0, 20, 60]),
            "flock.max_speed": chance.choice([4, 7, None]),
            "world.wind": [chance.randint(-2, 2), 0.5],
            "flock.noise.eta": chance.choice([0, 0.5]),
        }
        entries = sorted(chance.sample(range(steps + 3), chance.randint(0, 2)))
        return {
            "seed": chance.randrange(1 << 40),
            "steps": steps,
            "arithmetic": chance.choice(list(DIGITS)),
            "update": chance.choice(["synchronous", "sequential", "passes", "shuffled"]),
            "world": {
                "width": 200,
                "height": 150,
                "border": chance.choice(["bounce", "wrap", "reflect", "open"]),
            },
            "flock": {"count": chance.randint(1, 40)},
            "predators": {"count": chance.choice([0, 0, 1, 3])},
            "schedule": [
                {"at": at, "set": dict(chance.sample(sorted(rules.items()), 2))} for at in entries
            ],
        }

    @staticmethod
    def storage(chance):
        """Options of an output."""
        words = ["--every", chance.randint(1, 9), "--digits", chance.randint(1, 17)]
        for choices in (
            ("output.precision=float32",),
            ("output.compression=2",),
            ("output.h5_dims=3",),
            ("output.first=3", "output.first=8"),
            ('output.fields=["position"]',),
            ('output.boids={"every": 3}', 'output.boids={"from": 0, "to": 0}'),
        ):
            if chance.random() < 0.25:
                words += ["-s", chance.choice(choices)]
        return words

    def check(self, number):
        chance = random.Random("%d %d" % (SEED, number))
        steps = chance.randint(9, 40)
        self.write("c.json", json.dumps(self.configuration(chance, steps)))
        run, asked = ("-c c.json --force -t", chance.choice([1, 2])), self.storage(chance)
        self.good(run, "-s output.observables_every=1 -o run.h5")
        self.good(run, asked, "-s output.observables_every=1", *outputs("asked"))
        self.good(
            "--convert run.h5", asked, "--force -s output.observables_every=1", *outputs("made")
        )
        for ending in (*ENDINGS, "order"):
            self.assertSameFile("asked." + ending, "made." + ending, (number, asked))
        self.good(run, "-n", chance.randrange(steps), "-o half.h5")
        self.good("--resume half.h5 -n", steps, "-t", chance.choice([1, 2]))
        self.good(run, "-o whole.h5")
        self.assertSameFile("half.h5", "whole.h5", number)

    def test_files_of_random_runs(self):
        for number in range(by_level(8, 20, 200)):
            with self.subTest(number=number):
                self.check(number)


if __name__ == "__main__":
    unittest.main()
