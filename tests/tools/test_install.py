"""Claims about `make install` and `make uninstall`: the installed files, and that the manual page, the completions, the library and
the examples work.

BOIDS names the program under test; its build is installed. CC and CFLAGS are those of that build.
"""

import glob
import importlib.util
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import inner_make

sys.path.append(sys.path[0] + "/..")

from support import (
    BOIDS,
    ROOT,
    Folder,
    broken_links,
    csv_rows,
    full_only,
    in_root,
    output_of,
    read,
    read_formats,
    rows_of,
    texts_of,
)

HELP = os.path.join(os.path.dirname(BOIDS), "help")
COMPLETIONS = in_root("packaging", "completions")
if not os.path.isdir(HELP):  # a copy of the program, as ./boids is
    HELP = in_root("build", "release", "help")
SOURCE = in_root("src", "cli", "options")
BUILD = os.path.relpath(os.path.dirname(HELP), ROOT)
COMPILER = shlex.split(os.environ.get("CC", "gcc")) + shlex.split(os.environ.get("CFLAGS", "-O2"))
# The environment in which `boids` is the program.
WITH_PROGRAM = {"PATH": os.path.dirname(BOIDS) + os.pathsep + os.environ["PATH"]}


def make(*words):
    return output_of(
        *("make", "-s", f"BUILD={BUILD}"), *words, cwd=ROOT, env=inner_make.environment()
    )


def refusal(*words):
    return subprocess.run([BOIDS, *words], check=False, capture_output=True, text=True).stderr


def files_in(folder):
    return {
        os.path.relpath(os.path.join(path, name), folder)
        for path, _, names in os.walk(folder)
        for name in names
    }


def help_options():
    """(letter or '', name, value or '') of each option in boids --help."""
    text = output_of(BOIDS, "--help")
    return re.findall(
        r"^  (?:-(.), |    )--([a-z-]+)(?: (\S+(?: [A-Z](?= ))?))?  ", text, re.MULTILINE
    )


def keys():
    """Every key that --set takes."""
    names = [
        line.split()[0]
        for section in ("world", "flock", "predators", "obstacles", "goals", "output")
        for line in output_of(BOIDS, "--help", section).splitlines()
    ]
    sides = ["world.margin." + side for side in ("left", "right", "top", "bottom")]
    return (
        names
        + sides
        + ["title", "seed", "steps", "arithmetic", "update", "integrator", "schedule", "rule"]
    )


def names_in_checkout():
    """The names in the checkout, without the new files of a make at the same time, which end with its number until they are renamed."""
    return {name for name in os.listdir(ROOT) if not re.search(r"\.\d+$", name)}


