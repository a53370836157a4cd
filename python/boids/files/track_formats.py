"""Reads binary files, XML and JSON of animal trackers as DataFrames (track_tables.py finds the roles of their columns). Nothing in a file is
executed: pickled data, which idtracker.ai and pandas write, are read by unpickled(), which builds only dictionaries, lists, texts, numbers
and arrays."""

import io
import json
import pickle
import re
import zipfile
import xml.etree.ElementTree as ElementTree
from typing import Any, Dict, Iterable, List, Sequence, Tuple

import numpy as np
import pandas as pd

from ..core.errors import argument
from ..core.messages import Refused
from ..core.sanitize import one_line

POSE_HEADERS = ("scorer", "individuals", "bodyparts", "coords")  # of the columns of poses
AXES = ["time", "individual", "keypoint", "space"]  # of arrays
MOVEMENT_ARRAYS = ("position", "confidence")  # of movement
# The axes of the analysis files of SLEAP.
SLEAP_AXES = {"track": "individual", "xy": "space", "node": "keypoint", "frame": "time"}
# The arrays of TRex that are read.
TREX_ARRAYS = ("X#wcentroid", "Y#wcentroid", "X", "Y", "missing", "frame")
# A DataFrame, and what the file says about the recording: fps, y_axis.
Found = Tuple[Any, Dict[str, Any]]

MAKE_TABLE = (
    "make a table with the columns frame, id, x and y (or left, top, width and height), as CSV or as a DataFrame for "
    "boids.tracks.read()"
)
USE_MOVEMENT = (
    "read it with the library movement, and give boids.tracks.read() its dataset or netCDF file"
)
USE_GPSBABEL = "gpsbabel -o unicsv makes a CSV of it"
USE_PANDAS = "give boids.tracks.read() the DataFrame of pandas."
# Formats that are not read, by what they are known (the first bytes, the root of XML, keys of JSON, names in HDF5, MATLAB or a header): what
# they are, and the way in; @ROLES is --columns ROLES.
FOREIGN_FORMATS = {
    "start": {
        "\x1f\x8b": ("compressed (gzip)", "unpack it with gunzip"),
        "BZh": ("compressed (bzip2)", "unpack it with bunzip2"),
        "\xfd7zXZ": ("compressed (xz)", "unpack it with unxz"),
        "7z\xbc\xaf": ("an archive (7z)", "unpack it"),
        "\xd0\xcf\x11\xe0": ("a spreadsheet (.xls)", "save it as CSV"),
        "PAR1": ("a table of Parquet", USE_PANDAS + "read_parquet()"),
        "SQLite": ("a database of SQLite", USE_PANDAS + "read_sql()"),
        "CDF": ("netCDF 3", "give boids.tracks.read() the dataset of xarray.open_dataset()"),
        "MATLAB 7.3": ("a file of MATLAB 7.3", "save it with -v7, or as CSV"),
    },
    "xml": {
        "gpx": ("GPX", USE_GPSBABEL),
        "kml": ("KML", USE_GPSBABEL),
        "annotations": ("XML of CVAT", "export it as MOT 1.1, and read its gt.txt"),
    },
    "json": {
        "annotations": ("JSON of COCO", MAKE_TABLE),
        "_via_img_metadata": ("a project of VIA", "export CSV; then " + USE_MOVEMENT),
    },
    "hdf5": {
        "specifications": ("NWB", USE_MOVEMENT),
        "particles": ("a trajectory already", "boids.read(), boids-plot and boids-analyse read it"),
    },
    "mat": {
        "trk": ("a file of FlyTracker", "give its file trx.mat for JAABA"),
    },
    "header": {
        "region_shape_attributes": ("a table of VIA", USE_MOVEMENT),
        "M_00": (
            "three-dimensional tracks of Anipose",
            "@frame=fnum,x=NAME,y=NAME names the plane, or " + USE_MOVEMENT,
        ),
        "3: Unique Frame Identifier": (
            "a table of VIAME",
            "@frame=3,id=1,left=4,top=5,right=6,bottom=7 names its columns",
        ),
        "Behavior": (
            "a table of behaviours (BORIS)",
            "it has no positions; give the table of the tracker",
        ),
    },
}


def refuse_foreign(where: str, names: Iterable[str]) -> None:
    """Refuse a format that is known by one of these names, with the way in."""
    for name, (what, way) in FOREIGN_FORMATS[where].items():
        if name in names:
            way = re.sub(r"@(\S+)", lambda match: argument("columns", match[1]), way)
            raise Refused(f": it is {what}; {way}")


def opened(source: Any, encoding: str) -> Any:
    """Open a file, or the bytes of one, as text."""
    raw = io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb")
    return io.TextIOWrapper(raw, encoding, newline="")


