"""liftcall as the alarm centre, the teams and payroll call it."""

import os
import subprocess
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[1]
NORTH = "team north\nstart 2025-01-06T08:00\nshift 7d\nrotation ida, jon, kim\n"
NIGHT = "team night\nstart 2025-03-10T20:00\nshift 12h\nrotation nora, otis\n"


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("go")
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GOCACHE": str(folder / "cache"),
        "GOPATH": str(folder / "path"),
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "CGO_ENABLED": "0",
    }
    built = subprocess.run(
        ["go", "build", "-o", folder / "liftcall", "./cmd/liftcall"],
        cwd=REPO,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert built.returncode == 0, built.stderr
    return folder / "liftcall"


@pytest.fixture
def liftcall(program, tmp_path):
    def call(files, *arguments):
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        done = subprocess.run(
            [program, "-rosters", tmp_path, *arguments], capture_output=True, text=True, timeout=20
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return call


def swaps(*lines):
    return {"overrides.txt": "".join(f"{line}\n" for line in lines)}


LIKE = {
    "north.roster": NORTH,
    "south.roster": "team south\nlike north\nplus lou\n",
    "west.roster": "team west\nlike north\nplus mia\n",
    "east.roster": "team east\nlike south\nplus nat, ole\n",
    "aaa.roster": "team aaa\nlike south\nplus pam\n",
}


@pytest.mark.parametrize(
    ("team", "names"),
    [
        ("north", "ida jon kim ida jon kim"),
        ("south", "ida jon kim lou ida jon"),
        ("west", "ida jon kim mia ida jon"),
        ("east", "ida jon kim lou nat ole"),
        ("aaa", "ida jon kim lou pam ida"),
    ],
)
def test_teams_like_others_keep_their_own_people(liftcall, team, names):
    days = ["01-06", "01-13", "01-20", "01-27", "02-03", "02-10"]
    got = [liftcall(LIKE, "who", team, f"2025-{day}T12:00")[0] for day in days]
    assert got == names.split()


THREE = {
    "north.roster": NORTH,
    "night.roster": NIGHT,
    **swaps(
        "north 2025-01-07T18:00 2025-01-08T08:00 lou  # dentist",
        "night 2025-03-11T20:00 2025-03-12T08:00 mia",
        "north 2025-01-09T00:00 2025-01-09T12:00 pam",
    ),
}


@pytest.mark.parametrize(
    ("team", "time", "who"),
    [
        ("north", "2025-01-07T17:59", "ida"),
        ("north", "2025-01-07T18:00", "lou"),
        ("north", "2025-01-08T07:59", "lou"),
        ("north", "2025-01-08T08:00", "ida"),
        ("north", "2025-01-09T06:00", "pam"),
        ("night", "2025-03-12T00:00", "mia"),
        ("north", "2025-03-12T00:00", "ida"),
        ("night", "2025-03-12T08:00", "otis"),
    ],
)
def test_every_swap_counts_for_its_own_time_and_team(liftcall, team, time, who):
    assert liftcall(THREE, "who", team, time) == [who]


def test_a_handover_is_at_its_minute(liftcall):
    files = {"north.roster": NORTH}
    assert liftcall(files, "who", "north", "2025-01-13T07:59") == ["ida"]
    assert liftcall(files, "who", "north", "2025-01-13T08:00") == ["jon"]


def test_a_week_with_swaps(liftcall):
    assert liftcall(THREE, "week", "north", "2025-01-07") == [
        "2025-01-07T00:00 2025-01-07T18:00 ida",
        "2025-01-07T18:00 2025-01-08T08:00 lou",
        "2025-01-08T08:00 2025-01-09T00:00 ida",
        "2025-01-09T00:00 2025-01-09T12:00 pam",
        "2025-01-09T12:00 2025-01-13T08:00 ida",
        "2025-01-13T08:00 2025-01-14T00:00 jon",
    ]


def test_swaps_one_after_the_other(liftcall):
    files = {
        "north.roster": NORTH,
        **swaps(
            "north 2025-01-07T10:00 2025-01-07T12:00 lou",
            "north 2025-01-07T12:00 2025-01-07T14:00 mia",
        ),
    }
    assert liftcall(files, "who", "north", "2025-01-07T12:00") == ["mia"]
    assert liftcall(files, "week", "north", "2025-01-07")[:4] == [
        "2025-01-07T00:00 2025-01-07T10:00 ida",
        "2025-01-07T10:00 2025-01-07T12:00 lou",
        "2025-01-07T12:00 2025-01-07T14:00 mia",
        "2025-01-07T14:00 2025-01-13T08:00 ida",
    ]


@pytest.mark.parametrize("turned", [False, True])
def test_the_lower_of_two_swaps_wins(liftcall, turned):
    lines = [
        "north 2025-01-07T10:00 2025-01-07T20:00 lou",
        "north 2025-01-07T12:00 2025-01-07T14:00 mia",
    ]
    files = {"north.roster": NORTH, **swaps(*(reversed(lines) if turned else lines))}
    who = [liftcall(files, "who", "north", f"2025-01-07T{time}")[0] for time in ("11:00", "13:00", "15:00")]
    assert who == (["lou", "lou", "lou"] if turned else ["lou", "mia", "lou"])


@pytest.mark.parametrize("time", ["2025-01-06T07:59", "2025-01-01T00:00", "2024-12-01T00:00", "2020-01-01T00:00"])
def test_nobody_before_the_start(liftcall, time):
    assert liftcall({"north.roster": NORTH}, "who", "north", time) == ["nobody"]


def test_the_first_minute(liftcall):
    assert liftcall({"north.roster": NORTH}, "who", "north", "2025-01-06T08:00") == ["ida"]


def test_the_week_of_the_start(liftcall):
    files = {"north.roster": NORTH, **swaps("north 2025-01-04T00:00 2025-01-04T06:00 lou")}
    assert liftcall(files, "who", "north", "2025-01-04T03:00") == ["lou"]
    assert liftcall(files, "who", "north", "2025-01-04T06:00") == ["nobody"]
    assert liftcall(files, "week", "north", "2025-01-02") == [
        "2025-01-04T00:00 2025-01-04T06:00 lou",
        "2025-01-06T08:00 2025-01-09T00:00 ida",
    ]


def test_hours_of_the_month_of_the_start(liftcall):
    files = {"night.roster": NIGHT}
    assert liftcall(files, "hours", "2025-02-01", "2025-03-01") == []
    assert liftcall(files, "hours", "2025-03-01", "2025-03-12") == ["nora 16", "otis 12"]


def test_hours_with_swaps(liftcall):
    assert liftcall(THREE, "hours", "2025-01-06", "2025-01-13") == ["ida 134", "lou 14", "pam 12"]


def test_hours_in_parts(liftcall):
    files = {
        "north.roster": NORTH,
        **swaps("north 2025-01-07T10:00 2025-01-07T12:30 lou", "north 2025-01-08T10:00 2025-01-08T10:15 mia"),
    }
    assert liftcall(files, "hours", "2025-01-07", "2025-01-09") == ["ida 45.25", "lou 2.5", "mia 0.25"]


def test_hours_are_sorted_by_name(liftcall):
    people = "zoe yan xia wim vic uwe tom sam rob qui pat ole".split()
    files = {
        f"t{number}.roster": f"team t{number}\nstart 2025-01-01T00:00\nshift 1d\nrotation {', '.join(people)}\n"
        for number in range(3)
    }
    assert liftcall(files, "hours", "2025-01-01", "2025-01-13") == [f"{name} 72" for name in sorted(people)]
