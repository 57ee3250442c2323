"""One trial: who ended it, what it came to, and what is kept of it."""

import threading
from dataclasses import replace

import pytest

from agenteval.engine import run_trial
from agenteval.errors import Infrastructure
from agenteval.records import ANSWER, PATCH, PROMPT, STDERR, STDOUT
from agenteval.sandbox import Plain

TRUE = '[[checks]]\nkind = "command"\nrun = "true"\n'
ANSWERED = '[[checks]]\nkind = "answer-contains"\ntext = "forty-two"\n'
FIX = "echo fixed > app.txt; "


def outcome(result) -> tuple:
    row = result.attempt
    return row.status, row.passed, row.ended_by, row.error_class


@pytest.fixture(params=["isolated", "plain_bench"])
def either(request):
    """With and without isolation."""
    return request.getfixturevalue(request.param)


class TestOutcome:
    def test_pass(self, either):
        result = either.shell(either.task(), FIX)
        assert outcome(result) == ("pass", True, "agent", None)
        assert (result.attempt.score, result.attempt.exit_code, result.attempt.error_message) == (
            1.0,
            0,
            None,
        )
        assert result.attempt.sandbox == either.sandbox.name

    def test_fail(self, either):
        assert outcome(either.shell(either.task(), "true")) == ("fail", False, "agent", None)

    def test_a_crash_with_a_failing_check(self, either):
        result = either.shell(either.task(), "echo why >&2; exit 9")
        assert outcome(result) == ("error", False, "crash", "crash")
        assert (result.attempt.exit_code, result.attempt.score) == (9, 0.0)
        assert result.attempt.error_message == "the agent ended with exit code 9: why"

    def test_a_crash_after_the_work_was_done(self, either):
        assert outcome(either.shell(either.task(), FIX + "exit 9")) == ("pass", True, "crash", None)

    def test_an_agent_that_kills_itself(self, either):
        assert outcome(either.shell(either.task(), "kill -KILL $$")) == (
            "error",
            False,
            "crash",
            "crash",
        )

    def test_a_timeout_is_graded_and_fails(self, either):
        result = either.shell(either.task(keys="timeout_s = 0.4"), "sleep 600")
        assert outcome(result) == ("error", False, "timeout", "timeout")
        assert result.attempt.error_message.startswith("the agent was stopped by timeout after ")

    def test_a_timeout_after_the_work_was_done_passes(self, either):
        assert outcome(either.shell(either.task(keys="timeout_s = 1"), FIX + "sleep 600")) == (
            "pass",
            True,
            "timeout",
            None,
        )

    def test_no_progress(self, either):
        result = either.shell(
            either.task(keys="no_progress_s = 0.5\ntimeout_s = 60"), "echo hi; sleep 600"
        )
        assert outcome(result) == ("error", False, "no_progress", "no_progress")

    def test_too_much_output(self, either):
        result = either.shell(
            either.task(keys="max_output_bytes = 1000\ntimeout_s = 60"), FIX + "yes"
        )
        assert outcome(result) == ("pass", True, "output_limit", None)

    def test_a_check_that_times_out_counts_as_zero(self, either):
        check = '[[checks]]\nkind = "command"\nrun = "sh app.txt"\ntimeout_s = 0.4\n'
        result = either.shell(either.task(checks=check), "echo 'sleep 600' > app.txt")
        assert outcome(result) == ("error", False, "agent", "check_timeout")
        assert (result.checks[0].passed, result.checks[0].error_class, result.attempt.score) == (
            None,
            "check_timeout",
            0.0,
        )

    def test_the_score_is_the_weighted_mean(self, bench):
        checks = '[[checks]]\nkind = "command"\nname = "a"\nweight = 3\nrun = "true"\n[[checks]]\nkind = "command"\nname = "b"\nrun = "false"\n'
        result = bench.trial(bench.task(checks=checks), "scripted:noop")
        assert (outcome(result)[:2], result.attempt.score) == (("fail", False), 0.75)
        assert [(c.seq, c.name, c.passed, c.weight) for c in result.checks] == [
            (1, "a", True, 3.0),
            (2, "b", False, 1.0),
        ]

    def test_cancelled_while_the_agent_works(self, either):
        cancel = threading.Event()
        either.around = replace(either.around, cancel=cancel, on_output=lambda *_: cancel.set())
        result = either.shell(either.task(), FIX + "echo ready; sleep 600")
        assert outcome(result) == ("skipped", None, "cancelled", "cancelled")
        assert result.checks == ()
        assert result.attempt.score is None

    def test_cancelled_while_setting_up(self, bench):
        cancel = threading.Event()
        cancel.set()
        bench.around = replace(bench.around, cancel=cancel)
        assert outcome(bench.shell(bench.task(keys='setup = ["sleep 600"]'), FIX)) == (
            "skipped",
            None,
            "cancelled",
            "cancelled",
        )


