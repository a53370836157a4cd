"""Every command in README.md, docs/running.md, docs/tutorial.md, docs/sweeps.md and docs/analysis.md works: each block is
run as printed, in order; all pages in one folder, as a reader does. Lines that begin with # are all that a block prints; "..." is any
text.

The folder stands in for a checkout: the program under test as ./boids, and the repository's configs and scripts. Blocks
that build are omitted, because these tests run in a build. BOIDS is the program, default ./boids.
"""

import atexit
import importlib.util
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

sys.path[0] += "/.."

from changed import changed_files, has_to_run
from support import (
    BOIDS,
    ROOT,
    anchors,
    csv_rows,
    full_only,
    in_root,
    output_of,
    read,
)

CHANGED = changed_files()
IN_CHECKOUT = ("configs", "scripts", "boids-plot", "boids-sweep", "boids-analyse")


def blocks(page, language):
    """The fenced blocks of one language, in order."""
    return re.findall(r"^```%s\n(.*?)^```$" % language, read(page), re.MULTILINE | re.DOTALL)


def make_checkout(folder):
    """The parts of a checkout that the commands use, and a bin with this python as python3."""
    os.symlink(BOIDS, os.path.join(folder, "boids"))
    for name in IN_CHECKOUT:
        os.symlink(in_root(name), os.path.join(folder, name))
    os.mkdir(os.path.join(folder, "bin"))
    python = os.path.join(folder, "bin", "python3")
    with open(python, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    os.chmod(python, 0o755)


class Page(unittest.TestCase):
    folder = ""  # shared by all pages
    promised, least_promised = 0, 0  # lines of output in the blocks of a page

    @classmethod
    def setUpClass(cls):
        if not Page.folder:
            Page.folder = tempfile.mkdtemp()
            atexit.register(shutil.rmtree, Page.folder)
            make_checkout(Page.folder)
        cls.before = set(os.listdir(Page.folder))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def check_files(self, names):
        """The commands wrote these files, and they are not empty pages or pictures."""
        for name in names.split():
            self.assertGreater(os.path.getsize(self.path(name)), 1000, name)

    def run_block(self, command):
        path = self.path("bin") + os.pathsep + os.environ["PATH"]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, "PATH": path, "MPLBACKEND": "Agg"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, f"{command[-1]}\n{done.stdout}{done.stderr}")
        return done.stdout

    def run_page(self, page):
        """All shell blocks of a page, except those that build; tests/release runs those of pip."""
        shell = [
            block
            for block in blocks(page, "sh")
            if not re.search("^make|pip install", block, re.MULTILINE)
        ]
        self.assertGreaterEqual(len(shell), 2)
        for block in shell:
            printed = self.run_block(["sh", "-e", "-c", "exec 2>&1\n" + block])
            promised = re.findall("^# (.*\n)", block, re.MULTILINE)
            if promised:
                pattern = "".join(
                    "(.*\n)*" if line == "...\n" else re.escape(line).replace(r"\.\.\.", ".*")
                    for line in promised
                )
                self.assertRegex(printed, rf"\A{pattern}\Z", block)
                self.promised += len(promised)
        self.assertGreaterEqual(self.promised, self.least_promised)

    def check_ignored(self):
        """Git ignores the files that the commands create in a checkout."""
        made = sorted(
            name + "/" * os.path.isdir(self.path(name))
            for name in {*os.listdir(self.folder)} - self.before
        )
        if not os.path.exists(in_root(".git")):
            return  # the source of a release
        git = subprocess.run(
            ["git", "-C", ROOT, "check-ignore", "--no-index", *made],
            capture_output=True,
            text=True,
            check=False,
        )
        if git.returncode not in (0, 1):
            return  # git refuses this folder
        self.assertEqual(sorted(git.stdout.split()), made)


class Readme(Page):
    least_promised = 5

    def test_every_command_runs_as_printed(self):
        self.run_page("README.md")
        self.check_ignored()
        self.check_files("flock.h5 flock.png flock.html mine.csv")

    def test_every_preset_is_named(self):
        (section,) = re.findall(
            r"^## Presets\n(.*?)^The \[gallery", read("README.md"), re.MULTILINE | re.DOTALL
        )
        presets = [name[:-5] for name in os.listdir(in_root("configs")) if name.endswith(".json")]
        self.assertEqual(sorted(re.findall(r"`(\w+)`", section)), sorted(presets))

    def test_every_picture_and_page_is_there(self):
        for place in re.findall(r"\]\(([^)]+)\)", read("README.md")):
            target, _, heading = place.partition("#")
            self.assertTrue(os.path.exists(in_root(target)), target)
            if heading:
                self.assertIn(heading, anchors(in_root(target)))


def if_changed(page):
    return unittest.skipUnless(has_to_run(page, CHANGED), "level: exhaustive, or a change")


