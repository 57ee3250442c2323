-- Every year that something happened in, or may have. Views know no :year.
CREATE VIEW years AS
WITH RECURSIVE span (year) AS (
    SELECT 2010
    UNION ALL
    SELECT year + 1 FROM span WHERE year < 2060
)
SELECT year FROM span;
