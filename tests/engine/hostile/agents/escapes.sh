# every way out that needs a privilege; each must fail, and what works prints BROKEN
echo fixed > app.txt
try() { "$@" > /dev/null 2>&1 && echo "BROKEN: $*"; }
try nsenter -t 1 -m -p true
try nsenter --mount=/proc/1/ns/mnt true
try mount -t tmpfs none /mnt
try mount -o remount,rw /usr
try umount -l /workspace
try chroot / true
try mknod null c 1 3
try touch /usr/written
try sh -c 'echo 1 > /proc/sys/kernel/panic'
try sh -c 'echo b > /proc/sysrq-trigger'
try sh -c 'echo x > /proc/1/mem'
try hostname other
try date -s 2001-01-01
try sh -c 'ls /sys/fs/cgroup/* | grep .'
exit 0
