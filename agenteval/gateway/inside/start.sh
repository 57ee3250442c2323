# sh start.sh FOLDER SOCKET PORT COMMAND...: opens the way to the gateway, then becomes the command.
folder=$1 socket=$2 port=$3
shift 3

works() {
    found=$(command -v "$1" 2>/dev/null) || return 1
    case $found in
    /usr/bin/* | /bin/* | /usr/local/bin/*) return 0 ;;
    *) "$@" >/dev/null 2>&1 ;; # what is elsewhere may be a stand-in for nothing
    esac
}

fail() {
    echo "agenteval: $1" >&2
    exit 125
}

if works python3 -c ''; then
    exec python3 -I -S "$folder/forwarder.py" "$socket" "$port" "$@"
elif works node -e ''; then
    # the substitution ends when the forwarder closes its output
    said=$( (trap '' TERM INT HUP; exec node "$folder/forwarder.mjs" "$socket" "$port" </dev/null 2>/dev/null) & )
    [ "$said" = ready ] || fail "node does not open port $port"
elif works socat -V; then
    (trap '' TERM INT HUP; exec socat "TCP-LISTEN:$port,bind=127.0.0.1,reuseaddr,nodelay,fork" "UNIX-CONNECT:$socket" </dev/null >/dev/null 2>&1) &
    until socat -u /dev/null "TCP:127.0.0.1:$port" 2>/dev/null; do
        kill -0 $! 2>/dev/null || fail "socat does not open port $port"
        sleep 0.02
    done
elif works perl -e 1; then
    exec perl "$folder/forwarder.pl" "$socket" "$port" "$@"
else
    fail "the way to the model needs python3, node, socat or perl in the sandbox; add one of them to the image"
fi
exec "$@"
