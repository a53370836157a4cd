"""Fits of flocks to measurements."""

from .animals.abc_smc import Fit, Prior

__all__ = ["Fit", "Prior"]
