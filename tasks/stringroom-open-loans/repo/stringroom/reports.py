"""Reports are SELECTs in sql/reports; this runs them."""

from pathlib import Path

REPORTS = Path(__file__).parent.parent / "sql" / "reports"


def names():
    return sorted(path.stem for path in REPORTS.glob("*.sql"))


def report(connection, name, today):
    """The rows of a report on a day (YYYY-MM-DD)."""
    if name not in names():
        raise ValueError(f"no report {name!r}, there are {', '.join(names())}")
    text = (REPORTS / f"{name}.sql").read_text(encoding="utf-8")
    return connection.execute(text, {"today": today}).fetchall()
