"""The registry: what the controllers on site were told about their clocks."""

import json
from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from .model import UTC, parse_time


@dataclass(frozen=True)
class Site:
    id: str
    name: str
    offsets: tuple  # (from, timedelta), oldest first
    spike_factor: float | None = None

    @classmethod
    def from_row(cls, row):
        offsets = sorted(
            (parse_time(o["from"]), timedelta(minutes=o["minutes"])) for o in row["offsets"]
        )
        return cls(row["id"], row["name"], tuple(offsets), row.get("spike_factor"))

    @property
    def offset(self):
        """The newest offset told to the site, for labels."""
        return self.offsets[-1][1]

    def offset_at(self, at):
        """The offset in force at a moment; before the first, the first."""
        index = bisect_right([start for start, _ in self.offsets], at) - 1
        return self.offsets[max(index, 0)][1]

    def local_day(self, at):
        return (at + self.offset_at(at)).date()

    def bounds(self, day):
        """Start and end of a local day, as moments. Clocks never change at midnight here."""
        return self._midnight(day), self._midnight(day + timedelta(days=1))

    def _midnight(self, day):
        wall = datetime(day.year, day.month, day.day, tzinfo=UTC)
        guess = wall - self.offset_at(wall)
        return wall - self.offset_at(guess)


class Sites:
    def __init__(self, sites):
        self._sites = {site.id: site for site in sites}

    @classmethod
    def load(cls, path):
        rows = json.loads(Path(path).read_text(encoding="utf-8"))["sites"]
        return cls(Site.from_row(row) for row in rows)

    def __getitem__(self, site_id):
        try:
            return self._sites[site_id]
        except KeyError:
            raise LookupError(f"no site {site_id!r}") from None