def read_binary(source: Any) -> Found:
    """Return the DataFrame in a binary file, XML or JSON, or None for text. The first bytes give the format. `source` is a path, or the bytes
    of JSON or text."""
    with opened(source, "latin-1") as file:
        start = file.read(128)
    refuse_foreign("start", [start[:k] for k in range(11)])
    words = "".join(start.removeprefix("\xef\xbb\xbf").split())  # JSON may have spaces anywhere
    for magic, read in BINARY_READERS.items():
        if words.startswith(magic):
            try:
                return read(source)
            except (OSError, Refused):
                raise
            except Exception as error:  # of the libraries, for damaged files
                why = one_line(error)[:200]
                raise Refused(f": it cannot be read: {type(error).__name__}: {why}") from None
    return None, {}


def read_npy(path: str) -> Found:
    """Read a file of idtracker.ai."""
    form: Any = np.lib.format
    with open(path, "rb") as file:
        is_old = form.read_magic(file) == (1, 0)
        *_, kind = (form.read_array_header_1_0 if is_old else form.read_array_header_2_0)(file)
        found = unpickled(file.read()) if kind.hasobject else {"trajectories": np.load(path)}
    is_one = isinstance(found, PickledArray) and len(found.values) == 1
    return read_idtracker(found.values[0] if is_one else found)


def read_json(source: Any) -> Found:
    """Read a file of idtracker.ai, or a list of rows, each an object, in brackets or line by line."""
    with opened(source, "utf-8-sig") as file:
        text = file.read()
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
        found = json.loads("[" + re.sub(r"}\s+(?={)", "},\n", text) + "]")
    if isinstance(found, list):
        return pd.DataFrame(found), {}
    refuse_foreign("json", found)
    return read_idtracker(found)


def read_idtracker(found: Any) -> Found:
    """Read the dictionary of idtracker.ai with its positions [frame, animal, x or y]."""
    places = np.array(found.get("trajectories") if isinstance(found, dict) else None, float)
    if places.ndim != 3 or places.shape[2] != 2:
        raise Refused(
            f": it has no array trajectories [frame, animal, x and y], as files of idtracker.ai have; {MAKE_TABLE}"
        )
    count = places.shape[1]
    names = found.get("identities_labels") or range(1, count + 1)
    if len(names) != count:
        raise Refused(f": it has {len(names)} identities_labels for {count} animals")
    about = {"fps": found.get("frames_per_second"), "body_length": found.get("body_length")}
    axes = ["time", "individual", "space"]
    return pose_table([(axes, places)], {"individual": texts(names)}), about


class UnknownObject(Dict[Any, Any]):
    """A stand-in for every class and function in pickled data that is not one of PICKLED_NAMES."""

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
        _, shape, kind, is_fortran, self.values = state
        if not isinstance(self.values, list):
            values = np.frombuffer(self.values, kind.kind)
            self.values = values.reshape(shape, order="F" if is_fortran else "C")

    def __array__(self, *_: Any, **__: Any) -> Any:
        return np.array(self.values)


PICKLED_NAMES = {
    "dtype": PickledType,
    "_reconstruct": PickledArray,
    "scalar": lambda kind, data: np.frombuffer(data, kind.kind)[0].item(),
    "encode": lambda text, *_: text.encode("latin-1"),
}


class Unpickler(pickle._Unpickler):  # the one in C allocates as much as a file demands
    """Calls nothing but PICKLED_NAMES and UnknownObject."""

    # Without the arrays of bytes, which no tracker writes: their memory is filled before the bytes are read.
    dispatch = {
        code: load
        for code, load in pickle._Unpickler.dispatch.items()
        if code != pickle.BYTEARRAY8[0]
    }

    def find_class(self, module: str, name: str) -> Any:
        return (
            PICKLED_NAMES.get(name, UnknownObject)
            if module.split(".")[0] in ("numpy", "_codecs")
            else UnknownObject
        )


def unpickled(data: bytes) -> Any:
    """Return the value of pickled data."""
    return Unpickler(io.BytesIO(data), encoding="latin-1").load()


