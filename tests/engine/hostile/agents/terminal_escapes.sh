printf '\033]0;owned\007\033[2J\033[31mall checks passed\033[0m\r\n\000\377\n'
printf '\033]52;c;b3duZWQ=\007\033[8mgone\n' >&2
exit 3
