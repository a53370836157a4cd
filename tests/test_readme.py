"""Every command in README.md does what it says: each block is run as printed, in order, in one folder.

The folder stands in for a checkout: the program under test as ./boids, and the repository's configs and scripts. The
block of make commands is left out; running it is what runs these tests. BOIDS is the program, default ./boids.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOIDS = os.path.abspath(os.environ.get("BOIDS", os.path.join(ROOT, "boids")))


def blocks(language):
    """The fenced blocks of one language, in order."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        return re.findall(r"^```%s\n(.*?)^```$" % language, file.read(), re.MULTILINE | re.DOTALL)


def make_checkout(folder):
    """The parts of a checkout that the commands use, and a bin with this python as python3."""
    os.symlink(BOIDS, os.path.join(folder, "boids"))
    for name in ("configs", "scripts"):
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    os.mkdir(os.path.join(folder, "bin"))
    python = os.path.join(folder, "bin", "python3")
    with open(python, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nexec "%s" "$@"\n' % sys.executable)
    os.chmod(python, 0o755)


class Readme(unittest.TestCase):
    def run_block(self, folder, command):
        path = os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"]
        done = subprocess.run(command, cwd=folder, env=dict(os.environ, PATH=path, MPLBACKEND="Agg"),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, "%s\n%s" % (command[-1], done.stderr))
        return done.stdout

    def test_every_command_runs_as_printed(self):
        shell = [block for block in blocks("sh") if not block.startswith("make")]
        self.assertGreaterEqual(len(shell), 2)
        with tempfile.TemporaryDirectory() as folder:
            make_checkout(folder)
            for block in shell:
                self.run_block(folder, ["sh", "-e", "-c", block])
            for name in ("flock.csv", "flock.h5", "flock.gif", "flock.png", "sheet.png", "onwards.csv"):
                self.assertGreater(os.path.getsize(os.path.join(folder, name)), 1000, name)
            (python,) = blocks("python")
            self.assertEqual(self.run_block(folder, [sys.executable, "-c", python]).strip(), "(501, 400, 2)")

    def test_every_picture_and_page_is_there(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            for target in re.findall(r"\]\(([^)]+)\)", file.read()):
                self.assertTrue(os.path.exists(os.path.join(ROOT, target)), target)


if __name__ == "__main__":
    unittest.main()
