rm app.txt
mkfifo app.txt
