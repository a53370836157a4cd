#!/usr/bin/env python3
"""Claims about the pages that plot.py --save run.html writes. Run with a python3 that has numpy, h5py and matplotlib:

    PYTHON tests/plotting/test_player.py

Headless Chromium, if installed (scripts/setup.sh page), loads a page with an additional script, which presses keys and writes its
observations into the title.
"""

import base64
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

sys.path.append(sys.path[0] + "/..")

from support import read, rows_of  # noqa: E402
from test_plot import csv_lines, run_plot, text_of  # noqa: E402

import numpy as np  # noqa: E402

from boids.drawing import panel, player, style  # noqa: E402
from boids.files import source, world  # noqa: E402

CHROMIUM = shutil.which("chromium")
in_browser = unittest.skipUnless(CHROMIUM, "there is no chromium")
FRAMES, BOIDS = 40, 60


def wandering(frames, n, seed):
    """float [frames, n, 4]: agents on slow curves, wrapped into 640 x 480."""
    random = np.random.default_rng(seed)
    turn = random.uniform(0, 2 * np.pi, n) + np.cumsum(random.normal(0, 0.1, (frames, n)), axis=0)
    speed = random.uniform(2, 6, n)
    velocity = np.stack([speed * np.cos(turn), speed * np.sin(turn)], axis=2)
    place = random.uniform(0, 1, (n, 2)) * (640, 480) + np.cumsum(velocity, axis=0)
    return np.concatenate([place % (640, 480), velocity], axis=2)


def trajectory_of(boids, predators=None, **keys):
    agents = {"boid": boids, "predator": predators if predators is not None else boids[:, :0]}
    made = source.MemorySource("flock.csv", np.arange(0, 10 * len(boids), 10), agents)
    made.world = world.World(width=640, height=480, border="wrap", **keys)
    return made


def unpacked(run):
    """places float [T, n, 2] in world units, headings and speeds [T, n]: what the page's script does."""
    n = run["boids"] + run["predators"]
    parts = np.frombuffer(zlib.decompress(base64.b64decode(run["data"])), np.uint8).reshape(
        6, len(run["steps"]), n
    )
    axes = []
    for low, high in (parts[:2], parts[2:4]):
        levels = low + high.astype(np.uint16) * 256
        for _ in range(2):
            levels = np.cumsum(levels, axis=0, dtype=np.uint16)
        axes.append((levels.astype(float) - run["levels"]) * run["step"])
    places = np.stack(axes, axis=2) + run["origin"]
    return places, *np.cumsum(parts[4:], axis=1, dtype=np.uint8)


