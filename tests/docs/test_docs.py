"""Claims about docs/: pages name keys that exist and link to what is there; the gallery shows the presets as they are;
no text in a figure lies on another.
"""

import glob
import importlib
import json
import os
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCS = os.path.join(ROOT, "docs")
sys.path[:0] = [os.path.join(ROOT, "scripts"), os.path.join(ROOT, "tests", "oracle")]
sys.dont_write_bytecode = True


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def keys_of(schema, section=""):
    """The dotted keys of a JSON Schema with their defaults, without sections."""
    for name, about in schema["properties"].items():
        if "properties" in about:
            yield from keys_of(about, section + name + ".")
        else:
            yield section + name, about.get("default")


# What the five programs call things; the prose of bees has words instead.
PROGRAMS = {
    "adams": "turnfactor visualRange visual_range protectedRange protected_range centeringfactor centering_factor "
             "avoidfactor matchingfactor matching_factor maxspeed minspeed predatorturnfactor predator_turnfactor "
             "predatorRange predatory_range leftmargin rightmargin topmargin bottommargin boid",
    "castor": "N nt dimension margin turnFactor maxSpeed separationDistance separationFactor alignementDistance "
              "alignementFactor cohesionDistance cohesionFactor boidsWithinDistance separation alignement cohesion "
              "limitSpeed stayWithinBorders wrapBorders writetxt Out",
    "bees": "visual protected avoidance matching centering turn min max",
    "fish": "WIDTH HEIGHT NUM_FISH MAX_SPEED NEIGHBOR_RADIUS SEPARATION_RADIUS SEPARATION_FORCE ALIGNMENT_FORCE "
            "COHESION_FORCE randint uniform tick",
    "p5": "alignmentRadius avoidanceRadius cohesionRadius maxForce maxSpeed setMag",
}
KEY = r"`([a-z_]+(?:\.[a-z_]+)+)(?::[^`]*)?`"
DEFAULTS = dict(keys_of(json.loads(read("data", "boids.schema.json"))))
KEYS = set(DEFAULTS)


def value_of(config, key):
    """What a configuration says of a dotted key, or the default."""
    for part in key.split("."):
        config = config.get(part) if isinstance(config, dict) else None
    return DEFAULTS[key] if config is None else config


def rows_of(program):
    """The rows of a program's table in comparison.md: name in the source, value, our keys."""
    section = re.search(rf"^### {program}: .*?(?=^##)", read("docs", "comparison.md"), re.MULTILINE | re.DOTALL)[0]
    return [row.strip("| ").split(" | ") for row in re.findall(r"^\|.*\|$", section, re.MULTILINE)[2:]]


def numbers_in(text):
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", text)]


class Pages(unittest.TestCase):
    def test_links_and_pictures_lead_somewhere(self):
        pages = glob.glob(os.path.join(DOCS, "**", "*.md"), recursive=True) + [os.path.join(ROOT, "README.md")]
        for page in pages:
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", read(page)):
                there = target.startswith("https://") or os.path.exists(os.path.join(os.path.dirname(page), target))
                self.assertTrue(there, f"{page}: {target}")

    def test_models_names_keys_that_exist_and_all_that_shape_a_flock(self):
        words = set(re.findall(KEY, read("docs", "models.md")))
        self.assertEqual((words | set(re.findall(KEY, read("docs", "comparison.md")))) - KEYS, set())
        shaping = {key for key in KEYS if key.split(".")[0] in ("world", "flock", "predators")}
        self.assertEqual(shaping - words, {"world.y_axis"})

    def test_observables_are_explained_as_the_table_has_them(self):
        table = json.loads(read("data", "observables.json"))
        rows = re.findall(r"^\| `(\w+)` \| (.*?) ?\| .* \| (.*?) ?\|$", read("docs", "observables.md"), re.MULTILINE)
        self.assertEqual(rows, [(name, about["unit"], about["undefined"]) for name, about in table.items()])

    def test_the_table_of_programs_agrees_with_the_presets(self):
        rows = re.findall(r"^\| `([a-z_.]+)` \|(.*)\|$", read("docs", "comparison.md"), re.MULTILINE)
        table = {key: cells.split("|") for key, cells in rows if cells.count("|") == 4}
        self.assertEqual(len(table), 8)
        for column, name in enumerate(PROGRAMS):
            preset = json.loads(read("configs", name + ".json"))
            for key, cells in table.items():
                for word in re.findall(r"`([^`]+)`", cells[column]):
                    self.assertEqual(word, value_of(preset, key), (name, key))

    def test_the_table_of_a_program_has_the_names_of_its_source(self):
        for name, names in PROGRAMS.items():
            there = {word for source, _, _ in rows_of(name) for word in re.findall(r"[A-Za-z_]+", source)}
            self.assertEqual(set(names.split()) - there, set(), name)

    def test_the_table_of_a_program_has_the_values_of_its_preset(self):
        for name in PROGRAMS:
            preset = json.loads(read("configs", name + ".json"))
            for source, value, keys in rows_of(name):
                numbers, ours = numbers_in(value), []
                for key, word in re.findall(r'`([a-z_.]+)(?:: "([a-z_-]+)")?`', keys):
                    if word:
                        self.assertEqual(value_of(preset, key), word, (name, source))
                    elif key in KEYS and numbers:
                        found = value_of(preset, key)
                        ours += found if isinstance(found, list) else [found]
                self.assertIn(ours, ([], numbers, numbers * len(ours)), (name, source))

    def test_the_transcriptions_have_the_names_and_values_of_the_tables(self):
        for name, least in (("adams", 10), ("castor", 10), ("fish", 8), ("p5", 5)):
            constants = vars(importlib.import_module(name))
            cells = [(word, numbers_in(value)) for source, value, _ in rows_of(name) if source.startswith("`")
                     for word in re.findall(r"`(?:this\.)?(\w+)`", source)]
            shared = [(word, numbers) for word, numbers in cells if numbers and word in constants]
            self.assertGreaterEqual(len(shared), least, name)
            for word, numbers in shared:
                self.assertIn(constants[word], (numbers[0], tuple(numbers)), (name, word))


