"""The store's folder moves, cannot be written, or the clock jumps."""

from datetime import UTC, datetime, timedelta

import pytest

from agenteval.engine import Progress, trial
from agenteval.records import StoreFolder, read_journal

FIX = "command:echo fixed > app.txt"


def test_a_store_that_is_renamed_during_a_run_gets_all_of_it(victim):
    victim.bench.task()
    plan = victim.plan(FIX, "scripted:noop", repeats=3)
    moved = victim.bench.folder / "moved"

    def move(row) -> None:
        if not moved.exists():
            victim.store.rename(moved)

    result = victim.go(plan, Progress(finished=move), concurrency=2)
    assert len(result.attempts) == 6
    assert not victim.store.exists(), "nothing is written to the old place"
    victim.store = moved
    victim.check_whole(planned=6)
    assert victim.go(plan).attempts == []


def test_a_read_only_store_refuses_a_run_and_can_still_be_read(victim, mounted):
    victim.bench.task()
    victim.go(victim.plan(FIX))
    script = """
        mount --bind "$STORE" "$STORE"
        mount -o remount,ro,bind "$STORE"
        status() { "$PYTHON" -m agenteval "$@" --store "$STORE"; }
        set +e
        status status r1; echo "status $?"
        status sql 'select status from trials'; echo "sql $?"
        status run "$SUITE" --agent scripted:noop --run-id r2; echo "run $?"
        status run "$SUITE" --agent 'command:echo fixed > app.txt' --run-id r1; echo "resume $?"
    """
    python = victim.command(repeats=1)[0]
    code, told = mounted(script, STORE=victim.store, SUITE=victim.bench.suite, PYTHON=python)
    assert code == 0, told
    assert "status 0" in told
    assert "sql 0" in told
    assert told.count("Read-only file system") == 2
    assert "run 2" in told
    assert "resume 2" in told
    assert told.count("Fix: ") == 2
    assert "Traceback" not in told
    assert len(read_journal(StoreFolder(victim.store).run("r1").journal).blocks) == 1


class Jumping(datetime):
    """A wall clock that somebody sets: an hour back, a day ahead, and so on, at every look."""

    hands = (0, -3600, 86_400, -86_400 * 400)
    looks = 0

    @classmethod
    def now(cls, tz=None):
        Jumping.looks += 1
        jump = timedelta(seconds=cls.hands[Jumping.looks % len(cls.hands)])
        return datetime.now(tz) + jump


def test_a_clock_that_jumps_changes_no_duration_and_loses_no_trial(
    victim, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(trial, "datetime", Jumping)
    victim.bench.task()
    plan = victim.plan(FIX, "scripted:noop", repeats=4)
    victim.go(plan)
    assert victim.go(plan).attempts == []
    victim.check_whole(planned=8)
    assert Jumping.looks >= 8
    rows = victim.held
    assert [row.sequence for row in rows] == list(range(1, 9))
    assert sorted(row.started_at for row in rows) != [row.started_at for row in rows]
    for row in rows:
        assert 0 < row.agent_s <= row.duration_s < 60
        assert row.setup_s > 0
        assert row.grade_s > 0
    assert min(row.started_at for row in rows) < datetime.now(UTC) - timedelta(days=300)
