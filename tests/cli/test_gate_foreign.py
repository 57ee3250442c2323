"""Results of other tools as baselines: `gate --against FILE`, and both sides from files."""

import json

import pytest


def jsonl(path, lines):
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def shell(path, passes, label="main"):
    return jsonl(
        path,
        [
            {
                "label": label, "task": f"t{i:02d}", "attempt": 1, "success": i < passes,
                "hidden_tests": i < passes, "suite": True, "protected_edits": 0, "lint_failed": 0,
                "denied": 0, "cost_usd": 0.1, "duration_s": 10, "turns": 5, "input_tokens": 1,
                "output_tokens": 1,
            }
            for i in range(20)
        ],
    )  # fmt: skip


def neural(path, passes):
    return jsonl(
        path,
        [
            {
                "taskId": f"t{i:02d}", "model": "m", "variant": "v", "repeat": 1,
                "status": "pass" if i < passes else "fail",
                "checks": [{"kind": "command", "passed": i < passes}],
            }
            for i in range(20)
        ],
    )  # fmt: skip


def chatcli(path, passes):
    cases = [
        {
            "suite": "core" if i < 10 else "chat", "id": f"t{i:02d}", "pass_policy": "all",
            "trials": [{"n": 1, "status": "pass" if i < passes else "fail", "checks": []}],
        }
        for i in range(20)
    ]  # fmt: skip
    path.write_text(json.dumps({"schema": 1, "candidate": {}, "cases": cases}))
    return path


MAKERS = {"chatcli": chatcli, "neuralinverse": neural, "shell-harness": shell}


@pytest.mark.parametrize("name", MAKERS)
def test_a_file_of_another_tool_is_a_baseline(cli, tmp_path, name):
    make = MAKERS[name]
    before, worse = make(tmp_path / "before.json", 20), make(tmp_path / "worse.json", 10)
    assert cli("gate", "--against", before, "--run", before, "--mode", "ratchet").code == 0
    done = cli("gate", "--against", before, "--run", worse, "--mode", "ratchet", "--json")
    assert done.code == 1
    assert len(done.json["regressions"]) == 10
    assert cli("gate", "--against", before, "--run", worse, "--format", name).code == 1


@pytest.mark.parametrize("name", MAKERS)
def test_an_import_is_gated_against_the_older_file(cli, tmp_path, name):
    make = MAKERS[name]
    before, now = make(tmp_path / "before.json", 20), make(tmp_path / "now.json", 20)
    now.write_text(f"{now.read_text().strip()}\n")
    assert cli("import", name, now).code == 0
    runs = cli("sql", "select run_id from runs", "--json").json
    for row in runs[:1]:
        options = ["--against", before, "--run", row["run_id"], "--mode", "ratchet"]
        done = cli("gate", *options)
        # of a report with two suites one is half of the tasks, which is too little overlap
        assert done.code == (2 if name == "chatcli" else 0)


def test_cost_that_agents_report_of_themselves_is_no_evidence(cli, tmp_path):
    before = shell(tmp_path / "a.jsonl", 20)
    rows = cli("gate", "--against", before, "--run", before, "--json").json["dimensions"]
    told = {row["dimension"]: row["verdict"] for row in rows}
    assert (told["cost"], told["turns"]) == ("no_evidence", "no_evidence")
    assert told["mistakes"] != "no_evidence", "the harness itself counted them"


@pytest.mark.parametrize("content", ["", "hello", "{}", "[1]", '{"label": "x"}\n', "\x00"])
def test_a_file_that_nobody_can_read_is_exit_2(cli, tmp_path, content):
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    good = shell(tmp_path / "good.jsonl", 20)
    done = cli("gate", "--against", path, "--run", good)
    assert (done.code, done.out) == (2, "")
    assert "Fix:" in done.err
