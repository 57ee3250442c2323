. tests/setup.sh

job wiki
nightjar backup wiki 2>/dev/null
equal 'exit code' 0 $?
equal 'archive' 'wiki-20250315.tar.gz' "$(ls "$TMP/dest")"
equal 'content' 'hello' "$(tar -xzOf "$TMP/dest/wiki-20250315.tar.gz" ./file)"

job mail COMPRESS=no
nightjar backup mail 2>/dev/null
equal 'no compression' 'hello' "$(tar -xOf "$TMP/dest/mail-20250315.tar" ./file)"

job broken "SOURCE=$TMP/nowhere"
nightjar backup broken 2>/dev/null
equal 'source is missing' 1 $?

nightjar backup --all 2>/dev/null
equal 'the worst exit code' 1 $?

job odd COMPRESS=maybe
nightjar backup odd 2>/dev/null
equal 'neither yes nor no' 2 $?

exit "$FAILED"
