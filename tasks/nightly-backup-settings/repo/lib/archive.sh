# Making and listing archives.

today() {
    echo "${NIGHTJAR_TODAY:-$(date +%Y%m%d)}"
}

# make_archive JOB
make_archive() {
    if [ ! -d "$SOURCE" ]; then
        complain "$1: no folder '$SOURCE'"
        return 1
    fi
    mkdir -p "$DEST" || return 1

    name=$1-$(today)
    case $COMPRESS in
        yes) file=$name.tar.gz; flags=-czf ;;
        no) file=$name.tar; flags=-cf ;;
        *) complain "$1: COMPRESS is '$COMPRESS', want yes or no"; return 2 ;;
    esac

    # .part first, so that nobody ever sees half an archive
    if tar "$flags" "$DEST/$file.part" -C "$SOURCE" . ; then
        mv "$DEST/$file.part" "$DEST/$file"
        say "$1: $DEST/$file"
    else
        rm -f "$DEST/$file.part"
        complain "$1: tar failed"
        return 1
    fi
}

# list_archives JOB: newest first
list_archives() {
    for file in "$DEST/$1"-*; do
        [ -f "$file" ] && echo "${file##*/}"
    done | sort -r
}
