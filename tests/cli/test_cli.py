"""The command line: messages, files and exit status.

Each test works in a folder of its own. If a command is refused, the tests compare three things: the exit status, the one line on
standard error, and the bytes of every file in the folder. BOIDS is the program, default ./boids.
"""

import contextlib
import csv
import fcntl
import gzip
import glob
import io
import json
import os
import pty
import re
import resource
import select
import shlex
import shutil
import signal
import stat
import struct
import subprocess
import sys
import termios
import time
import unittest

import h5py
import numpy
from numpy.testing import assert_array_equal

sys.path[0] += "/.."

from support import (
    BOIDS,
    ENDINGS,
    Folder,
    add_refusals,
    arithmetics_of,
    by_level,
    contents,
    full_only,
    in_root,
    read,
    read_formats,
    rows_of,
    split_words,
)

CONFIGS = sorted(glob.glob(in_root("configs", "*.json")))
HEADER = "step,time,id,type,x,y,vx,vy"
STATE = "id,type,x,y,vx,vy\n"
ENDLESS = "100000000"
# A busy machine may take this long to start a program; nothing here is measured by it.
PATIENCE = 60


def steps_of(text):
    """The steps of a CSV trajectory, each once, in order of appearance."""
    return list(dict.fromkeys(int(row["step"]) for row in csv.DictReader(io.StringIO(text))))


class Cli(Folder):
    def setUp(self):
        super().setUp()
        self.write("small.json", '{"steps": 5, "flock": {"count": 10}, "predators": {"count": 2}}')

    def run_boids(self, *words, **more):
        more = {
            "cwd": self.folder,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "timeout": 4 * PATIENCE,
            **({} if "input" in more else {"stdin": subprocess.DEVNULL}),
            **more,
        }
        return subprocess.run([BOIDS, *split_words(words)], **more)

    def start_writing(self, name, *words, **more):
        """Start an endless run, and wait until its .part has some frames."""
        process = self.start(
            "-c small.json -n",
            ENDLESS,
            "--every 200 -s output.flush_seconds=0.05 -o",
            name,
            words,
            **more,
        )
        part = self.path(name + ".part")
        self.until(lambda: os.path.exists(part) and os.path.getsize(part) > 40000, process)
        return process

    def run_as_nobody(self, *words):
        os.chmod(self.folder, 0o755)
        shutil.copy(BOIDS, self.path("boids"))
        return subprocess.run(
            ["./boids", *split_words(words)],
            cwd=self.folder,
            user=65534,
            group=65534,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )

    def stopped(self, status, message, *words, **more):
        """The run ends with this status and prints one line; `message` is the line, or a pattern for all of it."""
        done = self.run_boids(words, **more)
        said = done.stderr.decode(errors="surrogateescape")
        self.assertEqual(done.returncode, status, "%s: %s" % (words, said))
        self.assertRegex(said, r"\Aboids: [^\n]+\n\Z")
        if isinstance(message, re.Pattern):
            self.assertRegex(said[len("boids: ") : -1], message)
        else:
            self.assertEqual(said, "boids: %s\n" % message)
        if done.stdout is not None:
            self.assertEqual(done.stdout, b"", words)
        return said

    def refused(self, message, *words, **more):
        before = contents(self.folder)
        self.stopped(2, message, words, **more)
        self.assertEqual(contents(self.folder), before, words)

    def refused_config(self, message, text, *words):
        """`message` starts after the name of the file."""
        self.write("a.json", text)
        self.refused("a.json" + message, "-c a.json", words)


class Refusals(Cli):
    """The commands of refusals.txt."""

    program = "boids"

    def say(self, words, given):
        done = self.run_boids(words, input=given)
        return done.returncode, done.stdout.decode(), done.stderr.decode()


add_refusals(Refusals, "cli", "refusals.txt")


