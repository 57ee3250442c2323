CREATE TABLE hours (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES people (id),
    worked_on TEXT NOT NULL,
    hours REAL NOT NULL
);

CREATE TABLE waiting (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES people (id),
    since TEXT NOT NULL,
    withdrawn_on TEXT
);

ALTER TABLE charges ADD COLUMN cancelled_on TEXT;
