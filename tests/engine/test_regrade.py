"""Stored patches graded again: today's checks, no agent, new records beside the old ones."""

import json
import signal

import pytest

from agenteval.agents import make_arm
from agenteval.engine import (
    JournalWriter,
    Refused,
    Settings,
    TrialResult,
    make_plan,
    manifest_of,
    regrade_run,
    remaining,
    run_plan,
)
from agenteval.errors import Infrastructure, InvalidInput, RunLocked
from agenteval.records import (
    MASKED,
    PATCH,
    StoreFolder,
    read_journal,
    read_manifest,
    read_standings,
)
from agenteval.sandbox import Plain

FIX, BREAK = "command:echo fixed > app.txt", "command:echo worse > app.txt"
LENIENT = 'run = "test -s app.txt"'
STRICT = 'run = "grep -q fixed app.txt"'
COUNTS_TRIES = """
[[checks]]
kind = "command"
name = "fixed"
run = "n=$(cat {counter}); echo $((n + 1)) > {counter}; test $((n % 2)) = 0"
"""


class Run:
    """A recorded run of a bench's suite, and what is graded again of it."""

    def __init__(self, bench) -> None:
        self.bench = bench
        self.folder = StoreFolder(bench.folder / "store").run("r1")

    def go(self, *agents: str, sandbox=None):
        loaded = self.bench.loaded()
        plan = make_plan("r1", loaded.name, loaded.tasks, [make_arm(agent) for agent in agents])
        store = self.folder.path.parent.parent
        settings = Settings(store, sandbox or self.bench.sandbox, suite_path=loaded.folder)
        run_plan(plan, settings)
        return plan

    def again(self, **options):
        return regrade_run(self.folder, sandbox=self.bench.sandbox, **options)

    def edit(self, old: str, new: str, task: str = "one", file: str = "task.toml") -> None:
        path = self.bench.suite / task / file
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    @property
    def journal(self):
        return read_journal(self.folder.journal)

    def rows(self):
        return {block.attempt.arm: block.attempt for block in self.journal.blocks}


@pytest.fixture
def run(bench) -> Run:
    bench.task()
    return Run(bench)


def outcome(row):
    return str(row.status), row.passed, row.ended_by, row.error_class


def test_unchanged_checks_change_nothing_but_the_number_of_the_grading(run):
    run.go(FIX, BREAK)
    before = run.rows()
    for grading in (2, 3):
        result = run.again(concurrency=2)
        assert (len(result.regraded), result.refused, result.notes) == (2, [], [])
        assert not any(each.changed or each.checks for each in result.regraded)
        after = run.rows()
        for arm, row in after.items():
            assert row.grading == grading
            same = before[arm].model_copy(update={"grading": grading, "grade_s": row.grade_s})
            assert row == same
    assert len(run.journal.superseded) == 4


def test_changed_checks_give_new_outcomes_beside_the_old_ones(run):
    plan = run.go(FIX, BREAK)
    run.edit(STRICT, LENIENT)
    result = run.again()
    (changed,) = [each for each in result.regraded if each.changed]
    assert changed.after.attempt.arm == BREAK
    assert changed.checks == {"fixed": ("failed", "passed")}
    assert outcome(run.rows()[BREAK]) == ("pass", True, "agent", None)
    assert run.rows()[BREAK].score == 1.0
    old = {b.attempt.arm: b for b in run.journal.superseded}
    assert (old[BREAK].attempt.status, old[BREAK].checks[0].passed) == ("fail", False)
    assert result.notes == ["one: how it is graded changed since the run"]
    now = run.bench.loaded().tasks[0].digest
    assert {row.task_digest for row in run.rows().values()} == {now}
    for block in run.journal.blocks:
        (check,) = block.checks
        assert (check.grading, block.attempt.grading) == (2, 2)
        assert "/attempt-1/grading-2/checks/1.txt" in check.output
        assert (run.folder.path / check.output).is_file()
        assert (run.folder.attempt(check.trial_id, 1) / "checks/1.txt").is_file()
    assert remaining(plan, read_standings(run.folder.journal)) == []


def test_another_check_and_another_weight(run):
    run.go(BREAK)
    run.edit(
        "[[checks]]", '[[checks]]\nkind = "command"\nname = "there"\nrun = "true"\nweight = 3\n[[checks]]'
    )  # fmt: skip
    (again,) = run.again().regraded
    assert again.checks == {"there": (None, "passed")}
    assert (again.changed, again.after.attempt.score) == (False, 0.75)
    assert [check.name for check in again.after.checks] == ["there", "fixed"]