class Options(Cli):
    def test_help_has_a_usage_line_four_headings_and_one_option_per_line(self):
        for word in ("-h", "--help"):
            lines = self.good(word).splitlines()
            self.assertLess(
                len(lines), 52, "--help must fit a screen: shorten it, or raise this limit"
            )
            self.assertEqual(
                [line for line in lines if len(line) > 80],
                [],
                "shorten the sentence in options.def",
            )
            self.assertRegex(lines[0], r"^Usage: boids ")
            self.assertEqual(
                [line for line in lines if line.endswith(":")],
                ["Input:", "Output:", "Control:", "Instead of a run:"],
            )
        options = [
            re.match(r"  (?:-\w, |    )--([a-z-]+)", line)
            for line in lines
            if line.startswith("  ")
        ]
        self.assertEqual(
            [line.count("--") for line, option in zip(lines, options) if option is None], []
        )
        self.assertEqual(len({option.group(1) for option in options}), 35)

    def test_help_explains_an_option(self):
        reported = self.good("--help until")
        self.assertIn("--until CONDITION", reported)
        self.assertIn("'flocks < 2 for 5' frames", reported)
        self.assertIn("repeatable", self.good("--help set"))
        self.assertEqual(self.good("--help steps").splitlines()[0], "steps")

    def test_help_gives_the_default_and_an_example_of_each_option(self):
        options = re.findall(r"--([a-z-]+)", "\n".join(re.findall(r"(?m)^ .{28}", self.good("-h"))))
        self.assertGreater(len(options), 34)
        for name in options:
            with self.subTest(name):
                reported = self.good("--help", f"--{name}")
                self.assertRegex(reported, "(?s)^-.*Default: .*Example: ")
        self.assertEqual(self.good("--help -o"), self.good("--help --output"))

    def test_help_explains_a_key_with_bounds_and_default(self):
        reported = self.good("-h flock.count")
        self.assertIn("1 to 2147483647", reported)
        self.assertIn("400", reported)
        self.assertIn("output.every", self.good("--help output"))

    def test_help_accepts_its_key_after_an_equals_sign(self):
        for key in ("flock.count", "world"):
            self.assertEqual(self.good("--help=" + key), self.good("--help", key))

    def test_observables_go_to_a_text_or_nowhere(self):
        self.good("-c small.json -o none --observables none")
        self.assertEqual(self.names(), ["small.json"])

    def test_version_is_one_line(self):
        for word in ("-V", "--version"):
            self.assertRegex(self.good(word), r"\Aboids \d+\.\d+\.\d+ \([^ )]+\)\n\Z")

    def test_presets_list_every_shipped_configuration(self):
        reported = self.good("--presets")
        names = re.findall(r"(?m)^  (\w+) +\w", reported)
        self.assertEqual(sorted(names), [os.path.basename(path)[:-5] for path in CONFIGS])
        groups = re.findall("(?m)^[A-Z].*:$", reported)
        self.assertEqual(len(reported.splitlines()), len(names) + 2 * len(groups) - 1)
        self.assertEqual(
            self.good("--help vicsek"),
            "Preset vicsek: Self-propelled particles, after Vicsek et al. 1995. "
            "Each boid takes the mean heading of its neighbours plus noise.\n",
        )
        self.assertIn("\npredators.hunt ", self.good("--help hunt"))

    def test_a_bare_name_is_a_preset_unless_a_file_has_that_name(self):
        preset = self.good("-c castor -n 1")
        self.assertEqual(preset, self.good("-c", in_root("configs", "castor.json"), "-n 1"))
        self.write("castor", '{"flock": {"count": 1}}')
        done = self.run_boids("-c castor -n 0")
        self.assertEqual(
            (done.returncode, len(done.stdout.splitlines()), done.stderr),
            (0, 2, b"boids: castor is a file in this folder; the preset castor is not used\n"),
        )
        self.refused(
            "nono is neither a file nor a preset; boids --presets lists the presets", "-c nono"
        )

    def test_a_folder_with_the_name_of_a_preset_does_not_hide_it(self):
        preset = self.good("-c castor -n 1")
        self.mkdir("castor")
        self.assertEqual(self.good("-c castor -n 1"), preset)

    def test_a_fifo_of_that_name_is_read(self):
        os.mkfifo(self.path("castor"))
        process = self.start("-c castor -n 0")
        self.write("castor", '{"flock": {"count": 1}}')
        self.assertEqual(len(process.communicate(timeout=PATIENCE)[0].splitlines()), 2)

    def test_a_near_miss_of_an_option_or_a_preset_is_suggested(self):
        for name, contents_ in (
            ("a.csv.gz", gzip.compress(b"id,type,x,y,vx,vy\n")),
            ("b.csv", gzip.compress(b"seed\n1\n")),
        ):
            self.write(name, contents_)
            for words in (("--init", name), ("--points", name, "--table t.csv")):
                self.refused(
                    f"{name}: this is compressed; unpack it with gunzip first", "-c adams", words
                )
        self.refused("adamms is neither a file nor a preset; did you mean adams?", "-c adamms")
        self.refused(
            "adams.json is neither a file nor a preset; did you mean adams?", "-c adams.json"
        )
        self.refused(
            "whales is neither a file nor a preset; boids --presets lists the presets", "-c whales"
        )

    def test_a_preset_is_not_taken_for_a_trajectory(self):
        self.good("-c adams -n 1 -o adams.h5")
        self.rename("adams.h5", "adams")
        self.good("--from adams -n 1 -o none")

    def test_a_large_trajectory_is_not_taken_for_a_configuration(self):
        self.good("-c adams -o flock.h5 -n 300")
        self.assertGreater(self.size("flock.h5"), 1 << 20)
        self.refused(
            "flock.h5 is a trajectory, not a configuration; boids --from reads the configuration in it",
            "-c flock.h5",
        )

    def test_a_long_option_with_one_dash_is_explained(self):
        self.good("-qc adams -n0 -onone")

    def test_help_finds_words_in_keys_options_and_observables(self):
        for word, names in (
            ("polarization", ["polarization"]),
            ("milling", ["milling"]),
            ("cohesion", ["flock.cohesion.radius", "flock.means", "flocks"]),
            ("NEIGHBOURS", ["flock.alignment.nearest", "flock.alignment.radius"]),
            ("field of view", ["flock.separation.view"]),
        ):
            found = self.run_boids("--help", word).stdout.decode()
            for name in names:
                self.assertRegex(found, rf"(?m)^{re.escape(name)} ")
        self.assertRegex(self.good("--help frame"), r"(?m)^--every .*\n")
        self.assertIn(
            "\nSee also: world.width and world.height are the size", self.good("--help size")
        )
        self.assertIn("\nSee also: the observable polarization", self.good("--help order"))
        self.assertIn("\nSee also: flock.max_force\n", self.good("--help force"))
        self.assertRegex(self.good("--help async"), r'(?s)\Aupdate .* async is "sequential"\.\n\Z')
        self.assertNotIn("See also", self.good("--help wind"))
        self.assertIn("1 if all headings are equal", self.good("--help polarization"))
        self.assertRegex(
            self.good("--help predator_share"), r"[.] Undefined without a predator, .*[.]\n"
        )

    def test_an_angle_that_looks_like_radians_has_a_note(self):
        for key, value, words in (
            ("flock.alignment.view", "6.28", 1),
            ("flock.separation.view", "3.14159", 1),
            ("goals.direction", "1.57", 1),
            ("flock.max_turn", "1.5708", 1),
            ("flock.alignment.view", "270", 0),
            ("flock.max_turn", "2.5", 0),
            ("goals.direction", "5", 0),
        ):
            done = self.run_boids("-c adams -n 0 -s", f"{key}={value}", "-o none")
            note = f"boids: note: {key} is {value} degrees; a full circle is 360\n"
            self.assertEqual((done.returncode, done.stderr.decode()), (0, note if words else ""))
        self.good("-c adams -n 0 -s flock.alignment.view=6.28 -o none -q")

    def test_a_wrapped_world_narrower_than_twice_a_radius_has_one_note(self):
        note = (
            "boids: note: %sworld.height is 9, less than twice flock.alignment.radius (100), so boids are neighbours "
            "across the whole height; enlarge the world, or reduce the radius\n"
        )
        for words, count in (
            ([], 1),
            (["-s", "world.border=bounce"], 0),
            (["-s", "flock.alignment.radius=4.5"], 0),
            (["-s", "flock.alignment.factor=0"], 0),
            (["-s", "flock.alignment.nearest=7"], 0),
            (["-q"], 0),
        ):
            words = ["-c", "vicsek", "-n", "0", "-s", "world.height=9", "-o", "none", words]
            self.says(note % "" * count, words)
        points = b"seed,world.height\n1,9\n2,9\n3,500\n"
        words = ["--points", "-", "--table", "t.csv"]
        said = self.run_boids("-c vicsek -n 0", words, input=points).stderr.decode()
        self.assertEqual(said.splitlines(keepends=True)[0], note % "in 2 of 3 runs, ")
        for name in ("topological", "parker", "couzin", "cucker_smale"):
            self.good("-c", name, "-n 0 -o none")

    def test_an_option_cut_short_must_be_clear(self):
        self.assertRegex(self.good("--vers"), "^boids ")

    def test_set_takes_every_form_of_json_and_bare_words(self):
        def resolved(*words):
            return self.json("-c small.json", words, "--print-config")

        self.assertEqual(resolved("-s", "flock.count=3")["flock"]["count"], 3)
        self.assertEqual(resolved("--set=flock.count=1e1")["flock"]["count"], 10)
        self.assertIsNone(resolved("-s", "flock.max_speed=null")["flock"]["max_speed"])
        self.assertEqual(resolved("-s", "update=passes")["update"], "passes")
        self.assertEqual(resolved("-s", 'update="passes"')["update"], "passes")
        self.assertEqual(resolved("-s", "title=a = b, c")["title"], "a = b, c")
        self.assertEqual(resolved("-s", "flock.init.speed=[1,2]")["flock"]["init"]["speed"], [1, 2])
        self.assertEqual(resolved("-s", 'flock={"count": 7}')["flock"]["count"], 7)
        self.assertEqual(resolved("-s", "world.margin.left=3")["world"]["margin"]["right"], 100)

    def test_every_seed_of_64_bits_counts(self):
        self.assertNotEqual(
            self.good("-c small.json --seed 18446744073709551615"),
            self.good("-c small.json --seed 18446744073709551614"),
        )

    def test_format_names_the_format_if_the_ending_does_not(self):
        for word, endings, _ in read_formats():
            for ending in endings:
                self.good("-c small.json -o", "a." + ending)
                self.good("-c small.json --format", word, "-o b")
                self.assertSameFile("b", "a." + ending)
            if word != "h5":
                self.assertEqual(
                    self.good("-c small.json --format", word), self.read("a." + ending)
                )
        self.good("-c small.json --format h5 -o b.csv")
        self.assertEqual(self.bytes("b.csv"), self.bytes("a.csv"))
        self.assertIn("h5, for any other ending", self.good("--help --format"))
        words = [word for word, *_ in read_formats()]
        self.refused(
            "--format is png; it must be %s or %s" % (", ".join(words[:-1]), words[-1]),
            "-c small.json --format png",
        )

    def test_no_output_is_an_output(self):
        self.assertEqual(self.good("-c small.json -o none"), "")
        self.assertEqual(self.names(), ["small.json"])

    def test_outputs_repeat(self):
        self.assertEqual(self.good("-c small.json -o a.csv -o - -o none"), self.read("a.csv"))

    def test_arguments_need_not_be_text(self):
        self.good("-c small.json -o", b"\xff.csv")
        self.assertIn(b"\xff.csv", os.listdir(self.folder.encode()))
        os.remove(os.path.join(self.folder.encode(), b"\xff.csv"))
        self.refused(re.compile("there is no such file$"), "-c", b"./\xff.json")
        self.refused(re.compile("unexpected argument"), b"\xff")
        self.refused(re.compile("is not an option"), b"--\xff")
        self.refused(re.compile("byte 0xff is not UTF-8"), "-c small.json -s", b"title=\xff")

    def test_standard_input_is_a_configuration(self):
        self.assertEqual(
            self.good("-c -", input=self.bytes("small.json")), self.good("-c small.json")
        )
        for text, message in (
            (b"", re.compile("^standard input.*empty")),
            (b'{\n"steps": -1}', re.compile("^standard input:2: steps is -1; ")),
        ):
            self.refused(message, "-c -", input=text)

    def test_the_command_line_wins_over_the_file_and_the_last_over_the_first(self):
        for words, step in (
            ("-n 3", 3),
            ("-s steps=2", 2),
            ("-n 3 -s steps=2", 2),
            ("-s steps=2 -n 3", 3),
        ):
            self.assertEqual(steps_of(self.good("-c small.json", words))[-1], step)

    def test_a_printed_configuration_gives_the_same_run(self):
        for config in [*CONFIGS, "small.json"]:
            words = "-s flock.count=50 -n 3 --seed 12345678901234567890 --digits 17"
            printed = self.good("-c", config, words, "--print-config")
            self.write("printed.json", printed)
            self.assertEqual(self.good("-c printed.json"), self.good("-c", config, words), config)
            self.assertEqual(self.good("-c printed.json --print-config"), printed)

    def test_a_check_writes_nothing(self):
        self.says("boids: small.json is valid\n", "-c small.json --check -o a.csv")
        self.assertEqual(self.names(), ["small.json"])
        self.assertEqual(self.good("-c small.json --check -q"), "")

    def test_the_locale_changes_nothing(self):
        env = dict(os.environ, LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
        words = "-c small.json -s flock.cohesion.factor=0.0015"
        self.assertEqual(self.good(words, env=env), self.good(words))
        self.assertEqual(
            self.good(words, "--print-config", env=env), self.good(words, "--print-config")
        )


class Engines(Cli):
    def test_an_instruction_set_must_be_known(self):
        self.refused(
            "BOIDS_ISA is v9; it must be scalar, plain, v3 or v4",
            "-c murmuration -n 1 -o none",
            env=dict(os.environ, BOIDS_ISA="v9"),
        )

    def test_the_size_of_a_run_is_printed_before_it_starts(self):
        for words, size in (
            ((), "300 steps of 400 boids and 1 predator"),
            ("-n 1 -s flock.count=1 -s predators.count=0", "1 step of 1 boid and 0 predators"),
        ):
            done = self.run_boids("-c adams --check -v -q", words)
            self.assertRegex(
                done.stderr.decode(), "^boids: " + size + r" take at least \d+\.\d MB of memory\n$"
            )

    def memory(self, *words):
        """For a large flock: the memory that --check reports, and the peak after two frames."""
        words = (
            "-c murmuration -v -n",
            ENDLESS,
            '--force --every 1 --hash 1 -s flock.count=300000 -s \'world={"width": 20000, "height": 20000}\'',
            words,
        )
        run = self.start(words, stderr=subprocess.PIPE, text=True)
        said = run.stderr.readline()
        while run.stderr.readline().split()[0] != "3":
            pass
        peak = (
            int(re.search(r"VmHWM:\s+(\d+) kB", read("/proc/%d/status" % run.pid)).group(1))
            * 1024e-6
        )
        run.kill()
        return float(re.search(r"take at least ([\d.]+) MB of memory$", said).group(1)), peak

    def test_a_run_whose_frames_cannot_fit_on_the_disk_is_refused(self):
        words = "-c adams -n 1000000000000"
        for more in ((), "--check", "-o b.csv"):
            self.refused(
                re.compile(
                    r"^a\.h5: its frames take more than 6\.4 PB, and its disk has [\d.]+ .?B; "
                    r"write fewer frames \(--every\), or add --force$"
                ),
                words,
                "-o a.h5",
                more,
            )
        for more in (
            "-o a.h5 --force",
            "-o a.h5 --until 'flocks < 0'",
            "-o a.h5 --max-seconds=1",
            "-o a.h5 --every 1000000000",
            "-o none",
            "-o -",
            "-o /dev/null --format csv",
        ):
            self.good(words, more, "--check -q")
        self.assertEqual(self.names(), ["small.json"])

    def write_late(self, step=10**12):
        """A state at a late step."""
        self.write(
            "late.csv",
            "".join(
                [HEADER.replace(",time", "") + "\n"]
                + ["%d,%d,boid,%d,1,3,0\n" % (step, i, 9 * i) for i in range(50)]
            ),
        )
        return ("-c", "small.json", "--init", "late.csv", "--keep-step")

    def test_steps_before_the_run_are_not_steps_of_the_run(self):
        """Neither on the disk, nor in its size, nor in its speed, nor in its progress bar."""
        late = self.write_late()
        self.good(late, "-n", str(10**12 + 5), "-q -o a.h5")
        self.good("-c small.json -n 20000 --every 10000 -q -o b.h5")
        for last, words in (
            (10**12 + 400, late),
            (10**12 + 405, "--resume a.h5"),
            (20400, "--resume b.h5"),
        ):
            with self.subTest(words=words):
                said = self.run_boids(
                    words,
                    "-n",
                    str(last),
                    "-v --progress always",
                    () if "--resume" in words else ("-o", "none"),
                ).stderr.decode()
                steps, boids = (
                    int(word)
                    for word in re.search(
                        r"^boids: (\d+) steps of (\d+) boids and \d predators? take", said, re.M
                    ).groups()
                )
                self.assertEqual(steps, 400)
                speed = (
                    float(
                        re.search(
                            r"^boids: 400 steps .*, (\S+) boid-steps per second$", said, re.M
                        ).group(1)
                    )
                    / boids
                )
                rate = float(
                    re.search(r"100 %%  step %d of %d  (\S+) steps/s" % (last, last), said).group(1)
                )
                # With the steps before it, the rate would be 10**9 times higher.
                self.assertLess(rate, 10**6 * speed, said)

    def test_a_run_with_another_result_writes_no_trajectory_to_standard_output(self):
        words = "-c small.json -q"
        self.assertGreater(self.good(words).count("\n"), 20)
        self.assertEqual(self.good(words, "--summary").count("\n"), 1)
        self.assertTrue(self.good(words, "--observables -").startswith("step,time,polarization,"))
        for option, value in rows_of(
            """
            --observables | o.csv
            --until | flocks > 9
            --hash | 5
            """
        ):
            with self.subTest(option=option):
                self.assertEqual(self.run_boids(words, option, value).stdout, b"")
                self.assertGreater(
                    self.run_boids(words, option, value, "-o -").stdout.count(b"\n"), 20
                )

    @full_only
    @unittest.skipUnless(os.path.exists("/proc/self/status"), "needs /proc to see memory")
    def test_the_reported_memory_is_that_of_the_flock(self):
        with open(BOIDS, "rb") as file:
            if b"__asan_init" in file.read():
                self.skipTest("sanitizers take memory of their own")
        self.write(
            "i.csv",
            STATE + "".join("%d,boid,%d,%d,3,3\n" % (i, i % 20000, i // 15) for i in range(300000)),
        )
        for words in (
            "-o none",
            "-o a.csv",
            "-o none --init i.csv",
            "-o none --summary",
            "-o a.txt -s update=sequential",
            "-o a.xyz -s arithmetic=fixed",
        ):
            with self.subTest(words=words):
                reported, peak = self.memory(words)
                self.assertLess(reported, peak)
                self.assertLess(peak, 3 * reported)

    def test_threads_and_instruction_sets_change_no_byte(self):
        run = "-c murmuration -n 40 --every 40 --digits 17"
        for arithmetic in ("float32", "float64"):
            setting = ("-s", "arithmetic=" + arithmetic)
            scalar = self.good(run, setting, "-t 1", env=dict(os.environ, BOIDS_ISA="scalar"))
            for isa in ("plain", "v3", "v4"):
                done = self.run_boids(run, setting, "-t 3", env=dict(os.environ, BOIDS_ISA=isa))
                if (
                    done.returncode == 2 and b"BOIDS_ISA is" in done.stderr
                ):  # not in this machine or build
                    continue
                self.assertEqual(done.stdout.decode(), scalar, (isa, arithmetic))


class Configurations(Cli):
    def test_words_of_other_programs_lead_to_a_key_or_a_sentence(self):
        """NetLogo, Mesa, Processing, p5, Unity, and the course."""
        words = """
        population vision minimum-separation min-separation max-align-turn max-cohere-turn max-separate-turn
        turtles patches ticks go setup flockmates nearest-neighbor BehaviorSpace reporter world-wrap
        population_size separation cohere separate match speed n_agents ContinuousSpace torus DataCollector
        batch_run maxforce maxspeed desiredseparation neighbordist perceptionRadius alignSlider PVector setMag
        limit wrapAround borders mouseX draw frameRate createVector Boid steer seek arrive wander
        neighborRadius avoidanceRadius driveFactor squareAvoidanceRadius behaviorWeights viewRadius
        avoidRadius maxSteerForce alignWeight cohesionWeight seperateWeight targetWeight boundsRadius
        avoidCollisionWeight collisionAvoidDst spawnRadius flockmate leader bounds prefab seperation
        turnfactor visualRange protectedRange centeringfactor avoidfactor matchingfactor maxbias
        bias_increment biasval predatorturnfactor dt timestep density noise eta fov mass weight boundary
        periodic walls food target path 3d
        """.split() + [
            "blind angle"
        ]
        words += " ".join(re.findall(r"\| (.*) \| the value", read("docs", "keys.md"))).split()
        for word in words:
            done = self.run_boids("--help", word)
            if done.returncode != 0:
                self.assertRegex(done.stderr.decode(), "; ", word)

    def test_a_folder_cannot_be_read(self):
        self.mkdir("d")
        self.write("new\nline.json", "{")
        self.refused("new?line.json:1:2: the JSON ends within an object", "-c", "new\nline.json")

    @unittest.skipUnless(os.geteuid() == 0, "only root can run as another user")
    def test_a_file_without_read_permission_is_refused(self):
        self.chmod("small.json", 0o600)
        done = self.run_as_nobody("-c small.json")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertEqual(done.stderr, b"boids: small.json: cannot be opened: Permission denied\n")

    def test_files_that_are_no_configuration(self):
        self.write("a.json", bytes(range(255, -1, -1)))
        self.refused(re.compile(r"^a\.json:1:\d+: "), "-c a.json")
        shutil.copy(BOIDS, self.path("a.json"))
        os.truncate(self.path("a.json"), 5000)
        self.refused(re.compile(r"^a\.json:1:\d+: "), "-c a.json")
        os.truncate(self.path("a.json"), 100 << 20)
        self.refused(
            "a.json: it is larger than 1 MiB, so it is not a configuration; flock.init.file starts from a trajectory",
            "-c a.json",
        )

    def test_a_flock_beyond_memory_is_refused_before_anything_is_opened(self):
        self.write("a.h5", "mine")
        self.write("a.csv.part", "mine")
        for words in ((), "--check", "-o a.h5 -o a.csv"):
            self.refused(
                re.compile(
                    r"^flock\.count is 2147483647; that takes \S+ GB of memory and this machine has "
                ),
                "-c small.json -s predators.count=0 -s flock.count=2147483647",
                words,
            )


class Requests(Cli):
    """No option is silently ignored."""

    def test_each_option_is_given_once(self):
        run = "-c small.json -o none"
        for name, one, other in rows_of(
            """
            config | small.json | a.json
            steps | 1 | 2
            seed | 1 | 2
            every | 1 | 2
            init | a | b
            threads | 1 | 2
            digits | 3 | 4
            hash | 1 | 2
            format | csv | xyz
            progress | auto | never
            boids | all | {"every": 2}
            max-seconds | 1 | 2
            until | flocks < 2 | flocks < 3
            points | a | b
            keep | a | b
            table | a | b
            observables | a.csv | b.csv
            """
        ):
            self.refused(
                "--%s is given twice, %s and %s; give it once" % (name, one, other),
                "--" + name,
                one,
                "--" + name,
                other,
            )
            self.refused(
                "--%s is given twice; give it once" % name, "--" + name, one, "--" + name, one
            )
        for name in "summary force quiet verbose keep-step check".split():
            self.refused("--%s is given twice; give it once" % name, run, "--" + name, "--" + name)
        self.good("-c small.json -s steps=1 -s seed=2 -o a.csv -o b.csv -q")

    def test_check_refuses_a_frame_that_no_output_can_store(self):
        for task in ((), "--check"):
            self.refused(
                "output.fields has no position, which XYZ needs; write a.xyz as CSV or HDF5",
                "-c small.json -o a.xyz -s 'output.fields=[\"velocity\"]'",
                task,
            )
            self.refused(
                '--boids {"from": 50, "to": 60}: output.boids selects no boid; ids go from 0 to 9',
                '-c small.json -o a.csv --boids \'{"from": 50, "to": 60}\'',
                task,
            )

    def test_a_dash_is_a_stream_or_refused(self):
        why = (
            "%s cannot be -, which is standard input for --config, --init and --points, and standard output for --output and "
            "--observables; give a name"
        )
        self.good("-c small.json -o a.csv")
        self.write("p.csv", "seed\n1\n")
        state = self.read("a.csv").encode()
        for is_there in (False, True):
            for option, words in rows_of(
                """
                --from | --from - -o b.csv
                --resume | --resume -
                --convert | --convert - -o b.csv
                --verify | --verify -
                --diff | --diff - a.csv
                --diff | --diff a.csv -
                --diff | --diff - -
                --table | -c small.json --points p.csv --table -
                --keep | -c small.json --points p.csv --table t.csv --keep -
                --table | -c small.json --points p.csv --table - --check
                """
            ):
                self.refused(why % option, words, input=state)
            self.write("-", state)
        # A file of this name is ./-.
        self.good("--diff ./- a.csv")
        self.mkdir("d")
        for words in (
            "-c small.json --init -",
            "-c d/c.json",
            "-c c.json",
            "-c small.json -s flock.init.file=-",
        ):
            for name in ("c.json", "d/c.json"):
                self.write(name, '{"steps": 5, "flock": {"init": {"file": "-"}}}')
            self.remove("-")
            self.assertEqual(self.good(words, "-n 0", input=state).count("\n"), 13, words)
            self.write("-", "not read")

    def test_one_task(self):
        self.good("-c small.json -o a.h5 -q")
        for words, message in rows_of(
            """
            -c small.json -o x.csv --verify a.h5 | --verify takes no other options; remove --config
            --presets -n 5 | --presets takes no other options; remove --steps
            --diff a.h5 a.h5 --force | --diff takes no other options; remove --force
            --verify b.h5 --verify a.h5 | --verify is given twice, b.h5 and a.h5; give it once
            --diff a.h5 b.h5 --diff a.h5 a.h5 | --diff is given twice; give it once
            --check --print-config -c small.json | --check and --print-config are two tasks; give only one of them
            --verify a.h5 --diff a.h5 a.h5 | --diff and --verify are two tasks; give only one of them
            --convert a.h5 -o b.csv --until 'flocks < 2' | --until is for a run; --convert a.h5 copies frames of an earlier run
            """
        ):
            self.refused(message, words)
        self.good("--verify a.h5 -q")
        self.assertTrue(self.good("-c small.json --help"))


class InitialStates(Cli):
    def refused_state(self, message, text, *words):
        self.write("i.csv", text)
        self.refused("i.csv" + message, "-c small.json --init i.csv", words)

    def rows(self, *words, **more):
        return self.good("-c small.json", words, **more).splitlines()[1:]

    def test_a_state_comes_from_standard_input(self):
        state = STATE + "3,boid,1,2,3,4\n5,boid,100,200,3,4\n"
        self.write("i.csv", state)
        due = self.rows("--init i.csv")
        for words, text in (
            ("-", state),
            (
                "-@4",
                "step,"
                + STATE
                + "".join(
                    "%d,%s\n" % (step, row) for step in (4, 9) for row in state.splitlines()[1:]
                ),
            ),
        ):
            self.assertEqual(self.rows("--init", words, input=text.encode()), due)
        self.stopped(
            2,
            'standard input:2: id is "x"; it must be a whole number from 0 to 2147483647',
            "-c small.json --init -",
            input=(STATE + "x,boid,1,2,3,4\n").encode(),
        )

    def test_csv_written_by_r_is_read(self):
        rows = [("3", "boid", "1.5", "2", "3", "4"), ("5", "predator", "100", "200", "3", "4")]
        self.write("i.csv", STATE + "".join(",".join(row) + "\n" for row in rows))
        self.write(
            "r.csv",
            '"","note, quoted","id","type","x","y","vx","vy"\r\n'
            + "".join(
                '"%d","a ""b"", c",%s,"%s",%s,%s,%s,%s\r\n' % (i, *row)
                for i, row in enumerate(rows)
            ),
        )
        self.assertEqual(self.rows("--init r.csv"), self.rows("--init i.csv"))
        self.refused_state(
            ":2: a quoted cell is not followed by a comma or the end of the line",
            STATE + '1,"boid,1,2,3,4\n',
        )

    def test_a_state_named_by_set_is_meant_from_here(self):
        self.mkdir("configs")
        self.write("configs/c.json", self.read("small.json"))
        self.write("i.csv", STATE + "3,boid,1,2,3,4\n")
        self.assertEqual(
            self.good("-c configs/c.json -s flock.init.file=i.csv"),
            self.good("-c small.json --init i.csv"),
        )

    def test_the_number_of_predators_is_limited(self):
        many = "".join("%d,predator,1,1,3,3\n" % i for i in range(1, 65537))
        self.refused_state(
            " holds 65536 predators; a flock has at most 65535", STATE + "0,boid,1,1,3,3\n" + many
        )

    def test_files_that_are_no_state(self):
        self.write("a.h5", "junk")
        self.refused(
            "a.h5: cannot be opened as HDF5, the only format with the configuration of a run",
            "-c small.json --init a.h5",
        )
        self.refused(
            re.compile("^small.json:1: there is no column id"), "-c small.json --init small.json"
        )
        self.write("a.hdf", b"\x89HDF\r\n\x1a\n\0")
        self.refused(
            "a.hdf: this is HDF5, which is read only from a file named NAME.h5",
            "-c small.json --init a.hdf",
        )
        self.write("a.csv", "id;type;x;y;vx;vy\n0;boid;1,5;1;0;0\n")
        self.refused(
            "a.csv:1: semicolons separate its cells; they must be commas (boids-tracks reads the tracks of animals)",
            "-c small.json --init a.csv",
        )
        self.write("a.csv", STATE.encode("utf-16"))
        self.refused(
            "a.csv:1: it contains a NUL byte; save the file as UTF-8 text",
            "-c small.json --init a.csv",
        )

    def test_ids_are_kept_and_rows_sorted_in_any_order_of_columns(self):
        self.write(
            "i.csv",
            "vy,note,vx,y,x,type,id\n3,a,4,2,1,boid,30\n-3,,4,6,5,predator,7\n3,b,-4,8,7,boid,4\n",
        )
        self.assertEqual(
            self.rows("--init i.csv -n 0"),
            ["0,0,4,boid,7,8,-4,3", "0,0,30,boid,1,2,4,3", "0,0,7,predator,5,6,4,-3"],
        )

    def test_counts_are_read_from_the_state_file(self):
        self.write("i.csv", STATE + "0,boid,1,2,3,4\n")
        self.assertEqual(len(self.rows("--init i.csv -n 0 -s flock.count=50")), 1)
        printed = self.json("-c small.json --init i.csv --print-config")
        self.assertEqual((printed["flock"]["count"], printed["predators"]["count"]), (1, 0))

    def test_the_last_step_is_read_unless_another_is_requested(self):
        self.good("-c small.json --digits 17 --every 2 -o r.csv -o r.h5")
        frames = {}
        for row in self.read("r.csv").splitlines()[1:]:
            frames.setdefault(int(row.split(",")[0]), []).append(row.split(",", 2)[2])
        for name in ("r.csv", "r.h5"):
            for wanted, step in ((name, 5), (name + "@0", 0), (name + "@4", 4)):
                rows = self.rows("--init", wanted, "-n 0 --digits 17")
                self.assertEqual([row.split(",", 2)[2] for row in rows], frames[step], wanted)
            for step in ("1", "6", "99999999999"):
                self.refused(
                    "%s: step %s is not in it; its steps go from 0 to 5" % (name, step),
                    "-c small.json --init",
                    "%s@%s" % (name, step),
                )
            self.refused(
                re.compile("^%s: step 99999999999999999999 is " % name),
                "-c small.json --init",
                name + "@99999999999999999999",
            )

    def test_a_truncated_trajectory_is_refused_as_a_state(self):
        self.good("-c small.json --digits 17 -o whole.csv")
        lines = self.read("whole.csv").splitlines(keepends=True)
        words = "-c small.json -n 0 --init"
        frame = self.good(words, "whole.csv@4")
        short = (
            "i.csv: step 5 has other boids or predators than step 0; the file may have been cut short; "
            "--init FILE@STEP reads a step without this check"
        )
        for left_out in (1, 2, 7, 11):
            for rows in (lines[1:-left_out], sorted(lines[1:-left_out])):
                self.write("i.csv", lines[0] + "".join(rows))
                self.refused(short, words, "i.csv")
                self.assertEqual(self.good(words, "i.csv@4"), frame)
        self.write("i.csv", "".join(lines[:-12]))
        self.assertEqual(self.good(words, "i.csv"), frame)
        self.write("i.csv", "".join(lines[:-1]) + lines[-1].replace(",11,", ",12,"))
        self.refused(short, words, "i.csv")
        self.write("i.csv", lines[0] + "".join(lines[:0:-1]))
        for name in ("i.csv", "i.csv@5"):
            self.refused(
                "i.csv: step 4 comes after step 5; the steps of a trajectory ascend", words, name
            )

    def test_a_truncated_line_is_refused(self):
        self.good("-c small.json --digits 17 -o whole.csv")
        text = self.read("whole.csv")
        words = "-c small.json -n 0 --init"
        last = len(text.splitlines())
        begin = text.rindex("\n", 0, -1) + 1
        self.assertTrue(text[begin:].startswith("5,"))
        for size in range(begin + 1, len(text)):
            self.write("i.csv", text[:size])
            open_line = (
                "i.csv:%d: the line does not end, so the file may have been cut short; if it is "
                "complete, add a line break; otherwise use an earlier step: --init FILE@STEP" % last
            )
            self.refused(open_line, words, "i.csv")
        self.refused(open_line, words, "i.csv@5")
        self.assertEqual(self.good(words, "i.csv@4"), self.good(words, "whole.csv@4"))

    def test_a_state_may_lack_the_last_newline(self):
        self.write("i.csv", STATE + "5,boid,1,2,3,4")
        self.assertEqual(self.rows("--init i.csv -n 0"), ["0,0,5,boid,1,2,3,4"])

    def test_a_name_with_an_at_sign_is_a_name_first(self):
        self.write("a.csv@3", STATE + "5,boid,1,2,3,4\n")
        self.assertEqual(self.rows("--init a.csv@3 -n 0"), ["0,0,5,boid,1,2,3,4"])

    def test_a_run_continues_as_if_never_stopped(self):
        for config in ("adams", "castor", "murmuration"):
            words = ("-c", config, "-s flock.count=60 --digits 17 --every 100")
            self.good(words, "-n 200 -s predators.count=2 -o run.csv -o run.h5")
            whole = [
                row.split(",")[2:]
                for row in self.read("run.csv").splitlines()
                if row.startswith("200,")
            ]
            self.assertEqual(len(whole), 62)
            header, *rows = self.read("run.csv").splitlines()
            rows.sort(key=lambda row: (int(row.split(",")[0]), row[::-1]))
            self.write("shuffled.csv", "\n".join([header, *rows]) + "\n")
            for start in ("run.csv@100", "run.h5@100", "shuffled.csv@100"):
                done = self.good(words, "-n 100 --init", start).splitlines()
                self.assertEqual(
                    [row.split(",")[2:] for row in done if row.startswith("100,")],
                    whole,
                    "%s %s" % (config, start),
                )

    def test_a_state_named_in_the_configuration_is_in_its_folder(self):
        self.mkdir("sub")
        self.write("sub/c.json", '{"steps": 0, "flock": {"init": {"file": "s.csv"}}}')
        self.write("sub/s.csv", STATE + "5,boid,1,2,3,4\n")
        self.assertEqual(self.good("-c sub/c.json"), HEADER + "\n0,0,5,boid,1,2,3,4\n")


class Outputs(Cli):
    @unittest.skipUnless(os.geteuid() == 0, "only root can run as another user")
    def test_a_folder_that_cannot_be_written(self):
        self.chmod("small.json", 0o644)
        for ending in ENDINGS:
            done = self.run_as_nobody("-c small.json -o", "a." + ending)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertEqual(
                done.stderr.decode(),
                "boids: a.%s: its folder may not be written: Permission denied\n" % ending,
            )

    def test_a_refused_output_leaves_the_others_unchanged(self):
        self.write("a.csv.part", "mine")
        self.write("b.csv", "step,time,mine")
        for bad in ("x.zzz", "no/x.csv", "d"):
            self.mkdir("d")
            self.refused(re.compile("^" + bad), "-c small.json -o a.csv -o b.csv -o c.h5 -o", bad)

    def test_an_output_that_is_also_an_input_is_refused(self):
        self.good("-c small.json -o i.csv -o i.h5")
        self.link("i.csv", "link.csv")
        os.link(self.path("i.csv"), self.path("hard.csv"))
        os.link(self.path("small.json"), self.path("config.csv"))
        wrong = "%s is read and written by the same run; give the output another name"
        for name in ("i.csv", "./i.csv", "link.csv", "hard.csv"):
            self.refused(wrong % "i.csv", "-c small.json --init i.csv -o", name)
            self.refused(wrong % "i.csv", "-c small.json --init i.csv@2 -o", name)
        self.refused(wrong % "i.h5", "-c small.json --init i.h5@2 -o i.h5")
        self.refused(wrong % "small.json", "-c small.json -o small.json --format csv")
        self.refused(wrong % "small.json", "-c small.json -o config.csv")
        self.rename("i.h5", "i.h5.part")
        self.refused(wrong % "i.h5.part", "-c small.json --init i.h5.part -o i.h5 --force")

    def test_two_outputs_are_two_files(self):
        twice = "%s is given twice as an output; each needs a file of its own"
        self.mkdir("d")
        self.write("a.csv", "mine")
        self.link("a.csv", "link.csv")
        self.refused(twice % "link.csv", "-c small.json -o a.csv -o link.csv")

    def test_devices_are_written_directly(self):
        self.assertEqual(self.good("-c small.json -o /dev/null -o /dev/null"), "")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        for word in [word for word, *_ in read_formats() if word != "h5"]:
            self.stopped(
                1, "/dev/full: No space left on device", "-c small.json -o /dev/full --format", word
            )

    def test_a_fifo_gets_the_data_and_stays_a_fifo(self):
        os.mkfifo(self.path("f.csv"))
        process = self.start("-c small.json -o f.csv")
        with self.open_fifo("f.csv", process) as fifo:
            arrived = fifo.read().decode()
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertEqual(arrived, self.good("-c small.json"))
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("f.csv")).st_mode))
        self.assertEqual(self.names(), ["f.csv", "small.json"])

    def test_a_fifo_is_given_once(self):
        os.mkfifo(self.path("f.csv"))
        self.link("f.csv", "g.csv")
        for other in ("f.csv", "./f.csv", "g.csv"):
            self.refused(
                other + " is given twice as an output; each needs a file of its own",
                "-c small.json -o f.csv -o",
                other,
            )
            self.refused(
                other + " is given twice as an output; each needs a file of its own",
                "-c small.json -o f.csv --observables",
                other,
            )

    def test_a_descriptor_is_an_output(self):
        reader, writer = os.pipe()
        done = self.run_boids("-c small.json -o", "/dev/fd/%d" % writer, pass_fds=[writer])
        os.close(writer)
        with open(reader, encoding="utf-8") as pipe:
            self.assertEqual(pipe.read(), self.good("-c small.json"))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        done = subprocess.run(
            ["bash", "-c", '"$0" -c small.json -o >(gzip > a.gz)', BOIDS],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def shell(self, command):
        """Status and standard error of a command of the shell, with boids as $0."""
        done = subprocess.run(
            ["bash", "-c", command, BOIDS], cwd=self.folder, capture_output=True, text=True
        )
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr

    def test_the_file_behind_an_inherited_descriptor_is_written_and_not_replaced(self):
        text = self.good("-c small.json")
        self.good("-c small.json --observables o.csv")
        run, dev = '"$0" -q -c small.json --format csv ', "/dev/fd/"
        self.link("log", "link")
        for words, wanted in (
            ("-o /dev/stdout >> log", text),
            ("-o /dev/stderr 2>> log", text),
            ("-o log >> log", text),
            ("-o link >> log", text),
            ("-o /proc/self/fd/1 >> log", text),
            (f"-o {dev}3 3>> log", text),
            ("-o /dev/stdout >> log 2>&1", text),
            ("--observables /dev/stdout >> log", self.read("o.csv")),
            ("--observables log 2>> log", self.read("o.csv")),
            ("-o /dev/stdout --observables p.csv --summary >> log", None),
        ):
            with self.subTest(words=words):
                self.write("log", "earlier\n")
                status, said = self.shell(run + words + " && echo later >> log")
                if wanted is None:
                    self.assertEqual(self.read("log"), "earlier\n")
                    self.assertEqual(
                        (status, said),
                        (
                            2,
                            "boids: /dev/stdout is where --summary is printed; give the output another name\n",
                        ),
                    )
                else:
                    self.assertEqual(
                        (status, self.read("log")), (0, f"earlier\n{wanted}later\n"), said
                    )
                self.assertNotIn("log.part", self.names())
        self.shell('{ echo before; "$0" -q -c small.json -o /dev/stdout; echo after; } > log')
        self.assertEqual(self.read("log"), f"before\n{text}after\n")

    def test_outputs_to_one_stream_are_recognised_by_its_file(self):
        self.link("linked", "link.csv")
        for words, place in (
            ("-o - -o /dev/stdout", "> log"),
            ("-o - --observables /dev/stdout", "> log"),
            ("-o - --observables /dev/stdout", "| cat > log"),
            ("-o /dev/stdout -o -", "| cat > log"),
            ("-o /dev/stderr -o log", "2> log"),
            ("-o link.csv -o /dev/fd/1", "> linked"),
            ("-o - --observables /dev/stderr", "> log 2>&1"),
            ("-o /dev/fd/4 -o /dev/fd/3", "3> log 4>&3"),
            ("-o - --summary --observables /dev/stderr", "> log"),
        ):
            with self.subTest(words=words, place=place):
                self.write("log", "")
                self.write("linked", "")
                status, said = self.shell(
                    f'set -o pipefail; {{ "$0" -q -c small.json --format csv {words}; }} {place}'
                )
                self.assertEqual(status, 2)
                self.assertRegex(
                    said + self.read("log") + self.read("linked"),
                    r"^boids: \S+ is (given twice as an output; each needs a file of its own|where --summary is "
                    r"printed; give the output another name)\n$",
                )
        self.assertEqual(
            self.shell('"$0" -q -c small.json -o /dev/null -o - -o /dev/null > /dev/null'), (0, "")
        )

    def test_an_output_spares_the_files_of_the_streams(self):
        wrong = "is read and written by the same run; give the output another name\n"
        self.write("i.csv", self.good("-c small.json"))
        before = self.read("i.csv")
        for words, name in rows_of(
            """
            -c - -o small.json --format csv < small.json | /dev/stdin
            -c small.json --init - -o i.csv < i.csv | /dev/stdin
            -c small.json --init i.csv -o - >> i.csv | i.csv
            --convert i.csv -o /dev/stdout >> i.csv | i.csv
            """
        ):
            self.assertEqual(
                self.shell('"$0" -q ' + words), (2, "boids: %s %s" % (name, wrong)), words
            )
        self.assertEqual(self.read("i.csv"), before)

    def test_hdf5_needs_a_file_of_its_own(self):
        for words in ("-o a.h5 >> a.h5", "-o a.h5 2>> a.h5", "-o /dev/stdout --format h5 >> a.h5"):
            self.write("a.h5", "")
            status, said = self.shell('"$0" -q -c small.json ' + words)
            self.assertEqual(status, 2)
            self.assertRegex(
                said + self.read("a.h5"),
                r"^boids: HDF5 cannot be written to \S+; it needs a regular file of its own\n$",
            )

    def test_a_link_stays_and_its_file_is_replaced(self):
        self.mkdir("d")
        for ending in ENDINGS:
            self.write("d/target." + ending, "")
            self.link("d/target." + ending, "link." + ending)
            self.good("-c small.json -o", "a." + ending)
            self.good("-c small.json -o", "link." + ending)
            self.assertTrue(os.path.islink(self.path("link." + ending)))
            self.assertEqual(self.bytes("d/target." + ending), self.bytes("a." + ending))

    def test_closed_or_full_standard_output_fails(self):
        # The last one is longer than the buffer of standard output, so its first write fails before the last one.
        for words in (
            "-c small.json",
            "--help",
            "--presets",
            "-c small.json --print-config",
            "--help flock",
        ):
            for redirection, message in (
                (">&-", "is closed"),
                (">/dev/full", ": No space left on device"),
            ):
                done = subprocess.run(
                    ["sh", "-c", '"$0" ' + words + redirection, BOIDS],
                    cwd=self.folder,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                )
                self.assertEqual(done.returncode, 1, words)
                self.assertIn(message, done.stderr.decode())
                self.assertRegex(done.stderr.decode(), r"\Aboids: standard output[^\n]*\n\Z")

    def test_hashes_that_standard_error_cannot_take_are_a_failure(self):
        for redirection, status in (
            ("2>&-", 1),
            ("2>/dev/full", 1),
            ("2>&1 >&- | head -n 1", 0),
        ):
            command = f'set -o pipefail; "$0" -c small.json --hash 1 -o a.csv --force {redirection}'
            done = subprocess.run(
                ["bash", "-c", command, BOIDS], cwd=self.folder, stdout=subprocess.DEVNULL
            )
            self.assertEqual(done.returncode, status, redirection)
            self.assertEqual(self.read("a.csv"), self.good("-c small.json"))

    def test_all_streams_closed_writes_the_file_all_the_same(self):
        subprocess.run(
            ["sh", "-c", '"$0" -c small.json -o a.csv -o a.h5 <&- >&- 2>&-', BOIDS],
            cwd=self.folder,
            check=True,
        )
        self.assertEqual(self.read("a.csv"), self.good("-c small.json"))
        with self.h5("a.h5") as file:
            self.assertEqual(len(file["particles/boids/position/step"]), 6)

    def test_a_reader_that_closes_the_pipe_is_not_a_failure(self):
        done = subprocess.run(
            [
                "bash",
                "-c",
                '"$0" -c small.json -n %s | head -n 1; echo ${PIPESTATUS[0]}' % ENDLESS,
                BOIDS,
            ],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=4 * PATIENCE,
        )
        self.assertEqual((done.stdout.decode(), done.stderr), (HEADER + "\n0\n", b""))
        done = subprocess.run(
            [
                "bash",
                "-c",
                '"$0" -c small.json -n 3000 -o - -o a.csv -o a.h5 | head -n 1; '
                "echo ${PIPESTATUS[0]}",
                BOIDS,
            ],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        self.assertEqual((done.stdout.decode(), done.stderr), (HEADER + "\n0\n", b""))
        self.assertEqual(steps_of(self.read("a.csv")), list(range(3001)))
        self.assertEqual(self.names(), ["a.csv", "a.h5", "small.json"])

    def test_a_file_is_replaced_on_completion_only(self):
        for ending in ENDINGS:
            name = "a." + ending
            self.write(name, "old")
            self.chmod(name, 0o640)
            process = self.start_writing(name, "--force")
            self.assertEqual(self.read(name), "old")
            process.terminate()
            process.wait(PATIENCE)
            self.assertEqual(self.read(name), "old")
            self.good("-c small.json -o", name, "--force")
            self.assertGreater(len(self.bytes(name)), 1000)
            self.assertEqual(stat.S_IMODE(os.stat(self.path(name)).st_mode), 0o640)
            self.assertFalse(self.exists(name + ".part"))


class Failures(Cli):
    def check_part(self, ending):
        """A failed run leaves readable output and the old result."""
        self.assertEqual(self.read("d/a." + ending), "old")
        self.assertGreater(self.size("d/a.%s.part" % ending), 0)
        if ending == "h5":
            with self.h5("d/a.h5.part") as file:
                steps = file["particles/boids/position/step"][:]
            self.assertGreater((steps >= 0).sum(), 0)
            whole = steps[steps >= 0]
            self.assertEqual(list(whole), list(range(len(whole))))

    def check_failure(self, ending, message, **more):
        self.write("d/a." + ending, "old")
        said = self.stopped(
            1,
            re.compile(r"^d/a\.%s: .*%s" % (ending, message)),
            "-c adams -n 2000 -s output.flush_seconds=0 -o",
            "d/a." + ending,
            "--force",
            **more,
        )
        self.check_part(ending)
        return said

    @unittest.skipUnless(os.geteuid() == 0, "only root can mount a small disk")
    def test_a_full_disk(self):
        for ending in ENDINGS:
            self.mkdir("d")
            mounted = subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", self.path("d")],
                capture_output=True,
            )
            if mounted.returncode != 0:
                self.skipTest("nothing can be mounted here")
            try:
                self.check_failure(ending, "No space left on device")
            finally:
                subprocess.run(["umount", self.path("d")], check=True)

    def test_a_limit_on_the_size_of_files(self):
        self.mkdir("d")

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        for ending in ENDINGS:
            self.check_failure(
                ending, rf"File too large; .* in (d/)?a\.{ending}\.part$", preexec_fn=limit
            )

    def test_the_key_of_a_number_that_overflows_is_named(self):
        for setting, named in rows_of(
            """
            flock.cohesion.factor=1e200 | flock.cohesion.factor is 1e+200
            world.wind=[0,-1e308] | world.wind is [0, -1e+308]
            schedule=[{"at": 1, "set": {"flock.cohesion.factor": 1e200}}] | flock.cohesion.factor is 1e+200
            """
        ):
            self.stopped(
                1,
                re.compile(
                    r"^step [123]: boid 0 has left the range of float64: a factor or force is too large; %s; nothing was written$"
                    % re.escape(named)
                ),
                "-c adams -n 9 -o none --set",
                setting,
            )

    def test_if_one_output_fails_the_other_is_kept_as_part(self):
        self.stopped(1, "/dev/full: No space left on device", "-c small.json -o a.csv -o /dev/full")
        self.assertEqual(self.names(), ["a.csv.part", "small.json"])
        self.assertTrue(self.read("a.csv.part").endswith("\n"))

    def test_a_boid_that_overflows_ends_the_run_and_keeps_the_frames(self):
        self.write("i.csv", STATE + "0,boid,1,1,3e37,0\n1,boid,300,300,3,3\n")
        self.write(
            "a.json",
            json.dumps(
                {
                    "steps": 1000,
                    "arithmetic": "float32",
                    "world": {"border": "open"},
                    "flock": {
                        "min_speed": None,
                        "max_speed": None,
                        "init": {"file": "i.csv", "speed": [3, 6]},
                    },
                }
            ),
        )
        self.stopped(
            1,
            re.compile(
                r"^step \d+: boid 0 has left the range of float32: a factor or force is too large; the frames before it are kept$"
            ),
            "-c a.json -o a.csv -o a.h5",
        )
        self.assertEqual(self.names(), ["a.csv.part", "a.h5.part", "a.json", "i.csv", "small.json"])
        steps = steps_of(self.read("a.csv.part"))
        self.assertGreater(len(steps), 0)
        self.assertEqual(steps, list(range(len(steps))))
        self.assertNotRegex(self.read("a.csv.part"), "inf|nan")
        self.stopped(
            1,
            re.compile(
                r"^step \d+: boid 0 has left the range of float32: a factor or force is too large; nothing was written$"
            ),
            "-c a.json -o none",
        )
        with self.h5("a.h5.part") as file:
            self.assertEqual(list(file["particles/boids/position/step"]), steps)


class Parts(Cli):
    def test_a_part_that_is_text_is_replaced(self):
        for ending in ENDINGS:
            self.write("a.%s.part" % ending, "old" * 100000)
            self.good("-c small.json -o", "a." + ending)
            self.good("-c small.json -o", "b." + ending)
            self.assertEqual(self.bytes("a." + ending), self.bytes("b." + ending))
            self.assertFalse(self.exists("a.%s.part" % ending))

    def test_a_part_with_frames_is_kept_unless_forced(self):
        self.good("-c small.json -o a.h5")
        self.copy("a.h5", "b.h5.part")
        self.refused(
            "b.h5.part holds 6 frames of a run that was stopped; --resume b.h5 continues it, --force replaces it",
            "-c small.json -o b.h5",
        )
        self.good("-c small.json -o b.h5 --force")
        self.assertEqual(self.bytes("a.h5"), self.bytes("b.h5"))
        self.assertEqual(self.names(), ["a.h5", "b.h5", "small.json"])

    def test_a_part_without_a_frame_is_replaced(self):
        for text in ("", "junk"):
            self.write("a.h5.part", text)
            self.good("-c small.json -o a.h5")
            self.assertNotIn("a.h5.part", self.names())

    def test_one_frame_is_one_frame(self):
        self.good("-c small.json -n 0 -o a.h5")
        self.rename("a.h5", "a.h5.part")
        self.refused(re.compile("^a.h5.part holds 1 frame of a run"), "-c small.json -o a.h5")

    def check_live(self, ending, env=None):
        name = "a." + ending
        process = self.start_writing(name, env=env)
        for words in ((), "--force"):
            self.stopped(
                2,
                "%s.part is being written by another run" % name,
                "-c small.json -o",
                name,
                words,
                env=env,
            )
        process.terminate()
        self.assertEqual(process.wait(PATIENCE), 143)
        self.assertEqual(self.names(), [name + ".part", "small.json"])

    def test_the_part_file_of_a_live_run_is_not_overwritten(self):
        for ending in ENDINGS:
            self.check_live(ending)
            self.remove("a.%s.part" % ending)

    def test_the_part_file_of_a_live_run_is_not_overwritten_without_library_locks(self):
        self.check_live("h5", env=dict(os.environ, HDF5_USE_FILE_LOCKING="FALSE"))


class Signals(Cli):
    def check_parts(self, folder_names):
        text = self.read("a.csv.part")
        self.assertTrue(text.endswith("\n"))
        rows = text.splitlines()[1:]
        self.assertEqual(len(rows) % 12, 0)
        steps = steps_of(text)
        self.assertEqual(steps[:-1], list(range(0, 200 * len(steps) - 200, 200)))
        with self.h5("a.h5.part") as file:
            self.assertEqual(list(file["particles/boids/position/step"]), steps)
            self.assertEqual(file["particles/boids/position/value"].shape, (len(steps), 10, 2))
        matrix = numpy.loadtxt(self.path("a.txt.part"), skiprows=1)
        self.assertEqual(matrix.shape, (4 * len(steps), 10))
        self.assertEqual(self.read("a.txt.part").split()[:2], [str(4 * len(steps)), "10"])
        self.assertEqual(self.names(), folder_names)

    def test_a_signal_ends_the_run_with_every_file_whole(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.start_writing("a.csv", "-o a.h5 -o a.txt")
            process.send_signal(number)
            reported, said = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, status)
            self.assertEqual(reported, b"")
            last = steps_of(self.read("a.csv.part"))[-1]
            self.assertEqual(
                said.decode(),
                "boids: stopped at step %d; the frames written so far are kept; continue with: boids --resume "
                "a.h5\n" % last,
            )
            self.check_parts(["a.csv.part", "a.h5.part", "a.txt.part", "small.json"])
            for name in ("a.csv.part", "a.h5.part", "a.txt.part"):
                self.remove(name)

    def test_a_batch_system_asks_for_an_end(self):
        for number, status in ((signal.SIGHUP, 129), (signal.SIGUSR1, 0), (signal.SIGXCPU, 0)):
            process = self.start_writing("a.h5")
            process.send_signal(number)
            said = process.communicate(timeout=PATIENCE)[1].decode()
            self.assertEqual(process.returncode, status)
            self.assertRegex(
                said,
                r"^boids: stopped at step \d+; the frames written so far are kept; continue with: boids --resume a.h5\n$",
            )
            self.assertEqual(self.names(), ["a.h5.part", "small.json"])
            self.remove("a.h5.part")

    def until_full(self, fifo, process):
        """Wait until less than a page is free in the pipe, and the run waits in the middle of a frame."""
        size = fcntl.fcntl(fifo, 1032)  # F_GETPIPE_SZ

        def is_waiting():
            return read(f"/proc/{process.pid}/stat").rsplit(")")[1].split()[0] == "S"

        self.until(
            lambda: size - struct.unpack("i", fcntl.ioctl(fifo, termios.FIONREAD, b"0000"))[0]
            < 4096
            and is_waiting(),
            process,
        )

    def flushed_frames(self, name):
        with contextlib.suppress(OSError, KeyError), h5py.File(
            self.path(name), locking=False
        ) as file:
            return int((file["particles/boids/position/step"][:] >= 0).sum())
        return 0

    def test_a_repeated_notice_of_a_batch_system_is_not_a_second_signal(self):
        os.mkfifo(self.path("f.csv"))
        usr1, xcpu, term, interrupt = signal.SIGUSR1, signal.SIGXCPU, signal.SIGTERM, signal.SIGINT
        for numbers, status in (
            ((xcpu, xcpu, xcpu), 0),
            ((usr1, usr1), 0),
            ((xcpu, usr1), 0),
            ((usr1, xcpu, usr1), 0),
            ((term, usr1, xcpu), 143),
            ((usr1, interrupt), 130),
        ):
            process = self.start("-c small.json -n", ENDLESS, "--force -o f.csv -o a.csv")
            with self.subTest(numbers=numbers), self.open_fifo("f.csv", process) as fifo:
                self.until_full(fifo, process)
                for number in numbers:
                    process.send_signal(number)
                    time.sleep(0.1)
                self.assertIsNone(process.poll())
                fifo.read()
                self.assertEqual(process.wait(PATIENCE), status)
                rows = self.read("a.csv.part").splitlines()[1:]
                self.assertEqual(len(rows) % 12, 0)

    def test_two_notices_at_once_end_a_run_and_a_sweep_with_status_0(self):
        self.write("p.csv", "seed,steps\n" + "".join("%d,%s\n" % (i, ENDLESS) for i in range(4)))
        for folder, words in (
            (".", ("-n", ENDLESS, "--every 200 -o a.csv")),
            ("kept", "--points p.csv --table t.csv --keep kept"),
        ):
            process = self.start("-c small.json", words)
            self.until(
                lambda: os.path.isdir(self.path(folder))
                and ".part" in " ".join(os.listdir(self.path(folder))),
                process,
            )
            for number in (signal.SIGSTOP, signal.SIGXCPU, signal.SIGUSR1, signal.SIGCONT):
                process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE), 0, words)

    def test_a_time_limit_ends_a_run_that_resumes_to_the_same_bytes(self):
        words = "-c small.json --every 7"
        done = self.run_boids(words, "-n", ENDLESS, "-o a.h5 --max-seconds 0.2 --summary")
        self.assertEqual(done.returncode, 0)
        line = json.loads(done.stdout)
        self.assertEqual((line["status"], line["stopped_by"]), ("stopped", "max-seconds"))
        self.assertEqual(
            done.stderr.decode(),
            "boids: stopped at step %d after 0.2 s; the frames written so far are kept; continue with: boids --resume a.h5\n"
            % line["steps"],
        )
        self.assertEqual(self.names(), ["a.h5.part", "small.json"])
        steps = line["steps"] + 50
        self.good("--resume a.h5 -n", str(steps))
        self.good(words, "-n", str(steps), "-o whole.h5 --max-seconds", str(PATIENCE))
        self.assertTrue(self.bytes("a.h5") == self.bytes("whole.h5"))
        for wrong in ("0", "-1", "1s", "", "inf", "1e999", "nan"):
            self.refused(
                "--max-seconds is %s; it must be a number of seconds above 0" % wrong,
                "-c small.json --max-seconds",
                wrong,
            )

    def test_an_interrupt_reports_the_output_and_how_to_resume(self):
        process = self.start_writing("it's.h5")
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=PATIENCE)[1].decode()
        step, command = re.fullmatch(
            r"boids: stopped at step (\d+); the frames written so far are kept; continue with: boids (.*)\n",
            said,
        ).groups()
        self.assertEqual(shlex.split(command), ["--resume", "it's.h5"])
        done = subprocess.run(
            ["sh", "-c", f'"$0" {command} --steps {step}', BOIDS],
            cwd=self.folder,
            capture_output=True,
        )
        self.assertIn((done.returncode, done.stderr), [(0, b"")])
        for words, end in (
            ("-o none", "nothing was written"),
            ("-o a.csv", "the frames written so far are kept"),
        ):
            process = self.start("-c small.json -n", ENDLESS, "--every 1000 --hash 100", words)
            process.stderr.readline()
            process.stderr.readline()
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=PATIENCE)[1].decode().splitlines()[-1]
            self.assertRegex(said, r"^boids: stopped at step \d+; " + end + "$")

    def test_commands_in_messages_are_quoted_for_a_shell(self):
        self.good("-c small.json -o 'my a.h5'")
        self.rename("my a.h5", "my a.h5.part")
        self.refused(
            "my a.h5.part holds 6 frames of a run that was stopped; --resume 'my a.h5' continues it, --force replaces it",
            "-c small.json -o 'my a.h5'",
        )

    def test_a_second_signal_ends_the_run_at_once(self):
        os.mkfifo(self.path("f.csv"))
        process = self.start("-c small.json -n", ENDLESS, "-o f.csv")
        with self.open_fifo("f.csv", process) as fifo:
            self.until_full(fifo, process)
            process.send_signal(signal.SIGINT)
            time.sleep(0.3)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE), 143)

    def test_the_first_signal_ends_a_command_that_only_reads(self):
        # Standard input, a FIFO without a writer, and one with a writer that writes nothing.
        os.mkfifo(self.path("f"))
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for words in ("-c -", "-c f", "-c small.json --init f"):
                for has_writer in {False, "f" in words}:
                    process = self.start(words, "-o a.h5", stdin=subprocess.PIPE)
                    self.until(lambda: self.catches(process, number), process)
                    with open(self.path("f"), "wb") if has_writer else contextlib.nullcontext():
                        process.send_signal(number)
                        self.assertEqual(process.wait(PATIENCE), status)
                    self.assertEqual(self.names(), ["f", "small.json"])

    def test_a_batch_system_ends_a_run_before_its_first_output_with_status_0(self):
        os.mkfifo(self.path("f"))
        for number in (signal.SIGUSR1, signal.SIGXCPU):
            for words, status in (
                ("-c f -o a.h5", 0),
                ("--convert small.csv -c f -o b.csv", 0),
                ("-c f --check", 128 + number),
            ):
                process = self.start(words)
                with open(self.path("f"), "wb"):
                    process.send_signal(number)
                    self.assertEqual(process.wait(PATIENCE), status, words)
                self.assertEqual(
                    process.stderr.read().decode(),
                    "" if status else "boids: stopped before the first step; nothing was written\n",
                )
                self.assertEqual(self.names(), ["f", "small.json"])

    @staticmethod
    def catches(process, number):
        mask = re.search(
            r"^SigCgt:\s*(\w+)", read("/proc/%d/status" % process.pid), re.MULTILINE
        ).group(1)
        return int(mask, 16) >> (number - 1) & 1

    def test_an_ignored_signal_stays_ignored(self):
        process = self.start_writing(
            "a.csv", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
        )
        process.send_signal(signal.SIGINT)
        size = self.size("a.csv.part")
        self.until(lambda: self.size("a.csv.part") > size + 40000, process)
        process.terminate()
        self.assertEqual(process.wait(PATIENCE), 143)

    def test_a_killed_run_leaves_all_flushed_frames(self):
        process = self.start_writing("a.h5")
        self.until(lambda: self.flushed_frames("a.h5.part") > 1, process)
        process.kill()
        process.wait(PATIENCE)
        with self.h5("a.h5.part") as file:
            steps = file["particles/boids/position/step"][:]
            whole = int((steps >= 0).sum())
            self.assertGreater(whole, 1)
            self.assertEqual(list(steps[:whole]), list(range(0, 200 * whole, 200)))
            self.assertTrue(
                numpy.abs(file["particles/boids/velocity/value"][:whole]).sum(axis=(1, 2)).all()
            )
        self.refused(
            "a.h5.part holds %d frames of a run that was stopped; --resume a.h5 continues it, --force replaces it"
            % whole,
            "-c small.json -o a.h5",
        )
        self.good("-c small.json -o a.h5 --force")


