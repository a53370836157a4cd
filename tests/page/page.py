#!/usr/bin/env python3
"""Claims about build/page/boids.html (make test-page): in headless Chromium it gives the bits and the messages of the program."""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.append(sys.path[0] + "/..")

from browser import Browser  # noqa: E402
from support import (
    BOIDS,
    PATIENCE,
    ROOT,
    by_level,
    output_of,
    preset_text,
    read,
    rows_of,
)  # noqa: E402

PAGE = os.path.abspath(os.environ.get("BOIDS_PAGE", os.path.join(ROOT, "build/page/boids.html")))
ADAMS = preset_text("adams")
# All update orders, borders and back ends, and both float types.
PRESETS = "adams bees castor couzin fish hunt migration murmuration rocks topological".split()
REFUSED = (
    '{\n  "flock": { "count": -3 }\n}',
    '{\n  "flock": { "conut": 3 }\n}',
    '{\n  "seed": 1,\n  "seed": 2\n}',
    '{ "world": { "border": "periodic" } }',
    '{ "flock": { "alignment": { "radius": 5,\n "inner_radius": 8 } } }',
    '{ "flock": { "min_speed": 01 } }',
    '{ "title": "a\\u0000b" }',
    '{ "steps": 10, }',
    '{ "arithmetic": "fixed",\n "world": { "width": 40000 } }',
    '{ "schedule": [{ "at": 5, "set": { "world.width": 3 } }] }',
    '{ "goals": { "points": [[1, 2], [3]] } }',
    "",
)

DAMAGED_LINKS = """
#preset=%
#preset=%E4
#preset=constructor
#preset=toString
#preset=__proto__
#preset=hasOwnProperty
#preset=
#preset=Adams
#preset=adams&x
#preset=adams&seed=-1
?preset=nonsense
#presets=adams
#conf
#config
#config=
#config=%00
#config=%ED%A0%80
#config=null
#config=[]
#config=3
#config={"__proto__":{"seed":1}}
#config={"constructor":1}
#config={"flock":{"toString":1}}
""".split()


