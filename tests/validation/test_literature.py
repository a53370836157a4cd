"""What the literature and the five programs say, measured and held against the bounds in claims.py."""

import unittest

from claims import claims


class Literature(unittest.TestCase):
    """One test per claim, made below."""


def test_of(claim):
    def test(self):
        found = claim.measure()
        self.assertTrue(claim.holds(found), f"{claim.source}: {claim.flown}: {claim.quantity} is {found.value:.4g}, "
                                            f"{claim.expected()} is claimed")
    return test


for number, each in enumerate(claims(), 1):
    setattr(Literature, f"test_{number:02}_{''.join(c if c.isalnum() else '_' for c in each.flown)}", test_of(each))


if __name__ == "__main__":
    unittest.main()
