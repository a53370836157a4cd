"""Malicious files: every option that reads one refuses it with one sentence and uses little memory."""

import os
import re
import sys
import unittest
import zlib

import h5py
import numpy

sys.path[0] += "/.."

from support import IS_EXHAUSTIVE, PATIENCE, Folder, by_level, contents


MAX_MEMORY = 200 << 20
BOIDS_COUNT, FRAMES = 30, 6
SHAPE = (FRAMES, BOIDS_COUNT, 2)
POSITION = "particles/boids/position/value"
STEP = "particles/boids/position/step"
FRAME_BYTES = 16 * FRAMES * BOIDS_COUNT

# Types that have no name in numpy.
KINDS = {
    "text": h5py.string_dtype(),
    "reference": h5py.special_dtype(ref=h5py.Reference),
    "list": h5py.special_dtype(vlen=numpy.dtype("f8")),
    "enum": h5py.enum_dtype({"a": 0, "b": 1}, basetype="i4"),
    "compound": numpy.dtype([("a", "i8")]),
}
# Datasets without numbers in the file, which only h5py's low-level functions can make.
STORAGE = {
    "late": lambda properties, shape: properties.set_alloc_time(h5py.h5d.ALLOC_TIME_LATE),
    "sparse": lambda properties, shape: properties.set_chunk((1,) * len(shape)),
    "compact": lambda properties, shape: properties.set_layout(h5py.h5d.COMPACT),
    "outside": lambda properties, shape: properties.set_external(b"secret", 0, 1 << 20),
}
# One compressed chunk of positions: its bytes, how often the filter is applied, and the mask of filters that are left out.
CHUNKS = {
    "swells": lambda: (bomb(1 << 30), 1, 0),
    "swells_twice": lambda: (zlib.compress(bomb(1 << 29)), 2, 0),
    "short": lambda: (bomb(100), 1, 0),
    "cut": lambda: (bomb(FRAME_BYTES)[:-9], 1, 0),
    "never_packed": lambda: (b"abc", 1, 1),
    "garbage": lambda: (os.urandom(4096), 1, 0),
}


