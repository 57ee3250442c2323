echo fixed > app.txt
(
    trap '' TERM HUP INT
    exec > /dev/null 2>&1
    while :; do
        echo broken > app.txt.new
        mv app.txt.new late.txt
        echo x >> "$HOME/late"
    done
) &
exit 0
