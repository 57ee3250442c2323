# Settings and pruning as users see them. Exits 1 if anything is off.

TMP=$(mktemp -d "${TMPDIR:-/tmp}/nightjar.XXXXXX") || exit 1
trap 'rm -rf "$TMP"' EXIT
unset NIGHTJAR_SOURCE NIGHTJAR_DEST NIGHTJAR_KEEP NIGHTJAR_COMPRESS
unset SOURCE DEST KEEP COMPRESS
NIGHTJAR_TODAY=20250315
export NIGHTJAR_TODAY NIGHTJAR_ETC
FAILED=0

nightjar() {
    sh bin/nightjar "$@"
}

# fresh: an empty etc folder and an empty destination
fresh() {
    rm -rf "$TMP/etc" "$TMP/dest" "$TMP/other" "$TMP/src"
    mkdir -p "$TMP/etc/jobs.d" "$TMP/dest" "$TMP/other" "$TMP/src"
    echo hello >"$TMP/src/file"
    NIGHTJAR_ETC=$TMP/etc
    printf 'DEST=%s\nCOMPRESS=yes\n' "$TMP/dest" >"$TMP/etc/nightjar.conf"
}

job() {
    job_file=$TMP/etc/jobs.d/$1.conf
    shift
    printf '%s\n' "SOURCE=$TMP/src" "$@" >"$job_file"
}

# archives NAME HOW_MANY [FOLDER]: one a day from the first of March
archives() {
    number=1
    while [ "$number" -le "$2" ]; do
        : >"$TMP/${3:-dest}/$1-202503$(printf %02d "$number").tar.gz"
        number=$((number + 1))
    done
}

check() {
    if [ "$2" = "$3" ]; then
        printf 'ok %s\n' "$1"
    else
        printf 'not ok %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3"
        FAILED=1
    fi
}

flat() {
    tr '\n' ' ' | sed 's/ $//'
}

settings() {
    nightjar config "$1" 2>"$TMP/stderr" | flat
}

contents() {
    ls "$1" | flat
}

# --- 1. nothing leaks

fresh
job aa "DEST=$TMP/other" KEEP=3 COMPRESS=no
job bb
job cc KEEP=9
alone=$(for one in aa bb cc; do settings "$one"; echo; done | flat)
check 'config --all is the same as one by one' "$alone" "$(settings --all)"

fresh
job aa "DEST=$TMP/other" KEEP=3 COMPRESS=no
job bb
nightjar backup --all 2>/dev/null
check 'backup --all: exit code' 0 $?
check 'backup --all: first job' 'aa-20250315.tar' "$(contents "$TMP/other")"
check 'backup --all: second job' 'bb-20250315.tar.gz' "$(contents "$TMP/dest")"

fresh
job aa KEEP=2
job bb
archives aa 9
archives bb 9
nightjar prune --all 2>/dev/null
check 'prune --all: exit code' 0 $?
check 'prune --all: first job' 2 "$(ls "$TMP/dest" | grep -c '^aa-')"
check 'prune --all: second job' 7 "$(ls "$TMP/dest" | grep -c '^bb-')"

# --- 2. the order

fresh
job wiki KEEP=14 COMPRESS=no
check 'job file over nightjar.conf over built in' \
    "SOURCE=$TMP/src DEST=$TMP/dest KEEP=14 COMPRESS=no" "$(settings wiki)"
check 'NIGHTJAR_KEEP' "SOURCE=$TMP/src DEST=$TMP/dest KEEP=1 COMPRESS=no" \
    "$(NIGHTJAR_KEEP=1; export NIGHTJAR_KEEP; settings wiki)"
check 'NIGHTJAR_DEST' "SOURCE=$TMP/src DEST=/elsewhere KEEP=14 COMPRESS=no" \
    "$(NIGHTJAR_DEST=/elsewhere; export NIGHTJAR_DEST; settings wiki)"
check 'NIGHTJAR_COMPRESS' "SOURCE=$TMP/src DEST=$TMP/dest KEEP=14 COMPRESS=yes" \
    "$(NIGHTJAR_COMPRESS=yes; export NIGHTJAR_COMPRESS; settings wiki)"
check 'NIGHTJAR_SOURCE' "SOURCE=/tmp DEST=$TMP/dest KEEP=14 COMPRESS=no" \
    "$(NIGHTJAR_SOURCE=/tmp; export NIGHTJAR_SOURCE; settings wiki)"
job zz
check 'the environment is for all jobs of --all' 2 \
    "$(NIGHTJAR_KEEP=1; export NIGHTJAR_KEEP; nightjar config --all | grep -c '^KEEP=1$')"
archives wiki 5
(NIGHTJAR_KEEP=1; export NIGHTJAR_KEEP; nightjar prune wiki 2>/dev/null)
check 'prune with NIGHTJAR_KEEP' 'wiki-20250305.tar.gz' "$(contents "$TMP/dest")"
rm "$TMP/etc/nightjar.conf"
check 'built in' "SOURCE=$TMP/src DEST=/var/backups KEEP=7 COMPRESS=yes" "$(settings zz)"

