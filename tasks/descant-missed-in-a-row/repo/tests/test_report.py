import json

from descant.cli import main


def test_columns(folder, evening, capsys):
    evening("2025-03-06", "max guest")
    evening("2025-03-13", "max", "ida")
    assert main(["report", "--data", str(folder)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[0][:4] == ["name", "came", "excused", "missed"]
    assert [row[:5] for row in rows[1:]] == [
        ["Ida", "Castell", "0", "1", "0"],
        ["Max", "Brandt", "2", "0", "0"],
        ["Zoe", "Abara", "0", "0", "2"],
    ]


def test_one_voice(folder, capsys):
    assert main(["report", "--voice", "bass", "--data", str(folder)]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows[1:]] == ["Max"]


def test_export(folder, evening, capsys):
    evening("2025-03-06", "zoe", "max")
    assert main(["export", "--data", str(folder)]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["code"], row["came"], row["excused"]) for row in rows] == [
        ("ida", 0, 0),
        ("max", 0, 1),
        ("zoe", 1, 0),
    ]


def test_no_folder(tmp_path, capsys):
    assert main(["report", "--data", str(tmp_path / "none")]) == 2
    assert "descant:" in capsys.readouterr().err
