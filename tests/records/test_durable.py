import pytest

from agenteval.records import replace_file, sync_folder, sync_tree


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "new/folder/file"
    replace_file(path, b"one")
    replace_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]


def test_a_failure_leaves_what_was_there_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    (path / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="file"):
        replace_file(path, b"one")
    assert list(tmp_path.iterdir()) == [path]
    assert (path / "inside").is_dir()


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        sync_folder(tmp_path / "nowhere")


def test_a_tree_is_synced_with_its_links_left_alone(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/file").write_text("1")
    (tmp_path / "a/gone").symlink_to("nowhere")
    sync_tree(tmp_path / "a")
    assert (tmp_path / "a/b/file").read_text() == "1"
