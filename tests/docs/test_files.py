"""Every example in docs/files.md works: blocks run as printed, in order, in one folder, and print the text in the comment at the
end of their last line. Examples for a tool that is not installed are skipped.

BOIDS is the program, default ./boids.
"""

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

import h5py
import numpy
from numpy.testing import assert_allclose, assert_array_equal

sys.path[0] += "/.."

from support import BOIDS, PATIENCE, in_root, read

from boids import xdmf


def blocks():
    """Language and text of each fenced block, in order."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", read("docs", "files.md"), re.MULTILINE | re.DOTALL)


class ExampleFolder(unittest.TestCase):
    """A folder with the document's files in it."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        os.mkdir(cls.path("bin"))
        for name, program in (("boids", BOIDS), ("bin/python3", sys.executable)):
            with open(cls.path(name), "w", encoding="utf-8") as file:
                file.write('#!/bin/sh\nexec "%s" "$@"\n' % program)
            os.chmod(cls.path(name), 0o755)
        for name in ("scripts", "boids-xdmf"):
            os.symlink(in_root(name), cls.path(name))
        cls.run_command(
            "sh", "-e", "-c", "\n".join(text for language, text in blocks() if language == "sh")
        )

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def run_command(cls, *words):
        done = subprocess.run(
            words,
            cwd=cls.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env=dict(os.environ, PATH=cls.path("bin") + os.pathsep + os.environ["PATH"]),
        )
        if done.returncode != 0:
            raise AssertionError("%s\n%s" % (" ".join(words), done.stderr))
        return done.stdout


