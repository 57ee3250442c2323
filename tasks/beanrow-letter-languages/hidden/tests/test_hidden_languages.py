import csv
import json
from contextlib import contextmanager
from pathlib import Path

import pytest

from beanrow.cli import main

REPO = Path(__file__).resolve().parents[1]
OLD = ["number", "name", "street", "town", "postcode", "plot", "email", "phone"]
ROWS = [
    ["3", "Gwen Parry", "4 Heol Isaf", "Cardiff", "CF15 8DX", "A12", "gwen@example.org", "029 3"],
    ["17", "Tomasz Zielinski", "81 Clare Rd", "Cardiff", "CF11 6QP", "B40", "", ""],
    ["41", "Ruth Osei", "2 Fairwater Gr", "Cardiff", "CF5 2JQ", "C7", "ruth@example.org", ""],
]


class Office:
    def __init__(self, folder, capsys):
        self.folder, self.capsys = folder, capsys
        self.write(OLD, ROWS)

    def write(self, header, rows):
        text = "".join(",".join(row) + "\n" for row in [header, *rows])
        (self.folder / "members.csv").write_text(text, encoding="utf-8")

    def __call__(self, *arguments):
        try:
            code = main(["--data", str(self.folder), "--today", "2025-03-05", *map(str, arguments)])
        except SystemExit as stop:
            code = stop.code
        captured = self.capsys.readouterr()
        return code, captured.out, captured.err

    def ok(self, *arguments):
        code, out, err = self(*arguments)
        assert code == 0, err
        return out

    @property
    def rows(self):
        with open(self.folder / "members.csv", newline="", encoding="utf-8") as file:
            return {row["number"]: row for row in csv.DictReader(file)}

    def language(self, number):
        return self.rows[str(number)]["language"]

    @property
    def journal(self):
        path = self.folder / "journal.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def office(tmp_path, capsys):
    return Office(tmp_path, capsys)


@contextmanager
def translation(code, kind, text):
    path = REPO / "beanrow/templates" / code / f"{kind}.txt"
    assert not path.exists()
    path.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        path.unlink()


POLISH_INVOICE = """Tomasz Zielinski
81 Clare Rd
Cardiff CF11 6QP

05.03.2025

Szanowni Państwo,

czynsz za działkę B40 wynosi w tym roku 48,00 £. Prosimy o wpłatę do 02.04.2025.

Towarzystwo Ogrodów Działkowych
"""
POLISH_WELCOME = """Tomasz Zielinski
81 Clare Rd
Cardiff CF11 6QP

05.03.2025

Szanowni Państwo,

witamy na działce B40! Klucz leży pod kamieniem przy niebieskiej bramie.

Towarzystwo Ogrodów Działkowych
"""
WELSH_INVOICE = """Gwen Parry
4 Heol Isaf
Cardiff CF15 8DX

05/03/2025

Annwyl Gwen Parry,

rhent eich llain A12 eleni yw £64.50. Talwch erbyn 02/04/2025 os gwelwch yn dda.

Eich cymdeithas rhandiroedd
"""
WELSH_REMINDER = """Gwen Parry
4 Heol Isaf
Cardiff CF15 8DX

05/03/2025

Annwyl Gwen Parry,

nid ydym wedi derbyn eich rhent o £64.50 am lain A12. A allwch dalu erbyn 02/04/2025?

Eich cymdeithas rhandiroedd
"""


@pytest.mark.parametrize(
    ("number", "code", "kind", "letter"),
    [
        (17, "pl", "invoice", POLISH_INVOICE),
        (17, "pl", "welcome", POLISH_WELCOME),
        (3, "cy", "invoice", WELSH_INVOICE),
        (3, "cy", "reminder", WELSH_REMINDER),
    ],
)
def test_letters_in_their_language(office, number, code, kind, letter):
    office.ok("set-language", number, code)
    assert office.ok("letter", kind, number).rstrip("\n") == letter.rstrip("\n")


@pytest.mark.parametrize("language", ["en", ""])
def test_english_letters_are_what_they_were(office, language):
    office.write([*OLD, "language"], [[*row, language] for row in ROWS])
    out = office.ok("letter", "invoice", 17)
    assert "\n5 March 2025\n" in out
    assert "the rent for your plot B40 is £48.00 this year. Please pay by 2 April 2025." in out


@pytest.mark.parametrize(("number", "code", "kind"), [(17, "pl", "reminder"), (3, "cy", "welcome")])
def test_an_english_letter_where_there_is_no_translation(office, number, code, kind):
    before = office.ok("letter", kind, number)
    assert "5 March 2025" in before
    office.ok("set-language", number, code)
    assert office.ok("letter", kind, number) == before


