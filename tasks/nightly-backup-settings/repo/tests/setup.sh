# Sourced by the tests: a scratch etc folder and a few asserts.

TMP=$(mktemp -d "${TMPDIR:-/tmp}/nightjar.XXXXXX") || exit 1
trap 'rm -rf "$TMP"' EXIT
unset NIGHTJAR_SOURCE NIGHTJAR_DEST NIGHTJAR_KEEP NIGHTJAR_COMPRESS

NIGHTJAR_ETC=$TMP/etc
NIGHTJAR_TODAY=20250315
export NIGHTJAR_ETC NIGHTJAR_TODAY
mkdir -p "$TMP/etc/jobs.d" "$TMP/dest" "$TMP/src"
echo hello >"$TMP/src/file"
printf 'DEST=%s\nCOMPRESS=yes\n' "$TMP/dest" >"$TMP/etc/nightjar.conf"

FAILED=0

nightjar() {
    sh bin/nightjar "$@"
}

# job NAME LINE...
job() {
    job_file=$TMP/etc/jobs.d/$1.conf
    shift
    printf '%s\n' "SOURCE=$TMP/src" "$@" >"$job_file"
}

# archives NAME FIRST_DAY LAST_DAY: empty archives in March
archives() {
    day=$2
    while [ "$day" -le "$3" ]; do
        : >"$TMP/dest/$1-202503$(printf %02d "$day").tar.gz"
        day=$((day + 1))
    done
}

# equal WHAT WANTED GOT
equal() {
    [ "$2" = "$3" ] && return
    printf '  %s\n    wanted: %s\n    got:    %s\n' "$1" "$2" "$3"
    FAILED=1
}
