"""Reads binary files of animal trackers as tables of arrays (track_readers.py). Nothing in a file is executed: pickled data, which
idtracker.ai and pandas write, are read by unpickled(), which builds only dictionaries, lists, texts, numbers and arrays."""

import io
import itertools
import json
import os
import pickle
import zipfile
import xml.parsers.expat
from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np
import pandas as pd

from ..core.messages import Refused, unreadable
from .track_layouts import HEADERS, LAYOUTS, Layout, Part
from .track_readers import ArrayTable, Detections, TextTable, table_of

AXES = ["track", "xy", "node", "frame"]  # of the analysis files of SLEAP
POINTS = (
    "X#wcentroid",
    "Y#wcentroid",
    "X",
    "Y",
    "missing",
    "frame",
)  # the arrays of TRex that are read


# Files that are no tracks, by their first bytes, and what to do.
FOREIGN = {
    b"\x1f\x8b": "it is compressed (gzip); unpack it with gunzip",
    b"BZh": "it is compressed (bzip2); unpack it with bunzip2",
    b"\xfd7zXZ": "it is compressed (xz); unpack it with unxz",
    b"7z\xbc\xaf": "it is an archive (7z); unpack it",
    b"\xd0\xcf\x11\xe0": "it is a spreadsheet (.xls); save it as CSV",
    b"PAR1": "it is a table of Parquet; give boids.tracks.read() the DataFrame of pandas.read_parquet()",
    b"SQLite": "it is a database of SQLite; give boids.tracks.read() the DataFrame of pandas.read_sql()",
}


def read_binary(path: str) -> Optional[ArrayTable]:
    """Return the table in a binary file, XML or JSON, or None for text. The first bytes give the format."""
    with open(path, "rb") as file:
        start = file.read(128)
    for foreign, what in FOREIGN.items():
        if start.startswith(foreign):
            raise Refused(f": {what}")
    for magic, read in (
        ((b"\x93NUMPY",), read_npy),
        ((b"PK\3\4",), read_npz),
        ((b"\x89HDF",), read_hdf5),
        ((b"MATLAB",), read_mat),
        ((b"<", b"\xef\xbb\xbf<"), read_xml),
        ((b"{",), read_json),
    ):
        if start.startswith(magic):
            try:
                return read(path)
            except (OSError, Refused):
                raise
            except Exception as error:  # of the libraries, for damaged files
                raise Refused(
                    f": it cannot be read: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
                ) from None
    return None


def read_npy(path: str) -> ArrayTable:
    """Read a file of idtracker.ai."""
    with open(path, "rb") as file:
        version = np.lib.format.read_magic(file)
        _, _, kind = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )(file)
        found = (
            unpickled(file.read())
            if kind.hasobject
            else {"trajectories": np.load(path, allow_pickle=False)}
        )
    return idtracker(
        found.values[0] if isinstance(found, PickledArray) and len(found.values) == 1 else found,
    )


def read_json(path: str) -> ArrayTable:
    with open(path, encoding="utf-8") as file:
        return idtracker(json.load(file))


def idtracker(found: Any) -> ArrayTable:
    """Read the dictionary of idtracker.ai with its positions [frame, animal, x or y]."""
    places = found.get("trajectories") if isinstance(found, dict) else None
    places = None if places is None else np.array(places, dtype=np.float64)
    if places is None or places.ndim != 3 or places.shape[2] != 2:
        raise Refused(
            ": it has no array trajectories [frame, animal, x and y], as files of idtracker.ai have"
        )
    names = found.get("identities_labels") or range(1, places.shape[1] + 1)
    if len(names) != places.shape[1]:
        raise Refused(f": it has {len(names)} identities_labels for {places.shape[1]} animals")
    columns = list(places.reshape(len(places), -1).T)
    return ArrayTable(
        [[]],
        columns,
        Layout([Part(2 * i, 2 * i + 1, str(name)) for i, name in enumerate(names)], begin=0),
        fps=found.get("frames_per_second"),
    )


