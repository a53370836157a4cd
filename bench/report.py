"""Turn what `bench --json` printed into the first table and the picture of docs/performance.md or, with --rules, into its table of
rules.

    make bench BENCH='--json --most 10000000' > bench.json
    python3 bench/report.py bench.json docs/performance.md docs/pictures/performance.svg
    python3 bench/report.py --rules bench.json docs/performance.md

A table replaces the text between the two marks in the page.
"""

import json
import sys

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "boids"
from matplotlib import pyplot  # noqa: E402

MARKS = "<!-- table: bench/report.py -->", "<!-- end of table -->"
RULE_MARKS = "<!-- rules: bench/report.py -->", "<!-- end of rules -->"
USUAL = 16
# The palette of Okabe and Ito, which colour-blind people can distinguish.
LINES = {
    ("all pairs", 1): ("all pairs, plain C", "#999999", "x"),
    ("plain grid", 1): ("cell grid, plain C", "#000000", "s"),
    ("sequential", 1): ("boids, sequential", "#CC79A7", "v"),
    ("float64", 1): ("boids, float64", "#E69F00", "^"),
    ("float32", 1): ("boids, float32", "#0072B2", "o"),
    ("float32 v3", 1): ("boids, float32, AVX2", "#56B4E9", "P"),
    ("float32", 2): ("boids, float32, 2 threads", "#009E73", "D"),
}


RULES = {
    "float32": "V. Hunter Adams' rules",
    "goals": "8 goals",
    "obstacles": "8 obstacles",
    "noise": "noise in the angle",
    "hunters": "4 hunters; boids flee straight away",
    "view": "views of 270 degrees in alignment and cohesion",
    "quartic": "separation by offsets over d⁴ + 1",
    "nearest": "the 7 nearest in alignment and cohesion",
    "sequential": "boids updated one by one",
    "sequential view": "the same with views",
    "shuffled": "boids updated in random order",
}


def cell(rows, what, threads):
    for row in rows:
        if (row["program"], row["threads"]) == (what, threads):
            return (
                "%.0f" % row["ns_per_boid_step"]
                if row["ns_per_boid_step"] >= 100
                else "%.1f" % row["ns_per_boid_step"]
            )
    return ""


def groups(report):
    """Rows by (boids, density)."""
    found = {}
    for row in report["rows"]:
        found.setdefault((row["boids"], row["density"]), []).append(row)
    return sorted(found.items())


def table(report):
    """The usual density alone; `bench --json` has the others."""
    most = max(row["threads"] for row in report["rows"])
    columns = [
        ("plain grid", 1),
        ("float32", 1),
        ("float32 v3", 1),
        ("float64", 1),
        ("float32", most),
        ("sequential", 1),
        ("passes", 1),
    ]
    names = ["boids"] + [
        what if threads == 1 else "%s, %d threads" % (what, threads) for what, threads in columns
    ]
    rows = [
        [format(boids, ",")] + [cell(rows, *column) for column in columns]
        for (boids, density), rows in groups(report)
        if density == USUAL
    ]
    return "\n".join(
        ["| " + " | ".join(names) + " |", "|--:" * len(names) + "|"]
        + ["| " + " | ".join(row) + " |" for row in rows]
    )


def rule_table(report):
    """The programs of RULES at the usual density, from 1,000 boids on."""
    sizes = [
        (boids, rows)
        for (boids, density), rows in groups(report)
        if density == USUAL and boids >= 1000
    ]
    heads = ["ns per boid-step with"] + [format(boids, ",") + " boids" for boids, _ in sizes]
    lines = [[name] + [cell(rows, what, 1) for _, rows in sizes] for what, name in RULES.items()]
    return "\n".join(
        ["| " + " | ".join(heads) + " |", "|---" + "|--:" * len(sizes) + "|"]
        + ["| " + " | ".join(line) + " |" for line in lines]
    )


def replace(page, marks, text):
    before, rest = page.split(marks[0])
    return before + marks[0] + "\n\n" + text + "\n\n" + marks[1] + rest.split(marks[1])[1]


def draw(report, path):
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for (what, threads), (label, colour, marker) in LINES.items():
        rows = [
            row
            for row in report["rows"]
            if (row["program"], row["threads"], row["density"]) == (what, threads, USUAL)
        ]
        if rows:
            axes.plot(
                [row["boids"] for row in rows],
                [row["ns_per_boid_step"] for row in rows],
                marker=marker,
                color=colour,
                label=label,
            )
    axes.set(xscale="log", yscale="log", xlabel="boids", ylabel="ns per boid-step")
    axes.grid(True, which="major", color="#dddddd")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


def main(argv):
    has_rules = "--rules" in argv
    words = [word for word in argv[1:] if word != "--rules"]
    if len(words) != (2 if has_rules else 3):
        sys.exit(__doc__.strip())
    with open(words[0], encoding="utf-8") as file:
        report = json.load(file)
    with open(words[1], encoding="utf-8") as file:
        page = file.read()
    page = (
        replace(page, RULE_MARKS, rule_table(report))
        if has_rules
        else replace(page, MARKS, table(report))
    )
    with open(words[1], "w", encoding="utf-8") as file:
        file.write(page)
    if not has_rules:
        draw(report, words[2])


if __name__ == "__main__":
    main(sys.argv)
