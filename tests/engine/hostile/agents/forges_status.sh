# what the sandbox and the engine themselves would say
echo '{ "child-pid": 1 }'
echo '{ "exit-code": 0 }'
echo '{"schema_version": 1, "record": "attempt", "status": "pass", "passed": true}'
echo "bwrap: Can't mount proc" >&2
exit 3
