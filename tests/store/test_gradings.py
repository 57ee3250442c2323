"""A regrading holds at once and alone: it is no further attempt, and old gradings can be asked for."""

import json
import re

import pyarrow.parquet as pq
import pytest

from agenteval.errors import InvalidInput
from agenteval.records import AttemptRow, read_journal
from agenteval.store import open_store, seal


def regraded(attempt, grading=2, **changes):
    values = {"grading": grading, "status": "fail", "passed": False, "score": 0.0} | changes
    return AttemptRow.model_validate(attempt.model_dump() | values)


def trials(build):
    return open_store(build.path).trials().to_dict("records")


@pytest.mark.parametrize("when", ["live", "sealed", "sealed before"])
def test_the_newest_grading_holds_and_is_no_further_attempt(build, when):
    run = build.filled()
    first = build.attempt("r1", "search", "base")
    if when == "sealed before":
        seal(build.path)
    build.write(run, regraded(first), checks=3)
    if when == "sealed":
        seal(build.path)
    store = open_store(build.path)
    (trial,) = store.trials(task="search", arm="base").to_dict("records")
    assert (trial["status"], trial["grading"]) == ("fail", 2)
    assert (trial["attempts"], trial["all_attempts_cost_usd"]) == (1, 0.25)
    assert len(store.trials()) == len(store.attempts()) == 4
    assert len(store.checks()) == 3 * 2 + 3
    assert store.sql("select count(*) n from attempts")["n"].iloc[0] == 4
    assert store.sql("select count(*) n from checks")["n"].iloc[0] == 9
    every = store.attempts(store.trials(task="search", arm="base"), gradings="all")
    assert every["status"].tolist() == ["pass", "fail"]
    assert len(store.checks(gradings="all")) == 11
    view = store.trial(first.trial_id)
    assert len(view.checks) == 3
    assert view.attempts["grading"].tolist() == [2]


def test_trials_keep_their_order(build):
    run = build.filled()
    before = open_store(build.path).trials()["trial_id"].tolist()
    build.write(run, regraded(build.attempt("r1", "cart", "base")))
    assert open_store(build.path).trials()["trial_id"].tolist() == before
    seal(build.path)
    assert open_store(build.path).trials()["trial_id"].tolist() == before


def test_gradings_hold_by_their_number_not_by_their_line(build):
    run = build.run()
    first = build.attempt()
    build.write(run, first, regraded(first, 3), regraded(first, 2, status="pass", passed=True))
    (trial,) = trials(build)
    assert (trial["status"], trial["grading"], trial["attempts"]) == ("fail", 3, 1)
    assert open_store(build.path).attempts(gradings="all")["grading"].tolist() == [1, 2, 3]


def test_a_failure_of_the_machinery_that_is_graded_again_settles_its_trial(build):
    run = build.run()
    lost = build.attempt(
        status="error", passed=None, error_class="grading_failed", score=None, cost_usd=1.0
    )
    build.write(run, lost, checks=0)
    build.write(run, build.attempt(attempt=2, status="fail", passed=False))
    assert trials(build)[0]["attempt"] == 2
    build.write(run, regraded(lost, status="pass", passed=True, error_class=None))
    (trial,) = trials(build)
    assert (trial["attempt"], trial["status"], trial["attempts"]) == (1, "pass", 2)
    assert trial["all_attempts_cost_usd"] == 1.25


def test_a_regrading_that_was_cut_short_changes_nothing(build):
    run = build.run()
    first = build.attempt()
    build.write(run, first)
    lines = build.block(regraded(first)).splitlines(keepends=True)
    for torn in (lines[0], b"".join(lines[:-1]), b"".join(lines)[:-9]):
        before = run.journal.read_bytes()
        build.append(run, torn)
        store = open_store(build.path)
        assert store.trials()["status"].tolist() == ["pass"]
        assert store.checks()["grading"].tolist() == [1, 1]
        assert store.checks(gradings="all")["grading"].tolist() == [1, 1]
        run.journal.write_bytes(before)


def test_old_gradings_are_kept_where_a_bad_line_makes_the_codec_read(build):
    run = build.run()
    first = build.attempt()
    build.write(run, first)
    build.append(run, b"no record\n")
    build.write(run, regraded(first), build.attempt(repeat=2))
    store = open_store(build.path)
    assert store.trials()["status"].tolist() == ["fail", "pass"]
    assert len(store.attempts(gradings="all")) == 3
    assert len(store.problems) == 1
    assert [b.attempt.grading for b in read_journal(run.journal).superseded] == [1]


def test_a_run_recorded_before_there_was_regrading_reads_as_graded_once(build):
    run = build.filled()
    run.journal.write_bytes(run.journal.read_bytes().replace(b'"grading": 1, ', b""))
    assert b"grading" not in run.journal.read_bytes()
    store = open_store(build.path)
    assert store.trials()["grading"].tolist() == [1] * 4
    assert store.problems.empty
    seal(build.path)
    assert store.checks()["grading"].tolist() == [1] * 8
    for table in ("attempts", "checks"):  # as an older version sealed it
        (path,) = (build.folder.parquet / table).glob("*.parquet")
        pq.write_table(pq.read_table(path).drop_columns("grading"), path, compression="zstd")
        size = path.stat().st_size
        named = build.folder.parquet_manifest
        data = json.loads(named.read_text())
        data["parts"][0]["sizes"][table] = size
        named.write_text(json.dumps(data))
    store = open_store(build.path)
    assert store.problems.empty
    assert store.trials()["grading"].tolist() == [1] * 4
    assert store.checks()["grading"].tolist() == [1] * 8


def test_there_are_two_ways_to_ask(build):
    build.filled()
    with pytest.raises(InvalidInput, match=re.escape("use newest or all")):
        open_store(build.path).checks(gradings="old")


def test_what_never_started_makes_no_cost_unknown(build):
    run = build.run()
    skipped = build.attempt(
        status="skipped", passed=None, error_class="quarantined", ended_by=None, cost_usd=None
    )
    build.write(run, skipped, checks=0)
    build.write(run, build.attempt(attempt=2, cost_usd=0.5))
    (trial,) = trials(build)
    assert (trial["status"], trial["attempts"]) == ("pass", 2)
    assert trial["all_attempts_cost_usd"] == 0.5
