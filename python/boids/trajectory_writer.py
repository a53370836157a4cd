"""Writes trajectories as CSV, extended XYZ and HDF5 (docs/files.md). The HDF5 files have no hashes and checkpoints, which only runs have.
This module needs numpy and h5py, but not libboids."""

import io
import json
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .plotting.atomic_file import finished_only, write_bytes

MOST_NAMES = 3000  # the most names in the attribute `names`, which HDF5 limits to 64 KiB; the dataset `names` has no limit


def _lines_of(run: Any) -> Iterator[Tuple[int, List[str]]]:
    """Yield (step, rows) of each frame, where a row is [kind, id, x, y, vx, vy] as texts. The numbers of an absent agent are nan."""
    ids = {"boid": run.ids, "predator": run.predator_ids}
    for k, step in enumerate(run.steps):
        yield int(step), [
            [kind, str(name), *map(repr, row)]
            for kind in ids
            for name, row in zip(ids[kind], run.frame(kind, k).tolist())
        ]


def write_csv(path: str, run: Any) -> None:
    """Write a Trajectory as CSV (docs/files.md)."""
    with finished_only(path) as part, open(part, "w", encoding="utf-8") as file:
        file.write("step,time,id,type,x,y,vx,vy\n")
        for step, rows in _lines_of(run):
            file.writelines(
                f"{step},{step},{name},{kind},{','.join(numbers)}\n"
                for kind, name, *numbers in rows
            )


def is_periodic(config: Mapping[str, Any]) -> bool:
    return bool(config["world"]["border"] == "wrap")


def write_xyz(path: str, run: Any, config: Mapping[str, Any]) -> None:
    """Write a Trajectory as extended XYZ (docs/files.md)."""
    about = ""
    if config:
        world, quoted = config["world"], json.dumps(config).replace("\\", "\\\\").replace(
            '"', '\\"'
        )
        about = f'Lattice="{world["width"]} 0 0 0 {world["height"]} 0 0 0 1" pbc="{"T T F" if is_periodic(config) else "F F F"}" config="{quoted}" '
    with finished_only(path) as part, open(part, "w", encoding="utf-8") as file:
        for step, rows in _lines_of(run):
            file.write(
                f"{len(rows)}\n{about}Properties=species:S:1:pos:R:3:velo:R:3:id:I:1 Time={step} step={step}\n"
            )
            file.writelines(
                f"{kind[0].upper()} {x} {y} 0 {vx} {vy} 0 {name}\n"
                for kind, name, x, y, vx, vy in rows
            )


def write_trajectory(
    path: str,
    config: Mapping[str, Any],
    steps: np.ndarray,
    positions: np.ndarray,
    velocities: np.ndarray,
    observables: Mapping[str, np.ndarray],
    *,
    ids: Optional[np.ndarray] = None,
    names: Sequence[str] = (),
    parameters: Optional[Mapping[str, Any]] = None,
    predators: Sequence[np.ndarray] = (),
) -> None:
    """Write a file that boids.read(), boids-plot, boids-analyse and `boids --init` read. It replaces `path` when it is complete.

    Args:
        config: the resolved configuration (Flock.config).
        steps: int64 (T), rising.
        positions, velocities: float (T, n, 2); NaN where a boid is absent.
        observables: {name: float64 (T)}.
        ids: whole numbers below 2^31, rising; None: 0, 1, 2, ....
        names: names of the boids, such as those of animals.
        parameters: further attributes of /parameters, such as initial_hash (Flock.hash at the first frame).
        predators: positions, velocities and ids of the predators.

    Raises:
        RunError: the file cannot be written.
    """
    import h5py
    from ._library import package_version

    count = positions.shape[1]
    has_predators = len(predators) > 0 and predators[0].shape[1] > 0
    version = np.bytes_(package_version())
    attributes: Dict[str, Any] = {
        "seed": np.uint64(config["seed"]),
        "arithmetic": np.bytes_(config["arithmetic"]),
        "version": version,
        **(parameters or {}),
    }
    content = io.BytesIO()  # libhdf5 cannot close a file on a full disk
    with h5py.File(content, "w") as file:
        file.create_group("h5md").attrs["version"] = np.array([1, 1], np.int32)
        for name in ("author", "creator"):
            file.create_group(f"h5md/{name}").attrs["name"] = np.bytes_("boids")
        file["h5md/creator"].attrs["version"] = version
        boids = file.create_group("particles/boids")
        boids.create_dataset("position/step", data=np.asarray(steps, np.int64))
        boids.create_dataset("position/time", data=np.asarray(steps, np.float64))
        for name, data in (
            ("particles/boids/position", positions),
            ("particles/boids/velocity", velocities),
            *zip(
                ("particles/predators/position", "particles/predators/velocity"),
                predators[:2] if has_predators else (),
            ),
            *((f"observables/{name}", series) for name, series in observables.items()),
        ):
            group = file.require_group(name)
            group["value"] = data
            if "step" not in group:
                group["step"], group["time"] = boids["position/step"], boids["position/time"]
        boids["id"] = np.arange(count, dtype=np.int32) if ids is None else np.asarray(ids, np.int32)
        if len(names):
            boids.create_dataset("names", data=np.array(names, object), dtype=h5py.string_dtype())
            if count <= MOST_NAMES:
                boids["id"].attrs["names"] = list(names)
        if has_predators:
            file["particles/predators/id"] = np.asarray(predators[2], np.int32)
        boids.create_dataset(
            "species",
            data=np.zeros(count, np.int8),
            dtype=h5py.enum_dtype({"boid": 0, "predator": 1}, "i1"),
        )
        box = boids.create_group("box")
        box.attrs.update(
            {
                "dimension": np.int32(2),
                "boundary": np.array([b"periodic" if is_periodic(config) else b"none"] * 2),
            }
        )
        box["edges"] = np.array([config["world"]["width"], config["world"]["height"]], np.float64)
        file.create_group("parameters").attrs.update(attributes)
        file["parameters/config"] = np.bytes_(json.dumps(config))
    write_bytes(path, content.getbuffer())
