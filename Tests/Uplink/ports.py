"""Ports of loopback for the servers of one test."""
import socket

held = []


def free_port():
    """A port that is ours until the program ends. A bound socket that does not listen holds it, so no other program is given it, and neither is a
    second of ours.

    A server that sets SO_REUSEADDR (sshd, mosquitto, PostgreSQL, NATS, Erlang's) may listen there all the same; until one does, connections are refused.
    """
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind(("127.0.0.1", 0))
    held.append(one)
    return one.getsockname()[1]
