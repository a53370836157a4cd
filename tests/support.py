"""Shared by the Python tests: the program under test, the level of testing, a folder for each test, and readers of files.

    BOIDS             the program under test; default ./boids
    BOIDS_TEST_LEVEL  quick (default): in seconds, as `make test` runs it; full: all that a change must pass, as `make check` and
                      CI run it; exhaustive: all, with every kill, failed call and damage, which `make check-all` runs in hours
    BOIDS_SEED        seed of the tests that draw at random; default 1
    CC, CFLAGS        the compiler and its flags, for programs that tests compile

A test finds this file by `sys.path[0] += "/.."` above its import, so each suite can be started by itself; this file adds the
package boids to the path. A suite that imports files beside it, or that such a suite imports, appends to the path instead.
"""

import contextlib
import csv
import hashlib
import io
import json
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOIDS = os.path.abspath(os.environ.get("BOIDS", os.path.join(ROOT, "boids")))
# The folder of its build; ./boids is a copy.
BUILD = os.path.dirname(BOIDS)
BUILD = BUILD if BUILD != ROOT else os.path.join(ROOT, "build", "release")
SEED = int(os.environ.get("BOIDS_SEED", 1))
IS_SANITIZED = "-fsanitize" in os.environ.get("CFLAGS", "")
# Seconds that a process may take on a busy machine; no test measures time.
PATIENCE = 240

LEVELS = ("quick", "full", "exhaustive")
LEVEL = os.environ.get("BOIDS_TEST_LEVEL") or "quick"
if LEVEL not in LEVELS:
    raise SystemExit(f"BOIDS_TEST_LEVEL is {LEVEL}; it must be quick, full or exhaustive")
IS_QUICK, IS_EXHAUSTIVE = LEVEL == "quick", LEVEL == "exhaustive"

# A search for leaks takes half the time of a sanitized program. Programs that end soon are searched only at the exhaustive level.
os.environ.setdefault("ASAN_OPTIONS", f"detect_leaks={int(IS_EXHAUSTIVE)}")
# For a program into which a library is loaded before that of the sanitizer.
ASAN_PRELOAD = os.environ["ASAN_OPTIONS"] + ":verify_asan_link_order=0"

sys.path.insert(0, os.path.join(ROOT, "python"))

# A command started with `&` or nohup ignores interrupts and hangups, and its children would, too.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def in_root(*path):
    """A path below the root of the project, unless it is absolute."""
    return os.path.join(ROOT, *path)


def read(*path):
    """The text of a file in the root of the project."""
    with open(in_root(*path), encoding="utf-8") as file:
        return file.read()


def read_formats():
    """The table of trajectory formats: for each, its word for --format, its endings, and its sentence."""
    rows = re.findall(
        r'^    FORMAT\(\w+, "(\w+)", "(\w+)", (?:NULL|"(\w+)"),.*?"([^"]+)"\)',
        read("src", "trajectory", "format_table.h"),
        re.MULTILINE | re.DOTALL,
    )
    return [
        (name, [ending for ending in endings if ending], sentence)
        for name, *endings, sentence in rows
    ]


# The first ending of each format, without its dot.
ENDINGS = tuple(endings[0] for _, endings, _ in read_formats())


def by_level(quick, full, exhaustive=None):
    """The value for the level, for example a number of tries."""
    return quick if IS_QUICK else exhaustive if IS_EXHAUSTIVE and exhaustive is not None else full


# Decorates a test, or a class of tests, that is too slow for `make test`. tests/run.py does not count it as skipped.
full_only = unittest.skipIf(IS_QUICK, "level: full")
# One that is left to `make check-all`.
exhaustive_only = unittest.skipUnless(IS_EXHAUSTIVE, "level: exhaustive")


ARITHMETICS = ("float32", "float64", "fixed")


def preset_text(name):
    """The text of its configuration."""
    return read("configs", name + ".json")


