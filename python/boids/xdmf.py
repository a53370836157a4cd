"""XDMF files for ParaView."""

from .files.xdmf import write

__all__ = ["write"]
