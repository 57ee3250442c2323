echo fixed > app.txt
head -c 5000000000 /dev/zero
