. test/expect.sh
mkdir -p "$WEIR_HOME/data"
printf '7,00:00,0812\n7,13:30,0812\n' >"$WEIR_HOME/data/2025-03-04.csv"
expect 'gaps' '7 Holm Mill: 01 02 03 04 05 06 07 08 09 10 11 12 14 15 16 17 18 19 20 21 22 23' \
    "$(sh bin/weirwatch gaps 2025-03-04 | grep '^7')"
done_
