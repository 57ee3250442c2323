import pytest

from dosewell.cli import main


def test_label(capsys):
    assert main(["label", "carprodyl", "tab50", "dog", "12,4", "--days", "5"]) == 0
    assert "Give 1 tablet once a day for 5 days." in capsys.readouterr().out


def test_refusal_is_told(capsys):
    assert main(["label", "amoxivet", "tab250", "cat", "2"]) == 1
    assert "does not suit" in capsys.readouterr().err


def test_formulary_is_sound():
    assert main(["check"]) == 0


@pytest.mark.parametrize("weight", ["0", "-3", "heavy", "nan"])
def test_no_weight(weight):
    with pytest.raises(SystemExit):
        main(["label", "carprodyl", "tab50", "dog", weight])
