"""docs/validation.md: the text of each section, and the rows of its claims."""

import math
import textwrap

from claims import KINDS

INTRODUCTION = """# Validation

This page compares our flocks with published numbers, exact results and independent programs. `make validate` writes it again, with
the same digits (25 minutes on one core). `make check-all` tests the rows with a dot (•).

Each expected number is preceded by its origin, which also gives the bound:

KINDS

0.9519(2) is 0.9519 ± 0.0002. The error is the larger of the standard error within a run ([Observables](observables.md)) and
that from the spread over seeds. Bars in pictures show two standard errors. **steps** says over which steps a quantity is averaged.
Runs start in disorder unless the row says otherwise. "Order" is the polarization. Lengths are in the units of the papers.
"""

# {name: (title, text, ((picture, caption), ...))}
SECTIONS = {
    "paper": (
        "Exact results",
        """
        Two boids, and flocks in which every boid sees all others, have exact solutions.
        """,
        (),
    ),
    "falloff": (
        "Weights that fall off with the distance",
        """
        If the weight of a neighbour is 1 / (1 + (d/s)²)^b with b up to 1/2, the velocities of a flock become equal from every start [12,
        13]. With b = 1 the start decides: two boids that separate on a line flock if their relative speed is below 2 c s (π/2 −
        atan(x/s)), where c is the factor and x their first distance. Otherwise, the excess of the relative speed over this bound remains
        [13]. The length of a step changes the bound by up to 0.003.
        """,
        (),
    ),
    "vicsek": (
        "Order and noise",
        """
        Each particle takes the mean heading of its neighbours plus noise [1]. The paper has no table, so we compare the curves with an
        independent program, `tests/validation/vicsek.c` (crosses). Its particles move along their old headings, as in the paper
        (`explicit`). The first row of the table uses their new ones. Large flocks that start in disorder (open circles) are not steady
        after 8000 steps, so the largest flocks start in order. The critical noise grows with the density, according to [14] about as its
        square root.
        """,
        (("vicsek", "order against noise, for five flock sizes, and if all boids see all"),),
    ),
    "jump": (
        "The discontinuous transition",
        """
        If the noise is inside the sum, order is lost discontinuously [2]. The Binder cumulant U4 is 2/3 in order and 1/3 in disorder
        (dotted). It is below 0 only if both states coexist [3]. With angular noise, the transition of flocks of this size is continuous.

        For 512 particles, U4 of our program and of `vicsek.c` has its minimum at the noise 0.619. The minimum is 0 within the errors;
        another program found −0.11(4) at 0.62. With 800 particles, the minimum is negative. Just below the
        transition, a large flock forms dense ordered bands, which travel through a disordered gas [2, 3].
        """,
        (
            (
                "jump",
                "order and Binder cumulant against noise, inside the sum for two sizes, and as an angle",
            ),
        ),
    ),
    "ordered": (
        "The ordered phase",
        """
        The order approaches its limit as a power 2χ of the size: χ is −0.31(2) for noise vectors [4] and −0.32 for angles, with the
        limit 0.8685 [11]. The number of boids in a box fluctuates as n^0.8 instead of √n [5, 3].
        """,
        (("ordered", "excess order against size, number fluctuations"),),
    ),
    "couzin": (
        "Swarm, mill and school",
        """
        Fish have zones of repulsion, orientation and attraction [7]. As the zone of orientation widens, the group changes from a swarm to
        a mill (torus) and then to a parallel school. When it narrows again, the group stays a school. The paper's model is
        three-dimensional; our model and the program with which we compare it are two-dimensional, with uniform noise of the same spread.

        `couzin_unit` [scales two sums to length 1](comparison.md#from-the-literature-to-our-keys); its mills are narrower and form at an
        orientation radius of 2.5 instead of 5 to 7. As in the paper, groups that broke up are left out, except in the last row. In the
        pictures (100 fish), lengths are in radii of repulsion.
        """,
        (
            ("couzin", "polarization and milling over the widths of both zones"),
            (
                "hysteresis",
                "polarization and milling, the zone of orientation widening and narrowing",
            ),
        ),
    ),
    "informed": (
        "Informed individuals",
        """
        A share of the fish prefers a direction (`goals.share`, `goals.direction`). The accuracy is the mean cosine between this direction
        and the motion of the group. It rises with the share, and larger groups reach the same accuracy with smaller shares [9]. All
        values are those of the paper (weight 0.5, `goals.form: "balanced"`), but the noise is uniform, with the same spread.
        """,
        (),
    ),
    "neighbours": (
        "Metric or topological neighbours",
        """
        Starlings interact with their six or seven nearest neighbours at any distance [8]. Such a flock stays in order when it is diluted;
        a flock with a fixed radius does not.
        """,
        (),
    ),
    "recovery": (
        "Fits of flocks whose parameters are known",
        """
        [`boids-fit`](animals.md) reads files of flocks of 40 boids as if they were animals. Their parameters are drawn from the prior, so
        correct 90 % intervals for 20 files contain 15 or more of the true values with a probability of 0.99. A width of 0.9 means that a
        file has no information about a parameter.

        In 315 more fits of two parameters (40 flocks each of `vicsek` and `adams`, 120 of `topological` and 115 of `couzin`; 16 to 30
        boids, as tracks of 150 or 200 frames; 60 samples, at most 1,500 flocks), the mean rank of the true value is 0.46 to 0.56 (0.5
        is exact; the standard error is 0.03 to 0.05), and 0.89 to 0.97 of the 90 % intervals contain it. The whole number
        `nearest` of `topological` is in 0.95 of its intervals (72 of 76 fits, made again after quantiles of whole numbers had changed).
        """,
        (),
    ),
    "programs": (
        "What each rule is for",
        """
        Each run sets the factor of one rule to 0. Numbers are divided by those of the complete program (three seeds).
        """,
        (),
    ),
    "turtles": (
        "The time to one flock",
        """
        The other program is `tests/oracle/netlogo.py`, with 20 other seeds. The turtles are one flock if vision connects all of them. The
        flock splits again and again.
        """,
        (),
    ),
    "errors": (
        "Errors of means",
        """
        Each row has the share of runs whose mean is within one or two [errors](observables.md#means-spread-and-errors) of the truth,
        which is the mean over all seeds. The bounds are 0.60 and 0.88, minus two standard errors of a share. Rows of `forces` are those of
        cells of force maps.

        Runs of 501 steps are short. If the spread of the means over the seeds is above half of the standard deviation in a run (`sd`), the
        run is shorter than ten true autocorrelation times. It has not seen the distribution of the observable, so nothing is claimed of its
        error ("> 0"). Nothing is claimed either of three cases below this limit: the neighbour distance of `castor`, where some runs
        arrive in the common state after step 500; that of `couzin`, where a few groups settle in other states; and the speed of `fish`, whose
        errors are too large.
        """,
        (),
    ),
}

