"""Claims about refused configurations: each entry of refusals.txt gets its sentence from a file, and nothing is written."""

import sys
import unittest

sys.path[0] += "/.."
from support import Folder, read_refusals


class Refusals(Folder):
    def test_each_configuration_is_refused_with_its_sentence(self):
        for options, text, sentence in read_refusals():
            with self.subTest(sentence):
                self.write("a.json", text)
                done = self.run_boids("-c", "a.json", *options, "--check")
                self.assertEqual(
                    (done.returncode, done.stdout, done.stderr),
                    (2, b"", b"boids: " + sentence + b"\n"),
                )
                self.holds("a.json")


if __name__ == "__main__":
    unittest.main()