def test_costs_times_and_what_the_agent_did_stay(run):
    run.bench.task(solution={"app.txt": "fixed\n"})
    run.go("scripted:chance:1")
    run.edit(STRICT, LENIENT)
    (again,) = run.again().regraded
    fields = set(type(again.after.attempt).model_fields) - {"grading", "task_digest", "grade_s"}
    for name in fields:
        assert getattr(again.after.attempt, name) == getattr(again.before.attempt, name), name
    assert again.after.attempt.cost_usd > 0


def test_a_stopped_agent_stays_stopped(run):
    run.go("command:exit 3", BREAK)
    run.edit(STRICT, 'run = "grep -q nothing app.txt"')
    run.again()
    row = run.rows()["command:exit 3"]
    assert outcome(row) == ("error", False, "crash", "crash")
    run.edit('run = "grep -q nothing app.txt"', LENIENT)
    run.again()
    assert outcome(run.rows()["command:exit 3"]) == ("pass", True, "crash", None)
    run.edit(LENIENT, STRICT)
    run.again()
    row = run.rows()["command:exit 3"]
    assert outcome(row) == ("error", False, "crash", "crash")
    assert row.error_message == "the agent ended with exit code 3"


class _GivesOut(Plain):
    def run(self, box, argv, **options):
        if "/grading/" in str(box.workspace):
            raise Infrastructure("The machine gave out", "grading", "mend it", "grading_failed")
        return super().run(box, argv, **options)


def test_work_whose_grading_failed_in_the_machinery_gets_its_outcome(run):
    run.go(FIX, "command:echo worse > app.txt; exit 4", sandbox=_GivesOut())
    for row in run.rows().values():
        assert (row.error_class, row.passed, row.grading) == ("grading_failed", None, 1)
    result = run.again()
    assert all(each.changed for each in result.regraded)
    (fixed, crashed) = run.rows()[FIX], run.rows()["command:echo worse > app.txt; exit 4"]
    assert outcome(fixed) == ("pass", True, "agent", None)
    assert outcome(crashed) == ("error", False, "crash", "crash")
    assert fixed.error_message is None


def test_what_was_never_graded_or_cannot_be_is_named_and_keeps_its_outcome(run):
    bench = run.bench
    bench.task("needs", keys='requires = ["no-such-program"]')
    bench.task("setup", keys='setup = ["exit 5"]')
    run.go(FIX)
    before = run.journal
    (trial,) = [b.attempt for b in before.blocks if b.attempt.task_id == "one"]
    patch = run.folder.attempt(trial.trial_id, 1) / PATCH
    told = {r.attempt.task_id: (r.reason, r.lost) for r in run.again().refused}
    assert told == {
        "needs": ("it was not carried out: requires_missing", False),
        "setup": ("it has no work: setup_failed", False),
    }
    kept = patch.read_bytes()
    marker = patch.with_name(MASKED)
    spoiled = (
        (patch.unlink, "its patch is not among its artifacts"),
        (lambda: patch.symlink_to("/etc/passwd"), "its patch is not among its artifacts"),
        (lambda: patch.write_bytes(kept.replace(b"-broken", b"-other")), "does not apply"),
        (lambda: marker.write_text(json.dumps([PATCH])), "its patch.diff held a secret"),
        (
            lambda: marker.write_text('["patch'),
            "masked.json, which names what was masked, is damaged",
        ),
        (lambda: marker.write_text("3"), "masked.json, which names what was masked, is damaged"),
    )
    for spoil, reason in spoiled:
        spoil()
        size = run.folder.journal.stat().st_size
        (refused,) = run.again(tasks="one").refused
        assert reason in refused.reason
        assert refused.lost
        assert run.folder.journal.stat().st_size == size
        if reason != "its patch is not among its artifacts" or patch.is_symlink():
            patch.unlink()
            patch.write_bytes(kept)


def test_a_changed_start_says_so_and_is_a_version_of_its_own(run):
    run.go(FIX)
    old = run.rows()[FIX].task_digest
    (run.bench.suite / "one/repo/more.txt").write_text("new\n")
    result = run.again()
    assert "more than its grading changed" in result.notes[0]
    now = run.bench.loaded().tasks[0].digest
    mixed = run.rows()[FIX].task_digest
    assert len({old, now, mixed}) == 3
    run.again()
    assert run.rows()[FIX].task_digest == mixed
    (run.bench.suite / "one/repo/app.txt").write_text("quite different\n")
    result = run.again()
    assert [r.lost for r in result.refused] == [True]
    assert "does not apply" in result.refused[0].reason
    assert run.rows()[FIX].grading == 3