@full_only
@if_changed("docs/running.md")
class Running(Page):
    def test_every_command_runs_as_printed(self):
        self.run_page("docs/running.md")
        self.check_ignored()
        self.check_files(
            "flock.csv flock.h5 flock.gif flock.png sheet.png onwards.csv branch.h5 thin.csv order.pdf order_sweep.png"
        )
        script = "import h5py; print(h5py.File('flock.h5')['particles/boids/position/value'].shape)"
        self.assertEqual(self.run_block([sys.executable, "-c", script]).strip(), "(501, 400, 2)")
        self.check_sample_sweep("order_sweep.csv")

    def test_the_line_for_numpy_reads_a_pipe(self):
        (line,) = re.findall(r"(?s)`(np\.loadtxt\(sys\.stdin.*?)`", read("docs", "running.md"))
        script = f"import sys, numpy as np\nrows = {line}\nprint(rows.shape, rows[-1, :2])"
        trajectory = output_of(BOIDS, "-c adams -n 2 -o -")
        reported = output_of(sys.executable, "-c", script, input=trajectory)
        self.assertEqual(reported.split(), "(1203, 6) [ 2. 400.]".split())

    def check_sample_sweep(self, name):
        """Order rises with the key that the sample varies, so that readers see an effect."""
        rows = csv_rows(read(self.path(name)))
        key = next(iter(rows[0]))
        order = {}
        for row in rows:
            order.setdefault(row[key], []).append(float(row["mean_polarization"]))
        medians = [statistics.median(values) for values in order.values()]
        self.assertEqual(medians, sorted(medians))
        self.assertTrue(medians[0] < 0.4 and medians[-1] > 0.9, medians)


@full_only
@if_changed("docs/tutorial.md")
class Tutorial(Page):
    least_promised = 10

    def test_every_command_runs_as_printed(self):
        self.run_page("docs/tutorial.md")
        self.check_ignored()
        self.check_files(
            "first.png order.png side.png line.png plane.png plane.svg study.pdf study-statistics.csv"
        )
        films = [name for name in os.listdir(self.folder) if name in ("film.mp4", "film.gif")]
        self.assertEqual(len(films), 1)
        self.check_study("study-statistics.csv")

    def check_study(self, name):
        """Order falls with noise, a small flock keeps more of it, and no run failed."""
        rows = csv_rows(read(self.path(name)))
        self.assertEqual({row["seeds"] for row in rows}, {"5"})
        order = {
            (row["flock.count"], row["flock.noise.eta"]): float(row["mean_polarization"])
            for row in rows
        }
        self.assertEqual(len(order), 33)
        for count in ("32", "128", "512"):
            values = [value for (size, _), value in order.items() if size == count]
            self.assertEqual(values, sorted(values, reverse=True))
        self.assertGreater(order["32", "5.0"], order["512", "5.0"])

    def test_the_installation_is_the_one_that_test_install_tests(self):
        self.assertIn("make install PREFIX=$HOME/.local\n", blocks("docs/tutorial.md", "sh"))


class Sweeps(Page):
    def test_every_command_runs_as_printed(self):
        self.run_page("docs/sweeps.md")
        self.check_ignored()
        self.assertEqual(len(os.listdir(self.path("kept"))), 8)
        self.check_files("last.png")
        rows = {"table": 4, "kept": 4, "grid": 18, "seeds": 10, "design": 20, "joined": 8}
        for name, count in {**rows, "part0": 4, "part1": 4}.items():
            self.assertEqual(len(csv_rows(read(self.path(name + ".csv")))), count, name)


@full_only
@if_changed("docs/analysis.md")
@unittest.skipUnless(
    importlib.util.find_spec("scipy"), "there is no scipy (Debian package python3-scipy)"
)
class Analysis(Page):
    def test_every_command_runs_as_printed(self):
        self.run_page("docs/analysis.md")
        self.assertEqual(
            sorted(os.listdir(self.path("paper"))),
            ["velocity_correlation.csv", "velocity_correlation.pdf"],
        )
        reported = {
            name: re.findall("`(\\w+)`", columns)
            for name, columns in re.findall(
                r"(?m)^\| `(\w+)` \| (.*?) \|", read("docs", "analysis.md")
            )
        }
        written = os.listdir(self.path("starlings-analysis"))
        tables = {name[:-4] for name in written if name.endswith(".csv")}
        self.assertEqual(set(reported), tables - {"numbers"})
        for name, columns in reported.items():
            header = read(self.path("starlings-analysis", name + ".csv")).partition("\n")[0]
            self.assertEqual(header.strip().split(","), columns, name)


def load_tests(loader, tests, pattern):
    """The pages in the order of a reader."""
    pages = (Readme, Tutorial, Running, Sweeps, Analysis)
    return unittest.TestSuite(loader.loadTestsFromTestCase(page) for page in pages)


if __name__ == "__main__":
    unittest.main()
