"""Output files: pictures, .mp4 and .gif. Each is written under a temporary name and renamed when it is complete."""

import contextlib
import errno
import os
import re
import shutil
import struct
import subprocess
import tempfile
from typing import Any, Iterator

import numpy as np

from ..core.messages import Failed
from .style import even_colors, rgb
from ..core.atomic_file import finished_only


def save_picture(figure: Any, path: str, config: Any = "") -> None:
    """Save a figure as .png, .svg or .pdf, with the same bytes for the same input. `config` is the configuration of its run, as JSON."""
    kind = os.path.splitext(path)[1][1:].lower()
    dated, described = {
        "png": ("Software", "Description"),
        "svg": ("Date", "Description"),
        "pdf": ("CreationDate", "Subject"),
    }[kind]
    metadata = {dated: None, **({described: config} if config else {})}
    # Twice as fast as a level of 6, for 3 to 10 per cent more bytes.
    fast = {"pil_kwargs": {"compress_level": 3}} if kind == "png" else {}
    with finished_only(path) as part:
        figure.savefig(part, format=kind, dpi=figure.dpi, metadata=metadata, **fast)


# To Y, Cb and Cr of BT.709 from R, G and B of 0 to 255, within the limits of video.
YCBCR = np.array(
    [[0.2126, 0.7152, 0.0722], [-0.1146, -0.3854, 0.5], [0.5, -0.4542, -0.0458]], np.float32
)
YCBCR *= np.array([[219], [224], [224]], np.float32) / 255


def weighted_sum(channels: Any, weights: Any) -> Any:
    """Return float32 [h, w]: the weighted sum of the channels."""
    return sum(weight * channel for weight, channel in zip(weights, channels))


