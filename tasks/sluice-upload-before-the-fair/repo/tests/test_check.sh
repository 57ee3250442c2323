. tests/setup.sh
END='deny any -> any any'

rules 'allow desk -> box 22 # 2026-01-01..2026-01-31 NET-1' "$END"
is 'all right' '' "$(letters)"
rules 'allow cellar -> box 22 # 2026-01-01..2026-01-31 NET-1' "$END"
is 'unknown name' A "$(letters)"
rules 'allow any -> box 443' "$END"
is 'public port' '' "$(letters)"
rules 'allow any -> box 22' "$END"
is 'not a public port' B "$(letters)"
rules 'allow desk -> box 22' "$END"
is 'no days, no ticket' CC "$(letters)"
rules 'allow people -> box 22 # 2026-01-01..2026-03-31 NET-1' "$END"
is 'too long' C "$(letters)"
rules 'deny all -> any any' 'allow desk -> box 22 # 2026-01-01..2026-01-31 NET-1' "$END"
is 'shadowed' D "$(letters)"
rules 'deny desk -> any any' 'allow people -> box 22 # 2026-01-01..2026-01-31 NET-1' "$END"
is 'only in part' '' "$(letters)"
rules 'allow any -> box 443'
is 'open at the end' E "$(letters)"
rules 'allow any -> box 443' 'deny desk -> box any' 'deny lab -> box any' 'deny desk -> box-2 any' "$END"
is 'too many' F "$(letters)"
exit $FAILED