def test_a_file_in_its_place_is_enough(office):
    office.ok("set-language", 17, "pl")
    office.ok("set-language", 3, "cy")
    text = "{today} {due} {amount} {name}, {plot} {sic}\n"
    with translation("pl", "reminder", text):
        out = office.ok("letter", "reminder", 17)
        assert out == "05.03.2025 02.04.2025 48,00 £ Tomasz Zielinski, B40 {sic}\n"
    with translation("cy", "welcome", text):
        out = office.ok("letter", "welcome", 3)
        assert out == "05/03/2025 02/04/2025 £64.50 Gwen Parry, A12 {sic}\n"


def test_the_letters_there_are(office):
    office.ok("set-language", 17, "pl")
    code, _, err = office("letter", "party", 17)
    assert code == 2
    assert err == "beanrow: no letter 'party'; there are invoice, reminder, welcome\n"


def test_files_without_the_column(office):
    office.ok("set-language", 17, "pl")
    assert list(office.rows["17"]) == [*OLD, "language"]
    assert {number: row["language"] for number, row in office.rows.items()} == {"3": "", "17": "pl", "41": ""}
    assert [list(row.values())[:8] for row in office.rows.values()] == ROWS


def test_files_from_before_the_phone(office):
    office.write(OLD[:7], [row[:7] for row in ROWS])
    office.ok("set-language", 3, "cy")
    assert list(office.rows["3"].values()) == [*ROWS[0][:7], "", "cy"]


def test_the_column_survives_other_changes(office):
    office.ok("set-language", 17, "pl")
    office.ok("set-phone", 3, "1")
    office.ok("set-phone", 17, "2")
    assert (office.language(3), office.language(17)) == ("", "pl")


def test_the_journal(office):
    for language in ("pl", "pl", "cy", "", ""):
        office.ok("set-language", 17, language)
    assert office.journal == [
        {"day": "2025-03-05", "member": 17, "change": "language", "old": old, "new": new}
        for old, new in [("", "pl"), ("pl", "cy"), ("cy", "")]
    ]
    assert office.language(17) == ""


def test_an_unknown_language(office):
    office.ok("set-language", 17, "pl")
    before = (office.folder / "members.csv").read_text()
    code, _, err = office("set-language", 17, "de")
    assert code == 2
    assert all(language in err for language in ("en", "pl", "cy"))
    assert (office.folder / "members.csv").read_text() == before
    assert len(office.journal) == 1
    assert office("set-language", 99, "pl")[0] == 2


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("Language: pl", "pl"),
        ("language:  CY ", "cy"),
        ("LANGUAGE: en", "en"),
        ("Language: de", ""),
        ("Language: Polish", ""),
        ("Language:", ""),
        ("Colour: pl", ""),
    ],
)
def test_the_form(office, line, language):
    form = office.folder / "form.txt"
    form.write_text(f"Name: Magda Nowak\n{line}\nPlot: C88\nTown: Cardiff\nPhone: 029 9\n")
    assert office.ok("import-form", form) == "42\n"
    row = office.rows["42"]
    assert (row["name"], row["plot"], row["phone"], row["language"]) == ("Magda Nowak", "C88", "029 9", language)


@pytest.mark.parametrize(
    ("kept", "duplicate", "result"), [("", "pl", "pl"), ("cy", "pl", "cy"), ("cy", "", "cy"), ("", "", "")]
)
def test_merge(office, kept, duplicate, result):
    office.write([*OLD, "language"], [[*ROWS[1], kept], [*ROWS[2], duplicate]])
    office.ok("merge", 17, 41)
    assert list(office.rows) == ["17"]
    assert office.language(17) == result
    assert office.rows["17"]["email"] == "ruth@example.org"
    noted = [line for line in office.journal if line["change"] == "language"]
    assert [(line["old"], line["new"]) for line in noted] == ([("", "pl")] if result == "pl" else [])


def test_erase(office):
    office.ok("set-language", 17, "pl")
    office.ok("set-language", 3, "cy")
    office.ok("erase", 17)
    assert office.language(17) == ""
    assert office.language(3) == "cy"
    assert [line["new"] for line in office.journal if line["change"] == "language"] == ["", "cy"]


def test_the_print_shop_gets_what_it_always_got(office):
    before = office.ok("printshop")
    office.ok("set-language", 17, "pl")
    office.ok("set-language", 3, "cy")
    assert office.ok("printshop") == before
    assert before.splitlines()[0] == ";".join(ROWS[0])


def test_the_inbox_is_worked_off():
    inbox = REPO / "inbox"
    assert not inbox.exists() or not list(inbox.glob("*.txt"))


def test_the_list(office):
    office.ok("set-language", 17, "pl")
    assert office.ok("list").splitlines()[1] == "  17  B40   Tomasz Zielinski"
