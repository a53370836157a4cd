"""Which presets have become slower: the CPU time of each preset, number type and instruction set, against an earlier revision.

    make bench-presets                                   # against where the branch left origin/main; five minutes
    python3 bench/presets.py 1a2b3c4 --presets topological,hunt

The earlier revision is built in build/base. Its runs and those of BOIDS (./boids) alternate. A preset is slower if both the
fastest run and the median of the ratios take more than LIMIT times as long, also when it is measured a second time.
"""

import argparse
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOIDS = os.environ.get("BOIDS", "./boids")
FOLDER = os.path.join(ROOT, "build", "base")
TYPES = ("float64", "float32", "fixed")
LIMIT, RUNS, SECONDS = 1.05, 7, 0.05
REFUSED = 2


def run(words, **options):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def build(revision):
    """The program of a revision, in a checkout of its own."""
    if not os.path.exists(FOLDER):
        run(["git", "-C", ROOT, "worktree", "add", "-q", "--detach", FOLDER])
    run(["git", "-C", FOLDER, "checkout", "-q", "--detach", revision])
    run(["make", "-C", FOLDER, "boids"])
    return os.path.join(FOLDER, "boids")


def cpu_seconds(words, isa):
    """The CPU time of a run, with real-time priority if this is allowed; None if the program refuses it."""
    pid = os.posix_spawnp(words[0], words, dict(os.environ, BOIDS_ISA=isa))
    _, status, usage = os.wait4(pid, 0)
    status = os.waitstatus_to_exitcode(status)
    if status not in (0, REFUSED):
        raise SystemExit("%s ended with status %d" % (" ".join(words), status))
    return None if status else usage.ru_utime + usage.ru_stime


def compare(programs, model, isa, runs):
    """Fastest run and median of the ratios, of the second program to the first; None if a program refuses the model."""
    prefix = ["chrt", "-f", "10"] if os.geteuid() == 0 else []
    words = [*model, "-o", "none", "-q", "-t", "1", "-n"]
    times = [[], []]
    starts = [cpu_seconds([*prefix, program, *words, "0"], isa) for program in programs]
    trial = cpu_seconds([*prefix, programs[1], *words, "100"], isa)
    if trial is None or None in starts:
        return None
    steps = str(int(min(20000, max(20, 100 * SECONDS / max(trial - starts[1], 1e-4)))))
    for turn in range(runs):
        for k in (0, 1) if turn % 2 else (1, 0):
            times[k].append(cpu_seconds([*prefix, programs[k], *words, steps], isa) - starts[k])
    ratios = [new / old for old, new in zip(*times)]
    return min(times[1]) / min(times[0]), statistics.median(ratios)


def main():
    files = sorted(os.listdir(os.path.join(ROOT, "configs")))
    presets = [file[:-5] for file in files if file.endswith(".json")]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("revision", nargs="?", help="default: where the branch left origin/main")
    parser.add_argument(
        "--presets", default=",".join(presets), help="names with commas between them"
    )
    parser.add_argument("--types", default=",".join(TYPES), help="number types")
    parser.add_argument(
        "--isas", default="v3,v4", help="instruction sets; those that are missing are left out"
    )
    options = parser.parse_args()
    revision = (
        options.revision or run(["git", "-C", ROOT, "merge-base", "origin/main", "HEAD"]).strip()
    )
    programs = [build(revision), BOIDS]
    slower = count = 0
    for preset in options.presets.split(","):
        for kind in options.types.split(","):
            model = [
                "-c",
                os.path.join(ROOT, "configs", preset + ".json"),
                "-s",
                "arithmetic=" + kind,
            ]
            # The instruction set does not matter in fixed point.
            for isa in options.isas.split(",") if kind != "fixed" else [""]:
                found = compare(programs, model, isa, RUNS)
                if found and min(found) > LIMIT:
                    found = compare(programs, model, isa, 3 * RUNS)
                if not found:
                    print("%-14s %-8s %-3s refused" % (preset, kind, isa), flush=True)
                    continue
                count += 1
                is_slower = min(found) > LIMIT
                slower += is_slower
                mark = "  slower" if is_slower else ""
                print("%-14s %-8s %-3s %.3f %.3f%s" % (preset, kind, isa, *found, mark), flush=True)
    print("%d of %d slower than %s by more than %.2f" % (slower, count, revision, LIMIT))
    sys.exit(slower > 0 or count == 0)


if __name__ == "__main__":
    main()
