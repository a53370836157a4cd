"""Claims about scripts/sweep.sh and the sweeps in examples/.

Most of them fly nothing: a stand-in for boids answers --summary at once or, past a given seed, when it is allowed to,
and notes each run in a log; it hands everything else to the program under test, which BOIDS names. Nothing depends on
how fast anything is: tests wait for what they need to see.
"""

import ast
import csv
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOIDS = os.path.abspath(os.environ.get("BOIDS", os.path.join(ROOT, "boids")))
SWEEP = os.path.join(ROOT, "scripts", "sweep.sh")
HAS_SUMMARY = "--summary" in subprocess.run([BOIDS, "--help"], capture_output=True, text=True, check=True).stdout

STAND_IN = """#!/bin/sh
case "$*" in
*--summary*) ;;
*--version*) echo "boids ${VERSION:-1.0}"; exit ;;
*) exec "$PROGRAM" "$@" ;;
esac
seed=$(printf '%s' "$*" | sed 's/.*--seed \\([0-9]*\\).*/\\1/')
while [ "$seed" -gt "${LAST:-1000000}" ] && [ ! -e "$FOLDER/gate" ]; do sleep 0.02; done
echo "$*" >>"$FOLDER/log"
case "$*" in *"$UNLUCKY"*) echo 'boids: no luck' >&2; exit 1 ;; esac
printf '{"version": "1", "set": {"flock.count": 5}, "seed": %d, "wall_seconds": 0.25, "state_hash": "0f0f", ' "$seed"
printf '"final": {"polarization": 0.%d, "milling": null, "flocks": 3}, ' "$seed"
printf '"mean": {"polarization": 0.25, "predator_distance": 12.5}}\\n'
"""


