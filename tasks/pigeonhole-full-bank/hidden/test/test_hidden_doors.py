"""The box against a plain model of docs/rules.md, and the cases of the report."""

import random
import shutil
import subprocess
from datetime import datetime, timedelta
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[1]
START = datetime(2024, 12, 2, 10, 0)
MARKT = ["1-24 S", "25-36 M", "37-40 L"]
HAFEN = ["1-60 S", "61-84 M", "85-96 L", "97-140 S", "141-154 M", "155-160 L"]


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    out = tmp_path_factory.mktemp("classes")
    sources = sorted(map(str, (REPO / "src").rglob("*.java")))
    subprocess.run(["javac", "-nowarn", "-d", out, *sources], check=True, timeout=60)
    return out


@pytest.fixture
def box(classes, tmp_path):
    def replay(site, events):
        (tmp_path / "a.site").write_text("".join(f"{line}\n" for line in site))
        (tmp_path / "a.events").write_text(
            "".join(f"{time:%Y-%m-%dT%H:%M} {what}\n" for time, what in events)
        )
        command = [shutil.which("java"), "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", classes]
        done = subprocess.run(
            [*command, "pigeonhole.Main", tmp_path / "a.site", tmp_path / "a.events"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return replay


def one_a_minute(*events):
    return [(START + timedelta(minutes=minute), event) for minute, event in enumerate(events)]


class Model:
    def __init__(self, site):
        self.size, self.uses = {}, {}
        for line in site:
            numbers, size = line.split()
            first, last = map(int, numbers.split("-"))
            for number in range(first, last + 1):
                self.size[number], self.uses[number] = size, 0
        self.behind = {}  # door -> (deadline, order, parcel)
        self.blocked = set()
        self.order = 0

    def free(self, size):
        return [
            d
            for d, s in self.size.items()
            if s == size and d not in self.behind and d not in self.blocked
        ]

    def deliver(self, now, parcel, size, days=3):
        for fitting in "SML"["SML".index(size) :]:
            if doors := self.free(fitting):
                door = min(doors, key=lambda d: (self.uses[d], d))
                self.order += 1
                self.behind[door] = (now + timedelta(days=days), self.order, parcel)
                return f"{parcel} -> {door}"
        return f"{parcel} full"

    def collect(self, now, parcel, door):
        if door in self.behind and self.behind[door][2] == parcel:
            self._leave(door)
            return f"{parcel} collected"
        return f"{parcel} wrong door"

    def round(self, now):
        due = sorted((entry, door) for door, entry in self.behind.items() if entry[0] <= now)
        for _, door in due:
            self._leave(door)
        return "back " + (" ".join(entry[2] for entry, _ in due) or "nothing")

    def block(self, now, door):
        if door not in self.size:
            return f"{door} no such door"
        self.blocked.add(door)
        return f"{door} blocked"

    def unblock(self, now, door):
        if door not in self.size:
            return f"{door} no such door"
        self.blocked.discard(door)
        return f"{door} unblocked"

    def status(self, now):
        counts = " ".join(f"{size}={len(self.free(size))}" for size in "SML")
        return f"free {counts} blocked={len(self.blocked)}"

    def _leave(self, door):
        del self.behind[door]
        self.uses[door] += 1


def weeks(site, seed, count, *, longest=3, doors=None):
    """Events of some weeks, and what the rules answer to them."""
    rng = random.Random(seed)
    model = Model(site)
    doors = doors or list(model.size)
    now, events, answers = START, [], []
    for number in range(count):
        now += timedelta(minutes=rng.choice([0, 1, 7, 40, 180]))
        kind = rng.choices(
            ["deliver", "collect", "lost", "round", "block", "unblock", "status"],
            [45, 35, 2, 6, 4, 4, 4],
        )[0]
        if kind == "collect" and not model.behind:
            kind = "deliver"
        if kind == "deliver":
            size = rng.choice("SSSMML")
            days = rng.choice([3, 3, 3, longest])
            args = (f"P{number}", size) + ((days,) if days != 3 else ())
        elif kind == "collect":
            door = rng.choice(sorted(model.behind))
            args = (model.behind[door][2], door)
        elif kind == "lost":
            kind, args = "collect", (f"P{rng.randrange(count)}", rng.choice(doors))
        elif kind in ("block", "unblock"):
            args = (rng.choice(sorted(model.blocked) or doors if kind == "unblock" else doors),)
        else:
            args = ()
        answers.append(getattr(model, kind)(now, *args))
        events.append((now, " ".join(map(str, (kind, *args)))))
    return events, answers


def same(got, expected, events):
    for number, (a, b) in enumerate(zip(got, expected)):
        assert a == b, f"answer {number + 1}, to {events[number][1]!r}"
    assert len(got) == len(expected)


def test_high_doors_can_be_collected_from(box):
    events = []
    for number in range(1, 105):
        events.append(f"deliver P{number} S")
    events += ["collect P61 97", "collect P92 128", "collect P93 129", "collect P104 140"]
    got = box(HAFEN, one_a_minute(*events))
    assert got[91] == "P92 -> 128"
    assert got[104:] == ["P61 collected", "P92 collected", "P93 collected", "P104 collected"]


def test_the_wrong_door_is_still_wrong(box):
    got = box(["200-203 S"], one_a_minute("deliver A S", "deliver B S", "collect A 201", "collect C 200"))
    assert got == ["A -> 200", "B -> 201", "A wrong door", "C wrong door"]


def test_high_doors_can_be_blocked(box):
    events = ["block 131", "block 160", "block 161", "unblock 160", "status"]
    got = box(HAFEN, one_a_minute(*events))
    assert got == [
        "131 blocked",
        "160 blocked",
        "161 no such door",
        "160 unblocked",
        "free S=103 M=38 L=18 blocked=1",
    ]


def test_high_doors_are_free_again_after_a_round(box):
    events = [(START, "deliver A S"), (START + timedelta(days=4), "round")]
    events.append((START + timedelta(days=4), "status"))
    assert box(["200-201 S"], events) == ["A -> 200", "back A", "free S=2 M=0 L=0 blocked=0"]


def test_no_door_for_two_parcels(box):
    events = [f"deliver P{n} S" for n in range(6)]
    events += [f"collect P{n} {n + 1}" for n in (1, 3, 0, 5)]
    events += [f"deliver Q{n} S" for n in range(4)]
    got = box(["1-6 S"], one_a_minute(*events))
    assert sorted(got[-4:]) == ["Q0 -> 1", "Q1 -> 2", "Q2 -> 4", "Q3 -> 6"]


def test_the_least_used_door_comes_first(box):
    events = []
    for n in range(4):
        events += [f"deliver P{n} S", f"collect P{n} {n % 3 + 1}"]
    got = box(["1-3 S"], one_a_minute(*events, "deliver Q S"))
    assert got[::2] == ["P0 -> 1", "P1 -> 2", "P2 -> 3", "P3 -> 1", "Q -> 2"]


def test_a_blocked_door_gets_nothing(box):
    events = [f"deliver P{n} S" for n in range(3)] + [f"collect P{n} {n + 1}" for n in (2, 0, 1)]
    got = box(["1-3 S"], one_a_minute(*events, "block 3", "block 1", "deliver Q S", "deliver R S"))
    assert got[-2:] == ["Q -> 2", "R full"]


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_weeks_at_markt(box, seed):
    events, answers = weeks(MARKT, seed, 700)
    same(box(MARKT, events), answers, events)


@pytest.mark.parametrize("days", [24, 25, 30, 60, 90])
def test_holiday_parcels_do_not_hide_the_others(box, days):
    events = [(START, f"deliver A S {days}"), (START, "deliver B S"), (START, f"deliver C S {days}")]
    events += [(START, "deliver D S")]
    events += [(START + timedelta(days=3), "round"), (START + timedelta(days=days), "round")]
    assert box(["1-9 S"], events)[-2:] == ["back B D", "back A C"]


def test_a_winter_of_holiday_parcels(box):
    events, answers = weeks(HAFEN, 21, 900, longest=60)
    events.append((START + timedelta(days=200), "round"))
    model_last = box(HAFEN, events)
    same(model_last[:-1], answers, events)
