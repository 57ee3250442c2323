import json

from hortus.export import darwin_core
from hortus.labels import label


def test_darwin_core(store):
    rows = [json.loads(line) for line in darwin_core(store)]
    assert len(rows) == 5
    assert {row["catalogNumber"]: row["family"] for row in rows}["H-3100"] == "Asteraceae"


def test_label(store):
    assert label(store, "H-2041").splitlines() == [
        "Cypripedium calceolus",
        "Alp Sigel, N side, Appenzell, CH",
        "1590 m",
        "47 13 06 N 9 25 04 E",
        "leg. A. Frei 1924    Frei 388",
    ]
