#!/usr/bin/env python3
"""Fuzzes boids.tracks.read(): each table of tracks is read completely, or noted, or refused.

    tests/python/fuzz_tracks.py CASES [SEED]

Each case writes the tracks of a few animals in the layout of one tracker, and changes the table: rows and columns are dropped, doubled,
moved or renamed, cells become words, the file gets another encoding, separator or line end. The program knows which detections the changed
table holds. What boids returns must be these; or a part of them, with a note; or the file is refused in one sentence. A detection that
the table does not hold, or an exception or a warning of another kind, is a finding: it is printed with its seed. Exit status 1.
"""

import os
import random
import sys
import tempfile
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
os.environ.setdefault("BOIDS_LIBRARY", os.path.join(ROOT, "build", "release", "libboids.so.1"))

import numpy as np  # noqa: E402

import boids  # noqa: E402

ABSENT = ("", "NA", "nan", "NaN", "None", "null", "inf")
WRONG = (
    "x",
    "4O0",
    "1.2.3",
    "1_0",
    "--",
    "0x10",
    "one",
    "1 2",
    "\u0661",
    "1e",
    "+",
    "1,2,3",
    "true",
)
NAMES = (
    "ant",
    "\u00e4nt",
    "7",
    "007",
    "1234567890123456789",
    "1234567890123456790",
    "a b",
    "Stork 3",
    "1e5",
    "2.50",
    "x;y",
)

POSE = """scorer,net,net,net,net,net,net
individuals,animal0,animal0,animal0,animal1,animal1,animal1
bodyparts,nose,nose,nose,nose,nose,nose
coords,x,y,likelihood,x,y,likelihood"""

# The columns of each layout: a header and the roles of the columns. Roles with a number are those of one animal.
LAYOUTS = {
    "tidy": ("frame,id,x,y", "frame id x y"),
    "trackpy": (",y,x,mass,frame,particle", "other y x other frame id"),
    "idtracker.ai": ("frame,time,individual,x,y,probability", "frame other id x y likelihood"),
    "TRex": ("frame,missing,X#wcentroid (cm),Y#wcentroid (cm)", "frame flag x0 y0"),
    "Movebank": (
        "event-id,visible,timestamp,utm-easting,utm-northing,individual-local-identifier",
        "other seen date x y id",
    ),
    "SLEAP": (
        "track,frame_idx,instance.score,nose.x,nose.y,nose.score",
        "id frame other x y likelihood",
    ),
    "FastTrack": ("xHead,yHead,xBody,yBody,imageNumber,id", "other other x y frame id"),
    "ToxTrac": ("Time (sec),Arena,Track,Pos. X (mm),Pos. Y (mm),Label", "frame same id x y other"),
    "TrackMate": (
        "LABEL,ID,TRACK_ID,QUALITY,POSITION_X,POSITION_Y,POSITION_Z,POSITION_T,FRAME",
        "other other id other x y zero other frame",
    ),
    "wide": ("frame,x1,y1,x2,y2", "frame x0 y0 x1 y1"),
    "MOT": ("", "frame whole left top width height one other other other"),
    "pose": (POSE, "frame x0 y0 likelihood0 x1 y1 likelihood1"),
}

KINDS = """
drop row, double row, swap rows, shuffle rows, word, absent, id, swap columns, drop column,
rename, double column, encoding, line end, blank, quote, separator, capitals, spaces, short
row, long row, add column, comma, number
"""
KINDS = " ".join(KINDS.split()).split(", ")


