"""Freezing and thawing are each other's inverse, whatever an agent makes of its files."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from agenteval.engine.base import copy_workspace, start_snapshot
from agenteval.engine.freeze import freeze
from agenteval.engine.thaw import PatchRefused, thaw

REPO = {
    "app.txt": "one\ntwo\nthree\n",
    "dir/inner.txt": "x\n",
    "crlf.txt": "a\r\nb\r\n",
    "tool.sh": "#!/bin/sh\n",
    "image.bin": bytes(range(256)) * 40,
    ".gitattributes": "* text=auto eol=crlf\n*.bin filter=evil\n",
    "gone.txt": "",
}


def edit(folder: Path, name: str, data: bytes) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


DEEDS = {
    "nothing": lambda f: None,
    "an edit": lambda f: edit(f, "app.txt", b"one\nTWO\nthree\n"),
    "no newline at the end": lambda f: edit(f, "app.txt", b"one\ntwo\nthree"),
    "carriage returns": lambda f: edit(f, "crlf.txt", b"a\r\nc\r\nlast\r"),
    "trailing blanks": lambda f: edit(f, "app.txt", b"one  \ntwo\t\nthree\n\n\n"),
    "bytes that are no text": lambda f: edit(f, "app.txt", b"\xff\xfe\x80 one\n"),
    "a binary file": lambda f: edit(f, "image.bin", bytes(reversed(range(256))) * 50),
    "a new binary file": lambda f: edit(f, "new.bin", b"\0\1\2" * 1000),
    "text becomes binary": lambda f: edit(f, "app.txt", b"\0" * 300),
    "an empty file": lambda f: edit(f, "new/empty.txt", b""),
    "a file deleted": lambda f: (f / "gone.txt").unlink(),
    "a mode": lambda f: (f / "tool.sh").chmod(0o755),
    "a link": lambda f: (f / "link").symlink_to("app.txt"),
    "a link outside": lambda f: (f / "link").symlink_to("/etc/passwd"),
    "a file becomes a link": lambda f: ((f / "app.txt").unlink(), (f / "app.txt").symlink_to("x")),
    "a folder becomes a file": lambda f: (
        (f / "dir/inner.txt").unlink(),
        (f / "dir").rmdir(),
        edit(f, "dir", b"file\n"),
    ),
    "a file becomes a folder": lambda f: ((f / "app.txt").unlink(), edit(f, "app.txt/deep", b"x")),
    "names": lambda f: [
        edit(f, name, b"x\n")
        for name in ('new\nline.txt', 'quo"te', "tab\there", " lead", "ünïcode", "-dash", ":colon", "a b/c d")
    ],
    "a name that is no text": lambda f: edit(f, os.fsdecode(b"\xff\xfe.txt"), b"x\n"),
    "a file that looks like a patch": lambda f: edit(
        f, "x.diff", b"diff --git a/app.txt b/app.txt\n--- a/app.txt\n+++ b/app.txt\n@@ -1 +1 @@\n-one\n+ONE\n"
    ),
    "an attributes file": lambda f: edit(f, ".gitattributes", b"* -diff binary working-tree-encoding=UTF-16\n"),
}  # fmt: skip


@pytest.mark.parametrize("deed", DEEDS, ids=lambda name: name.replace(" ", "_"))
def test_what_was_frozen_comes_back(plain_bench, deed):
    base = plain_bench.around.bases.get(plain_bench.task(repo=REPO), plain_bench.sandbox)
    workspace, objects = plain_bench.folder / "w", plain_bench.folder / "o"
    copy_workspace(base, workspace)
    start = start_snapshot(base, workspace, objects, None)
    DEEDS[deed](workspace)
    frozen = freeze(workspace, start, base.rules)
    assert (frozen.patch == b"") == (deed == "nothing")
    fresh = replace(base.start, store=base.start.store.extended(plain_bench.folder / "other"))
    again = thaw(frozen.patch, fresh, plain_bench.folder)
    assert again.tree == frozen.tree
    assert again.paths == frozen.paths
    assert again.patch == frozen.patch
    assert (again.lines_added, again.lines_removed) == (frozen.lines_added, frozen.lines_removed)
    assert not (plain_bench.folder / "thaw.index").exists()


@pytest.mark.parametrize(
    "patch",
    [
        b"no patch at all\n",
        b"diff --git a/app.txt b/app.txt\n--- a/app.txt\n+++ b/app.txt\n@@ -1 +1 @@\n-other\n+text\n",
        b"diff --git a/../out b/../out\nnew file mode 100644\n--- /dev/null\n+++ b/../out\n@@ -0,0 +1 @@\n+x\n",
        b"diff --git a/.git/config b/.git/config\nnew file mode 100644\n--- /dev/null\n+++ b/.git/config\n@@ -0,0 +1 @@\n+x\n",
    ],
)
def test_what_does_not_apply_is_refused_and_writes_no_file(plain_bench, patch):
    base = plain_bench.around.bases.get(plain_bench.task(repo=REPO), plain_bench.sandbox)
    fresh = replace(base.start, store=base.start.store.extended(plain_bench.folder / "other"))
    (plain_bench.folder / "scratched").mkdir()
    with pytest.raises(PatchRefused, match="does not apply"):
        thaw(patch, fresh, plain_bench.folder / "scratched")
    assert not list(plain_bench.folder.rglob("out"))
