"""Single readings put right by hand."""

from dataclasses import replace

from .model import parse_time
from .timeutil import day_of


class Corrections:
    def __init__(self, repository, cache):
        self._repository = repository
        self._cache = cache

    def amend(self, reading_id, at=None, kwh=None):
        """Changes when a reading was taken, how much it says, or both."""
        reading = self._repository.get(reading_id)
        if at is not None:
            reading = replace(reading, at=parse_time(at))
        if kwh is not None:
            reading = replace(reading, kwh=float(kwh))
        self._repository.replace(reading)
        self._cache.invalidate(reading.site, day_of(reading.at))
        return reading

    def withdraw(self, reading_id):
        reading = self._repository.get(reading_id)
        self._repository.remove(reading_id)
        self._cache.invalidate(reading.site, day_of(reading.at))
        return reading
