BEGIN;
ALTER TABLE recordings ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

CREATE TABLE changes (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    recording_id INTEGER NOT NULL,
    field        TEXT NOT NULL,
    old          TEXT NOT NULL,
    new          TEXT NOT NULL
);

CREATE TRIGGER title_changed AFTER UPDATE OF title ON recordings
WHEN old.title <> new.title BEGIN
    INSERT INTO changes (recording_id, field, old, new) VALUES (new.id, 'title', old.title, new.title);
    UPDATE recordings SET version = version + 1 WHERE id = new.id;
END;

CREATE TRIGGER performer_changed AFTER UPDATE OF performer ON recordings
WHEN old.performer <> new.performer BEGIN
    INSERT INTO changes (recording_id, field, old, new)
    VALUES (new.id, 'performer', old.performer, new.performer);
    UPDATE recordings SET version = version + 1 WHERE id = new.id;
END;

CREATE TRIGGER place_changed AFTER UPDATE OF place ON recordings
WHEN old.place <> new.place BEGIN
    INSERT INTO changes (recording_id, field, old, new) VALUES (new.id, 'place', old.place, new.place);
    UPDATE recordings SET version = version + 1 WHERE id = new.id;
END;

CREATE VIEW catalogue AS
    SELECT id, title, performer AS performers, place, version FROM recordings;

PRAGMA user_version = 3;
COMMIT;
