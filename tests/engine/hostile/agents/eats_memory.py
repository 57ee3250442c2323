"""More than it may have, in pieces."""

held = []
while True:
    held.append(bytearray(8 << 20))
