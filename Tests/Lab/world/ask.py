#!/usr/bin/env python3
"""Says something to a running world: ask.py SOCKET COMMAND [WORD...]. Exit status 1 if the world said no."""
import socket
import sys


def ask(path, *words, timeout=60):
    """The world's answer without its `ok`; raises RuntimeError for a no."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(timeout)
        client.connect(path)
        client.sendall((" ".join(str(word) for word in words) + "\n").encode())
        answer = client.makefile("r").readline().rstrip("\n")
    if answer == "ok" or answer.startswith("ok "):
        return answer[3:]
    raise RuntimeError(answer or "the world said nothing")


if __name__ == "__main__":
    try:
        print(ask(sys.argv[1], *sys.argv[2:]))
    except (RuntimeError, OSError) as problem:
        sys.exit(str(problem))
