"""House style, checked before typesetting."""

__version__ = "3.2.0"