class Formats(Cli):
    def test_every_configuration_is_reproducible_in_every_arithmetic(self):
        for i, config in enumerate(CONFIGS):
            known = arithmetics_of(os.path.basename(config)[:-5])
            for arithmetic in by_level(known[i % len(known) :][:1], known):
                words = ("-c", config, "-s", "arithmetic=" + arithmetic, "-s flock.count=60 -n 4")
                for name in ("a", "b"):
                    self.good(
                        words,
                        *(word for ending in ENDINGS for word in ("-o", "%s.%s" % (name, ending))),
                    )
                for ending in ENDINGS:
                    self.assertEqual(
                        self.bytes("a." + ending),
                        self.bytes("b." + ending),
                        (config, arithmetic, ending),
                    )
                self.assertEqual(steps_of(self.read("a.csv")), [0, 1, 2, 3, 4])

    def test_every_configuration_runs_as_shipped(self):
        for config in CONFIGS:
            self.assertEqual(steps_of(self.good("-c", config, "-n 2")), [0, 1, 2], config)

    def check_flushing(self, compression, *seconds):
        seen = set()
        for text in seconds:
            self.good(
                "-c small.json -n 1000 -s",
                "output.flush_seconds=" + text,
                "-o a.h5 -s",
                "output.compression=" + compression,
            )
            reported = b'"flush_seconds": ' + text.encode()
            self.assertEqual(self.bytes("a.h5").count(reported), 1)
            # All have five characters: the files differ only in these and in the hash of the configuration.
            with self.h5("a.h5") as file:
                hash_told = file["parameters"].attrs["hash"]
            seen.add(self.bytes("a.h5").replace(reported, b"").replace(hash_told, b""))
        self.assertEqual(len(seen), 1)

    def test_flushing_does_not_change_a_byte(self):
        for compression in "04":
            self.check_flushing(compression, "0.001", "0.033", "10000")

    def test_frames_are_the_first_every_kth_and_the_last(self):
        for steps, every, wanted in (
            (10, 3, [0, 3, 6, 9, 10]),
            (9, 3, [0, 3, 6, 9]),
            (2, 5, [0, 2]),
            (0, 4, [0]),
            (3, 1, [0, 1, 2, 3]),
        ):
            self.good(
                "-c small.json -n",
                str(steps),
                "--every",
                str(every),
                "--force",
                *(word for ending in ENDINGS for word in ("-o", "a." + ending)),
            )
            self.assertEqual(steps_of(self.read("a.csv")), wanted)
            self.assertEqual(
                numpy.loadtxt(self.path("a.txt"), skiprows=1).shape, (4 * len(wanted), 10)
            )
            self.assertEqual(
                [int(step) for step in re.findall(r" step=(\d+)", self.read("a.xyz"))], wanted
            )
            with self.h5("a.h5") as file:
                self.assertEqual(list(file["particles/boids/position/step"]), wanted)

    def test_csv_is_tidy(self):
        text = self.good("-c small.json")
        self.assertEqual(text.splitlines()[0], HEADER)
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([int(row["id"]) for row in rows], list(range(12)) * 6)
        self.assertEqual([row["type"] for row in rows], (["boid"] * 10 + ["predator"] * 2) * 6)
        self.assertTrue(all(row["time"] == row["step"] for row in rows))
        self.assertTrue(text.endswith("\n"))

    def test_printed_digits_restore_every_number(self):
        def fixed(text):
            return round(float(text) * 65536) / 65536

        for arithmetic, digits, scalar in (
            ("float32", "9", numpy.float32),
            ("float64", "17", numpy.float64),
            ("fixed", "10", fixed),
        ):
            self.good(
                "-c small.json -s",
                "arithmetic=" + arithmetic,
                "--digits",
                digits,
                "-n 50 -o a.csv -o a.h5 -o a.txt",
            )
            rows = [
                row
                for row in csv.DictReader(io.StringIO(self.read("a.csv")))
                if row["type"] == "boid"
            ]
            with self.h5("a.h5") as file:
                position = file["particles/boids/position/value"][:]
            for i, axis in enumerate("xy"):
                read = numpy.array([scalar(row[axis]) for row in rows]).reshape(51, 10)
                assert_array_equal(read, position[:, :, i])
                matrix = [
                    [scalar(word) for word in row.split()]
                    for row in self.read("a.txt").splitlines()[1:]
                ]
                assert_array_equal(matrix[i::4], position[:, :, i])

    def test_the_matrix_begins_with_its_size(self):
        self.good("-c small.json -o a.txt")
        self.assertEqual(self.read("a.txt").splitlines()[0].split(), ["24", "10"])
        self.assertEqual(len(self.read("a.txt").splitlines()), 25)

    def test_xyz_frames_are_counted_and_described(self):
        self.write(
            "odd.json",
            '{"title": "a \\"b\\" \\\\ ü", "steps": 2, "flock": {"count": 3}, "predators": {"count": 1}}',
        )
        self.good("-c odd.json -o a.xyz -o a.csv")
        lines = self.read("a.xyz").splitlines()
        self.assertEqual(len(lines), 3 * (4 + 2))
        rows = list(csv.DictReader(io.StringIO(self.read("a.csv"))))
        for frame in range(3):
            count, comment, *atoms = lines[6 * frame : 6 * frame + 6]
            self.assertEqual(count, "4")
            self.assertIn("Properties=species:S:1:pos:R:3:velo:R:3:id:I:1", comment)
            self.assertEqual(re.search(r" step=(\d+)", comment).group(1), str(frame))
            for atom, row in zip(atoms, rows[4 * frame :], strict=False):
                kind, x, y, z, vx, vy, vz, name = atom.split()
                self.assertEqual(
                    [kind, x, y, z, vx, vy, vz, name],
                    [
                        row["type"][0].upper(),
                        row["x"],
                        row["y"],
                        "0",
                        row["vx"],
                        row["vy"],
                        "0",
                        row["id"],
                    ],
                )
        reported = re.search(r' config="((?:[^"\\]|\\.)*)"', lines[1]).group(1)
        self.assertEqual(json.loads(re.sub(r"\\(.)", r"\1", reported))["title"], 'a "b" \\ ü')

    def test_h5md_is_laid_out_as_documented(self):
        self.good("-c small.json --seed 18446744073709551615 -s world.border=wrap -o a.h5")
        with self.h5("a.h5") as file:
            self.assertEqual(
                sorted(file), ["h5md", "hashes", "observables", "parameters", "particles"]
            )
            self.assertEqual(list(file["h5md"].attrs["version"]), [1, 1])
            self.assertIn("name", file["h5md/author"].attrs)
            self.assertIn("version", file["h5md/creator"].attrs)
            for name, count, first, kind in (("boids", 10, 0, 0), ("predators", 2, 10, 1)):
                group = file["particles/" + name]
                for element in ("position", "velocity"):
                    value = group[element]["value"]
                    self.assertEqual(
                        (value.shape, value.dtype), ((6, count, 2), numpy.dtype("<f8"))
                    )
                    self.assertEqual(group[element]["step"], file["particles/boids/position/step"])
                    self.assertEqual(group[element]["time"], file["particles/boids/position/time"])
                self.assertEqual(list(group["position/time"]), [0, 1, 2, 3, 4, 5])
                self.assertEqual(list(group["id"]), list(range(first, first + count)))
                self.assertEqual(set(group["species"]), {kind})
                self.assertEqual(
                    h5py.check_enum_dtype(group["species"].dtype), {"boid": 0, "predator": 1}
                )
                self.assertEqual(group["box"].attrs["dimension"], 2)
                self.assertEqual(
                    [word.rstrip(b"\0") for word in group["box"].attrs["boundary"]],
                    [b"periodic"] * 2,
                )
                self.assertEqual(list(group["box/edges"]), [640, 480])
            parameters = file["parameters"]
            self.assertEqual(parameters.attrs["seed"], 18446744073709551615)
            self.assertEqual(
                {"seed", "version", "git", "arithmetic"} - set(parameters.attrs), set()
            )
            config = parameters["config"][()]
        self.write("printed.json", config)
        self.assertEqual(json.loads(config)["flock"]["count"], 10)
        self.good("-c printed.json -o b.h5")
        self.assertEqual(self.bytes("a.h5"), self.bytes("b.h5"))

    def test_an_open_world_is_not_periodic(self):
        self.good("-c small.json -o a.h5")
        with self.h5("a.h5") as file:
            self.assertEqual(
                [word.rstrip(b"\0") for word in file["particles/boids/box"].attrs["boundary"]],
                [b"none"] * 2,
            )

    def test_three_dimensions_have_z_of_zero_and_edges_per_frame(self):
        self.good("-c small.json -s output.h5_dims=3 -o a.h5")
        self.good("-c small.json -o b.h5")
        with self.h5("a.h5") as file, self.h5("b.h5") as flat:
            for name in ("boids", "predators"):
                group = file["particles/" + name]
                value = group["position/value"][:]
                self.assertEqual(value.shape[2], 3)
                self.assertFalse(value[:, :, 2].any())
                assert_array_equal(value[:, :, :2], flat["particles/%s/position/value" % name][:])
                self.assertEqual(group["box"].attrs["dimension"], 3)
                self.assertEqual(group["box/edges/value"].shape, (6, 3, 3))
                assert_array_equal(group["box/edges/value"][5], numpy.diag([640, 480, 1]))
        self.assertEqual(
            self.good("-c small.json --init a.h5@3 --digits 17"),
            self.good("-c small.json --init b.h5@3 --digits 17"),
        )

    def test_compression_and_precision_change_the_storage_only(self):
        self.good("-c adams -n 30 -o plain.h5")
        self.good("-c adams -n 30 -s output.compression=6 -o gzip.h5")
        self.good("-c adams -n 30 -s output.precision=float32 -o single.h5")
        with self.h5("plain.h5") as plain, self.h5("gzip.h5") as packed, self.h5(
            "single.h5"
        ) as single:
            name = "particles/boids/position/value"
            self.assertEqual(
                (packed[name].compression, packed[name].compression_opts, packed[name].shuffle),
                ("gzip", 6, True),
            )
            self.assertIsNone(plain[name].compression)
            assert_array_equal(plain[name][:], packed[name][:])
            self.assertEqual(single[name].dtype, numpy.dtype("<f4"))
            assert_array_equal(plain[name][:].astype("f4"), single[name][:])
        self.assertLess(len(self.bytes("gzip.h5")), len(self.bytes("plain.h5")))

    def test_nothing_of_the_place_is_stored(self):
        self.good("-c small.json", *(word for ending in ENDINGS for word in ("-o", "a." + ending)))
        for ending in ENDINGS:
            for word in (self.folder.encode(), b"small.json", os.uname().nodename.encode() + b"\0"):
                self.assertNotIn(word, self.bytes("a." + ending))

    def follow(self, read):
        """A file can look damaged during a flush; then it is opened again."""
        for _ in range(20):
            done = read()
            if done.returncode == 0:
                return done.stdout
        raise AssertionError(done.stderr)

    def test_an_existing_trajectory_can_be_followed_while_it_is_written(self):
        process = self.start_writing("a.h5")
        env = dict(os.environ, HDF5_USE_FILE_LOCKING="FALSE")
        count = (
            sys.executable,
            "-c",
            "import h5py\nf = h5py.File('a.h5.part')\n"
            "print((f['particles/boids/position/step'][:] >= 0).sum())",
        )
        self.assertGreater(
            int(
                self.follow(
                    lambda: subprocess.run(
                        count,
                        cwd=self.folder,
                        env=env,
                        capture_output=True,
                        stdin=subprocess.DEVNULL,
                        check=False,
                    )
                )
            ),
            1,
        )
        state = self.follow(lambda: self.run_boids("-c small.json --init a.h5.part -n 0"))
        self.assertEqual(len(state.splitlines()), 13)
        self.assertIsNone(process.poll())


