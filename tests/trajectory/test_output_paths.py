"""If another file is in the place of an output, a permission is missing or two runs have one output, a run is refused before it changes
anything, or its files are complete.
"""

import os
import shutil
import signal
import stat
import sys
import unittest


sys.path[0] += "/.."

from support import (
    ENDINGS,
    PATIENCE,
    Folder,
    read,
)


HERE = os.path.dirname(os.path.abspath(__file__))
FLOCK = '{"steps": 5, "flock": {"count": 10}, "predators": {"count": 2}}'
OTHER_RUN = "%s contains another run: %s; give another name, or replace it with --force"
REMEDY = "; remove it, or give the output another name"


class Paths(Folder):
    def setUp(self):
        super().setUp()
        self.write("small.json", FLOCK)

    def write(self, name, text="", mode=None):
        super().write(name, text)
        if mode is not None:
            self.chmod(name, mode)

    def mode(self, name):
        return stat.S_IMODE(os.lstat(self.path(name)).st_mode)

    def state(self):
        """A description of everything in the folder, without opening anything except regular files."""
        found = {}
        for here, folders, files in os.walk(self.folder):
            for name in folders + files:
                path = os.path.join(here, name)
                status = os.lstat(path)
                found[path] = (
                    status.st_mode,
                    status.st_ino,
                    status.st_nlink,
                    status.st_size,
                    status.st_mtime_ns,
                    self.bytes(path) if stat.S_ISREG(status.st_mode) else None,
                )
        return found

    def refused(self, message, *words, run=None):
        before = self.state()
        ended = (run or self.ended)(*words)
        self.assertEqual(ended, (2, "", f"boids: {message}\n"), words)
        self.assertEqual(self.state(), before)

    def outputs(self, name="a"):
        """For each format, and for observables: the file and its options."""
        for ending in ENDINGS:
            yield "%s.%s" % (name, ending), ("-o", "%s.%s" % (name, ending))
        yield name + "o.csv", ("-o", "none", "--observables", name + "o.csv")

    def clear(self):
        for name in self.names():
            path = self.path(name)
            if name != "small.json":
                shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(
                    path
                ) else os.remove(path)


class Planted(Paths):
    def test_another_kind_of_file_at_name_part_is_not_written(self):
        for plant, what in (
            (os.mkfifo, "is not a regular file"),
            (os.mkdir, "may not be written: Is a directory"),
        ):
            for name, words in self.outputs():
                with self.subTest(plant=plant.__name__, name=name):
                    self.write(name, "old", 0o666)
                    self.write("first.csv", "step,time,old")
                    plant(self.path(name + ".part"))
                    for more in ((), "--force"):
                        self.refused(
                            "%s.part %s%s" % (name, what, REMEDY),
                            "-c small.json -o first.csv",
                            words,
                            more,
                        )
                    self.clear()
            self.good("-c small.json -o a.h5")
            plant(self.path("a.h5.part"))
            self.refused("a.h5.part %s%s" % (what, REMEDY), "--resume a.h5 -n 9")
            self.clear()

    def test_a_link_at_name_part_is_replaced(self):
        """The file of the link stays as it is."""
        for name, words in self.outputs():
            self.write("kept", "precious")
            self.link("kept", name + ".part")
            self.good("-c small.json", words)
            self.assertEqual(self.names(), sorted((name, "kept", "small.json")))
            self.assertEqual(self.bytes("kept"), b"precious")
            self.clear()

    def test_a_link_to_a_file_that_does_not_exist_is_refused(self):
        for name, words in self.outputs():
            self.link("d/new", name)
            self.refused(
                "%s is a symbolic link to a file that does not exist" % name, "-c small.json", words
            )


