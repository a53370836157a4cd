"""Three simulated machines: each has its own network, address and name, and they share a folder.

They are network namespaces on a bridge in a fourth namespace, and on a slow network (lossy_net.py), isolated from the outside.
Needs root and Open MPI.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import equivalence
from equivalence import ENVIRONMENT, FLOCK, PATIENCE, own_words, settings

COUNT = 3
NAME = "boids%d" % os.getpid()
SWITCH = NAME + "s"
ADDRESS = "10.213.7.%d"
SLOW_ADDRESS = "10.213.8.%d"
DELAY, LOSS = 2, 1  # milliseconds, per cent


def machine(k):
    return "%sm%d" % (NAME, k)


def ip(*words):
    subprocess.run(
        ["ip", *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def connect(k):
    ip(
        "-n",
        machine(k),
        "link",
        "add",
        "eth0",
        "type",
        "veth",
        "peer",
        "name",
        "port%d" % k,
        "netns",
        SWITCH,
    )
    ip("-n", SWITCH, "link", "set", "port%d" % k, "master", "bridge", "up")
    ip("-n", machine(k), "address", "add", ADDRESS % k + "/24", "dev", "eth0")
    for device in ("lo", "eth0"):
        ip("-n", machine(k), "link", "set", device, "up")


def take_down():
    for name in (SWITCH, *map(machine, range(1, COUNT + 1))):
        subprocess.run(
            ["ip", "netns", "delete", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )


def is_open_mpi():
    return len(equivalence.LAUNCHER) > 1


class Machines(equivalence.Together):
    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0 or not shutil.which("ip") or not is_open_mpi():
            raise unittest.SkipTest("network namespaces take root, ip and Open MPI")
        cls.addClassCleanup(take_down)
        try:
            for name in (SWITCH, *map(machine, range(1, COUNT + 1))):
                ip("netns", "add", name)
            ip("-n", SWITCH, "link", "add", "bridge", "type", "bridge")
            ip("-n", SWITCH, "link", "set", "bridge", "up")
            for k in range(1, COUNT + 1):
                connect(k)
        except subprocess.CalledProcessError as error:
            raise unittest.SkipTest("no network namespaces here: " + error.stderr.decode().strip())

    def on(self, k):
        """The prefix that runs a command on machine k."""
        return [
            "ip",
            "netns",
            "exec",
            machine(k),
            "unshare",
            "--uts",
            "sh",
            "-c",
            'hostname %s && exec "$@"' % machine(k),
            "sh",
        ]

    def setUp(self):
        super().setUp()
        agent = self.path("agent")
        with open(agent, "w") as file:
            file.write(
                "#!/bin/sh\nname=%sm${1##*.}\nshift\n" % NAME
                + 'exec ip netns exec "$name" unshare --uts sh -c "hostname $name; $*"\n'
            )
        os.chmod(agent, 0o755)
        hosts = ",".join(ADDRESS % k + ":2" for k in range(1, COUNT + 1))
        self.launcher = [
            *self.on(1),
            "mpirun",
            "--bind-to",
            "none",
            "--map-by",
            "node",
            "--host",
            hosts,
            "--mca",
            "plm_rsh_agent",
            agent,
            "--mca",
            "btl",
            "self,tcp",
            "--mca",
            "btl_tcp_if_include",
            "eth0",
            "--mca",
            "oob_tcp_if_include",
            "eth0",
            "--mca",
            "mpi_yield_when_idle",
            "1",
            "-x",
            "BOIDS_TEST_PARTITION",
            "-x",
            "BOIDS_MPI",
        ]

    def slow_down(self):
        """Messages between ranks use the slow network."""
        network = subprocess.Popen(
            [
                sys.executable,
                os.path.join(os.path.dirname(__file__), "lossy_net.py"),
                "slow",
                str(DELAY),
                str(LOSS),
                *map(machine, range(1, COUNT + 1)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        self.addCleanup(network.kill)
        if network.stdout.readline() != "ready\n":
            self.skipTest("no slow network here: " + network.stderr.read().strip().splitlines()[-1])
        for k in range(1, COUNT + 1):
            ip("-n", machine(k), "address", "add", SLOW_ADDRESS % k + "/24", "dev", "slow")
            ip("-n", machine(k), "link", "set", "slow", "up")
        self.launcher = [
            "slow" if word == "eth0" and before == "btl_tcp_if_include" else word
            for before, word in zip([None, *self.launcher], self.launcher)
        ]
        return network

    def compare(self, ranks, *words, steps=40):
        options = [
            *FLOCK,
            "-q",
            "--hash",
            10,
            "--steps",
            steps,
            "--every",
            10,
            *settings("flock.count=5000"),
            *words,
        ]
        alone = own_words(self.alone(*options, "-o", "alone.h5").stderr)
        done = self.together(ranks, *options, "-o", "together.h5")
        self.assertEqual(own_words(done.stderr), alone)
        self.assertSameFile("alone.h5", "together.h5")
        return done

    def test_each_rank_is_on_a_machine_of_its_own(self):
        done = self.run_words([*self.launcher, "-n", COUNT, "hostname"])
        self.assertEqual(
            sorted(done.stdout.split()), [machine(k) for k in range(1, COUNT + 1)], done.stderr
        )

    def test_machines_change_no_bit(self):
        self.compare(3, *settings("predators.count=3"))
        self.compare(6, *settings(*equivalence.BORDERS["fast"], "arithmetic=float32"))

    def test_delay_and_loss_change_no_bit(self):
        network = self.slow_down()
        self.compare(3)
        carried, lost = map(int, network.communicate()[0].split())
        self.assertGreater(carried, 200)
        self.assertGreater(lost, 0)

    def test_a_fault_on_another_machine_is_reported_with_its_name(self):
        done = self.wrapped(
            3, '[ "$rank" != 2 ] || set -- "$@" --nonsense', *FLOCK, "-o", "none", "-q"
        )
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(
            "\n".join(own_words(done.stderr)),
            r"\Aboids: rank 2 on %s: [^\n]*--nonsense[^\n]*\Z" % machine(3),
        )

    def test_a_rank_that_is_killed_on_another_machine_ends_all(self):
        wrapper = self.wrap('echo $$ > "pid.$rank"')
        options = [*equivalence.Ends.OPTIONS, "--steps", "1000000", "-o", "flock.h5"]
        process = subprocess.Popen(
            [*self.launcher, "-n", "3", wrapper, *options],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=dict(ENVIRONMENT, BOIDS_MPI=self.program),
        )
        begun = time.monotonic()
        while not (
            os.path.exists(self.path("flock.h5.part"))
            and os.path.getsize(self.path("flock.h5.part")) > 300000
        ):
            self.assertLess(time.monotonic() - begun, PATIENCE)
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        os.kill(int(self.bytes("pid.2")), signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(self.alone("--verify", "flock.h5.part").returncode, 0)


if __name__ == "__main__":
    unittest.main()
