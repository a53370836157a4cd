"""Tables of runs: --points and --table.

A row is compared with --summary of the same run. The table of a sweep that was killed, interrupted or met a full disk is compared
with that of an undisturbed sweep. BOIDS is the program, default ./boids.
"""

import csv
import fcntl
import io
import json
import os
import resource
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

sys.path[0] += "/.."

from support import (
    ASAN_PRELOAD,
    BOIDS,
    ENDINGS,
    PATIENCE,
    Folder,
    build_shim,
    contents,
    last_given,
    rows_of,
    split_words,
)

# What each run of a sweep leaks adds up.
finds_leaks = unittest.mock.patch.dict(os.environ, {"ASAN_OPTIONS": "detect_leaks=1"})
SMALL = '{"steps": 20, "flock": {"count": 12}}'
# In float32 it leaves the range of numbers within twenty steps.
RUNAWAY = """{"world": {"border": "open"}, "flock": {"min_speed": null, "max_speed": null, "init": {"file": "i.csv"}}}"""
RUNAWAY_STATE = "id,type,x,y,vx,vy\n0,boid,1,1,3e37,0\n1,boid,300,300,3,3\n"
# A run without an end.
ENDLESS = "100000000"


def points_of(**columns):
    """CSV of a table with these columns; a dot in a key is written as two underscores."""
    names = [name.replace("__", ".") for name in columns]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(zip(*columns.values()))
    return text.getvalue()


class Case(Folder):
    def setUp(self):
        super().setUp()
        self.write("small.json", SMALL)

    def read(self, name="t.csv"):
        return super().read(name)

    def rows(self, name="t.csv"):
        return list(csv.DictReader(io.StringIO(self.read(name))))

    def run_boids(self, *words, **more):
        return subprocess.run(
            [BOIDS, *last_given(words)],
            **{
                "cwd": self.folder,
                "capture_output": True,
                "text": True,
                "stdin": subprocess.DEVNULL,
                "timeout": PATIENCE,
                **more,
            },
        )

    def command(self, *words, points="p.csv"):
        return [*split_words(("-c small.json --points", points, "--table t.csv", words))]

    def sweep(self, *words, status=0, points="p.csv", **more):
        """Standard error of a sweep, which has to end with `status`."""
        done = self.run_boids(*self.command(words, points=points), **more)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        return done.stderr

    def table_of(self, points, *words):
        """The table of an undisturbed sweep, without its seconds."""
        self.write("q.csv", points)
        self.says("", "-c small.json --points q.csv --table undisturbed.csv -q", words)
        text = self.timeless("undisturbed.csv")
        self.remove("undisturbed.csv")
        self.remove("q.csv")
        return text

    def timeless(self, name="t.csv"):
        """The text of a table, except wall_seconds."""
        lines = self.read(name).splitlines(keepends=True)
        rows = [next(csv.reader([line])) for line in lines]
        at = rows[0].index("wall_seconds")
        return "".join(
            [lines[0]]
            + [
                line.replace("," + row[at] + ",", ",S,", 1)
                for line, row in zip(lines[1:], rows[1:])
            ]
        )

    def check_whole(self, name="t.csv", is_killed=False):
        """Every row has its line break and as many cells as the header. A kill may interrupt a write within a row, between
        two pages of the file: that row, the last one, has no line break then."""
        text = self.read(name)
        if is_killed:
            text = text[: text.rfind("\n") + 1]
        self.assertTrue(text == "" or text.endswith("\n"), text[-80:])
        self.assertLessEqual(len({len(row) for row in csv.reader(io.StringIO(text))}), 1)


