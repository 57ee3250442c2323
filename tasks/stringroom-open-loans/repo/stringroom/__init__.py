"""The music school's instruments: who has them."""

from stringroom.db import open_room
from stringroom.reports import report

__all__ = ["open_room", "report"]