REFERENCES = """
## Not measured

- Vicsek's exponent of the order, 0.45(7): fits for 1000 particles give 0.76 to 0.98; 10,000 are not steady after 30,000 steps.
- The exponent of the distribution of cluster sizes.

## References

1. Vicsek et al., Phys. Rev. Lett. 75, 1226 (1995).
2. Grégoire and Chaté, Phys. Rev. Lett. 92, 025702 (2004).
3. Chaté et al., Phys. Rev. E 77, 046113 (2008).
4. Mahault et al., Phys. Rev. Lett. 123, 218001 (2019).
5. Toner and Tu, Phys. Rev. Lett. 75, 4326 (1995).
6. Cavagna et al., Proc. Natl. Acad. Sci. 107, 11865 (2010).
7. Couzin et al., J. Theor. Biol. 218, 1 (2002).
8. Ballerini et al., Proc. Natl. Acad. Sci. 105, 1232 (2008).
9. Couzin et al., Nature 433, 513 (2005).
10. Barberis, arXiv:1709.01499 (2017).
11. Chaté and Mahault, arXiv:1906.05542 (2019).
12. Cucker and Smale, IEEE Trans. Automatic Control 52, 852 (2007).
13. Ha and Liu, Commun. Math. Sci. 7, 297 (2009).
14. Czirók, Stanley and Vicsek, J. Phys. A 30, 1375 (1997).
"""

