"""What an agent starts from, and what it cannot see."""

import fcntl
import os
import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from agenteval.engine import Bases, validate
from agenteval.errors import Infrastructure
from agenteval.records import STDOUT

pytestmark = pytest.mark.usefixtures("either_way")


def said(result) -> str:
    assert result.attempt.ended_by == "agent", (result.attempt.error_message, result.artifacts)
    return result.artifacts[STDOUT].decode()


def test_one_commit_and_nothing_else_of_a_history(bench):
    out = said(
        bench.shell(
            bench.task(),
            "git log --all --format=%s%n%an; git remote; git reflog; git stash list; git tag; git status --porcelain; git fsck 2>/dev/null",
        )
    )
    assert out == "Start\nagenteval\n"


def test_git_works_for_the_agent(bench, diff):
    result = bench.shell(
        bench.task(),
        "echo fixed > app.txt; git add -A; git commit -qm done && git log --format=%an -1; git checkout -qb other; git diff HEAD~1 --stat | tail -1",
    )
    assert said(result).splitlines()[0] == "agent"
    assert "+fixed" in diff(result), "a committed change is a change"
    assert result.attempt.status == "pass"


@pytest.mark.parametrize(
    "deed",
    [
        "rm -rf .git",
        "rm -rf .git; git init -q; git add -A; git commit -qm x",
        "rm -rf .git; echo gone > .git",
        "git gc -q; git update-ref -d HEAD",
    ],
)
def test_what_becomes_of_the_repository_does_not_matter(bench, diff, deed):
    result = bench.shell(bench.task(), f"echo fixed > app.txt; {deed}")
    assert result.attempt.status == "pass"
    assert diff(result).count("diff --git") == 1
    assert ".git/" not in diff(result)


class TestUnseen:
    def test_hidden_files_solution_and_suite(self, isolated):
        task = isolated.task(
            hidden={"tests/secret_rule.sh": "exit 0"}, solution={"app.txt": "fixed\n"}
        )
        places = [
            str(path)
            for path in (
                isolated.suite,
                task.folder / "hidden/tests/secret_rule.sh",
                task.folder / "solution.patch",
                isolated.scratch,
            )
        ]
        look = "; ".join(f"test -e {place} && echo sees {place}" for place in places)
        out = said(
            isolated.shell(
                task,
                f"{look}; ls -A; ls -A ..; find / -name '*secret_rule*' -o -name solution.patch 2>/dev/null; true",
            )
        )
        assert "sees" not in out
        assert "secret_rule" not in out
        assert "solution.patch" not in out

    def test_the_suite_also_when_the_agents_own_files_contain_it(self, isolated):
        task = isolated.task(hidden={"secret.txt": "x"})
        (isolated.folder / "lib.sh").write_text("echo from lib")
        script = f"sh {isolated.folder}/lib.sh; cat {task.folder}/hidden/secret.txt || echo masked; ls {isolated.suite}"
        result = isolated.shell(task, script, files=(isolated.folder,))
        assert said(result) == "from lib\nmasked\n"

    def test_a_source_repository_with_the_answer_in_its_history(self, isolated, run_git):
        source = isolated.folder / "project"
        task = make_sourced(isolated, run_git, source)
        result = isolated.shell(
            task,
            f"ls {source} 2>/dev/null; git log --format=%s; cat app.txt",
            files=(isolated.folder,),
        )
        assert said(result) == "Start\nbroken\n"

    def test_other_trials(self, isolated):
        isolated.around.scratch.mkdir()
        (isolated.around.scratch / "trials/other").mkdir(parents=True)
        (isolated.around.scratch / "trials/other/answer").touch()
        out = said(
            isolated.shell(
                isolated.task(),
                "find / -name other -path '*trials*' 2>/dev/null; ls -A /tmp /home/agent",
                files=(isolated.folder,),
            )
        )
        assert "other" not in out

    def test_code_under_test_cannot_read_the_suite_either(self, isolated):
        task = isolated.task(
            checks='[[checks]]\nkind = "command"\nrun = "sh app.txt"\n', hidden={"rule.txt": "x"}
        )
        result = isolated.shell(
            task, f"echo 'test ! -e {task.folder}' > app.txt", files=(isolated.folder,)
        )
        assert result.attempt.status == "pass"


