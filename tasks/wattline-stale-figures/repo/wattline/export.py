"""The daily file for the settlement agency."""

from .timeutil import day_of


def settlement_lines(repository, day):
    """One line a reading. The agency settles by UTC day, for all sites alike."""
    return [
        f"{reading.site};{reading.at:%Y-%m-%dT%H:%M:%SZ};{reading.kwh:.3f}"
        for reading in repository
        if day_of(reading.at) == day
    ]
