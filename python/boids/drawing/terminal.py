"""A flock in a terminal: each cell is a Braille character of 2 x 4 dots, in the colour of the heading of its boids.

Only the lines that have changed are written, so that a slow connection keeps up. numpy only.
"""

import contextlib
import io
import itertools
import math
import os
import shutil
import signal
import sys
import termios
import time
from typing import Any, Iterator

import numpy as np

from ..core.messages import Refused
from ..core.sanitize import tidy
from ..core.space import speeds_of
from .style import SCREEN, bins_of, even_colors, rgb
from .viewport import finite_rows, padded

# The bit of each dot of a Braille character, by row and column.
DOT_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
BRAILLE, PREDATOR = 0x2800, ord("\u25c6")  # code points
HUE_COUNT = 24  # number of colours of headings
# Pens after the pens of the headings.
PEN_PREDATOR, PEN_STILL, PEN_PLAIN = HUE_COUNT, HUE_COUNT + 1, HUE_COUNT + 2
ENTER, LEAVE = (
    "\033[?1049h\033[?25l\033[?7l\033[2J",
    "\033[0m\033[?7h\033[?25h\033[?1049l",
)  # switch to another screen without a cursor, whose lines are cut and not wrapped, and back


def pens() -> Any:
    """Return the escape sequence of each pen: in 24 bits, in the 216 colours that most terminals have, or none with NO_COLOR."""
    colors = np.array(
        [*even_colors(HUE_COUNT, SCREEN.ring), rgb(SCREEN.predator), rgb(SCREEN.muted)]
    )
    if os.environ.get("NO_COLOR"):
        return [""] * (len(colors) + 1)
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        codes = [
            f"2;{red};{green};{blue}" for red, green, blue in np.rint(255 * colors).astype(int)
        ]
    else:
        codes = [f"5;{code}" for code in 16 + np.rint(5 * colors).astype(int) @ (36, 6, 1)]
    return [*(f"\033[38;{code}m" for code in codes), "\033[0m"]


