#!/bin/sh
# Compiles into out/ and runs the test.
set -e
cd "$(dirname "$0")"
javac -d out $(find src -name '*.java')
java -ea -cp out landfall.HarbourTest
