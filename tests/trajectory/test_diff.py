"""--diff compares two trajectories; it has three exit statuses."""

import struct
import subprocess
import sys
import unittest


sys.path[0] += "/.."

from support import BOIDS, Folder


HEADER = "step,time,id,type,x,y,vx,vy\n"
RUN = ("-c adams -n", 6, "-s flock.count=12 -s predators.count=2")
DIGITS = {"float32": 9, "float64": 17, "fixed": 10}


class Diff(Folder):
    def equal(self, one, other, frames):
        self.assertEqual(
            self.good("--diff", one, other),
            "%s and %s are equal in every value of their %d frame%s\n"
            % (one, other, frames, "" if frames == 1 else "s"),
        )

    def differ(self, reported, one, other):
        done = self.run_boids("--diff", one, other)
        self.assertEqual(
            (done.returncode, done.stdout.decode(), done.stderr), (1, reported + "\n", b"")
        )

    def test_a_run_equals_itself_in_both_formats_with_17_digits(self):
        for arithmetic, digits in DIGITS.items():
            self.good(RUN, "-s", "arithmetic=" + arithmetic, "--digits", digits, "-o r.h5 -o r.csv")
            for one in ("r.h5", "r.csv"):
                for other in ("r.h5", "r.csv"):
                    self.equal(one, other, 7)
            self.good(RUN, "-s", "arithmetic=" + arithmetic, "--digits 4 -o short.csv")
            self.assertEqual(self.run_boids("--diff r.h5 short.csv").returncode, 1, arithmetic)

    def test_frames_rounded_to_float32_equal_text_of_all_digits(self):
        self.good(
            RUN, "-s output.precision=float32 --digits 17 -s output.compression=1 -o r.h5 -o r.csv"
        )
        self.equal("r.csv", "r.h5", 7)

    def test_the_first_difference_is_printed_with_all_digits(self):
        self.good(RUN, "-o a.h5")
        self.write("b.h5", self.bytes("a.h5"))
        with self.unproven("b.h5") as file:
            file["particles/predators/velocity/value"][3, 1, 1] = 0.5
            file["particles/boids/position/value"][4, 0, 0] = 7
        with self.h5("a.h5") as file:
            was = file["particles/predators/velocity/value"][3, 1, 1]
            apart = abs(was - 0.5)
        self.assertEqual(self.run_boids("--diff a.h5 b.h5").returncode, 1)
        self.differ(
            "step 3, predator 13: vy is %r in a.h5 and 0.5 in b.h5; they are %.3g apart"
            % (float(was), apart),
            "a.h5",
            "b.h5",
        )
        self.write("a.csv", HEADER + "0,0,3,boid,1,2,3,4\n1,1,3,boid,0.1,2,3,4\n")
        self.write("b.csv", HEADER + "0,0,3,boid,1,2,3,4\n1,1,3,boid,0.10000000000000002,2,9,4\n")
        self.differ(
            "step 1, boid 3: x is 0.1 in a.csv and 0.10000000000000002 in b.csv; they are 1.39e-17 apart",
            "a.csv",
            "b.csv",
        )

    def test_signed_zeros_are_equal_and_so_are_nans(self):
        self.write("a.csv", HEADER + "0,0,3,boid,0,nan,inf,-inf\n")
        self.write("b.csv", HEADER + "0,0,3,boid,-0,-nan,inf,-inf\n")
        self.equal("a.csv", "b.csv", 1)
        self.write("b.csv", HEADER + "0,0,3,boid,0,nan,-inf,-inf\n")
        self.differ("step 0, boid 3: vx is inf in a.csv and -inf in b.csv", "a.csv", "b.csv")
        self.write("b.csv", HEADER + "0,0,3,boid,0,1,inf,-inf\n")
        self.differ("step 0, boid 3: y is nan in a.csv and 1 in b.csv", "a.csv", "b.csv")

    def test_the_order_of_rows_within_a_frame_does_not_matter(self):
        self.good(RUN, "-o a.csv")
        header, *rows = self.read("a.csv").splitlines(keepends=True)
        frames = [rows[i : i + 14] for i in range(0, len(rows), 14)]
        self.write("b.csv", header + "".join("".join(reversed(frame)) for frame in frames))
        self.equal("a.csv", "b.csv", 7)
        self.write("b.csv", header + "".join(rows[:28] + rows[:14]))
        self.refused(
            "b.csv: step 0 comes after step 1; the steps of a trajectory ascend",
            "--diff a.csv b.csv",
        )

    def test_files_that_cannot_be_compared_give_status_2(self):
        self.good(RUN, "-o a.h5 -o a.csv")
        self.good(RUN, "-n 4 -o short.h5")
        self.refused(
            "a.h5 has step 5, but short.h5 has ended after 5 equal frames",
            "--diff a.h5 short.h5",
        )
        self.refused(
            "a.h5 has step 5, but short.h5 has ended after 5 equal frames",
            "--diff short.h5 a.h5",
        )
        self.good(RUN, "-n 0 -o one.h5")
        self.refused(
            "a.h5 has step 1, but one.h5 has ended after 1 equal frame", "--diff one.h5 a.h5"
        )
        self.good(RUN, "--every 2 -o thin.csv")
        self.refused(
            "a.csv has step 1 where thin.csv has step 2; only files with the same frames can be compared",
            "--diff a.csv thin.csv",
        )
        self.good(RUN, "-s flock.count=11 -o few.h5")
        self.refused(
            "step 0 of a.csv has 12 boids and 2 predators, that of few.h5 has 11 and 2; only frames with the same agents can be compared",
            "--diff a.csv few.h5",
        )
        self.write("other.csv", self.read("a.csv").replace(",11,boid,", ",99,boid,"))
        self.refused(
            "step 0 of a.csv and that of other.csv have different ids; only frames with the same agents can be compared",
            "--diff a.csv other.csv",
        )
        self.write("bare.csv", "id,type,x,y,vx,vy\n1,boid,1,2,3,4\n")
        self.refused(
            "bare.csv: there is no column step; a trajectory has step,id,type,x,y,vx,vy",
            "--diff bare.csv a.csv",
        )
        self.write("cut.csv", self.read("a.csv")[:-1])
        self.refused(
            "cut.csv:99: the line does not end, so the file may have been cut short; if it is complete, add a line break",
            "--diff a.csv cut.csv",
        )
        self.write("header.csv", HEADER)
        self.refused("header.csv: contains no frames", "--diff header.csv header.csv")
        for name in ("a.txt", "a.xyz"):
            self.good(RUN, "-o", name)
            self.refused(
                name + ": trajectories are read from HDF5 and CSV only", "--diff", name, "a.csv"
            )
        self.write("junk.h5", "junk")
        self.refused(
            "junk.h5: cannot be opened as HDF5, the only format with the configuration of a run",
            "--diff junk.h5 a.csv",
        )
        self.refused("no.csv: there is no such file", "--diff a.csv no.csv")
        self.refused(". is a folder; a trajectory is a file", "--diff . a.csv")
        self.refused(
            "--diff a.csv needs a second file to compare it with: --diff a.csv OTHER",
            "--diff a.csv",
        )
        self.refused(
            "--diff a.csv needs a second file to compare it with: --diff a.csv OTHER",
            "--diff a.csv -q",
        )

    def test_a_damaged_file_is_an_error_not_a_difference(self):
        self.good(RUN, "-o a.h5")
        self.write("cut.h5", self.bytes("a.h5")[:-2000])
        self.good(RUN, "-o a.csv")
        self.write(
            "bytes.h5", self.bytes("a.h5").replace(struct.pack("<d", 0), struct.pack("<d", 1))
        )
        self.write("cut.csv", self.read("a.csv")[:-9])
        self.write("empty.h5", "")
        for one, other in (
            ("a.h5", "cut.h5"),
            ("cut.h5", "a.h5"),
            ("a.h5", "empty.h5"),
            ("a.h5", "bytes.h5"),
            ("a.csv", "cut.csv"),
        ):
            self.assertEqual(self.run_boids("--diff", one, other).returncode, 2, (one, other))

    def test_a_result_that_cannot_be_printed_is_no_difference(self):
        self.good(RUN, "-o a.h5")
        self.good(RUN, "--seed 2 -o b.h5")
        for words in ("--diff a.h5 a.h5", "--diff a.h5 b.h5", "--verify a.h5"):
            for redirection in (">&-", "> /dev/full"):
                done = subprocess.run(
                    ["sh", "-c", '"$0" "$@" ' + redirection, BOIDS, *words.split()],
                    cwd=self.folder,
                    capture_output=True,
                )
                self.assertEqual(done.returncode, 2, words)
                self.assertIn(b"boids: standard output", done.stderr)


if __name__ == "__main__":
    unittest.main()