class Canvas:
    """The cells of one picture: code points and pens, int [rows, columns]."""

    def __init__(self, columns: Any, rows: Any, low: Any, high: Any, upward: Any) -> None:
        """Make a canvas. `low` and `high` bound the part of the plane that is shown. It is as large as fits, and centred. `upward` is
        whether y grows upwards."""
        self.dots = np.array([2 * columns, 4 * rows])
        self.scale = (self.dots / (high - low)).min()  # dots per world unit
        self.begin = (self.dots - self.scale * (high - low)) / 2
        self.low, self.upward = low, upward
        self.bits = np.zeros((rows, columns), int)
        self.pens = np.full((rows, columns), PEN_PLAIN)

    def places(self, points: Any) -> Any:
        """Return (dots, indices) of the points in view: column and row of the dot of each, int [m, 2], and its index in points [n, 2], int [m]."""
        at = np.floor(self.begin + self.scale * (points - self.low))
        if self.upward:
            at[:, 1] = self.dots[1] - 1 - at[:, 1]
        with np.errstate(invalid="ignore"):
            seen = np.flatnonzero(((at >= 0) & (at < self.dots)).all(axis=1))
        return at[seen].astype(int), seen

    def add_dots(self, points: Any, pens: Any) -> None:
        """Set the dots of points [n, 2]; the cells have the pen of their last point."""
        dots, seen = self.places(points)
        columns, rows = dots.T
        np.bitwise_or.at(self.bits, (rows // 4, columns // 2), DOT_BITS[rows % 4, columns % 2])
        self.pens[rows // 4, columns // 2] = pens[seen]

    def add_still(self, world: Any) -> None:
        """Draw the edge of the world, and its obstacles and goals."""
        size = world.space.size
        sides = np.linspace(0, 1, 2 * max(self.dots))[:, None]
        ring = np.exp(2j * np.pi * sides).view(float)
        circles = [(world.width / 2,) * 3] * world.is_disc + world.images()
        points = [np.array([x, y]) + radius * ring for x, y, radius in circles]
        points += [np.reshape(world.goals, (-1, 2))]
        corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]) * size
        for a, b in zip(corners, corners[1:]) if not world.is_disc else ():
            points.append(a + sides * (b - a))
        # A point on the far edge belongs to the last dot inside.
        found = np.concatenate(points)
        found = np.where(found == size, found - 0.5 / self.scale, found)
        self.add_dots(found, np.full(len(found), PEN_STILL))

    def add_flock(self, agents: Any) -> None:
        """Draw boids as dots and predators as characters. `agents` is {kind: [n, 4]}."""
        x_speed, y_speed = agents["boid"][:, 2:].T
        angles = np.arctan2(y_speed if self.upward else -y_speed, x_speed)
        self.add_dots(agents["boid"][:, :2], bins_of(np.nan_to_num(angles), HUE_COUNT))
        columns, rows = self.places(agents["predator"][:, :2])[0].T
        self.bits[rows // 4, columns // 2] = PREDATOR - BRAILLE
        self.pens[rows // 4, columns // 2] = PEN_PREDATOR

    def lines(self, sequences: Any) -> Iterator[Any]:
        """Return one text per row of cells; `sequences` are those of pens()."""
        for bits, row in zip(self.bits, self.pens):
            text, pen = "", PEN_PLAIN
            for bit, own in zip(bits.tolist(), row.tolist()):
                if bit and own != pen:
                    text, pen = text + sequences[own], own
                text += chr(BRAILLE + bit) if bit else " "
            yield text + (sequences[PEN_PLAIN] if pen != PEN_PLAIN else "")


@contextlib.contextmanager
def own_screen() -> Iterator[Any]:
    """Show another screen, without a cursor and without echo of typed keys. The terminal is restored at the end, also after a signal or
    an error, and while the program is stopped (Ctrl-Z)."""
    before = termios.tcgetattr(sys.stdout)

    def enter(*_: Any) -> None:
        silent = termios.tcgetattr(sys.stdout)
        silent[3] &= ~termios.ECHO
        termios.tcsetattr(sys.stdout, termios.TCSANOW, silent)
        write(ENTER)

    def leave() -> None:
        write(LEAVE)
        termios.tcsetattr(sys.stdout, termios.TCSANOW, before)

    def stop(*_: Any) -> None:
        leave()
        os.kill(os.getpid(), signal.SIGSTOP)

    def end(number: Any, _: Any) -> None:
        sys.exit(128 + number)

    actions: Any = (signal.SIGTSTP, stop), (signal.SIGCONT, enter)
    actions += (signal.SIGQUIT, end), (signal.SIGHUP, end)
    handlers = [(number, signal.signal(number, action)) for number, action in actions]
    try:
        enter()
        yield
    finally:
        for number, handler in handlers:
            signal.signal(number, handler)
        leave()


def write(text: str) -> None:
    """Write a text to standard output; a slow terminal blocks until it has all of it."""
    sys.stdout.write(text)
    sys.stdout.flush()


def check_terminal() -> None:
    """Refuse a standard output that cannot show the flock."""
    if not sys.stdout.isatty():
        raise Refused(
            "--terminal draws on a terminal, and standard output is none; --save flock.mp4 writes a film"
        )
    if os.environ.get("TERM", "dumb") == "dumb":
        raise Refused("--terminal: this terminal cannot move its cursor (TERM is dumb or not set)")


class Screen:
    """The picture on a terminal, whose size may change."""

    def __init__(self, world: Any, title: str, y_axis: str, wanted: Any) -> None:
        """`wanted` is the option --view. Without it, the view is the world or, if there is none, contains all boids so far."""
        self.world, self.title, self.sequences = world, title, pens()
        if not isinstance(wanted, tuple):
            wanted = (0, world.width, 0, world.height) if world else None
        self.is_fixed = wanted is not None
        sides = np.array(wanted or (math.inf, -math.inf) * 2)
        self.low, self.high = sides[::2], sides[1::2]
        self.upward = y_axis == "up"
        self.size: Any = None
        self.shown: Any = []

    def has_new_size(self) -> Any:
        return shutil.get_terminal_size() != self.size

    def look_at(self, agents: Any) -> None:
        """Enlarge the view if boids are outside of it."""
        points = finite_rows(np.concatenate([rows[:, :2] for rows in agents.values()]))
        if not self.is_fixed and ((points < self.low) | (points > self.high)).any():
            low, high = padded(points.min(axis=0), points.max(axis=0))
            self.low, self.high = np.minimum(low, self.low), np.maximum(high, self.high)

    def draw(self, step: Any, agents: Any, skipped: Any) -> None:
        """Write the lines that differ from those on the screen. The cursor stays in the last line, which changes with each frame:
        what other programs write there, such as a progress bar, disappears."""
        clear = ""
        if self.has_new_size():
            self.size, self.shown = shutil.get_terminal_size(), []
            clear = "\033[0m\033[2J"
        self.look_at(agents)
        canvas = Canvas(
            self.size.columns, max(1, self.size.lines - 1), self.low, self.high, self.upward
        )
        if self.world:
            canvas.add_still(self.world)
        canvas.add_flock(agents)
        lines = [
            *canvas.lines(self.sequences),
            self.status(step, agents, skipped)[: self.size.columns - 1],
        ]
        for k, (line, old) in enumerate(itertools.zip_longest(lines, self.shown), 1):
            clear += f"\033[{k};1H{line}\033[K" if line != old else ""
        write(clear)
        self.shown = lines

    def status(self, step: Any, agents: Any, skipped: Any) -> Any:
        """Return the line below the flock."""
        velocities = finite_rows(agents["boid"])[:, 2:]
        count, speeds = len(velocities), speeds_of(velocities)
        # A boid at rest has no heading and counts as 0.
        mean = (velocities.T / np.maximum(speeds, np.finfo(float).tiny)).sum(axis=1) / max(1, count)
        measured = f"step {step}  polarization {np.hypot(*mean):.3f}  {count} boids"
        parts = [measured, f"{skipped} frames skipped" * bool(skipped), tidy(self.title)]
        return "  ".join(filter(None, parts))


def show(start: Any, first: Any, screen: Any, fps: float) -> None:
    """Draw the frame `first` and those of the Feed that start() returns as they arrive. At the end, the last status line and the notes of
    the reader stay on the terminal."""
    (step, agents, _), frames, skipped = first, [first], 0
    due, notes = time.monotonic(), io.StringIO()
    try:
        with own_screen(), contextlib.redirect_stderr(
            notes
        ):  # the other screen disappears with all that is on it
            feed = start()
            while frames or not feed.is_over():
                if frames:
                    step, agents, _ = frames[-1]
                if frames or screen.has_new_size():
                    skipped = feed.skipped
                    screen.draw(step, agents, skipped)
                due = max(due + 1 / fps, time.monotonic() - 1 / fps)
                time.sleep(max(0.0, due - time.monotonic()))
                frames = feed.take()
    finally:
        write(f"\r{screen.status(step, agents, skipped)}\033[K\n")
        sys.stderr.write(notes.getvalue())
