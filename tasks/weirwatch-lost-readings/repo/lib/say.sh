say() { [ -n "${WEIR_QUIET-}" ] || printf 'weirwatch: %s\n' "$*" >&2; }
complain() { printf 'weirwatch: %s\n' "$*" >&2; }
