"""Reads files of animal trackers into one table: a row per detection with the columns frame, id, x and y.

    tidy     a row per detection: trackdf, idtracker.ai (tidy), Movebank, trackpy, exports of movement
    wide     x1, y1, x2, y2, ...: idtracker.ai
    single   a file per animal without a column of ids: TRex
    pose     three or four header rows (scorer, individuals, bodyparts, coords): DeepLabCut, movement, Lightning Pose

docs/animals.md lists the columns of each. Detections that the tracker itself marks as missing are left out.
"""

import os
import re
from typing import Any, List, Optional

import numpy as np
import pandas as pd

from .plotting.errors import Refused, did_you_mean, reason

# The names that a column may have, by its role; the first of them that the file has is used. Units in parentheses are ignored.
FRAMES = ("frame", "frame_idx", "frame_number")
TIMES = ("t", "time", "seconds", "timestamp")
IDS = ("track_fixed", "track", "individual-local-identifier", "individual_local_identifier", "individual", "individuals", "particle", "id")
PLACES = (("x", "y"), ("X#wcentroid", "Y#wcentroid"), ("X", "Y"), ("utm-easting", "utm-northing"), ("utm_easting", "utm_northing"))
KEYPOINTS = ("keypoint", "keypoints")
LIKELIHOODS = ("likelihood", "confidence", "probability")
# Columns that mark a detection as missing, and the value that does so: trackdf and TRex; Movebank.
MISSING, SEEN = ("ignore", "missing"), "visible"
HEADERS = ("scorer", "individuals", "bodyparts", "coords")
EXPECTED = "a table with a frame or time, an id, x and y (docs/animals.md lists the names)"


def read_tracks(path: str, fps: Optional[float] = None, keypoint: Optional[str] = None, least: float = 0.6) -> Any:
    """The detections in a CSV file, a DataFrame: frame (float64, whole numbers), id (text), x and y (float64, units of the file).

    Args:
        fps: frames per second, which turns a column of times into frames; None: the times are frames.
        keypoint: the point of a pose that is the animal; None: the only one.
        least: detections with a smaller likelihood are left out.

    Raises:
        ConfigError: the file is not a table of tracks, or an argument is missing.
    """
    try:
        with open(path, encoding="utf-8-sig") as file:
            head = [file.readline().rstrip("\n").split(",") for _ in range(5)]
        rows = sum(line[0].strip() in HEADERS for line in head)
        table = pd.read_csv(path, encoding="utf-8-sig", skipinitialspace=True, float_precision="round_trip", low_memory=False,
                            **({"header": list(range(rows)), "index_col": 0} if rows else {}))
    except OSError as error:
        raise Refused(f"{path}: {reason(error)}") from None
    except (ValueError, IndexError) as error:  # pandas' ParserError and EmptyDataError are ValueErrors
        raise Refused(f"{path}: not a table of tracks: {' '.join(str(error).split())}") from None
    if rows:
        found = from_pose(path, table, [line[0].strip() for line in head[:rows]])
    else:
        table.columns = [re.sub(r"\s*\(.*\)$", "", str(name)).strip() for name in table.columns]
        wide = [name for name in table.columns if re.fullmatch(r"[xy]\d+", name)]
        found = from_wide(path, table, wide) if wide else from_tidy(path, table, fps)
    found = one_keypoint(path, found, keypoint)
    numbers = found[["frame", "x", "y", "likelihood"]].apply(pd.to_numeric, errors="coerce").to_numpy(np.float64)
    is_seen = np.isfinite(numbers).all(axis=1) & (numbers[:, 3] >= least)
    if not is_seen.any():
        raise Refused(f"{path}: no row has a frame and a position that are numbers, with a likelihood of {least:g} or more")
    found = found[is_seen].assign(**dict(zip(("frame", "x", "y"), numbers[is_seen].T)))
    return found[["frame", "id", "x", "y"]].reset_index(drop=True)


def first_of(table: Any, names: Any) -> Optional[str]:
    return next((name for name in names if name in table.columns), None)


def detections(frame: Any, name: Any, x: Any, y: Any, likelihood: Any = 1.0, keypoint: Any = "") -> Any:
    return pd.DataFrame({"frame": frame, "id": name, "x": x, "y": y, "likelihood": likelihood, "keypoint": keypoint})


def name_of(path: str) -> str:
    """The id of the animal of a file: the number at the end of the file's name, else the name."""
    stem = os.path.basename(path).split(".")[0]
    number = re.search(r"(\d+)$", stem)
    return str(int(number[1])) if number else stem


