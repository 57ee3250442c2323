"""The village gazette, by mail."""

__version__ = "2.6.1"
