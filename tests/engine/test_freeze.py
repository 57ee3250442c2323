"""The agent's change as a patch: whatever was done to the workspace, and executing nothing of it."""

# names are bytes here
# ruff: noqa: PTH101, PTH102, PTH108, PTH112, PTH113, PTH114, PTH115, PTH116, PTH118, PTH123, PTH211

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agenteval.engine.freeze import LARGEST_CHANGE, Frozen, freeze, ignore_rules
from agenteval.engine.git import new_bare
from agenteval.engine.layers import mount_graded, mount_workspace
from agenteval.engine.scratch import remove
from agenteval.engine.snapshot import LaidOut, Snapshot, lay_out, take, walk

START = {
    "app.txt": "broken\n",
    "lib/a.py": "a\n",
    "lib/b.py": "b\n",
    "run.sh": "#!/bin/sh\n",
    ".gitignore": "*.log\n/build/\n",
}


class Desk:
    """A start, and a workspace in which a test plays the agent."""

    mounted = False

    def __init__(
        self, folder: Path, files: dict[str, str] | None = None, original: Path | None = None
    ) -> None:
        self.folder, self.workspace = folder, folder / "workspace"
        self.original = original or folder / "original"
        for name, text in ({} if original else START if files is None else files).items():
            path = self.original / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.original.mkdir(parents=True, exist_ok=True)
        if self.mounted:
            self.workspace.mkdir()
            mount_workspace(self.original, self.workspace)
        else:
            shutil.copytree(self.original, self.workspace, symlinks=True)
        store = new_bare(folder / "start.git")
        self.rules = ignore_rules(
            folder / "ignore", store, self.workspace, frozenset(walk(self.workspace).files)
        )
        self.start: Snapshot = take(self.workspace, store)
        if self.mounted:
            lay_out(self.start, self.start.tree, folder / "base")
            self.start.laid_out = LaidOut(folder / "base", self.start.tree)

    def freeze(self) -> Frozen:
        return freeze(self.workspace, self.start, self.rules)

    def applied(self, patch: bytes) -> Path:
        """The original with the patch applied by the real git."""
        target = self.folder / "applied"
        shutil.copytree(self.original, target, symlinks=True)
        if patch:
            env = {
                "PATH": "/usr/bin:/bin",
                "HOME": "/nonexistent",
                "GIT_CEILING_DIRECTORIES": str(self.folder),
            }
            done = subprocess.run(
                ["git", "apply", "--whitespace=nowarn", "-"],
                cwd=target,
                env=env,
                input=patch,
                capture_output=True,
                check=False,
            )
            assert done.returncode == 0, (done.stderr.decode(), patch)
        return target

    def laid_out(self, tree: str) -> Path:
        target = self.folder / "laid out"
        if self.start.laid_out is None:
            lay_out(self.start, tree, target)
        else:
            target.mkdir()
            mount_graded(self.start, self.start.laid_out, tree, target)
        return target


def contents(folder: Path) -> dict[bytes, tuple[str, bytes]]:
    """Path to kind and contents of every file and link."""
    found = {}
    for path, status in walk(folder).files.items():
        full = os.path.join(os.fsencode(folder), path)
        if stat.S_ISLNK(status.st_mode):
            found[path] = ("link", os.readlink(full))
        else:
            kind = "exec" if status.st_mode & stat.S_IXUSR else "file"
            found[path] = (kind, Path(os.fsdecode(full)).read_bytes())
    return found


@pytest.fixture(autouse=True)
def way(either_way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Desk, "mounted", either_way == "mounted")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def agree(desk: Desk) -> Frozen:
    """The frozen patch and the frozen tree both give the workspace again."""
    frozen = desk.freeze()
    wanted = contents(desk.workspace)
    assert contents(desk.applied(frozen.patch)) == wanted
    assert contents(desk.laid_out(frozen.tree)) == wanted
    return frozen


def test_no_change_is_no_patch(desk):
    assert desk.freeze() == Frozen(desk.start.tree, b"", (), 0, 0, ())


