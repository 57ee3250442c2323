"""An existing tree graded without an agent: only read, never executed, never followed through links."""

import os
import shutil
from dataclasses import replace

import pytest

from agenteval.engine import grade_tree
from agenteval.errors import InvalidInput

REPO = {"app.txt": "broken\n", "dir/inner.txt": "x\n", "tool.sh": "#!/bin/sh\n", "tests/test_a.py": "x\n"}  # fmt: skip


@pytest.fixture
def graded(bench):
    """Copies the task's repo, lets a test work on the copy, and grades it."""

    def call(work, *, answer="", **task):
        loaded = bench.task(**{"repo": REPO} | task)
        tree = bench.folder / "tree"
        shutil.copytree(loaded.repo, tree, symlinks=True)
        work(tree)
        before = state(tree)
        found = grade_tree(loaded, tree, answer, bench.around)
        assert state(tree) == before
        assert not (bench.scratch / "graded").exists()
        return found

    return call


def state(tree):
    """Everything a grading could have changed, times of reading aside."""
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_mtime_ns, path.lstat().st_size)
        for path in tree.rglob("*")
    }


def fix(tree):
    (tree / "app.txt").write_text("fixed\n")


def test_the_start_itself_is_no_change_and_fails(graded):
    found = graded(lambda tree: None)
    assert (str(found.outcome.status), found.outcome.passed, found.score) == ("fail", False, 0.0)
    assert (found.frozen.paths, found.frozen.patch, found.tampering) == ((), b"", ())
    assert [(check.name, check.passed) for check in found.checks] == [("fixed", False)]


def test_a_finished_tree_passes(graded):
    found = graded(fix)
    assert (str(found.outcome.status), found.score) == ("pass", 1.0)
    assert found.frozen.paths == ("app.txt",)
    assert (found.frozen.lines_added, found.frozen.lines_removed) == (1, 1)


def test_new_deleted_renamed_modes_links_and_types(graded):
    def work(tree):
        fix(tree)
        (tree / "dir/inner.txt").rename(tree / "moved.txt")
        (tree / "dir").rmdir()
        (tree / "dir").write_text("a file now\n")
        (tree / "tool.sh").chmod(0o755)
        (tree / "link").symlink_to("/etc/passwd")
        (tree / "tests/new\nline.py").write_text("")

    found = graded(work)
    assert found.frozen.paths == ("app.txt", "dir", "dir/inner.txt", "link", "moved.txt", "tests/new\nline.py", "tool.sh")  # fmt: skip
    assert b"old mode 100644\nnew mode 100755" in found.frozen.patch
    assert b"root:" not in found.frozen.patch


def test_a_folder_in_the_place_of_a_link_and_the_other_way_round(graded):
    def work(tree):
        fix(tree)
        (tree / "dir/inner.txt").unlink()
        (tree / "dir").rmdir()
        (tree / "dir").symlink_to("tests")

    assert graded(work).frozen.paths == ("app.txt", "dir", "dir/inner.txt")


def test_the_start_may_hold_links(bench):
    loaded = bench.task(repo=REPO)
    (loaded.repo / "alias").symlink_to("dir")
    loaded = bench.loaded().tasks[0]
    tree = bench.folder / "tree"
    shutil.copytree(loaded.repo, tree, symlinks=True)
    assert grade_tree(loaded, tree, "", bench.around).frozen.paths == ()
    (tree / "alias").unlink()
    (tree / "alias").mkdir()
    (tree / "alias/inner.txt").write_text("x\n")
    found = grade_tree(loaded, tree, "", bench.around)
    assert found.frozen.paths == ("alias", "alias/inner.txt")


def test_what_git_cannot_hold_is_named_and_never_opened(graded):
    def work(tree):
        fix(tree)
        os.mkfifo(tree / "pipe")
        (tree / "nested/.git").mkdir(parents=True)
        (tree / "nested/.git/config").write_text("[core]\n\tfsmonitor = touch /tmp/never\n")

    found = graded(work)
    assert (str(found.outcome.status), found.frozen.left_out) == ("pass", ("nested/.git", "pipe"))


