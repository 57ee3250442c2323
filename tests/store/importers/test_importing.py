import json

import pytest

from agenteval.errors import ForeignFormatError, InvalidInput, StoreError
from agenteval.records import AttemptRow, read_journal, read_manifest
from agenteval.store import FORMATS, ImportReport, Skipped, import_results, open_store, seal


@pytest.fixture
def results(tmp_path, tau_record):
    path = tmp_path / "gpt-x-retail.json"
    path.write_text(json.dumps([tau_record(task, trial) for task in (0, 1) for trial in (0, 1)]))
    return path


def tree(path):
    return (
        {p: p.read_bytes() if p.is_file() else None for p in path.rglob("*")}
        if path.exists()
        else None
    )


def test_an_import_is_an_ordinary_run(tmp_path, results):
    report = import_results(tmp_path / "store", "tau-bench", results)
    assert isinstance(report, ImportReport)
    assert (report.run_ids, report.trials, report.skipped, report.notes) == (
        ("gpt-x-retail",),
        4,
        (),
        (),
    )
    store = open_store(report.store)
    run = store.run_folder("gpt-x-retail")
    assert read_manifest(run / "run.json").run.source == "import:tau-bench"
    journal = read_journal(run / "journal.jsonl")
    assert len(journal.blocks) == 4
    assert journal.torn_bytes == 0
    assert all(isinstance(block.attempt, AttemptRow) for block in journal.blocks)
    before = store.trials()
    seal(report.store)
    assert store.trials().equals(before)
    assert store.problems.empty
    assert "gpt-x-retail" in store._repr_html_()


def test_the_default_store_ignores_itself(tmp_path, results):
    import_results(tmp_path / ".agenteval" / "store", "tau-bench", results)
    assert (tmp_path / ".agenteval" / ".gitignore").read_text() == "*\n"
    assert open_store(tmp_path).newest_run() == "gpt-x-retail"


@pytest.mark.parametrize("name", [None, "again"])
def test_the_same_results_again_are_refused_and_nothing_changes(tmp_path, results, name):
    import_results(tmp_path / "store", "tau-bench", results)
    before = tree(tmp_path / "store")
    with pytest.raises(StoreError, match="in the store already as run gpt-x-retail"):
        import_results(tmp_path / "store", "tau-bench", results, run_id=name)
    assert tree(tmp_path / "store") == before


def test_other_results_under_a_taken_id_are_refused_until_renamed(tmp_path, results, tau_record):
    import_results(tmp_path / "store", "tau-bench", results)
    results.write_text(json.dumps([tau_record(5)]))
    before = tree(tmp_path / "store")
    with pytest.raises(StoreError, match=r"already has a run gpt-x-retail[\s\S]*--run-id"):
        import_results(tmp_path / "store", "tau-bench", results)
    assert tree(tmp_path / "store") == before
    report = import_results(tmp_path / "store", "tau-bench", results, run_id="second")
    assert report.run_ids == ("second",)
    assert len(open_store(tmp_path / "store").trials()) == 5


def test_names_given_by_the_caller_win(tmp_path, results):
    report = import_results(
        tmp_path / "store",
        "tau-bench",
        results,
        agent="react",
        model="openai/gpt-x",
        suite="mine",
        run_id="r",
    )
    (arm,) = open_store(report.store).arms().to_dict("records")
    assert (arm["agent"], arm["model"], arm["arm"]) == (
        "react",
        "openai/gpt-x",
        "react@openai/gpt-x",
    )
    assert open_store(report.store).runs()["suite"].tolist() == ["mine"]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (
            ("swe-bench", "gpt-x-retail.json"),
            {},
            InvalidInput,
            r"no format 'swe-bench'[\s\S]*tau-bench, terminal-bench",
        ),
        (("tau-bench", "nowhere.json"), {}, ForeignFormatError, "not there"),
        (("tau-bench", "gpt-x-retail.json"), {"run_id": "../up"}, InvalidInput, "cannot be the id"),
        (
            ("tau-bench", "gpt-x-retail.json"),
            {"run_id": ".hidden"},
            InvalidInput,
            "cannot be the id",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path, results, arguments, options, error, message):
    with pytest.raises(error, match=message) as caught:
        import_results(tmp_path / "store", arguments[0], tmp_path / arguments[1], **options)
    assert caught.value.where
    assert caught.value.fix
    assert not (tmp_path / "store").exists()


def test_a_folder_that_is_no_store_is_not_written_to(tmp_path, results):
    before = tree(tmp_path)
    with pytest.raises(StoreError, match="not a store"):
        import_results(tmp_path, "tau-bench", results)
    assert tree(tmp_path) == before


def test_one_bad_record_refuses_all_and_skipping_keeps_the_good(tmp_path, results, tau_record):
    results.write_text(json.dumps([tau_record(0), tau_record(1, reward="high"), tau_record(2)]))
    with pytest.raises(ForeignFormatError) as caught:
        import_results(tmp_path / "store", "tau-bench", results)
    assert caught.value.where == f"{results}, record 2, field reward: must be a number, is 'high'"
    assert not (tmp_path / "store").exists()
    report = import_results(tmp_path / "store", "tau-bench", results, skip_bad=True)
    assert report.trials == 2
    assert report.skipped == (Skipped(str(results), 2, "reward", "must be a number, is 'high'"),)
    assert open_store(report.store).runs()["planned_trials"].tolist() == [3]


def test_nothing_good_is_an_error_even_when_skipping(tmp_path, results, tau_record):
    results.write_text(json.dumps([tau_record(0, reward=None)]))
    with pytest.raises(ForeignFormatError, match=r"no results to import[\s\S]*field reward"):
        import_results(tmp_path / "store", "tau-bench", results, skip_bad=True)
    assert not (tmp_path / "store").exists()


FULL_DISK = """
import resource, sys
from agenteval.errors import StoreError
from agenteval.store import import_results
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
try:
    import_results(sys.argv[1], "tau-bench", sys.argv[2])
except StoreError as error:
    print(error)
"""


def test_a_disk_that_takes_no_more_leaves_the_store_as_it_was(
    tmp_path, results, tau_record, python
):
    import_results(tmp_path / "store", "tau-bench", results)
    before = tree(tmp_path / "store")
    other = tmp_path / "other-retail.json"
    other.write_text(json.dumps([tau_record(number) for number in range(50)]))
    out, error = python(FULL_DISK, tmp_path / "store", other).communicate()
    assert out.startswith("The store cannot be written; nothing was imported."), error
    assert tree(tmp_path / "store") == before


KILLED = """
import os, signal, sys
import agenteval.store.importers.writing as writing
writing.encode_block = lambda *arguments: os.kill(os.getpid(), signal.SIGKILL)
from agenteval.store import import_results
import_results(sys.argv[1], "tau-bench", sys.argv[2])
"""


def test_an_importer_that_is_killed_leaves_no_run(tmp_path, results, python):
    process = python(KILLED, tmp_path / "store", results)
    process.communicate()
    assert process.returncode == -9
    assert open_store(tmp_path / "store").trials().empty
    assert import_results(tmp_path / "store", "tau-bench", results).trials == 4


def test_formats_are_those_of_the_command_line():
    known = ["chatcli", "neuralinverse", "shell-harness", "tau-bench", "terminal-bench"]
    assert sorted(FORMATS) == known
