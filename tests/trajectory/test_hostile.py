"""Malicious files: every option that reads one refuses it with one sentence and uses little memory."""

import os
import re
import subprocess
import sys
import unittest
import zlib

import h5py
import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from support import BOIDS, IS_EXHAUSTIVE, PATIENCE, Folder, by_level, contents, unproven


MAX_MEMORY = 200 << 20
BOIDS_COUNT, FRAMES = 30, 6
POSITION = "particles/boids/position/value"
STEP = "particles/boids/position/step"
CONFIG = "parameters/config"


def replace(file, path, **how):
    """Replace a dataset by one that h5py creates with these arguments."""
    del file[path]
    return file.create_dataset(path, **how)


def low_level(file, path, shape, kind, prepare):
    """Replace a dataset, with properties that only h5py's low-level functions can set."""
    del file[path]
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    prepare(properties)
    name = path.encode()
    return h5py.h5d.create(file.id, name, kind, h5py.h5s.create_simple(shape), properties)


def packed_chunk(file, path, shape, data, filters=1, mask=0):
    """A dataset of one compressed chunk with the bytes `data` in the file."""

    def prepare(properties):
        properties.set_chunk(shape)
        for _ in range(filters):
            properties.set_deflate(1)

    low_level(file, path, shape, h5py.h5t.IEEE_F64LE, prepare).write_direct_chunk(
        (0,) * len(shape), data, mask
    )


def external(file, path, shape):
    low_level(
        file,
        path,
        shape,
        h5py.h5t.IEEE_F64LE,
        lambda properties: properties.set_external(b"secret", 0, 1 << 20),
    )


def virtual(file, path, shape):
    layout = h5py.VirtualLayout(shape=shape, dtype="f8")
    layout[...] = h5py.VirtualSource("other.h5", "x", shape=shape)
    del file[path]
    file.create_virtual_dataset(path, layout)


def link(file, path, to):
    del file[path]
    file[path] = to


def late(file, path, shape, kind):
    """A dataset without storage."""
    low_level(
        file,
        path,
        shape,
        kind,
        lambda properties: properties.set_alloc_time(h5py.h5d.ALLOC_TIME_LATE),
    )


def sparse(file, path, shape, kind):
    """A dataset of the largest possible size without any chunk in the file."""
    low_level(file, path, shape, kind, lambda properties: properties.set_chunk((1,) * len(shape)))


def creator(file, value, **how):
    del file["h5md/creator"].attrs["name"]
    file["h5md/creator"].attrs.create("name", value, **how)


