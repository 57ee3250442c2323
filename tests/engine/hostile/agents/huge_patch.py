"""More than a patch can hold, beside a small change that it must."""

import os

with open("app.txt", "w") as file:
    file.write("fixed\n")
block = os.urandom(1 << 20)
for name, count in (("a.bin", 3), ("b.bin", 130)):
    with open(name, "wb") as file:
        for _ in range(count):
            file.write(block)
