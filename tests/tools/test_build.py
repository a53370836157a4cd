"""Claims about the Makefile: when it rebuilds files and which settings it refuses. BOIDS is the program to compare with."""

import glob
import os
import re
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
    exhaustive_only,
    full_only,
    in_root,
    makefiles,
    output_of,
    read,
    split_words,
)


REFUSES_THREADS = """#!/bin/sh
for word; do
    if [ "$word" = -pthread ]; then echo 'cc: unknown option -pthread' >&2; exit 1; fi
done
exec gcc "$@"
"""


def make(folder, *words):
    """Build, with little optimisation of the SIMD code; return standard error."""
    done = subprocess.run(
        ["make", "-j2", f"BUILD={folder}", "SIMD_CFLAGS=-O1", *words],
        cwd=ROOT,
        env=inner_make.environment(),
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stderr


def copy_objects(folder):
    """Copy those of the program under test, without what another make may change at the same time."""
    shutil.copytree(
        in_root("build", "release"),
        folder,
        ignore=shutil.ignore_patterns(
            "tests", "boids*", "*.a", "libraries", "linked_with", "*.[0-9]*"
        ),
    )


class InstructionSets(Folder):
    def compiled(self, goal, *words):
        """The sets of the objects with which a program is linked if make builds this goal."""
        said = subprocess.run(
            [
                "make",
                "-fMakefile",
                "-f-",
                f"BUILD={self.path('new')}",
                goal.format(build=self.path("new")),
                *words,
            ],
            cwd=ROOT,
            env=inner_make.environment(),
            input="$(error $(OBJECTS))",
            capture_output=True,
            text=True,
            check=False,
        ).stderr
        return set(
            re.findall(re.escape(self.path("new")) + r"/f32/(\w+)/engine/simd/simd_step\.o", said)
        )

    @unittest.skipUnless(os.uname().machine == "x86_64", "one instruction set")
    def test_a_program_has_v3_and_the_best_set_of_this_machine_a_test_all_of_them_and_what_is_installed_every_set(
        self,
    ):
        for words, sets in (
            (("HAS_V3=yes", "HAS_V4=yes"), {"v3", "v4"}),
            (("HAS_V3=yes", "HAS_V4="), {"v3"}),
            (("HAS_V3=", "HAS_V4="), {"v3", "plain"}),
        ):
            self.assertEqual(self.compiled("all", *words), sets)
        best = self.compiled("all")
        self.assertEqual(self.compiled("demo"), best)
        self.assertLessEqual({"plain"}, self.compiled("test"))
        # A set that only a test needs is compiled again by tests alone.
        os.makedirs(self.path("new/f32/plain/engine/simd"))
        self.write("new/f32/plain/engine/simd/simd_step.o", "")
        self.assertEqual(self.compiled("all", "HAS_V3=yes", "HAS_V4="), {"v3"})
        for goal in ("install", "{build}/libboids.so", "{build}/boids", "shared_programs"):
            self.assertEqual(self.compiled(goal), {"plain", "v3", "v4"}, goal)

    def run_program(self, *words, **variables):
        return subprocess.run(
            [self.path("build", "boids"), *split_words(words)],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    @unittest.skipUnless(os.uname().machine == "x86_64", "one instruction set")
    @full_only
    def test_a_program_without_an_instruction_set_says_so_and_has_the_same_bits(self):
        copy_objects(self.path("build"))
        run = "-c murmuration -n 9 --hash 9 -o none"
        said = self.run_boids(run).stderr.decode()
        note = (
            "boids: note: this program has no SIMD code for this processor; `make` on this machine "
            "adds it, for up to 18 times the speed\n"
        )
        for sets, forced, notes in (("plain", "", ""), ("", "", note), ("", "scalar", "")):
            make(self.path("build"), f"ISAS={sets}", self.path("build", "boids"))
            self.assertEqual(self.run_program(run, BOIDS_ISA=forced).stderr, notes + said)
        self.assertNotIn("note", self.run_program(run, "-s arithmetic=fixed").stderr)
        refused = self.run_program(run, BOIDS_ISA="v3")
        if "of this machine" not in refused.stderr:
            self.assertIn(
                "BOIDS_ISA is v3, which this build does not have; `make ISAS='plain v3 v4' boids` builds all",
                refused.stderr,
            )
        self.assertEqual(refused.returncode, 2)


class WithoutHdf5(Folder):
    """`make HDF5=no`, from the objects of the program under test."""

    def build(self):
        copy_objects(self.path("build"))
        revision = re.search(r"\((.*)\)", self.good("--version"))[
            1
        ]  # of the program under test: XYZ contains it
        self.assertEqual(
            make(
                self.path("build"), "HDF5=no", f"REVISION={revision}", self.path("build", "boids")
            ),
            "",
        )

    def program(self, *words):
        return subprocess.run(
            [self.path("build", "boids"), *split_words(words)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )

    def test_writes_the_same_text_and_reports_what_needs_hdf5(self):
        self.build()
        self.assertNotIn("H5open", output_of("nm", self.path("build", "boids")))
        run = "-c adams --steps 2 -q"
        for name in ("a.csv", "a.txt", "a.xyz"):
            self.assertEqual(self.program(run, "-o", name).returncode, 0)
            self.good(run, "-o", "with_" + name)
            self.assertSameFile(name, "with_" + name)
        self.write("points.csv", "seed\n1\n2\n")
        done = self.program("-c adams -n 2 -q --points points.csv --table t.csv")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(self.read("t.csv").splitlines()), 3)
        for words in (
            "-c adams -o a.h5",
            "-c adams -o a.h5 --force",
            "--resume a.h5",
            "--verify a.h5",
            "--from a.h5 -o b.csv",
            "--convert a.h5 -o b.csv",
        ):
            done = self.program(words)
            self.assertEqual(
                (done.returncode, done.stderr),
                (
                    2,
                    "boids: a.h5: this boids was built without HDF5; use .csv, or install HDF5 (Debian: apt-get install libhdf5-dev) and "
                    "build boids again, with make or pip\n",
                ),
                words,
            )
        self.assertNotIn("a.h5", self.names())

    def link_flags(self, link, **more):
        env = {"PKG_CONFIG": "pkg-config", "HDF5": "no", "STATIC_HDF5": "yes", **more}
        return output_of(
            "sh",
            "scripts/link_flags.sh",
            self.folder,
            cwd=ROOT,
            env={**os.environ, "LINK": link, **env},
        )

    def test_a_static_hdf5_that_calls_curl_is_linked_without_it(self):
        """As on Debian 13."""
        self.write(
            "hdf5.c",
            "int curl_easy_init(void), SHA256(void);\nint H5open(void) { return curl_easy_init() + SHA256(); }\n",
        )
        subprocess.run(
            "gcc -c hdf5.c && for name in hdf5 sz aec z; do ar rcs lib$name.a hdf5.o; done",
            shell=True,
            cwd=self.folder,
            check=True,
        )
        flags = self.link_flags("gcc -L" + self.folder, PKG_CONFIG="true", HDF5="hdf5")
        self.assertRegex(flags, rf"^{self.folder}/no_cloud\.o .* -Wl,-Bstatic -lhdf5 ")

    def test_a_static_cjson_is_linked(self):
        self.write("cjson.c", "void *cJSON_Parse(const char *text) { return (void *)text; }\n")
        subprocess.run(
            "gcc -c cjson.c && ar rcs libcjson.a cjson.o", shell=True, cwd=self.folder, check=True
        )
        flags = [self.link_flags(link) for link in ("gcc", "gcc -L" + self.folder)]
        self.assertNotIn("-Bstatic", flags[0])
        self.assertRegex(flags[1], r"-Wl,-Bstatic -lcjson +-Wl,-Bdynamic -lm")


@exhaustive_only
class OtherBuild(unittest.TestCase):
    """A build without threads and with flags that allow other results gives the same bits."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.compiler = os.path.join(cls.folder, "cc")
        with open(cls.compiler, "w", encoding="utf-8") as file:
            file.write(REFUSES_THREADS)
        os.chmod(cls.compiler, 0o755)
        cls.program = os.path.join(cls.folder, "boids")
        cls.flags = [
            f"CC={cls.compiler}",
            "CFLAGS=-O1 -ffast-math -ffp-contract=fast -march=native",
            "ISAS=plain",
        ]
        cls.said = make(cls.folder, *cls.flags, cls.program)

    def test_builds_a_program_of_one_thread_with_the_same_bits(self):
        self.assertEqual(
            self.said, f"{self.compiler} has no POSIX threads: boids is built without\n"
        )
        options = "-c murmuration --steps 3 --threads 2 --hash 3 -o none -q".split()
        hashes = [
            subprocess.run([one, *options], capture_output=True, text=True, check=True).stderr
            for one in (BOIDS, self.program)
        ]
        self.assertRegex(hashes[0], r"^0 [0-9a-f]{16}\n3 [0-9a-f]{16}\n$")
        self.assertEqual(*hashes)
        team = os.path.join(self.folder, "engine", "threads", "team.o")
        self.assertNotIn("pthread", output_of("nm", team))

    def test_a_build_folder_contains_no_links_and_can_be_deleted_safely(self):
        found = [
            os.path.join(path, name)
            for path, folders, files in os.walk(self.folder)
            for name in folders + files
        ]
        self.assertEqual([path for path in found if os.path.islink(path)], [])

    def test_static_and_shared_hdf5_write_the_same_bytes(self):
        libraries, trajectories = [], []
        for choice in ("yes", "no"):
            make(self.folder, *self.flags, f"STATIC_HDF5={choice}", self.program)
            libraries.append(output_of("ldd", self.program))
            output = os.path.join(self.folder, f"{choice}.h5")
            output_of(self.program, "-c fish -n 9 -q -o", output)
            with open(output, "rb") as file:
                trajectories.append(file.read())
        self.assertEqual(*trajectories)
        self.assertIn("libhdf5", libraries[1])
        folder = os.path.dirname(re.search(r"libhdf5\S* => (\S+)", libraries[1])[1])
        if glob.glob(os.path.join(folder, "libhdf5*.a")):
            self.assertNotRegex(libraries[0], "hdf5|curl|crypto")


class Texts(unittest.TestCase):
    def last_line(self, *words, **variables):
        """Return the last line of what make would run if the program were new."""
        env = {**inner_make.environment(), **variables}
        return output_of("make", "-n", words, cwd=ROOT, env=env).splitlines()[-1]

    def test_a_make_that_built_the_program_ends_with_what_to_try(self):
        new = "-Wbuild/release/boids"
        self.assertEqual(
            self.last_line(new),
            "echo 'built ./boids; try: ./boids -c murmuration --steps 300 -o flock.h5'",
        )
        self.assertRegex(self.last_line(new, "boids", "HDF5=no"), "try: .* flock.csv'$")
        self.assertRegex(
            self.last_line("-Wbuild/release/boids-mpi", "MPI=1"),
            "built ./boids-mpi; try: mpirun -n 2 ./boids-mpi ",
        )
        for words in ((new, "-s"), (new, "symbols"), (new, "demo")):
            self.assertNotIn("built", self.last_line(*words), words)
        self.assertNotIn("built", self.last_line(new, MAKELEVEL="1"))

    def test_the_makefile_and_its_parts_are_readable(self):
        for name in makefiles():
            lines = read(name).splitlines()
            self.assertEqual(
                [f"{name}:{number}" for number, line in enumerate(lines, 1) if len(line) > 140], []
            )
            self.assertLessEqual(len(lines), 350, name)


class Flags(Folder):
    def compiled(self, *flags):
        """The time at which an object was compiled by a build with these flags."""
        compiled = os.path.join(self.folder, "base", "error.o")
        make(self.folder, *flags, compiled)
        return os.stat(compiled).st_mtime_ns

    def test_changed_flags_recompile_and_unchanged_flags_do_not(self):
        before = self.compiled("CFLAGS=-O1")
        self.assertEqual(self.compiled("CFLAGS=-O1"), before)
        for change in (
            ("CFLAGS=-O1 -g",),
            ("CFLAGS=-O1", "CPPFLAGS=-DNAME='a b'"),
        ):
            after = self.compiled(*change)
            self.assertGreater(after, before, change)
            self.assertEqual(self.compiled(*change), after, change)
            before = after

    def test_changed_linker_flags_relink_only(self):
        program = os.path.join(self.folder, "firmware_image")
        times = []
        for flags in ("", "", "-Wl,--as-needed"):
            make(self.folder, "CFLAGS=-O0", f"LDFLAGS={flags}", program)
            times.append(
                [
                    os.stat(path).st_mtime_ns
                    for path in (program, self.folder + "/tools/firmware_image.o")
                ]
            )
        self.assertEqual(times[0], times[1])
        self.assertGreater(times[2][0], times[1][0])
        self.assertEqual(times[2][1], times[1][1])

    def test_a_first_image_for_the_board_compiles_only_what_reads_a_configuration(self):
        words = ("make", "-n", "firmware", f"BUILD={self.folder}")
        planned = output_of(words, cwd=ROOT, env=inner_make.environment())
        compiled = re.findall(r'^echo "  compile (\w+)', planned, re.M)
        self.assertLessEqual(
            set(compiled), {"base", "cli", "config", "f32", "fixed", "library", "tools"}
        )
        self.assertLess(len(compiled), 25)

    @unittest.skipUnless(
        shutil.which("mpicc") and shutil.which("clang"), "there is no MPI, or no clang"
    )
    def test_cc_also_compiles_the_mpi_sources(self):
        compiled = os.path.join(self.folder, "engine", "mpi", "comm_mpi.o")
        make(self.folder, "MPI=1", "CC=clang", "CFLAGS=-O0", compiled)
        self.assertIn("clang", output_of("readelf", "-p .comment", compiled))


@full_only
class Arithmetic(unittest.TestCase):
    """Flags of the user do not change what the core computes."""

    UNSAFE = "-ffast-math -ffp-contract=fast -fassociative-math -fno-signed-zeros -fno-trapping-math -freciprocal-math -ffinite-math-only -Ofast"

    def instructions(self, compiler, flags):
        """Return the instructions of a short source of the core. If they were effective, each of the flags would change its instructions."""
        with tempfile.TemporaryDirectory() as folder:
            compiled = os.path.join(folder, "f64", "core", "keep_in_world.o")
            make(folder, f"CC={compiler}", f"CFLAGS={flags}", "HARDENING=", compiled)
            text = output_of("objdump", "-d --no-show-raw-insn", compiled)
            return text.partition("Disassembly")[2]

    def test_fast_math_flags_do_not_change_the_instructions(self):
        for compiler in filter(shutil.which, ("gcc", "clang")):
            plain = self.instructions(compiler, "-O3 -march=native")
            self.assertGreater(plain.count("mul"), 2)
            self.assertEqual(
                self.instructions(compiler, f"-O3 -march=native {self.UNSAFE}"), plain, compiler
            )

    def test_fast_math_flags_do_not_link_flush_to_zero_code(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "firmware_image")
            for flags in ("-Ofast", "-O1 -ffast-math", "-O1 -funsafe-math-optimizations"):
                make(folder, f"CFLAGS={flags}", program)
                self.assertNotIn("set_fast_math", output_of("nm", program))

    def test_the_core_refuses_to_compile_with_fast_math(self):
        core = "-std=gnu11 -fsyntax-only -Iinclude -Isrc -Isrc/core -DFLOCK_FLOAT64_CORE".split()
        core.append("src/core/scalar_update.c")
        for flags in (
            "-ffast-math",
            "-ffinite-math-only",
            "-D__ASSOCIATIVE_MATH__",
            "-D__RECIPROCAL_MATH__",
            "-Ofast",
        ):
            done = subprocess.run(
                ["gcc", *flags.split(), *core], cwd=ROOT, capture_output=True, text=True
            )
            self.assertIn("the core needs IEEE arithmetic", done.stderr, flags)
        subprocess.run(["gcc", *core], cwd=ROOT, check=True)


@full_only
class Choices(unittest.TestCase):
    LISTS = (
        "UPDATES",
        "INTEGRATORS",
        "BORDERS",
        "STEERINGS",
        "SEPARATION_FORMS",
        "ALIGNMENT_FORMS",
    )

    def test_a_new_border_form_or_steering_that_the_core_lacks_does_not_compile(self):
        with tempfile.TemporaryDirectory() as folder:
            folders = ["include", "scripts", "src"]
            others = [name for name in makefiles() if name.split("/")[0] not in folders]
            subprocess.run(
                ["cp", "-r", "--parents", *others, *folders, folder], cwd=ROOT, check=True
            )
            header = os.path.join(folder, "include/flock/model.h")
            text = read(header)
            for name in self.LISTS:
                text = text.replace(
                    f"FLOCK_{name}(X)", f'FLOCK_{name}(X) X(FLOCK_NEW_{name}, "new")'
                )
            with open(header, "w", encoding="utf-8") as file:
                file.write(text)
            core = [f"build/f64/core/{name}.o" for name in ("border", "scalar_update", "step")]
            done = subprocess.run(
                ["make", "-k", "BUILD=build", "CFLAGS=-O0", *core],
                cwd=folder,
                env=inner_make.environment(),
                capture_output=True,
                text=True,
            )
            self.assertNotEqual(done.returncode, 0)
            for name in self.LISTS:
                self.assertRegex(
                    done.stderr,
                    f"error: enumeration value .FLOCK_NEW_{name}. not handled in switch",
                )


if __name__ == "__main__":
    unittest.main()
