"""Figures by day and month at the site, on top of the cache."""

from collections import Counter
from datetime import date, timedelta

from .model import Summary


class Summaries:
    def __init__(self, repository, sites, cache):
        self._repository = repository
        self._sites = sites
        self._cache = cache
        self.computed = Counter()

    def day(self, site_id, day):
        site = self._sites[site_id]
        begins = self._begins(site)
        if begins is None or day < begins:
            return Summary(site_id, day)
        known = self._cache.get("day", site_id, day)
        if known is not None:
            return known
        self.computed["day"] += 1
        readings = self._repository.between(site_id, *site.bounds(day))
        summary = Summary(
            site_id,
            day,
            readings=len(readings),
            kwh=round(sum((r.kwh for r in readings), 0.0), 3),
            peak_kwh=max((r.kwh for r in readings), default=None),
        )
        self._cache.put("day", summary)
        return summary

    def month(self, site_id, year, month):
        start = date(year, month, 1)
        known = self._cache.get("month", site_id, start)
        if known is not None:
            return known
        self.computed["month"] += 1
        days = [self.day(site_id, day) for day in _days_of_month(start)]
        peaks = [day.peak_kwh for day in days if day.peak_kwh is not None]
        summary = Summary(
            site_id,
            start,
            readings=sum(day.readings for day in days),
            kwh=round(sum(day.kwh for day in days), 3),
            peak_kwh=max(peaks, default=None),
        )
        self._cache.put("month", summary)
        return summary

    def _begins(self, site):
        day = self._cache.begins(site.id)
        if day is None:
            first = self._repository.first(site.id)
            if first is not None:
                day = site.local_day(first.at)
                self._cache.put_begins(site.id, day)
        return day


def _days_of_month(start):
    day = start
    while day.month == start.month:
        yield day
        day += timedelta(days=1)