def test_setup_runs_again_and_its_changes_are_not_the_agents(bench):
    bench.task(
        keys='setup = ["echo made > made.txt"]',
        checks='[[checks]]\nkind = "command"\nname = "fixed"\nrun = "grep -q fixed app.txt && grep -q more made.txt"\n',
    )
    run = Run(bench)
    run.go("command:echo fixed > app.txt; echo more >> made.txt")
    assert [each.changed for each in run.again().regraded] == [False]
    assert next(iter(run.rows().values())).status == "pass"


@pytest.mark.parametrize("keys", ["", 'setup = ["echo made > made.txt"]'])
def test_a_large_start_which_is_mounted_where_that_works(bench, keys):
    many = {f"many/{number}.txt": f"{number}\n" for number in range(600)}
    bench.task(keys=keys, repo={"app.txt": "broken\n"} | many)
    run = Run(bench)
    run.go("command:echo fixed > app.txt; rm many/7.txt; echo x > many/8.txt")
    (again,) = run.again().regraded
    assert (again.before.attempt.files_changed, str(again.after.attempt.status)) == (3, "pass")
    assert not again.changed


def test_modes_links_binary_files_and_answers_come_back(bench):
    checks = """
[[checks]]
kind = "command"
run = "test -x tool.sh && test -L link && cmp data.bin other.bin"
[[checks]]
kind = "answer-contains"
text = "forty-two"
"""
    bench.task(checks=checks, repo={"app.txt": "x\n", "tool.sh": "#!/bin/sh\n"})
    run = Run(bench)
    run.go(
        "command:chmod +x tool.sh; ln -s /etc/passwd link; head -c 9000 /dev/zero > data.bin; cp data.bin other.bin; echo forty-two > $AGENTEVAL_ANSWER"
    )
    (again,) = run.again().regraded
    assert (again.before.attempt.status, again.after.attempt.status) == ("pass", "pass")


def test_tampering_is_sensed_again_and_what_only_the_workspace_showed_is_kept(run):
    agent = "command:echo fixed > app.txt; git config core.pager cat; echo x > test_a.py"
    run.bench.task(repo={"app.txt": "broken\n", "test_a.py": "y\n"})
    run.go(agent)
    assert run.rows()[agent].tampering == ["git_config_changed"]
    run.edit("[[checks]]", 'tests = ["test_*.py"]\nprotected = ["test_*.py"]\n[[checks]]')
    run.again()
    row = run.rows()[agent]
    assert row.tampering == ["tests_edited", "protected_edited", "git_config_changed"]
    assert row.protected_edits == 1


def test_only_the_tasks_asked_for(run):
    run.bench.task("two")
    run.go(FIX)
    result = run.again(tasks="two")
    assert [each.after.attempt.task_id for each in result.regraded] == ["two"]
    with pytest.raises(InvalidInput, match="No task matches"):
        run.again(tasks="three")


def test_the_suite_may_have_moved(run):
    run.go(FIX)
    moved = run.bench.suite.rename(run.bench.folder / "moved")
    with pytest.raises(InvalidInput, match="--suite"):
        run.again()
    assert len(run.again(suite=moved).regraded) == 1


def test_a_look_writes_nothing(run):
    run.go(BREAK)
    run.edit(STRICT, LENIENT)
    before = run.folder.journal.read_bytes()
    result = run.again(write=False)
    assert ([each.changed for each in result.regraded], result.written) == ([True], False)
    assert run.folder.journal.read_bytes() == before


class TestTimes:
    """A grader that disagrees with itself has no say."""

    def test_a_steady_grader_is_written_once(self, run):
        run.go(FIX)
        result = run.again(times=3)
        assert (len(result.regraded), result.unsteady) == (1, [])
        assert run.rows()[FIX].grading == 2
        assert len(run.journal.superseded) == 1

    def test_a_grader_that_counts_its_tries_is_found_out(self, plain_bench):
        counter = plain_bench.folder / "counter"
        counter.write_text("0")
        plain_bench.task(checks=COUNTS_TRIES.format(counter=counter))
        plain_bench.task("steady")
        run = Run(plain_bench)
        run.go(FIX)
        result = run.again(times=4)
        (unsteady,) = result.unsteady
        assert (unsteady.attempt.task_id, unsteady.check) == ("one", "fixed")
        assert unsteady.verdicts == {"passed": 2, "failed": 2}
        grading = {b.attempt.task_id: b.attempt.grading for b in run.journal.blocks}
        assert grading == {"one": 1, "steady": 2}
        assert [each.after.attempt.task_id for each in result.regraded] == ["steady"]

    @pytest.mark.parametrize("wrong", [{"times": 0}, {"concurrency": 0}])
    def test_none_is_refused(self, run, wrong):
        run.go(FIX)
        with pytest.raises(InvalidInput, match="at least 1"):
            run.again(**wrong)


