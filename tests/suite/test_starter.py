import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from agenteval.errors import InvalidInput
from agenteval.suite import detect_project, load_suite, write_starter
from agenteval.suite.project.commit import current_commit


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"},
    )
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "my shop"
    folder.mkdir()
    (folder / "package.json").write_text(
        '{"scripts": {"test": "node --test"}, "dependencies": {"a": "1"}}'
    )
    (folder / "package-lock.json").write_text("{}")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "x")
    return folder


def test_a_project_in_git_gets_a_task_that_starts_from_its_commit(project):
    written = write_starter(project, detect_project(project))
    assert [str(path.relative_to(project)) for path in written] == [
        "evals/suite.toml",
        "evals/first-task/task.toml",
        "evals/first-task/prompt.md",
    ]
    suite = load_suite(project / "evals")
    assert suite.name == "my shop"
    assert suite.suite.commands.model_dump() == {
        "setup": "npm ci",
        "test": "npm test",
        "lint": None,
    }
    (task,) = suite.tasks
    assert task.task.source is not None
    assert (task.task.source.git, task.task.source.rev) == ("..", git(project, "rev-parse", "HEAD"))
    assert task.source is not None
    assert task.source.resolve() == project.resolve()
    assert task.prompt.startswith("FILL IN")
    assert task.task.environment is not None
    assert task.task.environment.model_dump() == {
        "build": ["npm ci"],
        "network": True,
        "key": ["package-lock.json"],
    }
    assert [check.name for check in task.task.checks] == ["filled-in", "tests"]
    assert task.task.language == "javascript"


def test_the_check_to_fill_in_fails(project):
    write_starter(project, detect_project(project))
    (check, tests) = load_suite(project / "evals").tasks[0].task.checks
    done = subprocess.run(["sh", "-c", check.run], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "not filled in" in done.stderr
    assert tests.run == "npm test"


def test_nothing_is_ever_overwritten(project):
    taken = project / "evals/first-task/prompt.md"
    taken.parent.mkdir(parents=True)
    taken.write_text("mine")
    with pytest.raises(InvalidInput, match="nothing is overwritten") as caught:
        write_starter(project, detect_project(project))
    assert caught.value.where.endswith("evals/first-task/prompt.md")
    assert taken.read_text() == "mine"
    assert not (project / "evals/suite.toml").exists()


def test_a_project_without_a_commit_gets_a_repository_to_fill(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    written = write_starter(tmp_path, detect_project(tmp_path))
    (task,) = load_suite(tmp_path / "evals").tasks
    assert task.task.source is None
    assert written[-1] == tmp_path / "evals/first-task/repo/README.md"
    assert [check.name for check in task.task.checks] == ["filled-in"]
    text = (tmp_path / "evals/suite.toml").read_text()
    for key in ("setup", "test", "lint"):
        assert f'# {key} = ""  (none found' in text
    assert load_suite(tmp_path / "evals").suite.commands.test is None


def test_a_project_below_the_top_of_its_repository(project):
    below = project / "packages" / "a b"
    below.mkdir(parents=True)
    (below / "pyproject.toml").write_text(
        "[project]\ndependencies = ['x']\n[tool.pytest.ini_options]\n"
    )
    (below / "tests").mkdir()
    write_starter(below, detect_project(below))
    suite = load_suite(below / "evals")
    (task,) = suite.tasks
    assert task.task.source is not None
    assert task.task.source.git == "../../.."
    assert suite.suite.commands.test == "cd 'packages/a b' && .venv/bin/python -m pytest"
    assert task.task.tests == ["packages/a b/tests/**"]
    assert task.task.environment is not None
    assert task.task.environment.key == ["packages/a b/pyproject.toml"]


def test_odd_text_in_a_project_cannot_break_the_file(tmp_path):
    (tmp_path / "package.json").write_text(
        '{"scripts": {"test": "echo \\"a\\"\\n[x]\\u001b\\\\ # é", "lint": "a"}}'
    )
    write_starter(tmp_path, detect_project(tmp_path))
    document = tomllib.loads((tmp_path / "evals/suite.toml").read_text())
    assert document["commands"]["test"] == "npm test"


def test_the_commit_is_read_wherever_git_keeps_it(project):
    head = git(project, "rev-parse", "HEAD")
    assert current_commit(project).sha == head
    git(project, "pack-refs", "--all")
    assert current_commit(project).sha == head
    git(project, "checkout", "-q", "-b", "feature/x")
    assert current_commit(project).sha == head
    git(project, "checkout", "-q", "--detach")
    assert current_commit(project).sha == head
    tree = project.parent / "tree"
    git(project, "worktree", "add", "-q", "-b", "other", str(tree))
    (tree / "new").write_text("x")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "y")
    commit = current_commit(tree)
    assert (commit.root, commit.sha) == (tree, git(tree, "rev-parse", "HEAD"))
    assert commit.sha != head
    git(project, "pack-refs", "--all")
    assert current_commit(tree) == commit


def test_no_commit(tmp_path):
    assert current_commit(tmp_path) is None
    git(tmp_path, "init", "-q")
    assert current_commit(tmp_path) is None
