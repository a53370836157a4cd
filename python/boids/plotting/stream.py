"""Frames that arrive: from a pipe, or from a text that another program still writes.

Only the last frames are held, so that memory does not grow with the length of the run. A film takes each frame from the reader when it
draws it, which slows the program before the pipe. A window and a terminal have a Feed, whose thread reads while they draw.
"""

import collections
import gc
import itertools
import os
import sys
import threading
from array import array

from .errors import Refused, reason
from .text_readers import STDIN, arriving_frames

CHUNK = 1 << 18  # bytes of one read
AHEAD = 200  # frames that a film looks at for its view and its trails before it begins
BUFFERED = 600  # frames between a reader and a screen: short runs are shown whole, whatever their speed
MOST_AGENTS = 1_000_000  # in all frames that wait


class Stream:
    """A trajectory whose frames are added one by one; only the last `room` of them are held."""

    largest_step = 10 ** 7  # for which a page leaves room

    def __init__(self, name, frame, room):
        """frame: the first one, as of arriving_frames()."""
        step, agents, self.world = frame
        self.name, self.room = name, room
        self.counts = {kind: len(rows) for kind, rows in agents.items()}
        self.steps, self.held = array("q"), {}  # step of each frame; {index: agents}
        self.add(frame)

    def add(self, frame):
        """The index of a new last frame."""
        step, agents, _ = frame
        k = len(self.steps)
        self.steps.append(step)
        self.held[k] = agents
        self.held.pop(k - self.room, None)
        return k

    def frame(self, kind, k):
        """x, y, vx, vy, float64 [n, 4], of one of the last frames."""
        return self.held[k][kind]


def chunks_of(path):
    """(name, bytes as they arrive) of a file, or of standard input for `-`."""
    if path != "-":
        try:
            file = open(path, "rb", buffering=0)
        except OSError as error:
            raise Refused(f"{path}: {reason(error)}") from None
        return path, iter(lambda: file.read(CHUNK), b"")
    stream = sys.stdin.buffer
    if not hasattr(stream, "peek"):  # in memory
        return STDIN, iter(lambda: stream.read(CHUNK), b"")
    # What was looked at is in the buffer. The rest is read without it: Python cannot end while a thread holds the lock of a buffer.
    begin = stream.read(len(stream.peek()))
    return STDIN, itertools.chain([begin], iter(lambda: os.read(stream.fileno(), CHUNK), b""))


def frames_of(path):
    """(name, generator of frames, as of arriving_frames()) of a text."""
    name, chunks = chunks_of(path)
    first = next(chunks, b"")
    if first.startswith(b"\x89HDF"):
        raise Refused(f"{name}: HDF5 cannot be read from a pipe; give the name of the file" if name == STDIN else
                      f"{name}: an HDF5 file is read as a whole; leave out --live")
    return name, arriving_frames(name, itertools.chain([first], chunks))


def look_ahead(name, frames, ahead, trail):
    """A Stream with the first frames, at most `ahead`. It holds these frames and those of a trail."""
    first = next(frames)
    most = max(2, min(ahead, MOST_AGENTS // max(1, sum(map(len, first[1].values())))))
    stream = Stream(name, first, most + trail)
    for frame in itertools.islice(frames, most - 1):
        stream.add(frame)
    return stream


def indices(stream, frames, every):
    """Yield the index of every K-th frame; the frames that the stream does not have are read when it is their turn."""
    for k in itertools.count(0, every):
        while k >= len(stream.steps):
            frame = next(frames, None)
            if frame is None:
                return
            stream.add(frame)
        yield k


class Feed:
    """Frames that a thread of its own reads ahead. If they arrive faster than they are taken, the oldest are skipped, or, with
    `is_complete`, the reader waits."""

    def __init__(self, frames, agents, is_complete, trail=0):
        """agents: number of agents in a frame. trail: number of skipped frames before one that is taken that a picture needs."""
        self.frames, self.is_complete = frames, is_complete
        self.waiting, self.passed = collections.deque(), collections.deque(maxlen=trail)
        self.most = max(1, min(BUFFERED, MOST_AGENTS // max(1, agents)))
        self.has_changed = threading.Condition()
        self.skipped, self.error, self.has_ended, self.taken = 0, None, False, 0
        # The garbage collector would also run in the thread and free objects of a window there, with which Tk ends the program.
        gc.collect()
        gc.freeze()  # so that later collections are quick
        gc.disable()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            for frame in self.frames:
                with self.has_changed:
                    while self.is_complete and len(self.waiting) == self.most:
                        self.has_changed.wait()
                    if len(self.waiting) == self.most:
                        self.passed.append(self.waiting.popleft())
                        self.skipped += 1
                    self.waiting.append(frame)
        except Exception as error:  # raised again where the frames are taken
            self.error = error
        self.has_ended = True

    def take(self):
        """The next frame behind the last skipped ones, or an empty list if there is none yet. An error of the reader is raised behind
        the last frame."""
        self.taken += 1
        if self.taken % 100 == 0:
            gc.collect()
        with self.has_changed:
            if self.waiting:
                self.has_changed.notify()
                frames = [*self.passed, self.waiting.popleft()]
                self.passed.clear()
                return frames
        if self.error:
            raise self.error
        return []

    def is_over(self):
        """Whether all frames were taken and no other will come."""
        return self.has_ended and not self.waiting and not self.error
