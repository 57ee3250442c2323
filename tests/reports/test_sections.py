"""The tables and sentences of a report, against the trials they are made of."""

import pandas as pd
import pytest

import agenteval as ae
from agenteval.reports import (
    Section,
    arm_changes,
    by_category,
    check_failures,
    contenders,
    effort,
    headline,
    left_out,
    limits_of,
    outcomes,
    powers,
    provenance,
    rates_by_task,
    task_changes,
)
from agenteval.reports.limits import tasks_for


@pytest.fixture
def trials(store):
    return store.trials(run="next")


@pytest.fixture
def before(store):
    return store.trials(run="base")


def column(section: Section, head: str) -> list[str]:
    return [row[section.heads.index(head)] for row in section.rows]


def test_outcomes_add_up_to_the_trials_that_were_given(trials):
    board = ae.scoreboard(trials)
    table = outcomes(board).table
    infrastructure = table["left_out"] - table["skipped"]
    counted = table["passes"] + table["fails"] + table["errors"] + table["skipped"] + infrastructure
    assert counted.sum() == len(trials)
    shown = outcomes(board)
    assert column(shown, "band")[0] == "–"
    assert "sandbox_failed 1, requires_missing 1" in " ".join(column(shown, "left out"))


def test_effort_shows_the_medians_and_hides_what_nobody_knows(trials):
    shown = effort(ae.scoreboard(trials))
    counted = trials[trials["passed"].notna() & (trials["arm"] == "scripted:reference")]
    row = next(row for row in shown.rows if row[0] == "scripted:reference")
    assert f"{counted['agent_s'].median():.1f} s" in row
    assert "metered" in row
    html = shown._repr_html_()
    assert "median tool calls" in html
    assert "input tokens" not in html


def test_effort_by_run_is_in_the_order_that_is_asked_for(store):
    trials = store.trials()
    board = ae.scoreboard(trials, by=["run_id", "arm"])
    for order in (["next", "base"], ["base", "next"]):
        rows = effort(board, runs=order).rows
        assert list(dict.fromkeys(row[0] for row in rows)) == order


def test_powers_have_one_column_a_k(trials):
    shown = powers(ae.comparison.reliability(trials))
    assert list(shown.heads) == ["arm", "pass^1", "pass^2", "pass^3", "tasks"]
    assert column(shown, "arm")[0] == "scripted:reference"
    assert column(shown, "pass^3")[0].startswith("100.0 %")


def test_what_was_left_out_is_named_with_a_trial_to_look_at(trials):
    shown = left_out(trials)
    assert shown.table["trials"].sum() == trials["passed"].isna().sum()
    assert set(shown.table["error_class"]) == {"sandbox_failed", "requires_missing"}
    assert set(shown.table["example"]) <= set(trials["trial_id"])
    assert "python3.13 is not on PATH" in column(shown, "what it said")
    whole = trials[trials["passed"].notna()]
    assert (
        left_out(whole)._repr_html_()
        == f"<p>Nothing was left out: all {len(whole)} trials count in the rates.</p>"
    )


def test_failing_checks_are_counted_over_the_arms_that_compete(trials, store):
    checks = store.checks(run="next")
    shown = check_failures(checks, trials)
    rivals = contenders(trials)
    failed = checks[checks["trial_id"].isin(rivals["trial_id"]) & (checks["passed"] == False)]  # noqa: E712
    assert shown.table["failed"].sum() == len(failed)
    assert shown.table["failed"].is_monotonic_decreasing
    assert "noop" not in " ".join(column(shown, "by arm"))
    assert "&lt;AssertionError&gt;" in shown._repr_html_()
    first = shown.table.iloc[0]
    assert first["example"] in failed["trial_id"].tolist()
    tasks = shown.table["task_id"].nunique()
    assert len(shown.rows) == tasks
    notes = check_failures(checks, trials, most=1).notes
    assert notes[0] == ("Not counted: the control arms `scripted:noop`, `scripted:reference`.")
    assert notes[1].startswith(f"Checks of {tasks - 1} more tasks failed")
    assert " × " in column(shown, "by arm")[0]
    assert "hidden tests (also no debug prints)" in column(shown, "check")
    assert "No check results" in str(check_failures(checks.head(0), trials))


def test_a_check_graded_again_counts_once_and_by_its_newest_grading(trials, store):
    checks = store.checks(run="next")
    again = checks.assign(grading=2, passed=True)
    assert str(check_failures(pd.concat([checks, again]), trials)) == "No check failed."


def test_what_a_check_said_is_the_line_that_tells(trials, store):
    checks = store.checks(run="next")
    said = "exit code 1, wanted 0\n# tests 4\nnot ok 3 - a late answer is dropped\n# fail 1\n# duration_ms 93"
    failing = checks["passed"] == False  # noqa: E712
    shown = check_failures(checks.assign(detail=checks["detail"].mask(failing, said)), trials)
    assert set(column(shown, "what it said")) == {"not ok 3 - a late answer is dropped"}
    plain = check_failures(checks.assign(detail="exit code 1, wanted 0\n# tests 4"), trials)
    assert set(column(plain, "what it said")) == {"exit code 1, wanted 0"}


