# A copy of the program with rules of its own: `rules LINE...`, then $SLUICE/bin/...
SLUICE=$(mktemp -d "${TMPDIR:-/tmp}/sluice.XXXXXX") || exit 1
trap 'rm -rf "$SLUICE"' EXIT
cp -R bin lib "$SLUICE"
mkdir "$SLUICE/conf" "$SLUICE/zones"
FAILED=0

cat >"$SLUICE/conf/networks" <<'X'
all      10.0.0.0/8    office
desk     10.0.1.0/24   office
lab      10.0.2.0/24   office
box      10.9.0.1/32   media
box-2    10.9.0.2/32   media
X
echo 'people = desk lab' >"$SLUICE/conf/groups"
echo '# nothing' >"$SLUICE/conf/exceptions"
echo 443 >"$SLUICE/conf/public-ports"
printf 'MAX_DAYS=31\nMAX_RULES=4\n' >"$SLUICE/conf/limits"

rules() {
    printf '%s\n' "$@" >"$SLUICE/zones/media.rules"
}

# letters: what bin/check complains about
letters() {
    sh "$SLUICE/bin/check" | cut -c1 | tr -d '\n'
}

is() {
    if [ "$2" != "$3" ]; then
        printf '  %s: wanted "%s", got "%s"\n' "$1" "$2" "$3"
        FAILED=1
    fi
}