# Numbers of the references, for the sections that have several.
NUMBERS = {
    "Czirók et al. 1997": " [14]",
    "Barberis 2017": " [10]",
    "Chaté et al. 2008": " [3]",
    "Mahault et al. 2019": " [4,11]",
    "Toner and Tu 1995; Chaté et al. 2008": " [5,3]",
}
# Sections whose quick claims are the first long ones, with fewer seeds.
REPEATED = ("couzin", "neighbours")
# Rows have no outer bars.
HEAD = "run | steps | quantity | expected | measured\n---|---|---|---|---\n"


def number_text(found, is_exact):
    """A number with its standard error in parentheses: two digits of it if it begins with a 1, else one."""
    if not found.error > 0:
        return "%.*g" % (6 if is_exact else 3, found.value)
    begins_with_1 = ("%e" % found.error)[0] == "1"
    digits = max(0, begins_with_1 - math.floor(math.log10(found.error)))
    return "%.*f(%d)" % (digits, found.value, round(found.error * 10**digits))


def row(claim, found, is_quick):
    """The cells of a claim's row."""
    value = number_text(found, claim.high - claim.low < 1e-3) + (
        "" if claim.holds(found) else " **failed**"
    )
    return (
        "• " * is_quick + claim.setup,
        claim.steps,
        claim.quantity,
        claim.kind,
        claim.expected() + NUMBERS.get(claim.source, ""),
        value,
    )


def shown(name, rows):
    """The rows of a section that the page has: without the quick ones, if the long ones repeat them."""
    return [cells for cells in rows if name not in REPEATED or not cells[0].startswith("• ")]


def merged(rows):
    """[(label, expected and measured numbers)]: labels that differ only in one word are one row, with all of these words."""
    groups = []
    for cells in rows:
        words = " | ".join(cells[:4]).split()
        for group in groups:
            if position(group, words) is not None:
                group.append((words, cells[4:]))
                break
        else:
            groups.append([(words, cells[4:])])
    return groups


def position(group, words):
    """The index of the only word by which all rows of a group and a further one differ, or None."""
    all_words = [row for row, _ in group] + [words]
    if len({len(row) for row in all_words}) > 1:
        return None
    differing = [i for i, column in enumerate(zip(*all_words)) if len(set(column)) > 1]
    return differing[0] if len(differing) == 1 else None


def row_text(group):
    """A line of the table."""
    words = list(group[0][0])
    if len(group) > 1:
        i = position(group[:-1], group[-1][0])
        commas = words[i].endswith(",")
        words[i] = ", ".join(row[i].rstrip(",") for row, _ in group) + "," * commas
    columns = [list(column) for column in zip(*(numbers for _, numbers in group))]
    columns = [column[:1] if len(set(column)) == 1 else column for column in columns]
    expected, measured = (", ".join(column) for column in columns)
    return f"{' '.join(words)}: {expected} | {measured}\n"  # the last word is the kind


def filled(text):
    """Its paragraphs, on lines of an even length."""
    return "\n\n".join(
        textwrap.fill(" ".join(paragraph.split()), 128, break_on_hyphens=False)
        for paragraph in textwrap.dedent(text).strip().split("\n\n")
    )


def page(rows):
    """The text of the page. rows: {section: [cells of a row]}."""
    text = INTRODUCTION.replace(
        "KINDS",
        "\n".join(
            textwrap.fill(f"- {kind}: {meaning}", 128, subsequent_indent="  ")
            for kind, meaning in KINDS.items()
        ),
    )
    for name, (title, words, pictures) in SECTIONS.items():
        text += f"\n## {title}\n\n{filled(words)}\n"
        text += "".join(
            f"\n![{caption}](pictures/validation_{picture}.svg)\n" for picture, caption in pictures
        )
        text += "\n" + HEAD + "".join(map(row_text, merged(shown(name, rows[name]))))
    return text + REFERENCES
