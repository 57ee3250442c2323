"""Reading a repository: commits with what they changed, files, diffs."""

import pytest

from agenteval.engine.authoring import open_history
from agenteval.errors import InvalidInput


def test_a_commit_and_what_it_changed(repository, tmp_path):
    repository.commit("More", a_bin="x\0y", gone_py="a = 1\n")
    sha = repository.commit(
        "Mend it\n\nIt was broken.\n", gone_py=None, new__é_py="b = 1\nc = 2\n", shelf_py="x = 1\n"
    )
    found = open_history(repository.folder, tmp_path / "h").commit("HEAD")
    assert (found.sha, found.subject, found.body) == (sha, "Mend it", "It was broken.")
    assert found.date.startswith("2024-01-01")
    files = {f.path: (f.status, f.added, f.removed, f.plain) for f in found.files}
    assert files == {
        "gone.py": ("deleted", 0, 1, True),
        "new/é.py": ("added", 2, 0, True),
        "shelf.py": ("modified", 1, 2, True),
    }


def test_binary_files_and_links_are_told(repository, tmp_path):
    (repository.folder / "a.bin").write_bytes(b"\0\1")
    (repository.folder / "link").symlink_to("a.bin")
    repository.commit("Odd")
    files = {
        f.path: f for f in open_history(repository.folder, tmp_path / "h").commit("HEAD").files
    }
    assert files["a.bin"].added is None
    assert files["a.bin"].plain
    assert not files["link"].plain


def test_all_commits_newest_first_between_dates(repository, tmp_path):
    for number in range(3):
        repository.commit(f"Change {number}", shelf_py=f"x = {number}\n")
    repository.git("checkout", "-q", "-b", "side", "HEAD~1")
    repository.commit("Aside", side_py="y = 1\n")
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    history = open_history(repository.folder, tmp_path / "h")
    found = history.commits()
    assert [c.subject for c in found if len(c.parents) > 1] == ["Merge"]
    assert {c.subject for c in found} == {
        "Begin", "Change 0", "Change 1", "Change 2", "Aside", "Merge",
    }  # fmt: skip
    assert history.commits(since="2024-06-01") == []
    assert len(history.commits(until="2024-06-01")) == 6


def test_files_of_a_commit_without_any_history(repository, tmp_path):
    sha = repository.commit("Next", shelf_py="x = 2\n")
    history = open_history(repository.folder, tmp_path / "h")
    history.lay_out(f"{sha}^", tmp_path / "before")
    assert "split" in (tmp_path / "before/shelf.py").read_text()
    assert not (tmp_path / "before/.git").exists()
    assert history.contents(sha, "shelf.py") == b"x = 2\n"


def test_a_bare_and_a_shallow_clone_will_do(repository, tmp_path):
    sha = repository.commit("Next", shelf_py="x = 2\n")
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    assert open_history(tmp_path / "bare.git", tmp_path / "h").commit(sha[:8]).sha == sha
    repository.git(
        "clone", "-q", "--depth", "1", f"file://{repository.folder}", str(tmp_path / "s")
    )
    shallow = open_history(tmp_path / "s", tmp_path / "h2").commit("HEAD")
    assert (shallow.sha, shallow.parents) == (sha, ())


def test_hooks_and_configuration_of_the_repository_do_nothing(repository, tmp_path):
    trap = tmp_path / "trap"
    repository.git("config", "core.fsmonitor", f"touch {trap}")
    repository.git("config", "diff.external", f"touch {trap}")
    history = open_history(repository.folder, tmp_path / "h")
    sha = repository.commit("Next", shelf_py="x = 2\n")
    trap.unlink(missing_ok=True)
    change = history.commit(sha)
    assert b"+x = 2" in history.diff(change, ["shelf.py"])
    assert not trap.exists()


def test_no_commit_and_no_repository_are_told(repository, tmp_path):
    history = open_history(repository.folder, tmp_path / "h")
    for rev in ("nonsense", "--help", "HEAD:shelf.py"):
        with pytest.raises(InvalidInput, match="no commit"):
            history.commit(rev)
    (tmp_path / "plain").mkdir()
    for folder in ("plain", "missing"):
        with pytest.raises(InvalidInput, match="no git repository"):
            open_history(tmp_path / folder, tmp_path / f"h-{folder}")
