"""Parts of a run: put together whole, once, and never two outcomes of one trial; changed files."""

from pathlib import Path

import pytest

from agenteval.agents import make_arm
from agenteval.engine import (
    Settings,
    Shard,
    changed_since,
    covering,
    make_plan,
    merge_runs,
    regrade_run,
    run_plan,
)
from agenteval.errors import InvalidInput, RecordError
from agenteval.records import StoreFolder, read_journal, read_manifest
from agenteval.store import open_store, seal

FIX = "command:echo fixed > app.txt"
NOOP = "command:true"


class Parts:
    """One run in several stores."""

    def __init__(self, bench) -> None:
        self.bench = bench
        for name in ("a", "b"):
            bench.task(name)

    def plan(self, *agents: str, run_id: str = "r1"):
        suite = self.bench.loaded()
        arms = [make_arm(agent) for agent in agents or (FIX, NOOP)]
        return make_plan(run_id, suite.name, suite.tasks, arms, repeats=3)

    def store(self, name: str) -> Path:
        return self.bench.folder / name

    def run(self, name: str, shard: Shard | None, *agents: str) -> Path:
        settings = Settings(
            self.store(name),
            self.bench.sandbox,
            command="agenteval run s --run-id r1 --shard 1/2",
            shard=shard,
        )
        run_plan(self.plan(*agents), settings)
        return self.store(name)

    def held(self, store: Path):
        return read_journal(StoreFolder(store).run("r1").journal).blocks


@pytest.fixture
def parts(bench) -> Parts:
    return Parts(bench)


class TestMerged:
    def test_every_trial_of_all_parts_once_with_its_artifacts(self, parts):
        stores = [parts.run(f"p{i}", Shard(i, 2)) for i in (1, 2)]
        target = parts.store("whole")
        merged = merge_runs("r1", target, stores)
        assert (merged.taken, merged.known, merged.settled, merged.planned) == (12, 0, 12, 12)
        ids = [block.attempt.trial_id for block in parts.held(target)]
        assert sorted(ids) == sorted(spec.trial_id for spec in parts.plan().trials())
        by_trial = {
            block.attempt.trial_id: (store, block)
            for store in stores
            for block in parts.held(store)
        }
        for block in parts.held(target):
            store, original = by_trial[block.attempt.trial_id]
            assert block == original
            assert files(store, block) == files(target, block)
            assert files(target, block)
        manifest = read_manifest(StoreFolder(target).run("r1").manifest)
        assert manifest.run.command == "agenteval run s --run-id r1"
        seal(target, ["r1"])
        trials = open_store(target).trials(run="r1")
        assert trials.groupby("arm")["passed"].agg(["sum", "count"]).to_numpy().tolist() == [
            [6, 6],
            [0, 6],
        ]

    def test_again_takes_over_only_what_is_new(self, parts):
        first, second = (parts.run(f"p{i}", Shard(i, 2)) for i in (1, 2))
        target = parts.store("whole")
        assert merge_runs("r1", target, [first]).settled == 6
        merged = merge_runs("r1", target, [first, second])
        assert (merged.taken, merged.known, merged.settled) == (6, 6, 12)
        assert len(parts.held(target)) == 12

    def test_a_part_that_was_regraded_after_the_merge_brings_its_new_gradings(self, parts):
        first, second = (parts.run(f"p{i}", Shard(i, 2)) for i in (1, 2))
        target = parts.store("whole")
        merge_runs("r1", target, [first, second])
        around = {"sandbox": parts.bench.sandbox, "suite": parts.bench.suite, "tasks": "a"}
        regrade_run(StoreFolder(first).run("r1"), **around)
        new = [b.attempt.trial_id for b in parts.held(first) if b.attempt.grading == 2]
        merged = merge_runs("r1", target, [first, second])
        assert (merged.taken, merged.known, merged.settled) == (len(new), 12, 12)
        assert {b.attempt.trial_id for b in parts.held(target) if b.attempt.grading == 2} == {*new}
        # two gradings of the same number are two opinions
        regrade_run(StoreFolder(first).run("r1"), **around)
        regrade_run(StoreFolder(target).run("r1"), **around)
        with pytest.raises(InvalidInput, match="one record in .* and another in"):
            merge_runs("r1", target, [first, second])

    def test_a_merged_run_can_be_resumed(self, parts):
        target = parts.store("whole")
        merge_runs("r1", target, [parts.run("p1", Shard(1, 2))])
        done = run_plan(parts.plan(), Settings(target, parts.bench.sandbox))
        assert (done.held_before, len(done.attempts)) == (6, 6)

    def test_a_trial_with_two_outcomes_is_refused_and_nothing_is_written(self, parts):
        stores = [parts.run(name, Shard(1, 2)) for name in ("p1", "again")]
        with pytest.raises(InvalidInput, match="one record in .* and another in"):
            merge_runs("r1", parts.store("whole"), stores)
        assert parts.held(parts.store("whole")) == []

    def test_parts_of_another_plan_are_refused(self, parts):
        stores = [parts.run("p1", Shard(1, 2)), parts.run("p2", Shard(2, 2), FIX)]
        with pytest.raises(InvalidInput, match="planned otherwise"):
            merge_runs("r1", parts.store("whole"), stores)
        assert not parts.store("whole").exists()

    def test_a_store_without_the_run_is_named(self, parts):
        with pytest.raises(InvalidInput, match="no run r1") as refused:
            merge_runs("r1", parts.store("whole"), [parts.store("nothing")])
        assert "nothing" in refused.value.where

    def test_a_damaged_part_is_refused(self, parts):
        store = parts.run("p1", Shard(1, 2))
        journal = StoreFolder(store).run("r1").journal
        lines = journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join([*lines[:2], b"{}\n", *lines[2:]]))
        with pytest.raises(RecordError, match="cannot be read") as refused:
            merge_runs("r1", parts.store("whole"), [store])
        assert refused.value.where == f"{journal}:3"