def bomb(size):
    """Made piece by piece: the peak memory of this program would count as that of the programs it starts."""
    packer, piece = zlib.compressobj(9), bytes(min(size, 1 << 20))
    return b"".join(packer.compress(piece) for _ in range(size // len(piece))) + packer.flush()


SHAPE = (FRAMES, BOIDS_COUNT, 2)
F8, I4, I8, U8 = h5py.h5t.IEEE_F64LE, h5py.h5t.STD_I32LE, h5py.h5t.STD_I64LE, h5py.h5t.STD_U64LE
LARGE = 1 << 61
OBJECT = h5py.special_dtype(ref=h5py.Reference)
VARIABLE = h5py.special_dtype(vlen=numpy.dtype("f8"))
ENUM = h5py.enum_dtype({"a": 0, "b": 1}, basetype="i4")

# The change in a good file, and the message.
CONFIGURATIONS = {
    "an attribute of many elements": (
        lambda f: creator(f, numpy.full(500, b"boids".ljust(15, b"A"), "S15")),
        "boids did not write it",
    ),
    "an attribute that is too long": (
        lambda f: creator(f, b"boids" * 50),
        "boids did not write it",
    ),
    "an attribute of variable length": (lambda f: creator(f, "boids"), "boids did not write it"),
    "an attribute of numbers": (lambda f: creator(f, 3.5), "boids did not write it"),
    "a text without storage": (
        lambda f: late_text(f, 4 << 20),
        "is a text of 4194304 bytes; it may have at most 1048576",
    ),
    "a huge text": (lambda f: late_text(f, (4 << 30) - 1), "is a text of 4294967295 bytes"),
    "a text that is not there": (lambda f: late_text(f, 5000), "cannot be read"),
    "many texts": (
        lambda f: replace(f, CONFIG, shape=(1 << 20,), dtype="S1000"),
        "does not have the dimensions",
    ),
    "no text": (lambda f: replace(f, CONFIG, data=3.5), "is not a text of a fixed length"),
    "a text of variable length": (
        lambda f: replace(f, CONFIG, data="{}"),
        "is not a text of a fixed length",
    ),
    "a group for a text": (
        lambda f: (f.__delitem__(CONFIG), f.create_group(CONFIG)),
        "is not a dataset",
    ),
    "a type for a text": (lambda f: link(f, CONFIG, numpy.dtype("f8")), "is not a dataset"),
    "an external text": (
        lambda f: link(f, CONFIG, h5py.ExternalLink("b.h5", CONFIG)),
        "is a link to another file or path",
    ),
    "a soft link to a text": (
        lambda f: link(f, CONFIG, h5py.SoftLink("/h5md")),
        "is a link to another file or path",
    ),
    "an external group": (
        lambda f: link(f, "parameters", h5py.ExternalLink("b.h5", "/")),
        "is a link to another file or path",
    ),
    "an external creator": (
        lambda f: link(f, "h5md/creator", h5py.ExternalLink("b.h5", "h5md/creator")),
        "is a link to another file or path",
    ),
}

STEPS = {
    "steps beyond all counting": (
        lambda f: sparse(f, STEP, (LARGE,), I8),
        "has an extent of 2305843009213693952; a file of",
    ),
    "steps that wrap to little": (
        lambda f: sparse(f, STEP, (LARGE + 6,), I8),
        "has an extent of 2305843009213693958",
    ),
    "a gigabyte of steps without storage": (
        lambda f: late(f, STEP, (1 << 27,), I8),
        "has an extent of 134217728",
    ),
    "a gigabyte of steps in chunks that are not there": (
        lambda f: replace(f, STEP, shape=(1 << 27,), dtype="i8", chunks=(1024,), fillvalue=1),
        "has an extent of 134217728",
    ),
    "steps without storage": (lambda f: late(f, STEP, (FRAMES,), I8), "cannot be read"),
    "steps in a chunk that is not there": (
        lambda f: replace(f, STEP, shape=(FRAMES,), dtype="i8", chunks=(FRAMES,), fillvalue=1),
        "cannot be read",
    ),
    "steps in a huge chunk": (
        lambda f: replace(
            f, STEP, shape=(FRAMES,), maxshape=(None,), dtype="i8", chunks=(1 << 27,)
        ),
        "is in chunks of more",
    ),
    "steps in a plane": (
        lambda f: replace(f, STEP, data=numpy.zeros((6, 6), "i8")),
        "does not have the dimensions",
    ),
    "one step": (lambda f: replace(f, STEP, data=numpy.int64(3)), "does not have the dimensions"),
    "real steps": (
        lambda f: replace(f, STEP, data=numpy.zeros(6)),
        "does not contain int32 or int64",
    ),
    "compound steps": (
        lambda f: replace(f, STEP, shape=(6,), dtype=[("a", "i8")]),
        "does not contain int32 or int64",
    ),
    "steps that are references": (
        lambda f: replace(f, STEP, shape=(6,), dtype=OBJECT),
        "does not contain int32 or int64",
    ),
    "steps that are lists": (
        lambda f: replace(f, STEP, shape=(6,), dtype=VARIABLE),
        "does not contain int32 or int64",
    ),
    "opaque steps": (
        lambda f: replace(f, STEP, shape=(6,), dtype="V8"),
        "does not contain int32 or int64",
    ),
    "enumerated steps": (
        lambda f: replace(f, STEP, shape=(6,), dtype=ENUM),
        "does not contain int32 or int64",
    ),
    "steps of another byte order": (
        lambda f: replace(f, STEP, shape=(6,), dtype=">i8"),
        "does not contain int32 or int64",
    ),
    "steps that are a group": (
        lambda f: (f.__delitem__(STEP), f.create_group(STEP)),
        "is not a dataset",
    ),
    "steps elsewhere": (
        lambda f: link(f, STEP, h5py.ExternalLink("b.h5", STEP)),
        "is a link to another file or path",
    ),
    "steps in another file": (
        lambda f: external(f, STEP, (FRAMES,)),
        "stores its numbers in other files",
    ),
    "steps of other files": (
        lambda f: virtual(f, STEP, (FRAMES,)),
        "stores its numbers in other files",
    ),
    "compact steps": (
        lambda f: low_level(f, STEP, (FRAMES,), I8, lambda p: p.set_layout(h5py.h5d.COMPACT)),
        "has a storage layout",
    ),
    "steps behind another filter": (
        lambda f: replace(f, STEP, data=numpy.arange(6), chunks=(6,), compression="lzf"),
        "has other filters than those of boids",
    ),
}

FRAME = {
    "agents beyond all counting": (
        lambda f: late(f, "particles/boids/id", (LARGE,), I4),
        "has an extent of 2305843009213693952",
    ),
    "a gigabyte of agents": (
        lambda f: late(f, "particles/boids/id", (1 << 28,), I4),
        "has an extent of 268435456",
    ),
    "agents without storage": (
        lambda f: late(f, "particles/boids/id", (BOIDS_COUNT,), I4),
        "cannot be read",
    ),
    "no agents": (
        lambda f: replace(f, "particles/boids/id", data=numpy.zeros(0, "i4")),
        "lacks the id, position",
    ),
    "frames beyond all counting": (
        lambda f: sparse(f, POSITION, (1 << 55, BOIDS_COUNT, 2), F8),
        "has an extent of",
    ),
    "columns beyond all counting": (
        lambda f: sparse(f, POSITION, (FRAMES, BOIDS_COUNT, 1 << 55), F8),
        "columns; it may have",
    ),
    "one column": (
        lambda f: replace(f, POSITION, data=numpy.zeros((FRAMES, BOIDS_COUNT, 1))),
        "lacks the id, position",
    ),
    "fewer positions than agents": (
        lambda f: replace(f, POSITION, data=numpy.zeros((FRAMES, 3, 2))),
        "lacks the id, position or velocity",
    ),
    "fewer positions than steps": (
        lambda f: replace(f, POSITION, data=numpy.zeros((1, BOIDS_COUNT, 2))),
        "is shorter than the other datasets",
    ),
    "positions without storage": (lambda f: late(f, POSITION, SHAPE, F8), "cannot be read"),
    "positions in chunks that are not there": (
        lambda f: replace(f, POSITION, shape=SHAPE, dtype="f8", chunks=(1, BOIDS_COUNT, 2)),
        "cannot be read",
    ),
    "positions in chunks of a gigabyte": (
        lambda f: replace(
            f,
            POSITION,
            shape=SHAPE,
            maxshape=(None, None, None),
            dtype="f8",
            chunks=(1, 1 << 26, 2),
        ),
        "is in chunks of more than",
    ),
    "a chunk that swells": (
        lambda f: packed_chunk(f, POSITION, SHAPE, bomb(1 << 30)),
        "cannot be read",
    ),
    "a chunk that swells twice": (
        lambda f: packed_chunk(f, POSITION, SHAPE, zlib.compress(bomb(1 << 29)), filters=2),
        "has other filters than those of boids",
    ),
    "a chunk that is too short": (
        lambda f: packed_chunk(f, POSITION, SHAPE, bomb(100)),
        "cannot be read",
    ),
    "a chunk that is cut": (
        lambda f: packed_chunk(f, POSITION, SHAPE, bomb(FRAMES * BOIDS_COUNT * 16)[:-9]),
        "cannot be ",
    ),
    "a short chunk that was never packed": (
        lambda f: packed_chunk(f, POSITION, SHAPE, b"abc", mask=1),
        "cannot be read",
    ),
    "a chunk of garbage": (
        lambda f: packed_chunk(f, POSITION, SHAPE, os.urandom(4096)),
        "cannot be read",
    ),
    "positions elsewhere": (
        lambda f: link(f, POSITION, h5py.ExternalLink("b.h5", POSITION)),
        "is a link to another file or path",
    ),
    "boids elsewhere": (
        lambda f: link(f, "particles/boids/velocity", h5py.ExternalLink("b.h5", "x")),
        "is a link to another file or path",
    ),
    "predators elsewhere": (
        lambda f: link(f, "particles/predators", h5py.ExternalLink("b.h5", "x")),
        "is a link to another file or path",
    ),
    "predators that are no group": (
        lambda f: link(f, "particles/predators", numpy.zeros(3)),
        "lacks the id, position",
    ),
    "positions in another file": (
        lambda f: external(f, POSITION, SHAPE),
        "stores its numbers in other files",
    ),
    "positions of other files": (
        lambda f: virtual(f, POSITION, SHAPE),
        "stores its numbers in other files",
    ),
    "whole positions": (
        lambda f: replace(f, POSITION, data=numpy.zeros(SHAPE, "i8")),
        "does not contain float32 or float64",
    ),
    "texts for positions": (
        lambda f: replace(f, POSITION, data=numpy.full(SHAPE, b"1")),
        "does not contain float32 or float64",
    ),
    "scaled positions": (
        lambda f: replace(f, POSITION, data=numpy.zeros(SHAPE), scaleoffset=2),
        "has other filters than those of boids",
    ),
}

OBSERVABLE = {
    "an observable elsewhere": (
        lambda f: link(f, "observables/milling/value", h5py.ExternalLink("b.h5", "x")),
        "is a link to another file or path",
    ),
    "a group for an observable": (
        lambda f: (
            f.__delitem__("observables/milling/value"),
            f.create_group("observables/milling/value"),
        ),
        "is not a dataset",
    ),
    "whole observables": (
        lambda f: replace(f, "observables/milling/value", data=numpy.zeros(FRAMES, "i8")),
        "does not contain float32",
    ),
    "an observable without storage": (
        lambda f: late(f, "observables/milling/value", (FRAMES,), F8),
        "cannot be read",
    ),
}

CHECKPOINT = {
    "a checkpoint elsewhere": (
        lambda f: link(f, "checkpoint", h5py.ExternalLink("b.h5", "checkpoint")),
        "is a link to another file or path",
    ),
    "a checkpoint of a huge flock": (
        lambda f: sparse(f, "checkpoint/state", (2, 1 << 55, 4), F8),
        "has an extent of 36028797018963968",
    ),
    "an initial state of a huge flock": (
        lambda f: sparse(f, "checkpoint/initial", (LARGE, 4), F8),
        "has an extent of 2305843009213693952",
    ),
    "an initial state of another flock": (
        lambda f: replace(f, "checkpoint/initial", data=numpy.zeros((3, 4))),
        "is not what boids writes",
    ),
    "an initial state without storage": (
        lambda f: late(f, "checkpoint/initial", (BOIDS_COUNT + 1, 4), F8),
        "cannot be read",
    ),
    "an initial state elsewhere": (
        lambda f: link(f, "checkpoint/initial", h5py.ExternalLink("b.h5", "x")),
        "is a link to another file or path",
    ),
    "a checkpoint that is not finite": (
        lambda f: f["checkpoint/state"].__setitem__((slice(None), 0, 0), numpy.nan),
        "has a number that",
    ),
    "a checkpoint without its state": (
        lambda f: f["checkpoint"].__delitem__("state"),
        "is missing, although the dataset of its step is present",
    ),
    "a checkpoint of another flock": (
        lambda f: replace(f, "checkpoint/state", data=numpy.zeros((2, 3, 4))),
        "is not what boids writes",
    ),
    "a checkpoint of many slots": (
        lambda f: sparse(f, "checkpoint/step", (LARGE,), I8),
        "has an extent of",
    ),
}

IDS, FIRST = "checkpoint/initial_id", "checkpoint/initial_step"

# In a file that lacks boids, a field and the first frames.
SELECTION = {
    "ids elsewhere": (
        lambda f: link(f, IDS, h5py.ExternalLink("b.h5", IDS)),
        "is a link to another file or path",
    ),
    "ids that are a group": (
        lambda f: (f.__delitem__(IDS), f.create_group(IDS)),
        "is not a dataset",
    ),
    "real ids": (
        lambda f: replace(f, IDS, data=numpy.arange(BOIDS_COUNT + 1.0)),
        "does not contain int32 or int64",
    ),
    "ids in a plane": (
        lambda f: replace(f, IDS, data=numpy.zeros((BOIDS_COUNT, 2), "i4")),
        "does not have the dimensions",
    ),
    "ids beyond all counting": (lambda f: sparse(f, IDS, (LARGE,), I4), "has an extent of"),
    "ids without storage": (lambda f: late(f, IDS, (BOIDS_COUNT,), I4), "cannot be read"),
    "ids of another flock": (
        lambda f: replace(f, IDS, data=numpy.arange(3, dtype="i4")),
        "is not what boids writes",
    ),
    "no ids": (lambda f: replace(f, IDS, data=numpy.zeros(0, "i4")), "is not what boids writes"),
    "an id twice": (lambda f: f[IDS].__setitem__(1, 0), "id 0 occurs twice in one frame"),
    "an id below 0": (lambda f: f[IDS].__setitem__(1, -7), "id -7 is not from 0 to 2147483647"),
    "an id that no boid can have": (
        lambda f: replace(f, IDS, data=numpy.arange(BOIDS_COUNT + 1, dtype="i8") + (1 << 40)),
        "is not from 0 to 2147483647",
    ),
    "a first step elsewhere": (
        lambda f: link(f, FIRST, h5py.ExternalLink("b.h5", FIRST)),
        "is a link to another file or path",
    ),
    "a real first step": (
        lambda f: replace(f, FIRST, data=numpy.zeros(1)),
        "does not contain int32 or int64",
    ),
    "a first step without dimensions": (
        lambda f: replace(f, FIRST, data=numpy.int64(0)),
        "does not have the dimensions",
    ),
    "many first steps": (
        lambda f: replace(f, FIRST, data=numpy.zeros(3, "i8")),
        "is not what boids writes",
    ),
    "a first step below 0": (lambda f: f[FIRST].__setitem__(0, -1), "is not what boids writes"),
}

SOME_BOIDS, NO_VELOCITY = "it does not contain all boids", "lacks the id, position or velocity"
ATTRIBUTES = {
    "a selection of numbers": (
        lambda f: f["parameters"].attrs.__setitem__("boids", 3.5),
        SOME_BOIDS,
    ),
    "a selection of variable length": (
        lambda f: f["parameters"].attrs.__setitem__("boids", "all"),
        SOME_BOIDS,
    ),
    "no selection": (lambda f: f["parameters"].attrs.__delitem__("boids"), SOME_BOIDS),
    "fields of numbers": (lambda f: f["parameters"].attrs.__setitem__("fields", 3.5), NO_VELOCITY),
    "fields of variable length": (
        lambda f: f["parameters"].attrs.__setitem__("fields", "position"),
        NO_VELOCITY,
    ),
    "fields that are too long": (
        lambda f: f["parameters"].attrs.create("fields", numpy.bytes_("position" * 500)),
        NO_VELOCITY,
    ),
    "many fields": (
        lambda f: f["parameters"].attrs.create("fields", numpy.full(500, b"position", "S8")),
        NO_VELOCITY,
    ),
}

# In a file with hashes.
HASHES = {
    "hashes elsewhere": (
        lambda f: link(f, "hashes", h5py.ExternalLink("b.h5", "hashes")),
        "is a link to another file or path",
    ),
    "hashes of frames elsewhere": (
        lambda f: link(f, "hashes/frames", h5py.ExternalLink("b.h5", "x")),
        "is a link to another file or path",
    ),
    "signed hashes": (
        lambda f: replace(f, "hashes/frames", data=numpy.zeros(FRAMES, "i8")),
        "is not made of uint64",
    ),
    "real hashes": (
        lambda f: replace(f, "hashes/frames", data=numpy.zeros(FRAMES)),
        "is not made of uint64",
    ),
    "short hashes": (
        lambda f: replace(f, "hashes/frames", data=numpy.zeros(FRAMES, "u4")),
        "is not made of uint64",
    ),
    "hashes in a plane": (
        lambda f: replace(f, "hashes/frames", data=numpy.zeros((FRAMES, 2), "u8")),
        "does not have the dimensions",
    ),
    "hashes beyond all counting": (
        lambda f: sparse(f, "hashes/frames", (LARGE,), U8),
        "has an extent of",
    ),
    "hashes without storage": (lambda f: late(f, "hashes/frames", (FRAMES,), U8), "cannot be read"),
    "fewer hashes than frames": (
        lambda f: replace(f, "hashes/frames", data=numpy.zeros(3, "u8")),
        "has 3 rows, but other datasets do not",
    ),
    "a group for the hashes of observables": (
        lambda f: (f.__delitem__("hashes/observables"), f.create_group("hashes/observables")),
        "is not a dataset",
    ),
    "real counts": (
        lambda f: replace(f, "hashes/counts", data=numpy.zeros(2)),
        "does not contain int32 or int64",
    ),
    "many counts": (
        lambda f: replace(f, "hashes/counts", data=numpy.full(3, FRAMES)),
        "it does not contain the number of frames that was written",
    ),
    "counts elsewhere": (
        lambda f: link(f, "hashes/counts", h5py.ExternalLink("b.h5", "x")),
        "is a link to another file or path",
    ),
    "no counts": (lambda f: f["hashes"].__delitem__("counts"), "some of its hashes are missing"),
    "a hash of ids that is a number": (
        lambda f: f["hashes"].attrs.__setitem__("ids", 3.5),
        "some of its hashes are missing",
    ),
    "a hash of ids that is none": (
        lambda f: f["hashes"].attrs.create("ids", numpy.bytes_("0123456789abcdeg")),
        "ids of /hashes is not a hash",
    ),
    "a hash of the configuration that is too long": (
        lambda f: f["parameters"].attrs.create("hash", numpy.bytes_("0" * 40)),
        "some of its hashes are missing",
    ),
    "a hash of the configuration of variable length": (
        lambda f: f["parameters"].attrs.__setitem__("hash", "0" * 16),
        "some of its hashes are missing",
    ),
}


def late_text(file, size):
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(size)
    del file[CONFIG]
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_alloc_time(h5py.h5d.ALLOC_TIME_LATE)
    h5py.h5d.create(file.id, CONFIG.encode(), kind, h5py.h5s.create(h5py.h5s.SCALAR), properties)


class Hostile(Folder):
    words = ("-c", "adams", "-s", "flock.count=%d" % BOIDS_COUNT, "-n", str(FRAMES - 1))

    def plant(self, change):
        self.good(self.words, "-o a.h5")
        with unproven(self.path("a.h5")) as file:
            change(file)

    def check(self, reported, *words, name="a.h5", statuses=None):
        """Refused in one line that names the file, with little memory; the files are unchanged."""
        before = contents(self.folder)
        with open(self.path("said"), "w+") as said:
            process = subprocess.Popen(
                [BOIDS, *words],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            line = said.read()
        self.remove("said")
        self.assertIn(process.returncode, (1, 2), (words, line))
        self.assertRegex(
            line, r"\Aboids: %s: [^\n]*%s[^\n]*\n\Z" % (re.escape(name), re.escape(reported))
        )
        self.assertIn(process.returncode, statuses or (1 if "cannot be read" in line else 2,), line)
        self.assertLess(usage.ru_maxrss << 10, MAX_MEMORY, line)
        self.assertEqual(contents(self.folder), before)

    def check_all(self, cases, *uses, more=(), name="a.h5"):
        """Each case with two of the uses in turn, which read a file with the same functions; at the exhaustive level with all."""
        self.good(self.words, more, "-o a.h5")
        whole = self.bytes("a.h5")
        for i, (case, (change, reported)) in enumerate([*cases.items()][:: by_level(3, 1)]):
            with self.subTest(case=case):
                self.write("a.h5", whole)
                with unproven(self.path("a.h5")) as file:
                    change(file)
                if name != "a.h5":
                    self.rename("a.h5", name)
                for words in (
                    uses
                    if IS_EXHAUSTIVE
                    else sorted({uses[i % len(uses)], uses[(i + 1) % len(uses)]})
                ):
                    self.check(reported, *words, name=name)
                self.remove(name)

    def test_configurations(self):
        self.check_all(
            CONFIGURATIONS,
            ("--from", "a.h5", "--check"),
            ("--from", "a.h5", "--print-config"),
            ("--resume", "a.h5", "-n", "9"),
        )

    def test_steps(self):
        self.check_all(
            STEPS, ("-c", "adams", "--init", "a.h5", "-o", "none"), ("--resume", "a.h5", "-n", "9")
        )

    def test_invalid_steps_in_an_existing_part_file(self):
        for words, name in (
            ((*self.words, "-o", "a.h5"), "a.h5.part"),
            (("-c", "adams", "-o", "none", "--observables", "a.csv"), "a.csv.part"),
        ):
            self.check_all(STEPS, words, name=name)

    def test_frames(self):
        self.check_all(
            FRAME, ("-c", "adams", "--init", "a.h5", "-o", "none"), ("--resume", "a.h5", "-n", "9")
        )

    def test_observables(self):
        self.check_all(
            OBSERVABLE,
            ("--resume", "a.h5", "-n", "9"),
            ("--resume", "a.h5", "-n", "9", "--summary"),
        )

    def test_checkpoints(self):
        rounded = ("-s", "output.precision=float32")
        self.check_all(CHECKPOINT, ("--resume", "a.h5", "-n", "9"), more=rounded)
        self.check_all(
            {case: CHECKPOINT[case] for case in CHECKPOINT if "initial" in case},
            ("--from", "a.h5", "-o", "none"),
            ("-c", "adams", "--init", "a.h5@0", "-o", "none"),
            more=rounded,
        )

    def test_selections(self):
        less = (
            "--boids",
            '{"every": 3}',
            "-s",
            'output.fields=["position"]',
            "-s",
            "output.first=2",
        )
        self.check_all(
            SELECTION,
            ("--from", "a.h5", "-o", "none"),
            ("-c", "adams", "--init", "a.h5@0", "-o", "none"),
            more=less,
        )
        fields = {case: reported for case, reported in ATTRIBUTES.items() if "fields" in case}
        self.check_all(fields, ("-c", "adams", "--init", "a.h5", "-o", "none"), more=less)
        boids = {case: reported for case, reported in ATTRIBUTES.items() if "selection" in case}
        self.check_all(
            boids,
            ("-c", "adams", "--init", "a.h5", "-o", "none"),
            ("--resume", "a.h5", "-n", "9"),
            more=less[:2],
        )

    def test_hashes(self):
        """--verify reports such hashes as damage (status 1), --resume possibly as an invalid file (status 2)."""
        for case, (change, reported) in HASHES.items():
            with self.subTest(case=case):
                self.good(self.words, "-o a.h5")
                with self.h5("a.h5", "r+") as file:
                    change(file)
                self.check(reported, "--verify", "a.h5", statuses=(1,))
                self.check(reported, "--resume", "a.h5", "-n", "9", statuses=(1, 2))

    def test_force_starts_a_new_file(self):
        self.plant(STEPS["steps beyond all counting"][0])
        self.rename("a.h5", "b.h5.part")
        self.good(self.words, "-o b.h5 --force")
        self.assertEqual(self.names(), ["b.h5"])

    def test_a_repacked_file_is_read(self):
        """All datasets in compressed chunks, as h5repack writes them."""
        self.good(self.words, "-o a.h5")
        self.good("--resume a.h5 -n 9")
        whole = self.bytes("a.h5")
        self.good(self.words, "-o a.h5 --force")
        with unproven(self.path("a.h5")) as file:
            for path in (POSITION, STEP, "particles/boids/id", "observables/milling/value"):
                data = file[path][:]
                chunks = tuple(max(1, n * 2 // 3) for n in data.shape[:2]) + data.shape[2:]
                replace(
                    file, path, data=data, chunks=chunks, compression=9, shuffle=len(chunks) > 1
                )
        self.good("--resume a.h5 -n 9")
        self.assertTrue(self.bytes("a.h5") == whole)

    def test_a_pipe_is_not_waited_for(self):
        os.mkfifo(self.path("a.h5"))
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
            self.assertEqual(self.names(), ["b.h5.part"])

    def test_plugins_are_not_loaded(self):
        """libhdf5 does not search the folders of HDF5_PLUGIN_PATH for an unknown filter."""

        def change(file):
            low_level(
                file,
                POSITION,
                SHAPE,
                F8,
                lambda properties: (
                    properties.set_chunk((1, BOIDS_COUNT, 2)),
                    properties.set_filter(32004, h5py.h5z.FLAG_OPTIONAL, (1,)),
                ),
            )

        self.plant(change)
        self.check(
            "has other filters than those of boids", "-c", "adams", "--init", "a.h5", "-o", "none"
        )


if __name__ == "__main__":
    unittest.main()
