import pytest

from conftest import SHOP
from imprint import rates
from imprint.checks import problems
from imprint.cli import main
from imprint.paper import sheets
from imprint.price import UnknownKind, price
from imprint.schedule import days
from imprint.ticket import ticket


def test_prices(job):
    assert [price(job(n)) for n in (4711, 4712, 4713, 4714)] == [38800, 9975, 35280, 15500]
    with pytest.raises(UnknownKind):
        price(job(88))


def test_rates(job):
    rates.load(SHOP / "rates-2025.json")
    assert price(job(4712)) == 10450


def test_days_and_sheets(job):
    assert [days(job(n)) for n in (4711, 4712, 4713, 4714, 88)] == [5, 2, 6, 3, 3]
    assert [sheets(job(n)) for n in (4711, 4713, 88)] == [422, 66, 47]


def test_ticket(job):
    assert ticket(job(4712)) == "#4712  CARD\n500 x 85 x 55 mm, 1 col.\nedge: red\n12 sheets, 2 days"


def test_problems(job):
    assert problems(job(4716)) == ["no varnish on a card"]
    assert problems(job(88)) == ["unknown kind flyer"]


def test_kinds(capsys):
    assert main(["kinds"]) == 0
    assert capsys.readouterr().out == "card 14\nposter 9\nbooklet 6\nsticker 4\n"


def test_plan(capsys):
    main(["plan", str(SHOP / "jobs.json")])
    assert [line.split("#")[1][:4] for line in capsys.readouterr().out.splitlines()] == [
        "4712", "4715", "4714", "4716", "4711", "4713",
    ]  # fmt: skip
