"""One sheet."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Specimen:
    id: str
    taxon: int
    gathering: str
    lat: float
    lon: float
    locality: str
    county: str
    country: str
    collector: str
    year: int
    elevation_m: int | None = None
    verbatim_coordinates: str | None = None
    withhold: bool | None = None

    @property
    def map_link(self):
        return f"https://map.hortus.example/#14/{self.lat}/{self.lon}"
