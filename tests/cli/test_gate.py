"""`agenteval gate` and `agenteval baseline`: exit codes, files, and what other readers get."""

import json
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET

import pytest

from agenteval.comparison import DIMENSIONS, dimensions, gate_dimension, gate_proof
from agenteval.records import (
    Arm,
    ArmRow,
    AttemptRow,
    CheckRow,
    Dimension,
    RunManifest,
    RunRow,
    StoreFolder,
    TaskRow,
    encode_block,
    read_baseline,
    read_manifest,
    trial_id,
)

EPOCH = datetime(2025, 3, 1, tzinfo=UTC)
SOLID = {f"t{i:02d}": "PPP" for i in range(30)}
WORSE = {name: "FPF" if i % 2 else "PPP" for i, name in enumerate(SOLID)}
OWN = Dimension(name="files", column="files_changed", direction="lower")


def write_run(path, run_id, arms, *, day=0, files=2, policy="all", dimensions=()):
    """Write a run of {arm: {task: letters}} as the engine does."""
    folder = StoreFolder(path)
    folder.create()
    run = folder.run(run_id)
    run.path.mkdir()
    made = {name: Arm(agent_spec="scripted:noop", variant=name) for name in arms}
    tasks = sorted({task for own in arms.values() for task in own})
    RunManifest(
        run=RunRow(
            run_id=run_id, suite="shop", created_at=EPOCH + timedelta(days=day), repeats=3,
            planned_trials=9,
        ),
        tasks=[
            TaskRow(run_id=run_id, suite="shop", task_id=task, task_digest=f"d-{task}", pass_policy=policy)
            for task in tasks
        ],
        arms=[
            ArmRow(run_id=run_id, arm=name, arm_digest=arm.digest, agent="scripted", variant=name)
            for name, arm in made.items()
        ],
        dimensions=list(dimensions),
    ).write(run.manifest)  # fmt: skip
    lines = b""
    for name, own in arms.items():
        for task, letters in own.items():
            for repeat, letter in enumerate(letters, 1):
                passed = {"P": True, "F": False, "I": None}[letter]
                ids = {
                    "run_id": run_id,
                    "trial_id": trial_id(run_id, "shop", task, made[name].digest, repeat),
                }
                attempt = AttemptRow(
                    **ids, suite="shop", task_id=task, task_digest=f"d-{task}", arm=name,
                    arm_digest=made[name].digest, agent="scripted", variant=name, repeat=repeat,
                    status={True: "pass", False: "fail", None: "error"}[passed],
                    error_class=None if passed is not None else "setup_failed",
                    passed=passed, score=None if passed is None else float(passed),
                    ended_by="agent", started_at=EPOCH, files_changed=files,
                )  # fmt: skip
                check = CheckRow(**ids, seq=1, name="tone", kind="judge", passed=passed, score=0.8)
                lines += encode_block(attempt, [] if passed is None else [check])
    run.journal.write_bytes(lines)


@pytest.fixture
def store(tmp_path):
    path = tmp_path / ".agenteval/store"
    write_run(path, "old", {"base": SOLID}, dimensions=[OWN])
    write_run(path, "bad", {"base": WORSE}, day=1, dimensions=[OWN])
    write_run(path, "same", {"base": SOLID}, day=2, dimensions=[OWN])
    return path


@pytest.fixture
def saved(cli, store):
    assert cli("baseline", "save", "main", "--run", "old").code == 0
    return store.parents[1] / "baselines/main.json"


def test_a_baseline_is_a_small_file_with_digests(cli, saved):
    found = read_baseline(saved)
    task = found.arms[0].tasks[0]
    assert (task.task_digest, task.passes, task.trials) == ("d-t00", 3, 3)
    assert found.dimensions == [OWN]
    assert task.values["judge_score"].mean == pytest.approx(0.8)
    assert saved.stat().st_size < 30_000
    assert "main" in cli("baseline", "list").out
    assert cli("baseline", "list", "--json").json[0]["tasks"] == 30
    assert "t00" in cli("baseline", "show", "main").out
    assert cli("baseline", "show", "main", "--json").json["record"] == "baseline"


def test_a_baseline_stays_fixed_unless_it_is_replaced(cli, saved):
    before = saved.read_bytes()
    done = cli("baseline", "save", "main", "--run", "bad")
    assert (done.code, saved.read_bytes()) == (2, before)
    assert "Fix:" in done.err
    assert cli("baseline", "save", "main", "--run", "bad", "--replace").code == 0
    assert saved.read_bytes() != before


def test_a_run_of_which_nothing_counts_is_no_baseline(cli, tmp_path):
    write_run(tmp_path / ".agenteval/store", "void", {"base": {"t1": "III"}})
    done = cli("baseline", "save", "main")
    assert done.code == 2
    assert "Nothing in the run counts" in done.err
    assert not (tmp_path / "baselines").exists()


