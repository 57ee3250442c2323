#!/bin/sh
cd "$(dirname "$0")" || exit 1
exec javac -nowarn -d "${1:-out}" src/pigeonhole/*.java
