"""Quotes, paper and the plan of a letterpress shop."""

from .jobs import Job

__all__ = ["Job"]