def test_rates_by_task_name_how_many_are_not_shown(trials):
    shown = rates_by_task(trials)
    assert shown.heads[:2] == ["task", "scripted:reference"]
    assert column(shown, "scripted:reference") == ["100 %"] * 6
    assert column(shown, "task") == sorted(trials["task_id"].unique())
    assert shown.notes == ()
    assert len(rates_by_task(trials, most=2).rows) == 2
    assert rates_by_task(trials, most=2).notes[0].startswith("Not shown: 4 more tasks")


def test_categories_are_rows_and_arms_columns(trials):
    shown = by_category(trials)
    assert list(shown.heads[:3]) == ["category", "tasks", "scripted:reference"]
    assert column(shown, "category") == ["bugfix", "explain", "feature", "refactor"]
    assert column(shown, "tasks") == ["2", "1", "2", "1"]
    assert by_category(trials.assign(category=None)).heads[0] == "difficulty"
    assert "neither" in str(by_category(trials.assign(category=None, difficulty=None)))


def test_many_arms_make_a_long_table(trials):
    copies = [trials.assign(arm=f"a{i}", trial_id=trials["trial_id"] + str(i)) for i in range(6)]
    assert by_category(pd.concat(copies)).heads[1] == "arm"


def test_changes_name_every_arm_and_every_task_that_moved(trials, before):
    tasks = task_changes(trials, before)
    moved = dict(zip(column(tasks, "task"), column(tasks, "direction"), strict=True))
    assert moved["parse-dates"] == "regressed"
    assert moved["slow-index"] == "improved"
    assert len(arm_changes(trials, before).rows) == 4
    assert "No baseline run was named" in str(arm_changes(trials, None))
    assert task_changes(trials, None)._repr_html_() == ""
    pairs = len(ae.comparison.against(trials, trials).table)
    assert f"No task moved: all {pairs} pairs of task and arm are the same" in str(
        task_changes(trials, trials)
    )


def test_the_headline_ranks_the_arms_that_compete_and_checks_the_controls(trials):
    lead, *rest = headline(trials).sentences
    assert "`scripted:chance:0.75`" in lead
    assert "reference" not in lead
    assert any(sentence.startswith("The controls are as they should be") for sentence in rest)
    missing = int(trials["passed"].isna().sum())
    assert rest[-1] == (
        f"Run `next`, 2026-05-05: 4 arms, 6 tasks and {len(trials)} trials, {missing} of them left out of the rates."
    )


def test_the_headline_warns_when_a_control_fails(trials):
    broken = trials.copy()
    worked = (broken["arm"] == "scripted:noop") & (broken["task_id"] == "add-export")
    broken.loc[worked, ["status", "passed"]] = ["pass", True]
    assert "not as they should be" in str(headline(broken))


def test_the_headline_says_who_is_better_only_when_it_is_shown(trials):
    rivals = contenders(trials)
    strong = rivals["arm"] == "scripted:chance:0.75"
    clear = rivals.assign(
        passed=strong.astype("boolean"), status=["pass" if s else "fail" for s in strong]
    )
    assert "is better than" in headline(clear).sentences[0]
    few = clear[clear["task_id"].isin(["add-export", "fix-login"])]
    assert "too little to tell" in headline(few).sentences[0]
    same = clear.assign(passed=pd.array([True] * len(clear), dtype="boolean"), status="pass")
    assert "pass equally often" in headline(same).sentences[0]


def test_the_headline_of_one_arm_is_its_rate(trials):
    one = headline(trials[trials["arm"] == "scripted:reference"])
    assert one.sentences[0] == "`scripted:reference` passes 100 % of its trials, mean over tasks."


def test_nothing_that_counts_is_said_plainly(trials):
    nothing = trials.assign(
        passed=pd.array([None] * len(trials), dtype="boolean"), status="skipped"
    )
    assert "nothing can be said" in str(headline(nothing))
    assert "No trial counts" in str(headline(nothing))
    assert "all 36 were left out of the rates (skipped 32, " in str(headline(nothing))
    assert limits_of(nothing).sentences


def test_a_baseline_comes_first(trials, before):
    lead, counts, *_ = headline(trials, baseline=before).sentences
    assert lead.startswith("Since run `base` ")
    change = ae.comparison.against(trials, before)
    assert f"{len(change.regressed)} went down, {len(change.improved)} up" in counts


