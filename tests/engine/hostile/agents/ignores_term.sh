trap '' TERM INT HUP QUIT PIPE
echo fixed > app.txt
while :; do sleep 600; done
