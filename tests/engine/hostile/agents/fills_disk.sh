echo fixed > app.txt
while :; do head -c 4000000 /dev/zero > "filler-$(cut -c1-8 /proc/sys/kernel/random/uuid)" || sleep 0.1; done
