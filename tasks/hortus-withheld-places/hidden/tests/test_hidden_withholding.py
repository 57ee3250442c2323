"""docs/withholding.md. What the public gets from a store is what a curator gets from a store
in which everything that is shown is the truth (rule 5)."""

import json
import random
from dataclasses import replace
from math import floor
from pathlib import Path

import pytest

from hortus import CURATOR, MEMBER, PUBLIC, Api, Store
from hortus.export import darwin_core
from hortus.labels import label
from hortus.specimens import Specimen
from hortus.taxa import Taxon

DATA = Path(__file__).parent.parent / "data"

# 1 orchids, sensitive > 2 > 3; 4 and 5 synonyms of 3, one by way of the other;
# 6 daisies > 7 > 8; 9 below 6, sensitive; 10 a synonym of 9, and 11 below that synonym
TAXA = [
    Taxon(1, "Orchis", sensitive=True),
    Taxon(2, "Orchis alba", parent=1),
    Taxon(3, "Orchis alba nana", parent=2),
    Taxon(4, "Habenaria nana", synonym_of=3),
    Taxon(5, "Habenaria parva", synonym_of=4),
    Taxon(6, "Bellis"),
    Taxon(7, "Bellis montana", parent=6),
    Taxon(8, "Bellis montana rosea", parent=7),
    Taxon(9, "Bellis rara", parent=6, sensitive=True),
    Taxon(10, "Aster rarus", synonym_of=9),
    Taxon(11, "Aster rarus minor", parent=10),
]
BY_TAXON = {1: True, 2: True, 3: True, 4: True, 5: True, 6: False, 7: False, 8: False, 9: True, 10: True, 11: True}


def sheet(number, taxon, gathering=None, **others):
    values = {
        "lat": 47.2183,
        "lon": 9.4177,
        "locality": f"Secret meadow {number}",
        "county": "Appenzell",
        "country": "CH",
        "collector": "A. Frei",
        "year": 1924,
        "elevation_m": 1590,
        "verbatim_coordinates": "47 13 06 N",
    }
    return Specimen(f"H-{number}", taxon, gathering or f"Frei {number}", **{**values, **others})


def shown_place(degrees):
    return round(floor(degrees * 10) / 10 + 0.05, 2)


def protected(specimens):
    bad = {s.gathering for s in specimens if s.withhold or BY_TAXON[s.taxon]}
    return {s.id for s in specimens if s.withhold is not False and s.gathering in bad}


def as_shown(specimens, changes):
    """The specimens and changes that the public is shown."""
    secret = protected(specimens)
    sheets = [
        replace(
            s,
            lat=shown_place(s.lat),
            lon=shown_place(s.lon),
            locality=s.county,
            elevation_m=None,
            verbatim_coordinates=None,
        )
        if s.id in secret
        else s
        for s in specimens
    ]
    told = []
    for change in changes:
        if change["specimen"] in secret:
            if change["field"] in ("locality", "elevation_m", "verbatim_coordinates"):
                continue
            if change["field"] in ("lat", "lon"):
                change = {
                    **change,
                    "before": shown_place(change["before"]),
                    "after": shown_place(change["after"]),
                }
                if change["before"] == change["after"]:
                    continue
        told.append(change)
    return sheets, told


def innocent(specimens, changes=()):
    """A store in which nothing is protected."""
    taxa = [replace(taxon, sensitive=False) for taxon in TAXA]
    return Store(taxa, [replace(s, withhold=None) for s in specimens], changes)


def row(api, number, viewer=PUBLIC):
    status, body = api.get(f"/specimens/H-{number}", viewer=viewer)
    assert status == 200
    return body


def hidden_ids(specimens):
    api = Api(Store(TAXA, specimens))
    return {s.id for s in specimens if api.get(f"/specimens/{s.id}")[1]["lat"] != s.lat}


# What is protected


@pytest.mark.parametrize("taxon", sorted(BY_TAXON))
def test_by_taxon(taxon):
    assert hidden_ids([sheet(1, taxon)]) == ({"H-1"} if BY_TAXON[taxon] else set())


def test_by_gathering():
    specimens = [sheet(1, 3, "Frei 1"), sheet(2, 7, "Frei 1"), sheet(3, 7, "Frei 2"), sheet(4, 7, "Frei 11")]
    assert hidden_ids(specimens) == {"H-1", "H-2"}
    assert hidden_ids(specimens[::-1]) == {"H-1", "H-2"}


