"""Batches of readings from the gateways."""

from .model import Batch, Reading
from .timeutil import day_of


class Ingest:
    def __init__(self, repository, sites, cache, alarms):
        self._repository = repository
        self._sites = sites
        self._cache = cache
        self._alarms = alarms

    def batch(self, rows):
        """Takes a batch whole, or raises and takes nothing of it."""
        readings = [Reading.from_row(row) for row in rows]
        for reading in readings:
            self._sites[reading.site]  # an unknown site must fail here, not half-way
        outcome = Batch()
        for reading in readings:
            if not self._repository.add(reading):
                outcome.duplicates += 1
                continue
            outcome.accepted += 1
            self._cache.invalidate(reading.site, day_of(reading.at))
            alarm = self._alarms.observe(reading)
            if alarm:
                outcome.alarms.append(alarm)
        self._repository.flush()
        return outcome
