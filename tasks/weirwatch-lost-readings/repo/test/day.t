. test/expect.sh
mkdir -p "$WEIR_HOME/data"
printf '2,10:00,0310\n2,11:00,0301\n7,00:00,0812\n7,25:00,0001\n' >"$WEIR_HOME/data/2025-03-04.csv"
expect 'offset' '2 Lower Lock n=2 min=51 max=60 mean=55' "$(sh bin/weirwatch day 2025-03-04 | grep '^2 L')"
expect 'no reading' '20 Tide Gate n=0' "$(sh bin/weirwatch day 2025-03-04 | grep '^20')"
expect 'no such time' '7 Holm Mill n=1 min=1203 max=1203 mean=1203' "$(sh bin/weirwatch day 2025-03-04 | grep '^7')"
sh bin/weirwatch day 1999-01-01 2>/dev/null
expect 'no such day' 1 $?
done_
