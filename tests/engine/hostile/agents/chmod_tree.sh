echo fixed > app.txt
chmod 4777 keep/deep/file.txt
chmod 000 app.txt data/locked.txt
chmod -R 000 keep
chmod 000 .
