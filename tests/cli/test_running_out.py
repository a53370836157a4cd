"""Runs without enough memory or threads: a run is refused before it starts, uses less, or fails with one line.

BOIDS is the program, default ./boids.
"""

import resource
import sys
import unittest

sys.path[0] += "/.."

from support import ASAN_PRELOAD, BOIDS, Folder, build_shim, by_level

# The size of the window of deflate.
WINDOW = 1 << 16


def is_sanitized():
    with open(BOIDS, "rb") as file:
        return b"__asan_init" in file.read()


class RunningOut(Folder):
    @classmethod
    def setUpClass(cls):
        cls.shim = build_shim(
            cls, "cli/run_out.c", *([] if is_sanitized() else ["-DRUN_OUT_OF_MEMORY"])
        )

    def short_of(self, *words, **short):
        """(exit status, standard output, standard error) of a run with the failures that run_out.c makes."""
        env = {"RUN_OUT_" + name.upper(): str(value) for name, value in short.items()}
        preload = {"LD_PRELOAD": self.shim, "ASAN_OPTIONS": ASAN_PRELOAD}
        return self.ended(*words, env={**preload, **env})

    def limit(self, kind, megabytes, *words):
        """(exit status, standard error) of a run with a limit."""
        size = megabytes << 20
        done = self.ended(words, preexec_fn=lambda: resource.setrlimit(kind, (size, size)))
        return done[::2]

    @unittest.skipIf(is_sanitized(), "sanitizers take more address space than any limit")
    def test_a_flock_above_the_memory_limit_fails_before_the_run(self):
        for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
            ended = self.limit(kind, 100, "-c adams -n 0 -s flock.count=20000000 -o a.h5")
            self.assertEqual(ended, (1, "boids: out of memory for 20000000 boids\n"))
            self.holds("")

    @unittest.skipIf(is_sanitized(), "sanitizers take more address space than any limit")
    def test_a_flock_near_the_memory_limit_runs_or_ends_with_one_line(self):
        statuses = set()
        for megabytes in range(16, 48, 4):
            status, said = self.limit(
                resource.RLIMIT_AS,
                megabytes,
                "-c adams -n 3 -s flock.count=20000 -s output.compression=4 -t 2 -q -o a.h5 --force",
            )
            statuses.add(status)
            self.assertIn(status, (0, 1, 2))
            self.assertRegex(said, r"\Aboids: [^\n]+\n\Z" if status else r"\A\Z")
        self.assertTrue(0 in statuses and len(statuses) > 1)

    @unittest.skipIf(is_sanitized(), "sanitizers take more address space than any limit")
    def test_points_above_the_memory_limit_are_not_taken_for_an_empty_table(self):
        self.write("p.csv", b"seed\n" + b"\n" * (40 << 20))
        ended = self.limit(resource.RLIMIT_DATA, 60, "-c adams --points p.csv --table t.csv")
        self.assertEqual(ended, (1, "boids: p.csv: cannot be read: Cannot allocate memory\n"))

    def test_a_step_uses_the_threads_that_can_start(self):
        words = "-c adams -n 4 -s update=synchronous -s flock.count=6000 --hash 4 -o none -t"
        hashes = self.ended(words, "1")[2]
        for first, missing in ((1, "2 threads"), (2, "1 thread")):
            note = f"boids: the system did not start {missing}; the others stepped the flock\n"
            for more, said in ((), hashes + note), ("-q", hashes):
                ended = self.short_of(words, "3", more, threads=first)
                self.assertEqual(ended, (0, "", said))

    def test_frames_are_written_without_a_thread_for_them(self):
        words = "-c adams -n 6 -s flock.count=600 -q"
        self.good(words, "-o a.h5 -o a.csv")
        self.assertEqual(self.short_of(words, "-t 2 -o b.h5 -o b.csv", threads=1), (0, "", ""))
        for ending in (".h5", ".csv"):
            self.assertSameFile("a" + ending, "b" + ending)

    def test_a_sweep_uses_the_threads_that_can_start(self):
        self.write("p.csv", "seed\n1\n2\n3\n4\n")
        for first, missing in ((1, "2 threads"), (2, "1 thread")):
            name = f"{first}.csv"
            words = ("-c adams -n 2 -t 3 --points p.csv --table", name)
            status, _, said = self.short_of(words, threads=first)
            self.assertEqual(status, 0)
            self.assertIn(
                f"boids: the system did not start {missing}; the others execute the runs\n", said
            )
            self.assertEqual(self.read(name).count("\n"), 5)

    def test_threads_have_a_stack_that_suffices_where_the_default_is_that_of_musl(self):
        self.write("p.csv", "seed\n1\n2\n3\n4\n")
        for words in ("--points p.csv --table t.csv", "-o a.h5"):
            ended = self.short_of("-c adams -n 4 -q -t 3", words, stack=128)
            self.assertEqual(ended, (0, "", ""), words)

    @unittest.skipIf(is_sanitized(), "sanitizers have an allocator of their own")
    def test_the_memory_for_compression_is_there_before_the_first_frame(self):
        """Each allocation of the size of zlib's window fails once; those of frames are none of them."""
        statuses = []
        words = "-c adams -n 40 -s output.compression=4 -t 1 -q -o a.h5 --force"
        for at in range(1, 12):
            status, _, said = self.short_of(words, bytes=WINDOW, at=at)
            self.assertEqual(
                (said, self.names()),
                ("boids: a.h5: not enough memory to write it\n", []) if status else ("", ["a.h5"]),
            )
            statuses.append(status)
            if status == 0:
                self.remove("a.h5")
        self.assertEqual(statuses, sorted(statuses, reverse=True))
        self.assertEqual(set(statuses), {0, 1})

    def check_allocations(self, *words):
        """Let one allocation fail, or all from one on: the command succeeds or ends with one line and status 1."""
        if is_sanitized():
            self.skipTest("sanitizers have an allocator of their own")
        statuses = set()
        # The library is set up in about 400 allocations.
        for at in (*range(1, 400, by_level(13, 5, 1)), *range(400, 8000, by_level(307, 61, 17))):
            with self.subTest(words=words, at=at):
                status, _, said = self.short_of(words, at=at, forever=at % 2)
                statuses.add(status)
                self.assertIn(status, (0, 1))
                # Before it aborts, glibc prints a line of its own if libhdf5 has damaged the heap.
                self.assertRegex(
                    said, r"\A(?:[a-z() :-]+\n)?boids: [^\n]+\n\Z" if status else r"\A\Z"
                )
                self.assertNotIn("it is damaged", said)
        self.assertEqual(statuses, {0, 1})

    def test_a_trajectory_is_read_or_refused_with_one_line(self):
        self.good("-c adams -s flock.count=30 -n 3 -o a.h5 -q")
        self.check_allocations("--verify a.h5")
        self.check_allocations("--convert a.h5 -o b.csv --force -q")

    def test_a_trajectory_is_written_or_given_up_with_one_line(self):
        self.check_allocations("-c adams -s flock.count=30 -n 3 -o a.h5 -q --force")


if __name__ == "__main__":
    unittest.main()
