"""Fits of flocks to measurements."""

from .animals.abc_smc import Fit, Prior
from .animals.fit_targets import Targets

__all__ = ["Fit", "Prior", "Targets"]
