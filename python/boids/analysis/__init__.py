"""The modules of analyse.py. plotting/ reads the trajectories and styles the charts.

    space             distances, areas and windows, on a plane or a torus
    result            the result of an analysis: columns, numbers, a chart
    pair_correlation  g(r) and C(r): pairs of boids by their distance
    displacement      the mean squared displacement
    groups            the sizes of groups
    fluctuations      the variance of the number of boids in a box
    leadership        delays between the headings of pairs of boids
    structure_factor  S(k) along and across the mean heading
    command           command line and exit status

docs/analysis.md has the formulas. Each analysis receives the frames one by one (add) and returns a Result (result).
"""

from types import SimpleNamespace
from typing import Any, Optional

from ..errors import ConfigError


def measure(source: Any, name: str, *, begin: Optional[int] = None, frames: int = 100, bins: int = 100, reach: Optional[float] = None,
            radius: Optional[float] = None) -> Any:
    """One analysis of a run: a Result with `columns` ({name: array}), `numbers` ((name, value, unit) of each), draw(axes) and
    `tables` (of leadership: {"pairs": columns}).

    Args:
        source: a Trajectory or the name of a file.
        name: "pair_correlation", "velocity_correlation", "displacement", "groups", "fluctuations", "leadership" or
            "structure_factor".
        begin, frames, bins, reach, radius: as the options --from, --frames, --bins, --reach and --radius of boids-analyse.

    Raises:
        ConfigError: the analysis is undefined for this run, or there is none of this name.
    """
    from ..trajectory import Trajectory, read
    from . import command
    from .result import Undefined
    from .space import Space
    if name not in command.NAMES:
        raise ConfigError(f"there is no analysis {name}; there are {', '.join(command.NAMES)}")
    run = source if isinstance(source, Trajectory) else read(source)
    options = SimpleNamespace(begin=begin, frames=frames, bins=bins, reach=reach, quiet=True,
                              radius=command.setting(run, "flock", "cohesion.radius") if radius is None else radius)
    try:
        return command.analyse(name, command.analyses()[name], run, command.choose_frames(run, options), options, Space(run.world))
    except Undefined as why:
        raise ConfigError(f"{run.name}: {name}: {why}") from None
