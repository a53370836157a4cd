"""The claims of the literature and of the five programs, measured and compared with the bounds in claims.py."""

import csv
import os
import re
import statistics
import tempfile
import unittest
from unittest import mock

import exact
import runs
import long_claims
from claims import CHATE, KINDS, SECTIONS, claims
from page import merged, page, row, row_text


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

    def test_rows_repeat_every_digit(self):
        """In a new folder and with another instruction set."""
        rows = [claim for claim in claims() if claim.kind == "exact" or claim.source == CHATE]
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.dict(os.environ, {"BOIDS_ISA": "plain"}), \
                mock.patch.object(runs, "folder", lambda: folder):
            again = [claim.measure() for claim in rows]
        self.assertEqual(again, [claim.measure() for claim in rows])

    def test_rows_that_differ_in_one_word_are_merged(self):
        first, second, third = (row(claim, runs.Measured(0.5), True) for claim in claims()[:3])
        self.assertEqual([len(group) for group in merged([first, second, third])], [2, 1])
        self.assertEqual(row_text(merged([first, second])[0]),
                         "• two boids, alignment 0.05, synchronous, sequential | 0–1 | relative velocity, after / before | exact | "
                         "0.9±1e-12, 0.9025±1e-12 | 0.5 **failed**\n")

    def test_the_page_is_what_validate_writes_except_for_measured_numbers(self):
        with open(os.path.join(runs.ROOT, "docs", "validation.md"), encoding="utf-8") as file:
            written = re.sub(r"(?m)^(.* \| )[^|\n]+$", r"\1measured", file.read())

        def rows_of(name):
            parts = (True, SECTIONS[name]), (False, long_claims.SECTIONS.get(name, tuple))
            return [(*row(claim, runs.Measured(0.0), is_quick)[:5], "measured") for is_quick, part in parts for claim in part()]
        self.assertEqual(written.splitlines(), page({name: rows_of(name) for name in SECTIONS}).splitlines())

    def test_the_32_nearest_of_33_are_all_others(self):
        self.assertLess(exact.nearest_of_all().value, 1e-12)


class Errors(unittest.TestCase):
    """The mean of 300 flocks is the truth: shares of runs within one and two printed errors of it. docs/observables.md has the table."""

    FLOCKS = {"vicsek": (("-n", "1000"), ("polarization", "nearest_neighbour_distance", "milling")),
              "noise 3.8": (("-n", "1500", "-s", "flock.noise.eta=3.8"), ("polarization", "nearest_neighbour_distance", "milling")),
              "fish": (("-n", "2500", "-s", "output.observables_every=5"),
                       ("polarization", "nearest_neighbour_distance", "milling", "mean_speed"))}

    def test_errors_cover_the_means_of_flocks(self):
        """At least 0.60 and 0.88, less two standard deviations of a share of 300 runs."""
        for name, (words, quantities) in self.FLOCKS.items():
            with tempfile.TemporaryDirectory() as folder:
                points, table = os.path.join(folder, "points.csv"), os.path.join(folder, "table.csv")
                runs.write_csv(points, [{"seed": seed} for seed in range(1, 301)])
                runs.run([runs.BOIDS, "-c", "fish" if name == "fish" else "vicsek", *words, "-s", "output.mean_from=500", "-q",
                          "--points", points, "--table", table])
                with open(table, encoding="utf-8", newline="") as file:
                    rows = list(csv.DictReader(file))
            for quantity in quantities:
                means, errors = ([float(row[f"{part}_{quantity}"]) for row in rows] for part in ("mean", "error"))
                truth = statistics.fmean(means)
                one, two = (statistics.fmean(abs(mean - truth) < k * error for mean, error in zip(means, errors)) for k in (1, 2))
                with self.subTest(name, quantity=quantity):
                    self.assertGreater(one, 0.60 - 0.057)
                    self.assertGreater(two, 0.88 - 0.038)


def test_of(claim):
    def test(self):
        found = claim.measure()
        self.assertTrue(claim.holds(found), f"{claim.source}: {claim.setup}: {claim.quantity} is {found.value:.4g}, "
                                            f"{claim.expected()} is claimed")
    return test


for number, each in enumerate(claims(), 1):
    setattr(Literature, f"test_{number:02}_{''.join(c if c.isalnum() else '_' for c in each.setup)}", test_of(each))


if __name__ == "__main__":
    unittest.main()
