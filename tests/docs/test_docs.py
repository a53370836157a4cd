"""Claims about docs/: pages name keys that exist and link to what is there; lists and counts in prose agree with the tables of
the program; the gallery shows the presets as they are; no text in a figure overlaps another.
"""

import glob
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path[0] += "/.."

from support import ROOT, broken_links, in_root, makefiles, read, read_formats  # noqa: E402

DOCS = in_root("docs")
sys.path[:0] = [
    in_root("python"),
    in_root("scripts"),
    in_root("tests", "oracle"),
]
sys.dont_write_bytecode = True


def keys_of(schema, section=""):
    """The dotted keys of a JSON Schema with their defaults, without sections."""
    for name, about in schema["properties"].items():
        if "properties" in about:
            yield from keys_of(about, section + name + ".")
        else:
            yield section + name, about.get("default")


# Names in the sources of four programs.
PROGRAMS = {
    "adams": "turnfactor visualRange visual_range protectedRange protected_range centeringfactor centering_factor "
    "avoidfactor matchingfactor matching_factor maxspeed minspeed predatorturnfactor predator_turnfactor "
    "predatorRange predatory_range leftmargin rightmargin topmargin bottommargin boid",
    "castor": "N nt dimension margin turnFactor maxSpeed separationDistance separationFactor alignementDistance "
    "alignementFactor cohesionDistance cohesionFactor boidsWithinDistance separation alignement cohesion "
    "limitSpeed stayWithinBorders wrapBorders writetxt Out",
    "fish": "WIDTH HEIGHT NUM_FISH MAX_SPEED NEIGHBOR_RADIUS SEPARATION_RADIUS SEPARATION_FORCE ALIGNMENT_FORCE "
    "COHESION_FORCE randint uniform tick",
    "p5": "alignmentRadius avoidanceRadius cohesionRadius maxForce maxSpeed setMag",
}
KEY = r"`([a-z_]+(?:\.[a-z_]+)+)(?::[^`]*)?`"
DEFAULTS = dict(keys_of(json.loads(read("data", "boids.schema.json"))))
KEYS = set(DEFAULTS)


def value_of(config, key):
    """The value of a dotted key in a configuration, or the default."""
    for part in key.split("."):
        config = config.get(part) if isinstance(config, dict) else None
    return DEFAULTS[key] if config is None else config


def rows_of(program):
    """The rows of a program's table in comparison.md: name in the source, value, our keys."""
    section = re.search(
        rf"^### {program}: .*?(?=^##)", read("docs", "comparison.md"), re.MULTILINE | re.DOTALL
    )[0]
    return [
        row.strip("| ").split(" | ") for row in re.findall(r"^\|.*\|$", section, re.MULTILINE)[2:]
    ]


def numbers_in(text):
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", text)]


class Pages(unittest.TestCase):
    def test_links_and_pictures_lead_somewhere(self):
        """The page of a checkout exists after `make page`; that of a tarball is there."""
        self.assertEqual(
            [link for link in broken_links(ROOT) if link[1] != "../../build/page/boids.html"], []
        )

    def test_each_table_is_whole(self):
        """Each row follows a header, and has as many cells as it: GitHub shows other rows as text."""
        wrong, tables = [], 0
        for page in (page for page in PAGES if page.endswith(".md")):
            text = re.sub(r"^```.*?^```", "", read(page), flags=re.MULTILINE | re.DOTALL)
            for table in re.findall(r"(?:^ *\|.*\|$\n?)+", text, re.MULTILINE):
                tables += 1
                head, line, *rows = (
                    re.split(r"(?<!\\)\|", row) for row in [*table.splitlines(), ""]
                )
                if not all(
                    re.fullmatch(r" *-+:? *|-+:|", cell.strip()) for cell in line
                ) or line == [""]:
                    wrong.append(f"{page}: no header: {table[:60]}")
                wrong += [
                    f"{page}: {'|'.join(row)[:60]}"
                    for row in [line, *rows[:-1]]
                    if len(row) != len(head)
                ]
        self.assertEqual(wrong, [])
        self.assertGreater(tables, 40)

    def test_models_names_keys_that_exist_and_all_that_shape_a_flock(self):
        words = set(re.findall(KEY, read("docs", "models.md")))
        self.assertEqual(
            (words | set(re.findall(KEY, read("docs", "comparison.md")))) - KEYS, set()
        )
        shaping = {key for key in KEYS if key.split(".")[0] in ("world", "flock", "predators")}
        self.assertEqual(shaping - words, {"world.y_axis"})

    def test_observables_in_the_docs_equal_the_table(self):
        table = json.loads(read("data", "observables.json"))
        rows = re.findall(
            r"^\| `(\w+)` \| (.*?) ?\| .* \| (.*?) ?\|$",
            read("docs", "observables.md"),
            re.MULTILINE,
        )
        self.assertEqual(
            rows, [(name, about["unit"], about["undefined"]) for name, about in table.items()]
        )

    def test_the_table_of_a_program_has_the_names_of_its_source(self):
        for name, names in PROGRAMS.items():
            there = {
                word for source, _, _ in rows_of(name) for word in re.findall(r"[A-Za-z_]+", source)
            }
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
            shared = []
            for source, value, _ in (row for row in rows_of(name) if row[0].startswith("`")):
                words, numbers = re.findall(r"`(?:this\.)?(\w+)`", source), numbers_in(value)
                each = (
                    [[number] for number in numbers]
                    if len(words) == len(numbers)
                    else [numbers] * len(words)
                )
                shared += [
                    (word, own) for word, own in zip(words, each) if own and word in constants
                ]
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
                self.assertTrue(os.path.exists(in_root("configs", preset[1] + ".json")), cell)

    def test_every_preset_with_a_source_is_listed(self):
        page = read("docs", "comparison.md")
        for path in glob.glob(in_root("configs", "*.json")):
            name = os.path.basename(path)[:-5]
            if os.path.exists(in_root("tests", "oracle", name + ".py")):
                self.assertIn(f"| `{name}` |", page)


