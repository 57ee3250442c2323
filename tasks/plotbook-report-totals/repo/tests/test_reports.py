import pytest

from plotbook import names, report


def rows(db, name, year=2024):
    return [tuple(row) for row in report(db, name, year)]


def test_names():
    assert names() == ["balance", "hours", "income", "waiting"]


def test_balance_of_one_plot(db):
    db.execute("INSERT INTO charges (person_id, year, kind, cents) VALUES (1, 2024, 'rent', 9000)")
    db.execute("INSERT INTO payments (person_id, paid_at, cents) VALUES (1, '2024-03-01', 5000)")
    assert rows(db, "balance") == [(1, "Aylin", 1, 9000, 5000, 4000)]


def test_hours(db):
    db.execute("INSERT INTO hours (person_id, worked_on, hours) VALUES (1, '2024-05-04', 2.5)")
    assert rows(db, "hours") == [(1, "Aylin", 6, 2.5, 3.5)]


def test_waiting(db):
    assert rows(db, "waiting") == [(1, 3, "Cora", "2020-01-01"), (2, 4, "Dov", "2023-02-01")]


def test_income(db):
    db.execute(
        "INSERT INTO payments (person_id, paid_at, cents) VALUES (2, '2024-12-31 18:20:11', 700)"
    )
    months = rows(db, "income")
    assert len(months) == 12
    assert months[-1] == ("2024-12", 700)


@pytest.mark.parametrize("name", names())
def test_an_empty_year(db, name):
    db.executescript("DELETE FROM tenancies; DELETE FROM waiting;")
    assert all(row[-1] == 0 for row in rows(db, name, 2031))
