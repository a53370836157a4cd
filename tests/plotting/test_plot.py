#!/usr/bin/env python3
"""Claims about scripts/plot.py. Run with a python3 that has numpy, h5py and matplotlib:

    PYTHON tests/plotting/test_plot.py

The data are made here, in a temporary folder; the simulator is not needed. Directions are checked in pixels
of the screen, where up is up, not in the coordinates that plot.py works in.
"""

import contextlib
import gc
import html
import importlib.util
import io
import itertools
import json
import math
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import termios
import time
import unittest
from unittest import mock

os.environ["MPLBACKEND"] = "Agg"
os.environ[
    "HDF5_USE_FILE_LOCKING"
] = "FALSE"  # for a reader of a live run; must be set before HDF5 is loaded
sys.path.append(sys.path[0] + "/..")

from support import (
    PATIENCE,
    ROOT,
    Folder,
    add_refusals,
    by_level,
    rows_of,
    texts_of,
)  # noqa: E402

PLOT = os.path.join(ROOT, "scripts", "plot.py")
PACKAGES = os.path.join(ROOT, "python")
sys.dont_write_bytecode = True

import h5py  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.patches import Circle  # noqa: E402
from numpy.random import default_rng  # noqa: E402
from numpy.testing import assert_allclose, assert_array_equal  # noqa: E402
from matplotlib.transforms import Bbox  # noqa: E402
from PIL import Image  # noqa: E402

from boids.commands import command_line  # noqa: E402
from boids.commands import plot as command  # noqa: E402
from boids.core import messages as errors  # noqa: E402
from boids.core.progress import Progress, duration_text  # noqa: E402
from boids.drawing import palette, panel, stream, style, writers  # noqa: E402
from boids.estimates import seeds  # noqa: E402
from boids.files import readers, source, tables, text_readers  # noqa: E402
from boids.drawing.layout import HEADER, Figure, Page  # noqa: E402
from boids.drawing.panel import DOTS_ABOVE, Look, default_trail  # noqa: E402
from boids.drawing.viewport import view_of  # noqa: E402
from boids.files.world import World, read_config  # noqa: E402

SMALL = 320, 240
WORLD = {"width": 640, "height": 480, "border": "bounce", "margin": 100}


# ----------------------------------------------------------------------------------------------------------
# Data


def straight_motion(n, frames, seed=1, width=640, height=480):
    """float [frames, n, 4]: agents on straight lines at speed 4, wrapped into the world."""
    random, world = default_rng(seed), (width, height)
    angle = random.uniform(0, 2 * np.pi, n)
    velocity = 4 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    start = random.uniform(0, 1, (n, 2)) * world
    places = [(start + k * velocity) % world for k in range(frames)]
    return np.concatenate([places, [velocity] * frames], axis=2)


def csv_lines(boids, predators=None, every=1):
    """The lines of the tidy CSV, header first, of arrays [T, n, 4]."""
    lines = ["step,time,id,type,x,y,vx,vy"]
    for k, frame in enumerate(boids):
        rows = [("boid", row) for row in frame]
        if predators is not None:
            rows += [("predator", row) for row in predators[k]]
        for i, (kind, row) in enumerate(rows):
            numbers = ",".join(f"{value:.17g}" for value in row)
            lines.append(f"{k * every},{k * every},{i},{kind},{numbers}")
    return lines


def text_of(lines):
    """The text of a file of these lines."""
    return "\n".join(lines) + "\n"


def write_h5(path, boids, predators=None, config=None, steps=None, dimensions=2, ids=None):
    """An H5MD file as boids writes it, or with three dimensions, or with other steps or ids."""
    with h5py.File(path, "w") as file:
        steps = np.arange(len(boids)) if steps is None else np.asarray(steps)
        for kind, agents in (("boids", boids), ("predators", predators)):
            if agents is not None:
                group = file.create_group(f"particles/{kind}")
                for part, values in ("position", agents[..., :2]), ("velocity", agents[..., 2:]):
                    room = ((0, 0), (0, 0), (0, dimensions - 2))
                    group[f"{part}/value"] = np.pad(values, room)
                    group[f"{part}/step"] = steps.astype(np.int64)
                group["id"] = np.arange(agents.shape[1], dtype=np.int32) if ids is None else ids
        file["particles/boids/box/edges"] = np.array([640.0, 480.0])
        if config is not None:
            file["parameters/config"] = np.bytes_(json.dumps(config).encode())


def trajectory_of(boids, world=None, predators=None):
    """A trajectory in memory."""
    agents = {
        "boid": boids,
        "predator": np.empty((len(boids), 0, 4)) if predators is None else predators,
    }
    trajectory = source.MemorySource("test", np.arange(len(boids)), agents)
    trajectory.world = world
    return trajectory


def split_words(arguments):
    """The words of a command. A text with a space is a line as of a shell; a list stands for its words."""
    for one in arguments:
        if isinstance(one, (tuple, list)):
            yield from split_words(one)
        else:
            yield from shlex.split(one) if " " in str(one) else [str(one)]


def run_plot(*arguments, program=PLOT, **how):
    """plot.py in a process of its own."""
    return subprocess.run(
        [sys.executable, "-B", program, *split_words(arguments)],
        capture_output=True,
        text=True,
        **how,
    )


def texts(artists):
    return [artist.get_text() for artist in artists]


def with_answers(lines):
    """A CSV among whose rows are what the firmware answers to the keys h, r and p."""
    said = ["10 964cb9e51839eba5 2004799 2004799 0", "# reports are off", "# paused"]
    return [*lines[:40], *said, *lines[40:]]


@contextlib.contextmanager
def as_command():
    """The standard error, on which messages are printed as by a command."""
    is_command = mock.patch("boids.core.errors.is_command", True)
    with contextlib.redirect_stderr(io.StringIO()) as error, is_command:
        yield error


class Case(Folder):
    """A test with a flock in its folder, and ways to call plot.py."""

    @classmethod
    def setUpClass(cls):
        command.configure_matplotlib()

    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.set_flock(30, 12)

    def set_flock(self, boids, frames, predators=1):
        """Replace the flock."""
        self.boids = straight_motion(boids, frames)
        self.predators = straight_motion(predators, frames, seed=2) if predators else None

    def csv_lines(self, **how):
        return csv_lines(self.boids, self.predators, **how)

    def write(self, name, text):
        super().write(name, text)
        return name

    def csv(self, name="flock.csv", **how):
        return self.write(name, text_of(self.csv_lines(**how)))

    def cut_csv(self):
        """The text of a producer that died in step 5, after 3 of 31 agents."""
        return text_of(self.csv_lines()[: 31 * 5 + 4])

    CONFIG = {"title": 'A "flock"', "world": dict(WORLD, width=700)}

    def matrix(self):
        """The flock as matrix text."""
        lines = [f"{4 * len(self.boids):<20}  {self.boids.shape[1]:<20}"]
        lines += [" ".join(map(repr, map(float, row))) for frame in self.boids for row in frame.T]
        return text_of(lines)

    def xyz(self):
        """The flock as extended XYZ, as boids writes it."""
        lines, config = [], json.dumps(self.CONFIG).replace("\\", "\\\\").replace('"', '\\"')
        config = f' seed=1 config="{config}"'
        for k, groups in enumerate(zip(self.boids, self.predators)):
            rows = [("BP"[kind], *row) for kind, group in enumerate(groups) for row in group]
            lines += [
                f"{len(rows)}",
                'Lattice="640 0 0 0 480 0 0 0 1" Properties=species:S:1:pos:R:3:velo:R:3:id:I:1 '
                f'pbc="F F F" Time={5 * k} step={5 * k}{config}',
            ]
            lines += [
                f"{letter} {float(x)!r} {float(y)!r} 0 {float(vx)!r} {float(vy)!r} 0 {i}"
                for i, (letter, x, y, vx, vy) in enumerate(rows)
            ]
            config = ""
        return text_of(lines)

    def h5(self, name="flock.h5", config=None, **how):
        config = config or {"title": "Test", "world": WORLD}
        with contextlib.suppress(FileNotFoundError):
            os.remove(name)  # a Page may still be reading it
        write_h5(name, self.boids, self.predators, config, **how)
        return name

    def call(self, *arguments, stdin=None, is_terminal=False):
        """(exit status, standard error) of plot.py, in this process."""
        error = io.StringIO()
        error.isatty = lambda: is_terminal
        given = io.TextIOWrapper(io.BytesIO(stdin if stdin is not None else b""))
        with contextlib.redirect_stderr(error), mock.patch("sys.stdin", given):
            handler = signal.getsignal(signal.SIGTERM)
            try:
                status = command.main([*split_words(arguments)])
            finally:
                signal.signal(signal.SIGTERM, handler)
        return status, error.getvalue()

    def draw(self, *arguments, said="", status=0, **how):
        """Call plot.py, which must succeed and print nothing, or return this status and print this."""
        self.assertEqual(self.call(arguments, **how), (status, said))

    def run_quietly(self, *arguments, **how):
        """The standard output of plot.py in a process of its own, which succeeds and prints nothing else."""
        done = run_plot(arguments, **how)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, pattern, *arguments, stdin=None, status=2):
        """plot.py prints one line that matches, returns `status`, and writes no file."""
        before = self.names()
        got, error = self.call(arguments, stdin=stdin)
        self.assertEqual(got, status, error)
        self.assertEqual(error.count("\n"), 1, error)
        self.assertRegex(error, "^plot.py: .*" + pattern)
        self.assertNotIn("internal fault", error)
        self.assertEqual(self.names(), before)

    def image(self, path):
        return np.asarray(Image.open(path).convert("RGB")).astype(int)

    def page_and_frames(self, *arguments, name="a.png"):
        """The Page that plot.py makes for a picture, and the frames that it shows."""
        with mock.patch.object(Page, "show", autospec=True, side_effect=Page.show) as show:
            self.draw(arguments, "--save", name)
        return show.call_args[0]

    def page_of(self, *arguments):
        return self.page_and_frames(arguments)[0]

    def world(self, **sections):
        """The world of a configuration."""
        return read_config(self.write("c.json", json.dumps(sections)))

    def check_boxes(self, boxes, width, height, *about):
        """No two of [(name, box)] overlap and none reaches over the rim of a figure."""
        for i, (one, box) in enumerate(boxes):
            is_inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height
            self.assertTrue(is_inside, (one, *about))
            for other, another in boxes[:i]:
                self.assertFalse(box.overlaps(another), (one, other, *about))

    def frame_of(self, film, k):
        """Frame k of an .mp4."""
        words = f"ffmpeg -v error -y -i {film} -vf select=eq(n\\,{k}) -frames:v 1 frame.png"
        subprocess.run(words.split(), check=True)
        return self.image("frame.png")

    def probed(self, film, entries):
        words = f"ffprobe -v error -count_frames -of json -show_entries {entries} {film}"
        return json.loads(subprocess.run(words.split(), check=True, capture_output=True).stdout)

    def page(
        self,
        boids,
        predators=None,
        world=None,
        y_axis="up",
        trail=0,
        size=None,
        title="",
        grid=None,
        **how,
    ):
        """A Page on a trajectory in memory; `how` are further fields of its Look."""
        look = Look(title=title, y_axis=y_axis, trail=trail, **how)
        return Page([trajectory_of(boids, world or World(640, 480), predators)], look, size, grid)

    def panel(self, *arguments, at=0, **how):
        """The panel of such a page that shows frame `at`."""
        page = self.page(*arguments, **how)
        page.show([at])
        return page.panels[0]


def circles_of(panel):
    """(x, y, radius) of the circles that a panel shows."""
    patches = [each for each in panel.axes.patches if each.get_visible()]
    return [(*each.center, each.radius) for each in patches if isinstance(each, Circle)]


def part_of(page, panel, image):
    """The pixels of a panel."""
    box = panel.axes.get_window_extent()
    rows = slice(int(page.height - box.y1), int(page.height - box.y0))
    return image[rows, int(box.x0) : int(box.x1)]


def goals_of(panel):
    lines = panel.axes.lines
    return {tuple(np.ravel(line.get_data())) for line in lines if line.get_visible()}


def trail_of(panel):
    """float [pieces, 2, 2]: the pieces of the trails that a panel shows, the newest first."""
    paths = [path.vertices for path in panel.trails.get_paths()]
    return np.concatenate([np.empty((0, 2)), *paths]).reshape(-1, 2, 2)


def boxes_of(artists):
    """[(text, box)] of some texts."""
    return [(artist.get_text(), artist.get_window_extent()) for artist in artists]


def images_of(page, frames=range(12)):
    """The images of some frames, as numbers to calculate with."""
    return [image.astype(np.int16) for image in page.images(frames)]


needs_ffmpeg = unittest.skipUnless(
    shutil.which("ffmpeg") and shutil.which("ffprobe"), "needs ffmpeg and ffprobe"
)


def close(image, color, reach=6):
    """True at the pixels of an image [h, w, 3] with the colour #rrggbb, bool [h, w]."""
    return (np.abs(image[:, :, :3].astype(int) - np.rint(style.rgb(color) * 255)) <= reach).all(
        axis=2
    )


def drawn(image):
    """True at the bright pixels of an image, bool [h, w]; page, field, box and margin are dark."""
    return image[:, :, :3].max(axis=2) > 110


def centre(where):
    """(right, up) pixels of the middle of a bool [h, w], rows counted from the top."""
    rows, columns = np.nonzero(where)
    return np.array([columns.mean(), -rows.mean()])


def along(vector):
    return vector / np.linalg.norm(vector)


# ----------------------------------------------------------------------------------------------------------
# Scene


