BAD=0
expect() {
    [ "$2" = "$3" ] && return
    printf '%s\n  expected %s\n  got      %s\n' "$1" "$2" "$3"
    BAD=1
}
