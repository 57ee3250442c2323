"""Voiding: left in the history, out of every rate, with a reason; and taken back."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

import agenteval as ae
from agenteval.errors import InvalidInput, StoreError
from agenteval.records import Void
from agenteval.store import open_store, seal, take_over_voids, void


def of(build, task="cart", arm="base"):
    (row,) = open_store(build.path).trials(task=task, arm=arm).to_dict("records")
    return row


@pytest.mark.parametrize("sealed", [True, False])
def test_a_voided_trial_is_skipped_with_its_reason_and_keeps_cost_and_history(build, sealed):
    build.filled()
    if sealed:
        seal(build.path)
    own = build.attempt("r1", "search", "base").trial_id
    store = open_store(build.path)
    assert len(store.trials()) == 4  # kept in the reader's memory from here on
    said = void(build.path, own[:8], reason="  the fixture server was down ")
    assert (said.run_id, said.trial_id, said.undone) == ("r1", own, False)
    row = store.trials(task="search", arm="base").iloc[0]
    assert (row["status"], row["error_class"]) == ("skipped", "voided")
    assert row["error_message"] == "the fixture server was down"
    assert row.isna()[["passed", "score"]].all()
    assert (row["cost_usd"], row["all_attempts_cost_usd"], row["ended_by"]) == (0.25, 0.25, "agent")
    assert store.trial(own).attempts["status"].tolist() == ["pass"]
    assert store.sql("select count(*) n from trials where error_class = 'voided'")["n"].iloc[0] == 1
    assert store.trials(status="skipped")["trial_id"].tolist() == [own]
    assert "voided" in store.trial(own).outcome
    board = ae.scoreboard(store.trials()).table.set_index("arm")
    assert board.loc["base", ["trials", "left_out", "left_out_why"]].tolist() == [1, 1, "voided 1"]
    assert board.loc["base", "all_attempts_cost_usd"] == 0.5


def test_a_voided_run_leaves_other_runs_alone_and_can_be_taken_back(build):
    build.filled("r1")
    build.filled("r2")
    void(build.path, "r1", reason="wrong model")
    store = open_store(build.path)
    assert set(store.trials(run="r1")["error_class"]) == {"voided"}
    assert store.trials(run="r2")["error_class"].isna().all()
    void(build.path, "r1", undo=True)
    assert store.trials()["error_class"].isna().all()
    lines = [json.loads(line) for line in build.folder.voids.read_text().splitlines()]
    assert [(line["undone"], line["reason"]) for line in lines] == [
        (False, "wrong model"),
        (True, "wrong model"),
    ]
    assert all(line["at"].endswith(("Z", "+00:00")) for line in lines)


def test_a_trial_voided_by_itself_stays_so_when_its_run_comes_back(build):
    build.filled()
    own = build.attempt("r1", "cart", "v2").trial_id
    void(build.path, own, reason="its own")
    void(build.path, "r1", reason="the run's")
    assert of(build, arm="v2")["error_message"] == "its own"
    assert of(build)["error_message"] == "the run's"
    void(build.path, "r1", undo=True)
    assert of(build, arm="v2")["error_class"] == "voided"
    assert of(build)["status"] == "fail"


@pytest.mark.parametrize("reason", [None, "", "  \n"])
def test_a_reason_is_needed(build, reason):
    build.filled()
    with pytest.raises(InvalidInput, match="needs a reason"):
        void(build.path, "r1", reason=reason)
    assert not build.folder.voids.exists()


def test_what_is_not_there_is_named(build):
    build.filled()
    with pytest.raises(StoreError, match=r"no run or trial 'nothing'[\s\S]*use one of"):
        void(build.path, "nothing", reason="x")
    with pytest.raises(InvalidInput, match="nothing to take back"):
        void(build.path, "r1", undo=True)
    void(build.path, "r1", reason="x")
    own = build.attempt("r1").trial_id
    with pytest.raises(InvalidInput, match="comes back with its run"):
        void(build.path, own, undo=True)


def test_a_torn_line_is_not_there_and_is_written_over(build):
    build.filled()
    void(build.path, "r1", reason="x")
    build.folder.voids.write_bytes(build.folder.voids.read_bytes()[:-5])
    assert of(build)["status"] == "fail"
    void(build.path, "r1", reason="y")
    assert of(build)["error_message"] == "y"
    assert len(build.folder.voids.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        '{"schema_version": 1}',
        '{"schema_version": 99, "run_id": "r1"}',
        '{"schema_version": 1, "at": "2026-01-01T00:00:00Z", "run_id": "r1", "reason": " "}',
        '{"schema_version": 1, "at": "2026-01-01T00:00:00Z", "run_id": "r1", "reason": "x", "who": "me"}',
    ],
)
def test_a_line_that_is_no_void_stops_readers_instead_of_counting_what_should_not(build, line):
    build.filled()
    build.folder.voids.write_text(line + "\n")
    with pytest.raises(StoreError, match=r"voids.jsonl:1"):
        open_store(build.path).trials()
    with pytest.raises(StoreError, match=r"voids.jsonl:1"):
        void(build.path, "r1", reason="x")
    assert build.folder.voids.read_text() == line + "\n"
    assert seal(build.path).run_ids == ("r1",)  # sealing does not depend on it


def test_many_at_once_all_get_in(build):
    build.filled()
    ids = open_store(build.path).trials()["trial_id"].tolist()
    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda own: void(build.path, own, reason=own), ids))
    assert {void.trial_id for void in said} == set(ids)
    assert set(open_store(build.path).trials()["error_message"]) == set(ids)


def test_a_void_is_about_a_run_or_a_trial():
    said = Void(at="2026-01-01T00:00:00Z", run_id="r", reason="x")
    assert said.target == ("r", None)


def test_what_is_voided_in_a_part_of_a_run_stays_voided_in_the_whole(build, tmp_path):
    """Else a merge would bring back what somebody left out with a reason."""
    build.filled("r1")
    build.filled("r2")
    whole, part, other = (tmp_path / name for name in ("whole", "part", "other"))
    for path in (whole, part, other):
        shutil.copytree(build.path, path)
    one, two = open_store(build.path).trials(run="r1")["trial_id"][:2]
    void(part, one, reason="power cut")
    void(part, two, reason="a mistake")
    void(part, two, undo=True)
    void(part, "r2", reason="of another run")
    taken = take_over_voids(whole, "r1", [part, other])
    assert [(v.run_id, v.trial_id, v.reason) for v in taken] == [("r1", one, "power cut")]
    assert take_over_voids(whole, "r1", [part, other]) == []
    left_out = open_store(whole).trials(status="skipped")
    assert left_out["trial_id"].tolist() == [one]
    void(whole, one, undo=True)
    assert take_over_voids(whole, "r1", [part]) == [], "what is said here later on holds"
    void(other, "r1", reason="wrong machine")
    assert len(take_over_voids(whole, "r1", [other])) == 4
    assert (open_store(whole).trials(run="r1")["error_class"] == "voided").all()