def arithmetics_of(preset):
    """Those in which a preset can run: fixed point has no weights that fall off with the distance."""
    return ARITHMETICS[:2] if "falloff_scale" in preset_text(preset) else ARITHMETICS


def contents(folder):
    """For each path the target of a link, or the digest of a file's bytes, its inode and its time."""
    found = {}
    for here, folders, files in os.walk(folder):
        for path in (os.path.join(here, name) for name in folders + files):
            found[path] = os.readlink(path) if os.path.islink(path) else None
            if not found[path] and os.path.isfile(path) and os.access(path, os.R_OK):
                with open(path, "rb") as file:
                    digest = (
                        hashlib.md5(file.read()).digest() if os.path.getsize(path) < 1e7 else "big"
                    )
                found[path] = (digest, os.stat(path).st_ino, os.stat(path).st_mtime_ns)
    return found


def read_trajectory(path):
    """Steps of the whole frames of a file, and their positions and velocities, [frame, agent, x y vx vy]."""
    import h5py
    import numpy

    with h5py.File(path, "r") as file:
        steps = file["particles/boids/position/step"][:]
        whole = numpy.flatnonzero(steps >= 0)
        states = []
        for group in file["particles"].values():
            pairs = [
                group[name + "/value"][:][whole][:, :, :2] for name in ("position", "velocity")
            ]
            states.append(numpy.concatenate(pairs, axis=2))
        return steps[whole], numpy.concatenate(states, axis=1)


def unproven(path):
    """Open a trajectory and delete its hashes, as in files of 0.1.0, so that a change is not reported as damage."""
    import h5py

    file = h5py.File(path, "r+")
    if "hashes" in file:
        del file["hashes"]
        del file["parameters"].attrs["hash"]
    return file


def parameters_hash(path):
    """The hash of the configuration in a file."""
    import h5py

    with h5py.File(path, "r") as file:
        return file["parameters"].attrs["hash"]


def read_refusals():
    """The entries of tests/config/refusals.txt: (options, text of a.json as bytes, sentence as bytes)."""
    entries = re.findall(
        r"^(?:\$ (.*)\n)?((?:(?!-> ).*\n)*?)-> (.*)\n",
        re.sub(r"^(?:#.*)?\n", "", read("tests", "config", "refusals.txt"), flags=re.MULTILINE),
        re.MULTILINE,
    )
    for option, text, sentence in entries:
        yield [raw_bytes(word) for word in option.split(" ", 1)] if option else [], raw_bytes(
            text[:-1] or option and "{}"
        ), raw_bytes(sentence)


def read_commands(*place):
    """A table of refused commands: {claim: [(files, words, name of standard input, sentence)]}. `# CLAIM` begins a claim, `< NAME` a
    file or folder that the next commands find, `<` alone says that they find none, `$ WORDS` is a command, `-> SENTENCE` its end, of which
    ` ...` leaves out a rest that depends on the version of Python or matplotlib. A file may have bytes in the form of raw_bytes().
    """
    found, words = {}, ""
    with open(in_root("tests", *place), encoding="utf-8") as file:
        for line in file.read().splitlines():
            mark, _, rest = line.partition(" ")
            if mark == "#":
                cases, files, words = found.setdefault(rest, []), {}, ""
            elif mark == "<":
                files = {**(files if words is None else {}), **({rest: ""} if rest else {})}
                name, words = rest, None
            elif mark == "$":
                words, given = re.fullmatch(r"(.*?)(?: < ([\w.]+))?", rest).groups()
            elif mark == "->":
                cases.append((files, shlex.split(words), given, rest))
            elif words is None and line:
                files[name] += line + "\n"
    return found


def rows_of(text):
    """The rows of a table: one per line, its cells between bars, the empty ones (), as no word of a command."""
    return [[cell.strip() or () for cell in line.split("|")] for line in text.strip().splitlines()]


