"""A job queue in one SQLite file."""

from errand.jobs import Job
from errand.queue import Queue, QueueError

__all__ = ["Job", "Queue", "QueueError"]
