from .db import SQL


def names():
    return sorted(file.stem for file in (SQL / "reports").glob("*.sql"))


def report(db, name, year):
    """The rows of a report for a year."""
    query = (SQL / "reports" / f"{name}.sql").read_text(encoding="utf-8")
    return db.execute(query, {"year": year}).fetchall()
