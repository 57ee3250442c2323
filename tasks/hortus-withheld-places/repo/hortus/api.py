"""What the website and everybody else gets: (status, body)."""

from . import changes, export, grid, search
from .viewers import PUBLIC

REMEMBERED = 500


class Api:
    def __init__(self, store):
        self._store = store
        self._answers = {}

    def get(self, path, query=None, viewer=PUBLIC):
        query = dict(query or {})
        if path == "/export.csv" and not viewer.may_export:
            return 403, {"error": "members only"}
        key = (path, tuple(sorted(query.items())))
        if key not in self._answers:
            if len(self._answers) >= REMEMBERED:
                self._answers.clear()
            self._answers[key] = self._answer(path, query)
        return self._answers[key]

    def _answer(self, path, query):
        store = self._store
        try:
            if path.startswith("/specimens/"):
                specimen = store.specimens.get(path.removeprefix("/specimens/"))
                if specimen is None:
                    return 404, {"error": "no such sheet"}
                siblings = [s.id for s in store.all() if s.gathering == specimen.gathering]
                return 200, {**self._row(specimen), "gathering_sheets": sorted(siblings)}
            if path == "/search":
                found = store.all()
                if "bbox" in query:
                    found = search.in_box(found, *map(float, query["bbox"].split(",")))
                if "text" in query:
                    found = search.with_text(found, store.taxa, query["text"])
                found.sort(key=lambda s: (s.locality, s.id))
                return 200, {"total": len(found), "sheets": [self._row(s) for s in found]}
            if path == "/near":
                lat, lon = map(float, query["at"].split(","))
                pairs = search.nearest(store.all(), lat, lon, int(query.get("limit", 10)))
                return 200, {"sheets": [{**self._row(s), "km": km} for km, s in pairs]}
            if path == "/grid":
                return 200, {"cells": grid.counts(store.all())}
            if path == "/changes":
                return 200, {"changes": changes.latest(store, int(query.get("limit", 20)))}
            if path == "/export.csv":
                return 200, export.to_csv(store)
        except (KeyError, TypeError, ValueError):
            return 400, {"error": "bad query"}
        return 404, {"error": "no such page"}

    def _row(self, s):
        return {
            "id": s.id,
            "name": self._store.taxa.accepted(s.taxon).name,
            "lat": s.lat,
            "lon": s.lon,
            "locality": s.locality,
            "county": s.county,
            "country": s.country,
            "collector": s.collector,
            "year": s.year,
            "elevation_m": s.elevation_m,
            "verbatim_coordinates": s.verbatim_coordinates,
            "map": s.map_link,
        }
