-- All money of a person in a year.
CREATE VIEW money AS
SELECT
    years.year,
    people.id AS person_id,
    COUNT(DISTINCT holdings.plot_id) AS plots,
    COALESCE(SUM(charges.cents), 0) AS charged,
    COALESCE(SUM(payments.cents), 0) AS paid
FROM years
CROSS JOIN people
LEFT JOIN holdings ON holdings.person_id = people.id AND holdings.year = years.year
LEFT JOIN charges ON charges.person_id = people.id AND charges.year = years.year
    AND charges.cancelled_on IS NULL
LEFT JOIN payments ON payments.person_id = people.id
    AND payments.paid_at BETWEEN years.year || '-01-01' AND years.year || '-12-31'
GROUP BY years.year, people.id;
