from dataclasses import dataclass, field
from datetime import date, datetime, timezone

UTC = timezone.utc


@dataclass(frozen=True)
class Reading:
    """Energy since the meter's previous reading. ``at`` is UTC from here on."""

    id: str
    site: str
    at: datetime
    kwh: float

    @classmethod
    def from_row(cls, row):
        return cls(str(row["id"]), row["site"], parse_time(row["at"]), float(row["kwh"]))

    def to_row(self):
        return {"id": self.id, "site": self.site, "at": self.at.isoformat(), "kwh": self.kwh}


@dataclass(frozen=True)
class Summary:
    """The figures of one day (``start`` is that day) or one month (its first)."""

    site: str
    start: date
    readings: int = 0
    kwh: float = 0.0
    peak_kwh: float | None = None


@dataclass(frozen=True)
class Alarm:
    reading: Reading
    usual_kwh: float


@dataclass
class Batch:
    """What became of one batch."""

    accepted: int = 0
    duplicates: int = 0
    alarms: list[Alarm] = field(default_factory=list)


def parse_time(text):
    # fromisoformat knows no Z before 3.11, and the plant has 3.10
    at = datetime.fromisoformat(text.replace("Z", "+00:00"))
    if at.tzinfo is None:
        raise ValueError(f"a time without an offset: {text}")
    return at.astimezone(UTC)
