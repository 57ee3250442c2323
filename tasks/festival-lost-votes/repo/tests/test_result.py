from tally.result import as_text, ranking

FILMS = {"F1": "One", "F2": "Two", "F3": "Three"}


def test_mean_then_ballots_then_title():
    ranked = ranking([("F1", 3, 12), ("F2", 4, 16), ("F3", 2, 10)], FILMS)
    assert [title for title, _, _ in ranked] == ["Two", "One"]
    assert as_text(ranked).splitlines()[0] == " 1  4.00      4  Two"