def test_touched_but_the_same_is_no_change(desk):
    (desk.workspace / "app.txt").write_text("broken\n")
    os.utime(desk.workspace / "lib/a.py", (1, 1))
    assert desk.freeze().paths == ()


def test_edits_additions_and_deletions_are_counted(desk):
    (desk.workspace / "app.txt").write_text("fixed\nand more\n")
    (desk.workspace / "new/deep").mkdir(parents=True)
    (desk.workspace / "new/deep/file.txt").write_text("x\n")
    (desk.workspace / "lib/b.py").unlink()
    frozen = agree(desk)
    assert frozen.paths == ("app.txt", "lib/b.py", "new/deep/file.txt")
    assert (frozen.lines_added, frozen.lines_removed) == (3, 2)


def test_an_edit_of_the_same_size_and_time_is_seen(desk):
    path = desk.workspace / "app.txt"
    before = path.stat()
    with path.open("r+") as file:
        file.write("fixed!")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert agree(desk).paths == ("app.txt",)


def renamed(w: Path) -> None:
    (w / "lib/a.py").rename(w / "moved.py")


def executable(w: Path) -> None:
    (w / "run.sh").chmod(0o755)


def links(w: Path) -> None:
    (w / "shortcut").symlink_to("lib/a.py")
    (w / "to nowhere").symlink_to("/etc/passwd\n")
    (w / "to a folder").symlink_to("lib")


def binary(w: Path) -> None:
    (w / "app.txt").write_bytes(bytes(range(256)) * 50)


def empty(w: Path) -> None:
    (w / "empty").touch()
    (w / "app.txt").write_text("")


def no_newline(w: Path) -> None:
    (w / "app.txt").write_text("fixed")


def carriage_returns(w: Path) -> None:
    (w / ".gitattributes").write_text("* text=auto eol=lf\n")
    (w / "app.txt").write_bytes(b"fixed\r\nmore\r\n")


def file_becomes_folder(w: Path) -> None:
    (w / "app.txt").unlink()
    (w / "app.txt").mkdir()
    (w / "app.txt/inside").write_text("x")


def folder_becomes_file(w: Path) -> None:
    shutil.rmtree(w / "lib")
    (w / "lib").write_text("x")


def folder_becomes_link(w: Path) -> None:
    shutil.rmtree(w / "lib")
    (w / "lib").symlink_to("../..")


def file_becomes_link(w: Path) -> None:
    (w / "app.txt").unlink()
    (w / "app.txt").symlink_to("lib/b.py")


def long_line(w: Path) -> None:
    (w / "app.txt").write_text("x" * 10**6)


KINDS = [
    renamed,
    executable,
    links,
    binary,
    empty,
    no_newline,
    carriage_returns,
    file_becomes_folder,
]
KINDS += [folder_becomes_file, folder_becomes_link, file_becomes_link, long_line]


@pytest.mark.parametrize("change", KINDS, ids=lambda change: change.__name__)
def test_every_kind_of_change_comes_back(desk, change):
    change(desk.workspace)
    assert agree(desk).paths


def test_folders_of_the_start_are_not_made_through_a_link(tmp_path):
    """Else an agent could have folders made anywhere on the host."""
    desk = Desk(tmp_path, {"app.txt": "x", "a/deep/er/file": "y"})
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.rmtree(desk.workspace / "a")
    (desk.workspace / "a").symlink_to(outside)
    desk.laid_out(desk.freeze().tree)
    assert list(outside.iterdir()) == []


def test_empty_folders_of_the_start_are_there_again(tmp_path):
    desk = Desk(tmp_path)
    (desk.workspace / "data/empty").mkdir(parents=True)
    desk.start = take(desk.workspace, desk.start.store)
    assert (desk.laid_out(desk.freeze().tree) / "data/empty").is_dir()


