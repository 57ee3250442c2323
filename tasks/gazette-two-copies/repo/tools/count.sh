#!/bin/sh
# copies by address of a frozen issue: tools/count.sh outbox/2026-02-26-weekly
sed -n 's/.*"to": "\([^"]*\)".*/\1/p' "$1"/*.json | sort | uniq -c | sort -rn
