# Messages. stdout is for results (list, config), everything else goes to stderr.

say() {
    echo "nightjar: $*" >&2
}

complain() {
    echo "nightjar: error: $*" >&2
}
