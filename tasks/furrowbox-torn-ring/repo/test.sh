#!/bin/sh
cd "$(dirname "$0")" || exit 1
mkdir -p "${1:-target}" || exit 1
rustc --edition 2021 --test -o "${1:-target}/tests" src/main.rs || exit 1
exec "${1:-target}/tests" --quiet
