"""Pictures and players of runs and flocks, as notebooks show them."""

import html
import io
import os
from typing import Any, Union

from ..core.atomic_file import write_bytes
from ..core.messages import file_name
from . import player

Path = Union[str, "os.PathLike[str]"]


class Picture:
    """A PNG that a notebook shows."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def _repr_png_(self) -> bytes:
        return self.data

    def save(self, path: Path) -> None:
        """Write the PNG. Raise RunError if the file cannot be written."""
        write_bytes(file_name(path), self.data)


class Player:
    """A page that plays a run: a notebook shows it, and save() writes it for a browser. It loads nothing else."""

    def __init__(self, trajectory: Any, fps: float) -> None:
        self._trajectory, self._fps = trajectory, fps

    def _page(self) -> str:
        return player.page_of(
            self._trajectory, list(range(len(self._trajectory))), look(self._trajectory), self._fps
        )

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self._page())}" width="100%" height="620" style="border: 0"></iframe>'

    def save(self, path: Path) -> None:
        """Write the page. Raise RunError if the file cannot be written."""
        write_bytes(file_name(path), self._page().encode())


def look(run: Any, **changes: Any) -> Any:
    """Return the Look of a run for drawing/."""
    from .panel import Look

    title = run.world.title if run.world else ""
    return Look(**{"title": title, "y_axis": run._run.y_axis, **changes})


def picture_of(run: Any) -> bytes:
    """Return a PNG of the first frame of a trajectory, as boids-plot draws it."""
    from .layout import Page

    page = Page([run], look(run), None, frames=[0])
    page.show([0])
    data = io.BytesIO()
    page.figure.savefig(
        data, format="png", dpi=page.figure.dpi, facecolor=page.figure.get_facecolor()
    )
    return data.getvalue()