class Unknown(Dict[Any, Any]):
    """A stand-in for every class and function in pickled data that is not one of KNOWN."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()

    def __setstate__(self, _: Any) -> None:
        pass


class PickledType:
    """A type of numpy in pickled data; `kind` is its text, such as <f8."""

    def __init__(self, kind: str, *_: Any) -> None:
        self.kind = kind

    def __setstate__(self, state: Any) -> None:
        self.kind = state[1].replace("|", "") + self.kind


class PickledArray:
    """An array of numpy in pickled data; `values` are its array, or a list of objects."""

    def __init__(self, *_: Any) -> None:
        self.values: Any = []

    def __setstate__(self, state: Any) -> None:
        _, shape, kind, is_fortran, content = state
        self.values = (
            content
            if isinstance(content, list)
            else np.frombuffer(content, kind.kind).reshape(shape, order="F" if is_fortran else "C")
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.values, dtype)


KNOWN = {
    "dtype": PickledType,
    "_reconstruct": PickledArray,
    "scalar": lambda kind, data: np.frombuffer(data, kind.kind)[0].item(),
    "encode": lambda text, *_: text.encode("latin-1"),
}


class Unpickler(pickle._Unpickler):  # the one in C allocates as much as a file demands
    """Calls nothing but KNOWN and Unknown."""

    # Without the arrays of bytes, which no tracker writes: their memory is filled before the bytes are read.
    dispatch = {
        code: load
        for code, load in pickle._Unpickler.dispatch.items()
        if code != pickle.BYTEARRAY8[0]
    }

    def find_class(self, module: str, name: str) -> Any:
        return KNOWN.get(name, Unknown) if module.split(".")[0] in ("numpy", "_codecs") else Unknown


def unpickled(data: bytes) -> Any:
    """Return the value of pickled data."""
    return Unpickler(io.BytesIO(data), encoding="latin-1").load()


def read_npz(path: str) -> ArrayTable:
    """Read one animal of TRex: arrays with one number per frame."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    if not all(name.endswith(".npy") for name in names):
        is_sheet = {"[Content_Types].xml", "content.xml"} & set(names)
        what = "a spreadsheet; save it as CSV" if is_sheet else "an archive (zip); unpack it"
        raise Refused(f": it is {what}")
    with np.load(path, allow_pickle=False) as file:
        rate = float(file["frame_rate"].flat[0]) if "frame_rate" in file.files else None
        found = {name: file[name] for name in POINTS if name in file.files}
    if "frame" not in found:
        raise Refused(": it has no array frame, as files of TRex have")
    found = {
        name: values for name, values in found.items() if values.shape == found["frame"].shape[:1]
    }
    return ArrayTable(
        [list(found)],
        [values if values.dtype.kind in "iuf" else values.astype(int) for values in found.values()],
        fps=rate,
    )


def read_mat(path: str) -> ArrayTable:
    """Read a file of Ctrax: arrays of all detections, frame by frame, or, after its corrections, an array trx with a record for each
    animal."""
    from scipy.io import loadmat

    with open(path, "rb") as file:
        if file.read(10) == b"MATLAB 7.3":
            raise Refused(": it is a file of MATLAB 7.3; save it with -v7, or as CSV")
    found = loadmat(
        path,
        squeeze_me=True,
        struct_as_record=False,
        variable_names=["x_pos", "y_pos", "identity", "ntargets", "startframe", "trx"],
    )
    if "trx" in found:
        animals = np.atleast_1d(found["trx"])
        parts = [
            np.stack(
                np.broadcast_arrays(
                    int(a.firstframe) + np.arange(np.size(a.x)),
                    i if not hasattr(a, "id") else int(a.id),
                    a.x,
                    a.y,
                )
            )
            for i, a in enumerate(animals)
        ]
        columns = np.concatenate(parts, axis=1) if parts else np.empty((4, 0))
    elif {"x_pos", "y_pos", "identity", "ntargets"} <= set(found):
        counts = np.atleast_1d(found["ntargets"]).astype(int)
        frames = np.repeat(np.arange(len(counts)) + int(found.get("startframe", 0)), counts)
        columns = np.stack(
            [frames, *(np.atleast_1d(found[name]) for name in ("identity", "x_pos", "y_pos"))]
        )
    else:
        raise Refused(
            ": it has neither trx nor x_pos, y_pos, identity and ntargets, as files of Ctrax have"
        )
    return ArrayTable(
        [["frame", "id", "x", "y"]],
        list(columns),
        Layout([Part(2, 3)], (0,), ids=(1,), y_axis="up"),
    )


def texts(values: Any) -> List[str]:
    return [value.decode() if isinstance(value, bytes) else str(value) for value in values]


def poses(
    frames: Any,
    keys: Sequence[Sequence[str]],
    columns: Sequence[Any],
    levels: Sequence[str],
) -> ArrayTable:
    """Return a table with the header rows of DeepLabCut."""
    return ArrayTable(
        [[level, *words] for level, words in zip(levels, zip(*keys))], [frames, *columns]
    )


def sleap(file: Any) -> ArrayTable:
    """Return the table in an analysis file of SLEAP: tracks [animal, x or y, point, frame], or in the order of their attribute dims."""
    tracks, points = file["tracks"][()], texts(file["node_names"][()])
    axes = json.loads(file["tracks"].attrs.get("dims", "null")) or AXES  # of sleap-io
    if sorted(axes) != sorted(AXES) or tracks.shape[axes.index("xy")] != 2:
        raise Refused(
            f": tracks is {tracks.shape}; {', '.join(AXES)} were expected, or the order in its attribute dims"
        )
    x, y = tracks.transpose([axes.index(axis) for axis in ("xy", "track", "node", "frame")])
    scores = np.ones(x.shape)
    if "point_scores" in file:
        rest = [axis for axis in axes if axis != "xy"]
        scores = file["point_scores"][()].transpose([rest.index(a) for a in AXES if a != "xy"])
    names = texts(file["track_names"][()]) if "track_names" in file else []
    values = np.stack([x, y, scores], axis=2).reshape(-1, x.shape[2])
    keys = itertools.product(names or [""] * len(x), points, ("x", "y", "likelihood"))
    return poses(np.arange(x.shape[2]), list(keys), list(values), HEADERS[1:])


