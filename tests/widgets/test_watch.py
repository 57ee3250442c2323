"""A run seen from its journal, at rest and while it is written."""

import pytest

from agenteval.store import open_store
from agenteval.widgets import Watch, look_at, watch
from agenteval.widgets.run_state import as_clock


@pytest.fixture
def half(made_store, tmp_path):
    """A store whose run `base` was stopped in the middle."""
    store = open_store(made_store.build(tmp_path / "store"))
    journal = store.run_folder("base") / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[: len(lines) // 2]))
    return store


def test_a_run_is_complete_when_every_trial_is_settled(every_outcome, half):
    state = look_at(every_outcome, "base", written=False)
    trials = every_outcome.trials(run="base")
    assert (state.phase, state.done, state.planned) == ("complete", 72, 72)
    assert state.spent_usd == pytest.approx(trials["all_attempts_cost_usd"].sum())
    assert sum(state.outcomes.values()) == len(trials)
    assert state.eta_s is None
    assert state.board.table["arm"].nunique() == 4
    assert 0 < len(state.errors) <= 5
    assert look_at(half, "base", written=False).phase == "stopped"


def test_time_left_is_that_of_what_is_left_at_this_pace(half):
    state = look_at(half, "base", written=True)
    mean = half.trials(run="base")["duration_s"].mean()
    assert state.phase == "running"
    assert 20 < state.done < 50
    assert state.eta_s == pytest.approx(mean * (72 - state.done) / 2)
    assert as_clock(61) == "0:01:01"


def test_it_waits_for_a_run_that_is_not_there_yet_and_then_follows_it(tmp_path, made_store):
    writing = [True]
    seen = Watch(tmp_path / "s", "only", written=lambda: writing[0], stop=None)
    seen.look()
    assert (seen.phase, seen.error) == ("waiting", "")
    made_store.add_run(tmp_path / "s", "only", {"one": "dev", "two": "dev"})
    seen.look()
    assert (seen.phase, seen.done, seen.planned, seen.bar.value) == ("running", 2, 2, 2)
    writing[0] = False
    seen.follow(0.01)
    assert seen.wait(60)
    assert seen.phase == "complete"
    assert "2 of 2 trials" in seen.line.value
    assert "one" in seen.body.value


def test_the_button_stops_once_and_is_off_where_nobody_can_stop(every_outcome):
    pressed = []
    seen = Watch(every_outcome.path, "base", written=lambda: True, stop=lambda: pressed.append(1))
    seen.look()
    seen.button.click()
    assert (pressed, seen.phase, seen.button.disabled) == ([1], "stopping", True)
    assert "is stopping" in seen.line.value
    seen.look()
    assert seen.phase == "stopping"
    other = Watch(every_outcome.path, "base", written=lambda: True, stop=None)
    other.look()
    assert other.button.disabled


def test_a_stop_that_fails_is_shown(every_outcome):
    def refuse() -> None:
        raise PermissionError("not yours")

    seen = Watch(every_outcome.path, "base", written=lambda: True, stop=refuse)
    seen.look()
    seen.button.click()
    assert seen.error == "PermissionError: not yours"
    assert seen.phase == "running"


def test_a_run_that_nobody_writes_is_looked_at_once(every_outcome):
    seen = watch("next", every_outcome.path, written=lambda: False)
    assert seen.wait(60)
    assert seen.phase in ("complete", "stopped")
    assert open_store(every_outcome.path).trials(run="next").arm.nunique() == 4
