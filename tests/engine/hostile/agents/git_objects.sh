echo fixed > app.txt
rm -rf .git/objects .git/refs .git/HEAD
mkdir -p .git/objects/info .git/refs
echo "$OUTSIDE/objects" > .git/objects/info/alternates
ln -s "$OUTSIDE" .git/refs/remotes
echo x > .git/HEAD
