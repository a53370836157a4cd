# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""A user's script, for mypy --strict and pyright: each line is right, apart from those at the end, which must be ignored."""

from pathlib import Path
from typing import Dict, List, Optional

import boids
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def order(flock: boids.Flock) -> float:
    return flock.polarization


flock = boids.Flock("adams", {"flock.count": 50}, seed=np.int64(3), threads=2)
speed: float = order(flock.step(5)) + flock.mean_speed
positions: Numbers = flock.positions
after: boids.Flock = flock.place(positions * 0.5).copy().fork(7).step(np.int64(2))
frame: boids.Frame = flock.frame(["milling"])
values: Dict[str, float] = flock.measure("milling", "flocks")
run: boids.Trajectory = flock.record(10, every=2, observables=True, to=Path("run.h5"))
last: boids.Frame = run[-1]
half: boids.Trajectory = run[::2][[0, 1]]
steps: NDArray[np.int64] = half.steps
series: Dict[str, Numbers] = run.measure("milling")
read: boids.Trajectory = boids.read("run.h5")
with boids.load(Path("run.h5")) as loaded:
    distances: Numbers = loaded.space.distance(loaded.positions, [0.0, 0.0])
config: Optional[object] = flock.config.get("flock.count")
frames: List[boids.Frame] = list(boids.run("adams", steps=3, observables=["milling"]))
memory = boids.Trajectory.from_frames(frames, config=flock.config)
boids.plot.frame(frame, colour="speed").set_title("t")
boids.animate([frame, last], frames=2).save("a.gif")
mean: Numbers = run.positions.mean(axis=1) + (half + run).headings[:, :1]
order_now: float = frame.milling + boids.analysis.groups(run[1:], radius=30).number("groups")
pairs: NDArray[np.int64] = frame.space.pairs(frame.positions, 9)
near = frame.space.neighbours(frame.positions, 9)
push: Numbers = -near.sum(near.difference) / near.counts[:, None]
tracked: boids.Trajectory = boids.tracks.read("a.csv", fps=25).to_run()
table = boids.sweep("vicsek", vary={"flock.noise.eta": [1, 2]}, seeds=range(3))
means = boids.statistics(table, by="flock.noise.eta").mean_polarization
names: List[str] = boids.keys("noise") + list(boids.presets())
try:
    flock["flock.cohesion.factor"] = 0.1
except boids.ConfigError as error:
    print(error.args)

flock.polarisation  # type: ignore
flock.step("a")  # type: ignore
run[1:3].step  # type: ignore
boids.Flok("adams")  # type: ignore
frame.position  # type: ignore
frame.milling = 3  # type: ignore
run.heading  # type: ignore
boids.sweep("adams", vary=["flock.count"])  # type: ignore
boids.analysis.group(run)  # type: ignore
boids.plot.frame(run, colour=3)  # type: ignore
run.positions.bogus  # type: ignore
tracked.measure(3)  # type: ignore