def make_sourced(bench, run_git, source: Path, *, bare: bool = False):
    """A task that starts from the first of two commits of a repository."""
    source.mkdir()
    (source / "app.txt").write_text("broken\n")
    (source / "link").symlink_to("app.txt")
    run_git(source, "init", "-q")
    run_git(source, "add", "-A")
    run_git(source, "commit", "-qm", "as it was")
    rev = run_git(source, "rev-parse", "HEAD").decode().strip()
    (source / "app.txt").write_text("fixed\n")
    run_git(source, "commit", "-qam", "the answer")
    if bare:
        run_git(source.parent, "clone", "-q", "--bare", str(source), "bare.git")
        shutil.rmtree(source)
        source = source.parent / "bare.git"
    return bench.task(keys=f'source = {{ git = "{source}", rev = "{rev}" }}', repo=None)


class TestSource:
    @pytest.mark.parametrize("bare", [False, True])
    def test_a_commit_of_a_local_repository(self, bench, run_git, bare):
        task = make_sourced(bench, run_git, bench.folder / "project", bare=bare)
        result = bench.shell(
            task, "cat app.txt; readlink link; git log --format=%s; echo fixed > app.txt"
        )
        assert said(result) == "broken\napp.txt\nStart\n"
        assert result.attempt.status == "pass"

    def test_a_worktree_of_one(self, bench, run_git):
        task = make_sourced(bench, run_git, bench.folder / "project")
        run_git(bench.folder / "project", "worktree", "add", "-q", str(bench.folder / "tree"))
        rev = task.task.source.rev
        task = bench.task(
            "two", keys=f'source = {{ git = "{bench.folder}/tree", rev = "{rev}" }}', repo=None
        )
        assert said(bench.shell(task, "cat app.txt")) == "broken\n"

    @pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
    def test_one_that_belongs_to_somebody_else(self, bench, run_git):
        task = make_sourced(bench, run_git, bench.folder / "project")
        for path in [bench.folder / "project", *(bench.folder / "project").rglob("*")]:
            os.lchown(path, 65534, 65534)
        assert said(bench.shell(task, "cat app.txt")) == "broken\n"

    def test_a_commit_that_is_not_there_is_infrastructure(self, bench, run_git):
        make_sourced(bench, run_git, bench.folder / "project")
        task = bench.task(
            "two",
            keys=f'source = {{ git = "{bench.folder}/project", rev = "{"0" * 40}" }}',
            repo=None,
        )
        row = bench.trial(task, "scripted:noop").attempt
        assert (row.status, row.passed, row.error_class) == ("error", None, "workspace_failed")
        assert "correct `rev`" in row.error_message


class TestSetup:
    def test_its_changes_are_not_the_agents(self, bench, diff):
        task = bench.task(
            keys='setup = ["echo made > made.txt; echo more >> app.txt; mkdir -p build && echo x > build/ignored.log"]',
            repo={"app.txt": "broken\n", ".gitignore": "*.log\n"},
        )
        nothing = bench.shell(task, "cat made.txt app.txt build/ignored.log")
        assert said(nothing) == "made\nbroken\nmore\nx\n"
        assert diff(nothing) == ""
        assert nothing.attempt.files_changed == 0
        edited = bench.shell(task, "echo fixed >> app.txt; rm made.txt")
        assert (edited.attempt.status, edited.attempt.files_changed) == ("pass", 2)
        assert "+more" not in diff(edited)

    def test_what_it_made_is_in_the_grading_copy(self, bench):
        checks = '[[checks]]\nkind = "command"\nrun = "test -e made.txt -a -d empty"\n'
        task = bench.task(keys='setup = ["touch made.txt; mkdir empty"]', checks=checks)
        assert bench.trial(task, "scripted:noop").attempt.status == "pass"

    def test_a_failing_one_is_infrastructure_and_the_agent_never_starts(self, bench):
        task = bench.task(keys='setup = ["true", "echo why >&2; exit 7", "touch never"]')
        seen = []
        bench.around = replace(bench.around, on_output=lambda *output: seen.append(output))
        row = bench.shell(task, "echo started; echo fixed > app.txt").attempt
        assert (row.status, row.passed, row.error_class, row.ended_by) == (
            "error",
            None,
            "setup_failed",
            "infrastructure",
        )
        assert "ended with 7: why" in row.error_message
        assert seen == []
        assert row.agent_s is None


