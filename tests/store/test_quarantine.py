"""A store's quarantine.toml: all trials of a task left out, whatever run they are of."""

from datetime import date

import pytest

from agenteval.errors import InvalidInput, StoreError
from agenteval.records import parse_quarantine, read_quarantine
from agenteval.store import open_store, quarantine, seal, void

ENTRY = '[[task]]\nid = "cart"\nsince = 2026-01-31\nreason = "flaky"\n'


def skipped(build):
    rows = open_store(build.path).trials(status="skipped")
    return sorted(zip(rows["run_id"], rows["task_id"], rows["error_class"], strict=True))


@pytest.mark.parametrize("sealed", [True, False])
def test_a_quarantined_task_is_left_out_of_every_run(build, sealed):
    build.filled("r1")
    build.filled("r2")
    if sealed:
        seal(build.path)
    entry = quarantine(build.path, "cart", reason="flaky at midnight", since=date(2026, 1, 31))
    assert entry.told == "quarantined since 2026-01-31: flaky at midnight"
    assert skipped(build) == [(run, "cart", "quarantined") for run in ("r1", "r1", "r2", "r2")]
    store = open_store(build.path)
    assert set(store.trials(task="cart")["error_message"]) == {entry.told}
    assert store.trials(task="search")["passed"].all()
    assert set(store.attempts()["status"]) == {"pass", "fail"}
    quarantine(build.path, "cart", undo=True)
    assert skipped(build) == []


def test_only_in_one_suite(build):
    build.filled("r1")
    run = build.run("r2", suite="other")
    build.write(run, build.attempt("r2", suite="other"))
    quarantine(build.path, "cart", reason="x", suite="other")
    assert skipped(build) == [("r2", "cart", "quarantined")]
    quarantine(build.path, "cart", reason="y")
    assert len(skipped(build)) == 3
    assert len(open_store(build.path).trials()) == 5


def test_what_is_voided_says_so_first(build):
    build.filled()
    quarantine(build.path, "cart", reason="x")
    void(build.path, "r1", reason="the whole run")
    trials = open_store(build.path).trials()
    assert set(trials["error_class"]) == {"voided"}
    assert set(trials["error_message"]) == {"the whole run"}


def test_what_people_wrote_into_the_file_stays(build):
    build.filled()
    path = build.folder.quarantine
    path.write_text(f"# tasks nobody trusts\n\n{ENTRY}")
    quarantine(
        build.path, "search", reason='with "quotes" \\ and \x7f and\nlines', since=date(2026, 2, 1)
    )
    assert path.read_text().startswith(f"# tasks nobody trusts\n\n{ENTRY}\n[[task]]\n")
    assert [task.id for task in read_quarantine(path)] == ["cart", "search"]
    assert read_quarantine(path)[1].reason == 'with "quotes" \\ and \x7f and\nlines'
    quarantine(build.path, "cart", undo=True)
    assert path.read_text().startswith("# tasks nobody trusts\n\n[[task]]\n")
    assert [task.id for task in read_quarantine(path)] == ["search"]


def test_an_entry_that_cannot_be_cut_out_is_taken_out_all_the_same(build):
    build.filled()
    path = build.folder.quarantine
    path.write_text('task = [{id = "cart", since = 2026-01-31, reason = "x"}, {id = "search", since = 2026-01-31, reason = "[[task]]"}]\n')  # fmt: skip
    quarantine(build.path, "cart", undo=True)
    assert [(task.id, task.reason) for task in read_quarantine(path)] == [("search", "[[task]]")]


def test_mistakes_change_nothing(build):
    build.filled()
    with pytest.raises(InvalidInput, match="needs a reason"):
        quarantine(build.path, "cart", reason=" ")
    with pytest.raises(StoreError, match=r"no trials of a task 'chart'[\s\S]*cart, search"):
        quarantine(build.path, "chart", reason="x")
    with pytest.raises(InvalidInput, match="not quarantined here"):
        quarantine(build.path, "cart", undo=True)
    assert not build.folder.quarantine.exists()
    quarantine(build.path, "cart", reason="x")
    with pytest.raises(InvalidInput, match="quarantined already"):
        quarantine(build.path, "cart", reason="y")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[task]\n", "not valid TOML"),
        (ENTRY + "untill = 2026-02-01\n", r"task\.0\.untill"),
        (ENTRY.replace("since = 2026-01-31\n", ""), r"task\.0\.since"),
        (ENTRY.replace('"flaky"', '" "'), r"task\.0\.reason"),
        (ENTRY.replace("2026-01-31", '"soon"'), r"task\.0\.since"),
        ('[task]\nid = "cart"\n', "key task"),
        (ENTRY + ENTRY, "quarantined twice"),
        (b"\xff", "UTF-8"),
    ],
)
def test_a_bad_file_stops_readers_and_is_named(build, text, says):
    build.filled()
    build.folder.quarantine.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(StoreError, match=says) as error:
        open_store(build.path).trials()
    assert "quarantine.toml" in error.value.where
    with pytest.raises(StoreError, match=says):
        quarantine(build.path, "search", reason="x")


def test_an_empty_file_quarantines_nothing():
    assert parse_quarantine("# nothing\n", "here") == ()
