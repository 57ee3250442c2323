"""Syncs as docs/spool.md describes them; each is an import of its own on the same folder."""

import csv
import itertools
import logging
import random
import shutil
from pathlib import Path

import pytest

from tally.ballots import Ballots
from tally.importer import Importer

FILMS = {"F1": "One", "F2": "Two"}
SAMPLES = Path(__file__).parent.parent / "samples"
V2 = "seq,film,stars,comment"
V30 = "seq,boot,film,stars,comment"
V31 = "boot,seq,film,stars,comment"


class House:
    def __init__(self, folder, films=FILMS):
        self.films = films
        self.spool = folder / "spool"
        self.spool.mkdir()
        self.db = folder / "hidden.db"

    def sync(self, files=()):
        for name, lines in dict(files).items():
            (self.spool / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        ballots = Ballots(self.db)
        try:
            return Importer(ballots, self.films).run(self.spool)
        finally:
            ballots.close()

    @property
    def kiosks(self):
        ballots = Ballots(self.db)
        try:
            return ballots.by_kiosk()
        finally:
            ballots.close()

    @property
    def stars(self):
        ballots = Ballots(self.db)
        try:
            return {film: (count, total) for film, count, total in ballots.stars()}
        finally:
            ballots.close()

    @property
    def waiting(self):
        return sorted(path.name for path in self.spool.glob("*.csv"))


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


A, A2, A3 = "K07-20260214.csv", "K07-20260214.part2.csv", "K07-20260214.part3.csv"
OTHER = "K03-20260214.csv"


@pytest.mark.parametrize("other", [V2, V30, V31])
@pytest.mark.parametrize(
    "header, first, part",
    [
        (V2, ["1,F1,5,", "2,F1,4,"], ["3,F2,3,", "4,F2,2,"]),
        (V30, ["1,1,F1,5,", "2,1,F1,4,"], ["3,1,F2,3,", "1,2,F2,2,"]),
        (V31, ["1,1,F1,5,", "1,2,F1,4,"], ["1,3,F2,3,", "2,1,F2,2,"]),
    ],
)
def test_a_part_with_a_later_sync(house, header, first, part, other):
    row = {V2: "1,F1,1,", V30: "1,1,F1,1,", V31: "1,1,F1,1,"}[other]
    house.sync({A: [header, *first]})
    house.sync({A2: part, OTHER: [other, row]})
    assert house.kiosks == {"K03": 1, "K07": 4}
    assert house.stars == {"F1": (3, 10), "F2": (2, 5)}
    assert house.waiting == []


def test_a_part_sent_again_with_other_neighbours(house):
    house.sync({A: [V30, "1,1,F1,5,"], A2: ["2,1,F1,4,", "3,1,F1,4,"]})
    assert house.kiosks == {"K07": 3}
    outcome = house.sync({OTHER: [V31, "1,1,F1,1,"], A2: ["2,1,F1,4,", "3,1,F1,4,"]})
    assert (outcome.counted, outcome.duplicates, outcome.rejected) == (1, 2, 0)
    outcome = house.sync({A2: ["2,1,F1,4,", "3,1,F1,4,"]})
    assert (outcome.counted, outcome.duplicates) == (0, 2)
    assert house.kiosks == {"K03": 1, "K07": 3}


def test_a_part_before_its_first_file_waits(house, caplog):
    with caplog.at_level(logging.INFO, logger="tally"):
        outcome = house.sync({"K01-20260214.csv": [V30, "1,1,F1,1,"], A2: ["1,3,F1,4,"], "K09-20260214.csv": [V2, "1,F2,3,"]})
    assert (outcome.counted, outcome.rejected) == (2, 0)
    assert house.kiosks == {"K01": 1, "K09": 1}
    assert house.waiting == [A2]
    warnings = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert any(A2 in record.getMessage() for record in warnings)
    house.sync({})
    assert house.waiting == [A2]
    house.sync({A: [V31, "1,1,F1,5,", "1,2,F1,5,"]})
    assert house.kiosks == {"K01": 1, "K07": 3, "K09": 1}
    assert house.waiting == []


def test_only_a_part_and_nothing_else(house):
    house.sync({A3: ["1,3,F1,4,"]})
    assert (house.waiting, house.kiosks) == ([A3], {})
    house.sync({A3: ["1,3,F1,4,"]})
    house.sync({A: [V30, "1,1,F1,5,"]})
    assert house.kiosks == {"K07": 2}


def test_firmware_changed_over_night(house):
    tomorrow, part = "K07-20260215.csv", "K07-20260215.part2.csv"
    house.sync({A: [V30, "1,1,F1,5,"]})
    house.sync({part: ["1,9,F1,4,", "1,8,F1,4,"], A2: ["9,1,F2,3,"]})
    assert house.waiting == [part]
    assert house.kiosks == {"K07": 2}
    house.sync({tomorrow: [V31, "1,1,F1,5,"]})
    assert house.kiosks == {"K07": 5}
    # and each of them again
    house.sync({A2: ["9,1,F2,3,"], part: ["1,9,F1,4,", "1,8,F1,4,"]})
    house.sync({A: [V30, "1,1,F1,5,"], tomorrow: [V31, "1,1,F1,5,"]})
    assert house.kiosks == {"K07": 5}


def test_every_order(tmp_path):
    """Four kiosks, three files each, spread over syncs at random, some sent twice."""
    kiosks = {"K02": V2, "K04": V30, "K06": V31, "K08": V30}
    files = {}
    for kiosk, header in kiosks.items():
        for part in (1, 2, 3):
            rows = [
                {V2: f"{n},F1,3,", V30: f"{n},1,F1,3,", V31: f"1,{n},F1,3,"}[header]
                for n in range(part * 10, part * 10 + 5)
            ]
            name = f"{kiosk}-20260214" + (f".part{part}.csv" if part > 1 else ".csv")
            files[name] = [header, *rows] if part == 1 else rows
    for seed in range(4):
        chance = random.Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        house = House(folder)
        sent = list(files) + chance.sample(sorted(files), 5)
        chance.shuffle(sent)
        for batch in itertools.zip_longest(*[iter(sent)] * 3):
            names = [name for name in batch if name]
            house.sync({name: files[name] for name in names})
        assert house.kiosks == dict.fromkeys(kiosks, 15), seed
        assert house.stars == {"F1": (60, 180)}, seed
        assert house.waiting == []


def test_the_morning(tmp_path):
    from tally.films import load_films

    house = House(tmp_path, load_films())
    for sync in ("0930", "1000", "1030"):
        for path in (SAMPLES / sync).glob("*.csv"):
            shutil.copy(path, house.spool)
        assert house.sync().rejected == 0
    with open(SAMPLES / "counters.csv", newline="", encoding="utf-8") as file:
        assert house.kiosks == {row["kiosk"]: int(row["ballots"]) for row in csv.DictReader(file)}


def test_rows_that_are_no_ballots_are_still_rejected(house):
    outcome = house.sync({A: [V31, "1,1,F9,5,", "1,2,F1,6,"], A2: ["1,x,F1,5,", "1,3,F1,5,ok"]})
    assert (outcome.counted, outcome.rejected) == (1, 3)
