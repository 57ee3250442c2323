"""Reports of chatcli, a shell harness and neuralinverse: their own rule, and strictness."""

import json

import pytest

from agenteval.errors import ForeignFormatError, StoreError
from agenteval.store import import_results, open_store


@pytest.fixture
def imported(tmp_path):
    """Write content to a file, import it; gives the store and the report."""

    def run(format, content, name="results.jsonl", **options):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, list):
            content = "".join(f"{json.dumps(line)}\n" for line in content)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        report = import_results(tmp_path / "store", format, path, **options)
        return open_store(report.store), report

    return run


def chatcli_trial(n=1, status="pass", **changes):
    trial = {
        "n": n, "status": status, "score": 1.0, "duration_ms": 2500, "cost_usd": 0.01,
        "judge_cost_usd": 0.002, "turns": 3, "input_tokens": 100, "output_tokens": 20,
        "provider": "p", "model": "m", "tool_calls": ["@read", "@exec"], "final": "done",
        "checks": [
            {"kind": "contains", "label": "says hi", "passed": status == "pass", "score": 1.0 if status == "pass" else 0.0, "weight": 1, "detail": ""},
            {"kind": "judge", "label": "tone", "passed": True, "score": 0.8, "weight": 0, "cost_usd": 0.002},
        ],
    }  # fmt: skip
    return trial | changes


def chatcli_report(*cases, **changes):
    report = {
        "schema": 1, "chatcli_version": "1.2", "suites": ["core"], "started_at": "2026-01-02T03:04:05Z",
        "candidate": {"provider": "openai", "model": "gpt-x"}, "self_judged": False,
        "budget_exceeded": False, "cases": list(cases),
    }  # fmt: skip
    return report | changes


def case(name, *trials, suite="core", **changes):
    return {
        "suite": suite,
        "id": name,
        "tags": ["t"],
        "pass_policy": "all",
        "trials": list(trials),
    } | changes


def test_chatcli_a_trial_is_a_trial_with_its_checks(imported):
    report = chatcli_report(
        case("a", chatcli_trial(1), chatcli_trial(2, "fail"), pass_policy="any")
    )
    store, made = imported("chatcli", report, "main.json")
    assert made.run_ids == ("main",)
    trials = store.trials()
    assert trials[["suite", "task_id", "repeat", "status"]].values.tolist() == [
        ["core", "a", 1, "pass"],
        ["core", "a", 2, "fail"],
    ]
    first = trials.iloc[0]
    assert (first["model"], first["agent_version"], first["turns"]) == ("openai/gpt-x", "1.2", 3)
    assert (first["duration_s"], first["tool_calls"]) == (2.5, 2)
    assert (first["cost_usd"], first["cost_source"]) == (0.01, "reported")
    assert store.tasks()["pass_policy"].tolist() == ["any"]
    checks = store.checks(trials.head(1))
    assert checks[["name", "kind", "weight"]].values.tolist() == [
        ["says hi", "chatcli", 1.0],
        ["tone", "judge", 1.0],
    ]
    assert first["score"] == pytest.approx(0.9)


def test_chatcli_an_error_counts_as_not_passed_and_a_skip_does_not_count(imported):
    report = chatcli_report(
        case("a", chatcli_trial(1, "error", error="timeout after 5m", checks=[])),
        case("b", chatcli_trial(1, "error", error="exit 2", checks=None)),
        case("c", chatcli_trial(1, "skipped", checks=[])),
        case("d", skip_reason="needs a key"),
    )
    store, _ = imported("chatcli", report, "r.json")
    rows = store.trials().sort_values("task_id")
    assert rows["status"].tolist() == ["error", "error", "skipped", "skipped"]
    assert rows["error_class"].tolist() == ["timeout", "crash", "cancelled", "task_skipped"]
    assert rows["passed"].isna().tolist() == [False, False, True, True]
    assert rows["error_message"].tolist()[3] == "needs a key"


def test_chatcli_each_suite_is_a_run(imported):
    report = chatcli_report(case("a", chatcli_trial()), case("a", chatcli_trial(), suite="chat"))
    store, made = imported("chatcli", report, "r.json")
    assert made.run_ids == ("r-core", "r-chat")
    assert sorted(store.trials()["suite"]) == ["chat", "core"]


