"""Measure all claims, including those that take minutes, and write docs/validation.md and its pictures.

    validate.py DOCS

A claim that fails stays in the table as failed, and the status is 1. VALIDATION names a folder that keeps the tables of runs, so that
an interrupted validation continues.
"""

import os
import sys

import claims
import long_claims
import pictures
from page import page, row


def measure(claim, is_quick):
    """(the cells of its row, whether it holds)."""
    found = claim.measure()
    print(
        f"{claim.source}: {claim.kind}: {claim.setup}: {claim.quantity}: {found.value:.4g} ({found.error:.2g}), {claim.expected()}: "
        f"{'holds' if claim.holds(found) else 'FAILED'}",
        flush=True,
    )
    return row(claim, found, is_quick), claim.holds(found)


def section(name):
    """(its rows, whether all of its claims hold)."""
    rows = [measure(claim, True) for claim in claims.SECTIONS[name]()]
    rows += [measure(claim, False) for claim in long_claims.SECTIONS.get(name, tuple)()]
    cells, held = zip(*rows)
    return cells, all(held)


def main(docs):
    rows, held = {}, True
    for name in claims.SECTIONS:
        rows[name], good = section(name)
        held = held and good
    pictures.draw_all(os.path.join(docs, "pictures"))
    with open(os.path.join(docs, "validation.md"), "w", encoding="utf-8") as file:
        file.write(page(rows))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
