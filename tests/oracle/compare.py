"""Compare the program with the reference: same configuration, same start state, frame by frame.

    python3 tests/oracle/compare.py [--boids ./boids] [-v] [--only WORD] [--keep FOLDER]

For every case in cases.py the program reads the start state from CSV, runs in float64 and writes CSV with
17 digits, and reference.py computes the same steps. A line per case shows the largest absolute
difference between the two over all frames; above TOLERANCE the case fails, and so does the command. At the quick
BOIDS_TEST_LEVEL, it is a third of the small cases; at the full one, half of these and a quarter of the others, which the commit
chooses; with --only, all that have the word.
"""

import argparse
import csv
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
import zlib

sys.path.append(sys.path[0] + "/..")

from cases import LITERATURE_NAMES, PRESET_NAMES, all_cases
from reference import load, step
from support import IS_EXHAUSTIVE, IS_QUICK

# Twenty steps amplify rounding (1e-13 in a position of some hundreds) by less than a thousand in these
# flocks, while taking one comparison the other way moves a boid by far more than this.
TOLERANCE = 1e-9

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.relpath(os.path.dirname(os.path.dirname(HERE)))
HEADER = "step time id type x y vx vy".split()
TIME_LIMIT = (
    60  # seconds for one case; a program that hangs fails its case and not the whole command
)


class Mismatch(Exception):
    """The output of the program cannot be compared, for a reason of one sentence."""


def main():
    """Compare all cases; the exit status is the verdict."""
    options = parse_arguments()
    if not os.access(options.boids, os.X_OK) or os.path.isdir(options.boids):
        sys.exit(
            "compare.py: no executable %s; run make first, or name one with --boids" % options.boids
        )
    cases = select(all_cases(load_presets(options.configs)), options)
    if not cases:
        sys.exit("compare.py: no case has %r in its name" % options.only)
    results = []
    with tempfile.TemporaryDirectory(prefix="boids-oracle-") as temporary:
        folder = options.keep or temporary
        os.makedirs(folder, exist_ok=True)
        for case in cases:
            results.append(compare(case, folder, options))
    return conclude(results)


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--boids",
        default=os.environ.get("BOIDS", os.path.join(ROOT, "boids")),
        help="the executable ($BOIDS, or ./boids)",
    )
    parser.add_argument(
        "--configs", default=os.path.join(ROOT, "configs"), help="the folder of the presets"
    )
    parser.add_argument(
        "--only", default="", metavar="WORD", help="only cases with this in their name"
    )
    parser.add_argument(
        "--keep", metavar="FOLDER", help="leave the states and trajectories in this folder"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show commands and the worst places"
    )
    options = parser.parse_args()
    # A bare name would be searched for along PATH, and another program called boids could answer.
    options.boids = os.path.join(
        os.path.dirname(options.boids) or ".", os.path.basename(options.boids)
    )
    return options


def load_presets(folder):
    """The presets as their files have them."""
    presets = {}
    for name in PRESET_NAMES + LITERATURE_NAMES:
        path = os.path.join(folder, name + ".json")
        try:
            presets[name] = load(path)
        except OSError as error:
            sys.exit("compare.py: cannot read %s: %s" % (os.path.relpath(path), error.strerror))
    return presets


def select(cases, options):
    """The selected cases."""
    if options.only or IS_EXHAUSTIVE:
        return [case for case in cases if options.only in case.name]
    small = [case for case in cases if case.quick]
    if IS_QUICK:
        print("other cases ... skipped 'level: full'")
        return [case for case in small if part_of(case, 3) == 0]
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    first = int(commit.stdout.strip() or "0", 16) % 4
    print("other cases than those of quarter %d ... skipped 'level: exhaustive'" % first)
    parts = {True: 2, False: 4}
    return [case for case in cases if part_of(case, parts[case.quick]) == first % parts[case.quick]]


def part_of(case, parts):
    """The number of the part to which a case belongs, whatever cases are beside it."""
    return zlib.crc32(case.name.encode()) % parts


def conclude(results):
    """Print the last two lines; 0 if everything agreed, else 1."""
    failed = results.count(None) + sum(
        1 for worst in results if worst is not None and not worst <= TOLERANCE
    )
    agreed = [worst for worst in results if worst is not None]
    print("largest difference %s" % (show(largest(agreed)) if agreed else "unknown"))
    print("%d passed, %d failed" % (len(results) - failed, failed))
    return 1 if failed else 0


# One case -------------------------------------------------------------------------------------------------


def compare(case, folder, options):
    """Run one case with both and print its line. Returns the largest difference, None if the program failed."""
    stem = os.path.join(folder, case.name.replace("/", "_"))
    command = command_line(case, stem, options)
    try:
        write_state(case, stem + ".init.csv")
        run(command)
        frames = read_frames(case, stem + ".csv")
        worst, place = worst_difference(case, frames)
    except Mismatch as problem:
        print("FAIL  %-8s  %s: %s" % ("", case.name, problem))
        print_command(command)
        return None
    is_good = worst <= TOLERANCE
    print("%s  %-8s  %s" % ("ok  " if is_good else "FAIL", show(worst), case.name))
    if options.verbose or not is_good:
        if place:
            print("      " + place)
        print_command(command)
    return worst


