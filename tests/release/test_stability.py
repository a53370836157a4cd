"""Claims about stability until version 2.0: the names in frozen.txt exist, and files of earlier versions are read.

    python3 tests/release/test_stability.py print    # the names of today
"""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import h5py

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from support import BOIDS, ROOT, Folder

RUN = ("-c", "castor", "-n", "3", "-s", "flock.count=20", "-s", 'title="a flock"', "-q")
# Add each version when it is released. All files are of the same run, which run.csv has as text.
VERSIONS = ("0.1.0", "1.0.0")


def keys_of(schema, path=""):
    """Lines of the keys, and of the words of those that are a choice."""
    for name, key in schema.get("properties", {}).items():
        yield f"key {path}{name}"
        for form in (key, *key.get("oneOf", ()), *key.get("anyOf", ())):
            for word in form.get("enum", ()):
                yield f"choice {path}{name} {word}"
            for lines in (keys_of(form, f"{path}{name}."), keys_of(form.get("items", {}), f"{path}{name}[].")):
                yield from lines


def layout_of(path):
    """Lines of the groups, datasets and attributes of a trajectory, with types and ranks."""
    def visit(group):
        for item in group.values():
            is_group = isinstance(item, h5py.Group)
            kind = "" if is_group else " text" if item.dtype.kind == "S" else f" {item.dtype} rank {item.ndim}"
            yield f"hdf5 {item.name}{kind}"
            yield from (f"hdf5 {item.name} @{attribute}" for attribute in item.attrs)
            if is_group:
                yield from visit(item)

    with h5py.File(path) as file:
        return list(visit(file))


def names_of_today():
    def said(*words, **more):
        return subprocess.run([BOIDS, *words], check=True, capture_output=True, text=True, **more).stdout

    with open(os.path.join(ROOT, "data", "boids.schema.json"), encoding="utf-8") as file:
        lines = list(keys_of(json.load(file)))
    lines += [f"option --{name} {letter}".strip() for letter, name in re.findall(r"^  (-.|  )(?:, |  )--([a-z-]+)", said("--help"), re.MULTILINE)]
    with tempfile.TemporaryDirectory() as folder:
        said("-c", "adams", "-n", "3", "-q", "-s", "output.precision=float32", "-o", "a.csv", "-o", "a.xyz", "-o", "a.h5", "--observables", "m.csv", cwd=folder)
        for kind in ("a.csv", "m.csv"):
            with open(os.path.join(folder, kind), encoding="utf-8") as file:
                columns = file.readline().strip().split(",")
            lines += [f"column {'trajectory' if kind == 'a.csv' else 'observables'} {i} {name}" for i, name in enumerate(columns)]
        with open(os.path.join(folder, "a.xyz"), encoding="utf-8") as file:
            lines += ["xyz " + re.search(r"Properties=(\S+)", file.read())[1]]
        lines += layout_of(os.path.join(folder, "a.h5"))
    return sorted(set(lines))


class Stability(Folder):
    def test_every_frozen_name_exists(self):
        with open(os.path.join(HERE, "frozen.txt"), encoding="utf-8") as file:
            self.assertEqual(set(file.read().splitlines()) - set(names_of_today()), set())

    def test_files_of_every_version_are_read(self):
        with open(os.path.join(HERE, "files", "run.csv"), encoding="utf-8") as file:
            self.write("run.csv", file.read())
        self.good(*RUN, "-o", "now.csv")
        self.assertSameFile("now.csv", "run.csv")
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
        print("\n".join(names_of_today()))
    else:
        unittest.main()
