-- Who has which plot in which year.
CREATE VIEW holdings AS
SELECT years.year, tenancies.person_id, tenancies.plot_id
FROM years
JOIN tenancies
  ON tenancies.from_on <= years.year || '-12-31'
 AND (tenancies.to_on IS NULL OR tenancies.to_on > years.year || '-01-01');
