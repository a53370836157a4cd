"""Other files in the place of an output, missing permissions, and two runs with one output: a run is refused before it changes
anything, or its files are complete.

race_at.c makes each race between two runs happen.
"""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from support import BOIDS, ENDINGS, PATIENCE, Folder


HERE = os.path.dirname(os.path.abspath(__file__))
FLOCK = '{"steps": 5, "flock": {"count": 10}, "predators": {"count": 2}}'
OTHER_USER = 65534
REMEDY = "; remove it, or give the output another name"


class Paths(Folder):
    def setUp(self):
        super().setUp()
        self.write("small.json", FLOCK)

    def write(self, name, text="", mode=None):
        with open(self.path(name), "w") as file:
            file.write(text)
        if mode is not None:
            os.chmod(self.path(name), mode)

    def mode(self, name):
        return stat.S_IMODE(os.lstat(self.path(name)).st_mode)

    def state(self):
        """A description of everything in the folder, without opening anything except regular files."""
        found = {}
        for here, folders, files in os.walk(self.folder):
            for name in folders + files:
                path = os.path.join(here, name)
                status = os.lstat(path)
                found[path] = (status.st_mode, status.st_ino, status.st_nlink, status.st_size, status.st_mtime_ns,
                               self.bytes(path) if stat.S_ISREG(status.st_mode) else None)
        return found

    def refused(self, message, *words, status=2, run=None, **more):
        before = self.state()
        done = (run or self.run_boids)(*words, **more)
        self.assertEqual((done.returncode, done.stderr.decode(), done.stdout), (status, "boids: %s\n" % message, b""), words)
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
                shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)


def plant_link(path, target):
    os.symlink(os.path.basename(target), path)


def plant_dangling_link(path, _):
    os.symlink("nowhere", path)


def plant_hard_link(path, target):
    os.link(target, path)


def plant_fifo(path, _):
    os.mkfifo(path)


def plant_folder(path, _):
    os.mkdir(path)


PLANTED = (
    (plant_link, "is a symbolic link"),
    (plant_dangling_link, "is a symbolic link"),
    (plant_hard_link, "is a hard link to a file with other names"),
    (plant_fifo, "is not a regular file"),
    (plant_folder, "is not a regular file"),
)


class Planted(Paths):
    def test_a_link_or_pipe_at_name_part_is_not_written(self):
        for plant, what in PLANTED:
            for name, words in self.outputs():
                with self.subTest(plant=plant.__name__, name=name):
                    self.write("victim", "precious", 0o600)
                    self.write(name, "old", 0o666)
                    self.write("first.csv", "old")
                    plant(self.path(name + ".part"), self.path("victim"))
                    for more in ((), ("--force",)):
                        self.refused("%s.part %s%s" % (name, what, REMEDY), "-c", "small.json", "-o", "first.csv", *words,
                                     *more)
                    self.clear()

    def test_nor_at_name_part_new(self):
        for plant, what in PLANTED:
            with self.subTest(plant=plant.__name__):
                self.good("-c", "small.json", "-o", "a.h5")
                self.write("victim", "precious", 0o600)
                plant(self.path("a.h5.part.new"), self.path("victim"))
                self.refused("a.h5.part.new %s%s" % (what, REMEDY), "--resume", "a.h5", "-n", 9)
                self.clear()

    def test_a_link_or_pipe_at_name_part_is_not_resumed(self):
        for plant, what in PLANTED:
            with self.subTest(plant=plant.__name__):
                self.good("-c", "small.json", "-o", "a.h5")
                shutil.copy(self.path("a.h5"), self.path("victim"))
                plant(self.path("a.h5.part"), self.path("victim"))
                self.refused("a.h5.part %s%s" % (what, REMEDY), "--resume", "a.h5", "-n", 9)
                self.clear()

    def test_links_to_a_file_that_is_not_there_stay_links(self):
        os.mkdir(self.path("d"))
        for name, words in self.outputs():
            os.symlink("d/second-" + name, self.path(name))
            os.symlink("new-" + name, self.path("d/second-" + name))
            self.good("-c", "small.json", *words)
            self.assertTrue(os.path.islink(self.path(name)))
            self.assertTrue(os.path.islink(self.path("d/second-" + name)))
            self.assertTrue(os.path.isfile(self.path("d/new-" + name)))