@finds_leaks
class Table(Case):
    def check_against_summaries(self, *words):
        self.write("p.csv", points_of(flock__cohesion__factor=["0.0005", "0.005"], seed=["1", "7"]))
        self.assertRegex(
            self.sweep(words), r"^boids: 2 runs in \d+ s, 0 failed, 0 already done; t\.csv\n$"
        )
        for row, factor, seed in zip(self.rows(), ("0.0005", "0.005"), ("1", "7"), strict=True):
            reported = self.run_boids(
                "-c small.json -s",
                "flock.cohesion.factor=" + factor,
                "--seed",
                seed,
                "-o none --summary -q",
                words,
            ).stdout
            summary = json.loads(reported)
            self.assertEqual(
                (row["flock.cohesion.factor"], row["seed"], row["status"]), (factor, seed, "done")
            )
            self.assertEqual(row["state_hash"], summary["state_hash"])
            self.assertEqual(row["version"], f"{summary['version']} ({summary['revision']})")
            reported = {
                f"{part}_{name}": value
                for part in ("final", "mean", "sd", "error", "autocorrelation_time", "drift")
                for name, value in summary[part].items()
            }
            reported.update(
                (name, summary[name]) for name in ("binder", "susceptibility", "averaged_steps")
            )
            reported.update(
                (name, summary[name].get("polarization"))
                for name in ("autocorrelation_time", "drift")
            )
            self.assertIn("averaged_steps", row)
            for name, value in reported.items():
                self.assertEqual(float(row[name]) if row.get(name) else None, value, name)
        self.remove("t.csv")

    def test_a_row_equals_the_summary_of_its_run(self):
        for names in ("true", '["milling"]'):
            self.check_against_summaries("-s", "output.observables=" + names)

    def test_frames_that_are_not_measured_change_no_number(self):
        for words in (
            "-n 0",
            "-n 0 -s output.mean_from=3",
            "-s output.mean_from=0",
            "-s output.mean_from=20",
            "-s output.mean_from=99",
            "-s output.every=7",
            "-s output.every=7 -s output.mean_from=15",
            "-n 90",
            "-n 200 -s output.observables_every=3",
        ):
            with self.subTest(words=words):
                self.check_against_summaries(words)

    def test_columns_are_the_keys_then_the_seed_then_the_results(self):
        for columns, begins in (
            (
                {"steps": ["3"], "flock__count": ["5"]},
                "steps,flock.count,seed,config,version,status,",
            ),
            ({"seed": ["3"], "flock__count": ["5"]}, "seed,flock.count,config,version,status,"),
        ):
            self.write("p.csv", points_of(**columns))
            self.sweep()
            self.assertTrue(
                self.read().startswith(begins + "wall_seconds,state_hash,run,final_polarization,"),
                self.read(),
            )
            self.remove("t.csv")

    def test_observables_that_no_run_has_are_no_columns(self):
        """Each row: the points, with / for a new line; words; columns that the table has, and with - those that it lacks."""
        for points, words, columns in rows_of(
            """
            seed/3 | -s predators.count=0 | mean_flocks -mean_predator_distance binder
            seed/3 | -s predators.count=1 | mean_flocks mean_predator_distance
            predators.count/0/1 | | mean_flocks mean_predator_distance
            seed/3 | -s 'output.observables=["milling"]' | sd_milling -mean_flocks -binder
            output.observables/"[""milling""]"/true | | mean_flocks
            predators.count,seed/0,1/0,2 | | mean_predator_distance
            predators.count/0/2 | -s predators.radius=0 | mean_predator_distance -sd_predator_share
            predators.radius/0/2 | | -mean_predator_distance -sd_predator_share
            predators/{} | | mean_predator_distance mean_predator_share
            output.observables/"[""milling""]" | -s flock.cohesion.radius=0 | -mean_flocks mean_centre_x
            seed/3 | -s predators.count=1 -s predators.radius=0 | mean_predator_distance -mean_predator_share
            seed/1/2 | -s flock.cohesion.radius=0 | -mean_flocks -sd_largest_flock
            flock.cohesion.radius/0/20 | | mean_flocks sd_largest_flock
            seed/1 | -s flock.cohesion.radius=0 -s 'schedule=[{"at":2,"set":{"flock.cohesion.radius":9}}]' | mean_flocks
            seed/1 | -s flock.separation.radius=0 | -error_close_pairs mean_flocks
            seed/1 | -s flock.count=1 | -mean_nearest_neighbour_distance -final_nearest_neighbour_sd mean_flocks
            """
        ):
            with self.subTest(points=points, words=words):
                self.write("p.csv", points.replace("/", "\n") + "\n")
                self.sweep("-n 3", words)
                row = self.rows()[-1]
                for name in columns.split():
                    self.assertEqual(name.strip("-") in row, name[0] != "-", name)
                self.remove("t.csv")

    def test_rows_are_in_the_order_of_the_points(self):
        self.write(
            "p.csv", points_of(steps=["900", "1", "2", "300", "1", "0"], seed=list("654321"))
        )
        self.sweep("-t 3")
        self.assertEqual([row["seed"] for row in self.rows()], list("654321"))

    def test_threads_change_nothing(self):
        points = points_of(flock__count=["5", "60", "7", "80", "9", "100"])
        self.assertEqual(self.table_of(points, "-t 1"), self.table_of(points, "-t 4"))

    def test_points_written_by_spreadsheets_are_read(self):
        wanted = self.table_of('flock.init.speed,seed\n"[1, 2]",1\n"[1, 2]",2\n')
        for text in (
            '\ufeff"flock.init.speed","seed"\r\n"[1, 2]","1"\r\n"[1, 2]","2"\r\n',
            'flock.init.speed, seed\n\n"[1, 2]" , 1\n"[1, 2]",2',
        ):
            self.assertEqual(self.table_of(text), wanted)

    def test_points_are_read_from_a_pipe(self):
        self.write("p.csv", points_of(seed=list("123")))
        self.sweep()
        wanted = self.timeless()
        self.remove("t.csv")
        with open(self.path("p.csv")) as file:
            self.sweep(points="-", stdin=file)
        self.assertEqual(self.timeless(), wanted)

    def test_sections_margins_and_texts_are_columns(self):
        self.write(
            "p.csv",
            "flock.init,world.margin.top,world.margin,title\n"
            '"{""velocity"": ""heading""}",9,"{""left"": 20}",a\n{},5,30,"b, ""c"""\n',
        )
        self.sweep("-s flock.init.speed=[2,3]")
        hashes = []
        for init, margin, top in (('{"velocity": "heading"}', '{"left": 20}', 9), ("{}", "30", 5)):
            reported = self.run_boids(
                "-c small.json -s flock.init.speed=[2,3] -s",
                "flock.init=" + init,
                "-s",
                "world.margin=" + margin,
                "-s",
                f"world.margin.top={top}",
                "-o none --summary -q",
            ).stdout
            hashes.append(json.loads(reported)["state_hash"])
        self.assertEqual([row["state_hash"] for row in self.rows()], hashes)
        self.assertEqual(self.rows()[1]["title"], 'b, "c"')
        self.assertIn("2 already done", self.sweep("-s flock.init.speed=[2,3]"))

    def test_a_failed_run_has_a_row_and_stops_no_other_run(self):
        self.write(
            "p.csv", points_of(arithmetic=["float32", "float64", "float32"], seed=list("123"))
        )
        self.write("i.csv", RUNAWAY_STATE)
        self.write("c.json", RUNAWAY)
        said = self.sweep("-c c.json -n 30")
        self.assertRegex(said, r"boids: p\.csv:2: step \d+: .*\n")
        self.assertRegex(said, r"3 runs in \d+ s, 2 failed, 0 already done")
        self.check_whole()
        self.assertEqual([row["status"] for row in self.rows()], ["failed", "done", "failed"])
        self.assertEqual(
            (self.rows()[0]["state_hash"], self.rows()[0]["mean_polarization"]), ("", "")
        )
        self.assertEqual(
            {
                cell
                for name, cell in self.rows()[0].items()
                if name.startswith(("final_", "mean_", "sd_", "error_", "binder", "suscept"))
            },
            {""},
        )
        self.assertIn("0 runs in", self.sweep("-c c.json -n 30"))

    def test_a_sweep_fails_if_every_run_failed(self):
        self.write("p.csv", points_of(arithmetic=["float32", "float32"], seed=list("12")))
        self.write("i.csv", RUNAWAY_STATE)
        self.write("c.json", RUNAWAY)
        said = self.sweep("-c c.json -n 30", status=1)
        self.assertIn("boids: all runs failed: 2 of 2\n", said)
        self.assertEqual([row["status"] for row in self.rows()], ["failed", "failed"])

    def test_a_carriage_return_in_a_text_keeps_the_row_whole(self):
        self.write("p.csv", b"title,seed\nx\ry,3\n")
        self.sweep()
        with open(self.path("t.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(
            [(row["title"], row["seed"], row["status"]) for row in rows], [("x\ry", "3", "done")]
        )

    def test_check_reads_all_points_and_runs_nothing(self):
        self.write("p.csv", points_of(seed=list("123")))
        self.assertEqual(self.sweep("--check"), "boids: p.csv: 3 runs are valid\n")
        self.assertNotIn("t.csv", self.names())


@finds_leaks
class Keep(Case):
    """Files of the runs, in addition to the rows."""

    def kept(self, folder="kept"):
        found = {}
        for name in sorted(os.listdir(self.path(folder))):
            with open(os.path.join(self.path(folder), name), "rb") as file:
                found[name] = file.read()
        return found

    def test_kept_files_equal_those_of_a_single_run(self):
        self.write("p.csv", points_of(flock__count=["5", "9"], seed=["1", "7"]))
        self.sweep("--keep kept -o .h5 -o .csv -o none")
        wanted = {}
        for row in self.rows():
            self.says(
                "",
                "-c small.json -s",
                "flock.count=" + row["flock.count"],
                "--seed",
                row["seed"],
                "-o a.h5 -o a.csv --force --observables o.csv",
            )
            for name, ending in (("a.h5", ".h5"), ("a.csv", ".csv"), ("o.csv", ".observables.csv")):
                wanted[row["kept"] + ending] = self.bytes(name)
        self.assertEqual(len(wanted), 6)
        self.assertEqual(self.kept(), wanted)

    def test_keep_without_an_ending_writes_observables_only(self):
        self.write("p.csv", "seed\n3\n")
        self.sweep("--keep kept")
        self.assertEqual(list(self.kept()), [self.rows()[0]["kept"] + ".observables.csv"])

    def test_threads_and_equal_points_change_no_file(self):
        self.write("p.csv", points_of(seed=list("1111222334"), title=list("aaaaaaaaab")))
        for threads in "14":
            self.sweep("--keep", "kept" + threads, "-o .h5 -t", threads)
            self.rename("t.csv", "t%s.csv" % threads)
        self.assertEqual(self.timeless("t1.csv"), self.timeless("t4.csv"))
        self.assertEqual(len(self.kept("kept1")), 8)
        self.assertEqual(self.kept("kept1"), self.kept("kept4"))

    def test_the_name_of_a_kept_file_depends_on_the_configuration_only(self):
        def names(points, *words):
            self.write("p.csv", points)
            self.sweep("--keep kept", words)
            found = [row["kept"] for row in self.rows()]
            self.remove("t.csv")
            return found

        state = "id,type,x,y,vx,vy\n0,boid,%d,100,3,0\n"
        one, other = names("flock.count,seed\n5,3\n5,4\n")
        self.assertNotEqual(one, other)
        self.assertEqual(names("seed\n3\n", "-s", "flock.count=5"), [one])
        self.assertEqual(names("flock.count\n5.0e0\n", "--seed", "3"), [one])
        self.write("i.csv", state % 300)
        begun = names("seed\n3\n", "--init", "i.csv")
        self.write("i.csv", state % 301)
        self.assertNotEqual(names("seed\n3\n", "--init", "i.csv"), begun)

    def test_titles_have_their_own_files_and_other_texts_do_not(self):
        """A title distinguishes points. Equal states in files of two names, and $schema, make equal runs."""
        self.write("i.csv", "id,type,x,y,vx,vy\n0,boid,300,100,3,0\n")
        self.write("j.csv", self.read("i.csv"))
        section = '"{""file"": ""%s""}"'
        for points, runs in (
            ("title,seed\none,1\ntwo,1\n,1\n", 3),
            ("$schema\na\nb\nc\n", 1),
            ("flock.init.file,title\ni.csv,a\nj.csv,a\ni.csv,b\n", 2),
            (
                "flock.init,title\n%s,a\n%s,a\n%s,b\n"
                % tuple(section % name for name in ("i.csv", "j.csv", "i.csv")),
                2,
            ),
        ):
            with self.subTest(points=points):
                self.write("p.csv", points)
                self.sweep("--keep kept -o .h5 -o .csv")
                names = [row["kept"] for row in self.rows()]
                self.assertEqual(len(set(names)), runs)
                self.assertEqual(len({self.bytes("kept/%s.h5" % name) for name in names}), runs)
                self.assertEqual(len({self.bytes("kept/%s.csv" % name) for name in names}), 1)
                self.sweep("--keep kept -o .h5 -o .csv")
                self.remove("t.csv")

    def test_a_name_that_the_observables_have_is_no_ending(self):
        self.write("p.csv", "seed\n1\n")
        for ending in (".observables.csv", ".a.h5", ".d/x.csv"):
            said = self.sweep("--keep kept -o", ending, status=2)
            self.assertIn("must be only a file extension", said)
            self.assertNotIn("kept", self.names())

    def test_a_failed_run_keeps_its_earlier_frames(self):
        self.write("p.csv", "seed\n1\n")
        self.write("i.csv", RUNAWAY_STATE)
        self.write("c.json", RUNAWAY)
        self.sweep("-c c.json -n 30 -s arithmetic=float32 --keep kept", status=1)
        self.assertEqual(self.rows()[0]["status"], "failed")
        self.assertEqual(list(self.kept()), [self.rows()[0]["kept"] + ".observables.csv.part"])

    def test_a_killed_and_repeated_sweep_leaves_the_same_folder(self):
        """The sweep is killed in a run without an end; the test removes the incomplete files of that run."""
        points = points_of(flock__count=[str(5 + i) for i in range(12)], steps=["50"] * 12)
        words = "--keep kept -o .h5 -s output.flush_seconds=0"
        self.write("p.csv", points)
        self.sweep(words)
        wanted = self.kept()
        for name in wanted:
            os.remove(os.path.join(self.path("kept"), name))
        self.remove("t.csv")
        for rows in (1, 4, 12):
            self.write("p.csv", points + "5,%s\n" % ENDLESS)
            process = subprocess.Popen(
                [BOIDS, *self.command("-t 2", words)],
                cwd=self.folder,
                stderr=subprocess.DEVNULL,
            )
            self.addCleanup(process.kill)
            while process.poll() is None and (
                not self.exists("t.csv") or self.read().count("\n") < rows + 1
            ):
                time.sleep(0.005)
            process.kill()
            process.wait()
        endless = [
            name
            for name in self.kept()
            if name.endswith(".part") and name.removesuffix(".part") not in wanted
        ]
        self.assertLessEqual(len(endless), 2)
        for name in endless:
            os.remove(os.path.join(self.path("kept"), name))
        self.write("p.csv", points)
        self.sweep(words)
        self.assertEqual(self.kept(), wanted)

    def test_a_run_whose_file_is_in_use_has_no_row_and_stops_no_other_run(self):
        self.write("p.csv", "seed\n1\n")
        self.sweep("--keep kept")
        self.remove("t.csv")
        name = "kept/%s.part" % list(self.kept())[0]
        with open(self.path(name), "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.write("p.csv", "seed\n1\n2\n3\n")
            said = self.sweep("--keep kept", status=1)
        self.assertRegex(
            said,
            rf"\Aboids: p.csv:2: {name} is being written by another run\nboids: 3 runs in .*1 failed.*\n"
            r"boids: 1 run failed; remove the cause, then repeat the command to run it again\n\Z",
        )
        self.assertEqual([row["seed"] for row in self.rows()], ["2", "3"])
        self.sweep("--keep kept")
        self.assertEqual([row["seed"] for row in self.rows()], ["1", "2", "3"])

    def test_two_sweeps_do_not_share_a_folder(self):
        self.write("p.csv", "seed\n1\n")
        self.mkdir("kept")
        folder = os.open(self.path("kept"), os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        said = self.sweep("--keep kept", status=2)
        self.assertEqual(
            said,
            "boids: --keep kept is in use by another sweep; wait for it, or give another folder\n",
        )
        os.close(folder)
        self.sweep("--keep kept")

    def test_a_frame_that_no_output_can_store_is_refused_before_any_run(self):
        self.write("p.csv", 'seed,output.boids\n1,all\n2,"{""from"": 50, ""to"": 60}"\n')
        said = self.sweep("--keep kept -o .h5", status=2)
        self.assertRegex(
            said,
            r"\Aboids: --points p.csv:3, column 2: output.boids selects no boid; ids go from 0 to \d+\n\Z",
        )
        self.assertFalse(self.exists("t.csv"))
        self.write("p.csv", 'seed,output.fields\n1,"[""position""]"\n2,"[""velocity""]"\n')
        said = self.sweep("--keep kept -o .xyz", status=2)
        self.assertEqual(
            said,
            "boids: p.csv:3: output.fields has no position, which XYZ needs; write .xyz as CSV or HDF5\n",
        )
        self.assertFalse(self.exists("t.csv"))
        self.sweep("--keep kept -o .h5")

    def test_a_format_that_cannot_be_kept_is_refused(self):
        self.write("p.csv", "seed\n1\n")
        self.write("file", "")
        kept = "with --keep k it must be only a file extension: .%s or .%s" % (
            ", .".join(ENDINGS[:-1]),
            ENDINGS[-1],
        )
        for words, message in (
            ("--keep file", "--keep file is a file; it must be a folder"),
            ("--keep no/folder", "--keep no/folder: No such file or directory"),
            ("--keep k -o a.h5", "--output a.h5: " + kept),
            ("--keep k -o .dat", "--output .dat: " + kept),
            ("--keep k -o ./h5", "--output ./h5: " + kept),
            ("--keep k -o .h5 -o .h5", "--output .h5 is given twice; give it once"),
        ):
            before = contents(self.folder)
            self.assertEqual(self.sweep(words, status=2), f"boids: {message}\n")
            self.assertEqual(contents(self.folder), before)
        self.says(
            "boids: --keep k keeps files of the runs of a table and needs --points FILE.csv\n",
            "-c small.json --keep k -o none",
            status=2,
        )

    def test_a_table_begun_with_or_without_keep_stays_so(self):
        self.write("p.csv", "seed\n1\n")
        self.sweep()
        said = self.sweep("--keep kept", status=2)
        self.assertRegex(said, r"^boids: t\.csv is not a table of this sweep")
        self.assertIn("it was begun without --keep; it is kept, give another --table", said)
        self.remove("t.csv")
        self.sweep("--keep kept")
        self.assertIn(
            "it was begun with --keep; it is kept, give another --table", self.sweep(status=2)
        )

    def test_a_table_of_other_keys_or_without_an_important_column_is_refused(self):
        self.write("p.csv", "seed\n1\n")
        self.sweep()
        header, row = self.read().splitlines()
        for columns, cells, why in (
            (
                "flock.count," + header,
                "5," + row,
                "has a column that the points do not have: flock.count",
            ),
            (header + ",world", row + ",1", "has a column that the points do not have: world"),
            (header.replace(",status,", ",state,"), row, "has no column status"),
            (header.replace("seed", "seeds"), row, "has no column seed"),
            (header.replace("wall_seconds,", ""), row, "has no column wall_seconds"),
            (header.replace(",run,", ","), row, "has no column run"),
        ):
            text = f"{columns}\n{cells}\n"
            self.write("t.csv", text)
            self.assertEqual(
                self.sweep(status=2),
                f"boids: t.csv is not a table of this sweep: it {why}; it is kept, give another --table\n",
            )
            self.assertEqual(self.read(), text)
        self.write("t.csv", f"{header}\n{row}\n".replace(",", ";"))
        self.assertEqual(
            self.sweep(status=2),
            "boids: t.csv:1: semicolons separate its cells; they must be commas\n",
        )


class Refusals(Case):
    def refused(self, message, *words, text=None):
        if text is not None:
            self.write("p.csv", text)
        before = contents(self.folder)
        self.assertEqual(self.sweep(words, status=2), f"boids: {message}\n")
        self.assertEqual(contents(self.folder), before)

    def test_a_wrong_column_is_refused_with_its_place(self):
        other = "a table is CSV, and its first line names columns"
        empty = "p.csv:1: it is empty; its first line must name keys: flock.count,seed"
        for text, message in (
            (b"\x89HDF\r\n\x1a\n\0", "p.csv:1: this is HDF5; " + other),
            ("seed\0\n", "p.csv: it contains a NUL byte; save it as UTF-8 text"),
            ("seed\t\tsteps\n1\t\t2\n", "p.csv:1: tabs separate its cells; they must be commas"),
            ("flock:\n  count: 5\n", "p.csv:1: this is YAML; " + other),
            ("\n", empty),
            ("", empty),
        ):
            self.refused(message, text=text)

    def test_points_without_rows_are_no_work_and_their_table_joins_the_others(self):
        self.write("i.csv", "id,type,x,y,vx,vy\n0,boid,1,1,3,3\n1,predator,9,9,3,3\n")
        for words in ((), "-s flock.init.file=i.csv"):
            self.write("p.csv", "steps,seed\n5,1\n")
            self.sweep(words)
            header = self.read().splitlines(keepends=True)[0]
            for text in ("steps,seed\n", "steps,seed", "steps,seed\n\n \n"):
                self.write("p.csv", text)
                self.remove("t.csv")
                said = self.sweep(words)
                self.assertIn("p.csv has no rows after its header; nothing is run\n", said)
                self.assertEqual(self.read(), header)
            self.remove("t.csv")

    def test_a_wrong_value_is_refused_with_its_place_before_any_run(self):
        good = "seed,flock.count\n" + "".join(f"{seed},5\n" for seed in range(50))
        for row, message in rows_of(
            """
            1,0 | --points p.csv:52, column 2: flock.count is 0; it must be a whole number from 1 to 2147483647
            -1,5 | --points p.csv:52, column 1: seed is -1; it must be a whole number from 0 to 9007199254740992, or a string of digits up to 18446744073709551615
            1, | --points p.csv:52, column 2: flock.count is ""; it must be a whole number from 1 to 2147483647
            1 | p.csv:52: the row has 1 cell; it must have 2, as the header
            1,2,3 | p.csv:52: the row has 3 cells; it must have 2, as the header; a number has a decimal point: 0.5
            1,"2 | p.csv:52: a quoted cell is not followed by a comma or the end of the line
            1,"2"3 | p.csv:52: a quoted cell is not followed by a comma or the end of the line
            """
        ):
            self.refused(message, text=f"{good}{row}\n")
        self.write("p.csv", good + "\n\n1,05\n")
        self.assertIn("--points p.csv:54, column 2: ", self.sweep(status=2))

    def test_a_row_that_needs_too_much_memory_is_named_if_others_have_more_boids(self):
        need = []
        for count, arithmetic in ((4000000, "fixed"), (3900000, "float64")):
            said = self.run_boids(
                "-c small.json --check -v -t 1 -o none -s",
                f"flock.count={count}",
                "-s",
                f"arithmetic={arithmetic}",
                "-s output.observables=false",
            ).stderr
            need.append(float(said.split("take at least ")[1].split(" MB")[0]))
        self.assertGreater(need[1], need[0] * 1.1)
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (sum(need) / 2 * 1e6)
        large, small = int(4000000 * machine), int(3900000 * machine)
        self.write("p.csv", f"flock.count,arithmetic\n{large},fixed\n{small},float64\n")
        self.assertRegex(
            self.sweep("--check -s output.observables=false", status=2),
            rf"^boids: p\.csv:3: flock\.count is {small}; "
            r"that takes [\d.]+ GB of memory and this machine has [\d.]+ GB\n$",
        )

    def test_a_selection_of_no_boid_is_refused_only_if_frames_are_written(self):
        self.write("p.csv", "flock.count\n50\n5\n60\n")
        words = '--boids \'{"from": 10, "to": 30}\''
        for task in (("--check",), (), "--keep kept", "--keep kept2 -o none"):
            self.sweep(words, task)
            if task != ("--check",):
                self.assertEqual([row["status"] for row in self.rows()], ["done"] * 3)
                self.remove("t.csv")
        for task in (("--check",), ()):
            self.refused(
                'p.csv:3: --boids {"from": 10, "to": 30}: output.boids selects no boid; ids go from 0 to 4',
                words,
                "--keep kept3 -o .csv",
                task,
            )
        done = self.run_boids("-c small.json", words, "-s flock.count=5 -o none --summary -q")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_advice_is_to_remove_the_cause_of_a_failed_run_before_it_is_repeated(self):
        self.write("p.csv", "seed\n1\n2\n3\n")
        self.sweep("--keep kept")
        names = [row["kept"] for row in self.rows()]
        self.remove("t.csv")
        obstacle = self.path("kept", names[1] + ".observables.csv")
        os.remove(obstacle)
        os.mkdir(obstacle)
        said = self.sweep("--keep kept -q", status=1).splitlines()
        self.assertEqual(
            said,
            [
                f"boids: p.csv:3: kept/{names[1]}.observables.csv is a folder; an output is a file",
                "boids: 1 run failed; remove the cause, then repeat the command to run it again",
            ],
        )
        os.rmdir(obstacle)
        self.sweep("--keep kept -q")
        self.assertEqual([row["status"] for row in self.rows()], ["done"] * 3)

    def test_a_table_killed_at_its_first_byte_is_begun_again(self):
        self.write("t.csv", "seed")
        self.write("p.csv", "seed\n1\n")
        self.sweep()
        self.assertEqual(len(self.rows()), 1)

    def test_pipes_folders_and_links_to_nothing_with_the_name_of_a_table_are_refused(self):
        self.write("p.csv", "seed\n1\n")
        for name, plant, message in (
            ("t.csv.part", os.mkfifo, "is not a regular file"),
            ("t.csv.part", os.mkdir, "may not be written"),
            ("t.csv", os.mkdir, "is a folder"),
            ("t.csv", os.mkfifo, "is a stream"),
            ("t.csv", lambda path: os.symlink("nothing", path), "is a symbolic link"),
        ):
            plant(self.path(name))
            before = contents(self.folder)
            self.assertIn(f"boids: {name} {message}", self.sweep(status=2))
            self.assertEqual(contents(self.folder), before)
            (os.rmdir if plant is os.mkdir else os.remove)(self.path(name))

    def test_a_symbolic_link_to_a_table_stays_a_link(self):
        self.mkdir("far")
        open(self.path("far/away.csv"), "w").close()
        self.link("far/away.csv", "t.csv")
        self.write("p.csv", "seed\n2\n1\n")
        self.sweep()
        self.write("p.csv", "seed\n1\n2\n")
        self.sweep()
        self.assertEqual(
            (os.readlink(self.path("t.csv")), [row["seed"] for row in self.rows("far/away.csv")]),
            ("far/away.csv", ["1", "2"]),
        )
        self.assertEqual(os.listdir(self.path("far")), ["away.csv"])


class GoingOn(Case):
    def test_runs_in_the_table_are_not_repeated(self):
        self.write("p.csv", points_of(seed=list("123")))
        self.sweep()
        before = self.read()
        self.assertRegex(self.sweep(), "boids: 0 runs in 0 s, 0 failed, 3 already done; ")
        self.assertEqual(self.read(), before)

    def test_added_points_get_rows_in_their_order(self):
        self.write("p.csv", points_of(seed=list("246")))
        self.sweep()
        self.write("p.csv", points_of(seed=list("123456")))
        self.assertIn("3 runs in ", self.sweep())
        self.assertEqual(self.timeless(), self.table_of(points_of(seed=list("123456"))))
        self.assertEqual(sorted(self.names()), ["p.csv", "small.json", "t.csv"])

    def test_equal_points_are_one_run(self):
        for text, seeds, said in (
            (
                "seed\n1\n1\n2\n1\n",
                ["1", "2"],
                "2 rows repeat earlier ones (p.csv:3 repeats p.csv:2)",
            ),
            (
                'seed\n1\n01\n1.0\n"1e0"\n 1E0 \n3\n',
                ["1", "3"],
                "4 rows repeat earlier ones (p.csv:3 repeats p.csv:2)",
            ),
            (
                "seed,world.width\n5,600\n6,600\n5,6e2\n",
                ["5", "6"],
                "1 row repeats earlier ones (p.csv:4 repeats p.csv:2)",
            ),
            (
                'flock.init.speed,seed\n"[1, 2]",1\n"[1.0,2]",1\n',
                ["1"],
                "1 row repeats earlier ones (p.csv:3 repeats p.csv:2)",
            ),
            (
                'title,seed\na,1\nb,1\n"a",1\n',
                ["1", "1"],
                "1 row repeats earlier ones (p.csv:4 repeats p.csv:2)",
            ),
        ):
            with self.subTest(text=text):
                self.write("p.csv", text)
                said = f"boids: {said}; each run counts once\n"
                self.assertEqual(
                    self.sweep("--check"),
                    f"{said}boids: p.csv: {len(seeds)} run{'s' * (len(seeds) > 1)} "
                    f"{'are' if len(seeds) > 1 else 'is'} valid\n",
                )
                self.assertTrue(self.sweep().startswith(said))
                self.assertEqual([row["seed"] for row in self.rows()], seeds)
                self.assertIn(f" {len(seeds)} already done", self.sweep())
                self.remove("t.csv")

    def test_a_point_in_another_spelling_is_done(self):
        self.write("p.csv", "flock.cohesion.factor,seed\n5e-4,1\n0.0005,2\n")
        self.sweep()
        for text in (
            "flock.cohesion.factor,seed\n0.0005,1\n5E-4,2\n",
            "seed,flock.cohesion.factor\n2.0,0.00050\n01,50e-5\n",
            '"flock.cohesion.factor","seed"\r\n"0.0005","1e0"\r\n.0005,"2"\r\n',
        ):
            self.write("p.csv", text)
            self.assertIn(" 0 runs in 0 s, 0 failed, 2 already done", self.sweep())

    def test_a_table_rewritten_by_another_program_is_recognised(self):
        """What pandas, R and spreadsheets write: numbers in another spelling, cells that look like numbers as numbers, True, no null,
        another order of rows and columns, a column with the number of the row, and other line ends.
        """
        points = points_of(
            flock__cohesion__factor=["5e-4", "0.16514502903064698", "3"],
            flock__speed_noise=["0", "0", "0"],
            seed=["1", "2", "3"],
            flock__max_force=["null", "1", "2.5"],
        ).replace("flock.speed_noise", "flock.noise.eta")
        self.write("p.csv", points)
        self.sweep("-q")
        header, *rows = csv.reader(io.StringIO(self.read()))
        spelt = {
            "5e-4": "0.0005",
            "0.16514502903064698": "0.165145",
            "3": "3.0",
            "null": "",
            "1": "1.0",
        }
        rows = [[spelt.get(cell, cell) for cell in row] for row in rows]
        numbers = [
            [float(cell) if cell.replace("e", "", 1).isdigit() else cell for cell in row]
            for row in rows
        ]

        def as_text(header, rows, ends="\n", **more):
            out = io.StringIO()
            csv.writer(out, lineterminator=ends, **more).writerows([header, *rows])
            return out.getvalue().encode()

        for text in (
            as_text(header, rows),
            as_text(header, numbers),
            as_text(header, rows[::-1], "\r\n"),
            b"\xef\xbb\xbf" + as_text(header, rows, "\r\n"),
            as_text(
                header, [[cell or "NA" for cell in row] for row in rows], quoting=csv.QUOTE_ALL
            ),
            as_text(["", *header], [[str(i), *row] for i, row in enumerate(rows)]),
            as_text(header[::-1], [row[::-1] for row in rows]),
            as_text([*header, "mine"], [[*row, "x y"] for row in rows]),
        ):
            with self.subTest(text=text[:200]):
                self.write("t.csv", text)
                self.write("p.csv", points)
                self.assertIn("boids: 0 runs in 0 s, 0 failed, 3 already done", self.sweep())
                self.write("p.csv", points + "0.5,0,9,3\n")
                self.assertIn("1 run in ", self.sweep())
                with open(self.path("t.csv"), newline="", encoding="utf-8-sig") as file:
                    last = list(csv.DictReader(file))[-1]
                self.assertEqual(
                    (last["seed"], last["status"], last["flock.cohesion.factor"]),
                    ("9", "done", "0.5"),
                )
                self.assertEqual(float(last["final_polarization"]) > 0, True)

    def test_no_program_takes_the_hashes_that_identify_a_run_for_a_number(self):
        self.write("p.csv", points_of(seed=[str(i) for i in range(300)]))
        self.sweep("--keep kept -n 0")
        for row in self.rows():
            for column in ("config", "run", "kept"):
                self.assertRegex(row[column], r"\A[a-f][0-9a-f]{15}\Z")
        self.assertEqual(len({row["run"] for row in self.rows()}), 300)

    def test_rows_of_a_table_joined_with_itself_count_once(self):
        self.write("p.csv", points_of(seed=list("123")))
        self.sweep()
        header, *rows = self.read().splitlines(keepends=True)
        for text in (
            header + "".join(rows) * 3,
            header + "".join(rows + [header] + rows * 2),
            header + rows[0] + "".join(rows[::-1]) * 2 + rows[1],
        ):
            self.write("t.csv", text)
            said = self.sweep()
            count = text.count("\n") - 4 - text.count(header) + 1
            self.assertIn(
                f"boids: t.csv: {count} rows are of runs that have an earlier row; each run counts once\n",
                said,
            )
            self.assertIn(" 3 already done", said)

    def test_tables_of_the_parts_of_a_sweep_have_the_same_columns(self):
        """So that they can be joined line by line."""
        for key, values in (
            ("predators.count", "012"),
            ("flock.cohesion.radius", "09"),
            ("flock.separation.radius", "03"),
            ("flock.count", "19"),
            ("output.observables", ("true", '"[""milling""]"', "false")),
            ("flock.cohesion", ('"{""radius"": 0}"', "{}")),
            ("schedule", ("[]", '"[{""at"": 2, ""set"": {""flock.separation.radius"": 9}}]"')),
        ):
            headers = set()
            for value in values:
                self.write("p.csv", f"{key}\n{value}\n")
                self.sweep(*["-s flock.separation.radius=0"] * (key == "schedule"))
                headers.add(self.read().splitlines()[0])
                self.remove("t.csv")
            self.assertEqual(len(headers), 1, key)

    def test_a_table_of_another_sweep_that_lacks_columns_is_refused(self):
        self.write("p.csv", "seed\n1\n")
        self.sweep()
        before = self.read()
        self.assertEqual(
            self.sweep("-s predators.count=2", status=2),
            "boids: t.csv is not a table of this sweep: it has no column "
            "final_predator_distance; it is kept, give another --table\n",
        )
        self.assertEqual(self.read(), before)
        # With fewer observables than the table has columns, the others are empty.
        self.assertIn("1 run in", self.sweep("-s 'output.observables=[\"milling\"]'"))
        self.assertEqual(
            {(row["mean_polarization"] == "", row["mean_milling"] == "") for row in self.rows()},
            {(True, False), (False, False)},
        )
        self.check_whole()

    def test_a_table_keeps_the_columns_with_which_the_sweep_began(self):
        """A later version measures more: a column of which a part of the rows is empty is not added."""
        self.write("p.csv", points_of(seed=list("12")))
        self.sweep()
        header, *rows = csv.reader(io.StringIO(self.read()))
        kept = [i for i, name in enumerate(header) if not name.endswith(("_milling", "_spread"))]
        self.write(
            "t.csv", "".join(",".join(row[i] for i in kept) + "\n" for row in (header, rows[0]))
        )
        self.assertIn(
            "boids: t.csv has no columns of milling, spread; the sweep continues with the columns of the table\n",
            self.sweep(),
        )
        self.assertEqual(next(csv.reader(io.StringIO(self.read()))), [header[i] for i in kept])
        self.assertEqual([row["mean_flocks"] == "" for row in self.rows()], [False, False])
        self.check_whole()

    def test_another_configuration_adds_rows_to_the_same_table(self):
        self.write("p.csv", points_of(seed=list("12")))
        self.sweep()
        for more in ("--steps 7", "-s world.width=700", "-s output.every=3"):
            self.assertIn("2 runs in ", self.sweep(more))
        self.assertEqual(len({row["config"] for row in self.rows()}), 4)
        self.assertEqual(len(self.rows()), 8)

    def test_a_key_set_by_a_point_may_change_in_the_configuration(self):
        self.write("p.csv", points_of(flock__count=["5", "6"]))
        self.sweep()
        self.write("small.json", '{"flock": {"count": 99}, "title": "other", "steps": 20}')
        self.assertIn("2 already done", self.sweep())

    def test_runs_are_repeated_if_their_initial_state_was_edited(self):
        def write_state(name, x):
            self.write(name, f"id,type,x,y,vx,vy\n0,boid,{x},100,3,0\n1,boid,320,100,3,0\n")

        self.write("c.json", '{"steps": 3, "flock": {"init": {"file": "a.csv"}}}')
        for points, words in (
            (points_of(seed=list("12")), "-c c.json"),
            (points_of(seed=list("12")), ("--init", self.path("a.csv"))),
            (points_of(flock__init__file=[self.path("b.csv"), self.path("a.csv")]), ()),
            (points_of(flock__init=['{"file": "%s"}' % self.path("a.csv")]), ()),
        ):
            self.write("p.csv", points)
            write_state("a.csv", 300)
            write_state("b.csv", 310)
            self.sweep(words)
            count = len(self.rows())
            self.assertIn(f" {count} already done", self.sweep(words))
            hashes = {row["state_hash"] for row in self.rows()}
            write_state("a.csv", 305)
            self.assertNotIn("boids: 0 runs", self.sweep(words))
            self.assertGreater({row["state_hash"] for row in self.rows()}, hashes)
            self.remove("t.csv")

    def test_rows_of_another_version_count_while_results_are_the_same(self):
        self.write("p.csv", points_of(seed=list("12")))
        self.sweep()
        version = self.rows()[0]["version"]
        text = self.read().replace(version, "0.0 (old)")
        self.write("t.csv", text)
        self.assertIn("2 already done", self.sweep())
        self.assertEqual(self.read(), text)

    def test_rows_with_other_results_are_reported_and_kept(self):
        self.write("p.csv", points_of(seed=list("12")))
        self.sweep()
        row = self.rows()[0]
        text = self.read().replace(row["version"], "0.0 (old)").replace(row["config"], "0" * 16)
        for row in self.rows():
            text = text.replace(row["run"], "f" * 16)
        row = self.rows()[0]
        self.write("t.csv", text)
        said = self.sweep()
        self.assertIn(
            f"boids: t.csv: 2 rows are of other versions than {row['version']}; they are kept\n",
            said,
        )
        self.assertTrue(self.read().startswith(text))
        self.assertEqual(len(self.rows()), 4)

    def test_a_truncated_row_is_removed_and_its_run_repeated(self):
        points = points_of(flock__count=["5", "6", "7", "8"])
        self.write("p.csv", points)
        self.sweep()
        whole = self.read()
        wanted = self.table_of(points)
        lines = whole.splitlines(keepends=True)
        for spoilt in (
            whole[:-1],
            whole[:-20],
            "".join(lines[:2]) + lines[2][:30] + "".join(lines[3:]),
            lines[0],
            lines[0][:5],
            "".join(lines[:2]) + lines[2][:-1] + "\0\n" + "".join(lines[3:]),
        ):
            self.write("t.csv", spoilt)
            said = self.sweep()
            self.assertEqual(
                "boids: t.csv: rows that were cut short are ignored\n" in said,
                len(spoilt) > len(lines[0]),
            )
            self.assertEqual(self.timeless(), wanted)

    def test_files_left_by_a_killed_sweep_are_ignored(self):
        self.write("t.csv.part", "half a ta")
        self.write("p.csv", points_of(seed=list("21")))
        self.sweep()
        self.write("p.csv", points_of(seed=list("12")))
        self.sweep()
        self.assertEqual([row["seed"] for row in self.rows()], list("12"))
        self.assertNotIn("t.csv.part", self.names())


class Trouble(Case):
    """Kills, interrupts, full disks, and several sweeps on one table."""

    def begin(self, points, *words):
        self.write("p.csv", points)
        process = subprocess.Popen(
            [BOIDS, *self.command(words)],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for_rows(self, n, process):
        while process.poll() is None and (
            not self.exists("t.csv") or self.read().count("\n") < n + 1
        ):
            time.sleep(0.005)

    def test_a_sweep_killed_twenty_times_ends_with_the_same_table(self):
        """A last run without an end keeps the sweep running until it is killed; the final sweep does not have that run."""
        points = points_of(flock__count=[str(5 + i) for i in range(200)], steps=["200"] * 200)
        wanted = self.table_of(points)
        for kill in range(20):
            process = self.begin(points + f"5,{ENDLESS}\n", "-t 2")
            self.wait_for_rows(9 * (kill + 1), process)
            process.kill()
            process.communicate()
            self.assertEqual(process.returncode, -signal.SIGKILL)
            self.check_whole(is_killed=True)
        self.write("p.csv", points)
        self.sweep()
        self.assertEqual(self.timeless(), wanted)
        self.assertEqual(sorted(self.names()), ["p.csv", "small.json", "t.csv"])

    def test_a_table_killed_at_any_write_has_only_complete_rows(self):
        try:
            shim = build_shim(type(self), "trajectory/kill_at.c")
        except (OSError, subprocess.CalledProcessError) as reason:
            self.skipTest("nothing can be loaded before the C library here: %s" % reason)
        preload = {**os.environ, "LD_PRELOAD": shim, "ASAN_OPTIONS": ASAN_PRELOAD}
        points = points_of(seed=list("123456"))
        wanted = self.table_of(points)
        # Rows that must be sorted at the end, so that the writes include a rename.
        self.write("p.csv", points_of(seed=list("35")))
        self.sweep("-q")
        half = self.read()
        self.write("p.csv", points)
        for write in range(1, 100):
            self.write("t.csv", half)
            done = self.run_boids(*self.command("-q"), env={**preload, "KILL_AT": str(write)})
            self.check_whole()
            self.sweep("-q")
            self.assertEqual(self.timeless(), wanted, f"killed at write {write}")
            if done.returncode == 0:
                break
            self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        self.assertGreater(write, 4)
        self.assertEqual(done.returncode, 0)

    def test_an_interrupted_sweep_reports_it_and_can_be_continued(self):
        points = points_of(steps=["30", "40", ENDLESS, "50", "60", ENDLESS], seed=list("123456"))
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.begin(points, "-t 2")
            self.wait_for_rows(2, process)
            process.send_signal(number)
            said = process.communicate()[1]
            self.assertEqual(
                (process.returncode, said),
                (
                    status,
                    "boids: stopped; repeat the command to do the runs that are missing in t.csv\n",
                ),
            )
            self.check_whole()
            done = [row["steps"] for row in self.rows()]
            self.assertEqual(done[:2], ["30", "40"])
            self.assertNotIn(ENDLESS, done)
            self.write("p.csv", points.replace(ENDLESS, "70"))
            said = self.sweep()
            self.assertIn(f" {len(done)} already done", said)
            self.assertEqual(self.timeless(), self.table_of(points.replace(ENDLESS, "70")))
            self.remove("t.csv")

    def test_the_rows_of_a_stopped_sweep_are_in_the_order_of_the_points(self):
        process = self.begin(points_of(steps=["200000", "5", ENDLESS]), "-t 2")
        self.wait_for_rows(2, process)
        process.send_signal(signal.SIGTERM)
        process.communicate()
        self.assertEqual([row["steps"] for row in self.rows()], ["200000", "5"])

    def test_a_sweep_ended_by_a_time_limit_can_be_continued(self):
        points = points_of(steps=["30", ENDLESS])
        self.write("p.csv", points)
        said = self.sweep("--max-seconds 0.5 -t 2")
        self.assertEqual(
            said, "boids: stopped; repeat the command to do the runs that are missing in t.csv\n"
        )
        self.assertEqual([row["steps"] for row in self.rows()], ["30"])
        self.write("p.csv", points.replace(ENDLESS, "70"))
        self.assertIn(" 1 already done", self.sweep())

    def test_rows_do_not_wait_for_a_long_run_before_them(self):
        """A failed run prints its error at once; the run before it has ended, because one thread runs both."""
        self.write("small.json", RUNAWAY)
        self.write("i.csv", RUNAWAY_STATE)
        process = self.begin(
            points_of(steps=[ENDLESS, "30", "40"], arithmetic=["float64", "float64", "float32"]),
            "-t 2",
        )
        self.assertRegex(process.stderr.readline(), r"^boids: p\.csv:4: ")
        self.assertEqual(self.rows()[0]["steps"], "30")
        process.send_signal(signal.SIGTERM)
        process.communicate()
        self.assertEqual(process.returncode, 143)
        self.assertEqual(
            [(row["steps"], row["status"]) for row in self.rows()],
            [("30", "done"), ("40", "failed")],
        )

    def test_a_table_is_written_by_one_sweep_at_a_time(self):
        process = self.begin(points_of(steps=["5", ENDLESS]), "-t 1")
        self.wait_for_rows(1, process)
        before = self.read()
        for _ in range(2):
            self.assertEqual(self.sweep(status=2), "boids: t.csv is being written by another run\n")
        self.assertEqual(self.read(), before)
        process.terminate()
        process.communicate()
        self.assertEqual((process.returncode, len(self.rows())), (143, 1))

    def test_three_sweeps_at_once_on_one_table_are_refused_or_correct(self):
        points = points_of(seed=[str(i) for i in range(40)])
        wanted = self.table_of(points)
        self.write("p.csv", points)
        for _ in range(5):
            processes = [
                subprocess.Popen(
                    [BOIDS, *self.command()],
                    cwd=self.folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                for _ in range(3)
            ]
            ends = [(process.communicate()[1], process.returncode) for process in processes]
            for said, status in ends:
                self.assertIn(status, (0, 2), said)
                if status == 2:  # t.csv.part: while the other sweep sorts the rows
                    self.assertRegex(
                        said, r"\Aboids: t\.csv(\.part)? is being written by another run\n\Z"
                    )
            self.assertIn(0, [status for _, status in ends])
            self.assertEqual(self.timeless(), wanted)
            self.remove("t.csv")

    def test_a_full_disk_is_reported_and_the_sweep_can_be_continued(self):
        """A limit on the size of files simulates a full disk: the table has space for three and a half rows."""
        points = points_of(seed=list("123456"))
        wanted = self.table_of(points)
        self.write("p.csv", points)
        lines = wanted.splitlines(keepends=True)
        room = sum(map(len, lines[:4])) + 60 + len(lines[4]) // 2

        def little_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

        said = self.sweep(status=1, preexec_fn=little_room)
        self.assertEqual(
            said, "boids: t.csv: File too large; repeat the command to do the missing runs\n"
        )
        self.check_whole()
        self.assertEqual(len(self.rows()), 3)
        self.assertIn("3 already done", self.sweep())
        self.assertEqual(self.timeless(), wanted)

    def test_a_table_replaced_during_a_sweep_is_not_overwritten(self):
        process = self.begin(points_of(steps=["5", "200000", "6"]), "-t 1")
        self.wait_for_rows(1, process)
        self.rename("t.csv", "mine.csv")
        self.write("t.csv", "theirs")
        said = process.communicate()[1]
        self.assertEqual((process.returncode, self.read()), (1, "theirs"))
        self.assertEqual(
            said,
            "boids: t.csv is no longer the file that this sweep writes: another program replaced it\n",
        )


if __name__ == "__main__":
    unittest.main()
