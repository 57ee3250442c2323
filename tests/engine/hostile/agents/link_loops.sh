echo fixed > app.txt
rm -rf keep/deep
ln -s ../keep keep/deep
ln -s self self
ln -s b a
ln -s a b
ln -s . here
ln -s /proc/self/root root
ln -s /proc/self/fd/0 input
