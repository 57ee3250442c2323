exec >&- 2>&- <&-
echo fixed > app.txt
sleep 600
