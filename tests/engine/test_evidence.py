"""What is collected from a dead agent's workspace for the sensors."""

import os
import shutil
import subprocess

import pytest

from agenteval.engine.evidence import change_of, git_state
from agenteval.engine.freeze import freeze, ignore_rules
from agenteval.engine.git import new_bare, new_repository
from agenteval.engine.snapshot import take


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    new_repository(folder)
    return folder


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@localhost"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def commits(folder):
    (folder / "b.txt").write_text("b")
    git(folder, "checkout", "-q", "-b", "side")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Side")
    git(folder, "gc", "-q")
    git(folder, "tag", "v1")
    git(folder, "stash", "list")


@pytest.mark.parametrize(
    ("act", "settings", "foreign"),
    [
        (commits, False, set()),
        (lambda f: git(f, "config", "alias.x", "!sh"), True, set()),
        (lambda f: git(f, "remote", "add", "origin", "https://example.org/x"), True, set()),
        (lambda f: [(f / ".git/hooks").mkdir(), (f / ".git/hooks/post-commit").write_text("x")], True, set()),
        (lambda f: [(f / ".git/info").mkdir(exist_ok=True), (f / ".git/info/attributes").write_text("* x")], True, set()),
        (lambda f: [(f / ".git/config").unlink(), os.mkfifo(f / ".git/config")], True, set()),
        (lambda f: [(f / ".git/config").unlink(), (f / ".git/config").symlink_to("/dev/zero")], True, set()),
        (lambda f: (f / ".git/FETCH_HEAD").write_text(""), False, {"FETCH_HEAD"}),
        (lambda f: (f / ".git/commondir").write_text("../x"), False, {"commondir"}),
        (lambda f: [(f / ".git/objects/info").mkdir(exist_ok=True), (f / ".git/objects/info/alternates").write_text("/x")], False, {"objects/info/alternates"}),
        (lambda f: (f / ".git/packed-refs").write_text("# pack-refs\nabc refs/remotes/origin/main\n"), False, {"packed-refs"}),
        (lambda f: shutil.rmtree(f / ".git"), True, set()),
        (lambda f: [shutil.rmtree(f / ".git"), (f / ".git").symlink_to("/")], True, {".git"}),
        (lambda f: [shutil.rmtree(f / ".git"), (f / ".git").write_text("gitdir: /x")], True, {".git"}),
    ],
)  # fmt: skip
def test_the_state_of_the_repository(repository, act, settings, foreign):
    before = git_state(repository)
    assert before.foreign == frozenset()
    act(repository)
    after = git_state(repository)
    assert (before.settings != after.settings, after.foreign) == (settings, foreign)


def test_a_clone_of_another_repository_in_its_place_is_seen(repository, tmp_path):
    before = git_state(repository)
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", str(repository), str(other))
    shutil.rmtree(repository / ".git")
    shutil.copytree(other / ".git", repository / ".git")
    after = git_state(repository)
    assert after.settings != before.settings
    assert after.foreign


def test_a_change_is_sorted_and_its_configuration_read(tmp_path):
    work = tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    for name, text in {
        "pyproject.toml": "old",
        "gone.py": "",
        "kept.py": "",
        "setup.cfg": "x",
    }.items():
        (work / name).write_text(text)
    store = new_bare(tmp_path / "start.git")
    rules = ignore_rules(tmp_path / "ignore", store, work, frozenset())
    start = take(work, store)
    (work / "pyproject.toml").write_text("new\nlines")
    (work / "setup.cfg").unlink()
    (work / "gone.py").unlink()
    (work / "sub/package.json").write_text("{}")
    (work / "added.py").write_text("")
    (work / "sub" / "setup.cfg").symlink_to("../kept.py")
    (work / "odd\nname").mkdir()
    (work / "odd\nname" / "package.json").write_text("{}")
    found = change_of(start, freeze(work, start, rules))
    assert found.added == {
        "sub/package.json",
        "added.py",
        "sub/setup.cfg",
        "odd\nname/package.json",
    }
    assert found.edited == {"pyproject.toml", "setup.cfg", "gone.py"}
    assert found.before == {"pyproject.toml": b"old", "setup.cfg": b"x"}
    assert found.after == {
        "pyproject.toml": b"new\nlines",
        "sub/package.json": b"{}",
        "sub/setup.cfg": b"../kept.py",
    }