def test_withhold():
    assert hidden_ids([sheet(1, 7, withhold=True)]) == {"H-1"}
    assert hidden_ids([sheet(1, 3, withhold=False)]) == set()
    assert hidden_ids([sheet(1, 7, "G", withhold=True), sheet(2, 8, "G"), sheet(3, 8)]) == {"H-1", "H-2"}


def test_withhold_false_is_about_one_sheet():
    assert hidden_ids([sheet(1, 3, "G", withhold=False), sheet(2, 7, "G")]) == {"H-2"}
    assert hidden_ids([sheet(1, 3, "G"), sheet(2, 7, "G", withhold=False), sheet(3, 8, "G")]) == {"H-1", "H-3"}
    assert hidden_ids([sheet(1, 7, "G", withhold=False), sheet(2, 7, "G")]) == set()


# How it is shown


@pytest.mark.parametrize(
    ("lat", "lon", "shown"),
    [
        (47.2183, 9.4177, (47.25, 9.45)),
        (-33.91, -70.28, (-33.95, -70.25)),
        (0.03, -0.03, (0.05, -0.05)),
        (64.1355, -21.8954, (64.15, -21.85)),
    ],
)
@pytest.mark.parametrize("viewer", [PUBLIC, MEMBER])
def test_a_protected_sheet(lat, lon, shown, viewer):
    body = row(Api(Store(TAXA, [sheet(1, 3, lat=lat, lon=lon)])), 1, viewer)
    assert body == {
        "id": "H-1",
        "name": "Orchis alba nana",
        "lat": shown[0],
        "lon": shown[1],
        "locality": "Appenzell",
        "county": "Appenzell",
        "country": "CH",
        "collector": "A. Frei",
        "year": 1924,
        "elevation_m": None,
        "verbatim_coordinates": None,
        "map": f"https://map.hortus.example/#14/{shown[0]}/{shown[1]}",
        "gathering_sheets": ["H-1"],
    }


def test_a_sheet_that_is_not_protected_is_as_it_was():
    for viewer in (PUBLIC, MEMBER, CURATOR):
        body = row(Api(Store(TAXA, [sheet(1, 7)])), 1, viewer)
        assert body == {
            "id": "H-1",
            "name": "Bellis montana",
            "lat": 47.2183,
            "lon": 9.4177,
            "locality": "Secret meadow 1",
            "county": "Appenzell",
            "country": "CH",
            "collector": "A. Frei",
            "year": 1924,
            "elevation_m": 1590,
            "verbatim_coordinates": "47 13 06 N",
            "map": "https://map.hortus.example/#14/47.2183/9.4177",
            "gathering_sheets": ["H-1"],
        }


# Ways to ask


CHANGES = [
    {"at": "2024-01-01", "specimen": "H-1", "field": "year", "before": 1942, "after": 1924},
    {"at": "2024-01-02", "specimen": "H-1", "field": "lat", "before": 47.1183, "after": 47.2183},
    {"at": "2024-01-03", "specimen": "H-2", "field": "locality", "before": "Meadow", "after": "Secret meadow 2"},
    {"at": "2024-01-04", "specimen": "H-1", "field": "lon", "before": 9.4099, "after": 9.4177},
    {"at": "2024-01-05", "specimen": "H-1", "field": "locality", "before": "Old name", "after": "Secret meadow 1"},
    {"at": "2024-01-06", "specimen": "H-1", "field": "elevation_m", "before": 1490, "after": 1590},
    {"at": "2024-01-07", "specimen": "H-1", "field": "verbatim_coordinates", "before": None, "after": "47 13 06 N"},
]


@pytest.fixture
def api():
    return Api(Store(TAXA, [sheet(1, 3), sheet(2, 7)], CHANGES))


def ids(api, path, query, viewer=PUBLIC):
    return [each["id"] for each in api.get(path, query, viewer)[1]["sheets"]]


def test_boxes(api):
    tiny, shown = "9.4170,47.2180,9.4180,47.2190", "9.449,47.249,9.451,47.251"
    assert ids(api, "/search", {"bbox": tiny}) == ["H-2"]
    assert ids(api, "/search", {"bbox": shown}) == ["H-1"]
    assert api.get("/search", {"bbox": tiny})[1]["total"] == 1
    assert ids(api, "/search", {"bbox": tiny}, CURATOR) == ["H-1", "H-2"]
    assert ids(api, "/search", {"bbox": shown}, CURATOR) == []


def test_words(api):
    assert ids(api, "/search", {"text": "secret"}) == ["H-2"]
    assert ids(api, "/search", {"text": "47 13"}) == ["H-2"]
    assert ids(api, "/search", {"text": "appenzell"}) == ["H-1", "H-2"]
    assert ids(api, "/search", {"text": "secret"}, CURATOR) == ["H-1", "H-2"]


