"""Nothing changes: figures of the version before the refactoring, and what docs/ says."""

import importlib
import inspect
import json
import subprocess
import sys
from math import ceil
from pathlib import Path

import pytest

from imprint import Job, archive, checks, cli, paper, price, quotes, rates, schedule, ticket

ROOT = Path(__file__).parent.parent
FIGURES = json.loads((Path(__file__).parent / "figures.json").read_text(encoding="utf-8"))
JOBS = [(Job(**row["job"]), row) for row in FIGURES["jobs"]]
KINDS = ["card", "poster", "booklet", "sticker"]
OLD = ["flyer", "letterhead"]
SHOP = ROOT / "shop"


@pytest.fixture(autouse=True)
def same_rates():
    before = dict(rates.RATES)
    yield
    rates.RATES.update(before)


@pytest.mark.parametrize("kind", [*KINDS, *OLD])
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("sheets", paper.sheets),
        ("days", schedule.days),
        ("ticket", ticket.ticket),
        ("problems", checks.problems),
    ],
)
def test_figures(kind, name, function):
    for job, row in JOBS:
        if job.kind == kind:
            assert function(job) == row[name], job


@pytest.mark.parametrize("kind", KINDS)
def test_prices(kind):
    for job, row in JOBS:
        if job.kind == kind:
            assert (price.price(job), price.rule_of(job)) == (row["cents"], row["rule"]), job


@pytest.mark.parametrize("kind", OLD)
@pytest.mark.parametrize("function", [price.price, price.rule_of, quotes.entry])
def test_old_kinds_have_no_price(kind, function):
    with pytest.raises(price.UnknownKind) as caught:
        function(Job(1, kind, 600, 100, 100))
    assert str(caught.value) == kind


def test_plan():
    assert [job.id for job in schedule.plan([job for job, _ in JOBS])] == FIGURES["plan"]


@pytest.mark.parametrize("kind", KINDS)
def test_rules_on_file_are_followed_as_the_advisers_program_does(kind):
    rule = getattr(importlib.import_module("imprint.price"), kind)
    for job, row in JOBS:
        if job.kind == kind:
            cents = rule(job)
            if kind != "sticker" and job.count >= 500:
                cents = ceil(cents * 0.95)
            assert cents == row["cents"], job


def test_a_name_that_is_no_rule():
    with pytest.raises(AttributeError):
        importlib.import_module("imprint.price").flyer  # noqa: B018


@pytest.mark.parametrize("kind", KINDS)
def test_quotes_on_file(kind, tmp_path):
    file = tmp_path / "q.jsonl"
    mine = [(job, row) for job, row in JOBS if job.kind == kind][:9]
    for job, _ in mine:
        quotes.save(file, job)
    lines = file.read_text(encoding="utf-8").splitlines()
    for line, (job, row) in zip(lines, mine, strict=True):
        assert json.loads(line) == {"job": row["job"], "rule": row["rule"], "cents": row["cents"]}
        assert quotes.requote(line) == (row["cents"], row["cents"])


def test_a_quote_is_requoted_by_its_rule_not_by_the_kind_of_its_job():
    line = json.dumps(
        {"job": Job(1, "letterhead", 600, 100, 100).to_dict(), "rule": "imprint.price:card", "cents": 1}
    )
    assert quotes.requote(line) == (1, ceil((3500 + 600 * 14) * 0.95))


def test_the_discount():
    expected = {"card": 951, "poster": 951, "booklet": 951, "sticker": 1001, "flyer": 951}
    assert {k: price.discounted(Job(1, k, 500, 50, 50), 1001) for k in expected} == expected
    assert price.discounted(Job(1, "card", 499, 50, 50), 1001) == 1001


def test_rates():
    assert list(rates.RATES.items()) == [("card", 14), ("poster", 9), ("booklet", 6), ("sticker", 4)]


