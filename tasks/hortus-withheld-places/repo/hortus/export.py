"""For others: CSV for the portals, Darwin Core for GBIF."""

import csv
import io
import json

COLUMNS = ["id", "name", "country", "county", "locality", "lat", "lon", "elevation_m", "collector", "year"]


def _sorted(specimens):
    return sorted(specimens, key=lambda s: (s.country, s.county, s.locality, s.id))


def to_csv(store):
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for s in _sorted(store.all()):
        writer.writerow({**vars(s), "name": store.taxa.accepted(s.taxon).name})
    return out.getvalue()


def darwin_core(store):
    """One JSON object a sheet, as GBIF reads them."""
    lines = []
    for s in _sorted(store.all()):
        lines.append(
            json.dumps(
                {
                    "catalogNumber": s.id,
                    "scientificName": store.taxa.accepted(s.taxon).name,
                    "family": store.taxa.family(s.taxon).name,
                    "recordedBy": s.collector,
                    "recordNumber": s.gathering,
                    "decimalLatitude": s.lat,
                    "decimalLongitude": s.lon,
                    "footprintWKT": f"POINT ({s.lon} {s.lat})",
                    "verbatimCoordinates": s.verbatim_coordinates,
                    "county": s.county,
                    "locality": s.locality,
                    "minimumElevationInMeters": s.elevation_m,
                },
                ensure_ascii=False,
            )
        )
    return lines
