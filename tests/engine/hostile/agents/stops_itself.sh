echo fixed > app.txt
(sleep 600) &
kill -STOP $! $$