@pytest.mark.parametrize(
    ("report", "field"),
    [
        (chatcli_report(schema=2), "schema"),
        (chatcli_report(), "cases"),
        (chatcli_report(case("a", chatcli_trial(status="great"))), "status"),
        (chatcli_report(case("a", chatcli_trial(), pass_policy="most")), "pass_policy"),
        (chatcli_report(case("a", chatcli_trial(), chatcli_trial())), "trials"),
        (chatcli_report(case("a", chatcli_trial()), case("a", chatcli_trial())), "id"),
        (chatcli_report(case("a", chatcli_trial(duration_ms=-1))), "duration_ms"),
        (chatcli_report(case("a", chatcli_trial(score=float("nan")))), "(file)"),
        ("[]", "(record)"),
        ("", "(file)"),
    ],
)
def test_chatcli_a_bad_report_names_the_field_and_nothing_is_written(
    imported, tmp_path, report, field
):
    with pytest.raises(ForeignFormatError) as error:
        imported("chatcli", report, "r.json")
    assert f"field {field}" in error.value.where
    assert not list((tmp_path / "store").glob("runs/*"))


def shell_line(task="coupons", attempt=1, label="baseline", **changes):
    line = {
        "label": label, "task": task, "attempt": attempt, "success": True, "hidden_tests": True,
        "suite": True, "protected_edits": 0, "lint_failed": 1, "denied": 2, "cost_usd": 0.06,
        "duration_s": 17, "turns": 6, "input_tokens": 105238, "output_tokens": 1534,
    }  # fmt: skip
    return line | changes


def test_shell_harness_a_success_is_hidden_tests_and_suite(imported):
    lines = [
        shell_line("a"),
        shell_line("b", success=False, suite=False, protected_edits=1),
        shell_line("a", label="haiku"),
    ]
    store, made = imported("shell-harness", lines)
    assert made.run_ids == ("baseline", "haiku")
    rows = store.trials(run="baseline").sort_values("task_id")
    assert rows["passed"].tolist() == [True, False]
    assert rows["variant"].tolist() == ["baseline"] * 2
    assert rows["protected_edits"].tolist() == [0, 1]
    assert rows["lint_failures"].tolist() == [1, 1]
    assert rows["cost_source"].tolist() == ["reported"] * 2
    assert rows["input_tokens"].isna().all(), "it adds cache reads to them"
    kinds = store.checks(rows.head(1))["kind"].tolist()
    assert kinds == ["hidden-tests", "suite"]


def test_shell_harness_zeros_of_a_crash_are_unknown(imported):
    crashed = shell_line(
        success=False, hidden_tests=False, cost_usd=0, duration_s=0, turns=0, input_tokens=0,
        output_tokens=0, denied=0,
    )  # fmt: skip
    (row,) = imported("shell-harness", [crashed])[0].trials().to_dict("records")
    assert (row["status"], row["ended_by"], row["passed"]) == ("error", "crash", False)
    assert row["cost_usd"] != row["cost_usd"]
    assert (row["cost_source"], row["protected_edits"]) == ("unknown", 0)


@pytest.mark.parametrize(
    ("lines", "field"),
    [
        ([shell_line(success=False)], "success"),
        ([shell_line(), shell_line()], "attempt"),
        ([shell_line(turns=-1)], "turns"),
        ([shell_line(hidden_tests=None)], "hidden_tests"),
        ('{"label": "a"', "(line)"),
        ('{"label": NaN}\n', "(line)"),
        ("", "(file)"),
    ],
)
def test_shell_harness_a_bad_line_is_named(imported, lines, field):
    with pytest.raises(ForeignFormatError, match="nothing was written") as error:
        imported("shell-harness", lines)
    assert f"field {field}" in error.value.where


def test_shell_harness_a_folder_of_labels_is_one_import(imported, tmp_path):
    for label in ("one", "two"):
        folder = tmp_path / "results" / label
        folder.mkdir(parents=True)
        (folder / "results.jsonl").write_text(json.dumps(shell_line(label=label)) + "\n")
    report = import_results(tmp_path / "s", "shell-harness", tmp_path / "results")
    assert report.run_ids == ("one", "two")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ForeignFormatError) as error:
        import_results(tmp_path / "s", "shell-harness", tmp_path / "empty")
    assert "holds no results.jsonl" in error.value.where


