import csv
import json
import shutil
from math import comb

import pytest

from agenteval.errors import ForeignFormatError, InvalidInput, StoreError
from agenteval.store import import_results, open_store, seal


@pytest.fixture
def imported(tmp_path):
    def run(path, **options):
        report = import_results(tmp_path / "store", "terminal-bench", path, **options)
        return report, open_store(report.store)

    return run


METADATA = {
    "run_id": "x", "agent_name": "Droid", "model_name": None, "dataset_name": "terminal-bench-core",
    "dataset_version": "0.1.1", "n_concurrent_trials": 3, "start_time": "2025-09-24T00:32:51+00:00",
}  # fmt: skip


def test_a_run_folder_becomes_a_run(imported, tb_run, tb_record):
    folder = tb_run(
        "20250924_droid_gpt-5/run_1", [tb_record(), tb_record(own_id="b", resolved=False)], METADATA
    )
    report, store = imported(folder)
    assert (report.run_ids, report.trials) == (("run_1",), 2)
    (run,) = store.runs().to_dict("records")
    assert (run["suite"], run["source"], run["concurrency"]) == (
        "terminal-bench",
        "import:terminal-bench",
        3,
    )
    assert run["created_at"].isoformat() == "2025-09-24T00:32:51+00:00"
    trials = store.trials()
    assert trials["arm"].unique().tolist() == ["Droid@gpt-5"]
    assert trials["repeat"].tolist() == [1, 2]
    assert trials["status"].tolist() == ["pass", "fail"]
    assert trials["score"].tolist() == [1.0, 0.5]
    assert trials["duration_s"].tolist() == [90.0, 90.0]
    assert trials["agent_s"].tolist() == [60.0, 60.0]
    assert trials["grade_s"].isna().all()
    assert trials["started_at"].iloc[0].isoformat() == "2025-09-24T01:42:06+00:00"
    assert trials["input_tokens"].isna().all(), "0 tokens means not measured"
    assert trials["output_tokens"].tolist() == [12, 12]
    assert store.tasks()["tags"].tolist() == [["terminal-bench-core 0.1.1"]]
    checks = store.checks(trials[trials["repeat"] == 2])
    assert checks[["name", "passed"]].values.tolist() == [["test_one", True], ["test_two", False]]
    assert store.trial(trials["trial_id"].iloc[0]).prompt == "Please fix-git"


@pytest.mark.parametrize(
    ("resolved", "failure", "status", "passed", "ended_by", "error_class"),
    [
        (True, "unset", "pass", True, "agent", None),
        (True, "agent_timeout", "pass", True, "timeout", None),
        (False, "unset", "fail", False, "agent", None),
        (False, "agent_timeout", "error", False, "timeout", "agent_timeout"),
        (False, "unknown_agent_error", "error", False, "crash", "unknown_agent_error"),
        (False, "agent_installation_failed", "error", False, None, "agent_installation_failed"),
        (None, "parse_error", "error", False, "agent", "parse_error"),
        (None, "test_timeout", "error", False, "agent", "test_timeout"),
        (None, "unknown_agent_error", "error", False, "crash", "unknown_agent_error"),
        (None, "unset", "error", False, "agent", "check_no_verdict"),
        (False, None, "fail", False, "agent", None),
    ],
)
def test_the_tools_rule_and_its_class_are_kept(
    imported, tb_run, tb_record, resolved, failure, status, passed, ended_by, error_class
):
    results = None if resolved is None else {"t": "passed" if resolved else "failed"}
    record = tb_record(resolved=resolved, failure_mode=failure, parser_results=results)
    _, store = imported(tb_run("r", [record]))
    trial = store.trial(store.trials()["trial_id"].iloc[0])
    row = trial.row
    assert (row["status"], row["passed"], row["ended_by"], row["error_class"]) == (
        status,
        passed,
        ended_by,
        error_class,
    )
    assert row["score"] == float(passed)
    assert len(trial.checks) == 1


