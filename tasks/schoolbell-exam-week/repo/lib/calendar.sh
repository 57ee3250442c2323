# Which plan a day has.

# plan_of DATE: sets PLAN, fails if no line fits
plan_of() {
    weekday_of "$1"
    number_of "$1"
    day=$NUMBER
    while read -r from until days plan rest; do
        case $from in
            '' | '#'*) continue ;;
            '*') ;;
            *)
                number_of "$from"
                [ "$day" -ge "$NUMBER" ] || continue
                ;;
        esac
        if [ "$until" != '*' ]; then
            number_of "$until"
            [ "$day" -lt "$NUMBER" ] || continue
        fi
        case ,$days, in
            ,\*, | *,"$WEEKDAY",*) ;;
            *) continue ;;
        esac
        PLAN=$plan
        return 0
    done <"$BELLS_HOME/calendar"
    return 1
}

# bells_of PLAN: its lines without comments
bells_of() {
    sed -e 's/[[:space:]]*#.*//' -e '/^$/d' "$BELLS_HOME/plans/$1"
}
