"""By box, by text, by distance."""

from math import cos, hypot, radians

KM_PER_DEGREE = 111.2


def in_box(specimens, west, south, east, north):
    return [s for s in specimens if west <= s.lon <= east and south <= s.lat <= north]


def with_text(specimens, taxa, text):
    """Sheets on which each word is somewhere, in any case."""
    found = []
    for s in specimens:
        name = taxa.accepted(s.taxon).name
        page = f"{name} {taxa[s.taxon].name} {s.locality} {s.county} {s.collector}".lower()
        page += f" {s.verbatim_coordinates or ''}".lower()
        if all(word in page for word in text.lower().split()):
            found.append(s)
    return found


def distance_km(s, lat, lon):
    return KM_PER_DEGREE * hypot(s.lat - lat, (s.lon - lon) * cos(radians(lat)))


def nearest(specimens, lat, lon, limit):
    """(kilometres, sheet), nearest first."""
    found = [(round(distance_km(s, lat, lon), 3), s) for s in specimens]
    return sorted(found, key=lambda pair: (pair[0], pair[1].id))[:limit]
