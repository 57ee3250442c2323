bad=0
flat() { tr '\n' ' ' | sed 's/ $//'; }
expect() {
    [ "$2" = "$3" ] && return
    printf '%s\n  expected %s\n  got      %s\n' "$1" "$2" "$3"
    bad=1
}
done_() { exit $bad; }
