"""Progress on standard error: a bar of a command, and a line of a call in Python."""

import os
import shutil
import sys
import time
from typing import Any, Iterable, Iterator, Optional

BAR_WIDTH = 28  # columns, as in boids


class Progress:
    """A progress bar on standard error, if it is a terminal."""

    def __init__(self, total: Optional[int], is_quiet: bool, unit: str = "frame") -> None:
        """`total` is None if it is not known."""
        self.total, self.unit, self.done = total, unit, 0
        self.started, self.last = time.monotonic(), 0.0
        self.is_shown = sys.stderr.isatty() and not is_quiet
        self.is_dumb = os.environ.get("TERM") == "dumb"  # without escape sequences, spaces erase
        self.length = 0
        self.remark = ""  # at the end of the line

    def each(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield `items` one by one and advance the bar; the line is erased at the end, also after an error."""
        with self:
            for item in items:
                self.draw()
                yield item
                self.done += 1

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: Any) -> None:
        if self.is_shown:
            print("\r" + self.erase(0) + "\r" * self.is_dumb, end="", file=sys.stderr, flush=True)

    def erase(self, length: int) -> str:
        """Return the text that erases the rest of an earlier line behind the first `length` characters."""
        rest, self.length = " " * (self.length - length), length
        return rest if self.is_dumb else "\033[K"

    def draw(self) -> None:
        now = time.monotonic()
        if not self.is_shown or now - self.last < 0.1:
            return
        self.last = now
        text = self.line(now - self.started, shutil.get_terminal_size().columns - 1)
        erase = self.erase(len(text))
        if text[0] in "=>" and not self.is_dumb and not os.environ.get("NO_COLOR"):
            text = f"\033[36m{text[:BAR_WIDTH]}\033[0m{text[BAR_WIDTH:]}"
        print(f"\r{text}{erase}", end="", file=sys.stderr, flush=True)

    def line(self, seconds: float, room: int) -> str:
        """Return the text of the bar after `seconds`, in at most `room` columns. If there is no room, the rate is left out, then the bar,
        then the rest."""
        rate = self.done / seconds if seconds > 0 else 0
        rounded = float(f"{rate:.2g}")
        rates = f"  {rounded:.{0 if rounded >= 10 else 1}f} {self.unit}s/s" if rate > 0 else ""
        if self.total is None:
            return f"{self.unit} {self.done}{rates}"[:room]
        share = self.done / self.total
        left = f"  {duration_text((self.total - self.done) / rate)} left" if rate > 0 else ""
        count = f"{100 * share:3.0f} %  {self.unit} {self.done} of {self.total}"
        full = int(share * BAR_WIDTH)
        bar = ("=" * full + ">" * (full < BAR_WIDTH)).ljust(BAR_WIDTH) + " "
        remark = f"  {self.remark}" if self.remark else ""
        for text in (
            bar + count + rates + left + remark,
            bar + count + left + remark,
            count + left + remark,
        ):
            if len(text) <= room:
                return text
        return count[:room]


def print_count(done: int, total: int, unit: str, is_over: bool) -> None:
    """Print a line such as "10 of 300 steps" over the one before."""
    end = "\n" if is_over else ""
    print(f"\r{done} of {total} {unit}s", end=end, file=sys.stderr, flush=True)


def duration_text(seconds: float) -> str:
    """Return a text such as "12 s", "3.4 min" or "2.0 h"."""
    return (
        f"{seconds:.0f} s"
        if seconds < 60
        else f"{seconds / 60:.1f} min"
        if seconds < 3600
        else f"{seconds / 3600:.1f} h"
    )
