echo fixed > app.txt
head -c 2000000000 /dev/zero > /dev/shm/filler
for place in / /dev /run /usr /etc /proc /agent; do head -c 1000 /dev/zero > "$place/filler"; done
exit 0
