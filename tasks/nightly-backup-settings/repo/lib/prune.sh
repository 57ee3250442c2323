# Deleting old archives.

# prune_archives JOB
prune_archives() {
    count=0
    # newest first, the date is in the name
    for file in $(ls -r "$DEST/$1"-* 2>/dev/null); do
        count=$((count + 1))
        if [ "$count" -le "$KEEP" ]; then
            continue
        fi
        rm -f "$file"
        say "$1: deleted $file"
    done
}
