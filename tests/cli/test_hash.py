"""--hash K: the hash of a state, recomputed here from the numbers that the run writes.

BOIDS is the program, default ./boids.
"""

import struct
import sys
import unittest

sys.path[0] += "/.."

from support import Folder, csv_rows

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
WORDS = {
    "float32": lambda a: struct.unpack("<I", struct.pack("<f", a))[0],
    "float64": lambda a: struct.unpack("<Q", struct.pack("<d", a))[0],
    "fixed": lambda a: round(a * 65536) & 0xFFFFFFFF,
}


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def state_hash(agents, arithmetic):
    total = 0
    for index, agent in enumerate(agents):
        z = mix((index + GOLDEN) & MASK)
        for number in agent:
            z = mix(((z ^ WORDS[arithmetic](number)) + GOLDEN) & MASK)
        total += z
    return total & MASK


class Hash(Folder):
    def test_hashes_are_those_of_the_frames(self):
        for arithmetic in WORDS:
            words = (
                "-c adams -n 25 --hash 10 --every 10 --digits 17 -s",
                f"arithmetic={arithmetic}",
            )
            _, out, said = self.ended(words, "-o -")
            frames = {}
            for row in csv_rows(out):
                agent = [float(row[k]) for k in ("x", "y", "vx", "vy")]
                frames.setdefault(int(row["step"]), []).append(agent)
            expected = [
                f"{step} {state_hash(frames[step], arithmetic):016x}" for step in (0, 10, 20)
            ]
            self.assertEqual(said.splitlines(), expected, arithmetic)

    def test_the_order_in_memory_changes_no_hash(self):
        words = "-c murmuration -n 20 --hash 10 -o none -s flock.count=5000 -t"
        hashes = {
            self.ended(words, threads, env={"BOIDS_ISA": isa})
            for isa, threads in (("scalar", "1"), ("", "1"), ("", "3"))
        }
        self.assertEqual(len(hashes), 1)

    def test_the_steps_may_have_an_exponent(self):
        words = "-c adams --steps 2e1 -o none --hash"
        hashes = {self.ended(words, word)[2] for word in ("10", "1e1", "1.0e1")}
        self.assertEqual([said.count("\n") for said in hashes], [3])

    def test_a_number_of_steps_is_wanted(self):
        for word in ("0", "-1", "x", "0x10", "1.5", "", "99999999999999999999"):
            self.refused(
                f"--hash is {word}; it must be a whole number of steps above 0",
                "-c adams -o none --hash",
                word,
            )


if __name__ == "__main__":
    unittest.main()