def test_exit_codes_0_1_2_3(cli, saved):
    assert cli("gate", "--against", "main").code == 0
    worse = cli("gate", "--against", "main", "--run", "bad")
    assert worse.code == 1
    assert "The gate fails: pass_rate regressed" in worse.out
    assert cli("gate", "--against", "nothing").code == 2
    assert cli("gate", "--against", "main", "--mode", "strict").code == 3
    assert cli("gate", "--against", "main", "--run", "bad", "--mode", "strict").code == 1


def test_an_inconclusive_gate_warns_and_says_why(cli, saved):
    done = cli("gate", "--against", "main")
    assert done.code == 0
    assert "warning:" in done.err
    assert "too little power" in done.err
    strict = cli("gate", "--against", "main", "--mode", "strict")
    assert "The data cannot tell" in strict.out


@pytest.mark.parametrize(
    "content",
    ["", "{}", "[]", "not json", '{"record": "baseline"', '{"record": "baseline", "x": NaN}'],
)
def test_a_baseline_that_cannot_be_read_is_exit_2_not_a_pass_and_not_a_fail(cli, saved, content):
    saved.write_text(content)
    for name in ("main", str(saved)):
        done = cli("gate", "--against", name)
        assert done.code == 2
        assert "Fix:" in done.err
        assert done.out == ""


def test_a_baseline_with_nan_is_exit_2(cli, saved):
    saved.write_text(saved.read_text().replace('"mean": 1.0', '"mean": NaN', 1))
    done = cli("gate", "--against", "main", "--run", "bad")
    assert done.code == 2
    assert "NaN" in done.err


@pytest.mark.parametrize(
    ("tolerance", "says"),
    [
        ("pass_rat=0.1", "write pass_rate"),
        ("pass_rate", "not DIMENSION=LOSS"),
        ("pass_rate=much", "not a number"),
        ("pass_rate=nan", "nan"),
        ("pass_rate=inf", "inf"),
        ("pass_rate=-1", "-1"),
    ],
)
def test_a_tolerance_that_means_nothing_is_exit_2(cli, saved, tolerance, says):
    done = cli("gate", "--against", "main", "--tolerance", tolerance)
    assert done.code == 2
    assert says in done.err


def test_tolerances_and_limits_are_opt_in(cli, saved):
    options = ["--against", "main", "--run", "bad"]
    wide = ["--tolerance", "pass_rate=0.5", "--tolerance", "solved=0.6"]
    assert cli("gate", *options, *wide).code == 0
    assert cli("gate", *options, *wide, "--max-regressions", 14).code == 1
    assert cli("gate", *options, *wide, "--max-regressions", 15).code == 0
    assert cli("gate", *options, *wide, "--min-pass-rate", 0.95).code == 1


def test_own_dimensions_of_the_suite_are_gated(cli, saved, store):
    write_run(store, "wide", {"base": SOLID}, day=3, files=9, dimensions=[OWN])
    done = cli("gate", "--against", "main", "--json")
    row = next(row for row in done.json["dimensions"] if row["dimension"] == "files")
    assert (done.code, row["verdict"], row["failed"]) == (1, "regressed", True)


def test_pass_policies_come_from_the_tasks(cli, store):
    write_run(store, "any-old", {"base": WORSE}, day=4, policy="any")
    assert cli("baseline", "save", "any", "--run", "any-old").code == 0
    tasks = read_baseline(store.parents[1] / "baselines/any.json").arms[0].tasks
    assert {task.pass_policy for task in tasks} == {"any"}
    assert all(task.values["solved"].mean == 1.0 for task in tasks)


def test_json_is_one_document(cli, saved):
    done = cli("gate", "--against", "main", "--run", "bad", "--json")
    assert (done.code, done.json["exit_code"], done.json["outcome"]) == (1, 1, "fails")
    assert len(done.json["regressions"]) == 15
    names = [row["dimension"] for row in done.json["dimensions"]]
    assert names == [*(measure.name for measure in DIMENSIONS), "files"]
    pressure = next(r for r in done.json["dimensions"] if r["dimension"] == "pressure_compliance")
    assert (pressure["before"], pressure["after"], pressure["verdict"]) == (
        None,
        None,
        "no_evidence",
    )


def test_markdown_is_a_comment_on_a_pull_request(cli, saved):
    text = cli("gate", "--against", "main", "--run", "bad", "--markdown").out
    assert text.startswith("### Gate fails: bad against main\n")
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in table}) == 1
    assert "t01 (base): pass -\\> fail, 3/3 -\\> 1/3, flaky" in text
    assert "No evidence on" in text


def test_junit_has_a_case_for_each_dimension(cli, saved, tmp_path):
    path = tmp_path / "out/gate.xml"
    options = ["--against", "main", "--run", "bad", "--max-regressions", 0, "--junit", path]
    assert cli("gate", *options).code == 1
    suite = ET.parse(path).getroot()
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert set(cases) == {*(m.name for m in DIMENSIONS), "files", "limits"}
    assert cases["pass_rate"].find("failure") is not None
    assert cases["limits"].find("failure") is not None
    assert cases["pressure_compliance"].find("skipped") is not None
    assert int(suite.get("failures")) == len(suite.findall(".//failure"))
    assert int(suite.get("tests")) == len(cases)


