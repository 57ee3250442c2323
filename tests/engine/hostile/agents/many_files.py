"""Thousands of empty files."""

import os

os.mkdir("many")
for number in range(3000):
    os.close(os.open(f"many/{number}", os.O_CREAT | os.O_WRONLY))
with open("app.txt", "w") as file:
    file.write("fixed\n")
