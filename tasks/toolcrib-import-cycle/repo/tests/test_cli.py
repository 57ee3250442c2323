import shutil
from datetime import date
from pathlib import Path

import pytest

from toolcrib import clock
from toolcrib.cli import main

SAMPLE = Path(__file__).parent.parent / "data" / "sample.json"


@pytest.fixture
def crib(tmp_path, monkeypatch):
    monkeypatch.setattr(clock, "today", lambda: date(2024, 4, 12))
    return str(shutil.copy(SAMPLE, tmp_path / "crib.json"))


def test_overdue(crib, capsys):
    assert main(["--file", crib, "overdue"]) == 0
    assert capsys.readouterr().out == (
        "Dear Ines Duarte, Hand planer was due on 2024-04-10. Bring it soon and it costs nothing.\n"
    )


def test_checkout_then_return(crib, capsys):
    assert main(["--file", crib, "checkout", "17", "router"]) == 0
    assert main(["--file", crib, "return", "204"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "loan 204, due 2024-04-19",
        "Trim router back from Ines Duarte, thank you.",
    ]


def test_a_refusal_is_one_line(crib, capsys):
    assert main(["--file", crib, "checkout", "31", "router"]) == 1
    assert capsys.readouterr().err == "toolcrib: Meera Nair is full\n"
