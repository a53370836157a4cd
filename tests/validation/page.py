"""docs/validation.md: what is told about each section, and the rows of its claims."""

import math
import textwrap

INTRODUCTION = """# Validation

Published numbers, exact results and independent programs, compared with measurements of our flocks. `make validate` repeats all of
it and writes this page (seven minutes on one core). A claim that fails stays in its table.

- **Expected** is a published number, an exact one or, if a paper has only a curve, the result of an independent program written
  from the paper. The tolerance is five standard errors of the expected value, or the published one.
- **Measured** has its standard error in parentheses, in units of the last digits: 0.9519(2) is 0.9519 ± 0.0002. It is the larger of
  the batch-means error ([Observables](observables.md)) and the spread over seeds. Bars in the pictures are twice as long.
- **Steps** are those averaged, every tenth of them; earlier steps are discarded as equilibration. Runs start from random positions
  and headings unless the row says otherwise.
- Rows with a dot (•) are tested by `make test`, the others by `make validate`. `tests/validation` has the code of each.

"Order" is the polarization, the length of the mean heading. Lengths are the papers'; those of the presets are 100 times larger.
"""

# {name: (title, text, ((picture, caption), ...))}
SECTIONS = {
    "paper": ("Exact results", """
        Two boids, and a flock in which every boid sees all others, have exact solutions. The expected order of N random headings is
        √(π / 4N).
        """, ()),
    "vicsek": ("Order and noise", """
        Vicsek, Czirók, Ben-Jacob, Cohen and Shochet (1995) [1]: particles that take the mean heading of their neighbours plus noise
        move in one direction if the noise is small. Their figure 2a shows order against noise for 40 to 10,000 particles of one
        density.

        The paper has no table, so the curves are compared with a second program, `tests/validation/vicsek.c`, written from the paper
        alone: angles instead of vectors, another random number generator, another neighbour search. Crosses are its results. Its
        particles move by their old headings, as in the paper; the preset's move by the new ones, as in most programs, which explains
        the first rows. Large flocks that start in disorder have not reached a steady state after 8000 steps in either program (open
        circles); the curves of the largest flocks start in order.
        """, (("vicsek", "order against noise, for five sizes of flock, and where all see all"),)),
    "jump": ("The discontinuous transition", """
        Grégoire and Chaté (2004) [2] add the noise inside the sum. Order is then lost discontinuously, and a flock near the
        transition stays in one state or the other for long times. The Binder cumulant of the order is 2/3 in order and 1/3 in
        disorder (dotted) and falls below 0 only if both states coexist [3]. With angular noise, flocks of this size change
        continuously; larger ones, with sides of hundreds of radii, are discontinuous, too [2, 3], and were not run.

        The table gives the cumulant of three seeds at the noise where a fourth (in the picture) has its minimum. For 512 boids it falls
        to 0, well below 1/3; three seeds do not decide on which side of 0 it is. Near the transition 2048 boids change state only a few
        times in 60,000 steps, so the fraction of time spent in order is left to chance: these runs are too short for the claim.
        """, (("jump", "order and Binder's cumulant through the transition, noise inside the sum for two sizes, and as an angle"),)),
    "ordered": ("The ordered phase", """
        In an ordered flock the order approaches its limit as a power of the size (Mahault, Ginelli and Chaté 2019 [4]), the number of
        boids in a box fluctuates as n^0.8 instead of √n (Toner and Tu 1995 [5], Chaté, Ginelli, Grégoire and Raynaud 2008 [3]), and
        velocity fluctuations are correlated over a length that grows with the flock (starlings: Cavagna et al. 2010 [6]).
        [`boids-analyse`](analysis.md) measures the last two, over 100 and 10 frames per seed. All runs start in order.
        """, (("ordered", "excess order against size, fluctuations of numbers, correlation length against size"),)),
    "couzin": ("Swarm, mill and school", """
        Couzin, Krause, James, Ruxton and Franks (2002) [7] gave fish three zones: repulsion, orientation and attraction. As the zone of
        orientation widens, the group changes from a swarm to a mill (torus) to a parallel school. It has hysteresis: when the zone
        narrows again, the school does not return through the mill. Their model is three-dimensional, ours two-dimensional, with
        uniform noise of the same spread; so the claims are the states and their order, and the numbers are those of an independent
        two-dimensional program.

        The paper does not say whether the directions of the two outer zones are unit vectors before they are added. The preset makes
        them unit vectors; with plain sums (`flock.alignment.normalise` and `flock.cohesion.normalise` "sum") the mill at an
        orientation zone of 2.5 is lost, as the table shows.

        As in the paper, groups that broke up are left out. SPLIT

        In the pictures 100 fish swim, as in the paper, and lengths are in radii of repulsion. In the second picture a
        [schedule](models.md#changes-during-a-run) widens the zone of orientation within one run and narrows it again, 1000 steps per
        width; polarization is of all ten groups, milling of the unbroken ones if there are three or more.
        """, (("couzin", "polarization and milling over the widths of both zones"),
              ("hysteresis", "polarization and milling, the zone of orientation widening and narrowing"))),
    "neighbours": ("Metric or topological neighbours", """
        Ballerini et al. (2008) [8] concluded that a starling interacts with its six or seven nearest neighbours at any distance. Such a
        flock stays in order when it is diluted; a flock with a fixed radius loses it.
        """, ()),
    "programs": ("What each rule is for", """
        Each of five published programs states what its rules do. Here one rule at a time has the factor 0.
        """, ()),
}

