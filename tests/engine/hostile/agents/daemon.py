"""Double fork, a session of its own, every signal ignored; then the agent ends as if nothing were."""

import os
import signal
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        os.closerange(0, 256)
        time.sleep(600)
    os._exit(0)
os.wait()
with open("app.txt", "w") as file:
    file.write("fixed\n")
