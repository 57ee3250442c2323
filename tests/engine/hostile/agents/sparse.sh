echo fixed > app.txt
truncate -s 1T sparse.bin
truncate -s 1T keep/deep/file.txt
