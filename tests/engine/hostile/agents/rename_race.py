"""Children that rename, replace and cut files for as long as they live."""

import contextlib
import os

with open("app.txt", "w") as file:
    file.write("fixed\n")
for child in range(4):
    if os.fork() == 0:
        os.setsid()
        while True:
            with contextlib.suppress(OSError):
                os.rename("keep", f"moved-{child}")
                os.rename(f"moved-{child}", "keep")
                with open("app.txt.tmp", "w") as file:
                    file.write("broken\n" * 1000)
                os.symlink("/etc/passwd", f"link-{child}")
                os.rename(f"link-{child}", "keep/deep/file.txt")
                os.truncate("app.txt.tmp", 3)
os._exit(0)
