"""Reading a frozen patch."""

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agenteval.checks import patch, read_patch


def test_an_edited_file_has_its_hashes_and_lines(patched):
    (file,) = patched(
        {"a.py": "one\ntwo\nthree\n"}, {"a.py": "one\n2\nthree\nfour\n"}
    ).changes.files
    assert (file.path, file.added, file.removed) == ("a.py", ("2", "four"), ("two",))
    assert len(file.before) == len(file.after) == 40
    assert file.before != file.after
    assert file.touched


def test_files_that_come_and_go(patched):
    work = patched({"gone.txt": "x\n"}, {"gone.txt": None, "new.txt": "y\n", "empty.txt": ""})
    found = {f.path: (f.before is None, f.after is None) for f in work.changes.files}
    assert found == {
        "gone.txt": (False, True),
        "new.txt": (True, False),
        "empty.txt": (True, False),
    }


def test_a_change_of_mode_alone_touches_nothing(patched, copy):
    work = patched({"run.sh": "x\n"}, {})
    assert work.changes.files == ()
    (copy / "run.sh").chmod(0o755)
    patch = subprocess.run(
        ["git", "diff", "--binary", "--full-index"], cwd=copy, capture_output=True, check=True
    ).stdout
    (file,) = read_patch(patch)
    assert (file.path, file.touched, file.added) == ("run.sh", False, ())


def test_a_file_that_becomes_a_link_is_touched(patched, copy):
    patched({"a.txt": "b.txt", "b.txt": "x"}, {})
    (copy / "a.txt").unlink()
    (copy / "a.txt").symlink_to("b.txt")
    patch = subprocess.run(
        ["git", "diff", "--binary", "--full-index"], cwd=copy, capture_output=True, check=True
    ).stdout
    (file,) = read_patch(patch)
    assert (file.retyped, file.touched, file.link) == (True, True, True)


def test_lines_that_look_like_the_patchs_own_are_lines(patched):
    evil = "++ b/other.py\n@@ -1 +1 @@\ndiff --git a/x b/x\n-- a\n"
    work = patched({"a.txt": "-- old\n"}, {"a.txt": evil, "z.txt": "last\n"})
    first, last = work.changes.files
    assert (first.path, last.path) == ("a.txt", "z.txt")
    assert first.added == tuple(evil.splitlines())
    assert first.removed == ("-- old",)


def test_a_binary_file_has_no_lines(patched, copy):
    work = patched({"a.bin": "\0\1"}, {"a.bin": "\0\2\0"})
    (file,) = work.changes.files
    assert (file.added, file.removed, file.touched) == ((), (), True)


NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="/\0", exclude_categories=("Cs",)),
    min_size=1,
    max_size=12,
).filter(lambda name: name not in (".", "..", ".git") and not name.lower().startswith(".git"))


@settings(max_examples=25, deadline=None)
@given(names=st.lists(NAMES, min_size=1, max_size=4, unique_by=lambda n: n.casefold()))
def test_any_name_is_read_back(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("names")
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    subprocess.run(["git", "init", "-q"], cwd=folder, env=env, check=True)
    for name in names:
        (folder / name).write_text("line\n")
    subprocess.run(["git", "add", "-A", "-f"], cwd=folder, env=env, check=True)
    patch = subprocess.run(
        ["git", "diff", "--cached", "--full-index"],
        cwd=folder,
        env=env,
        capture_output=True,
        check=True,
    ).stdout
    assert sorted(file.path for file in read_patch(patch)) == sorted(names)
    assert {file.added for file in read_patch(patch)} == {("line",)}


@pytest.mark.parametrize("patch", [b"", b"\n", b"no patch at all\n"])
def test_nothing_is_no_change(patch):
    assert read_patch(patch) == ()


def test_lines_beyond_what_memory_holds_are_not_read_and_that_is_told(monkeypatch):
    monkeypatch.setattr(patch, "MOST_LINES", 20)
    heads = [
        f"diff --git a/{name} b/{name}\nnew file mode 100644\nindex {'0' * 40}..{'1' * 40}\n"
        f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,9 @@\n".encode()
        for name in ("a", "b")
    ]
    files = read_patch(b"".join(head + b"+x\n" * 9 for head in heads))
    assert [(file.path, file.before, file.after) for file in files] == [
        ("a", None, "1" * 40),
        ("b", None, "1" * 40),
    ]
    assert [(len(file.added), file.cut) for file in files] == [(9, False), (0, True)]
