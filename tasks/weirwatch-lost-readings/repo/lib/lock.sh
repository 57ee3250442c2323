# One round at a time, see doc/operation.

LOCK=$WEIR_HOME/tmp/lock

take_lock() {
    if mkdir "$LOCK" 2>/dev/null; then
        echo $$ >"$LOCK/pid"
        trap 'rm -rf "$LOCK"' EXIT
        return 0
    fi
    owner=$(cat "$LOCK/pid" 2>/dev/null)
    if [ -n "$owner" ] && kill -0 "$owner" 2>/dev/null; then
        complain "round $owner is at work"
        return 3
    fi
    # kill -0 also fails for processes of other users. All rounds are of the user
    # "weir" though, since 2022-05.
    complain "stale lock of ${owner:-nobody}, removed; the next round goes on"
    rm -rf "$LOCK"
    return 4
}
