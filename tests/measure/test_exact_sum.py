"""Exact sums, compared with math.fsum, or with fractions if that overflows. CC compiles them."""

import ctypes
import fractions
import math
import os
import random
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from support import ROOT, Folder


def expected(values):
    try:
        return math.fsum(values)
    except OverflowError:  # on the way, perhaps
        total = sum(map(fractions.Fraction, values))
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


class Exact(Folder):
    def load(self, level):
        path = os.path.join(self.folder, "exact_sum%s.so" % level)
        subprocess.run([os.environ.get("CC", "gcc"), "-std=gnu11", level, "-ffp-contract=off", "-shared", "-fPIC", "-I",
                        os.path.join(ROOT, "src"), "-o", path, os.path.join(ROOT, "src", "measure", "exact_sum.c"), "-lm"],
                       check=True)
        exact = ctypes.CDLL(path)
        exact.exact_sum_add.argtypes = [ctypes.c_void_p, ctypes.c_double]
        exact.exact_sum_add_all.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        exact.exact_sum_round.restype = ctypes.c_double
        return exact

    def sums(self, exact, values):
        one_by_one, together = ((ctypes.c_int64 * 80)() for _ in range(2))
        for value in values:
            exact.exact_sum_add(one_by_one, value)
        exact.exact_sum_add_all(together, (ctypes.c_double * len(values))(*values), len(values))
        return exact.exact_sum_round(one_by_one), exact.exact_sum_round(together)

    def nasty(self, draw):
        """Numbers of one size or of all sizes, some of them repeated with the other sign."""
        low = draw.choice([-1080, -1074, -1030, -810, -60, -5, 0, 900, 985, 1000])
        high = min(1023, low + draw.choice([0, 1, 10, 50, 60, 200, 2000]))
        values = [draw.choice([-1, 1]) * math.ldexp(draw.random(), draw.randint(low, high))
                  for _ in range(draw.choice([1, 2, 3, 4, 7, 20, 511, 512, 513, 1300]))]
        if draw.random() < 0.5:
            values += [-value for value in values[:draw.randrange(len(values))]]
        draw.shuffle(values)
        return values

    def tie(self, draw):
        """A number and half of its last bit, and mostly a much smaller number that decides the rounding."""
        exponent = draw.randint(-900, 1000)
        last = math.ldexp(draw.choice([-1, 1]), exponent - 52)
        values = [math.ldexp(draw.randint(2**52, 2**53 - 1), exponent - 52), last / 2]
        if draw.random() < 0.8:
            values.append(math.ldexp(draw.choice([-1, 1]), draw.randint(-1074, exponent - 60)))
        return values

    def test_sums_are_those_of_fsum(self):
        for level in ("-O0", "-O3"):
            exact, draw = self.load(level), random.Random(1)
            for i in range(3000):
                values = self.nasty(draw) if i % 2 else self.tie(draw)
                self.assertEqual(self.sums(exact, values), 2 * (expected(values),), (level, values))


if __name__ == "__main__":
    unittest.main()
