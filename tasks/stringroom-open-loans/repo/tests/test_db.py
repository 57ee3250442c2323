from stringroom import open_room
from stringroom.db import migrations


def test_a_new_file_is_up_to_date(tmp_path):
    room = open_room(tmp_path / "room.db")
    assert room.execute("PRAGMA user_version").fetchone() == (len(migrations()),)


def test_opening_twice_changes_nothing(tmp_path):
    open_room(tmp_path / "room.db").close()
    room = open_room(tmp_path / "room.db")
    assert room.execute("SELECT count(*) FROM loans").fetchone() == (0,)
