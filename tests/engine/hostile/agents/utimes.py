"""Same size, same times, same inode: only the contents differ."""

import os

for path, data in (("app.txt", b"fixed!\n"), ("data/locked.txt", b"opened\n")):
    before = os.stat(path)
    with open(path, "r+b") as file:
        file.write(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