class TestInfrastructure:
    """The machinery's failures are never a zero, and an agent cannot bring one about."""

    def test_a_sandbox_that_fails(self, isolated):
        program = isolated.folder / "agent.sh"
        program.touch()
        spec = isolated.spec(isolated.task(), "scripted:noop", files=(program,))
        program.unlink()
        result = run_trial(spec, isolated.around)
        assert outcome(result) == ("error", None, "infrastructure", "sandbox_failed")
        assert "agent.sh" in result.attempt.error_message

    @pytest.mark.parametrize(
        "deed",
        [
            'echo "bwrap: Can\'t mount" >&2; exit 1',
            "rm -rf ..data; mkdir -p a/b/c; rm -r a",
            "rm -rf ./* ./.g*",
            "mkdir -p $(seq -s/ 1 400)",
            "mkfifo app.txt.fifo; rm app.txt; mkfifo app.txt",
            "rm app.txt; mkdir app.txt",
            "rm app.txt; ln -s app.txt app.txt",
            "chmod 000 . app.txt",
            "rm -rf .git; mkfifo .git",
            "rm -rf .git/config; mkdir .git/config",
            'mkdir "$AGENTEVAL_ANSWER"',
            "printf '\\377' > \"$(printf 'x\\377')\"",
            "ln -s /proc/self/mem mem; ln -s / root",
            "head -c 3000000 /dev/urandom > noise",
            "rm -rf keep; ln -s ../.. keep",
            "rm -rf keep; touch keep",
        ],
    )
    def test_whatever_an_agent_does_counts(self, either, deed):
        task = either.task(repo={"app.txt": "broken\n", "keep/deep/er/file": "x"})
        result = either.shell(task, deed)
        assert result.attempt.passed is False, result.attempt.error_message
        assert result.attempt.error_class in (None, "crash")


class TestAnswer:
    def ask(self, bench, script: str):
        return bench.shell(bench.task(checks=ANSWERED), script)

    def test_from_the_file(self, either):
        result = self.ask(either, 'echo noise; echo "It is forty-two." > "$AGENTEVAL_ANSWER"')
        assert outcome(result)[:2] == ("pass", True)
        assert result.artifacts[ANSWER] == b"It is forty-two.\n"

    def test_from_the_end_of_stdout(self, either):
        assert outcome(self.ask(either, "echo It is forty-two."))[:2] == ("pass", True)

    @pytest.mark.parametrize(
        "how", ["mkfifo", "mkdir", "ln -s app.txt", "ln -s /etc/hostname", "ln -s /dev/zero"]
    )
    def test_what_is_no_file_is_no_answer(self, either, how):
        result = self.ask(either, f'{how} "$AGENTEVAL_ANSWER"')
        assert outcome(result)[:2] == ("fail", False)
        assert result.artifacts[ANSWER] == b""

    def test_a_link_to_a_secret_of_the_host_shows_nothing(self, either):
        secret = either.folder / "secret.txt"
        secret.write_text("forty-two")
        result = self.ask(either, f'ln -s {secret} "$AGENTEVAL_ANSWER"')
        assert outcome(result)[:2] == ("fail", False)

    def test_a_huge_one_is_cut(self, plain_bench):
        result = self.ask(plain_bench, 'truncate -s 100G "$AGENTEVAL_ANSWER"')
        assert len(result.artifacts[ANSWER]) == 4 << 20


class TestGradingCopy:
    def test_hidden_files_replace_whatever_is_there(self, bench):
        task = bench.task(
            checks='[[checks]]\nkind = "command"\nrun = "sh tests/deep/check.sh"\n',
            hidden={"tests/deep/check.sh": "grep -q fixed app.txt"},
        )
        for deed in (
            "mkdir -p tests/deep; echo exit 0 > tests/deep/check.sh",
            "echo x > tests",
            "mkdir -p tests/deep/check.sh/more",
        ):
            assert outcome(bench.shell(task, deed))[:2] == ("fail", False), deed
            assert outcome(bench.shell(task, FIX + deed))[:2] == ("pass", True), deed

    @pytest.mark.parametrize("link", ["tests", "tests/deep", "tests/deep/check.sh"])
    def test_hidden_files_are_never_laid_through_a_link(self, plain_bench, link):
        outside = plain_bench.folder / "outside"
        (outside / "deep").mkdir(parents=True)
        (outside / "check.sh").write_text("untouched")
        task = plain_bench.task(
            checks='[[checks]]\nkind = "command"\nrun = "sh tests/deep/check.sh"\n',
            hidden={"tests/deep/check.sh": "grep -q fixed app.txt"},
        )
        target = {
            "tests": outside,
            "tests/deep": outside,
            "tests/deep/check.sh": outside / "check.sh",
        }[link]
        assert outcome(
            plain_bench.shell(task, f"{FIX} mkdir -p $(dirname {link}); ln -s {target} {link}")
        )[:2] == ("pass", True)
        assert sorted(p.name for p in outside.rglob("*")) == ["check.sh", "deep"]
        assert (outside / "check.sh").read_text() == "untouched"

    def test_no_process_of_the_agent_is_left(self, isolated, alive, marker):
        result = isolated.shell(
            isolated.task(), f"{FIX} setsid sh -c 'trap \"\" TERM HUP; sleep {marker}' &"
        )
        assert outcome(result)[:3] == ("pass", True, "agent")
        assert alive() == []

    def test_home_and_tmp_of_the_agent_are_not_the_checks(self, isolated):
        check = (
            '[[checks]]\nkind = "command"\nrun = "test ! -e $HOME/.profile -a ! -e /tmp/planted"\n'
        )
        assert outcome(
            isolated.shell(
                isolated.task(checks=check), "echo exit 0 > $HOME/.profile; touch /tmp/planted"
            )
        )[:2] == ("pass", True)

    def test_the_tasks_variables_reach_setup_agent_and_checks(self, bench):
        keys = 'env = { WORD = "fixed" }\nsetup = ["echo $WORD > made.txt"]'
        check = (
            '[[checks]]\nkind = "command"\nrun = "test $(cat made.txt app.txt | sort -u) = $WORD"\n'
        )
        assert outcome(bench.shell(bench.task(keys=keys, checks=check), "echo $WORD > app.txt"))[
            :2
        ] == ("pass", True)


