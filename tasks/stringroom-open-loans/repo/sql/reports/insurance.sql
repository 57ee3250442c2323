-- For the insurer: what the school has out of the house. Not the same as "out" elsewhere:
-- what is written off stays on this list (docs/rules.md, 4).
SELECT i.id, i.kind, i.size, i.value_cents, l.written_off_on IS NOT NULL AS lost
FROM loans AS l
JOIN instruments AS i ON i.id = l.instrument_id
WHERE l.returned_on IS NULL
  AND l.starts_on <= :today
ORDER BY i.value_cents DESC, i.id;
