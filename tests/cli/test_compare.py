"""`agenteval compare`, `plan` and `diff` on stores made for it: answers, exit codes, documents."""

import json
import shutil
from datetime import UTC, datetime, timedelta

import pytest

from agenteval.records import (
    Arm,
    ArmRow,
    AttemptRow,
    EventRow,
    RunManifest,
    RunRow,
    StoreFolder,
    encode_block,
    trial_id,
)

EPOCH = datetime(2025, 3, 1, tzinfo=UTC)
SOLID = {f"t{i:02d}": "PPP" for i in range(30)}
WORSE = {name: "FPF" if i % 2 else "PPP" for i, name in enumerate(SOLID)}


def write_run(path, run_id, arms, *, day=0, splits=None, cost=0.25):
    """Write a run of {arm: {task: letters}} as the engine does."""
    folder = StoreFolder(path)
    folder.create()
    run = folder.run(run_id)
    run.path.mkdir()
    made = {name: Arm(agent_spec="scripted:noop", variant=name) for name in arms}
    RunManifest(
        run=RunRow(
            run_id=run_id, suite="shop", created_at=EPOCH + timedelta(days=day), repeats=3,
            planned_trials=9,
        ),
        tasks=[],
        arms=[
            ArmRow(run_id=run_id, arm=name, arm_digest=arm.digest, agent="scripted", variant=name)
            for name, arm in made.items()
        ],
    ).write(run.manifest)  # fmt: skip
    lines = b""
    for name, tasks in arms.items():
        for task, letters in tasks.items():
            for repeat, letter in enumerate(letters, 1):
                passed = {"P": True, "F": False, "I": None}[letter]
                attempt = AttemptRow(
                    run_id=run_id,
                    trial_id=trial_id(run_id, "shop", task, made[name].digest, repeat),
                    suite="shop", task_id=task, task_digest=f"d-{task}", arm=name,
                    arm_digest=made[name].digest, agent="scripted", variant=name, repeat=repeat,
                    status={True: "pass", False: "fail", None: "error"}[passed],
                    error_class=None if passed is not None else "setup_failed",
                    passed=passed, score=None if passed is None else float(passed),
                    ended_by="agent", started_at=EPOCH, duration_s=2.0, cost_usd=cost,
                    split=(splits or {}).get(task, "dev"),
                    category="bugfix" if task < "t15" else "feature",
                )  # fmt: skip
                lines += encode_block(attempt, [])
    run.journal.write_bytes(lines)
    return run


@pytest.fixture
def store(tmp_path):
    path = tmp_path / ".agenteval/store"
    write_run(path, "old", {"base": SOLID})
    write_run(path, "new", {"base": SOLID, "v2": WORSE, "same": SOLID}, day=1)
    return path


def test_a_regression_is_exit_1_with_flips_and_parity(cli, store):
    done = cli("compare", "base", "v2")
    assert done.code == 1
    assert "Head to head" in done.out
    assert "Flips: 15 lost, 0 gained, 15 tasks the same" in done.out
    assert "Parity" in done.out
    assert "Gate at a margin of 5 points: regressed" in done.out
    assert "run new" in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "verdict"),
    [
        (["v2", "base"], 0, "improved"),
        (["base", "v2", "--min-effect", "0.9"], 0, "regressed"),
        (["base", "v2", "--min-effect", "0.9", "--mode", "strict"], 3, "regressed"),
        (["base", "same", "--margin", "0.2", "--mode", "strict"], 0, "equivalent"),
        (["base", "same", "--margin", "0.001", "--mode", "strict"], 3, "inconclusive"),
        (["base", "same", "--margin", "0.001"], 0, "inconclusive"),
    ],
)
def test_exit_codes_of_both_modes(cli, store, arguments, code, verdict):
    done = cli("compare", *arguments, "--json")
    assert done.code == code
    assert done.json["gate"]["verdict"] == verdict
    assert done.json["exit_code"] == code


def test_an_unfair_comparison_is_not_passed_in_strict_mode(cli, tmp_path):
    path = tmp_path / ".agenteval/store"
    lost = {name: "III" if i < 12 else "PPP" for i, name in enumerate(SOLID)}
    write_run(path, "r", {"base": SOLID, "v2": lost})
    loose = cli("compare", "base", "v2", "--margin", "0.3", "--json")
    assert (loose.code, loose.json["fair"]) == (0, False)
    assert cli("compare", "base", "v2", "--margin", "0.3", "--mode", "strict").code == 3


