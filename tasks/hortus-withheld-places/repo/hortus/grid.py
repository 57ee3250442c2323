"""The heat map: sheets in each hundredth of a degree."""

from collections import Counter
from math import floor


def counts(specimens):
    cells = Counter((floor(s.lat * 100), floor(s.lon * 100)) for s in specimens)
    return [{"lat": lat / 100, "lon": lon / 100, "sheets": n} for (lat, lon), n in sorted(cells.items())]
