WITH RECURSIVE months (month) AS (
    SELECT 1
    UNION ALL
    SELECT month + 1 FROM months WHERE month < 12
)
SELECT
    printf('%d-%02d', :year, months.month) AS month,
    COALESCE(SUM(payments.cents), 0) AS cents
FROM months
LEFT JOIN payments ON substr(payments.paid_at, 1, 7) = printf('%d-%02d', :year, months.month)
GROUP BY months.month
ORDER BY months.month
