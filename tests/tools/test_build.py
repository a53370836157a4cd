"""Claims about the Makefile where a compiler lacks something. BOIDS is the program to compare with."""

import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOIDS = os.path.abspath(os.environ.get("BOIDS", os.path.join(ROOT, "boids")))

REFUSES_OPENMP = """#!/bin/sh
for word; do
    if [ "$word" = -fopenmp ]; then echo 'cc: unknown option -fopenmp' >&2; exit 1; fi
done
exec gcc "$@"
"""


class Compilers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def make(self, compiler, *goals):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        done = subprocess.run(["make", "-j2", f"CC={compiler}", f"BUILD={self.folder}", "CFLAGS=-O0", *goals], cwd=ROOT,
                              env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stderr

    def test_one_without_openmp_builds_a_program_of_one_thread_with_the_same_bits(self):
        compiler = os.path.join(self.folder, "cc")
        with open(compiler, "w", encoding="utf-8") as file:
            file.write(REFUSES_OPENMP)
        os.chmod(compiler, 0o755)
        program = os.path.join(self.folder, "boids")
        self.assertEqual(self.make(compiler, program), f"{compiler} has no OpenMP: boids is built without threads\n")
        flight = ("-c", os.path.join(ROOT, "configs", "murmuration.json"), "--steps", "3", "--threads", "2", "--hash", "3",
                  "-o", "none", "-q")
        hashes = [subprocess.run([one, *flight], capture_output=True, text=True, check=True).stdout
                  for one in (BOIDS, program)]
        self.assertEqual(*hashes)
        self.assertNotIn("gomp", subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    unittest.main()