class Files(ExampleFolder):
    def check_blocks(self, language, *command):
        """Run the blocks of a language; a comment at the end of the last line is the expected output."""
        texts = [text for kind, text in blocks() if kind == language]
        self.assertGreater(len(texts), 0)
        printed = ""
        for text in texts:
            with open(self.path("example"), "w", encoding="utf-8") as file:
                file.write(text)
            printed = self.run_command(*command, "example")
            promised = re.search(r" # (.*)\n$", text)
            if promised:
                self.assertEqual(printed.strip(), promised.group(1).strip(), text)
        return printed

    def need_program(self, name):
        if not shutil.which(name):
            self.skipTest("%s is not installed" % name)

    def need_module(self, name):
        if not importlib.util.find_spec(name):
            self.skipTest("this python has no %s" % name)

    def test_no_block_is_left_out(self):
        self.assertEqual(
            {language for language, _ in blocks()},
            {
                "sh",
                "python",
                "h5dump",
                "mdanalysis",
                "pandas",
                "gnuplot",
                "R",
                "live",
                "resume",
                "octave",
                "ase",
                "pvpython",
            },
        )

    def test_python(self):
        self.check_blocks("python", sys.executable)

    def test_pandas(self):
        self.need_module("pandas")
        self.check_blocks("pandas", sys.executable)

    def test_mdanalysis(self):
        """MDAnalysis reads the numbers that h5py reads, in single precision."""
        self.need_module("MDAnalysis")
        self.check_blocks("mdanalysis", sys.executable, "-W", "ignore")
        script = (
            "import MDAnalysis, numpy\nflock = MDAnalysis.Universe.empty(400, trajectory=False)\n"
            "flock.load_new('space.h5', format='H5MD', convert_units=False)\n"
            "numpy.save('places.npy', [frame.positions.copy() for frame in flock.trajectory])"
        )
        self.run_command(sys.executable, "-W", "ignore", "-c", script)
        with h5py.File(self.path("space.h5")) as file:
            position = file["particles/boids/position/value"][:]
        assert_array_equal(numpy.load(self.path("places.npy")), position.astype(numpy.float32))

    def test_ase(self):
        """The file also has the numbers of the CSV, with as many digits."""
        self.need_module("ase")
        self.check_blocks("ase", sys.executable, "-W", "ignore")
        script = (
            "import ase.io, numpy\nlast = ase.io.read('flock.xyz', index=-1)\n"
            "numpy.save('last.npy', numpy.hstack([last.positions[:, :2], last.arrays['velo'][:, :2]]))"
        )
        self.run_command(sys.executable, "-W", "ignore", "-c", script)
        rows = numpy.genfromtxt(
            self.path("flock.csv"), delimiter=",", skip_header=1, usecols=(0, 4, 5, 6, 7)
        )
        assert_array_equal(numpy.load(self.path("last.npy")), rows[rows[:, 0] == 300][:, 1:])

    def test_octave(self):
        """Octave reads the numbers that h5py reads, with the dimensions in reverse."""
        self.need_program("octave-cli")
        with open(self.path("example"), "w", encoding="utf-8") as file:
            file.write(
                next(text for kind, text in blocks() if kind == "octave")
                + 'printf("%.17g ", position(:, 8, 3));\n'
            )
        reported = [
            float(word) for word in self.run_command("octave-cli", "--no-gui", "example").split()
        ]
        with h5py.File(self.path("flock.h5")) as file:
            position = file["particles/boids/position/value"][:]
        self.assertEqual(reported, [2, 400, 31, *position[2, 7]])
        self.assertIn(
            "disp(size(position))                         # 2   400    31\n",
            next(text for kind, text in blocks() if kind == "octave"),
        )

    def test_paraview(self):
        """Arrows are at the agents and have the direction of their velocities, at the first step and the last."""
        self.need_program("pvpython")
        self.check_blocks("pvpython", "pvpython")
        script = """
import json
from paraview.simple import Glyph, MergeBlocks, XDMFReader
from paraview.servermanager import Fetch
flock = XDMFReader(FileNames=["flock.xdmf"])
arrows = Glyph(Input=flock, GlyphType="Arrow", GlyphMode="All Points", ScaleFactor=10)
arrows.OrientationArray = ["POINTS", "velocity"]
found = []
for time in (flock.TimestepValues[0], flock.TimestepValues[-1]):
    arrows.UpdatePipeline(time)
    for source in (flock, arrows):
        merged = MergeBlocks(Input=source, MergePoints=0)
        merged.UpdatePipeline(time)
        data = Fetch(merged)
        found.append([data.GetPoint(i) for i in range(data.GetNumberOfPoints())])
print(json.dumps(found))
"""
        with open(self.path("example"), "w", encoding="utf-8") as file:
            file.write(script)
        found = [
            numpy.array(points)
            for points in json.loads(self.run_command("pvpython", "example").splitlines()[-1])
        ]
        with h5py.File(self.path("flock.h5")) as file:
            groups = [file["particles/" + kind] for kind in ("boids", "predators")]
            for row, places, arrows in ((0, *found[:2]), (-1, *found[2:])):
                position, velocity = (
                    numpy.concatenate([group[part + "/value"][row] for group in groups])
                    for part in ("position", "velocity")
                )
                assert_allclose(places[:, :2], position)
                ahead = arrows.reshape(len(position), -1, 3).mean(axis=1)[:, :2] - position
                along = (
                    (ahead * velocity).sum(axis=1)
                    / numpy.hypot(*ahead.T)
                    / numpy.hypot(*velocity.T)
                )
                self.assertGreater(along.min(), 0.999)

    def test_h5dump(self):
        self.need_program("h5dump")
        reported = self.check_blocks("h5dump", "sh", "-e")
        self.assertIn("(30,2,0):", reported)

    def test_gnuplot(self):
        self.need_program("gnuplot")
        self.assertGreater(len(self.check_blocks("gnuplot", "gnuplot").splitlines()), 20)

    def test_r(self):
        self.need_program("Rscript")
        self.check_blocks("R", "Rscript")

    def test_a_run_in_progress(self):
        process = subprocess.Popen(
            [
                BOIDS,
                "-c",
                "adams",
                "-n",
                str(10**9),
                "--max-seconds",
                str(PATIENCE),
                "--every",
                "100",
                "-s",
                "output.flush_seconds=0.01",
                "-o",
                "live.h5",
            ],
            cwd=self.folder,
            stderr=subprocess.DEVNULL,
        )
        try:
            last = time.monotonic() + PATIENCE
            while True:
                try:
                    self.check_blocks("live", sys.executable)
                    break
                except AssertionError:
                    self.assertIsNone(process.poll())
                    self.assertLess(time.monotonic(), last)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE)

    def test_resuming(self):
        before = os.path.getsize(self.path("flock.h5"))
        shutil.copy(self.path("flock.h5"), self.path("kept.h5"))
        self.check_blocks("resume", "sh", "-e")
        self.assertGreater(os.path.getsize(self.path("flock.h5")), before)
        os.replace(self.path("kept.h5"), self.path("flock.h5"))

    def test_every_path_in_the_table_is_there(self):
        paths = re.findall(
            r"`(/particles/boids/[a-z/]+|/parameters[a-z/]*|/hashes[a-z/]*)`",
            read("docs", "files.md"),
        )
        paths.remove("/particles/boids/names")  # of boids-tracks
        self.assertGreater(len(paths), 6)
        with h5py.File(self.path("flock.h5")) as file:
            for path in paths:
                self.assertIn(path, file)
            self.assertEqual(
                set(file["parameters"].attrs),
                {
                    "seed",
                    "arithmetic",
                    "initial_hash",
                    "version",
                    "git",
                    "compiler",
                    "flags",
                    "hash",
                },
            )


