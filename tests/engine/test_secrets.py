"""Variables of the operator's that an agent is handed: nobody else gets them, nothing stored holds them."""

import base64
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agenteval.agents import make_arm
from agenteval.engine import (
    Settings,
    TrialResult,
    make_plan,
    masked_result,
    run_plan,
    secrets_of,
    variables_to_pass,
)
from agenteval.errors import InvalidInput
from agenteval.records import EVENTS, MASKED, PATCH, RunFolder, read_journal, read_manifest
from agenteval.suite import load_suite

VALUE = 'sk-top/secret+4711 "x"'
PASSES = '[[checks]]\nkind = "command"\nname = "fine"\nrun = "true"\n'
FORMS = (
    VALUE.encode(),
    json.dumps(VALUE)[1:-1].encode(),
    base64.b64encode(VALUE.encode()),
    VALUE.encode().hex().encode(),
)


def holding(bench, **passed):
    bench.around = replace(bench.around, passed=passed or {"API_KEY": VALUE})
    return bench


def everything(result: TrialResult) -> bytes:
    """All that would be stored of an attempt."""
    records = [result.attempt, *result.checks]
    parts = [record.model_dump_json().encode() for record in records]
    parts += [name.encode() + b"\n" + data for name, data in result.artifacts.items()]
    return b"\n".join(parts)


def agenteval(*arguments: str, cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess:
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, "-m", "agenteval", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path, **env},
        capture_output=True,
        text=True,
    )


class TestWhoGetsIt:
    def test_the_agent_and_neither_setup_nor_build_nor_checks(self, bench):
        task = bench.task(
            keys='setup = ["echo ${API_KEY:-none} > setup.txt"]\n'
            "[environment]\nbuild = ['echo ${API_KEY:-none} > built.txt']\n",
            checks='[[checks]]\nkind = "command"\nname = "unset"\n'
            "run = 'test -z \"$API_KEY\" && grep -qx none setup.txt && grep -qx none built.txt'\n",
        )
        result = holding(bench).shell(task, 'test -n "$API_KEY" && echo has it')
        assert result.attempt.status == "pass"
        assert result.artifacts["stdout.txt"] == b"has it\n"

    def test_it_overrides_the_tasks_own(self, bench):
        task = bench.task(keys='env = { MODE = "a" }', checks=PASSES)
        result = holding(bench, MODE="b").shell(task, "echo $MODE")
        assert result.artifacts["stdout.txt"] == b"b\n"

    def test_names_are_looked_up_in_the_operators_environment(self, monkeypatch):
        monkeypatch.setenv("API_KEY", VALUE)
        assert variables_to_pass(["API_KEY"]) == {"API_KEY": VALUE}

    @pytest.mark.parametrize(
        ("name", "what"),
        [
            ("NOT_SET_ANYWHERE", "NOT_SET_ANYWHERE is not set"),
            ("EMPTY_ONE", "EMPTY_ONE is empty"),
            ("HOME", "'HOME' cannot be handed"),
            ("AGENTEVAL_MODEL", "'AGENTEVAL_MODEL' cannot be handed"),
            ("KEY=sk-visible", "'KEY' cannot be handed"),
        ],
    )
    def test_what_cannot_be_passed(self, monkeypatch, name, what):
        monkeypatch.setenv("EMPTY_ONE", "")
        with pytest.raises(InvalidInput) as caught:
            variables_to_pass([name])
        assert what in caught.value.what
        assert caught.value.where == f"--pass-env {name.partition('=')[0]}"
        assert caught.value.fix
        assert "sk-visible" not in str(caught.value)

    def test_what_plainly_is_no_secret_is_not_masked(self, tmp_path):
        passed = {
            "LEVEL": "debug",
            "CA_FILE": str(tmp_path),
            "BASE": "http://127.0.0.1:8080/v1",
            "KEY": "abcdef",
            "PROXY": "http://user:word@proxy.example:3128",
        }
        assert set(secrets_of(passed)) == {"KEY", "PROXY"}


