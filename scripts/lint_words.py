#!/usr/bin/env python3
"""Part of `make lint`: words and patterns that plain English avoids, in documentation, comments, messages and names.

    scripts/lint_words.py            report what is new; exit status 1 if there is any
    scripts/lint_words.py --accept   write the present number of each file into scripts/lint_words.txt

scripts/lint_words.txt has one line per file that contains such words: how many, and the file. A file may not contain more. These are words
that are right (boids may fly) and texts that are older than this check. Lower a number when you rewrite a file; raise one only if
the word is right.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ALLOWED = "scripts/lint_words.txt"

# What is avoided, and what to write instead.
PATTERNS = {
    r"\b(?:who|whom|whoever|nobody|somebody|everybody|anybody)\b": "only people are 'who': name the boid, thread, rank or option",
    r"\b(?:fly|flies|flew|flown|flights?)\b": "programs 'run' and 'step'; boids may fly",
    r"\b(?:tells?|told|telling|wishes|hears)\b": "programs 'print', 'report' or 'return'",
    r"\b(?:boids?|bytes?|cells?|files?|frames?|lines?|messages?|ns|once|one|pages?|points?|ranks?|rows?|runs?|seconds?|steps?|threads?"
    r"|times?|twice|values?) an? (?:agent|boid|byte|cell|file|frame|key|lane|line|pair|page|point|rank|row|run|second|step|thread)\b": "rates take 'per': one row per frame",
}
CHECKED = (
    "*.md",
    "*.c",
    "*.h",
    "*.S",
    "*.def",
    "*.py",
    "*.sh",
    "*.mjs",
    "*.in",
    "Makefile",
    "*.mk",
    ".ci/run",
    "data/*.json",
)
# These files list past changes, variables of other programs, and the words themselves.
SKIPPED = ("CHANGELOG.md", "docs/comparison.md", "scripts/lint_words.py", "docs/gallery/README.md")


def findings(path):
    """(line, words, advice) of each match in a file."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            for pattern, advice in PATTERNS.items():
                for match in re.finditer(pattern, line, re.IGNORECASE):
                    yield number, match[0], advice


def main():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *CHECKED],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = [
        path
        for path in listed.split("\0")
        if path and path not in SKIPPED and os.path.isfile(os.path.join(ROOT, path))
    ]
    found = {path: list(findings(path)) for path in paths}
    if sys.argv[1:] == ["--accept"]:
        with open(os.path.join(ROOT, ALLOWED), "w", encoding="utf-8") as file:
            file.writelines(f"{len(found[path])} {path}\n" for path in sorted(found) if found[path])
        return 0
    with open(os.path.join(ROOT, ALLOWED), encoding="utf-8") as file:
        allowed = {
            path: int(count)
            for count, path in (line.split(maxsplit=1) for line in file.read().splitlines())
        }
    status = 0
    for path, matches in found.items():
        if len(matches) > allowed.get(path, 0):
            status = 1
            print(
                f"{path} has {len(matches)} of these words, {allowed.get(path, 0)} are allowed ({ALLOWED}):",
                file=sys.stderr,
            )
            for number, words, advice in matches:
                print(f"    {path}:{number}: '{words}': {advice}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