def test_distances(api):
    sheets = api.get("/near", {"at": "47.2183,9.4177"})[1]["sheets"]
    assert [(each["id"], each["km"]) for each in sheets] == [("H-2", 0), ("H-1", 4.287)]
    assert [each["km"] for each in api.get("/near", {"at": "47.2183,9.4177"}, CURATOR)[1]["sheets"]] == [0, 0]


def test_the_heat_map(api):
    def places(viewer):
        cells = api.get("/grid", viewer=viewer)[1]["cells"]
        return [(cell["lat"], cell["lon"], cell["sheets"]) for cell in cells]

    assert places(CURATOR) == [(47.21, 9.41, 2)]
    assert places(PUBLIC) == [(47.21, 9.41, 1), (47.25, floor(9.45 * 100) / 100, 1)]


def test_corrections(api):
    def told(viewer, limit):
        return [
            (c["specimen"], c["field"], c["before"], c["after"])
            for c in api.get("/changes", {"limit": str(limit)}, viewer)[1]["changes"]
        ]

    assert told(PUBLIC, 20) == [
        ("H-2", "locality", "Meadow", "Secret meadow 2"),
        ("H-1", "lat", 47.15, 47.25),
        ("H-1", "year", 1942, 1924),
    ]
    assert told(PUBLIC, 2) == told(PUBLIC, 20)[:2]
    assert len(told(CURATOR, 20)) == 7
    assert told(CURATOR, 1) == [("H-1", "verbatim_coordinates", None, "47 13 06 N")]


def test_orders():
    specimens = [
        sheet(1, 3, locality="Zzz", county="Aaa"),
        sheet(2, 7, locality="Mmm", county="Aaa"),
        sheet(3, 3, locality="Bbb", county="Nnn"),
    ]
    store = Store(TAXA, specimens)
    assert ids(Api(store), "/search", {}) == ["H-1", "H-2", "H-3"]
    assert ids(Api(store), "/search", {}, CURATOR) == ["H-3", "H-2", "H-1"]
    swapped = [replace(specimens[0], id="H-2", county="Nnn"), replace(specimens[2], id="H-1")]
    assert [json.loads(line)["catalogNumber"] for line in darwin_core(Store(TAXA, swapped))] == ["H-1", "H-2"]


def test_the_csv(api):
    def lines(viewer):
        return api.get("/export.csv", viewer=viewer)[1].splitlines()[1:]

    secret = "H-1,Orchis alba nana,CH,Appenzell,Appenzell,47.25,9.45,,A. Frei,1924"
    plain = "H-2,Bellis montana,CH,Appenzell,Secret meadow 2,47.2183,9.4177,1590,A. Frei,1924"
    assert lines(MEMBER) == [secret, plain]
    assert lines(CURATOR)[0] == (
        "H-1,Orchis alba nana,CH,Appenzell,Secret meadow 1,47.2183,9.4177,1590,A. Frei,1924"
    )
    assert api.get("/export.csv")[0] == 403


def test_gbif():
    secret, plain = map(json.loads, darwin_core(Store(TAXA, [sheet(1, 4), sheet(2, 7)])))
    assert secret == {
        "catalogNumber": "H-1",
        "scientificName": "Orchis alba nana",
        "family": "Orchis",
        "recordedBy": "A. Frei",
        "recordNumber": "Frei 1",
        "decimalLatitude": 47.25,
        "decimalLongitude": 9.45,
        "footprintWKT": "POINT (9.45 47.25)",
        "verbatimCoordinates": None,
        "county": "Appenzell",
        "locality": "Appenzell",
        "minimumElevationInMeters": None,
    }
    assert (plain["decimalLatitude"], plain["locality"]) == (47.2183, "Secret meadow 2")


def test_the_paper_label_is_exact():
    text = label(Store(TAXA, [sheet(1, 3), sheet(2, 3, verbatim_coordinates=None)]), "H-1")
    assert "Secret meadow 1" in text and "1590 m" in text and "47 13 06 N" in text
    store = Store(TAXA, [sheet(2, 3, verbatim_coordinates=None)])
    Api(store).get("/specimens/H-2")
    darwin_core(store)
    assert "47.2183 9.4177" in label(store, "H-2")


# The memory


