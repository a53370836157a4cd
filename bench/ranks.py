"""What two ranks gain, beside two threads, and beside two flocks of half the size that know nothing of each other.

    make bench-mpi                                  # about two minutes; the machine should have nothing else to do
    python3 bench/ranks.py --boids 100000 --steps 300 --rounds 9

BOIDS is the plain program (./boids), BOIDS_MPI the one for ranks (./boids-mpi). All ways are flown by turns, so that what else
goes on concerns all alike; each time is the medians of all rounds, and shares are medians of the rounds' shares.
"""

import argparse
import json
import math
import os
import statistics
import subprocess

NEIGHBOURS, RADIUS = 16, 40
BOIDS = os.environ.get("BOIDS", "./boids")
TOGETHER = os.environ.get("BOIDS_MPI", "./boids-mpi")
LAUNCHER = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2"]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def flight(program, boids, threads, steps, share=1):
    """A square world for all, of which a share has its share of the rows."""
    side = math.sqrt(boids * math.pi * RADIUS * RADIUS / NEIGHBOURS)
    settings = {"update": "synchronous", "arithmetic": "float32", "predators.count": 0, "flock.count": round(boids * share),
                "world.width": side, "world.height": side * share, "flock.alignment.radius": RADIUS,
                "flock.cohesion.radius": RADIUS, "output.every": steps}
    words = [word for key, value in settings.items() for word in ("--set", "%s=%s" % (key, value))]
    return [*program, "-c", "adams", *words, "--steps", str(steps), "-t", str(threads), "-o", "none", "-q", "--summary"]


def fly(*commands):
    """At the same time; nanoseconds per boid-step of each flock, in the mean over them."""
    processes = [subprocess.Popen(words, stdout=subprocess.PIPE, env=ENVIRONMENT) for words in commands]
    summaries = [json.loads(process.communicate()[0]) for process in processes]
    return statistics.mean(1e9 / summary["boid_steps_per_second"] for summary in summaries)


def take_round(boids, steps):
    half = flight([BOIDS], boids, 1, steps, share=0.5)
    return {"one": fly(flight([BOIDS], boids, 1, steps)),
            "threads": fly(flight([BOIDS], boids, 2, steps)),
            "ranks": fly(flight([*LAUNCHER, TOGETHER], boids, 1, steps)),
            "half": fly(half),
            "halves": fly(half, half)}


def spread(values):
    values = sorted(values)
    return "%.3g (%.3g to %.3g)" % (statistics.median(values), values[0], values[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boids", type=int, default=1000000)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    rounds = [take_round(given.boids, given.steps) for _ in range(given.rounds)]
    print("%d boids, float32, %d neighbours, %d steps, medians of %d rounds by turns; load average %.1f\n"
          % (given.boids, NEIGHBOURS, given.steps, given.rounds, os.getloadavg()[0]))
    print("| | ns per boid-step |\n|---|--:|")
    for name, what in (("one", "one process, one thread"), ("threads", "one process, two threads"),
                       ("ranks", "two ranks of one thread"), ("half", "half of the flock, one process"),
                       ("halves", "two halves at the same time, each")):
        print("| %s | %s |" % (what, spread(each[name] for each in rounds)))
    print("\n| | |\n|---|--:|")
    for what, share in (("strong: one process / 2 x two ranks", lambda each: each["one"] / 2 / each["ranks"]),
                        ("likewise, two threads", lambda each: each["one"] / 2 / each["threads"]),
                        ("weak: half of the flock alone / two ranks", lambda each: each["half"] / 2 / each["ranks"]),
                        ("two halves at the same time / two ranks", lambda each: each["halves"] / 2 / each["ranks"])):
        print("| %s | %s %% |" % (what, spread(100 * share(each) for each in rounds)))
    print("| ns per boid-step spent on being two | %s |"
          % spread(2 * each["ranks"] - each["halves"] for each in rounds))


if __name__ == "__main__":
    main()
