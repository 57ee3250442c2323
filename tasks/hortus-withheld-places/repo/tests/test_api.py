from hortus import CURATOR, MEMBER


def test_a_sheet(api):
    status, body = api.get("/specimens/H-0012")
    assert (status, body["lat"], body["locality"]) == (200, 47.2831, "Ebenalp, below the hut")
    assert body["gathering_sheets"] == ["H-0012"]
    assert api.get("/specimens/H-9")[0] == 404


def test_box(api):
    _, body = api.get("/search", {"bbox": "9.39,47.28,9.40,47.29"})
    assert [row["id"] for row in body["sheets"]] == ["H-0012"]
    assert api.get("/search", {"bbox": "9.39"})[0] == 400


def test_text_finds_synonyms(api):
    _, body = api.get("/search", {"text": "spicata"})
    assert [(row["id"], row["name"]) for row in body["sheets"]] == [("H-3100", "Artemisia genipi")]


def test_near(api):
    _, body = api.get("/near", {"at": "47.2831,9.3921", "limit": "1"})
    assert [(row["id"], row["km"]) for row in body["sheets"]] == [("H-0012", 0)]


def test_export_is_for_members(api):
    assert api.get("/export.csv")[0] == 403
    assert api.get("/export.csv", viewer=MEMBER)[0] == 200


def test_curators_see_everything(api):
    _, body = api.get("/specimens/H-2041", viewer=CURATOR)
    assert (body["lat"], body["elevation_m"]) == (47.2183, 1590)


def test_changes(api):
    _, body = api.get("/changes", {"limit": "1"})
    assert [change["field"] for change in body["changes"]] == ["collector"]


def test_answers_are_remembered(api):
    assert api.get("/grid")[1] is api.get("/grid")[1]
