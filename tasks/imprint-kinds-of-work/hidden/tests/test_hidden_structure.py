"""The shape that was asked for: one file a kind, and a new kind is a new file."""

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "imprint"
KINDS = ["card", "poster", "booklet", "sticker"]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_its_file(kind):
    assert (PACKAGE / "kinds" / f"{kind}.py").is_file()


@pytest.mark.parametrize("kind", KINDS)
def test_its_name_is_in_no_other_file(kind):
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path != PACKAGE / "kinds" / f"{kind}.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value == kind
    ]
    assert found == []


# options and figures that only one kind has: whoever handles them elsewhere tells kinds apart there
ONLY = {
    "card": (r"\bedge\b", {210}),
    "poster": (r"(?!)", {1.2}),
    "booklet": (r"\b(?:pages|cover|sewn|stapled)\b", {250, 350}),
    "sticker": (r"\bcut\b", {4000}),
}


def constants(path):
    """Constants of a file with their lines, docstrings left out."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    told = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    return [(n.lineno, n.value) for n in nodes if isinstance(n, ast.Constant) and id(n) not in told]


@pytest.mark.parametrize("kind", KINDS)
def test_what_only_it_has_is_in_no_other_file(kind):
    words, figures = ONLY[kind]
    found = [
        f"{path.relative_to(ROOT)}:{line}: {value!r}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path != PACKAGE / "kinds" / f"{kind}.py"
        for line, value in constants(path)
        if (isinstance(value, str) and re.search(words, value))
        or (isinstance(value, int | float) and value in figures)
    ]
    assert found == []


@pytest.mark.parametrize("kind", ["card", "booklet", "sticker"])
def test_what_only_it_has_is_in_its_file(kind):
    values = [value for _, value in constants(PACKAGE / "kinds" / f"{kind}.py")]
    assert any(isinstance(value, str) and re.search(ONLY[kind][0], value) for value in values)


PROGRAM = """
import importlib, json, sys
from imprint import Job, archive, checks, paper, price, quotes, rates, schedule, ticket
label = Job(2, "label", 600, 60, 60, 1, {"cut": "shape", "varnish": True})
others = [Job(1, kind, 600, 60, 60) for kind in ("sticker", "flyer", "card", "poster", "booklet")]
line = json.dumps(quotes.entry(label))
print(json.dumps({
    "rates": rates.RATES,
    "price": price.price(label),
    "entry": quotes.entry(label),
    "requote": quotes.requote(line),
    "adviser": getattr(importlib.import_module("imprint.price"), "label")(label),
    "sheets": paper.sheets(label),
    "days": schedule.days(label),
    "ticket": ticket.ticket(label),
    "problems": checks.problems(label),
    "heart": checks.problems(Job(3, "label", 600, 60, 60, 1, {"cut": "heart"})),
    "plan": [job.kind for job in schedule.plan([*others, Job(9, "label", 600, 60, 60)])],
    "archive": archive.listing([label, *others]).splitlines()[-6:],
    "old": ticket.ticket(others[1]).splitlines()[0],
}))
"""


@pytest.fixture(scope="module")
def with_labels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    shutil.copytree(PACKAGE, folder / "imprint", ignore=shutil.ignore_patterns("__pycache__"))
    kinds = folder / "imprint" / "kinds"
    text = (kinds / "sticker.py").read_text(encoding="utf-8")
    for old, new in (("sticker", "label"), ("Sticker", "Label"), ("STICKER", "LABEL")):
        text = text.replace(old, new)
    (kinds / "label.py").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def shown(with_labels):
    done = subprocess.run(
        [sys.executable, "-B", "-c", PROGRAM], cwd=with_labels, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_labels_are_priced_like_stickers(shown):
    assert shown["rates"]["label"] == 4
    assert shown["price"] == 3500 + 600 * 4 + 600 + 4000


def test_quotes_of_labels_are_on_file_like_others(shown):
    assert shown["entry"]["rule"] == "imprint.price:label"
    assert shown["requote"] == [10500, 10500]
    assert shown["adviser"] == 10500


def test_labels_have_paper_days_and_a_ticket(shown):
    assert (shown["sheets"], shown["days"]) == (30, 4)
    assert shown["ticket"] == (
        "#2  LABEL\n600 x 60 x 60 mm, 1 col.\ncut: shape\nvarnish\n30 sheets, 4 days"
    )


def test_labels_are_checked_like_stickers(shown):
    assert shown["problems"] == []
    assert shown["heart"] == ["cannot cut heart"]


def test_labels_are_a_known_kind_on_the_plan_and_in_the_archive(shown):
    plan = shown["plan"]
    assert [kind for kind in plan if kind != "label"] == ["card", "poster", "sticker", "flyer", "booklet"]
    assert plan.index("label") < plan.index("flyer"), "those that are not on the list come last"
    assert sorted(shown["archive"][:5]) == sorted(f"{kind}: 1" for kind in [*KINDS, "label"])
    assert shown["archive"][5] == "flyer: 1"
    assert shown["old"] == "#1  FLYER (old)"


def test_labels_are_on_the_command_line(with_labels):
    def imprint(*args):
        return subprocess.run(
            [sys.executable, "-B", "-m", "imprint", *args],
            cwd=with_labels,
            capture_output=True,
            text=True,
        )

    lines = imprint("kinds").stdout.splitlines()
    assert [line for line in lines if not line.startswith("label")] == [
        "card 14", "poster 9", "booklet 6", "sticker 4",
    ]  # fmt: skip
    assert "label 4" in lines
    (with_labels / "jobs.json").write_text(
        '[{"id": 1, "kind": "label", "count": 10, "width_mm": 60, "height_mm": 60}]', encoding="utf-8"
    )
    assert imprint("plan", "jobs.json", "--only", "label").stdout == "3 days  #1 label\n"
    (with_labels / "rates.json").write_text('{"label": 10}', encoding="utf-8")
    assert imprint("--rates", "rates.json", "quote", "jobs.json", "1").stdout == "3600 cents\n"