NUMBERS = (
    "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty twenty-one twenty-two twenty-three twenty-four twenty-five"
).split()
PAGES = sorted(
    "README.md CONTRIBUTING.md SECURITY.md firmware/rp2040/README.md man/boids.1.in".split()
    + [os.path.join("docs", name) for name in os.listdir(DOCS) if name.endswith(".md")]
)


def enumerations():
    """The words of each key that is a choice."""

    def walk(schema, section=""):
        for name, about in schema["properties"].items():
            if "properties" in about:
                yield from walk(about, section + name + ".")
            elif "enum" in about:
                yield section + name, about["enum"]

    return dict(walk(json.loads(read("data", "boids.schema.json"))))


def instruction_sets():
    return re.findall(r'\[ISA_\w+\] = "(\w+)"', read("src", "engine", "simd", "isa.c"))


def sources(*folders):
    """Paths of the sources and scripts below some folders."""
    found = [
        path
        for folder in folders
        for path in glob.glob(in_root(folder, "**", "*.*"), recursive=True)
    ]
    return [
        os.path.relpath(path, ROOT)
        for path in found
        if path.endswith((".c", ".h", ".py", ".def", ".mjs"))
    ]


class Lists(unittest.TestCase):
    """Lists and counts in prose, which must change when a table grows."""

    def test_counts_in_prose_are_those_of_the_tables(self):
        table = enumerations()
        counts = {
            "presets": len(glob.glob(in_root("configs", "*.json"))),
            "observables": len(json.loads(read("data", "observables.json"))),
            "update orders": len(table["update"]),
            "orders of turns": len(table["update"]),
            "arithmetics": len(table["arithmetic"]),
            "number types": len(table["arithmetic"]),
            "borders": len(table["world.border"]),
            "instruction sets": len(instruction_sets()),
        }
        number = r"(\d+|" + "|".join(NUMBERS[2:]) + ")"
        wrong = []
        for page in PAGES + sources("src", "include", "bench", "tests", "scripts", "python"):
            text = re.sub(r"\s*\n[\s*#]*", " ", read(page))
            before = r"\b" if page == "README.md" else r"\b(?:all|the|in|of) "
            for found, noun in re.findall(
                rf"(?i){before}{number} ({'|'.join(counts)})\b(?! of )", text
            ):
                count = int(found) if found.isdigit() else NUMBERS.index(found.lower())
                if count != counts[noun]:
                    wrong.append(f"{page}: {found} {noun}, not {counts[noun]}")
        self.assertEqual(wrong, [])

    def test_lists_of_values_of_a_key_are_complete(self):
        lists = 0
        for page in PAGES:
            text = " ".join(read(page).split())
            word = r"`\w+`(?: \([^)]*\))?"
            for key, values in re.findall(
                rf"`([a-z_.]+)` is ({word}(?:, {word})*,? or {word})", text
            ):
                self.assertIn(key, enumerations(), page)
                words = re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", values))
                self.assertEqual(sorted(words), sorted(enumerations()[key]), f"{page}: {key}")
                lists += 1
        self.assertGreaterEqual(lists, 2)

    def test_models_explains_each_value_of_each_choice_but_the_default(self):
        words = {
            word
            for span in re.findall(r"`[^`\n]+`", read("docs", "models.md"))
            for word in re.findall(r"[\w-]+", span)
        }
        missing = [
            f"{key}: {value}"
            for key, values in enumerations().items()
            if key not in ("arithmetic", "world.y_axis")
            for value in values
            if value not in words | {DEFAULTS[key]} and not key.startswith("output.")
        ]
        self.assertEqual(missing, [])

    def test_scripts_know_each_border(self):
        from boids.core import space
        from boids.drawing import viewport

        borders = set(enumerations()["world.border"])
        self.assertEqual(set(space.BOUNDED) | {"open"}, borders, "does it keep boids in a window?")
        self.assertEqual(
            set(viewport.SHARE_IN_VIEW) | {"wrap", "reflect"},
            borders,
            "can boids be outside of the world?",
        )

    def test_the_comparison_counts_its_programs_and_models(self):
        page = read("docs", "comparison.md")
        sections = [
            re.search(rf"^## {name}\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)[1]
            for name in ("Programs", "Models from the literature")
        ]
        programs, models = (
            NUMBERS[len(re.findall(r"^\| \*\*", section, re.MULTILINE))] for section in sections
        )
        self.assertIn(
            f"of {programs} programs and {models} published models", " ".join(page.split())
        )

    def test_exit_statuses_are_those_of_the_signals(self):
        """0, 1 and 2, and 128 plus the number of each signal that stops a run, except the two that mean a normal end."""
        (caught,) = re.findall(r"int signals\[\] = \{(.*?)\}", read("src", "base", "stop.c"))
        stopping = {
            128 + signal.Signals[name]
            for name in caught.split(", ")
            if name not in ("SIGUSR1", "SIGXCPU")
        }
        (readme,) = re.findall(r"Exit status: (.*?)\n- ", read("README.md"), re.DOTALL)
        self.assertEqual(
            {int(number) for number in re.findall(r"\d+", readme)}, {0, 1, 2} | stopping
        )
        (section,) = re.findall(
            r"^\.SH EXIT STATUS\n(.*?)^\.SH", read("man", "boids.1.in"), re.MULTILINE | re.DOTALL
        )
        found = {
            int(number)
            for line in re.findall(r"^\.BR? \d.*", section, re.MULTILINE)
            for number in re.findall(r"\d+", line)
        }
        self.assertEqual(found, {0, 1, 2} | stopping)
        for page in PAGES:
            for listed in re.findall(
                r"\bstatus(?:es)? ([\d, ]+\d(?: (?:or|and) \d+)?)", read(page)
            ):
                self.assertLessEqual(
                    {int(number) for number in re.findall(r"\d+", listed)},
                    {0, 1, 2} | stopping,
                    page,
                )

    def test_warnings_of_short_runs_have_the_limits_of_the_code(self):
        from boids.estimates.estimators import MAX_DRIFT, MIN_LENGTH

        analysis, tutorial = (
            " ".join(read("docs", name).split()) for name in ("analysis.md", "tutorial.md")
        )
        stated = re.findall(r"shorter than (\d+) autocorrelation times", analysis + tutorial)
        self.assertEqual(stated, [str(MIN_LENGTH)] * 2)
        self.assertEqual(
            re.findall(r"drift together by more than (\d+)", analysis), [str(MAX_DRIFT)]
        )

    def test_instruction_sets_are_those_of_the_table(self):
        (listed,) = re.findall(
            r"^Forces an instruction set: (.*?)\.", read("man", "boids.1.in"), re.MULTILINE
        )
        self.assertEqual(re.split(", | or ", listed), instruction_sets())

    def test_folders_include_what_the_table_of_dependencies_says(self):
        (table,) = re.findall(
            r"^\| folder \| includes \|\n.*\n((?:\|.*\n)+)",
            read("docs", "architecture.md"),
            re.MULTILINE,
        )
        stated = {
            row[0]: set(row[1:])
            for row in (re.findall(r"`(\w+)`", line) for line in table.splitlines())
        }
        found = {os.path.basename(path[:-1]): set() for path in glob.glob(in_root("src", "*/"))}
        for path in sources("src"):
            folder = path.split("/")[1]
            for name in re.findall(r'^#include "(.*)"', read(path), re.MULTILINE):
                is_of_own = os.path.exists(in_root(os.path.dirname(path), name))
                is_of_core = os.path.exists(
                    in_root("src", "core", name)
                )  # compiled with -Isrc/core
                if folder in found and not is_of_own:
                    found[folder].add("core" if is_of_core else name.split("/")[0])
        self.assertEqual(
            {folder: names & set(found) - {folder} for folder, names in found.items()}, stated
        )

    def test_formats_are_those_of_the_table(self):
        listed = [
            (name, endings.split(", "), sentence)
            for name, endings, sentence in re.findall(
                r"^\| `(\w+)` \| (`.*?`) \| (.*) \|$",
                read("docs", "files.md").split("\n## ")[0],
                re.MULTILINE,
            )
        ]
        self.assertEqual(
            listed,
            [
                (name, [f"`.{ending}`" for ending in endings], sentence)
                for name, endings, sentence in read_formats()
            ],
        )

    def test_keys_that_draw_a_random_state_again_are_those_of_the_table(self):
        (sentence,) = re.findall(
            r"If they change (.*?), a random\s+state is drawn again",
            read("docs", "files.md"),
            re.DOTALL,
        )
        rows = re.findall(
            r'^KEY\("([\w.]+)",((?:(?!^KEY).)*?)\bINITIAL\b',
            read("src", "config", "keys.def"),
            re.MULTILINE | re.DOTALL,
        )
        self.assertEqual(
            set(re.findall(r"`([\w.]+)`", sentence)),
            {re.sub(r"^(flock\.init)\..*", r"\1", key) for key, _ in rows},
        )

    def test_options_targets_and_paths_that_pages_name_exist(self):
        options = set(
            re.findall(
                r'^OPTION\(\w+, [^,]+, "([a-z-]+)"',
                read("src", "cli", "options", "options.def"),
                re.MULTILINE,
            )
        )
        for path in sources("scripts", "python", "bench", "src/tools"):
            options |= set(re.findall(r'"--([a-z][a-z-]*)[" ]', read(path)))
        options |= {
            "cflags",
            "libs",
            "mpi",
            "no-index",
            "no-build-isolation",
            "system-site-packages",
        }  # of pkg-config, srun and pip
        names = re.findall(
            r"^([a-z][\w-]*(?: [a-z][\w-]*)*):", "\n".join(map(read, makefiles())), re.MULTILINE
        )
        targets = {name for line in names for name in line.split()}
        missing = []
        for page in (page for page in PAGES if page.endswith(".md")):
            text = read(page)
            code = "\n".join(
                re.findall(r"`[^`\n]+`", text)
                + re.findall(r"^```sh\n.*?^```", text, re.MULTILINE | re.DOTALL)
            )
            commands = "\n".join(
                line
                for line in code.splitlines()
                if not re.search(r"\b(mpirun|srun|sbatch|git|gcc|venv)\b", line)
            )
            missing += [
                f"{page}: --{name}"
                for name in re.findall(r"(?<![\w-])--([a-z][a-z-]*)", commands)
                if name not in options
            ]
            missing += [
                f"{page}: make {name}"
                for name in re.findall(r"(?:`|^)make ([a-z][\w-]*)", code, re.MULTILINE)
                if name not in targets
            ]
            missing += [
                f"{page}: {path}"
                for path in re.findall(
                    r"`((?:src|include|tests|scripts|python|bench)/[\w/.-]*\w)`", text
                )
                if not os.path.exists(in_root(path))
                and "NAME" not in path
                and page != "docs/mpi.md"
            ]
        self.assertEqual(missing, [])


class Words(unittest.TestCase):
    def findings(self, text):
        import lint_words

        with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
            file.write(text)
            file.flush()
            return [words for _, words, _ in lint_words.findings(file.name)]

    def test_lint_finds_words_that_plain_english_avoids(self):
        self.assertEqual(
            self.findings("Whoever flies is told of\none row a frame, 3 ns a step, by somebody.\n"),
            ["Whoever", "flies", "told", "somebody", "row a frame", "ns a step"],
        )
        self.assertEqual(
            self.findings(
                "A run prints one row per frame and returns; butterflies are not runs.\n"
            ),
            [],
        )


# Facts that two places state: a line for each, a file and a pattern whose groups are the numbers, to the same whole numbers.
SAID_TWICE = r"""
README.md in float32 .*? takes (?P<avx2>\d+) ns .*? \((?P<avx512>\d+) ns with AVX-512\).*? takes (?P<plain>\d+) ns
docs/performance.md float32 v3 .*?\| 100,000 \| (?P<plain>\d+) \| (?P<avx512>[\d.]+) \| (?P<avx2>[\d.]+) \|

README.md the quick tests: (?P<seconds>\d+) seconds
CONTRIBUTING.md quick tests: (?P<seconds>\d+) s,

CONTRIBUTING.md all tests at full length: (?P<minutes>\d+) minutes
tests/checks.mk all tests at full length, before a release: (?P<minutes>\d+) minutes

docs/films.md An \.mp4 or \.webm is (?P<width>\d+) x (?P<height>\d+)
python/boids/commands/plot.py DEFAULT_FILM_SIZE = \((?P<width>\d+), (?P<height>\d+)\)

docs/animals.md Gaps of up to `--max-gap` frames \((?P<frames>\d+)\)
python/boids/files/track_frames.py max_gap: int = (?P<frames>\d+)
"""


class SaidTwice(unittest.TestCase):
    def test_both_places_state_the_same(self):
        for pair in SAID_TWICE.strip().split("\n\n"):
            facts = []
            for line in pair.split("\n"):
                path, pattern = line.split(" ", 1)
                found = re.search(pattern, re.sub(r"\s+", " ", read(path)))
                self.assertTrue(found, line)
                facts.append({key: round(float(text)) for key, text in found.groupdict().items()})
            self.assertEqual(*facts, pair)

    def test_the_manual_page_names_each_installed_command_and_each_has_one(self):
        (commands,) = re.findall(
            r"^COMMANDS := (.*)$", read("packaging", "install.mk"), re.MULTILINE
        )
        page = read("man", "boids.1.in").replace("\\-", "-")
        with tempfile.TemporaryDirectory() as folder:
            script = in_root("scripts", "manual_pages.py")
            subprocess.run([sys.executable, script, folder], check=True)
            for name in commands.split():
                self.assertIn(f"boids-{name}", page)
                found = read(folder, f"boids-{name}.1")
                self.assertEqual(
                    found, read("man", f"boids-{name}.1"), "make schema writes it again"
                )


class Gallery(unittest.TestCase):
    def test_every_preset_has_a_picture_and_a_link_to_its_json(self):
        for path in glob.glob(in_root("configs", "*.json")):
            name = os.path.basename(path)[:-5]
            self.assertTrue(
                os.path.exists(os.path.join(DOCS, "gallery", name + ".json")),
                "make gallery draws " + name,
            )
            ours, shown = json.loads(read(path)), json.loads(read(DOCS, "gallery", name + ".json"))
            shown["$schema"] = shown["$schema"].replace("../../", "../", 1)
            self.assertEqual(ours, shown, "make gallery draws it again")
            self.assertIn(f"]({name}.png)", read(DOCS, "gallery", "README.md"))

    def test_every_picture_has_a_caption_and_the_options_that_draw_it(self):
        entries = re.findall(
            r"^## (\w+)\n\n(.*?)(?=^## |\Z)",
            read("docs", "gallery", "README.md"),
            re.MULTILINE | re.DOTALL,
        )
        self.assertEqual(
            {name for name, _ in entries},
            {os.path.basename(path)[:-5] for path in glob.glob(in_root("configs", "*.json"))},
        )
        for name, text in entries:
            self.assertRegex(text, rf"\({name}\.json\)\. [A-Z].*\.\n", name)
            self.assertIn("\n`--", text)
            self.assertRegex(
                text,
                rf"\[!\[{name}\]\({name}\.png\)\]\(\.\./(page\.md|\.\./web/boids\.html#preset={name})\)",
            )
        self.assertIn(
            "./boids -c NAME -o NAME.h5\n./boids-plot NAME.h5 --save NAME.png --size 480x420 --bare --kind trails --view flock\n",
            read("docs", "gallery", "README.md"),
        )

    def test_pictures_are_of_one_size(self):
        from PIL import Image

        for picture in glob.glob(os.path.join(DOCS, "gallery", "*.png")):
            with Image.open(picture) as image:
                self.assertEqual(image.size, (480, 420), picture)

    def test_pictures_are_small(self):
        pictures = glob.glob(os.path.join(DOCS, "gallery", "*.png")) + glob.glob(
            os.path.join(DOCS, "figures", "*.svg")
        )
        sizes = [os.path.getsize(picture) for picture in pictures]
        self.assertLess(max(sizes), 150000)
        self.assertLess(sum(sizes), 1500000)


class Figures(unittest.TestCase):
    def test_each_is_shown_on_the_page(self):
        names = [name[:-4] for name in os.listdir(os.path.join(DOCS, "figures"))]
        shown = re.findall(r"\(figures/(\w+)\.svg\)", read("docs", "models.md"))
        self.assertEqual(sorted(names), sorted(set(shown)))


if __name__ == "__main__":
    unittest.main()
