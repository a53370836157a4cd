"""docs/validation.md: what is told about each section, and the rows of its claims."""

import math
import textwrap

INTRODUCTION = """# Validation

What the literature, published programs and arithmetic say of these flocks, and what was measured. `make validate` flies all of it
again and writes this page, in some seven minutes of one core. A claim that fails stays in its table.

- **Expected** is a published number, an exact one or, where a paper has a curve and no number, what independent programs measured
  that were written from the paper. A tolerance is five standard errors of what is compared, or the one that is published.
- **Measured** has its standard error in parentheses, in units of the last digits: 0.9519(2) is 0.9519 ± 0.0002. It is by blocks of
  frames ([Observables](observables.md)) or by how the seeds differ, whichever is larger. Bars in the pictures are twice as long.
- **Steps** are those that are averaged, every tenth of them. What lies before is left out, for a flock takes time to forget how it
  began: at random places with random headings, where nothing else is said.
- Rows with a dot (•) are held by every `make test`, the others by `make validate`. `tests/validation` has each as code.

"Order" is the polarization, the length of the mean heading. Lengths are the papers'; those of the presets are a hundred times as
long.
"""

# {name: (title, text, ((picture, what it shows), ...))}
SECTIONS = {
    "paper": ("On paper", """
        What two boids do, and a flock in which all see all, can be worked out exactly. The order of N headings drawn by chance is
        √(π / 4N).
        """, ()),
    "vicsek": ("Order and noise", """
        Vicsek, Czirók, Ben-Jacob, Cohen and Shochet (1995) [1] found that particles which take the mean heading of those within a
        radius, but for a noise, begin to fly one way below a certain noise. Their figure 2a has the order against the noise for 40,
        100, 400, 4000 and 10,000 particles of one density: where there is order, the curves fall onto one another; where it is
        lost, they are the lower the more particles there are.

        The paper has no table, so the curves are held against a second program, `tests/validation/vicsek.c`, which was written from
        the paper alone: angles in place of vectors, another generator of random numbers, another search. The crosses are its
        numbers. Particles move by their old headings there, as in the paper; the preset's move by the new ones, as in most
        programs, and that makes the numbers of the first rows. Large flocks that begin in disorder are not at rest after 8000
        steps: the second program says so, too (open circles). The lines of the largest are of flocks that begin in order.
        """, (("vicsek", "order against noise, for five sizes of flock, and where all see all"),)),
    "jump": ("The jump", """
        Grégoire and Chaté (2004) [2] put the noise inside the sum, as if each neighbour were misheard: order is then lost in a jump,
        and a flock at the jump is for long times in one state or the other. Binder's cumulant of the order tells: it is 2/3 in order
        and 1/3 in disorder (dotted), and falls below 0 on the way only where both states live side by side [3]. With the noise as
        an angle flocks of this size pass smoothly. That larger ones jump, too [2, 3], takes sides of hundreds of radii, which are
        not flown here.

        The table has the cumulant of three seeds at the noise where a fourth, which is in the picture, has it least. That of 512
        comes down to 0, well below 1/3, and three seeds leave open on which side of 0 it is. Near the jump 2048 boids change from
        one state to the other a few times at most in 60,000 steps, so that the share of them that is spent in order is left to
        chance: their flights are too short for the claim.
        """, (("jump", "order and Binder's cumulant through the transition, noise inside the sum for two sizes, and as an angle"),)),
    "ordered": ("In the ordered phase", """
        A flock that flies one way is unlike matter at rest. Its order falls to its limit as a power of its size (Mahault, Ginelli
        and Chaté 2019 [4]). The number of boids in a box varies as n^0.8 instead of √n (foretold by Toner and Tu 1995 [5], found by
        Chaté, Ginelli, Grégoire and Raynaud 2008 [3]). What of their velocities differs from the flock's is correlated over a
        length that grows with the flock (starlings: Cavagna et al. 2010 [6]). The last two are measured by
        [`boids-analyse`](analysis.md), over 100 and 10 frames of each seed. All begin in order.
        """, (("ordered", "excess order against size, fluctuations of numbers, correlation length against size"),)),
    "couzin": ("Swarm, mill and school", """
        Couzin, Krause, James, Ruxton and Franks (2002) [7] gave fish three zones: away from those too near, along with those
        farther, towards those farther still. As the zone of orientation widens, the group goes from a swarm over a mill (their
        torus) to a school (dynamic parallel and, wider still, highly parallel). And it remembers: when the zone narrows again, the
        school does not come back through the mill. Theirs swims in three dimensions, ours in two, with uniform errors of the same
        spread; so what is claimed are the states and their order, and numbers are those of an independent program in two
        dimensions.

        As in the paper, groups that fell apart are left out. SPLIT

        In the pictures 100 fish swim, as in the paper, and lengths are in radii of repulsion. In the second a
        [schedule](models.md#changes-on-the-way) widens the zone of orientation within one run and narrows it again, 1000 steps at
        each width; polarization is of all ten groups, milling of those in one piece, where there are three or more.
        """, (("couzin", "polarization and milling over the widths of both zones"),
              ("hysteresis", "polarization and milling, the zone of orientation widening and narrowing"))),
    "neighbours": ("How many, or how near", """
        Ballerini et al. (2008) [8] concluded from starlings that a bird heeds its six or seven nearest, however far these are. A
        flock that does so stays in order when it is spread out; one that heeds whoever is within a radius loses it.
        """, ()),
    "programs": ("What each rule is for", """
        Each of five published programs says what its rules do. Here one is switched off by its factor.
        """, ()),
}

REFERENCES = """
## Not measured

Vicsek's exponent of the order near the transition (0.45 at a density of 0.4). The jump with the noise as an angle, in flocks of
hundreds of radii. Couzin's diagram in three dimensions. The random numbers by dieharder; `tests/core/test_rng.c` has what every
`make test` holds of them.

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

HEAD = "| | source | flown | steps | measured quantity | expected | measured | |\n|---|---|---|---|---|---|---|---|\n"


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