class TestEnvironment:
    KEYS = '[environment]\nbuild = ["mkdir -p node_modules/dep && cp lock node_modules/dep/built && ln -s dep node_modules/link && echo $FLAVOUR >> node_modules/dep/built"]\nkey = ["lock"]\n'
    CHECKS = '[[checks]]\nkind = "command"\nrun = "grep -q v1 node_modules/link/built && grep -q fixed app.txt"\n'

    def make(self, bench, name="one", lock="v1\n", env='env = { FLAVOUR = "plain" }', build=None):
        keys = f"{env}\n{build or self.KEYS}"
        return bench.task(
            name,
            keys=keys,
            checks=self.CHECKS,
            repo={"app.txt": "broken\n", "lock": lock, ".gitignore": "node_modules/\n"},
            solution={"app.txt": "fixed\n"},
        )

    def built(self, bench) -> list[Path]:
        return [path for path in (bench.folder / "cache/environments").iterdir() if path.is_dir()]

    def test_it_is_in_the_workspace_and_in_the_grading_copy_and_no_change(self, bench, diff):
        result = bench.shell(self.make(bench), "cat node_modules/link/built; echo fixed > app.txt")
        assert said(result) == "v1\nplain\n"
        assert (result.attempt.status, result.attempt.files_changed) == ("pass", 1)

    def test_validate_has_it_too(self, bench):
        findings = validate((self.make(bench),), sandbox=bench.sandbox, repeat=1)
        assert {f.solution: (f.status, f.ok) for f in findings} == {
            "untouched": ("fail", True),
            "noop": ("fail", True),
            "reference": ("pass", True),
        }

    def test_it_is_built_once_a_digest_and_cached_for_the_next_engine(self, bench):
        task = self.make(bench)
        bench.trial(task, "scripted:noop")
        (first,) = self.built(bench)
        before = (first / "node_modules/dep/built").stat()
        bench.around = type(bench.around)(
            bench.sandbox, Bases(bench.folder / "other/bases"), bench.folder / "other"
        )
        (bench.folder / "other").mkdir()
        assert bench.trial(task, "scripted:reference").attempt.status == "pass"
        assert self.built(bench) == [first]
        assert (first / "node_modules/dep/built").stat().st_mtime_ns == before.st_mtime_ns

    @pytest.mark.parametrize(
        "change",
        [
            {"lock": "v1 \n"},
            {"env": 'env = { FLAVOUR = "other" }'},
            {"build": KEYS.replace("echo $", "echo  $")},
        ],
    )
    def test_another_key_variable_or_command_is_another_build(self, bench, change):
        bench.trial(self.make(bench), "scripted:noop")
        bench.trial(self.make(bench, "two", **change), "scripted:noop")
        assert len(self.built(bench)) == 2

    def test_what_is_no_key_does_not_matter(self, bench):
        bench.trial(self.make(bench), "scripted:noop")
        (bench.suite / "one/repo/app.txt").write_text("broken again\n")
        bench.trial(bench.loaded().tasks[0], "scripted:noop")
        assert len(self.built(bench)) == 1

    def test_an_agent_cannot_spoil_it_for_the_next(self, bench):
        task = self.make(bench)
        bench.shell(task, "echo spoilt > node_modules/dep/built; rm -r node_modules")
        assert said(bench.shell(task, "cat node_modules/dep/built")) == "v1\nplain\n"

    def test_a_build_that_replaces_files_and_links(self, bench):
        build = '[environment]\nbuild = ["rm -f data link; ln -s app.txt data; mkdir link && echo in > link/file; echo new > app.txt"]\n'
        task = bench.task(
            keys=build,
            repo={"app.txt": "broken\n", "data": "x", "link": "y"},
            checks='[[checks]]\nkind = "command"\nrun = "true"\n',
        )
        assert (
            said(bench.shell(task, "readlink data; cat link/file app.txt")) == "app.txt\nin\nnew\n"
        )

    def test_a_failing_build_is_infrastructure_for_all_its_trials_and_paid_once(self, bench):
        task = self.make(
            bench,
            build='[environment]\nbuild = ["date +%N >&2; echo no registry >&2; exit 4"]\nkey = ["lock"]\n',
        )
        rows = [bench.trial(task, "scripted:reference").attempt for _ in range(2)]
        for row in rows:
            assert (row.status, row.passed, row.error_class) == (
                "error",
                None,
                "environment_build_failed",
            )
            assert "ended with 4" in row.error_message
            assert "no registry" in row.error_message
        assert rows[0].error_message == rows[1].error_message, "it was built twice"
        assert self.built(bench) == []

    def test_a_missing_key_is_infrastructure(self, bench):
        task = self.make(bench, build='[environment]\nbuild = ["true"]\nkey = ["gone.lock"]\n')
        row = bench.trial(task, "scripted:noop").attempt
        assert (row.error_class, row.passed) == ("environment_build_failed", None)
        assert "gone.lock" in row.error_message

    def test_leftovers_of_a_killed_build_are_replaced(self, bench):
        task = self.make(bench)
        bench.trial(task, "scripted:noop")
        (first,) = self.built(bench)
        first.rename(first.with_name(f"{first.name}.building"))
        bench.around = type(bench.around)(
            bench.sandbox, Bases(bench.folder / "other/bases"), bench.folder / "other"
        )
        (bench.folder / "other").mkdir()
        assert bench.trial(task, "scripted:reference").attempt.status == "pass"
        assert self.built(bench) == [first]

    def test_two_engines_that_want_it_at_once_build_it_once(self, bench):
        task = self.make(
            bench,
            build='[environment]\nbuild = ["sleep 0.3; date +%N > node_modules.id"]\nkey = ["lock"]\n',
        )
        seen = []

        def engine(name: str) -> None:
            (bench.folder / name).mkdir()
            base = Bases(bench.folder / name).get(task, bench.sandbox)
            seen.append((base.tree / "node_modules.id").read_text())

        threads = [threading.Thread(target=engine, args=(name,)) for name in ("first", "second")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(seen) == 2
        assert len(set(seen)) == 1

    def test_an_interrupt_is_heard_while_it_is_built(self, bench, alive, marker):
        cancel = threading.Event()
        bench.around = replace(bench.around, cancel=cancel)
        task = self.make(
            bench, build=f'[environment]\nbuild = ["sleep {marker}"]\nkey = ["lock"]\n'
        )

        def interrupt() -> None:
            while not alive():
                threading.Event().wait(0.02)
            cancel.set()

        threading.Thread(target=interrupt).start()
        row = bench.trial(task, "scripted:noop").attempt
        assert (row.status, row.error_class) == ("skipped", "cancelled")
        bench.around = replace(bench.around, cancel=None)
        (bench.suite / "one/task.toml").write_text(
            (bench.suite / "one/task.toml").read_text().replace(marker, "0")
        )
        again = bench.trial(bench.loaded().tasks[0], "scripted:noop").attempt
        assert again.error_class is None, "a build that was stopped is not a build that failed"

    def test_an_interrupt_is_heard_while_another_engine_builds(self, bench):
        task = self.make(bench)
        bench.trial(task, "scripted:noop")
        (lock,) = (bench.folder / "cache/environments").glob("*.lock")
        cancel = threading.Event()
        cancel.set()
        with lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            (bench.folder / "other").mkdir()
            with pytest.raises(Infrastructure, match="Stopped while another process"):
                Bases(bench.folder / "other").get(task, bench.sandbox, cancel)


class TestSkips:
    def test_a_program_that_is_not_there(self, bench):
        row = bench.trial(
            bench.task(keys='requires = ["sh", "no-such-program"]'), "scripted:reference"
        ).attempt
        assert (row.status, row.passed, row.error_class, row.ended_by) == (
            "skipped",
            None,
            "requires_missing",
            None,
        )
        assert row.error_message == "not on PATH: no-such-program"

    def test_a_task_that_says_so(self, bench):
        row = bench.trial(
            bench.task(keys='skip = "its server is gone"'), "scripted:reference"
        ).attempt
        assert (row.status, row.error_class, row.error_message) == (
            "skipped",
            "task_skipped",
            "its server is gone",
        )


def test_caches_of_tools_in_the_starting_folder_stay_out(bench):
    task = bench.task(
        repo={"app.txt": "broken\n", "pkg/__pycache__/a.pyc": b"\0", ".pytest_cache/x": "x"}
    )
    assert said(bench.shell(task, "find . -name .git -prune -o -type f -print")) == "./app.txt\n"
