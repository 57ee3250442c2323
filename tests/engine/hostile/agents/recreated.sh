for file in keep/deep/file.txt data/locked.txt; do
    cp "$file" "$TMPDIR/saved"
    rm "$file"
    cat "$TMPDIR/saved" > "$file"
done
rm app.txt
mkdir app.txt
rmdir app.txt
echo fixed > app.txt
