"""Several ranks write the same bytes as one process.

BOIDS is the plain program and BOIDS_MPI the one for ranks. Most runs use BOIDS_MPI-test, in which the boundaries between
subdomains are random after every step (random_boundaries.c), so that many boids migrate all the time.
"""

import atexit
import contextlib
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py

sys.path.append(sys.path[0] + "/..")

from support import (
    BOIDS,
    ENDINGS,
    IS_EXHAUSTIVE,
    PATIENCE,
    Folder,
    build_shim,
    exhaustive_only,
    in_root,
    last_given,
)  # noqa: E402

TOGETHER = os.path.abspath(os.environ.get("BOIDS_MPI", in_root("boids-mpi")))


def launcher_of(command):
    """Tests start more ranks than there are processors. MPICH always allows that, Open MPI only with --oversubscribe."""
    reported = subprocess.run(
        [command, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    return [
        command,
        *(["--oversubscribe", "--bind-to", "none"] if "Open MPI" in reported.stdout else []),
    ]


LAUNCHER = launcher_of("mpirun")
# The rank of a process, in a shell.
RANK = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
# Open MPI's mpirun has a folder for its sessions, and removes it at the end. If suites that run at the same time shared one, a
# start could fail. Containers run as root.
SESSIONS = tempfile.mkdtemp(prefix="boids-mpi-")
atexit.register(shutil.rmtree, SESSIONS, ignore_errors=True)
ENVIRONMENT = dict(
    os.environ,
    OMPI_ALLOW_RUN_AS_ROOT="1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    OMPI_MCA_orte_tmpdir_base=SESSIONS,
)

# A flock with at least twelve rows of cells.
FLOCK = "-c adams -t 1 --set update=synchronous --set world.height=700".split()
BORDERS = {
    "bounce": [],
    "torus": ["world.border=wrap", "world.distance=torus"],
    "plane": ["world.border=wrap", "world.distance=plane"],
    "fast": ["world.border=reflect", "flock.min_speed=300", "flock.max_speed=300"],
    "open": ["world.border=open", "flock.init.speed=[3,40]", "flock.max_speed=40"],
}


def settings(*assignments):
    return [word for assignment in assignments for word in ("--set", assignment)]


def own_words(text):
    """The lines that boids prints; mpirun adds lines of its own if a program fails."""
    return [line for line in text.splitlines() if re.match(r"boids: |\d+ [0-9a-f]{16}$", line)]


class Together(Folder):
    launcher, program = LAUNCHER, TOGETHER
    launcher_tells_status = True

    def run_words(self, words, **environment):
        return subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
            encoding="utf-8",
            env=dict(ENVIRONMENT, **environment),
        )

    def alone(self, *words):
        done = self.run_words([BOIDS, *last_given(words)])
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def launch(self, ranks, *words, program=None, **environment):
        return self.run_words(
            [*self.launcher, "-n", ranks, program or self.program, *last_given(words)],
            **environment,
        )

    def wrap(self, lines, more=""):
        """A script that runs `lines` on each rank, with its number in $rank, and then boids-mpi."""
        path = self.path("wrapper")
        with open(path, "w") as file:
            file.write('#!/bin/sh\nrank=%s\n%s\nexec "$BOIDS_MPI" "$@" %s\n' % (RANK, lines, more))
        os.chmod(path, 0o755)
        return path

    def wrapped(self, ranks, lines, *words, more="", **environment):
        return self.launch(
            ranks,
            *words,
            program=self.wrap(lines, more),
            **{"BOIDS_MPI": self.program, **environment},
        )

    def together(self, ranks, *words, **environment):
        done = self.launch(
            ranks,
            *words,
            program=self.program + "-test",
            BOIDS_TEST_PARTITION=str(ranks),
            **environment,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    @contextlib.contextmanager
    def small_disk(self, name):
        """A folder with room for 4 MiB."""
        if os.geteuid() != 0:
            self.skipTest("only root can mount a small disk")
        os.mkdir(self.path(name))
        if subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=4m", "none", self.path(name)], capture_output=True
        ).returncode:
            self.skipTest("nothing can be mounted here")
        try:
            yield
        finally:
            subprocess.run(["umount", self.path(name)], check=True)

    def await_end(self, process, pids):
        """Standard error. Waits for all ranks: Open MPI's mpirun may end before the last one, which still locks the file."""
        _, reported = process.communicate(timeout=PATIENCE)
        begun = time.monotonic()
        while any(os.path.exists("/proc/%d" % pid) for pid in pids):
            self.assertLess(time.monotonic() - begun, PATIENCE)
            time.sleep(0.01)
        return reported

    def refused(self, sentence, ranks, *words, status=2, program=None):
        """The error is one sentence, printed once, and there is no other output."""
        done = self.launch(ranks, *words, program=program)
        self.assertEqual(own_words(done.stderr), ["boids: " + sentence])
        self.assertEqual(done.stdout, "")
        self.assertStatus(done, status)

    def assertStatus(self, done, status):
        """Compare the exit status, if the launcher returns that of the ranks."""
        self.assertEqual(done.returncode if self.launcher_tells_status else status, status)
        self.assertNotEqual(done.returncode, 0)

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def assertSameFile(self, one, other):
        self.assertTrue(self.bytes(one) == self.bytes(other), "%s and %s differ" % (one, other))


class Hashes(Together):
    def compare(self, ranks, *words):
        options = [*FLOCK, "-o none -q --hash 10 --steps 40", *words]
        alone = own_words(self.alone(*options).stderr)
        self.assertGreaterEqual(len(alone), 5)
        for count in ranks:
            with self.subTest(ranks=count, words=words):
                self.assertEqual(own_words(self.together(count, *options).stderr), alone)

    def test_ranks_change_no_bit(self):
        every = itertools.product(BORDERS, ("float32", "float64"), (0, 3))
        for k, (border, arithmetic, predators) in enumerate(every):
            ranks = [(1, 2, 3, 4, 7)[k % 5]] if not IS_EXHAUSTIVE else (1, 2, 3, 4, 7)
            self.compare(
                ranks,
                *settings(
                    *BORDERS[border],
                    "arithmetic=" + arithmetic,
                    "predators.count=%d" % predators,
                    "flock.count=2000",
                ),
            )

    def test_presets(self):
        presets = re.findall("(?m)^  ([a-z0-9_]+)", self.alone("--presets").stdout)
        for name in presets[:3] if not IS_EXHAUSTIVE else presets:
            options = [
                "-c",
                name,
                "-t 1",
                *settings("update=synchronous", "arithmetic=float64"),
                "-o none -q --hash 20 --steps 40",
            ]
            alone = own_words(self.alone(*options).stderr)
            done = self.launch(2, *options)
            if done.returncode == 2:
                self.assertRegex(
                    own_words(done.stderr)[0], "rows of cells|outside of the torus|nearest must"
                )
            else:
                self.assertEqual(own_words(done.stderr), alone, name)

    def test_folded_and_clumped_flocks(self):
        self.compare(
            (2, 5), *settings("world.width=20000", "world.height=20000", *BORDERS["torus"])
        )
        self.compare(
            (2, 5),
            *settings(
                "flock.cohesion.factor=0.05", "flock.separation.factor=0", "flock.count=1000"
            ),
        )

    @exhaustive_only
    def test_long_runs_and_other_worlds(self):
        """A flock that leaves an open world and cycles through the rows; worlds of few columns, and of few rows."""
        for arithmetic, border in itertools.product(
            ("float32", "float64"), ("torus", "plane", "open")
        ):
            for shape in (
                ["world.width=90"],
                ["world.width=5000", "world.height=430"],
                ["world.width=20000", "world.height=20000"],
            ):
                self.compare(
                    (2, 3, 4),
                    *settings(
                        *shape, *BORDERS[border], "arithmetic=" + arithmetic, "flock.count=1000"
                    ),
                )
            self.compare(
                (3,),
                *settings(*BORDERS[border], "arithmetic=" + arithmetic),
                "--steps 1500 --hash 375",
            )

    def test_wind_goals_and_obstacles(self):
        self.compare(
            (2, 4),
            *settings(
                "world.wind=[1,-0.5]",
                "goals.points=[[100,100],[500,600]]",
                "goals.factor=0.05",
                "goals.every=10",
                "obstacles.circles=[[300,350,60]]",
                *BORDERS["torus"],
            ),
        )
        self.compare((3,), *settings("flock.noise.eta=1", "flock.noise.vector=0.5"))

    def test_predators_hunt(self):
        self.compare(
            (3,),
            *settings(
                "predators.hunt=nearest", "predators.count=3", "flock.count=500", *BORDERS["torus"]
            ),
        )
        self.compare(
            (2, 4), *settings("predators.hunt=centre", "predators.count=2", "flock.count=500")
        )
        self.compare(
            (3,),
            *settings(
                "predators.count=2",
                "flock.count=500",
                "arithmetic=float32",
                'schedule=[{"at": 15, "set": {"predators.hunt": "nearest"}}]',
            ),
        )

    def test_a_schedule_changes_rules_on_all_ranks(self):
        self.compare(
            (3,), *settings('schedule=[{"at": 15, "set": {"flock.alignment.radius": 60}}]')
        )

    def test_a_clumped_flock_is_shared_evenly(self):
        """Nine of ten boids are in a tenth of the rows, which starts in the middle of a subdomain."""
        draws = random.Random(1)
        with open(self.path("clump.csv"), "w") as file:
            file.write("id,type,x,y,vx,vy\n")
            for k in range(4000):
                y = draws.uniform(900, 1200) if k % 10 else draws.uniform(0, 3000)
                file.write(
                    "%d,boid,%r,%r,%r,%r\n"
                    % (k, draws.uniform(0, 900), y, draws.uniform(-3, 3), draws.uniform(-3, 3))
                )
        options = [
            *FLOCK,
            *settings("world.height=3000"),
            "--init clump.csv -o none --hash 50 --steps 150 --progress never",
        ]
        alone = own_words(self.alone(*options).stderr)
        done = self.launch(4, *options, "-v")
        self.assertEqual(
            [line for line in own_words(done.stderr) if not line.startswith("boids:")], alone
        )
        reported = re.search(
            r"boids: the busiest of 4 ranks had ([0-9.]+) times the mean work; boundaries were moved \d+ time",
            done.stderr,
        )
        self.assertTrue(reported, done.stderr)
        self.assertLess(float(reported.group(1)), 1.3)

    def test_ranks_of_different_kinds(self):
        """Each rank has another instruction set and number of threads."""
        options = [
            *FLOCK,
            "-o none -q --hash 10 --steps 20",
            *settings("flock.count=20000"),
        ]
        alone = own_words(self.alone(*options).stderr)
        options.remove("-t"), options.remove("1")
        kinds = "case $rank in\n0) BOIDS_ISA=plain ;;\n1) BOIDS_ISA=scalar ;;\n*) BOIDS_ISA= ;;\nesac\nexport BOIDS_ISA"
        done = self.wrapped(3, kinds, *options, more="-t $((rank + 1))")
        self.assertEqual(own_words(done.stderr), alone)


class Files(Together):
    def compare(self, ranks, *words):
        options = [*FLOCK, "-q --every 5 --steps 30 --force", *words]

        def names(stem):
            outputs = [word for ending in ENDINGS for word in ("-o", "%s.%s" % (stem, ending))]
            return [*outputs, "--observables", stem + ".observables", "--summary"]

        alone = self.alone(*options, *names("alone")).stdout
        for count in ranks:
            with self.subTest(ranks=count, words=words):
                together = self.together(count, *options, *names("together")).stdout
                for ending in (*ENDINGS, "observables"):
                    self.assertSameFile("alone." + ending, "together." + ending)
                for name in "state_hash final mean steps status".split():
                    said = [
                        re.search('"%s": (\\{[^}]*\\}|[^,}]*)' % name, text).group(1)
                        for text in (alone, together)
                    ]
                    self.assertEqual(*said)

    def test_files_are_equal(self):
        self.compare((2, 4) if not IS_EXHAUSTIVE else (1, 2, 3, 4, 7))

    def test_rounded_packed_and_in_three_dimensions(self):
        self.compare(
            (3,),
            *settings(
                "output.precision=float32",
                "output.h5_dims=3",
                "output.compression=4",
                "predators.count=3",
            ),
        )
        self.compare(
            (2,),
            *settings("arithmetic=float32", "output.observables_every=3", "output.flush_seconds=0"),
        )

    def test_some_boids_and_frames(self):
        self.compare(
            (3,), *settings('output.boids={"every": 7}', "output.first=12", "predators.count=2")
        )
        self.compare((3,), *settings('output.fields=["unwrapped"]', "output.every=7"))

    def test_an_initial_state_from_a_file_and_from_a_trajectory(self):
        self.alone(*FLOCK, "-q --steps 10 --every 10 -o past.h5 -o past.csv")
        self.compare((3,), "--init past.csv")
        options = ["--from past.h5 -q --steps 20 -t 1 --force"]
        self.alone(*options, "-o one.h5")
        self.together(3, *options, "-o three.h5")
        self.assertSameFile("one.h5", "three.h5")

    def test_standard_output_and_standard_input(self):
        config = self.alone(*FLOCK, "--print-config").stdout
        with open(self.path("mine.json"), "w") as file:
            file.write(config)
        alone = self.alone("-c mine.json --steps 5 -q -o -").stdout
        done = subprocess.run(
            [*self.launcher, "-n", "2", self.program, "-c", "-", "--steps", "5", "-q", "-o", "-"],
            env=ENVIRONMENT,
            input=config,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            timeout=PATIENCE,
        )
        self.assertEqual((done.returncode, done.stdout), (0, alone))


class Observables(Together):
    """Rank 0 measures the gathered frame."""

    WORDS = [
        *FLOCK,
        "-q --steps 20 --force",
        *settings("predators.count=2", "flock.count=1500"),
    ]

    def compare(self, ranks, *words):
        options = [*self.WORDS, *words, *settings("output.observables_every=1")]
        everything = ["--every", 7, "--summary", "-o", "%s.h5", "--observables", "%s.csv"]

        def names(stem):
            return [str(word).replace("%s", stem) for word in everything]

        alone = self.alone(*options, *names("alone")).stdout
        for count in ranks:
            with self.subTest(ranks=count, words=words):
                together = self.together(count, *options, *names("together")).stdout
                self.assertSameFile("alone.h5", "together.h5")
                self.assertSameFile("alone.csv", "together.csv")
                for name in ("final", "mean", "error"):
                    said = [
                        re.search('"%s": (\\{[^}]*\\})' % name, text).group(1)
                        for text in (alone, together)
                    ]
                    self.assertEqual(*said)

    def test_ranks_measure_what_one_process_does(self):
        for k, (border, arithmetic) in enumerate(
            itertools.product(BORDERS, ("float32", "float64"))
        ):
            if IS_EXHAUSTIVE or k in (0, 3):
                self.compare(
                    (4 - k,) if not IS_EXHAUSTIVE else (1, 2, 3, 4, 7),
                    *settings(*BORDERS[border], "arithmetic=" + arithmetic),
                )

    def test_few_and_scattered_boids(self):
        if IS_EXHAUSTIVE:
            self.compare((3,), *settings("flock.count=40", "flock.separation.radius=0"))
            self.compare(
                (2, 4), *settings("world.width=9000", "world.height=9000", *BORDERS["torus"])
            )

    def test_a_radius_that_is_wider_than_a_row(self):
        words = settings("flock.cohesion.factor=0", "flock.cohesion.radius=80")
        if IS_EXHAUSTIVE:
            self.compare((3,), *words)
        self.compare(
            (2,),
            *settings(
                'schedule=[{"at": 9, "set": {"flock.cohesion.factor": 0, "flock.cohesion.radius": 80}}]'
            ),
        )

    def test_radii_of_a_schedule_and_some_observables(self):
        self.compare(
            (3,),
            *settings(
                'schedule=[{"at": 9, "set": {"flock.cohesion.radius": 21}}]',
                'output.observables=["flocks", "milling", "nearest_neighbour_sd"]',
            ),
        )

    def test_observables_without_a_trajectory_are_equal(self):
        words = [
            *self.WORDS,
            "-o none --every 3 --until",
            "polarization > 0.9",
            "--observables",
        ]
        self.alone(*words, "alone.csv")
        self.together(3, *words, "together.csv")
        self.assertSameFile("alone.csv", "together.csv")

    def test_a_run_is_resumed(self):
        for kind in (
            [],
            ["arithmetic=float32", "output.h5_dims=3"],
            ["arithmetic=float64", "output.precision=float32", "output.first=7"],
        ):
            with self.subTest(kind=kind):
                words = [*self.WORDS, "--every 5", *settings(*kind)]
                self.alone(*words, "-o part.h5")
                self.alone(*words, "--steps 40 -o whole.h5")
                self.together(3, "--resume part.h5 -q --steps 29")
                self.together(2, "--resume part.h5 -q --steps 40")
                self.assertSameFile("whole.h5", "part.h5")


class Ends(Together):
    ATTEMPTS = 100
    OPTIONS = [
        *FLOCK,
        *("-q", "--every 5"),
        *settings("flock.count=1000", "output.flush_seconds=0"),
    ]

    def has_been_flushed(self, part):
        """True from the first flush on; before, the file is not valid HDF5."""
        with open(part, "rb") as file:
            return file.read(8) == b"\x89HDF\r\n\x1a\n"

    def start(self, ranks, *words, written=500000):
        """Start ranks, each of which writes its process id; return them when the run writes frames."""
        wrapper = self.wrap('echo $$ > "pid.$rank"')
        process = subprocess.Popen(
            [*self.launcher, "-n", str(ranks), wrapper, *last_given(words)],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=dict(ENVIRONMENT, BOIDS_MPI=self.program),
        )
        part = self.path("flock.h5.part")
        begun = time.monotonic()
        while not (
            os.path.exists(part) and os.path.getsize(part) > written and self.has_been_flushed(part)
        ):
            self.assertIsNone(
                process.poll(), process.stderr.read() if process.poll() is not None else ""
            )
            self.assertLess(time.monotonic() - begun, PATIENCE)
            time.sleep(0.02)
        return process, [int(self.bytes("pid.%d" % r)) for r in range(ranks)]

    def last_step(self, name):
        with h5py.File(self.path(name), "r") as file:
            return max(file["particles/boids/position/step"][:])

    def resume_and_compare(self, name, steps, ranks):
        """Resumed on `ranks` ranks (0: by the plain program), the file has the bytes of an uninterrupted run."""
        words = ["--resume", name, "-q --steps", steps, "-t 1"]
        self.together(ranks, *words) if ranks else self.alone(*words)
        self.alone(*self.OPTIONS, "--steps", steps, "-o whole.h5 --force")
        self.assertSameFile("flock.h5", "whole.h5")

    def test_a_signal_to_one_rank_ends_all_at_the_same_step(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for rank in (0, 2):
                with self.subTest(number=number, rank=rank):
                    process, pids = self.start(
                        3,
                        *[word for word in self.OPTIONS if word != "-q"],
                        "--force --progress never --steps 1000000 -o flock.h5",
                    )
                    os.kill(pids[rank], number)
                    reported = self.await_end(process, pids)
                    words = own_words(reported)
                    self.assertEqual(len(words), 1, reported)
                    stopped = int(
                        re.match(
                            r"boids: stopped at step (\d+); the frames written so far are kept",
                            words[0],
                        ).group(1)
                    )
                    self.assertEqual(process.returncode, status)
                    self.assertEqual(self.last_step("flock.h5.part"), stopped)
                    os.remove(self.path("flock.h5.part"))

    def test_a_stopped_run_resumes_on_another_number_of_ranks(self):
        for ranks in (0, 4) if not IS_EXHAUSTIVE else (0, 1, 2, 3, 4):
            process, pids = self.start(3, *self.OPTIONS, "--force --steps 1000000 -o flock.h5")
            os.kill(pids[1], signal.SIGINT)
            self.await_end(process, pids)
            steps = (int(self.last_step("flock.h5.part")) // 5 + 10) * 5
            # Its own steps are part of the configuration that a file carries.
            with self.subTest(ranks=ranks):
                self.resume_and_compare("flock.h5.part", steps, ranks)
            os.remove(self.path("flock.h5"))

    def test_a_killed_rank_leaves_a_file_to_resume(self):
        draws = random.Random(5)
        ways = [
            (ranks, later) for ranks in (2, 3, 4) for later in (0, 1, 2, 3, 4) if later != ranks
        ]
        for attempt in range(2 if not IS_EXHAUSTIVE else self.ATTEMPTS):
            ranks, later = draws.choice(ways)
            victim = draws.randrange(ranks)
            process, pids = self.start(
                ranks,
                *self.OPTIONS,
                "--force --steps 1000000 -o flock.h5",
                written=draws.randrange(200000, 1000000),
            )
            time.sleep(draws.random() / 20)
            os.kill(pids[victim], signal.SIGKILL)
            self.await_end(process, pids)
            self.assertNotEqual(process.returncode, 0)
            steps = (int(self.last_step("flock.h5.part")) // 5 + 10) * 5
            with self.subTest(attempt=attempt, ranks=ranks, victim=victim, later=later):
                self.resume_and_compare("flock.h5.part", steps, later)
            os.remove(self.path("flock.h5"))

    @unittest.skipIf(
        "-fsanitize" in os.environ.get("CFLAGS", ""), "a sanitizer has a malloc of its own"
    )
    def test_a_rank_without_memory_ends_all_after_the_step(self):
        """The boundaries move after every step, so ranks allocate memory all the time; rank 0 also has the buffers of the output. The last
        complete frame is written."""
        shim = build_shim(type(self), "trajectory/fail_at.c")
        for rank, call in (
            ((1, 4),) if not IS_EXHAUSTIVE else ((0, 6), (0, 7), (1, 3), (1, 4), (2, 3), (2, 4))
        ):
            with self.subTest(rank=rank, call=call):
                lines = "[ $rank != %d ] || export LD_PRELOAD=%s FAIL=aligned_alloc:%d" % (
                    rank,
                    shim,
                    call,
                )
                done = self.wrapped(
                    3,
                    lines,
                    *self.OPTIONS,
                    "--steps 1000 -o flock.h5",
                    BOIDS_MPI=self.program + "-test",
                    BOIDS_TEST_PARTITION="3",
                )
                self.assertEqual(done.returncode, 1)
                words = own_words(done.stderr)
                self.assertEqual(len(words), 1, done.stderr)
                self.assertRegex(
                    words[0], r"boids: rank %d on [^ ]+: out of memory for \d+ boids$" % rank
                )
                self.resume_and_compare(
                    "flock.h5.part", self.last_step("flock.h5.part") // 5 * 5 + 20, 2
                )
                os.remove(self.path("flock.h5"))

    def test_max_seconds_and_until_end_all(self):
        done = self.together(3, *FLOCK, "--steps 1000000 -o none --max-seconds 1")
        self.assertRegex(
            own_words(done.stderr)[0], r"stopped at step \d+ after 1 s; nothing was written"
        )
        words = [
            *FLOCK,
            "--steps 200 -o none --until",
            "polarization > 0.2",
            "--summary --progress never",
        ]
        step = [own_words(done.stderr) for done in (self.alone(*words), self.together(3, *words))]
        self.assertEqual(*step)

    def test_a_full_disk_leaves_a_file_to_resume(self):
        with self.small_disk("small"):
            done = self.launch(
                3,
                *self.OPTIONS,
                "--steps 1000000 --max-seconds",
                PATIENCE,
                "-o small/flock.h5",
            )
            self.assertStatus(done, 1)
            self.assertRegex(
                "\n".join(own_words(done.stderr)),
                r"\Aboids: small/flock.h5.*No space left on device[^\n]*\Z",
            )
            shutil.copy(self.path("small/flock.h5.part"), self.folder)
        self.resume_and_compare(
            "flock.h5.part", (int(self.last_step("flock.h5.part")) // 5 + 10) * 5, 2
        )

    def test_a_limit_on_file_size_is_reported_once(self):
        done = self.wrapped(
            3,
            # Blocks of 512 bytes: Open MPI 5 makes a file of 16 MiB for the memory that ranks share.
            '[ "$rank" != 0 ] || ulimit -f 40000',
            *self.OPTIONS,
            "--steps 1000000 --force -o flock.h5",
        )
        self.assertStatus(done, 1)
        self.assertRegex(
            "\n".join(own_words(done.stderr)), r"\Aboids: flock.h5.*(too large|space)[^\n]*\Z"
        )

    def test_an_agent_that_leaves_the_range_is_reported_once(self):
        words = [
            *FLOCK,
            *settings(
                "arithmetic=float32",
                "world.border=open",
                "flock.max_speed=null",
                "flock.alignment.factor=1e30",
            ),
            "--steps 100 -o none -q",
        ]
        alone = self.run_words([BOIDS, *last_given(words)])
        done = self.launch(3, *words)
        self.assertEqual(alone.returncode, 1)
        self.assertStatus(done, 1)
        self.assertEqual(own_words(done.stderr), own_words(alone.stderr))


class Refusals(Together):
    def test_features_that_need_one_process_are_refused(self):
        wrong = "with more than one rank, %s must be %s; set it, or run one rank"
        self.refused(wrong % ("update", "synchronous"), 2, "-c adams -o none")
        self.refused(
            wrong % ("arithmetic", "float32 or float64"),
            2,
            *FLOCK,
            "-o flock.h5",
            *settings("arithmetic=fixed"),
        )
        self.refused(
            wrong % ("flock.cohesion.nearest", "null"),
            2,
            *FLOCK,
            "-o none",
            *settings("flock.cohesion.nearest=7"),
        )
        self.refused(
            "4 ranks need 8 rows of cells, but this flock has 6; run at most 3 ranks, or threads",
            4,
            *FLOCK,
            "-o none",
            *settings("world.height=220"),
        )
        self.refused(
            "4 ranks need 8 rows of cells, but this flock has 4; run at most 2 ranks, or threads",
            4,
            *FLOCK,
            "-o none",
            *settings('schedule=[{"at": 15, "set": {"flock.alignment.radius": 200}}]'),
        )
        self.refused(
            "--points is for one process, but 2 ranks were started; use boids",
            2,
            *FLOCK,
            "--points points.csv --table table.csv",
        )
        self.assertEqual(os.listdir(self.folder), [])

    def test_rules_of_a_schedule_before_the_first_step_are_not_checked(self):
        words = [
            *FLOCK,
            *settings(
                'schedule=[{"at": 5, "set": {"flock.alignment.radius": 200}}, '
                '{"at": 9, "set": {"flock.alignment.radius": 40}}]'
            ),
            "-q",
        ]
        self.alone(*words, "--steps 20 -o a.h5")
        state = ["--init", "a.h5@12", "--keep-step", "--steps", 20]
        self.alone(*words, *state, "-o one.h5")
        done = self.launch(4, *words, *state, "-o four.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertSameFile("one.h5", "four.h5")
        self.refused(
            "4 ranks need 8 rows of cells, but this flock has 4; run at most 2 ranks, or threads",
            4,
            *words,
            "--init a.h5@7 --keep-step -o none",
        )

    def test_ranks_with_other_programs_or_arguments_are_refused(self):
        revision = re.match(r"boids \S+ \((.*)\)", self.alone("--version").stdout).group(1)
        other = "x" * len(revision)
        with open(self.program, "rb") as file:
            program = file.read()
        self.assertIn(revision.encode() + b"\0", program)
        with open(self.path("other"), "wb") as file:
            file.write(program.replace(revision.encode() + b"\0", other.encode() + b"\0"))
        os.chmod(self.path("other"), 0o755)
        one = "[ $rank != 1 ] || "
        sentence = "it was not started with the program and the options of rank 0; all ranks need the same, except --threads"
        for lines in (one + "BOIDS_MPI=%s" % self.path("other"), one + 'set -- "$@" --steps 7'):
            done = self.wrapped(2, lines, *FLOCK, "-o flock.h5")
            self.assertRegex(
                "\n".join(own_words(done.stderr)),
                r"^boids: rank 1 on [^ :]+: " + re.escape(sentence) + "$",
            )
            self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertFalse(os.path.exists(self.path("flock.h5")))

    def test_agents_that_begin_outside_of_a_torus(self):
        with open(self.path("clump.csv"), "w") as file:
            file.write("id,type,x,y,vx,vy\n3,boid,10,10,3,0\n7,boid,700,10,3,0\n")
        self.refused(
            "clump.csv: id 7 is outside of the torus; with more than one rank, all must be inside",
            2,
            *FLOCK,
            "--init clump.csv -o none",
            *settings(*BORDERS["torus"]),
        )

    def test_a_damaged_file_gives_the_sentence_of_one_process(self):
        self.alone(*FLOCK, "-q --steps 10 -o past.h5")
        with h5py.File(self.path("past.h5"), "r+") as file:
            file["particles/boids/velocity/value"][10, 399, 1] += 1
        before = self.bytes("past.h5")
        for words in ([*FLOCK, "--init", "past.h5", "-o", "none"], ["--resume", "past.h5", "-q"]):
            alone, done = self.run_words([BOIDS, *words, "--steps", 20]), self.launch(
                3, *words, "--steps 20"
            )
            self.assertEqual((alone.returncode, len(own_words(alone.stderr))), (1, 1), alone.stderr)
            self.assertStatus(done, 1)
            self.assertEqual(own_words(done.stderr), own_words(alone.stderr))
            self.assertEqual(
                (self.bytes("past.h5"), os.path.exists(self.path("past.h5.part"))), (before, False)
            )

    def test_a_refusal_is_printed_once(self):
        for words in (
            ["-c", "adams", "--steps", "-1"],
            ["-c", "missing.json"],
            ["--nonsense"],
            [*FLOCK, "-o", "no/folder.h5"],
        ):
            done = self.launch(3, *words)
            self.assertStatus(done, 2)
            self.assertEqual(len(own_words(done.stderr)), 1, done.stderr)

    def test_a_refusal_on_one_rank_ends_all(self):
        done = self.wrapped(2, '[ "$rank" != 1 ] || set -- "$@" --nonsense', *FLOCK, "-o none")
        self.assertStatus(done, 2)
        self.assertRegex(
            "\n".join(own_words(done.stderr)),
            r"\Aboids: rank 1 on [^ ]+: --nonsense is not an option[^\n]*\Z",
        )

    def test_the_plain_program_does_not_race(self):
        self.refused(
            "started as one of 2 ranks, but this program runs alone: make MPI=1 builds boids-mpi; if each rank is "
            "to run a flock of its own, unset OMPI_COMM_WORLD_SIZE",
            2,
            *FLOCK,
            "-o flock.h5",
            program=BOIDS,
        )
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_plain_program_believes_the_innermost_launcher(self):
        """Slurm's tasks are ranks if it starts them for MPI; in an array job or several job steps, each task is a separate run."""

        def run_task(**environment):
            return self.run_words([BOIDS, *FLOCK, "--steps", 1, "-o", "none", "-q"], **environment)

        self.assertEqual(
            own_words(run_task(SLURM_STEP_NUM_TASKS="4", PMIX_RANK="0").stderr),
            [
                "boids: started as one of 4 ranks, but this program runs alone: make MPI=1 builds boids-mpi; if "
                "each rank is to run a flock of its own, unset SLURM_STEP_NUM_TASKS"
            ],
        )
        self.assertEqual(run_task(SLURM_STEP_NUM_TASKS="4", PMIX_RANK="3").returncode, 2)
        for environment in (
            {"SLURM_NTASKS": "4", "SLURM_PROCID": "0"},
            {"SLURM_STEP_NUM_TASKS": "1", "PMIX_RANK": "0"},
            {"SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "1"},
            {"PMI_RANK": "0", "PMI_SIZE": "1"},
            {
                "OMPI_COMM_WORLD_SIZE": "1",
                "OMPI_COMM_WORLD_RANK": "0",
                "PMIX_RANK": "0",
                "SLURM_STEP_NUM_TASKS": "4",
            },
        ):
            with self.subTest(environment=environment):
                self.assertEqual(run_task(**environment).returncode, 0)

    def test_commands_without_a_run_use_one_rank(self):
        for words in (["--version"], ["--presets"], [*FLOCK, "--print-config"]):
            self.assertEqual(
                self.launch(2, *words).stdout.split(), self.alone(*words).stdout.split()
            )  # a launcher may have a terminal
        lines = own_words(self.launch(2, *FLOCK, "--check").stderr)
        self.assertEqual([line.split()[-1] for line in lines], ["valid"])


if __name__ == "__main__":
    unittest.main()
