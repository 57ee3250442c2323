# From a logger's file to data/.

# temporary NAME: an empty file in $TEMPORARY
temporary() {
    TEMPORARY=$(mktemp "$WEIR_HOME/tmp/$1.XXXXXX") || return 1
    trap 'rm -f "$TEMPORARY"' EXIT
}

# take_file FILE: fails if it has no header; what was taken stays
take_file() {
    read -r mark word station date rest <"$1" || return 1
    if [ "$mark $word" != '# station' ] || [ -n "$rest" ]; then
        complain "$1: no header"
        return 1
    fi
    data=$WEIR_HOME/data/$date.csv
    [ -f "$data" ] || : >"$data"

    temporary take || return 1
    taken=0
    while read -r time level rest; do
        # rubbish at power-up, and the header itself
        case $time in
            [0-2][0-9]:[0-5][0-9]) ;;
            *) continue ;;
        esac
        # there already, from an earlier try of the modem
        if grep -q "$station,$time," "$data" "$TEMPORARY"; then
            continue
        fi
        printf '%s,%s,%s\n' "$station" "$time" "$level" >>"$TEMPORARY"
        taken=$((taken + 1))
    done <"$1"

    new=$data.new
    sort -t, -k1,1n -k2,2 "$data" "$TEMPORARY" >"$new" && mv "$new" "$data"
    say "station $station, $date: $taken readings"
}

# take_spool: all files there, oldest name first
take_spool() {
    result=0
    for file in "$WEIR_HOME"/spool/*.txt; do
        [ -f "$file" ] || continue
        if take_file "$file"; then
            mv "$file" "$WEIR_HOME/spool/done/"
        else
            result=1
        fi
    done
    return $result
}
