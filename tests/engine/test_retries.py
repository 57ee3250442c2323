"""Failures of the machinery are tried again, outcomes that count never; arms that only fail are paused."""

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from agenteval.agents import make_arm
from agenteval.engine import Limits, Progress, Retries, Settings, Shard, make_plan, run_plan
from agenteval.engine.breaker import Breaker, fingerprint
from agenteval.engine.budget import busy_s
from agenteval.engine.retries import may_run_again, steadily
from agenteval.errors import Infrastructure, InvalidInput
from agenteval.records import StoreFolder, read_journal, read_manifest
from agenteval.store import open_store

CHECK = '[[checks]]\nkind = "command"\nrun = "grep -q fixed app.txt"\n'
FIX = "command:echo fixed > app.txt"
NOOP = "command:true"
CRASH = "command:echo no such key >&2; exit 3"
PAID = "scripted:chance:1"
QUICK = Retries(2, first_wait_s=0.01, longest_wait_s=0.01)


class Run:
    """Runs of one bench's suite in this process."""

    def __init__(self, bench) -> None:
        self.bench, self.store = bench, bench.folder / "store"
        self.notes: list[str] = []

    def go(self, *agents: str, repeats: int = 1, **settings):
        suite = self.bench.loaded()
        plan = make_plan(
            "r1", suite.name, suite.tasks, [make_arm(a) for a in agents], repeats=repeats
        )
        settings = {"retries": QUICK} | settings
        return run_plan(
            plan,
            Settings(self.store, self.bench.sandbox, **settings),
            Progress(note=self.notes.append),
        )

    @property
    def held(self):
        folder = StoreFolder(self.store).run("r1")
        return [block.attempt for block in read_journal(folder.journal).blocks]

    def flaky(self, name: str, fails: int) -> None:
        """A task whose setup fails so often, then works; setup sees a counter by a shown path."""
        counter = self.bench.folder / f"count-{name}"
        counter.mkdir()
        script = f"n=$(ls {counter} | wc -l); touch {counter}/$n; test $n -ge {fails}"
        self.bench.task(name, keys=f'setup = ["{script}"]')


@pytest.fixture
def run(plain_bench) -> Run:
    """Without isolation: the setup of a flaky task counts its runs outside of the workspace."""
    return Run(plain_bench)