class Modes(Paths):
    def test_a_replaced_file_keeps_only_its_permissions(self):
        for name, words in self.outputs():
            for mode in (0o7755, 0o4711, 0o2640, 0o600, 0o666):
                with self.subTest(name=name, mode=oct(mode)):
                    self.write(name, "old", mode)
                    self.good("-c", "small.json", *words)
                    self.assertEqual(self.mode(name), mode & 0o777)

    def test_a_resumed_file_keeps_its_permissions(self):
        for mode in (0o7755, 0o640):
            self.good("-c", "small.json", "-o", "a.h5")
            os.chmod(self.path("a.h5"), mode)
            self.good("--resume", "a.h5", "-n", 9)
            self.assertEqual(self.mode("a.h5"), mode & 0o777)
            os.rename(self.path("a.h5"), self.path("b.h5.part"))
            os.chmod(self.path("b.h5.part"), mode)
            self.good("--resume", "b.h5", "-n", 12)
            self.assertEqual(self.mode("b.h5"), mode & 0o777)
            self.clear()

    def test_a_stale_part_file_does_not_pass_on_its_permissions(self):
        for name, words in self.outputs():
            self.write(name + ".part", "stale", 0o7777)
            self.good("-c", "small.json", *words, preexec_fn=lambda: os.umask(0o027))
            self.assertEqual(self.mode(name), 0o640)


