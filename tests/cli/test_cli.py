"""The command as a user meets it: what it says, what it leaves behind, how it ends.

Each test runs the program in a folder of its own. BOIDS names the executable, default ./boids; `adams` and the other
presets are found beside it.
"""

import csv
import json
import os
import pty
import select
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOIDS = os.path.abspath(os.environ.get("BOIDS", os.path.join(ROOT, "boids")))
HEADER = "id,type,x,y,vx,vy\n"


class Case(unittest.TestCase):
    """A folder to work in, and short ways to run the program and to look at what it did."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_boids(self, *arguments, **options):
        settings = dict(cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        settings.update(options)
        return subprocess.run([BOIDS, *arguments], **settings)

    def good(self, *arguments, **options):
        done = self.run_boids(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode() if done.stdout is not None else ""

    def fails(self, status, sentence, *arguments, **options):
        """One line on standard error, nothing on standard output, and no output file begun."""
        before = sorted(os.listdir(self.folder))
        done = self.run_boids(*arguments, **options)
        self.assertEqual(done.stderr.decode(errors="replace"), "boids: %s\n" % sentence)
        self.assertEqual(done.returncode, status)
        self.assertFalse(done.stdout)
        if status == 2:
            self.assertEqual(sorted(os.listdir(self.folder)), before)

    def refused(self, sentence, *arguments, **options):
        self.fails(2, sentence, *arguments, **options)

    def rows(self, name):
        with open(self.path(name), newline="") as file:
            return list(csv.DictReader(file))

    def start(self, *arguments):
        process = subprocess.Popen([BOIDS, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, name):
        deadline = time.monotonic() + 20
        while not (os.path.exists(self.path(name)) and os.path.getsize(self.path(name)) > 10000):
            self.assertLess(time.monotonic(), deadline, name)
            time.sleep(0.01)


class Options(Case):
    def test_help_fits_a_screen_and_begins_with_an_example(self):
        lines = self.good("--help").splitlines()
        self.assertTrue(lines[0].startswith("Example:  boids --config configs/adams.json --steps 300"))
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertLessEqual(len(lines), 24)
        for option in ("--resume", "--observables", "--summary", "--hash", "--from"):
            self.assertNotIn(option, "\n".join(lines))

    def test_help_explains_a_key(self):
        text = self.good("--help", "flock.cohesion.factor")
        self.assertIn("0.0005", text)
        self.refused("flock.cohesoin is not a known key; did you mean flock.cohesion?", "-h", "flock.cohesoin")

    def test_version_and_presets(self):
        self.assertRegex(self.good("--version"), r"^boids \d+\.\d+\.\d+ \(.+\)\n$")
        listed = self.good("--presets")
        for preset in ("adams", "castor", "bees", "fish", "p5", "murmuration", "school"):
            self.assertIn("\n" + preset + " ", "\n" + listed)

    def test_what_is_no_option_is_refused(self):
        for option in ("--resume", "--observables", "--summary", "--hash", "--from", "--nonsense"):
            self.refused("%s is not an option; see boids --help" % option, "-c", "adams", option)
        self.refused("-x is not an option; see boids --help", "-x")
        self.refused("--config wants a value; see boids --help", "--config")
        self.refused("-c wants a value; see boids --help", "-c")
        self.refused("--s could be several options; see boids --help", "--s", "3")
        self.refused("--check=3: this option takes no value; see boids --help", "--check=3")
        self.refused("adams stands alone; a configuration is given with --config adams", "adams")
        self.refused("no configuration was given; try boids --config adams, or boids --help")
        self.refused("--format is pdf; it must be csv, matrix, xyz or h5", "--format", "pdf")
        self.refused("--progress is no; it must be auto, always or never", "--progress", "no")

    def test_numbers_out_of_bounds_are_refused(self):
        whole = "; it must be a whole number from "
        self.refused("--steps -1: steps is -1" + whole + "0 to 9007199254740992", "-c", "adams", "--steps", "-1")
        self.refused("--every 0: output.every is 0" + whole + "1 to 9007199254740992", "-c", "adams", "--every", "0")
        self.refused("--digits 18: output.digits is 18" + whole + "1 to 17", "-c", "adams", "--digits", "18")
        for threads in ("-1", "0x", "100000", ""):
            self.refused("--threads is %s; it must be a whole number from 0 to 1024" % threads, "-c", "adams",
                         "--threads", threads)

    def test_an_instruction_set_must_be_known(self):
        self.refused("BOIDS_ISA is v9; it must be scalar, v2, v3 or v4", "-c", "murmuration", "-n", "1",
                     env=dict(os.environ, BOIDS_ISA="v9"))

    def test_arguments_that_are_not_utf8_are_refused(self):
        self.refused("--set: byte 0xff is not UTF-8", "-c", "adams", "--set", b"title=\xff")
        done = self.run_boids("-c", b"\xff\xfe")
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))

    def test_the_configuration_may_come_from_standard_input(self):
        config = self.read(os.path.join(ROOT, "configs", "castor.json"))
        from_pipe = self.run_boids("-c", "-", "-n", "3", input=config, stdin=None)
        self.assertEqual(from_pipe.stdout.decode(), self.good("-c", "castor", "-n", "3"))

    def test_set_wins_over_the_file_and_the_last_one_wins(self):
        config = self.write("a.json", '{"steps": 7, "flock": {"count": 5}}')
        printed = json.loads(self.good("-c", config, "-s", "steps=9", "--print-config"))
        self.assertEqual(printed["steps"], 9)
        printed = json.loads(self.good("-c", config, "-s", "steps=9", "-n", "4", "-s", "world.margin.left=1",
                                       "--print-config"))
        self.assertEqual(printed["steps"], 4)
        self.assertEqual(printed["world"]["margin"], {"left": 1, "right": 100, "top": 100, "bottom": 100})

    def test_a_printed_configuration_gives_the_same_bytes(self):
        for preset in ("adams", "castor", "fish", "p5", "school"):
            self.write("printed.json", self.good("-c", preset, "--print-config"))
            self.assertEqual(self.good("-c", "printed.json", "-n", "20"), self.good("-c", preset, "-n", "20"))
            self.assertEqual(self.good("-c", "printed.json", "--print-config"), self.read("printed.json").decode())

    def test_check_says_yes_and_writes_nothing(self):
        done = self.run_boids("-c", "adams", "--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b"boids: adams is valid\n"))

    def test_the_size_of_a_run_is_told_before_it_starts(self):
        done = self.run_boids("-c", "adams", "--check", "-v", "-q")
        self.assertRegex(done.stderr.decode(),
                         r"^boids: 300 steps of 400 boids and 1 predators take \d+\.\d MB of memory\n$")

    def test_a_locale_changes_nothing(self):
        german = dict(os.environ, LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
        self.assertEqual(self.good("-c", "adams", "-n", "2", env=german), self.good("-c", "adams", "-n", "2"))


class BadConfiguration(Case):
    def refused_text(self, text, sentence):
        self.write("a.json", text)
        self.refused("a.json" + sentence, "-c", "a.json", "-o", "x.csv")

    def test_files_that_are_none(self):
        self.refused("no.json is neither a file nor a preset; boids --presets lists those", "-c", "no.json")
        self.refused("./no.json: there is no such file", "-c", "./no.json")
        self.fails(1, ".: it cannot be read: Is a directory", "-c", ".")
        self.refused_text("", ": it is empty; it must hold a JSON object")
        self.refused_text(b"\x7fELF\x00\x01", ":1:5: a NUL byte; this is not a text")

    def test_a_file_of_100_megabytes(self):
        with open(self.path("big.json"), "wb") as file:
            file.truncate(100 << 20)
        self.refused("big.json: it is larger than 1 MiB; no configuration is", "-c", "big.json")

    def test_broken_json(self):
        self.refused_text('{"steps": 3,\n "title": "ab', ":2:14: JSON ends in the middle of a string")
        self.refused_text('{"flock": {"cout": 3}}', ":1: flock.cout is not a known key; did you mean flock.count?")
        self.refused_text('{"seed": 1,\n"seed": 2}', ":2: seed is given twice; the first is in line 1")

    def test_wrong_values(self):
        bad = {
            "flock.count=many": 'flock.count is "many"; it must be a whole number from 1 to 2147483647',
            "flock.count=0": "flock.count is 0; it must be a whole number from 1 to 2147483647",
            "flock.count=1e12": "flock.count is 1e12; it must be a whole number from 1 to 2147483647",
            "flock.cohesion.radius=-3": "flock.cohesion.radius is -3; it must be 0 or more",
            "flock.cohesion.radius=NaN": 'flock.cohesion.radius is "NaN"; it must be a number of 0 or more',
            "flock.cohesion.radius=1e999": "1e999 is a number beyond what a double holds",
            "world.width=0": "world.width is 0; it must be above 0",
        }
        for setting, sentence in bad.items():
            self.refused("--set %s: %s" % (setting, sentence), "-c", "adams", "--set", setting, "-o", "x.csv")

    def test_keys_that_clash_are_both_named(self):
        clashes = {
            "flock.alignment.inner_radius=99": ("flock.alignment.inner_radius", "flock.alignment.radius"),
            "flock.min_speed=9": ("flock.min_speed", "flock.max_speed"),
            "world.distance=torus": ("world.distance", "world.border"),
            "flock.steering=reynolds": ("flock.steering", "flock.max_force"),
        }
        for setting, keys in clashes.items():
            done = self.run_boids("-c", "adams", "--set", setting, "-o", "x.csv")
            self.assertEqual((done.returncode, done.stderr.count(b"\n"), os.listdir(self.folder)), (2, 1, []))
            for key in keys:
                self.assertIn(key.encode(), done.stderr)

    def test_more_boids_than_memory_holds(self):
        done = self.run_boids("-c", "adams", "-s", "flock.count=2147483000", "-o", "x.csv")
        self.assertEqual((done.returncode, os.listdir(self.folder)), (2, []))
        self.assertRegex(done.stderr.decode(), r"^boids: flock.count is 2147483000; that takes [\d.]+ GB of memory ")


class InitialState(Case):
    def refused_state(self, text, sentence):
        self.write("i.csv", text)
        self.refused("i.csv" + sentence, "-c", "adams", "--init", "i.csv", "-n", "1", "-o", "x.csv")

    def test_states_that_are_none(self):
        self.refused("i.csv: there is no such file", "-c", "adams", "--init", "i.csv")
        self.refused_state("", ": it is empty; a state has a header id,type,x,y,vx,vy and rows")
        self.refused_state("id,type,x,y,vx\n", ":1: there is no column vy; a state has id,type,x,y,vx,vy")
        self.refused_state(HEADER, ": there are no boids in it; a state has at least one")
        self.refused_state(HEADER + "1,boid,1,2,3\n", ":2: 5 fields; the header has 6")
        self.refused_state(HEADER + "1,boid,1,2,3,4,5\n", ":2: 7 fields; the header has 6")
        self.refused_state(HEADER + "1,boid,1,2,x,4\n", ':2: vx is "x"; it must be a finite number')
        self.refused_state(HEADER + "1,boid,inf,2,3,4\n", ':2: x is "inf"; it must be a finite number')
        self.refused_state(HEADER + "1,boid,1e999,2,3,4\n", ':2: x is "1e999"; it must be a finite number')
        self.refused_state(HEADER + "1,bird,1,2,3,4\n", ':2: type is "bird"; it must be boid or predator')
        self.refused_state(HEADER + "-1,boid,1,2,3,4\n",
                           ':2: id is "-1"; it must be a whole number from 0 to 2147483647')
        self.refused_state(HEADER + "1,boid,1,2,3,4\n1,predator,1,2,3,4\n",
                           ": id 1 is there twice in one frame; ids must be unique")

    def test_what_fixed_point_cannot_hold_is_refused(self):
        self.write("i.csv", HEADER + "7,boid,40000,2,3,4\n")
        self.refused("i.csv: id 7 has a number that fixed cannot hold", "-c", "adams", "--init", "i.csv", "-s",
                     "arithmetic=fixed", "-o", "x.csv")

    def test_ids_are_kept_and_the_order_of_rows_means_nothing(self):
        rows = ["%d,boid,%d,%d,1,2\n" % (3 * i + 5, 10 * i, 7 * i) for i in range(20)] + ["1,predator,50,50,3,0\n"]
        self.write("a.csv", HEADER + "".join(rows))
        self.write("b.csv", "vy,vx,note,y,x,type,id\r\n" + "".join(
            "%s,%s,-,%s,%s,%s,%s\r\n" % tuple(reversed(row.strip().split(","))) for row in reversed(rows)))
        one = self.good("-c", "adams", "--init", "a.csv", "-n", "30", "--digits", "17")
        self.assertEqual(one, self.good("-c", "adams", "--init", "b.csv", "-n", "30", "--digits", "17"))
        self.assertTrue(one.splitlines()[1].startswith("0,0,5,boid,0,0,1,2"))
        self.assertTrue(one.splitlines()[21].startswith("0,0,1,predator,50,50,3,0"))

    def test_a_run_goes_on_from_any_frame_as_if_it_had_not_stopped(self):
        for preset in ("adams", "castor", "p5", "murmuration"):
            self.good("-c", preset, "-n", "30", "--digits", "17", "-o", "whole.csv", "-o", "whole.h5", "-s",
                      "flock.count=120")
            end = [line.split(",", 2)[2] for line in self.read("whole.csv").decode().splitlines()
                   if line.startswith("30,")]
            for state in ("whole.csv@18", "whole.h5@18"):
                self.good("-c", preset, "--init", state, "-n", "12", "--digits", "17", "-o", "rest.csv")
                rest = [line.split(",", 2)[2] for line in self.read("rest.csv").decode().splitlines()
                        if line.startswith("12,")]
                self.assertEqual(rest, end, (preset, state))
        self.refused("whole.csv: step 31 is not in it; its steps go from 0 to 30", "-c", "adams", "--init",
                     "whole.csv@31")
        self.refused("whole.h5: step 31 is not in it; its steps go from 0 to 30", "-c", "adams", "--init",
                     "whole.h5@31")
        self.write("foreign.h5", "no")
        self.refused("foreign.h5: it cannot be opened as HDF5", "-c", "adams", "--init", "foreign.h5")


class Outputs(Case):
    def test_paths_that_make_no_sense_are_refused(self):
        run = ("-c", "adams", "-n", "1")
        self.refused("no/x.csv: there is no such folder", *run, "-o", "no/x.csv")
        self.refused("no/x.h5: there is no such folder", *run, "-o", "no/x.h5")
        self.refused("x.dat: its ending names no format; use .csv, .txt, .xyz, .h5 or --format", *run, "-o", "x.dat")
        os.mkdir(self.path("d.csv"))
        self.refused("d.csv is a folder; an output is a file", *run, "-o", "d.csv")
        self.refused("./x.csv is given twice as an output; each needs a file of its own", *run, "-o", "x.csv", "-o",
                     "./x.csv")
        for one, other in (("p.csv.part", "p.csv"), ("target.csv", "dangling.csv"), ("-", "-")):
            if other == "dangling.csv":
                os.symlink("target.csv", self.path(other))
            self.refused(other + " is given twice as an output; each needs a file of its own", *run, "--format", "csv",
                         "-o", one, "-o", other)
        self.write("k.csv.part", "kept until the new run begins")
        self.refused("bad.zzz: its ending names no format; use .csv, .txt, .xyz, .h5 or --format", *run, "-o", "k.csv",
                     "-o", "new.h5", "-o", "bad.zzz")
        self.assertEqual(self.read("k.csv.part"), b"kept until the new run begins")
        self.refused("k.csv.part/x.csv: there is no such folder", *run, "-o", "k.csv.part/x.csv")
        self.refused('"" names no file to write', *run, "-o", "")
        self.refused("--config is empty; it must name a file or a preset", "-c", "")
        self.refused("HDF5 cannot go to standard output; it needs a regular file", *run, "--format", "h5")
        self.refused("/dev/null is a pipe or device; HDF5 needs a regular file", *run, "--format", "h5", "-o",
                     "/dev/null")

    def test_an_input_is_never_an_output(self):
        self.write("a.json", "{}")
        self.good("-c", "a.json", "-n", "1", "-o", "s.csv")
        os.link(self.path("s.csv"), self.path("hard.csv"))
        os.symlink("s.csv", self.path("soft.csv"))
        before = self.read("s.csv")
        self.refused("a.json is read and written by the same run; give --output another name", "-c", "a.json", "-o",
                     "a.json", "--format", "csv")
        for name in ("s.csv", "hard.csv", "soft.csv"):
            self.refused("s.csv is read and written by the same run; give --output another name", "-c", "a.json",
                         "--init", "s.csv", "-o", name)
        self.assertEqual(self.read("s.csv"), before)

    def test_pipes_and_devices_are_written_and_never_replaced(self):
        self.good("-c", "adams", "-n", "1", "-o", "/dev/null")
        self.assertFalse(os.path.isfile("/dev/null"))
        os.mkfifo(self.path("fifo"))
        reader = subprocess.Popen(["cat", self.path("fifo")], stdout=subprocess.PIPE)
        self.good("-c", "adams", "-n", "1", "-o", "fifo")
        self.assertEqual(reader.communicate()[0].decode(), self.good("-c", "adams", "-n", "1"))
        self.assertFalse(os.path.isfile(self.path("fifo")))
        end, other = os.pipe()
        process = subprocess.Popen([BOIDS, "-c", "adams", "-n", "1", "-o", "/dev/fd/%d" % other], pass_fds=[other])
        os.close(other)
        with open(end, "rb") as pipe:
            self.assertEqual(pipe.read().decode(), self.good("-c", "adams", "-n", "1"))
        self.assertEqual(process.wait(), 0)

    def test_a_link_stays_a_link(self):
        self.write("target.csv", "old")
        os.symlink("target.csv", self.path("link.csv"))
        self.good("-c", "adams", "-n", "1", "-o", "link.csv")
        self.assertTrue(os.path.islink(self.path("link.csv")))
        self.assertEqual(self.read("target.csv").decode(), self.good("-c", "adams", "-n", "1"))

    def test_a_closed_pipe_ends_one_output_quietly(self):
        process = subprocess.Popen([BOIDS, "-c", "adams", "-n", "200", "-o", "-", "-o", self.path("all.csv")],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual((process.stderr.read(), process.wait()), (b"", 0))
        process.stderr.close()
        self.assertEqual(self.rows("all.csv")[-1]["step"], "200")

    def test_standard_output_may_be_closed(self):
        self.fails(1, "standard output is closed", "-c", "adams", "-n", "1", stdout=None,
                   preexec_fn=lambda: os.close(1))
        self.good("-c", "adams", "-n", "1", "-o", "x.csv", stdout=None, preexec_fn=lambda: os.close(1))
        self.assertEqual(self.read("x.csv").decode(), self.good("-c", "adams", "-n", "1"))

    def test_a_full_disk_is_one_line_and_leaves_the_old_file(self):
        self.fails(1, "/dev/full: No space left on device", "-c", "adams", "-o", "/dev/full")

        def small_files():
            import resource
            resource.setrlimit(resource.RLIMIT_FSIZE, (500000, 500000))

        for name, tail in (("a.csv", ""), ("a.h5", "; what was flushed can be read in a.h5.part")):
            self.write(name, "old")
            self.fails(1, name + ": File too large" + tail, "-c", "adams", "-n",
                       "2000", "-o", name, preexec_fn=small_files)
            self.assertEqual(self.read(name), b"old")
        self.good("-c", "adams", "--init", "a.h5.part", "-n", "1", "-o", "from_part.csv")

    def test_two_equal_runs_write_equal_bytes(self):
        for arithmetic in ("float32", "float64", "fixed"):
            for run in "ab":
                self.good("-c", "adams", "-n", "40", "-s", "arithmetic=" + arithmetic,
                          *sum((["-o", run + end] for end in (".csv", ".txt", ".xyz", ".h5")), []))
            for end in (".csv", ".txt", ".xyz", ".h5"):
                self.assertEqual(self.read("a" + end), self.read("b" + end), end)

    def test_frames_stand_on_the_grid_and_at_both_ends(self):
        for steps, every, wanted in ((10, 4, [0, 4, 8, 10]), (8, 4, [0, 4, 8]), (3, 9, [0, 3]), (0, 1, [0])):
            self.good("-c", "castor", "-n", str(steps), "--every", str(every), "-o", "x.csv")
            self.assertEqual(sorted({int(row["step"]) for row in self.rows("x.csv")}), wanted)

    def test_every_shipped_configuration_flies_in_every_arithmetic(self):
        for name in sorted(os.listdir(os.path.join(ROOT, "configs"))):
            for arithmetic in ("float32", "float64", "fixed"):
                self.good("-c", os.path.join(ROOT, "configs", name), "-n", "30", "-s", "arithmetic=" + arithmetic,
                          "-o", "none")

    def test_threads_and_instruction_sets_change_no_byte(self):
        run = ("-c", "murmuration", "-n", "40", "--every", "40", "--digits", "17")
        for arithmetic in ("float32", "float64"):
            setting = ("-s", "arithmetic=" + arithmetic)
            scalar = self.good(*run, *setting, "-t", "1", env=dict(os.environ, BOIDS_ISA="scalar"))
            for isa in ("plain", "v2", "v3", "v4"):
                done = self.run_boids(*run, *setting, "-t", "3", env=dict(os.environ, BOIDS_ISA=isa))
                if done.returncode == 2 and b"this machine has" in done.stderr:
                    continue
                self.assertEqual(done.stdout.decode(), scalar, (isa, arithmetic))


class Part(Case):
    def test_a_part_that_could_be_resumed_is_kept_unless_forced(self):
        process = self.start("-c", "adams", "-n", "100000000", "-o", "a.h5", "-o", "a.csv", "-s",
                             "output.flush_seconds=0")
        self.wait_for("a.csv.part")
        for name in ("a.h5", "a.csv"):
            for locking in ("TRUE", "FALSE"):
                self.refused(name + ".part is being written by another run", "-c", "adams", "-n", "1", "--force", "-o",
                             name, env=dict(os.environ, HDF5_USE_FILE_LOCKING=locking))
        process.kill()
        process.wait()
        done = self.run_boids("-c", "adams", "-n", "1", "-o", "a.h5")
        self.assertRegex(done.stderr.decode(),
                         r"^boids: a.h5.part holds \d+ frames? of a run that was stopped; --force begins anew\n$")
        self.assertEqual(done.returncode, 2)
        self.good("-c", "adams", "--init", "a.h5.part", "-n", "1", "-o", "none")
        self.good("-c", "adams", "-n", "1", "-o", "a.h5", "--force")
        self.good("-c", "adams", "-n", "1", "-o", "a.csv")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.csv", "a.h5"])

    def test_a_signal_ends_a_run_after_the_frame_in_hand(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            table, matrix = "%d.csv" % status, "%d.txt" % status
            process = self.start("-c", "adams", "-n", "100000000", "-o", table, "-o", matrix)
            self.wait_for(table + ".part")
            process.send_signal(number)
            self.assertEqual(process.wait(10), status)
            self.assertRegex(process.stderr.read().decode(), r"^boids: stopped at step \d+; what was written is kept\n$")
            self.assertFalse(os.path.exists(self.path(table)))
            self.assertEqual(len(self.rows(table + ".part")) % 401, 0)
            lines = self.read(matrix + ".part").decode().splitlines()
            self.assertEqual([int(n) for n in lines[0].split()], [len(lines) - 1, 400])

    def test_a_run_that_is_to_ignore_interrupts_does(self):
        process = subprocess.Popen([BOIDS, "-c", "adams", "-n", "300", "-o", self.path("s.csv")],
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(30), 0)


class Terminal(Case):
    def on_terminal(self, *arguments, **options):
        """What the program shows on a terminal that is its standard error, and its standard output too unless given."""
        master, slave = pty.openpty()
        settings = dict(cwd=self.folder, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
        settings.update(options)
        process = subprocess.Popen([BOIDS, *arguments], **settings)
        os.close(slave)
        shown = b""
        while select.select([master], [], [], 30)[0]:
            try:
                shown += os.read(master, 65536)
            except OSError:
                break
        os.close(master)
        self.assertEqual(process.wait(), 0, shown)
        return shown.decode()

    def test_on_a_terminal_the_flock_goes_to_a_file_that_is_named(self):
        shown = self.on_terminal("-c", "castor", "-n", "20", "--progress", "never")
        self.assertEqual(shown, "boids: writing castor.h5; draw it with: python3 scripts/plot.py castor.h5\r\n")
        self.assertEqual(os.listdir(self.folder), ["castor.h5"])

    def test_a_bar_is_drawn_on_a_terminal_only(self):
        slow = ("-c", "murmuration", "-n", "400", "-t", "1", "-o", "x.csv", "--every", "20")
        self.assertIn("steps/s", self.on_terminal(*slow))
        self.assertEqual(self.on_terminal(*slow, "-q"), "")
        data = self.on_terminal("-c", "murmuration", "-n", "10", "-o", "-", "--every", "10")
        self.assertNotIn("steps/s", data)
        self.assertEqual(self.run_boids(*slow).stderr, b"")
        self.assertIn(b"step 400 of 400", self.run_boids(*slow, "--progress", "always").stderr)


if __name__ == "__main__":
    unittest.main()
