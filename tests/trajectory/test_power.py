"""output.sync protects against a loss of power. The writes, fsyncs and renames of a run are recorded and replayed on a simulated
disk. At an fsync it has all earlier writes; of later ones it has any subset of pages. A page is written completely or not at all.

At BOIDS_TEST_LEVEL=exhaustive each fsync is tried, with more losses between it and the next; otherwise some of them.
"""

import os
import random
import sys
import unittest


sys.path[0] += "/.."

from support import ASAN_PRELOAD, ENDINGS, IS_EXHAUSTIVE, SEED, Folder, build_shim, by_level


PAGE = 4096
# The index of compressed chunks is split at the 65th.
KINDS = (
    (),
    "-s output.compression=1",
    "-s arithmetic=float64 -s output.precision=float32 -s output.observables_every=2",
)


lost = []  # how often, by kind of file


def tearDownModule():
    print("%d losses of power" % sum(lost), file=sys.stderr)


class Disk:
    """One file: its pages as they were at the last fsync, and every page that was written since."""

    def __init__(self):
        self.size, self.pages = 0, {}
        self.now_size, self.now = 0, {}
        self.since = []

    def write(self, offset, data):
        while data:
            page, begin = divmod(offset, PAGE)
            some = data[: PAGE - begin]
            old = self.now.get(page, bytes(PAGE))
            self.now[page] = old[:begin] + some + old[begin + len(some) :]
            self.since.append((page, self.now[page]))
            offset, data = offset + len(some), data[len(some) :]
        self.now_size = max(self.now_size, offset)

    def cut(self, size):
        self.now_size = size

    def sync(self):
        self.size, self.pages, self.since = self.now_size, dict(self.now), []

    def image(self, chance=None):
        """The file after a loss of power: random pages of those written since the last fsync."""
        pages, size = dict(self.pages), self.size
        if chance:
            share = chance.choice((0, 0.1, 0.5, 0.9, 1))
            # Later pages may exist without earlier ones; the last version of a page counts.
            for page, data in self.since:
                if chance.random() < share:
                    pages[page] = data
            size = chance.choice((self.size, self.now_size))
            size = max(
                [
                    size,
                    *((page + 1) * PAGE for page in pages if pages[page] != self.pages.get(page)),
                ]
            )
            size = min(size, max(self.size, self.now_size))
        data = bytearray(size)
        for page, bytes_of in pages.items():
            data[page * PAGE : (page + 1) * PAGE] = bytes_of[: max(0, size - page * PAGE)]
        return bytes(data[:size])


def read_record(path):
    """(call, inode, offset, bytes) of each call."""
    with open(path, "rb") as file:
        while line := file.readline():
            what, inode, offset, size = line.decode().split()
            yield what, int(inode), int(offset), file.read(int(size))