class Packing(unittest.TestCase):
    def setUp(self):
        self.boids, self.predators = wandering(FRAMES, BOIDS, 1), wandering(FRAMES, 2, 2)
        self.data = self.packed(trajectory_of(self.boids, self.predators), "a title")
        self.agents = np.concatenate([self.boids, self.predators], axis=1)

    def packed(self, trajectory, title=""):
        frames = list(range(len(trajectory.steps)))
        return player.page_data(trajectory, frames, panel.Look(title, "", 0), 30)

    def test_places_are_those_of_the_file_to_half_a_level(self):
        places = unpacked(self.data)[0]
        self.assertLessEqual(
            np.abs(places - self.agents[..., :2]).max(), self.data["step"] * 0.5001
        )
        self.assertLess(self.data["step"], 640 / 4096)

    def test_headings_are_to_half_of_256_and_speeds_to_half_a_percent(self):
        _, headings, speeds = unpacked(self.data)
        velocities = self.agents[..., 2] + 1j * self.agents[..., 3]
        off = np.angle(np.exp(1j * headings * np.pi / 128) / velocities)
        self.assertLessEqual(np.abs(off).max(), np.pi / 255)
        found = speeds / 255 * self.data["fastest"]
        wanted = np.minimum(np.abs(velocities), self.data["fastest"])
        self.assertLess(np.abs(found - wanted).max(), 0.005 * self.data["fastest"])

    def test_the_page_has_steps_counts_and_the_world(self):
        self.assertEqual(self.data["steps"], list(range(0, 10 * FRAMES, 10)))
        self.assertEqual((self.data["boids"], self.data["predators"]), (BOIDS, 2))
        self.assertEqual(self.data["world"]["width"], 640)
        self.assertFalse(self.data["down"])

    def test_the_page_has_obstacles_and_goals(self):
        trajectory = trajectory_of(self.boids, circles=((10.0, 20.0, 15.0),), goals=((3.0, 4.0),))
        run = self.packed(trajectory)
        self.assertEqual((run["wraps"], run["isTorus"]), (True, True))
        [(step, circles, goals)] = run["world"]["stages"]
        self.assertEqual((step, set(circles), goals), (0, {(10, 20, 15), (650, 20, 15)}, ((3, 4),)))

    def test_scheduled_obstacles_and_goals_have_their_steps(self):
        changes = ((40, ((1.0, 2.0, 3.0),), ()), (60, (), ((3.0, 4.0),)))
        trajectory = trajectory_of(self.boids, changes=changes)
        trajectory.world.border = "open"
        self.assertEqual(
            self.packed(trajectory)["world"]["stages"],
            [[0, [], ()], [40, [(1, 2, 3)], ()], [60, [], ((3, 4),)]],
        )

    def test_neighbours_are_as_near_as_in_pictures(self):
        later = {"at": 20, "set": {"flock.cohesion.radius": 5}}
        config = {"flock": {"cohesion": {"radius": 0}}, "schedule": [later]}
        run = self.packed(trajectory_of(self.boids, config=config))
        sides = np.ptp(self.boids[2, :, :2], axis=0)
        np.testing.assert_allclose(run["linkRadii"][2:4], [2 * np.sqrt(sides.prod() / BOIDS), 5])

    def test_an_agent_without_a_position_is_out_of_view(self):
        self.boids[5, 3] = np.nan
        self.boids[6, 3, 0] = 1e30
        run = self.packed(trajectory_of(self.boids))
        places = unpacked(run)[0]
        self.assertTrue((places[5, 3] > 6 * run["step"] * run["levels"]).all())
        self.assertTrue(np.isfinite(places).all())
        self.assertLess(np.abs(places[7, 3] - self.boids[7, 3, :2]).max(), run["step"])

    def test_a_thousand_boids_and_300_frames_are_below_two_megabytes(self):
        run = self.packed(trajectory_of(wandering(300, 1000, 3)))
        self.assertLess(len(json.dumps(run)), 2_000_000)

    def test_too_many_agents_times_frames_are_refused(self):
        many = trajectory_of(np.zeros((1, 10, 4)))
        with self.assertRaisesRegex(player.Refused, r"every=2 takes fewer"):
            player.page_data(
                many, [0] * (player.MAX_AGENT_FRAMES // 10 + 1), panel.Look("", "", 0), 30
            )


class Page(unittest.TestCase):
    """The command, and the page in a browser."""

    title = "</script><b>1 & 2</b>"

    @classmethod
    def setUpClass(cls):
        """One page serves all tests; it is written without matplotlib."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.boids, cls.predators = wandering(FRAMES, BOIDS, 1), wandering(FRAMES, 1, 2)
        cls.config = {
            "world": {"width": 640, "height": 480, "border": "bounce", "margin": 50},
            "flock": {"alignment": {"radius": 20}},
            "schedule": [{"at": 100, "set": {"flock.alignment.radius": 5}}],
        }
        for name, text in (
            ("flock.csv", text_of(csv_lines(cls.boids, cls.predators, every=10))),
            ("box.json", json.dumps(cls.config)),
            ("sitecustomize.py", "import sys\nsys.modules['matplotlib'] = None\n"),
        ):
            with open(cls.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        words = ["flock.csv", "--config", "box.json", "--save", "page.html", "--title", cls.title]
        environment = {**os.environ, "PYTHONPATH": cls.folder}
        cls.done = run_plot(shlex.join(words), cwd=cls.folder, env=environment)
        cls.page = read(cls.path("page.html"))
        inside = r'<script id="run" type="application/json">(.*?)</script>'
        cls.run_data = json.loads(re.search(inside, cls.page, re.DOTALL)[1])

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def test_a_page_loads_nothing_from_the_network(self):
        page = self.page.replace('<link rel="icon" href="data:', "")
        self.assertNotRegex(page, r"https?:|src=|@import|url\(|fetch\(|XMLHttpRequest|<link")

    def test_title_description_and_icon_are_in_the_file(self):
        for text in (
            "<title>&lt;/script&gt;&lt;b&gt;1 &amp; 2&lt;/b&gt;</title>",
            f'<meta name="description" content="A flock of {BOIDS} boids, played in {FRAMES} frames.">',
            '<link rel="icon" href="data:image/svg+xml,',
        ):
            self.assertIn(text, self.page)

    def test_a_page_needs_no_matplotlib(self):
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))

    def test_the_page_carries_the_configuration(self):
        self.assertEqual(self.run_data["config"], self.config)

    def test_the_embedded_data_is_json_for_any_title(self):
        self.assertEqual(self.run_data["title"], self.title)

    # In a browser.

    def browse(self, *words, size="900,700", hash_="#step=0", script=""):
        """(the title after `script` ran, what the console said) of the page, loaded at `hash_`."""
        with open(self.path("tried.html"), "w", encoding="utf-8") as file:
            file.write(
                self.page + f"<script>(async () => {{ const press = (key, more) => dispatchEvent("
                f"new KeyboardEvent('keydown', {{ key, cancelable: true, ...more }}));"
                f"const wait = (ms) => new Promise((done) => setTimeout(done, ms));"
                f"await wait(500); {script} }})();</script>"
            )
        usual = (
            "--headless=new --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 "
            f"--window-size={size} --virtual-time-budget=6000 --enable-logging=stderr"
        )
        profile, page = self.path("profile"), self.path("tried.html")
        done = subprocess.run(
            [
                CHROMIUM,
                *usual.split(),
                f"--user-data-dir={profile}",
                *words,
                f"file://{page}{hash_}",
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        title = re.search(r"<title>(.*?)</title>", done.stdout)
        console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
        return title and title[1], console

    def evaluated(self, script, **how):
        """The values of `script`, a list of expressions, in the page."""
        said, console = self.browse(
            "--dump-dom", script=f"document.title = JSON.stringify([{script}]);", **how
        )
        self.assertEqual(console, [])
        return json.loads(said.replace("&quot;", '"').replace("&amp;", "&"))

    @in_browser
    def test_the_browser_unpacks_the_places_of_the_file(self):
        script = "Array.from({length: count}, (_, i) => placeAt(i, 17)), run.step"
        places, step = self.evaluated(script)
        agents = np.concatenate([self.boids[17], self.predators[17]])
        self.assertLess(np.abs(np.array(places) - agents[:, :2]).max(), step)

    @in_browser
    def test_the_rings_around_a_followed_boid_follow_the_schedule(self):
        found = self.evaluated("...[10, 11].map((k) => (take(k), view.scene.radii))")
        self.assertEqual(found, [[None, 20, None], [None, 5, None]])

    @in_browser
    def test_the_dashed_margin_is_explained_if_it_is_drawn(self):
        found = self.evaluated(
            "byId('about').textContent, (view.scene.world.margin = [0, 0, 0, 0], showAbout(), byId('about').textContent)"
        )
        self.assertEqual(
            found,
            ["60 boids, 1 predator; beyond the dashes they turn back", "60 boids, 1 predator"],
        )

    @in_browser
    def test_headings_have_the_colours_of_pictures_in_both_themes(self):
        found = self.evaluated("(setTheme(false), view.palette), (setTheme(true), view.palette)")
        for hues, look in zip(found, (style.SCREEN, style.LIGHT)):
            for turn in (0, 16, 32, 48):
                wanted = np.rint(255 * style.ring_colors(turn * 2 * np.pi / 64, look.ring))
                self.assertEqual(hues[turn], "#{:02x}{:02x}{:02x}".format(*wanted.astype(int)))

    @in_browser
    def test_keyboard_shortcuts_work_as_listed(self):
        steps = rows_of(
            f"""
            ArrowRight | state.at        | 6
            ArrowLeft  | state.at        | 5
            End        | state.at        | {FRAMES - 1}
            Home       | state.at        | 0
            ArrowUp    | speed()         | 2
            ArrowDown  | speed()         | 1
            f          | view.followed   | 0
            f          | view.followed   | 1
            Escape     | view.followed   | -1
            c          | view.colour     | "speed"
            t          | view.hasTrails  | false
            l          | view.isLight    | false
            Space      | state.isPlaying | true
            Space      | state.isPlaying | false
            """
        )
        script = ", ".join(f"(press('{key}'), {what})" for key, what, _ in steps)
        script = "setTheme(true), " + script.replace("Space", " ")
        found = self.evaluated(script, hash_="#step=50")[1:]
        self.assertEqual(found, [json.loads(wanted) for *_, wanted in steps])

    @in_browser
    def test_the_page_plays_at_once_and_loops(self):
        """The test calls tick() itself, because a headless browser draws at irregular times."""
        script = (
            "state.isPlaying, (() => { go(0); play(true); for (let k = 1; k <= 10; k++) tick(last + 100); return state.at; })(), "
            "(() => { for (let k = 1; k <= 10; k++) tick(last + 100); const end = [state.at, state.isPlaying]; play(false); return end; })()"
        )
        begun, after, looped = self.evaluated(script, hash_="")
        self.assertTrue(begun)
        self.assertAlmostEqual(after, 30, delta=0.01)
        self.assertLess(looped[0], FRAMES - 1)
        self.assertTrue(looped[1])

    @in_browser
    def test_a_page_with_little_motion_waits_at_the_last_step_and_plays_from_the_first(self):
        said, console = self.browse(
            "--dump-dom",
            "--force-prefers-reduced-motion",
            hash_="",
            script="const waits = [state.at, state.isPlaying]; play(true); tick(last + 100); "
            "document.title = JSON.stringify([...waits, state.at < frames - 1]);",
        )
        self.assertEqual((json.loads(said), console), ([FRAMES - 1, False, True], []))

    @in_browser
    def test_a_click_follows_the_boid_under_it(self):
        click = (
            "((box, lens, [x, y]) => (view.canvas.dispatchEvent(new MouseEvent('click', {clientX: box.left + lens.x(x), "
            "clientY: box.top + lens.y(y)})), view.followed))(view.canvas.getBoundingClientRect(), view.lens(), placeAt(9, 3))"
        )
        self.assertEqual(self.evaluated(click, hash_="#step=30"), [9])

    @in_browser
    def test_the_wheel_zooms_about_the_pointer(self):
        script = (
            "(() => { const at = { clientX: 300, clientY: 250, cancelable: true }, place = () => view.toWorld(at), before = place();"
            "view.canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -400, ...at })); return [view.zoom, before, place()]; })()"
        )
        zoom, before, after = self.evaluated(script)[0]
        self.assertGreater(zoom, 2)
        np.testing.assert_allclose(after, before, atol=1e-9)

    @in_browser
    def test_a_frame_that_was_sought_has_trails(self):
        lit = "view.trail.filter((value, i) => i % 4 === 3 && value > 0).length"
        found = self.evaluated(
            f"(go(30), draw(), {lit}), (setTrails(false), draw(), {lit}), (setTrails(true), go(0), draw(), {lit})"
        )
        self.assertGreater(found[0], BOIDS)
        self.assertEqual(found[1:], [0, 0])

    @in_browser
    def test_speeds_are_spread_over_the_ramp_from_the_2nd_to_the_98th_percentile(self):
        low, high, hues = self.evaluated(
            "(view.setColour('speed'), draw(), view.range[0]), view.range[1], [...view.hue]",
            hash_="#step=100",
        )
        self.assertEqual(
            self.evaluated("(run.linkRadii[30] = 5, go(30), draw(), view.scene.radius)"), [5]
        )
        speeds = np.sort(np.hypot(self.boids[10, :, 2], self.boids[10, :, 3]))
        self.assertAlmostEqual(low, speeds[1], delta=0.03)
        self.assertAlmostEqual(high, speeds[-2], delta=0.03)
        self.assertEqual((min(hues[:BOIDS]), max(hues[:BOIDS])), (0, 63))

    @in_browser
    def test_an_absent_boid_changes_neither_the_view_nor_the_ramp(self):
        corners, slowest, middle, now, at, empty = self.evaluated(
            "(places[0][5] = places[1][5] = 65535, speeds[5] = 0, view.scene.isOpen = true, view.setColour('speed'), draw(), "
            "[...view.low, ...view.high]), view.range[0], (view.follow(5), view.lens().middle), byId('now').textContent, "
            "(play(true), tick(last - 50), play(false), state.at), "
            "(view.follow(-1), view.scene.isOpen = false, places[0].fill(65535), draw(), [...view.low, ...view.high])"
        )
        self.assertTrue(-300 < min(corners) and max(corners) < 900, corners)
        self.assertGreater(slowest, 1.5)
        self.assertTrue(0 < middle[0] < 640, middle)
        self.assertEqual((now, at), ("step 0, 59 of them", 0))
        self.assertNotIn(None, empty)  # not a number

    @in_browser
    def test_an_embedded_page_is_all_flock(self):
        size, opacity = self.evaluated(
            "[view.canvas.clientWidth, view.canvas.clientHeight, innerHeight], getComputedStyle(document.querySelector('footer')).opacity",
            size="480,270",
            hash_="#embed",
        )
        self.assertEqual(size[1], size[2])
        self.assertEqual(opacity, "0")

    @in_browser
    def test_agents_are_drawn_where_they_are_with_y_up(self):
        """Found by the red pixels of the canvas, which only the predator has."""
        script = (
            "(() => { setTrails(false); draw(); const { width, height } = view.canvas, xs = [], ys = [];"
            "const data = view.pen.getImageData(0, 0, width, height).data;"
            "for (let i = 0; i < width * height; i++) if (data[4 * i] > 190 && data[4 * i + 1] < 90 && data[4 * i + 2] < 90) {"
            " xs.push(i % width); ys.push(Math.floor(i / width)); }"
            "const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1];"
            "return [middle(xs), middle(ys), width, height, run.origin, run.size]; })()"
        )
        column, row, width, height, origin, size = self.evaluated(script, hash_="#step=100")[0]
        scale = min(width / size[0], height / size[1])
        x, y = self.predators[10, 0, :2] - origin - np.array(size) / 2
        self.assertAlmostEqual(column, width / 2 + x * scale, delta=8)
        self.assertAlmostEqual(row, height / 2 - y * scale, delta=8)

    @in_browser
    def test_the_page_fits_on_a_phone(self):
        wide, lowest, high = self.evaluated(
            "document.documentElement.scrollWidth, "
            "document.querySelector('footer').getBoundingClientRect().bottom, innerHeight",
            size="500,800",
        )
        self.assertLessEqual(wide, 500)
        self.assertLessEqual(lowest, high)
        low = self.evaluated(
            "byId('title').textContent = 'Starlings '.repeat(20), document.documentElement.scrollWidth, byId('now').offsetWidth > 40",
            size="640,360",
        )
        self.assertEqual(low[1:], [640, True])


if __name__ == "__main__":
    unittest.main()
