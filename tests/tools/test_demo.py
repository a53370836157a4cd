#!/usr/bin/env python3
"""Claims about scripts/demo.sh, which `make demo` runs. Run with a python3 that has numpy and h5py."""

import os
import subprocess
import sys
import unittest

sys.path[0] += "/.."

from support import BOIDS, PATIENCE, Folder, full_only, in_root  # noqa: E402


class Demo(Folder):
    def setUp(self):
        super().setUp()
        for name in ("configs", "scripts"):
            os.symlink(in_root(name), self.path(name))
        self.write("boids", f'#!/bin/sh\nexec {BOIDS} "$@" -s output.every=10\n')  # a shorter film
        os.chmod(self.path("boids"), 0o755)

    def demo(self, *without):
        """What the demo prints if no python3 has the modules `without`."""
        self.write(
            "sitecustomize.py",
            "import sys\n" + "".join(f"sys.modules['{name}'] = None\n" for name in without),
        )
        environment = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": self.path(".")}
        done = subprocess.run(
            ["sh", "scripts/demo.sh"],
            cwd=self.path("."),
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def made(self):
        return sorted(os.listdir(self.path("build/demo")))

    def test_without_matplotlib_it_draws_the_page_and_ends_with_a_link_and_a_suggestion(self):
        lines = self.demo("matplotlib").splitlines()
        self.assertEqual(self.made(), ["adams.csv", "adams.h5", "adams.html"])
        self.assertEqual(sum("left out: " in line and "matplotlib" in line for line in lines), 2)
        self.assertEqual(
            [line.split(":")[0] for line in lines if " of 4" in line],
            [f"{n} of 4" for n in range(1, 5)],
        )
        self.assertIn(f"    file://{os.path.realpath(self.path('build/demo/adams.html'))}", lines)
        self.assertIn("Change something:", lines)

    def test_without_numpy_the_flock_is_run(self):
        self.assertEqual(self.demo("numpy").count("left out: "), 3)
        self.assertEqual(self.made(), ["adams.csv", "adams.h5"])

    @full_only
    def test_with_all_tools_it_draws_a_picture_and_a_film(self):
        self.assertNotIn("left out", self.demo())
        self.assertEqual([name.split(".")[0] for name in self.made()], ["adams"] * 5)


if __name__ == "__main__":
    unittest.main()