def bomb(size):
    """Made piece by piece: the peak memory of this program would count as that of the programs it starts."""
    packer, piece = zlib.compressobj(9), bytes(min(size, 1 << 20))
    return b"".join(packer.compress(piece) for _ in range(size // len(piece))) + packer.flush()


def shape_of(word):
    return () if word == "-" else tuple(int(n) if n != "*" else None for n in word.split("x"))


def values_of(kind, shape, text):
    """An array, or a text of variable length."""
    text, _, times = text.partition("*")
    if kind == "text":
        return text * int(times or 1)
    value = text.encode() * int(times or 1) if kind[0] == "S" else float(text)
    return numpy.full(shape_of(shape), value, kind)


def stored(file, path, kind, shape, prepare):
    """Make a dataset with properties that only low-level functions can set."""
    if kind[0] == "S":
        h5_kind = h5py.h5t.C_S1.copy()
        h5_kind.set_size(int(kind[1:]))
    else:
        h5_kind = h5py.h5t.py_create(numpy.dtype(kind))
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    prepare(properties, shape)
    space = h5py.h5s.create_simple(shape) if shape else h5py.h5s.create(h5py.h5s.SCALAR)
    return h5py.h5d.create(file.id, path.encode(), h5_kind, space, properties)


def add_chunk(file, path, name):
    data, filters, mask = CHUNKS[name]()

    def prepare(properties, shape):
        properties.set_chunk(shape)
        for _ in range(filters):
            properties.set_deflate(1)

    stored(file, path, "f8", SHAPE, prepare).write_direct_chunk((0,) * len(SHAPE), data, mask)


def add_virtual(file, path, shape):
    layout = h5py.VirtualLayout(shape=shape_of(shape), dtype="f8")
    layout[...] = h5py.VirtualSource("other.h5", "x", shape=shape_of(shape))
    file.create_virtual_dataset(path, layout)


def add_dataset(file, path, kind, shape, *words, is_filled=False):
    """A dataset that h5py creates, of one value or never written."""
    how = dict(word.split("=") for word in words[is_filled:])
    for name, text in how.items():
        how[name] = (
            shape_of(text)
            if name in ("chunks", "maxshape")
            else int(text)
            if text.isdigit()
            else text
        )
    if is_filled:
        file.create_dataset(path, data=values_of(kind, shape, words[0]), **how)
    else:
        file.create_dataset(path, shape=shape_of(shape), dtype=KINDS.get(kind, kind), **how)


# What the changes put in the place of a dataset or group.
REPLACED = {
    "delete": lambda file, path: None,
    "group": lambda file, path: file.create_group(path),
    "type": lambda file, path: file.__setitem__(path, numpy.dtype("f8")),
    "external": lambda file, path, *to: file.__setitem__(path, h5py.ExternalLink(*to)),
    "soft": lambda file, path, to: file.__setitem__(path, h5py.SoftLink(to)),
    "filled": lambda *words: add_dataset(*words, is_filled=True),
    "empty": add_dataset,
    "virtual": add_virtual,
    "chunk": add_chunk,
}


def change(file, words):
    """Make a change of hostile_files.txt."""
    operation, path, *words = words.split()
    if operation == "attribute":
        file[path].attrs.create(words[0], values_of(*words[1:]))
    elif operation == "without":
        del file[path].attrs[words[0]]
    elif operation == "set":
        place = (slice(None) if i == "*" else int(i) for i in words[0].split(","))
        file[path][tuple(place)] = float(words[1])
    else:
        del file[path]
        if operation in STORAGE:
            stored(file, path, words[0], shape_of(words[1]), STORAGE[operation])
        else:
            REPLACED[operation](file, path, *words)


def read_cases():
    """{section: [(case, change, part of the message)]} of hostile_files.txt."""
    found = {}
    with open(os.path.join(os.path.dirname(__file__), "hostile_files.txt")) as file:
        for line in file:
            if line[0] == "[":
                section = found.setdefault(line.strip("[]\n"), [])
            elif line[0] not in "#\n":
                section.append(line.rstrip("\n").split(" | "))
    return found


CASES = read_cases()


def cases_of(section, word):
    return [case for case in CASES[section] if word in case[0]]


class Hostile(Folder):
    words = ("-c", "adams", "-s", "flock.count=%d" % BOIDS_COUNT, "-n", str(FRAMES - 1))

    def check(self, reported, words, name="a.h5", statuses=None):
        """Refused in one line that names the file, with little memory; the files are unchanged."""
        before = contents(self.folder)
        status, line, memory = self.with_memory(words)
        self.assertIn(status, (1, 2), (words, line))
        self.assertRegex(
            line, r"\Aboids: %s: [^\n]*%s[^\n]*\n\Z" % (re.escape(name), re.escape(reported))
        )
        self.assertIn(status, statuses or (1 if "cannot be read" in line else 2,), line)
        self.assertLess(memory, MAX_MEMORY, line)
        self.assertEqual(contents(self.folder), before)

    def check_all(self, cases, *uses, more=(), name="a.h5"):
        """Each case with two of the uses in turn, which read a file with the same functions; at the exhaustive level with all."""
        self.good(self.words, more, "-o a.h5")
        whole = self.bytes("a.h5")
        for i, (case, words, reported) in enumerate(cases[:: by_level(3, 1)]):
            with self.subTest(case=case):
                self.write("a.h5", whole)
                with self.unproven("a.h5") as file:
                    change(file, words)
                if name != "a.h5":
                    self.rename("a.h5", name)
                for words in (
                    uses
                    if IS_EXHAUSTIVE
                    else sorted({uses[i % len(uses)], uses[(i + 1) % len(uses)]})
                ):
                    self.check(reported, words, name=name)
                self.remove(name)

    def test_configurations(self):
        self.check_all(
            CASES["configurations"],
            "--from a.h5 --check",
            "--from a.h5 --print-config",
            "--resume a.h5 -n 9",
        )

    def test_steps(self):
        self.check_all(CASES["steps"], "-c adams --init a.h5 -o none", "--resume a.h5 -n 9")

    def test_invalid_steps_in_an_existing_part_file(self):
        for words, name in (
            (" ".join(self.words) + " -o a.h5", "a.h5.part"),
            ("-c adams -o none --observables a.csv", "a.csv.part"),
        ):
            self.check_all(CASES["steps"], words, name=name)

    def test_frames(self):
        self.check_all(CASES["frames"], "-c adams --init a.h5 -o none", "--resume a.h5 -n 9")

    def test_observables(self):
        resume = "--resume a.h5 -n 9"
        self.check_all(CASES["observables"], resume, resume + " --summary")

    def test_checkpoints(self):
        rounded = "-s output.precision=float32"
        self.check_all(CASES["checkpoints"], "--resume a.h5 -n 9", more=rounded)
        self.check_all(
            cases_of("checkpoints", "initial"),
            "--from a.h5 -o none",
            "-c adams --init a.h5@0 -o none",
            more=rounded,
        )

    def test_selections(self):
        boids = """--boids '{"every": 3}'"""
        less = boids + """ -s 'output.fields=["position"]' -s output.first=2"""
        start = "-c adams --init a.h5 -o none"
        self.check_all(
            CASES["selections"],
            "--from a.h5 -o none",
            "-c adams --init a.h5@0 -o none",
            more=less,
        )
        self.check_all(cases_of("attributes", "fields"), start, more=less)
        self.check_all(cases_of("attributes", "selection"), start, "--resume a.h5 -n 9", more=boids)

    def test_hashes(self):
        """--verify reports such hashes as damage (status 1), --resume possibly as an invalid file (status 2)."""
        for case, words, reported in CASES["hashes"]:
            with self.subTest(case=case):
                self.good(self.words, "-o a.h5")
                with self.h5("a.h5", "r+") as file:
                    change(file, words)
                self.check(reported, "--verify a.h5", statuses=(1,))
                self.check(reported, "--resume a.h5 -n 9", statuses=(1, 2))

    def test_force_starts_a_new_file(self):
        self.good(self.words, "-o a.h5")
        with self.unproven("a.h5") as file:
            change(file, CASES["steps"][0][1])
        self.rename("a.h5", "b.h5.part")
        self.good(self.words, "-o b.h5 --force")
        self.holds("b.h5")

    def test_a_repacked_file_is_read(self):
        """All datasets in compressed chunks, as h5repack writes them."""
        self.good(self.words, "-o a.h5")
        self.good("--resume a.h5 -n 9")
        whole = self.bytes("a.h5")
        self.good(self.words, "-o a.h5 --force")
        with self.unproven("a.h5") as file:
            for path in (POSITION, STEP, "particles/boids/id", "observables/milling/value"):
                data = file.pop(path)[:]
                chunks = tuple(max(1, n * 2 // 3) for n in data.shape[:2]) + data.shape[2:]
                how = {"compression": 9, "shuffle": len(chunks) > 1}
                file.create_dataset(path, data=data, chunks=chunks, **how)
        self.good("--resume a.h5 -n 9")
        self.assertTrue(self.bytes("a.h5") == whole)

    def test_a_pipe_is_not_waited_for(self):
        self.mkfifo("a.h5")
        for words in ("--from a.h5 --check", "-c adams --init a.h5"):
            self.says(
                "boids: a.h5 is a pipe or device; HDF5 can only be read from a file\n",
                words,
                status=2,
                timeout=PATIENCE,
            )
        self.rename("a.h5", "b.h5.part")
        for words in ("--from b.h5 --check", "--resume b.h5 -n 9", (self.words, "-o b.h5")):
            done = self.run_boids(words, timeout=PATIENCE)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.holds("b.h5.part")

    def test_plugins_are_not_loaded(self):
        """libhdf5 does not search the folders of HDF5_PLUGIN_PATH for an unknown filter."""

        def prepare(properties, shape):
            properties.set_chunk((1, BOIDS_COUNT, 2))
            properties.set_filter(32004, h5py.h5z.FLAG_OPTIONAL, (1,))

        self.good(self.words, "-o a.h5")
        with self.unproven("a.h5") as file:
            del file[POSITION]
            stored(file, POSITION, "f8", SHAPE, prepare)
        self.check("has other filters than those of boids", "-c adams --init a.h5 -o none")


if __name__ == "__main__":
    unittest.main()
