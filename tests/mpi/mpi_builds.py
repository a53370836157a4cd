"""Other builds of the program for ranks: those with MPICH and with sanitizers write the same bytes; broken ones are detected.

BOIDS_MPICH and BOIDS_SANITIZED are those programs; if one does not exist, its tests are skipped.
"""

import os
import shutil
import subprocess
import tempfile
import unittest

import equivalence
from equivalence import BORDERS, FLOCK, ROOT, launcher_of, own_words, settings
from support import makefiles

MPICH = os.environ.get("BOIDS_MPICH", "")
SANITIZED = os.environ.get("BOIDS_SANITIZED", "")


def is_there(program):
    return program and os.path.exists(program)


@unittest.skipUnless(
    is_there(MPICH) and shutil.which("mpiexec.mpich"), "there is no MPICH beside Open MPI"
)
class Mpich(equivalence.Together):
    program = os.path.abspath(MPICH)
    launcher_tells_status = False  # if a rank fails, it ends the others and reports that

    @classmethod
    def setUpClass(cls):
        cls.launcher = launcher_of("mpiexec.mpich")

    def compare(self, ranks, *words):
        """A rank of MPICH that waits keeps its processor, so each has one; ranks of Open MPI take turns."""
        super().compare([count for count in ranks if count <= os.cpu_count()], *words)

    def test_the_plain_program_does_not_race(self):
        self.refused(
            "started as one of 2 ranks, but this program runs alone: make MPI=1 builds boids-mpi; if each rank is "
            "to run a flock of its own, unset PMI_SIZE",
            2,
            *FLOCK,
            "-o",
            "flock.h5",
            program=equivalence.BOIDS,
        )
        self.assertEqual(os.listdir(self.folder), [])


class MpichHashes(Mpich, equivalence.Hashes):
    pass


class MpichFiles(Mpich, equivalence.Files):
    pass


class MpichEnds(Mpich, equivalence.Ends):
    ATTEMPTS = 5
    # MPICH itself creates a larger file at its start.
    test_a_limit_on_file_size_is_reported_once = None


class MpichRefusals(Mpich, equivalence.Refusals):
    pass


@unittest.skipUnless(is_there(SANITIZED), "there is no program with sanitizers")
class Sanitized(equivalence.Together):
    """Boids migrate between ranks all the time, without a read or write out of bounds."""

    program = os.path.abspath(SANITIZED)

    def assert_clean(self, ranks, *words):
        flock = [*FLOCK, *settings("flock.count=2000"), *words]
        options = [*flock, "-q", "--force", "--hash", 10, "--steps", 30]
        alone = own_words(self.alone(*options, "-o", "alone.h5").stderr)
        # Without leak detection: MPI leaks thousands of blocks in plugins that are unloaded by then and cannot be suppressed by name.
        done = self.together(ranks, *options, "-o", "together.h5", ASAN_OPTIONS="detect_leaks=0")
        self.assertEqual(own_words(done.stderr), alone)
        self.assertNotRegex(done.stderr, "Sanitizer|runtime error")

    def test_moving_boundaries_and_distant_migrants_are_clean(self):
        for arithmetic in ("float32", "float64"):
            self.assert_clean(
                3, *settings(*BORDERS["fast"], "arithmetic=" + arithmetic, "predators.count=3")
            )
            self.assert_clean(4, *settings(*BORDERS["torus"], "arithmetic=" + arithmetic))

    def test_threads_folded_flocks_and_runaways_are_clean(self):
        self.assert_clean(2, "-t", "3", *settings("flock.count=12000"))
        self.assert_clean(
            5, *settings("world.width=20000", "world.height=20000", *BORDERS["torus"])
        )
        self.assert_clean(3, *settings(*BORDERS["open"]))


class Controls(equivalence.Together):
    """A control: these tests fail for programs that are wrong on purpose."""

    def build(self, path, wrong, right):
        """Build the program with one line changed, from a copy of this build."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        there = os.path.join(folder.name, "there")
        os.mkdir(there)
        subprocess.run(
            "cp -a --parents VERSION include src configs scripts build/release tests/mpi tests/*.h %s %s && rm -rf %s/build/release/tests"
            % (" ".join(makefiles()), there, there),
            shell=True,
            cwd=ROOT,
            check=True,
        )
        with open(os.path.join(there, path)) as file:
            text = file.read()
        self.assertEqual(text.count(right), 1, "%s has changed: change this control with it" % path)
        with open(os.path.join(there, path), "w") as file:
            file.write(text.replace(right, wrong))
        subprocess.run(
            ["make", "-s", "MPI=1", "build/release/boids-mpi-test"],
            cwd=there,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return os.path.join(there, "build/release/boids-mpi-test")

    def differs(self, program):
        options = [*FLOCK, "-o", "none", "-q", "--hash", 10, "--steps", 40]
        alone = own_words(self.alone(*options).stderr)
        done = self.launch(3, *options, program=program, BOIDS_TEST_PARTITION="3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(own_words(done.stderr)[0], alone[0])
        self.assertNotEqual(own_words(done.stderr)[-1], alone[-1])

    def test_without_the_order_by_id_hashes_differ(self):
        self.differs(self.build("src/engine/sorted_flock.c", "if (true)", "if (keys[s - 1] < key)"))

    def test_without_halos_hashes_differ(self):
        self.differs(
            self.build(
                "src/engine/mpi/domain_exchange.c",
                "if ((i == 1 || before < -1) && owner != self)",
                "if (owner != before && owner != self)",
            )
        )

    def test_ranks_that_do_not_agree_on_their_boundaries_end(self):
        done = self.wrapped(
            3,
            "export BOIDS_TEST_PARTITION=$((rank + 1))",
            *FLOCK,
            "-o",
            "none",
            "-q",
            "--steps",
            1000,
            BOIDS_MPI=self.program + "-test",
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn(
            "the ranks divide the flock differently; start the same boids-mpi on all machines",
            done.stderr,
        )


if __name__ == "__main__":
    unittest.main()
