"""Claims about scripts/sweep.py, which makes points for boids --points, and the sweeps in examples/.

tests/cli/test_sweep_table.py tests --points itself.
"""

import ast
import csv
import json
import math
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import unittest
import unittest.mock

sys.path[0] += "/.."

from support import (
    BOIDS,
    PATIENCE,
    SEED,
    Folder,
    add_refusals,
    by_level,
    csv_rows,
    full_only,
    in_root,
    output_of,
    read,
    rows_of,
    split_words,
    texts_of,
)

from boids.commands import sweep

SWEEP = in_root("scripts", "sweep.py")
ADAMS = in_root("configs", "adams.json")


class Case(Folder):
    def setUp(self):
        super().setUp()
        self.table = self.path("table.csv")
        environment = unittest.mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        os.environ.pop("BOIDS", None)

    def run_sweep(self, *words, **more):
        """(exit status, standard output, standard error) of the script."""
        command = [sys.executable, SWEEP, *split_words(words)]
        return texts_of(subprocess.run(command, **self.how(**more)))

    def command(self, *words):
        return ("--boids", BOIDS, "-c", ADAMS, "-o", self.table, "-j", "2", *split_words(words))

    def sweep(self, *words, status=0):
        """Standard error of a sweep, which has to end with `status`."""
        *ended, said = self.run_sweep(*self.command(*words))
        self.assertEqual(ended, [status, ""], said)
        return said

    def points(self, *words):
        """The points that it prints."""
        done = self.call("boids-sweep", sweep.main, *split_words(words), "--print")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return list(csv.reader(done.stdout.splitlines()))

    def rows(self):
        return csv_rows(self.read("table.csv"))


class Points(Case):
    def test_points_are_those_of_the_options(self):
        """Each row: the options, the header, and the points. A random design is the same with each version of Python."""
        for words, header, *points in rows_of(
            """
            --vary k=1,2 --vary l=x,y --seeds 3..4 | k,l,seed | 1,x,3 | 1,x,4 | 1,y,3 | 1,y,4 | 2,x,3 | 2,x,4 | 2,y,3 | 2,y,4
            --vary flock.count=1:9/4log | flock.count | 1 | 2 | 4 | 9
            --vary k+l+m=256:16:17,1024:32:33 --seeds 1..2 | k,l,m,seed | 256,16,17,1 | 256,16,17,2 | 1024,32,33,1 | 1024,32,33,2
            --vary a+b=20,40 | a,b | 20,20 | 40,40
            --vary a+b=1..2 | a,b | 1,1 | 2,2
            --vary k.l=256,1000 --let a+b=sqrt(k.l/4) | k.l,a,b | 256,8,8 | 1000,15.811388300841896,15.811388300841896
            --vary k=8 --let a=k --let c=-a**2+0.5 | k,a,c | 8,8,-63.5
            --seeds 1..3 | seed | 1 | 2 | 3
            --random a=0:1 --samples 3 | a | 0.921258206325538 | 0.4183563419131406 | 0.16514502903064698
            """
        ):
            self.assertEqual(self.points(words), list(csv.reader([header, *points])), words)
        found = self.points("--vary", 'a+b={"c":1}:3,"d:e":4')
        self.assertEqual(found[1:], [['{"c":1}', "3"], ['"d:e"', "4"]])

    def test_values_are_lists_or_ranges(self):
        for text, *values in rows_of(
            """
            5,2,9 | 5 | 2 | 9
            8..11 | 8 | 9 | 10 | 11
            -1..1 | -1 | 0 | 1
            0:0.5:0.1 | 0.0 | 0.1 | 0.2 | 0.3 | 0.4 | 0.5
            1:0:-0.5 | 1.0 | 0.5 | 0.0
            0:1:0.4 | 0.0 | 0.4 | 0.8
            0:1/5 | 0 | 0.25 | 0.5 | 0.75 | 1
            0.1:0.4/4 | 0.1 | 0.2 | 0.3 | 0.4
            1000:10/3log | 1000 | 100 | 10
            1:2/3log | 1 | 1.4142135623730951 | 2
            [1, 2],[3,4] | [1, 2] | [3,4]
            {"a": [1, 2]},null | {"a": [1, 2]} | null
            run_a,a:b | run_a | a:b
            9007199254740990..9007199254740991 | 9007199254740990 | 9007199254740991
            """
        ):
            found = self.points("--vary", "k=" + text)
            self.assertEqual(found, [["k"], *([value] for value in values)])

    def test_whole_numbers_are_drawn_for_keys_that_take_them_and_for_whole_ranges(self):
        for key in ("flock.count=1:5", "flock.separation.nearest=5:1", "k=1..5"):
            found = [row[0] for row in self.points("--samples 25 --random", key)[1:]]
            self.assertEqual(sorted(found), [value for value in "12345" for _ in range(5)])

    def test_a_random_design_has_one_point_in_each_part_of_each_range(self):
        words = "--random a=0:1 --random b=-20:20 --samples 50"
        header, *rows = self.points(words)
        self.assertEqual(header, ["a", "b"])
        for column, low, width in ((0, 0, 1), (1, -20, 40)):
            parts = sorted(int((float(row[column]) - low) / width * 50) for row in rows)
            self.assertEqual(parts, list(range(50)))
        self.assertEqual(self.points(words), [header, *rows])
        self.assertNotEqual(self.points(words, "--random-seed 2"), [header, *rows])

    def test_seeds_and_keys_multiply_a_random_design(self):
        header, *rows = self.points("--random a=0:1 --samples 5 --vary k=x,y --seeds 1..3")
        self.assertEqual(
            (header, len(rows), len({row[0] for row in rows})), (["a", "k", "seed"], 30, 5)
        )


