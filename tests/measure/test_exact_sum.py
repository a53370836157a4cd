"""Exact sums, compared with math.fsum, or with fractions if that overflows. CC compiles them. Exact sums depend neither on the order
nor on the division of their terms."""

import ctypes
import fractions
import math
import os
import random
import subprocess
import sys
import unittest

sys.path[0] += "/.."

from support import Folder, by_level, in_root


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
        subprocess.run(
            [
                os.environ.get("CC", "gcc"),
                "-std=gnu11",
                level,
                "-ffp-contract=off",
                "-shared",
                "-fPIC",
                "-I",
                in_root("src"),
                "-o",
                path,
                in_root("src", "measure", "exact_sum.c"),
                "-lm",
            ],
            check=True,
        )
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
        values = [
            draw.choice([-1, 1]) * math.ldexp(draw.random(), draw.randint(low, high))
            for _ in range(draw.choice([1, 2, 3, 4, 7, 20, 511, 512, 513, 1300]))
        ]
        if draw.random() < 0.5:
            values += [-value for value in values[: draw.randrange(len(values))]]
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
        for level in ("-O3", "-O0")[: by_level(1, 2)]:
            exact, draw = self.load(level), random.Random(1)
            for i in range(3000):
                values = self.nasty(draw) if i % 2 else self.tie(draw)
                self.assertEqual(self.sums(exact, values), 2 * (expected(values),), (level, values))

    def test_infinities_nans_and_zeros(self):
        exact, most = self.load("-O3"), sys.float_info.max
        cases = [
            ([], 0.0),
            ([-0.0, -0.0], 0.0),
            ([1, -1], 0.0),
            ([0.0] * 1024, 0.0),
            ([1, math.inf, -most], math.inf),
            ([1, -math.inf, most, most], -math.inf),
            ([math.inf, 2, -math.inf], math.nan),
            ([math.nan, math.inf], math.nan),
        ]
        cases += [
            ([math.nan if i == at else i % 5 for i in range(600)], math.nan)
            for at in range(0, 600, 7)
        ]
        for values, wanted in cases:
            self.assertEqual([*map(repr, self.sums(exact, values))], 2 * [repr(wanted)], values)

    def test_no_limb_overflows_over_two_thousand_million_addends(self):
        """A sum is doubled 31 times."""
        exact = self.load("-O3")
        for digits in (
            2 - 2**-52,
            2**32 * (2**-52 - 2),
            math.ldexp(2 - 2**-52, -1000),
            -0.1,
            math.ldexp(2**-52 - 2, 992),
            5e-324,
        ):
            for shift in range(-32, 0):
                total, number = (ctypes.c_int64 * 80)(), math.ldexp(digits, shift)
                exact.exact_sum_add(total, number)
                for _ in range(31):
                    total[:67] = [2 * limb for limb in total[:67]]
                self.assertEqual(exact.exact_sum_round(total), math.ldexp(number, 31))
                exact.exact_sum_add(total, -math.ldexp(number, 31))
                self.assertEqual(exact.exact_sum_round(total), 0)


if __name__ == "__main__":
    unittest.main()