class Protected(Paths):
    """As an ordinary user, subject to permissions."""

    def setUp(self):
        super().setUp()
        # The other user may have no access to the folder of the program.
        program = tempfile.TemporaryDirectory()
        self.addCleanup(program.cleanup)
        os.chmod(program.name, 0o755)
        self.program = shutil.copy(BOIDS, program.name)
        self.give(".")
        self.give("small.json")

    def give(self, name):
        if os.getuid() == 0:
            os.chown(self.path(name), OTHER_USER, OTHER_USER)

    def protected(self, name, mode, text="old"):
        self.write(name, text, mode)
        self.give(name)

    def run_as_other_user(self, *words):
        user = {"user": OTHER_USER, "group": OTHER_USER, "extra_groups": []} if os.getuid() == 0 else {}
        return subprocess.run([self.program, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=PATIENCE, **user)

    def refused(self, message, *words):
        super().refused(message, *words, run=self.run_as_other_user)

    def succeeds(self, *words):
        done = self.run_as_other_user(*words)
        self.assertEqual((done.returncode, done.stderr), (0, b""), words)

    def test_a_file_that_may_not_be_written_is_not_replaced(self):
        for name, words in self.outputs():
            with self.subTest(name=name):
                self.protected(name, 0o444)
                for more in ((), ("--force",)):
                    self.refused("%s may not be written: Permission denied" % name, "-c", "small.json", "-o", "first.csv",
                                 *words, *more)
                os.chmod(self.path(name), 0o644)
                self.succeeds("-c", "small.json", *words)

    def test_a_file_without_write_permission_is_not_resumed(self):
        self.succeeds("-c", "small.json", "-o", "a.h5")
        os.chmod(self.path("a.h5"), 0o444)
        self.refused("a.h5 may not be written: Permission denied", "--resume", "a.h5", "-n", 9)

    def test_a_part_that_may_not_be_written(self):
        for name, words in self.outputs():
            self.protected(name + ".part", 0o444)
            self.refused("%s.part may not be written: Permission denied%s" % (name, REMEDY), "-c", "small.json", *words)

    def test_a_folder_that_may_not_be_written(self):
        for name, words in self.outputs():
            self.protected(name, 0o644)
            os.chmod(self.folder, 0o555)
            self.refused("%s: its folder may not be written: Permission denied" % name, "-c", "small.json", *words)
            os.chmod(self.folder, 0o755)

    def test_a_fifo_that_may_not_be_written(self):
        os.mkfifo(self.path("f.csv"), 0o444)
        self.give("f.csv")
        self.refused("f.csv may not be written: Permission denied", "-c", "small.json", "-o", "f.csv")

    @unittest.skipUnless(os.getuid() == 0, "only root can give files away")
    def test_a_file_of_another_user_in_a_sticky_folder_is_refused(self):
        os.chown(self.folder, 0, 0)
        os.chmod(self.folder, 0o1777)
        reported = "%s belongs to another user, and in its folder only the owner may replace it"
        for name, words in self.outputs():
            for there in (name, name + ".part"):
                self.write(there, "old", 0o666)
                self.refused(reported % there, "-c", "small.json", *words)
                os.remove(self.path(there))


class Gaps(Paths):
    def setUp(self):
        super().setUp()
        build = tempfile.TemporaryDirectory()
        self.addCleanup(build.cleanup)
        self.shim = os.path.join(build.name, "race_at.so")
        try:
            subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", self.shim,
                            os.path.join(HERE, "race_at.c"), "-ldl"], check=True, capture_output=True, timeout=PATIENCE)
        except (OSError, subprocess.CalledProcessError) as reason:
            self.skipTest("nothing can be loaded before the C library here: %s" % reason)

    def race_at(self, call=None, command=None, **more):
        more.update({"RACE_CALL": call, "RACE_COMMAND": command} if call else {})
        return dict(os.environ, LD_PRELOAD=self.shim, ASAN_OPTIONS="verify_asan_link_order=0", BOIDS=BOIDS, **more)

    def other_run(self, *words):
        """A command that starts another run and writes its exit status to a file."""
        return '"$BOIDS" -c small.json --seed 7 %s 2>said; echo $? >status' % " ".join(words)

    def text(self, name):
        return self.bytes(name).decode()

    def test_a_run_keeps_its_lock_until_the_file_is_renamed(self):
        for name, words in self.outputs():
            with self.subTest(name=name):
                self.good("-c", "small.json", *words)
                os.rename(self.path(name), self.path("alone"))
                self.good("-c", "small.json", *words, env=self.race_at("rename", self.other_run(*words)))
                self.assertEqual(self.text("said"), "boids: %s.part is being written by another run\n" % name)
                self.assertEqual(self.text("status"), "2\n")
                self.assertSameFile(name, "alone")
                self.clear()

    def test_a_lock_counts_only_if_the_name_still_leads_to_the_file(self):
        # Between opening NAME.part and locking it, another run takes it, finishes and renames it.
        for name, words in self.outputs():
            with self.subTest(name=name):
                self.good("-c", "small.json", *words)
                os.rename(self.path(name), self.path("alone"))
                self.good("-c", "small.json", *words,
                          env=self.race_at("flock", self.other_run(*words) + "; ln %s seven" % name))
                self.assertEqual((self.text("said"), self.text("status")), ("", "0\n"))
                self.assertSameFile(name, "alone")
                # The file of the other run was replaced, not overwritten.
                self.good("-c", "small.json", "--seed", 7, *words)
                self.assertSameFile(name, "seven")
                self.clear()

    def test_a_lock_on_a_resumed_file_counts_only_if_the_name_still_leads_to_it(self):
        self.good("-c", "small.json", "-n", 20, "-o", "whole.h5")
        self.good("-c", "small.json", "-o", "a.h5")
        done = self.run_boids("--resume", "a.h5", "-n", 20,
                              env=self.race_at("rename", '"$BOIDS" --resume a.h5 -n 9 2>said; echo $? >status'))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.text("said"), "boids: a.h5.part is being written by another run\n")
        self.assertSameFile("a.h5", "whole.h5")

    def test_a_foreign_file_at_name_part_is_not_renamed(self):
        for name, words in self.outputs():
            with self.subTest(name=name):
                os.mkfifo(self.path("f.csv"))
                self.write(name, "old")
                more = ("-o", "f.csv", *words) if name != "ao.csv" else ("-o", "f.csv", *words[2:])
                process = subprocess.Popen([BOIDS, "-c", "small.json", "-n", "3000", *more], cwd=self.folder,
                                           stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
                self.addCleanup(process.communicate)
                self.addCleanup(process.kill)
                with self.open_fifo("f.csv", process) as fifo:
                    fifo.read(1 << 18)  # its files are begun
                    os.remove(self.path(name + ".part"))
                    self.write(name + ".part", "mine")
                    while fifo.read(1 << 16):
                        pass
                said = process.communicate(timeout=PATIENCE)[1].decode()
                self.assertEqual(said, "boids: %s.part is no longer the file that this run wrote; it is not renamed to %s\n"
                                 % (name, name))
                self.assertEqual((process.returncode, self.text(name), self.text(name + ".part")), (1, "old", "mine"))
                self.clear()

    def test_a_file_that_cannot_be_closed_gets_no_name(self):
        for name, words in self.outputs():
            with self.subTest(name=name):
                self.write(name, "old")
                done = self.run_boids("-c", "small.json", *words, env=self.race_at(CLOSE_FAILS=name + ".part"))
                self.assertEqual(done.returncode, 1)
                self.assertIn("boids: %s: No space left on device" % name, done.stderr.decode())
                self.assertEqual(self.text(name), "old")
                self.clear()

    def test_a_file_is_opened_once(self):
        for name, words in self.outputs():
            self.good("-c", "small.json", *words, env=self.race_at(OPEN_LOG=self.path("log")))
            opened = [os.path.basename(path) for path in self.text("log").splitlines()]
            self.assertEqual(opened.count(name + ".part"), 1, opened)
            self.clear()
        self.good("-c", "small.json", "-o", "a.h5")
        self.good("--resume", "a.h5", "-n", 9, env=self.race_at(OPEN_LOG=self.path("log")))
        opened = [os.path.basename(path) for path in self.text("log").splitlines()]
        self.assertEqual(opened.count("a.h5.part.new"), 1, opened)

    def start(self, *words, env):
        process = subprocess.Popen([BOIDS, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=env, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_a_signal_ends_a_run_that_waits_for_a_reader(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            os.mkfifo(self.path("f.csv"))
            process = self.start("-c", "small.json", "-o", "a.csv", "-o", "f.csv", "-o", "b.h5",
                                 env=self.race_at("open", "touch waiting", RACE_PATH="f.csv"))
            self.until(lambda: "waiting" in self.names(), process)
            process.send_signal(number)
            self.assertEqual(process.wait(30), status)
            self.assertEqual(self.names(), ["f.csv", "small.json", "waiting"])
            self.clear()

    def test_a_part_file_created_during_the_wait_for_a_reader_is_kept(self):
        self.good("-c", "small.json", "-o", "a.h5")
        os.rename(self.path("a.h5"), self.path("kept"))
        os.mkfifo(self.path("f.csv"))
        process = self.start("-c", "small.json", "-o", "a.h5", "-o", "f.csv",
                             env=self.race_at("open", "cp kept a.h5.part; touch waiting", RACE_PATH="f.csv"))
        self.until(lambda: "waiting" in self.names(), process)
        with self.open_fifo("f.csv", process) as fifo:
            fifo.read()
        said = process.communicate(timeout=PATIENCE)[1].decode()
        self.assertEqual((process.returncode, said),
                         (2, "boids: a.h5.part holds 6 frames of a run that was stopped; --resume a.h5 continues it, --force replaces it\n"))
        self.assertSameFile("a.h5.part", "kept")

    def test_a_link_is_resolved_once(self):
        for name, words in self.outputs():
            os.mkfifo(self.path("f.csv"))
            os.symlink("chosen", self.path(name))
            process = self.start("-c", "small.json", *words, "-o", "f.csv",
                                 env=self.race_at("open", f"ln -sf later {name}; touch waiting", RACE_PATH="f.csv"))
            self.until(lambda: "waiting" in self.names(), process)
            with self.open_fifo("f.csv", process) as fifo:
                fifo.read()
            said = process.communicate(timeout=PATIENCE)[1].decode()
            self.assertEqual((process.returncode, said), (0, ""))
            self.assertEqual(self.names(), sorted((name, "chosen", "f.csv", "small.json", "waiting")))
            self.clear()

    def test_a_folder_or_pipe_that_replaced_a_file_is_kept(self):
        for make, message in (("mkdir", "is a folder; an output is a file"), ("mkfifo", "is no longer a regular file")):
            os.mkfifo(self.path("f.csv"))
            process = self.start("-c", "small.json", "-o", "a.csv", "-o", "f.csv",
                                 env=self.race_at("open", f"{make} a.csv; touch waiting", RACE_PATH="f.csv"))
            self.until(lambda: "waiting" in self.names(), process)
            with self.open_fifo("f.csv", process) as fifo:
                fifo.read()
            said = process.communicate(timeout=PATIENCE)[1].decode()
            self.assertEqual((process.returncode, said), (2, f"boids: a.csv {message}\n"))
            self.assertEqual(self.names(), ["a.csv", "f.csv", "small.json", "waiting"])
            self.clear()


if __name__ == "__main__":
    unittest.main()
