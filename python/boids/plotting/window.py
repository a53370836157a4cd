"""A window that plays the frames."""

import os
import signal
import sys

from .errors import Refused


def has_display():
    """Whether a window could open. Only X11 and Wayland can be detected without opening one."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_window():
    """pyplot with a backend that has windows, or Refused."""
    sentence = "no display to open a window on; --save flock.mp4 writes a film, --save flock.png a picture"
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
    # Toolkits swallow exceptions in their callbacks, or print them: KeyboardInterrupt, SystemExit. Here is nothing to clean up.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    pyplot.show()
