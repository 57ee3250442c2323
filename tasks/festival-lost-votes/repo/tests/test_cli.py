from tally.cli import main


def test_import_and_kiosks(tmp_path, capsys):
    spool = tmp_path / "spool"
    spool.mkdir()
    (spool / "K05-20260214.csv").write_text("seq,film,stars,comment\n1,F101,5,\n", "utf-8")
    db = str(tmp_path / "ballots.db")
    assert main(["--db", db, "import", str(spool)]) == 0
    assert "1 files: 1 counted, 0 duplicates, 0 rejected" in capsys.readouterr().out
    assert main(["--db", db, "kiosks"]) == 0
    assert capsys.readouterr().out == "K05 1\n"
