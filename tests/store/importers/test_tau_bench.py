import json
from math import comb

import pytest

from agenteval.errors import ForeignFormatError
from agenteval.store import import_results, open_store


@pytest.fixture
def imported(tmp_path):
    def run(records, name="gpt-x-airline.json", **options):
        path = tmp_path / name
        path.write_text(records if isinstance(records, str) else json.dumps(records))
        return open_store(import_results(tmp_path / "store", "tau-bench", path, **options).store)

    return run


def test_a_reward_of_one_passes_and_less_fails(imported, tau_record):
    rewards = [1.0, 1, 0.9999995, 1.0000005, 0.0, 0.93, 0.99999]
    store = imported([tau_record(number, reward=reward) for number, reward in enumerate(rewards)])
    trials = store.trials().sort_values("task_id")
    assert trials["passed"].tolist() == [True] * 4 + [False] * 3
    assert trials["status"].tolist() == ["pass"] * 4 + ["fail"] * 3
    assert trials["score"].tolist() == [1.0, 1.0, 0.9999995, 1.0, 0.0, 0.93, 0.99999]
    checks = store.checks()
    assert checks["name"].unique().tolist() == ["reward"]
    assert len(checks) == 7


def test_turns_and_tool_calls_are_counted_and_the_rest_is_unknown(imported, tau_record):
    (trial,) = imported([tau_record(3, trial=2)]).trials().to_dict("records")
    assert (trial["task_id"], trial["repeat"], trial["turns"], trial["tool_calls"]) == (
        "3",
        3,
        2,
        2,
    )
    assert trial["cost_usd"] != trial["cost_usd"], (
        "user_cost is the simulated user's, not the agent's"
    )
    assert trial["cost_source"] == "unknown"


def test_an_exception_and_a_step_limit_count_as_zero_and_say_so(imported, tau_record):
    crashed = tau_record(0, reward=0.0, info={"error": "rate limit", "traceback": "..."}, traj=[])
    endless = tau_record(1, reward=0.0, info={"source": "user"})
    trials = imported([crashed, endless]).trials()
    columns = ["status", "passed", "ended_by", "error_class"]
    assert trials[columns].values.tolist() == [
        ["error", False, "crash", "crash"],
        ["error", False, "turn_limit", "turn_limit"],
    ]
    assert trials["error_message"].tolist()[0] == "rate limit"


@pytest.mark.parametrize(
    ("name", "suite", "agent", "model"),
    [
        ("gpt-4o-airline.json", "tau-bench-airline", "tau-bench", "gpt-4o"),
        ("sonnet-35-new-retail.json", "tau-bench-retail", "tau-bench", "sonnet-35-new"),
        (
            "tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_0715.json",
            "tau-bench",
            "tool-calling",
            "gpt-4o",
        ),
        ("results.json", "tau-bench", "tau-bench", None),
    ],
)
def test_names_come_from_the_file_where_it_tells(imported, tau_record, name, suite, agent, model):
    (arm,) = (
        imported([tau_record()], name).sql("select suite, agent, model from trials").values.tolist()
    )
    assert arm[:2] == [suite, agent]
    assert arm[2] == model or model is None


def test_prompts_and_digests_come_from_the_tasks(imported, tau_record):
    tasks = imported([tau_record(0), tau_record(0, 1), tau_record(1)]).tasks()
    assert tasks["prompt"].tolist() == ["You want refund 0", "You want refund 1"]
    assert tasks["task_digest"].nunique() == 2


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"reward": 1.1}, "reward"),
        ({"reward": -0.1}, "reward"),
        ({"reward": True}, "reward"),
        ({"reward": float("nan")}, "reward"),
        ({"trial": -1}, "trial"),
        ({"trial": 0.5}, "trial"),
        ({"traj": "none"}, "traj"),
        ({"traj": [1]}, "traj"),
        ({"task_id": None}, "task_id"),
        ({"task_id": ""}, "task_id"),
        ({"info": []}, None),
        ({"info": "x"}, r"\(record\)"),
    ],
)
def test_a_malformed_field_is_named(imported, tau_record, change, field):
    records = [tau_record(0), tau_record(1) | change]
    if field is None:
        assert len(imported(records).trials()) == 2
        return
    with pytest.raises(ForeignFormatError, match=f"record 2, field {field}"):
        imported(records)


@pytest.mark.parametrize("key", ["task_id", "reward", "trial", "traj"])
def test_a_missing_field_is_named(imported, tau_record, key):
    record = tau_record(1)
    del record[key]
    with pytest.raises(ForeignFormatError, match=f"record 2, field {key}"):
        imported([tau_record(0), record])


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1,", '{"results": []}', "\x00"])
def test_another_file_is_refused(imported, text):
    with pytest.raises(ForeignFormatError, match=r"field \(file\)"):
        imported(text)


def test_a_trial_twice_is_malformed(imported, tau_record):
    with pytest.raises(
        ForeignFormatError, match="record 3, field trial: repeats task 0, trial 0 of record 1"
    ):
        imported([tau_record(0), tau_record(1), tau_record(0)])


def pass_hat(store, k):
    """Mean over tasks of C(passes, k) / C(trials, k)."""
    counts = store.sql("select sum(passed::int) c, count(*) n from trials group by task_id")
    return sum(comb(int(c), k) / comb(int(n), k) for c, n in counts.values) / len(counts)


def test_the_published_airline_results_reproduce(published, tmp_path):
    path = published / "tau_bench" / "gpt-4o-airline.json"
    report = import_results(tmp_path / "store", "tau-bench", path)
    store = open_store(report.store)
    assert report.trials == 200
    assert [round(pass_hat(store, k), 3) for k in (1, 2, 3, 4)] == [0.420, 0.273, 0.220, 0.200]


def test_fractional_rewards_never_pass_and_a_note_says_so(published, tmp_path):
    path = published / "tau_bench" / "pr_grok-3-retail_fractional_reward.json"
    report = import_results(tmp_path / "store", "tau-bench", path)
    trials = open_store(report.store).trials()
    assert len(trials) == 115
    assert trials["passed"].sum() == 0
    assert trials["score"].between(0.01, 0.99).sum() == 78
    (note,) = report.notes
    assert "78 of 115" in note


def test_a_published_record_with_all_of_its_text(published, tmp_path):
    path = published / "formats" / "tau-bench" / "one_record_full.json"
    report = import_results(tmp_path / "store", "tau-bench", path)
    store = open_store(report.store)
    view = store.trial(store.trials()["trial_id"].iloc[0])
    assert view.prompt.startswith("You amelia_sanchez_4739")
    assert view.row["passed"]
