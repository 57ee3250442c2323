. tests/setup.sh

rules 'allow people -> box 22   # 2026-01-01..2026-01-31 NET-1' 'deny any -> any any'
is 'groups are written out' \
    'allow 10.0.1.0/24 10.9.0.1/32 22 2026-01-01 2026-01-31/allow 10.0.2.0/24 10.9.0.1/32 22 2026-01-01 2026-01-31/deny any any any - -' \
    "$(sh "$SLUICE/bin/build" media | tr '\n' '/' | sed 's,/$,,')"
sh "$SLUICE/bin/build" nowhere 2>/dev/null
is 'no such zone' 2 $?
exit $FAILED
