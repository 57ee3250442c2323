echo fixed > app.txt
exec sleep 600
