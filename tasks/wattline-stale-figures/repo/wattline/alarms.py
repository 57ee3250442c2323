"""Readings that are far above what the site used the day before."""

from datetime import timedelta

from .model import Alarm

# Fewer than this say nothing about what is usual.
ENOUGH = 4


class Alarms:
    def __init__(self, summaries, sites):
        self._summaries = summaries
        self._sites = sites

    def observe(self, reading):
        """An alarm or None.

        Compares with the day before, as we knew it before the batch of this
        reading came. A meter that restarts repeats its peak through a whole
        batch, and among its own kind no reading stands out.
        """
        site = self._sites[reading.site]
        if site.spike_factor is None:
            return None
        before = site.local_day(reading.at) - timedelta(days=1)
        known = self._summaries.day(site.id, before)
        if known.readings < ENOUGH:
            return None
        usual = known.kwh / known.readings
        return Alarm(reading, usual) if reading.kwh > site.spike_factor * usual else None
