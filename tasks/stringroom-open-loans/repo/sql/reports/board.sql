-- For the door: every instrument that is out.
SELECT i.id, i.kind, i.size, p.name
FROM loans AS l
JOIN instruments AS i ON i.id = l.instrument_id
JOIN pupils AS p ON p.id = l.pupil_id
WHERE l.returned_on IS NULL
  AND l.written_off_on IS NULL
  AND l.starts_on <= :today
ORDER BY i.kind, i.id;