def link_of(text):
    """The part of an address that has a configuration."""
    return "#config=" + urllib.parse.quote(text)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def setUp(self):
        self.browser.console.clear()
        self.open()

    def tearDown(self):
        self.assertEqual(self.browser.console, [])

    def js(self, script):
        return self.browser.evaluate(script)

    def open(self, **how):
        self.browser.open(PAGE, **how)
        self.js("ready")

    def open_small(self):
        """For what is independent of the size: Chromium draws on the processor."""
        self.open(width=900, height=300)

    def step(self, steps=0):
        self.js(f"boids.step({steps})")

    def hash(self):
        return self.js("boids.hash()")

    def message(self):
        return self.js("boids.message()")

    def text(self):
        return self.js("byId('json').value")

    def document(self):
        return json.loads(self.text())

    def refusal(self, text, name="flock.json"):
        """The message of the program."""
        return self.run_program(text, "--check", name=name).stderr.strip()

    def run_program(self, text, *words, name="flock.json"):
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return subprocess.run(
            [BOIDS, "--config", name, "-q", *words],
            capture_output=True,
            text=True,
            cwd=self.folder.name,
            timeout=PATIENCE,
            check=False,
        )

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def hash_of_program(self, text, steps):
        done = self.run_program(text, "-n", str(steps), "--hash", str(steps), "-o", "none")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.split()[-1]

    def hash_of_page(self, text, steps):
        return self.js(
            f"boids.load({json.dumps(text)}).then(() => boids.step({steps})).then(() => boids.hash())"
        )

    def check_hash(self, text, steps):
        """The flock is that of the program after these steps."""
        self.assertEqual(self.hash(), self.hash_of_program(text, steps))

    def open_link(self):
        """Open the page again at the address that it has now."""
        link = self.js("link()")
        self.open(hash_=link[link.index("#") :])
        self.step()

    def assert_same_hash(self, text, steps=1000):
        self.assertEqual(self.hash_of_page(text, steps), self.hash_of_program(text, steps))

    def test_ten_presets_have_the_hash_of_the_program_after_1000_steps(self):
        for name in PRESETS:
            with self.subTest(name):
                self.assert_same_hash(preset_text(name))

    def test_three_presets_have_it_in_each_arithmetic(self):
        for name in ("adams", "couzin", "hunt"):
            for arithmetic in ("float32", "float64", "fixed"):
                with self.subTest(name, arithmetic=arithmetic):
                    self.assert_same_hash(
                        json.dumps({**json.loads(preset_text(name)), "arithmetic": arithmetic})
                    )

    def test_a_refused_configuration_has_the_message_of_the_program(self):
        for text in REFUSED:
            with self.subTest(text):
                refusal = self.refusal(text)
                self.assertTrue(refusal)
                load = f"boids.load({json.dumps(text)}).then(() => 'accepted', (error) => error.message)"
                shown = self.js(load), self.message(), self.js("byId('message').textContent")
                self.assertEqual(shown, (refusal, refusal, refusal))

    def test_a_refused_configuration_leaves_the_run_as_it_is(self):
        self.hash_of_page(ADAMS, 10)
        self.js("boids.load('{').catch(() => 0).then(() => boids.step(10))")
        self.check_hash(ADAMS, 20)

    def test_a_step_out_of_range_has_a_message(self):
        flock = {"min_speed": None, "max_speed": None, "init": {"speed": [3e37, 6e37]}}
        text = json.dumps({"arithmetic": "float32", "world": {"border": "open"}, "flock": flock})
        stepped = f"boids.load({json.dumps(text)}).then(() => boids.step(1000)).catch((error) => error.message)"
        done = self.run_program(text, "-n", "1000", "-o", "none")
        self.assertRegex(done.stderr, r"^boids: step \d+: boid \d+ has left the range of float32")
        expected = done.stderr.strip().replace("nothing was written", "the state is lost")
        self.assertEqual(self.js(stepped), expected)

    def test_changes_during_a_run_are_a_schedule_that_repeats_it(self):
        self.hash_of_page(ADAMS, 50)
        self.js(
            "Promise.all([changeAll({ 'flock.cohesion.factor': JSON.stringify(0.002) }), changeAll({ 'predators.hunt': JSON.stringify('nearest') })])"
        )
        self.js("boids.step(30)")
        self.js(
            "Promise.all([changeAll({ 'obstacles.circles': JSON.stringify([[300, 200, 40]]) }), changeAll({ 'flock.max_speed': JSON.stringify(null) })])"
        )
        self.js("boids.step(20)")
        text = self.text()
        self.assertEqual([entry["at"] for entry in json.loads(text)["schedule"]], [50, 80])
        self.check_hash(text, 100)
        self.assert_same_hash(text, 100)

    def test_a_refused_change_has_a_message_and_does_nothing(self):
        self.hash_of_page(ADAMS, 5)
        text = self.text()
        self.assertFalse(self.js("changeAll({ 'flock.min_speed': JSON.stringify(99) })"))
        self.assertIn("min_speed must not exceed max_speed", self.message())
        self.assertEqual(self.text(), text)
        self.step(5)
        self.check_hash(text, 10)

    def test_a_link_carries_the_configuration(self):
        text = json.dumps({"title": "50 % & #1", "flock": {"count": 77}})
        self.hash_of_page(text, 0)
        self.open_link()
        self.assertEqual(self.document(), json.loads(text))

    def test_a_link_that_is_refused_has_a_message_and_another_run(self):
        self.open(hash_=link_of('{"flock": {"count": 0}}'))
        self.assertIn("flock.count is 0; it must be", self.message())
        self.assertEqual(self.document(), {"flock": {"count": 0}})
        self.assertNotEqual(self.hash(), "0" * 16)

    def assert_flock_after(self, hash_, wanted=None):
        """The page says the sentence (any if None) and shows a flock that moves."""
        self.open(hash_=hash_)
        with self.subTest(hash_):
            moves = "boids.message().then(() => new Promise((done) => { const wait = () => state.step > 3 ? done(true) : setTimeout(wait, 20); wait(); }))"
            self.assertTrue(self.js(moves))
            reported = self.js("byId('message').textContent")
            self.assertEqual(reported, wanted) if wanted else self.assertRegex(
                reported, "^boids: ."
            )
            self.assertNotIn("browser", reported)
            self.assertTrue(self.js("view.scene.boids > 0 && view.x.some((x) => x !== 0)"))
            self.assertEqual(self.browser.console, [])

    def test_after_a_damaged_link_the_page_has_a_message_and_a_flock_that_moves(self):
        whole = link_of('{"title": "\u00e4\U0001f426", "flock": {"count": 5}}')
        cut = [whole[:n] for n in range(9, len(whole)) if "%" in whole[n - 2 : n]]
        for hash_ in (*cut[::8], *DAMAGED_LINKS, "#config=" + "[" * 5000):
            self.assert_flock_after(hash_)

    def test_a_link_has_the_message_of_the_program(self):
        """JSON.parse() would take the last of two equal keys, and round whole numbers."""
        for text in (
            *REFUSED[2:4],
            '{"seed":9007199254740993}',
            '{"steps": 9007199254740993}',
            '{"flock":{"count":5,"count":5}}',
            '{"schedule":[{"at":9007199254740993,"set":{}}]}',
            '{"world":{"margin":{"left":1,"left":2}}}',
            '{"seed":1e400}',
            '{"world":{"width":' + "1" * 70 + "}}",
        ):
            self.assert_flock_after(link_of(text), self.refusal(text, "link"))

    def test_a_damaged_link_does_not_end_the_current_run(self):
        self.hash_of_page(ADAMS, 5)
        for hash_ in ("#preset=constructor", "#config=%7B%", link_of(REFUSED[2])):
            done = f"new Promise((done) => {{ addEventListener('hashchange', () => done(boids.message()), {{ once: true }}); location.hash = {json.dumps(hash_)}; }})"
            self.assertRegex(self.js(done), "^boids: ")
        self.step(5)
        self.check_hash(ADAMS, 10)

    def test_typed_values_have_the_message_of_the_program(self):
        typed = "boids.load({}).then(() => { const box = byId('%s'); box.value = '%s'; box.onchange({ target: box }); return boids.message(); })"
        for box, value, text in rows_of(
            """
            key-steps             | 9007199254740993 | {"steps": 9007199254740993}
            seed                  |                  | {"seed": ""}
            seed                  | 1e3              | {"seed": "1e3"}
            seed                  | 0x10             | {"seed": "0x10"}
            key-obstacles.circles | [[1, 2, 1e400]]  | {"obstacles": {"circles": [[1, 2, 1e400]]}}
            key-goals.points      | [[1, 2], [3      | {"goals": {"points": "[[1, 2], [3"}}
            """
        ):
            with self.subTest(box, value=value):
                reported = self.js(typed % (box, value or ""))
                self.assertEqual(self.document(), {})
                self.assertEqual(reported.split(": ", 2)[2], self.refusal(text).split(": ", 2)[2])

    def test_texts_are_the_same_after_a_change(self):
        config = {
            "title": 'a,b,  "c", \u2028 \u00e4',
            "output": {"boids": {"from": 0, "to": 3}, "fields": ["position"]},
            "seed": "18446744073709551615",
            "schedule": [{"at": 5, "set": {"goals.points": [[1, 2], [3, 4]]}}],
        }
        self.hash_of_page(json.dumps(config), 0)
        is_made = self.js("changeAll({ 'flock.count': JSON.stringify(7) })")
        self.assertTrue(is_made, self.message())
        config["flock"] = {"count": 7}
        self.assertEqual(self.document(), config)
        self.open_link()
        self.assertEqual(self.document(), config)

    def test_a_file_is_read_as_the_program_reads_it(self):
        """Bytes that are not UTF-8, and a byte order mark."""
        for data in (
            b'{"title": "\xe4"}',
            b'{"title": "a"}\0',
            b'\xef\xbb\xbf{"seed": 3}',
            '{"seed": 3}'.encode("utf-16"),
        ):
            with self.subTest(data):
                opened = f"boids.load({{}}).then(() => openFile(new File([Uint8Array.from({list(data)})], 'a.json'))).then(() => boids.message())"
                self.assertEqual(self.js(opened), self.refusal(data, "a.json"))

    def test_what_is_refused_leaves_the_text_box_and_the_run(self):
        self.hash_of_page(ADAMS, 5)
        texts = (
            "step,time\n0,0\n",
            "",
            "flock:\n  count: 3\n",
            "\0\0\0",
            '{"seed": -1}',
            "x" * 100000,
        )
        for name, text in itertools.product(("mine.csv", "a b.json"), texts):
            opened = (
                f"openFile(new File([{json.dumps(text)}], '{name}')).then(() => boids.message())"
            )
            with self.subTest(name, text=text[:20]):
                self.assertEqual(self.js(opened), self.refusal(text, name))
        self.assertEqual(
            self.js("openFile({ name: 'run.h5', size: 2e9 }), boids.message()"),
            "boids: run.h5 has 2000 MB; a configuration is smaller",
        )
        self.js("changeAll({ 'flock.count': '0' }).then(() => load('{'))")
        self.js(
            "new Promise((done) => { addEventListener('hashchange', done, { once: true }); location.hash = '#preset=nonsense'; }), 0"
        )
        self.assertEqual(self.text(), ADAMS)
        self.step(5)
        self.check_hash(ADAMS, 10)

    def test_a_damaged_player_page_has_a_message(self):
        for run in (
            '{"config": NaN}</script>',
            '{"config": {"seed"',
            "null</script>",
            "</script>",
            '{"config": {"seed": -1}}</script>',
        ):
            saved = json.dumps('<script id="run" type="application/json">' + run)
            self.assertRegex(
                self.js(
                    f"boids.load('{{}}').then(() => openFile(new File([{saved}], 'a.html'))).then(() => boids.message())"
                ),
                r"^boids: (a\.html: this page|a\.html:2: seed is -1).*; ",
            )

    def test_extreme_flocks_are_drawn(self):
        texts = [
            '{"world": {"width": %s, "height": %s, "border": "%s"}, "obstacles": {"circles": [[0, 0, %s]]}}'
            % (size, size, border, radius)
            for size, radius in ((1e-6, 1e-9), (1e12, 1e15), (640, 1e12), (640, 1e-9))
            for border in ("wrap", "open")
        ]
        texts += """
            {"world": {"width": 1e7, "height": 1e-3, "margin": 0}}
            {"flock": {"count": 1}, "goals": {"points": [[1e15, -1e15]]}}
            {"flock": {"init": {"speed": [0, 0]}, "max_speed": null, "min_speed": null, "cohesion": {"radius": 0}}}
            {"predators": {"count": 500}, "flock": {"count": 1}}
            """.strip().splitlines()
        texts.append(json.dumps({"title": "<script>x</script>" * 50}))
        for text in texts:
            with self.subTest(text):
                if self.run_program(text, "--check").returncode == 0:
                    self.js(
                        f"boids.load({json.dumps(text)}).then(() => boids.step(3)).then(() => new Promise((done) => requestAnimationFrame(done)))"
                    )
                    for colour in ("speed", "neighbours", "group"):
                        self.js(f"view.setColour('{colour}'), new Promise(requestAnimationFrame)")

    def test_a_change_of_the_schedule_is_shown_when_it_is_made(self):
        self.hash_of_page(
            '{"schedule": [{"at": 5, "set": {"flock.max_speed": 9, "flock.cohesion.radius": 1e-9}}]}',
            4,
        )
        pairs = "boids.hash().then(() => { let pairs = 0; placeAgents(); for (const _ of view.forPairs(() => pairs++)); return pairs; })"
        self.assertGreater(self.js(pairs), 9)
        shown = "boids.hash().then(() => byId('key-flock.max_speed').value)"
        self.assertEqual(self.js(shown), "6")
        self.js("boids.step(1)")
        self.assertEqual(self.js(shown), "9")
        self.assertEqual(self.js(pairs), 0)

    def test_a_saved_player_page_is_opened_with_its_configuration(self):
        config = {"title": "saved", "flock": {"count": 12}}
        for run, wanted in (({"config": config}, config), ({"config": None}, None)):
            saved = f'<script id="run" type="application/json">{json.dumps(run)}</script>'
            self.js(
                f"boids.load('{{}}').then(() => openFile(new File([{json.dumps(saved)}], 'a.html')))"
            )
            if wanted:
                self.assertEqual(self.document(), wanted)
            else:
                self.assertIn(
                    "a.html: this page contains no configuration",
                    self.message(),
                )

    def test_each_key_that_may_change_has_a_control(self):
        schema = json.loads(read("data/boids.schema.json"))
        changeable = list(
            schema["properties"]["schedule"]["items"]["properties"]["set"]["properties"]
        )
        self.step()
        controls = self.js(
            "[...byId('controls').querySelectorAll('.key')].map((key) => key.dataset.path)"
        )
        self.assertEqual(sorted(controls), sorted(changeable))
        self.js("boids.load(presets.adams)")
        shown = self.js("byId('key-flock.cohesion.radius').value")
        self.assertEqual(float(shown), json.loads(ADAMS)["flock"]["cohesion"]["radius"])

    def test_the_next_seed_restarts_the_run(self):
        self.hash_of_page('{"seed": "9223372036854775807"}', 5)
        self.js("nextSeed().then(() => 0)")
        self.assertEqual(self.document(), {"seed": "9223372036854775808"})
        self.step(10)
        self.check_hash('{"seed": "9223372036854775808"}', 10)

    def test_a_click_places_an_obstacle_and_a_goal(self):
        self.js(
            "boids.load(presets.adams).then(() => { useTool('obstacle'); return click(middle()); }).then(() => { useTool('goal'); return click(middle()); })"
        )
        doc = self.document()
        self.assertEqual([circle[:2] for circle in doc["obstacles"]["circles"]], [[320, 240]])
        self.assertEqual(doc["goals"]["points"], [[320, 240]])

    def test_each_preset_is_in_the_menu_and_is_accepted(self):
        listed = subprocess.run([BOIDS, "--presets"], capture_output=True, text=True, check=True)
        menu = (
            "[...document.querySelectorAll('optgroup')].map((group) => group.label + ':\\n' + [...group.children]"
            ".map((option) => '  ' + option.value.padEnd(15) + option.textContent.split(': ').slice(1).join(': ') + '\\n').join('')).join('\\n')"
        )
        self.assertEqual(self.js(f"ready.then(() => {menu})"), listed.stdout)
        refused = "(async () => { const all = []; for (const text of Object.values(presets)) if (!await load(text)) all.push(text); return all; })()"
        self.assertEqual(self.js(refused), [])

    def test_the_page_is_one_small_file(self):
        page = read(PAGE)
        self.assertLessEqual(len(page.encode()), 500_000)
        rest = re.sub(r'"?\$schema.*', "", page)
        self.assertNotRegex(rest, r"https?:|src=|@import|url\(|fetch\(|XMLHttpRequest")

    def test_each_arrow_key_of_each_slider_is_a_small_change(self):
        self.open_small()
        self.step()
        self.assertEqual(self.js(EACH_SLIDER), [True])

    def test_each_box_can_be_ticked_and_unticked_or_says_why_not(self):
        self.open_small()
        self.step()
        self.assertEqual(self.js(EACH_BOX), [])

    def press(self, key, code=0):
        for kind in ("rawKeyDown", "keyUp"):
            self.browser.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code
            )

    def slider(self, path):
        return f"document.querySelector('#keys [data-path=\"{path}\"] [type=range]')"

    def test_an_arrow_key_changes_a_small_factor_by_a_few_percent(self):
        self.open_keys()
        self.js(
            f"boids.load(presets.adams).then(() => {self.slider('flock.cohesion.factor')}.focus())"
        )
        self.press("ArrowRight", 39)
        factor = self.js(
            "new Promise((done) => setTimeout(done, 500)).then(() => state.now.flock.cohesion.factor)"
        )
        self.assertEqual(factor, 0.00051)

    def test_an_arrow_key_changes_the_number_in_a_field_by_a_few_percent(self):
        field = "byId('first-key-flock.cohesion.factor')"
        settled = f"new Promise((done) => setTimeout(done, 500)).then(() => [{field}.value, {field}.validity.valid, state.now.flock.cohesion.factor])"
        self.js(f"boids.load(presets.adams).then(() => {field}.focus())")
        self.press("ArrowUp", 38)
        self.assertEqual(self.js(settled), ["0.00051", True, 0.00051])
        # A typed number is valid, too: no browser marks it.
        self.js(f"{field}.value = '0.012345', {field}.onchange()")
        self.assertEqual(self.js(settled), ["0.012345", True, 0.012345])

    def open_keys(self):
        self.js(
            "boids.step(0).then(() => { for (const d of document.querySelectorAll('details')) d.open = true; })"
        )

    def test_the_range_of_a_slider_grows_only_if_its_value_is_left_at_the_end(self):
        self.open_keys()
        slider = self.slider("flock.cohesion.factor")
        for value, wanted in (("0.0015", ["0.0015", "0.002"]), ("0.002", ["0.002", "0.008"])):
            self.js(f"boids.load(presets.adams).then(() => {slider}.focus())")
            moved = f"({slider}.value = {value}, {slider}.oninput(), {slider}.dispatchEvent(new Event('change')), new Promise((done) => setTimeout(done, 600)).then(() => {slider}.max))"
            self.assertEqual(self.js(moved), "0.002")
            self.assertEqual(self.js(f"({slider}.blur(), [{slider}.value, {slider}.max])"), wanted)

    def test_a_refused_value_stays_marked_in_its_field_until_it_is_corrected(self):
        field = "byId('key-flock.speed_spread')"
        self.open_keys()
        typed = f"{field}.focus(), {field}.value = %s, {field}.onchange(), {field}.blur(), turn.then(look).then(() => [{field}.value, {field}.ariaInvalid])"
        self.js("boids.load(presets.adams)")
        self.assertEqual(self.js(typed % 7), ["7", "true"])
        self.assertIn("flock.speed_spread is 7", self.message())
        self.assertEqual(self.js(typed % 0.5), ["0.5", None])
        field = "byId('key-flock.init.speed')"
        typed = f"{field}.focus(), {field}.value = %s, {field}.dispatchEvent(new Event('change')), turn.then(look).then(() => [{field}.value, {field}.ariaInvalid])"
        self.assertEqual(self.js(typed % -3), ["-3", "true"])
        self.assertEqual(self.js(typed % 4), ["4", None])

    def test_a_click_on_the_message_selects_its_line_and_scrolls_to_it(self):
        for at in (3, 50, 97):
            schedule = [
                {"at": k, "set": {"flock.cohesion.factor": "x" if k == at else 0}}
                for k in range(1, 101)
            ]
            text = json.dumps({"schedule": schedule}, indent=1)
            self.js(
                f"ready.then(() => {{ byId('json').value = {json.dumps(text)}; return replay(); }})"
            )
            self.assertIn('flock.cohesion.factor is "x"', self.message())
            line, part = self.js(
                "((box) => (byId('message').onclick({}), [box.value.slice(box.selectionStart, box.selectionEnd), "
                "(box.value.slice(0, box.selectionStart).split('\\n').length - 0.5) * box.scrollHeight / box.value.split('\\n').length - box.scrollTop]))(byId('json'))"
            )
            self.assertIn('"x"', line)
            self.assertTrue(0 < part < 300, part)
            self.js("byId('json').blur()")
        refused = "openFile(new File(['{\\n\\n\"x\": 1}'], 'own.json')).then(() => { byId('json').setSelectionRange(0, 0); byId('message').onclick({}); return [message.slice(0, 17), byId('json').selectionEnd]; })"
        self.assertEqual(self.js(refused), ["boids: own.json:3", 0])

    def test_a_refused_seed_stays_marked_until_another_run(self):
        seed = "byId('seed')"
        typed = f"{seed}.value = '%s', {seed}.onchange({{ target: {seed} }}), turn.then(look).then(() => [{seed}.value, {seed}.ariaInvalid === 'true'])"
        self.js("boids.load(presets.adams)")
        self.assertEqual(self.js(typed % -1), ["-1", True])
        self.assertEqual(self.js(typed % 3), ["3", False])
        self.assertEqual(self.js(typed % "x"), ["x", True])
        self.js("nextSeed()")
        self.assertEqual(self.js(f"[{seed}.value, {seed}.ariaInvalid]"), ["4", None])

    def test_the_same_file_may_be_opened_again(self):
        """A browser reports no change if the field names this file already."""
        chosen = (
            "(() => { const field = byId('file'), files = new DataTransfer(); files.items.add(new File(['{}'], 'a.json')); "
            "field.files = files.files; field.click = () => {}; const before = field.value; byId('open').onclick({}); return [before, field.value]; })()"
        )
        self.assertEqual(self.js(f"ready.then(() => {chosen})"), ["C:\\fakepath\\a.json", ""])

    def test_the_view_follows_a_flock_that_leaves_the_world_until_a_person_moves_it(self):
        seen = (
            "((l, w, h) => [...view.x].filter((x, i) => l.x(x) > 0 && l.x(x) < w && l.y(view.y[i]) > 0 && l.y(view.y[i]) < h).length / view.x.length)"
            "(view.lens(), view.canvas.width, view.canvas.height)"
        )
        drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        for name in ("couzin", "cucker_smale", "adams"):
            run = f"boids.load(presets.{name}).then(() => boids.step(%d)).then(() => {drawn}).then(() => {seen})"
            for steps in (100, 800):
                self.assertGreater(self.js(run % steps), 0.95, (name, steps))
        self.js("view.zoomAt({ clientX: 0, clientY: 0 }, 0.5)")
        self.assertEqual(self.js("(view.followFlock(), view.zoom)"), 0.5)
        self.assertTrue(self.js("(view.follow(-1), view.zoom === 1 && !view.isMoved)"))

    def test_restart_and_the_next_seed_keep_a_moved_slider_and_replay_repeats_it(self):
        self.js("boids.load(presets.adams).then(() => boids.step(50))")
        self.js("changeKey('flock.cohesion.factor', '0.004')")
        first = "turn.then(() => state.loading).then(() => [state.step, state.now.flock.cohesion.factor, state.now.seed])"
        self.assertEqual(self.js(f"restart(), {first}"), [0, 0.004, 1])
        self.js("boids.step(50)")
        self.js("changeKey('flock.cohesion.factor', '0.003')")
        self.assertEqual(self.js(f"replay().then(() => {first})"), [0, 0.004, 1])
        self.js("boids.step(20)")
        self.js("changeKey('flock.cohesion.factor', '0.05')")
        self.js("boids.step(40)")  # at step 50, the change to 0.003 is repeated
        self.assertEqual(self.js(f"nextSeed(), {first}"), [0, 0.003, 2])
        self.assertNotIn("schedule", self.document())
        # A slider that is moved at the begin of a replay leaves the later changes.
        self.js(
            "boids.step(5).then(() => changeKey('flock.cohesion.factor', '0.002')).then(replay)"
        )
        self.js("changeKey('flock.separation.factor', '0.06')")
        self.assertEqual(self.js(f"turn.then(() => {first})"), [0, 0.003, 2])
        self.assertIn("schedule", self.document())
        self.js("byId('json').value = '{}', replay().then(() => restart())")
        self.assertEqual(self.text(), "{}")

    def test_restart_in_a_replay_begins_with_the_goals_of_its_step_without_the_pointer(self):
        self.js("boids.load(presets.adams).then(() => boids.step(10))")
        self.js("changeKey('goals.points', '[[30, 30]]').then(() => boids.step(10))")
        self.js("useTool('predator'), lead([90, 90]).then(() => boids.step(10))")
        self.js("useTool('follow'), turn.then(() => boids.step(10))")
        self.js("changeKey('goals.points', '[[60, 60]]').then(() => replay())")
        goals = "boids.step(%d).then(() => [state.now, JSON.parse(textOfRestart())].map((config) => config.goals?.points ?? []))"
        for steps, shown, begins in (
            (5, [], []),
            (10, [[30, 30]], [[30, 30]]),
            (10, [[90, 90]], [[30, 30]]),
            (20, [[60, 60]], [[60, 60]]),
        ):
            self.assertEqual(self.js(goals % steps), [shown, begins], steps)
        # A change in a replay comes before the later ones.
        self.js("replay().then(() => boids.step(5))")
        self.js("changeKey('goals.points', '[[45, 45]]')")
        for steps, shown in ((0, [[45, 45]]), (40, [[60, 60]])):
            self.assertEqual(self.js(goals % steps), [shown, shown], steps)

    def test_the_sentence_of_a_preset_is_shown_only_beside_its_title(self):
        replayed = "byId('json').value = %s, replay().then(() => ['title', 'look'].map((id) => byId(id).textContent))"
        self.js("boids.load(presets.hunt)")
        title, sentence = self.js("['title', 'look'].map((id) => byId(id).textContent)")
        self.assertIn("falcons", title)
        for change, wanted in (
            ({"seed": 3}, [title, sentence]),
            ({"title": "Mine"}, ["Mine", ""]),
            ({"title": ""}, ["A flock", ""]),
        ):
            text = json.dumps({**json.loads(preset_text("hunt")), **change})
            self.assertEqual(self.js(replayed % json.dumps(text)), wanted)

    def test_programs_that_press_the_buttons_find_them_by_these_ids(self):
        ids = "play one again replay undo reseed film full trails theme".split()
        ids += "copy-json copy-command copy-link".split()
        ids += "save-json save-page save-picture save-boids save-observables".split()
        missing = f"{json.dumps(ids)}.filter((id) => byId(id)?.onclick == null)"
        self.assertEqual(self.js(missing), [])

    def test_the_address_has_the_preset_and_what_differs_from_it(self):
        self.js("boids.load(presets.p5).then(() => boids.step(5))")
        self.js("changeKey('flock.cohesion.factor', '3')")
        address = self.js("link()")
        self.assertTrue(address.endswith("#preset=p5&flock.cohesion.factor=3"), address)
        opened = "location.hash = 'preset=p5&flock.cohesion.factor=2.50&seed=18446744073709551615', loadFromLink().then(() => [byId('json').value.includes('2.50'), state.now.seed])"
        self.assertEqual(self.js(opened), [True, "18446744073709551615"])
        self.js("boids.load('{}')")
        self.assertIn("#config=%7B%7D", self.js("link()"))

    def test_a_change_also_changes_the_keys_that_contradict_it(self):
        for preset, path, value, text in rows_of(
            """
            vicsek      | flock.min_speed             | 5    | {"flock.max_speed": 5}
            vicsek      | flock.max_speed             | 1    | {"flock.min_speed": 1}
            vicsek      | flock.max_speed             | 4    | {"flock.min_speed": 3}
            adams       | predators.max_speed         | 1    | {"predators.min_speed": 1, "flock.min_speed": 3}
            topological | flock.alignment.nearest     | null | {"flock.alignment.radius": 40}
            p5          | flock.cohesion.inner_radius | 120  | {"flock.cohesion.radius": 120}
            migration   | goals.direction             | 90   | {"goals.points": []}
            """
        ):
            wanted = json.loads(text)
            found = self.js(
                f"boids.load(presets.{preset}).then(() => changeKey('{path}', '{value}'))"
                f".then(() => {list(wanted)}.map((path) => valueOf(state.now, path)))"
            )
            self.assertEqual(dict(zip(wanted, found)), wanted, path)

    def test_a_tap_on_the_name_of_a_key_shows_its_description(self):
        self.open(width=390, height=844, is_phone=True)
        self.open_keys()
        help_ = "getComputedStyle(byId('help-flock.cohesion.factor')).display"
        tap = f"document.querySelector('label[for=\"key-flock.cohesion.factor\"]').click(), {help_}"
        self.assertEqual(
            self.js(f"boids.step(0).then(() => [{help_}, ({tap}), ({tap})])"),
            ["none", "block", "none"],
        )
        self.assertEqual(self.js(f"byId('key-flock.cohesion.factor').focus(), {help_}"), "block")
        self.assertTrue(
            self.js("byId('help-flock.cohesion.factor').textContent").startswith(
                "flock.cohesion.factor: Strength"
            )
        )

    def test_each_control_has_a_name_of_its_own(self):
        self.step()
        names = self.js(
            "[...document.querySelectorAll('.key input, .key select')].map((e) => e.type + ' ' + e.ariaLabel)"
        )
        self.assertEqual(len(names), len(set(names)))
        self.assertFalse([name for name in names if "null" in name or "undefined" in name])

    def touch(self, kind, *at):
        self.browser.call(
            "Input.dispatchTouchEvent",
            type=kind,
            touchPoints=[{"x": at[0], "y": at[1]}] if at else [],
        )

    def test_a_finger_moves_each_of_the_first_sliders_to_the_value_under_it(self):
        """While the flock runs and its numbers are shown ten times per second; the range was four times the value, again and again.
        One slider of each preset, and all of three; every fourth preset below the exhaustive level.
        """
        self.open(width=390, height=844, is_phone=True)
        moved, whole = 0, ("adams", "couzin", "p5")
        names = sorted(self.js("ready.then(() => Object.keys(presets))"))
        for name in sorted({*names[:: by_level(4, 4, 1)], *whole}):
            self.js(f"load(presets.{name}).then(() => play(true))")
            for at, path in enumerate(
                self.js("[...byId('first').children].map((key) => key.dataset.path)")
            ):
                slider = f"byId('first').children[{at}].querySelector('[type=range]')"
                x, y, width, low, high, is_off = self.js(
                    f"(() => {{ const s = {slider}; s.scrollIntoView({{ block: 'center' }}); const box = s.getBoundingClientRect(); "
                    "return [box.x, box.y + box.height / 2, box.width, Number(s.min), Number(s.max), s.disabled || !s.offsetParent]; })()"
                )
                if (
                    is_off
                    or (path == "flock.count" and high > 4000)
                    or (name not in whole and path != "flock.alignment.factor")
                ):
                    continue
                self.touch("touchStart", x + width / 4, y)
                for k in range(1, 6):
                    self.touch("touchMove", x + width * (0.25 + k / 10), y)
                    self.js("new Promise((done) => setTimeout(done, 100))")
                self.touch("touchEnd")
                got = self.js(
                    f"new Promise((done) => setTimeout(done, 300)).then(() => turn).then(() => valueOf(state.now, '{path}'))"
                )
                with self.subTest(name, path=path):
                    self.assertLess(abs((got - low) / (high - low) - 0.75), 0.06, got)
                    self.assertEqual(self.js(f"Number({slider}.max)"), high)
                moved += 1
        self.assertGreater(moved, by_level(20, 20, 30))

    def test_the_page_answers_while_a_step_lasts(self):
        config = json.loads(ADAMS)
        config["flock"]["count"] = 50000
        longest = self.js(
            f"ready.then(() => load({json.dumps(json.dumps(config))})).then(() => {{ play(true); let longest = 0, last = performance.now(); return new Promise((done) => {{ const look = () => {{ "
            "longest = Math.max(longest, performance.now() - last); last = performance.now(); "
            "if (state.step < 2) setTimeout(look); else { play(false); done([longest, state.cost, byId('play').textContent]); } }; look(); }); })"
        )
        self.assertLess(longest[0], longest[1], longest)
        self.assertEqual(longest[2], "Run")

    def test_colours_that_need_pairs_of_boids_come_in_parts_and_are_the_same(self):
        for colour in ("neighbours", "group"):
            whole, parts = self.js(
                "boids.load(presets.adams).then(() => { placeAgents(); view.scene.radius = 15; let time = 0; return [0, 1000].map((per) => { performance.now = () => time += per; "
                f"view.setColour('{colour}'); let parts = 0; do {{ view.colourAgents(); parts++; }} while (view.pairs); "
                "delete performance.now; return [parts, [...view.hue]]; }); })"
            )
            self.assertEqual((whole[0], parts[0], parts[1]), (1, 401, whole[1]), colour)
            self.assertGreater(len(set(whole[1])), 3)

    def test_another_flock_does_not_wait_for_a_long_step(self):
        text = json.dumps(
            {"flock": {"count": 200000, "alignment": {"radius": 500}, "cohesion": {"radius": 500}}}
        )
        self.js(
            f"ready.then(() => load({json.dumps(text)})).then(() => {{ play(true); return new Promise((done) => setTimeout(done, 500)); }})"
        )
        self.assertEqual(self.js("state.step"), 0)
        self.assert_same_hash(ADAMS, 20)

    def test_of_two_flocks_the_one_that_was_chosen_last_is_shown(self):
        """A step is slow, so both have their own worker, and the first one is large."""
        texts = [
            {
                "flock": {
                    "count": count,
                    "alignment": {"radius": radius},
                    "cohesion": {"radius": radius},
                }
            }
            for count, radius in ((200000, 500), (900000, 5), (7, 5))
        ]
        slow, large, small = (json.dumps(json.dumps(text)) for text in texts)
        counts = self.js(
            f"ready.then(() => load({slow})).then(() => {{ play(true); return new Promise((done) => setTimeout(done, 500)); }})"
            f".then(async () => {{ const first = load({large}); await new Promise((done) => setTimeout(done, 150)); "
            f"await load({small}); await first; return [state.now.flock.count, view.x.length]; }})"
        )
        self.assertEqual(counts, [7, 7])
        self.assert_same_hash(ADAMS, 20)

    def test_the_flock_moves_before_the_controls_are_made_and_a_worker_goes_on_with_it(self):
        hook = (
            "window.controls = []; const put = CanvasRenderingContext2D.prototype.putImageData; "
            "CanvasRenderingContext2D.prototype.putImageData = function (...words) { put.apply(this, words); "
            "if (controls.at(-1)?.[0] !== state.drawn) controls.push([state.drawn, byId('first').children.length]); }"
        )
        added = self.browser.call("Page.addScriptToEvaluateOnNewDocument", source=hook)
        self.open()
        self.browser.call("Page.removeScriptToEvaluateOnNewDocument", **added)
        seen = "boids.step(5).then(() => [controls[1][0] > controls[0][0], controls[0][1], controls[1][1], worker instanceof Worker])"
        self.assertEqual(self.js(seen), [True, 0, 0, True])
        self.assert_same_hash_now()
        # The last recorded step is that of the core, rounded.
        far = (
            "boids.load(presets.murmuration).then(() => boids.step(6)).then(() => new Promise((done) => { recording.waiting.push(done); "
            "recording.postMessage({}); })).then(({ step, places }) => Math.max(6 - step, ...[1600, 900].flatMap((side, a) => [...places"
            ".subarray(5004 * a, 5004 * (a + 1))].map((at, i) => Math.abs((at - state.places[5004 * a + i] + 1.5 * side) % side - side / 2)))))"
        )
        self.assertLess(self.js(far), 1.1)

    def test_addresses_name_a_preset_and_a_seed(self):
        for hash_, seed in (
            ("?preset=hunt", 5),
            ("#preset=hunt&seed=6", 6),
            ("?preset=hunt&seed=9007199254740993", "9007199254740993"),
        ):
            for again in (hash_, None):  # as typed, and as the page writes it
                self.open(hash_=again or self.js("link().replace(/.*#/, '#')"))
                self.step()
                self.assertEqual(
                    self.js("[state.now.title, String(state.now.seed), message]"),
                    [json.loads(preset_text("hunt"))["title"], str(seed), ""],
                )

    def test_an_address_may_set_one_side_of_the_margin(self):
        for change, margin in rows_of(
            """
            world.margin.left=5                 | {"left": 5, "right": 150, "top": 150, "bottom": 150}
            world.margin=30&world.margin.top=5  | {"left": 30, "right": 30, "top": 5, "bottom": 30}
            """
        ):
            margin = json.loads(margin)
            self.open(hash_="#preset=hunt&" + change)
            self.assertEqual(self.js("[state.now.world.margin, message]"), [margin, ""])
            words = [word for key in change.split("&") for word in ("--set", key)]
            program = self.run_program(preset_text("hunt"), *words, "--print-config").stdout
            self.assertEqual(json.loads(program)["world"]["margin"], margin)
        self.open(hash_="#preset=hunt&flock.count.x=5")
        self.assertIn("flock.count is an object; it must be a whole number", self.message())

    def test_a_search_shows_what_help_of_the_program_finds(self):
        shown = "ready.then(() => { search('%s'); return [...document.querySelectorAll('[data-about]:not([hidden])')].map((item) => item.dataset.about.split(' ')[0]); })"
        known = self.js(shown % "")
        self.assertGreater(len(known), 70)
        for (
            word
        ) in "sight vision order angle Field temperature speed-limit turtle neighbours radius nonsense".split():
            done = subprocess.run(
                [BOIDS, "--help", word], capture_output=True, text=True, check=False
            )
            wanted = re.findall(
                r"See also: (.*)|did you mean (.*)\?|^(\S+) ",
                done.stdout + done.stderr,
                re.MULTILINE,
            )
            names = " ".join(itertools.chain(*wanted)).split()
            self.assertEqual(self.js(shown % word), [name for name in known if name in names], word)
        self.assertEqual(self.js(shown % "noise eta"), ["flock.noise.eta"])
        self.assertEqual(
            self.js("(search('order'), byId('also').textContent)"),
            "See also: the observable polarization is the order parameter",
        )
        self.assertEqual(
            self.js("(search('nonsense'), byId('also').textContent)"), "Nothing is found."
        )

    def test_a_saved_page_begins_with_the_values_of_the_sliders(self):
        path = self.path("saved.html")
        save = "(window.save = (name, blob) => { window.saved = blob.text(); }, savePage(), saved)"
        for name, key, value in (
            ("p5", "flock.cohesion.factor", 3),
            ("", "title", "</script> $1 \u00e4"),
        ):
            self.js(f"boids.load({f'presets.{name}' if name else '{}'}).then(() => boids.step(5))")
            self.js(f"changeKey('{key}', {json.dumps(json.dumps(value))})")
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.js(save))
            self.browser.open(path)
            self.assertEqual(
                self.js(
                    f"boids.step(0).then(() => [valueOf(state.now, '{key}'), state.now.schedule.length, state.preset, message])"
                ),
                [value, 0, name, ""],
            )
            opened = f"openFile(new File([{json.dumps(read(path))}], 'a.html')).then(() => [valueOf(state.now, '{key}'), state.step > 2])"
            self.open()
            self.assertEqual(self.js(opened), [value, False])
            self.step(5)
            self.assertEqual(self.js(opened), [value, False])  # at the same address, too

    def test_the_menu_begins_mesa_and_parker_with_a_flock(self):
        for name, key, value in (
            ("mesa", "flock.separation.factor", 0.4),
            ("parker", "flock.separation.radius", 20),
        ):
            self.js(
                f"ready.then(() => {{ byId('preset').value = '{name}'; return byId('preset').onchange({{ target: byId('preset') }}); }})"
            )
            self.assertEqual(
                self.js(f"[valueOf(state.now, '{key}'), byId('preset').value, location.hash]"),
                [value, name, f"#preset={name}&{key}={value}"],
            )
            self.assertIn(
                f"The page begins with {key}={value}.", self.js("byId('look').textContent")
            )

    def test_what_a_preset_refuses_is_greyed_with_the_reason(self):
        for name, path, reason in rows_of(
            """
            p5      | flock.inertia               | reynolds
            vicsek  | flock.cohesion.factor       | radius is 0
            adams   | flock.inertia               |
            netlogo | flock.max_force             | does not use forces
            adams   | flock.alignment.max_turn    | flock.steering is "direct"
            vicsek  | predators.max_speed         | predators.count is 0
            vicsek  | flock.cohesion.inner_radius |
            vicsek  | flock.cohesion.nearest      |
            """
        ):
            found = self.js(
                f"boids.load(presets.{name}).then(() => {{ const key = document.querySelector('#keys [data-path=\"{path}\"]'); "
                "return [key.querySelector('[type=range]').disabled, key.querySelector('.reason').textContent]; })"
            )
            self.assertEqual(found[0], bool(reason))
            self.assertIn(reason or "", found[1])

    def test_nothing_lies_outside_of_the_frame(self):
        """On a phone upright and on its side, a tablet and a screen."""
        outside = (
            "ready.then(() => [...document.querySelectorAll('button, select, input, canvas')].filter((e) => e.offsetParent && e.closest('#bar, #view, #first') &&"
            "(e.getBoundingClientRect().left < 0 || e.getBoundingClientRect().right > innerWidth)).map((e) => e.id))"
        )
        for width, height in ((390, 844), (844, 390), (768, 1024), (1280, 800)):
            self.open(width=width, height=height, is_phone=width < 1000, hash_="#preset=adams")
            self.assertEqual(self.js(outside), [])
            flock = self.js(
                "(() => { const { width, height } = byId('view').getBoundingClientRect(); return Math.min(width / 640, height / 480) * 640; })()"
            )
            self.assertGreater(flock, 0.55 * width if width > height else 0.95 * width)
            self.assertEqual(self.js("getComputedStyle(byId('view')).touchAction"), "pan-y")

    def test_any_observable_has_a_chart_with_axes_and_the_values_of_the_program(self):
        """The same numbers are in the CSV file."""
        self.js("window.save = (name, blob) => { window.saved = blob.text(); }")
        self.js(
            "boids.step(0).then(() => { for (const box of document.querySelectorAll('#choice input')) if (!box.checked) box.click(); })"
        )
        words = "-n 40 -o none --observables - --set output.every=40"
        for text in ('{"flock": {"count": 1}}', preset_text("hunt")):  # one boid has no neighbour
            self.js(
                f"boids.load({json.dumps(text)}).then(() => boids.step(40)).then(() => new Promise((done) => setTimeout(done, 300)))"
            )
            done = self.run_program(text, *words.split())
            self.assertEqual(self.js("saveObservables(), saved"), done.stdout)
        self.assertEqual(self.js("ticksOf(0, 112)"), [0, 50, 100])
        self.assertEqual(self.js("ticksOf(0, 1)"), [0, 0.5, 1])
        blank = "[...document.querySelectorAll('.chart:not(:has(polyline))')].map((c) => c.id)"
        self.assertEqual(self.js(blank), [])
        self.assertRegex(
            self.js("document.querySelector('#chart-mean_speed svg').ariaLabel"),
            r"^mean speed against the step: now [0-9.]+ world units per step$",
        )

    def test_the_numbers_on_the_axis_of_a_constant_differ(self):
        """Each boid of vicsek has the speed 3."""
        texts = self.js(
            "byId('show-mean_speed').click(); boids.load(presets.vicsek).then(() => boids.step(9)).then(() => new Promise((done) => setTimeout(done, 300)))"
            ".then(() => [...document.querySelectorAll('#chart-mean_speed text:not(.column)')].map((text) => text.textContent))"
        )
        self.assertEqual(texts[0], "3")
        self.assertEqual(len(set(texts)), len(texts))

    def test_the_last_step_on_an_axis_does_not_touch_the_word_step(self):
        gap = (
            "boids.load(presets.vicsek).then(() => boids.step(1000)).then(() => new Promise((done) => setTimeout(done, 300))).then(() => { "
            "const [last, word] = [...document.querySelectorAll('#chart-polarization text')].slice(-2); "
            "return [last.textContent, word.getBoundingClientRect().left - last.getBoundingClientRect().right]; })"
        )
        last, wide = self.js(gap)
        self.assertEqual(last, "1000")
        self.assertGreater(wide, 2)

    def test_saved_boids_are_a_frame_of_the_program(self):
        self.js("window.save = (name, blob) => { window.saved = blob.text(); }")
        self.hash_of_page(preset_text("hunt"), 30)
        header, *rows = self.js("saveBoids().then(() => saved)").splitlines()
        words = "-n 30 -o - --set output.first=30".split()
        done = self.run_program(preset_text("hunt"), *words)
        wanted_header, *wanted = done.stdout.splitlines()
        self.assertEqual(header, wanted_header)
        for row, line in zip(rows, wanted, strict=True):
            found, due = (
                [word if word.isalpha() else float(word) for word in text.split(",")]
                for text in (row, line)
            )
            self.assertEqual(found, due)

    def test_a_film_is_recorded(self):
        self.open_small()
        done = (
            "boids.load(presets.adams).then(() => new Promise((done) => { window.save = async (name, blob) => done([name, blob.size, "
            "[...new Uint8Array(await blob.arrayBuffer())]]); film(); let size = 0; "
            "state.recorder.addEventListener('dataavailable', ({ data, target }) => { size += data.size; "
            "if (size > 20000 && target.state === 'recording') film(); }); }))"
        )
        name, size, data = self.js(done)
        self.assertRegex(name, r"^flock\.(mp4|webm)$")
        self.assertGreater(size, 20000)
        with open(self.path(name), "wb") as file:
            file.write(bytes(data))
        if shutil.which("ffprobe"):
            words = "-v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0"
            shown = subprocess.run(
                ["ffprobe", *words.split(), self.path(name)],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            self.assertGreater(int(shown), 1)  # how many depends on the machine

    def mouse(self, kind, x, y):
        self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, pointerType="mouse")

    def test_a_pointer_that_is_a_predator_or_an_attractor_leads_the_flock_and_the_json_repeats_it(
        self,
    ):
        for tool, is_led in (
            ("predator", lambda goals: goals["factor"] < 0 and goals["radius"] == 96),
            ("attractor", lambda goals: goals["factor"] > 0),
        ):
            self.hash_of_page(ADAMS, 20)
            self.js(f"useTool('{tool}')")
            for x in (300, 400, 500):
                self.mouse("mouseMoved", x, 300)
                self.js("new Promise((done) => setTimeout(done, 200)).then(() => boids.step(10))")
            goals = self.js("state.now.goals")
            self.assertTrue(is_led(goals), goals)
            self.assertEqual(len(goals["points"]), 1)
            self.assertRegex(self.js("link()"), "#preset=adams$")
            self.js("undo()")  # while the pointer leads
            self.js("useTool('follow'), turn.then(() => boids.step(10))")
            self.assertEqual(self.js("state.now.goals.points"), [])
            self.assert_same_hash_now()
            self.js("restart()")
            self.assertEqual(self.text(), ADAMS)

    def assert_same_hash_now(self):
        text, steps, found = self.js(
            "boids.hash().then((hash) => [byId('json').value, state.step, hash])"
        )
        self.assertEqual(found, self.hash_of_program(text, steps))

    def test_the_keyboard_moves_a_cross_that_places_and_leads(self):
        self.js(
            "boids.load(presets.adams).then(() => boids.step(5)).then(() => { useTool('obstacle'); byId('view').focus(); })"
        )
        self.press("ArrowRight", 39)
        self.press("Enter", 13)
        self.assertEqual(len(self.js("boids.message().then(() => state.now.obstacles.circles)")), 1)
        self.assertFalse(self.js("byId('cross').hidden"))
        self.js("useTool('attractor'), byId('view').focus()")
        self.press("ArrowUp", 38)
        self.assertEqual(
            len(
                self.js(
                    "new Promise((done) => setTimeout(done, 600)).then(() => state.now.goals.points)"
                )
            ),
            1,
        )
        self.assertEqual(self.js("state.step"), 5)

    def test_the_space_bar_opens_a_section_that_has_the_focus(self):
        self.step()
        self.js("document.querySelector('#text summary').focus()")
        self.press(" ", 32)
        found = "[byId('text').open, state.isPlaying]"
        self.assertEqual(self.js(found), [False, False])
        self.js("byId('view').focus()")
        self.press(" ", 32)
        self.assertEqual(self.js(found), [False, True])

    def test_a_button_that_was_clicked_twice_keeps_its_name(self):
        clicked = (
            "ready.then(() => { navigator.clipboard.writeText = async () => {}; const { onclick } = byId('copy-link'); "
            "const click = () => onclick({ target: byId('copy-link') }); click(); setTimeout(click, 100); "
            "return new Promise((done) => setTimeout(done, 1500)); }).then(() => byId('copy-link').textContent)"
        )
        self.assertEqual(self.js(clicked), "Copy link")

    def test_undo_returns_to_the_step_before_each_change(self):
        done = (
            "undo().then(() => new Promise((done) => { const wait = () => state.step < state.target ? setTimeout(wait, 20) : "
            "done(boids.hash().then((hash) => [state.step, hash, byId('json').value, byId('look').textContent])); wait(); }))"
        )
        self.hash_of_page(ADAMS, 40)
        texts, sentence = [self.text()], self.js("byId('look').textContent")
        for change_, steps in (
            ("changeAll({ 'flock.cohesion.factor': JSON.stringify(0.01) })", 30),
            ("changeAll({ 'obstacles.circles': JSON.stringify([[300, 200, 40]]) })", 0),
            ("changeAll({ 'flock.count': JSON.stringify(50) })", 7),
            ("boids.load(presets.hunt)", 3),
        ):
            self.js(f"{change_}.then(() => boids.step({steps}))")
            texts.append(self.text())
        for text, step in zip(texts[-2::-1], (7, 70, 70, 40)):
            found = self.js(done)
            self.assertEqual(found, [step, self.hash_of_program(text, step), text, sentence])
        self.js("undo().then(() => 0)")
        self.assertEqual(self.text(), preset_text("murmuration"))
        self.assertTrue(self.js("byId('undo').disabled"))

    def test_a_drag_of_a_slider_is_undone_at_once(self):
        self.hash_of_page(ADAMS, 10)
        self.js(
            "for (const k of [1, 2, 3]) changeAll({ 'flock.cohesion.factor': JSON.stringify(k) }); undo().then(() => 0)"
        )
        self.assertEqual(self.text(), ADAMS)

    def test_the_radii_of_a_followed_boid_are_drawn(self):
        lit = (
            "boids.load(presets.adams).then(() => boids.step(3)).then(() => { view.follow(5); return [[8, 40, 40], []].map((radii) => { "
            "view.scene.radii = radii; view.draw(0); "
            "return view.pen.getImageData(0, 0, view.canvas.width, view.canvas.height).data.reduce((sum, v) => sum + v, 0); }); })"
        )
        self.assertGreater(*self.js(lit))

    def test_a_picture_in_slices_is_the_same(self):
        """Draw two frames with trails; goOn(0) draws one part."""
        painted = (
            "boids.load(presets.murmuration).then(() => boids.step(2)).then(() => [false, true].map((isSliced) => { let slices = 0; "
            "const paint = () => { view.begin(1); while (!view.goOn(isSliced ? 0 : Infinity)) slices++; }; "
            "view.forget(); placeAgents(); paint(); view.x = view.x.map((x) => x + 3); paint(); "
            "const all = view.pen.getImageData(0, 0, view.canvas.width, view.canvas.height).data; "
            "return [slices > 20, all.reduce((sum, v, k) => (31 * sum + v * (k % 251)) % 65521, 0)]; }))"
        )
        (is_whole_sliced, whole), (is_sliced, sliced) = self.js(painted)
        self.assertEqual((is_whole_sliced, is_sliced, sliced), (False, True, whole))

    def test_the_canvas_changes_only_when_a_picture_is_finished(self):
        """Also in an open world, whose box is drawn again for each picture, because the view follows the flock."""
        seen = (
            "boids.load(presets.couzin).then(() => boids.step(3)).then(() => { placeAgents(); view.draw(1); let slices = 0, isSame = true; "
            "const sum = () => view.pen.getImageData(0, 0, view.canvas.width, view.canvas.height).data.reduce((all, v, k) => (31 * all + v * (k % 251)) % 65521, 0); "
            "const before = sum(); view.low[0] -= 500; view.begin(1); while (!view.goOn(0)) { slices++; isSame &&= sum() === before; } "
            "return [slices > 3, isSame, sum() === before]; })"
        )
        self.assertEqual(self.js(seen), [True, True, False])

    def test_axe_finds_no_fault_and_targets_on_a_phone_are_44_pixels_high(self):
        """The target of a check box is its label."""
        small = (
            "[...document.querySelectorAll('button, select, input, summary, textarea')].map((e) => e.type === 'checkbox' ? e.parentElement : e)"
            ".filter((e) => e.offsetParent && Math.min(e.offsetHeight, e.offsetWidth) < 44).map((e) => e.outerHTML)"
        )
        axe = os.path.join(ROOT, "build/test-page/node_modules/axe-core/axe.min.js")
        install = "npm install --silent --prefix build/test-page axe-core@4.10.3"
        output_of(*install.split(), cwd=ROOT, timeout=PATIENCE)
        python = output_of("sh", "scripts/find_python.sh", "numpy", cwd=ROOT).strip()
        self.run_program(preset_text("hunt"), "-n", "20", "-o", "flock.csv", "--force")
        player, plot = self.path("player.html"), os.path.join(ROOT, "scripts/plot.py")
        words = "flock.csv --config flock.json --save".split()
        output_of(python, plot, *words, player, cwd=self.folder.name)
        script = read(axe) + ";0"
        for page, is_light, is_phone in itertools.product(
            (PAGE, player), (False, True), (False, True)
        ):
            with self.subTest(os.path.basename(page), is_light=is_light, is_phone=is_phone):
                self.browser.open(
                    page,
                    width=390 if is_phone else 1440,
                    is_light=is_light,
                    is_phone=is_phone,
                    hash_="" if page == PAGE else "#step=5",
                )
                self.js(
                    "(typeof ready === 'undefined' ? new Promise((done) => setTimeout(done, 500)) : ready).then(() => { play(false); for (const d of document.querySelectorAll('details')) d.open = true; })"
                )
                self.js(script)
                faults = "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target).join(', ')))"
                self.assertEqual(self.js(faults), [])
                if is_phone:
                    self.assertEqual(self.js(small), [])
                    self.assertEqual(self.js("document.documentElement.scrollWidth"), 390)