class TestRetried:
    def test_a_setup_that_works_the_third_time(self, run):
        run.flaky("a", 2)
        result = run.go(FIX)
        assert [(r.attempt, str(r.status), r.error_class, r.passed) for r in run.held] == [
            (1, "error", "setup_failed", None),
            (2, "error", "setup_failed", None),
            (3, "pass", None, True),
        ]
        assert result.rounds == 1
        assert [note for note in run.notes if "again in" in note] == run.notes
        assert len(run.notes) == 2
        trials = open_store(run.store).trials(run="r1")
        assert trials[["status", "passed", "attempts"]].to_numpy().tolist() == [["pass", True, 3]]

    def test_no_more_than_asked_and_then_it_is_settled(self, run):
        run.flaky("a", 9)
        run.go(FIX, retries=Retries(1, first_wait_s=0.01))
        assert [row.attempt for row in run.held] == [1, 2]
        again = run.go(FIX, retries=Retries(1, first_wait_s=0.01))
        assert again.attempts == []

    def test_resume_has_the_retries_that_are_left(self, run):
        run.flaky("a", 9)
        run.go(FIX, retries=Retries(0))
        run.go(FIX)
        assert [row.attempt for row in run.held] == [1, 2, 3]

    def test_others_run_while_one_waits(self, run):
        run.flaky("a", 1)
        run.bench.task("b")
        run.go(FIX, retries=Retries(1, first_wait_s=0.01), repeats=3)
        assert Counter((row.task_id, str(row.status)) for row in run.held) == {
            ("a", "error"): 1,
            ("a", "pass"): 3,
            ("b", "pass"): 3,
        }
        assert [row.sequence for row in run.held] == list(range(1, 8))

    def test_an_environment_that_could_not_be_built_is_built_again(self, run):
        """Its failure is remembered for the trials beside it, but not for a retry."""
        tries = run.bench.folder / "tries"
        tries.mkdir()
        script = f"n=$(ls {tries} | wc -l); touch {tries}/$n; test $n -ge 1"
        run.bench.task("a", checks=CHECK + f'[environment]\nbuild = ["{script}"]\n')
        run.go(FIX)
        assert [(r.attempt, r.error_class) for r in run.held] == [
            (1, "environment_build_failed"),
            (2, None),
        ]

    def test_an_agent_that_breaks_its_workspace_gets_no_second_chance(self, run):
        run.bench.task()
        (row,) = run.go(NOOP).attempts
        broken = row.model_copy(
            update={"status": "error", "passed": None, "error_class": "workspace_failed"}
        )
        assert not may_run_again(broken)
        assert may_run_again(broken.model_copy(update={"agent_s": None}))

    def test_a_grading_that_fails_is_tried_again_without_the_agent(self):
        calls = []

        def grading() -> str:
            calls.append(1)
            if len(calls) < 3:
                raise Infrastructure("no space", error_class="grading_failed")
            return "graded"

        assert steadily(grading) == "graded"
        calls.clear()
        stopped = threading.Event()
        stopped.set()
        with pytest.raises(Infrastructure):
            steadily(grading, stopped)
        assert len(calls) == 1

    def test_an_outcome_that_counts_is_never_tried_again(self, run):
        run.bench.task()
        run.go(NOOP, CRASH)
        assert [row.attempt for row in run.held] == [1, 1]

    def test_negative_retries_are_refused(self):
        with pytest.raises(InvalidInput, match="-1 retries"):
            Retries(-1)

    def test_waits_grow_with_attempts_up_to_the_longest(self):
        retries = Retries(5, first_wait_s=4, longest_wait_s=10)
        assert all(0 <= retries.wait_s(1) <= 4 for _ in range(50))
        assert max(retries.wait_s(2) for _ in range(200)) > 4
        assert max(retries.wait_s(9) for _ in range(200)) <= 10


class TestAgain:
    """`agenteval retry`."""

    def test_only_what_is_named_and_with_new_retries(self, run):
        run.flaky("a", 5)
        run.bench.task("b")
        run.go(FIX, NOOP)
        before = len(run.held)
        assert {row.error_class for row in run.held if row.passed is None} == {"setup_failed"}
        lost = {
            row.trial_id
            for row in run.held
            if row.passed is None
            and not any(r.passed is not None for r in run.held if r.trial_id == row.trial_id)
        }
        assert lost
        run.go(FIX, NOOP, again=frozenset({"setup_failed"}))
        fresh = run.held[before:]
        assert {row.trial_id for row in fresh} == lost
        assert all(row.passed is not None for row in fresh)

    def test_classes_that_count_are_refused(self, run):
        run.bench.task()
        run.go(NOOP)
        for name in ("timeout", "crash", "check_timeout", "fail"):
            with pytest.raises(InvalidInput, match=r"raise its pass rate"):
                run.go(NOOP, again=frozenset({name}))
        assert len(run.held) == 1


