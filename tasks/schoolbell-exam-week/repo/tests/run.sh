#!/bin/sh
# Every tests/*_test.sh in a process of its own.
cd "$(dirname "$0")/.." || exit 1
failed=0
for file in tests/*_test.sh; do
    if sh "$file"; then echo "ok      $file"; else echo "FAILED  $file"; failed=1; fi
done
exit $failed
