# Times of day.

# minute_of HH:MM: minutes since midnight; fails for what is no time
minute_of() {
    case $1 in
        [01][0-9]:[0-5][0-9] | 2[0-3]:[0-5][0-9]) ;;
        *) return 1 ;;
    esac
    hours=${1%:*}
    minutes=${1#*:}
    echo $((hours * 60 + minutes))
}