def read_npz(path: str) -> Found:
    """Read one animal of TRex: arrays with one number per frame."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    if not all(name.endswith(".npy") for name in names):
        is_sheet = {"[Content_Types].xml", "content.xml"} & {*names}
        what = "a spreadsheet; save it as CSV" if is_sheet else "an archive (zip); unpack it"
        raise Refused(f": it is {what}")
    with np.load(path) as file:
        words = {"fps": "frame_rate", "length_per_pixel": "cm_per_pixel"}
        about = {key: float(file[of].flat[0]) for key, of in words.items() if of in file}
        found = {name: file[name] for name in TREX_ARRAYS if name in file}
    if "frame" not in found:
        raise Refused(f": it has no array frame, as files of TRex have; {MAKE_TABLE}")
    shape = found["frame"].shape[:1]
    return pd.DataFrame({name: of for name, of in found.items() if of.shape == shape}), about


def read_mat(path: str) -> Found:
    """Read a file of Ctrax: arrays of all detections, frame by frame, or, after its corrections, an array trx with a record for each
    animal."""
    from scipy.io import loadmat

    names = ["identity", "x_pos", "y_pos", "ntargets", "startframe", "trx", "trk"]
    found = loadmat(path, squeeze_me=True, struct_as_record=False, variable_names=names)
    refuse_foreign("mat", found)
    rows: List[Any] = []  # of frame, id, x and y
    if "trx" in found:
        for i, one in enumerate(np.atleast_1d(found["trx"])):
            places = np.atleast_1d(one.x), np.atleast_1d(one.y)
            first, name = int(one.firstframe), int(getattr(one, "id", i))
            rows += ((first + k, name, *place) for k, place in enumerate(zip(*places)))
    elif {*names[:4]} <= {*found}:
        *columns, counts = (np.atleast_1d(found[name]) for name in names[:4])
        frames = np.arange(len(counts)) + int(found.get("startframe", 0))
        rows += zip(np.repeat(frames, counts.astype(int)), *columns)
    else:
        raise Refused(
            f": it has neither trx nor x_pos, y_pos, identity and ntargets, as files of Ctrax have; {MAKE_TABLE}"
        )
    return pd.DataFrame(rows, columns=["frame", "id", "x", "y"], dtype=float), {"y_axis": "up"}


def texts(values: Any) -> List[str]:
    return [value.decode() if isinstance(value, bytes) else str(value) for value in values]


def pose_table(arrays: Iterable[Any], labels: Any) -> Any:
    """Return a DataFrame with the header rows of DeepLabCut: of the places, and of their likelihoods, which are (names of the axes, values).
    `labels` are those on some axes."""
    found = []
    for axes, values in arrays:
        lacking = [axis for axis in AXES if axis not in axes]
        values = np.expand_dims(values, (*range(len(lacking)),))
        found.append(values.transpose([(lacking + axes).index(axis) for axis in AXES]))
    values = np.concatenate(found, axis=3)
    names = (labels.get(axis) or [""] * size for axis, size in zip(AXES[1:], values.shape[1:3]))
    keys = *names, ["x", "y", "likelihood"][: values.shape[3]]
    columns = pd.MultiIndex.from_product(keys, names=POSE_HEADERS[1:])
    return pd.DataFrame(values.reshape(len(values), -1), labels.get("time"), columns)


def read_sleap(file: Any) -> Found:
    """Return the table in an analysis file of SLEAP: tracks [animal, x or y, point, frame], or in the order of their attribute dims."""
    tracks = file["tracks"][()]
    dims = json.loads(file["tracks"].attrs.get("dims", "null")) or [*SLEAP_AXES]  # of sleap-io
    if {*dims} != {*SLEAP_AXES} or len(dims) > 4 or tracks.shape[dims.index("xy")] != 2:
        raise Refused(
            f": tracks is {tracks.shape}; {', '.join(SLEAP_AXES)} were expected, or the order in its attribute dims"
        )
    axes = [SLEAP_AXES[name] for name in dims]
    arrays = [(axes, tracks)]
    if "point_scores" in file:
        arrays.append(([axis for axis in axes if axis != "space"], file["point_scores"][()]))
    names = {"individual": "track_names", "keypoint": "node_names"}
    labels = {axis: texts(file[name][()]) for axis, name in names.items() if name in file}
    return pose_table(arrays, labels), {}


def read_hdf5(path: str) -> Found:
    import h5py

    with h5py.File(path, "r") as file:
        if "tracks" in file and "node_names" in file:
            return read_sleap(file)
        if "trajectories" in file:
            labels = texts(file.attrs.get("identities_labels", []))
            found = {"trajectories": file["trajectories"][()], "identities_labels": labels}
            return read_idtracker({**file.attrs, **found})
        for group in file.values():
            about = group if isinstance(group, h5py.Group) else {}
            if "table" in about and "values_block_0" in (about["table"].dtype.names or ()):
                table = about["table"]  # DeepLabCut: a table of pandas
                keys = unpickled(bytes(table.attrs["values_block_0_kind"]))
                levels = POSE_HEADERS if len(keys[0]) == 4 else (POSE_HEADERS[0], *POSE_HEADERS[2:])
                columns = pd.MultiIndex.from_tuples(keys, names=levels)
                return pd.DataFrame(table["values_block_0"], table["index"], columns), {}
            if "block0_values" in about:
                raise Refused(
                    ": this is a table of pandas in its format 'fixed'; give the CSV file instead"
                )
        if "position" in file:
            return read_netcdf(file)
        refuse_foreign("hdf5", file)
    what = "neither an analysis of SLEAP nor a file of DeepLabCut, idtracker.ai or movement"
    raise Refused(f": it is {what}; {USE_MOVEMENT}, or {MAKE_TABLE}")


def read_netcdf(file: Any) -> Found:
    """Read the dataset of the library movement in its netCDF file, which is HDF5."""

    def axes(name: str) -> List[str]:
        scales = ([*axis.values()] or [file] for axis in file[name].dims)
        return [of[0].name.rpartition("/")[2] for of in scales]

    arrays = [(axes(name), file[name][()]) for name in MOVEMENT_ARRAYS if name in file]
    labels = {axis: file[axis][()] for axis in arrays[0][0] if axis in file}
    about = {name: "".join(texts(np.atleast_1d(of))) for name, of in file.attrs.items()}
    return movement_table(arrays, labels, about)


def read_dataset(source: Any) -> Found:
    """Read the dataset of the library movement, an xarray.Dataset."""
    if "position" not in source:
        raise Refused(": it has no variable position, as datasets of movement have")
    arrays = [
        ([*source[name].dims], source[name].values) for name in MOVEMENT_ARRAYS if name in source
    ]
    return movement_table(
        arrays, {name: of.values for name, of in source.coords.items()}, source.attrs
    )


def movement_table(arrays: Sequence[Any], labels: Any, about: Any) -> Found:
    """Read a dataset of movement: (dimensions, float array) of position and confidence, {dimension: its labels}, and the attributes.
    Dimensions were called individuals and keypoints, and are individual and keypoint.
    """
    singular = [([axis.removesuffix("s") for axis in axes], values) for axes, values in arrays]
    labels = {name.removesuffix("s"): texts(np.atleast_1d(of)) for name, of in labels.items()}
    space = labels.get("space", [])
    if not {"time", "space"} <= {*singular[0][0]} <= {*AXES}:
        raise Refused(
            f": position has the dimensions {', '.join(arrays[0][0])}; {', '.join(AXES)} were expected; {MAKE_TABLE}"
        )
    if space != ["x", "y"]:
        raise Refused(f": its space is {', '.join(space)}; x, y was expected; {MAKE_TABLE}")
    if "time" in labels:
        labels["time"] = np.array(labels["time"], float)
    kind = "time" if about.get("time_unit") == "seconds" else "frame"
    return pose_table(singular, labels), {"fps": float(about.get("fps") or "nan"), "kind": kind}


def read_xml(path: str) -> Found:
    """Read the tracks that TrackMate exports (particle, detection), or its whole file (Spot, Track, Edge)."""
    with open(path, "rb") as file:
        data = file.read()
    if b"<!DOCTYPE" in data:
        raise Refused(": it has a document type, which files of TrackMate do not have")
    root = ElementTree.fromstring(data)
    if root.tag not in ("Tracks", "TrackMate"):
        name = root.tag.rpartition("}")[2]
        refuse_foreign("xml", [name])
        raise Refused(f": it is XML of another program ({name}); {MAKE_TABLE}")
    unit = root.get("spaceUnits") or "".join(
        of.get("spatialunits", "") for of in root.iter("Model")
    )
    kept = {one.get("TRACK_ID") for one in root.iter("TrackID")}
    animals = {
        edge.get(end): track.get("TRACK_ID")
        for track in root.iter("Track")
        if not kept or track.get("TRACK_ID") in kept  # TrackMate hides the others; they have no id
        for edge in track.iter("Edge")
        for end in ("SPOT_SOURCE_ID", "SPOT_TARGET_ID")
    }
    names = ["FRAME", "POSITION_X", "POSITION_Y", "POSITION_Z"]
    rows: List[Any] = [
        (animals.get(spot.get("ID"), ""), *map(spot.get, names)) for spot in root.iter("Spot")
    ]
    for i, animal in enumerate(root.iter("particle")):
        rows += [(i, *map(at.get, "txyz")) for at in animal]
    columns = ["id", "frame", f"x ({unit})", f"y ({unit})", "z"]
    return pd.DataFrame(rows, columns=columns, dtype=object), {}


BINARY_READERS = {
    "\x93NUMPY": read_npy,
    "PK\3\4": read_npz,
    "\x89HDF": read_hdf5,
    "MATLAB": read_mat,
    "<": read_xml,
    "{": read_json,
    "[{": read_json,
}
