echo fixed > app.txt
for name in .GIT .Git .gIt; do
    mkdir -p "$name/hooks"
    printf '[core]\n\tfsmonitor = %s/run.sh\n' "$OUTSIDE" > "$name/config"
done
mkdir 'GIT~1' keep/.GIT
echo x > 'GIT~1/config'
echo x > keep/.GIT/config