class Replaced(Paths):
    def test_a_file_that_boids_did_not_write_is_replaced_with_force_only(self):
        files = {
            "a.txt": "my thesis\n",
            "a.csv": "id,type,x,y,vx,vy\n",
            "a.xyz": "2\nA comment\n",
            "ao.csv": "my,notes\n",
            "a.h5": "\x89HDF\r\n\x1a\n and then damage",
        }
        for name, words in self.outputs():
            self.write(name, files[name])
            self.refused(
                "%s is not an output of boids, or it is damaged; give another name, or replace it with --force"
                % name,
                "-c small.json -o first.csv",
                words,
            )
            for is_forced in (True, False):
                self.good("-c small.json", words, is_forced=is_forced)

    def test_an_hdf5_file_of_another_program_is_not_replaced(self):
        with self.h5("a.h5", "w") as file:
            file["x"] = [1, 2]
        for source in ("-c small.json", "--convert b.h5"):
            self.good("-c small.json -o b.h5 --force")
            self.refused(
                "a.h5 is not an output of boids, or it is damaged; give another name, or replace it with --force",
                source,
                "-o a.h5",
            )

    def test_a_file_of_another_run_is_replaced_with_force_only(self):
        """The number of steps and the keys of output do not make another run. A text without a configuration is known by its first frame."""
        frame = "it does not contain the first frame"
        self.good("-c small.json -o i.csv -o d.csv")
        for key in ('output.boids={"every": 2}', 'output.fields=["position"]'):
            self.refused(OTHER_RUN % ("i.csv", frame), "-c small.json -o i.csv -s", key)
        same = ((), ("-n", 9), ("-n", 2), ("-n", 6, "--every", 2, "--digits", 3), ("--digits", 17))
        for name, words in self.outputs():
            knows = name.endswith((".h5", ".xyz"))
            for more in same:
                self.good("-c small.json", more, words, is_forced=False)
            rule = ("-c small.json -s flock.cohesion.factor=1", words)
            if knows:
                self.refused(OTHER_RUN % (name, "its flock.cohesion.factor is 0.0005, not 1"), rule)
            else:
                self.good(rule, is_forced=False)
            for more, why in (
                ("--seed 7", "its seed is 1, not 7"),
                ("-s flock.count=6", "its flock.count is 10, not 6"),
                ("--init i.csv@3", 'its flock.init.file is "", not "i.csv@3"'),
            ):
                more = ("-c small.json", more, "-o", name + ".h5", words)
                self.refused(OTHER_RUN % (name, why if knows else frame), more)
            self.good(more)
        # the name of the initial state is the same, its contents are not
        self.good("-c small.json --init i.csv -o a.h5")
        self.good("-c small.json --init i.csv -o a.h5", is_forced=False)
        self.good("-c small.json --seed 7 -o i.csv")
        self.refused(
            OTHER_RUN % ("a.h5", "it has another initial state"),
            "-c small.json --init i.csv -o a.h5",
        )
        self.good("-c small.json -o b.h5")
        for name, why in (("a.h5", 'its flock.init.file is "i.csv", not ""'), ("i.csv", frame)):
            self.refused(OTHER_RUN % (name, why), "--convert b.h5 -o", name)
        for words in ("--every 5", "--first 5"):
            self.good("--convert b.h5 -o b.csv", words, is_forced=False)
        # b.csv begins later, and the centres in c.csv differ little
        self.refused(OTHER_RUN % ("b.csv", frame), "--convert b.h5 --every 5 -o b.csv")
        for words in ("--seed 7 -s output.first=3 -o", "--observables"):
            self.refused(OTHER_RUN % ("b.csv", frame), "-c small.json", words, "b.csv")
        centre = (
            "-c small.json -s",
            'output.observables=["centre_x"]',
            "-o none --observables c.csv",
        )
        self.good(centre)
        self.refused(OTHER_RUN % ("c.csv", frame), "-s flock.count=11", centre)
        # the first frame has more agents than the new one
        for words in ("-s predators.count=0", ["--boids", '{"from": 0, "to": 4}']):
            self.refused(OTHER_RUN % ("d.csv", frame), "-c small.json -o d.csv", words)
        streamed = self.run_boids("-c small.json --seed 7 -o - -o d.csv")
        self.assertEqual(
            streamed.stdout.count(b"\n"), 1
        )  # the stream has no frame of a refused run
        self.remove("a.xyz")
        for fields in ('["position"]', '["position", "velocity"]') * 2:
            words = "-c small.json --init i.csv -o a.xyz -s", "output.fields=" + fields
            self.good(*words, is_forced=False)
        self.good("-c small.json --seed 8 -o i.csv")
        self.refused(OTHER_RUN % ("a.xyz", frame), "-c small.json --init i.csv -o a.xyz")


