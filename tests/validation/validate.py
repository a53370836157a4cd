"""Measure every claim, those that take minutes too, and write what came out: docs/validation.md and its pictures.

    validate.py DOCS

A claim that fails stays in the table as failed, and the status is 1. VALIDATION names a folder that keeps what was flown: an
interrupted run goes on where it was.
"""

import os
import sys

import claims
import long_claims
import pictures
from at_length import schools
from page import page, row

SPLIT = "Here {lost} of {flown} schools lost a fish, within the first 150 steps."


def measure(claim, is_quick):
    """(its row, whether it holds)."""
    found = claim.measure()
    print(f"{claim.source}: {claim.flown}: {claim.quantity}: {found.value:.4g} ({found.error:.2g}), {claim.expected()}: "
          f"{'holds' if claim.holds(found) else 'FAILED'}", flush=True)
    return row(claim, found, is_quick), claim.holds(found)


def section(name):
    """(its rows, whether all of its claims hold)."""
    rows = [measure(claim, True) for claim in claims.SECTIONS[name]()]
    rows += [measure(claim, False) for claim in long_claims.SECTIONS.get(name, tuple)()]
    texts, held = zip(*rows)
    return texts, all(held)


def main(docs):
    rows, held = {}, True
    for name in claims.SECTIONS:
        rows[name], good = section(name)
        held = held and good
    pictures.draw_all(os.path.join(docs, "pictures"))
    whole, flown = schools(2000, 20)
    split = SPLIT.format(flown=flown, lost=flown - len(whole))
    with open(os.path.join(docs, "validation.md"), "w", encoding="utf-8") as file:
        file.write(page(rows, split))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
