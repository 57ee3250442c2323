echo fixed > app.txt
kill -9 $PPID 1 2> /dev/null
kill -TERM $PPID 1 2> /dev/null
kill -STOP $PPID 1 2> /dev/null
exit 0