class Terminals(Cli):
    """Interactive use, in a pseudo-terminal."""

    @contextlib.contextmanager
    def terminal(self):
        ours, theirs = pty.openpty()
        try:
            yield ours, theirs
        finally:
            os.close(ours)
            with contextlib.suppress(OSError):
                os.close(theirs)

    def read_terminal(self, ours, claim=lambda text: False, seconds=PATIENCE):
        """The output on the terminal until it closes, prints no more, or a claim about the output holds."""
        text = b""
        last = time.monotonic() + seconds
        while time.monotonic() < last and not claim(text):
            if select.select([ours], [], [], 0.05)[0]:
                try:
                    piece = os.read(ours, 1 << 16)
                except OSError:
                    break
                if not piece:
                    break
                text += piece
        return text

    def see(self, words, stdout=None, env=None, columns=0, status=0, **more):
        """The output of a finished run; if `stdout` is None, that is the terminal too."""
        with self.terminal() as (ours, theirs):
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            process = self.start(
                words, stdout=theirs if stdout is None else stdout, stderr=theirs, env=env, **more
            )
            os.close(theirs)
            text = self.read_terminal(ours)
            self.assertEqual(process.wait(PATIENCE), status, text)
        return text.decode()

    def see_long(self, words, columns=120, **more):
        """The output of an endless run until a progress bar appears, or for the time of four."""
        with self.terminal() as (ours, theirs):
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            process = self.start(
                "-c small.json -n",
                ENDLESS,
                "--every 10000",
                words,
                stderr=theirs,
                **{"stdout": subprocess.DEVNULL, **more},
            )
            os.close(theirs)
            text = self.read_terminal(
                ours, lambda text: b" left" in text and text.endswith(b"\033[K"), 0.4
            )
            process.send_signal(signal.SIGINT)
            text += self.read_terminal(ours)
            self.assertEqual(process.wait(PATIENCE), 130, text)
        return re.sub(
            r"boids: stopped at step \d+; (the frames written so far are kept|nothing was written)\r\n",
            "",
            text.decode(),
        )

    def test_help_and_presets_are_wrapped_at_the_width_of_the_terminal(self):
        for words in (
            "--presets",
            "--help flock",
            "--help neighbours",
            "--help flock.separation.form",
            "--help until",
        ):
            whole = " ".join(self.good(words).split())
            for columns in (40, 80, 120):
                text = self.see(words, columns=columns)
                self.assertEqual(" ".join(text.split()), whole)
                self.assertLessEqual(max(map(len, text.split("\r\n"))), columns, words)
                if columns == 40:
                    self.assertNotRegex(text, r"(?m)^\S+ {2,}\S")

    def test_no_progress_bar_disturbs_the_reader_of_a_pipe(self):
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as reader:
            self.assertEqual(self.see_long((), stdout=reader.stdin), "")

    def test_a_progress_bar_appears_if_data_goes_to_a_file(self):
        with open(self.path("a.csv"), "wb") as file:
            text = self.see_long((), stdout=file)
        self.assertRegex(
            text, r"\r.*[=>].* +\d+ % +step \d+ of " + ENDLESS + r" +\S+ steps/s +.* left"
        )
        self.assertTrue(text.endswith("\r\033[K"), "the bar is wiped away at the end")
        self.assertIn("\033[36m", text)
        self.assertTrue(self.read("a.csv").endswith("\n"))

    def test_the_bar_of_a_continued_run_begins_empty(self):
        self.write(
            "late.csv",
            "".join(
                [HEADER.replace(",time", "") + "\n"]
                + [
                    "99000000,%d,boid,%d,%d,3,0\n" % (i, i % 40 * 16, i // 40 * 9)
                    for i in range(2000)
                ]
            ),
        )
        text = self.see_long("--init late.csv --keep-step -o none")
        self.assertRegex(text, r"\r\033\[36m> {28}\033\[0m +0 %  step 99\d{6} of " + ENDLESS + "  ")
        self.assertNotIn(" 0 s left", text)

    def test_a_bar_without_colour(self):
        text = self.see_long((), env=dict(os.environ, NO_COLOR="1"))
        self.assertIn("steps/s", text)
        self.assertNotRegex(text, r"\033\[\d*m")

    def test_a_bar_fits_in_the_width_of_the_terminal(self):
        """In one line: the bar is dropped first, then the rate, then the time left."""
        for columns, more, parts in (
            (100, {}, "bar rate left"),
            (80, {}, "bar rate left"),
            (60, {}, "rate left"),
            (50, {}, "left"),
            (40, {}, ""),
            (20, {}, ""),
            (0, {"COLUMNS": "60"}, "rate left"),
            (0, {"COLUMNS": ""}, "bar rate left"),
        ):
            text = self.see_long(
                "-s flock.count=9 -o none", columns=columns, env=dict(os.environ, **more)
            )
            lines = [re.sub(r"\033\[\d*[mK]", "", line) for line in re.split("[\r\n]+", text)]
            self.assertNotIn("\n", text)
            for line in lines:
                self.assertLess(len(line), columns or int(more["COLUMNS"] or 80), line)
            last = max(lines, key=len)
            shown = [
                name
                for name, pattern in (("bar", "[=>]"), ("rate", "steps/s"), ("left", " left$"))
                if re.search(pattern, last)
            ]
            # At 60 columns, a number with one digit more leaves no room for the rate.
            self.assertIn(shown, [parts.split()] + [["left"]] * (parts == "rate left"), last)
            if columns >= 50:
                self.assertRegex(last, r"\d %  step \d+ of \d+")

    def test_a_bar_has_whole_steps_and_two_digits(self):
        text = self.see_long("-o none")
        self.assertRegex(
            text, r"step \d+ of \d+  [1-9]\d0* steps/s  (\d|\d\d|\d\.\d|[1-9]\d0+) (s|min|h) left"
        )

    def test_a_dumb_terminal_gets_no_escape_sequences(self):
        with self.terminal() as (ours, theirs):
            process = self.start(
                "-c small.json -n",
                ENDLESS,
                "-o none",
                stderr=theirs,
                stdout=subprocess.DEVNULL,
                env=dict(os.environ, TERM="dumb"),
            )
            os.close(theirs)
            text = self.read_terminal(ours, lambda text: b" left" in text, 2)
            process.send_signal(signal.SIGINT)
            text += self.read_terminal(ours)
            self.assertEqual(process.wait(PATIENCE), 130, text)
        self.assertIn(b"steps/s", text)
        self.assertNotIn(b"\033", text)

    def test_a_closing_line_names_what_was_written(self):
        words = "-c small.json -n 10 --progress never"
        plot = "boids-plot"
        for outputs, lines in (
            (("a.h5",), [f"a.h5: 11 frames, SIZE; draw it: {plot} a.h5"]),
            (("b.csv",), ["b.csv: 11 frames, SIZE"]),
            (
                ("c.h5", "--every 4 -s output.first=4"),
                [f"c.h5: 3 frames, SIZE; draw it: {plot} c.h5"],
            ),
            (
                ("d d.h5", "--observables d.csv --every 10"),
                [
                    f"d d.h5: 2 frames, SIZE; draw it: {plot} 'd d.h5'",
                    f"d.csv: 2 rows, SIZE; draw it: {plot} d.csv",
                ],
            ),
            (("none",), []),
        ):
            text = self.see((words, "-o", *outputs))
            self.assertEqual(
                re.sub(r"\d+\.\d [kM]B", "SIZE", text),
                "".join(f"boids: {line}\r\n" for line in lines),
            )
            self.assertEqual(self.see((words, "-o", *outputs, "-q --force")), "")
            self.assertEqual(self.good(words, "-o", outputs, "--force"), "")
        for outputs, lines in (
            (("e.h5", "--every 5"), [f"e.h5: 3 frames, SIZE; draw it: {plot} e.h5"]),
            (
                (
                    "e.csv",
                    "--first 8 --observables o.csv --set output.observables_every=2",
                ),
                ["e.csv: 3 frames, SIZE", f"o.csv: 6 rows, SIZE; draw it: {plot} o.csv"],
            ),
            (("-",), []),
        ):
            convert = ("--convert a.h5 -o", *outputs, "--force")
            self.assertEqual(
                re.sub(
                    r"\d+\.\d [kM]B|\d+ bytes", "SIZE", self.see(convert, stdout=subprocess.DEVNULL)
                ),
                "".join(f"boids: {line}\r\n" for line in lines),
            )
            self.assertEqual(self.see((*convert, "-q"), stdout=subprocess.DEVNULL), "")

    def test_quiet_prints_no_progress_bar(self):
        for words in ("-q", "--progress never"):
            self.assertEqual(self.see_long(words), "")

    def test_no_bar_without_a_terminal(self):
        self.says("", "-c adams -n 300 -o none")

    def test_a_requested_progress_bar_is_always_shown(self):
        for steps in ("0", "5"):
            done = self.run_boids("-c small.json -n", steps, "-o none --progress always")
            self.assertEqual((done.returncode, done.stdout), (0, b""))
            self.assertIn(("step %s of %s" % (steps, steps)).encode(), done.stderr)
            self.assertTrue(done.stderr.endswith(b"\n"))
        self.good("-c small.json -o none --progress always -q")
        self.refused(
            "--progress is sometimes; it must be auto, always or never", "--progress sometimes"
        )

    def test_data_on_the_terminal_is_not_disturbed(self):
        wanted = self.good("-c small.json -n 20000 --every 10000")
        for path, stdout in (
            ("-", None),
            ("/dev/stdout", None),
            ("/dev/stderr", None),
            ("/dev/stderr", subprocess.DEVNULL),
        ):
            text = self.see(("-c small.json -n 20000 --every 10000 -o", path), stdout=stdout)
            self.assertEqual(text.replace("\r\n", "\n"), wanted, path)

    def test_without_an_output_on_a_terminal_a_file_is_written_and_named(self):
        for config, name in (("small.json", "small.h5"), ("castor", "castor.h5")):
            text = self.see(("-c", config, "-n 3 --progress never"))
            self.assertEqual(
                re.sub(r"\d+\.\d kB", "SIZE", text),
                "boids: writing %s; draw it with: %s %s\r\nboids: %s: 4 frames, SIZE\r\n"
                % (name, "boids-plot", name, name),
            )
            with self.h5(name) as file:
                self.assertEqual(list(file["particles/boids/position/step"]), [0, 1, 2, 3])
        text = self.see("-c small.json -q")
        self.assertEqual(text, "")

    def test_in_a_checkout_the_hint_how_to_draw_names_its_command(self):
        self.write("my flock.json", self.read("small.json"))
        self.write("boids-plot", "")
        self.chmod("boids-plot", 0o755)
        self.assertRegex(
            self.see(("-c", "my flock.json", "-n 1 --progress never")),
            r"^boids: writing my flock\.h5; draw it with: \./boids-plot 'my flock\.h5'\r\n",
        )

    def test_a_default_name_does_not_overwrite_a_part_file(self):
        self.good("-c small.json -o small.h5")
        self.rename("small.h5", "small.h5.part")
        text = self.see("-c small.json", status=2)
        self.assertTrue(
            text.endswith(
                "boids: small.h5.part holds 6 frames of a run that was stopped; --resume small.h5 "
                "continues it, --force replaces it\r\n"
            )
        )
        self.assertNotIn("writing small.h5", text)

    def name_of_run(self, *words):
        return re.match(r"boids: writing (\S+?)[;,\r]", self.see(("-c small.json", words))).group(1)

    def test_a_default_name_taken_by_another_run_is_not_overwritten(self):
        first = self.see("-c small.json")
        whole = self.bytes("small.h5")
        self.assertEqual(self.see("-c small.json"), first)
        text = self.see("-c small.json --seed 7")
        self.assertRegex(
            text,
            "^boids: writing small-2.h5, because small.h5 contains another run; draw it with: .* small-2.h5\r\n",
        )
        other = self.bytes("small-2.h5")
        self.assertEqual(self.name_of_run("-s flock.max_speed=7"), "small-3.h5")
        self.assertEqual(self.name_of_run("--seed 7"), "small-2.h5")
        self.assertEqual(self.name_of_run("-n 4"), "small-4.h5")
        self.assertEqual((self.bytes("small.h5"), self.bytes("small-2.h5")), (whole, other))
        self.assertEqual(self.name_of_run("--seed 7 --force"), "small.h5")
        self.assertEqual(self.bytes("small.h5"), other)

    def test_a_default_name_used_by_a_foreign_or_incomplete_file_is_skipped(self):
        self.write("small.h5", "of another program")
        self.good("-c small.json --seed 3 -o small-2.h5")
        self.rename("small-2.h5", "small-2.h5.part")
        self.assertEqual(self.name_of_run(), "small-3.h5")
        self.assertEqual(self.read("small.h5"), "of another program")
        self.good("-c small.json -o small-4.h5")
        self.rename("small-4.h5", "small-2.h5.part")
        with self.terminal() as (_, theirs):
            done = self.run_boids("-c small.json", stdout=theirs)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"boids: small-2.h5.part holds", done.stderr)

    def test_the_default_name_is_reused_with_an_initial_state_and_non_ascii_text(self):
        self.write("i.csv", STATE + "0,boid,1,1,3,0\n1,boid,300,300,3,3\n")
        words = ("--init i.csv -s", 'title="\u017curaw"', "-s flock.max_speed=7.1")
        for _ in range(2):
            self.assertEqual(self.name_of_run(words), "small.h5")

    def test_verbose_prints_the_speed(self):
        done = self.run_boids("-c small.json -v -o none")
        self.assertRegex(
            done.stderr.decode(),
            r"\A(boids: [^\n]+\n)*boids: 5 steps of 10 boids in \S+ s, \S+ boid-steps per second\n\Z",
        )


if __name__ == "__main__":
    unittest.main()
