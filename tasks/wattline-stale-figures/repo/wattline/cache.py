"""Figures by (kind, site, first day). The rules are in docs/cache.md."""

import time

from .timeutil import first_of_month

DEFAULT_TTL_S = 6 * 60 * 60


class SummaryCache:
    def __init__(self, ttl_s=DEFAULT_TTL_S, clock=time.monotonic):
        self._ttl_s = ttl_s
        self._clock = clock
        self._entries = {}
        # The day each site begins with, so that the years before it need no entries.
        self._begins = {}

    def get(self, kind, site_id, start):
        entry = self._entries.get((kind, site_id, start))
        if entry is None:
            return None
        summary, expires = entry
        if self._clock() >= expires:
            del self._entries[kind, site_id, start]
            return None
        return summary

    def put(self, kind, summary):
        key = (kind, summary.site, summary.start)
        self._entries[key] = (summary, self._clock() + self._ttl_s)

    def begins(self, site_id):
        """The site's first day with readings, None if we were not told."""
        return self._begins.get(site_id)

    def put_begins(self, site_id, day):
        self._begins[site_id] = day

    def invalidate(self, site_id, day):
        """Forgets a day and the month it is in."""
        self._entries.pop(("day", site_id, day), None)
        self._entries.pop(("month", site_id, first_of_month(day)), None)
