"""Claims about .ci/run and tests/changed.py: which parts a change has to run, and what CI reports at its end."""

import os
import shutil
import subprocess
import sys
import unittest

sys.path[0] += "/.."

from support import Folder, in_root

PAGES = ["docs/running.md", "docs/tutorial.md", "docs/analysis.md"]
ALL = ["firmware", "page", "ranks", *PAGES, "clang-tidy on all sources"]
# Stands in for make: a part that has tests passes two, of a suite that took two seconds.
MAKE = """#!/bin/sh
case $1 in lint | shared_programs) exit ;; sanitize | test) goal=$1 ;; *) goal=test-${1#test-} ;; esac
mkdir -p build/$goal
echo '2 passed, 0 failed, 0 skipped' >build/$goal/summary
echo "   2.0 $goal: a" >build/$goal/suites
echo "1 of $goal" >build/$goal/left
"""


class Change(Folder):
    """A repository with some of the files of this one, and a commit that is the base."""

    def setUp(self):
        super().setUp()
        for name in (".ci/run", "tests/changed.py"):
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            shutil.copy(in_root(name), self.path(name))
        for name, text in (
            ("src/core/grid.h", ""),
            ("src/core/step.c", '#include "indirect.h"\n'),
            ("src/core/indirect.h", '#include "core/grid.h"\n'),
            ("src/base/arena.c", '#include "base/arena.h"\n'),
            ("scripts/setup.sh", "exit 0\n"),
            ("bin/make", MAKE),
        ):
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            self.write(name, text)
        os.chmod(self.path("bin/make"), 0o755)
        self.write(".gitignore", "build\n")
        self.git("init", "-q")
        self.commit()
        self.git("tag", "base")

    def git(self, *words):
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *identity, *words], cwd=self.folder, check=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "a", "--allow-empty")

    def run_here(self, *words, status=0, given=None, **environment):
        done = subprocess.run(
            words,
            cwd=self.folder,
            env={
                **os.environ,
                "PATH": self.path("bin") + os.pathsep + os.environ["PATH"],
                "BOIDS_TEST_LEVEL": "full",
                "BOIDS_CI_BASE": "base",
                **environment,
            },
            input=given,
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def choices(self, **environment):
        lines = self.run_here(sys.executable, "tests/changed.py", **environment).splitlines()
        self.assertEqual([line.rpartition(": ")[0] for line in lines], ALL)
        return [line[:-5] for line in lines if line.endswith(": yes")]

    def test_a_change_runs_what_it_can_alter(self):
        sources = "src/core/step.c\nsrc/base/arena.c\n"
        for file, chosen, analysed in (
            ("src/engine/a.c", ALL[:3], ""),
            ("src/cli/run/a.c", ALL[2:5], ""),
            ("src/cli/output/a.c", ALL[2:5], ""),
            ("src/measure/a.c", ["page"], ""),
            ("examples/pico-sdk/main.c", ["firmware"], ""),
            ("python/boids/drawing/a.js", ["page", *PAGES], ""),
            *((page, [page], "") for page in PAGES),
            ("python/boids/a.py", PAGES, ""),
            (".clang-tidy", ALL[6:], sources),
            ("src/core/grid.h", ALL[:2], "src/core/step.c\n"),
            ("src/base/arena.c", ALL[:2], "src/base/arena.c\n"),
            ("README.md", [], ""),
            ("Makefile", ALL, sources),
        ):
            with self.subTest(file):
                os.makedirs(os.path.dirname(self.path(file)), exist_ok=True)
                self.write(file, "/* changed */\n")
                for _ in "not committed", "committed":
                    self.assertEqual(self.choices(), chosen)
                    words = (sys.executable, "tests/changed.py", "sources")
                    self.assertEqual(self.run_here(*words, given=sources), analysed)
                    self.commit()
                self.git("reset", "-q", "--hard", "base")

    def test_without_a_base_or_a_change_all_runs(self):
        self.assertEqual(self.choices(), ALL)
        self.write("README.md", "")
        self.assertEqual(self.choices(), [])
        self.assertEqual(self.choices(BOIDS_CI_BASE=""), ALL)
        self.assertEqual(self.choices(BOIDS_CI_BASE="missing"), ALL)
        self.assertEqual(self.choices(BOIDS_TEST_LEVEL="exhaustive"), ALL)
        shutil.rmtree(self.path(".git"))
        self.assertEqual(self.choices(), ALL)

    def test_ci_reports_its_seconds_and_what_it_left_out(self):
        self.write("README.md", "")
        said = self.run_here("bash", ".ci/run")
        for part in "setup build test sanitize hashes release lint all".split():
            self.assertRegex(said, rf"(?m)^ +{part} +\d+ +\d+$")
        self.assertNotRegex(said, "== (ranks|firmware|page)")
        self.assertEqual(said.count("   2.0 "), 4)
        (left,) = [line for line in said.splitlines() if "left to make check-all" in line]
        self.assertLessEqual(
            {"page", "firmware", "ranks", "1 of test-release"}, set(left.split(": ")[1].split(", "))
        )
        self.assertEqual(said.splitlines()[-1], "8 passed, 0 failed, 0 skipped")
        said = self.run_here("bash", ".ci/run", BOIDS_TEST_LEVEL="exhaustive")
        for part in "page", "ranks":
            self.assertIn(f"== {part}: make test-", said)
        self.assertNotIn("left to", said)


if __name__ == "__main__":
    unittest.main()
