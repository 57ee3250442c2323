"""The SQL that turns attempts into trials, against the same rule in Python."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agenteval.records import is_held, is_infrastructure
from agenteval.store import open_store, seal

OUTCOMES = [
    ("pass", True, None),
    ("fail", False, None),
    ("error", False, "timeout"),
    ("error", None, "setup_failed"),
    ("skipped", None, "cancelled"),
    ("skipped", None, "requires_missing"),
    ("skipped", None, "quarantined"),
    ("skipped", None, None),
]
TRIES = st.lists(
    st.tuples(st.sampled_from(OUTCOMES), st.sampled_from([None, 0.0, 0.25, 0.5])),
    min_size=1,
    max_size=4,
)


def expected(tries):
    """Row number of the attempt that stands for the trial, number of tries, cost of all."""
    settles = [
        index
        for index, ((status, passed, error_class), _) in enumerate(tries)
        if not is_infrastructure(status, passed) and is_held(status, error_class)
    ]
    costs = [cost for _, cost in tries]
    total = None if None in costs else sum(costs)
    return (settles[0] if settles else len(tries) - 1), len(tries), total


def attempts_of(build, repeat, tries):
    for number, ((status, passed, error_class), cost) in enumerate(tries):
        yield build.attempt(
            repeat=repeat, attempt=number + 1, status=status, passed=passed,
            error_class=error_class, cost_usd=cost, exit_code=number,
        )  # fmt: skip


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    trials=st.lists(TRIES, min_size=1, max_size=12), interleaved=st.booleans(), sealed=st.booleans()
)
def test_the_rule_in_sql_is_the_rule_in_python(
    build, tmp_path_factory, trials, interleaved, sealed
):
    build.path = Path(tmp_path_factory.mktemp("rule")) / "store"
    run = build.run()
    rows = [
        row for repeat, tries in enumerate(trials, 1) for row in attempts_of(build, repeat, tries)
    ]
    if interleaved:
        rows.sort(key=lambda row: (row.attempt, row.repeat))
    build.write(run, *rows, checks=1)
    if sealed:
        seal(build.path)
    found = open_store(build.path).trials().sort_values("repeat")
    got = [
        (
            row.exit_code,
            row.attempts,
            None
            if row.all_attempts_cost_usd != row.all_attempts_cost_usd
            else row.all_attempts_cost_usd,
        )
        for row in found.itertuples()
    ]
    assert got == [expected(tries) for tries in trials]


def test_an_attempt_repeated_by_resume_supersedes_the_cancelled_one(build):
    run = build.run()
    cancelled = build.attempt(
        status="skipped", passed=None, error_class="cancelled", ended_by="cancelled"
    )
    build.write(run, cancelled, checks=0)
    build.write(run, build.attempt())
    store = open_store(build.path)
    (trial,) = store.trials().to_dict("records")
    assert (trial["status"], trial["attempts"]) == ("pass", 2)


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_attempts_count_by_their_number_not_by_their_line(build, order):
    run = build.run()
    by_number = {
        1: build.attempt(attempt=1),
        2: build.attempt(attempt=2, status="fail", passed=False),
    }
    build.write(run, *(by_number[number] for number in order))
    assert open_store(build.path).trials()["status"].tolist() == ["pass"]


def test_the_same_trial_id_in_two_runs_is_two_trials(build):
    for run_id in ("r1", "r2"):
        build.write(
            build.run(run_id), build.attempt(run_id).model_copy(update={"trial_id": "0" * 12})
        )
    assert open_store(build.path).trials()["run_id"].tolist() == ["r1", "r2"]
