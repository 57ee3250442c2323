"""Meter readings in, figures by day and month out."""

from .model import Alarm, Batch, Reading, Summary
from .service import Service

__all__ = ["Alarm", "Batch", "Reading", "Service", "Summary"]
