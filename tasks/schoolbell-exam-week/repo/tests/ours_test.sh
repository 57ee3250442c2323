# The calendar and the plans that are live.
. tests/expect.sh
sh bin/bells check || BAD=1
expect 'an ordinary Monday' '2026-03-02 mon normal' "$(sh bin/bells between 2026-03-02 2026-03-02)"
expect 'ski week' '2026-02-20 fri silent' "$(sh bin/bells between 2026-02-20 2026-02-20)"
expect 'end of term' '2026-07-10 fri short' "$(sh bin/bells between 2026-07-10 2026-07-10)"
exit $BAD