class Case:
    """One table and the detections in it: self.truth maps each row to its set of (id, frame, x, y)."""

    def __init__(self, seed):
        self.chance = chance = random.Random(seed)
        self.layout = chance.choice(list(LAYOUTS))
        header, roles = LAYOUTS[self.layout]
        self.roles = roles.split()
        self.is_wide = any(role[-1] in "01" for role in self.roles)
        count = chance.randint(1, 4)
        fixed = {"wide": ["1", "2"], "pose": ["animal0", "animal1"], "TRex": [None]}
        fixed["MOT"] = ["3", "4"][:count]
        self.names = fixed.get(self.layout) or chance.sample(NAMES, count)
        first = chance.choice((0, 1, 100))
        self.header = [line.split(",") for line in header.splitlines()]
        self.rows = []
        for k in range(first, first + chance.randint(4, 12)):
            places = [
                (i * 16 + 10 + k * 0.25, i * 8 + 5 + k * 0.5 + (k % 3) * 0.25)
                for i in range(len(self.names))
            ]
            for i in [0] if self.is_wide else range(len(self.names)):
                self.rows.append([self.cell(role, k, places, i) for role in self.roles])
        self.must_refuse = self.may_change = False
        self.encoding, self.separator, self.end = (
            "utf-8",
            "\t" if self.layout in ("ToxTrac", "FastTrack") else ",",
            "\n",
        )

    def cell(self, role, k, places, i):
        if role[-1] in "01" and role[:-1] in ("x", "y", "likelihood"):
            i, role = int(role[-1]), role[:-1]
        x, y = places[i]
        return {
            "frame": str(k),
            "id": self.names[i],
            "whole": self.names[i],
            "x": f"{x}",
            "y": f"{y}",
            "other": str(k),
            "same": "1",
            "zero": "0",
            "likelihood": "0.97",
            "flag": "0",
            "seen": "true",
            "date": f"2021-03-{k % 28 + 1:02} 00:00:00"
            if k < 28
            else f"2021-07-{k - 99:02} 00:00:00",
            "left": f"{x - 2}",
            "top": f"{y - 3}",
            "width": "4",
            "height": "6",
            "one": "1",
        }[role]

    def truth(self, path):
        """The detections that the rows hold: {(id, frame, x, y)}."""
        found = set()
        for row in self.rows:
            cell = {}
            for role, text in zip(self.roles, row):
                cell.setdefault(role, text)
            animals = ["0", "1"] if "x1" in cell else ["0"] if self.is_wide else [""]
            for i in animals:
                x, y = (
                    (cell.get(axis + i) for axis in "xy")
                    if self.layout != "MOT"
                    else (cell["left"], cell["top"])
                )
                name = self.names[int(i)] if self.is_wide else cell.get("id", cell.get("whole"))
                moment = cell.get("frame", cell.get("date", "0"))
                self.must_refuse |= any(
                    text.strip() in WRONG
                    for text in (x, y, moment, cell.get("width", ""), cell.get("height", ""))
                    if text
                )
                if None in (x, y, moment) or any(
                    text.strip() in ABSENT for text in (x, y, moment, name or "1")
                ):
                    continue
                try:
                    shift = (
                        (float(cell["width"]) / 2, float(cell["height"]) / 2)
                        if self.layout == "MOT"
                        else (0, 0)
                    )
                    frame = (
                        (np.datetime64(moment.strip()[:10]) - np.datetime64("2021-01-01")).astype(
                            int
                        )
                        if "date" in cell
                        else float(moment)
                    )
                    found.add(
                        (
                            name and name.strip(),
                            float(frame),
                            float(x) + shift[0],
                            float(y) + shift[1],
                        )
                    )
                except (ValueError, KeyError):
                    self.must_refuse = True
        return found

    # Changes of the table.

    def change(self):
        chance, rows = self.chance, self.rows
        if len(set(map(len, rows))) > 1:  # a row was made shorter or longer
            return "no more"
        kind = chance.choice(KINDS)
        k, c = chance.randrange(len(rows)), chance.randrange(len(rows[0]))
        role = self.roles[c].rstrip("01")
        if kind == "drop row":
            del rows[k]
            self.may_change |= self.is_wide and "frame" not in self.roles
        elif kind == "double row":
            rows.insert(chance.randrange(len(rows)), list(rows[k]))
        elif kind == "swap rows":
            rows[k], rows[0] = rows[0], rows[k]
        elif kind == "shuffle rows":
            chance.shuffle(rows)
        elif kind == "word" and role in "frame x y left top width date".split():
            rows[k][c] = chance.choice(WRONG)
        elif kind == "number" and role in ("x", "y"):
            rows[k][c] = chance.choice(("1e3", "-4", "+7.5", "0.0", ".5", "12."))
        elif kind == "absent" and role in "frame x y date id".split():
            rows[k][c] = chance.choice(ABSENT)
        elif kind == "id" and role == "id":
            rows[k][c] = chance.choice(NAMES + ("new",))
        elif kind == "swap columns" and self.layout not in ("MOT", "pose"):
            for row in [*self.header, *rows, self.roles]:
                row[c], row[0] = row[0], row[c]
        elif kind == "drop column" and self.layout == "FastTrack" and role in ("x", "y"):
            return "no change"  # without the body, the place is that of the head
        elif (
            kind in ("drop column", "double column", "add column")
            and len(self.roles) > 3
            and self.layout not in ("MOT", "pose")
        ):
            for row, cell in (
                [(row, "other") for row in self.header]
                + [(row, "5") for row in rows]
                + [(self.roles, "other")]
            ):
                if kind == "drop column":
                    del row[c]
                else:
                    row.insert(c, row[c] if kind == "double column" else cell)
            self.may_change |= (
                kind == "drop column" and role in "frame id flag seen likelihood".split()
            )
        elif kind == "rename" and self.header:
            self.header[chance.randrange(len(self.header))][c] = chance.choice(
                ("foo", "", "x", "frame", "time", "id", "y1")
            )
            self.may_change = True
        elif kind == "encoding":
            self.encoding = chance.choice(("utf-8-sig", "utf-16", "latin-1"))
        elif kind == "line end":
            self.end = chance.choice(("\r\n", "\n"))
        elif kind == "blank":
            rows.insert(k, [""] * len(rows[0]))
        elif kind == "quote":
            rows[k][c] = '"' + rows[k][c]  # a quotation mark that is not closed; written as it is
            self.may_change = True
        elif kind == "separator" and self.layout != "MOT":
            self.separator = chance.choice(",\t")
        elif kind == "capitals" and self.header and self.layout != "pose":
            self.header[0] = [name.upper() for name in self.header[0]]
            self.may_change |= self.layout in ("SLEAP", "FastTrack")
        elif kind == "spaces":
            rows[k][c] = f"  {rows[k][c]} "
        elif kind == "short row":
            del rows[k][-1]
            self.may_change = True
        elif kind == "long row":
            rows[k].append(chance.choice(("", "5")))
            self.may_change = True
        elif kind == "comma" and role in ("x", "y"):
            rows[k][c] = rows[k][c].replace(".", ",")
            self.may_change = True
        return kind

    def write(self, folder):
        path = os.path.join(folder, f"tracks_{self.layout}.csv".replace(" ", ""))

        def line(row):
            mark = self.separator
            return mark.join(
                f'"{cell}"' if mark in cell and not cell.startswith('"') else cell for cell in row
            )

        with open(path, "w", encoding=self.encoding, newline="", errors="replace") as file:
            file.writelines(line(row) + self.end for row in self.header + self.rows)
        return path