class Modes(Paths):
    def test_a_replaced_file_keeps_only_its_permissions(self):
        for name, words in self.outputs():
            for mode in (0o7755, 0o4711, 0o2640, 0o600, 0o666):
                with self.subTest(name=name, mode=oct(mode)):
                    self.write(name, "", mode)
                    self.good("-c small.json", words)
                    self.assertEqual(self.mode(name), mode & 0o777)

    def test_a_resumed_file_keeps_its_permissions(self):
        for mode in (0o7755, 0o640):
            self.good("-c small.json -o a.h5")
            self.chmod("a.h5", mode)
            self.good("--resume a.h5 -n 9")
            self.assertEqual(self.mode("a.h5"), mode & 0o777)
            self.rename("a.h5", "b.h5.part")
            self.chmod("b.h5.part", mode)
            self.good("--resume b.h5 -n 12")
            self.assertEqual(self.mode("b.h5"), mode & 0o777)
            self.clear()

    def test_a_stale_part_file_does_not_pass_on_its_permissions(self):
        for name, words in self.outputs():
            self.write(name + ".part", "stale", 0o7777)
            self.good("-c small.json", words, preexec_fn=lambda: os.umask(0o027))
            self.assertEqual(self.mode(name), 0o640)


class Protected(Paths):
    """Permissions apply to these tests, because an ordinary user runs them."""

    def setUp(self):
        super().setUp()
        self.give(".")
        self.give("small.json")

    def give(self, name):
        if os.getuid() == 0:
            os.chown(self.path(name), 65534, 65534)

    def protected(self, name, mode, text=""):
        self.write(name, text, mode)
        self.give(name)

    def refused(self, message, *words):
        super().refused(message, *words, run=self.as_nobody)

    def succeeds(self, *words):
        self.assertEqual(self.as_nobody(*words), (0, "", ""), words)

    def test_a_file_that_may_not_be_written_is_not_replaced(self):
        for name, words in self.outputs():
            with self.subTest(name=name):
                self.protected(name, 0o444)
                for more in ((), "--force"):
                    self.refused(
                        "%s may not be written: Permission denied" % name,
                        "-c small.json -o first.csv",
                        words,
                        more,
                    )
                self.chmod(name, 0o644)
                self.succeeds("-c", "small.json", *words)

    def test_a_file_without_write_permission_is_not_resumed(self):
        self.succeeds("-c", "small.json", "-o", "a.h5")
        self.chmod("a.h5", 0o444)
        self.refused("a.h5 may not be written: Permission denied", "--resume a.h5 -n 9")

    def test_a_part_that_may_not_be_written(self):
        for name, words in self.outputs():
            self.protected(name + ".part", 0o444)
            self.refused(
                "%s.part may not be written: Permission denied%s" % (name, REMEDY),
                "-c small.json",
                words,
            )

    def test_a_folder_that_may_not_be_written(self):
        for name, words in self.outputs():
            self.protected(name, 0o644)
            os.chmod(self.folder, 0o555)
            self.refused(
                "%s: its folder may not be written: Permission denied" % name,
                "-c small.json",
                words,
            )
            os.chmod(self.folder, 0o755)

    def test_a_fifo_that_may_not_be_written(self):
        os.mkfifo(self.path("f.csv"), 0o444)
        self.give("f.csv")
        self.refused("f.csv may not be written: Permission denied", "-c small.json -o f.csv")


class Waiting(Paths):
    """A run that waits for the reader of one output, or was begun and is not over."""

    def start(self, *words):
        return super().start("-c small.json", *words, "-o f.csv")

    def test_a_run_keeps_its_lock_until_the_file_is_renamed(self):
        for name, words in self.outputs():
            words = words if name != "ao.csv" else words[2:]
            with self.subTest(name=name):
                self.mkfifo("f.csv")
                process = self.start("-n 3000", words)
                with self.open_fifo("f.csv", process) as fifo:
                    fifo.read(1 << 18)  # its files are begun
                    said = f"boids: {name}.part is being written by another run\n"
                    self.says(said, "-c small.json --force", words, status=2)
                    fifo.read()
                self.assertEqual(
                    (process.communicate(timeout=PATIENCE)[1], process.returncode), (b"", 0)
                )
                self.clear()

    def test_a_signal_ends_a_run_that_waits_for_a_reader(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            self.mkfifo("f.csv")
            process = self.start("-o a.csv -o b.h5")
            self.until(lambda: self.is_waiting(process), process)
            process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE), status)
            self.holds("f.csv small.json")
            self.clear()

    @staticmethod
    def is_waiting(process):
        """True if the process sleeps, as it does while it opens a FIFO that has no reader."""
        return read(f"/proc/{process.pid}/stat").rpartition(")")[2].split()[0] == "S"


if __name__ == "__main__":
    unittest.main()
