"""The command line: messages, files and exit status.

Each test works in a folder of its own. If a command is refused, the tests compare three things: the exit status, the one line on
standard error, and the bytes of every file in the folder. BOIDS is the program, default ./boids.
"""

import contextlib
import fcntl
import gzip
import glob
import json
import os
import pty
import re
import resource
import select
import shlex
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
    PATIENCE,
    Folder,
    add_refusals,
    arithmetics_of,
    by_level,
    contents,
    csv_rows,
    full_only,
    in_root,
    parameters_hash,
    read,
    read_formats,
    rows_of,
    split_words,
)

CONFIGS = sorted(glob.glob(in_root("configs", "*.json")))
HEADER = "step,time,id,type,x,y,vx,vy"
STATE = "id,type,x,y,vx,vy\n"
ENDLESS = "100000000"


def frames_of(text):
    """{step: its rows, without the step and the time} of a CSV trajectory."""
    found = {}
    for row in text.splitlines()[1:]:
        step, _, rest = row.split(",", 2)
        found.setdefault(int(step), []).append(rest)
    return found


def outputs(name):
    """The options for an output in each format."""
    return [word for ending in ENDINGS for word in ("-o", f"{name}.{ending}")]


def boundary_of(group):
    """Whether the axes of a group of an HDF5 file are periodic."""
    return [word.rstrip(b"\0") for word in group["box"].attrs["boundary"]]


class Cli(Folder):
    # An option that is given twice stays twice.
    arranged = staticmethod(split_words)

    def setUp(self):
        super().setUp()
        self.write("small.json", '{"steps": 5, "flock": {"count": 10}, "predators": {"count": 2}}')

    def rows(self, *words, **more):
        return self.good("-c small.json", words, **more).splitlines()[1:]

    def start_writing(self, name, *words, **more):
        """Start an endless run, and wait until its .part has some frames."""
        run = ("-c small.json -n", ENDLESS, "--every 200 -s output.flush_seconds=0.05 -o", name)
        process = self.start(run, words, **more)
        part = self.path(name + ".part")
        self.until(lambda: os.path.exists(part) and os.path.getsize(part) > 40000, process)
        return process

    def stopped(self, status, message, *words, **more):
        """The run ends with this status and prints one line; `message` is the line, or from ^ on a pattern for it."""
        ended, out, said = self.ended(words, **more)
        self.assertEqual((ended, out), (status, ""), f"{words}: {said}")
        self.assertRegex(said, r"\Aboids: [^\n]+\n\Z")
        if message.startswith("^"):
            self.assertRegex(said[len("boids: ") : -1], message)
        else:
            self.assertEqual(said, f"boids: {message}\n")

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
        return self.ended(words, input=given)


add_refusals(Refusals, "cli", "refusals.txt")