class TestNothingStored:
    def test_whatever_the_agent_does_with_it(self, bench):
        """Streams, answer, files of text, binary files, a file's name, and what a check prints."""
        task = bench.task(
            keys=f"protected = ['{VALUE[:3]}*']",
            checks='[[checks]]\nkind = "command"\nname = "prints"\nrun = "cat plain.txt; cat plain.txt >&2; false"\n',
        )
        script = """
echo "out $API_KEY"; printf %s "$API_KEY" | base64 -w0; echo "err $API_KEY" >&2
printf %s "$API_KEY" > "$AGENTEVAL_ANSWER"
printf 'a\\n%s\\nb\\n' "$API_KEY" > plain.txt
printf 'fixed %s\\n' "$API_KEY" > app.txt
printf 'x\\000%s\\n' "$API_KEY" > binary.bin
mkdir -p "$(dirname "$API_KEY")" && echo > "$API_KEY"
ln -s "$API_KEY" link
exit 3
"""
        result = holding(bench).shell(task, script)
        assert (result.attempt.ended_by, result.attempt.status) == ("crash", "error")
        stored = everything(result)
        assert [form for form in FORMS if form in stored] == []
        assert "[API_KEY]" in result.attempt.error_message
        assert "[API_KEY]" in result.checks[0].detail
        assert result.artifacts["answer.md"] == b"[API_KEY]"
        told = json.loads(result.artifacts[MASKED])
        assert {PATCH, "answer.md", "stdout.txt", "stderr.txt", "checks/1.txt"} <= set(told)

    def test_the_masked_patch_applies_and_gives_masked_files(self, bench, run_git, tmp_path):
        task = bench.task(repo={"app.txt": "1\n2\n3\n", "old.txt": "gone\n"})
        result = holding(bench).shell(
            task,
            'printf "1\\n%s\\n3\\n4\\n" "$API_KEY" > app.txt; printf "\\000%s" "$API_KEY" > b; rm old.txt',
        )
        copy = tmp_path / "copy"
        subprocess.run(["cp", "-r", task.repo, copy], check=True)
        run_git(copy, "init", "-q")
        run_git(copy, "apply", "-", stdin=result.artifacts[PATCH])
        assert (copy / "app.txt").read_text() == "1\n[API_KEY]\n3\n4\n"
        assert (copy / "b").read_bytes() == b"\0[API_KEY]"
        assert not (copy / "old.txt").exists()

    def test_grading_sees_what_the_agent_wrote(self, bench):
        checks = '[[checks]]\nkind = "file-contains"\npath = "app.txt"\ntext = "sk-top/secret"\n'
        result = holding(bench).shell(bench.task(checks=checks), 'echo "$API_KEY" > app.txt')
        assert result.attempt.status == "pass"

    def test_where_nothing_was_masked_nothing_is_said_to_be(self, bench):
        task = bench.task(checks=PASSES)
        clean = holding(bench).shell(task, "echo fine; echo fixed > app.txt")
        assert MASKED not in clean.artifacts
        bench.around = replace(bench.around, passed={})
        same = bench.shell(task, "echo fine; echo fixed > app.txt")
        assert clean.artifacts == same.artifacts

    def test_a_failing_setup_and_a_failing_build_are_masked_too(self, bench):
        """A value may stand in the task itself; then what its commands say holds it."""
        for keys in (
            f"setup = ['''echo {VALUE} >&2; false''']",
            f"[environment]\nbuild = ['''echo {VALUE} >&2; false''']",
        ):
            row = holding(bench).shell(bench.task(keys=keys), "true").attempt
            assert row.passed is None
            assert "[API_KEY]" in row.error_message
            assert VALUE not in row.model_dump_json()

    def test_a_number_as_a_secret_leaves_records_readable(self, bench):
        row = bench.shell(bench.task(checks=PASSES), "true").attempt
        event = {"run_id": "r123456", "trial_id": "t", "kind": "message", "duration_s": 0.123456}
        data = {
            EVENTS: json.dumps(event | {"text": 'the pin "123456"'}).encode() + b"\n",
            "checks/1.tests.json": b'{"test_123456": "passed"}\n',
        }
        row = row.model_copy(update={"duration_s": 123456.0, "stop_reason": "123456"})
        masked = masked_result(TrialResult(row, (), data), {"PIN_CODE": "123456"})
        line = json.loads(masked.artifacts[EVENTS])
        assert line == event | {"text": 'the pin "[PIN_CODE]"'}
        assert json.loads(masked.artifacts["checks/1.tests.json"]) == {"test_[PIN_CODE]": "passed"}
        assert (masked.attempt.duration_s, masked.attempt.stop_reason) == (123456.0, "[PIN_CODE]")

    def test_a_result_without_secrets_is_handed_through(self, bench):
        result = bench.shell(bench.task(checks=PASSES), "true")
        assert masked_result(result, {}) is result


