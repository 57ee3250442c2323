BEGIN;
CREATE TABLE recordings (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    title     TEXT NOT NULL,
    performer TEXT NOT NULL DEFAULT '',
    place     TEXT NOT NULL DEFAULT ''
);
CREATE INDEX recordings_by_performer ON recordings (performer);
PRAGMA user_version = 1;
COMMIT;
