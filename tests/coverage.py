#!/usr/bin/env python3
"""Print how many lines of src/ and include/ the tests executed, by folder, after `make coverage`.

    tests/coverage.py BUILD

BUILD was compiled by gcc with --coverage. A line that is compiled several times (per number type, per instruction set) counts once,
and as executed if it was in any of them.
"""

import collections
import json
import os
import subprocess
import sys

PIECE = 50  # files per call of gcov


def main():
    build = sys.argv[1]
    notes = [
        os.path.join(folder, name)
        for folder, _, names in os.walk(build)
        for name in names
        if name.endswith(".gcno")
    ]
    lines = collections.defaultdict(dict)
    for first in range(0, len(notes), PIECE):
        reported = subprocess.run(
            ["gcov", "--json-format", "--stdout", *notes[first : first + PIECE]],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for text in reported.splitlines():
            for file in json.loads(text)["files"]:
                for line in file["lines"]:
                    seen = lines[os.path.normpath(file["file"])]
                    seen[line["line_number"]] = (
                        seen.get(line["line_number"], False) or line["count"] > 0
                    )
    table = collections.defaultdict(lambda: [0, 0])
    for path, seen in lines.items():
        if path.startswith(("src/", "include/")):
            for name in (os.path.dirname(path), "total"):
                table[name][0] += sum(seen.values())
                table[name][1] += len(seen)
    print(f"{'folder':<24} {'lines':>7} {'executed':>9}")
    for name in sorted(table, key=lambda name: (name == "total", name)):
        executed, count = table[name]
        print(f"{name:<24} {count:7d} {executed / count:9.1%}")


if __name__ == "__main__":
    main()
