"""What a step of one flock on many ranks should cost, from a formula; the table of docs/performance.md.

    python3 bench/ranks_model.py                                         # the table
    python3 bench/ranks_model.py --latency 30 --bandwidth 0.12           # on gigabit Ethernet
    python3 bench/ranks_model.py --write docs/performance.md             # into the page, between its two marks

It computes and measures nothing: what it is given is measured elsewhere (docs/performance.md says where).
"""

import argparse
import math

BEGIN, END = "<!-- table: bench/ranks_model.py -->", "<!-- end of that table -->"
RANKS = (4, 16, 64, 256, 1024)
FLOCKS = (10**6, 10**7, 10**8, 10**9)
SHARES = (10**5, 10**6, 10**7)
LEAST_ROWS = 2

NETWORKS = (("as above", None, None), ("25 Gbit/s Ethernet", 10, 2.5), ("10 Gbit/s Ethernet", 20, 1.1),
            ("1 Gbit/s Ethernet", 40, 0.11))


class Model:
    def __init__(self, given):
        self.__dict__.update(vars(given))

    def row(self, boids):
        """Boids in a row of cells: a square world with as many in each cell, of the side of the widest radius."""
        return math.sqrt(boids * self.neighbours / math.pi)

    def rows(self, boids):
        return boids / self.row(boids)

    def flies(self, boids, ranks):
        return self.rows(boids) >= LEAST_ROWS * ranks

    def seconds(self, boids, ranks):
        """A step, and the whole of what it costs a rank."""
        if ranks == 1:
            return 1e-9 * boids * self.fly
        row = self.row(boids)
        neighbours = min(2, ranks - 1)
        work = 1e-9 * (boids / ranks * (self.fly + self.tell) + 2 * row * self.halo)
        message = 1e-6 * self.latency + row * self.bytes / (1e9 * self.bandwidth)
        agreement = 1e-6 * self.latency * math.ceil(math.log2(ranks))
        return work + neighbours * message + 2 * agreement

    def strong(self, boids, ranks):
        """The share of the speed of that many processes that have nothing to do with each other."""
        return self.seconds(boids, 1) / ranks / self.seconds(boids, ranks)

    def weak(self, share, ranks):
        return self.seconds(share, 1) / self.seconds(share * ranks, ranks)


def number(value):
    """Three digits, without a power of ten."""
    return "%.*f" % (max(0, 2 - math.floor(math.log10(value))), value)


def power(value):
    return "10<sup>%d</sup>" % round(math.log10(value))


def lines_of(names, rows):
    return ["| " + " | ".join(names) + " |", "|--:" * len(names) + "|"] + ["| " + " | ".join(row) + " |" for row in rows]


def strong_cell(model, boids, ranks):
    if not model.flies(boids, ranks):
        return "refused"
    return "%s ms, %.0f %%" % (number(1e3 * model.seconds(boids, ranks)), 100 * model.strong(boids, ranks))


def strong_table(model):
    rows = [[power(boids), number(1e3 * model.seconds(boids, 1)) + " ms"] + [strong_cell(model, boids, ranks) for ranks in RANKS]
            for boids in FLOCKS]
    return lines_of(["boids", "one process"] + ["%d ranks" % ranks for ranks in RANKS], rows)


def weak_table(model):
    rows = []
    for share in SHARES:
        size = model.row(share * RANKS[-1]) * model.bytes
        rows.append([power(share)] + ["%.0f %%" % (100 * model.weak(share, ranks)) for ranks in RANKS] +
                    ["%s kB" % number(size / 1e3) if size < 1e6 else "%s MB" % number(size / 1e6)])
    return lines_of(["boids per rank"] + ["%d ranks" % ranks for ranks in RANKS] + ["a message, %d ranks" % RANKS[-1]], rows)


def network_table(given):
    rows = []
    for name, latency, bandwidth in NETWORKS:
        network = argparse.Namespace(**dict(vars(given), latency=latency or given.latency, bandwidth=bandwidth or given.bandwidth))
        model = Model(network)
        rows.append(["%s: %g µs, %g GB/s" % (name, network.latency, network.bandwidth)] +
                    ["%.0f %%" % (100 * model.weak(10**6, ranks)) for ranks in RANKS])
    return lines_of(["10<sup>6</sup> boids per rank"] + ["%d ranks" % ranks for ranks in RANKS], rows)


def table(given):
    model = Model(given)
    told = ("With f = %(fly)g ns, d = %(tell)g ns, h = %(halo)g ns, b = %(bytes)g bytes, k = %(neighbours)g neighbours, "
            "L = %(latency)g µs, W = %(bandwidth)g GB/s; time for a step, and the share of the speed of P processes that have "
            "nothing to do with each other:" % vars(given))
    return "\n".join([told, "", *strong_table(model), "", "As many boids for each rank, however many ranks:", "",
                      *weak_table(model), "", "The same with other networks:", "", *network_table(given)])


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fly", type=float, default=26, help="ns per boid-step of one process, f")
    parser.add_argument("--tell", type=float, default=1.2, help="ns per boid-step to find out whom to tell, d")
    parser.add_argument("--halo", type=float, default=12, help="ns for each boid of a halo: received and sorted, h")
    parser.add_argument("--bytes", type=float, default=24, help="of a boid in a message, b: 24 in float32, 40 in float64")
    parser.add_argument("--neighbours", type=float, default=16, help="that a boid has in the mean, k")
    parser.add_argument("--latency", type=float, default=2, help="µs for a message, L")
    parser.add_argument("--bandwidth", type=float, default=10, help="GB/s that a rank gets, W")
    parser.add_argument("--write", metavar="PAGE", help="put the table between the marks of this page")
    return parser.parse_args()


def write(page, text):
    with open(page, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    after = rest.split(END)[1]
    with open(page, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n\n" + text + "\n\n" + END + after)


def main():
    given = read_arguments()
    if given.write:
        write(given.write, table(given))
    else:
        print(table(given))


if __name__ == "__main__":
    main()
