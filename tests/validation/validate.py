"""Measure every claim, those that take minutes too, and write what came out: docs/validation.md and the picture beside it.

    validate.py DOCS

A claim that fails stays in the table as failed, and the status is 1.
"""

import math
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from claims import all_see_all, claims, inside, long_claims, vicsek  # noqa: E402

INTRODUCTION = """# Validation

What the literature, the five programs and arithmetic say of these flocks, and what was measured. `make validate` writes this page; a
claim that fails stays in it. `tests/validation/claims.py` has each row as code, and those above the line are held by `make test`.
"Order" is the polarization, the length of the mean heading, averaged over the later steps. Expected values are published ones or,
where a paper has a curve and no number, measured with independent programs that were written from the paper; tolerances are
five standard errors.

![order against noise](pictures/validation.svg)

| source | flown | measured quantity | expected | measured | |
|---|---|---|---|---|---|
"""

MISSING = """
Not measured yet: number fluctuations (`boids-analyse` has them), Binder's cumulant at the jump, Couzin's diagram over both radii with
its hysteresis, Vicsek's curves for 40, 400 and 4000 particles.
"""


def row_of(claim):
    value = claim.measure()
    verdict = "holds" if claim.holds(value) else "**failed**"
    print(f"{claim.source}: {claim.flown}: {value:.4g}, {claim.expected()}: {verdict}", flush=True)
    return f"| {claim.source} | {claim.flown} | {claim.quantity} | {claim.expected()} | {value:.4g} | {verdict} |", claim.holds(value)


def draw(path):
    """Vicsek's curve beside the one that is known exactly, and the jump."""
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "boids", "font.size": 9})
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
    etas = (1, 2, 3, 4, 5)
    left.plot(etas, [vicsek(eta) for eta in etas], "o-", color="#0072b2", label="vicsek, 100 boids")
    left.plot(etas, [all_see_all(eta) for eta in etas], "s", color="#d55e00", label="all see all, 1000 boids")
    curve = [0.05 * k for k in range(1, 126)]
    left.plot(curve, [math.sin(eta / 2) / (eta / 2) for eta in curve], color="#999999", linewidth=1, label="sin(η/2) / (η/2)")
    left.set(xlabel="noise η (radians)", ylabel="order", ylim=(0, 1), xlim=(0, 6.3))
    left.legend(frameon=False, fontsize=8)
    etas = (0.4, 0.5, 0.55, 0.6, 0.65, 0.7)
    right.plot(etas, [inside(eta) for eta in etas], "o-", color="#0072b2", label="chate, 512 boids, begun in order")
    right.set(xlabel="noise inside the sum, η")
    right.legend(frameon=False, fontsize=8)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


def main(docs):
    rows, held = zip(*map(row_of, claims()))
    more, held_too = zip(*map(row_of, long_claims()))
    draw(os.path.join(docs, "pictures", "validation.svg"))
    line = "| | at length, by `make validate` alone | | | | |"
    with open(os.path.join(docs, "validation.md"), "w", encoding="utf-8") as page:
        page.write(INTRODUCTION + "\n".join([*rows, line, *more]) + "\n" + MISSING)
    return 0 if all(held + held_too) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