class TestRun:
    @pytest.fixture
    def carry_out(self, bench, tmp_path):
        bench.task(checks=PASSES)
        suite = load_suite(bench.suite)

        def run(agent="command:true", **passed):
            plan = make_plan("r", suite.name, suite.tasks, [make_arm(agent)])
            command = f"agenteval run --agent '{agent}'"
            settings = Settings(tmp_path / "store", bench.sandbox, command=command, passed=passed)
            result = run_plan(plan, settings)
            return result, RunFolder(tmp_path / "store/runs/r")

        return run

    def test_manifest_and_journal_name_it_and_do_not_hold_it(self, carry_out, tmp_path):
        agent = f"command:echo '{VALUE}' $API_KEY"
        _, folder = carry_out(agent, API_KEY=VALUE, MODE="fast")
        manifest = read_manifest(folder.manifest)
        assert manifest.passed_variables == ["API_KEY", "MODE"]
        assert "[API_KEY]" in manifest.run.command
        assert "[API_KEY]" in manifest.arms[0].arm
        (block,) = read_journal(folder.journal).blocks
        assert block.attempt.arm == manifest.arms[0].arm
        assert block.attempt.arm_digest == make_arm(agent).digest
        for path in filter(Path.is_file, tmp_path.joinpath("store").rglob("*")):
            data = path.read_bytes()
            assert [form for form in FORMS if form in data] == [], path

    def test_resuming_needs_the_same_variables(self, carry_out):
        carry_out(API_KEY=VALUE)
        for passed, told in (({}, "--pass-env API_KEY"), ({"OTHER": "x"}, "--pass-env API_KEY")):
            with pytest.raises(InvalidInput, match="its agents had other variables") as caught:
                carry_out(**passed)
            assert told in caught.value.what
        again, _ = carry_out(API_KEY="sk-a-new-key-of-today")
        assert (again.held_before, again.attempts) == (1, [])

    def test_the_command_line(self, bench, tmp_path):
        bench.task(checks=PASSES)
        agent = "command:echo key $API_KEY; echo $API_KEY > app.txt"
        arguments = ["--agent", agent, "--pass-env", "API_KEY"]
        refused = agenteval("run", "suite", *arguments, cwd=tmp_path, env={"API_KEY": ""})
        assert refused.returncode == 2
        assert "Where: --pass-env API_KEY" in refused.stderr
        live = agenteval(
            "try", "one", "--suite", "suite", *arguments, cwd=tmp_path, env={"API_KEY": VALUE}
        )
        assert live.returncode == 0, live.stderr
        assert "key [API_KEY]\n" in live.stdout
        assert "+[API_KEY]" in live.stdout
        ran = agenteval("run", "suite", *arguments, cwd=tmp_path, env={"API_KEY": VALUE})
        assert ran.returncode == 0, ran.stderr
        said = live.stdout + live.stderr + ran.stdout + ran.stderr
        assert VALUE not in said
        for path in filter(Path.is_file, tmp_path.joinpath(".agenteval").rglob("*")):
            assert VALUE.encode() not in path.read_bytes(), path

    def test_what_is_not_masked_is_said(self, bench, tmp_path):
        bench.task(checks=PASSES)
        arguments = ["--agent", "command:true", "--pass-env", "LEVEL", "--dry-run"]
        done = agenteval("run", "suite", *arguments, cwd=tmp_path, env={"LEVEL": "debug"})
        assert "LEVEL will not be masked" in done.stderr
