-- The table as it was created by hand before 1.2.0, hence the IF NOT EXISTS.
CREATE TABLE IF NOT EXISTS jobs (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    kind        TEXT NOT NULL,
    payload     TEXT NOT NULL DEFAULT 'null',
    status      TEXT NOT NULL DEFAULT 'queued',
    run_at      REAL NOT NULL,
    created_at  REAL NOT NULL,
    changed_at  REAL NOT NULL
);

CREATE INDEX IF NOT EXISTS jobs_by_status ON jobs (status, run_at);
