# level_of TEXT: a padded level as a number; fails for rubbish
level_of() {
    case $1 in
        [0-9][0-9][0-9][0-9] | -[0-9][0-9][0-9]) ;;
        *) return 1 ;;
    esac
    # "0812" would be octal
    echo $((${1#0}))
}