def test_its_own_repository_decides_nothing_and_is_no_change(graded):
    def work(tree):
        fix(tree)
        (tree / ".git/hooks").mkdir(parents=True)
        (tree / ".git/config").write_text("[core]\n\tfsmonitor = false\n\tbare = true\n")
        (tree / ".gitattributes").write_text("* filter=evil\n")

    found = graded(work)
    assert found.frozen.paths == (".gitattributes", "app.txt")
    assert str(found.outcome.status) == "pass"


def test_what_the_start_ignores_is_no_change(graded):
    def work(tree):
        fix(tree)
        (tree / "out").mkdir()
        (tree / "out/big.o").write_bytes(b"x" * 1000)
        (tree / "__pycache__").mkdir()
        (tree / "__pycache__/a.pyc").write_bytes(b"x")

    assert graded(work, repo={**REPO, ".gitignore": "out/\n"}).frozen.paths == ("app.txt",)


def test_what_setup_and_the_build_make_need_not_be_in_it(graded):
    check = '[[checks]]\nkind = "command"\nname = "fixed"\nrun = "cat made.txt built.txt && grep -q fixed app.txt"\n'
    keys = 'setup = ["echo made > made.txt"]\n[environment]\nbuild = ["echo built > built.txt"]\n'
    found = graded(fix, keys=keys, checks=check)
    assert found.frozen.paths == ("app.txt",)
    assert str(found.outcome.status) == "pass"


def test_a_large_start_which_is_mounted_where_that_works(graded):
    many = {f"many/{number}.txt": f"{number}\n" for number in range(600)}

    def work(tree):
        fix(tree)
        (tree / "many/7.txt").unlink()
        (tree / "many/8.txt").write_text("eight\n")
        (tree / "many/new.txt").write_text("new\n")

    found = graded(work, repo=REPO | many, keys='setup = ["echo made > made.txt"]')
    assert found.frozen.paths == ("app.txt", "many/7.txt", "many/8.txt", "many/new.txt")
    assert str(found.outcome.status) == "pass"


def test_hidden_files_answers_and_tampering(graded):
    checks = '[[checks]]\nkind = "command"\nrun = "sh tests/hidden.sh"\n[[checks]]\nkind = "answer-contains"\ntext = "why"\n'

    def work(tree):
        fix(tree)
        (tree / "tests/test_a.py").write_text("edited\n")
        (tree / "tests/hidden.sh").write_text("exit 0\n")

    found = graded(
        work,
        keys='tests = ["tests/**"]',
        checks=checks,
        hidden={"tests/hidden.sh": "grep -q fixed app.txt"},
        answer="that is why",
    )
    assert [check.passed for check in found.checks] == [True, True]
    assert found.tampering == ("tests_edited", "hidden_path_guessed")


def test_a_check_without_verdict_is_no_pass(graded):
    check = '[[checks]]\nkind = "command"\nrun = "sleep 30"\ntimeout_s = 0.2\n'
    found = graded(fix, checks=check)
    assert (str(found.outcome.status), found.outcome.error_class) == ("error", "check_timeout")


def test_nothing_of_it_stays_in_the_scratch_folder_between_two(bench):
    task = bench.task(repo=REPO)
    tree = bench.folder / "tree"
    shutil.copytree(task.repo, tree)
    fix(tree)
    assert grade_tree(task, tree, "", bench.around).outcome.passed
    (tree / "app.txt").write_text("broken\n")
    (tree / "extra.txt").unlink(missing_ok=True)
    assert not grade_tree(task, tree, "", replace(bench.around)).outcome.passed


def test_no_folder(bench):
    task = bench.task()
    with pytest.raises(InvalidInput, match="no folder to grade"):
        grade_tree(task, bench.folder / "nothing", "", bench.around)
    (bench.folder / "file").write_text("x")
    with pytest.raises(InvalidInput, match="no folder to grade"):
        grade_tree(task, bench.folder / "file", "", bench.around)
