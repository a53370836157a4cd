"""Tables of runs: --points and --table.

A row is compared with --summary of the same run. The table of a sweep that was killed, interrupted or met a full disk is compared
with that of an undisturbed sweep. BOIDS is the program, default ./boids.
"""

import csv
import fcntl
import io
import os
import re
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
    ENDINGS,
    Folder,
    build_shim,
    contents,
    csv_rows,
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
# Three points.
SEEDS = "seed\n1\n2\n3\n"


def points_of(header, rows):
    """The text of a table; points_of("seed", "123") has the rows 1, 2 and 3."""
    return "".join(line + "\n" for line in (header, *rows))


class Case(Folder):
    def setUp(self):
        super().setUp()
        self.write("small.json", SMALL)

    def read(self, name="t.csv"):
        return super().read(name)

    def rows(self, name="t.csv"):
        return csv_rows(self.read(name))

    def column(self, name, table="t.csv"):
        return [row[name] for row in self.rows(table)]

    def command(self, *words):
        return split_words(("-c small.json --points p.csv --table t.csv", words))

    def sweep(self, *words, points=None, status=0, prints="", **more):
        """Standard error of a sweep, which has to end with `status` and print a text. `points` is the text of p.csv, unless it
        is there."""
        if points is not None:
            self.write("p.csv", points)
        ended, out, said = self.ended(*self.command(words), **more)
        self.assertEqual((ended, out), (status, ""), said)
        self.assertIn(prints, said)
        return said

    def begin(self, points, *words):
        """A sweep that runs."""
        self.write("p.csv", points)
        return self.start(*self.command(words))

    def wait_for_rows(self, n, process):
        while process.poll() is None and (
            not self.exists("t.csv") or self.read().count("\n") < n + 1
        ):
            time.sleep(0.005)

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
        header, *lines = self.read(name).splitlines(keepends=True)
        at = header.split(",").index("wall_seconds")
        for i, line in enumerate(lines):
            seconds = next(csv.reader([line]))[at]
            lines[i] = line.replace(f",{seconds},", ",S,", 1)
        return header + "".join(lines)

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
        cells = [(factor, seed) for factor, seed in zip(("0.0005", "0.005"), "17")]
        points = points_of("flock.cohesion.factor,seed", map(",".join, cells))
        self.assertRegex(
            self.sweep(words, points=points),
            r"^boids: 2 runs in \d+ s, 0 failed, 0 already done; t\.csv\n$",
        )
        for row, (factor, seed) in zip(self.rows(), cells, strict=True):
            summary = self.json(
                ("-c small.json -o none --summary -q --seed", seed, words),
                "-s",
                "flock.cohesion.factor=" + factor,
            )
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
            for name in ("binder", "susceptibility", "averaged_steps"):
                reported[name] = summary[name]
            for name in ("autocorrelation_time", "drift"):
                reported[name] = summary[name].get("polarization")
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
        for header, begin in (
            ("steps,flock.count", "steps,flock.count,seed"),
            ("seed,flock.count", "seed,flock.count"),
        ):
            self.sweep(points=points_of(header, ["3,5"]))
            results = "config,version,status,wall_seconds,state_hash,run,final_polarization,"
            self.assertTrue(self.read().startswith(f"{begin},{results}"), self.read())
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
                self.sweep("-n 3", words, points=points.replace("/", "\n") + "\n")
                row = self.rows()[-1]
                for name in columns.split():
                    self.assertEqual(name.strip("-") in row, name[0] != "-", name)
                self.remove("t.csv")

    def test_rows_are_in_the_order_of_the_points(self):
        points = "steps,seed\n900,6\n1,5\n2,4\n300,3\n1,2\n0,1\n"
        self.sweep("-t 3", points=points)
        self.assertEqual(self.column("seed"), list("654321"))

    def test_threads_change_nothing(self):
        points = points_of("flock.count", ["5", "60", "7", "80", "9", "100"])
        self.assertEqual(self.table_of(points, "-t 1"), self.table_of(points, "-t 4"))

    def test_points_written_by_spreadsheets_are_read(self):
        wanted = self.table_of('flock.init.speed,seed\n"[1, 2]",1\n"[1, 2]",2\n')
        for text in (
            '\ufeff"flock.init.speed","seed"\r\n"[1, 2]","1"\r\n"[1, 2]","2"\r\n',
            'flock.init.speed, seed\n\n"[1, 2]" , 1\n"[1, 2]",2',
        ):
            self.assertEqual(self.table_of(text), wanted)

    def test_points_are_read_from_a_pipe(self):
        self.sweep(points=SEEDS)
        wanted = self.timeless()
        self.remove("t.csv")
        words = "-c small.json --points - --table t.csv"
        self.assertEqual(self.ended(words, input=SEEDS.encode())[:2], (0, ""))
        self.assertEqual(self.timeless(), wanted)

    def test_sections_margins_and_texts_are_columns(self):
        points = (
            "flock.init,world.margin.top,world.margin,title\n"
            '"{""velocity"": ""heading""}",9,"{""left"": 20}",a\n{},5,30,"b, ""c"""\n'
        )
        speed = "-s flock.init.speed=[2,3]"
        self.sweep(speed, points=points)
        hashes = [
            self.json("-c small.json -o none --summary -q", speed, words)["state_hash"]
            for words in (
                """-s 'flock.init={"velocity": "heading"}' -s 'world.margin={"left": 20}' -s world.margin.top=9""",
                "-s flock.init={} -s world.margin=30 -s world.margin.top=5",
            )
        ]
        self.assertEqual(self.column("state_hash"), hashes)
        self.assertEqual(self.column("title"), ["a", 'b, "c"'])
        self.sweep(speed, prints="2 already done")

    def test_a_failed_run_has_a_row_and_stops_no_other_run(self):
        self.write("i.csv", RUNAWAY_STATE)
        self.write("c.json", RUNAWAY)
        points = "arithmetic,seed\nfloat32,1\nfloat64,2\nfloat32,3\n"
        said = self.sweep("-c c.json -n 30", points=points)
        self.assertRegex(said, r"boids: p\.csv:2: step \d+: .*\n")
        self.assertRegex(said, r"3 runs in \d+ s, 2 failed, 0 already done")
        self.check_whole()
        self.assertEqual(self.column("status"), ["failed", "done", "failed"])
        row = self.rows()[0]
        self.assertLessEqual({"mean_polarization", "state_hash", "binder"}, row.keys())
        results = r"state_hash|(final|mean|sd|error)_|binder|suscept"
        self.assertEqual({row[name] for name in row if re.match(results, name)}, {""})
        self.sweep("-c c.json -n 30", prints="0 runs in")
        self.remove("t.csv")
        points, said = points.replace("64", "32"), "boids: all runs failed: 3 of 3\n"
        self.sweep("-c c.json -n 30", points=points, status=1, prints=said)
        self.assertEqual(self.column("status"), ["failed"] * 3)

    def test_a_carriage_return_in_a_text_keeps_the_row_whole(self):
        self.sweep(points=b"title,seed\nx\ry,3\n")
        with open(self.path("t.csv"), newline="", encoding="utf-8") as file:
            (row,) = csv.DictReader(file)
        self.assertEqual((row["title"], row["seed"], row["status"]), ("x\ry", "3", "done"))

    def test_check_reads_all_points_and_runs_nothing(self):
        said = self.sweep("--check", points=SEEDS)
        self.assertEqual(said, "boids: p.csv: 3 runs are valid\n")
        self.assertNotIn("t.csv", self.names())