def test_a_run_that_is_being_written_is_refused(run):
    run.go(FIX)
    with JournalWriter(run.folder), pytest.raises(RunLocked):
        run.again()
    assert len(run.again(write=False).regraded) == 1


def test_a_torn_regrading_leaves_the_old_one_and_is_repaired(run):
    run.go(BREAK)
    whole = run.folder.journal.read_bytes()
    run.edit(STRICT, LENIENT)
    run.again()
    after = run.folder.journal.read_bytes()
    for cut in (len(whole) + 1, len(whole) + 400, len(after) - 1):
        run.folder.journal.write_bytes(after[:cut])
        assert run.rows()[BREAK].status == "fail"
        result = run.again()
        assert "torn by a crash" in result.notes[0]
        assert (run.rows()[BREAK].status, run.rows()[BREAK].grading) == ("pass", 2)


def test_a_line_that_is_no_record_is_told(run):
    run.go(FIX, BREAK)
    *lines, last = run.folder.journal.read_bytes().splitlines(keepends=True)
    run.folder.journal.write_bytes(b"".join([*lines[:-2], b"no record\n", *lines[-1:], last]))
    result = run.again()
    assert len(result.regraded) == 1
    assert any(
        f"1 lines of the journal are not records (line {len(lines) - 1})" in n for n in result.notes
    )


def test_the_attempt_that_counts_is_graded_and_no_other(run):
    plan = run.go(FIX)
    (first,) = run.journal.blocks
    with JournalWriter(run.folder) as journal:
        row = first.attempt.model_copy(update={"attempt": 2})
        journal.append(TrialResult(row, (), {PATCH: b""}))
    (again,) = run.again().regraded
    assert (again.after.attempt.attempt, again.after.attempt.status) == (1, "pass")
    assert [b.attempt.attempt for b in run.journal.blocks] == [1, 2]
    assert remaining(plan, read_standings(run.folder.journal)) == []


def test_an_imported_run_has_no_patches(run):
    run.go(FIX)
    manifest = read_manifest(run.folder.manifest)
    source = manifest.run.model_copy(update={"source": "import:tau-bench"})
    manifest.model_copy(update={"run": source}).write(run.folder.manifest)
    with pytest.raises(InvalidInput, match="holds no patches"):
        run.again()


def test_a_run_planned_before_digests_of_what_is_given_were_recorded(run):
    run.go(FIX)
    manifest = read_manifest(run.folder.manifest)
    assert manifest.tasks[0].given_digest == run.bench.loaded().tasks[0].given_digest
    tasks = [task.model_copy(update={"given_digest": None}) for task in manifest.tasks]
    manifest.model_copy(update={"tasks": tasks}).write(run.folder.manifest)
    run.edit(STRICT, LENIENT)
    assert "or the run does not say" in run.again().notes[0]


def test_stopping_writes_nothing_half_done(run):
    for name in ("two", "three"):
        run.bench.task(name)
    run.go(FIX)
    seen = []

    def stop_after_one(done, total):
        seen.append((done, total))
        if done == 1:
            signal.raise_signal(signal.SIGINT)

    result = run.again(on_done=stop_after_one)
    assert result.interrupted
    assert seen == [(1, 3)]
    assert sorted(b.attempt.grading for b in run.journal.blocks) == [1, 1, 2]


def test_what_is_told_of_a_refusal(run):
    run.go(FIX)
    (block,) = run.journal.blocks
    told = Refused(block.attempt, "why", lost=True)
    assert (told.attempt.arm, told.reason) == (FIX, "why")


def test_a_manifest_names_what_the_agent_was_given(bench):
    task = bench.task()
    plan = make_plan("r1", "s", [task], [make_arm(FIX)])
    manifest = manifest_of(plan, sandbox="plain", concurrency=1, command=None, suite_path=None)
    assert manifest.tasks[0].given_digest == task.given_digest != task.digest
