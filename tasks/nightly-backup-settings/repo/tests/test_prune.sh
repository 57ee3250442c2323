. tests/setup.sh

job wiki KEEP=2
archives wiki 1 5
nightjar prune wiki 2>/dev/null
equal 'exit code' 0 $?
equal 'the newest stay' 'wiki-20250305.tar.gz wiki-20250304.tar.gz' \
    "$(nightjar list wiki | xargs)"

job mail
archives mail 1 9
nightjar prune mail 2>/dev/null
equal 'seven by default' 7 "$(nightjar list mail | wc -l | xargs)"

job empty KEEP=2
nightjar prune empty
equal 'nothing to prune' 0 $?

exit "$FAILED"