class Comparison(unittest.TestCase):
    """docs/comparison.md: the last column of its tables names a preset, or says why there is none."""

    def test_each_row_has_a_preset_or_a_reason(self):
        rows = re.findall(r"^\| \*\*.*\|$", read("docs", "comparison.md"), re.MULTILINE)
        last = [row.strip("| ").split(" | ")[-1] for row in rows if row.count(" | ") >= 4]
        self.assertGreaterEqual(len(last), 19)
        for cell in last:
            preset = re.fullmatch(r"`(\w+)`", cell)
            self.assertTrue(cell.startswith("none") or preset, cell)
            if preset:
                self.assertTrue(os.path.exists(os.path.join(ROOT, "configs", preset[1] + ".json")), cell)

    def test_it_has_every_preset_that_is_held_against_a_source(self):
        page = read("docs", "comparison.md")
        for path in glob.glob(os.path.join(ROOT, "configs", "*.json")):
            name = os.path.basename(path)[:-5]
            if os.path.exists(os.path.join(ROOT, "tests", "oracle", name + ".py")):
                self.assertIn(f"| `{name}` |", page)


class Gallery(unittest.TestCase):
    def test_every_preset_has_its_picture_and_its_json_beside(self):
        for path in glob.glob(os.path.join(ROOT, "configs", "*.json")):
            name = os.path.basename(path)[:-5]
            ours, shown = json.loads(read(path)), json.loads(read(DOCS, "gallery", name + ".json"))
            shown["$schema"] = shown["$schema"].replace("../../", "../", 1)
            self.assertEqual(ours, shown, "make gallery draws it again")
            self.assertIn(f"]({name}.png)", read(DOCS, "gallery", "README.md"))

    def test_every_entry_says_what_to_look_for_and_how_it_was_drawn(self):
        entries = re.findall(r"^## (\w+)\n\n(.*?)(?=^## |\Z)", read("docs", "gallery", "README.md"), re.MULTILINE | re.DOTALL)
        self.assertEqual({name for name, _ in entries}, {os.path.basename(path)[:-5] for path in glob.glob(os.path.join(ROOT, "configs", "*.json"))})
        for name, text in entries:
            self.assertRegex(text, rf"\({name}\.json\)\. [A-Z].*\.\n", name)
            self.assertIn(f"./boids -c {name} -o {name}.h5\npython3 scripts/plot.py {name}.h5 --save {name}.png --size ", text)

    def test_pictures_are_small(self):
        pictures = glob.glob(os.path.join(DOCS, "gallery", "*.png")) + glob.glob(os.path.join(DOCS, "figures", "*.svg"))
        sizes = [os.path.getsize(picture) for picture in pictures]
        self.assertLess(max(sizes), 150000)
        self.assertLess(sum(sizes), 1500000)


class Figures(unittest.TestCase):
    def test_each_is_drawn_by_the_script_and_shown_on_the_page(self):
        import figures
        names = {draw.__name__ for draw in figures.FIGURES}
        self.assertEqual(names, {name[:-4] for name in os.listdir(os.path.join(DOCS, "figures"))})
        self.assertEqual(names, set(re.findall(r"\(figures/(\w+)\.svg\)", read("docs", "models.md"))))

    def test_texts_keep_apart_and_on_the_paper(self):
        import figures
        for draw in figures.FIGURES:
            figure = draw()
            figure.canvas.draw()
            boxes = [(text.get_text(), text.get_window_extent()) for axes in figure.axes for text in axes.texts
                     if text.get_text()]
            for i, (one, box) in enumerate(boxes):
                inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1
                self.assertTrue(inside, (draw.__name__, one))
                for other, another in boxes[:i]:
                    self.assertFalse(box.overlaps(another), (draw.__name__, one, other))


if __name__ == "__main__":
    unittest.main()
