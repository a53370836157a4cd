"""The seven nearest neighbours of each of N points on a torus, by scipy's cKDTree: nanoseconds per point, to compare with the row
`topological` of `make bench`, which is a whole step. Medians of five samples, on one thread."""

import statistics
import time

import numpy
from scipy.spatial import cKDTree

NEAREST = 7


def seconds(work):
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main():
    chance = numpy.random.default_rng(1)
    print("\n%10s %20s %20s" % ("points", "cKDTree, build, ns", "7 nearest, ns"))
    for count in (1000, 10000, 100000):
        points = chance.random((count, 2))
        tree = cKDTree(points, boxsize=1)
        samples = [
            (
                seconds(lambda: cKDTree(points, boxsize=1)),
                seconds(lambda: tree.query(points, NEAREST + 1)),
            )
            for _ in range(5)
        ]
        print(
            "%10d" % count,
            *("%20.0f" % (statistics.median(each) / count * 1e9) for each in zip(*samples)),
        )


if __name__ == "__main__":
    main()
