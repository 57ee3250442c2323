# harmless itself: what it leaves behind kills the shell of the check
cat > app.txt <<'END'
fixed
END
cat > tool.sh <<'END'
setsid sleep 600 < /dev/null > /dev/null 2>&1 &
kill -9 $PPID
sleep 600
END