class Trouble(Case):
    def test_a_full_disk_a_closed_pipe_and_no_program_are_a_line_each(self):
        words = "--vary a=1..20000 --print"
        with open("/dev/full", "w", encoding="utf-8") as full:
            ended = self.run_sweep(words, stdout=full)
        said = "boids-sweep: the points cannot be written: No space left on device\n"
        self.assertEqual(ended, (1, "", said))
        piped = shlex.join([sys.executable, SWEEP, *words.split()]) + " | head -n 1"
        self.assertEqual(self.shell(piped), (0, "a\n", ""))
        self.write("program", "no program")
        self.chmod("program", 0o755)
        program = self.path("program")
        status, _, said = self.run_sweep("-c", ADAMS, "--vary seed=1,2 -o t.csv --boids", program)
        self.assertEqual(status, 2)
        self.assertRegex(
            said,
            r"\Aboids-sweep: .*program: it cannot be started: Exec format error; --boids names the program\n\Z",
        )


class RefusedOptions(Case):
    """The commands of refusals.txt."""

    program = "boids-sweep"

    def say(self, words, given):
        return texts_of(self.call("boids-sweep", sweep.main, *self.command(*words)))


add_refusals(RefusedOptions, "tools", "refusals.txt")


class Refusals(Case):
    def test_an_invalid_point_or_table_is_refused_before_any_run(self):
        for words, said in (
            (("--vary", "title=a\nb"), "boids-sweep: point 1: a quoted cell is not followed by"),
            (("--seeds", "1..2", "-o", "none/t.csv"), "boids: none/t.csv: there is no such folder"),
            (
                ("--seeds 1,2 -- --until", "flocks > 1"),
                "boids-sweep: --until is for one run; a sweep",
            ),
        ):
            self.assertRegex(self.sweep(*words, status=2), rf"\A{re.escape(said)}[^\n]*\n\Z")
            self.assertFalse(os.path.exists(self.table), words)

    def test_one_seed_has_a_note(self):
        note = "boids-sweep: note: --seeds 5 is one seed; 5 seeds are --seeds 1..5\n"
        few = "-n 1 -s flock.count=3"
        self.assertTrue(self.sweep(few, "--seeds 5").startswith(note))
        for words in ("--seeds 1", "--seeds 1..2", "--seeds 5 -q"):
            self.assertNotIn("note", self.sweep(few, words))

    def test_a_range_of_one_value_has_a_note(self):
        for words, note in rows_of(
            """
            --vary k=0:5:11 | --vary k is 0:5:11, one value, 0; 11 values are 0:5/11
            --vary k=3..3 | --vary k is 3..3, one value, 3
            --seeds 1:1:1 | --seeds is 1:1:1, one value, 1
            --random k=2:2 --samples 3 | --random k is one value, 2.0
            --vary k=5 --vary a+b=1:2 |
            --vary k=0:5:11 -q |
            """
        ):
            done = self.call("boids-sweep", sweep.main, *words.split(), "--print")
            self.assertEqual(done.stderr, f"boids-sweep: note: {note}\n" if note else "")

    def test_a_sweep_needs_points_a_configuration_and_a_table(self):
        for missing, *words in (
            ("--vary", "-c", ADAMS, "-o", self.table),
            ("--config", "--seeds 1 -o", self.table),
            ("-o TABLE.csv", "--seeds 1 -c", ADAMS),
        ):
            self.assertRegex(self.run_sweep(*words)[2], f"^boids-sweep: no {missing} ")


