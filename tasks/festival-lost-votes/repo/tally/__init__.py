"""Counting of the audience award."""

__version__ = "1.5"