@pytest.mark.parametrize(
    "name",
    [
        "ünï cödé",
        "new\nline",
        "-rf",
        "--",
        "tab\there",
        'quo"te',
        "back\\slash",
        " blank ",
        "*.txt",
        "[a]",
        "!negated",
        "#comment",
        ":(top)x",
        ":",
        "a\r",
        "~",
        "$HOME",
        "%s",
        "\u2028",
        os.fsdecode(b"\xff\xfe"),
        "app.txt ",
        ".gitmodules",
        ".gitattributes",
        "a" * 255,
    ],
)
def test_every_name_comes_back(desk, name):
    (desk.workspace / name).write_text("x")
    (desk.workspace / "lib" / name).write_text("y")
    assert set(agree(desk).paths) == {name, f"lib/{name}"}


def test_the_objects_are_those_that_git_would_write(desk, run_git):
    (desk.workspace / "lib/c").mkdir()
    (desk.workspace / "lib/c/d").write_text("d")
    (desk.workspace / "lib.txt").write_bytes(b"x" * (3 << 20))
    (desk.workspace / "lib-x").symlink_to("lib")
    (desk.workspace / "run.sh").chmod(0o755)
    tree = take(desk.workspace, desk.start.store).tree
    run_git(desk.workspace, "init", "-q")
    run_git(desk.workspace, "add", "-A", "-f")
    assert run_git(desk.workspace, "write-tree").decode().strip() == tree
    run_git(desk.folder / "start.git", "fsck", "--strict", "--no-dangling", tree)


class TestIgnored:
    def test_what_the_start_ignores_is_left_out_and_stays_as_it_was(self, tmp_path):
        desk = Desk(
            tmp_path, START | {"build/cache.bin": "old", "kept.log": "tracked although ignored"}
        )
        desk.rules = ignore_rules(
            tmp_path / "again",
            desk.start.store,
            desk.original,
            frozenset(map(os.fsencode, [*START, "kept.log"])),
        )
        w = desk.workspace
        (w / "app.txt").write_text("fixed\n")
        (w / "build/cache.bin").write_text("new")
        (w / "build/more").write_text("new")
        (w / "lib/trace.log").write_text("x")
        (w / "kept.log").write_text("edited")
        frozen = desk.freeze()
        assert frozen.paths == ("app.txt", "kept.log")
        assert contents(desk.laid_out(frozen.tree))[b"build/cache.bin"] == ("file", b"old")

    def test_removing_it_removes_nothing(self, tmp_path):
        desk = Desk(tmp_path, START | {"build/cache.bin": "old"})
        desk.rules = ignore_rules(
            tmp_path / "again", desk.start.store, desk.original, frozenset(map(os.fsencode, START))
        )
        shutil.rmtree(desk.workspace / "build")
        frozen = desk.freeze()
        assert frozen.paths == ()
        (desk.workspace / "build").write_text("a file now")
        frozen = desk.freeze()
        assert frozen.paths == ("build", "build/cache.bin"), (
            "a file in its place is no folder `/build/`"
        )

    @pytest.mark.parametrize("rules", ["*\n", "", "app.txt\nlib/\n"])
    def test_an_edited_gitignore_hides_nothing(self, desk, rules):
        (desk.workspace / ".gitignore").write_text(rules)
        (desk.workspace / "lib/.gitignore").write_text("*\n")
        (desk.workspace / "lib/new.py").write_text("x")
        (desk.workspace / "app.txt").write_text("fixed\n")
        (desk.workspace / "trace.log").write_text("ignored at the start")
        assert desk.freeze().paths == (".gitignore", "app.txt", "lib/.gitignore", "lib/new.py")

    def test_a_configured_excludes_file_hides_nothing(self, desk):
        info = desk.workspace / ".git/info"
        info.mkdir(parents=True)
        (info / "exclude").write_text("*\n")
        (desk.workspace / "new.py").write_text("x")
        assert desk.freeze().paths == ("new.py",)

    def test_caches_of_tools_are_no_work(self, desk):
        for name in (
            "lib/__pycache__/a.pyc",
            ".pytest_cache/x",
            ".hypothesis/y",
            ".DS_Store",
            "stray.pyc",
        ):
            (desk.workspace / name).parent.mkdir(exist_ok=True)
            (desk.workspace / name).write_text("x")
        assert desk.freeze().paths == ()


