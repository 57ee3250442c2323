echo fixed > app.txt
rm -rf tests
ln -s /etc tests
