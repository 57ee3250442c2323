import json


def journal(folder):
    path = folder / "journal.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_phone(beanrow, folder):
    assert beanrow("set-phone", 17, "029 1")[0] == 0
    assert beanrow("set-phone", 17, "029 1")[0] == 0
    assert journal(folder) == [
        {"day": "2025-03-05", "member": 17, "change": "phone", "old": "", "new": "029 1"}
    ]


def test_form(beanrow, folder, tmp_path):
    form = tmp_path / "form.txt"
    form.write_text("Name: Magda Nowak\nPLOT:  C88 \nColour: red\nTown: Cardiff\n")
    assert beanrow("import-form", form)[:2] == (0, "42\n")
    assert "42,Magda Nowak,,Cardiff,,C88,," in (folder / "members.csv").read_text()


def test_merge_fills_in(beanrow, folder):
    assert beanrow("merge", 17, 41)[0] == 0
    text = (folder / "members.csv").read_text()
    assert "17,Tomasz Zielinski,81 Clare Rd,Cardiff,CF11 6QP,B40,ruth@example.org," in text
    assert "Ruth" not in text


def test_erase(beanrow, folder):
    beanrow("set-phone", 3, "secret")
    assert beanrow("erase", 3)[0] == 0
    assert "secret" not in (folder / "journal.jsonl").read_text()
    assert "Heol" not in (folder / "members.csv").read_text()
    assert beanrow("letter", "invoice", 3)[0] == 2


def test_unknown_member(beanrow):
    assert beanrow("erase", 99) == (2, "", "beanrow: no member 99\n")
