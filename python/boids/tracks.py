"""Tracks of animals (docs/animals.md)."""

from .animals.tracks import Tracks, convert, read

__all__ = ["Tracks", "convert", "read"]