QUESTIONS = [
    ("/specimens/H-1", {}),
    ("/search", {"bbox": "9.0,47.0,9.5,47.5"}),
    ("/search", {"text": "frei"}),
    ("/near", {"at": "47.2,9.4"}),
    ("/grid", {}),
    ("/changes", {}),
]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("first", [CURATOR, PUBLIC])
def test_what_a_curator_was_told_is_not_told_to_others(api, question, first):
    other = PUBLIC if first == CURATOR else CURATOR
    alone = Api(Store(TAXA, [sheet(1, 3), sheet(2, 7)], CHANGES)).get(*question, other)
    told_first = api.get(*question, first)
    assert api.get(*question, other) == alone != told_first
    assert api.get(*question, first) == told_first


def test_members_get_no_curators_csv(api):
    exact = api.get("/export.csv", viewer=CURATOR)
    assert api.get("/export.csv", viewer=MEMBER) != exact
    assert api.get("/export.csv", viewer=CURATOR) == exact
    assert api.get("/export.csv")[0] == 403


def test_answers_are_still_remembered(api):
    for path, query in QUESTIONS:
        assert api.get(path, query)[1] is api.get(path, query)[1]


# Rule 5, for any store


@pytest.mark.parametrize("seed", range(8))
def test_as_if_what_is_shown_were_the_truth(seed):
    chance = random.Random(f"hortus {seed}")

    def near(middle, spread):
        # never on the edge of a cell
        return round(middle + chance.randrange(-spread, spread) / 10_000 * 7, 4) + 0.00003

    centre = chance.choice([(47.2, 9.4), (-33.4, -70.6), (0.0, 0.0)])
    specimens, changes = [], []
    for number in range(1, 41):
        specimens.append(
            sheet(
                number,
                chance.choice(list(BY_TAXON)),
                f"G {chance.randrange(25)}",
                lat=near(centre[0], 400),
                lon=near(centre[1], 400),
                locality=chance.choice(["Ried", "Moos", "Alp Ried", "Tobel"]),
                county=chance.choice(["Appenzell", "Ried", "Visp"]),
                elevation_m=chance.choice([None, 400, 900]),
                verbatim_coordinates=chance.choice([None, "47 13", "46 59"]),
                withhold=chance.choice([None, None, None, True, False]),
            )
        )
        field = chance.choice(["lat", "lon", "locality", "elevation_m", "year"])
        now = getattr(specimens[-1], field)
        before = {"locality": "Egg", "elevation_m": 17, "year": 1800}.get(field)
        if before is None:
            before = now + chance.choice([0.1, 0.00001, 0.31])
        changes.append(
            {"at": f"2024-{chance.randrange(1, 13):02d}-{number:02d}", "specimen": f"H-{number}", "field": field, "before": before, "after": now}
        )
    real = Store(TAXA, specimens, changes)
    shown, told = as_shown(specimens, changes)
    expected, asked = Api(innocent(shown, told)), Api(real)
    exact = Api(innocent(specimens, changes))
    lat, lon = centre
    questions = [
        *((f"/specimens/H-{n}", {}) for n in range(1, 41)),
        *(
            ("/search", {"bbox": f"{lon + a},{lat + b},{lon + a + size},{lat + b + size}"})
            for a in (-0.3, -0.1, 0.04)
            for b in (-0.2, 0.0, 0.1)
            for size in (0.02, 0.1, 0.25)
        ),
        *(("/search", {"text": text}) for text in ("ried", "moos visp", "alp", "47 13", "rar", "habenaria")),
        ("/search", {"text": "ried", "bbox": f"{lon - 0.1},{lat - 0.1},{lon + 0.2},{lat + 0.2}"}),
        *(("/near", {"at": f"{lat + a},{lon + a}", "limit": str(n)}) for a in (0, 0.03, 0.05) for n in (1, 5, 40)),
        ("/grid", {}),
        *(("/changes", {"limit": str(n)}) for n in (1, 3, 40)),
        ("/search", {"bbox": "1,2"}),
        ("/specimens/H-99", {}),
    ]
    for path, query in questions:
        assert asked.get(path, query) == expected.get(path, query, CURATOR), (path, query)
        assert asked.get(path, query, CURATOR) == exact.get(path, query, CURATOR), (path, query)
    assert asked.get("/export.csv", viewer=MEMBER) == expected.get("/export.csv", viewer=CURATOR)
    assert darwin_core(real) == darwin_core(innocent(shown))
    for specimen in specimens:
        assert label(real, specimen.id) == label(innocent(specimens), specimen.id)


def test_the_sample():
    api = Api(Store.load(DATA))
    hidden = {
        number
        for number in ("0012", "2041", "2042", "3100", "3301")
        if row(api, number)["lat"] != row(api, number, CURATOR)["lat"]
    }
    assert hidden == {"2041", "2042", "3100"}