def test_one_json_document_and_nothing_else(cli, store):
    done = cli("compare", "base", "v2", "--json", "--slices", "category")
    document = json.loads(done.out)
    assert {"comparison", "flips", "parity", "slices", "gate", "verdict", "fair"} <= set(document)
    assert [row["slice"] for row in document["slices"]] == ["bugfix", "feature"]
    assert document["comparison"][0]["difference"] == pytest.approx(-1 / 3)


def test_markdown_and_a_page(cli, store, tmp_path):
    page = tmp_path / "out" / "compare.html"
    done = cli("compare", "base", "v2", "--markdown", "--html", page)
    assert "| baseline | candidate |" in done.out
    html = page.read_text()
    assert html.startswith("<!doctype html>")
    assert html.count("<svg") == 2
    assert "<script" not in html
    assert "http://" not in html.replace("http://www.w3.org", "")


def test_runs_and_arms_of_runs_can_be_the_sides(cli, store):
    done = cli("compare", "old", "new/v2", "--json")
    assert (done.code, done.json["by"]) == (1, "side")
    assert done.json["comparison"][0]["baseline"] == "old"
    assert cli("compare", "old/base", "new/base", "--json").json["gate"]["verdict"] != "regressed"
    several = cli("compare", "old", "new")
    assert several.code == 2
    assert "new/base" in several.err


def test_several_runs_are_pooled_and_a_column_can_name_the_sides(cli, store):
    pooled = cli("compare", "base", "v2", "--run", "old", "--run", "new", "--json").json
    assert pooled["comparison"][0]["trials_baseline"] == 180
    by = cli("compare", "base", "v2", "--by", "variant", "--run", "new", "--json").json
    assert by["by"] == "variant"
    assert by["comparison"][0]["trials_baseline"] == 90


def test_another_policy_changes_what_is_compared(cli, store):
    done = cli("compare", "base", "v2", "--policy", "any-repeat", "--json")
    assert done.json["policy"] == "any-repeat"
    assert done.json["comparison"][0]["difference"] == 0.0


def tau(path, rewards):
    rows = [
        {"task_id": task, "reward": reward, "trial": trial, "info": {}, "traj": []}
        for task, trials in enumerate(rewards)
        for trial, reward in enumerate(trials)
    ]
    path.write_text(json.dumps(rows))
    return path


def test_files_of_another_tool_need_no_store(cli, tmp_path):
    a = tau(tmp_path / "a.json", [[1.0, 1.0]] * 20)
    b = tau(tmp_path / "b.json", [[1.0, 1.0]] * 10 + [[0.0, 0.0]] * 10)
    for options in ([], ["--format", "tau-bench"]):
        done = cli("compare", a, b, "--json", *options)
        assert done.code == 1
        assert done.json["comparison"][0]["difference"] == -0.5
    assert not (tmp_path / ".agenteval").exists()


def test_an_arm_is_an_arm_also_beside_a_folder_of_its_name(cli, store, tmp_path):
    for name in ("base", "v2"):
        (tmp_path / name).mkdir()
    assert cli("compare", "base", "v2", "--json").json["by"] == "arm"
    a = tau(tmp_path / "a.json", [[1.0]] * 6)
    b = tau(tmp_path / "b.json", [[0.0]] * 6)
    assert cli("compare", a, b, "--json").json["by"] == "side"


