"""Variants out of a repository: what they hold, and what is refused."""

import subprocess

import pytest

from agenteval.engine import repository_variant
from agenteval.errors import InvalidInput
from agenteval.suite import files_variant


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "project"
    (folder / ".claude/skills/review").mkdir(parents=True)
    (folder / "sub").mkdir()
    (folder / ".claude/CLAUDE.md").write_text("Plan first.\n")
    (folder / ".claude/skills/review/SKILL.md").write_text("# Review\n")
    (folder / ".claude/run.sh").write_text("#!/bin/sh\n")
    (folder / ".claude/run.sh").chmod(0o755)
    (folder / ".claude/bytes").write_bytes(b"\x00\xff\n\n")
    (folder / ".gitignore").write_text("*.local.json\n")
    (folder / "README.md").write_text("# Project\n")

    def git(*arguments):
        told = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *told, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "start")
    git("tag", "v1")
    return folder


def commit(folder, message="more"):
    told = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (["add", "-A"], ["commit", "-qm", message]):
        subprocess.run(["git", *told, *arguments], cwd=folder, check=True, capture_output=True)


def texts(variant):
    return {path: file.data for path, file in variant.overlay.files.items()}


def test_a_commits_folder_is_laid_where_it_was(repository):
    (repository / ".claude/CLAUDE.md").write_text("Test first.\n")
    old = repository_variant("old=git:main:.claude", repository / "sub")
    assert texts(old) == {
        ".claude/CLAUDE.md": b"Plan first.\n",
        ".claude/bytes": b"\x00\xff\n\n",
        ".claude/run.sh": b"#!/bin/sh\n",
        ".claude/skills/review/SKILL.md": b"# Review\n",
    }
    assert [path for path, file in old.overlay.files.items() if file.executable] == [".claude/run.sh"]  # fmt: skip
    assert (old.name, old.overlay.hands) == ("old", ["review"])


def test_the_working_tree_as_it_lies_there(repository):
    (repository / ".claude/CLAUDE.md").write_text("Test first.\n")
    (repository / ".claude/new.md").write_text("New.\n")
    (repository / ".claude/bytes").unlink()
    (repository / ".claude/settings.local.json").write_text("{}")  # ignored: somebody's own
    new = repository_variant("new=worktree:.claude", repository)
    assert sorted(texts(new)) == [
        ".claude/CLAUDE.md", ".claude/new.md", ".claude/run.sh", ".claude/skills/review/SKILL.md",
    ]  # fmt: skip
    assert texts(new)[".claude/CLAUDE.md"] == b"Test first.\n"


def test_the_same_contents_are_the_same_variant_however_they_are_named(repository):
    named = ("v=git:main:.claude", "v=git:v1:.claude/", "v=git:HEAD:./.claude", "v=worktree:.claude")  # fmt: skip
    digests = {repository_variant(spec, repository).overlay.digest for spec in named}
    assert len(digests) == 1
    (repository / ".claude/CLAUDE.md").write_text("Test first.\n")
    commit(repository)
    now = repository_variant("v=git:main:.claude", repository).overlay.digest
    assert {now} | digests == {now, *digests}
    assert now not in digests
    assert repository_variant("v=git:v1:.claude", repository).overlay.digest in digests


def test_one_file_will_do(repository):
    assert texts(repository_variant("v=git:main:README.md", repository)) == {"README.md": b"# Project\n"}  # fmt: skip


def test_no_filter_and_no_hook_of_the_repository_runs(repository, tmp_path):
    mark = tmp_path / "mark"
    (repository / ".gitattributes").write_text("*.md filter=spy\n")
    config = repository / ".git/config"
    config.write_text(
        config.read_text()
        + f'[filter "spy"]\n\tsmudge = touch {mark}; cat\n\tclean = touch {mark}; cat\n[core]\n\tfsmonitor = touch {mark}\n'
    )
    repository_variant("v=git:main:.claude", repository)
    repository_variant("v=worktree:.claude", repository)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("v=git:nowhere:.claude", "no commit 'nowhere'"),
        ("v=git:--help:.claude", "no commit '--help'"),
        ("v=git:main:nothing", "no file at nothing in the commit main"),
        ("v=worktree:nothing", "no file at nothing in the working tree"),
        ("v=git:main:../other", "does not lie inside"),
        ("v=worktree:/etc", "does not lie inside"),
        ("v=worktree:.git", "does not lie inside"),
        ("v=git:main", "no form that is known"),
        ("v=git::x", "no form that is known"),
        ("v=hg:main:x", "no form that is known"),
        ("=worktree:x", "no form that is known"),
        ("none=worktree:.claude", "cannot be named 'none'"),
        ("a b=worktree:.claude", "cannot be named 'a b'"),
        ("v=worktree:*.md", "no file at"),
    ],
)
def test_mistakes_are_told_in_three_parts(repository, spec, told):
    with pytest.raises(InvalidInput, match="Fix:") as error:
        repository_variant(spec, repository)
    assert told in error.value.what
    assert spec in error.value.where


def test_links_are_refused(repository):
    (repository / ".claude/link").symlink_to("/etc/passwd")
    with pytest.raises(InvalidInput, match="symbolic link"):
        repository_variant("v=worktree:.claude", repository)
    commit(repository)
    with pytest.raises(InvalidInput, match="symbolic link"):
        repository_variant("v=git:main:.claude", repository)


def test_without_a_repository(tmp_path):
    with pytest.raises(InvalidInput, match="no git repository"):
        repository_variant("v=worktree:x", tmp_path)


def test_more_than_an_arm_carries(repository):
    (repository / ".claude/big").write_bytes(b"x" * (3 << 20))
    with pytest.raises(InvalidInput, match="at most 2048 kB"):
        repository_variant("v=worktree:.claude", repository)


def test_no_files_are_no_files():
    assert files_variant("v", "worktree:x", {}).overlay.files == {}
