-- For the teachers: due within fourteen days from today.
SELECT p.teacher, p.name, i.kind, l.due_on
FROM pupils AS p
JOIN loans AS l ON l.pupil_id = p.id
JOIN instruments AS i ON i.id = l.instrument_id
WHERE NOT (l.returned_on IS NOT NULL OR l.written_off_on IS NOT NULL OR l.starts_on > :today)
  AND l.due_on BETWEEN :today AND date(:today, '+14 days')
ORDER BY p.teacher, l.due_on, p.name, i.id;
