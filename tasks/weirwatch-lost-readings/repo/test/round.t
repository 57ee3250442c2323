. test/expect.sh
printf '# station 7 2025-03-04\n00:00 0812\n' >"$WEIR_HOME/spool/a.txt"
sh bin/weirwatch round
expect 'round' 0 $?
expect 'sheet' '7 Holm Mill n=1 min=1203 max=1203 mean=1203' "$(grep '^7' "$WEIR_HOME/out/2025-03-04.txt")"
expect 'spool' 'done' "$(ls "$WEIR_HOME/spool")"
rm -rf "$WEIR_HOME/tmp/lock"
mkdir -p "$WEIR_HOME/tmp/lock"
echo $$ >"$WEIR_HOME/tmp/lock/pid"
sh bin/weirwatch round 2>/dev/null
expect 'another round' 3 $?
done_
