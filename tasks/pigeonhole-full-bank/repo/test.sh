#!/bin/sh
# All tests; ./test.sh OUT puts the classes elsewhere.
cd "$(dirname "$0")" || exit 1
out=${1:-out}
javac -nowarn -d "$out" src/pigeonhole/*.java test/pigeonhole/*.java || exit 1
exec java -XX:TieredStopAtLevel=1 -cp "$out" pigeonhole.AllTests
