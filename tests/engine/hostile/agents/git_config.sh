# whatever a git that comes by may be told to run
echo fixed > app.txt
for key in core.fsmonitor core.pager core.sshCommand core.editor core.gitProxy diff.external \
    diff.evil.command diff.evil.textconv filter.evil.clean filter.evil.smudge filter.evil.process \
    merge.evil.driver gpg.program core.hooksPath credential.helper alias.status alias.diff-tree \
    uploadpack.packObjectsHook sequence.editor; do
    git config "$key" "$OUTSIDE/run.sh"
done
echo '* filter=evil diff=evil merge=evil' > .gitattributes
echo '* filter=evil diff=evil' > .git/info/attributes