def test_a_tree_gives_one_run_each_and_names_a_copy(imported, tb_run, tb_record, tmp_path):
    first = tb_run("20250829_goose_opus/one", [tb_record(own_id="a")])
    second = tb_run("20250829_goose_opus/two", [tb_record(own_id="b", resolved=False)])
    shutil.copytree(first, second / "one")
    trial_file = first / "fix-git" / "fix-git.1-of-1.x" / "results.json"
    trial_file.parent.mkdir(parents=True)
    trial_file.write_text(json.dumps(tb_record()))
    report, store = imported(tmp_path / "results")
    assert report.run_ids == ("20250829_goose_opus.one", "20250829_goose_opus.two")
    assert store.trials()["arm"].tolist() == ["goose@opus", "goose@opus"]
    assert store.trials()["arm_digest"].nunique() == 1
    (note,) = report.notes
    assert note.startswith(f"{second}/one/results.json is a copy of {first}/results.json")
    with pytest.raises(InvalidInput, match="holds 2 runs"):
        import_results(tmp_path / "new", "terminal-bench", tmp_path / "results", run_id="r")
    assert not (tmp_path / "new").exists()


def test_known_runs_of_a_tree_refuse_all_or_are_skipped(imported, tb_run, tb_record, tmp_path):
    first = tb_run("one", [tb_record(own_id="a")])
    imported(first)
    tb_run("two", [tb_record(own_id="b")])
    with pytest.raises(StoreError, match="in the store already as run one"):
        imported(tmp_path / "results")
    report, store = imported(tmp_path / "results", skip_bad=True)
    assert report.run_ids == ("two",)
    assert report.skipped[0].reason == "is in the store already as run one"
    assert len(store.trials()) == 2


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"is_resolved": "yes"}, "is_resolved"),
        ({"task_id": 3}, "task_id"),
        ({"failure_mode": 1}, "failure_mode"),
        ({"parser_results": {"t": "maybe"}}, "parser_results.t"),
        ({"parser_results": ["t"]}, r"\(record\)"),
        ({"total_input_tokens": -1}, "total_input_tokens"),
        ({"trial_started_at": "noon"}, "trial_started_at"),
        ({"trial_ended_at": "2025-09-24T01:00:00+00:00"}, "trial_ended_at"),
        ({"id": "a"}, "id"),
        ({"instruction": 5}, "instruction"),
    ],
)
def test_a_malformed_field_is_named_with_its_record(
    imported, tb_run, tb_record, tmp_path, change, field
):
    folder = tb_run("r", [tb_record(own_id="a"), tb_record(own_id="b") | change])
    with pytest.raises(ForeignFormatError, match=rf"r/results.json, record 2, field {field}"):
        imported(folder)
    assert not (tmp_path / "store").exists()
    report, _ = imported(folder, skip_bad=True)
    assert (report.trials, [skipped.record for skipped in report.skipped]) == (1, [2])
    assert "its records give 1" in report.notes[0] if report.notes else True


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "must be an object"),
        ('{"results": []}', "field results: is empty"),
        ('{"results": 3}', "must be a list of objects"),
        ('{"is_resolved": true, "task_id": "x"}', "file of one trial"),
    ],
)
def test_another_file_is_refused_or_skipped(imported, tb_run, tb_record, tmp_path, text, message):
    tb_run("good", [tb_record()])
    bad = tb_run("bad", [tb_record(own_id="z")])
    (bad / "results.json").write_text(text)
    with pytest.raises(ForeignFormatError, match=message):
        imported(tmp_path / "results")
    report, _ = imported(tmp_path / "results", skip_bad=True)
    assert report.run_ids == ("good",)
    assert report.skipped[0].file == str(bad / "results.json")


def test_malformed_metadata_is_named(imported, tb_run, tb_record):
    folder = tb_run("r", [tb_record()], {"agent_name": 7})
    with pytest.raises(ForeignFormatError, match="field agent_name"):
        imported(folder)
    (folder / "run_metadata.json").write_text("{")
    with pytest.raises(ForeignFormatError, match="run_metadata.json"):
        imported(folder)
    report, store = imported(folder, skip_bad=True)
    assert report.trials == 1
    assert store.arms()["agent"].tolist() == ["unknown"]


