def test_add_and_show(tapes):
    assert tapes("add", "Vira", "--performer", "Ana Pires (fiddle); Rui Lobo") == (0, "1\n", "")
    assert tapes("show", 1)[1] == (
        "id: 1\ntitle: Vira\nperformers: Ana Pires (fiddle); Rui Lobo\nplace: \nversion: 1\n"
    )


def test_set(tapes):
    tapes("add", "Vira")
    assert tapes("set", 1, "place", "Braga")[0] == 0
    assert "place: Braga\nversion: 2\n" in tapes("show", 1)[1]
    assert tapes("set", 1, "colour", "red")[0] == 1


def test_search(tapes):
    tapes("add", "Vira", "--performer", "Ana Pires")
    tapes("add", "Chula", "--performer", "Rui Lobo")
    tapes("add", "Ana's waltz")
    assert tapes("search", "ana")[1] == "1\tVira\tAna Pires\n3\tAna's waltz\t\n"


def test_remove(tapes):
    tapes("add", "Vira")
    assert tapes("remove", 1)[0] == 0
    assert tapes("show", 1) == (1, "", "fieldtapes: no recording 1\n")
