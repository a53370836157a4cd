"""Turn what `bench --json` printed into the table and the picture of docs/performance.md.

    make bench BENCH='--json --most 10000000' > bench.json
    python3 bench/report.py bench.json docs/performance.md docs/pictures/performance.svg

The table replaces the text between the two marks in the page.
"""

import json
import sys

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "boids"
from matplotlib import pyplot  # noqa: E402

BEGIN, END = "<!-- table: bench/report.py -->", "<!-- end of table -->"
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


def cell(rows, what, threads):
    for row in rows:
        if (row["program"], row["threads"]) == (what, threads):
            return "%.0f" % row["ns_per_boid_step"] if row["ns_per_boid_step"] >= 100 else "%.1f" % row["ns_per_boid_step"]
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
    columns = [("plain grid", 1), ("float32", 1), ("float32 v3", 1), ("float64", 1), ("float32", most), ("sequential", 1),
               ("passes", 1)]
    names = ["boids"] + [what if threads == 1 else "%s, %d threads" % (what, threads) for what, threads in columns]
    rows = [[format(boids, ",")] + [cell(rows, *column) for column in columns]
            for (boids, density), rows in groups(report) if density == USUAL]
    return "\n".join(["| " + " | ".join(names) + " |", "|--:" * len(names) + "|"] +
                     ["| " + " | ".join(row) + " |" for row in rows])


def draw(report, path):
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for (what, threads), (label, colour, marker) in LINES.items():
        rows = [row for row in report["rows"]
                if (row["program"], row["threads"], row["density"]) == (what, threads, USUAL)]
        if rows:
            axes.plot([row["boids"] for row in rows], [row["ns_per_boid_step"] for row in rows], marker=marker,
                      color=colour, label=label)
    axes.set(xscale="log", yscale="log", xlabel="boids", ylabel="ns per boid-step")
    axes.grid(True, which="major", color="#dddddd")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


def main(argv):
    if len(argv) != 4:
        sys.exit(__doc__.strip())
    with open(argv[1], encoding="utf-8") as file:
        report = json.load(file)
    with open(argv[2], encoding="utf-8") as file:
        page = file.read()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    with open(argv[2], "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n\n" + table(report) + "\n\n" + END + after)
    draw(report, argv[3])


if __name__ == "__main__":
    main(sys.argv)
