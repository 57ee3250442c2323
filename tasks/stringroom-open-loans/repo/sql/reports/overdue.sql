-- For the office: what should have been back before today, the longest first.
SELECT p.name, i.kind, i.id, l.due_on, CAST(julianday(:today) - julianday(l.due_on) AS INTEGER) AS days
FROM loans AS l
JOIN instruments AS i ON i.id = l.instrument_id
JOIN pupils AS p ON p.id = l.pupil_id
WHERE l.starts_on <= :today
  AND l.returned_on IS NULL
  AND l.due_on < :today
  AND l.written_off_on IS NULL
ORDER BY l.due_on, p.name, i.id;