def test_the_limits_follow_the_data(trials, store):
    text = str(limits_of(trials, store.runs()))
    assert "Every arm is scripted" in text
    assert "there are 6 tasks" in text
    assert "left out of the rates" in text
    assert "up to 2 trials at once" in text
    assert "imported" not in text
    foreign = trials.assign(
        arm="codex",
        agent="codex",
        cost_source="reported",
        trial_id=trials["trial_id"],
        sandbox=None,
    )
    runs = store.runs().assign(source="import:tau-bench", sandbox="plain")
    text = str(limits_of(foreign.iloc[::4], runs))
    assert "imported from tau-bench" in text
    assert "without isolation" in text
    assert "what the agents reported" in text
    assert "scripted" not in text
    free = trials.assign(cost_usd=float("nan"), cost_source="unknown")
    assert "Cost is not known" in str(limits_of(free))


def test_what_the_trials_ran_in_is_said_where_it_is_not_the_default(trials, store):
    n = len(trials)
    quiet = str(limits_of(trials.assign(sandbox="bwrap"), store.runs()))
    assert "without isolation" not in quiet
    assert "container" not in quiet
    some = trials.assign(sandbox=["plain", "container", "container"] + ["bwrap"] * (n - 3))
    text = str(limits_of(some))
    assert f"1 of {n} trials ran without isolation (sandbox plain)" in text.replace("`", "")
    assert f"2 of {n} trials ran in a container" in text
    assert "Every trial ran in a container" in str(limits_of(trials.assign(sandbox="container")))
    assert "The agents ran without isolation" in str(limits_of(trials.assign(sandbox="plain")))


def test_trials_that_were_not_run_for_this_run_or_more_than_once_are_said(trials):
    n = len(trials)
    fresh = trials.assign(reused_from=None, attempts=1)
    assert "taken over" not in str(limits_of(fresh))
    assert "more than one attempt" not in str(limits_of(fresh))
    reused = fresh.assign(
        reused_from=["old", *[None] * (n - 1)], attempts=[1, 3, 2, *[1] * (n - 3)]
    )
    text = str(limits_of(reused)).replace("`", "")
    assert f"1 of {n} trials ({trials['arm'].iloc[0]}) were taken over from old" in text
    assert "2 trials took more than one attempt" in text
    assert "all_attempts_cost_usd" in text


def test_handed_over_is_not_used_and_the_report_says_in_how_many_trials_it_was(trials):
    assert " loaded " not in str(limits_of(trials))
    arm = trials["arm"].iloc[0]
    own = (trials["arm"] == arm).to_numpy()
    used = [1 if n % 2 else 0 for n in range(own.sum())]
    handed = trials.assign(variant=None, skills_loaded=pd.NA)
    handed.loc[own, "variant"] = "kit"
    handed.loc[own, "skills_loaded"] = used
    text = str(limits_of(handed)).replace("`", "")
    assert f"{arm} loaded {sum(used)} of {len(used)}" in text
    assert text.count(" loaded ") == 1


def test_holdout_trials_are_left_out_of_every_table_of_a_report_or_counted_as_a_look(
    tmp_path, made_store
):
    for name, splits in (("mixed", ("dev", "holdout")), ("held", ("holdout", "holdout"))):
        made_store.add_run(tmp_path / "store", name, dict(zip("ab", splits, strict=True)))
    store = ae.open_store(tmp_path / "store")
    mixed = ae.reports.trials_of(store, "mixed")
    assert mixed["task_id"].tolist() == ["a"]
    assert "Left out: 1 trial of 1 holdout task" in str(limits_of(mixed))
    assert len(store.looks()) == 0
    held = ae.reports.trials_of(store, "held")
    assert sorted(held["task_id"]) == ["a", "b"]
    assert len(store.looks()) == 1
    assert "Holdout viewed once" in str(limits_of(held))
    assert ae.scoreboard(held).table["tasks"].tolist() == [2]


def test_the_number_of_tasks_for_a_narrow_interval_is_the_smallest():
    low, high = (ae.stats.wilson_interval(0.7 * n, n) for n in (tasks_for(0.1) - 1, tasks_for(0.1)))
    assert low.high - low.low > 0.2 >= high.high - high.low


def test_provenance_names_what_it_takes_to_do_it_again(store):
    shown = provenance(store, ["next", "", "base"])
    facts = {row[0]: row[1:] for row in shown.rows}
    assert list(shown.heads) == ["", "next", "base"]
    assert facts["to run it again"] == [
        "agenteval run tasks --repeat 3",
        "agenteval run tasks --repeat 3",
    ]
    assert facts["tasks"][0] == facts["tasks"][1]
    assert str(store.path) in shown.notes[0]
    assert list(provenance(store, "base").heads) == ["", "base"]
    again = provenance(store, ["next", "base"], template="run_report").notes[1]
    assert f"`agenteval report run_report --run next --baseline base --store {store.path}`" in again


def test_a_section_is_text_too(trials):
    assert "scripted:reference" in str(outcomes(ae.scoreboard(trials)))
    assert "`" not in str(left_out(trials))
