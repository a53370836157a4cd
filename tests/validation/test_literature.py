"""The claims of the literature and of the five programs; at the exhaustive level, they are measured and compared with the bounds in
claims.py."""

import os
import re
import sys
import unittest

sys.path.append(sys.path[0] + "/..")

import exact
import runs
import long_claims
from claims import KINDS, SECTIONS, claims
from page import merged, page, row, row_text
from support import exhaustive_only


def every_claim():
    return [*claims(), *(claim for section in long_claims.SECTIONS.values() for claim in section())]


class Literature(unittest.TestCase):
    """One test per claim, made below."""

    def test_each_row_declares_the_kind_of_its_bound(self):
        for claim in every_claim():
            with self.subTest(claim.setup):
                self.assertIn(claim.kind, KINDS)

    def test_a_row_of_the_kind_sign_is_bounded_by_zero(self):
        for claim in every_claim():
            if claim.kind == "sign":
                self.assertIn(0, (claim.low, claim.high), claim.setup)

    def test_rows_that_differ_in_one_word_are_merged(self):
        first, second, third = (row(claim, runs.Measured(0.5), True) for claim in claims()[:3])
        self.assertEqual([len(group) for group in merged([first, second, third])], [2, 1])
        self.assertEqual(
            row_text(merged([first, second])[0]),
            "• two boids, alignment 0.05, synchronous, sequential | 0–1 | relative velocity, after / before | exact: "
            "0.9±1e-12, 0.9025±1e-12 | 0.5 **failed**\n",
        )

    def test_the_page_is_what_validate_writes_except_for_measured_numbers(self):
        with open(os.path.join(runs.ROOT, "docs", "validation.md"), encoding="utf-8") as file:
            written = re.sub(r"(?m)^(.* \| )[^|\n]+$", r"\1measured", file.read())

        def rows_of(name):
            parts = (True, SECTIONS[name]), (False, long_claims.SECTIONS.get(name, tuple))
            return [
                (*row(claim, runs.Measured(0.0), is_quick)[:5], "measured")
                for is_quick, part in parts
                for claim in part()
            ]

        self.assertEqual(
            written.splitlines(), page({name: rows_of(name) for name in SECTIONS}).splitlines()
        )

    def test_the_32_nearest_of_33_are_all_others(self):
        self.assertLess(exact.nearest_of_all().value, 1e-12)


def test_of(claim):
    def test(self):
        found = claim.measure()
        self.assertTrue(
            claim.holds(found),
            f"{claim.source}: {claim.setup}: {claim.quantity} is {found.value:.4g}, "
            f"{claim.expected()} is claimed",
        )

    return test


for number, each in enumerate(claims(), 1):
    setattr(
        Literature,
        f"test_{number:02}_{''.join(c if c.isalnum() else '_' for c in each.setup)}",
        exhaustive_only(test_of(each)),
    )


if __name__ == "__main__":
    unittest.main()
