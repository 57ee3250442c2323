. tests/expect.sh
BELLS_HOME=$(mktemp -d) && export BELLS_HOME
trap 'rm -rf "$BELLS_HOME"' EXIT
mkdir "$BELLS_HOME/plans"
printf '2026-02-27 2026-03-02 * off # days off\n* * fri,sun short\n* * * normal\n' >"$BELLS_HOME/calendar"
expect 'first line that fits, until is not in it' \
    '2026-02-26 thu normal
2026-02-27 fri off
2026-02-28 sat off
2026-03-01 sun off
2026-03-02 mon normal' "$(sh bin/bells between 2026-02-26 2026-03-02)"
expect 'by weekday' '2026-03-06 fri short' "$(sh bin/bells between 2026-03-06 2026-03-06)"
exit $BAD