class Options(Cli):
    def test_help_has_a_usage_line_four_headings_and_one_option_per_line(self):
        for word in ("-h", "--help"):
            lines = self.good(word).splitlines()
            said = (
                "--help must fit a screen: shorten a sentence in options.def, or raise this limit"
            )
            self.assertLess(len(lines), 52, said)
            self.assertLessEqual(max(map(len, lines)), 80, said)
            self.assertRegex(lines[0], r"^Usage: boids ")
            self.assertEqual(
                [line for line in lines if line.endswith(":")],
                ["Input:", "Output:", "Control:", "Instead of a run:"],
            )
        indented = [line for line in lines if line.startswith("  ")]
        options = re.findall(r"(?m)^  (?:-\w, |    )--([a-z-]+)", "\n".join(indented))
        self.assertEqual((len(indented), len({*options})), (35, 35))

    def test_help_explains_an_option_a_key_and_a_section(self):
        for words, *parts in rows_of(
            """
            --help until | --until CONDITION | 'flocks < 2 for 5' frames
            --help set | repeatable
            --help --format | h5, for any other ending
            -h flock.count | 1 to 2147483647 | 400
            --help output | output.every
            --help polarization | 1 if all headings are equal
            """
        ):
            said = self.good(words)
            for part in parts:
                self.assertIn(part, said)
        self.assertEqual(self.good("--help steps").splitlines()[0], "steps")

    def test_help_gives_the_default_and_an_example_of_each_option(self):
        options = re.findall(r"--([a-z-]+)", "\n".join(re.findall(r"(?m)^ .{28}", self.good("-h"))))
        self.assertGreater(len(options), 34)
        for name in options:
            with self.subTest(name):
                reported = self.good("--help", f"--{name}")
                self.assertRegex(reported, "(?s)^-.*Default: .*Example: ")
        self.assertEqual(self.good("--help -o"), self.good("--help --output"))

    def test_help_accepts_its_key_after_an_equals_sign(self):
        for key in ("flock.count", "world"):
            self.assertEqual(self.good("--help=" + key), self.good("--help", key))

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

    def test_a_bare_name_is_a_preset_unless_a_file_has_that_name(self):
        preset = self.good("-c castor -n 1")
        self.assertEqual(preset, self.good("-c", in_root("configs/castor.json"), "-n 1"))
        self.mkdir("castor")
        self.assertEqual(self.good("-c castor -n 1"), preset)
        os.rmdir(self.path("castor"))
        self.write("castor", '{"flock": {"count": 1}}')
        status, out, said = self.ended("-c castor -n 0")
        self.assertEqual((status, out.count("\n")), (0, 2))
        note = "boids: castor is a file in this folder; the preset castor is not used\n"
        self.assertEqual(said, note)

    def test_a_fifo_with_the_name_of_a_preset_is_read(self):
        self.mkfifo("castor")
        process = self.start("-c castor -n 0")
        self.write("castor", '{"flock": {"count": 1}}')
        self.assertEqual(len(process.communicate(timeout=PATIENCE)[0].splitlines()), 2)

    def test_a_compressed_table_is_refused_with_the_command_that_unpacks_it(self):
        for name, text in ("a.csv.gz", b"id,type,x,y,vx,vy\n"), ("b.csv", b"seed\n1\n"):
            self.write(name, gzip.compress(text))
            for words in (("--init", name), ("--points", name, "--table t.csv")):
                self.refused(
                    f"{name}: this is compressed; unpack it with gunzip first", "-c adams", words
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

    def test_short_options_are_joined_with_each_other_and_their_values(self):
        self.good("-qc adams -n0 -onone")

    def test_help_finds_words_in_keys_options_and_observables(self):
        for word, names in rows_of(
            """
            polarization | polarization
            milling | milling
            cohesion | flock.cohesion.radius flock.means flocks
            NEIGHBOURS | flock.alignment.nearest flock.alignment.radius
            field of view | flock.separation.view
            frame | --every
            hunt | predators.hunt
            """
        ):
            found = self.ended("--help", word)[1]
            for name in names.split():
                self.assertRegex(found, rf"(?m)^{re.escape(name)} ")
        for word, line in rows_of(
            """
            size | world.width and world.height are the size
            order | the observable polarization
            force | flock.max_force$
            """
        ):
            self.assertRegex(self.good("--help", word), "(?m)^See also: " + line)
        self.assertRegex(self.good("--help async"), r'(?s)\Aupdate .* async is "sequential"\.\n\Z')
        self.assertNotIn("See also", self.good("--help wind"))
        self.assertRegex(
            self.good("--help predator_share"), r"[.] Undefined without a predator, .*[.]\n"
        )

    def test_an_angle_that_looks_like_radians_has_a_note(self):
        for key, value, is_noted in rows_of(
            """
            flock.alignment.view | 6.28 | yes
            flock.separation.view | 3.14159 | yes
            goals.direction | 1.57 | yes
            flock.max_turn | 1.5708 | yes
            flock.alignment.view | 270 |
            flock.max_turn | 2.5 |
            goals.direction | 5 |
            """
        ):
            note = f"boids: note: {key} is {value} degrees; a full circle is 360\n"
            words = ("-c adams -n 0 -o none -s", f"{key}={value}")
            self.says(note if is_noted else "", words)
            self.good(words, "-q")

    def test_a_wrapped_world_narrower_than_twice_a_radius_has_one_note(self):
        note = (
            "boids: note: %sworld.height is 9, less than twice flock.alignment.radius (100), so boids are neighbours "
            "across the whole height; enlarge the world, or reduce the radius\n"
        )
        words = "-c vicsek -n 0 -s world.height=9 -o none"
        self.says(note % "", words)
        for more in (
            "-s world.border=bounce",
            "-s flock.alignment.radius=4.5",
            "-s flock.alignment.factor=0",
            "-s flock.alignment.nearest=7",
            "-q",
        ):
            self.says("", words, more)
        points = b"seed,world.height\n1,9\n2,9\n3,500\n"
        said = self.ended("-c vicsek -n 0 --points - --table t.csv", input=points)[2]
        self.assertTrue(said.startswith(note % "in 2 of 3 runs, "), said)
        for name in ("topological", "parker", "couzin", "cucker_smale"):
            self.good("-c", name, "-n 0 -o none")

    def test_an_option_cut_short_must_be_clear(self):
        self.assertRegex(self.good("--vers"), "^boids ")

    def test_set_takes_every_form_of_json_and_bare_words(self):
        for words, key, value in rows_of(
            """
            -s flock.count=3 | flock.count | 3
            --set=flock.count=1e1 | flock.count | 10
            -s flock.max_speed=null | flock.max_speed | null
            -s update=passes | update | "passes"
            -s 'update="passes"' | update | "passes"
            -s 'title=a = b, c' | title | "a = b, c"
            -s flock.init.speed=[1,2] | flock.init.speed | [1, 2]
            -s 'flock={"count": 7}' | flock.count | 7
            -s world.margin.left=3 | world.margin.right | 100
            """
        ):
            found = self.json("-c small.json", words, "--print-config")
            for name in key.split("."):
                found = found[name]
            self.assertEqual(found, json.loads(value), words)

    def test_every_seed_of_64_bits_counts(self):
        runs = {self.good("-c small.json --seed", 2**64 - k) for k in (1, 2)}
        self.assertEqual(len(runs), 2)

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
        self.assertSameFile("a.csv", "b.csv")
        *words, last = (word for word, *_ in read_formats())
        self.refused(
            f"--format is png; it must be {', '.join(words)} or {last}",
            "-c small.json --format png",
        )

    def test_no_output_is_an_output(self):
        for words in ("-o none", "-o none --observables none"):
            self.says("", "-c small.json", words)
        self.holds("small.json")

    def test_outputs_repeat(self):
        self.assertEqual(self.good("-c small.json -o a.csv -o - -o none"), self.read("a.csv"))

    def test_arguments_need_not_be_text(self):
        self.good("-c small.json -o", b"\xff.csv")
        self.assertIn(b"\xff.csv", os.listdir(self.folder.encode()))
        os.remove(os.path.join(self.folder.encode(), b"\xff.csv"))
        self.refused("^.*there is no such file$", "-c", b"./\xff.json")
        self.refused("^.*unexpected argument", b"\xff")
        self.refused("^.*is not an option", b"--\xff")
        self.refused("^.*byte 0xff is not UTF-8", "-c small.json -s", b"title=\xff")

    def test_standard_input_is_a_configuration(self):
        self.assertEqual(
            self.good("-c -", input=self.bytes("small.json")), self.good("-c small.json")
        )
        self.refused("^standard input.*empty", "-c -", input=b"")
        self.refused("^standard input:2: steps is -1; ", "-c -", input=b'{\n"steps": -1}')

    def test_the_command_line_wins_over_the_file_and_the_last_over_the_first(self):
        for words, last in rows_of(
            """
            -n 3 | 3
            -s steps=2 | 2
            -n 3 -s steps=2 | 2
            -s steps=2 -n 3 | 3
            """
        ):
            self.good("-c small.json -o a.csv", words)
            self.assertEqual(self.steps("a.csv")[-1], int(last))

    def test_a_printed_configuration_gives_the_same_run(self):
        for config in [*CONFIGS, "small.json"]:
            words = "-s flock.count=50 -n 3 --seed 12345678901234567890 --digits 17"
            printed = self.good("-c", config, words, "--print-config")
            self.write("printed.json", printed)
            self.assertEqual(self.good("-c printed.json"), self.good("-c", config, words), config)
            self.assertEqual(self.good("-c printed.json --print-config"), printed)

    def test_a_check_writes_nothing(self):
        self.says("boids: small.json is valid\n", "-c small.json --check -o a.csv")
        self.holds("small.json")
        self.assertEqual(self.good("-c small.json --check -q"), "")

    def test_the_locale_changes_nothing(self):
        env = {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
        words = "-c small.json -s flock.cohesion.factor=0.0015"
        for task in ((), "--print-config"):
            self.assertEqual(self.good(words, task, env=env), self.good(words, task))


class Engines(Cli):
    def test_an_instruction_set_must_be_known(self):
        self.refused(
            "BOIDS_ISA is v9; it must be scalar, plain, v3 or v4",
            "-c murmuration -n 1 -o none",
            env={"BOIDS_ISA": "v9"},
        )

    def test_the_size_of_a_run_is_printed_before_it_starts(self):
        for words, size in (
            ((), "300 steps of 400 boids and 1 predator"),
            ("-n 1 -s flock.count=1 -s predators.count=0", "1 step of 1 boid and 0 predators"),
        ):
            self.assertRegex(
                self.ended("-c adams --check -v -q", words)[2],
                rf"^boids: {size} take at least \d+\.\d MB of memory\n$",
            )

    def memory(self, *words):
        """For a large flock: the memory that --check reports, and the peak after two frames."""
        words = (
            "-c murmuration -v -n",
            ENDLESS,
            '--force --every 1 --hash 1 -s flock.count=300000 -s \'world={"width": 20000, "height": 20000}\'',
            words,
        )
        run = self.start(words, text=True)
        said = run.stderr.readline()
        while run.stderr.readline().split()[0] != "3":
            pass
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", read(f"/proc/{run.pid}/status"))[1])
        run.kill()
        return float(re.search(r"take at least ([\d.]+) MB of memory$", said)[1]), peak * 1024e-6

    def test_a_run_whose_frames_cannot_fit_on_the_disk_is_refused(self):
        words = "-c adams -n 1000000000000"
        for more in ((), "--check", "-o b.csv"):
            self.refused(
                r"^a\.h5: its frames take more than 6\.4 PB, and its disk has [\d.]+ .?B; "
                r"write fewer frames \(--every\), or add --force$",
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
        self.holds("small.json")

    def write_late(self):
        """A state at a late step, and the options with which a run begins from it."""
        rows = "".join(f"{10**12},{i},boid,{9 * i},1,3,0\n" for i in range(50))
        self.write("late.csv", f"step,{STATE}{rows}")
        return "-c small.json --init late.csv --keep-step"

    def test_steps_before_the_run_are_not_steps_of_the_run(self):
        """Neither on the disk, nor in its size, nor in its speed, nor in its progress bar."""
        late = self.write_late()
        self.good(late, "-n", 10**12 + 5, "-q -o a.h5")
        self.good("-c small.json -n 20000 --every 10000 -q -o b.h5")
        for last, words in (
            (10**12 + 400, late + " -o none"),
            (10**12 + 405, "--resume a.h5"),
            (20400, "--resume b.h5"),
        ):
            with self.subTest(words=words):
                said = self.ended(words, "-n", last, "-v --progress always")[2]
                boids, rate, speed = (
                    float(re.search(pattern, said)[1])
                    for pattern in (
                        r"(?m)^boids: 400 steps of (\d+) boids and \d predators? take",
                        rf"100 %  step {last} of {last}  (\S+) steps/s",
                        r"(?m)^boids: 400 steps .*, (\S+) boid-steps per second$",
                    )
                )
                # With the steps before it, the rate would be 10**9 times higher.
                self.assertLess(rate, 10**6 * speed / boids, said)

    def test_a_run_with_another_result_writes_no_trajectory_to_standard_output(self):
        words = "-c small.json -q"
        self.assertGreater(self.good(words).count("\n"), 20)
        self.assertEqual(self.good(words, "--summary").count("\n"), 1)
        self.assertTrue(self.good(words, "--observables -").startswith("step,time,polarization,"))
        for more in "--observables o.csv", "--until 'flocks > 9'", "--hash 5":
            with self.subTest(more):
                self.assertEqual(self.ended(words, more)[1], "")
                self.assertGreater(self.ended(words, more, "-o -")[1].count("\n"), 20)

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
        for arithmetic in ("float32", "float64"):
            run = (
                "-c murmuration -n 40 --every 40 --digits 17 -s",
                "arithmetic=" + arithmetic,
            )
            scalar = self.good(run, "-t 1", env={"BOIDS_ISA": "scalar"})
            for isa in ("plain", "v3", "v4"):
                status, out, said = self.ended(run, "-t 3", env={"BOIDS_ISA": isa})
                if status == 2 and "BOIDS_ISA is" in said:  # not in this machine or build
                    continue
                self.assertEqual(out, scalar, (isa, arithmetic))


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
        """
        words += " ".join(re.findall(r"\| (.*) \| the value", read("docs", "keys.md")))
        for word in [*words.split(), "blind angle"]:
            status, _, said = self.ended("--help", word)
            if status != 0:
                self.assertRegex(said, "; ", word)

    def test_a_folder_cannot_be_read(self):
        self.mkdir("d")
        self.write("new\nline.json", "{")
        self.refused("new?line.json:1:2: the JSON ends within an object", "-c", "new\nline.json")

    @unittest.skipUnless(os.geteuid() == 0, "only root can run as another user")
    def test_a_file_without_read_permission_is_refused(self):
        self.chmod(".", 0o755)
        self.chmod("small.json", 0o600)
        said = "boids: small.json: cannot be opened: Permission denied\n"
        self.assertEqual(self.as_nobody("-c small.json"), (1, "", said))

    def test_files_that_are_no_configuration(self):
        self.write("a.json", bytes(range(255, -1, -1)))
        self.refused(r"^a\.json:1:\d+: ", "-c a.json")
        self.copy(BOIDS, "a.json")
        for size, message in (
            (5000, r"^a\.json:1:\d+: "),
            (
                100 << 20,
                "a.json: it is larger than 1 MiB, so it is not a configuration; flock.init.file starts from a trajectory",
            ),
        ):
            os.truncate(self.path("a.json"), size)
            self.refused(message, "-c a.json")

    def test_a_flock_beyond_memory_is_refused_before_anything_is_opened(self):
        self.write("a.h5", "mine")
        self.write("a.csv.part", "mine")
        for words in ((), "--check", "-o a.h5 -o a.csv"):
            self.refused(
                r"^flock\.count is 2147483647; that takes \S+ GB of memory and this machine has ",
                "-c small.json -s predators.count=0 -s flock.count=2147483647",
                words,
            )


class Requests(Cli):
    """No option is silently ignored."""

    def test_each_option_is_given_once(self):
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
            for second, given in (other, f", {one} and {other}"), (one, ""):
                twice = f"--{name} is given twice{given}; give it once"
                self.refused(twice, "--" + name, one, "--" + name, second)
        for name in "summary force quiet verbose keep-step check".split():
            words = f"-c small.json -o none --{name} --{name}"
            self.refused(f"--{name} is given twice; give it once", words)
        self.good("-c small.json -s steps=1 -s seed=2 -o a.csv -o b.csv -q")

    def test_check_refuses_a_frame_that_no_output_can_store(self):
        for words, message in rows_of(
            """
            -o a.xyz -s 'output.fields=["velocity"]' | output.fields has no position, which XYZ needs; write a.xyz as CSV or HDF5
            -o a.csv --boids '{"from": 50, "to": 60}' | --boids {"from": 50, "to": 60}: output.boids selects no boid; ids go from 0 to 9
            """
        ):
            for task in ((), "--check"):
                self.refused(message, "-c small.json", words, task)

    def test_a_dash_is_a_stream_or_refused(self):
        why = (
            "%s cannot be -, which is standard input for --config, --init and --points, and standard output for --output and "
            "--observables; give a name"
        )
        self.good("-c small.json -o a.csv")
        self.write("p.csv", "seed\n1\n")
        state = self.bytes("a.csv")
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
        for name in ("c.json", "d/c.json"):
            self.write(name, '{"steps": 5, "flock": {"init": {"file": "-"}}}')
        self.write("-", "not read")
        for words in (
            "-c small.json --init -",
            "-c d/c.json",
            "-c c.json",
            "-c small.json -s flock.init.file=-",
        ):
            self.assertEqual(self.good(words, "-n 0", input=state).count("\n"), 13, words)

    def test_quiet_goes_with_a_task_and_help_with_all(self):
        self.good("-c small.json -o a.h5 -q")
        self.good("--verify a.h5 -q")
        self.assertTrue(self.good("-c small.json --help"))


class InitialStates(Cli):
    def test_a_state_comes_from_standard_input(self):
        rows = "3,boid,1,2,3,4\n", "5,boid,100,200,3,4\n"
        self.write("i.csv", STATE + "".join(rows))
        due = self.rows("--init i.csv")
        frames = "".join(f"{step},{row}" for step in (4, 9) for row in rows)
        for name, text in ("-", self.read("i.csv")), ("-@4", f"step,{STATE}{frames}"):
            self.assertEqual(self.rows("--init", name, input=text.encode()), due)

    def test_csv_written_by_r_is_read(self):
        self.write("i.csv", STATE + "3,boid,1.5,2,3,4\n5,predator,100,200,3,4\n")
        self.write(
            "r.csv",
            '"","note, quoted","id","type","x","y","vx","vy"\r\n'
            '"0","a ""b"", c",3,"boid",1.5,2,3,4\r\n'
            '"1","a ""b"", c",5,"predator",100,200,3,4\r\n',
        )
        self.assertEqual(self.rows("--init r.csv"), self.rows("--init i.csv"))

    def test_a_state_named_by_set_is_meant_from_here(self):
        self.mkdir("configs")
        self.write("configs/c.json", self.read("small.json"))
        self.write("i.csv", STATE + "3,boid,1,2,3,4\n")
        self.assertEqual(
            self.good("-c configs/c.json -s flock.init.file=i.csv"),
            self.good("-c small.json --init i.csv"),
        )

    def test_the_number_of_predators_is_limited(self):
        many = "".join(f"{i},predator,1,1,3,3\n" for i in range(1, 65537))
        self.write("i.csv", f"{STATE}0,boid,1,1,3,3\n{many}")
        self.refused(
            "i.csv holds 65536 predators; a flock has at most 65535", "-c small.json --init i.csv"
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
        frames = frames_of(self.read("r.csv"))
        inside = "not in it; its steps go from 0 to 5"
        for name in ("r.csv", "r.h5"):
            for wanted, step in (name, 5), (name + "@0", 0), (name + "@4", 4):
                rows = self.rows("--init", wanted, "-n 0 --digits 17")
                self.assertEqual([row.split(",", 2)[2] for row in rows], frames[step])
            for step in ("1", "6", "99999999999", "99999999999999999999"):
                why = inside if len(step) < 12 else ""
                self.refused(
                    f"^{name}: step {step} is {why}", f"-c small.json --init {name}@{step}"
                )

    def test_a_truncated_trajectory_is_refused_as_a_state(self):
        self.good("-c small.json --digits 17 -o whole.csv")
        header, *rows = self.read("whole.csv").splitlines(keepends=True)
        words = "-c small.json -n 0 --init i.csv"
        frame = self.good("-c small.json -n 0 --init whole.csv@4")

        def refused(rows, message, at=""):
            self.write("i.csv", header + "".join(rows))
            self.refused("i.csv: " + message, words + at)

        short = (
            "step 5 has other boids or predators than step 0; the file may have been cut short; "
            "--init FILE@STEP reads a step without this check"
        )
        for left_out in (1, 2, 7, 11):
            for kept in (rows[:-left_out], sorted(rows[:-left_out])):
                refused(kept, short)
                self.assertEqual(self.good(words + "@4"), frame)
        refused([*rows[:-1], rows[-1].replace(",11,", ",12,")], short)
        for at in ("", "@5"):
            late = "step 4 comes after step 5; the steps of a trajectory ascend"
            refused(rows[::-1], late, at)
        self.write("i.csv", header + "".join(rows[:-12]))
        self.assertEqual(self.good(words), frame)

    def test_a_truncated_line_is_refused(self):
        self.good("-c small.json --digits 17 -o whole.csv")
        text = self.read("whole.csv")
        words = "-c small.json -n 0 --init"
        *before, last = text.splitlines(keepends=True)
        open_line = (
            f"i.csv:{len(before) + 1}: the line does not end, so the file may have been cut short; if it is "
            "complete, add a line break; otherwise use an earlier step: --init FILE@STEP"
        )
        for cut in range(1, len(last)):
            self.write("i.csv", text[:-cut])
            self.refused(open_line, words, "i.csv")
        self.refused(open_line, words, "i.csv@5")
        self.assertEqual(self.good(words, "i.csv@4"), self.good(words, "whole.csv@4"))

    def test_a_state_may_lack_the_last_newline_and_its_name_may_have_an_at_sign(self):
        self.write("a.csv@3", STATE + "5,boid,1,2,3,4")
        self.assertEqual(self.rows("--init a.csv@3 -n 0"), ["0,0,5,boid,1,2,3,4"])

    def test_a_run_continues_as_if_never_stopped(self):
        for config in ("adams", "castor", "murmuration"):
            words = f"-c {config} -s flock.count=60 --digits 17 --every 100"
            self.good(words, "-n 200 -s predators.count=2 -o run.csv -o run.h5")
            header, *rows = self.lines("run.csv")
            whole = frames_of(self.read("run.csv"))[200]
            self.assertEqual(len(whole), 62)
            rows.sort(key=lambda row: (int(row.split(",")[0]), row[::-1]))
            self.write("shuffled.csv", "\n".join([header, *rows, ""]))
            for start in ("run.csv@100", "run.h5@100", "shuffled.csv@100"):
                done = self.good(words, "-n 100 --init", start)
                self.assertEqual(frames_of(done)[100], whole, f"{config} {start}")

    def test_a_state_named_in_the_configuration_is_in_its_folder(self):
        self.mkdir("sub")
        self.write("sub/c.json", '{"steps": 0, "flock": {"init": {"file": "s.csv"}}}')
        self.write("sub/s.csv", STATE + "5,boid,1,2,3,4\n")
        self.assertEqual(self.good("-c sub/c.json"), HEADER + "\n0,0,5,boid,1,2,3,4\n")


class Outputs(Cli):
    @unittest.skipUnless(os.geteuid() == 0, "only root can run as another user")
    def test_a_folder_that_cannot_be_written(self):
        self.chmod(".", 0o755)
        self.chmod("small.json", 0o644)
        for ending in ENDINGS:
            said = f"boids: a.{ending}: its folder may not be written: Permission denied\n"
            self.assertEqual(self.as_nobody("-c small.json -o", "a." + ending), (2, "", said))

    def test_a_refused_output_leaves_the_others_unchanged(self):
        self.write("a.csv.part", "mine")
        self.write("b.csv", "step,time,mine")
        self.mkdir("d")
        for bad in ("x.zzz", "no/x.csv", "d"):
            self.refused("^" + bad, "-c small.json -o a.csv -o b.csv -o c.h5 -o", bad)

    def test_an_output_that_is_also_an_input_is_refused(self):
        self.good("-c small.json -o i.csv -o i.h5")
        self.copy("i.h5", "j.h5.part")
        self.link("i.csv", "link.csv")
        os.link(self.path("i.csv"), self.path("hard.csv"))
        os.link(self.path("small.json"), self.path("config.csv"))
        for words, name in rows_of(
            """
            --init i.csv -o i.csv | i.csv
            --init i.csv -o ./i.csv | i.csv
            --init i.csv -o link.csv | i.csv
            --init i.csv -o hard.csv | i.csv
            --init i.csv@2 -o i.csv | i.csv
            --init i.csv@2 -o ./i.csv | i.csv
            --init i.csv@2 -o link.csv | i.csv
            --init i.csv@2 -o hard.csv | i.csv
            --init i.h5@2 -o i.h5 | i.h5
            --init j.h5.part -o j.h5 --force | j.h5.part
            -o small.json --format csv | small.json
            -o config.csv | small.json
            """
        ):
            wrong = f"{name} is read and written by the same run; give the output another name"
            self.refused(wrong, "-c small.json", words)

    def test_two_outputs_are_two_files(self):
        self.write("a.csv", "mine")
        self.mkfifo("f.csv")
        self.link("a.csv", "link.csv")
        self.link("f.csv", "g.csv")
        for words, name in rows_of(
            """
            -o a.csv -o link.csv | link.csv
            -o f.csv -o f.csv | f.csv
            -o f.csv -o ./f.csv | ./f.csv
            -o f.csv -o g.csv | g.csv
            -o f.csv --observables f.csv | f.csv
            -o f.csv --observables ./f.csv | ./f.csv
            -o f.csv --observables g.csv | g.csv
            """
        ):
            twice = f"{name} is given twice as an output; each needs a file of its own"
            self.refused(twice, "-c small.json", words)

    def test_devices_are_written_directly(self):
        self.assertEqual(self.good("-c small.json -o /dev/null -o /dev/null"), "")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        for word, *_ in read_formats():
            if word != "h5":
                full = ("-c small.json -o /dev/full --format", word)
                self.stopped(1, "/dev/full: No space left on device", full)

    def test_a_fifo_gets_the_data_and_stays_a_fifo(self):
        self.mkfifo("f.csv")
        process = self.start("-c small.json -o f.csv")
        with self.open_fifo("f.csv", process) as fifo:
            arrived = fifo.read().decode()
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertEqual(arrived, self.good("-c small.json"))
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("f.csv")).st_mode))
        self.holds("f.csv small.json")

    def test_a_descriptor_is_an_output(self):
        reader, writer = os.pipe()
        self.good("-c small.json -o", f"/dev/fd/{writer}", pass_fds=[writer], is_forced=False)
        os.close(writer)
        with open(reader, encoding="utf-8") as pipe:
            self.assertEqual(pipe.read(), self.good("-c small.json"))
        self.assertEqual(self.shell('"$0" -c small.json -o >(gzip > a.gz)'), (0, "", ""))

    def test_the_file_behind_an_inherited_descriptor_is_written_and_not_replaced(self):
        texts = {
            "rows": self.good("-c small.json"),
            "observables": self.good("-c small.json --observables -"),
        }
        self.link("log", "link")
        for words, text in rows_of(
            """
            -o /dev/stdout >> log | rows
            -o /dev/stderr 2>> log | rows
            -o log >> log | rows
            -o link >> log | rows
            -o /proc/self/fd/1 >> log | rows
            -o /dev/fd/3 3>> log | rows
            -o /dev/stdout >> log 2>&1 | rows
            --observables /dev/stdout >> log | observables
            --observables log 2>> log | observables
            """
        ):
            with self.subTest(words=words):
                self.write("log", "earlier\n")
                run = f'"$0" -q -c small.json --format csv {words} && echo later >> log'
                self.assertEqual(self.shell(run), (0, "", ""))
                self.assertEqual(self.read("log"), f"earlier\n{texts[text]}later\n")
                self.assertFalse(self.exists("log.part"))
        self.shell('{ echo before; "$0" -q -c small.json -o /dev/stdout; echo after; } > log')
        self.assertEqual(self.read("log"), f"before\n{texts['rows']}after\n")

    def test_outputs_to_one_stream_are_recognised_by_its_file(self):
        self.link("linked", "link.csv")
        for words in (
            "-o - -o /dev/stdout > log",
            "-o - --observables /dev/stdout > log",
            "-o - --observables /dev/stdout | cat > log",
            "-o /dev/stdout -o - | cat > log",
            "-o /dev/stderr -o log 2> log",
            "-o link.csv -o /dev/fd/1 > linked",
            "-o - --observables /dev/stderr > log 2>&1",
            "-o /dev/fd/4 -o /dev/fd/3 3> log 4>&3",
            "-o - --summary --observables /dev/stderr > log",
            "-o /dev/stdout --observables p.csv --summary >> log",
        ):
            with self.subTest(words=words):
                self.write("log", "")
                self.write("linked", "")
                run = f'set -o pipefail; "$0" -q -c small.json --format csv {words}'
                status, out, said = self.shell(run)
                self.assertEqual((status, out), (2, ""))
                why = (
                    "where --summary is printed; give the output another name"
                    if "--summary" in words
                    else "given twice as an output; each needs a file of its own"
                )
                self.assertRegex(
                    said + self.read("log") + self.read("linked"), rf"^boids: \S+ is {why}\n$"
                )
        null = '"$0" -q -c small.json -o /dev/null -o - -o /dev/null > /dev/null'
        self.assertEqual(self.shell(null), (0, "", ""))

    def test_an_output_spares_the_files_of_the_streams(self):
        wrong = "is read and written by the same run; give the output another name\n"
        self.good("-c small.json -o i.csv")
        before = self.read("i.csv")
        for words, name in rows_of(
            """
            -c - -o small.json --format csv < small.json | /dev/stdin
            -c small.json --init - -o i.csv < i.csv | /dev/stdin
            -c small.json --init i.csv -o - >> i.csv | i.csv
            --convert i.csv -o /dev/stdout >> i.csv | i.csv
            """
        ):
            self.assertEqual(self.shell('"$0" -q ' + words), (2, "", f"boids: {name} {wrong}"))
        self.assertEqual(self.read("i.csv"), before)

    def test_hdf5_needs_a_file_of_its_own(self):
        for words in ("-o a.h5 >> a.h5", "-o a.h5 2>> a.h5", "-o /dev/stdout --format h5 >> a.h5"):
            self.write("a.h5", "")
            status, _, said = self.shell('"$0" -q -c small.json ' + words)
            self.assertEqual(status, 2)
            self.assertRegex(
                said + self.read("a.h5"),
                r"^boids: HDF5 cannot be written to \S+; it needs a regular file of its own\n$",
            )

    def test_a_link_stays_and_its_file_is_replaced(self):
        self.mkdir("d")
        for ending in ENDINGS:
            link, target = "link." + ending, "d/target." + ending
            self.write(target, "")
            self.link(target, link)
            for name in (link, "a." + ending):
                self.good("-c small.json -o", name)
            self.assertTrue(os.path.islink(self.path(link)))
            self.assertSameFile(target, "a." + ending)

    def test_closed_or_full_standard_output_fails(self):
        # The last one is longer than the buffer of standard output, so its first write fails before the last one.
        for words in (
            "-c small.json",
            "--help",
            "--presets",
            "-c small.json --print-config",
            "--help flock",
        ):
            for place, message in (">&-", "is closed"), (
                ">/dev/full",
                ".*: No space left on device",
            ):
                status, _, said = self.shell(f'"$0" {words} {place}')
                self.assertEqual(status, 1, words)
                self.assertRegex(said, rf"\Aboids: standard output[^\n]*{message}[^\n]*\n\Z")

    def test_hashes_that_standard_error_cannot_take_are_a_failure(self):
        for redirection, status in ("2>&-", 1), ("2>/dev/full", 1), ("2>&1 >&- | head -n 1", 0):
            run = f'set -o pipefail; "$0" -c small.json --hash 1 -o a.csv --force {redirection}'
            self.assertEqual(self.shell(run)[0], status, redirection)
            self.assertEqual(self.read("a.csv"), self.good("-c small.json"))

    def test_all_streams_closed_writes_the_file_all_the_same(self):
        self.assertEqual(self.shell('"$0" -c small.json -o a.csv -o a.h5 <&- >&- 2>&-')[0], 0)
        self.assertEqual(self.read("a.csv"), self.good("-c small.json"))
        self.assertEqual(self.steps("a.h5"), [0, 1, 2, 3, 4, 5])

    def test_a_reader_that_closes_the_pipe_is_not_a_failure(self):
        for words in (f"-n {ENDLESS}", "-n 3000 -o - -o a.csv -o a.h5"):
            run = f'"$0" -c small.json {words} | head -n 1; echo ${{PIPESTATUS[0]}}'
            self.assertEqual(self.shell(run), (0, HEADER + "\n0\n", ""))
        self.assertEqual(self.steps("a.csv"), [*range(3001)])
        self.holds("a.csv a.h5 small.json")

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
    def check_failure(self, ending, message, **more):
        """A failed run leaves readable output and the old result."""
        name = "d/a." + ending
        self.write(name, "old")
        self.stopped(
            1,
            f"^{re.escape(name)}: .*{message}",
            "-c adams -n 2000 -s output.flush_seconds=0 --force -o",
            name,
            **more,
        )
        self.assertEqual(self.read(name), "old")
        self.assertGreater(self.size(name + ".part"), 0)
        if ending == "h5":
            whole = [step for step in self.steps(name + ".part") if step >= 0]
            self.assertGreater(len(whole), 0)
            self.assertEqual(whole, [*range(len(whole))])

    @unittest.skipUnless(os.geteuid() == 0, "only root can mount a small disk")
    def test_a_full_disk(self):
        self.mkdir("d")
        for ending in ENDINGS:
            mount = "mount -t tmpfs -o size=2m tmpfs".split()
            if subprocess.run([*mount, self.path("d")], capture_output=True).returncode != 0:
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
            said = rf"File too large; .* in (d/)?a\.{ending}\.part$"
            self.check_failure(ending, said, preexec_fn=limit)

    def test_the_key_of_a_number_that_overflows_is_named(self):
        left = "boid 0 has left the range of float64: a factor or force is too large"
        for setting, named in rows_of(
            """
            flock.cohesion.factor=1e200 | flock.cohesion.factor is 1e+200
            world.wind=[0,-1e308] | world.wind is [0, -1e+308]
            schedule=[{"at": 1, "set": {"flock.cohesion.factor": 1e200}}] | flock.cohesion.factor is 1e+200
            """
        ):
            self.stopped(
                1,
                rf"^step [123]: {left}; {re.escape(named)}; nothing was written$",
                "-c adams -n 9 -o none --set",
                setting,
            )

    def test_if_one_output_fails_the_other_is_kept_as_part(self):
        self.stopped(1, "/dev/full: No space left on device", "-c small.json -o a.csv -o /dev/full")
        self.holds("a.csv.part small.json")
        self.assertTrue(self.read("a.csv.part").endswith("\n"))

    def test_a_boid_that_overflows_ends_the_run_and_keeps_the_frames(self):
        self.write("i.csv", STATE + "0,boid,1,1,3e37,0\n1,boid,300,300,3,3\n")
        words = "-c adams -n 1000 --init i.csv -s arithmetic=float32 -s world.border=open"
        words = (words, "-s flock.min_speed=null -s flock.max_speed=null")
        left = r"^step \d+: boid 0 has left the range of float32: a factor or force is too large"
        self.stopped(1, left + "; nothing was written$", words, "-o none")
        self.stopped(1, left + "; the frames before it are kept$", words, "-o a.csv -o a.h5")
        self.holds("a.csv.part a.h5.part i.csv small.json")
        steps = self.steps("a.csv.part")
        self.assertGreater(len(steps), 0)
        self.assertEqual(steps, [*range(len(steps))])
        self.assertNotRegex(self.read("a.csv.part"), "inf|nan")
        self.assertEqual(self.steps("a.h5.part"), steps)


class Parts(Cli):
    def test_a_part_that_holds_no_frame_is_replaced(self):
        for ending in ENDINGS:
            self.good("-c small.json -o", "b." + ending)
            for text in ("old" * 100000, "", "junk"):
                self.write(f"a.{ending}.part", text)
                self.good("-c small.json -o", "a." + ending, is_forced=False)
                self.assertSameFile("a." + ending, "b." + ending)
                self.assertFalse(self.exists(f"a.{ending}.part"))

    def test_a_part_with_frames_is_kept_unless_forced(self):
        self.good("-c small.json -o a.h5")
        for name, shown in ("b.h5", "b.h5"), ("my a.h5", "'my a.h5'"):
            self.copy("a.h5", name + ".part")
            self.refused(
                f"{name}.part holds 6 frames of a run that was stopped; --resume {shown} continues it, --force replaces it",
                "-c small.json -o",
                name,
            )
            self.good("-c small.json --force -o", name)
            self.assertSameFile("a.h5", name)
        self.holds("a.h5 b.h5 my a.h5 small.json")

    def test_one_frame_is_one_frame(self):
        self.good("-c small.json -n 0 -o a.h5")
        self.rename("a.h5", "a.h5.part")
        self.refused("^a.h5.part holds 1 frame of a run", "-c small.json -o a.h5")

    def check_live(self, ending, env=None):
        name = "a." + ending
        process = self.start_writing(name, env=env)
        for more in ((), "--force"):
            live = name + ".part is being written by another run"
            self.stopped(2, live, "-c small.json -o", name, more, env=env)
        self.terminate(process)
        self.holds(name + ".part small.json")
        self.remove(name + ".part")

    def test_the_part_file_of_a_live_run_is_not_overwritten(self):
        for ending in ENDINGS:
            self.check_live(ending)
        self.check_live("h5", env={"HDF5_USE_FILE_LOCKING": "FALSE"})


class Signals(Cli):
    def check_parts(self, step):
        """The outputs of a run that was stopped at a step are whole and have the same frames."""
        text = self.read("a.csv.part")
        self.assertTrue(text.endswith("\n"))
        self.assertEqual(text.count("\n") % 12, 1)
        steps = self.steps("a.csv.part")
        count = len(steps)
        self.assertEqual(steps, [*range(0, 200 * count - 200, 200), step])
        self.assertEqual(self.steps("a.h5.part"), steps)
        with self.h5("a.h5.part") as file:
            self.assertEqual(file["particles/boids/position/value"].shape, (count, 10, 2))
        matrix = numpy.loadtxt(self.path("a.txt.part"), skiprows=1)
        self.assertEqual(matrix.shape, (4 * count, 10))
        self.assertEqual(self.lines("a.txt.part")[0].split(), [str(4 * count), "10"])

    def test_a_signal_ends_the_run_with_every_file_whole(self):
        for name, status in rows_of(
            "SIGINT | 130\nSIGTERM | 143\nSIGHUP | 129\nSIGUSR1 | 0\nSIGXCPU | 0"
        ):
            process = self.start_writing("a.csv", "-o a.h5 -o a.txt")
            *ended, said = self.ended_by(signal.Signals[name], process)
            self.assertEqual(ended, [int(status), ""], name)
            resume = "the frames written so far are kept; continue with: boids --resume a.h5"
            step = re.fullmatch(rf"boids: stopped at step (\d+); {resume}\n", said)
            self.holds("a.csv.part a.h5.part a.txt.part small.json")
            self.check_parts(int(step[1]))
            for part in self.names()[:3]:
                self.remove(part)

    def until_full(self, fifo, process):
        """Wait until less than a page is free in the pipe, and the run waits in the middle of a frame."""
        size = fcntl.fcntl(fifo, 1032)  # F_GETPIPE_SZ

        def is_full():
            (held,) = struct.unpack("i", fcntl.ioctl(fifo, termios.FIONREAD, b"0000"))
            state = read(f"/proc/{process.pid}/stat").rsplit(")")[1].split()[0]
            return size - held < 4096 and state == "S"

        self.until(is_full, process)

    def flushed_frames(self, name):
        with contextlib.suppress(OSError, KeyError), h5py.File(
            self.path(name), locking=False
        ) as file:
            return int((file["particles/boids/position/step"][:] >= 0).sum())
        return 0

    def test_a_repeated_notice_of_a_batch_system_is_not_a_second_signal(self):
        self.mkfifo("f.csv")
        for names, status in rows_of(
            """
            XCPU XCPU XCPU | 0
            USR1 USR1 | 0
            XCPU USR1 | 0
            USR1 XCPU USR1 | 0
            TERM USR1 XCPU | 143
            USR1 INT | 130
            """
        ):
            process = self.start("-c small.json -n", ENDLESS, "--force -o f.csv -o a.csv")
            with self.subTest(names=names), self.open_fifo("f.csv", process) as fifo:
                self.until_full(fifo, process)
                for name in names.split():
                    process.send_signal(signal.Signals["SIG" + name])
                    time.sleep(0.1)
                self.assertIsNone(process.poll())
                fifo.read()
                self.assertEqual(process.wait(PATIENCE), int(status))
                rows = self.lines("a.csv.part")[1:]
                self.assertEqual(len(rows) % 12, 0)

    def test_two_notices_at_once_end_a_run_and_a_sweep_with_status_0(self):
        self.write("p.csv", "seed,steps\n" + "".join(f"{i},{ENDLESS}\n" for i in range(4)))
        self.mkdir("kept")
        for folder, words in (
            (".", ("-n", ENDLESS, "--every 200 -o a.csv")),
            ("kept", "--points p.csv --table t.csv --keep kept"),
        ):
            process = self.start("-c small.json", words)
            self.until(lambda: ".part" in " ".join(self.names(folder)), process)
            for number in (signal.SIGSTOP, signal.SIGXCPU, signal.SIGUSR1, signal.SIGCONT):
                process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE), 0, words)

    def test_a_time_limit_ends_a_run_that_resumes_to_the_same_bytes(self):
        words = "-c small.json --every 7"
        status, out, said = self.ended(words, "-n", ENDLESS, "-o a.h5 --max-seconds 0.2 --summary")
        line = json.loads(out)
        self.assertEqual(
            (status, line["status"], line["stopped_by"]), (0, "stopped", "max-seconds")
        )
        self.assertEqual(
            said,
            f"boids: stopped at step {line['steps']} after 0.2 s; the frames written so far are kept; "
            "continue with: boids --resume a.h5\n",
        )
        self.holds("a.h5.part small.json")
        steps = line["steps"] + 50
        self.good("--resume a.h5 -n", steps)
        self.good(words, "-n", steps, "-o whole.h5 --max-seconds", PATIENCE)
        self.assertSameFile("a.h5", "whole.h5")

    def test_an_interrupt_reports_the_output_and_how_to_resume(self):
        process = self.start_writing("it's.h5")
        said = self.ended_by(signal.SIGINT, process)[2]
        kept = r"boids: stopped at step (\d+); the frames written so far are kept"
        step, command = re.fullmatch(f"{kept}; continue with: boids (.*)\n", said).groups()
        self.assertEqual(shlex.split(command), ["--resume", "it's.h5"])
        self.assertEqual(self.shell(f'"$0" {command} --steps {step}'), (0, "", ""))
        for words, end in (
            ("-o none", "nothing was written"),
            ("-o a.csv", "the frames written so far are kept"),
        ):
            process = self.start("-c small.json -n", ENDLESS, "--every 1000 --hash 100", words)
            process.stderr.readline()
            process.stderr.readline()
            said = self.ended_by(signal.SIGINT, process)[2].splitlines()[-1]
            self.assertRegex(said, rf"^boids: stopped at step \d+; {end}$")

    def test_a_second_signal_ends_the_run_at_once(self):
        self.mkfifo("f.csv")
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
        self.mkfifo("f")
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for words in ("-c -", "-c f", "-c small.json --init f"):
                for has_writer in {False, "f" in words}:
                    process = self.start(words, "-o a.h5", stdin=subprocess.PIPE)
                    self.until(lambda: self.catches(process, number), process)
                    with open(self.path("f"), "wb") if has_writer else contextlib.nullcontext():
                        process.send_signal(number)
                        self.assertEqual(process.wait(PATIENCE), status)
                    self.holds("f small.json")

    def test_a_batch_system_ends_a_run_before_its_first_output_with_status_0(self):
        self.mkfifo("f")
        for number in (signal.SIGUSR1, signal.SIGXCPU):
            for words, status in (
                ("-c f -o a.h5", 0),
                ("--convert small.csv -c f -o b.csv", 0),
                ("-c f --check", 128 + number),
            ):
                process = self.start(words)
                with open(self.path("f"), "wb"):
                    ended = self.ended_by(number, process)
                said = "boids: stopped before the first step; nothing was written\n"
                self.assertEqual(ended, (status, "", "" if status else said))
                self.holds("f small.json")

    @staticmethod
    def catches(process, number):
        mask = re.search(r"(?m)^SigCgt:\s*(\w+)", read(f"/proc/{process.pid}/status"))[1]
        return int(mask, 16) >> (number - 1) & 1

    def test_an_ignored_signal_stays_ignored(self):
        process = self.start_writing(
            "a.csv", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
        )
        process.send_signal(signal.SIGINT)
        size = self.size("a.csv.part")
        self.until(lambda: self.size("a.csv.part") > size + 40000, process)
        self.terminate(process)

    def test_a_killed_run_leaves_all_flushed_frames(self):
        process = self.start_writing("a.h5")
        self.until(lambda: self.flushed_frames("a.h5.part") > 1, process)
        process.kill()
        process.wait(PATIENCE)
        steps, states = self.read_trajectory("a.h5.part")
        whole = len(steps)
        self.assertGreater(whole, 1)
        self.assertEqual(list(steps), list(range(0, 200 * whole, 200)))
        self.assertTrue(numpy.abs(states[:, :10, 2:]).sum(axis=(1, 2)).all())
        self.refused(
            f"a.h5.part holds {whole} frames of a run that was stopped; --resume a.h5 continues it, --force replaces it",
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
                    self.good(words, outputs(name))
                for ending in ENDINGS:
                    self.assertSameFile("a." + ending, "b." + ending, words)
                self.assertEqual(self.steps("a.csv"), [0, 1, 2, 3, 4])

    def test_every_configuration_runs_as_shipped(self):
        for config in CONFIGS:
            self.good("-c", config, "-n 2 -o a.csv")
            self.assertEqual(self.steps("a.csv"), [0, 1, 2], config)

    def test_flushing_does_not_change_a_byte(self):
        for compression in "04":
            seen = set()
            # All have five characters: the files differ only in these and in the hash of the configuration.
            for seconds in ("0.001", "0.033", "10000"):
                output = f"-s output.flush_seconds={seconds} -s output.compression={compression}"
                self.good("-c small.json -n 1000 -o a.h5", output)
                reported = b'"flush_seconds": ' + seconds.encode()
                self.assertEqual(self.bytes("a.h5").count(reported), 1)
                hashed = parameters_hash(self.path("a.h5"))
                seen.add(self.bytes("a.h5").replace(reported, b"").replace(hashed, b""))
            self.assertEqual(len(seen), 1)

    def test_frames_are_the_first_every_kth_and_the_last(self):
        for steps, every, frames in rows_of(
            """
            10 | 3 | 0 3 6 9 10
            9  | 3 | 0 3 6 9
            2  | 5 | 0 2
            0  | 4 | 0
            3  | 1 | 0 1 2 3
            """
        ):
            wanted = [*map(int, frames.split())]
            self.good("-c small.json -n", steps, "--every", every, outputs("a"))
            for name in ("a.csv", "a.h5"):
                self.assertEqual(self.steps(name), wanted)
            matrix = numpy.loadtxt(self.path("a.txt"), skiprows=1)
            self.assertEqual(matrix.shape, (4 * len(wanted), 10))
            self.assertEqual(re.findall(r" step=(\d+)", self.read("a.xyz")), frames.split())

    def test_csv_is_tidy(self):
        text = self.good("-c small.json")
        self.assertEqual(text.splitlines()[0], HEADER)
        rows = csv_rows(text)
        self.assertEqual([int(row["id"]) for row in rows], list(range(12)) * 6)
        self.assertEqual([row["type"] for row in rows], (["boid"] * 10 + ["predator"] * 2) * 6)
        self.assertTrue(all(row["time"] == row["step"] for row in rows))
        self.assertTrue(text.endswith("\n"))

    def test_printed_digits_restore_every_number(self):
        def fixed(numbers):
            return numpy.round(numbers * 65536) / 65536

        for arithmetic, digits, rounded in (
            ("float32", 9, numpy.float32),
            ("float64", 17, numpy.float64),
            ("fixed", 10, fixed),
        ):
            words = ("-s", "arithmetic=" + arithmetic, "--digits", digits)
            self.good("-c small.json -n 50 -o a.csv -o a.h5 -o a.txt", words)
            with self.h5("a.h5") as file:
                position = file["particles/boids/position/value"][:]
            rows = csv_rows(self.read("a.csv"))
            cells = [[row["x"], row["y"]] for row in rows if row["type"] == "boid"]
            found = rounded(numpy.array(cells, float)).reshape(51, 10, 2)
            assert_array_equal(found, position)
            matrix = rounded(numpy.loadtxt(self.path("a.txt"), skiprows=1).reshape(51, 4, 10))
            assert_array_equal(matrix[:, :2], position.swapaxes(1, 2))

    def test_the_matrix_begins_with_its_size(self):
        self.good("-c small.json -o a.txt")
        size, *rows = self.lines("a.txt")
        self.assertEqual((size.split(), len(rows)), (["24", "10"], 24))

    def test_xyz_frames_are_counted_and_described(self):
        words = ("-s", 'title=a "b" \\ ü', "-n 2 -s flock.count=3 -s predators.count=1")
        self.good("-c adams", words, "-o a.xyz -o a.csv")
        lines, atoms = self.lines("a.xyz"), []
        self.assertEqual(len(lines), 3 * (4 + 2))
        for frame in range(3):
            count, comment, *rows = lines[6 * frame : 6 * frame + 6]
            self.assertEqual(count, "4")
            self.assertIn("Properties=species:S:1:pos:R:3:velo:R:3:id:I:1", comment)
            self.assertRegex(comment, rf" step={frame}\b")
            atoms += rows
        wanted = [
            f"{'P' if row['type'] == 'predator' else 'B'} {row['x']} {row['y']} 0 {row['vx']} {row['vy']} 0 {row['id']}"
            for row in csv_rows(self.read("a.csv"))
        ]
        self.assertEqual(atoms, wanted)
        reported = re.search(r' config="((?:[^"\\]|\\.)*)"', lines[1])[1]
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
            shared = file["particles/boids/position"]
            for name, ids, kind in (("boids", range(10), 0), ("predators", range(10, 12), 1)):
                group = file["particles/" + name]
                for element in (group["position"], group["velocity"]):
                    value = element["value"]
                    self.assertEqual((value.shape, value.dtype.str), ((6, len(ids), 2), "<f8"))
                    for scale in ("step", "time"):
                        self.assertEqual(element[scale], shared[scale])
                self.assertEqual(list(group["id"]), list(ids))
                self.assertEqual(set(group["species"]), {kind})
                kinds = h5py.check_enum_dtype(group["species"].dtype)
                self.assertEqual(kinds, {"boid": 0, "predator": 1})
                self.assertEqual(group["box"].attrs["dimension"], 2)
                self.assertEqual(boundary_of(group), [b"periodic"] * 2)
                self.assertEqual(list(group["box/edges"]), [640, 480])
            self.assertEqual(list(shared["time"]), [0, 1, 2, 3, 4, 5])
            parameters = file["parameters"]
            self.assertEqual(parameters.attrs["seed"], 18446744073709551615)
            self.assertLessEqual({"seed", "version", "git", "arithmetic"}, {*parameters.attrs})
            self.write("printed.json", parameters["config"][()])
        self.good("-c printed.json -o b.h5")
        self.assertSameFile("a.h5", "b.h5")

    def test_three_dimensions_have_z_of_zero_and_edges_per_frame(self):
        self.good("-c small.json -s output.h5_dims=3 -o a.h5")
        self.good("-c small.json -o b.h5")
        with self.h5("a.h5") as file, self.h5("b.h5") as plane:
            for name in ("particles/boids", "particles/predators"):
                group, flat = file[name], plane[name]
                wanted = numpy.pad(flat["position/value"], ((0, 0), (0, 0), (0, 1)))
                assert_array_equal(group["position/value"], wanted)
                self.assertEqual(group["box"].attrs["dimension"], 3)
                edges = group["box/edges/value"]
                self.assertEqual(edges.shape, (6, 3, 3))
                assert_array_equal(edges[5], numpy.diag([640, 480, 1]))
                # An open world is not periodic.
                self.assertEqual(boundary_of(flat), [b"none"] * 2)
        one, other = (self.rows("--digits 17 --init", name + "@3") for name in ("a.h5", "b.h5"))
        self.assertEqual(one, other)

    def test_compression_and_precision_change_the_storage_only(self):
        values = []
        for name, words in (
            ("plain.h5", ()),
            ("gzip.h5", "-s output.compression=6"),
            ("single.h5", "-s output.precision=float32"),
        ):
            self.good("-c adams -n 30", words, "-o", name)
            values.append(self.h5(name)["particles/boids/position/value"])
        plain, packed, single = values
        storage = packed.compression, packed.compression_opts, packed.shuffle
        self.assertEqual(storage, ("gzip", 6, True))
        self.assertIsNone(plain.compression)
        assert_array_equal(plain, packed)
        self.assertEqual(single.dtype.str, "<f4")
        assert_array_equal(plain[:].astype("f4"), single)
        self.assertLess(self.size("gzip.h5"), self.size("plain.h5"))

    def test_nothing_of_the_place_is_stored(self):
        self.good("-c small.json", outputs("a"))
        for ending in ENDINGS:
            for word in (self.folder.encode(), b"small.json", os.uname().nodename.encode() + b"\0"):
                self.assertNotIn(word, self.bytes("a." + ending))

    def follow(self, *command):
        """The output of a command. A file can look damaged during a flush; then it is read again."""
        for _ in range(20):
            done = subprocess.run(command, **self.how({"HDF5_USE_FILE_LOCKING": "FALSE"}))
            if done.returncode == 0:
                return done.stdout
        raise AssertionError(done.stderr)

    def test_an_existing_trajectory_can_be_followed_while_it_is_written(self):
        process = self.start_writing("a.h5")
        count = """import h5py
file = h5py.File("a.h5.part")
print((file["particles/boids/position/step"][:] >= 0).sum())"""
        self.assertGreater(int(self.follow(sys.executable, "-c", count)), 1)
        state = self.follow(BOIDS, *"-c small.json --init a.h5.part -n 0".split())
        self.assertEqual(len(state.splitlines()), 13)
        self.assertIsNone(process.poll())


class Terminals(Cli):
    """Interactive use, in a pseudo-terminal."""

    @contextlib.contextmanager
    def terminal(self, columns=0):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
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

    def see(self, words, stdout=None, columns=0, status=0):
        """The output of a finished run; if `stdout` is None, that is the terminal too."""
        with self.terminal(columns) as (ours, theirs):
            out = theirs if stdout is None else stdout
            process = self.start(words, stdout=out, stderr=theirs)
            os.close(theirs)
            text = self.read_terminal(ours)
            self.assertEqual(process.wait(PATIENCE), status, text)
        return text.decode()

    def see_long(self, words, columns=120, **more):
        """The output of an endless run until a progress bar appears, or for the time of four."""
        with self.terminal(columns) as (ours, theirs):
            run = ("-c small.json --every 10000 -n", ENDLESS, words)
            how = {"stdout": subprocess.DEVNULL, "stderr": theirs, **more}
            process = self.start(run, **how)
            os.close(theirs)
            text = self.read_terminal(
                ours, lambda text: b" left" in text and text.endswith(b"\033[K"), 0.4
            )
            process.send_signal(signal.SIGINT)
            text += self.read_terminal(ours)
            self.assertEqual(process.wait(PATIENCE), 130, text)
        stopped = r"boids: stopped at step \d+; (the frames written so far are kept|nothing was written)\r\n"
        return re.sub(stopped, "", text.decode())

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
        rows = (f"99000000,{i},boid,{i % 40 * 16},{i // 40 * 9},3,0\n" for i in range(2000))
        self.write("late.csv", f"step,{STATE}{''.join(rows)}")
        text = self.see_long("--init late.csv --keep-step -o none")
        self.assertRegex(text, r"\r\033\[36m> {28}\033\[0m +0 %  step 99\d{6} of " + ENDLESS + "  ")
        self.assertNotIn(" 0 s left", text)

    def test_a_bar_without_colour(self):
        text = self.see_long((), env={"NO_COLOR": "1"})
        self.assertIn("steps/s", text)
        self.assertNotRegex(text, r"\033\[\d*m")

    def test_a_bar_fits_in_the_width_of_the_terminal(self):
        """In one line: the bar is dropped first, then the rate, then the time left."""
        for width, variable, shown in rows_of(
            """
            100 | | bar rate left
            80 | | bar rate left
            60 | | rate left
            50 | | left
            40 | |
            20 | |
            0 | COLUMNS=60 | rate left
            0 | COLUMNS= | bar rate left
            """
        ):
            columns = int(width)
            env = dict([variable.split("=")] if variable else [])
            text = self.see_long("-s flock.count=9 -o none", columns=columns, env=env)
            lines = [re.sub(r"\033\[\d*[mK]", "", line) for line in re.split("[\r\n]+", text)]
            self.assertNotIn("\n", text)
            last = max(lines, key=len)
            self.assertLess(len(last), columns or int(env["COLUMNS"] or 80), last)
            parts = {"bar": "[=>]", "rate": "steps/s", "left": " left$"}
            found = " ".join(name for name, form in parts.items() if re.search(form, last))
            # At 60 columns, a number with one digit more leaves no room for the rate.
            self.assertIn(found, [shown or "", "left" if shown == "rate left" else shown], last)
            if columns >= 50:
                self.assertRegex(last, r"\d %  step \d+ of \d+")

    def test_a_bar_has_whole_steps_and_two_digits(self):
        text = self.see_long("-o none")
        self.assertRegex(
            text, r"step \d+ of \d+  [1-9]\d0* steps/s  (\d|\d\d|\d\.\d|[1-9]\d0+) (s|min|h) left"
        )

    def test_a_dumb_terminal_gets_no_escape_sequences(self):
        text = self.see_long("-o none", env={"TERM": "dumb"})
        self.assertIn("steps/s", text)
        self.assertNotIn("\033", text)

    def test_a_closing_line_names_what_was_written(self):
        """Each row: the outputs, and the lines."""
        with open(os.devnull, "wb") as null:
            for words, *lines in rows_of(
                """
                -o a.h5 | a.h5: 11 frames, SIZE; draw it: boids-plot a.h5
                -o b.csv | b.csv: 11 frames, SIZE
                -o c.h5 --every 4 -s output.first=4 | c.h5: 3 frames, SIZE; draw it: boids-plot c.h5
                -o 'd d.h5' --observables d.csv --every 10 | d d.h5: 2 frames, SIZE; draw it: boids-plot 'd d.h5' | d.csv: 2 rows, SIZE; draw it: boids-plot d.csv
                -o none
                --convert a.h5 -o e.h5 --every 5 | e.h5: 3 frames, SIZE; draw it: boids-plot e.h5
                --convert a.h5 -o e.csv --first 8 --observables o.csv --set output.observables_every=2 | e.csv: 3 frames, SIZE | o.csv: 6 rows, SIZE; draw it: boids-plot o.csv
                --convert a.h5 -o -
                """
            ):
                if "--convert" not in words:
                    words = "-c small.json -n 10 --progress never " + words
                text = self.see(words, stdout=null)
                self.assertEqual(
                    re.sub(r"\d+\.\d [kM]B|\d+ bytes", "SIZE", text),
                    "".join(f"boids: {line}\r\n" for line in lines),
                )
                self.assertEqual(self.see(words + " -q --force", stdout=null), "")
                self.good(words, "--force")

    def test_quiet_prints_no_progress_bar(self):
        for words in ("-q", "--progress never"):
            self.assertEqual(self.see_long(words), "")

    def test_no_bar_without_a_terminal(self):
        self.says("", "-c adams -n 300 -o none")

    def test_a_requested_progress_bar_is_always_shown(self):
        for steps in "05":
            *ended, said = self.ended("-c small.json -o none --progress always -n", steps)
            self.assertEqual(ended, [0, ""])
            self.assertIn(f"step {steps} of {steps}", said)
            self.assertTrue(said.endswith("\n"))
        self.good("-c small.json -o none --progress always -q")

    def test_data_on_the_terminal_is_not_disturbed(self):
        words = "-c small.json -n 20000 --every 10000"
        wanted = self.good(words)
        for path, stdout in (
            ("-", None),
            ("/dev/stdout", None),
            ("/dev/stderr", None),
            ("/dev/stderr", subprocess.DEVNULL),
        ):
            text = self.see((words, "-o", path), stdout=stdout)
            self.assertEqual(text.replace("\r\n", "\n"), wanted, path)

    def test_without_an_output_on_a_terminal_a_file_is_written_and_named(self):
        for config, name in (("small.json", "small.h5"), ("castor", "castor.h5")):
            text = self.see(("-c", config, "-n 3 --progress never"))
            self.assertEqual(
                re.sub(r"\d+\.\d kB", "SIZE", text),
                f"boids: writing {name}; draw it with: boids-plot {name}\r\nboids: {name}: 4 frames, SIZE\r\n",
            )
            self.assertEqual(self.steps(name), [0, 1, 2, 3])
        self.assertEqual(self.see("-c small.json -q"), "")

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
        self.assertEqual(
            self.see("-c small.json", status=2),
            "boids: small.h5.part holds 6 frames of a run that was stopped; --resume small.h5 "
            "continues it, --force replaces it\r\n",
        )

    def name_of_run(self, *words):
        return re.match(r"boids: writing (\S+?)[;,\r]", self.see(("-c small.json", words)))[1]

    def test_a_default_name_taken_by_another_run_is_not_overwritten(self):
        first = self.see("-c small.json")
        whole = self.bytes("small.h5")
        self.assertEqual(self.see("-c small.json"), first)
        self.assertRegex(
            self.see("-c small.json --seed 7"),
            "^boids: writing small-2.h5, because small.h5 contains another run; draw it with: .* small-2.h5\r\n",
        )
        other = self.bytes("small-2.h5")
        for words, name in rows_of(
            """
            -s flock.max_speed=7 | small-3.h5
            --seed 7 | small-2.h5
            -n 4 | small-4.h5
            """
        ):
            self.assertEqual(self.name_of_run(words), name)
        self.assertEqual((self.bytes("small.h5"), self.bytes("small-2.h5")), (whole, other))
        self.assertEqual(self.name_of_run("--seed 7 --force"), "small.h5")
        self.assertEqual(self.bytes("small.h5"), other)

    def test_a_default_name_used_by_a_foreign_or_incomplete_file_is_skipped(self):
        self.write("small.h5", "of another program")
        self.good("-c small.json --seed 3 -o small-2.h5.part --format h5")
        self.assertEqual(self.name_of_run(), "small-3.h5")
        self.assertEqual(self.read("small.h5"), "of another program")
        self.good("-c small.json -o small-2.h5.part --format h5")
        self.assertIn("boids: small-2.h5.part holds", self.see("-c small.json", status=2))

    def test_the_default_name_is_reused_with_an_initial_state_and_non_ascii_text(self):
        self.write("i.csv", STATE + "0,boid,1,1,3,0\n1,boid,300,300,3,3\n")
        words = ("--init i.csv -s", 'title="\u017curaw"', "-s flock.max_speed=7.1")
        for _ in range(2):
            self.assertEqual(self.name_of_run(words), "small.h5")

    def test_verbose_prints_the_speed(self):
        self.assertRegex(
            self.ended("-c small.json -v -o none")[2],
            r"\A(boids: [^\n]+\n)*boids: 5 steps of 10 boids in \S+ s, \S+ boid-steps per second\n\Z",
        )


if __name__ == "__main__":
    unittest.main()