@full_only
class Install(Folder):
    def test_uninstall_removes_all_that_install_wrote_below_destdir(self):
        self.mkdir("usr/share/man/man1")
        self.write("usr/share/man/man1/other.1", "not ours")
        make("install", f"DESTDIR={self.folder}", "PREFIX=/usr")
        found = files_in(self.folder)
        names = """
            bin/boids bin/boids-plot bin/boids-analyse bin/boids-sweep bin/boids-tracks bin/boids-fit bin/boids-xdmf
            share/man/man1/boids.1 share/man/man1/boids-plot.1
            share/bash-completion/completions/boids share/zsh/site-functions/_boids
            share/fish/vendor_completions.d/boids.fish share/boids/data/boids.schema.json share/boids/scripts/plot.py
            lib/libflock.a lib/pkgconfig/flock.pc lib/libboids.a lib/libboids.so lib/libboids.so.1
            lib/pkgconfig/boids.pc
        """.split()
        page = ["share/boids/boids.html"] if shutil.which("wasm-ld") else []
        for name in names + page:
            self.assertIn("usr/" + name, found)
        for ours, theirs in rows_of(
            """
            configs | share/boids/configs
            include/flock | include/flock
            include/boids | include/boids
            python/boids/drawing | share/boids/python/boids/drawing
            python/boids/analysis | share/boids/python/boids/analysis
            """
        ):
            # The program contains presets.txt.
            there = {*os.listdir(in_root(ours))} - {"__pycache__", "presets.txt"}
            self.assertEqual(there, {*self.names("usr/" + theirs)} | ({"__init__.py"} & there))
        self.assertNotIn(self.folder, self.read("usr/lib/pkgconfig/flock.pc"))
        self.check_pages(self.path("usr/share/doc/boids"))
        make("uninstall", f"DESTDIR={self.folder}", "PREFIX=/usr")
        self.assertEqual(files_in(self.folder), {"usr/share/man/man1/other.1"})
        self.assertEqual(
            [path for path, folders, names in os.walk(self.folder) if not folders and not names], []
        )

    def test_all_users_can_read_what_is_installed_whatever_the_umask(self):
        for umask in (0o077, 0o000):
            stage = self.path(f"{umask:o}", "stage area")
            before = os.umask(umask)
            try:
                make(
                    "install",
                    f"DESTDIR={stage}",
                    "PREFIX=/opt/boids",
                    "LIBDIR=lib/x86_64-linux-gnu",
                )
            finally:
                os.umask(before)
            for path, folders, names in os.walk(os.path.dirname(stage)):
                for name in folders + names:
                    found = os.stat(os.path.join(path, name)).st_mode & 0o777
                    usual = {"755"} if name in folders else {"644", "755"}
                    self.assertIn(f"{found:o}", usual, (umask, path, name))
            output_of(os.path.join(stage, "opt/boids/bin/boids"), "--version")

    def test_uninstall_leaves_folders_and_links_that_were_there_before(self):
        """Debian links /usr/local/man to the empty folder share/man."""
        theirs = ("bin", "lib", "include/flock", "share/man/man1", "share/zsh", "games")
        for name in (*theirs, "lib64"):
            self.mkdir(name)
        self.chmod("bin", 0o2775)
        self.link("share/man", "man")
        self.link("share/fish", "fish")
        self.write("include/flock/mine.h", "not ours")
        self.link("lib64", "lib32")
        where = (f"PREFIX={self.folder}", "LIBDIR=lib32/inner")
        for _ in range(2):  # a second installation makes no folder
            make("install", *where)
        self.assertEqual(os.stat(self.path("bin")).st_mode & 0o7777, 0o2775)
        self.assertTrue(os.path.isfile(self.path("lib64/inner/libflock.a")))
        kept = {"share/doc/mine", "share/boids/configs/mine.json", "share/boids/python/mine.py"}
        for name in kept:
            self.write(name, "written later")
        make("uninstall", *where)
        for name in (*theirs, "man", "lib32", "lib64"):
            self.assertTrue(os.path.isdir(self.path(name)), name)
        self.assertEqual(files_in(self.folder), {"include/flock/mine.h", "fish", *kept})
        self.assertEqual(self.names("share"), ["boids", "doc", "man", "zsh"])
        self.assertEqual(self.names("share/zsh") + self.names("lib64"), [])
        make("uninstall", *where)  # nothing is left to remove
        self.assertTrue(os.path.isdir(self.path("bin")))

    def tried(self, *words, **environment):
        """(exit status, standard output, standard error) of a make in the root."""
        env = {**inner_make.environment(), **environment}
        done = subprocess.run(["make", *words], cwd=ROOT, env=env, capture_output=True, text=True)
        return texts_of(done)

    def test_a_prefix_in_lower_case_and_a_compiler_of_the_environment_are_used(self):
        for words, environment, wanted in (
            (["install", "prefix=/there"], {}, "mv '/there/share'"),
            (["setup"], {"CC": "clang"}, "CC='clang'"),
            (["setup"], {"HDF5": "no"}, "--check core"),
            (["libdir=/x"], {}, "libdir is not used; set PREFIX, and LIBDIR below it"),
        ):
            _, out, said = self.tried("-n", *words, **environment)
            self.assertIn(wanted, out + said)

    def test_install_into_a_folder_that_cannot_be_written_names_one_that_can(self):
        usual = os.environ["PATH"]
        for path, is_on in (usual, "is not"), ("/home/a/.local/bin:" + usual, "is"):
            words = ("-s", f"BUILD={BUILD}", "install", "PREFIX=/proc/boids")
            status, _, said = self.tried(*words, PATH=path, HOME="/home/a")
            self.assertIn(
                "/proc/boids cannot be written; install with: make install PREFIX=/home/a/.local "
                f"(/home/a/.local/bin {is_on} on PATH)\n",
                said,
            )
            self.assertNotEqual(status, 0)

    def test_folders_may_contain_spaces_and_quotes(self):
        """Without quotes, uninstall would remove share/boids below the part of the name that precedes the space."""
        prefix, stage = "/my 'own' & only|prefix", self.path("stage area")
        theirs = {
            f"{folder}/{name}"
            for folder in ("stage", "stage area/my", f"stage area{prefix}/share/boids-of-others")
            for name in (
                "share/boids/mine",
                "share/doc/boids/mine",
                "include/flock/mine",
                "bin/boids",
                "lib/libflock.a",
            )
        }
        for name in theirs:
            self.mkdir(os.path.dirname(name))
            self.write(name, "not ours")
        checkout = names_in_checkout()
        make("install", f"DESTDIR={stage}", f"PREFIX={prefix}")
        self.assertEqual(names_in_checkout(), checkout)
        found = files_in(self.folder)
        for name in (
            "bin/boids",
            "bin/boids-plot",
            "lib/libflock.a",
            "share/man/man1/boids.1",
            "share/boids/configs/adams.json",
            "share/doc/boids/docs/models.md",
        ):
            self.assertIn(f"stage area{prefix}/{name}", found)
        self.assertIn(f"prefix={prefix}\n", read(stage + prefix, "lib/pkgconfig/flock.pc"))
        make("uninstall", f"DESTDIR={stage}", f"PREFIX={prefix}")
        self.assertEqual(files_in(self.folder), theirs)
        self.assertEqual(names_in_checkout(), checkout)

    @unittest.skipUnless(shutil.which("mpicc"), "there is no MPI")
    def test_boids_mpi_is_installed_and_started_by_mpirun(self):
        make("install", "MPI=1", f"DESTDIR={self.folder}", "PREFIX=/usr")
        self.assertIn("libmpi", output_of("ldd", self.path("usr/bin/boids-mpi")))

    def check_pages(self, folder):
        """Pages, their pictures and the examples are installed, and links between them work."""
        for name in (
            "README.md",
            "CHANGELOG.md",
            "LICENSE",
            "docs/models.md",
            "docs/pictures/murmuration.png",
            "examples/step_a_flock.c",
            "examples/Snakefile",
        ):
            self.assertTrue(os.path.isfile(os.path.join(folder, name)), name)
        self.assertEqual(files_in(os.path.join(folder, "docs")), files_in(in_root("docs")))
        has_page = os.path.exists(os.path.join(folder, "../../boids/boids.html"))
        for _, target in broken_links(folder):
            self.assertFalse(has_page or not target.endswith("/boids.html"), target)


