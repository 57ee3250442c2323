from hemicycle import Ballot
from hemicycle.table import table


def test_table():
    ballots = [Ballot("Red", 500), Ballot("Maroon", 30)]
    assert table(ballots, {"Red": 3, "Maroon": 0}).splitlines() == [
        "Red        500    3",
        "Maroon      30    0",
        "seats             3",
    ]
