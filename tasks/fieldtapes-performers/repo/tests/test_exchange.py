from fieldtapes import recordings
from fieldtapes.db import connect


def test_changes(tmp_path):
    db = connect(tmp_path / "tapes.db")
    recordings.add(db, "Vira", "Ana Pires")
    recordings.change(db, 1, "performer", "Ana Pires; Rui Lobo")
    recordings.change(db, 1, "performer", "Ana Pires; Rui Lobo")
    recordings.change(db, 1, "title", "Vira Velha")
    rows = db.execute("SELECT recording_id, field, old, new FROM changes ORDER BY id").fetchall()
    assert [tuple(row) for row in rows] == [
        (1, "performer", "Ana Pires", "Ana Pires; Rui Lobo"),
        (1, "title", "Vira", "Vira Velha"),
    ]
    assert recordings.get(db, 1)["version"] == 3
    db.close()
