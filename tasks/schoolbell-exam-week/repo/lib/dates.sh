# Dates without date(1), which differs from box to box.

# is_date TEXT
is_date() {
    case $1 in
        [0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]) ;;
        *) return 1 ;;
    esac
}

# split_date DATE: sets Y, M and D as decimal numbers
split_date() {
    Y=${1%%-*}
    M=${1#*-}
    M=${M%-*}
    D=${1##*-}
    # 08 would be octal
    M=${M#0}
    D=${D#0}
}

# number_of DATE: sets NUMBER to YYYYMMDD, for comparing
number_of() {
    split_date "$1"
    NUMBER=$((Y * 10000 + M * 100 + D))
}

# weekday_of DATE: sets WEEKDAY to mon ... sun
weekday_of() {
    split_date "$1"
    if [ "$M" -lt 3 ]; then
        M=$((M + 12))
        Y=$((Y - 1))
    fi
    case $(((D + 13 * (M + 1) / 5 + Y + Y / 4 - Y / 100 + Y / 400) % 7)) in
        0) WEEKDAY=sat ;;
        1) WEEKDAY=sun ;;
        2) WEEKDAY=mon ;;
        3) WEEKDAY=tue ;;
        4) WEEKDAY=wed ;;
        5) WEEKDAY=thu ;;
        6) WEEKDAY=fri ;;
    esac
}

# next_day DATE: sets NEXT
next_day() {
    split_date "$1"
    case $M in
        4 | 6 | 9 | 11) last=30 ;;
        2)
            last=28
            if [ $((Y % 4)) -eq 0 ] && { [ $((Y % 100)) -ne 0 ] || [ $((Y % 400)) -eq 0 ]; }; then
                last=29
            fi
            ;;
        *) last=31 ;;
    esac
    D=$((D + 1))
    if [ "$D" -gt "$last" ]; then
        D=1
        M=$((M + 1))
    fi
    if [ "$M" -gt 12 ]; then
        M=1
        Y=$((Y + 1))
    fi
    [ "$M" -gt 9 ] || M=0$M
    [ "$D" -gt 9 ] || D=0$D
    NEXT=$Y-$M-$D
}
