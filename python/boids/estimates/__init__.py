"""Means and errors of series and of the runs of a sweep."""
