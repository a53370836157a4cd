"""What a fit of a flock agrees with."""

from .animals.fit_targets import Targets

__all__ = ["Targets"]