REFERENCES = """
## Not measured

Vicsek's exponent of the order near the transition (0.45 at a density of 0.4). The discontinuous transition with angular noise, in
flocks of hundreds of radii. Couzin's diagram in three dimensions. The random numbers by dieharder (`tests/core/test_rng.c` has the
tests that `make test` runs).

## References

1. T. Vicsek, A. Czirók, E. Ben-Jacob, I. Cohen, O. Shochet, Novel type of phase transition in a system of self-driven particles,
   Phys. Rev. Lett. 75, 1226 (1995), figure 2a.
2. G. Grégoire, H. Chaté, Onset of collective and cohesive motion, Phys. Rev. Lett. 92, 025702 (2004).
3. H. Chaté, F. Ginelli, G. Grégoire, F. Raynaud, Collective motion of self-propelled particles interacting without cohesion, Phys.
   Rev. E 77, 046113 (2008).
4. B. Mahault, F. Ginelli, H. Chaté, Quantitative assessment of the Toner and Tu theory of polar flocks, Phys. Rev. Lett. 123, 218001
   (2019).
5. J. Toner, Y. Tu, Long-range order in a two-dimensional dynamical XY model: how birds fly together, Phys. Rev. Lett. 75, 4326
   (1995).
6. A. Cavagna, A. Cimarelli, I. Giardina, G. Parisi, R. Santagati, F. Stefanini, M. Viale, Scale-free correlations in starling flocks,
   Proc. Natl. Acad. Sci. 107, 11865 (2010).
7. I. D. Couzin, J. Krause, R. James, G. D. Ruxton, N. R. Franks, Collective memory and spatial sorting in animal groups, J. Theor.
   Biol. 218, 1 (2002).
8. M. Ballerini et al., Interaction ruling animal collective behavior depends on topological rather than metric distance: evidence
   from a field study, Proc. Natl. Acad. Sci. 105, 1232 (2008).
"""

HEAD = "| | source | run | steps | measured quantity | expected | measured | |\n|---|---|---|---|---|---|---|---|\n"


def told(found, is_exact):
    """A number with its standard error in parentheses: two digits of it where it begins with a 1, else one."""
    if not found.error > 0:
        return "%.*g" % (6 if is_exact else 3, found.value)
    begins_with_1 = ("%e" % found.error)[0] == "1"
    digits = max(0, begins_with_1 - math.floor(math.log10(found.error)))
    return "%.*f(%d)" % (digits, found.value, round(found.error * 10**digits))


def row(claim, found, is_quick):
    verdict = "holds" if claim.holds(found) else "**failed**"
    cells = ("•" if is_quick else "", claim.source, claim.flown, claim.steps, claim.quantity, claim.expected(), told(found, claim.high - claim.low < 1e-3),
             verdict)
    return "| " + " | ".join(cells) + " |\n"


def filled(text):
    """Its paragraphs, on lines of an even length."""
    return "\n\n".join(textwrap.fill(" ".join(paragraph.split()), 128) for paragraph in textwrap.dedent(text).strip().split("\n\n"))


def page(rows, split):
    """The text of the page. rows: {section: [text of a row]}."""
    text = INTRODUCTION
    for name, (title, words, pictures) in SECTIONS.items():
        text += f"\n## {title}\n\n{filled(words.replace('SPLIT', split))}\n"
        text += "".join(f"\n![{shown}](pictures/validation_{picture}.svg)\n" for picture, shown in pictures)
        text += "\n" + HEAD + "".join(rows[name])
    return text + REFERENCES
