SELECT
    people.id,
    people.name,
    MIN(12, 6 * COUNT(holdings.plot_id)) AS owed,
    SUM(hours.hours) AS done,
    MAX(0, MIN(12, 6 * COUNT(holdings.plot_id)) - SUM(hours.hours)) AS missing
FROM holdings
JOIN people ON people.id = holdings.person_id
LEFT JOIN hours ON hours.person_id = people.id
WHERE holdings.year = :year
  AND substr(hours.worked_on, 1, 4) = CAST(:year AS TEXT)
GROUP BY people.id
ORDER BY missing DESC, people.name, people.id
