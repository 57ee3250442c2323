"""The front: everything outside calls this."""

import time

from .alarms import Alarms
from .cache import DEFAULT_TTL_S, SummaryCache
from .corrections import Corrections
from .export import settlement_lines
from .ingest import Ingest
from .repository import Repository
from .sites import Sites
from .summaries import Summaries


class Service:
    def __init__(self, repository, sites, ttl_s=DEFAULT_TTL_S, clock=time.monotonic):
        cache = SummaryCache(ttl_s, clock)
        self._repository = repository
        self._summaries = Summaries(repository, sites, cache)
        self._ingest = Ingest(repository, sites, cache, Alarms(self._summaries, sites))
        self._corrections = Corrections(repository, cache)

    @classmethod
    def open(cls, sites_path, journal=None, **options):
        return cls(Repository(journal), Sites.load(sites_path), **options)

    def ingest(self, rows):
        return self._ingest.batch(rows)

    def amend(self, reading_id, *, at=None, kwh=None):
        return self._corrections.amend(reading_id, at, kwh)

    def withdraw(self, reading_id):
        return self._corrections.withdraw(reading_id)

    def day(self, site_id, day):
        return self._summaries.day(site_id, day)

    def month(self, site_id, year, month):
        return self._summaries.month(site_id, year, month)

    def settlement_lines(self, day):
        return settlement_lines(self._repository, day)

    def stats(self):
        """How many days and months were computed since the start."""
        computed = self._summaries.computed
        return {"days": computed["day"], "months": computed["month"]}
