SELECT
    ROW_NUMBER() OVER (ORDER BY waiting.since, waiting.id) AS position,
    people.id,
    people.name,
    waiting.since
FROM waiting
JOIN people ON people.id = waiting.person_id
WHERE waiting.withdrawn_on IS NULL
  AND waiting.person_id NOT IN (
      SELECT tenancies.person_id
      FROM tenancies
      WHERE tenancies.from_on <= :year || '-12-31'
        AND (tenancies.to_on IS NULL OR tenancies.to_on > :year || '-12-31')
  )
ORDER BY position
