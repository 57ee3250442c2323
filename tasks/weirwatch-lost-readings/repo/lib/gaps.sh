# gaps DATE: "7 Holm Mill: 08 09", the hours without a reading. Stations that have
# all 24 are not listed.
gaps() {
    if [ ! -f "$WEIR_HOME/data/$1.csv" ]; then
        complain "no data of $1"
        return 1
    fi
    while IFS='|' read -r id name offset; do
        seen=
        while IFS=, read -r station time level; do
            [ "$station" = "$id" ] || continue
            minute=$(minute_of "$time" 2>/dev/null) || continue
            seen="$seen $((minute / 60)) "
        done <"$WEIR_HOME/data/$1.csv"
        missing=
        hour=0
        while [ "$hour" -lt 24 ]; do
            case $seen in
                *" $hour "*) ;;
                *) missing="$missing $(printf %02d "$hour")" ;;
            esac
            hour=$((hour + 1))
        done
        [ -z "$missing" ] || echo "$id $name:$missing"
    done <"$WEIR_HOME/etc/stations.list"
}
