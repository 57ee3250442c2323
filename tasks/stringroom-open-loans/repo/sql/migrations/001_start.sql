CREATE TABLE instruments (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    size TEXT NOT NULL DEFAULT '4/4',
    value_cents INTEGER NOT NULL
);

CREATE TABLE pupils (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    teacher TEXT NOT NULL
);

CREATE TABLE loans (
    id INTEGER PRIMARY KEY,
    instrument_id INTEGER NOT NULL REFERENCES instruments,
    pupil_id INTEGER NOT NULL REFERENCES pupils,
    starts_on TEXT NOT NULL,
    due_on TEXT NOT NULL,
    returned_on TEXT
);
