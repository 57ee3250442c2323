from belay.cli import main


def test_invoice(capsys):
    assert main(["invoice", "M-1001", "--month", "2025-04"]) == 0
    out = capsys.readouterr().out
    assert "Anouk Veld (M-1001)" in out
    assert "2025-04-01 to 2025-04-30" in out
    assert "Subtotal" in out and "81.30" in out


def test_unknown_member(capsys):
    assert main(["invoice", "M-9999", "--month", "2025-04"]) == 2
    assert "no member 'M-9999'" in capsys.readouterr().err


def test_bad_month(capsys):
    assert main(["occupancy", "--month", "april"]) == 2
    assert "not a month" in capsys.readouterr().err


def test_occupancy_has_a_total(capsys):
    assert main(["occupancy", "--month", "2025-02"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("total")
