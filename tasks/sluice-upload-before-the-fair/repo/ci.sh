#!/bin/sh
# What the merge job runs.
cd "$(dirname "$0")" || exit 2
sh bin/check && sh tests/run.sh
