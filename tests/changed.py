#!/usr/bin/env python3
"""What CI runs only if a change can alter its result (CHOICES), found with git.

    changed.py              a line for each of them: its name, and yes or no
    changed.py NAME         exit status 0 if it has to run, 10 if not
    changed.py sources < F  those of the sources of a list that changed or include, in some way, a header that did

A change is what differs from BOIDS_CI_BASE (a commit), by default from where the branch left origin/main. Without git, a base or
a difference, and at the exhaustive level, all has to run.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What it depends on, as beginnings of paths, besides what all depends on.
ALL = (
    "Makefile",
    ".ci/",
    "scripts/setup.sh",
    "tests/changed.py",
    "tests/checks.mk",
    "tests/support.py",
)
CODE = ("src/base/", "src/config/", "src/core/", "src/engine/", "include/", "configs/")
CHOICES = {
    "firmware": (
        *CODE,
        "src/tools/",
        "firmware/",
        "examples/pico-sdk/",
        "docs/firmware.md",
        "tests/firmware/",
    ),
    "page": (
        *CODE,
        "src/library/",
        "src/measure/",
        "web/",
        "data/",
        "python/boids/drawing/",
        "tests/page/",
    ),
    "ranks": ("src/engine/", "src/cli/run/", "src/cli/output/", "include/flock/", "tests/mpi/"),
    "docs/running.md": ("docs/running.md", "src/cli/", "python/", "scripts/", "tests/docs/"),
    "docs/tutorial.md": ("docs/tutorial.md", "src/cli/", "python/", "scripts/", "tests/docs/"),
    "docs/analysis.md": ("docs/analysis.md", "python/", "scripts/", "tests/docs/"),
    "clang-tidy on all sources": (".clang-tidy", "scripts/lint.sh"),
}


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


def changed_files():
    """The files of the change; None if all has to run."""
    if os.environ.get("BOIDS_TEST_LEVEL") == "exhaustive":
        return None
    base = git("merge-base", "HEAD", os.environ.get("BOIDS_CI_BASE") or "origin/main")
    files = git("diff", "--name-only", *base) + git("ls-files", "--others", "--exclude-standard")
    return files if base and files else None


def has_to_run(name, files):
    return files is None or any(file.startswith(ALL + CHOICES[name]) for file in files)


def included(source, headers, seen):
    """Return whether a source is one of the headers or includes one of them."""
    if os.path.basename(source) in headers:
        return True
    seen.add(source)
    try:
        with open(os.path.join(ROOT, source), encoding="utf-8") as file:
            names = re.findall(r'^\s*#\s*include\s+["<]([^">]+)', file.read(), re.MULTILINE)
    except OSError:
        return False
    places = [
        os.path.join(folder, name)
        for name in names
        for folder in (os.path.dirname(source), "src", "include", "src/core")
    ]
    return any(
        place not in seen and (os.path.basename(place) in headers or included(place, headers, seen))
        for place in places
    )


def main(words):
    files = changed_files()
    if words == ["sources"]:
        sources = [os.path.relpath(line, ROOT) for line in sys.stdin.read().split()]
        if not has_to_run("clang-tidy on all sources", files):
            names = {os.path.basename(file) for file in files}
            sources = [source for source in sources if included(source, names, set())]
        print(*sources, sep="\n", end="\n" if sources else "")
    elif words:
        return 0 if has_to_run(words[0], files) else 10
    else:
        for name in CHOICES:
            print(f"{name}: {'yes' if has_to_run(name, files) else 'no'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
