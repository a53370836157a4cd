"""A run that was stopped and resumed writes the bytes of an uninterrupted one.

BOIDS_TEST_LEVEL=exhaustive compares all combinations of preset, arithmetic and update order, each with a kind of file in turn, because
a writer does not know what it writes; otherwise each occurs at least once.
"""

import fcntl
import glob
import itertools
import json
import os
import signal
import sys
import unittest
import zlib

import h5py
import numpy
from numpy.testing import assert_array_equal

sys.path[0] += "/.."

from support import (
    ARITHMETICS,
    IS_EXHAUSTIVE,
    PATIENCE,
    Folder,
    arithmetics_of,
    by_level,
    full_only,
    in_root,
    parameters_hash,
    preset_text,
    rows_of,
)


PRESETS = sorted(
    os.path.basename(path)[: -len(".json")] for path in glob.glob(in_root("configs", "*.json"))
)
UPDATES = ("synchronous", "sequential", "passes")
KINDS = (
    {},
    {"precision": "float32"},
    {"compression": 4},
    {"h5_dims": 3},
    {"precision": "float32", "compression": 1, "h5_dims": 3},
)
EVERY = 7
# The statistics of measured frames in a summary.
STATISTICS = "final mean sd error binder susceptibility".split()


def supports_update(preset, update):
    """`passes` has no inertia and no `latest` alignment."""
    flock = json.loads(preset_text(preset))["flock"]
    return update != "passes" or (
        "inertia" not in flock
        and flock.get("steering") != "turn"
        and flock.get("alignment", {}).get("form") != "latest"
    )


