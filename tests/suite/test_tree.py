import hashlib

from agenteval.suite import LoadedSuite, Project, detect_project, is_junk, load_suite
from agenteval.suite.problems import Problems
from agenteval.suite.tree import Entry, read_tree


def test_files_in_one_order_whatever_the_disks(tmp_path):
    for name in ("b", "a/z", "a.txt", "é", "B"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "run").write_text("x")
    (tmp_path / "run").chmod(0o700)
    (tmp_path / "link").symlink_to("b")
    problems = Problems()
    entries = read_tree(tmp_path, problems)
    assert not problems.found
    assert [(entry.path, entry.mode) for entry in entries] == [
        ("B", "file"), ("a.txt", "file"), ("a/z", "file"), ("b", "file"), ("link", "link"), ("run", "exec"), ("é", "file"),
    ]  # fmt: skip
    assert entries[2] == Entry("a/z", "file", hashlib.sha256(b"a/z").digest())
    assert entries[4].sha256 == hashlib.sha256(b"b").digest()


def test_a_large_file_is_hashed_like_a_small_one(tmp_path):
    data = b"x" * ((1 << 20) + 1)
    (tmp_path / "large").write_bytes(data)
    assert read_tree(tmp_path, Problems())[0].sha256 == hashlib.sha256(data).digest()


def test_what_is_a_tools_cache():
    assert all(map(is_junk, ["__pycache__", "a.pyc", ".pytest_cache", ".DS_Store"]))
    assert not any(map(is_junk, ["node_modules", "a.py", "cache", ".gitignore"]))


def test_what_the_front_gives(bench):
    bench.task()
    assert isinstance(load_suite(bench.folder), LoadedSuite)
    assert isinstance(detect_project(bench.folder), Project)
