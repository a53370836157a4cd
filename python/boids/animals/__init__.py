"""Tracks of animals, and fits of flocks to them."""
