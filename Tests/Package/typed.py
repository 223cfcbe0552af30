#!/usr/bin/env python3
"""What fish offers to a person at a terminal.

    typed.py SCRIPT WORDS...     starts fish with the completions of SCRIPT, asks it what may follow WORDS and a space, prints the screen

Without a terminal fish 3.6 knows no cursor, and the completions that are generated ask it for theirs. Ends when no output has come for four seconds, after 20
s at most.
"""

import os
import pty
import select
import sys
import time

script, words = sys.argv[1], " ".join(sys.argv[2:])
child, terminal = pty.fork()
if child == 0:
    os.environ.update(TERM="dumb", COLUMNS="120", LINES="40")
    os.execvp("fish", ["fish", "--no-config", "--private", "--init-command", f"source {script}"])
end, quiet, shown, typed = time.monotonic() + 20, time.monotonic(), b"", False
while time.monotonic() < end:
    if select.select([terminal], [], [], 0.2)[0]:
        try:
            shown += os.read(terminal, 4096)
        except OSError:
            break
        quiet = time.monotonic()
    # What comes before fish reads is lost: it is typed when the prompt has come to rest.
    elif time.monotonic() - quiet > (4 if typed else 2):
        if typed:
            break
        os.write(terminal, f'complete -C "{words} "\r'.encode())
        typed, quiet = True, time.monotonic()
os.kill(child, 9)
print(shown.decode(errors="replace").replace("\r", "\n"))
