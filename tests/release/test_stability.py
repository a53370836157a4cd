"""Claims about stability until version 2.0: the names in frozen.txt exist, and files of earlier versions are read.

    python3 tests/release/test_stability.py print    # the names of today
"""

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

import h5py

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from support import BOIDS, Folder, read

RUN = ("-c", "castor", "-n", "3", "-s", "flock.count=20", "-s", 'title="a flock"', "-q")
# The hash of the CSV that version 0.1.0 wrote.
RUN_SHA256 = "0f40bff3fe1d96cef571d831af8f0a187a366ea50345718e5fb55ba303926e16"
# Add each version when it is released. All files are of the same run.
VERSIONS = ("0.1.0", "1.0.0")


def keys_of(schema, path="key"):
    """(group, name) of the keys, and of the words of those that are a choice."""
    for name, key in schema.get("properties", {}).items():
        yield path, name
        inner = f"{path}.{name}".replace("key.", "key ")
        for form in (key, *key.get("oneOf", ()), *key.get("anyOf", ())):
            yield from ((inner.replace("key", "choice"), word) for word in form.get("enum", ()))
            yield from keys_of(form, inner)
            yield from keys_of(form.get("items", {}), inner + "[]")


def layout_of(path):
    """(group, name) of the groups, datasets and attributes of a trajectory, with types and ranks."""

    def visit(group):
        for name, item in group.items():
            is_group = isinstance(item, h5py.Group)
            yield f"hdf5 {group.name}", name + (
                "/" if is_group else "" if item.dtype.kind == "S" else f":{item.dtype}:{item.ndim}"
            )
            yield from ((f"hdf5 {item.name}", "@" + attribute) for attribute in item.attrs)
            if is_group:
                yield from visit(item)

    with h5py.File(path) as file:
        return list(visit(file))


def names_of_today():
    def said(*words, **more):
        return subprocess.run(
            [BOIDS, *words], check=True, capture_output=True, text=True, **more
        ).stdout

    found = set(keys_of(json.loads(read("data", "boids.schema.json"))))
    found |= {
        ("option", f"{letter.strip()}--{name}")
        for letter, name in re.findall(
            r"^  (-.|  )(?:, |  )--([a-z-]+)", said("--help"), re.MULTILINE
        )
    }
    with tempfile.TemporaryDirectory() as folder:
        said(
            "-c",
            "adams",
            "-n",
            "3",
            "-q",
            "-s",
            "output.precision=float32",
            "-o",
            "a.csv",
            "-o",
            "a.xyz",
            "-o",
            "a.h5",
            "--observables",
            "m.csv",
            cwd=folder,
        )
        for name, kind in (("a.csv", "trajectory"), ("m.csv", "observables")):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found |= {
                    ("column " + kind, f"{i}:{column}")
                    for i, column in enumerate(file.readline().strip().split(","))
                }
        found |= {("xyz", re.search(r"Properties=(\S+)", read(os.path.join(folder, "a.xyz")))[1])}
        return found | set(layout_of(os.path.join(folder, "a.h5")))


def frozen():
    """The pairs of frozen.txt: each line is a group and its names; it may continue, indented."""
    lines = read(os.path.join(HERE, "frozen.txt")).replace("\n    ", " ").splitlines()
    return {
        (group, name)
        for group, names in (line.split(": ") for line in lines)
        for name in names.split()
    }


def in_lines(pairs):
    groups = {}
    for group, name in sorted(
        pairs,
        key=lambda pair: (
            pair[0],
            [int(word) if word.isdigit() else -1 for word in pair[1].split(":")][:1],
            pair,
        ),
    ):
        groups.setdefault(group, []).append(name)
    return "\n".join(
        textwrap.fill(
            f"{group}: {' '.join(names)}", 140, subsequent_indent="    ", break_on_hyphens=False
        )
        for group, names in groups.items()
    )


class Stability(Folder):
    def test_every_frozen_name_exists(self):
        self.assertEqual(frozen() - names_of_today(), set())

    def test_files_of_every_version_are_read(self):
        self.good(*RUN, "-o", "run.csv")
        self.assertEqual(hashlib.sha256(self.bytes("run.csv")).hexdigest(), RUN_SHA256)
        for version in VERSIONS:
            with gzip.open(os.path.join(HERE, "files", version + ".h5.gz")) as file:
                self.write("old.h5", file.read())
            self.good("--convert", "old.h5", "-o", "old.csv", "-q")
            self.assertSameFile("old.csv", "run.csv", version)
            self.good("--from", "old.h5", "-o", "again.csv", "-q")
            self.assertSameFile("again.csv", "run.csv", version)
            self.good(*RUN, "--init", "old.h5@2", "--keep-step", "-o", "end.csv")
            self.good("--resume", "old.h5", "-n", "5", "-q")
            self.good(*RUN, "-n", "5", "-o", "longer.h5")
            self.good("--diff", "old.h5", "longer.h5")


if __name__ == "__main__":
    if sys.argv[1:] == ["print"]:
        print(in_lines(names_of_today()))
    else:
        unittest.main()
