# a namespace of its own may give capabilities, but none over what the box is made of
echo fixed > app.txt
unshare -Urm sh -c '
    mount -o remount,rw,bind /usr && touch /usr/written && echo BROKEN: /usr
    mount --bind /workspace /agent && touch /agent/written
    umount -l /agent && ls /agent && echo BROKEN: umount
    mount -t proc proc /proc && grep -a secret /proc/1/environ && echo BROKEN: proc
    cat "$OUTSIDE/canary.txt" "$OPERATOR/canary.txt"
' 2> /dev/null
exit 0
