cd /
rm -rf /workspace
ln -sfn "$OUTSIDE" /workspace
mv /workspace /tmp/moved
mkdir -p /tmp/workspace && mount --bind /tmp/workspace /workspace
ln -s "$OUTSIDE" /workspace/.git
exit 0
