"""The analyses of boids-analyse. plotting/ reads the trajectories and styles the charts.

    space             distances, areas and windows, on a plane or a torus
    result            the result of an analysis: columns, numbers, a chart
    pair_correlation  g(r) and C(r): pairs of boids by their distance
    displacement      the mean squared displacement
    groups            the sizes of groups
    fluctuations      the variance of the number of boids in a box
    leadership        delays between the headings of pairs of boids
    structure_factor  S(k) along and across the mean heading
    frames            the frames of a run, for an analysis

docs/analysis.md has the formulas. Each analysis receives the frames one by one (add) and returns a Result (result).
"""

from types import SimpleNamespace
from typing import Any, Optional

from ..errors import ConfigError


def measure(source: Any, name: str, *, begin: Optional[int] = None, frames: int = 100, bins: int = 100, reach: Optional[float] = None,
            radius: Optional[float] = None, overlap: Optional[int] = None) -> Any:
    """One analysis of a run: a Result with `columns` ({name: array}), `numbers` ((name, value, unit) of each), draw(axes) and
    `tables` (of leadership: {"pairs": columns}).

    Args:
        source: a Trajectory, a Flock, a Frame, a list of Frames, or the name of a file.
        name: "pair_correlation", "velocity_correlation", "displacement", "groups", "fluctuations", "leadership" or
            "structure_factor".
        begin, frames, bins, reach, radius, overlap: as the options --from, --frames and so on of boids-analyse.

    Raises:
        ConfigError: the analysis is undefined for this run, or there is none of this name.
    """
    from ..trajectory import trajectory_of
    from . import frames as of_run
    from .result import Undefined
    from .space import Space
    if name not in of_run.NAMES:
        raise ConfigError(f"there is no analysis {name}; there are {', '.join(of_run.NAMES)}")
    run = trajectory_of(source)
    options = SimpleNamespace(begin=begin, frames=frames, bins=bins, reach=reach, overlap=overlap, quiet=True,
                              radius=of_run.setting(run, "flock", "cohesion.radius") if radius is None else radius)
    try:
        return of_run.analyse(name, of_run.analyses()[name], run, of_run.choose_frames(run, options), options, Space(run.world))
    except Undefined as why:
        raise ConfigError(f"{run.name}: {name}: {why}") from None