def test_a_file_no_reader_knows_is_named(cli, tmp_path):
    (tmp_path / "x.json").write_text("[3]")
    done = cli("compare", tmp_path / "x.json", tau(tmp_path / "b.json", [[1.0]]))
    assert done.code == 2
    assert "x.json" in done.err
    assert "--format" in done.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["base", "nobody"], "nobody"),
        (["base", "base"], "both"),
        (["base", "v2", "--mode", "loose"], "--mode"),
        (["base", "v2", "--policy", "nice"], "errors-left-out"),
        (["base", "v2", "--margin", "5"], "share"),
        (["base", "v2", "--run", "nope"], "nope"),
        (["base", "v2", "--by", "color"], "color"),
    ],
)
def test_mistakes_are_exit_2_in_three_parts(cli, store, arguments, says):
    done = cli("compare", *arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert "Fix: " in done.err


def test_the_holdout_is_looked_at_only_when_asked_and_counted(cli, tmp_path):
    path = tmp_path / ".agenteval/store"
    splits = dict.fromkeys(list(SOLID)[:10], "holdout")
    write_run(path, "r", {"base": SOLID, "v2": WORSE}, splits=splits)
    plain = cli("compare", "base", "v2", "--json").json
    assert plain["comparison"][0]["tasks"] == 20
    assert "60 trials of 10 holdout tasks" in plain["notes"][0]
    assert not (path / "looks.jsonl").exists()
    first = cli("compare", "base", "v2", "--holdout", "--json").json
    assert first["comparison"][0]["tasks"] == 10
    second = cli("compare", "r/base", "r/v2", "--holdout", "--json").json
    assert second["comparison"][0]["tasks"] == 10
    assert "Holdout viewed" in second["notes"][0]
    assert len((path / "looks.jsonl").read_text().splitlines()) >= 2


def test_plan_from_the_store(cli, store):
    done = cli("plan", "--effect", "0.1", "--max-cost", "20", "--json")
    assert done.code == 0
    document = done.json
    assert document["assumptions"]["source"].startswith("from these trials: 30 tasks")
    assert [row["repeats"] for row in document["table"]] == [1, 2, 3, 5, 10]
    assert document["table"][0]["cost_usd"] == pytest.approx(0.25 * document["table"][0]["trials"])
    pair = cli("plan", "base", "v2", "--run", "new", "--effect", "0.1")
    assert "To show a difference of 10.0 points" in pair.out


def test_plan_without_a_store(cli):
    done = cli("plan", "--effect", "0.2", "--repeat", "1", "--repeat", "4", "--cost-per-trial", "1")
    assert done.code == 0
    assert "typical suite" in done.err
    assert "assumed" in done.out
    assert cli("plan", "--assume", "--effect", "2").code == 2


def test_diff_of_two_trials(cli, store):
    run = StoreFolder(store).run("new")
    ids = {}
    for name in ("base", "v2"):
        digest = Arm(agent_spec="scripted:noop", variant=name).digest
        ids[name] = trial_id("new", "shop", "t01", digest, 1)
        folder = run.attempt(ids[name], 1)
        folder.mkdir(parents=True)
        steps = ["ls", "pytest" if name == "base" else "rm -r tests", "git diff"]
        lines = [
            EventRow(
                run_id="new", trial_id=ids[name], seq=i, kind="tool_call", tool="bash", command=c
            ).model_dump_json()
            for i, c in enumerate(steps, 1)
        ]
        (folder / "events.jsonl").write_text("\n".join(lines) + "\n")
    done = cli("diff", ids["base"], ids["v2"])
    assert done.code == 0
    assert "They part after 1 same step" in done.out
    document = cli("diff", ids["base"], ids["v2"], "--json").json
    assert document["divergence"] == 1
    assert [row["change"] for row in document["steps"]] == ["same", "different", "same"]
    assert cli("diff", ids["base"], "zzzz").code == 2
    assert "rm -r tests" in cli("diff", ids["base"], ids["v2"], "--all").out


def test_run_until_decided(cli, tmp_path):
    for number in range(12):
        task = tmp_path / f"evals/t{number:02d}"
        (task / "repo").mkdir(parents=True)
        (task / "repo/app.txt").write_text("broken\n")
        (task / "task.toml").write_text(
            f'id = "t{number:02d}"\nprompt = "Mend."\n[[checks]]\nkind = "command"\nrun = "grep -q mended app.txt"\n'
        )
        (task / "solution.patch").write_text(
            "diff --git a/app.txt b/app.txt\n--- a/app.txt\n+++ b/app.txt\n@@ -1 +1 @@\n-broken\n+mended\n"
        )
    arguments = ["run", "evals", "--agent", "scripted:reference", "--agent", "scripted:noop"]
    arguments += ["--until", "scripted:reference better than scripted:noop", "--round-tasks", "5"]
    arguments += ["--no-sandbox", "--run-id", "seq"]
    done = cli(*arguments, "--json")
    assert done.code == 0
    assert done.json["answer"] == "yes"
    assert done.json["run_ids"] == ["seq.1", "seq.2"]
    assert done.json["saved_trials"] == 4
    again = cli(*arguments)
    assert "Yes: after 10 of 12 tasks" in again.out
    assert cli(*arguments[:-2], "--until", "a b c").code == 2
    assert "cannot settle" not in again.err
    for number in range(2, 12):
        shutil.rmtree(tmp_path / f"evals/t{number:02d}")
    few = cli(*arguments[:-1], "few")
    assert "warning: 2 tasks cannot settle whether scripted:reference better than" in few.err
    assert "it takes at least 10" in few.err
    assert "Undecided" in few.out