# --- 3. Windows line ends

fresh
printf 'DEST=%s\r\nCOMPRESS=no\r\n' "$TMP/dest" >"$TMP/etc/nightjar.conf"
printf '# the wiki\r\nSOURCE=%s\r\n\r\nKEEP=2\r\n' "$TMP/src" >"$TMP/etc/jobs.d/wiki.conf"
check 'config of files with CRLF' \
    "SOURCE=$TMP/src DEST=$TMP/dest KEEP=2 COMPRESS=no" "$(settings wiki)"
archives wiki 5
nightjar backup wiki 2>/dev/null
check 'backup with CRLF: exit code' 0 $?
nightjar prune wiki 2>/dev/null
check 'prune with CRLF: exit code' 0 $?
check 'backup and prune with CRLF' 'wiki-20250305.tar.gz wiki-20250315.tar' \
    "$(contents "$TMP/dest")"

# --- 4. KEEP has to be a number

for keep in 3O 0 -1 1.5; do
    fresh
    job aa KEEP=2
    job bb "KEEP=$keep"
    job cc KEEP=3
    archives aa 4
    archives bb 4
    archives cc 4
    nightjar prune bb 2>"$TMP/stderr"
    check "KEEP=$keep: exit code" 2 $?
    check "KEEP=$keep: names the job" 1 "$(grep -cw bb "$TMP/stderr" | sed 's/^[1-9].*/1/')"
    check "KEEP=$keep: nothing deleted" 4 "$(ls "$TMP/dest" | grep -c '^bb-')"
    nightjar prune --all 2>/dev/null
    check "KEEP=$keep: exit code of --all" 2 $?
    check "KEEP=$keep: the others are pruned" '2 4 3' \
        "$(for one in aa bb cc; do ls "$TMP/dest" | grep -c "^$one-"; done | flat)"
    nightjar backup bb 2>/dev/null
    check "KEEP=$keep: backup is made" 0 $?
    check "KEEP=$keep: archive" 'bb-20250315.tar.gz' "$(cd "$TMP/dest" && ls bb-20250315*)"
done

# --- 5. the new job

NIGHTJAR_ETC=etc
check 'wiki-media' \
    'SOURCE=/srv/wiki-media DEST=/var/backups/nightjar KEEP=5 COMPRESS=no' \
    "$(settings wiki-media)"
check 'wiki' 'SOURCE=/srv/wiki DEST=/var/backups/nightjar KEEP=14 COMPRESS=yes' \
    "$(settings wiki)"
check 'mail' 'SOURCE=/var/mail DEST=/var/backups/nightjar KEEP=3 COMPRESS=no' \
    "$(settings mail)"
check 'projects, with all the others' \
    'SOURCE=/srv/projects DEST=/var/backups/nightjar KEEP=7 COMPRESS=yes' \
    "$(nightjar config --all | grep -A 3 '^SOURCE=/srv/projects$' | flat)"

# --- 6. only its own archives

fresh
job wiki KEEP=2
job wiki-media KEEP=2
job wiki-2 KEEP=2
archives wiki 3
archives wiki-media 3
archives wiki-2 3
: >"$TMP/dest/wiki-20250304.tar"
: >"$TMP/dest/wiki-20250316.tar.gz.part"
: >"$TMP/dest/wiki-old.tar.gz"
: >"$TMP/dest/wiki-2025.tar.gz"
: >"$TMP/dest/wiki-202503011.tar.gz"
: >"$TMP/dest/wiki-20250301.zip"
check 'list' \
    'wiki-20250304.tar wiki-20250303.tar.gz wiki-20250302.tar.gz wiki-20250301.tar.gz' \
    "$(nightjar list wiki | flat)"
nightjar prune wiki 2>/dev/null
check 'prune: exit code' 0 $?
check 'list after prune' 'wiki-20250304.tar wiki-20250303.tar.gz' \
    "$(nightjar list wiki | flat)"
check 'everything else is still there' \
    '3 3 wiki-2025.tar.gz wiki-20250301.zip wiki-202503011.tar.gz wiki-20250316.tar.gz.part wiki-old.tar.gz' \
    "$(cd "$TMP/dest" && {
        ls | grep -c '^wiki-media-'
        ls | grep -c '^wiki-2-'
        LC_ALL=C ls wiki-2025.tar.gz wiki-20250301.zip wiki-202503011.tar.gz \
            wiki-20250316.tar.gz.part wiki-old.tar.gz 2>/dev/null
    } | flat)"
nightjar prune wiki-media 2>/dev/null
check 'list wiki-media' 'wiki-media-20250303.tar.gz wiki-media-20250302.tar.gz' \
    "$(nightjar list wiki-media | flat)"

exit "$FAILED"