def add_refusals(test_class, *place):
    """Give a class a test for each claim of a table: its commands are refused with their sentences and change no file. The class has
    its `program`, and say(words, standard input), which returns status, output and error."""

    def test_of(cases):
        def test(self):
            for files, words, given, sentence in cases:
                with self.subTest(words):
                    for name, text in files.items():
                        if name.endswith("/"):
                            os.mkdir(self.path(name))
                        else:
                            self.write(name, raw_bytes(text))
                    before = contents(self.folder)
                    status, out, error = self.say(words, self.bytes(given) if given else b"")
                    wanted = f"{self.program}: {sentence}\n"
                    if wanted.endswith(" ...\n"):
                        wanted, error = wanted[:-5], error[: len(wanted) - 5]
                    self.assertEqual((status, out, error), (2, "", wanted))
                    self.assertEqual(contents(self.folder), before)
                    for name in reversed(files):
                        (os.rmdir if name.endswith("/") else os.remove)(self.path(name))

        return test

    for claim, cases in read_commands(*place).items():
        setattr(test_class, "test_" + claim, test_of(cases))


def makefiles():
    """The Makefile and its parts."""
    return ["Makefile", *re.search(r"^PARTS := (.*)", read("Makefile"), re.MULTILINE)[1].split()]


def raw_bytes(text):
    """The bytes of a text in which a byte that is no text is written in the form \u2039ff\u203a."""
    pieces = re.split("\u2039([0-9a-f]{2})\u203a", text)
    return b"".join(
        bytes.fromhex(piece) if i % 2 else piece.encode() for i, piece in enumerate(pieces)
    )


def build_shim(test_class, source, *words):
    """Compile a source below tests/ into a library to be preloaded; return its path, which exists until the class is done."""
    folder = tempfile.TemporaryDirectory()
    test_class.addClassCleanup(folder.cleanup)
    shim = os.path.join(folder.name, os.path.basename(source).replace(".c", ".so"))
    subprocess.run(
        [
            *shlex.split(os.environ.get("CC", "cc")),
            "-O1",
            "-shared",
            "-fPIC",
            *words,
            "-o",
            shim,
            in_root("tests", source),
            "-ldl",
        ],
        check=True,
    )
    return shim


def split_words(words):
    """The words of a command, as texts or bytes; one such as "-c small.json -n 3" stands for those that a shell makes of it, and a tuple
    for its own."""
    for word in words:
        if isinstance(word, (tuple, list)):
            yield from split_words(word)
            continue
        is_line = isinstance(word, str) and word.startswith("-") and " " in word
        yield from shlex.split(word) if is_line else [
            word if isinstance(word, bytes) else str(word)
        ]


def output_of(*words, **how):
    """Standard output of a program that succeeds."""
    done = subprocess.run([*split_words(words)], check=True, capture_output=True, text=True, **how)
    return done.stdout


def texts_of(done):
    """(exit status, standard output, standard error) of a finished process."""
    both = (
        said if isinstance(said, str) else (said or b"").decode(errors="surrogateescape")
        for said in (done.stdout, done.stderr)
    )
    return done.returncode, *both


def csv_rows(text):
    """The rows of a table with a header, as dictionaries."""
    return list(csv.DictReader(io.StringIO(text)))


def last_given(words):
    """Options without the earlier of two equal ones, so that a test can override its usual options."""
    names = {"-c": "--config", "-n": "--steps", "-t": "--threads"}
    kept = []
    for word in split_words(words):
        if (
            names.get(word, word) in ("--config", "--steps", "--every", "--threads", "--hash")
            and word in kept[:-1]
        ):
            place = kept.index(word)
            del kept[place : place + 2]
        kept.append(word)
    return kept