class TestRecord:
    def test_what_is_kept(self, bench):
        result = bench.shell(
            bench.task(), FIX + "echo out; echo err >&2; echo answer > $AGENTEVAL_ANSWER"
        )
        kept = result.artifacts
        assert (kept[PROMPT], kept[STDOUT], kept[STDERR], kept[ANSWER]) == (
            b"Fix it.",
            b"out\n",
            b"err\n",
            b"answer\n",
        )
        assert kept[PATCH].startswith(b"diff --git a/app.txt b/app.txt\n")
        assert kept["checks/1.txt"] == b""
        assert (
            result.checks[0].output == f"artifacts/{result.attempt.trial_id}/attempt-1/checks/1.txt"
        )

    def test_numbers_and_names(self, bench):
        row = bench.shell(bench.task(), FIX, sequence=7, concurrent_trials=2, attempt=3).attempt
        assert (row.files_changed, row.lines_added, row.lines_removed) == (1, 1, 1)
        assert (row.sequence, row.concurrent_trials, row.attempt) == (7, 2, 3)
        assert row.agent_version is None
        parts = (row.setup_s, row.agent_s, row.grade_s)
        assert all(part > 0 for part in parts)
        assert row.duration_s >= sum(parts)

    def test_what_nothing_measured_is_unknown_and_not_zero(self, bench):
        row = bench.shell(bench.task(), FIX).attempt
        for name in (
            "turns",
            "requests",
            "input_tokens",
            "output_tokens",
            "cost_usd",
            "model_s",
            "model_used",
        ):
            assert getattr(row, name) is None, name
        assert row.cost_source == "unknown"

    def test_the_scripted_agent_reports_and_its_events_are_kept(self, bench):
        task = bench.task(solution={"app.txt": "fixed\n"})
        result = bench.trial(task, "scripted:chance:1")
        assert outcome(result)[:2] == ("pass", True)
        assert result.attempt.cost_source == "reported"
        assert result.attempt.cost_usd == result.attempt.reported_cost_usd > 0
        assert b'"tool_kind":"shell"' in result.artifacts["events.jsonl"]

    def test_no_scratch_is_left_unless_kept(self, bench):
        bench.shell(bench.task(), "mkdir -p a/b; chmod 000 a/b a")
        assert list((bench.scratch / "trials").iterdir()) == []
        bench.around = replace(bench.around, keep=True)
        bench.shell(bench.task("two"), FIX)
        (kept,) = (bench.scratch / "trials").iterdir()
        assert (kept / "workspace/app.txt").read_text() == "fixed\n"


class _BreaksAtGrading(Plain):
    """A sandbox whose machine gives out once the agent is done."""

    def run(self, box, argv, **options):
        if "/grading/" in str(box.workspace):
            raise Infrastructure("The machine gave out", "grading", "mend it", "grading_failed")
        return super().run(box, argv, **options)


def test_a_fault_of_grading_keeps_what_the_agent_did(plain_bench):
    around = replace(plain_bench.around, sandbox=_BreaksAtGrading())
    spec = plain_bench.spec(plain_bench.task(), "command:echo fixed > app.txt; echo all done")
    result = run_trial(spec, around)
    assert outcome(result) == ("error", None, "agent", "grading_failed")
    assert b"+fixed" in result.artifacts[PATCH]
    assert result.artifacts[STDOUT] == b"all done\n"
    assert "The machine gave out" in result.attempt.error_message
    assert result.attempt.files_changed == 1
    assert result.checks == ()
