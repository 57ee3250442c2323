from pathlib import Path

from hemicycle.readin import read

DATA = Path(__file__).parent.parent / "data"


def test_read():
    paper = read(DATA / "2023.json")
    assert (paper.seats, paper.invalid, len(paper.ballots)) == (15, 41, 5)
    assert [b.name for b in paper.ballots if b.exempt] == ["Independent: Yusuf K."]


def test_old_files_say_nothing_of_candidates():
    assert {b.candidates for b in read(DATA / "2019.json").ballots} == {None}
