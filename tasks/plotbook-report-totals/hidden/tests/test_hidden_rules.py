"""docs/rules.md, report by report, on books made here; and a model of the rules in Python."""

import random

import pytest

from plotbook import open_book, report

COLUMNS = {
    "balance": ["id", "name", "plots", "charged", "paid", "open"],
    "hours": ["id", "name", "owed", "done", "missing"],
    "waiting": ["position", "id", "name", "since"],
    "income": ["month", "cents"],
}


class Book:
    def __init__(self):
        self.db = open_book(":memory:")
        self.people, self.tenancies, self.charges = {}, [], []
        self.payments, self.hours, self.waiting = [], [], []

    def _insert(self, table, **values):
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self.db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", [*values.values()])

    def person(self, number, name):
        self.people[number] = name
        self._insert("people", id=number, name=name, joined_on="2012-01-01")

    def plot(self, number):
        self._insert("plots", id=number, number=f"{number}", area_m2=100)

    def rents(self, person, plot, start, end=None):
        self.tenancies.append((person, plot, start, end))
        self._insert("tenancies", plot_id=plot, person_id=person, from_on=start, to_on=end)

    def bill(self, person, year, cents, cancelled=None):
        self.charges.append((person, year, cents, cancelled))
        self._insert(
            "charges", person_id=person, year=year, kind="rent", cents=cents, cancelled_on=cancelled
        )

    def pays(self, person, at, cents):
        self.payments.append((person, at, cents))
        self._insert("payments", person_id=person, paid_at=at, cents=cents)

    def works(self, person, day, hours):
        self.hours.append((person, day, hours))
        self._insert("hours", person_id=person, worked_on=day, hours=hours)

    def waits(self, person, since, withdrawn=None):
        self.waiting.append((person, since, withdrawn))
        self._insert("waiting", person_id=person, since=since, withdrawn_on=withdrawn)

    def report(self, name, year):
        return [tuple(row) for row in report(self.db, name, year)]

    # what the rules say

    def plots_of(self, person, year):
        first, last = f"{year}-01-01", f"{year}-12-31"
        return {
            plot
            for who, plot, start, end in self.tenancies
            if who == person and start <= last and (end is None or end >= first)
        }

    def expected_balance(self, year):
        found = []
        for number, name in self.people.items():
            bills = [c for who, y, c, off in self.charges if (who, y, off) == (number, year, None)]
            paid = [c for who, at, c in self.payments if who == number and at[:4] == str(year)]
            plots = len(self.plots_of(number, year))
            if plots or bills or paid:
                found.append((number, name, plots, sum(bills), sum(paid), sum(bills) - sum(paid)))
        return sorted(found, key=lambda row: (row[1], row[0]))

    def expected_hours(self, year):
        found = []
        for number, name in self.people.items():
            plots = len(self.plots_of(number, year))
            if plots:
                owed = min(12, 6 * plots)
                done = sum(h for who, day, h in self.hours if who == number and day[:4] == str(year))
                found.append((number, name, owed, done, max(0, owed - done)))
        return sorted(found, key=lambda row: (-row[4], row[1], row[0]))

    def expected_waiting(self, year):
        last = f"{year}-12-31"
        holding = {
            who
            for who, _, start, end in self.tenancies
            if start <= last and (end is None or end > last)
        }
        left = [
            (since, place, who)
            for place, (who, since, withdrawn) in enumerate(self.waiting)
            if withdrawn is None and who not in holding
        ]
        return [
            (position, who, self.people[who], since)
            for position, (since, _, who) in enumerate(sorted(left), start=1)
        ]


@pytest.fixture
def book():
    book = Book()
    for number, name in enumerate(["Theo", "Uma", "Vera", "Wim"], start=1):
        book.person(number, name)
    for plot in range(1, 9):
        book.plot(plot)
    return book


def test_two_plots_three_bills_two_equal_instalments(book):
    book.rents(1, 1, "2020-01-01")
    book.rents(1, 2, "2021-01-01")
    for cents in (6000, 6000, 1500):
        book.bill(1, 2024, cents)
    book.pays(1, "2024-02-01", 4500)
    book.pays(1, "2024-08-01", 4500)
    assert book.report("balance", 2024) == [(1, "Theo", 2, 13500, 9000, 4500)]


def test_the_last_day_of_the_year_with_a_time(book):
    book.pays(1, "2023-12-31 23:59:59", 100)
    book.pays(1, "2024-01-01 00:00:00", 200)
    book.pays(1, "2024-12-31", 400)
    book.pays(1, "2024-12-31 18:20:11", 800)
    book.pays(1, "2025-01-01", 1600)
    assert [book.report("balance", year)[0][4] for year in (2023, 2024, 2025)] == [100, 1400, 1600]


def test_balance_adds_up_with_income(book):
    for person in (1, 2, 3):
        book.rents(person, person, "2020-01-01")
        book.rents(person, person + 3, "2020-01-01")
        book.bill(person, 2024, 5000)
        book.bill(person, 2024, 700)
        for day in ("2024-01-01 08:00:00", "2024-06-01", "2024-12-31 12:00:00"):
            book.pays(person, day, 1900)
    paid = sum(row[4] for row in book.report("balance", 2024))
    assert paid == sum(row[1] for row in book.report("income", 2024)) == 17100


def test_who_is_in_the_balance(book):
    book.rents(1, 1, "2024-05-01")
    book.bill(2, 2024, 900)
    book.pays(3, "2024-05-05", 900)
    book.bill(4, 2024, 900, cancelled="2024-02-02")
    assert [row[0] for row in book.report("balance", 2024)] == [1, 2, 3]


