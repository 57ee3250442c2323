CREATE TABLE people (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    joined_on TEXT NOT NULL
);

CREATE TABLE plots (
    id INTEGER PRIMARY KEY,
    number TEXT NOT NULL UNIQUE,
    area_m2 INTEGER NOT NULL
);

CREATE TABLE tenancies (
    id INTEGER PRIMARY KEY,
    plot_id INTEGER NOT NULL REFERENCES plots (id),
    person_id INTEGER NOT NULL REFERENCES people (id),
    from_on TEXT NOT NULL,
    to_on TEXT
);

CREATE TABLE charges (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES people (id),
    year INTEGER NOT NULL,
    kind TEXT NOT NULL,
    cents INTEGER NOT NULL
);

CREATE TABLE payments (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES people (id),
    paid_at TEXT NOT NULL,
    cents INTEGER NOT NULL,
    note TEXT NOT NULL DEFAULT ''
);
