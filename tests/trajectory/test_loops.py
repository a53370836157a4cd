"""HDF5 files with a loop that libhdf5 would follow without a count: each command ends with one line, in little time and memory.

BOIDS is the program, default ./boids.
"""

import itertools
import resource
import struct
import sys
import unittest


sys.path[0] += "/.."

from support import IS_SANITIZED, Folder, by_level

MAX_MEMORY, MAX_SECONDS = 200 << 20, 3
POSITION = "particles/boids/position/value"
COUNT, FRAMES = 30, 6
# Offsets in a node of a B-tree.
LEVEL, CHILDREN, RIGHT, FIRST = 5, 6, 16, 24
GROUP, CHUNKS = 0, 1
USES = (
    ("a.h5", "--verify", "a.h5"),
    ("a.h5", "--resume", "a.h5", "-n", "9"),
    ("a.h5", "--convert", "a.h5", "-o", "b.csv"),
    ("a.h5", "--from", "a.h5", "-o", "none"),
    ("a.h5", "-c", "adams", "--init", "a.h5", "-o", "none"),
    ("a.h5", "--diff", "a.h5", "good.h5"),
    ("y.h5.part", "-c", "adams", "-n", "1", "-o", "y.h5"),
)


class File:
    """The bytes of a file, and the places of its B-tree nodes and local heaps."""

    def __init__(self, data):
        self.data = bytearray(data)

    def number(self, place):
        return struct.unpack_from("<Q", self.data, place)[0]

    def put(self, place, number):
        struct.pack_into("<Q", self.data, place, number)

    def find(self, signature):
        places, at = [], -1
        while (at := self.data.find(signature, at + 1)) >= 0:
            places.append(at)
        return places

    def nodes(self, kind, level):
        return [
            at
            for at in self.find(b"TREE")
            if self.data[at + 4] == kind and self.data[at + LEVEL] == level
        ]

    def child(self, node, i=0):
        """The place of the address of a child; a key comes before each."""
        key = 8 if self.data[node + 4] == GROUP else self.key
        return node + FIRST + key + i * (key + 8)

    # A key has the offsets of a chunk in three dimensions and in the bytes of a number, its size and its filters.
    key = 8 + 4 * 8


def own_free_block(file, heap):
    first, data = file.number(heap + 16), file.number(heap + 24)
    file.put(data + first, first)


def ring_of_free_blocks(file, heap):
    """A ring of two free blocks, which are made from the first of two blocks."""
    first, data = file.number(heap + 16), file.number(heap + 24)
    file.put(data + first, first + 16)
    file.put(data + first + 16, first)
    file.put(data + first + 24, 16)


def free_block_at_the_start(file, heap):
    """The heap begins with zeros: a free block that leads to itself."""
    file.put(heap + 16, 0)


def own_sibling(file, node):
    file.put(node + RIGHT, node)


def ring_of_siblings(file, first):
    node = file.number(file.child(first))
    other = file.number(file.child(first, 1))
    file.put(node + RIGHT, other)
    file.put(other + RIGHT, node)


def own_child(file, node):
    file.data[node + LEVEL] = max(1, file.data[node + LEVEL])
    for key in (8, 24, 32, 40):  # of a group, and of datasets with one, two and three dimensions
        file.put(node + FIRST + key, node)


def own_grandchild(file, root):
    """A leaf becomes the parent of the root."""
    leaf = file.number(file.child(root))
    file.data[leaf + LEVEL] = 1
    file.put(file.child(leaf), root)


def user_block(file, heap):
    """The superblock comes after 512 bytes, and all addresses count from there."""
    ring_of_free_blocks(file, heap)
    file.data[:0] = bytes(512)


class Loops(Folder):
    def setUp(self):
        super().setUp()
        self.good("-c adams -s", f"flock.count={COUNT}", "-n", str(FRAMES - 1), "-o good.h5")
        self.whole = File(self.bytes("good.h5"))

    def file_of_levels(self):
        """A file whose positions are in so many chunks that their B-tree has two levels."""
        self.write("levels.h5", self.bytes("good.h5"))
        with self.unproven("levels.h5") as file:
            data = file[POSITION][:]
            del file[POSITION]
            file.create_dataset(POSITION, data=data, chunks=(1, 1, 2))
        self.good("--convert levels.h5 -o levels.csv -q")
        return File(self.bytes("levels.h5"))

    def end(self, *words):
        """The status of a command: 1 or 2 with one line, or 0 if it does not read the damaged part."""

        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))

        status, line, memory = self.with_memory(*words, preexec_fn=limit)
        self.assertIn(status, (0, 1, 2), (words, line))
        self.assertRegex(line, r"\Aboids: [^\n]*\n\Z" if status else r"\A(?:boids: [^\n]*\n)*\Z")
        if not IS_SANITIZED:
            self.assertLess(memory, MAX_MEMORY, words)
        return status

    def test_every_command_ends(self):
        whole, levels = self.whole, self.file_of_levels()
        heaps = [
            heap
            for heap in whole.find(b"HEAP")
            if whole.number(heap + 16) + 32 <= whole.number(heap + 8)
        ]
        groups, chunks, roots = (
            whole.nodes(GROUP, 0),
            whole.nodes(CHUNKS, 0)[1:],
            levels.nodes(CHUNKS, 1),
        )
        for file, places, changes in (
            (
                whole,
                heaps,
                (own_free_block, ring_of_free_blocks, free_block_at_the_start, user_block),
            ),
            (whole, groups, (own_sibling, own_child)),
            (whole, chunks, (own_sibling, own_child)),
            (levels, roots, (ring_of_siblings, own_child, own_grandchild)),
        ):
            self.assertTrue(places)
            for change, place in itertools.product(changes, places[: by_level(1, 2, 12)]):
                if IS_SANITIZED and change in (own_child, own_grandchild):
                    continue  # the library recurses until the stack is full, and the sanitizer reports it
                with self.subTest(change=change.__name__, place=place):
                    self.check(file, change, place)

    def check(self, file, change, place):
        """Some command refuses the file, unless the library does not follow the loop."""
        damaged = File(file.data)
        change(damaged, place)
        statuses = []
        for name, *words in USES:
            self.write(name, bytes(damaged.data))
            statuses.append(self.end(*words))
            for left in "a.h5.part a.h5.part.new b.csv y.h5.part y.h5".split():
                if self.exists(left):
                    self.remove(left)
        self.assertTrue(any(statuses) or change is ring_of_siblings, statuses)

    def test_a_superblock_with_other_addresses(self):
        for version, place in ((0, 13), (0, 14), (2, 9), (2, 10)):
            with self.subTest(version=version, place=place):
                file = File(self.whole.data)
                file.data[8], file.data[place] = version, 4
                self.write("a.h5", bytes(file.data))
                self.refused(
                    "a.h5 is damaged or was cut short: HDF5 cannot open it", "--verify a.h5"
                )

    def test_an_attribute_of_many_numbers(self):
        with self.h5("good.h5", "r+") as file:
            file["parameters"].attrs["seed"] = [7] * 1000
        self.refused(
            "good.h5: it is damaged: the attribute seed of /parameters is not that of its configuration",
            "--verify good.h5",
            status=1,
        )


if __name__ == "__main__":
    unittest.main()
