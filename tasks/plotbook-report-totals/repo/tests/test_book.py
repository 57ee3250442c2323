from plotbook import open_book


def test_opened_again(tmp_path):
    open_book(tmp_path / "a.db").close()
    again = open_book(tmp_path / "a.db")
    assert again.execute("PRAGMA user_version").fetchone()[0] == 3
    views = again.execute("SELECT count(*) FROM sqlite_master WHERE type = 'view'").fetchone()
    assert views[0] >= 3