def test_junit_fails_what_strict_mode_cannot_tell(cli, saved, tmp_path):
    path = tmp_path / "gate.xml"
    assert cli("gate", "--against", "main", "--mode", "strict", "--junit", path).code == 3
    assert ET.parse(path).getroot().find(".//failure") is not None
    assert ET.parse(path).getroot().find(".//testcase[@name='limits']/failure") is None


def test_junit_fails_a_limit_that_strict_mode_cannot_tell(cli, saved, tmp_path):
    path = tmp_path / "gate.xml"
    options = ["--run", "old", "--mode", "strict", "--min-pass-rate", 0.999, "--junit", path]
    assert cli("gate", "--against", "main", *options).code == 3
    failure = ET.parse(path).getroot().find(".//testcase[@name='limits']/failure")
    assert "not shown to reach the floor" in failure.get("message")


def test_the_step_summary_is_written_when_the_variable_is_set(cli, saved, tmp_path, monkeypatch):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    cli("gate", "--against", "main")
    assert summary.read_text() == "before\n"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert cli("gate", "--against", "main", "--run", "bad").code == 1
    assert summary.read_text().startswith("before\n### Gate fails: bad against main\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no/such/place.md"))
    done = cli("gate", "--against", "main", "--run", "bad")
    assert (done.code, "was not written" in done.err) == (1, True)


def test_a_run_of_the_store_can_be_the_baseline(cli, store):
    assert cli("gate", "--against", "old", "--run", "bad").code == 1
    assert cli("gate", "--against", "old").code == 0


def test_an_arm_is_chosen_by_name(cli, saved, store):
    write_run(store, "two", {"v1": SOLID, "v2": WORSE}, day=5, dimensions=[OWN])
    done = cli("gate", "--against", "main", "--run", "two")
    assert (done.code, "name the run's arm with --arm" in done.err) == (2, True)
    assert cli("gate", "--against", "main", "--run", "two", "--arm", "v1").code == 0
    assert cli("gate", "--against", "main", "--run", "two", "--arm", "v2").code == 1


@pytest.fixture
def short_list(monkeypatch):
    """A proof of two dimensions and the suite's own."""
    kept = tuple(m for m in DIMENSIONS if m.name in ("pass_rate", "judge_score"))
    monkeypatch.setattr(dimensions, "DIMENSIONS", kept)
    monkeypatch.setattr(gate_proof, "SAMPLES", ())


def test_prove_walks_the_list_and_the_suites_own_dimensions(cli, saved, short_list):
    done = cli("gate", "--prove", "--json")
    assert (done.code, done.json["proven"], done.json["own_dimensions"]) == (0, True, ["files"])
    demands = [step["demand"] for step in done.json["steps"]]
    assert "files: a planted regression is caught (evidence)" in demands
    assert "1 own dimension among its dimensions" in cli("gate", "--prove", "--against", "main").out


def test_prove_needs_no_store(cli, short_list):
    assert cli("gate", "--prove").code == 0


def test_prove_fails_when_the_comparison_is_sabotaged(cli, short_list, monkeypatch):
    monkeypatch.setattr(gate_dimension, "_point_gain", lambda measure, a, b: 0.0)
    done = cli("gate", "--prove")
    assert done.code == 1
    assert "FAILED  pass_rate: a planted regression is caught (ratchet)" in done.out
    assert "do not trust it" in done.err


@pytest.mark.parametrize(
    "arguments",
    [["gate"], ["baseline", "save"], ["baseline", "drop", "x"], ["baseline", "show", "nope"]],
)
def test_mistakes_are_three_part_errors(cli, store, arguments):
    done = cli(*arguments)
    assert done.code == 2
    assert "Fix:" in done.err


def test_the_manifest_keeps_own_dimensions_and_pass_policies(cli, suite, tmp_path):
    (suite / "suite.toml").write_text(
        '[defaults]\npass_policy = "any"\n[[dimensions]]\nname = "files"\n'
        'column = "files_changed"\ndirection = "lower"\n'
    )
    done = cli(
        "run", suite, "--agent", "scripted:reference", "--no-sandbox", "--run-id", "r", "--json"
    )
    assert done.code == 0, done.err
    manifest = read_manifest(tmp_path / ".agenteval/store/runs/r/run.json")
    assert manifest.dimensions == [OWN]
    assert {task.pass_policy for task in manifest.tasks} == {"any"}
    assert cli("baseline", "save", "main").code == 0
    assert json.loads((tmp_path / "baselines/main.json").read_text())["dimensions"]
    assert cli("gate", "--against", "main", "--mode", "ratchet").code == 0