def neural_line(task="off-by-one", repeat=1, status="pass", **changes):
    line = {
        "taskId": task, "model": "anthropic/m", "variant": "baseline", "repeat": repeat, "status": status,
        "category": "bugfix", "checks": [{"kind": "command", "passed": status == "pass", "output": "ok"}],
        "turns": 5, "toolCalls": 9, "toolErrors": 1, "harnessEvents": 0,
        "tokens": {"input": 10, "output": 20, "cacheRead": 30, "cacheWrite": 40},
        "costUsd": 0.2, "durationMs": 61000, "stopReason": "finished", "answer": "done",
    }  # fmt: skip
    return line | changes


def test_neuralinverse_a_line_is_a_run(imported):
    store, made = imported(
        "neuralinverse", [neural_line(), neural_line(repeat=2, status="fail")], "out/results.jsonl"
    )
    assert made.run_ids == ("out",)
    first, second = store.trials().to_dict("records")
    assert (first["status"], second["status"]) == ("pass", "fail")
    assert (first["model"], first["variant"], first["category"]) == (
        "anthropic/m",
        "baseline",
        "bugfix",
    )
    assert [first[name] for name in ("turns", "tool_calls", "tool_errors", "harness_events")] == [
        5,
        9,
        1,
        0,
    ]
    assert [
        first[n]
        for n in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    ] == [10, 20, 30, 40]
    assert (first["cost_usd"], first["cost_source"], first["duration_s"]) == (0.2, "reported", 61.0)
    assert first["stop_reason"] == "finished"


def test_neuralinverse_errors_count_skips_do_not(imported):
    lines = [
        neural_line("a", status="error", stopReason="time limit"),
        neural_line("b", status="error", stopReason=None),
        neural_line("c", status="skipped", checks=[]),
    ]
    rows = imported("neuralinverse", lines)[0].trials().sort_values("task_id")
    assert rows["error_class"].tolist() == ["timeout", "crash", "requires_missing"]
    assert rows["passed"].isna().tolist() == [False, False, True]


def test_neuralinverse_configurations_are_runs_and_repeats_from_0_count_from_1(imported):
    lines = [
        neural_line(repeat=0),
        neural_line(repeat=1),
        neural_line(repeat=0, variant="prompt-v2"),
        {
            "task": "x",
            "status": "pass",
            "checks": [{"kind": "command", "ok": True}],
            "repetition": 1,
        },
    ]
    store, made = imported("neuralinverse", lines)
    assert len(made.run_ids) == 3
    assert sorted(store.trials()["repeat"]) == [1, 1, 2, 2]


@pytest.mark.parametrize(
    ("lines", "field"),
    [
        ([neural_line(status="ok")], "status"),
        ([neural_line(), neural_line()], "repeat"),
        ([neural_line(turns=1.5)], "turns"),
        ([neural_line(costUsd=-1)], "costUsd"),
        ([{"status": "pass"}], "taskId"),
        ("\n\n", "(file)"),
    ],
)
def test_neuralinverse_a_bad_line_is_named(imported, lines, field):
    with pytest.raises(ForeignFormatError) as error:
        imported("neuralinverse", lines)
    assert f"field {field}" in error.value.where


@pytest.mark.parametrize("format", ["chatcli", "neuralinverse", "shell-harness"])
def test_the_same_results_again_are_the_same_run(imported, format):
    content = {
        "chatcli": chatcli_report(case("a", chatcli_trial())),
        "neuralinverse": [neural_line()],
        "shell-harness": [shell_line()],
    }[format]
    imported(format, content, "one/results.jsonl")
    with pytest.raises(StoreError, match="in the store already"):
        imported(format, content, "two/results.jsonl")


def test_bad_lines_can_be_left_out_and_are_counted(imported):
    lines = [shell_line("a"), shell_line("b", success=False)]
    store, made = imported("shell-harness", lines, skip_bad=True)
    assert (made.trials, len(made.skipped)) == (1, 1)
    assert store.trials()["task_id"].tolist() == ["a"]