# Faults of the sliders and boxes in each preset. A key that the preset's other keys refuse cannot be moved.
EACH_SLIDER = """(async () => {
  const faults = [];
  let moved = 0;
  for (const name of Object.keys(presets)) {
    await load(presets[name]);
    for (const control of byId("keys").querySelectorAll(".key:has([type=range])")) {
      const slider = control.querySelector("[type=range]"), before = control.querySelector("[type=number]").value, { path } = control.dataset;
      const fault = (...words) => faults.push([name, path, ...words].join(" "));
      for (const bound of ["min", "max", "step"]) if (!slider.getAttribute(bound) || !Number.isFinite(Number(slider[bound]))) fault(bound, slider[bound]);
      if (slider.hidden || slider.disabled) continue;
      if (Math.abs(slider.value - before) > 1e-12 * Math.abs(before)) fault(slider.value, "is not", before);
      for (const move of ["stepUp", "stepDown"]) {
        slider[move]();
        const isSmall = Number(before) === 0 || Math.abs(slider.value / before - 1) < 0.1 || ["1", "0.25"].includes(slider.step);
        if (!isSmall) fault(before, move, slider.value);
        if (slider.step === "1" && slider.value % 1 !== 0) fault(slider.value, "is not whole");
        if (!await changeKey(path, slider.value)) fault(message);
        moved++;
      }
    }
  }
  return [moved > 1000, ...faults];
})()"""
EACH_BOX = """(async () => {
  const faults = [];
  for (const name of Object.keys(presets)) {
    await load(presets[name]);
    for (const box of byId("keys").querySelectorAll(".key [type=checkbox]")) {
      const before = box.checked, { path } = box.closest(".key").dataset, isChanged = () => box.checked !== before;
      if (box.disabled) continue;
      const click = async () => { box.click(); await turn; };
      await click();
      const isRefused = message.includes(path) && !isChanged(), isGood = !message && isChanged();
      if (isGood) await click();
      if (!isRefused && (!isGood || message || isChanged())) faults.push(name + " " + box.ariaLabel + " " + message);
    }
  }
  return faults;
})()"""

if __name__ == "__main__":
    unittest.main()
