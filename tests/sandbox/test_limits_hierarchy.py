"""Where control groups can be made: rules of both versions, on folders that look like theirs."""

import os

import pytest

from agenteval.sandbox.hierarchy import _below, _version_2, discover, folder_of, tops, value_of
from agenteval.sandbox.limits import limits_in_force, usable_hierarchies


@pytest.fixture
def make_group(tmp_path):
    """A folder with the files of a version 2 group."""

    def make(path, *, has="memory pids", gives=""):
        folder = tmp_path / path
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cgroup.controllers").write_text(has)
        (folder / "cgroup.subtree_control").write_text(gives)
        return folder

    return make


class TestVersion2:
    """Nothing here mounts version 2 with controllers, so the choice is tried on plain files."""

    def test_the_nearest_group_that_gives_controllers(self, make_group, tmp_path):
        make_group(".", gives="memory pids cpu")
        slice_ = make_group("user.slice", gives="cpu memory pids")
        own = make_group("user.slice/session.scope", has="memory pids", gives="memory pids")
        assert [h.folder for h in _version_2(own, tmp_path)] == [own]
        (own / "cgroup.controllers").write_text("memory")
        assert [h.folder for h in _version_2(own, tmp_path)] == [slice_]

    def test_a_group_that_may_not_give_them_is_passed_over(self, make_group, tmp_path):
        """The kernel refuses the write where processes are; here the folder in its place refuses."""
        parent = make_group("parent", gives="memory pids")
        own = make_group("parent/own")
        (own / "cgroup.subtree_control").unlink()
        (own / "cgroup.subtree_control").mkdir()
        (found,) = _version_2(own, tmp_path)
        assert (found.version, found.folder, found.serves) == (2, parent, {"memory", "pids"})

    def test_without_controllers_it_still_kills(self, make_group, tmp_path):
        make_group(".", has="hugetlb")
        own = make_group("own", has="")
        (found,) = _version_2(own, tmp_path)
        assert (found.folder, found.serves, found.kills) == (own, frozenset(), True)

    def test_nothing_above_the_mount_is_looked_at(self, make_group):
        make_group(".", gives="memory pids")
        own = make_group("mount", has="")
        assert [h.folder for h in _version_2(own, own)] == [own]


class TestReading:
    def test_numbers_and_numbers_beside_a_key(self, tmp_path):
        (tmp_path / "memory.peak").write_text("12345\n")
        (tmp_path / "memory.events").write_text("low 0\noom 2\noom_kill 3\noom_group_kill 4\n")
        (tmp_path / "pids.max").write_text("max\n")
        assert value_of(tmp_path, "memory.peak") == 12345
        assert value_of(tmp_path, "memory.events", "oom") == 2
        assert value_of(tmp_path, "memory.events", "oom_kill") == 3
        assert value_of(tmp_path, "memory.events", "other") is None
        assert value_of(tmp_path, "pids.max") is None
        assert value_of(tmp_path, "missing") is None
        assert value_of(None, "memory.peak") is None

    @pytest.mark.parametrize(
        ("root", "group", "expected"),
        [
            ("/", "/", "."),
            ("/", "/a/b", "a/b"),
            ("/docker/x", "/docker/x", "."),
            ("/docker/x", "/docker/x/y", "y"),
        ],
    )
    def test_paths_below_a_mount(self, tmp_path, root, group, expected):
        assert _below(tmp_path, root, group) == tmp_path / expected


class TestHere:
    def test_what_is_usable_was_discovered_and_is_below_a_mount(self):
        assert set(usable_hierarchies()) <= set(discover())
        for hierarchy in usable_hierarchies():
            assert any(hierarchy.folder.is_relative_to(top) for top in tops())

    def test_our_own_group_is_found_by_our_number(self):
        for controller in ("memory", "pids"):
            folder = folder_of(os.getpid(), controller)
            if folder is not None and folder.is_dir():
                assert str(os.getpid()) in (folder / "cgroup.procs").read_text().split()

    def test_what_is_told_is_what_is_used(self):
        serves = {name for h in usable_hierarchies() for name in h.serves}
        ways = limits_in_force()
        assert ("cgroup" in ways["memory_limit"]) == ("memory" in serves)
        assert ("cgroup" in ways["process_limit"]) == ("pids" in serves)
