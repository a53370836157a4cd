"""A window that plays the frames."""

import itertools
import os
import signal
import sys
from typing import Any

from ..core.messages import Refused
from ..core.sanitize import one_line


def open_window() -> Any:
    """Return pyplot with a window backend; raise Refused if no window can be opened."""
    sentence = "no display to open a window on; --terminal draws here, --save flock.mp4 writes a film, --save flock.png a picture"
    # Only X11 and Wayland can be detected without opening a window.
    if sys.platform not in ("darwin", "win32") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        raise Refused(sentence)
    try:
        import matplotlib.pyplot as pyplot

        canvas = pyplot.figure().canvas  # selects the backend
        pyplot.close("all")
    except Exception as error:  # whatever the toolkits raise
        raise Refused(f"{sentence} ({one_line(error)})") from None
    if canvas.required_interactive_framework is None:
        raise Refused(f"{sentence} (matplotlib found no window toolkit; on Debian: python3-tk)")
    return pyplot


class Window:
    """A window that plays a run again and again or, with a Feed, shows frames as they arrive, until it is closed. The space bar pauses and
    continues."""

    def __init__(
        self,
        pyplot: Any,
        make_page: Any,
        trajectory: Any,
        frames: Any,
        fps: float,
        feed: Any = None,
    ) -> None:
        """`frames` are the indices to play; a Feed adds its frames to `trajectory`, a Stream."""
        self.pyplot, self.trajectory, self.feed = pyplot, trajectory, feed
        self.indices = itertools.cycle(frames)
        self.page = page = make_page(pyplot.figure)
        self.frame = frames[-1] if feed else next(self.indices)
        self.canvas, self.still, self.is_paused, self.error = page.figure.canvas, None, False, None
        self.corner = page.write(
            *(page.size - (22, 7)),
            "",
            9.5,
            page.look.style.muted,
            ha="right",
            animated=True,
        )
        page.moving.append(self.corner)
        self.canvas.manager.set_window_title(f"boids: {trajectory.name}")
        self.canvas.mpl_connect("draw_event", self.on_draw)
        self.canvas.mpl_connect("key_press_event", self.on_key)
        self.timer = self.canvas.new_timer(interval=max(1, round(1000 / fps)))
        self.timer.add_callback(self.on_tick)

    def run(self) -> None:
        """Show the window until it is closed or a signal arrives. An error of the reader closes it and is raised here."""
        # Toolkits swallow or print exceptions in their callbacks: KeyboardInterrupt, SystemExit. There is nothing to clean up here.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, lambda *_: os._exit(130))
        signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
        self.timer.start()
        self.pyplot.show()
        if self.error:
            raise self.error

    def on_key(self, event: Any) -> None:
        self.is_paused ^= event.key == " "

    def on_draw(self, _: Any) -> None:
        """matplotlib calls this when it has drawn the still parts: at the start and when the size of the window has changed."""
        self.still = self.canvas.copy_from_bbox(self.page.figure.bbox)
        self.draw()

    def draw(self) -> None:
        """Draw the frame over the still parts."""
        self.page.show([self.frame] * len(self.page.panels))
        if self.feed:
            said = [f"{self.feed.skipped} frames skipped"] * bool(self.feed.skipped)
            said += ["the input has ended"] * self.feed.is_over()
            self.corner.set_text(", ".join(said))
        self.canvas.restore_region(self.still)
        for artist in self.page.moving:
            self.page.figure.draw_artist(artist)
        self.canvas.blit(self.page.figure.bbox)

    def on_tick(self) -> bool:
        """Show the next frame, if it has arrived. Toolkits swallow exceptions, so they are kept here."""
        if self.is_paused or self.still is None:
            return True
        try:
            frames = (
                [self.trajectory.add(frame) for frame in self.feed.take()]
                if self.feed
                else [next(self.indices)]
            )
            is_over = self.feed is not None and self.feed.is_over()
            self.frame = frames[-1] if frames else self.frame
            if frames or is_over:
                self.draw()
            return not is_over  # else the timer stops
        except Exception as error:
            self.error = error
            self.pyplot.close(self.page.figure)
            return False