def command_line(case, stem, options):
    """The program's arguments for this case."""
    config = os.path.relpath(os.path.join(options.configs, case.preset + ".json"))
    command = [
        options.boids,
        "-c",
        config,
        "--init",
        stem + ".init.csv",
        "--set",
        "arithmetic=float64",
    ]
    for key, value in case.sets.items():
        command += ["--set", "%s=%s" % (key, json.dumps(value))]
    return command + ["--digits", "17", "--steps", str(case.steps), "-q", "-o", stem + ".csv"]


def print_command(command):
    """Print a command as in a shell; with --keep, its files are kept."""
    print("      " + " ".join(shlex.quote(word) for word in command))


def write_state(case, path):
    """Write the start state in the format of --init."""
    boids, predators = case.state
    rows = [(i, "boid") + tuple(agent) for i, agent in zip(case.boid_ids, boids)]
    rows += [(i, "predator") + tuple(agent) for i, agent in zip(case.predator_ids, predators)]
    with open(path, "w", newline="") as file:
        file.write("id,type,x,y,vx,vy\n")
        for index in case.row_order:
            file.write("%d,%s,%.17g,%.17g,%.17g,%.17g\n" % rows[index])


def run(command):
    """Run the program; its error message becomes the reason of the failure."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        raise Mismatch("still running after %d s" % TIME_LIMIT)
    if done.returncode != 0:
        words = done.stderr.strip().split("\n")[-1]
        raise Mismatch("exit status %d%s" % (done.returncode, words and ": " + words))


# The program's output -----------------------------------------------------------------------------------


def read_frames(case, path):
    """Read the trajectory and check its shape. Returns a list of frames, each a list of [x, y, vx, vy]."""
    try:
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
    except OSError as error:
        raise Mismatch("no trajectory was written (%s)" % error.strerror)
    if not rows or rows[0] != HEADER:
        raise Mismatch("the header is %s" % ",".join(rows[0] if rows else []))
    labels = [(i, "boid") for i in case.boid_ids] + [(i, "predator") for i in case.predator_ids]
    expected = (case.steps + 1) * len(labels)
    if len(rows) - 1 != expected:
        raise Mismatch("%d rows; %d were expected" % (len(rows) - 1, expected))
    frames = []
    for number, row in enumerate(rows[1:]):
        frame, place = divmod(number, len(labels))
        check_labels(row, frame, labels[place], number + 2)
        if place == 0:
            frames.append([])
        frames[-1].append(numbers(row[4:], number + 2))
    return frames


def numbers(cells, line):
    """The numbers of a row; what is not a number is the program's fault and not ours."""
    try:
        return [float(cell) for cell in cells]
    except ValueError:
        raise Mismatch("line %d has %s where numbers were expected" % (line, ",".join(cells)))


def check_labels(row, frame, label, line):
    """Check step, time, kind and id of a row: boids by id, then predators by id."""
    try:
        # A step is one time unit, so the time is the number of the frame.
        found = (int(row[0]), float(row[1]), int(row[2]), row[3])
        is_right = len(row) == len(HEADER) and found == (frame, frame) + label
    except (ValueError, IndexError):
        is_right = False
    if not is_right:
        wanted = "step %d of %s %d" % (frame, label[1], label[0])
        raise Mismatch("line %d is %s; %s was expected" % (line, ",".join(row), wanted))


# The comparison -------------------------------------------------------------------------------------------


def worst_difference(case, frames):
    """Compare the frames with the reference. Returns the largest difference and a sentence with its place.

    If the case fails, the sentence is about the first number that differs by more than the tolerance: the cause
    is there, and larger differences follow from it.
    """
    ids = case.boid_ids + case.predator_ids
    state = case.state
    worst, place = 0.0, ""
    for t, frame in enumerate(frames):
        if t > 0:
            state = step(state, case.config, t - 1)
        for i, wanted, found in zip(ids, state[0] + state[1], frame):
            for name, expected, got in zip(HEADER[4:], wanted, found):
                difference = abs(expected - got)
                if is_worse(difference, worst):
                    if worst <= TOLERANCE:
                        place = describe(t, i, name, got, expected)
                    worst = difference
    return worst, place


def describe(t, i, name, got, expected):
    """Where two numbers differ, in words."""
    return "step %d, id %d: %s is %.17g; it must be %.17g" % (t, i, name, got, expected)


def is_worse(difference, worst):
    """True if a difference exceeds the worst so far. NaN is worse than any number."""
    return difference > worst or (math.isnan(difference) and not math.isnan(worst))


def largest(differences):
    """The worst of several differences."""
    worst = 0.0
    for difference in differences:
        if is_worse(difference, worst):
            worst = difference
    return worst


def show(difference):
    """A difference in few characters."""
    return "0" if difference == 0 else "%.1e" % difference


if __name__ == "__main__":
    sys.exit(main())