@full_only
class Installed(Folder):
    """One installation, moved after `make install`."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.usr = os.path.join(folder.name, "moved")
        make("install", f"DESTDIR={folder.name}", "PREFIX=/usr", "PYTHON=" + sys.executable)
        os.rename(os.path.join(folder.name, "usr"), cls.usr)

    def test_the_tools_start_with_an_interpreter_that_has_their_modules(self):
        with open(self.usr + "/share/boids/scripts/plot.py", encoding="utf-8") as file:
            python = file.readline().removeprefix("#!").strip()
        output_of(*python.split(), "-c", "import numpy, h5py, matplotlib, scipy")

    def test_the_installed_program_finds_its_presets_after_a_move(self):
        presets = output_of(self.usr + "/bin/boids", "--presets", cwd=self.folder)
        names = re.findall("(?m)^  ([a-z0-9_]+)", presets)
        shipped = glob.glob(in_root("configs/*.json"))
        self.assertEqual(len(names), len(shipped))
        output_of(self.usr + "/bin/boids", "-c adams --check", cwd=self.folder)

    def test_the_installed_gallery_links_to_the_installed_page(self):
        folder = self.usr + "/share/doc/boids/docs/gallery"
        links = set(re.findall(r"\]\(([^)]*boids\.html)#preset=", read(folder, "README.md")))
        self.assertEqual(
            [os.path.normpath(os.path.join(folder, link)) for link in links],
            [self.usr + "/share/boids/boids.html"],
        )

    def test_the_installed_plot_draws(self):
        self.good("-c castor --steps 5 -q -o a.h5")
        plot = (sys.executable, "-B", self.usr + "/share/boids/scripts/plot.py")
        output_of(*plot, "a.h5 --save a.png".split(), cwd=self.folder)
        self.assertGreater(self.size("a.png"), 1000)

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "there is no scipy")
    def test_the_installed_analysis_counts(self):
        self.good("-c castor --steps 5 -q -o a.h5")
        self.mkdir("python")
        self.link(sys.executable, "python/python3")  # the one that has the modules
        path = self.path("python") + os.pathsep + os.environ["PATH"]
        env = {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        program = self.usr + "/bin/boids-"
        output_of(program + "analyse", "a.h5", "-q -o out", cwd=self.folder, env=env)
        self.assertIn("pair_correlation.csv", self.names("out"))
        for name in ("analyse", "plot", "sweep"):
            said = output_of(program + name, "--help", cwd=self.folder, env=env)
            self.assertRegex(said, rf"\A(?s:(?!.*\.py\b).*) boids-{name} ")


class Manual(Folder):
    PAGE = read(HELP, "boids.1") if os.path.exists(os.path.join(HELP, "boids.1")) else ""
    PLAIN = PAGE.replace("\\-", "-")

    def test_has_every_option_and_every_key(self):
        for letter, name, value in help_options():
            short = f'-{letter} ", " ' if letter else ""
            shown = f' " \\fI{value}\\fR"' if value else ""
            self.assertIn(f".BR {short}--{name}{shown}\n", self.PLAIN)
        for key in keys():
            self.assertIn(f".B {key}\n", self.PLAIN)
        for name, endings, sentence in read_formats():
            format_ = f".TP\n.BR {name} \" (.{', .'.join(endings)})\"\n{sentence}.\n"
            self.assertIn(format_, self.PLAIN)
        self.assertNotRegex(self.PLAIN, r"(?m)^\.BR \S.*\n\n")  # an option without a meaning

    def test_the_help_has_every_option_that_the_program_takes_and_no_other(self):
        rows = re.findall(
            r"""^OPTION\(\w+, (?:'(.)'|0), "([a-z-]+)", "([^"]*)",""",
            read(SOURCE, "options.def"),
            re.MULTILINE,
        )
        self.assertGreater(len(rows), 15)
        self.assertEqual(sorted(rows), sorted(help_options()))
        self.assertEqual(len({name for _, name, _ in rows}), len(rows))
        for letter, name, value in rows:
            for word in ["--" + name] + ["-" + letter] * bool(letter):
                is_wanting = value and not value.startswith("[")
                reported = refusal(word) if is_wanting else refusal(word, "--bogus")
                wanted = f"{word} needs a value" if is_wanting else "--bogus is not an option"
                self.assertEqual(reported, f"boids: {wanted}; see boids --help\n")

    def test_an_option_of_the_table_that_does_nothing_does_not_compile(self):
        self.mkdir("cli/options")
        flags = "-std=gnu11 -fsyntax-only -Isrc -Iinclude".split()
        compile_it = [*COMPILER, "-I" + self.folder, *flags, os.path.join(SOURCE, "options.c")]
        table = read(SOURCE, "options.def")
        self.write("cli/options/options.def", table)
        output_of(*compile_it, cwd=ROOT)
        more = 'OPTION(MORE, 0, "more", "", NOTHING, "", CONTROL, 0, "do more")\n'
        self.write("cli/options/options.def", table + more)
        done = subprocess.run(compile_it, cwd=ROOT, check=False, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("OPTION_MORE", done.stderr)

    def test_has_every_observable_with_its_unit(self):
        for name, about in json.loads(read("data", "observables.json")).items():
            unit = f"\n.br\nUnit: {about['unit']}." if about["unit"] else ""
            self.assertIn(f".B {name}\n{about['sentence']}{unit}\n", self.PLAIN)

    def test_bounds_and_defaults_are_those_of_help_key(self):
        for key in (
            "flock.cohesion.factor",
            "world.border",
            "flock.max_force",
            "flock.init.speed",
            "seed",
        ):
            reported = self.good("--help", key)
            value, default = (
                re.search(rf"{what}: +(.*)", reported)[1] for what in ("value", "default")
            )
            self.assertIn(f"Value: {value}. Default: {default}.", self.PLAIN)

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_formats_without_a_warning(self):
        words = "groff -man -Tutf8 -ww -z".split()
        done = subprocess.run(words, input=self.PAGE, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")


class Completion(Folder):
    # words typed so far | some that must be offered | one that must not be
    TABLE = """
        --st | --steps | --set
        --pr | --presets,--print-config,--progress | --seed
        --config ad | adams | castor
        --progress  | auto,always,never | adams
        --set flock.coh | flock.cohesion.radius=,flock.cohesion.factor= | flock.count=
        -s flock.steering = rey | reynolds | direct
        --set world.border = | bounce,wrap,reflect,open | up
        --help output.d | output.digits | output.every
        -q -o fi | file name.h5 | --output
        -o no | none | --output
        --observables fi | file name.h5 | --output
        --ver | --verbose,--version | --seed
    """
    CASES = [case.strip().split(" | ") for case in TABLE.strip().splitlines()]

    def setUp(self):
        super().setUp()
        for name in ("file name.h5", "run:1.h5"):
            self.write(name, "")

    def completions(self, script, env=None):
        """What a function of the script of bash offers."""
        script = f". {shlex.quote(os.path.join(HELP, 'boids.bash'))}; {script}; "
        script += "printf '%s\\n' \"${COMPREPLY[@]}\""
        return output_of(
            "bash", "--norc -c", script, cwd=self.folder, env={**os.environ, **(env or {})}
        ).splitlines()

    def offered_by_bash(self, words, line=""):
        """The completions of bash for `boids WORDS`, as readline cuts the line."""
        words = ["boids", *words]
        return self.completions(
            f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; "
            f"COMP_LINE={shlex.quote(line)}; _boids",
            WITH_PROGRAM,
        )

    @unittest.skipUnless(shutil.which("bash"), "needs bash")
    def test_bash(self):
        for words, wanted, unwanted in self.CASES:
            offered = self.offered_by_bash(words.split(" "))
            self.assertLessEqual(set(wanted.split(",")), set(offered), words)
            self.assertNotIn(unwanted, offered, words)
        self.assertEqual(
            {word for word in self.offered_by_bash([""]) if word.startswith("--")},
            {"--" + name for _, name, _ in help_options()},
        )
        offered = {word.rstrip("=") for word in self.offered_by_bash(["--set", ""])}
        self.assertEqual(offered, set(keys()))

    @unittest.skipUnless(shutil.which("bash"), "needs bash")
    def test_an_offer_of_bash_replaces_the_last_piece_of_a_word(self):
        for line, words, wanted in rows_of(
            r"""
            -o run: | -o run : | 1.h5
            -o run:1 | -o run : 1 | 1.h5
            -o run\: | -o run\: | run:1.h5
            --output=run: | --output = run : | 1.h5
            -s flock.init.file=ru | -s flock.init.file = ru | run:1.h5
            --set=flock.steering=rey | --set = flock.steering = rey | reynolds
            --diff a=b ru | --diff a = b ru | run:1.h5
            --diff=a run: | --diff = a run : | 1.h5
            """
        ):
            self.assertEqual(self.offered_by_bash(words.split(), "boids " + line), [wanted], line)

    def lay_out(self):
        """The folder of the scripts of zsh and fish, in the layout of `make install`; bash alone completes."""
        for source, name in (
            (os.path.join(HELP, "boids.bash"), "bash-completion/completions/boids"),
            (os.path.join(COMPLETIONS, "boids.fish"), "fish/vendor_completions.d/boids.fish"),
            (os.path.join(COMPLETIONS, "_boids"), "zsh/site-functions/_boids"),
        ):
            self.mkdir(os.path.dirname(name))
            self.link(os.path.abspath(source), name)

    def offered_by_whole_words(self, typed):
        """The completions of `boids TYPED`, where words are not cut at =, as zsh and fish ask for them."""
        words = ["boids", *typed.split(" ")]
        return self.completions(
            f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; _boids_by_whole_words"
        )

    @unittest.skipUnless(shutil.which("bash"), "needs bash")
    def test_settings_are_offered_whole_to_zsh_and_fish(self):
        for typed, *offered in rows_of(
            """
            -s flock.steering=rey | flock.steering=reynolds
            --set world.border= | world.border=bounce | world.border=wrap | world.border=reflect | world.border=open
            --progress=al | --progress=always
            --diff a ru | run:1.h5
            --diff run: | run:1.h5
            """
        ):
            self.assertEqual(self.offered_by_whole_words(typed), offered)
        self.assertIn("flock.count=", self.offered_by_whole_words("--set flock.co"))

    @unittest.skipUnless(shutil.which("fish") and shutil.which("bash"), "needs fish and bash")
    def test_fish(self):
        self.lay_out()
        source = self.path("fish/vendor_completions.d/boids.fish")
        env = {**os.environ, **WITH_PROGRAM, "HOME": self.folder}
        for words, wanted, unwanted in self.CASES:
            typed = "boids " + words.replace(" = ", "=").replace(" =", "=")
            script = f"source {source}; complete -C {shlex.quote(typed)}"
            lines = output_of("fish", "-c", script, cwd=self.folder, env=env).splitlines()
            offered = [line.split("\t")[0] for line in lines]
            offered = [word.split("=")[1] if "=" in typed else word for word in offered]
            self.assertLessEqual(set(wanted.split(",")), set(offered), words)
            self.assertNotIn(unwanted, offered, words)

    def test_each_shell_can_read_its_script(self):
        for shell, script in (
            ("bash", os.path.join(HELP, "boids.bash")),
            ("zsh", os.path.join(COMPLETIONS, "_boids")),
            ("fish", os.path.join(COMPLETIONS, "boids.fish")),
        ):
            if shutil.which(shell):
                output_of(shell, "-n", script)

    def test_the_words_offered_are_words_that_the_program_takes(self):
        for option in ("--format", "--progress"):
            for word in self.offered_by_bash([option, ""]) if shutil.which("bash") else ():
                self.good("-c castor --steps 0 -q -o out.h5", option, word)


# A program with names that a library must not define, compiled with all warnings for the headers.
CPP = """
typedef int num, vec, agent;
enum { NUM_ONE };
#include "flock/simulation.h"
#include <cstdio>
#include <vector>

int main()
{
    flock_model model = flock_model_defaults();
    model.world.width = model.world.height = 100;
    model.boid_count = 30;
    model.init_speed[0] = model.init_speed[1] = 4;
    std::vector<unsigned long long> memory(flock_simulation_memory(&model) / sizeof(unsigned long long) + 1);
    flock_simulation *simulation = flock_simulation_create(&model, memory.data());
    for (int i = 0; i < 5; i++)
        if (flock_simulation_step(simulation) != FLOCK_OK)
            return 1;
    const struct flock &flock = simulation->flock;
    std::printf("%d %g\\n", static_cast<int>(flock.step), flock_num_to_double(flock.boids[7].position.x));
}
"""


@full_only
class Library(Folder):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = os.path.join(folder.name, "my own")
        make("install", f"PREFIX={cls.prefix}")

    def flags(self, *words):
        """pkg-config quotes the space in the prefix."""
        env = {**os.environ, "PKG_CONFIG_PATH": self.prefix + "/lib/pkgconfig"}
        return shlex.split(output_of("pkg-config", "--cflags --libs", *words, env=env))

    def compile_example(self, core):
        program = self.path(core)
        output_of(
            *COMPILER,
            f"-DFLOCK_{core}_CORE",
            in_root("examples", "step_a_flock.c"),
            f"-o {program} {shlex.join(self.flags('flock'))}",
        )
        return [float(line.split()[-1]) for line in output_of(program).splitlines()]

    def test_a_c_or_cpp_program_can_link_libboids_shared_or_static(self):
        """A program may have functions with the names of ours that are not in the header."""
        self.write(
            "clash.c",
            "int engine_step(void); int engine_step(void) { return 7; } int error_set(void); int error_set(void) { return 8; }",
        )
        clash = self.path("clash.o")
        output_of(*COMPILER, "-c", self.path("clash.c"), "-o", clash)
        memory = "struct boids_agent *agents = %smalloc"
        source = read("examples", "scatter_a_flock.c")
        own = self.write("own.c", source.replace(memory % "", memory % "(struct boids_agent *)"))
        shared = self.flags("boids")
        archive = self.prefix + "/lib/libboids.a"
        static = [
            archive if word == "-lboids" else word for word in self.flags("--static", "boids")
        ]
        program, env = self.path("own"), {**os.environ, "LD_LIBRARY_PATH": self.prefix + "/lib"}
        lines = set()
        for language in ([], ["-x", "c++"]):
            for flags in shared, static:
                link = f"-o {program} {shlex.join(flags)}"
                output_of(*COMPILER, *language, own, "-x none", clash, link)
                lines.add(output_of(program, "adams", env=env))
        self.assertEqual(len(lines), 1)

    def polarization_of_boids(self, arithmetic):
        """Polarization every 50 steps of the same flock in a run of the program."""
        words = "--every 50 --digits 17 -s world.border=wrap -s"
        self.good("-c -", words, "arithmetic=" + arithmetic, "-o a.csv", input=b"{}")
        headings = {}
        for row in csv_rows(self.read("a.csv")):
            vx, vy = float(row["vx"]), float(row["vy"])
            headings.setdefault(row["step"], []).append(complex(vx, vy) / math.hypot(vx, vy))
        return [abs(sum(each)) / len(each) for each in headings.values()]

    def test_the_c_example_has_the_hashes_of_boids_in_each_arithmetic(self):
        for core, arithmetic in (
            ("FLOAT32", "float32"),
            ("FLOAT64", "float64"),
            ("FIXED", "fixed"),
        ):
            for ours, theirs in zip(
                self.compile_example(core), self.polarization_of_boids(arithmetic), strict=True
            ):
                self.assertAlmostEqual(ours, theirs, delta=1e-6)  # six digits are printed

    @unittest.skipUnless(shutil.which("g++"), "no C++ compiler")
    def test_a_cpp_program_can_use_the_library(self):
        source = self.write("own.cc", CPP)
        places = set()
        for core in ("FLOAT32", "FLOAT64", "FIXED"):
            program = self.path(core)
            output_of(
                "g++",
                "-Wall -Wextra -Wpedantic -Werror",
                *COMPILER[1:],
                f"-DFLOCK_{core}_CORE",
                source,
                f"-o {program} {shlex.join(self.flags('flock'))}",
            )
            step, x = output_of(program).split()
            self.assertEqual(step, "5")
            places.add(round(float(x)))
        self.assertEqual(len(places), 1)

    def test_every_public_symbol_starts_with_flock(self):
        names = re.findall(
            r"(?m) [TDBRC] (\w+)$", output_of("nm", "-g", in_root(BUILD, "libflock.a"))
        )
        strangers = [name for name in names if not re.match("flock_|engine_(params|start)_", name)]
        self.assertEqual(strangers, [])


class ReadRun(Folder):
    def test_the_python_example_reads_a_run(self):
        output_of(BOIDS, "-c adams --steps 60 -q -o", self.path("a.h5"))
        said = output_of(sys.executable, in_root("examples", "read_run.py"), self.path("a.h5"))
        self.assertIn("V. Hunter Adams' boids, with a predator (61 frames of 400 boids)", said)
        self.assertIn("polarization", said)


if __name__ == "__main__":
    unittest.main()
