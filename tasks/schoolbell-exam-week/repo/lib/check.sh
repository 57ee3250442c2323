# What `bells check` complains about.

complain() {
    echo "bells: $*" >&2
    BAD=1
}

check_plan() {
    before=
    while read -r time tune rest; do
        case $time in
            [01][0-9]:[0-5][0-9] | 2[0-3]:[0-5][0-9]) ;;
            *)
                complain "plans/$1: no time: $time"
                continue
                ;;
        esac
        case $tune$rest in
            long | short | soft) ;;
            *) complain "plans/$1: $time: no tune: $tune $rest" ;;
        esac
        # as numbers, with a 1 in front because of 08
        now=1${time%:*}${time#*:}
        if [ -n "$before" ] && [ "$now" -le "$before" ]; then
            complain "plans/$1: $time is not after the bell before"
        fi
        if [ "$now" -ge 11215 ] && [ "$now" -lt 11315 ] && [ "$tune" != soft ]; then
            complain "plans/$1: $time: the kindergarten sleeps, only soft"
        fi
        before=$now
    done <<BELLS
$(bells_of "$1")
BELLS
}

check_line() {
    for limit in "$1" "$2"; do
        [ "$limit" = '*' ] || is_date "$limit" || complain "calendar: no date: $limit"
    done
    if is_date "$1" && is_date "$2"; then
        number_of "$1"
        first=$NUMBER
        number_of "$2"
        [ "$first" -lt "$NUMBER" ] || complain "calendar: $1 $2: for no day at all"
    fi
    [ -f "$BELLS_HOME/plans/$4" ] || complain "calendar: no plan $4"
}

check_all() {
    BAD=0
    for file in "$BELLS_HOME"/plans/*; do
        plan=${file##*/}
        [ -z "$(bells_of "$plan")" ] || check_plan "$plan"
    done
    while read -r from until days plan rest; do
        case $from in
            '' | '#'*) continue ;;
        esac
        check_line "$from" "$until" "$days" "$plan"
    done <"$BELLS_HOME/calendar"
    return $BAD
}