class Sidecar(ExampleFolder):
    """The output of scripts/xdmf.py: each reference in it leads to the numbers that h5py reads."""

    def load_slab(self, item):
        """The numbers that a DataItem of a hyperslab refers to."""
        selection, source = item
        start, stride, count = numpy.array(selection.text.split(), int).reshape(3, 3)
        name, path = source.text.split(":")
        self.assertEqual(name[:2], "./")  # without it, the reader trims the name
        with h5py.File(self.path(name)) as file:
            self.assertEqual(
                list(map(int, source.get("Dimensions").split())), list(file[path].shape)
            )
            self.assertEqual(int(source.get("Precision")), file[path].dtype.itemsize)
            self.assertEqual(list(stride), [1, 1, 1])
            slab = file[path][tuple(slice(a, a + n) for a, n in zip(start, count))]
        return slab.reshape(list(map(int, item.get("Dimensions").split())))

    def check_sidecar(self, name, width):
        self.run_command("python3", "scripts/xdmf.py", name + ".h5")
        root = xml.etree.ElementTree.parse(self.path(name + ".xdmf")).getroot()
        frames = root.findall("./Domain/Grid/Grid")
        with h5py.File(self.path(name + ".h5")) as file:
            steps = file["particles/boids/position/step"][:]
            self.assertEqual(
                [int(frame.find("Time").get("Value")) for frame in frames], list(steps)
            )
            for row, frame in enumerate(frames):
                for grid in frame.findall("Grid"):
                    self.check_grid(grid, file["particles"][grid.get("Name")], row, width)

    def check_grid(self, grid, group, row, width):
        geometry = grid.find("Geometry")
        self.assertEqual(geometry.get("GeometryType"), "XY" if width == 2 else "XYZ")
        position, velocity = (group[part + "/value"][row] for part in ("position", "velocity"))
        self.assertEqual(int(grid.find("Topology").get("NumberOfElements")), len(position))
        assert_array_equal(self.load_slab(geometry.find("DataItem")), position)
        found = {
            a.get("Name"): self.load_slab(a.find("DataItem")) for a in grid.findall("Attribute")
        }
        if width == 2:
            assert_array_equal(numpy.stack([found["vx"], found["vy"]], axis=1), velocity)
        kinds = {a.get("Name"): a.get("AttributeType") for a in grid.findall("Attribute")}
        self.assertEqual(kinds["velocity"], "Vector")
        assert_array_equal(found["velocity"], velocity)

    def test_two_dimensions(self):
        self.check_sidecar("flock", 2)

    def test_three_dimensions(self):
        self.check_sidecar("space", 3)

    def test_a_file_that_is_not_a_trajectory_is_refused(self):
        for name, message in (
            ("flock.csv", "cannot be opened as HDF5"),
            ("nono.h5", "No such file or directory"),
        ):
            done = subprocess.run(
                [sys.executable, "scripts/xdmf.py", name],
                cwd=self.folder,
                capture_output=True,
                text=True,
            )
            self.assertEqual(done.returncode, 2)
            self.assertIn("xdmf.py: %s: %s" % (name, message), done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_an_output_is_not_the_file_of_a_stream(self):
        for command, name in (
            ("scripts/xdmf.py flock.h5 >> flock.xdmf", "flock.xdmf"),
            ("scripts/xdmf.py flock.h5 2>> flock.xdmf", "flock.xdmf"),
            ("scripts/plot.py flock.h5 -q --save log.html >> log.html", "log.html"),
            ("scripts/plot.py flock.h5 -q --save link.html 2>> log.html", "link.html"),
        ):
            for log in ("flock.xdmf", "log.html"):
                with open(self.path(log), "w") as file:
                    file.write("earlier\n")
            if not os.path.lexists(self.path("link.html")):
                os.symlink("log.html", self.path("link.html"))
            done = subprocess.run(
                ["sh", "-c", '"$0" ' + command, sys.executable],
                cwd=self.folder,
                capture_output=True,
                text=True,
            )
            log = command.split()[-1]
            said = done.stderr + read(self.path(log)).removeprefix("earlier\n")
            self.assertEqual(done.returncode, 2, said)
            self.assertRegex(
                said,
                r"^\w+\.py: %s: this is the file of standard output or standard error; give the output another name\n$"
                % name,
            )
            os.remove(self.path(log))

    def test_standard_input_is_no_file_of_this_name(self):
        with open(self.path("-"), "w") as file:
            file.write("{}")
        self.addCleanup(os.remove, self.path("-"))
        for words, message in (
            (
                ("scripts/xdmf.py", "-"),
                "xdmf.py: HDF5 cannot be read from a pipe; give the name of the file\n",
            ),
            (
                ("scripts/plot.py", "flock.csv", "--config", "-", "--save", "a.html"),
                "plot.py: --config cannot be -; give a file or a preset\n",
            ),
        ):
            done = subprocess.run(
                [sys.executable, *words],
                cwd=self.folder,
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
            )
            self.assertEqual((done.returncode, done.stderr), (2, message))

    def test_names_that_the_reader_trims_or_that_xml_escapes_are_kept(self):
        """Tried with ParaView 5.11: without ./ it trims what is not printable ASCII, and places all boids at 0, 0."""
        for name in (
            " a.h5",
            "  a .h5",
            "a.h5 ",
            "\u00e4.h5",
            "\u00a0a.h5",
            "\U0001f426.h5",
            "a&b.h5",
            "a<b>.h5",
            'a"b.h5',
            "a]]>b.h5",
            "&amp;.h5",
            "a%20b.h5",
            "%41.h5",
            "a;b.h5",
            "-a.h5",
            ".h5",
            "a'b.h5",
            "a:b/c.h5",
            " a/\u00e4.h5",
        ):
            with self.subTest(name):
                os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
                shutil.copy(self.path("flock.h5"), self.path(name))
                xdmf.write(self.path(name))
                root = xml.etree.ElementTree.parse(
                    os.path.splitext(self.path(name))[0] + ".xdmf"
                ).getroot()
                texts = {item.text for item in root.iter("DataItem") if item.get("Format") == "HDF"}
                self.assertEqual(
                    {text.split(":")[0] for text in texts}, {"./" + os.path.basename(name)}
                )
                if shutil.which("pvpython"):
                    read = (
                        "import sys; from paraview.simple import *; r = XDMFReader(FileNames=[sys.argv[1]]); UpdatePipeline(r.TimestepValues[-1], r); "
                        "print(*r.GetDataInformation().GetBounds())"
                    )
                    done = subprocess.run(
                        ["pvpython", "-c", read, os.path.splitext(self.path(name))[0] + ".xdmf"],
                        capture_output=True,
                        text=True,
                        check=True,
                    )
                    self.assertNotEqual(done.stdout.split()[-6:-2], ["0.0"] * 4)

    def test_names_that_the_reader_cannot_open_are_refused(self):
        for name, what in (
            (b"a:b.h5", "':'"),
            (b"a\\b.h5", r"'\\\\'"),
            (b"a\nb.h5", r"'\\n'"),
            (b"a\rb.h5", r"'\\r'"),
            (b"\ta.h5", r"'\\t'"),
            (b"a\x01.h5", r"'\\x01'"),
            (b"a\xff.h5", "a byte that is not UTF-8"),
            (b"a\\b/c.h5", r"'\\\\'"),
            ("\uffff.h5".encode(), r"'\\uffff'"),
        ):
            with self.subTest(name):
                path = os.path.join(os.fsencode(self.folder), name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                shutil.copy(self.path("flock.h5"), path)
                done = subprocess.run(
                    [sys.executable, "scripts/xdmf.py", path],
                    cwd=self.folder,
                    capture_output=True,
                    check=False,
                )
                self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
                self.assertRegex(
                    done.stderr.decode(),
                    r"\Axdmf\.py: [^\n]*: ParaView cannot open a file with "
                    + what
                    + " in its path; "
                    r"rename the file or its folder\n\Z",
                )
                self.assertFalse(os.path.exists(os.path.splitext(path)[0] + b".xdmf"))
                os.remove(path)

    def test_the_file_of_a_run_in_progress_is_read(self):
        run = subprocess.Popen(
            [BOIDS, "-c", "adams", "-n", "1000000", "--every", "10", "-o", "running.h5", "-q"],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
        )
        try:
            deadline = time.monotonic() + PATIENCE
            while subprocess.run(
                [sys.executable, in_root("scripts", "xdmf.py"), "running.h5.part"],
                cwd=self.folder,
                check=False,
                capture_output=True,
            ).returncode:
                self.assertIsNone(run.poll())
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.2)
        finally:
            run.terminate()
            run.wait()
        self.assertIn("./running.h5.part:/particles", read(self.path("running.h5.xdmf")))


if __name__ == "__main__":
    unittest.main()