class Yuv420:
    """Images as yuv420p: the brightness of each pixel, then one colour per 2 x 2 pixels.

    Converters use the plain mean of the four colours, which makes small bright boids on a dark background grey. Here, the weight of a pixel
    is the square of the difference between its brightness and that of the page. The corner has the colour of the page.

    Only those squares of 2 x 2 pixels of an image that differ from the still page are converted.
    """

    BLOCK = 4096  # squares, which stay in the cache of the processor

    def __init__(self, still: Any) -> None:
        """`still`, uint8 [2h, 2w, 4], is the page without what moves."""
        self.still, self.width = still.reshape(-1).view(np.uint64), still.shape[1]
        self.page = still[0, 0, :3].astype(np.float32)
        self.still_video = np.empty(still.size * 3 // 8, np.uint8)
        self.convert(self.still, np.arange(still.size // 16), self.still_video)
        self.video = np.empty_like(self.still_video)

    def planes_of(self, image: Any) -> Any:
        """Return the bytes of an image, as large as the still page; valid until the next one."""
        pairs = image.reshape(-1).view(np.uint64)  # of pixels
        differs = (pairs != self.still).reshape(-1, 2, self.width // 2)
        np.copyto(self.video, self.still_video)
        self.convert(pairs, np.flatnonzero(differs[:, 0] | differs[:, 1]), self.video)
        return self.video.data

    def convert(self, pairs: Any, squares: Any, video: Any) -> None:
        """Convert these squares of an image."""
        pixels, colours = pairs.view(np.uint32), video[2 * len(pairs) :].reshape(2, -1)
        for begin in range(0, len(squares), self.BLOCK):
            square = squares[begin : begin + self.BLOCK]
            first = 2 * (square + square // (self.width // 2) * (self.width // 2))
            four = first + np.array([[0], [1], [self.width], [self.width + 1]])
            video[four], colours[0, square], colours[1, square] = to_yuv(pixels[four], self.page)


def to_yuv(squares: Any, page: Any) -> Any:
    """Return Y uint8 [4, n], Cb and Cr uint8 [n] of squares of pixels, RGBA in uint32 [4, n], on a page of this colour, float32 [3]."""
    channels = [(squares >> shift & 255).astype(np.float32) for shift in (0, 8, 16)]
    light = weighted_sum(channels, YCBCR[0])
    weights = (light - weighted_sum(page, YCBCR[0])) ** 2 + 1
    share = 1 / weights.sum(axis=0)
    means = [(channel * weights).sum(axis=0) * share for channel in channels]
    return [
        (plane + np.float32(0.5)).astype(np.uint8)
        for plane in (light + 16, *(weighted_sum(means, row) + 128 for row in YCBCR[1:]))
    ]


# The most bits per second of a film for sharing with at most 1920 x 1080 pixels.
MAX_SHARED_BIT_RATE = 7.5e6


def codec_of(page: Any, ending: str, is_shared: bool) -> str:
    """Return options of ffmpeg. x264 codes colour twelve steps finer than by default: this costs a third more bytes and keeps the colours
    of single boids. Without B-frames it takes three quarters of the time, for 14 per cent more bytes. A film for an archive has 1.8 times
    the bytes of a film for sharing. It has no limit, so a dense flock needs more."""
    rate = MAX_SHARED_BIT_RATE * max(1, page.width * page.height / (1920 * 1080))
    if ending == ".webm":
        limit = f"-crf 34 -b:v {rate:.0f}" if is_shared else "-crf 24 -b:v 0"
        return f"{limit} -c:v libvpx-vp9 -cpu-used 4 -row-mt 1 -f webm"
    limit = f"-crf 24 -maxrate {rate:.0f} -bufsize {rate / 2:.0f}" if is_shared else "-crf 18.5"
    return f"{limit} -preset veryfast -bf 0 -x264-params chroma-qp-offset=-12 -movflags +faststart -f mp4"


# glibc would return the memory of each frame to the system, which then clears it for the next one.
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": "1000000000", "MALLOC_TRIM_THRESHOLD_": "1000000000"}


def save_film(
    page: Any, path: str, frames: Any, fps: float, progress: Any, config: str, is_shared: bool
) -> None:
    """Save an .mp4 or .webm with ffmpeg, which gets raw pixels through a pipe.

    Colours are marked as BT.709, so that players do not guess a matrix from the height of the picture. `config` is the configuration
    of the run as JSON, for the metadata.
    """
    codec = codec_of(page, os.path.splitext(path)[1].lower(), is_shared)
    color = "-colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv"
    raw = f"-f rawvideo -pix_fmt yuv420p {color} -s {page.width}x{page.height} -r {fps:g}"
    with finished_only(
        path
    ) as part, tempfile.TemporaryFile() as log, tempfile.NamedTemporaryFile() as metadata:
        described = []
        if config:  # in a file, because an argument has at most 128 KB
            comment = re.sub(r"([=;#\\\n])", r"\\\1", config)
            metadata.write(f";FFMETADATA1\ncomment={comment}\n".encode())
            metadata.flush()
            described = [*"-f ffmetadata -i".split(), metadata.name, *"-map_metadata 1".split()]
        status = encode(
            [
                *f"ffmpeg -v error -y {raw} -i pipe:0".split(),
                *described,
                *f"-an -pix_fmt yuv420p {color} {codec}".split(),
                part,
            ],
            progress.each(page.images(frames)),
            page,
            log,
        )
        log.seek(0)
        said = log.read().decode(errors="replace").strip().splitlines()
        if status or said:  # on a full disk the status may be 0
            raise Failed(
                f"{path}: {fault_of(status, said or ['it did not say why'], os.path.dirname(part))}"
            )


def encode(command: Any, images: Any, page: Any, log: Any) -> int:
    """Give images of a page to ffmpeg, and return its exit status. In a session of its own, Ctrl-C reaches ffmpeg through us, after
    we have decided what to do."""
    ffmpeg = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=log,
        start_new_session=True,
        env={**os.environ, **KEEP_MEMORY},
    )
    pipe: Any = ffmpeg.stdin
    try:
        with contextlib.suppress(BrokenPipeError):
            video = Yuv420(page.still())
            for image in images:
                pipe.write(video.planes_of(image))
            pipe.close()
        return ffmpeg.wait()
    finally:
        if ffmpeg.poll() is None:
            ffmpeg.kill()
            ffmpeg.wait()
        with contextlib.suppress(BrokenPipeError):
            pipe.close()


def fault_of(status: Any, said: Any, folder: Any) -> Any:
    """Return the message for a failure of ffmpeg with the lines `said`, the last of which does not name a full disk."""
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        if any(os.strerror(number) in line for line in said):
            return os.strerror(number)
    if not shutil.disk_usage(folder).free:
        return os.strerror(errno.ENOSPC)
    return f"ffmpeg stopped with status {status}: {said[-1].strip()}"


UNCHANGED_COLOUR = 255  # the colour of a GIF that leaves a pixel unchanged
LONG_GIF_FRAMES = 200  # frames; a longer GIF has only every second frame


def gif_palette(style: Any) -> Any:
    """Return uint8 [n, 3], n up to UNCHANGED_COLOUR: the colours of a page. One palette for all frames avoids flicker. Few colours make small files,
    because more pixels are like their neighbours."""
    page, field, box, margin, text, muted, edge, predator = (
        rgb(getattr(style, name))
        for name in "page field box margin text muted predator_edge predator".split()
    )
    blends: Any = [(page, (text, muted, edge), np.linspace(0.25, 1, 4))]
    blends += [(field, (predator,), np.linspace(0.2, 1, 5))]
    for part, hues in ((1, 24), (0.66, 12), (0.33, 12), (0.15, 12)):
        blends += [(field, even_colors(hues, style.ring), np.array([part]))]
    colors = [page, field, box, margin]
    for base, inks, parts in blends:
        colors += [base * (1 - part) + ink * part for ink in inks for part in parts]
    assert len(colors) <= UNCHANGED_COLOUR
    return (np.array(colors) * 255).round().astype(np.uint8)


def gif_images(images: Any, colors: Any) -> Iterator[Any]:
    """Yield, for each image of a GIF, (the changed part in colours of the palette, its left, its top)."""
    from PIL import Image

    palette, before = Image.new("P", (1, 1)), None
    palette.putpalette(colors.tobytes())
    for image in images:
        shown = np.asarray(
            Image.fromarray(image[:, :, :3]).quantize(palette=palette, dither=Image.Dither.NONE)
        )
        if before is None:
            yield Image.fromarray(shown, "P"), (0, 0)
        else:
            changed = shown != before
            left, top, right, bottom = Image.fromarray(changed).getbbox() or (0, 0, 1, 1)
            part = np.where(changed, shown, np.uint8(UNCHANGED_COLOUR))[top:bottom, left:right]
            yield Image.fromarray(part, "P"), (left, top)
        before = shown


def gif_comment(text: str) -> bytes:
    """Return the block of a GIF for a comment, in parts of up to 255 bytes."""
    data = text.encode()
    parts = [data[i : i + 255] for i in range(0, len(data), 255)]
    return b"".join([b"\x21\xfe", *(bytes([len(part)]) + part for part in parts), b"\0"])


def save_gif(page: Any, path: str, frames: Any, fps: float, progress: Any, config: str) -> None:
    """Save an animated GIF. Its clock ticks in hundredths of a second, so the times of frames alternate to keep the mean rate. Each frame is
    written when it is drawn: Pillow would hold all in memory."""
    from PIL.GifImagePlugin import getdata

    colors = gif_palette(page.look.style)
    with finished_only(path) as part, open(part, "wb") as file:
        size = struct.pack("<HH", page.width, page.height)
        file.write(b"GIF89a" + size + b"\xf7\0\0" + np.resize(colors, (256, 3)).tobytes())
        file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0")  # for ever
        file.write(gif_comment(config))
        for k, (image, offset) in enumerate(gif_images(progress.each(page.images(frames)), colors)):
            ticks = max(
                2, round(100 * (k + 1) / fps) - round(100 * k / fps)
            )  # viewers slow down what is below 2
            file.writelines(
                getdata(
                    image, offset, duration=10 * ticks, transparency=UNCHANGED_COLOUR, disposal=1
                )
            )
        file.write(b";")
