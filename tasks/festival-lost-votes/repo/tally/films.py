import csv
from pathlib import Path

DEFAULT = Path(__file__).parent.parent / "data" / "films.csv"


def load_films(path=None):
    """Title by id."""
    with open(path or DEFAULT, newline="", encoding="utf-8") as file:
        return {row["id"]: row["title"] for row in csv.DictReader(file)}
