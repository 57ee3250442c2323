SELECT
    people.id,
    people.name,
    money.plots,
    money.charged,
    money.paid,
    money.charged - money.paid AS open
FROM money
JOIN people ON people.id = money.person_id
WHERE money.year = :year
  AND (money.plots > 0 OR money.charged <> 0 OR money.paid <> 0)
ORDER BY people.name, people.id
