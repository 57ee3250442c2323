# The daily sheet of the water board.

# mean_of SUM COUNT: rounded down, also below zero (the shell rounds to zero)
mean_of() {
    quotient=$(($1 / $2))
    if [ "$1" -lt 0 ] && [ $(($1 % $2)) -ne 0 ]; then
        quotient=$((quotient - 1))
    fi
    echo "$quotient"
}

# station_line DATE ID NAME OFFSET
station_line() {
    n=0 sum=0 min=99999 max=0
    while IFS=, read -r station time level; do
        [ "$station" = "$2" ] || continue
        # readings at impossible times were in the data of 2020
        minute_of "$time" >/dev/null 2>&1 || continue
        value=$(level_of "$level" 2>/dev/null) || continue
        value=$((value + $4))
        n=$((n + 1))
        sum=$((sum + value))
        [ "$value" -lt "$min" ] && min=$value
        [ "$value" -gt "$max" ] && max=$value
    done <"$WEIR_HOME/data/$1.csv"
    if [ "$n" -eq 0 ]; then
        echo "$2 $3 n=0"
    else
        echo "$2 $3 n=$n min=$min max=$max mean=$(mean_of "$sum" "$n")"
    fi
}

# sheet DATE
sheet() {
    if [ ! -f "$WEIR_HOME/data/$1.csv" ]; then
        complain "no data of $1"
        return 1
    fi
    while IFS='|' read -r id name offset; do
        station_line "$1" "$id" "$name" "$offset"
    done <"$WEIR_HOME/etc/stations.list"
}