@pytest.mark.parametrize("kind", KINDS)
def test_new_rates_hold_at_once(kind, tmp_path):
    job = Job(1, kind, 300, 100, 100, 1, {"pages": 8})
    (tmp_path / "r.json").write_text(json.dumps({kind: 50}), encoding="utf-8")
    rates.load(tmp_path / "r.json")
    expected = {"card": 18500, "poster": 18500, "booklet": 44500, "sticker": 18500}
    assert price.price(job) == expected[kind]
    assert getattr(price, kind)(job) == expected[kind]


def test_a_rate_for_what_we_do_not_do(tmp_path):
    (tmp_path / "r.json").write_text('{"flyer": 3}', encoding="utf-8")
    with pytest.raises(ValueError) as caught:
        rates.load(tmp_path / "r.json")
    assert str(caught.value) == "no rate for 'flyer', there are card, poster, booklet, sticker"


def test_archive():
    jobs = [Job(**row) for row in json.loads((SHOP / "archive.json").read_text(encoding="utf-8"))]
    jobs.append(Job(7, "sticker", 48, 50, 50))
    assert archive.listing(jobs) == (
        "     7  sticker       48     7 sheets  3 days\n"
        "    12  card         200     8 sheets  2 days\n"
        "    88  flyer       1000    47 sheets  3 days\n"
        "   131  bookmark     300    18 sheets  4 days\n"
        "   140  booklet      100   408 sheets  6 days\n"
        "   141  flyer        500    26 sheets  3 days\n"
        "card: 1\nbooklet: 1\nsticker: 1\nbookmark: 1\nflyer: 2"
    )


@pytest.mark.parametrize(
    ("args", "code", "out", "err"),
    [
        (["kinds"], 0, "card 14\nposter 9\nbooklet 6\nsticker 4\n", ""),
        (["quote", "shop/jobs.json", "4713"], 0, "35280 cents\n", ""),
        (["--rates", "shop/rates-2025.json", "quote", "shop/jobs.json", "4712"], 0, "10450 cents\n", ""),
        (["quote", "shop/jobs.json", "4716"], 1, "! no varnish on a card\n", ""),
        (["quote", "shop/archive.json", "88"], 1, "! unknown kind flyer\n", ""),
        (["quote", "shop/jobs.json", "1"], 1, "", "imprint: no job 1\n"),
        (["plan", "shop/jobs.json", "--only", "poster"], 0, "3 days  #4715 poster\n6 days  #4713 poster\n", ""),
    ],
)
def test_command_line(args, code, out, err, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert cli.main(args) == code
    assert capsys.readouterr() == (out, err)


def test_choices_are_in_the_order_of_the_price_list(capsys):
    with pytest.raises(SystemExit):
        cli.main(["plan", "x.json", "--only", "flyer"])
    said = capsys.readouterr().err
    places = [said.index(kind) for kind in KINDS]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        (price.price, ["job"]),
        (price.rule_of, ["job"]),
        (price.discounted, ["job", "cents"]),
        (paper.sheets, ["job"]),
        (schedule.days, ["job"]),
        (schedule.plan, ["jobs"]),
        (ticket.ticket, ["job"]),
        (checks.problems, ["job"]),
        (archive.listing, ["jobs"]),
        (rates.load, ["path"]),
        (quotes.entry, ["job"]),
        (quotes.save, ["path", "job"]),
        (quotes.requote, ["line"]),
        (cli.main, ["argv"]),
    ],
)
def test_signatures(function, parameters):
    assert list(inspect.signature(function).parameters) == parameters


def test_any_module_can_be_the_first_import():
    modules = ["price", "rates", "paper", "schedule", "ticket", "checks", "archive", "quotes", "cli"]
    program = (
        "import sys\n"
        "for name in sys.argv[1:]:\n"
        "    for known in [n for n in sys.modules if n.split('.')[0] == 'imprint']:\n"
        "        del sys.modules[known]\n"
        "    __import__('imprint.' + name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program, *modules], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
