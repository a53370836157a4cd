"""A window that plays the frames."""

import os
import signal
import sys

from .errors import Refused


def has_display():
    """Return whether a window could open. Only X11 and Wayland can be detected without opening one."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_window():
    """Return pyplot with a window backend; raise Refused if no window can be opened."""
    sentence = "no display to open a window on; --terminal draws here, --save flock.mp4 writes a film, --save flock.png a picture"
    if not has_display():
        raise Refused(sentence)
    try:
        import matplotlib.pyplot as pyplot
        canvas = pyplot.figure().canvas  # selects the backend
        pyplot.close("all")
    except Exception as error:  # whatever the toolkits raise
        raise Refused(f"{sentence} ({' '.join(str(error).split())})") from None
    if canvas.required_interactive_framework is None:
        raise Refused(f"{sentence} (matplotlib found no window toolkit; on Debian: python3-tk)")
    return pyplot


def show_window(pyplot, make_page, name, frames, fps):
    """Play the frames in a window, in a loop, until it is closed. The space bar pauses and continues."""
    from matplotlib.animation import FuncAnimation
    page = make_page(lambda figsize, dpi: pyplot.figure(figsize=figsize, dpi=dpi))
    page.figure.canvas.manager.set_window_title(name)

    def update(k):
        page.show([k] * len(page.panels))
        return page.moving

    film = FuncAnimation(page.figure, update, frames=frames, interval=1000 / fps, blit=True,
                         cache_frame_data=False)
    is_paused = False

    def on_key(event):
        nonlocal is_paused
        if event.key == " ":
            is_paused = not is_paused
            (film.pause if is_paused else film.resume)()

    page.figure.canvas.mpl_connect("key_press_event", on_key)
    run_window(pyplot)


def run_window(pyplot):
    """Show the windows until they are closed or a signal arrives."""
    # Toolkits swallow exceptions in their callbacks, or print them: KeyboardInterrupt, SystemExit. Here is nothing to clean up.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    pyplot.show()


class LiveWindow:
    """A window that shows frames as they arrive, until it is closed."""

    def __init__(self, pyplot, make_page, stream, feed, fps):
        self.pyplot, self.stream, self.feed, self.error = pyplot, stream, feed, None
        self.page = page = make_page(lambda figsize, dpi: pyplot.figure(figsize=figsize, dpi=dpi))
        self.frame = len(stream.steps) - 1
        self.canvas, self.still = page.figure.canvas, None
        self.corner = page.write(page.width - 22 * page.look.unit, 7 * page.look.unit, "", 9.5, page.look.style.muted, ha="right", animated=True)
        page.moving.append(self.corner)
        self.canvas.manager.set_window_title(f"boids: {stream.name}")
        self.canvas.mpl_connect("draw_event", self.on_draw)
        self.timer = self.canvas.new_timer(interval=max(1, round(1000 / fps)))
        self.timer.add_callback(self.on_tick)

    def run(self):
        """Show the window. An error of the reader closes it and is raised here."""
        self.timer.start()
        run_window(self.pyplot)
        if self.error:
            raise self.error

    def on_draw(self, _):
        """matplotlib calls this when it has drawn the still parts: at the start and when the size of the window has changed."""
        self.still = self.canvas.copy_from_bbox(self.page.figure.bbox)
        self.draw()

    def draw(self):
        """Draw the frame over the still parts."""
        self.page.show([self.frame])
        self.corner.set_text(", ".join(filter(None, (f"{self.feed.skipped} frames skipped" * bool(self.feed.skipped), "the input has ended" * self.feed.is_over()))))
        self.canvas.restore_region(self.still)
        for artist in self.page.moving:
            self.page.figure.draw_artist(artist)
        self.canvas.blit(self.page.figure.bbox)

    def on_tick(self):
        """Show the next frame, if it has arrived. Toolkits swallow exceptions, so they are kept here."""
        try:
            frames = self.feed.take()
            for frame in frames:
                self.frame = self.stream.add(frame)
            if self.still is not None and (frames or self.feed.is_over()):
                self.draw()
            return not self.feed.is_over()  # else the timer stops
        except Exception as error:
            self.error = error
            self.pyplot.close(self.page.figure)
            return False