def read_hdf5(path: str) -> ArrayTable:
    import h5py

    with h5py.File(path, "r") as file:
        if "tracks" in file and "node_names" in file:
            return sleap(file)
        if "trajectories" in file:
            return idtracker(
                {
                    "trajectories": file["trajectories"][()],
                    "identities_labels": texts(file.attrs.get("identities_labels", [])),
                    "frames_per_second": file.attrs.get("frames_per_second"),
                },
            )
        for group in file.values():
            about = group if isinstance(group, h5py.Group) else {}
            if "table" in about and "values_block_0" in (about["table"].dtype.names or ()):
                table = about["table"]  # DeepLabCut: a table of pandas
                keys = unpickled(bytes(table.attrs["values_block_0_kind"]))
                levels = HEADERS if len(keys[0]) == 4 else (HEADERS[0], *HEADERS[2:])
                return poses(table["index"], keys, list(table["values_block_0"].T), levels)
            if "block0_values" in about:
                raise Refused(
                    ": this is a table of pandas in its format 'fixed'; give the CSV file instead"
                )
    raise Refused(": it is neither an analysis of SLEAP nor a file of DeepLabCut or idtracker.ai")


def read_xml(path: str) -> ArrayTable:
    """Read the tracks that TrackMate exports (particle, detection), or its whole file (Spot, Track, Edge)."""
    rows: List[Any] = []
    spots: Dict[str, Any] = {}
    animals: Dict[str, str] = {}
    kept: List[str] = []
    here, unit, root = [""], [""], []  # type: List[str], List[str], List[str]
    parser = xml.parsers.expat.ParserCreate()

    def refuse(*_: Any) -> None:
        raise Refused(": it has a document type, which files of TrackMate do not have")

    def start(tag: str, words: Dict[str, str]) -> None:
        root.append(tag)
        if tag in ("Tracks", "Model"):
            unit[0] = words.get("spaceUnits", words.get("spatialunits", ""))
        elif tag == "particle":
            here[0] = str(int(here[0] or -1) + 1)
        elif tag == "detection":
            rows.append((words["t"], here[0], words["x"], words["y"], words.get("z", "")))
        elif tag == "Spot":
            spots[words["ID"]] = [
                words.get(name, "") for name in ("FRAME", "POSITION_X", "POSITION_Y", "POSITION_Z")
            ]
        elif tag == "Track":
            here[0] = words["TRACK_ID"]
        elif tag == "Edge":
            animals.update({words["SPOT_SOURCE_ID"]: here[0], words["SPOT_TARGET_ID"]: here[0]})
        elif tag == "TrackID":
            kept.append(words["TRACK_ID"])

    parser.StartElementHandler, parser.StartDoctypeDeclHandler = start, refuse
    with open(path, "rb") as file:
        parser.ParseFile(file)
    if not {"Tracks", "TrackMate"} & set(root[:1]):
        raise Refused(f": it is XML of another program ({root[0]}); export a table as CSV")
    if spots:
        shown = set(
            kept or animals.values()
        )  # TrackMate hides the other tracks; they have no id here
        rows = [
            (spot[0], animals[name] if animals.get(name) in shown else "", *spot[1:])
            for name, spot in spots.items()
        ]
    return ArrayTable(
        [["frame", "id", f"x ({unit[0]})", f"y ({unit[0]})", "z"]],
        [np.array(column, object) for column in zip(*rows)],
    )


def read_tracks(
    source: Any,
    keypoint: Optional[str] = None,
    least: float = 0.6,
    columns: Optional[Mapping[str, str]] = None,
    skip: int = 0,
) -> Detections:
    """Return the detections in a file, or in a DataFrame.

    Args:
        keypoint: the point of a pose that is the animal; None: the only one.
        least: detections with a smaller likelihood are left out.
        columns: {role: name of its column}; the others are found by their names.
        skip: lines before the header of a text.

    Raises:
        ConfigError: this is not a table of tracks, or a cell of it has no meaning.
    """
    name, given = "the DataFrame", columns or {}
    try:
        if isinstance(source, pd.DataFrame):
            table: Any = table_of(source)
        else:
            name = os.fspath(source)
            table = read_binary(name) or TextTable(name, given, skip)
        table.path, table.given = name, given
        layout = table.layout or next(filter(None, (find(table) for find in LAYOUTS)))
        return Detections(table, layout, keypoint, least)
    except OSError as error:
        raise unreadable(name, error) from None
    except UnicodeError as error:
        raise Refused(f"{name}: not a table of tracks: {error}") from None
    except Refused as error:
        if str(error).startswith(":"):  # and the line, if there is one
            raise Refused(name + str(error)) from None
        raise