def from_pose(path: str, table: Any, levels: List[str]) -> Any:
    """Detections of each animal and body part; the rows are the frames."""
    if "coords" not in levels or "bodyparts" not in levels:
        raise Refused(f"{path}: its header rows are {', '.join(levels)}; {', '.join(HEADERS)} were expected (individuals may be absent)")
    table.columns = table.columns.set_names(levels)
    parts = []
    for key, part in table.groupby(axis=1, level=[level for level in levels if level in ("individuals", "bodyparts")], sort=False):
        part.columns = part.columns.get_level_values("coords")
        if not {"x", "y"} <= set(part.columns):
            raise Refused(f"{path}: {key} has the coords {', '.join(part.columns)}; x and y were expected")
        animal, point = key if isinstance(key, tuple) and len(key) == 2 else (name_of(path), key if isinstance(key, str) else key[0])
        parts.append(detections(np.arange(len(part)), animal, part["x"].to_numpy(), part["y"].to_numpy(),
                                part["likelihood"].to_numpy() if "likelihood" in part else 1.0, point))
    return pd.concat(parts)


def from_wide(path: str, table: Any, columns: List[str]) -> Any:
    """Detections of a table with a pair of columns per animal; the rows are the frames."""
    animals = sorted({int(name[1:]) for name in columns})
    for animal in animals:
        for name in (f"x{animal}", f"y{animal}"):
            if name not in columns:
                raise Refused(f"{path}: there is no column {name}; each animal has an x and a y")
    return pd.concat([detections(np.arange(len(table)), str(animal), table[f"x{animal}"], table[f"y{animal}"]) for animal in animals])


def from_tidy(path: str, table: Any, fps: Optional[float]) -> Any:
    """Detections of a table with a row for each of them."""
    if {"space", "position"} <= set(table.columns):  # an array of movement, with x and y in two rows
        keys = [name for name in table.columns if name not in ("space", "position")]
        table = table.pivot(index=keys, columns="space", values="position").reset_index()
    names = next((pair for pair in PLACES if set(pair) <= set(table.columns)), None)
    if names is None and {"location-long", "longitude", "lon"} & set(table.columns):
        raise Refused(f"{path}: it has longitudes and latitudes only; it must have metres (Movebank exports UTM coordinates)")
    if names is None:
        raise Refused(f"{path}: not a table of tracks: its columns are {', '.join(map(str, table.columns[:8]))}; expected is {EXPECTED}")
    for name in MISSING:
        if name in table.columns:
            table = table[~table[name].isin([True, 1, "TRUE", "True", "true"])]
    if SEEN in table.columns:
        table = table[~table[SEEN].isin([False, 0, "FALSE", "False", "false"])]
    frame, animal = first_of(table, FRAMES), first_of(table, IDS)
    likelihood, point = first_of(table, LIKELIHOODS), first_of(table, KEYPOINTS)
    return detections(table[frame] if frame else frames_of_times(path, table, fps), table[animal].map(text_of) if animal else name_of(path),
                      table[names[0]], table[names[1]], table[likelihood].fillna(1.0) if likelihood else 1.0, table[point] if point else "")


def text_of(name: Any) -> str:
    """The name of an animal as text. A whole number that pandas has read as a float has no decimal point."""
    return str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)


def frames_of_times(path: str, table: Any, fps: Optional[float]) -> np.ndarray:
    """The frame of each row, float64, from a column of seconds or of dates."""
    name = first_of(table, TIMES)
    if name is None:
        raise Refused(f"{path}: it has no column of frames or times; it must have one of {', '.join(FRAMES + TIMES)}")
    times = pd.to_numeric(table[name], errors="coerce")
    if times.isna().all():
        dates = pd.to_datetime(table[name], errors="coerce", utc=True)
        times = (dates - dates.min()).dt.total_seconds()
        if fps is None:
            raise Refused(f"{path}: {name} has dates; give the frames per second with --fps, such as --fps 1/60 for a fix per minute")
    frames = times.to_numpy(np.float64) * (fps or 1)
    if fps is None and (frames != np.rint(frames)).any():
        raise Refused(f"{path}: {name} has parts of a second; give the frames per second with --fps")
    return np.rint(frames)


def one_keypoint(path: str, found: Any, keypoint: Optional[str]) -> Any:
    """The rows of the keypoint that is the animal."""
    points = list(dict.fromkeys(found["keypoint"]))
    if keypoint is None and len(points) > 1:
        raise Refused(f"{path}: its animals have the keypoints {', '.join(points)}; choose one with --keypoint")
    if keypoint is not None and keypoint not in points:
        hint = did_you_mean(keypoint, points) or f"; its keypoints are {', '.join(points) or 'without names'}"
        raise Refused(f"{path}: there is no keypoint {keypoint}{hint}")
    return found if keypoint is None else found[found["keypoint"] == keypoint]
