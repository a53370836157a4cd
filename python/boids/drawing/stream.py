"""Reads frames as they arrive from a pipe, or from a text or a .h5.part that another program still writes.

Only the last frames are held, so that memory does not grow with the length of the run. A film takes each frame from the reader when it
draws it, which slows the program before the pipe. A window and a terminal have a Feed, whose thread reads while they draw.
"""

import collections
import contextlib
import fcntl
import gc
import itertools
import os
import sys
import threading
import time
from array import array
from typing import Any, Iterator

import numpy as np

from ..core.messages import Failed, Refused, unreadable
from ..files.readers import read_hdf5
from ..files.source import Source
from ..files.text_readers import STDIN, arriving_frames, frames_in

CHUNK = 1 << 18  # bytes of one read
PAUSE_SECONDS = 0.1  # seconds between two looks at an HDF5 file
FIRST_FRAME_SECONDS = 5  # seconds until the first frame of an HDF5 file
FRAMES_AHEAD = 200  # frames that a film reads before it begins, to choose its view and its trails
BUFFERED_FRAMES = 600  # frames between a reader and a screen: all frames of a shorter run are shown, whatever its speed
MOST_AGENTS = 1_000_000  # the most agents in all frames that wait


class Stream(Source):
    """A trajectory whose frames are added one by one; only the last `room` of them are held."""

    room = 0
    largest_step = 10**7  # for which a page leaves room

    def __init__(self, name: str, frame: Any, room: Any) -> None:
        """Begin with the first frame, in the form of arriving_frames()."""
        step, agents, self.world = frame
        self.name, self.room = name, room
        self.ids = {kind: np.arange(len(rows)) for kind, rows in agents.items()}
        self.steps: Any = array("q")  # of each frame
        self.held: Any = {}  # {index: agents}
        self.add(frame)

    def add(self, frame: Any) -> Any:
        """Add a frame at the end and return its index."""
        step, agents, _ = frame
        k = len(self.steps)
        self.steps.append(step)
        self.held[k] = agents
        self.held.pop(k - self.room, None)
        return k

    def frame(self, kind: Any, k: Any) -> Any:
        """Return x, y, vx, vy of one of the last frames, float64 [n, 4]."""
        return self.held[k][kind]


def chunks_of(path: str) -> Any:
    """Return (name, bytes as they arrive) of a file, or of standard input for `-`."""
    if path != "-":
        try:
            file = open(path, "rb", buffering=0)
        except OSError as error:
            raise unreadable(path, error) from None
        return path, iter(lambda: file.read(CHUNK), b"")
    stream = sys.stdin.buffer
    if not hasattr(stream, "peek"):  # in memory
        return STDIN, iter(lambda: stream.read(CHUNK), b"")
    # The first bytes are in the buffer. The rest is read without a buffer: Python cannot end while a thread holds the lock of a buffer.
    begin = stream.read(len(stream.peek()))
    return STDIN, itertools.chain([begin], iter(lambda: os.read(stream.fileno(), CHUNK), b""))


def is_being_written(path: str) -> bool:
    """Return whether a run holds the lock of its HDF5 file; False if the file is no longer there."""
    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    return False


def growing_frames(path: str) -> Iterator[Any]:
    """Yield the frames of NAME.h5.part, in the form of arriving_frames(), until its run ends or stops. A run writes the step of a frame
    last and renames the file at its end."""
    last, is_over, patience = -1, False, FIRST_FRAME_SECONDS / PAUSE_SECONDS
    while not is_over:
        is_over = not is_being_written(path)
        try:
            run = read_hdf5(path if os.path.exists(path) else path.removesuffix(".part"))
            with contextlib.closing(
                run
            ):  # while it is open, libhdf5 would not see what the run writes
                run.keep(np.flatnonzero(run.steps > last))
                for last, agents, own in frames_in(run):
                    yield last, agents, own
            patience = FIRST_FRAME_SECONDS / PAUSE_SECONDS
        except (
            Refused,
            Failed,
        ):  # the run has just begun, writes into the file at this moment, or renamed it
            patience -= 1
            if patience < 0:
                raise
            is_over = False
        time.sleep(0 if is_over else PAUSE_SECONDS)


def frames_of(path: str, world: Any) -> Any:
    """Return (name, generator of frames, as of arriving_frames()) of a text, or of the HDF5 file of a run that goes on. `world` is as for
    read_text()."""
    if path.endswith(".h5.part"):
        return path, growing_frames(path)
    name, chunks = chunks_of(path)
    first = next(chunks, b"")
    if first.startswith(b"\x89HDF"):
        raise Refused(
            f"{name}: HDF5 cannot be read from a pipe; give the name of the file"
            if name == STDIN
            else f"{name}: this run has ended; leave out --live"
        )
    return name, arriving_frames(name, itertools.chain([first], chunks), world)


def look_ahead(name: str, frames: Any, ahead: Any, trail: Any) -> Any:
    """Return a Stream with at most `ahead` of the first frames. It also has room for the frames of a trail."""
    first = next(frames)
    most = min(ahead, max(2, MOST_AGENTS // max(1, sum(map(len, first[1].values())))))
    stream = Stream(name, first, most + trail)
    for frame in itertools.islice(frames, most - 1):
        stream.add(frame)
    return stream


def indices(stream: Any, frames: Any, every: Any) -> Iterator[Any]:
    """Yield the index of every K-th frame. Frames that the stream does not have yet are read when they are needed."""
    for k in itertools.count(0, every):
        while k >= len(stream.steps):
            frame = next(frames, None)
            if frame is None:
                return
            stream.add(frame)
        yield k


class Feed:
    """Reads frames ahead in a thread of its own. If they arrive faster than they are taken, the oldest are skipped, or, with
    `is_complete`, the reader waits."""

    def __init__(self, frames: Any, agents: Any, is_complete: bool, trail: Any = 0) -> None:
        """`agents` is the number of agents in a frame. `trail` is the number of earlier frames that a picture of a frame needs, even if
        they are skipped."""
        self.frames, self.is_complete = frames, is_complete
        self.waiting: Any = collections.deque()
        self.passed: Any = collections.deque(maxlen=trail)
        self.most = max(1, min(BUFFERED_FRAMES, MOST_AGENTS // max(1, agents)))
        self.has_changed = threading.Condition()
        self.error: Any = None
        self.skipped, self.has_ended, self.taken = 0, False, 0
        # The garbage collector would also run in the thread and free objects of a window there. Tk then ends the program.
        gc.collect()
        gc.freeze()  # so that later collections are quick
        gc.disable()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
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

    def take(self) -> Any:
        """Return the next frame and, before it, the last skipped ones, or an empty list if there is none yet. An error of the reader is
        raised after the last frame."""
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

    def is_over(self) -> Any:
        """Return whether all frames were taken and no other will come."""
        return self.has_ended and not self.waiting and not self.error