class Arrows(Case):
    def test_the_tip_of_a_dart_points_ahead(self):
        """From pixels only: the displacement between two frames, and the side of the dart that has its tip."""
        ways = ((30, 12), (-30, 12), (5, 30), (5, -30))
        for y_axis, (vx, vy) in itertools.product(("up", "down"), ways):
            boids = np.array([[[300, 240, vx, vy]], [[300 + vx, 240 + vy, vx, vy]]], float)
            page = self.page(boids, y_axis=y_axis)
            page.panels[0].length *= 4  # large enough to have a shape in pixels
            first, second = (drawn(image[HEADER:]) for image in images_of(page, range(2)))
            way = along(centre(second) - centre(first))
            rows, columns = np.nonzero(first)
            ahead = np.stack([columns, -rows], axis=1) @ way
            # A dart is wide behind and thin ahead: the farthest pixel ahead of the middle is the tip.
            ahead -= np.median(ahead)
            self.assertGreater(ahead.max(), -1.3 * ahead.min(), (y_axis, vx, vy))
            expected = along(np.array([vx, vy if y_axis == "up" else -vy]))
            self.assertGreater(way @ expected, 0.99, (y_axis, vx, vy))

    def test_y_axis_of_the_world_decides_and_the_option_overrides(self):
        low = np.array([[[320, 20, 1, 0]]])  # at small y
        for axis, option, place in rows_of(
            """
            up   |          | below
            down |          | above
            up   | --y down | above
            down | --y up   | below
            """
        ):
            write_h5("a.h5", low, config={"world": {**WORLD, "y_axis": axis}})
            self.draw("a.h5 --save a.png", option)
            image = self.image("a.png")[HEADER:]
            is_below = -centre(drawn(image))[1] > len(image) / 2
            self.assertEqual(is_below, place == "below", (axis, option))

    def test_colour_is_the_heading_on_the_screen(self):
        """A boid that moves up on the screen has one colour for both directions of the y axis."""
        for y_axis, speed in ("up", 3.0), ("down", -3.0):
            panel = self.panel(np.array([[[320, 240, 0, speed]]]), y_axis=y_axis)
            face = panel.boids.get_facecolor()[0, :3]
            assert_allclose(face, style.rgb(style.SCREEN.ring[3]), atol=1e-6)

    def test_colours_go_round_without_a_seam(self):
        angle = np.linspace(-7, 7, 2000)
        for colours in style.STYLES.values():
            colors = style.ring_colors(angle, colours.ring)
            self.assertLess(np.abs(np.diff(colors, axis=0)).max(), 0.01)
            assert_allclose(colors, style.ring_colors(angle + 2 * np.pi, colours.ring), atol=1e-9)

    def test_an_arrow_alone_is_drawn_as_one_of_several(self):
        """matplotlib would move a single copy of a path to the middle of a pixel."""
        agents = np.array([[[100.3, 100.3, 3, 1], [500, 400, 1, 0]]])
        for order in (1, -1):  # boids, predators
            left = []
            for count in (1, 2):
                page = self.page(*(agents[:, :count], agents[:, :0])[::order])
                left.append(images_of(page, [0])[0][HEADER:, : page.width // 2])
            assert_array_equal(*left, f"{order}")

    def test_a_boid_at_rest_is_a_dot_and_one_that_is_not_finite_is_not_drawn(self):
        boids = np.array(
            [[[100, 100, 0, 0], [200, 200, 1, 0], [np.nan, 0, 1, 0], [300, 300, np.inf, 0]]]
        )
        page = self.page(boids)
        [image], [panel] = images_of(page, [0]), page.panels
        self.assertEqual(panel.resting.get_offsets().tolist(), [[100, 100]])
        self.assertEqual(panel.boids.get_offsets().tolist(), [[200, 200]])
        x, y = panel.axes.transData.transform((100, 100))
        self.assertTrue(drawn(image[int(page.height - y) - 1 :, int(x) - 1 :][:3, :3]).any())

    def test_many_boids_are_dots(self):
        for count, kind in (DOTS_ABOVE + 1, "dots"), (DOTS_ABOVE, "boids"):
            panel = self.panel(straight_motion(count, 1))
            self.assertEqual(len(getattr(panel, kind).get_offsets()), count)
            self.assertEqual(panel.boids.get_visible(), kind == "boids")


class Trails(Case):
    def test_breaks_at_the_seam(self):
        boids = np.zeros((4, 2, 4))
        boids[:, 0, 0] = (620, 630, 0, 10)  # across the border in x
        boids[:, 1, 1] = (10, 0, 470, 460)  # across the border in y
        boids[:, :, 2] = 10
        pieces = trail_of(self.panel(boids, world=World(640, 480, "wrap"), trail=3, at=3))
        self.assertEqual(len(pieces), 4)  # two of three steps, for each of the two boids
        self.assertEqual(np.linalg.norm(pieces[:, 1] - pieces[:, 0], axis=1).max(), 10)

    def test_the_trail_has_the_requested_length_and_fades(self):
        for trail in (0, 1, 5, 50):
            panel, steps = self.panel(self.boids, trail=trail, at=8), min(trail, 8)
            # A few end at the border.
            self.assertTrue(25 * steps - 1 < len(trail_of(panel)) <= 30 * steps, trail)
        alpha = panel.trails.get_edgecolor()[:: panel.HUES + 1, 3]
        self.assertTrue((np.diff(alpha) < 0).all())

    def test_ends_at_the_position_in_the_frame_shown(self):
        page = self.page(self.boids[:, :1], trail=2)
        for k in (2, 9, 3):  # forth and back
            page.show([k])
            pieces, expected = trail_of(page.panels[0]), self.boids[k - 2 : k + 1, 0, :2]
            assert_array_equal(
                np.unique(pieces.reshape(-1, 2), axis=0), np.unique(expected, axis=0)
            )
            assert_array_equal(pieces[0], expected[1:])

    def test_the_default_trail_is_a_fifteenth_of_the_world_and_none_for_distant_frames(self):
        for speed, expected in ((4, 9), (1, 24), (60, 0), (0, 0)):
            boids = np.zeros((50, 1, 4))
            boids[:, 0, 0] = speed * np.arange(50)
            for begin, end in ((0, 0), (20, 30)):  # absent in the middle of the film
                boids[begin:end] = np.nan
                self.assertEqual(default_trail(trajectory_of(boids, World(640, 480))), expected)


def luminance(color):
    """Return the relative luminance of an sRGB color [..., 3]: 0 is black and 1 white."""
    color = np.asarray(color)
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4) @ (
        0.2126,
        0.7152,
        0.0722,
    )


class Paper(Case):
    def test_the_paper_style_is_white_with_dark_arrows(self):
        self.boids[:, :, :2] = 20 + 0.9 * self.boids[:, :, :2]
        self.draw(self.h5(), "--save a.png --style paper --trail 0 --title ''")
        self.assertGreater((self.image("a.png") == 255).all(axis=2).mean(), 0.9)
        panel = self.panel(self.boids, self.predators, style=style.PAPER, at=3)
        arrows = panel.boids.get_facecolor()[:, :3]
        self.assertEqual(len(arrows), 30)
        # At least 4.5 to 1 on white, as small text should have.
        self.assertGreater((1.05 / (luminance(arrows) + 0.05)).min(), 4.5)

    def test_headings_differ_on_paper_too(self):
        ring = np.array([style.rgb(color) for color in style.PAPER.ring])
        self.assertGreater(np.linalg.norm(ring - np.roll(ring, 3, axis=0), axis=1).min(), 0.2)
        self.assertGreater(luminance(style.rgb(style.PAPER.predator)), 1.4 * luminance(ring).max())

    def test_a_gif_has_the_colours_of_its_style(self):
        self.draw(self.h5(), "--save a.gif --style paper --every 6")
        self.assertGreater((self.image("a.gif") == 255).all(axis=2).mean(), 0.8)

    def test_texts_are_texts_in_svg_and_pdf(self):
        import zlib

        path = self.h5(config={"title": "A flock", "world": WORLD})
        self.draw(path, "--save a.svg --axes")
        svg = self.read("a.svg")
        for text in ("A flock", "step 11", "heading", "x (world units)", "y (world units)", "640"):
            self.assertIn(f">{text}</text>", svg)
        self.draw(path, "--save a.pdf")
        pdf = self.bytes("a.pdf")
        self.assertNotIn(b"/Type3", pdf)
        streams = re.findall(rb"stream\r?\n(x.*?)\r?\nendstream", pdf, re.DOTALL)
        drawing = b"".join(part for part in map(zlib.decompress, streams) if b"BT" in part)
        letters = b"".join(re.findall(rb"\((.*?)\)", drawing)).replace(b"\0", b"")
        for text in (b"A flock", b"step 11", b"heading"):
            self.assertIn(text, letters)


class Axes(Case):
    def test_axes_have_world_units_one_scale_and_correct_ticks(self):
        world = World(640.1234, 480, "wrap")
        page = self.page(self.boids, world=world, has_axes=True, y_axis="down")
        page.figure.canvas.draw()
        axes = page.panels[0].axes
        for axis, name, ticks in (
            (axes.xaxis, "x (world units)", "0 100 200 300 400 500 640"),
            (axes.yaxis, "y (world units)", "0 100 200 300 400 480"),
        ):
            self.assertEqual(axis.label.get_text(), name)
            self.assertEqual(texts(axis.get_ticklabels()), ticks.split())
        at = axes.transData.transform([(0, 0), (100, 0), (0, 100)])
        # y grows downwards.
        self.assertAlmostEqual(at[1, 0] - at[0, 0], at[0, 1] - at[2, 1], delta=0.01)

    def test_texts_do_not_overlap_and_stay_on_the_page(self):
        for grid, size in itertools.product((None, (2, 3)), (None, (500, 400), (900, 1400))):
            page = self.page(
                self.boids, self.predators, size=size, title="Axes", grid=grid, has_axes=True
            )
            page.figure.canvas.draw()
            page.show([11] * len(page.panels))
            shown = [text for text in page.paper.texts if text.get_text()]
            for each, name in itertools.product(page.panels, ("xaxis", "yaxis")):
                axis = getattr(each.axes, name)
                low, high = sorted(axis.get_view_interval())
                ticks = axis.get_major_ticks()
                shown += [tick.label1 for tick in ticks if low <= tick.get_loc() <= high]
                shown.append(axis.label)
            self.check_boxes(boxes_of(shown), page.width, page.height, grid, size)

    def test_there_are_no_axes_without_the_option(self):
        self.draw(self.h5(), "--save a.svg")
        self.assertNotIn("world units", self.read("a.svg"))


class Views(Case):
    """The visible part of the plane."""

    def limits(self, *arguments):
        """x0, x1, y0, y1 of the first panel."""
        axes = self.page_of(arguments).panels[0].axes
        return *axes.get_xlim(), *axes.get_ylim()

    def test_by_default_nearly_all_boids_of_the_whole_run_are_seen(self):
        """Boids are outside the world at random times; in each frame most boids are within the picture."""
        random = default_rng(7)
        boids = straight_motion(400, 200)
        out = random.random((200, 400)) < 0.03
        boids[out, 0] = -random.uniform(0, 300, out.sum())
        for border, share, reach in (("bounce", 0.98, -150), ("open", 0.995, -240)):
            low, high = view_of(trajectory_of(boids, World(640, 480, border)))
            seen = ((boids[:, :, :2] > low) & (boids[:, :, :2] < high)).all(axis=2)
            self.assertGreaterEqual(seen.mean(), share)
            self.assertTrue((low < 0).all() and (high > (640, 480)).all())
            self.assertLess(low[0], reach)  # on this side there is much to see
            self.assertLess(high[0], 660)  # and on this side nothing

    def test_the_view_includes_a_predator_outside_the_world(self):
        self.predators[:, 0, 0] = np.linspace(100, -200, 12)
        self.assertLess(self.limits(self.h5())[0], -200)

    def test_view_world_shows_the_world_only(self):
        self.boids[:, ::4, 0] -= 300
        band = 0.015 * 640
        self.assertEqual(
            self.limits(self.h5(), "--view world"), (-band, 640 + band, -band, 480 + band)
        )

    def test_a_film_of_an_open_world_shows_the_flock(self):
        self.boids[:, :, :2] = 5000 + 0.1 * self.boids[:, :, :2]
        self.predators = None
        for border in ("open", "bounce"):
            path = self.h5(config={"world": {**WORLD, "border": border}})
            page, _ = self.page_and_frames(path, "--size 300x240", name="a.gif")
            self.assertEqual(page.panels[0].axes.get_xlim()[0] > 4900, border == "open")

    def test_view_flock_shows_the_flock_of_the_drawn_frame(self):
        self.boids[:, :, :2] = 100 + 0.1 * self.boids[:, :, :2]
        self.predators[:, :, :2] = 120
        self.boids[6, :, :2] += 200
        path = self.h5()
        for frame, low, high in ((6, 110, 344), (3, 80, 144)):
            words = f"--view flock --trail 0 --frame {frame}"
            x0, x1, y0, y1 = self.limits(path, words)
            found = self.boids[frame, :, :2]
            self.assertTrue((found > (x0, y0)).all() and (found < (x1, y1)).all())
            self.assertTrue(low < x0 and x1 > high)
        for each in self.page_of(path, "--view flock --sheet 1x3").panels:
            self.assertGreater(each.high[0], 300)

    def test_a_rectangle(self):
        for words in ("--view -10.5,20,5,100", "--view=-10.5,20,5,100"):
            self.assertEqual(self.limits(self.h5(), words), (-10.5, 20, 5, 100))
        self.assertEqual(self.limits(self.h5(), "--view 0,30,10,20 --y down"), (0, 30, 20, 10))

    def test_the_margin_is_explained_if_it_is_drawn(self):
        for words, border, is_drawn in (
            ((), "bounce", True),
            ("--view 200,300,200,300", "bounce", False),
            ("--size 240x240", "bounce", False),
            ((), "wrap", False),
        ):
            page = self.page_of(self.h5(config={"world": {**WORLD, "border": border}}), words)
            shown = "".join(texts(page.paper.texts))
            self.assertEqual("; beyond the dashes they turn back" in shown, is_drawn, words)
        page = self.page_of(self.h5(), "--size 240x240")
        self.assertFalse(any(artist.get_visible() for artist in page.panels[0].dashes))


class Scales(Case):
    def test_panels_of_one_world_have_one_scale(self):
        one = self.h5("one.h5")
        self.boids = self.boids * (1.5, 1.5, 1, 1)
        page = self.page_of(one, self.h5("two.h5"))
        boxes = [
            panel.axes.get_position().bounds[2] / np.ptp(panel.axes.get_xlim())
            for panel in page.panels
        ]
        self.assertAlmostEqual(*boxes)
        self.assertEqual(*(panel.axes.get_xlim() for panel in page.panels))


class Crowds(Case):
    """In flocks of more than DOTS_ABOVE, boids are dots, which must be visible."""

    def test_dots_are_large_enough_to_have_a_colour(self):
        for n, least in ((2500, 4), (5000, 3.5), (20000, 1.8)):
            page = self.page(straight_motion(n, 1))
            across = math.sqrt(page.panels[0].dots.get_sizes()[0]) / 72 * page.figure.dpi
            self.assertGreater(across, least, n)
            self.assertLess(n * across**2, 0.2 * page.width * page.height, n)

    def test_headings_are_bright_on_the_screen(self):
        ring = np.array([style.rgb(color) for color in style.SCREEN.ring])
        self.assertGreater(luminance(ring).min(), 0.33)  # seven times the contrast of the field

    def test_a_still_has_longer_trails_than_a_film(self):
        self.set_flock(3000, 20)
        self.assertGreater(len(trail_of(self.page_of(self.h5()).panels[0])), 8 * 3000)


class Layout(Case):
    def test_texts_and_flock_do_not_overlap_at_any_size(self):
        long = (
            "A long title, longer than any page of this test is wide, with $x_2$ and \u2026 in it, "
        )
        sizes = (None, (160, 160), (320, 200), (500, 900), (1920, 1080))
        for size, title in itertools.product(sizes, ("Short", 3 * long, "")):
            page = self.page(self.boids, self.predators, size=size, title=title)
            page.figure.canvas.draw()
            page.show([11])
            boxes = boxes_of(text for text in page.paper.texts if text.get_text())
            if size != (160, 160):  # there, no letter of the title has room
                self.assertEqual(len(boxes), 4 if title else 3)
            boxes.append(("flock", page.panels[0].axes.get_window_extent()))
            ring = np.concatenate([path.vertices for path in page.paper.collections[0].get_paths()])
            ring = page.paper.transData.transform(ring)
            boxes.append(("ring", Bbox([ring.min(axis=0), ring.max(axis=0)])))
            self.check_boxes(boxes, page.width, page.height, size, title)

    def test_box_and_margin_come_from_the_configuration(self):
        for border, margin, *inner in rows_of(
            """
            bounce  | 100 | 100 | 100 | 440 | 280
            bounce  | 0
            bounce  | {"left": 10, "right": 20, "top": 30, "bottom": 40} | 10 | 30 | 610 | 410
            bounce  | {"left": 7} | 7 | 100 | 533 | 280
            wrap    | 100
            reflect | 100
            open    | 100
            """
        ):
            world = self.world(world={**WORLD, "border": border, "margin": json.loads(margin)})
            patches = self.page(self.boids, world=world).panels[0].axes.patches
            bounds = [side for patch in patches for side in patch.get_bbox().bounds]
            self.assertEqual(bounds, [0, 0, 640, 480, *map(int, inner)], (border, margin))

    def test_a_disc_and_its_margin_are_circles(self):
        disc = {"width": 480, "height": 480, "shape": "disc", "margin": 60}
        for border, radii in (("bounce", [240, 180]), ("reflect", [240])):
            panel = self.panel(self.boids, world=self.world(world={**disc, "border": border}))
            self.assertEqual(circles_of(panel), [(240, 240, radius) for radius in radii])

    def test_obstacles_and_goals_come_from_the_configuration(self):
        for border, image in (("open", []), ("wrap", [(-5, 240, 20)])):
            world = self.world(
                world={**WORLD, "border": border},
                obstacles={"circles": [[100, 200, 30], [635, 240, 20]]},
                goals={"points": [[50, 60]]},
            )
            panel = self.panel(self.boids, world=world)
            self.assertEqual({*circles_of(panel)}, {(100, 200, 30), (635, 240, 20), *image})
            self.assertEqual(goals_of(panel), {(50, 60)})

    def test_obstacles_and_goals_are_those_of_the_step(self):
        world = self.world(
            world={**WORLD, "border": "open"},
            obstacles={"circles": [[100, 200, 30]]},
            schedule=[
                {"at": 3, "set": {"obstacles.circles": [[300, 240, 20]]}},
                {"at": 5, "set": {"flock.cohesion.factor": 0.1}},
                {"at": 7, "set": {"goals.points": [[50, 60]], "obstacles.circles": []}},
            ],
        )
        page = self.page(self.boids, world=world)
        stages = ([(100, 200, 30)], set()), ([(300, 240, 20)], set()), ([], {(50, 60)})
        for step, stage in zip((0, 2, 3, 6, 7, 11, 2), (0, 0, 1, 1, 2, 2, 0)):
            page.show([step])
            [panel] = page.panels
            self.assertEqual((circles_of(panel), goals_of(panel)), stages[stage], step)

    def test_a_film_shows_what_the_schedule_changes(self):
        space, circles = {**WORLD, "border": "open"}, [[320, 240, 60]]
        (early, late), (before, wanted) = (
            images_of(self.page(self.boids, world=self.world(world=space, **sections)), (1, 4))
            for sections in (
                {"schedule": [{"at": 3, "set": {"obstacles.circles": circles}}]},
                {"obstacles": {"circles": circles}},
            )
        )
        self.assertTrue((early != before).any())
        assert_array_equal(late, wanted)

    def test_margins_that_meet_are_four_lines(self):
        page = self.page(self.boids, world=World(640, 480, "bounce", (320, 320, 10, 10)))
        lines = [[*np.ravel(line.get_data())] for line in page.panels[0].axes.lines]
        self.assertEqual(lines, [[320, 320, 0, 480]] * 2 + [[0, 640, 10, 10], [0, 640, 470, 470]])

    def test_a_bare_csv_shows_all_its_data_and_no_box(self):
        trajectory = readers.read_trajectory(self.csv())
        low, high = view_of(trajectory)
        points = np.concatenate([self.boids, self.predators], axis=1)[:, :, :2].reshape(-1, 2)
        self.assertTrue((points > low).all() and (points < high).all())
        page = Page([trajectory], Look("", "up", 0), None)
        self.assertEqual(page.panels[0].axes.patches[0].get_edgecolor()[3], 0)

    def test_config_takes_a_preset_as_the_program_does(self):
        configs, pictures = os.path.join(ROOT, "configs"), []
        for config in (f"{configs}/adams.json", "adams", f"{configs}/castor.json"):
            self.draw(self.csv(), "--save a.png --config", config)
            pictures.append(self.bytes("a.png"))
        self.assertEqual(pictures[0], pictures[1])
        self.assertNotEqual(pictures[1], pictures[2])
        os.mkdir("adams")  # no regular file, so still the preset
        self.assertEqual(read_config("adams").y_axis, "down")
        self.write("castor", '{"world": {"width": 7}}')
        self.assertEqual(read_config("castor").width, 7)

    def test_a_csv_without_a_configuration_is_drawn_with_a_note(self):
        for kind in ("frame", "density", "trails"):
            for option, way in ((), "up"), ("--y down", "down"):
                self.draw(
                    self.csv(),
                    "--kind",
                    kind,
                    "--save a.png",
                    option,
                    said="plot.py: flock.csv: it has no description of its world and is drawn without a box and with y "
                    f"growing {way}; --config names the run's configuration or preset\n",
                )

    def test_config_gives_a_csv_its_box_and_defaults_fill_it(self):
        self.assertEqual(self.world(), World(640, 480, "bounce", (100,) * 4))
        config = self.write("c.json", '{"title": "T", "world": {"width": 1000, "y_axis": "down"}}')
        wanted = World(1000, 480, "bounce", (100,) * 4, "down", "T")
        self.assertEqual(read_config(config), wanted)
        self.draw(self.csv(), "--config", config, "--save a.png --trail 0")
        box = close(self.image("a.png"), style.SCREEN.box, 12)
        high, wide = (
            np.ptp(np.nonzero(counts > counts.max() / 2))
            for counts in (box.sum(axis=1), box.sum(axis=0))
        )
        self.assertAlmostEqual(wide / high, 1000 / 480, delta=0.02)

    def test_view_follows_boids_out_of_an_open_world_but_not_a_runaway(self):
        boids = np.zeros((3, 500, 4))
        boids[:, :, 0] = np.linspace(0, 900, 500)
        boids[:, 0, 0] = 1e9
        for border, least, most in (("open", 890, 1000), ("wrap", 640, 660)):
            low, high = view_of(trajectory_of(boids, World(640, 480, border)))
            self.assertTrue(least < high[0] < most, border)


# ----------------------------------------------------------------------------------------------------------
# Readers


class Runaways(Case):
    """One boid far away does not change the picture of the others."""

    def test_a_runaway_does_not_shrink_the_flock(self):
        for world in (None, World(640, 480, "open"), World(640, 480, "bounce")):
            boids = straight_motion(10, 12)
            usual = view_of(trajectory_of(boids[:, 1:], world))
            for far in (1e4, 1e30):
                boids[:, 0, :2] = far * np.linspace(0.5, 1, 12)[:, None]
                assert_allclose(
                    view_of(trajectory_of(boids, world)), usual, err_msg=f"{world} {far}"
                )

    def test_the_view_includes_a_flock_that_leaves_the_world(self):
        boids = straight_motion(10, 12)
        boids[6:, :, 0] += 2000
        for world in (None, World(640, 480, "bounce")):
            low, high = view_of(trajectory_of(boids, world))
            self.assertTrue((boids[:, :, :2] >= low).all() and (boids[:, :, :2] <= high).all())


class Texts(Case):
    """Matrix text and extended XYZ, as boids writes them."""

    def setUp(self):
        super().setUp()
        self.set_flock(30, 12, predators=2)

    def test_matrix_text_is_read(self):
        run = readers.read_trajectory(self.write("a.txt", self.matrix()))
        assert_array_equal(run.agents["boid"], self.boids)
        self.assertEqual(
            (list(run.steps), run.counts, run.world),
            (list(range(12)), {"boid": 30, "predator": 0}, None),
        )
        world = World(9, 9, config={"output": {"first": 3, "every": 5}})
        with self.assertWarnsRegex(UserWarning, "go from step 3 to 55, but the run to 300"):
            readers.read_trajectory("a.txt", world=world)
        kept = {"steps": "kept", "file": "a.h5"}
        for last, init, first in (
            (53, {}, 3),
            (92, kept, 43),  # 43 to 45 is not known
            (88, {**kept, "file": "a.h5@37"}, 37),
        ):
            world.config.update(steps=last, flock={"init": init})
            run = readers.read_trajectory("a.txt", world=world)
            steps = [first, *range(first // 5 * 5 + 5, last, 5), last]
            self.assertEqual(list(run.steps), steps)
        piped = text_readers.arriving_frames("a.txt", [self.bytes("a.txt")], world)
        self.assertEqual([step for step, *_ in piped], steps)

    def test_extended_xyz_is_read_with_its_world(self):
        run = readers.read_trajectory(self.write("a.xyz", self.xyz()))
        assert_array_equal(run.agents["boid"], self.boids)
        assert_array_equal(run.agents["predator"], self.predators)
        self.assertEqual(list(run.steps), list(range(0, 60, 5)))
        self.assertEqual((run.world.width, run.world.title), (700, 'A "flock"'))

    def test_an_incomplete_frame_is_left_out(self):
        with contextlib.redirect_stderr(io.StringIO()):
            for text in (self.matrix(), self.xyz()):
                run = text_readers.read_text("cut", [text[:-7].encode()])
                assert_array_equal(run.agents["boid"], self.boids[:11])

    def test_both_are_drawn_from_a_pipe(self):
        self.write("c.json", '{"steps": 11}')
        self.draw("--config c.json --save a.png", stdin=self.matrix().encode())
        self.draw("--save b.png", stdin=self.xyz().encode())


class Kinds(Case):
    """Without --kind the kind of a table follows from its columns."""

    OBSERVABLES = "step,time,polarization\n" + "".join(f"{k},{k},{k / 20}\n" for k in range(20))
    SWEEP = "flock.count,seed,config,status,mean_polarization\n10,1,a,done,0.1\n20,1,a,done,0.2\n"

    def test_an_option_is_refused_for_the_kinds_that_its_row_leaves_out(self):
        rows = [
            (name, {*kinds.split()})
            for names, kinds in command.KINDS_OF_OPTIONS.items()
            for name in names.split()
        ]
        for name, kinds in rows:
            self.assertLessEqual(kinds, {*command.KINDS})
            for kind in {*command.KINDS} - kinds:
                given = {**dict.fromkeys(option for option, _ in rows), name: 1, "kind": kind}
                given["ending"] = command.KINDS[kind][0]
                said = f"{name.replace('_', '-')} .* {kind}; it is for"
                with self.assertRaisesRegex(errors.Refused, said):
                    command.check_kind(command.Options(**given), "")

    def test_the_kind_of_a_table_is_detected(self):
        quoted = self.SWEEP.replace("flock.count", '"flock.count"').replace("seed", '"seed"', 1)
        for text, kind in (
            (self.OBSERVABLES, "observables"),
            (self.SWEEP, "sweep"),
            (quoted, "sweep"),
        ):
            path = self.write("table.csv", text)
            self.draw(path, "--save guessed.png")
            self.draw(path, "--kind", kind, "--save given.png")
            self.assertSameFile("guessed.png", "given.png")

    def summary(self, value, seed, key="flock.noise.eta", **how):
        """A line of boids --summary."""
        run = {
            "version": "1.0.0",
            "config": "mine.json",
            "set": {"seed": seed, "steps": 50, **({key: value} if key else {})},
            "seed": seed,
            "command_line": "boids",
            "status": "done",
            "final": {"polarization": value, "flocks": None},
            "mean": {"polarization": value / 2},
            "sd": {},
            "error": {},
            "autocorrelation_time": {"polarization": 1.5},
            "drift": {"polarization": 0.5},
            "averaged_steps": 9000,
            "binder": None,
            "susceptibility": 0.5,
        }
        return json.dumps({**run, **how}) + "\n"

    def test_lines_of_summary_are_a_table(self):
        runs = [(value, seed) for value in (0.5, 1.5) for seed in (1, 2)]
        lines = "".join(self.summary(*run) for run in runs)
        table = text_of(
            [
                "flock.noise.eta,seed,config,version,status,final_polarization,final_flocks,mean_polarization,"
                "autocorrelation_time_polarization,drift_polarization,averaged_steps,binder,susceptibility"
            ]
            + [
                f"{value},{seed},mine.json,1.0.0,done,{value},,{value / 2},1.5,0.5,9000,,0.5"
                for value, seed in runs
            ]
        )
        found, wanted = (
            vars(tables.read_sweep(self.write(name, text)))
            for name, text in (("runs.json", lines), ("t.csv", table))
        )
        for name in ("keys", "points", "seeds", "settings"):
            self.assertEqual(found[name], wanted[name], name)
        found, wanted = found["values"], wanted["values"]
        self.assertEqual([*found], [*wanted])
        for name in wanted:
            assert_array_equal(found[name], wanted[name])
        for words in ((), "--x flock.noise.eta", "--show final_polarization"):
            for name in ("runs.json", "t.csv"):
                self.draw(name, words, "--save", (name + ".png"))
            self.assertSameFile("runs.json.png", "t.csv.png")

    def test_keys_and_runs_of_summaries_that_do_not_count_are_left_out(self):
        def sweep_of(lines):
            return tables.read_sweep(self.write("runs.json", "".join(lines)))

        first, last = self.summary(0.5, 1), "18446744073709551615"
        with as_command() as error:
            sweep = sweep_of(
                [
                    first,
                    self.summary(1.0, 1, None),
                    first,
                    self.summary(2.5, 3, status="stopped"),
                    self.summary(2.5, last),
                    first[:99],
                ]
            )
        self.assertEqual(sweep.keys, ["flock.noise.eta"])
        self.assertEqual(sweep.points, [("0.5",), ("null",), ("2.5",)])
        self.assertEqual(sweep.seeds, ["1", "1", last])
        for reported in (
            "the last line is cut short and is left out",
            "1 of 5 runs did not end well",
            "1 of 4 rows repeat the keys",
        ):
            self.assertIn(reported, error.getvalue())
        several = sweep_of([first, self.summary(0.5, 1, config="other.json")])
        self.assertEqual(several.settings, ["configuration mine.json", "configuration other.json"])
        # Runs of a file that was edited, and runs with other ends.
        sweep = sweep_of(
            self.summary(1, 1, None, state_hash=end, parameters={"a.b": k, "a.c": 2 * k, "seed": 1})
            for k, end in ((3, "x"), (4, "y"), (4, "z"), (4, "z"))
        )
        self.assertEqual((sweep.keys, sweep.points), (["a.b"], [("3",), ("4",), ("4",)]))

    def test_summaries_of_runs_that_end_at_a_condition_have_their_steps(self):
        lines = [
            self.summary(eta, seed, steps=10 * seed + end, stopped_by=reason)
            for eta, end, reason in ((0.5, 0, "until"), (1.5, 7, None))
            for seed in (1, 2, 3)
        ]
        path = self.write("runs.json", "".join(lines))
        _, header, rows = tables.read_table(path)
        for name, wanted in ("steps_run", ["30", "17"]), ("stopped_by", ["until", ""]):
            self.assertEqual([row[header.index(name)] for row in rows[2:4]], wanted)
        found = seeds.statistics_of(tables.read_sweep(path), ["flock.noise.eta"])
        self.assertEqual([*found["steps_run"]], [20, 27])
        self.draw(path, "--show steps_run --save steps.png")

    def test_the_kind_of_a_table_is_detected_in_a_pipe(self):
        for text in self.OBSERVABLES, self.summary(0.5, 1) + self.summary(1.5, 1):
            self.run_quietly("--save a.png", input=text)


class Reading(Case):
    def same(self, trajectory):
        assert_array_equal(trajectory.steps, np.arange(12))
        for kind, agents in (("boid", self.boids), ("predator", self.predators)):
            self.assertEqual(trajectory.counts[kind], agents.shape[1])
            for k in range(12):
                assert_array_equal(trajectory.frame(kind, k), agents[k])

    def read_csv(self, lines):
        return text_readers.read_text("test", [text_of(lines).encode()])

    def test_csv_and_hdf5_give_the_same_numbers(self):
        self.same(readers.read_trajectory(self.csv()))
        self.same(readers.read_trajectory(self.h5()))
        self.same(readers.read_trajectory(self.h5("three.hdf5", dimensions=3)))

    def test_csv_and_hdf5_give_the_same_picture(self):
        config = self.write("c.json", json.dumps({"title": "Test", "world": WORLD}))
        self.draw(self.csv(), "--save a.png --config", config)
        self.draw(self.h5(), "--save b.png")
        self.draw("--save c.png --config", config, stdin=self.bytes("flock.csv"))
        self.assertSameFile("a.png", "b.png")
        self.assertSameFile("a.png", "c.png")

    def test_csv_columns_and_rows_may_come_in_any_order(self):
        rows = [line.split(",") for line in self.csv_lines()]
        random = default_rng(3)
        for order in ([0, 1, 2, 3, 5, 4, 7, 6], *(random.permutation(8) for _ in range(4))):
            header, *lines = [",".join(row[i] for i in order) for row in rows]
            self.same(self.read_csv([header, *lines]))
            self.same(self.read_csv([header, *random.permutation(lines)]))

    def test_csv_written_by_other_programs_is_read(self):
        header, *rows = lines = self.csv_lines()
        for changed in (
            [line.replace("boid", '"boid"').replace("step", '"step"') for line in lines],
            [line + "\r" for line in lines],
            [header + ",word", *(row + ",note" for row in rows)],
            [header + ",n", *(row + ",7" for row in rows)],
            [*lines, "", ""],
            with_answers(lines),
            ["\ufeff" + header, *rows],
            [re.sub(",[^,]*", "", line, count=1) for line in lines],  # without time
        ):
            self.same(self.read_csv(changed))
        self.same(text_readers.read_text("test", ["\n".join(lines).encode()]))

    def test_the_fast_and_the_slow_parser_agree(self):
        header, *rows = self.csv_lines()
        body, header = text_of(rows).encode(), header.split(",")
        fast = text_readers.parse_fast(body, header)
        self.assertIsNotNone(fast)
        assert_array_equal(fast, text_readers.parse_slow(body, header))

    def test_rows_with_a_cell_too_few_and_too_many_are_refused(self):
        """One row is too short and one too long, but the total number of cells is right."""
        lines = csv_lines(self.boids)
        # Shifted by one, this makes sense.
        lines[5:7] = "0,0,4,boid,1,1,1", "0,0,5,boid,1,1,1,1,1"
        with self.assertRaisesRegex(errors.Refused, "line 6: 7 cells where the header has 8"):
            self.read_csv(lines)

    def test_a_csv_cut_anywhere_gives_its_whole_frames(self):
        boids = straight_motion(3, 4)
        lines = csv_lines(boids, straight_motion(1, 4, seed=5))
        data = text_of(lines).encode()
        ends = np.cumsum([len(line) + 1 for line in lines])[4::4]  # of the frames
        for cut in range(ends[0], len(data), by_level(3, 1)):
            with as_command() as error:
                trajectory = text_readers.read_text("test", [data[:cut]])
            whole, found = np.sum(cut >= ends), len(trajectory.steps)
            is_last_digit = found > whole  # cut in the last number, or before its newline
            self.assertLessEqual(found, whole + 1)
            for k in range(whole):
                assert_array_equal(trajectory.frame("boid", k), boids[k])
            self.assertRegex(
                error.getvalue(),
                r"\A\Z"
                if cut in ends or is_last_digit
                else r"\Aplot.py: test: (.*; step \d has \d of 4 agents and|the last line is cut short and) is left out\n\Z",
                cut,
            )
        for cut in range(0, ends[0], by_level(3, 1)):
            with contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(errors.Refused):
                self.assertEqual(len(text_readers.read_text("test", [data[:cut]]).steps), 1)

    def test_hdf5_frames_without_a_step_are_ignored(self):
        steps = np.where(np.isin(np.arange(12), (3, 11)), -1, 10 * np.arange(12))
        trajectory = readers.read_trajectory(self.h5("flock.h5.part", steps=steps))
        self.assertEqual(trajectory.steps.tolist(), [0, 10, 20, 40, 50, 60, 70, 80, 90, 100])
        assert_array_equal(trajectory.frame("boid", 3), self.boids[4])
        assert_array_equal(trajectory.frame("predator", 9), self.predators[10])

    def test_hdf5_extents_may_differ_after_a_crash(self):
        path = self.h5()
        with h5py.File(path, "r+") as file:
            for name, values in (
                ("boids/position/step", np.arange(40)),
                ("predators/velocity/value", self.predators[:7, :, 2:]),
            ):
                del file["particles/" + name]
                file["particles/" + name] = values
        self.assertEqual(readers.read_trajectory(path).steps.tolist(), list(range(7)))

    def test_hdf5_rows_are_put_in_order_of_id(self):
        order = default_rng(4).permutation(30)
        write_h5("a.h5", self.boids[:, order], ids=order)
        trajectory = readers.read_trajectory("a.h5")
        assert_array_equal(trajectory.frame("boid", 5), self.boids[5])

    def test_hdf5_without_a_configuration_has_its_box(self):
        write_h5("a.h5", self.boids)
        self.assertEqual(readers.read_trajectory("a.h5").world, World(640, 480))
        with h5py.File("a.h5", "r+") as file:
            del file["particles/boids/box/edges"]
            file["particles/boids/box/edges/value"] = np.tile(
                np.diag([300.0, 200.0, 1.0]), (12, 1, 1)
            )
        self.assertEqual(readers.read_trajectory("a.h5").world, World(300, 200))

    def test_hdf5_is_read_while_it_is_being_written(self):
        """A writer holds a lock; a second process has to read the frames flushed so far."""
        with h5py.File(self.h5("flock.h5.part"), "r+") as file:
            file.flush()
            self.run_quietly("flock.h5.part --save a.png")

    def test_csv_of_300_steps_and_400_boids_is_read_with_few_calls_of_functions(self):
        lines = "".join(f"{{0}},{{0}},{i},boid,{i}.25,{i}.5,-3.14159,2.71828\n" for i in range(400))
        text = "step,time,id,type,x,y,vx,vy\n" + "".join(map(lines.format, range(301)))
        data, calls = [text.encode()], []
        sys.setprofile(
            lambda frame, event, about: calls.append(event) if event.endswith("call") else None
        )
        trajectory = text_readers.read_text("test", data)
        sys.setprofile(None)
        self.assertLess(len(calls), 120400 / 10)  # a tenth of the rows
        self.assertEqual((len(trajectory.steps), trajectory.counts["boid"]), (301, 400))


# ----------------------------------------------------------------------------------------------------------
# Writers


class Pictures(Case):
    def test_png_has_the_size_asked_for_and_shows_the_flock(self):
        for size in ((640, 480), (333, 257), (1921, 1081)):
            self.draw(self.h5(), "--save a.png --size", "{}x{}".format(*size))
            image = self.image("a.png")
            self.assertEqual(image.shape, (size[1], size[0], 3))
            self.assertGreater(drawn(image).sum(), 200)

    def test_a_predator_is_where_it_is_in_its_own_colour(self):
        predator = np.array([[[500, 100, 3, 0]], [[120, 400, 0, 3]]], float)
        boids = straight_motion(5, 2)
        for y_axis in ("up", "down"):
            page = self.page(boids, predator, y_axis=y_axis)
            for image, place in zip(images_of(page, range(2)), predator[:, 0, :2]):
                x, y = page.panels[0].axes.transData.transform(place)
                spot = close(image, style.SCREEN.predator)
                self.assertTrue(spot[int(page.height - y), int(x)])
                self.assertLess(np.abs(centre(spot) - (x, y - page.height)).max(), 8)
        [image] = images_of(self.page(boids), [0])
        self.assertFalse(close(image, style.SCREEN.predator).any())

    def test_frame_picks_by_step_or_from_the_end(self):
        path = self.csv(every=10)
        pictures = {}
        for words in ("--frame 0", "--frame 50", "--frame 110", "--frame -1", "--frame -7", ()):
            self.draw(path, "--config adams --save a.png", words)
            pictures[words] = self.bytes("a.png")
        first, fifty, last, *others = pictures.values()
        self.assertEqual(others, [last, fifty, last])
        self.assertEqual(len({first, fifty, last}), 3)

    def test_vector_pictures_hold_every_boid_and_the_step(self):
        self.draw(self.h5(), "--save a.svg --step 7 --trail 0")
        text = self.read("a.svg")
        for written in ("step 7", "30 boids, 1 predator; beyond the dashes they turn back"):
            self.assertIn(f">{written}</text>", text)
        self.assertIn(f"fill: {style.SCREEN.predator}", text)

    def test_the_same_input_gives_the_same_bytes(self):
        commands = ["--save a.gif --every 4"]
        for kind, ending in itertools.product(("frame", "density"), ("png", "svg", "pdf")):
            commands.append(f"--kind {kind} --save {kind}.{ending}")
        rounds = []
        for pause in (1.1, 0):  # a clock in the file would tick
            for words in commands:
                self.draw(self.h5(), words, "--size 200x200")
            rounds.append({name: self.bytes(name) for name in self.names()[:-1]})
            time.sleep(pause)
        for name in rounds[0]:
            self.assertEqual(rounds[0][name], rounds[1][name], name)

    def test_contact_sheet_has_its_frames_evenly_spaced(self):
        page, frames = self.page_and_frames(self.h5(), "--sheet 2x3")
        self.assertEqual(frames, [0, 2, 4, 7, 9, 11])
        self.assertEqual(texts(page.labels), [f"step {k}" for k in frames])
        box = page.panels[0].axes.transData.transform([(0, 0), page.panels[0].extent])
        label = page.labels[0].get_window_extent()
        # The label does not cross the side of the world.
        self.assertTrue(label.x0 > box[0, 0] and label.y1 < box[:, 1].max())
        image = self.image("a.png")
        self.assertEqual(image.shape, (page.height, page.width, 3))
        cells = [part_of(page, each, image) for each in page.panels]
        self.assertTrue(all(close(cell, style.SCREEN.predator).any() for cell in cells))
        self.assertEqual(len({cell.tobytes() for cell in cells}), 6)

    def test_contact_sheet_larger_than_the_film_leaves_cells_empty(self):
        labels = texts(self.page_of(self.h5(), "--sheet 3x3 --every 2").labels)
        self.assertEqual(labels, [f"step {k}" for k in range(0, 12, 2)] + 3 * [""])

    def test_title_comes_from_the_option_else_from_the_configuration(self):
        path = self.h5()
        for option, expected in (
            ((), "Test"),
            ("--title 'Costs $5 and $6'", r"Costs \$5 and \$6"),
        ):
            self.assertIn(expected, texts(self.page_of(path, option).paper.texts))


class Films(Case):
    def check_pace(self, frames, milliseconds):
        film, lasting = Image.open("a.gif"), 0
        self.assertEqual(film.n_frames, frames)
        for k in range(frames):
            film.seek(k)
            lasting += film.info["duration"]
        self.assertAlmostEqual(lasting, milliseconds, delta=10)

    def test_gif_has_every_frame_at_the_right_pace(self):
        for options, frames, fps in (
            ((), 13, 30),
            ("--poster 0", 12, 30),
            ("--every 5 --fps 12", 4, 12),
        ):
            self.draw(self.h5(), "--save a.gif --size 300x240", options)
            self.assertEqual(Image.open("a.gif").size, (300, 240))
            self.check_pace(frames, 1000 * frames / fps)

    def test_a_gif_that_would_be_too_fast_is_reported(self):
        words = self.h5(), "--save a.gif --size 160x160 --fps 100"
        status, error = self.call(words)
        self.assertEqual((status, error.count("\n")), (0, 1))
        self.assertIn("at most 50 frames of a GIF per second", error)
        self.assertIn("a.gif: 13 frames, 0.3 s, drawn", self.call(words, is_terminal=True)[1])

    @needs_ffmpeg
    def test_a_film_to_share_has_a_limited_rate(self):
        self.set_flock(1000, 60, predators=0)
        sizes = []
        with mock.patch.object(writers, "MAX_SHARED_BIT_RATE", 5e5):
            for quality in ("share", "archive"):
                self.draw(self.h5(), "--save a.mp4 --size 480x360 -q --quality", quality)
                sizes.append(8 * self.size("a.mp4") / 2)
        self.assertLess(sizes[0], 6e5)
        self.assertGreater(sizes[1], 2 * sizes[0])

    def test_a_long_gif_has_every_second_frame_and_few_bytes(self):
        """The demo's 301 frames, in which boids overlap more, take 4 MB."""
        self.set_flock(100, 210)
        self.draw(self.h5(), "--save a.gif --size 160x160")
        self.check_pace(106, 7070)
        self.assertLess(self.size("a.gif"), 5000 * 210)

    def test_gif_frames_have_the_places_and_colours_of_the_pictures(self):
        path, words = self.h5(), "--size 600x480 --trail 0 --save"
        self.draw(path, words, "a.gif --poster 0")
        film = Image.open("a.gif")
        for k in (0, 5, 11):
            film.seek(k)
            self.draw(path, words, f"a.png --frame {k}")
            gif, png = np.asarray(film.convert("RGB")).astype(int), self.image("a.png")
            self.assertLess(np.abs(gif - png).mean(), 2, k)
            self.assertLess(np.quantile(np.abs(gif - png).max(axis=2)[drawn(png)], 0.9), 40)

    @needs_ffmpeg
    def test_mp4_has_every_frame(self):
        entries = "stream=nb_read_frames,width,height,avg_frame_rate,pix_fmt"
        for options, frames in (("--poster 0", "12"), ("--every 5", "4")):
            self.draw(self.h5(), "--save a.mp4 --size 320x240 --fps 24", options)
            [found] = self.probed("a.mp4", entries)["streams"]
            wanted = {"width": 320, "height": 240, "pix_fmt": "yuv420p", "avg_frame_rate": "24/1"}
            self.assertEqual(found, {**wanted, "nb_read_frames": frames})
        self.holds("a.mp4 flock.h5")

    @needs_ffmpeg
    def test_a_film_is_1920_wide_and_1080_high_and_shows_boids_outside_of_the_world(self):
        for border, is_wide in (("bounce", True), ("wrap", False)):
            write_h5(border, self.boids, config={"world": dict(WORLD, border=border)})
            self.write("a.mp4", "")
            with mock.patch.object(writers, "save_film") as save:
                self.draw(border, "--save a.mp4")
            page = save.call_args[0][0]
            self.assertEqual((page.width, page.height), (1920, 1080))
            low, high = page.panels[0].low, page.panels[0].high
            self.assertEqual((high - low)[0] > 900, is_wide)
            assert_allclose(low + high, (640, 480), atol=1e-6)

    @needs_ffmpeg
    def test_mp4_shows_what_png_shows(self):
        for name in ("a.mp4", "a.png"):
            self.draw(self.h5(), "--size 640x480 --save", name)
        a, b = self.image("a.png"), self.frame_of("a.mp4", 0)
        self.assertLess(np.abs(a - b).mean(), 3)
        self.assertLess(np.abs(centre(drawn(a)) - centre(drawn(b))).max(), 5)

    @needs_ffmpeg
    def test_mp4_keeps_the_colours_of_small_boids(self):
        """Video stores one colour per four pixels; dots on the dark field must keep their colour."""
        self.boids = straight_motion(2500, 4)
        for name in ("a.mp4", "a.png"):
            self.draw(self.h5(), "--size 900x700 --trail 0 --save", name)
        png, film = self.image("a.png"), self.frame_of("a.mp4", 0)

        def colorfulness(image):
            red, green, blue = image[png.max(axis=2) > 170].T
            return np.hypot(red - green, (red + green) / 2 - blue).mean()

        self.assertGreater(colorfulness(film), 0.85 * colorfulness(png))

    @needs_ffmpeg
    def test_a_film_reports_its_size_and_carries_the_configuration(self):
        for name, codec in (("a.mp4", "h264"), ("a.webm", "vp9")):
            status, said = self.call(self.h5(), "--size 320x240 --save", name, is_terminal=True)
            self.assertEqual(status, 0)
            wanted = rf"(^|\033\[K){name}: 13 frames, 0\.4 s, drawn in \d+ s, \d+ KB\n$"
            self.assertRegex(said, wanted)
            probed = self.probed(name, "format_tags:stream=codec_name")
            self.assertEqual(probed["streams"][0]["codec_name"], codec)
            tags = {key.lower(): value for key, value in probed["format"]["tags"].items()}
            self.assertEqual(json.loads(tags["comment"]), {"title": "Test", "world": WORLD})

    def test_pictures_carry_the_configuration(self):
        config = {"title": "Test", "world": WORLD, "$schema": 300 * "x"}
        path = self.h5(config=config)
        for ending in ("png", "svg", "pdf", "gif"):
            self.draw(path, f"--save a.{ending}")
        with h5py.File(path, "r+") as file:
            file["observables/flocks/value"] = file["observables/flocks/step"] = np.arange(12)
        self.draw(path, "--kind observables --save b.png")
        for name in ("a.png", "a.gif", "b.png"):
            with Image.open(name) as image:
                said = image.info.get("comment") or image.info["Description"]
            self.assertEqual(json.loads(said), config, name)
        self.assertIn(json.dumps(config), html.unescape(self.read("a.svg")))
        self.assertIn(b'"title": "Test"', self.bytes("a.pdf"))

    def test_a_bare_flock_across_the_seam_is_whole(self):
        boids = np.ones((2, 50, 4))
        boids[:, :, :2] = default_rng(4).normal(0, 20, (2, 50, 2)) % (640, 480)
        end, ways = (630, 470), ((True, "wrap"), (False, "wrap"), (True, "bounce"))
        for is_bare, border in ways:
            changes = ((1, ((0, 0, 5),), (end,)),)
            world = World(640, 480, border, circles=((10, 20, 5),), goals=(end,), changes=changes)
            panel = self.panel(boids, world=world, size=(400, 300), is_bare=is_bare, view="flock")
            places, world = panel.agents_at("boid", 1)[:, :2], panel.trajectory.world
            is_moved = (is_bare, border) == ways[0]
            is_whole = (np.ptp(places, axis=0) < 160).all()
            self.assertEqual(is_whole, is_moved, (is_bare, border))
            shift = places - boids[1, :, :2]
            world_shift = world.circles[0][:2] - np.array((10, 20))
            for move in (*shift, world.goals[0] - np.array(end), world.changes[0][1][0][:2]):
                assert_allclose((move - world_shift + 1) % (640, 480), 1, atol=1e-9)
            if not is_moved:
                assert_array_equal(shift, 0)

    def test_a_bare_picture_is_all_field_in_any_shape(self):
        for size in ("300x500", "500x200"):
            self.draw(self.h5(), "--save a.png --bare --trail 0 --size", size)
            image = self.image("a.png")
            edges = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
            off = np.abs(edges - 255 * style.rgb(style.SCREEN.field)).max(axis=1)
            self.assertGreater((off < 3).mean(), 0.8)
            self.assertLess(close(image, style.SCREEN.page, 1).mean(), 0.5)

    def test_an_open_border_is_drawn_only_as_a_whole(self):
        for view, edge in (((0, 320, 0, 240), 0), ((-10, 650, -10, 490), 1)):
            page = self.page(self.boids, world=World(640, 480, "open"), view=view)
            self.assertEqual(page.panels[0].axes.patches[0].get_edgecolor()[3], edge)

    def test_the_densest_view_holds_the_crowd(self):
        boids = np.zeros((1, 200, 4))
        boids[0, :, :2] = default_rng(3).uniform((0, 0), (640, 480), (200, 2))
        boids[0, :120, :2] = default_rng(4).uniform((480, 80), (560, 160), (120, 2))
        low, high = view_of(trajectory_of(boids), "densest")
        inside = ((boids[0, :120, :2] > low) & (boids[0, :120, :2] < high)).all(axis=1)
        self.assertTrue(inside.all())
        self.assertLess(np.prod(high - low), 0.2 * 640 * 480)

    def test_colours_show_speed_and_groups(self):
        boids = np.zeros((7, 7, 4))
        boids[:, :, 0] = 100, 110, 120, 400, 410, 630, 5
        boids[:, :, 1] = 100, 100, 100, 300, 300, 20, 20
        boids[:, :, 2] = 1, 2, 4, 3, 3, 1, 1
        config = {
            "flock": {"cohesion": {"radius": 30}},
            "world": {"distance": "plane"},
            "schedule": [{"at": 5, "set": {"flock.cohesion.radius": 5}}],
        }

        def colours(name, step=0):
            world = World(640, 480, "wrap", config=config)
            panel = self.panel(boids, world=world, colour=name, at=step)
            return panel.boids.get_facecolor()[:, :3], panel.legend

        speed, ends = colours("speed")
        self.assertEqual(speed.sum(axis=1).argmax(), 2)
        self.assertLess(*ends)
        if not importlib.util.find_spec("scipy"):
            return
        # From step 6 on the radius is 5, and each boid is alone.
        for step, shades in ((0, 2), (5, 2), (6, 1)):
            group, _ = colours("group", step)
            self.assertEqual(
                [len(np.unique(group[k], axis=0)) for k in ([0, 1, 2], [3, 4], [0, 3], [5])],
                [1, 1, shades, 1],
            )
        assert_allclose(group[5], style.rgb(style.SCREEN.muted))
        for _ in range(2):
            self.assertAlmostEqual(colours("neighbours")[1][1], 2, delta=0.2)
            boids[:, 1, 2:] = 0  # a boid at rest is a neighbour, too

    def test_a_speed_has_one_colour_in_all_panels_and_rounding_errors_have_none(self):
        agents = np.zeros((3, 51, 4))
        agents[:2, :, 2] = np.linspace(3, 6, 51), 13 + 1e-8 * np.arange(51)
        page = self.page(agents, colour="speed", grid=(1, 2))
        page.show([0, 1])
        self.assertEqual(texts(page.ends), ["3.06", "13"])
        slow, fast = (panel.boids.get_facecolor()[-1, :3] for panel in page.panels)
        ends = palette.ramp(np.array([2.94 / 9.94, 1]), style.SCREEN)
        assert_allclose([slow, fast], ends, atol=0.02)
        page.panels[1].show(1)
        self.assertLess(np.ptp(page.panels[1].boids.get_facecolor(), axis=0).max(), 0.25)
        for frames, ends in (([2, 0], ["3.06", "5.94"]), ([2, 2], ["", ""])):  # 2: all at rest
            page.show(frames)
            self.assertEqual(texts(page.ends), ends)

    def test_slow_boids_are_dark_on_white(self):
        for name in ("light", "paper"):
            slowest = palette.ramp(np.zeros(1), style.STYLES[name])[0]
            self.assertLess(slowest @ (0.2126, 0.7152, 0.0722), 0.75, name)

    def test_boids_beside_the_view_are_drawn_to_the_edge_of_the_picture(self):
        self.boids = np.tile([20.0, 240, 4, 0], (2, 8, 1))
        [shown] = self.page_of(self.h5(), "--view 25,600,0,480").panels
        self.assertLess(shown.boids.get_clip_box().x0, shown.axes.get_window_extent().x0)

    def test_trails_of_a_part_of_the_run_are_reported(self):
        with mock.patch.object(command, "TRAIL_PIECES", 150):
            self.draw(
                self.h5(),
                "--kind trails --save a.png",
                said="plot.py: a.png: the trails are those of the last 5 of 11 frames; "
                "--trail 11 draws all\n",
            )
        self.set_flock(3, 150, predators=0)
        error = self.call(self.h5(), "--kind trails --save a.png")[1]
        self.assertIn("the last 100 of 149 frames", error)

    def test_captions_of_runs_side_by_side_are_the_keys_that_differ(self):
        rules = "separation", "alignment", "cohesion"
        for others, captions in (
            ((), ["η = 0.5", "η = 1.5"]),
            (rules, [f"{name}.h5: 30 boids, 1 predator" for name in "ab"]),  # seven keys
        ):
            runs = []
            for name, eta in (("a.h5", 0.5), ("b.h5", 1.5)):
                flock = dict.fromkeys(others, {"radius": eta, "factor": eta})
                flock["noise"] = {"eta": eta}
                path = self.h5(name, config={"title": name, "world": WORLD, "flock": flock})
                runs.append(readers.read_trajectory(path))
            self.assertEqual(texts(Page(runs, Look("", "up", 0), None).labels), captions)

    def test_equal_pixels_keep_their_colour_in_yuv(self):
        for color, wanted in (
            ((255, 255, 255), (235, 128, 128)),
            ((0, 0, 0), (16, 128, 128)),
            ((255, 0, 0), (63, 102, 240)),
        ):
            image = np.full((4, 6, 4), (*color, 255), np.uint8)
            planes = np.frombuffer(writers.Yuv420(image).planes_of(image), np.uint8)
            self.assertEqual(planes.tolist(), [wanted[0]] * 24 + [wanted[1]] * 6 + [wanted[2]] * 6)

    def test_only_squares_that_differ_from_the_still_page_are_converted(self):
        random = default_rng(3)
        still = random.integers(0, 256, (8, 12, 4), np.uint8)
        video = writers.Yuv420(still)
        for rows, columns, squares in (
            ([3], [5], 1),
            ([7, 6], [11, 10], 1),
            ([], [], 0),
            ([0, 6], [1, 2], 2),
        ):
            image = still.copy()
            image[rows, columns] += 1
            with mock.patch.object(writers, "to_yuv", wraps=writers.to_yuv) as to_yuv:
                found = bytes(video.planes_of(image))
            shapes = [call[0][0].shape for call in to_yuv.call_args_list]
            self.assertEqual(shapes, [(4, squares)] * (squares > 0))
            whole = writers.Yuv420(~still)  # every square differs
            whole.page = still[0, 0, :3].astype(np.float32)
            self.assertEqual(found, bytes(whole.planes_of(image)))

    def test_trails_of_a_film_are_those_of_a_picture(self):
        """Pieces that were drawn once and blended again differ by less than a viewer sees: the widths of old pieces are not exact."""
        flock = self.boids, self.predators
        shown = images_of(self.page(*flock, trail=6))[-1]
        page = self.page(*flock, trail=6)
        page.show([11])
        for artist in page.moving:
            artist.set_animated(False)
        picture = page.still().astype(int)
        light = picture - images_of(self.page(*flock), [11])[0]  # of the trails
        self.assertGreater(light.max(), 40)
        off = np.abs(shown - picture)
        self.assertLess(off.max(), 0.4 * light.max())
        self.assertLess(off.sum(), 0.2 * light.sum())

    def test_the_end_of_a_loop_fades_into_its_beginning(self):
        frames = images_of(self.page(self.boids, size=SMALL))
        loop = images_of(self.page(self.boids, size=SMALL, fade=3))
        self.assertEqual(len(loop), 9)
        assert_array_equal(loop[:6], frames[3:9])
        for share, image, frame, first in zip((0.25, 0.5, 0.75), loop[6:], frames[9:], frames):
            self.assertLessEqual(np.abs(image - (1 - share) * frame - share * first).max(), 0.5)
        # At most a third fades.
        self.assertEqual(len(images_of(self.page(self.boids, size=SMALL, fade=30))), 8)

    def test_a_slow_film_loops_too(self):
        self.draw(self.h5(), "--save a.gif --size 160x160 --loop --fps 0.5")
        self.assertEqual(Image.open("a.gif").n_frames, 11)  # one frame fades

    def test_a_film_begins_with_its_poster(self):
        frames = images_of(self.page(self.boids, size=SMALL))
        for fade, poster, wanted in (
            (0, 7, [7, *range(12)]),
            (0, 0, range(12)),
            (3, 7, [7, 8, None, None, None, 3, 4, 5, 6]),
        ):
            film = images_of(self.page(self.boids, size=SMALL, fade=fade, poster=poster))
            for image, k in zip(film, wanted, strict=True):
                if k is not None:
                    assert_array_equal(image, frames[k])

    def test_frames_drawn_in_sequence_equal_single_frames(self):
        """Frames drawn one after another over a stored background are the same as each drawn alone."""
        series, *alone = (
            images_of(self.page(self.boids, self.predators, size=SMALL, trail=3), frames)
            for frames in ([0, 5, 11, 2], [0], [5], [11], [2])
        )
        assert_array_equal(series, np.concatenate(alone))
        self.assertFalse((series[0] == series[1]).all())

    def test_without_ffmpeg_there_is_a_gif(self):
        with mock.patch("shutil.which", return_value=None):
            status, error = self.call(self.h5(), "--save a.mp4")
        self.assertEqual(status, 0)
        wanted = r"^plot.py: .*a\.mp4: there is no ffmpeg .*writing .*a\.gif instead\n$"
        self.assertRegex(error, wanted)
        self.assertEqual(Image.open("a.gif").n_frames, 13)
        self.holds("a.gif flock.h5")

    def test_a_failure_of_ffmpeg_is_reported_and_leaves_no_file(self):
        self.write("ffmpeg", "#!/bin/sh\necho 'no such codec' >&2\nexit 3\n")
        self.chmod("ffmpeg", 0o755)
        self.write("a.mp4", "older")
        said = "plot.py: a.mp4: ffmpeg stopped with status 3: no such codec\n"
        with mock.patch.dict(os.environ, PATH=self.folder + os.pathsep + os.environ["PATH"]):
            self.draw(self.h5(), "--save a.mp4", said=said, status=1)
        self.assertEqual(self.read("a.mp4"), "older")
        self.holds("a.mp4 ffmpeg flock.h5")

    def test_an_interrupt_leaves_no_file_and_prints_nothing(self):
        self.set_flock(400, 1000)
        path = self.h5()
        film = "a.mp4" if shutil.which("ffmpeg") else "a.gif"
        for number, status, name in ((signal.SIGINT, 130, "a.gif"), (signal.SIGTERM, 143, film)):
            child = subprocess.Popen([sys.executable, PLOT, path, "--save", name], **self.how())
            self.until(lambda: len(self.names()) > 1, child)
            time.sleep(0.2)
            self.assertEqual(self.ended_by(number, child), (status, "", ""), name)
            self.holds("flock.h5")

    def test_an_output_that_is_a_symbolic_link_stays_a_link(self):
        os.mkdir("elsewhere")
        os.symlink("elsewhere/b.png", "a.png")
        self.draw(self.h5(), "--save a.png")
        self.assertTrue(os.path.islink("a.png"))
        self.assertGreater(self.size("elsewhere/b.png"), 1000)


# ----------------------------------------------------------------------------------------------------------
# Command


class RefusedCommands(Case):
    """The commands of refusals.txt."""

    program = "plot.py"

    def setUp(self):
        super().setUp()
        self.h5()
        self.csv()

    def say(self, words, given):
        status, error = self.call(shlex.join(words), stdin=given)
        return status, "", error


add_refusals(RefusedCommands, "plotting", "refusals.txt")


class Refusals(Case):
    def test_control_characters_are_printed_as_escapes(self):
        for name in ("\x1b]0;t\x07.csv", "\x9b31m.csv", "a\nplot.py: well.csv", "\u202evsc.csv"):
            shown, words = re.escape(ascii(name)[1:-1]), shlex.join([name, "--save", "out.png"])
            self.refused(shown + ": No such file", words)
            self.write(name, "")
            self.refused(shown + ": it is empty", words)

    def test_no_planted_file_is_followed_and_no_input_is_replaced(self):
        path = self.h5()
        self.write("victim", "keep")
        for place in (lambda name: os.symlink("victim", name), os.mkfifo):
            place("f.part.png")
            self.assertEqual(run_plot(path, "--save f.png", timeout=60).returncode, 0)
            self.assertEqual((self.read("victim"), os.stat("f.png").st_mode & 0o111), ("keep", 0))
            os.remove("f.part.png")
        os.mkfifo("q.png")
        self.refused("q.png: this is not a regular file", path, "--save q.png")
        shutil.copy(path, "in.png")
        os.link("in.png", "linked.png")
        for name in ("in.png", "linked.png"):
            self.refused(name + ": this is the file that is read", "in.png --save", name)
        self.assertSameFile("in.png", path)

    def test_files_without_drawable_data_are_refused(self):
        rows = "".join("%d,1,%d,0.1,done,0.5\n" % (k % 3, k) for k in range(300))
        header = "flock.count,seed,config,version,status,mean_polarization\n"
        path = self.write("bad.csv", header + rows)
        self.refused("bad.csv: it holds runs of 300 configurations", path, "--save out.png")
        vast = self.h5(config={"world": dict(WORLD, width=1e300, height=1e300)})
        self.refused("what is in view is 1e.300 world units", vast, "--kind density --save a.png")

    def test_text_that_is_not_a_trajectory_is_refused(self):
        for text, pattern in (
            (b"\n\n", "it is empty"),
            (b"step,time,id,type,x,y,vx,vy\n0,0,0,bo", "it has a header but no whole row"),
            (b"\xff\xfe\x00\n1\n", "not a trajectory: its first line is not text"),
        ):
            self.refused("standard input: " + pattern, "--save out.png", stdin=text)
            self.refused("bad.csv: " + pattern, self.write("bad.csv", text), "--save out.png")

    def test_hdf5_that_is_not_a_trajectory_is_refused(self):
        def refused(pattern, path, name=None, *value):
            """Without a dataset, or with other data in it."""
            if name:
                with h5py.File(path, "r+") as file:
                    del file[name]
                    for data in value:
                        file[name] = data
            self.refused(pattern, path, "--save a.png")

        h5py.File("empty.h5", "w").close()
        refused("it has no dataset /particles/boids/position/step", "empty.h5")
        # h5py raises this error for a file that is being written.
        fault = KeyError("Unable to open object (addr overflow)")
        with mock.patch.object(readers, "Hdf5Source", side_effect=fault):
            refused("addr overflow", "empty.h5")
        for name in ("boids/position/value", "boids/velocity/value", "predators/velocity/value"):
            name = "particles/" + name
            refused(f"it has no dataset /{name}", self.h5(), name)
        for pattern, name, value in (
            ("/parameters/config is not JSON", "parameters/config", "{not json"),
            (
                "/parameters/config: world.width is -1",
                "parameters/config",
                '{"world": {"width": -1}}',
            ),
            ("3 ids for 30 positions", "particles/boids/id", np.arange(3)),
        ):
            refused(pattern, self.h5(), name, value)
        unfinished = self.h5("b.h5.part", steps=np.full(12, -1))
        refused("it contains no complete frame yet", unfinished)
        whole = self.bytes(self.h5())
        refused("cannot be opened as HDF5", self.write("cut.h5", whole[: len(whole) // 2]))

    def test_configurations_of_any_depth_are_refused(self):
        for text in ("", "[" * 100000, '{"a":' * 100000):
            config = self.write("c.json", text)
            for name in ("b.html", "b.png"):
                self.refused(
                    "c.json(:1)?: not JSON: ", self.csv(), "--config", config, "--save", name
                )

    def test_without_a_display_a_window_is_refused_before_anything_is_read(self):
        quiet = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
        with mock.patch.dict(os.environ, quiet), mock.patch(
            "boids.files.readers.read_trajectory"
        ) as read:
            self.refused(
                "no display to open a window on; --terminal draws here, --save flock.mp4 writes a film",
                self.h5(),
            )
            self.assertFalse(read.called)

    def test_a_terminal_without_a_file_is_refused(self):
        with mock.patch("sys.stdin") as stdin, contextlib.redirect_stderr(io.StringIO()) as error:
            stdin.isatty.return_value = True
            self.assertEqual(command.main(["--save", "a.png"]), 2)
        self.assertIn("no FILE was given and standard input is a terminal", error.getvalue())

    @needs_ffmpeg
    def test_a_full_disk_of_a_film_is_a_failure_whatever_the_status_of_ffmpeg(self):
        os.mkdir("bin")
        path = self.path("bin") + os.pathsep + os.environ["PATH"]
        self.h5()
        for reported, script in rows_of(
            """
            No space left on device | echo 'Error initializing output stream 0:0 --' >&2; exit 1
            No space left on device | cat >/dev/null; echo 'Error writing trailer of a.mp4: No space left on device' >&2
            File too large          | cat >/dev/null; echo 'File too large' >&2; exit 1
            Disk quota exceeded     | cat >/dev/null; echo 'Disk quota exceeded' >&2; exit 1
            """
        ):
            self.write("bin/ffmpeg", "#!/bin/sh\n" + script + "\n")
            self.chmod("bin/ffmpeg", 0o755)
            # The first one does not say that the disk is full.
            free = mock.Mock(free="initializing" not in script)
            with mock.patch.dict(os.environ, PATH=path), mock.patch(
                "shutil.disk_usage", return_value=free
            ):
                self.refused(f"a.mp4: {reported}$", "flock.h5 --save a.mp4", status=1)

    def test_words_of_other_programs_are_understood(self):
        h5, out = self.h5(), "-o a.png"
        self.draw(h5, out, "--color speed")
        self.draw("--output b.png --frame 3", h5)
        self.holds("a.png b.png flock.h5")

    def test_a_full_disk_is_a_failure_and_leaves_nothing(self):
        full = OSError(28, "No space left on device")
        with mock.patch.object(Figure, "savefig", side_effect=full):
            self.refused("a.png: No space left on device", self.h5(), "--save a.png", status=1)


class Window(Case):
    """These tests need an X server without a screen (Debian package xvfb)."""

    def display(self):
        """The name of a new X server."""
        read, write = os.pipe()
        server = subprocess.Popen(
            ["Xvfb", "-noreset", "-displayfd", str(write), "-screen", "0", "1200x900x24"],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        os.close(write)
        with os.fdopen(read) as reported:
            return f":{reported.readline().strip()}"

    @unittest.skipUnless(
        shutil.which("Xvfb") and importlib.util.find_spec("tkinter"), "needs Xvfb and tkinter"
    )
    def test_a_pipe_is_drawn_while_it_is_open_and_a_closed_window_ends_its_producer(self):
        """The window is closed when step 20 is on the screen. The producer then writes to a closed pipe."""
        self.set_flock(30, 200)
        script = (
            f"import sys\nsys.path.insert(0, {PACKAGES!r})\nfrom boids.drawing import window\nfrom boids.commands import plot as command\n"
            "draw = window.Window.draw\n"
            "def watched(self):\n    draw(self)\n"
            "    counter = self.page.counter.get_text()\n    print(counter, self.corner.get_text(), flush=True)\n"
            "    if IS_LAST: self.pyplot.close(self.page.figure)\n"
            f"window.Window.draw = watched\nsys.exit(command.main({['--config', 'adams']!r}))\n"
        )
        how = {"text": True, "timeout": PATIENCE, "env": {"MPLBACKEND": "TkAgg"}}
        how["env"]["DISPLAY"] = self.display()

        def watch(is_last, **given):
            """(exit status, output, messages) of a window that is closed when a condition holds."""
            words = [sys.executable, "-B", "-c", script.replace("IS_LAST", is_last)]
            return texts_of(subprocess.run(words, **self.how(**how, **given)))

        send = Live.PRODUCER.replace(
            "time.sleep({wait})\n", "while True:\n    send('\\n'); time.sleep(0.1)\n"
        )
        source = subprocess.Popen(
            [sys.executable, "-c", send.format(path=self.csv(), frames=21, pause=0.01)],
            **self.how(),
        )
        with source.stdout, source.stderr:
            status, out, error = watch("counter == 'step 20'", stdin=source.stdout)
            self.assertEqual((status, error), (0, ""))
            self.assertIn("step 20 \n", out)
            source.stdout.close()
            self.assertIn(b"BrokenPipeError", source.stderr.read())
            source.wait()
        # A producer that dies: the window stays, says so, and one line says which frame is incomplete.
        status, out, error = watch("'ended' in self.corner.get_text()", input=self.cut_csv())
        self.assertEqual((status, error.count("\n")), (0, 1), error)
        self.assertIn("step 5 has 3 of 31 agents and is left out", error)
        self.assertTrue(out.endswith("step 4 the input has ended\n"), out)

    @unittest.skipUnless(
        shutil.which("Xvfb") and importlib.util.find_spec("tkinter"), "needs Xvfb and tkinter"
    )
    def test_sigterm_ends_the_program_without_a_message(self):
        """A signal arrives in the fifth frame, in a function of matplotlib that Tk calls and that does not pass exceptions on."""
        display = self.display()
        for number, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            script = (
                f"import os, signal, sys\nsys.path.insert(0, {PACKAGES!r})\n"
                "from matplotlib.backends import _backend_tk\nfrom boids.commands import plot as command\n"
                "blit, shown = _backend_tk._blit, []\n"
                "def watched(*arguments):\n    shown.append(1)\n    blit(*arguments)\n"
                f"    if len(shown) == 5: os.kill(os.getpid(), {int(number)})\n"
                f"_backend_tk._blit = watched\nsys.exit(command.main([{self.h5()!r}]))\n"
            )
            done = subprocess.run(
                [sys.executable, "-B", "-c", script],
                capture_output=True,
                text=True,
                timeout=120,
                env={**os.environ, "DISPLAY": display, "MPLBACKEND": "TkAgg"},
            )
            self.assertEqual((done.returncode, done.stderr), (status, ""))


class Live(Case):
    """Frames are drawn while they arrive."""

    def pieces(self, name, data, size=1000):
        """(steps, agents of each) of the bytes in pieces."""
        frames = list(
            text_readers.arriving_frames(
                name, (data[at : at + size] for at in range(0, len(data), size))
            )
        )
        return [step for step, _, _ in frames], [agents for _, agents, _ in frames]

    def test_each_format_gives_the_frames_that_the_whole_text_has(self):
        csv, firmware = self.csv_lines(), text_of(with_answers(self.csv_lines()))
        windows = "\r\n".join([*csv, ""])
        for text in (text_of(csv), windows, firmware, self.matrix(), self.xyz()):
            for size in (7, 1000, 1 << 20):
                whole = text_readers.read_text("test", [text.encode()])
                steps, frames = self.pieces("test", text.encode(), size)
                self.assertEqual(steps, list(whole.steps))
                for k, agents in enumerate(frames):
                    for kind, rows in agents.items():
                        assert_array_equal(rows, whole.frame(kind, k))

    def test_a_frame_is_given_before_the_next_one_arrives(self):
        matrix, xyz = self.matrix().splitlines(), self.xyz().splitlines()
        for lines, first, each in ((self.csv_lines(), 1, 31), (matrix, 1, 4), (xyz, 0, 33)):
            given, arrived = [], []

            def chunks():
                for k in range(12):
                    begin, end = first + k * each, first + (k + 1) * each
                    yield text_of(lines[begin * (k > 0) : end]).encode()
                    arrived.append(len(given))

            for step, _, _ in text_readers.arriving_frames("test", chunks()):
                given.append(step)
            self.assertEqual(arrived[1:], [*range(2, 13)])

    def test_a_bad_frame_is_reported_with_its_line(self):
        lines = csv_lines(self.boids[:3])
        for row, reported in rows_of(
            """
            1,1,29,boid,1,one,1,1 | line 61: y is 'one', not a number
                                  | step 1 has 29 agents, step 0 has 30
            1,1,77,boid,1,1,1,1   | step 1 has other agents than step 0
            """
        ):
            changed = [*lines[:60], *filter(None, [row]), *lines[61:]]
            with self.assertRaisesRegex(errors.Refused, reported):
                self.pieces("test", text_of(changed).encode(), 300)

    def test_a_producer_that_dies_within_a_frame_leaves_a_line_and_a_film_of_whole_frames(self):
        cut = "the input ends early; step 5 has 3 of 31 agents and is left out"
        films = ("a.gif", "a.mp4") if shutil.which("ffmpeg") else ("a.gif",)
        for name, text, status, said in (
            *((name, self.cut_csv(), 0, cut) for name in films),
            ("b.gif", "", 2, "it is empty (did the command before the pipe fail?)"),
        ):
            done = run_plot("--config adams --size 200x200 --save", name, input=text)
            said = f"plot.py: standard input: {said}\n"
            self.assertEqual((done.returncode, done.stderr), (status, said))
        self.assertEqual(Image.open("a.gif").n_frames, 5)

    def test_a_film_of_a_pipe_equals_that_of_its_file(self):
        path = self.csv()
        for preset in ("adams", "vicsek"):
            self.draw(path, f"--config {preset} --save a.gif --every 5 --poster 0")
            self.draw(f"--config {preset} --save b.gif --every 5", stdin=self.bytes(path))
            self.assertSameFile("a.gif", "b.gif")
            self.write(path, self.read(path).replace("x,y", "xu,yu"))  # beyond the seams of vicsek

    def test_the_frames_of_an_hdf5_file_follow_its_run_until_it_ends(self):
        for steps, status, there, gone in (
            (3000, 0, "f.h5", "f.h5.part"),
            (9000000, 130, "f.h5.part", "f.h5"),
        ):
            run = self.start(f"-c fish -n {steps} -o f.h5 -q --every 3 --force")
            self.until(lambda: self.exists("f.h5.part") or run.poll() is not None)
            found = []
            for step, agents, world in stream.growing_frames("f.h5.part"):
                found.append(step)
                self.assertEqual((agents["boid"].shape, world.width), ((50, 4), 512))
                if len(found) == 1000 and status:
                    self.assertIsNone(run.poll())
                    run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(), status)
            with h5py.File(there) as file:
                self.assertEqual(found, list(file["particles/boids/position/step"]))
            there, gone = self.path(there), self.path(gone)
            said = f"plot.py: {gone}: No such file or directory; did you mean {there}?\n"
            self.draw(gone, "--live", said=said, status=2)
            os.remove(there)

    def test_a_growing_hdf5_file_is_closed_before_it_is_read_again(self):
        self.good("-c fish -n 1 -o f.h5 -q")
        os.rename("f.h5", "f.h5.part")
        frames = [errors.Failed("it is being written"), *[self.boids[0]] * 4]

        def sleep(_):
            self.assertEqual(h5py.h5f.get_obj_count(types=h5py.h5f.OBJ_FILE), 0)

        with mock.patch.object(readers.Hdf5Source, "frame", side_effect=frames), mock.patch.object(
            stream.time, "sleep", sleep
        ):
            self.assertEqual([step for step, _, _ in stream.growing_frames("f.h5.part")], [0, 1])

    def test_a_stream_holds_as_many_frames_as_a_trail_needs(self):
        frames = (
            (k, {"boid": self.boids[k % 12], "predator": self.predators[k % 12]}, None)
            for k in range(3000)
        )
        run = stream.look_ahead("test", frames, 10, 5)
        self.assertEqual(list(run.steps), list(range(10)))
        for k in stream.indices(run, frames, 3):
            self.assertIs(run.frame("boid", k).base, self.boids[k % 12].base)
            self.assertIn(max(0, k - 5), run.held)
            self.assertLessEqual(len(run.held), 15)
        self.assertEqual(k, 2997 + 2 - 2)

    def feed(self, count, **how):
        """A Feed that has read all it can."""
        frames = ((k, {}, None) for k in range(count))
        with mock.patch.object(stream, "BUFFERED_FRAMES", 20):
            feed = stream.Feed(frames, 1, **how)
        self.until(lambda: feed.has_ended or how["is_complete"] and len(feed.waiting) == 20)
        self.addCleanup(gc.enable)
        return feed

    def taken(self, feed):
        taken = []
        while not feed.is_over():
            frames = [frame[0] for frame in feed.take()]
            if frames:
                taken.append(frames)
            else:
                time.sleep(0.01)
        return taken

    def test_a_fast_input_skips_frames_or_waits(self):
        for count, how, skipped, wanted in (
            (100, {"is_complete": False, "trail": 3}, 80, [[77, 78, 79, 80], *range(81, 100)]),
            (100, {"is_complete": True}, 0, range(100)),
            (15, {"is_complete": False}, 0, range(15)),
        ):
            feed = self.feed(count, **how)
            taken = [k if len(k) > 1 else k[0] for k in self.taken(feed)]
            self.assertEqual((taken, feed.skipped), ([*wanted], skipped))

    def test_every_counts_from_the_first_frame_of_a_pipe(self):
        for held in (1, 2):  # frames that a terminal and a window read before they begin
            frames = ((k, {}, None) for k in range(held, 12))
            options = mock.Mock(frames=frames, every=5, every_frame=True, terminal=held == 1)
            feed = command.feed_of(options, mock.Mock(counts={"boid": 1}))
            self.assertEqual(self.taken(feed), [[5], [10]])
        self.addCleanup(gc.enable)

    # A program that sends `frames` frames, waits, and ends with its standard error in `said`.
    PRODUCER = (
        "import sys, time\nlines = open({path!r}).read().split('\\n')\n"
        "def send(text):\n    sys.stdout.write(text); sys.stdout.flush()\n"
        "send(lines[0] + '\\n')\n"
        "for k in range({frames}):\n    send('\\n'.join(lines[1 + 31 * k:32 + 31 * k]) + '\\n'); time.sleep({pause})\n"
        "time.sleep({wait})\n"
    )

    def producer(self, frames=5, pause=0):
        self.set_flock(30, 200)
        script = self.PRODUCER.format(path=self.csv(), frames=frames, pause=pause, wait=600)
        child = subprocess.Popen([sys.executable, "-c", script], **self.how())
        self.addCleanup(self.end, child)
        return child

    def terminal(
        self, *arguments, stdin=subprocess.DEVNULL, size=(24, 80), stderr_too=False, **environment
    ):
        """(process, file of its terminal) of plot.py --terminal in a terminal of `size`."""
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        termios.tcsetwinsize(theirs, size)
        self.before = termios.tcgetattr(theirs)
        child = subprocess.Popen(
            [sys.executable, PLOT, "--terminal", *split_words(arguments)],
            stdin=stdin,
            stdout=theirs,
            stderr=theirs if stderr_too else subprocess.PIPE,
            env={**os.environ, "TERM": "xterm", "COLORTERM": "truecolor", **environment},
        )
        self.addCleanup(self.end, child)
        self.addCleanup(os.close, theirs)
        self.theirs = theirs
        return child, ours

    def live_terminal(self, **how):
        """The same, for five frames that came through a pipe, which stays open; and what it shows then."""
        child, ours = self.terminal("--config adams", stdin=self.producer().stdout, **how)
        return child, ours, self.shown(ours, "step 4 ")

    def shown(self, ours, until, patience=PATIENCE):
        """What the terminal received until a text came."""
        text, deadline = b"", time.monotonic() + patience
        while until.encode() not in text:
            self.assertTrue(
                select.select([ours], [], [], max(0, deadline - time.monotonic()))[0], text
            )
            text += os.read(ours, 1 << 16)
        return text.decode(errors="replace")

    def check_end(self, child, status=0):
        """The program ends without a message, and its terminal is as before."""
        self.assertEqual((child.wait(PATIENCE), child.stderr.read()), (status, b""))
        self.assertEqual(termios.tcgetattr(self.theirs), self.before)

    def test_the_terminal_shows_each_frame_when_it_arrives_and_is_as_before_at_the_end(self):
        source = self.producer(frames=21, pause=0.02)
        child, ours = self.terminal("--config adams", stdin=source.stdout)
        text = self.shown(ours, "step 20 ")  # before the pipe closes
        self.assertIsNone(source.poll())
        self.assertTrue(text.startswith("\x1b[?1049h\x1b[?25l"))
        self.assertTrue(set(text) & {chr(0x2800 + bits) for bits in range(1, 256)})
        self.assertIn("\u25c6", text)  # the predator
        polarization = np.hypot(*(self.boids[20, :, 2:] / 4).mean(axis=0))
        self.assertIn(f"step 20  polarization {polarization:.3f}  30 boids", text)
        self.assertFalse(termios.tcgetattr(self.theirs)[3] & termios.ECHO)
        source.kill()
        self.shown(ours, "\x1b[?25h\x1b[?1049l\rstep 20 ")
        self.check_end(child)

    def test_a_title_with_letters_of_two_columns_does_not_scroll_the_terminal(self):
        """The status line may be wider than its number of letters; the terminal must not break it."""
        _, ours = self.terminal(self.h5(config={"title": 60 * "群", "world": {}}))
        drawn, _, left = self.shown(ours, "\x1b[?1049l").partition("step 11 ")
        self.assertIn("\x1b[?7l", drawn)
        self.assertIn("\x1b[?7h", left)

    def test_a_producer_that_dies_leaves_a_line_on_the_terminal(self):
        """Behind the end of the other screen, which disappears."""
        with open(self.write("cut.csv", self.cut_csv()), "rb") as file:
            child, ours = self.terminal("--config adams", stdin=file, stderr_too=True)
        text = self.shown(ours, "is left out\r\n", 15)
        self.assertIn(
            "standard input: the input ends early; step 5 has 3 of 31 agents and is left out",
            text.partition("\x1b[?1049l")[2],
        )
        self.assertEqual(child.wait(PATIENCE), 0)

    def test_signals_leave_the_terminal_as_it_was(self):
        for name, status in rows_of("SIGINT | 130\nSIGTERM | 143\nSIGQUIT | 131\nSIGHUP | 129"):
            with self.subTest(name):
                child, ours, _ = self.live_terminal()
                child.send_signal(signal.Signals[name])
                self.shown(ours, "\x1b[?25h\x1b[?1049l")
                self.check_end(child, int(status))

    def test_a_terminal_without_a_size_has_24_lines(self):
        lines = re.findall(r"\x1b\[(\d+);1H", self.live_terminal(size=(0, 0))[2])
        self.assertEqual(max(map(int, lines)), 24)

    def test_the_terminal_follows_its_size_and_obeys_no_color(self):
        _, ours, text = self.live_terminal(size=(10, 40), NO_COLOR="1")
        self.assertNotIn("38;", text)
        lines = re.findall(r"\x1b\[(\d+);1H([^\x1b]*)\x1b\[K", text)
        self.assertEqual(max(int(number) for number, _ in lines), 10)
        self.assertEqual(max(len(line) for number, line in lines if number != "10"), 40)
        termios.tcsetwinsize(self.theirs, (12, 60))
        self.assertIn("\x1b[12;1Hstep 4", self.shown(ours, "[12;1Hstep 4 "))

    def test_a_file_is_played_in_the_terminal(self):
        child, ours = self.terminal(self.h5(), "--fps 1000")
        text = self.shown(ours, "\x1b[?1049l\rstep 11 ")
        for k in range(12):
            self.assertIn(f"step {k} ", text)
        self.assertEqual(child.wait(PATIENCE), 0)

    def test_a_dumb_terminal_is_refused(self):
        child, _ = self.terminal(self.csv(), TERM="dumb")
        self.assertEqual(
            (child.wait(PATIENCE), child.stderr.read().count(b"cannot move its cursor")), (2, 1)
        )


class Command(Case):
    def test_help_begins_with_an_example_and_fits_a_screen(self):
        text = self.run_quietly("--help")
        self.assertTrue(text.startswith("Example:\n  boids --config adams"))
        lines = text.split("\n")
        said = "--help must fit a screen: shorten a sentence in commands/plot.py"
        self.assertLess(len(lines), 56, said)
        self.assertLess(max(map(len, lines)), 110, said)

    def test_a_missing_module_is_named_with_its_package(self):
        os.mkdir("fake")
        path, place = self.h5(), {**os.environ, "PYTHONPATH": "fake"}
        for module in ("numpy", "matplotlib", "h5py"):
            fake = f"fake/{module}.py"
            self.write(fake, f"raise ImportError('No {module}', name='{module}')")
            done = run_plot(path, "--save a.png", env=place)
            os.remove(fake)
            self.assertEqual(done.returncode, 1)
            package = f"has no usable module {module} .*; on Debian it is python3-{module}"
            self.assertRegex(done.stderr, rf"\Aplot.py: .* {package}.*\n\Z")
        with mock.patch.object(sys, "base_prefix", sys.prefix):
            for module, package in (("pandas", "python3-pandas"), ("PIL.Image", "python3-pil")):
                said = command_line.missing_module(ModuleNotFoundError(name=module))
                self.assertIn(f"on Debian it is {package}", said)

    def test_the_progress_bar_is_printed_on_a_terminal_only(self):
        steps = list(range(5))
        for is_terminal, is_quiet in ((False, False), (True, False), (True, True)):
            is_shown = is_terminal and not is_quiet
            error = io.StringIO()
            error.isatty = lambda: is_terminal
            with contextlib.redirect_stderr(error):
                self.assertEqual(list(Progress(5, is_quiet).each(steps)), steps)
            self.assertEqual("frame 0 of 5" in error.getvalue(), is_shown)
            self.assertEqual(error.getvalue().endswith("\r\033[K"), is_shown)

    def test_the_progress_bar_of_a_dumb_terminal_is_erased_by_spaces(self):
        error = io.StringIO()
        error.isatty = lambda: True
        with contextlib.redirect_stderr(error), mock.patch.dict(os.environ, TERM="dumb"):
            self.assertEqual(list(Progress(1, False).each([7])), [7])
        shown, spaces, end = error.getvalue().split("\r")[1:]
        self.assertIn("frame 0 of 1", shown)
        self.assertEqual((spaces, end), (" " * len(shown), ""))

    def test_the_progress_bar_fits_the_terminal(self):
        progress = Progress(300, False)
        progress.done = 123
        for room, line in (
            (200, "===========>                  41 %  frame 123 of 300  16 frames/s  11 s left"),
            (70, "===========>                  41 %  frame 123 of 300  11 s left"),
            (40, " 41 %  frame 123 of 300  11 s left"),
        ):
            self.assertEqual(progress.line(7.7, room), line)
        for room in range(80):
            self.assertLessEqual(len(progress.line(7.7, room)), room)
        progress.total = None
        for seconds, rate in ((7.7, "16"), (0.1, "1200"), (100, "1.2")):
            self.assertEqual(progress.line(seconds, 80), f"frame 123  {rate} frames/s")
        self.assertEqual([*map(duration_text, (9.4, 90, 7200))], ["9 s", "1.5 min", "2.0 h"])

    def test_a_terminal_is_told_what_was_written(self):
        path = self.h5()
        for name, what in (("a.png", "a picture"), ("a.html", "a page")):
            for words, is_terminal in (((), True), ("-q", True), ((), False)):
                status, said = self.call(path, "--save", name, words, is_terminal=is_terminal)
                self.assertEqual(status, 0)
                line = rf"{re.escape(name)}: {what}, \d+ KB\n"
                self.assertRegex(said, rf"\A{line if is_terminal and not words else ''}\Z")

    def test_neighbours_of_a_boid_too_far_away_are_refused(self):
        far = straight_motion(9, 2)
        far[0, 3, 0] = 1e300
        write_h5("a.h5", far, config={"world": WORLD})
        said = "a boid is 1e\\+300 world units away, too far to look for neighbours; choose another --colour\n"
        for colour in ("group", "neighbours"):
            self.refused(said, "a.h5 --frame 0 --save a.png --colour", colour)

    def test_worlds_of_extreme_shape_are_drawn_or_refused(self):
        for width, height, words, refused in rows_of(
            """
            1e-300 | 1e-300 | --frame 0 --axes                | what is in view is 1.03e-300 world units wide
            1e-300 | 1e-300 | --kind density                  | world units wide
            1e150  | 1e150  | --kind density                  | world units wide
            1e7    | 1e-2   | --kind density                  |
            1e-3   | 1e6    | --kind density                  |
            1e-9   | 1e9    | --frame 0 --view densest --bare |
            640    | 480    | --frame 0 --view densest        |
            """
        ):
            space = {"width": float(width), "height": float(height)}
            for count in (1, 9):
                flock = straight_motion(count, 2, **space) * (1, 1, 0, 0)
                flock[1] = flock[0]
                write_h5("a.h5", flock, config={"world": {**space, "border": "wrap"}})
                with self.subTest(width=width, height=height, count=count, words=words):
                    status, error = self.call("a.h5", words, "--save a.png")
                    self.assertEqual(status, 2 if refused else 0, error)
                    self.assertRegex(error, refused or r"\A\Z")

    @needs_ffmpeg
    def test_a_film_carries_a_long_configuration(self):
        """One argument of a command has at most 128 KB."""
        config = {
            "world": WORLD,
            "title": "a=b;c#d\\e\n",
            "obstacles": {"circles": [[i, i, 1.0 + i / 7] for i in range(6000)]},
        }
        write_h5("long.h5", straight_motion(3, 2), config=config)
        self.draw("long.h5 --save a.mp4 --size 200x200 --title '' --view 0,9,0,9")
        tags = self.probed("a.mp4", "format_tags")["format"]["tags"]
        self.assertEqual(json.loads(tags["comment"]), config)

    def test_extreme_flocks_are_drawn_or_refused(self):
        """Each within seconds. Agg draws a circle of 1e12 pixels for ever."""
        flock, near = straight_motion(30, 2), "--view 0,1e-3,0,1e-3 --axes"
        for circle, *views in (
            ([320, 240, 1e12], near, "--view -1e99,1e98,-1e99,1e99", "--colour group"),
            ([320 - 1e12, 240, 1e12], near, "--view -1e99,1e98,-1e99,1e99", "--colour group"),
            ([1e15, 1e15, 5], near),
            ([0, 0, 1e300], near),
            ([320, 240, 1e-300], near),
            ([-1e9, 240, 1e9 + 300], near),
        ):
            world = {"world": WORLD, "obstacles": {"circles": [circle]}}
            write_h5("a.h5", flock, config=world)
            for view in ((), *views):
                with self.subTest(circle, view=view):
                    self.draw("a.h5 --frame 0", view, "--save a.png")

    def test_the_straight_edge_of_a_large_disc_is_that_of_the_circle(self):
        low, high = np.zeros(2), np.array([640.0, 480.0])
        random = default_rng(1)
        for _ in range(200):
            radius, angle = 10 ** random.uniform(6, 9), random.uniform(0, 2 * np.pi)
            place = random.uniform(-900, 900)
            centre = high / 2 + (radius + place) * np.array([np.cos(angle), np.sin(angle)])
            patch = panel.disc(*centre, radius, low, high)
            points = random.uniform(low, high, (100, 2))
            depth = radius - np.hypot(*(points - centre).T)
            found = patch.get_path().contains_points(points) if patch else np.zeros(100, bool)
            is_right = (found == (depth > 0)) | (np.abs(depth) <= 0.2)
            self.assertTrue(is_right.all(), (radius, angle, place))
        self.assertIsInstance(panel.disc(320, 240, 5, low, high), Circle)

    def test_a_page_has_no_number_that_json_lacks(self):
        fast = straight_motion(5, 3)
        fast[1, 2, 2:], fast[2, 3, 2:] = 1e200, -1e308
        for name, data in (
            ("fast", fast),
            ("still", fast * (1, 1, 0, 0)),
            ("nan", np.where(fast > 1e100, np.nan, fast)),
        ):
            write_h5("a.h5", data, config={"world": WORLD})
            self.draw("a.h5 --save a.html")
            start, end = '<script id="run" type="application/json">', "</script>"
            text = self.read("a.html").split(start)[1].split(end)[0]
            json.loads(text, parse_constant=lambda word: self.fail(f"{name}: {word}"))

    def test_the_settings_of_the_user_change_nothing(self):
        """In a file, that is. A notebook sets MPLBACKEND to a backend that only it has."""
        os.mkdir("settings")
        for name, text in (
            ("good", b"savefig.bbox: tight\nsavefig.dpi: 33\ntext.usetex: True\n"),
            ("bytes", b"font.family: \xff\n"),
            ("settings/matplotlibrc", b"font.family: \xff\n"),
            ("lines", b"backend: nonsense\nfont.size: x\nno line\n"),
        ):
            self.write(name, text)
        data, plain = self.path(self.h5()), {**os.environ}
        plain.pop("MPLBACKEND")
        for name, place, settings in rows_of(
            f"""
            plain.png | .        |
            plain.pdf | .        |
            a.png     | settings | MPLBACKEND=module://matplotlib_inline.backend_inline
            a.png     | .        | MPLBACKEND=nonsense PYTHONWARNINGS=error
            a.png     | .        | MPLBACKEND=TkAgg MATPLOTLIBRC=good
            a.png     | .        | MATPLOTLIBRC=bytes MPLCONFIGDIR={self.path("settings")}
            a.pdf     | .        | MATPLOTLIBRC=lines MPLCONFIGDIR=/proc/none SOURCE_DATE_EPOCH=x
            a.pdf     | .        | MPLCONFIGDIR=good SOURCE_DATE_EPOCH=99999999999999999999
            """
        ):
            with self.subTest(settings):
                own = [word.split("=", 1) for word in settings and settings.split()]
                words = "--frame 0 --size 300x300 --save", self.path(name)
                self.assertEqual(
                    self.run_quietly(data, words, cwd=place, env={**plain, **dict(own)}), ""
                )
                self.assertSameFile(name, "plain" + name[-4:])

    def test_a_window_whose_backend_is_unknown_is_refused(self):
        done = run_plot(self.h5(), env={**os.environ, "DISPLAY": ":99", "MPLBACKEND": "nonsense"})
        self.assertEqual(done.returncode, 2)
        self.assertRegex(
            done.stderr,
            r"\Aplot.py: matplotlib cannot start \(.*'nonsense' is not a valid value.*\); check MPLBACKEND.*\n\Z",
        )


if __name__ == "__main__":
    unittest.main()
