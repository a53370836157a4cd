"""--keep-step: a run that starts from a frame of another run continues its step numbers, and is the rest of that run."""

import signal
import sys
import unittest

sys.path[0] += "/.."

from support import PATIENCE, Folder


SIZE = "-s flock.count=30 -s predators.count=2"
HINT = (
    "%s: it has no frame 0, so it cannot be resumed; continue in another file with: boids --from %s --init %s@%d "
    "--keep-step --steps 40 -o OTHER.h5"
)


class KeepStep(Folder):
    def hashes(self, *words):
        done = self.run_boids(words, "--hash 1 --force")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.decode().splitlines()

    def test_the_frames_observables_and_hashes_are_those_of_the_unbroken_run(self):
        schedule = 'schedule=[{"at": 5, "set": {"flock.separation.radius": 30}}, {"at": 17, "set": {"flock.cohesion.radius": 80}}]'
        for config in ("adams", "castor", "fish", "murmuration"):
            for arithmetic, digits in (("float32", 9), ("float64", 17), ("fixed", 10)):
                run = (
                    "-c",
                    config,
                    SIZE,
                    "-n",
                    40,
                    "-s",
                    "arithmetic=" + arithmetic,
                    "--digits",
                    digits,
                    "-s",
                    schedule,
                )
                whole = self.hashes(run, "-o run.h5 -o run.csv --observables whole.csv")
                self.good("--convert run.h5 --first 17 -o rest.csv -o rest.txt")
                for state in ("run.h5@17", "run.csv@17"):
                    kept = self.hashes(
                        run,
                        "--init",
                        state,
                        "--keep-step -o kept.csv -o kept.txt --observables end.csv",
                    )
                    self.assertEqual(kept, whole[17:])
                    self.assertEqual(
                        self.lines("end.csv")[1:],
                        self.lines("whole.csv")[18:],
                    )
                    self.assertSameFile("rest.csv", "kept.csv", config + arithmetic)
                    self.assertSameFile("rest.txt", "kept.txt", config + arithmetic)

    def test_without_keep_step_steps_start_at_0(self):
        self.good("-c adams", SIZE, "-n 20 -o run.h5")
        self.good("-c adams --init run.h5 -n 2 -o anew.csv")
        self.assertEqual(self.bytes("anew.csv").splitlines()[1][:2], b"0,")

    def test_frames_keep_the_interval_of_the_whole_run(self):
        self.good("-c adams", SIZE, "-n 20 -o run.h5")
        for first, last, steps in (
            (17, 40, [17, 20, 30, 40]),
            (17, 34, [17, 20, 30, 34]),
            (17, 17, [17]),
            (20, 20, [20]),
        ):
            self.good(
                "-c adams --init",
                "run.h5@%d" % first,
                "--keep-step -n",
                last,
                "--every 10 -o k.csv",
            )
            rows = self.bytes("k.csv").decode().splitlines()[1:]
            self.assertEqual(list(dict.fromkeys(int(row.split(",")[0]) for row in rows)), steps)
            header = self.good(
                "-c adams --init",
                "run.h5@%d" % first,
                "--keep-step -n",
                last,
                "--every 10 --format matrix -o /dev/stdout",
            ).split("\n", 1)[0]
            self.assertEqual(int(header.split()[0]), 4 * len(steps))

    def test_means_are_those_of_the_second_half_of_the_run(self):
        """This also holds for a resumed run and for a run of a sweep. An output.mean_from of the user counts from step 0."""
        run = ("-c adams", SIZE, "--init run.h5@30 --keep-step -q")

        def means(*words):
            return self.json(words, "--summary -o none")["mean"]

        self.good("-c adams", SIZE, "-n 30 -o run.h5")
        for last, first in ((50, 40), (51, 40), (30, 30), (90, 60)):
            wanted = means(*run, "-n", last, "-s", "output.mean_from=%d" % first)
            self.assertEqual(means(*run, "-n", last), wanted, last)
            self.write("p.csv", "steps\n%d\n" % last)
            self.good(run, "--points p.csv --table", "t%d.csv" % last)
            header, row = (line.split(",") for line in self.lines("t%d.csv" % last))
            self.assertEqual(float(row[header.index("mean_polarization")]), wanted["polarization"])
        self.good(run, "-n 40 -o kept.h5")
        resumed = self.json("--resume kept.h5 -n 90 -q --summary")["mean"]
        self.assertEqual(resumed, means(*run, "-n", 90, "-s", "output.mean_from=60"))

    def test_a_file_records_its_kept_step(self):
        self.good("-c adams", SIZE, "-n 20 -o run.h5")
        for words in ((), "-s output.precision=float32", "-s output.precision=float32 --every 10"):
            self.good("-c adams --init run.h5@13 --keep-step -n 40", words, "-o kept.h5")
            self.good("--from kept.h5 -o again.h5")
            self.assertSameFile("kept.h5", "again.h5", words)
        printed = self.json("--print-config -q --from kept.h5")
        self.assertEqual(
            (printed["flock"]["init"]["file"], printed["flock"]["init"]["steps"]),
            ("kept.h5@13", "kept"),
        )

    def test_a_random_state_after_a_kept_step_begins_at_step_0(self):
        self.good("-c adams", SIZE, "-n 20 -o run.h5")
        self.good("-c adams --init run.h5 --keep-step -n 40 -o kept.h5")
        self.write("kept.json", self.good("--print-config -q --from kept.h5"))
        self.good("-c adams", SIZE, "-n 40 -o wanted.h5")
        for words in ("--from kept.h5", "-c kept.json"):
            self.good(words, "--init none -o new.h5")
            self.assertSameFile("new.h5", "wanted.h5", words)

    def test_keep_step_without_a_step_is_refused(self):
        self.good("-c adams", SIZE, "-n 20 -o run.h5")
        no_file = '--keep-step kept: flock.init.file is "" (%s); only a file has ' "steps to keep"
        self.refused(no_file % "by default", "-c adams --keep-step -o x.csv")
        self.refused(no_file % "--init", "-c adams --init none --keep-step -o x.csv")
        self.refused(
            "steps is 19, but flock.init.steps is kept and run.h5 begins at step 20; steps counts from step 0, so it must be at least that",
            "-c adams --init run.h5 --keep-step -n 19 -o x.csv",
        )

    def test_resume_of_a_file_without_frame_0_suggests_another_command(self):
        run = ("-c adams", SIZE, "-n 40")
        self.good(run, "-o run.h5 -o run.csv --digits 17")
        self.good(run, "-n 30 -o short.h5 -o short.csv --digits 17")
        self.good("--convert short.csv --first 10 -o part.csv --digits 17")
        self.good("--convert part.csv", run, "-n 30 -o late.h5")
        self.refused(HINT % ("late.h5", "late.h5", "late.h5", 30), "--resume late.h5 -n 40")
        self.good("--convert run.h5 --first 30 -o rest.csv")
        self.good("--from late.h5 --init late.h5@30 --keep-step -n 40 --digits 17 -o on.csv")
        self.assertSameFile("rest.csv", "on.csv")

    def test_a_stopped_run_prints_the_command_to_resume(self):
        self.good("-c adams", SIZE, "-n 5 -o run.h5")
        endless = f"--keep-step -n {10**8} --max-seconds {PATIENCE} -o - -o kept.h5"
        process = self.start("-c adams --init run.h5", endless)
        self.assertEqual(len(process.stdout.read(1000)), 1000)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=PATIENCE)[1].decode()
        self.assertRegex(
            said,
            r"\Aboids: stopped at step \d+; the frames written so far are kept; continue with: boids --resume kept\.h5\n\Z",
        )
        step = int(said.split()[4].rstrip(";"))
        self.good("--resume kept.h5 -n", step + 3)
        self.good("-c adams --init run.h5 --keep-step -n", step + 3, "-o whole.h5")
        self.assertSameFile("kept.h5", "whole.h5")


if __name__ == "__main__":
    unittest.main()
