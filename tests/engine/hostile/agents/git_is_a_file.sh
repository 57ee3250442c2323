echo fixed > app.txt
rm -rf .git
echo "gitdir: $OUTSIDE" > .git