@finds_leaks
class Keep(Case):
    """Files of the runs, in addition to the rows."""

    def kept(self, folder="kept"):
        return {name: self.bytes(f"{folder}/{name}") for name in self.names(folder)}

    def test_kept_files_equal_those_of_a_single_run(self):
        self.sweep("--keep kept -o .h5 -o .csv -o none", points="flock.count,seed\n5,1\n9,7\n")
        wanted = {}
        for row in self.rows():
            words = ("-s", "flock.count=" + row["flock.count"], "--seed", row["seed"])
            self.good("-c small.json", words, "-o a.h5 -o a.csv --observables o.csv")
            for name, ending in (("a.h5", ".h5"), ("a.csv", ".csv"), ("o.csv", ".observables.csv")):
                wanted[row["kept"] + ending] = self.bytes(name)
        self.assertEqual(len(wanted), 6)
        self.assertEqual(self.kept(), wanted)

    def test_keep_without_an_ending_writes_observables_only(self):
        self.sweep("--keep kept", points="seed\n3\n")
        self.assertEqual(list(self.kept()), [self.rows()[0]["kept"] + ".observables.csv"])

    def test_threads_and_equal_points_change_no_file(self):
        points = points_of("seed,title", [*(f"{seed},a" for seed in "111122233"), "4,b"])
        for threads in "14":
            self.sweep("--keep", "kept" + threads, "-o .h5 -t", threads, points=points)
            self.rename("t.csv", f"t{threads}.csv")
        self.assertEqual(self.timeless("t1.csv"), self.timeless("t4.csv"))
        self.assertEqual(len(self.kept("kept1")), 8)
        self.assertEqual(self.kept("kept1"), self.kept("kept4"))

    def test_the_name_of_a_kept_file_depends_on_the_configuration_only(self):
        def names(points, words=()):
            self.sweep("--keep kept", words, points=points)
            found = self.column("kept")
            self.remove("t.csv")
            return found

        one, other = names("flock.count,seed\n5,3\n5,4\n")
        self.assertNotEqual(one, other)
        self.assertEqual(names("seed\n3\n", "-s flock.count=5"), [one])
        self.assertEqual(names("flock.count\n5.0e0\n", "--seed 3"), [one])
        begun = []
        for x in (300, 301):
            self.write("i.csv", f"id,type,x,y,vx,vy\n0,boid,{x},100,3,0\n")
            begun.append(names("seed\n3\n", "--init i.csv"))
        self.assertNotEqual(*begun)

    def test_titles_have_their_own_files_and_other_texts_do_not(self):
        """A title distinguishes points. Equal states in files of two names, and $schema, make equal runs. Each row: the points, with /
        for a new line, and the number of runs."""
        self.write("i.csv", "id,type,x,y,vx,vy\n0,boid,300,100,3,0\n")
        self.copy("i.csv", "j.csv")
        for points, runs in rows_of(
            """
            title,seed/one,1/two,1/,1 | 3
            $schema/a/b/c | 1
            flock.init.file,title/i.csv,a/j.csv,a/i.csv,b | 2
            flock.init,title/"{""file"": ""i.csv""}",a/"{""file"": ""j.csv""}",a/"{""file"": ""i.csv""}",b | 2
            """
        ):
            with self.subTest(points=points):
                words = "--keep kept -o .h5 -o .csv"
                self.sweep(words, points=points.replace("/", "\n") + "\n")
                names = {*self.column("kept")}
                self.assertEqual(len(names), int(runs))
                for ending, count in ("h5", len(names)), ("csv", 1):
                    files = {self.bytes(f"kept/{name}.{ending}") for name in names}
                    self.assertEqual(len(files), count)
                self.sweep(words)
                self.remove("t.csv")

    def test_a_failed_run_keeps_its_earlier_frames(self):
        self.write("i.csv", RUNAWAY_STATE)
        self.write("c.json", RUNAWAY)
        words = "-c c.json -n 30 -s arithmetic=float32 --keep kept"
        self.sweep(words, points="seed\n1\n", status=1)
        (row,) = self.rows()
        self.assertEqual(row["status"], "failed")
        self.assertEqual(list(self.kept()), [row["kept"] + ".observables.csv.part"])

    def test_a_killed_and_repeated_sweep_leaves_the_same_folder(self):
        """The sweep is killed in a run without an end; the test removes the incomplete files of that run."""
        points = points_of("flock.count,steps", (f"{5 + i},50" for i in range(12)))
        words = "--keep kept -o .h5 -s output.flush_seconds=0"
        self.sweep(words, points=points)
        wanted = self.kept()
        for name in wanted:
            self.remove("kept/" + name)
        self.remove("t.csv")
        for rows in (1, 4, 12):
            process = self.begin(f"{points}5,{ENDLESS}\n", "-t 2", words)
            self.wait_for_rows(rows, process)
            process.kill()
            process.wait()
        endless = {name for name in self.kept() if name.removesuffix(".part") not in wanted}
        self.assertLessEqual(len(endless), 2)
        for name in endless:
            self.assertTrue(name.endswith(".part"))
            self.remove("kept/" + name)
        self.sweep(words, points=points)
        self.assertEqual(self.kept(), wanted)

    def test_a_run_whose_file_is_in_use_has_no_row_and_stops_no_other_run(self):
        self.sweep("--keep kept", points="seed\n1\n")
        self.remove("t.csv")
        name = f"kept/{self.names('kept')[0]}.part"
        with open(self.path(name), "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            said = self.sweep("--keep kept", points=SEEDS, status=1)
        self.assertRegex(
            said,
            rf"\Aboids: p.csv:2: {name} is being written by another run\nboids: 3 runs in .*1 failed.*\n"
            r"boids: 1 run failed; remove the cause, then repeat the command to run it again\n\Z",
        )
        self.assertEqual(self.column("seed"), ["2", "3"])
        self.sweep("--keep kept")
        self.assertEqual(self.column("seed"), ["1", "2", "3"])

    def test_two_sweeps_do_not_share_a_folder(self):
        self.mkdir("kept")
        folder = os.open(self.path("kept"), os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        self.assertEqual(
            self.sweep("--keep kept", points="seed\n1\n", status=2),
            "boids: --keep kept is in use by another sweep; wait for it, or give another folder\n",
        )
        os.close(folder)
        self.sweep("--keep kept")

    def test_a_frame_that_no_output_can_store_is_refused_before_any_run(self):
        for points, ending, said in (
            (
                'seed,output.boids\n1,all\n2,"{""from"": 50, ""to"": 60}"\n',
                ".h5",
                r"--points p.csv:3, column 2: output.boids selects no boid; ids go from 0 to \d+",
            ),
            (
                'seed,output.fields\n1,"[""position""]"\n2,"[""velocity""]"\n',
                ".xyz",
                "p.csv:3: output.fields has no position, which XYZ needs; write .xyz as CSV or HDF5",
            ),
        ):
            self.assertRegex(
                self.sweep("--keep kept -o", ending, points=points, status=2),
                rf"\Aboids: {said}\n\Z",
            )
            self.assertFalse(self.exists("t.csv"))
        self.sweep("--keep kept -o .h5")

    def test_a_format_that_cannot_be_kept_is_refused(self):
        self.write("p.csv", "seed\n1\n")
        self.write("file", "")
        endings = f".{', .'.join(ENDINGS[:-1])} or .{ENDINGS[-1]}"
        for words, message in rows_of(
            """
            --keep file                      | --keep file is a file; it must be a folder
            --keep no/folder                 | --keep no/folder: No such file or directory
            --keep k -o a.h5                 | --output a.h5:
            --keep k -o .dat                 | --output .dat:
            --keep k -o ./h5                 | --output ./h5:
            --keep k -o .observables.csv     | --output .observables.csv:
            --keep k -o .a.h5                | --output .a.h5:
            --keep k -o .d/x.csv             | --output .d/x.csv:
            --keep k -o .h5 -o .h5           | --output .h5 is given twice; give it once
            """
        ):
            if message.endswith(":"):
                message += f" with --keep k it must be only a file extension: {endings}"
            self.refused(message, *self.command(words))
        self.refused(
            "--keep k keeps files of the runs of a table and needs --points FILE.csv",
            "-c small.json --keep k -o none",
        )

    def test_a_table_begun_with_or_without_keep_stays_so(self):
        keep = "--keep kept"
        for first, then, begun in ((), keep, "without"), (keep, (), "with"):
            self.sweep(first, points="seed\n1\n")
            self.assertRegex(
                self.sweep(then, status=2),
                rf"^boids: t\.csv is not a table of this sweep.*it was begun {begun} --keep; it is kept, give another --table",
            )
            self.remove("t.csv")
            self.assertEqual(os.path.exists(self.path("kept")), begun == "with")

    def test_a_table_of_other_keys_or_without_an_important_column_is_refused(self):
        self.sweep(points="seed\n1\n")
        header, row = self.lines("t.csv")
        for columns, cells, why in (
            (
                f"flock.count,{header}",
                f"5,{row}",
                "has a column that the points do not have: flock.count",
            ),
            (f"{header},world", f"{row},1", "has a column that the points do not have: world"),
            (header.replace(",status,", ",state,"), row, "has no column status"),
            (header.replace("seed", "seeds"), row, "has no column seed"),
            (header.replace("wall_seconds,", ""), row, "has no column wall_seconds"),
            (header.replace(",run,", ","), row, "has no column run"),
        ):
            self.write("t.csv", f"{columns}\n{cells}\n")
            said = f"t.csv is not a table of this sweep: it {why}; it is kept, give another --table"
            self.refused(said, *self.command())
        self.write("t.csv", f"{header}\n{row}\n".replace(",", ";"))
        self.refused("t.csv:1: semicolons separate its cells; they must be commas", *self.command())


class Refusals(Case):
    def test_points_without_rows_are_no_work_and_their_table_joins_the_others(self):
        self.write("i.csv", "id,type,x,y,vx,vy\n0,boid,1,1,3,3\n1,predator,9,9,3,3\n")
        for words in ((), "-s flock.init.file=i.csv"):
            self.sweep(words, points="steps,seed\n5,1\n")
            header = self.read().splitlines(keepends=True)[0]
            for text in ("steps,seed\n", "steps,seed", "steps,seed\n\n \n"):
                self.remove("t.csv")
                self.sweep(
                    words,
                    points=text,
                    prints="p.csv has no rows after its header; nothing is run\n",
                )
                self.assertEqual(self.read(), header)
            self.remove("t.csv")

    def test_a_wrong_value_is_refused_with_its_place_before_any_run(self):
        good = points_of("seed,flock.count", (f"{seed},5" for seed in range(50)))
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
            self.write("p.csv", f"{good}{row}\n")
            self.refused(message, *self.command())
        self.sweep(points=good + "\n\n1,05\n", status=2, prints="--points p.csv:54, column 2: ")

    def test_a_row_that_needs_too_much_memory_is_named_if_others_have_more_boids(self):
        need = []
        for count, arithmetic in ((4000000, "fixed"), (3900000, "float64")):
            words = f"-s flock.count={count} -s arithmetic={arithmetic} -s output.observables=false"
            said = self.ended("-c small.json --check -v -t 1 -o none", words)[2]
            need.append(float(re.search("take at least (.*) MB", said)[1]))
        self.assertGreater(need[1], need[0] * 1.1)
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (sum(need) / 2 * 1e6)
        large, small = int(4000000 * machine), int(3900000 * machine)
        points = f"flock.count,arithmetic\n{large},fixed\n{small},float64\n"
        self.assertRegex(
            self.sweep("--check -s output.observables=false", points=points, status=2),
            rf"^boids: p\.csv:3: flock\.count is {small}; "
            r"that takes [\d.]+ GB of memory and this machine has [\d.]+ GB\n$",
        )

    def test_a_selection_of_no_boid_is_refused_only_if_frames_are_written(self):
        words = '--boids \'{"from": 10, "to": 30}\''
        self.write("p.csv", "flock.count\n50\n5\n60\n")
        self.sweep(words, "--check")
        for task in ((), "--keep kept", "--keep kept2 -o none"):
            self.sweep(words, task)
            self.assertEqual(self.column("status"), ["done"] * 3)
            self.remove("t.csv")
        for task in ((), "--check"):
            self.refused(
                'p.csv:3: --boids {"from": 10, "to": 30}: output.boids selects no boid; ids go from 0 to 4',
                *self.command(words, "--keep kept3 -o .csv", task),
            )
        self.good("-c small.json", words, "-s flock.count=5 -o none --summary -q")

    def test_the_advice_is_to_remove_the_cause_of_a_failed_run_before_it_is_repeated(self):
        self.sweep("--keep kept", points=SEEDS)
        obstacle = f"kept/{self.column('kept')[1]}.observables.csv"
        for name in ("t.csv", obstacle):
            self.remove(name)
        self.mkdir(obstacle)
        self.assertEqual(
            self.sweep("--keep kept -q", status=1),
            f"boids: p.csv:3: {obstacle} is a folder; an output is a file\n"
            "boids: 1 run failed; remove the cause, then repeat the command to run it again\n",
        )
        os.rmdir(self.path(obstacle))
        self.sweep("--keep kept -q")
        self.assertEqual(self.column("status"), ["done"] * 3)

    def test_a_table_killed_at_its_first_byte_is_begun_again(self):
        self.write("t.csv", "seed")
        self.sweep(points="seed\n1\n")
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
            self.sweep(status=2, prints=f"boids: {name} {message}")
            self.assertEqual(contents(self.folder), before)
            (os.rmdir if plant is os.mkdir else os.remove)(self.path(name))

    def test_a_symbolic_link_to_a_table_stays_a_link(self):
        self.mkdir("far")
        self.write("far/away.csv", "")
        self.link("far/away.csv", "t.csv")
        for seeds in ("21", "12"):
            self.sweep(points=points_of("seed", seeds))
        self.assertEqual(os.readlink(self.path("t.csv")), "far/away.csv")
        self.assertEqual(self.column("seed", "far/away.csv"), ["1", "2"])
        self.holds("away.csv", "far")


class GoingOn(Case):
    def test_runs_in_the_table_are_not_repeated(self):
        self.sweep(points=SEEDS)
        before = self.read()
        self.assertRegex(self.sweep(), "boids: 0 runs in 0 s, 0 failed, 3 already done; ")
        self.assertEqual(self.read(), before)

    def test_added_points_get_rows_in_their_order(self):
        self.sweep(points=points_of("seed", "246"))
        six = points_of("seed", "123456")
        self.sweep(points=six, prints="3 runs in ")
        self.holds("p.csv small.json t.csv")
        self.assertEqual(self.timeless(), self.table_of(six))

    def test_equal_points_are_one_run(self):
        """Each row: the points, with / for a new line, the seeds that are run, and what is said."""
        for points, seeds, said in rows_of(
            """
            seed/1/1/2/1 | 12 | 2 rows repeat earlier ones (p.csv:3 repeats p.csv:2)
            seed/1/01/1.0/"1e0"/ 1E0 /3 | 13 | 4 rows repeat earlier ones (p.csv:3 repeats p.csv:2)
            seed,world.width/5,600/6,600/5,6e2 | 56 | 1 row repeats earlier ones (p.csv:4 repeats p.csv:2)
            flock.init.speed,seed/"[1, 2]",1/"[1.0,2]",1 | 1 | 1 row repeats earlier ones (p.csv:3 repeats p.csv:2)
            title,seed/a,1/b,1/"a",1 | 11 | 1 row repeats earlier ones (p.csv:4 repeats p.csv:2)
            """
        ):
            with self.subTest(points=points):
                said = f"boids: {said}; each run counts once\n"
                runs = f"{len(seeds)} runs are" if len(seeds) > 1 else "1 run is"
                self.assertEqual(
                    self.sweep("--check", points=points.replace("/", "\n") + "\n"),
                    f"{said}boids: p.csv: {runs} valid\n",
                )
                self.assertTrue(self.sweep().startswith(said))
                self.assertEqual(self.column("seed"), list(seeds))
                self.sweep(prints=f" {len(seeds)} already done")
                self.remove("t.csv")

    def test_a_point_in_another_spelling_is_done(self):
        self.sweep(points="flock.cohesion.factor,seed\n5e-4,1\n0.0005,2\n")
        for text in (
            "flock.cohesion.factor,seed\n0.0005,1\n5E-4,2\n",
            "seed,flock.cohesion.factor\n2.0,0.00050\n01,50e-5\n",
            '"flock.cohesion.factor","seed"\r\n"0.0005","1e0"\r\n.0005,"2"\r\n',
        ):
            self.sweep(points=text, prints=" 0 runs in 0 s, 0 failed, 2 already done")

    def test_a_table_rewritten_by_another_program_is_recognised(self):
        """What pandas, R and spreadsheets write: numbers in another spelling, cells that look like numbers as numbers, True, no null,
        another order of rows and columns, a column with the number of the row, and other line ends.
        """
        points = (
            "flock.cohesion.factor,flock.noise.eta,seed,flock.max_force\n"
            "5e-4,0,1,null\n0.16514502903064698,0,2,1\n3,0,3,2.5\n"
        )
        self.sweep("-q", points=points)
        header, *rows = csv.reader(io.StringIO(self.read()))
        spelt = {"5e-4": "0.0005", "0.16514502903064698": "0.165145", "3": "3.0", "1": "1.0"}
        spelt["null"] = ""
        rows = [[spelt.get(cell, cell) for cell in row] for row in rows]

        def as_text(header, rows, ends="\n", **more):
            out = io.StringIO()
            csv.writer(out, lineterminator=ends, **more).writerows([header, *rows])
            return out.getvalue()

        def each(change):
            return [[change(cell) for cell in row] for row in rows]

        for text in (
            as_text(header, rows),
            as_text(
                header,
                each(lambda cell: float(cell) if cell.replace("e", "", 1).isdigit() else cell),
            ),
            as_text(header, rows[::-1], "\r\n"),
            "\ufeff" + as_text(header, rows, "\r\n"),
            as_text(header, each(lambda cell: cell or "NA"), quoting=csv.QUOTE_ALL),
            as_text(["", *header], [[str(i), *row] for i, row in enumerate(rows)]),
            as_text(header[::-1], [row[::-1] for row in rows]),
            as_text([*header, "mine"], [[*row, "x y"] for row in rows]),
        ):
            with self.subTest(text=text[:200]):
                self.write("t.csv", text)
                self.sweep(points=points, prints="boids: 0 runs in 0 s, 0 failed, 3 already done")
                self.sweep(points=points + "0.5,0,9,3\n", prints="1 run in ")
                last = csv_rows(self.read().removeprefix("\ufeff"))[-1]
                found = [last[name] for name in ("seed", "status", "flock.cohesion.factor")]
                self.assertEqual(found, ["9", "done", "0.5"])
                self.assertGreater(float(last["final_polarization"]), 0)

    def test_no_program_takes_the_hashes_that_identify_a_run_for_a_number(self):
        self.sweep("--keep kept -n 0", points=points_of("seed", map(str, range(300))))
        for column in ("config", "run", "kept"):
            for cell in self.column(column):
                self.assertRegex(cell, r"\A[a-f][0-9a-f]{15}\Z")
        self.assertEqual(len({*self.column("run")}), 300)

    def test_rows_of_a_table_joined_with_itself_count_once(self):
        self.sweep(points=SEEDS)
        header, *rows = self.read().splitlines(keepends=True)
        for lines in (
            rows * 3,
            [*rows, header, *rows, *rows],
            [rows[0], *rows[::-1], *rows[::-1], rows[1]],
        ):
            self.write("t.csv", header + "".join(lines))
            count = len(lines) - lines.count(header) - 3
            said = f"boids: t.csv: {count} rows are of runs that have an earlier row; each run counts once\n"
            self.assertIn(" 3 already done", self.sweep(prints=said))

    def test_tables_of_the_parts_of_a_sweep_have_the_same_columns(self):
        """So that they can be joined line by line."""
        for key, *values in rows_of(
            """
            predators.count | 0 | 1 | 2
            flock.cohesion.radius | 0 | 9
            flock.separation.radius | 0 | 3
            flock.count | 1 | 9
            output.observables | true | "[""milling""]" | false
            flock.cohesion | "{""radius"": 0}" | {}
            schedule | [] | "[{""at"": 2, ""set"": {""flock.separation.radius"": 9}}]"
            """
        ):
            headers = set()
            for value in values:
                words = "-s flock.separation.radius=0" if key == "schedule" else ()
                self.sweep(words, points=f"{key}\n{value}\n")
                headers.add(self.lines("t.csv")[0])
                self.remove("t.csv")
            self.assertEqual(len(headers), 1, key)

    def test_a_table_of_another_sweep_that_lacks_columns_is_refused(self):
        self.sweep(points="seed\n1\n")
        self.refused(
            "t.csv is not a table of this sweep: it has no column "
            "final_predator_distance; it is kept, give another --table",
            *self.command("-s predators.count=2"),
        )
        # With fewer observables than the table has columns, the others are empty.
        self.sweep("-s 'output.observables=[\"milling\"]'", prints="1 run in")
        found = {(row["mean_polarization"] == "", row["mean_milling"] == "") for row in self.rows()}
        self.assertEqual(found, {(True, False), (False, False)})
        self.check_whole()

    def test_a_table_keeps_the_columns_with_which_the_sweep_began(self):
        """A later version measures more: a column of which a part of the rows is empty is not added."""
        self.sweep(points="seed\n1\n2\n")
        header, row, _ = csv.reader(io.StringIO(self.read()))
        kept = [i for i, name in enumerate(header) if not name.endswith(("_milling", "_spread"))]
        header, row = ([cells[i] for i in kept] for cells in (header, row))
        self.write("t.csv", points_of(",".join(header), [",".join(row)]))
        self.sweep(
            prints="boids: t.csv has no columns of milling, spread; the sweep continues with the columns of the table\n"
        )
        self.assertEqual(list(self.rows()[0]), header)
        self.assertNotIn("", self.column("mean_flocks"))
        self.assertEqual(len(self.rows()), 2)
        self.check_whole()

    def test_another_configuration_adds_rows_to_the_same_table(self):
        self.sweep(points="seed\n1\n2\n")
        for more in ("--steps 7", "-s world.width=700", "-s output.every=3"):
            self.sweep(more, prints="2 runs in ")
        found = self.column("config")
        self.assertEqual((len(found), len({*found})), (8, 4))

    def test_a_key_set_by_a_point_may_change_in_the_configuration(self):
        self.sweep(points="flock.count\n5\n6\n")
        self.write("small.json", '{"flock": {"count": 99}, "title": "other", "steps": 20}')
        self.sweep(prints="2 already done")

    def test_runs_are_repeated_if_their_initial_state_was_edited(self):
        def write_state(name, x):
            self.write(name, f"id,type,x,y,vx,vy\n0,boid,{x},100,3,0\n1,boid,320,100,3,0\n")

        self.write("c.json", '{"steps": 3, "flock": {"init": {"file": "a.csv"}}}')
        a, b = self.path("a.csv"), self.path("b.csv")
        for points, words in (
            (SEEDS, "-c c.json"),
            (SEEDS, ("--init", a)),
            (f"flock.init.file\n{b}\n{a}\n", ()),
            ('flock.init\n"{""file"": ""%s""}"\n' % a, ()),
        ):
            write_state("a.csv", 300)
            write_state("b.csv", 310)
            self.sweep(words, points=points)
            hashes = {*self.column("state_hash")}
            self.sweep(words, prints=f" {len(self.rows())} already done")
            write_state("a.csv", 305)
            self.assertNotIn("boids: 0 runs", self.sweep(words))
            self.assertGreater({*self.column("state_hash")}, hashes)
            self.remove("t.csv")

    def test_rows_of_another_version_count_while_results_are_the_same(self):
        self.sweep(points=SEEDS)
        text = self.read().replace(self.column("version")[0], "0.0 (old)")
        self.write("t.csv", text)
        self.sweep(prints="3 already done")
        self.assertEqual(self.read(), text)

    def test_rows_with_other_results_are_reported_and_kept(self):
        self.sweep(points="seed\n1\n2\n")
        text = self.read()
        for row in self.rows():
            for name, other in ("version", "0.0 (old)"), ("config", "0" * 16), ("run", "f" * 16):
                text = text.replace(row[name], other)
        self.write("t.csv", text)
        self.sweep(
            prints=f"boids: t.csv: 2 rows are of other versions than {row['version']}; they are kept\n"
        )
        self.assertTrue(self.read().startswith(text))
        self.assertEqual(len(self.rows()), 4)

    def test_a_truncated_row_is_removed_and_its_run_repeated(self):
        self.sweep(points=points_of("flock.count", "5678"))
        whole = self.read()
        wanted = self.timeless()
        header, first, second, *last = whole.splitlines(keepends=True)
        last = "".join(last)
        for spoilt in (
            whole[:-1],
            whole[:-20],
            header + first + second[:30] + last,
            header,
            header[:5],
            header + first + second[:-1] + "\0\n" + last,
        ):
            self.write("t.csv", spoilt)
            is_noted = "boids: t.csv: rows that were cut short are ignored\n" in self.sweep()
            self.assertEqual(is_noted, len(spoilt) > len(header))
            self.assertEqual(self.timeless(), wanted)

    def test_files_left_by_a_killed_sweep_are_ignored(self):
        self.write("t.csv.part", "half a ta")
        for seeds in ("21", "12"):
            self.sweep(points=points_of("seed", seeds))
        self.assertEqual(self.column("seed"), list("12"))
        self.assertNotIn("t.csv.part", self.names())


class Trouble(Case):
    """Kills, interrupts, full disks, and several sweeps on one table."""

    def test_a_sweep_killed_twenty_times_ends_with_the_same_table(self):
        """A last run without an end keeps the sweep running until it is killed; the final sweep does not have that run."""
        points = points_of("flock.count,steps", (f"{5 + i},200" for i in range(200)))
        wanted = self.table_of(points)
        for kill in range(20):
            process = self.begin(f"{points}5,{ENDLESS}\n", "-t 2")
            self.wait_for_rows(9 * (kill + 1), process)
            self.assertEqual(self.ended_by(signal.SIGKILL, process)[0], -signal.SIGKILL)
            self.check_whole(is_killed=True)
        self.sweep(points=points)
        self.assertEqual(self.timeless(), wanted)
        self.holds("p.csv small.json t.csv")

    def test_a_table_killed_at_any_write_has_only_complete_rows(self):
        try:
            shim = build_shim(type(self), "trajectory/kill_at.c")
        except (OSError, subprocess.CalledProcessError) as reason:
            self.skipTest(f"nothing can be loaded before the C library here: {reason}")
        points = points_of("seed", "123456")
        wanted = self.table_of(points)
        # Rows that must be sorted at the end, so that the writes include a rename.
        self.sweep("-q", points=points_of("seed", "35"))
        half = self.read()
        self.write("p.csv", points)
        for write in range(1, 100):
            self.write("t.csv", half)
            env = {"LD_PRELOAD": shim, "ASAN_OPTIONS": ASAN_PRELOAD, "KILL_AT": str(write)}
            status, _, said = self.ended(*self.command("-q"), env=env)
            self.check_whole()
            self.sweep("-q")
            self.assertEqual(self.timeless(), wanted, f"killed at write {write}")
            if status == 0:
                break
            self.assertEqual(status, -signal.SIGKILL, said)
        self.assertGreater(write, 4)
        self.assertEqual(status, 0)

    def test_an_interrupted_sweep_reports_it_and_can_be_continued(self):
        steps = ["30", "40", ENDLESS, "50", "60", ENDLESS]
        points = points_of("steps,seed", (f"{n},{seed}" for seed, n in enumerate(steps)))
        finite = points.replace(ENDLESS, "70")
        said = "boids: stopped; repeat the command to do the runs that are missing in t.csv\n"
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.begin(points, "-t 2")
            self.wait_for_rows(2, process)
            self.assertEqual(self.ended_by(number, process), (status, "", said))
            self.check_whole()
            done = self.column("steps")
            self.assertEqual(done[:2], ["30", "40"])
            self.assertNotIn(ENDLESS, done)
            self.sweep(points=finite, prints=f" {len(done)} already done")
            self.assertEqual(self.timeless(), self.table_of(finite))
            self.remove("t.csv")

    def test_the_rows_of_a_stopped_sweep_are_in_the_order_of_the_points(self):
        process = self.begin(f"steps\n200000\n5\n{ENDLESS}\n", "-t 2")
        self.wait_for_rows(2, process)
        self.ended_by(signal.SIGTERM, process)
        self.assertEqual(self.column("steps"), ["200000", "5"])

    def test_a_sweep_ended_by_a_time_limit_can_be_continued(self):
        self.assertEqual(
            self.sweep("--max-seconds 0.5 -t 2", points=f"steps\n30\n{ENDLESS}\n"),
            "boids: stopped; repeat the command to do the runs that are missing in t.csv\n",
        )
        self.assertEqual(self.column("steps"), ["30"])
        self.sweep(points="steps\n30\n70\n", prints=" 1 already done")

    def test_rows_do_not_wait_for_a_long_run_before_them(self):
        """A failed run prints its error at once; the run before it has ended, because one thread runs both."""
        self.write("small.json", RUNAWAY)
        self.write("i.csv", RUNAWAY_STATE)
        points = f"steps,arithmetic\n{ENDLESS},float64\n30,float64\n40,float32\n"
        process = self.begin(points, "-t 2")
        self.assertRegex(process.stderr.readline(), rb"^boids: p\.csv:4: ")
        self.assertEqual(self.column("steps")[0], "30")
        self.terminate(process)
        self.assertEqual(self.column("steps"), ["30", "40"])
        self.assertEqual(self.column("status"), ["done", "failed"])

    def test_a_table_is_written_by_one_sweep_at_a_time(self):
        process = self.begin(f"steps\n5\n{ENDLESS}\n", "-t 1")
        self.wait_for_rows(1, process)
        before = self.read()
        for _ in range(2):
            self.assertEqual(self.sweep(status=2), "boids: t.csv is being written by another run\n")
        self.assertEqual(self.read(), before)
        self.terminate(process)
        self.assertEqual(len(self.rows()), 1)

    def test_three_sweeps_at_once_on_one_table_are_refused_or_correct(self):
        points = points_of("seed", map(str, range(40)))
        wanted = self.table_of(points)
        self.write("p.csv", points)
        for _ in range(5):
            processes = [self.start(*self.command()) for _ in range(3)]
            ends = [(process.communicate()[1], process.returncode) for process in processes]
            for said, status in ends:
                self.assertIn(status, (0, 2), said)
                if status == 2:  # t.csv.part: while the other sweep sorts the rows
                    self.assertRegex(
                        said, rb"\Aboids: t\.csv(\.part)? is being written by another run\n\Z"
                    )
            self.assertIn(0, [status for _, status in ends])
            self.assertEqual(self.timeless(), wanted)
            self.remove("t.csv")

    def test_a_full_disk_is_reported_and_the_sweep_can_be_continued(self):
        """A limit on the size of files simulates a full disk: the table has space for three and a half rows."""
        points = points_of("seed", "123456")
        wanted = self.table_of(points)
        lines = wanted.splitlines(keepends=True)
        room = sum(map(len, lines[:4])) + 60 + len(lines[4]) // 2

        def little_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

        self.assertEqual(
            self.sweep(points=points, status=1, preexec_fn=little_room),
            "boids: t.csv: File too large; repeat the command to do the missing runs\n",
        )
        self.check_whole()
        self.assertEqual(len(self.rows()), 3)
        self.sweep(prints="3 already done")
        self.assertEqual(self.timeless(), wanted)

    def test_a_table_replaced_during_a_sweep_is_not_overwritten(self):
        process = self.begin("steps\n5\n200000\n6\n", "-t 1")
        self.wait_for_rows(1, process)
        self.rename("t.csv", "mine.csv")
        self.write("t.csv", "theirs")
        self.assertEqual(
            (process.communicate()[1], process.returncode),
            (
                b"boids: t.csv is no longer the file that this sweep writes: another program replaced it\n",
                1,
            ),
        )
        self.assertEqual(self.read(), "theirs")


if __name__ == "__main__":
    unittest.main()
