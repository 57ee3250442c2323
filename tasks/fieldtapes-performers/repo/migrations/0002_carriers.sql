BEGIN;
-- for tapeshelf
CREATE TABLE carriers (
    shelfmark    TEXT PRIMARY KEY,
    recording_id INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    kind         TEXT NOT NULL
);
PRAGMA user_version = 2;
COMMIT;
