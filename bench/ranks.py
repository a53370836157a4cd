"""Speed-up by two ranks, compared with two threads and with two independent flocks of half the size.

    make bench-mpi                                  # about two minutes; the machine should have nothing else to do
    python3 bench/ranks.py --boids 100000 --steps 300 --rounds 9

BOIDS is the plain program (./boids), BOIDS_MPI the one for ranks (./boids-mpi). Each round runs all variants, so that other load
on the machine affects all alike. Times are medians over the rounds, and ratios are medians of the ratios of each round.
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


def command_for(program, boids, threads, steps, share=1):
    """The command for a flock in a square world; with share=0.5, for half of its boids in half of its rows."""
    side = math.sqrt(boids * math.pi * RADIUS * RADIUS / NEIGHBOURS)
    settings = {
        "update": "synchronous",
        "arithmetic": "float32",
        "predators.count": 0,
        "flock.count": round(boids * share),
        "world.width": side,
        "world.height": side * share,
        "flock.alignment.radius": RADIUS,
        "flock.cohesion.radius": RADIUS,
        "output.every": steps,
    }
    words = [word for key, value in settings.items() for word in ("--set", "%s=%s" % (key, value))]
    return [
        *program,
        "-c",
        "adams",
        *words,
        "--steps",
        str(steps),
        "-t",
        str(threads),
        "-o",
        "none",
        "-q",
        "--summary",
    ]


def run_together(*commands):
    """Run commands at the same time; return the mean of their nanoseconds per boid-step."""
    processes = [
        subprocess.Popen(words, stdout=subprocess.PIPE, env=ENVIRONMENT) for words in commands
    ]
    summaries = [json.loads(process.communicate()[0]) for process in processes]
    return statistics.mean(1e9 / summary["boid_steps_per_second"] for summary in summaries)


def take_round(boids, steps):
    half = command_for([BOIDS], boids, 1, steps, share=0.5)
    return {
        "one": run_together(command_for([BOIDS], boids, 1, steps)),
        "threads": run_together(command_for([BOIDS], boids, 2, steps)),
        "ranks": run_together(command_for([*LAUNCHER, TOGETHER], boids, 1, steps)),
        "half": run_together(half),
        "halves": run_together(half, half),
    }


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
    print(
        "%d boids, float32, %d neighbours, %d steps, medians of %d rounds by turns; load average %.1f\n"
        % (given.boids, NEIGHBOURS, given.steps, given.rounds, os.getloadavg()[0])
    )
    print("| | ns per boid-step |\n|---|--:|")
    for name, what in (
        ("one", "one process, one thread"),
        ("threads", "one process, two threads"),
        ("ranks", "two ranks of one thread"),
        ("half", "half of the flock, one process"),
        ("halves", "two halves at the same time, each"),
    ):
        print("| %s | %s |" % (what, spread(each[name] for each in rounds)))
    print("\n| | |\n|---|--:|")
    for what, share in (
        ("strong: one process / 2 x two ranks", lambda each: each["one"] / 2 / each["ranks"]),
        ("likewise, two threads", lambda each: each["one"] / 2 / each["threads"]),
        (
            "weak: half of the flock alone / two ranks",
            lambda each: each["half"] / 2 / each["ranks"],
        ),
        (
            "two halves at the same time / two ranks",
            lambda each: each["halves"] / 2 / each["ranks"],
        ),
    ):
        print("| %s | %s %% |" % (what, spread(100 * share(each) for each in rounds)))
    print(
        "| ns per boid-step spent on being two | %s |"
        % spread(2 * each["ranks"] - each["halves"] for each in rounds)
    )


if __name__ == "__main__":
    main()
