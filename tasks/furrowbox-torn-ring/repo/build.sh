#!/bin/sh
cd "$(dirname "$0")" || exit 1
mkdir -p "${1:-target}" && exec rustc --edition 2021 -o "${1:-target}/furrowbox" src/main.rs