def test_money_that_came_and_went_back_is_still_in_the_balance(book):
    book.pays(2, "2024-05-05", 900)
    book.pays(2, "2024-05-09", -900)
    assert book.report("balance", 2024) == [(2, "Uma", 0, 0, 0, 0)]


def test_the_last_day_is_a_day_held(book):
    book.rents(1, 1, "2020-01-01", "2024-01-01")
    book.rents(2, 2, "2020-01-01", "2023-12-31")
    book.rents(3, 3, "2024-12-31", "2025-06-30")
    book.rents(4, 4, "2025-01-01")
    assert [row[0] for row in book.report("balance", 2024)] == [1, 3]
    assert [row[0] for row in book.report("hours", 2024)] == [1, 3]


def test_who_never_showed_up(book):
    book.rents(1, 1, "2020-01-01")
    book.rents(2, 2, "2020-01-01")
    book.works(2, "2023-05-01", 6)
    assert book.report("hours", 2024) == [(1, "Theo", 6, 0, 6), (2, "Uma", 6, 0, 6)]


def test_hours_with_several_plots_and_several_days(book):
    for plot in (1, 2, 3):
        book.rents(1, plot, "2020-01-01")
    for day in ("2024-03-02", "2024-04-06", "2024-05-04"):
        book.works(1, day, 2.5)
    book.rents(2, 4, "2020-01-01")
    book.works(2, "2024-03-02", 4)
    book.works(2, "2024-04-06", 4)
    book.rents(3, 5, "2020-01-01")
    book.rents(3, 6, "2020-01-01")
    assert book.report("hours", 2024) == [
        (3, "Vera", 12, 0, 12),
        (1, "Theo", 12, 7.5, 4.5),
        (2, "Uma", 6, 8, 0),
    ]


def test_the_same_plot_twice_in_a_year_is_one_plot(book):
    book.rents(1, 1, "2020-01-01", "2024-03-31")
    book.rents(1, 1, "2024-08-01")
    book.works(1, "2024-09-01", 1)
    assert book.report("hours", 2024) == [(1, "Theo", 6, 1, 5)]
    assert book.report("balance", 2024) == [(1, "Theo", 1, 0, 0, 0)]


def test_plots_of_nobody(book):
    book.rents(None, 7, "2024-03-01")
    book.rents(1, 1, "2020-01-01")
    book.waits(1, "2019-01-01")
    book.waits(2, "2021-01-01")
    book.waits(3, "2020-01-01")
    assert book.report("waiting", 2024) == [(1, 3, "Vera", "2020-01-01"), (2, 2, "Uma", "2021-01-01")]
    assert [row[0] for row in book.report("balance", 2024)] == [1]
    assert [row[0] for row in book.report("hours", 2024)] == [1]


def test_waiting_again_after_giving_up_a_plot(book):
    book.rents(None, 7, "2022-03-01")
    book.rents(1, 1, "2015-01-01", "2022-06-30")
    book.rents(2, 2, "2024-01-01", "2024-12-30")
    book.rents(3, 3, "2025-01-01")
    book.waits(1, "2023-01-01")
    book.waits(2, "2023-01-01")
    book.waits(3, "2023-06-01")
    book.waits(4, "2022-01-01", withdrawn="2024-01-01")
    assert [row[:2] for row in book.report("waiting", 2024)] == [(1, 1), (2, 2), (3, 3)]
    assert [row[:2] for row in book.report("waiting", 2025)] == [(1, 1), (2, 2)]


def test_a_plot_until_new_years_eve_is_no_plot_at_the_end_of_it_but_one_that_day(book):
    book.rents(1, 1, "2020-01-01", "2024-12-31")
    assert book.report("balance", 2024)[0][2] == 1
    assert book.report("balance", 2025) == []


@pytest.mark.parametrize("name", COLUMNS)
def test_columns(book, name):
    book.rents(1, 1, "2020-01-01")
    book.waits(2, "2020-01-01")
    assert list(report(book.db, name, 2024)[0].keys()) == COLUMNS[name]


@pytest.mark.parametrize("seed", range(12))
def test_any_book(seed):
    chance = random.Random(f"plotbook {seed}")
    book = Book()
    for number in range(1, 11):
        book.person(number, chance.choice(["Ada", "Bo", "Cy", "Di", "Ed", "Flo"]))
        book.plot(number)
    days = [f"{y}-{md}" for y in (2022, 2023, 2024, 2025) for md in ("01-01", "03-15", "07-31", "12-30")]

    def maybe(value, share=0.5):
        return value if chance.random() < share else None

    for _ in range(16):
        start, end = sorted(chance.sample(days, 2))
        person = chance.choice([None, *book.people])
        book.rents(person, chance.randrange(1, 11), start, maybe(end, 0.6))
    for _ in range(40):
        person = chance.randrange(1, 11)
        book.bill(person, chance.choice([2023, 2024]), chance.randrange(1, 9) * 500, maybe("2024-09-01", 0.2))
        at = chance.choice([*days, "2023-12-31", "2024-12-31"])
        book.pays(person, at + chance.choice(["", " 00:00:00", " 18:20:11"]), chance.choice([500, 1000, 1000, -500]))
        book.works(chance.randrange(1, 11), chance.choice(days), chance.choice([1, 1, 2.5]))
    for person in chance.sample(list(book.people), 8):
        book.waits(person, chance.choice(days), maybe("2024-02-02", 0.2))
    for year in (2022, 2023, 2024, 2025):
        assert book.report("balance", year) == book.expected_balance(year)
        assert book.report("hours", year) == book.expected_hours(year)
        assert book.report("waiting", year) == book.expected_waiting(year)