class TestOdd:
    def test_what_git_cannot_hold_is_left_out_and_named(self, desk, monkeypatch):
        w = desk.workspace
        os.mkfifo(w / "fifo")
        monkeypatch.chdir(w)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("socket")
        (w / "lib/.git").mkdir()
        (w / "lib/.git/config").write_text("[core]\n")
        (w / ".GIT").write_text("x")
        (w / "lib/.gitmodules").symlink_to("a.py")
        (w / "app.txt").write_text("fixed\n")
        frozen = desk.freeze()
        assert frozen.paths == ("app.txt",)
        assert frozen.left_out == (".GIT", "fifo", "lib/.git", "lib/.gitmodules", "socket")
        assert contents(desk.laid_out(frozen.tree))[b"app.txt"] == ("file", b"fixed\n")

    def test_a_file_replaced_by_a_fifo_is_gone(self, desk):
        (desk.workspace / "app.txt").unlink()
        os.mkfifo(desk.workspace / "app.txt")
        frozen = desk.freeze()
        assert (frozen.paths, frozen.left_out) == (("app.txt",), ("app.txt",))
        assert b"app.txt" not in contents(desk.laid_out(frozen.tree))

    def test_files_of_a_nested_repository_are_files(self, desk, run_git):
        (desk.workspace / "sub").mkdir()
        (desk.workspace / "sub/code.py").write_text("x")
        run_git(desk.workspace / "sub", "init", "-q")
        run_git(desk.workspace / "sub", "add", "-A")
        run_git(desk.workspace / "sub", "commit", "-qm", "x")
        frozen = desk.freeze()
        assert (frozen.paths, frozen.left_out) == (("sub/code.py",), ("sub/.git",))

    def test_huge_files_are_left_out_smallest_first_in(self, desk):
        with (desk.workspace / "huge.bin").open("wb") as file:
            file.truncate(LARGEST_CHANGE * 100)
        with (desk.workspace / "large.bin").open("wb") as file:
            file.truncate(2 << 20)
        (desk.workspace / "app.txt").write_text("fixed\n")
        frozen = desk.freeze()
        assert (frozen.paths, frozen.left_out) == (("app.txt", "large.bin"), ("huge.bin",))
        assert len(contents(desk.laid_out(frozen.tree))[b"large.bin"][1]) == 2 << 20

    def test_paths_longer_than_the_system_takes(self, desk):
        folder = os.open(desk.workspace, os.O_RDONLY)
        for _ in range(40):
            os.mkdir("d" * 200, dir_fd=folder)
            inner = os.open("d" * 200, os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = inner
        os.close(folder)
        (desk.workspace / "app.txt").write_text("fixed\n")
        frozen = desk.freeze()
        assert frozen.paths == ("app.txt",)
        assert len(frozen.left_out) == 1
        desk.laid_out(frozen.tree)

    def test_many_files(self, desk):
        (desk.workspace / "many").mkdir()
        for number in range(1200):
            (desk.workspace / f"many/{number}").write_text(str(number))
            if number % 3 == 0:
                (desk.workspace / f"many/{number}.link").symlink_to(str(number))
        frozen = agree(desk)
        assert len(frozen.paths) == 1600

    def test_deep_folders(self, desk):
        path = desk.workspace.joinpath(*["d"] * 800)
        path.mkdir(parents=True)
        (path / "file").write_text("x")
        assert len(agree(desk).paths) == 1


UNREADABLE = """
import os, sys, tempfile
from pathlib import Path
from agenteval.engine.freeze import freeze, ignore_rules
from agenteval.engine.git import new_bare
from agenteval.engine.scratch import remove
from agenteval.engine.snapshot import take, walk
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
top = Path(tempfile.mkdtemp())
work = top / "workspace"
(work / "lib").mkdir(parents=True)
(work / "app.txt").write_text("broken\\n")
(work / "lib/a.py").write_text("a\\n")
store = new_bare(top / "start.git")
rules = ignore_rules(top / "ignore", store, work, frozenset(walk(work).files))
start = take(work, store)
(work / "new").mkdir()
(work / "new/b.py").write_text("b\\n")
(work / "app.txt").write_text("fixed\\n")
(work / "app.txt").chmod(0)
(work / "new/b.py").chmod(0o111)
(work / "lib").chmod(0o400)
(work / "new").chmod(0)
work.chmod(0o555)
frozen = freeze(work, start, rules)
print(frozen.paths, frozen.left_out, b"new file mode 100755" in frozen.patch)
(work / "lib").chmod(0)
(work / "new").chmod(0)
work.chmod(0)
remove(top)
print(top.exists())
"""


def test_unreadable_modes_hide_nothing_and_can_be_removed():
    """As nobody: root reads everything anyway."""
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", UNREADABLE], env=env, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["('app.txt', 'new/b.py') () True", "False"]


class TestNothingIsExecuted:
    """Whatever an agent leaves behind for a git that it hopes will come by."""

    @pytest.fixture
    def armed(self, desk, run_git):
        """A repository in which every way to make git run something is set."""
        w, proof = desk.workspace, desk.folder / "executed"
        run_git(w, "init", "-q")
        run = f"touch {proof}; cat"
        (w / "evil.sh").write_text(f"#!/bin/sh\ntouch {proof}\n")
        (w / "evil.sh").chmod(0o755)
        for key in (
            "core.fsmonitor",
            "core.editor",
            "core.sshCommand",
            "core.pager",
            "diff.external",
            "diff.evil.command",
            "diff.evil.textconv",
            "filter.evil.clean",
            "filter.evil.smudge",
            "filter.evil.process",
            "merge.evil.driver",
            "gpg.program",
            "core.hooksPath",
            "alias.diff-tree",
            "uploadpack.packObjectsHook",
            "credential.helper",
        ):
            run_git(w, "config", key, str(w) if key == "core.hooksPath" else run)
        run_git(w, "config", "filter.evil.required", "true")
        for hook in (
            "post-checkout",
            "pre-commit",
            "post-index-change",
            "reference-transaction",
            "post-index-change",
        ):
            shutil.copy(w / "evil.sh", w / hook)
            shutil.copy(w / "evil.sh", w / ".git/hooks" / hook)
        (w / ".gitattributes").write_text(
            "* filter=evil diff=evil merge=evil text eol=crlf ident working-tree-encoding=UTF-16\n"
        )
        (w / ".git/info/attributes").write_text("* filter=evil diff=evil\n")
        (w / "app.txt").write_text("fixed $Id$\n")
        return proof

    def test_by_freezing_and_laying_out(self, desk, armed):
        frozen = desk.freeze()
        assert b"+fixed $Id$\n" in frozen.patch
        laid = contents(desk.laid_out(frozen.tree))
        assert laid[b"app.txt"] == ("file", b"fixed $Id$\n"), "attributes change no byte"
        assert not armed.exists()

    def test_in_a_whole_trial(self, isolated, diff):
        proof = isolated.folder / "executed"
        script = f"""git config core.fsmonitor 'touch {proof}'; git config filter.x.clean 'touch {proof}; cat'; git config filter.x.smudge 'touch {proof}; cat'
echo '* filter=x' > .gitattributes; printf '#!/bin/sh\\ntouch {proof}\\n' > .git/hooks/post-checkout || true; echo fixed > app.txt; true"""
        result = isolated.shell(isolated.task(), script)
        assert result.attempt.status == "pass"
        assert "+fixed" in diff(result)
        assert not proof.exists()


class TestRecorded:
    def test_what_was_left_out_is_an_artifact(self, bench):
        result = bench.shell(bench.task(), "mkfifo pipe; echo fixed > app.txt")
        assert result.attempt.status == "pass"
        assert json.loads(result.artifacts["left_out.json"]) == ["pipe"]

    def test_protected_edits_are_counted(self, bench):
        task = bench.task(
            keys='protected = ["tests/", "*.lock"]',
            repo={"app.txt": "broken\n", "tests/deep/a.py": "x", "b.lock": "y"},
        )
        result = bench.shell(
            task, "echo fixed > app.txt; rm tests/deep/a.py; echo z > b.lock; echo new > c.lock"
        )
        assert (result.attempt.protected_edits, result.attempt.files_changed) == (
            2,
            4,
        )  # a new file edits none


NAMES = st.sampled_from(
    [
        b"a",
        b"b",
        b"c.txt",
        b"-x",
        b"new\nline",
        b"s p",  # `git apply` cannot name an empty file below a folder that ends with a space
        b'q"',
        b"\xff\xfe",
        b":(top)",
        b"*",
        b".gitattributes",
        "ü".encode(),
    ]
)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(b"/".join)
CONTENTS = st.one_of(
    st.binary(max_size=30),
    st.sampled_from([b"one\ntwo\nthree\n", b"one\nTWO\nthree", b"\0\1\2" * 30, b""]),
)
EDIT = st.one_of(
    st.tuples(st.just("write"), PATHS, CONTENTS),
    st.tuples(st.just("link"), PATHS, st.sampled_from([b"a", b"../b", b"/nowhere", b"new\nline"])),
    st.tuples(st.just("remove"), PATHS, st.just(b"")),
    st.tuples(st.just("mode"), PATHS, st.just(b"")),
    st.tuples(st.just("rename"), PATHS, PATHS),
)


def clear(path: bytes) -> None:
    if os.path.islink(path) or os.path.isfile(path):
        os.unlink(path)
    elif os.path.isdir(path):
        shutil.rmtree(path)


def room_for(top: bytes, path: bytes) -> bytes:
    """Make real folders above a path, and nothing in its place."""
    parts = path.split(b"/")
    for depth in range(1, len(parts)):
        folder = os.path.join(top, *parts[:depth])
        if os.path.islink(folder) or not os.path.isdir(folder):
            clear(folder)
            os.mkdir(folder)
    clear(os.path.join(top, path))
    return os.path.join(top, path)


def edit(root: Path, what: str, path: bytes, more: bytes) -> None:
    top = os.fsencode(root)
    full = os.path.join(top, path)
    if what == "write":
        with open(room_for(top, path), "wb") as file:
            file.write(more)
    elif what == "link":
        os.symlink(more, room_for(top, path))
    elif what == "remove":
        clear(full)
    elif what == "mode" and os.path.isfile(full) and not os.path.islink(full):
        os.chmod(full, 0o755 ^ os.stat(full).st_mode & 0o111)
    elif what == "rename" and os.path.isfile(full) and not (more + b"/").startswith(path + b"/"):
        with open(full, "rb") as file:
            data = file.read()
        clear(full)
        with open(room_for(top, more), "wb") as file:
            file.write(data)


def test_any_edits_come_back(tmp_path):
    """The patch applied by git, and the tree laid out by the engine, both give the workspace."""
    count = iter(range(10**6))

    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(start=st.lists(EDIT, max_size=6), edits=st.lists(EDIT, min_size=1, max_size=8))
    def check(start, edits):
        folder = tmp_path / str(next(count))
        first = folder / "first"
        first.mkdir(parents=True)
        for change in start:
            edit(first, *change)
        desk = Desk(folder, original=first)
        for change in edits:
            edit(desk.workspace, *change)
        agree(desk)
        remove(folder)

    check()


def test_an_edit_in_the_very_tick_of_the_snapshot_is_seen(tmp_path):
    """Same size, same inode, and as soon after the snapshot as can be; many times over."""
    for number in range(60):
        desk = Desk(tmp_path / str(number), {"app.txt": "broken\n"})
        path = desk.workspace / "app.txt"
        path.write_text("broken.")
        desk.start = take(desk.workspace, desk.start.store, desk.start)
        with path.open("r+") as file:
            file.write("fixed!!")
        assert desk.freeze().paths == ("app.txt",)