def files(store: Path, block) -> dict[str, bytes]:
    folder = StoreFolder(store).run("r1").attempt(block.attempt.trial_id, block.attempt.attempt)
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


class TestChangedSince:
    @pytest.fixture
    def project(self, tmp_path, run_git) -> Path:
        folder = tmp_path / "project"
        (folder / "src/api").mkdir(parents=True)
        for name in ("src/api/a.py", "src/b.py", "docs.md"):
            (folder / name).write_text("1\n")
        (folder / ".gitignore").write_text("*.log\n")
        run_git(folder, "init", "-q")
        run_git(folder, "add", "-A")
        run_git(folder, "commit", "-q", "-m", "one")
        return folder

    def test_committed_changed_and_new_files_but_no_ignored_ones(self, project, run_git):
        (project / "src/b.py").write_text("2\n")
        run_git(project, "commit", "-q", "-a", "-m", "two")
        (project / "docs.md").unlink()
        (project / "src/new ü\n.py").write_text("3\n")
        (project / "x.log").write_text("3\n")
        assert changed_since("HEAD~1", project / "src") == ["docs.md", "src/b.py", "src/new ü\n.py"]
        assert changed_since("HEAD", project) == ["docs.md", "src/new ü\n.py"]

    def test_tasks_that_cover_a_changed_file(self, bench):
        tasks = [
            bench.task("api", keys='covers = ["src/api/**"]'),
            bench.task("all", keys='covers = ["src/", "*.md"]'),
            bench.task("none"),
        ]

        def chosen(*paths: str) -> list[str]:
            return [task.id for task in covering(tasks, paths)]

        assert chosen("src/api/a.py") == ["api", "all"]
        assert chosen("docs.md", "x.txt") == ["all"]
        assert chosen("x.txt") == []

    def test_no_repository_and_no_such_commit(self, project, tmp_path):
        with pytest.raises(InvalidInput, match="no commit 'nowhere'"):
            changed_since("nowhere", project)
        with pytest.raises(InvalidInput, match="no commit '--output=x'"):
            changed_since("--output=x", project)
        (tmp_path / "bare").mkdir()
        with pytest.raises(InvalidInput, match="no git repository"):
            changed_since("HEAD", tmp_path / "bare")

    def test_nothing_of_the_repository_is_executed(self, project, run_git, tmp_path):
        """Its configuration may name programs for diffs and for watching files."""
        for key in ("core.fsmonitor", "diff.external", "core.pager"):
            run_git(project, "config", key, f"touch {tmp_path}/ran")
        (project / "docs.md").write_text("2\n")
        assert changed_since("HEAD", project) == ["docs.md"]
        assert not (tmp_path / "ran").exists()
