# Settings of a job: SOURCE, DEST, KEEP, COMPRESS.

NIGHTJAR_CONF_READ=

# load_config JOB
load_config() {
    if [ ! -f "$NIGHTJAR_ETC/jobs.d/$1.conf" ]; then
        complain "no job '$1' in $NIGHTJAR_ETC/jobs.d"
        return 2
    fi

    # built in, or from the environment
    : "${SOURCE=${NIGHTJAR_SOURCE-}}"
    : "${DEST=${NIGHTJAR_DEST-/var/backups}}"
    : "${KEEP=${NIGHTJAR_KEEP-7}}"
    : "${COMPRESS=${NIGHTJAR_COMPRESS-yes}}"

    # once is enough, it is the same for all jobs (and slow on the NAS)
    if [ -z "$NIGHTJAR_CONF_READ" ] && [ -f "$NIGHTJAR_ETC/nightjar.conf" ]; then
        . "$NIGHTJAR_ETC/nightjar.conf"
        NIGHTJAR_CONF_READ=yes
    fi

    . "$NIGHTJAR_ETC/jobs.d/$1.conf"
}

# all_jobs: their names, in alphabetical order
all_jobs() {
    for file in "$NIGHTJAR_ETC"/jobs.d/*.conf; do
        [ -f "$file" ] && basename "$file" .conf
    done
}

# show_config JOB
show_config() {
    echo "SOURCE=$SOURCE"
    echo "DEST=$DEST"
    echo "KEEP=$KEEP"
    echo "COMPRESS=$COMPRESS"
}
