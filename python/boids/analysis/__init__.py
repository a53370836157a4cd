"""The analyses of boids-analyse: numbers only. drawing/curves.py draws them.

    space                 distances, areas and windows, on a plane or a torus
    result                the result of an analysis: columns and numbers
    pairs_by_distance     g(r) and C(r): pairs of boids by their distance
    squared_displacement  the mean squared displacement
    group_sizes           the sizes of groups
    number_fluctuations   the variance of the number of boids in a box
    heading_delays        delays between the headings of pairs of boids
    spectrum              S(k) along and across the mean heading
    force_map             the acceleration against the places of neighbours
    frame_means           speeds, turns, nearest neighbours, the autocorrelation of headings, states
    films                 the average over several films
    frames                the frames of a run, for an analysis

docs/analysis.md has the formulas. Each analysis receives the frames one by one (add) and returns a Result (result).
"""

import functools
import inspect
from types import SimpleNamespace
from typing import Any, Callable, Optional, cast

from ..core.errors import ConfigError
from . import frames as of_run
from .result import Result as Result

__all__ = [
    "displacement",
    "fluctuations",
    "forces",
    "groups",
    "heading_correlation",
    "leadership",
    "measure",
    "neighbours",
    "pair_correlation",
    "speed_correlation",
    "speeds",
    "states",
    "structure_factor",
    "turns",
    "velocity_correlation",
]


def measure(
    source: Any,
    name: str,
    *,
    begin: Optional[int] = None,
    frames: Optional[int] = None,
    bins: Optional[int] = None,
    reach: Optional[float] = None,
    radius: Optional[float] = None,
    overlap: Optional[int] = None,
) -> Result:
    """Make one analysis of a run: ``measure(run, "groups", radius=30)`` is ``boids.analysis.groups(run, radius=30)``.
    Return a Result with `columns` ({name: array}), `numbers` ((name, value, unit) of each), draw(axes) and `tables` (of leadership:
    {"pairs": columns}, of forces: {"speed": columns}).

    Args:
        source: a Trajectory, Tracks, a Flock, a Frame, a list of Frames, or the name of a file; or a list of Trajectories or files (films),
            whose average has errors between films.
        name: the name of another function of this module.
        begin: the first step that counts. None: all frames of a selection such as run[100:]; of a whole run, those from
            output.mean_from or half of it on.
        frames: use at most this many frames, evenly spaced; None: 100. Those without this argument use all.
        bins, reach: rings and the largest distance of the pair, velocity and speed correlation, cells and reach of "forces", and intervals of
            "speeds" and "turns".
        radius: boids nearer than this are one group; None: flock.cohesion.radius.
        overlap: frames in which both boids of a pair must move for "leadership"; None: a quarter of the frames.

    Raises:
        ConfigError: the analysis is undefined for this run, there is none of this name, or an argument is refused or not used by it.

    Warns:
        UserWarning: the run has only some of the boids of its flock, or no configuration, or a number is missing.

    >>> list(boids.analysis.measure(boids.Flock("adams").record(20), "groups").columns)
    ['size', 'groups', 'error_groups', 'share']
    """
    from ..core.messages import note
    from ..runs.simulation import _checked_whole_number, _refuse_unless_positive
    from .result import Undefined

    if name not in of_run.NAMES:
        raise ConfigError(f"there is no analysis {name}; there are {', '.join(of_run.NAMES)}")
    arguments = dict(frames=frames, bins=bins, reach=reach, radius=radius, overlap=overlap)
    for word, value in arguments.items():
        if value is not None and name not in of_run.USERS_OF[word]:
            raise ConfigError(f"{word} is for {', '.join(of_run.USERS_OF[word])}, not for {name}")
    _refuse_unless_positive(reach=reach, radius=radius)
    options = SimpleNamespace(begin=begin, quiet=True, **arguments)
    for word, least in (("begin", 0), ("frames", 1), ("bins", 2), ("overlap", 1)):
        value = getattr(options, word)
        _checked_whole_number(word, least if value is None else value, least)
    runs = _runs_of(source)
    try:
        result = of_run.analyse(name, runs, options)
    except Undefined as why:
        raise ConfigError(f"{runs[0].name}: {name}: {why}") from None
    for sentence in result.notes:
        note(f"{runs[0].name}: {sentence}")
    result.drawing = functools.partial(_draw, name)
    return cast(Result, result)


def _function(name: str) -> Callable[..., Result]:
    """Return the function of one analysis, with the arguments that it uses and their defaults."""
    kind, words = inspect.Parameter, {"begin": None, **of_run.CLASSES[name][2]}
    signature = inspect.Signature(
        [
            kind("source", kind.POSITIONAL_ONLY),
            *(kind(word, kind.KEYWORD_ONLY, default=value) for word, value in words.items()),
        ]
    )

    def analysis(*source: Any, **arguments: Any) -> Result:
        try:
            given = signature.bind(*source, **arguments)
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        return measure(given.args[0], name, **given.kwargs)

    analysis.__signature__ = signature  # type: ignore[attr-defined]
    analysis.__name__ = analysis.__qualname__ = name
    analysis.__doc__ = f"Return measure(source, {name!r}, ...), which describes the arguments."
    return analysis


(
    pair_correlation,
    velocity_correlation,
    displacement,
    groups,
    fluctuations,
    leadership,
    structure_factor,
    forces,
    speed_correlation,
    speeds,
    turns,
    neighbours,
    heading_correlation,
    states,
) = map(_function, of_run.NAMES)


def _runs_of(source: Any) -> Any:
    """Return the Trajectories of a source. Report what they lack."""
    from ..runs.frame import Frame
    from ..runs.trajectory import trajectory_of

    are_films = isinstance(source, (list, tuple)) and source and not isinstance(source[0], Frame)
    runs = [trajectory_of(film) for film in (source if are_films else [source])]
    for run in runs:
        of_run.note_missing_data(run)
    return runs


def _draw(name: str, axes: Any, result: Any) -> None:
    from ..drawing.curves import CURVES

    CURVES[name][""](axes, result)