class Hostile(Case):
    """Options that no one would write. Each is points or one line, within seconds and without gigabytes."""

    CHILD = """
import io, json, os, resource, signal, sys
sys.path.insert(0, sys.argv[1])
sys.argv = ["boids-sweep"]
from boids.commands import sweep
signal.signal(signal.SIGALRM, signal.default_int_handler)
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
for line in sys.stdin:
    written, said = os.memfd_create("out"), io.StringIO()
    sys.stdout, sys.stderr = os.fdopen(written, "w", encoding="utf-8"), said
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.alarm(10)
    try:
        status = sweep.main([*json.loads(line), "--print", "-q"])
    except SystemExit as end:
        status = end.code
    except BaseException as error:
        status = repr(error)[:200]
    signal.alarm(0)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used) // 1024
    points = os.pread(written, 4000, 0).decode("utf-8", "surrogateescape")
    sys.__stdout__.write(json.dumps([status, points, said.getvalue(), grown]) + chr(10))
"""

    def results(self, cases):
        """[status or exception, points, standard error, MB of memory] for each list of words."""
        lines = output_of(
            *(sys.executable, "-c", self.CHILD, in_root("python")),
            input="".join(json.dumps(words) + "\n" for words in cases),
            timeout=PATIENCE + len(cases),
        )
        return [json.loads(line) for line in lines.splitlines()]

    def assert_points_or_a_line(self, cases):
        found = self.results(cases)
        self.assertEqual(len(found), len(cases))
        for words, (status, points, said, grown) in zip(cases, found):
            with self.subTest(ascii(words)[:300]):
                self.assertIn(status, (0, 2), said)
                self.assertLess(grown, 200)
                if status == 2:
                    self.assertRegex(said, r"\Aboids-sweep: [^\n]{1,1000}\n\Z")
                else:
                    self.assertEqual(said, "")
                    self.assertGreater(points.count("\n"), 1)
        return found

    def test_expressions_without_a_value_are_refused(self):
        expressions = (
            "sqrt((0-8)**0.5)",
            "\udcff",
            "seed+\udcff",
            "9**9**9**9**9",
            "2**-9**9**9",
            "7**(10**20)",
            "1e9**1e9",
            "10**400",
            "-" * 5000 + "1",
            "-" * 500 + "1+",
            "(" * 5000 + "1" + ")" * 5000,
            "sqrt(" * 150 + "seed" + ")" * 150 + "x",
            "+".join(["1"] * 20000) + "+x",
            "9" * 5000,
            "1" * 3000 + "*" + "1" * 3000,
            "sqrt(seed, x=3)",
            "sqrt(seed, **{})",
            "sqrt(*seed)",
            "sqrt()",
            "sqrt(-1)",
            "(0-8)**(1/3)",
            "0**-1",
            "0.0**-1",
            "1e308*10",
            "1j",
            "True",
            "seed.real",
            "seed[0]",
            "(seed:=3)",
            "lambda: 3",
            "__import__('os')",
            "'\\d'",
            "1if 1else 2",
            "f'{seed}'",
            "",
        )
        for words, (status, _, said, _) in zip(
            expressions,
            self.assert_points_or_a_line(
                [["--vary", "seed=1,2", "--let", "a=" + text] for text in expressions]
            ),
        ):
            self.assertEqual(status, 2, words[:100])
            self.assertIn("--let a=", said)

    def test_whole_numbers_remain_exact(self):
        for text, value in rows_of(
            """
            seed+1 | 9007199254740994
            2**64-1 | 18446744073709551615
            (0-3)**3 | -27
            1**10**9 | 1
            seed*0.5 | 4503599627370496
            2**-1 | 0.5
            seed/9007199254740993 | 1
            """
        ):
            found = self.points("--vary seed=9007199254740993 --let", "a=" + text)
            self.assertEqual(found[1][1], value, text)

    def test_random_expressions_have_the_value_that_python_gives_or_are_refused(self):
        chance = random.Random(SEED)

        def expression(depth):
            kind = chance.randrange(8) if depth else 0
            if kind < 2:
                usual = ("0", "1", "2", "3", "0.5", "seed", "a.b", "9", "10", "1e3")
                odd = (
                    "1e308",
                    "1e-320",
                    "9" * 30,
                    "1" * 5000,
                    "3j",
                    "word",
                    "nope",
                    "True",
                    "'x'",
                    "\udcff",
                    "\u0663",
                    "0x1F",
                    "1_0",
                    "None",
                    "...",
                    "",
                )
                return chance.choice(usual if chance.random() < 0.85 else odd)
            inner = lambda: expression(depth - 1)  # noqa: E731
            if kind < 5:
                usual = chance.choice(("+", "-", "*", "/", "**"))
                return f"({inner()}{usual if chance.random() < 0.95 else chance.choice(('//', '%', '@', '<<', ',', ' if ', ':=', '<'))}{inner()})"
            if kind == 5:
                return "-" * chance.choice((1, 1, 1, 2, 3, 300, 3000)) + inner()
            if kind == 6:
                return f"sqrt({inner()})"
            return chance.choice(
                (
                    f"({inner()})",
                    f"({inner()})",
                    f"sqrt({inner()},{inner()})",
                    f"sqrt({inner()}, x={inner()})",
                    f"exit({inner()})",
                    f"sqrt(*{inner()})",
                    f"[{inner()}]",
                    f"{inner()}.x",
                    "(" * 300 + inner() + ")" * 300,
                )
            )

        texts = [expression(chance.randrange(1, 6)) for _ in range(by_level(200, 1000, 5000))]
        found = self.assert_points_or_a_line(
            [
                ["--vary", "seed=3", "--vary", "a.b=0.25", "--vary", "word=x", "--let", "z=" + text]
                for text in texts
            ]
        )
        values = {"sqrt": math.sqrt, "seed": 3, "a": type("a", (), {"b": 0.25})}
        accepted = [
            (text, points.splitlines()[1].split(",")[-1])
            for text, (status, points, *_) in zip(texts, found)
            if status == 0
        ]
        self.assertGreater(len(accepted), len(texts) / 5)
        for text, value in accepted:
            self.assertEqual(
                float(value), float(eval(text, {"__builtins__": {}}, values)), text[:300]
            )  # pylint: disable=eval-used

    def test_other_options_without_points_are_refused(self):
        many, endless = "1.." + "9" * 5000, "1.." + "9" * 300
        cases = f"""
            --vary a=0:1e999999999:1
            --vary a=0:1e-999999999:1e-999999999
            --vary a=1e-999999:1:1
            --vary a=0:inf:1
            --vary a=nan:1:1
            --vary a={many}
            --seeds {endless}
            --vary a=0:1e300:1 --vary b=0:1e300:1e-300 --seeds {endless} {"--vary c=0:1e390:1e-390 " * 8}
            --random a=0:1 --samples 2000000000
            --random a=-1e308:1e308 --samples 3
            --random a=nan:1 --samples 3
            --vary a+=1,2
            --vary +a=1,2
            --vary a=1 --let b++c=3
            --random a+=0:1 --samples 2
            --vary a=1 --let +=3
        """
        cases = [line.split() for line in cases.strip().splitlines()]
        for words, (status, *_) in zip(cases, self.assert_points_or_a_line(cases)):
            self.assertEqual(status, 2, words)

    def test_bytes_that_are_not_utf8_are_printed_as_they_are(self):
        for words in (
            ("--vary", b"a=\xff,2"),
            ("--vary", b"a\xff=1"),
            ("--vary", "a=1", "--let", b"b\xff=3"),
        ):
            for more in ({"LC_ALL": "C.UTF-8"}, {"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}):
                status, out, said = self.run_sweep(*words, "--print", env=more)
                self.assertEqual((status, said, out.count("\udcff")), (0, "", 1), words)


class SweepRuns(Case):
    def drawn(self):
        """The picture of the table, as SVG."""
        plot = [sys.executable, in_root("scripts", "plot.py")]
        words = ["--kind", "sweep", "--save", self.path("a.svg")]
        subprocess.run([*plot, self.table, *words], check=True)
        return self.read("a.svg")

    def test_the_table_has_the_summaries_of_the_runs_and_is_drawn(self):
        self.sweep("--vary flock.cohesion.factor=0.0005,0.005 --seeds 1..2 --steps 30")
        rows = self.rows()
        self.assertEqual(len(rows), 4)
        reported = self.json(
            "-c adams -n 30 -s flock.cohesion.factor=0.005 --seed 2 -o none --summary -q"
        )
        self.assertEqual(rows[3]["state_hash"], reported["state_hash"])
        self.assertIn("mean polarization", self.drawn())

    def test_a_table_whose_seeds_stand_first_is_drawn(self):
        self.write("p.csv", "seed,flock.count\n1,5\n2,5\n1,9\n2,9\n")
        self.good("-c adams -n 5 -q --points p.csv --table", self.table)
        self.assertIn("<!-- number of boids $N$ -->", self.drawn())

    def test_a_run_in_the_table_is_not_repeated(self):
        grid = ("--vary", "flock.init.speed=[1, 2],[3,4]", "--steps", "5")
        self.assertIn("2 runs in ", self.sweep(*grid, "--seeds 1"))
        self.assertIn("boids: 2 runs in ", self.sweep(*grid, "--seeds 1..2"))
        self.assertEqual([row["seed"] for row in self.rows()], list("1212"))
        self.assertIn(" 4 already done", self.sweep(*grid, "--seeds 1..2"))

    def test_messages_name_points_and_not_standard_input(self):
        wild = "-s arithmetic=float32 -s world.border=open -s flock.max_speed=null -s flock.min_speed=null"
        said = self.sweep("--vary flock.cohesion.factor=0,1e30,1e30 -n 3", wild)
        self.assertRegex(
            said,
            r"\Aboids: 1 row repeats earlier ones \(point 3 repeats point 2\);.*\n"
            "boids: point 2: step 1: boid 0 has left",
        )

    def test_arguments_after_two_dashes_are_passed_to_the_program(self):
        self.sweep("--vary flock.count=10,20 --steps 5 -- --keep", self.path("kept"), "-o .h5")
        endings = (".h5", ".observables.csv")
        kept = [row["kept"] + ending for row in self.rows() for ending in endings]
        self.assertEqual(self.names("kept"), sorted(kept))
        self.remove(self.table)
        self.assertEqual(self.sweep("--vary flock.count=5,6 --steps 5 -q -- -q"), "")
        self.remove(self.table)
        self.sweep("--vary flock.count=100,200 --steps 100000 -- --max-seconds 0.01")

    def test_help_names_the_commands_as_they_are_typed(self):
        for prefix in ("", "./"):
            reported = " ".join(self.run_sweep("--help")[1].split())
            for name in ("boids-sweep -c p5", "boids-plot table.csv"):
                self.assertIn(f" {prefix}{name}", reported)
                self.write(name.split()[0], "")

    def test_help_of_each_script_begins_with_an_example(self):
        for name in ("sweep.py", "xdmf.py", "plot.py"):
            script = in_root("scripts", name)
            reported = output_of(sys.executable, script, "--help", cwd=self.folder)
            self.assertTrue(reported.startswith("Example:\n  "), name)
            self.assertIn("boids", reported.splitlines()[1])
        self.assertEqual(self.names(), [])

    def test_no_temporary_files_remain(self):
        self.mkdir("tmp")
        os.environ["TMPDIR"] = self.path("tmp")
        self.sweep("--vary flock.count=10,20 --steps 5 -q")
        self.assertEqual((self.names("tmp"), self.names()), ([], ["table.csv", "tmp"]))

    def test_more_than_100000_runs_need_the_option_yes(self):
        self.assertRegex(
            self.sweep("--seeds 1..100001", status=2),
            "that makes 100001 runs; --yes confirms that",
        )
        self.assertEqual(len(self.points("--seeds 1..100001 --yes")), 100002)

    def test_an_interrupted_sweep_has_the_status_of_its_signal_and_can_be_continued(self):
        said = (
            f"boids: stopped; repeat the command to do the runs that are missing in {self.table}\n"
        )
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGUSR1, 0)):
            command = [sys.executable, SWEEP, *self.command("--vary steps=5,100000000")]
            process = subprocess.Popen(command, **self.how())
            self.addCleanup(self.end, process)
            self.until(
                lambda: self.exists(self.table) and self.read("table.csv").count("\n") > 1, process
            )
            self.assertEqual(self.ended_by(number, process), (status, "", said))
            self.assertIn(" 1 already done", self.sweep("--vary steps=5,6"))
            self.remove(self.table)


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
            lines.append(
                re.sub(
                    r"^    run:$", "    def run():", re.sub(r"^rule (\w+):$", r"class \1:", line)
                )
            )
        return "\n".join(lines + ["    )"] * is_open)

    def test_the_snakefile_can_be_read(self):
        text = read("examples", "Snakefile")
        ast.parse(self.as_python(text))
        with self.assertRaises(SyntaxError):
            ast.parse(self.as_python(text.replace("FACTORS, seed", "FACTORS seed")))

    @unittest.skipUnless(shutil.which("snakemake"), "needs snakemake")
    def test_snakemake_plans_every_run(self):
        plan = ["snakemake", "-n", "-s", in_root("examples", "Snakefile")]
        status, out, said = texts_of(subprocess.run(plan, **self.how()))
        self.assertEqual(status, 0, said)
        self.assertIn("51", out + said)

    @full_only
    def test_the_slurm_array_makes_each_run_once_and_its_commands_draw_the_table(self):
        """The commands in the comment of the example, with shorter runs."""
        script = in_root("examples", "sweep.slurm")
        text = read(script).replace("--steps 1000", "--steps 10")
        points, submit, merge, count, draw = re.findall(
            r"^#     (.*?)(?:  +#.*)?$", text, re.MULTILINE
        )
        self.assertEqual(submit, "sbatch examples/sweep.slurm")
        self.assertIn("#SBATCH --array=0-9\n", text)

        def run(command, **more):
            for name in ("sweep", "plot"):
                path = shlex.quote(in_root("scripts", name + ".py"))
                command = command.replace(
                    f"boids-{name} ", f"{shlex.quote(sys.executable)} {path} "
                )
            return subprocess.run(
                ["sh", "-e", "-c", command],
                cwd=self.folder,
                check=True,
                env={**os.environ, "BOIDS": BOIDS, **more},
                stdout=subprocess.PIPE,
                text=True,
            ).stdout

        def submit_array(first, last, tasks=None):
            for task in tasks or range(first, last + 1):
                run(
                    text,
                    SLURM_ARRAY_TASK_ID=str(task),
                    SLURM_ARRAY_TASK_COUNT=str(len(tasks or range(first, last + 1))),
                    SLURM_ARRAY_TASK_MIN=str(first),
                    SLURM_ARRAY_TASK_MAX=str(last),
                )

        run(points)
        submit_array(0, 9, [0, 3])  # the others were stopped before they began
        submit_array(1, 4)
        submit_array(3, 7, [3, 7])
        submit_array(0, 9)
        os.rename(self.path("part_7.csv"), self.path("lost"))
        run(merge)
        self.assertEqual(run(count), "runs are missing: submit the job again\n")
        submit_array(5, 5)
        run(merge)
        self.assertEqual(run(count), "")
        with open(self.path("points.csv"), encoding="utf-8") as made, open(
            self.path("table.csv"), encoding="utf-8"
        ) as table:
            wanted = {tuple(row.values()) for row in csv.DictReader(made)}
            found = [(row["flock.cohesion.factor"], row["seed"]) for row in csv.DictReader(table)]
        self.assertEqual((len(found), set(found)), (50, wanted))
        run(draw)
        self.assertGreater(os.path.getsize(self.path("table.png")), 5000)
        # With fewer points than parts, no part fails; a part that fails does not end the others of its task.
        self.write("points.csv", "flock.cohesion.factor,seed\n" + "0.003,1\n" * 11)
        submit_array(0, 9)
        self.write("points.csv", "flock.cohesion.factor,seed\n" + "0.004,1\n" * 11)
        self.write("part_2.csv", "another table\n")
        with self.assertRaises(subprocess.CalledProcessError):
            submit_array(0, 9, [2])
        self.assertIn("0.004,1,", self.read("part_12.csv"))


if __name__ == "__main__":
    unittest.main()