def run(seed, folder):
    """A sentence about what is wrong in a case, or None."""
    case = Case(seed)
    kinds = []
    for _ in range(case.chance.choice((0, 1, 1, 2, 3))):
        if len(case.rows) > 2:
            kinds.append(case.change())
    path = case.write(folder)
    truth = case.truth(path)
    options = {
        "max_gap": 0,
        "min_likelihood": 0.5,
        **({"fps": 1 / 86400} if "date" in LAYOUTS[case.layout][1] else {}),
        **({"fps": 1} if case.layout == "ToxTrac" else {}),
    }
    where = f"seed {seed}: {case.layout}, {', '.join(kinds) or 'no change'}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            tracks = boids.tracks.read(path, **options)
        except boids.ConfigError as error:
            is_fine = (
                path in str(error)
                and "\n" not in str(error)
                and (kinds or "no animal" in str(error))
            )
            return None if is_fine else f"{where}: refused: {error}"
        except Exception as error:  # pylint: disable=broad-except
            return f"{where}: {type(error).__name__}: {error}"
    strange = [str(item.message) for item in caught if item.category is not UserWarning]
    if strange:
        return f"{where}: a warning of another kind: {strange[0]}"
    k, i = np.nonzero(np.isfinite(tracks.positions[..., 0]))
    shift = 0
    if "date" in case.roles and truth:
        shift = min(frame for _, frame, _, _ in truth)
    found = {
        (tracks.names[b], float(tracks.frames[a]) + shift, *tracks.positions[a, b].tolist())
        for a, b in zip(k, i)
    }
    if (
        case.must_refuse and "rename" not in kinds
    ):  # a renamed column may have taken the place of the one with the wrong cell
        return f"{where}: a cell that is no number was accepted"
    if case.encoding == "latin-1" or case.may_change or case.is_wide and None in case.names:
        found, truth = ({item[1:] for item in items} for items in (found, truth))
    if case.may_change:  # the table may have another meaning now; no place is invented
        wrong = {item[-2:] for item in found} - {item[-2:] for item in truth}
        if kinds.count("rename") or "comma" in kinds or "quote" in kinds or "short row" in kinds:
            return None
        return f"{where}: places from nowhere: {sorted(wrong)[:3]}" if wrong else None
    if found - truth:
        return f"{where}: detections from nowhere: {sorted(found - truth, key=str)[:3]}; missing: {sorted(truth - found, key=str)[:3]}"
    if truth - found and not caught:
        return f"{where}: lost without a note: {sorted(truth - found, key=str)[:3]}"
    return None


def main(count, seed=1):
    is_right = True
    with tempfile.TemporaryDirectory() as folder:
        for finding in filter(None, (run(number, folder) for number in range(seed, seed + count))):
            print(finding, flush=True)
            is_right = False
    return not is_right


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