def choose_cases():
    """All combinations, or so many that each value of each column occurs, in different combinations."""
    if IS_EXHAUSTIVE:
        return [
            (*case, KINDS[i % len(KINDS)])
            for i, case in enumerate(itertools.product(PRESETS, ARITHMETICS, UPDATES))
            if supports_update(case[0], case[2]) and case[1] in arithmetics_of(case[0])
        ]
    cases = [
        (
            PRESETS[i % len(PRESETS)],
            ARITHMETICS[i % 3],
            UPDATES[(i // 3 + i) % 3],
            KINDS[i % len(KINDS)],
        )
        for i in range(max(15, len(PRESETS)))
    ]
    return [
        (
            preset,
            arithmetic if arithmetic in arithmetics_of(preset) else "float64",
            update if supports_update(preset, update) else "sequential",
            kind,
        )
        for preset, arithmetic, update, kind in cases
    ]


def words_of(preset, arithmetic, update, kind):
    words = f"-c {preset} -s arithmetic={arithmetic} -s update={update} -s flock.count=60"
    storage = (f"-s output.{key}={value}" for key, value in kind.items())
    return (words, "--every", EVERY, *storage)


class Resume(Folder):
    def test_every_resumed_run_has_the_bytes_of_an_uninterrupted_one(self):
        for number, case in enumerate(choose_cases()):
            with self.subTest(case=case):
                words = words_of(*case)
                self.good(words, "-n 60 -o whole.h5")
                for stop in ((25, 28), (28, 25))[number % 2][
                    : by_level(1, 2)
                ]:  # off the grid and on it
                    self.good(words, "-n", stop, "-t 1 -o a.h5 --force")
                    self.good("--resume a.h5 -n 60 -t 2")
                    self.assertSameFile("a.h5", "whole.h5", "resumed from %d" % stop)
        self.holds("a.h5 whole.h5")

    def test_observables_with_their_own_interval_are_resumed(self):
        rounded = ("-s", "output.precision=float32", "-s", "output.h5_dims=3")
        for every, measured, kind in (
            (7, 7, "-s output.first=22"),
            (5, 2, ("-s output.first=21", rounded)),
            (4, 4, ("-s output.first=8 -s output.observables=false", rounded)),
            (3, 6, "-s output.first=42 -s output.compression=1"),
            (4, 4, "-s output.first=99"),
            (7, 1, ()),
            (1, 7, ()),
            (6, 4, "-s output.precision=float32"),
            (50, 3, ()),
        ):
            words = (
                "-c adams -s flock.count=30 --every",
                every,
                "-s",
                "output.observables_every=%d" % measured,
                kind,
            )
            self.good(words, "-n 60 -o whole.h5")
            whole = self.json(words, "-n 60 -o none --summary")
            for stop in by_level((25, 60), (0, 20, 25, 42, 60)):
                with self.subTest(every=every, measured=measured, stop=stop):
                    self.good(words, "-n", stop, "-o a.h5 --force")
                    if stop == 60:
                        self.rename("a.h5", "a.h5.part")
                    resumed = self.json("--resume a.h5 -n 60 -t 2 --summary")
                    self.assertSameFile("a.h5", "whole.h5")
                    for key in STATISTICS:
                        self.assertEqual(resumed[key], whole[key])

    def test_a_file_without_frame_0_carries_the_initial_state(self):
        for kind in ((), ("-s", "output.precision=float32")):
            words = ("-c", "adams", "-s", "flock.count=30", *kind)
            whole = self.json(words, "-n 40 -o whole.h5 --summary")
            late = self.json(words, "-n 40 -s output.first=31 --every 4 -o a.h5 --summary")
            self.assertEqual(late["state_hash"], whole["state_hash"])
            steps, states = self.read_trajectory("a.h5")
            self.assertEqual(list(steps), [31, 32, 36, 40])
            assert_array_equal(states, self.read_trajectory("whole.h5")[1][steps])
            for begin in ("--from a.h5", (words, "-n 40 --init a.h5@0")):
                again = self.json(begin, "-o none --summary")
                self.assertEqual(
                    [again[key] for key in ("initial_hash", "state_hash")],
                    [whole[key] for key in ("initial_hash", "state_hash")],
                )
            self.refused(
                "a.h5: step 3 is not in it; its steps go from 31 to 40", words, "--init a.h5@3"
            )
            self.good("--from a.h5 -o again.h5")
            self.assertSameFile("a.h5", "again.h5", kind)

    def test_a_run_stopped_before_its_first_frame_is_resumed(self):
        words = f"-c adams -s flock.count=30 -s output.first={10**9} --every 5"
        process = self.start(words, f"-n {2 * 10**9} --max-seconds {PATIENCE} -o a.h5 --hash 1")
        process.stderr.readline()  # the file is open
        process.kill()
        process.communicate(timeout=PATIENCE)
        self.good("--resume a.h5 -n 20")
        self.good(words, "-n 20 -o whole.h5")
        self.assertSameFile("a.h5", "whole.h5")

    def test_a_run_that_counts_its_steps_on_is_resumed(self):
        self.good("-c adams -s flock.count=30 -n 20 -o run.h5")
        for words in (
            (),
            "--every 10",
            "--every 10 -s output.precision=float32",
            "-s output.first=31 --every 4 -s output.precision=float32",
            "-s output.first=24 -s output.observables_every=5",
        ):
            words = ("-c adams --init run.h5@13 --keep-step", words)
            whole = self.json(words, "-n 40 -o whole.h5 --summary")
            for stop in (13, 19, 25, 32):
                with self.subTest(words=words, stop=stop):
                    self.good(words, "-n", stop, "-o a.h5 --force")
                    resumed = self.json("--resume a.h5 -n 40 --summary")
                    self.assertSameFile("a.h5", "whole.h5")
                    for key in "mean final initial_hash state_hash steps".split():
                        self.assertEqual(resumed[key], whole[key])

    def test_a_summary_describes_the_whole_run(self):
        words = "-c adams --every 7"
        whole = self.json(words, "-n 60 -o whole.h5 --summary")
        self.good(words, "-n 40 -o a.h5")
        resumed = self.json("--resume a.h5 -n 60 --summary")
        for key in (*STATISTICS, "state_hash", "steps", "status"):
            self.assertEqual(resumed[key], whole[key], key)
        self.assertEqual((resumed["config"], resumed["outputs"]), ("a.h5", ["a.h5"]))
        self.refused(
            "--resume measures the observables of a.h5; remove --observables b.csv",
            "--resume a.h5 -n 70 --observables b.csv",
        )

    def test_statistics_of_a_resumed_run_equal_those_of_an_uninterrupted_one(self):
        words = "-c adams -s flock.count=30 -s output.mean_from=50"
        whole = self.json(words, "-n 300 -o none --summary")
        self.assertNotIn(
            None, [whole["error"]["polarization"], whole["binder"], whole["susceptibility"]]
        )
        self.good(words, "-n 20 -o a.h5")
        for leg in (51, 90, 91, 177, 300):
            resumed = self.json("--resume a.h5 -n", leg, "--summary")
        for key in STATISTICS:
            self.assertEqual(resumed[key], whole[key], key)

    def test_no_other_format_overwrites_a_resumable_file(self):
        self.good("-c adams -n 5 -o a.h5")
        self.rename("a.h5", "a.csv.part")
        for words in ("-o a.csv", "-o none --observables a.csv"):
            self.refused(
                "a.csv.part holds 6 frames of a run that was stopped; --resume a.csv continues it, --force replaces it",
                "-c adams",
                words,
            )

    def test_a_large_flock_on_many_threads_is_resumed(self):
        words = "-c murmuration -s flock.count=3000 --every 4"
        self.good(words, "-n 12 -t 1 -o whole.h5")
        self.good(words, "-n 5 -t 3 -o a.h5")
        self.good("--resume a.h5 -n 12 -t 2")
        self.assertSameFile("a.h5", "whole.h5")

    @full_only
    def test_a_flock_that_is_copied_in_several_slabs(self):
        """Slabs have 262,144 boids, except in compressed frames; damage is found in each slab."""
        rounded = "-s arithmetic=float64 -s output.precision=float32 -s output.first=1"
        values = "particles/boids/velocity/value"
        for kind, places in (
            ("-s output.h5_dims=3", ((values, (0, 3, 1)), (values, (1, 299999, 0)))),
            (rounded, ((values, (0, 270000, 1)), ("checkpoint/initial", (262144, 0)))),
            ("-s output.compression=1", ()),
        ):
            words = (
                "-c adams -s update=synchronous -s flock.count=300000 -s world.width=16000 -s world.height=12000 -s output.observables=false",
                kind,
            )
            self.good(words, "-n 2 -o whole.h5")
            self.good(words, "-n 1 -o stopped.h5")
            for place, at in places:
                self.copy("stopped.h5", "a.h5")
                with self.h5("a.h5", "r+") as file:
                    file[place][at] += 1
                status, _, said = self.ended("--resume a.h5 -n 2")
                self.assertEqual(status, 1)
                self.assertRegex(said, r"^boids: a\.h5: (step [01]|it) is damaged: ")
                self.holds("a.h5 stopped.h5 whole.h5")
            self.rename("stopped.h5", "a.h5")
            self.good("--resume a.h5 -n 2")
            self.assertSameFile("a.h5", "whole.h5", kind)
            self.good("--verify a.h5")

    def test_chunks_that_another_program_compressed_are_read(self):
        """Bytes after the end of a chunk are damage."""
        words = "-c adams -s flock.count=300 -s output.compression=1 -s output.first=1 --every 1"
        where, at = "particles/boids/velocity/value", (2, 0, 0)
        self.good(words, "-n 5 -o whole.h5")
        self.good(words, "-n 4 -o stopped.h5")
        with self.h5("stopped.h5") as file:
            own = file[where].id.read_direct_chunk(at)[1]
        other = zlib.compress(zlib.decompress(own), 0)
        for chunk in (other, own + b"x"):
            self.copy("stopped.h5", "a.h5")
            with self.h5("a.h5", "r+") as file:
                file[where].id.write_direct_chunk(at, chunk)
            if chunk != other:
                self.refused(
                    "a.h5: /%s cannot be read: it is damaged or incomplete; continue from step 2 in another file with: boids "
                    "--from a.h5 --init a.h5@2 --keep-step --steps 5 -o OTHER.h5" % where,
                    "--resume a.h5 -n 5",
                    status=1,
                )
                continue
            self.good("--resume a.h5 -n 5")
            self.assertSameFile("a.h5", "whole.h5")

    def test_a_run_resumed_many_times(self):
        words = "-c adams -s flock.count=20 --every 3"
        self.good(words, "-n 40 -o whole.h5")
        self.good(words, "-n 0 -o a.h5")
        for steps in (1, 2, 3, 10, 12, 40):
            self.good("--resume a.h5 -n", steps)
        self.assertSameFile("a.h5", "whole.h5")

    def test_files_with_extended_datasets_are_resumed(self):
        # A compressed chunk is a frame, and an index of 64 chunks is split at the next one; steps have chunks of 1024.
        for kind in ("output.compression=1", "output.compression=0"):
            words = ("-c adams -s flock.count=3 -s", kind)
            self.good(words, "-n 4000 -o whole.h5")
            self.good(words, "-n 1030 -o a.h5 --force")
            self.good("--resume a.h5 -n 2050")
            self.good("--resume a.h5 -n 4000")
            self.assertSameFile("a.h5", "whole.h5", kind)

    def test_a_run_keeps_the_observables_with_which_it_began(self):
        """A later version measures more: an observable that the file lacks is left out of the whole run, not NaN in a part of it."""
        words = ("-c", "adams", "-s", "flock.count=30", "-s", "arithmetic=fixed")
        self.good(words, "-n 9 -o a.h5")
        with self.unproven("a.h5") as file:
            names = set(file["observables"]) - {"spread", "milling"}
            del file["observables/spread"], file["observables/milling"]
        said = "boids: a.h5 has no milling, spread; the run continues with the observables that it has\n"
        for steps, more, wanted in ((12, (), said), (15, (), ""), (18, words, said)):
            self.says(wanted, "--resume a.h5 -n", steps, more)
            with self.h5("a.h5") as file:
                self.assertEqual(set(file["observables"]), names)
                self.assertFalse(
                    any(numpy.isnan(file["observables"][name]["value"]).any() for name in names)
                )
        self.good("--verify a.h5")

    def test_a_state_from_a_file(self):
        self.good("-c adams -n 9 -o start.h5")
        self.good("-c adams --init start.h5 -n 20 -o whole.h5")
        self.good("-c adams --init start.h5 -n 8 -o a.h5")
        self.rename("start.h5", "gone.h5")
        self.good("--resume a.h5 -n 20")
        self.assertSameFile("a.h5", "whole.h5")
        self.good("--resume a.h5 -n 21 -c adams --init start.h5")

    def test_the_folder_of_an_initial_state_is_not_stored(self):
        """Equal runs from different folders have equal bytes, and can be resumed from anywhere."""
        for folder in ("one", "two"):
            self.mkdir(folder)
            self.good(f"-c adams -n 2 -o {folder}/start.csv")
            start = self.path(folder, "start.csv")
            self.good("-c adams --init", start, f"-n 4 -o {folder}.h5 -o {folder}.xyz")
        for ending in (".h5", ".xyz"):
            self.assertSameFile("one" + ending, "two" + ending)
            self.assertNotIn(self.folder.encode(), self.bytes("one" + ending))
        self.good("--resume one.h5 -n 8")
        self.good("--resume two.h5 -n 8 -c adams --init one/start.csv")
        self.assertSameFile("one.h5", "two.h5")
        with self.h5("one.h5") as file:
            config = json.loads(file["parameters/config"][()])
        self.assertEqual(config["flock"]["init"]["file"], "start.csv")

    def test_an_explicit_mean_from_stays_and_the_default_follows_the_steps(self):
        self.good("-c adams -n 10 -o a.h5")
        self.good("-c adams -n 10 -s output.mean_from=5 -o b.h5")
        whole = self.json("-c adams -n 40 -o none --summary")
        for name, mean_from in (("a.h5", None), ("b.h5", 5)):
            summary = self.json("--resume", name, "-n 40 --summary")
            self.assertEqual(summary["mean"] == whole["mean"], mean_from is None)
            with self.h5(name) as file:
                config = json.loads(file["parameters/config"][()])
            self.assertEqual((config["steps"], config["output"]["mean_from"]), (40, mean_from))

    def test_a_file_with_a_utf8_configuration_is_resumed(self):
        # Before titles were escaped, they were in the file as given.
        words = "-c adams -s 'title=dérivée 🐝'"
        self.good(words, "-n 20 -o whole.h5")
        self.good(words, "-n 10 -o short.h5")
        self.good(words, "-n 10 -o a.h5")
        with self.unproven("a.h5") as file:
            config = file["parameters/config"][()].decode("ascii")
            config = json.dumps(json.loads(config), ensure_ascii=False).encode()
            self.assertIn("\U0001f41d".encode(), config)
            del file["parameters/config"]
            file["parameters"].create_dataset(
                "config", data=config, dtype=h5py.string_dtype("utf-8", len(config))
            )
        self.good("--from a.h5 -o again.h5")
        self.assertSameFile("again.h5", "short.h5")
        self.good("--resume a.h5 -n 20")
        self.assertSameFile("a.h5", "whole.h5")

    def test_hashes_are_continued(self):
        whole, first, second = (
            self.ended(words, "--hash 1")[2].splitlines()
            for words in (
                "-c fish -n 30 -o whole.h5",
                "-c fish -n 12 -o a.h5",
                "--resume a.h5 -n 30",
            )
        )
        self.assertEqual(first + second[1:], whole)
        self.assertEqual(second[0], first[-1])

    def test_the_configuration_may_be_given_again(self):
        self.good("-c adams --seed 5 -n 10 -o a.h5")
        self.good("-c adams --seed 5 -n 20 -o whole.h5")
        self.good("--resume a.h5 -c adams -s seed=5 -n 20")
        self.assertSameFile("a.h5", "whole.h5")

    def test_without_steps_a_run_resumes_to_its_original_end(self):
        self.good("-c adams -n 30 -o whole.h5")
        self.interrupt("-c adams")
        last = int(self.read_trajectory("a.h5.part")[0][-1])
        self.good("--resume a.h5 -n", last + 20)
        self.good("-c adams -n", last + 20, "-o b.h5")
        self.assertSameFile("a.h5", "b.h5")
        self.rename("whole.h5", "c.h5.part")
        self.good("--resume c.h5")
        self.holds("a.h5 b.h5 c.h5")

    def interrupt(self, *words):
        """Start a run into a.h5, and stop it by a signal when it has written something."""
        endless = f"-n {10**9} --max-seconds {PATIENCE} -o a.h5"
        process = self.start(words, endless)
        part = "a.h5.part"
        self.until(lambda: self.exists(part) and self.size(part) > 1 << 19, process)
        self.assertEqual(self.ended_by(signal.SIGINT, process)[0], 130)

    def test_after_a_signal(self):
        for kind in ("output.precision=float32", "output.compression=2", "output.h5_dims=3"):
            words = f"-c school -s {kind} -s flock.count=50 --every 5"
            self.interrupt(words)
            self.holds("a.h5.part")
            steps = int(self.read_trajectory("a.h5.part")[0][-1]) + 33
            self.good("--resume a.h5.part -n", steps)
            self.good(words, "-n", steps, "-o whole.h5")
            self.assertSameFile("a.h5", "whole.h5", kind)
            self.remove("a.h5")
            self.remove("whole.h5")

    def test_a_finished_file_stays_until_the_longer_one_is_complete(self):
        self.good("-c adams -n 10 -o a.h5")
        before = self.bytes("a.h5")
        self.interrupt_resumed("a.h5")
        self.holds("a.h5 a.h5.part")
        self.assertEqual(self.bytes("a.h5"), before)
        steps = int(self.read_trajectory("a.h5.part")[0][-1]) + 5
        self.good("--resume a.h5 -n", steps)
        self.good("-c adams -n", steps, "-o whole.h5")
        self.assertSameFile("a.h5", "whole.h5")

    def interrupt_resumed(self, name):
        words = ("--resume", name, "-n", 10**9)
        process = self.start(words)
        self.until(lambda: self.exists(name + ".part"), process)
        self.until(lambda: not self.exists(name + ".part.new"), process)
        self.says(f"boids: {name}.part is being written by another run\n", words, status=2)
        self.assertEqual(self.ended_by(signal.SIGINT, process)[0], 130)

    def test_a_link_stays_a_link_and_permissions_stay(self):
        self.mkdir("elsewhere")
        self.good("-c adams -n 5 -o elsewhere/b.h5")
        self.chmod("elsewhere/b.h5", 0o640)
        self.link("elsewhere/b.h5", "a.h5")
        self.good("--resume a.h5 -n 9")
        self.assertEqual(os.readlink(self.path("a.h5")), "elsewhere/b.h5")
        self.assertEqual(os.stat(self.path("elsewhere/b.h5")).st_mode & 0o777, 0o640)
        self.assertEqual(self.steps("a.h5"), [*range(10)])
        self.holds("b.h5", "elsewhere")

    def test_names_with_spaces_and_letters_of_many_kinds(self):
        name = "ein Schwarm é 鳥.h5"
        self.good("-c adams -n 5 -o", name)
        self.good("--resume", name, "-n 9")
        self.assertEqual(self.names(), [name])

    def test_a_part_without_a_frame_is_passed_over(self):
        self.good("-c adams -n 5 -o a.h5")
        for text in (b"", b"\x89HDF\r\n\x1a\n" + bytes(200)):
            self.write("a.h5.part", text)
            steps = int(self.read_trajectory("a.h5")[0][-1]) + 3
            self.good("--resume a.h5 -n", steps)
            self.holds("a.h5")

    def test_a_stale_new_file_is_replaced(self):
        self.good("-c adams -n 9 -o whole.h5")
        self.good("-c adams -n 5 -o a.h5")
        self.write("a.h5.part.new", b"old" * 1000000)
        self.good("--resume a.h5 -n 9")
        self.assertSameFile("a.h5", "whole.h5")
        self.holds("a.h5 whole.h5")


class Checkpoint(Folder):
    """If frames are rounded, the file also has the last state in full precision."""

    words = ("-c", "adams", "-s", "output.precision=float32", "--every", "4")

    def test_the_checkpoint_is_the_last_regular_frame(self):
        self.good("-c adams -n 20 --every 4 -o full.h5")
        state = self.read_trajectory("full.h5")[1][-1]
        for steps in (20, 22):
            self.good(self.words, "-n", steps, "-o a.h5")
            with self.h5("a.h5") as file:
                self.assertEqual(list(file["checkpoint/step"]), [20, 20])
                for slot in (0, 1):
                    assert_array_equal(file["checkpoint/state"][slot], state)
                self.assertEqual(file["particles/boids/position/value"].dtype, numpy.float32)

    def test_runs_in_float32_need_none(self):
        self.good("-c adams -s arithmetic=float32 -n 4", *self.words[2:], "-o a.h5")
        with self.h5("a.h5") as file:
            self.assertNotIn("checkpoint", file)

    def test_flushes_do_not_show(self):
        files = set()
        for seconds in ("0.000", "9.000"):
            self.good(self.words, "-n 300 -s", "output.flush_seconds=" + seconds, "-o a.h5")
            data = self.bytes("a.h5").replace(b'"flush_seconds": 9', b'"flush_seconds": 0')
            files.add(data.replace(parameters_hash(self.path("a.h5")), b""))
        self.assertEqual(len(files), 1)

    def test_without_a_checkpoint_resume_is_refused(self):
        self.good(self.words, "-n 8 -o a.h5")
        with self.unproven("a.h5") as file:
            del file["checkpoint"]
        self.refused(
            "a.h5: its frames are rounded or unwrapped, and it contains no checkpoint, so it cannot be resumed; continue in "
            "another file with: boids --from a.h5 --init a.h5@8 --keep-step --steps 12 -o OTHER.h5",
            "--resume a.h5 -n 12",
        )


class InitialStates(Folder):
    """A trajectory contains the initial state of its run; the file that it was read from is no longer needed."""

    def setUp(self):
        super().setUp()
        self.good("-c adams -s flock.count=40 -n 9 --digits 17 -o start.csv")

    def run_hashes(self, *words):
        """The hashes of a run of six steps, one per line."""
        *ended, said = self.ended(words, "-n 6 --hash 1 --force")
        self.assertEqual(ended, [0, ""], said)
        return said.splitlines()

    def change_start(self):
        """Replace start.csv by another flock."""
        self.good("-c adams -s flock.count=30 --seed 5 -n 2 -o start.csv")

    def test_a_run_from_a_state_file_can_be_repeated_without_that_file(self):
        for kind in (
            ("arithmetic=float32",),
            ("arithmetic=float64",),
            ("arithmetic=fixed",),
            ("output.precision=float32",),
            ("arithmetic=fixed", "output.precision=float32"),
            ("output.compression=1", "output.h5_dims=3"),
        ):
            words = [word for setting in kind for word in ("-s", setting)]
            whole = self.run_hashes("-c castor --init start.csv@7", words, "-o a.h5")
            self.mkdir("elsewhere")
            self.rename("a.h5", "elsewhere/a.h5")
            original = self.bytes("start.csv")
            for change in (self.change_start, lambda: self.remove("start.csv")):
                change()
                self.assertEqual(self.run_hashes("--from elsewhere/a.h5 -o b.h5"), whole, kind)
                self.assertSameFile("b.h5", "elsewhere/a.h5", kind)
                self.assertEqual(
                    self.run_hashes("-c castor --init b.h5@0", words, "-o none"), whole, kind
                )
            self.write("start.csv", original)

    def test_a_state_that_a_configuration_names_is_carried_too(self):
        self.mkdir("sub")
        self.rename("start.csv", "sub/start.csv")
        self.write("sub/c.json", '{"flock": {"init": {"file": "start.csv"}}}')
        whole = self.run_hashes("-c sub/c.json -o a.h5")
        self.remove("sub/start.csv")
        self.assertEqual(self.run_hashes("--from a.h5 -o none"), whole)
        self.rename("a.h5", "b.h5.part")
        for name in ("b.h5", "b.h5.part"):
            self.assertEqual(self.run_hashes("--from", name, "-o none"), whole)

    def test_rules_change_and_the_initial_state_stays(self):
        for begin in ((), "--init start.csv"):
            words = ("-c adams", begin)
            first = self.run_hashes(words, "-s output.precision=float32 -o a.h5")
            other = self.run_hashes(
                "--from a.h5 -s flock.cohesion.factor=0.01 -s output.precision=native -o none"
            )
            self.assertEqual(other[0], first[0])
            self.assertEqual(other, self.run_hashes(words, "-s flock.cohesion.factor=0.01 -o none"))
            wrap = self.json("--print-config --from a.h5 -s world.border=wrap -q")
            self.assertEqual(wrap["world"]["distance"], "torus")
            self.remove("a.h5")

    def test_a_generated_flock_is_generated_again_if_its_keys_change(self):
        whole = self.run_hashes("-c adams -o a.h5")
        for words in (
            "--seed 7",
            "-s flock.count=50",
            "-s predators.count=0",
            "-s world.width=900",
            "-s 'flock.init.speed=[1,2]'",
            "-s flock.min_speed=1",
            "-s arithmetic=fixed",
        ):
            self.assertEqual(
                self.run_hashes("--from a.h5", words, "-o none"),
                self.run_hashes("-c adams", words, "-o none"),
                words,
            )
        self.assertEqual(self.run_hashes("--from a.h5 --init none -o none"), whole)
        self.assertEqual(self.run_hashes("--from a.h5 --init a.h5@0 --seed 7 -o none"), whole)

    def test_a_flock_from_a_file_is_generated_if_requested(self):
        begun = self.run_hashes("-c adams --init start.csv -o a.h5")
        placed = self.run_hashes("-c adams -s flock.count=40 -o none")
        for words, wanted in (
            ("--from a.h5 --seed 7 -s flock.count=9", begun),
            ("--from a.h5 --init none", placed),
            ("--from a.h5 -s flock.init.file=", placed),
            ("-c adams --init none -s flock.count=40", placed),
        ):
            self.assertEqual(self.run_hashes(words, "-o none"), wanted, words)
        self.change_start()
        other = self.run_hashes("-c adams --init start.csv -o none")
        for words in ("--init start.csv", "-s flock.init.file=start.csv"):
            self.assertEqual(self.run_hashes("--from a.h5", words, "-o none"), other)

    def test_a_cell_of_a_sweep_does_not_contradict_the_agents_of_the_file(self):
        """A number in a configuration or option may differ from the file, which sets it."""
        self.write("p.csv", "predators.count\n1\n2\n")
        self.refused(
            "predators.count is 2 (--points p.csv:3, column 1), but start.csv holds 1",
            "-c adams -s flock.count=9 -s flock.init.file=start.csv --points p.csv --table t.csv",
        )

    def test_the_hash_of_the_initial_state_is_in_the_file_and_the_summary(self):
        for begin in ((), "--init start.csv"):
            for kind in ("arithmetic=fixed", "output.precision=float32"):
                words = ("-c adams -s", kind, begin)
                hashes = self.run_hashes(words, "-o none")
                whole = self.json(words, "-n 6 -o a.h5 --summary --force")
                resumed = self.json("--resume a.h5 -n 8 --summary")
                with self.h5("a.h5") as file:
                    reported = file["parameters"].attrs["initial_hash"].decode()
                self.assertEqual(
                    ["0 " + reported, "6 " + whole["state_hash"]], [hashes[0], hashes[6]]
                )
                self.assertEqual(
                    (whole["initial_hash"], resumed["initial_hash"]), (reported, reported)
                )

    def test_a_printed_configuration_names_the_initial_state(self):
        whole = self.run_hashes("-c adams --init start.csv@7 -o a.h5")
        self.remove("start.csv")
        status, printed, said = self.ended("--print-config --from a.h5")
        note = "boids: the initial state is frame 0 of a.h5, not start.csv@7\n"
        self.assertEqual((status, said), (0, note))
        self.assertEqual(json.loads(printed)["flock"]["init"]["file"], "a.h5@0")
        self.write("again.json", printed)
        self.assertEqual(self.run_hashes("-c again.json -o none"), whole)
        self.assertEqual(self.good("-q --print-config --from a.h5"), printed)
        other = self.json("--print-config --from a.h5 --init none")
        self.assertNotIn("file", other["flock"]["init"])

    def test_a_file_without_its_initial_state_is_refused(self):
        def replace(file, shape, value):
            del file["checkpoint/initial"]
            file["checkpoint/initial"] = numpy.full(shape, value)

        for message, change in (
            (
                "step 0 is not in it; its steps go from 1 to 6",
                lambda file: file["particles/boids/position/step"].__setitem__(0, -1),
            ),
            (
                "its frames are rounded or unwrapped, and it does not contain frame 0 in full precision",
                lambda file: file.__delitem__("checkpoint/initial"),
            ),
            (
                "/checkpoint/initial is not what boids writes",
                lambda file: replace(file, (3, 4), 0.0),
            ),
            (
                "step 0: id 0 has a number that is not finite",
                lambda file: file["checkpoint/initial"].__setitem__((0, 0), numpy.nan),
            ),
        ):
            self.good("-c adams -s output.precision=float32 -n 6 -o a.h5")
            with self.unproven("a.h5") as file:
                change(file)
            self.refused(
                f"a.h5: {message}; a run needs frame 0, or --init none for a new random state",
                "--from a.h5",
            )
            random, again = (
                self.run_hashes(words, "-o none")
                for words in ("-c adams", "--from a.h5 --init none")
            )
            self.assertEqual(again, random)

    def test_a_file_that_is_read_is_not_overwritten(self):
        self.run_hashes("-c adams --init start.csv -o a.h5")
        self.copy("a.h5", "b.h5.part")
        for name, words in (
            ("a.h5", "--from a.h5 -o a.h5"),
            ("start.csv", "--from a.h5 --init start.csv -o start.csv"),
            ("b.h5.part", "--from b.h5 --force -o b.h5"),
        ):
            wrong = f"{name} is read and written by the same run; give the output another name"
            self.refused(wrong, words)

    def test_a_recorded_name_does_not_need_to_exist(self):
        self.run_hashes("-c adams --init start.csv -o a.h5")
        self.run_hashes("--from a.h5 -o start.csv")
        self.run_hashes("-c adams -o b.h5")
        self.run_hashes("-c adams --init b.h5 -o c.h5")
        self.rename("c.h5", "b.h5")
        self.good("--resume b.h5 -n 9")


class Refusals(Folder):
    def setUp(self):
        super().setUp()
        self.good("-c adams -n 10 -o a.h5")

    def test_a_foreign_file_is_refused(self):
        self.write("a.csv", "step,time,id,type,x,y,vx,vy\n")
        with self.h5("foreign.h5", "w") as file:
            file["x"] = 1
        whole = self.bytes("a.h5")
        for name, size in (("short.h5", 3000), ("cut.h5", len(whole) // 2), ("empty.h5", 0)):
            self.write(name, whole[:size])
        self.write("early.h5.part", bytes(8) + whole[8:])  # before the first flush
        empty = "is empty: its run was stopped before it wrote anything; start the run again"
        for name in ("empty.h5", "early.h5.part"):
            for option in ("--resume", "--from", "--verify"):
                self.refused(f"{name} {empty}", option, name)
        cut = " is damaged or was cut short: HDF5 cannot open it"
        for name, message in (
            (
                "a.csv",
                ": cannot be opened as HDF5, the only format with the configuration of a run",
            ),
            ("short.h5", cut),
            ("cut.h5", cut),
            ("foreign.h5", ": boids did not write it, so it contains no configuration"),
        ):
            for option in ("--resume", "--from"):
                self.refused(name + message, option, name, "-n 20")
        missing = "nono.h5: there is no such file"
        self.refused(missing + ", and no nono.h5.part", "--resume nono.h5 -n 20")
        self.refused(missing, "--from nono.h5")

    def test_edited_files_are_refused(self):
        for name, change in (
            ("config", lambda file: file.__delitem__("parameters/config")),
            ("creator", lambda file: file["h5md/creator"].attrs.__setitem__("name", "other")),
        ):
            self.write("b.h5", self.bytes("a.h5"))
            with self.unproven("b.h5") as file:
                change(file)
            self.refused(
                "b.h5: boids did not write it, so it contains no configuration",
                "--resume b.h5 -n 20",
            )
        with self.h5("c.h5", "w") as file, self.h5("a.h5") as other:
            for name in ("h5md", "parameters"):
                other.copy(name, file)
        self.refused(
            "c.h5: it contains no complete frame; there is nothing to continue",
            "--resume c.h5 -n 20",
        )

    def test_a_file_that_lacks_an_agent_at_its_start_or_end_is_refused(self):
        """The hash of the initial state would be that of other agents."""
        for row in (0, -1):
            self.good("-c adams -n 9 -s flock.count=4 -o a.h5 --force")
            with self.unproven("a.h5") as file:
                for field in ("position", "velocity"):
                    file["particles/boids/%s/value" % field][row, 1] = numpy.nan
            self.refused(
                "a.h5: agents are absent from its first or last frame, so it cannot be resumed; continue in another "
                "file with: boids --from a.h5 --init a.h5@9 --keep-step --steps 12 -o OTHER.h5",
                "--resume a.h5 -n 12",
            )
            self.good("--from a.h5 --init a.h5@9 --keep-step --steps 12 -o other.h5 --force")

    def test_another_configuration(self):
        title = '"title": "V. Hunter Adams\' boids, with a predator"'
        self.write("other.json", '{\n%s,\n"arithmetic": "fixed"}' % title)
        self.write("default.json", "{%s}" % title)
        for words, message in rows_of(
            """
            --seed 2 | --seed 2: a.h5 was run with seed 1
            --every 2 | --every 2: a.h5 was run with output.every 1
            -s flock.cohesion.factor=0.001 | --set flock.cohesion.factor=0.001: a.h5 was run with flock.cohesion.factor 0.0005
            -s world.margin.left=3 | --set world.margin.left=3: a.h5 was run with world.margin.left 100
            --init a.h5 | --init: flock.init.file is "a.h5", but a.h5 was run with ""
            -c other.json | other.json:3: arithmetic is "fixed", but a.h5 was run with "float64"
            -c default.json | update is "synchronous" by default, but a.h5 was run with "sequential"
            """
        ):
            self.refused(message, "--resume a.h5 -n 20", words)

    def test_steps_that_are_there(self):
        whole = self.bytes("a.h5")
        self.good("-c adams -n 10 --every 4 -o thin.h5")
        ends = "ends at step 10; --steps counts from step 0 and must be above that"
        for name, steps in ("a.h5", 0), ("a.h5", 9), ("a.h5", 10), ("thin.h5", 9):
            self.says(f"boids: {name} {ends}\n", "--resume", name, "-n", steps)
        self.good("--resume a.h5 -q")
        self.assertEqual(self.bytes("a.h5"), whole)
        self.rename("a.h5", "b.h5.part")
        self.refused(
            "b.h5.part already has step 10; --steps is 9 and must be above that",
            "--resume b.h5 -n 9",
        )

    def test_options_that_do_not_go_together(self):
        for words, message in rows_of(
            """
            --resume a.h5 -n 20 -o b.csv | --resume a.h5 writes that file; remove --output b.csv
            --from a.h5 -c adams | --from and --config both give a configuration; give only one of them
            --from a.h5 --resume a.h5 -n 20 | --resume uses the configuration in the trajectory; remove --from
            --resume . -n 20 | . is a folder; an output is a file
            --resume /dev/null -n 20 | /dev/null is a stream; only a file can be continued
            """
        ):
            self.refused(message, words)

    @unittest.skipUnless(os.getuid() == 0, "only root may run as another user")
    def test_a_file_that_may_not_be_written(self):
        self.chmod(".", 0o777)
        said = "boids: a.h5 may not be written: Permission denied\n"
        self.assertEqual(self.as_nobody("--resume a.h5 -n 20"), (2, "", said))

    def test_a_file_that_is_open_elsewhere(self):
        with open(self.path("a.h5"), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.refused("a.h5 is being written by another program", "--resume a.h5 -n 20")


class Provenance(Folder):
    def test_a_file_records_the_program_version(self):
        self.good("-c adams -n 3 --seed", 2**64 - 1, "-o a.h5")
        version, revision = self.good("--version").split()[1:]
        with self.h5("a.h5") as file:
            reported = {
                name: value.decode() if isinstance(value, bytes) else value
                for name, value in file["parameters"].attrs.items()
            }
        self.assertEqual((reported["version"], reported["git"]), (version, revision.strip("()")))
        self.assertRegex(reported["compiler"], r"^(gcc|clang) \d+")
        self.assertIn("-ffp-contract=off", reported["flags"])
        self.assertEqual((reported["arithmetic"], reported["seed"]), ("float64", 2**64 - 1))

    def test_its_configuration_reproduces_the_run(self):
        self.good("-c school -n 12 -s flock.cohesion.factor=0.0123 --seed", 2**63, "-o a.h5")
        self.write("again.json", self.good("--print-config --from a.h5"))
        self.good("-c again.json -o b.h5")
        self.good("--from a.h5 -o c.h5")
        self.assertSameFile("a.h5", "b.h5")
        self.assertSameFile("a.h5", "c.h5")
        self.assertEqual(self.json("--from a.h5 --seed 7 --print-config")["seed"], 7)

    def test_a_file_contains_no_time_host_or_path(self):
        self.good("-c adams -n 3 -o a.h5")
        self.mkdir("b")
        self.good("-c adams --steps 3 -o b.h5 -o b/c.csv -t 2")
        self.assertSameFile("a.h5", "b.h5")


if __name__ == "__main__":
    unittest.main()
