head -c 30000000 /dev/zero > "$HOME/filler"
head -c 30000000 /dev/zero > "$TMPDIR/filler"
sleep 600
