from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agenteval.records import DEFAULT_STORE, RunFolder, StoreFolder, bundled, digest, trial_id

PART = st.text("ab1:", max_size=4)


@settings(deadline=None)
@given(st.lists(PART, max_size=4), st.lists(PART, max_size=4))
def test_parts_never_run_together(one, two):
    assume(one != two)
    assert digest(*one) != digest(*two)


def test_digests_are_pinned():
    """They pair results of different runs: another value is another task."""
    assert digest() == "e3b0c44298fc1c14"
    assert digest("a", b"b") == digest("a", "b") == "facdde7abf1eac5b"


def test_the_same_plan_has_the_same_trials():
    ids = {trial_id("r", "s", "t", "d", 1)}
    assert ids == {trial_id("r", "s", "t", "d", 1)}
    others = [
        ("q", "s", "t", "d", 1),
        ("r", "q", "t", "d", 1),
        ("r", "s", "q", "d", 1),
        ("r", "s", "t", "q", 1),
        ("r", "s", "t", "d", 2),
    ]
    ids.update(trial_id(*other) for other in others)
    assert len(ids) == 6
    assert all(len(id_) == 12 for id_ in ids)


def test_paths_of_a_run(tmp_path):
    run = StoreFolder(tmp_path).run("r1")
    assert run == RunFolder(tmp_path / "runs" / "r1")
    assert run.manifest == tmp_path / "runs/r1/run.json"
    assert run.journal == tmp_path / "runs/r1/journal.jsonl"
    assert run.attempt("t", 2) == tmp_path / "runs/r1/artifacts/t/attempt-2"
    assert StoreFolder(tmp_path).parquet_manifest == tmp_path / "parquet/manifest.json"


def test_the_default_store_ignores_itself_and_no_other_does(tmp_path):
    StoreFolder(tmp_path / DEFAULT_STORE).create()
    ignore = tmp_path / ".agenteval/.gitignore"
    assert ignore.read_text() == "*\n"
    ignore.write_text("mine\n")
    StoreFolder(tmp_path / DEFAULT_STORE).create()
    assert ignore.read_text() == "mine\n"
    StoreFolder(tmp_path / "history").create()
    assert (tmp_path / "history/runs").is_dir()
    assert [path.name for path in tmp_path.rglob(".gitignore")] == [".gitignore"]


def test_the_packages_own_data_is_found():
    assert bundled("tasks").name == "tasks"
    assert bundled("tasks").is_dir()
