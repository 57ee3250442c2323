. test/expect.sh
printf '# station 7 2025-03-04\n@@?\n00:00 0812\n00:15 0809\n' >"$WEIR_HOME/a.txt"
sh bin/weirwatch take "$WEIR_HOME/a.txt"
expect 'taken' '7,00:00,0812 7,00:15,0809' "$(flat <"$WEIR_HOME/data/2025-03-04.csv")"
printf '# station 7 2025-03-04\n00:15 0999\n00:30 0805\n' >"$WEIR_HOME/a.txt"
sh bin/weirwatch take "$WEIR_HOME/a.txt"
expect 'taken once' '7,00:00,0812 7,00:15,0809 7,00:30,0805' "$(flat <"$WEIR_HOME/data/2025-03-04.csv")"
echo rubbish >"$WEIR_HOME/b.txt"
sh bin/weirwatch take "$WEIR_HOME/b.txt" 2>/dev/null
expect 'no header' 1 $?
done_