def anchors(page):
    """The anchors of the headings of a page, as GitHub makes them."""
    with open(page, encoding="utf-8") as file:
        text = re.sub(r"^```.*?^```", "", file.read(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(folder):
    """[(page, target)] of the links between the .md files below a folder, to their headings and to their pictures, that lead nowhere. What
    make, npm and pip write is left out."""
    pages, found = [], []
    for here, folders, names in os.walk(folder):
        # Not even looked at: another test may be building a Debian root in there, with its /proc.
        folders[:] = [name for name in folders if name not in ("build", "node_modules", ".venv")]
        pages += [os.path.join(here, name) for name in names if name.endswith(".md")]
    for page in pages:
        with open(page, encoding="utf-8") as file:
            targets = re.findall(r"\]\((?!https://)([^)#\s]*)#?([^)\s]*)[^)]*\)", file.read())
        for target, anchor in targets:
            path = os.path.join(os.path.dirname(page), target) if target else page
            if not os.path.exists(path):
                found.append((page, target))
            elif anchor and path.endswith(".md") and anchor not in anchors(path):
                found.append((page, f"{target}#{anchor}"))
    assert pages, folder
    return found


class Folder(unittest.TestCase):
    """Each test has a folder of its own, in which boids runs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
        return self.path(name)

    def read(self, name):
        return self.bytes(name).decode()

    def lines(self, name):
        return self.read(name).splitlines()

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def names(self, folder=""):
        return sorted(os.listdir(self.path(folder)))

    def holds(self, names, folder=""):
        """The folder has these files alone."""
        self.assertEqual(" ".join(self.names(folder)), names)

    def exists(self, name):
        return os.path.exists(self.path(name))

    def size(self, name):
        return os.path.getsize(self.path(name))

    def remove(self, name):
        os.remove(self.path(name))

    def rename(self, name, new):
        os.replace(self.path(name), self.path(new))

    def copy(self, name, new):
        shutil.copy(self.path(name), self.path(new))

    def chmod(self, name, mode):
        os.chmod(self.path(name), mode)

    def link(self, target, name):
        os.symlink(target, self.path(name))

    def mkfifo(self, name):
        os.mkfifo(self.path(name))

    def mkdir(self, name):
        os.makedirs(self.path(name), exist_ok=True)

    def h5(self, name, mode="r"):
        import h5py

        return h5py.File(self.path(name), mode)

    def read_trajectory(self, name):
        return read_trajectory(self.path(name))

    def unproven(self, name):
        return unproven(self.path(name))

    def trajectory(self, name):
        """What the package reads from a file."""
        import boids

        return boids.read(self.path(name))

    def steps(self, name):
        """The steps of the frames in a file, HDF5 or CSV."""
        if ".h5" in name:
            with self.h5(name) as file:
                return list(file["particles/boids/position/step"])
        return [*dict.fromkeys(int(row["step"]) for row in csv_rows(self.read(name)))]

    def call(self, program, main, *words):
        """Run a command of the package in this process, which spares its imports; what subprocess.run() would return."""
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(
                io.TextIOWrapper(io.BytesIO(), "utf-8")
            ) as out, contextlib.redirect_stderr(io.StringIO()) as err, unittest.mock.patch(
                "boids.core.messages.PROGRAM", program
            ):
                status = main([*map(str, words)])
        except SystemExit as end:
            status = end.code
        finally:
            os.chdir(before)
        return subprocess.CompletedProcess(
            words, status, out.buffer.getvalue().decode(errors="surrogateescape"), err.getvalue()
        )

    # A test may override the usual options of its command.
    arranged = staticmethod(last_given)

    def how(self, env=None, **more):
        """Arguments of subprocess for a program in the folder; env adds to the environment."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        given = {} if "input" in more else {"stdin": subprocess.DEVNULL}
        return {"cwd": self.folder, "env": {**os.environ, **(env or {})}, **given, **pipes, **more}

    def run_boids(self, *words, **more):
        return subprocess.run(
            [BOIDS, *self.arranged(words)], **{"timeout": PATIENCE, **self.how(**more)}
        )

    def ended(self, *words, **more):
        """(exit status, standard output, standard error) of a run, as texts."""
        return texts_of(self.run_boids(*words, **more))

    def shell(self, command, **more):
        """(exit status, standard output, standard error) of a command of bash; $0 is boids."""
        how = {"timeout": PATIENCE, **self.how(**more)}
        return texts_of(subprocess.run(["bash", "-c", command, BOIDS], **how))

    def as_nobody(self, *words):
        """ended() by another user, if this one is root. That user may have no access to the folder of BOIDS."""
        with tempfile.TemporaryDirectory() as folder:
            program = shutil.copy(BOIDS, folder)
            for path in (folder, program):
                os.chmod(path, 0o755)
            command = [program, *split_words(words)]
            user = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
            return texts_of(subprocess.run(command, **self.how(timeout=PATIENCE, **user)))

    def start(self, *words, **more):
        """A process with pipes, which ends with the test."""
        process = subprocess.Popen([BOIDS, *split_words(words)], **self.how(**more))
        self.addCleanup(self.end, process)
        return process

    def ended_by(self, number, process):
        """(exit status, standard output, standard error) of a process that gets a signal."""
        process.send_signal(number)
        said = process.communicate(timeout=PATIENCE)
        return texts_of(subprocess.CompletedProcess(process.args, process.returncode, *said))

    def terminate(self, process):
        """SIGTERM ends a process with its status."""
        self.assertEqual(self.ended_by(signal.SIGTERM, process)[0], 143)

    def with_memory(self, *words, **more):
        """(exit status, standard error, peak of its memory in bytes) of a run."""
        with tempfile.TemporaryFile() as said:
            quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": said}
            process = subprocess.Popen(
                [BOIDS, *split_words(words)], cwd=self.folder, **quiet, **more
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            return process.returncode, said.read().decode(), usage.ru_maxrss << 10

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def until(self, claim, process=None):
        """Wait until a claim holds; fail if the process ends first."""
        last = time.monotonic() + PATIENCE
        status = None
        while not claim():
            self.assertIsNone(status, "it ended on its own")
            self.assertLess(time.monotonic(), last, "waited in vain")
            time.sleep(0.01)
            status = process.poll() if process else None

    def open_fifo(self, name, process):
        """A FIFO that the process writes, to be read. A plain open() would wait for ever for a process that ended before."""
        descriptor = os.open(self.path(name), os.O_RDONLY | os.O_NONBLOCK)
        ready = select.poll()
        ready.register(descriptor, select.POLLIN)
        self.until(lambda: ready.poll(0), process)
        os.set_blocking(descriptor, True)
        return open(descriptor, "rb")

    def good(self, *words, is_forced=True, **more):
        """The command succeeds without a message. Tests use the same names for the outputs of many runs, so --force is added."""
        words = [*split_words(words)]
        if is_forced and "-o" in words and not {"--force", "--points"} & set(words):
            words.append("--force")
        done = self.run_boids(*words, **more)
        self.assertEqual((done.returncode, done.stderr), (0, b""), words)
        return done.stdout.decode()

    def json(self, *words, **more):
        return json.loads(self.good(*words, **more))

    def says(self, said, *words, status=0, **more):
        """The command ends with this status, and prints only lines on standard error."""
        self.assertEqual(self.ended(*words, **more), (status, "", said))

    def refused(self, message, *words, status=2, **more):
        """The command is refused with one line and changes no file."""
        before = contents(self.folder)
        self.says(f"boids: {message}\n", *words, status=status, **more)
        self.assertEqual(contents(self.folder), before)

    def assertSameFile(self, one, other, reported=""):
        """Equal bytes; assertEqual would take minutes to print a difference."""
        same = self.bytes(one) == self.bytes(other)
        self.assertTrue(
            same,
            "%s and %s differ, of %d and %d bytes %s"
            % (
                one,
                other,
                os.path.getsize(self.path(one)),
                os.path.getsize(self.path(other)),
                reported,
            ),
        )
