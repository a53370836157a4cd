"""Write an XDMF sidecar, so that ParaView opens a trajectory:

    boids-xdmf flock.h5        # writes flock.xdmf beside it

ParaView cannot read H5MD. The sidecar does not contain the numbers of the flock, only their locations in the HDF5 file: one grid per frame
and kind of agent, with the velocity (if the file has it) as a vector and, in two dimensions, also as vx and vy. Keep both files in one
folder, and open the sidecar with "XDMF Reader".

Exit status: 0 done, 1 it could not be written, 2 the file or the command line was refused.
"""

import contextlib
import os
import re
from xml.sax.saxutils import escape, quoteattr
from typing import Any, Iterator, List, Sequence

from ..core.atomic_file import refuse_inputs, write_bytes
from ..core.messages import Refused, file_name
from .readers import read_hdf5

__all__ = ["write"]

# The reader separates file and dataset by a colon and takes a backslash for a slash; XML cannot contain the others.
UNREADABLE = re.compile("[:\\\\\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def hyperslab(name: str, dataset: Any, row: int, first: int, columns: int) -> List[str]:
    """Return the XML of columns [first, first + columns) of a row of a dataset [T, N, 2 or 3]."""
    frames, agents, width = dataset.shape
    shape = f"{agents} {columns}" if columns > 1 else f"{agents}"
    return [
        f'<DataItem ItemType="HyperSlab" Dimensions="{shape}">',
        f'<DataItem Dimensions="3 3" Format="XML">{row} 0 {first}  1 1 1  1 {agents} {columns}</DataItem>',
        f'<DataItem Format="HDF" NumberType="Float" Precision="{dataset.dtype.itemsize}" '
        f'Dimensions="{frames} {agents} {width}">./{escape(name)}:{dataset.name}</DataItem>',  # the reader trims a name without ./
        "</DataItem>",
    ]


def attribute(label: str, kind: str, content: Sequence[str]) -> List[str]:
    return [
        f'<Attribute Name="{label}" AttributeType="{kind}" Center="Node">',
        *content,
        "</Attribute>",
    ]


def grid(name: str, kind: str, parts: Sequence[Any], row: int) -> List[str]:
    """Return the XML of one kind of agent in one frame, from the datasets of its positions and, if there are any, velocities."""
    _, agents, width = parts[0].shape
    lines = [
        f'<Grid Name="{kind}s" GridType="Uniform">',
        f'<Topology TopologyType="Polyvertex" NumberOfElements="{agents}" NodesPerElement="1"/>',
        f'<Geometry GeometryType="{"XY" if width == 2 else "XYZ"}">',
        *hyperslab(name, parts[0], row, 0, width),
        "</Geometry>",
    ]
    for velocity in parts[1:]:
        for i, label in enumerate(("vx", "vy") if width == 2 else ()):
            lines += attribute(label, "Scalar", hyperslab(name, velocity, row, i, 1))
        # If there are two components, the reader adds a third one, 0.
        lines += attribute("velocity", "Vector", hyperslab(name, velocity, row, 0, width))
    return lines + ["</Grid>"]


def sidecar(name: str, run: Any) -> Iterator[str]:
    """Yield the lines of the XML; `name` is the name of the HDF5 file in it."""
    yield from (
        '<?xml version="1.0"?>',
        '<Xdmf Version="3.0">',
        "<Domain>",
        f'<Grid Name={quoteattr(name)} GridType="Collection" CollectionType="Temporal">',
    )
    for step, row in zip(run.steps, run.rows):
        yield f'<Grid Name="step {step}" GridType="Collection" CollectionType="Spatial">'
        yield f'<Time Value="{step}"/>'
        for kind, parts in run.groups.items():
            yield from grid(name, kind, parts, row)
        yield "</Grid>"
    yield from ("</Grid>", "</Domain>", "</Xdmf>")


def check_name(path: str) -> None:
    """Refuse a path that the XDMF reader cuts or changes: it would place all boids at 0, 0 and report nothing."""
    folder, name = os.path.split(os.path.abspath(path))
    found = UNREADABLE.search(name) or re.search(r"\\", folder)
    if found:
        is_byte = "\udc80" <= found[0] <= "\udcff"
        what = "a byte that is not UTF-8" if is_byte else ascii(found[0])
        raise Refused(
            f"{path}: ParaView cannot open a file with {what} in its path; rename the file or its folder"
        )


def write(path: Any) -> str:
    """Write the sidecar of an HDF5 file beside it, and return its name: ``boids.xdmf.write("run.h5")`` writes run.xdmf. Raise ConfigError
    if the file is no trajectory with positions, or ParaView could not open its name, and RunError if the sidecar cannot be written.
    """
    path = file_name(path)
    if path == "-":
        raise Refused("HDF5 cannot be read from a pipe; give the name of the file")
    target = f"{os.path.splitext(path)[0]}.xdmf"
    check_name(path)
    refuse_inputs(target, [path])
    with contextlib.closing(read_hdf5(path, needs_velocity=False)) as run:
        write_bytes(target, "\n".join([*sidecar(os.path.basename(path), run), ""]).encode())
    return target