def restore_interrupts():
    """Jobs that a script starts with & ignore interrupts, and so would all that is started here."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.table = self.path("table.csv")
        self.write("boids", STAND_IN)
        os.chmod(self.path("boids"), 0o755)
        self.environment = {**os.environ, "PROGRAM": BOIDS, "FOLDER": self.folder, "UNLUCKY": "nobody"}
        self.environment.pop("BOIDS", None)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def command(self, *words):
        return ["sh", SWEEP, "--boids", self.path("boids"), "-c", os.path.join(ROOT, "configs", "adams.json"), "-o",
                self.table, "-j", "2", *words]

    def sweep(self, *words, status=0, preexec_fn=None, restore_signals=True, **environment):
        """Standard error of a sweep, which has to end with `status`."""
        done = subprocess.run(self.command(*words), cwd=self.folder, env={**self.environment, **environment},
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, preexec_fn=preexec_fn,
                              restore_signals=restore_signals)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        return done.stderr

    def rows(self):
        with open(self.table, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def flown(self):
        """The log since the last call: the arguments of each run that came to its end."""
        log = self.read("log").splitlines() if os.path.exists(self.path("log")) else []
        if log:
            os.remove(self.path("log"))
        return log


class Grid(Case):
    def test_every_combination_has_a_row_in_the_order_of_the_grid(self):
        self.sweep("--vary", "flock.count=10,20", "--vary", "update=synchronous,passes", "--seeds", "3..5")
        got = [(row["flock.count"], row["update"], row["seed"]) for row in self.rows()]
        wanted = [(count, update, seed) for count in ("10", "20") for update in ("synchronous", "passes")
                  for seed in ("3", "4", "5")]
        self.assertEqual(got, wanted)

    def test_a_run_gets_its_values_its_seed_one_thread_and_what_is_shared(self):
        self.sweep("--vary", "flock.init.speed=[1, 2],[3,4]", "--seeds", "7", "--steps", "20", "--set",
                   "world.border=wrap")
        for line, speed in zip(sorted(self.flown()), ("[1, 2]", "[3,4]"), strict=True):
            self.assertTrue(line.endswith(f"--set world.border=wrap --steps 20 --set flock.init.speed={speed} --seed 7 "
                                          "--threads 1 -q -o none --summary"), line)
        self.assertEqual([row["flock.init.speed"] for row in self.rows()], ["[1, 2]", "[3,4]"])

    def test_a_row_holds_what_the_summary_says_and_nothing_where_it_says_null(self):
        self.sweep("--vary", "flock.count=10", "--seeds", "4")
        (row,) = self.rows()
        self.assertEqual({name: row[name] for name in ("status", "wall_seconds", "state_hash", "final_polarization",
                                                       "final_milling", "final_flocks", "mean_polarization",
                                                       "mean_predator_distance", "version")},
                         {"status": "done", "wall_seconds": "0.25", "state_hash": "0f0f", "final_polarization": "0.4",
                          "final_milling": "", "final_flocks": "3", "mean_polarization": "0.25",
                          "mean_predator_distance": "12.5", "version": "1.0"})

    def test_seeds_are_exact_up_to_2_to_the_53(self):
        self.sweep("--vary", "flock.count=10", "--seeds", "9007199254740990..9007199254740991",
                   LAST="9007199254740991")
        self.assertEqual([row["seed"] for row in self.rows()], ["9007199254740990", "9007199254740991"])

    def test_seeds_are_a_range_or_a_list(self):
        self.sweep("--vary", "flock.count=10", "--seeds", "5,2,9")
        self.assertEqual([row["seed"] for row in self.rows()], ["5", "2", "9"])

    def test_a_failed_run_is_recorded_and_stops_no_other(self):
        said = self.sweep("--vary", "flock.count=10,13,20", "--seeds", "1..2", UNLUCKY="flock.count=13")
        self.assertEqual([row["status"] for row in self.rows()], ["done"] * 2 + ["failed"] * 2 + ["done"] * 2)
        with open(self.table, newline="", encoding="utf-8") as file:
            self.assertEqual(len({len(row) for row in csv.reader(file)}), 1)
        self.assertIn("sweep: flock.count=13 seed 2: boids: no luck\n", said)
        self.assertRegex(said, r"sweep: 6 runs in \d+ s, 2 failed, 0 were there; ")

    def test_nothing_is_left_beside_the_table(self):
        temporary = self.path("tmp")
        os.mkdir(temporary)
        self.sweep("--vary", "flock.count=10,20", TMPDIR=temporary)
        self.assertEqual(os.listdir(temporary), [])
        self.assertEqual(sorted(os.listdir(self.folder)), ["boids", "log", "table.csv", "tmp"])


class GoingOn(Case):
    GRID = ("--vary", "flock.count=10,20", "--seeds", "1..3")

    def test_what_is_in_the_table_is_not_flown_again(self):
        self.sweep(*self.GRID)
        before = self.read("table.csv")
        self.assertEqual(len(self.flown()), 6)
        self.assertIn("0 runs in", self.sweep(*self.GRID))
        self.assertEqual((self.flown(), self.read("table.csv")), ([], before))
        self.sweep("--vary", "flock.count=10,20", "--seeds", "1..4")
        self.assertEqual([re.search(r"--seed (\d+)", line).group(1) for line in self.flown()], ["4", "4"])
        self.assertEqual(len(self.rows()), 8)

    def test_values_with_commas_are_found_again(self):
        grid = ("--vary", "flock.init.speed=[1, 2],[3,4]")
        self.sweep(*grid)
        before = self.read("table.csv")
        self.assertEqual(len(self.flown()), 2)
        self.assertNotIn("cut short", self.sweep(*grid))
        self.assertEqual((self.flown(), self.read("table.csv")), ([], before))

    def test_a_table_with_a_backslash_in_its_name_is_found_again(self):
        self.table = self.path(r"a\new\\table.csv")
        self.sweep(*self.GRID)
        self.assertEqual((len(self.flown()), len(self.rows())), (6, 6))
        self.sweep(*self.GRID)
        self.assertEqual((self.flown(), len(self.rows())), ([], 6))

    def test_what_a_killed_sweep_left_beside_the_table_is_in_nobodys_way(self):
        self.write("table.csv.part", "half a ta")
        self.write("table.csv.lock", "")
        self.sweep(*self.GRID)
        self.assertEqual((len(self.rows()), sorted(os.listdir(self.folder))), (6, ["boids", "log", "table.csv"]))

    def test_another_configuration_is_flown_into_the_same_table(self):
        self.sweep(*self.GRID)
        self.flown()
        for more in (("--steps", "7"), ("--set", "world.width=700")):
            self.sweep(*self.GRID, *more)
            self.assertEqual(len(self.flown()), 6)
        self.assertEqual(len({row["config"] for row in self.rows()}), 3)

    def test_rows_of_another_version_are_told_and_kept(self):
        self.sweep(*self.GRID)
        before = self.read("table.csv")
        said = self.sweep(*self.GRID, VERSION="2.0")
        self.assertIn(f"sweep: {self.table}: 6 rows are of another version than 2.0; they are kept\n", said)
        self.assertTrue(self.read("table.csv").startswith(before))
        self.assertEqual(len(self.rows()), 12)

    def test_a_row_cut_short_is_left_out_and_flown_again(self):
        self.sweep(*self.GRID)
        whole = self.read("table.csv")
        self.flown()
        lines = whole.splitlines(keepends=True)
        for spoilt in (whole[:-1], whole[:-20], "".join(lines[:3]) + lines[3][:30] + "".join(lines[4:])):
            self.write("table.csv", spoilt)
            said = self.sweep(*self.GRID)
            self.assertIn("rows that were cut short are left out", said)
            self.assertEqual(self.read("table.csv"), whole)
            self.assertIn(len(self.flown()), (1, 2))

    def wait_for_rows(self, n):
        while not os.path.exists(self.table) or self.read("table.csv").count("\n") < n + 1:
            time.sleep(0.02)

    def begin(self, last):
        """A sweep of six runs of which those past the seed `last` wait at the gate; and a pipe that all its processes
        hold open."""
        return subprocess.Popen(self.command("--vary", "flock.count=10", "--seeds", "1..6"), cwd=self.folder,
                                env={**self.environment, "LAST": str(last)}, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True,
                                preexec_fn=restore_interrupts)

    def finish_after(self, seeds):
        """The same command again: it flies these seeds only, and the table is whole."""
        self.flown()
        self.write("gate", "")
        self.sweep("--vary", "flock.count=10", "--seeds", "1..6")
        self.assertEqual(sorted(re.search(r"--seed (\d+)", line).group(1) for line in self.flown()), seeds)
        self.assertEqual([row["seed"] for row in self.rows()], list("123456"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["boids", "gate", "table.csv"])

    def test_killed_with_all_it_started_it_goes_on_with_what_is_missing(self):
        process = self.begin(last=3)
        self.wait_for_rows(3)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        self.assertEqual(sorted(row["seed"] for row in self.rows()), list("123"))
        self.finish_after(["4", "5", "6"])

    def test_killed_alone_its_runs_do_not_write_behind_its_back(self):
        process = self.begin(last=3)
        self.wait_for_rows(3)
        process.kill()
        process.wait()
        self.write("gate", "")
        process.communicate()  # Until the last that it had started has ended.
        self.assertEqual(len(self.rows()), 3)
        self.finish_after(["4", "5", "6"])

    def test_interrupted_it_says_so_and_leaves_a_valid_table(self):
        for number, target, status in ((signal.SIGINT, os.killpg, 130), (signal.SIGTERM, os.kill, 143)):
            process = self.begin(last=2)
            self.wait_for_rows(2)
            target(process.pid, number)
            said = process.communicate()[1]
            self.assertEqual((process.returncode, said), (status, "sweep: stopped; the same command goes on with what is "
                                                                  f"missing in {self.table}\n"))
            self.finish_after(["3", "4", "5", "6"])
            os.remove(self.table)
            os.remove(self.path("gate"))

    def test_a_table_is_written_by_one_sweep_at_a_time(self):
        process = self.begin(last=1)
        self.wait_for_rows(1)
        said = self.sweep("--vary", "flock.count=10", status=2)
        self.assertEqual(said, f"sweep: {self.table} is being written by the sweep with process id {process.pid}\n")
        self.write("gate", "")
        process.communicate()
        self.assertEqual((process.returncode, len(self.rows())), (0, 6))

    def test_a_full_disk_is_told_and_the_sweep_goes_on_when_there_is_room(self):
        """A limit on the size of files stands in for the disk: the table has room for three rows and a half."""
        self.sweep("--vary", "flock.count=10", "--seeds", "1..6")
        whole = self.read("table.csv")
        os.remove(self.table)
        self.flown()
        lines = whole.splitlines(keepends=True)
        room = sum(map(len, lines[:4])) + len(lines[4]) // 2

        def little_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

        old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            said = self.sweep("--vary", "flock.count=10", "--seeds", "1..6", status=1, preexec_fn=little_room,
                              restore_signals=False)
        finally:
            signal.signal(signal.SIGXFSZ, old)
        self.assertRegex(said, r"sweep: .*table\.csv: [23] of 6 runs have no row; is the disk full\?\n$")
        self.assertIn("rows that were cut short are left out", self.sweep("--vary", "flock.count=10", "--seeds", "1..6"))
        self.assertEqual(self.read("table.csv"), whole)


class Refusals(Case):
    def refused(self, pattern, *words):
        said = self.sweep(*words, status=2)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertRegex(said, "^sweep: " + pattern)
        self.assertEqual(self.flown(), [])

    def test_what_cannot_be_flown_is_refused_before_any_run(self):
        one = ("--vary", "flock.count=10")
        for pattern, words in (
                (r"--vary flock\.cout=3: .*is not a known key; did you mean flock\.count\?", ("--vary", "flock.cout=3")),
                (r"--vary flock\.count=: a value is empty", ("--vary", "flock.count=")),
                (r"--vary flock\.count=1,,2: a value is empty", ("--vary", "flock.count=1,,2")),
                (r"--vary flock\.count is not KEY=A,B", ("--vary", "flock.count")),
                (r'--vary flock\.count=x: .* flock\.count is "x"; it must be', ("--vary", "flock.count=10,x")),
                (r"--vary flock=3: .*it must be an object", ("--vary", "flock=3")),
                (r"--vary flock\.count is given twice", (*one, *one)),
                (r"--vary seed: seeds are given with --seeds", ("--vary", "seed=1")),
                (r"that makes 10000000 runs; say --yes", (*one, "--seeds", "1..10000000")),
                (r"that makes 16000000 runs; say --yes", ("--vary", "flock.count=" + ",".join(["5"] * 40), "--vary",
                 "steps=" + ",".join(["5"] * 40), "--seeds", "1..10000")),
                (r"--seeds is 3\.\.1; it must rise", (*one, "--seeds", "3..1")),
                (r"--seeds is 9007199254740991\.\.9007199254740992; a range ends below 2\^53",
                 (*one, "--seeds", "9007199254740991..9007199254740992")),
                (r"--vary is given a value with a line break", ("--vary", "title=a\nb")),
                (r"--set is given a value with a line break", (*one, "--set", "title=a\n--force")),
                (r"-c is given a value with a line break", (*one, "-c", "adams\n--force")),
                (r"--vary title: a value holds a tab", ("--vary", "title=a\tb")),
                (r"--seeds is many; it must be A\.\.B or A,B,C", (*one, "--seeds", "many")),
                (r"--seeds is 1\.\.; it must be A\.\.B", (*one, "--seeds", "1..")),
                (r"--set world\.width=-1: world\.width is -1", (*one, "--set", "world.width=-1")),
                (r"--steps x: steps is", (*one, "--steps", "x")),
                (r"-j is 0; it must be a whole number above 0", (*one, "-j", "0")),
                (r"nowhere is neither a file nor a preset", (*one, "-c", "nowhere")),
                (r"none/t\.csv: there is no folder none", (*one, "-o", "none/t.csv")),
                (r"--fast is not an option", (*one, "--fast")),
                (r"--seeds wants a value", (*one, "--seeds")),
                (r"no --vary KEY=A,B,\.\.\. was given", ())):
            self.refused(pattern, *words)
            self.assertFalse(os.path.exists(self.table), words)

    def test_links_and_pipes_beside_the_table_are_not_written_through(self):
        def link(path):
            os.link(self.path("victim"), path)
        def symlink(path):
            os.symlink(self.path("victim"), path)
        def symlink_to_nothing(path):
            os.symlink(self.path("nothing"), path)
        self.write("victim", "dear")
        for plant in (link, symlink, symlink_to_nothing, os.mkfifo):
            for ending in (".lock", ".part"):
                plant(self.table + ending)
                self.refused(rf".*table\.csv\{ending} is a link or no regular file", "--vary", "flock.count=10")
                self.assertEqual((self.read("victim"), sorted(os.listdir(self.folder))),
                                 ("dear", ["boids", "table.csv" + ending, "victim"]))
                os.remove(self.table + ending)

    def test_values_that_other_keys_may_make_good_are_flown(self):
        self.sweep("--vary", "flock.cohesion.radius=10,60", "--vary", "flock.cohesion.inner_radius=5,50")
        self.assertEqual(len(self.rows()), 4)

    def test_many_runs_are_flown_when_meant(self):
        self.sweep("--vary", "flock.count=10", "--seeds", "1..3", "--yes")

    def test_a_table_of_something_else_is_kept(self):
        for text in ("a,b,c\n1,2,3\n", "flock.cohesion.factor,seed,config,version,status\n"):
            self.write("table.csv", text)
            self.refused(r".*table\.csv is not a table of this sweep, it begins with .*; it is kept, give another -o",
                         "--vary", "flock.count=10")
            self.assertEqual(self.read("table.csv"), text)


@unittest.skipUnless(HAS_SUMMARY, "needs boids --summary")
class Flying(Case):
    """With the program itself."""

    def test_the_table_has_the_summaries_of_the_runs_and_is_drawn(self):
        self.sweep("--boids", BOIDS, "--vary", "flock.cohesion.factor=0.0005,0.005", "--seeds", "1..2", "--steps", "30")
        rows = self.rows()
        self.assertEqual(len(rows), 4)
        told = subprocess.run([BOIDS, "-c", os.path.join(ROOT, "configs", "adams.json"), "--steps", "30", "--set",
                               "flock.cohesion.factor=0.005", "--seed", "2", "-o", "none", "--summary", "-q"],
                              capture_output=True, text=True, check=True, cwd=self.folder).stdout
        summary = json.loads(told)
        self.assertEqual(rows[3]["state_hash"], summary["state_hash"])
        for part in ("final", "mean"):
            for name, value in summary[part].items():
                cell = rows[3][f"{part}_{name}"]
                self.assertEqual(float(cell) if cell else None, value)
        subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "plot.py"), self.table, "--kind", "sweep",
                        "--save", self.path("a.svg")], check=True)
        self.assertIn("mean polarization", self.read("a.svg"))

    def write_state(self, name, x):
        self.write(name, f"id,type,x,y,vx,vy\n0,boid,{x},100,3,0\n1,boid,320,100,3,0\n")

    def test_an_initial_state_that_was_edited_flies_again(self):
        configuration = self.path("c.json")
        self.write("c.json", '{"steps": 3, "flock": {"init": {"file": "a.csv"}}}')
        shared = ("--boids", BOIDS, "--vary", "flock.cohesion.factor=0.0005,0.005", "--seeds", "1..2")
        grids = ((*shared, "-c", configuration), (*shared, "--set", "flock.init.file=" + self.path("a.csv")),
                 (*shared, "--steps", "3", "--vary", "flock.init.file=%s,%s" % (self.path("b.csv"), self.path("a.csv"))),
                 (*shared, "--vary", 'flock.init={"file":"%s"}' % self.path("a.csv")))
        for grid in grids:
            self.write_state("a.csv", 300)
            self.write_state("b.csv", 310)
            self.sweep(*grid)
            count = len(self.rows())
            self.assertRegex(self.sweep(*grid), rf"^sweep: 0 runs in \d+ s, 0 failed, {count} were there; ")
            hashes = {row["state_hash"] for row in self.rows()}
            self.write_state("a.csv", 305)
            self.assertIn(f"sweep: {count} runs in ", self.sweep(*grid))
            self.assertEqual(len(self.rows()), 2 * count)
            self.assertGreater({row["state_hash"] for row in self.rows()}, hashes)
            os.remove(self.table)


class Examples(Case):
    @staticmethod
    def as_python(text):
        """A Snakefile as Python: a rule is a class, a directive a call, `run` a function."""
        lines, is_open = [], False
        for line in text.splitlines():
            if is_open and not line.startswith("        "):
                lines.append("    )")
                is_open = False
            directive = re.match(r"    (input|output|threads|shell):(.*)$", line)
            if directive:
                line, is_open = f"    {directive[1]}({directive[2]}", True
            lines.append(re.sub(r"^    run:$", "    def run():", re.sub(r"^rule (\w+):$", r"class \1:", line)))
        return "\n".join(lines + ["    )"] * is_open)

    def test_the_snakefile_can_be_read(self):
        with open(os.path.join(ROOT, "examples", "Snakefile"), encoding="utf-8") as file:
            text = file.read()
        ast.parse(self.as_python(text))
        with self.assertRaises(SyntaxError):
            ast.parse(self.as_python(text.replace("FACTORS, seed", "FACTORS seed")))

    @unittest.skipUnless(shutil.which("snakemake"), "needs snakemake")
    def test_snakemake_plans_every_run(self):
        done = subprocess.run(["snakemake", "-n", "-s", os.path.join(ROOT, "examples", "Snakefile")], cwd=self.folder,
                              capture_output=True, text=True, check=True)
        self.assertIn("51", done.stdout + done.stderr)

    def test_the_slurm_array_has_a_task_for_each_factor_and_seed(self):
        script = os.path.join(ROOT, "examples", "sweep.slurm")
        subprocess.run(["sh", "-n", script], check=True)
        with open(script, encoding="utf-8") as file:
            first, last = map(int, re.search(r"--array=(\d+)-(\d+)", file.read()).groups())
        for task in (first, last, *range(first + 9, last, 10)):
            subprocess.run(["sh", script], cwd=self.folder, check=True,
                           env={**self.environment, "BOIDS": self.path("boids"), "SLURM_ARRAY_TASK_ID": str(task)})
        names = sorted(name for name in os.listdir(self.folder) if name.startswith("cohesion_"))
        self.assertIn("cohesion_0.0002_1.json", names)
        self.assertIn("cohesion_0.005_10.json", names)
        self.assertEqual(len(names), 6)
        for name in names:
            json.loads(self.read(name))
        with open(script, encoding="utf-8") as file:
            self.assertEqual((last - first + 1), 10 * len(re.search(r"^set -- (.*)$", file.read(), re.M)[1].split()))


if __name__ == "__main__":
    unittest.main()