class TestPaused:
    def test_the_same_failure_five_times_pauses_the_arm_and_not_the_others(self, run):
        run.bench.task()
        result = run.go(FIX, CRASH, repeats=8)
        assert Counter(row.arm for row in run.held) == {FIX: 8, CRASH: 5}
        assert list(result.paused) == [CRASH]
        assert "5 trials in a row ended with crash" in result.paused[CRASH]
        assert "no such key" in result.paused[CRASH]
        assert any("is paused" in note for note in run.notes)
        assert result.rounds == 5

    def test_resume_tries_the_arm_again(self, run):
        run.bench.task()
        run.go(CRASH, repeats=8)
        run.go(CRASH, repeats=8, pause_after=0)
        assert len(run.held) == 8

    def test_never_when_it_is_off(self, run):
        run.bench.task()
        assert run.go(CRASH, repeats=7, pause_after=0).paused == {}
        assert len(run.held) == 7

    def test_failures_of_work_never_pause(self, run):
        run.bench.task()
        worker = "command:echo other > app.txt; exit 1"
        assert run.go(NOOP, worker, repeats=7).paused == {}
        assert len(run.held) == 14

    def test_a_broken_setup_pauses_every_arm_and_the_rest_is_not_run(self, run):
        run.flaky("a", 10_000)
        result = run.go(FIX, NOOP, repeats=9, retries=Retries(0), pause_after=3)
        assert sorted(result.paused) == sorted([FIX, NOOP])
        assert Counter(row.arm for row in run.held) == {FIX: 3, NOOP: 3}

    def test_another_failure_begins_a_new_count(self, run):
        run.bench.task()
        (row,) = run.go(CRASH).attempts
        other = row.model_copy(update={"exit_code": 4})
        breaker = Breaker(2)
        assert [breaker.seen(r) is None for r in (row, other, row, other, other)] == [
            True,
            True,
            True,
            True,
            False,
        ]

    def test_numbers_and_paths_do_not_make_another_failure(self, run):
        run.bench.task()
        (row,) = run.go(CRASH).attempts
        a, b = (
            row.model_copy(update={"error_message": f"cannot open /tmp/x{n}/y after {n}.5 s"})
            for n in (1, 22)
        )
        assert fingerprint(a) == fingerprint(b)
        assert fingerprint(a.model_copy(update={"error_message": "quota used up"})) != fingerprint(
            b
        )
        assert fingerprint(a.model_copy(update={"files_changed": 1})) is None


