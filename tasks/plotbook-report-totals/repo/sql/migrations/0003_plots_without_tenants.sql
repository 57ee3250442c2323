-- A plot that the association keeps is a tenancy of nobody. SQLite cannot drop
-- a NOT NULL, so the table is made again.
CREATE TABLE tenancies_new (
    id INTEGER PRIMARY KEY,
    plot_id INTEGER NOT NULL REFERENCES plots (id),
    person_id INTEGER REFERENCES people (id),
    from_on TEXT NOT NULL,
    to_on TEXT,
    remark TEXT NOT NULL DEFAULT ''
);

INSERT INTO tenancies_new (id, plot_id, person_id, from_on, to_on)
SELECT id, plot_id, person_id, from_on, to_on FROM tenancies;

DROP TABLE tenancies;

ALTER TABLE tenancies_new RENAME TO tenancies;