def test_a_count_that_its_records_deny_is_noted(imported, tb_run, tb_record):
    folder = tb_run("r", [tb_record()])
    data = json.loads((folder / "results.json").read_text()) | {"n_resolved": 5}
    (folder / "results.json").write_text(json.dumps(data))
    report, _ = imported(folder / "results.json")
    assert "says 5 trials are resolved; its records give 1" in report.notes[0]


def test_an_empty_folder_holds_nothing(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ForeignFormatError, match="no results to import"):
        import_results(tmp_path / "store", "terminal-bench", tmp_path / "empty")


@pytest.fixture(scope="module")
def leaderboard(tmp_path_factory):
    from pathlib import Path

    data = Path(__file__).parents[4] / "shared" / "data" / "terminal_bench"
    if not data.is_dir():
        pytest.skip("the published results are not beside this checkout")
    report = import_results(tmp_path_factory.mktemp("board") / "store", "terminal-bench", data)
    seal(report.store)
    with (data / "runs.csv").open() as file:
        expected = {}
        for row in csv.DictReader(file):
            name = (
                row["submission"]
                if row["run"] == "(root)"
                else f"{row['submission']}.{row['run'].replace('/', '.')}"
            )
            expected[name] = row
    return report, open_store(report.store), expected


NESTED = "20250825_swe-agent-mini_claude-4-sonnet.2025-08-15__19-28-24.2025-08-15__16-23-45"


def test_every_published_accuracy_reproduces_exactly(leaderboard):
    report, store, expected = leaderboard
    assert set(report.run_ids) == set(expected) - {NESTED}
    assert len(report.run_ids) == 53
    found = store.sql(
        """select run_id, count(*) n, count(distinct task_id) tasks, sum(passed::int) k,
                  sum(passed::int) / count(passed) accuracy from trials group by run_id"""
    ).set_index("run_id")
    for run_id in report.run_ids:
        row = expected[run_id]
        got = found.loc[run_id]
        assert (got.n, got.tasks, got.k) == (
            int(row["n"]),
            int(row["n_tasks"]),
            int(row["n_resolved"]),
        )
        assert got.accuracy == float(row["accuracy"])


def test_the_nested_copy_is_named(leaderboard):
    report, _, _ = leaderboard
    copies = [note for note in report.notes if "is a copy of" in note]
    assert len(copies) == 1
    assert "2025-08-15__19-28-24/2025-08-15__16-23-45/results.json is a copy of" in copies[0]


def test_published_pass_at_k_reproduces(leaderboard):
    _, store, expected = leaderboard
    counts = store.sql(
        "select run_id, sum(passed::int) c, count(*) n from trials group by run_id, task_id"
    )
    checked = 0
    for run_id, row in expected.items():
        tasks = counts.loc[counts["run_id"] == run_id, ["c", "n"]].values.tolist()
        for k, value in ((int(k), value) for k, value in json.loads(row["pass_at_k"]).items()):
            got = sum(1 - comb(n - c, k) / comb(n, k) for c, n in tasks) / len(tasks)
            assert got == pytest.approx(value, abs=1e-12)
            checked += 1
    assert checked == 9


def test_null_results_count_as_failures_and_keep_their_class(leaderboard):
    _, store, _ = leaderboard
    trials = store.sql(
        "select error_class, count(*) n, bool_or(passed) p from trials where passed is not null and status = 'error' group by 1"
    )
    classes = dict(zip(trials["error_class"], trials["n"], strict=True))
    assert classes == {
        "agent_timeout": 1126, "parse_error": 182, "test_timeout": 132,
        "unknown_agent_error": 110, "agent_installation_failed": 4,
    }  # fmt: skip
    assert not trials["p"].any()