class Power(Folder):
    @classmethod
    def setUpClass(cls):
        cls.shim = build_shim(cls, "trajectory/record.c", "-pthread")

    def record(self, *words):
        self.good(
            words,
            env=dict(
                os.environ,
                LD_PRELOAD=self.shim,
                RECORD=self.path("record"),
                ASAN_OPTIONS=ASAN_PRELOAD,
            ),
        )
        return list(read_record(self.path("record")))

    def count_frames(self, image):
        """The number of complete frames on the disk; None if the file cannot be opened."""
        self.write("left.h5.part", image)
        try:
            with self.h5("left.h5.part") as file:
                return int((file["particles/boids/position/step"][:] >= 0).sum())
        except (OSError, KeyError):
            return None

    def check_loss(self, disk, flushed, chance):
        """All frames that were on the disk are there and correct."""
        found = self.count_frames(disk.image(chance))
        self.assertIsNotNone(found)
        self.assertGreaterEqual(found, flushed)
        self.good("--verify left.h5.part")

    def losses_to_try(self, flushed, chance):
        """The number of power losses to try after a write; most are tried at the split of an index."""
        if flushed == 64:
            return 4 if IS_EXHAUSTIVE else chance.random() < by_level(0.3, 0.7)
        return chance.random() < by_level(0.01, 0.02, 0.2)

    def play(self, calls, chance):
        """The frames on the disk at each fsync, with simulated losses of power before it."""
        disk, flushed, counts = Disk(), None, []
        losses = 0
        for what, inode, offset, data in calls:
            if what == "sync":
                disk.sync()
                found = self.count_frames(disk.image())
                self.assertTrue(
                    flushed is None or (found is not None and found >= flushed), (flushed, found)
                )
                flushed = found
                counts.append(found)
            elif what == "write":
                disk.write(offset, data)
            elif what == "length":
                disk.cut(offset)
            if flushed is None or what == "sync":
                continue
            for _ in range(self.losses_to_try(flushed, chance)):
                self.check_loss(disk, flushed, chance)
                losses += 1
        return counts, losses, disk

    def test_flushed_frames_survive_a_power_loss(self):
        for kind in KINDS:
            with self.subTest(kind=kind, seed=SEED):
                calls = self.record(
                    "-c adams -n 70 -t 1 -s flock.count=6 -s output.sync=flush -s output.flush_seconds=0",
                    kind,
                    "-o a.h5",
                )
                counts, losses, disk = self.play(calls, random.Random(SEED))
                # Each flush wrote its frame to the disk.
                self.assertEqual(
                    {count for count in counts if count is not None} - {0}, set(range(1, 72))
                )
                lost.append(losses)
                self.assertGreater(losses, 10)
                self.assertEqual(disk.image(), self.bytes("a.h5"))

    def test_a_file_is_synced_before_it_is_renamed_and_its_folder_after(self):
        for words in (
            *(("-o", "a." + ending) for ending in ENDINGS),
            ("--observables", "a.csv", "-o none"),
        ):
            for sync in ("end", "flush", "none"):
                with self.subTest(words=words, sync=sync):
                    calls = self.record("-c adams -n 20 -s", "output.sync=" + sync, words)
                    order = [what for what, *_ in calls]
                    at = order.index("rename")
                    self.assertEqual(order.count("rename"), 1)
                    self.assertEqual(
                        order[at - 1 :],
                        ["sync", "rename", "names"]
                        if sync != "none"
                        else [order[at - 1], "rename"],
                    )
                    self.assertEqual("sync" in order, sync != "none")
                    if words[1].endswith("csv") and sync == "end":
                        self.assertEqual(order.count("sync"), 1)

    def test_a_file_that_is_continued(self):
        """A new .part, or a longer file, replaces the old one only when it is on the disk."""
        self.good("-c adams -n 20 -o a.h5")
        order = [what for what, *_ in self.record("--resume a.h5 -n 30")]
        self.assertEqual(order.count("rename"), 2)
        for at, what in enumerate(order):
            if what == "rename":
                self.assertEqual((order[at - 1], order[at + 1]), ("sync", "names"))

    def test_a_run_that_is_stopped(self):
        self.record(
            "-c adams -n 1000000000 -q --max-seconds 0.1 -o a.h5 -o a.csv",
        )
        order = [what for what, *_ in read_record(self.path("record"))]
        self.assertEqual(order[-1], "names")
        self.assertEqual(order.count("names"), 2)

    def test_tables_of_sweeps(self):
        self.write("points.csv", "seed\n1\n2\n3\n")
        for sync, count in (("none", 0), ("end", 1), ("flush", 4)):
            words = (
                "-c adams -n 2 -t 1 -q -s",
                "output.sync=" + sync,
                "--points points.csv --table t.csv",
            )
            order = [what for what, *_ in self.record(words)]
            self.assertEqual(order.count("sync"), count, sync)
            self.remove("t.csv")


if __name__ == "__main__":
    unittest.main()
