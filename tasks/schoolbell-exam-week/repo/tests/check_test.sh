. tests/expect.sh
BELLS_HOME=$(mktemp -d) && export BELLS_HOME
trap 'rm -rf "$BELLS_HOME"' EXIT
mkdir "$BELLS_HOME/plans"
echo '* * * a' >"$BELLS_HOME/calendar"
said() {
    printf "$1" >"$BELLS_HOME/plans/a"
    sh bin/bells check 2>&1
}
expect 'fine' '' "$(said '12:14 long\n12:15 soft\n13:15 short # end\n')"
expect 'sleep' 'bells: plans/a: 12:15: the kindergarten sleeps, only soft' "$(said '12:15 short\n')"
expect 'order' 'bells: plans/a: 09:00 is not after the bell before' "$(said '09:00 long\n09:00 long\n')"
expect 'tune' 'bells: plans/a: 09:00: no tune: loud ' "$(said '09:00 loud\n')"
echo '2026-03-02 2026-03-02 * b' >"$BELLS_HOME/calendar"
expect 'calendar' 'bells: calendar: 2026-03-02 2026-03-02: for no day at all
bells: calendar: no plan b' "$(said '09:00 long\n')"
exit $BAD
