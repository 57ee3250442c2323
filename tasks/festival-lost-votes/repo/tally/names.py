"""Names of spool files."""

import re
from dataclasses import dataclass

FORM = re.compile(r"(?P<kiosk>K\d\d)-(?P<day>\d{8})(?:\.part(?P<part>\d+))?\.csv")


@dataclass(frozen=True)
class SpoolName:
    kiosk: str
    day: str
    part: int  # 1 is the first file, the one with the header

    @property
    def first(self):
        """Name of the first file that this one continues."""
        return f"{self.kiosk}-{self.day}.csv"


def parse_name(name):
    """None for files that are none of ours."""
    found = FORM.fullmatch(name)
    if found is None:
        return None
    return SpoolName(found["kiosk"], found["day"], int(found["part"] or 1))