class TestBudget:
    def test_a_share_that_cannot_pay_for_the_dearest_task_is_refused_up_front(self, run):
        run.bench.task("a", keys="max_cost_usd = 1.0")
        with pytest.raises(InvalidInput, match=r"\$0.5 each, and task a may cost \$1") as refused:
            run.go(FIX, NOOP, repeats=2, limits=Limits(cost_usd=2.0))
        assert "at least 4" in refused.value.fix
        assert run.held == []
        assert len(run.go(FIX, NOOP, repeats=2, limits=Limits(cost_usd=4.0)).attempts) == 4

    def test_spent_is_spent_and_the_rest_is_skipped_and_counted(self, run):
        """Trials that cost more than their share: the last ones are not started."""
        costs = self.costs(run)
        budget = sum(costs[:3])
        started = self.expected(costs, budget)
        result = run.go(PAID, repeats=3, limits=Limits(cost_usd=budget))
        ran = [row for row in run.held if row.passed is not None]
        skipped = [row for row in run.held if row.error_class == "budget_used_up"]
        assert (len(ran), len(skipped)) == (started, 9 - started)
        assert 3 <= started < 9
        assert result.short is not None
        assert f"${sum(costs[:started]):.2f} of ${budget:.2f} spent" in result.short
        assert result.rounds == started // 3
        manifest = read_manifest(StoreFolder(run.store).run("r1").manifest)
        assert manifest.budget == {"max_cost_usd": budget}
        trials = open_store(run.store).trials(run="r1")
        assert trials["error_class"].eq("budget_used_up").sum() == 9 - started
        # resuming without more money does nothing, and with more the rest
        assert run.go(PAID, repeats=3, limits=Limits(cost_usd=budget)).attempts == []
        assert run.go(PAID, repeats=3, limits=Limits(cost_usd=2 * sum(costs))).short is None
        assert len([row for row in run.held if row.passed is not None]) == 9

    def test_the_unused_part_is_given_back(self, run):
        """With two at a time, a limit of its own that only fits once still lets all nine run."""
        costs = self.costs(run)
        limit = max(costs)
        for name in ("a", "b", "c"):
            task = run.bench.suite / name / "task.toml"
            task.write_text(f"max_cost_usd = {limit}\n" + task.read_text())
        budget = 9 * limit
        result = run.go(PAID, repeats=3, limits=Limits(cost_usd=budget), concurrency=2)
        assert result.short is None
        assert len(run.held) == 9

    def costs(self, run) -> list[float]:
        """What nine trials of the paid agent cost, in order."""
        for name in ("a", "b", "c"):
            run.bench.task(name, solution={"app.txt": "fixed\n"})
        elsewhere = Run(run.bench)
        elsewhere.store = run.bench.folder / "elsewhere"
        return [row.cost_usd for row in elsewhere.go(PAID, repeats=3).attempts]

    def expected(self, costs: list[float], budget: float) -> int:
        spent, started = 0.0, 0
        while started < len(costs) and spent + budget / len(costs) <= budget * (1 + 1e-9):
            spent += costs[started]
            started += 1
        return started

    def test_an_unknown_cost_is_taken_to_be_the_whole_part(self, run):
        run.bench.task("a", keys="max_cost_usd = 0.5")
        result = run.go(FIX, repeats=4, limits=Limits(cost_usd=2.0))
        assert result.short is None
        assert len(run.held) == 4

    def test_minutes_that_do_not_hold_one_trial_are_refused(self, run):
        run.bench.task("a", keys="timeout_s = 120")
        with pytest.raises(InvalidInput, match="1 minutes do not hold one trial of task a"):
            run.go(FIX, limits=Limits(minutes=1))
        assert len(run.go(FIX, limits=Limits(minutes=2.1)).attempts) == 1

    def test_minutes_of_earlier_calls_count(self, run):
        run.bench.task("a", keys="timeout_s = 60")
        run.go(FIX, repeats=1)
        (row,) = run.held
        long_ago = row.model_copy(
            update={"started_at": datetime(2026, 1, 1, tzinfo=UTC), "duration_s": 50.0}
        )
        at_once = long_ago.model_copy(
            update={"started_at": long_ago.started_at + timedelta(seconds=20)}
        )
        later = long_ago.model_copy(update={"started_at": long_ago.started_at + timedelta(hours=1)})
        assert busy_s([long_ago, later, at_once]) == 120.0

    def test_a_trial_whose_limit_does_not_fit_into_what_is_left_is_not_started(self, run):
        run.bench.task("a", keys="timeout_s = 59.9")
        result = run.go("command:sleep 0.3", repeats=3, limits=Limits(minutes=1))
        assert result.short is not None
        assert "1 minutes allowed" in result.short
        assert Counter(row.error_class for row in run.held) == {None: 1, "budget_used_up": 2}

    @pytest.mark.parametrize(
        "limits", [{"cost_usd": 0}, {"minutes": -1}, {"cost_usd": float("nan")}]
    )
    def test_no_budget_at_all_is_refused(self, limits):
        with pytest.raises(InvalidInput, match="pays for nothing"):
            Limits(**limits)


class TestShards:
    def test_parts_are_disjoint_cover_the_plan_and_differ_by_one(self, run):
        for name in ("a", "b", "c"):
            run.bench.task(name)
        suite = run.bench.loaded()
        plan = make_plan("r1", suite.name, suite.tasks, [make_arm(FIX), make_arm(NOOP)], repeats=5)
        parts = [Shard(i, 4).of(plan, plan.trials()) for i in range(1, 5)]
        ids = [spec.trial_id for part in parts for spec in part]
        assert sorted(ids) == sorted(spec.trial_id for spec in plan.trials())
        assert [len(part) for part in parts] == [8, 8, 7, 7]
        assert [Shard(i, 4).size(plan.size) for i in range(1, 5)] == [8, 8, 7, 7]
        assert all({spec.repeat for spec in part} == {1, 2, 3, 4, 5} for part in parts)

    @pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3"])
    def test_what_is_no_part_is_refused(self, text):
        with pytest.raises(InvalidInput, match="no part of a plan"):
            Shard.parse(text)

    def test_a_part_runs_its_own_trials_only(self, run):
        run.bench.task()
        run.go(FIX, repeats=5, shard=Shard(2, 2))
        assert [row.repeat for row in run.held] == [2, 4]
