"""What leaves: a picture, an mp4, a gif. Each is written under another name and takes its own when it is whole."""

import contextlib
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from .faults import Failed, reason
from .looks import rgb, ring_colors


class Progress:
    """A bar on standard error while rendering, where someone is looking."""

    def __init__(self, total, is_quiet):
        self.total, self.started, self.last = total, time.monotonic(), 0.0
        self.is_shown = sys.stderr.isatty() and not is_quiet

    def each(self, items):
        """`items`, one by one, moving the bar; the line is wiped at the end, however it comes."""
        try:
            for done, item in enumerate(items):
                self.draw(done)
                yield item
        finally:
            if self.is_shown:
                print("\r\033[K", end="", file=sys.stderr, flush=True)

    def draw(self, done):
        now = time.monotonic()
        if not self.is_shown or now - self.last < 0.1:
            return
        self.last = now
        filled = round(24 * done / self.total)
        left = (now - self.started) / done * (self.total - done) if done else 0
        eta = f"  {math.ceil(left)} s left" if done else ""
        print(f"\r  [{'#' * filled}{'.' * (24 - filled)}] frame {done} of {self.total}{eta}\033[K", end="",
              file=sys.stderr, flush=True)


@contextlib.contextmanager
def finished_only(path):
    """The name to write under; it becomes `path` when all went well and vanishes otherwise."""
    final = os.path.realpath(path)  # where `path` is a symbolic link, the link stays
    stem, ending = os.path.splitext(final)
    part = f"{stem}.part{ending}"
    try:
        open(part, "wb").close()  # what cannot be written is better known before the rendering than after
        yield part
        os.replace(part, final)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(part)
        if isinstance(error, OSError):
            raise Failed(f"{path}: {reason(error)}") from None
        raise


def save_picture(figure, path):
    """A figure as .png, .svg or .pdf; the same bytes from the same input."""
    kind = os.path.splitext(path)[1][1:].lower()
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with finished_only(path) as part:
        figure.savefig(part, format=kind, dpi=figure.dpi, metadata=metadata)


def save_mp4(page, path, frames, fps, progress):
    """A film by way of ffmpeg, which gets raw pixels through a pipe.

    Colours are converted and marked as BT.709, lest players guess a matrix from the height of the picture. The preset
    veryfast makes these pictures no larger than x264's own choice and takes a third of its time, which at ten thousand
    boids is what a film waits for.
    """
    with finished_only(path) as part, tempfile.TemporaryFile() as log:
        raw = ["-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{page.width}x{page.height}", "-r", f"{fps:g}"]
        color = ["-vf", "scale=out_color_matrix=bt709", "-pix_fmt", "yuv420p", "-colorspace", "bt709",
                 "-color_primaries", "bt709", "-color_trc", "bt709"]
        command = ["ffmpeg", "-v", "error", "-y", *raw, "-i", "pipe:0", "-an", *color, "-preset", "veryfast",
                   "-crf", "18", "-movflags", "+faststart", "-f", "mp4", part]
        # In a session of its own, Ctrl-C reaches ffmpeg through us, after we have decided what to do.
        ffmpeg = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log,
                                  start_new_session=True)
        try:
            with contextlib.suppress(BrokenPipeError):
                for image in progress.each(page.images(frames)):
                    ffmpeg.stdin.write(image)
                ffmpeg.stdin.close()
            status = ffmpeg.wait()
        finally:
            if ffmpeg.poll() is None:
                ffmpeg.kill()
                ffmpeg.wait()
            with contextlib.suppress(BrokenPipeError):
                ffmpeg.stdin.close()
        if status:
            log.seek(0)
            said = log.read().decode(errors="replace").strip().splitlines() or ["it did not say why"]
            raise Failed(f"{path}: ffmpeg stopped with status {status}: {said[-1].strip()}")


def gif_palette(style):
    """uint8 [256, 3]: the colours that a page is made of. One palette for all frames: no flicker."""
    def blends(color, base, parts):
        return [rgb(base) * (1 - part) + color * part for part in parts]
    colors = [rgb(color) for color in (style.page, style.field, style.box, style.margin)]
    for color in (rgb(style.text), rgb(style.muted), rgb(style.predator_edge)):
        colors += blends(color, style.page, np.linspace(0.2, 1, 5))
    colors += blends(rgb(style.predator), style.field, np.linspace(0.1, 1, 9))
    for part, hues in ((1, 64), (0.75, 36), (0.5, 36), (0.33, 36), (0.22, 24), (0.12, 20), (0.05, 12)):
        ring = ring_colors(np.arange(hues) * 2 * np.pi / hues, style.ring)
        colors += list(rgb(style.field) * (1 - part) + ring * part)
    assert len(colors) == 256
    return (np.array(colors) * 255).round().astype(np.uint8)


def save_gif(page, path, frames, fps, progress):
    """An animated GIF. Its clock ticks in hundredths of a second; frames take turns to keep the mean rate."""
    from PIL import Image
    palette = Image.new("P", (1, 1))
    palette.putpalette(gif_palette(page.look.style).tobytes())

    def pages():
        for image in progress.each(page.images(frames)):
            yield Image.fromarray(image[:, :, :3]).quantize(palette=palette, dither=Image.Dither.NONE)

    ticks = np.diff(np.rint(100 * np.arange(len(frames) + 1) / fps)).astype(int)
    lasting = [int(10 * max(2, tick)) for tick in ticks]  # milliseconds; viewers slow down what is below 20
    with finished_only(path) as part:
        images = pages()
        first = next(images)
        first.save(part, format="GIF", save_all=True, append_images=images, duration=lasting, loop=0,
                   optimize=False)
