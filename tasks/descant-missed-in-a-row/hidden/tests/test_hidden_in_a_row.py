"""The column, --call, and the export as it was; all through the command line."""

import json

import pytest

from descant.cli import main

SINGERS = """code,name,voice,joined
zoe,Zoe Abara,alto,2025-01-01
max,Max Brandt,bass,2025-01-01
ida,Ida Castell,alto,2025-01-01
kim,Kim Dvorak,bass,2025-03-20
"""


@pytest.fixture
def choir(tmp_path):
    """Evenings by file name; what `report` says of them."""
    (tmp_path / "singers.csv").write_text(SINGERS)
    (tmp_path / "rehearsals").mkdir()
    return Choir(tmp_path)


class Choir:
    def __init__(self, folder):
        self.folder = folder

    def evening(self, day, present="", excused="", name=None):
        text = f"date: {day}\npresent: {present}\nexcused: {excused}\n"
        (self.folder / "rehearsals" / f"{name or day}.txt").write_text(text)

    def run(self, capsys, *arguments):
        assert main([*arguments, "--data", str(self.folder)]) == 0
        return capsys.readouterr().out

    def in_a_row(self, capsys, *arguments):
        """(first name, last column) of the rows, in their order."""
        head, *rows = self.run(capsys, "report", *arguments).splitlines()
        assert head.split() == ["name", "came", "excused", "missed", "in", "a", "row"]
        return [(row.split()[0], int(row.split()[-1])) for row in rows]


def test_counted_back_from_the_most_recent(choir, capsys):
    choir.evening("2025-02-06", "zoe")
    choir.evening("2025-02-13", "zoe")
    choir.evening("2025-02-20", "zoe max")
    choir.evening("2025-02-27", "ida max")
    choir.evening("2025-03-06", "ida")
    choir.evening("2025-03-13", "ida")
    assert choir.in_a_row(capsys) == [("Ida", 0), ("Kim", 0), ("Max", 2), ("Zoe", 3)]


def test_the_other_columns_are_what_they_were(choir, capsys):
    choir.evening("2025-02-06", "zoe", "max")
    choir.evening("2025-02-13", "zoe")
    rows = [line.split() for line in choir.run(capsys, "report").splitlines()[1:]]
    assert [row[2:] for row in rows] == [
        ["0", "0", "2", "2"],
        ["0", "0", "0", "0"],
        ["0", "1", "1", "1"],
        ["2", "0", "0", "0"],
    ]


def test_excused_neither_counts_nor_ends_it(choir, capsys):
    choir.evening("2025-02-06", "zoe max ida")
    choir.evening("2025-02-13", "max")
    choir.evening("2025-02-20", "", "zoe ida")
    choir.evening("2025-02-27", "ida", "max")
    assert choir.in_a_row(capsys) == [("Ida", 0), ("Kim", 0), ("Max", 1), ("Zoe", 2)]


def test_excused_last(choir, capsys):
    choir.evening("2025-02-06", "ida")
    choir.evening("2025-02-13", "zoe ida")
    choir.evening("2025-02-20", "zoe", "max ida")
    assert choir.in_a_row(capsys) == [("Ida", 0), ("Kim", 0), ("Max", 2), ("Zoe", 0)]


def test_excused_and_there_is_there(choir, capsys):
    choir.evening("2025-02-06", "ida max")
    choir.evening("2025-02-13", "max ida zoe", "zoe")
    assert choir.in_a_row(capsys) == [("Ida", 0), ("Kim", 0), ("Max", 0), ("Zoe", 0)]


def test_the_date_is_inside_the_file(choir, capsys):
    choir.evening("2025-02-06", "zoe", name="z-first-one")
    choir.evening("2025-02-13", "max", name="carnival")
    choir.evening("2025-02-20", "ida", name="2024-02-20 (typo)")
    assert choir.in_a_row(capsys) == [("Ida", 0), ("Kim", 0), ("Max", 1), ("Zoe", 2)]


def test_from_the_day_of_joining(choir, capsys):
    choir.evening("2025-03-06", "zoe max ida")
    choir.evening("2025-03-13", "zoe max ida")
    choir.evening("2025-03-20", "zoe max ida")
    choir.evening("2025-03-27", "zoe max ida")
    assert choir.in_a_row(capsys) == [("Ida", 0), ("Kim", 2), ("Max", 0), ("Zoe", 0)]


def test_cancelled_evenings_do_not_exist(choir, capsys):
    choir.evening("2025-02-06", "zoe max ida")
    choir.evening("2025-02-13", "max ida")
    (choir.folder / "rehearsals" / "x.txt").write_text("date: 2025-02-20\ncancelled: fog\n")
    choir.evening("2025-02-27", "max ida")
    assert choir.in_a_row(capsys)[-1] == ("Zoe", 2)


@pytest.fixture
def three_missing(choir):
    """Zoe 2, Kim 3, Ida 2, Max 1."""
    choir.evening("2025-03-20", "zoe max ida", name="c")
    choir.evening("2025-03-27", "max", name="b")
    choir.evening("2025-04-03", "", name="a")
    return choir


def test_call_the_most_first_then_by_name(three_missing, capsys):
    assert three_missing.in_a_row(capsys, "--call", "2") == [("Kim", 3), ("Ida", 2), ("Zoe", 2)]
    assert three_missing.in_a_row(capsys, "--call", "3") == [("Kim", 3)]


def test_without_call_everybody_in_the_old_order(three_missing, capsys):
    assert three_missing.in_a_row(capsys) == [("Ida", 2), ("Kim", 3), ("Max", 1), ("Zoe", 2)]


def test_call_of_one_voice(three_missing, capsys):
    assert three_missing.in_a_row(capsys, "--call", "1", "--voice", "bass") == [
        ("Kim", 3),
        ("Max", 1),
    ]
    assert three_missing.in_a_row(capsys, "--voice", "alto", "--call", "2") == [
        ("Ida", 2),
        ("Zoe", 2),
    ]


def test_nobody(three_missing, capsys):
    assert three_missing.run(capsys, "report", "--call", "4").strip() == "nobody"
    out = three_missing.run(capsys, "report", "--call", "3", "--voice", "alto")
    assert out.strip() == "nobody"


def test_the_export_is_what_it_was(three_missing, capsys):
    figures = {"ida": (1, 2), "kim": (0, 3), "max": (2, 1), "zoe": (1, 2)}
    people = [line.split(",") for line in SINGERS.splitlines()[1:]]
    expected = [
        {
            "code": code,
            "name": name,
            "voice": voice,
            "came": figures[code][0],
            "excused": 0,
            "missed": figures[code][1],
        }
        for code, name, voice, _ in sorted(people, key=lambda person: person[1])
    ]
    out = three_missing.run(capsys, "export")
    assert out == json.dumps(expected, indent=1, ensure_ascii=False) + "\n"
