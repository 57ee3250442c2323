. tests/setup.sh

job wiki KEEP=14
equal 'job file over nightjar.conf over built in' \
    "SOURCE=$TMP/src DEST=$TMP/dest KEEP=14 COMPRESS=yes" \
    "$(nightjar config wiki | xargs)"

job quoted 'SOURCE="/srv/two words"' 'KEEP=5 # for now'
equal 'quotes and comments' 'SOURCE=/srv/two words KEEP=5' \
    "$(nightjar config quoted | grep -E 'SOURCE|KEEP' | xargs)"

nightjar config nosuch 2>/dev/null
equal 'no such job' 2 $?

nightjar config 2>/dev/null
equal 'usage' 2 $?

# what we ship
NIGHTJAR_ETC=etc
equal 'accounts' 'SOURCE=/srv/accounts DEST=/mnt/vault/accounts KEEP=60 COMPRESS=yes' \
    "$(nightjar config accounts | xargs)"
equal 'projects' 'SOURCE=/srv/projects DEST=/var/backups/nightjar KEEP=7 COMPRESS=yes' \
    "$(nightjar config projects | xargs)"

exit "$FAILED"
