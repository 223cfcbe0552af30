"""The other peers of `hearth-bench notify`: hubs in Python with the standard library alone.

  python3 peer.py hub|least DESCRIPTOR NOTIFICATIONS COMMIT_EVERY DIRECTORY

- hub: a hub in Python as it would be: an asyncio loop that could serve many wearables, one INSERT per sample.
- least: the least Python can do: a blocking recv for one wearable, rows kept in a list, one statement per commit.

Both use WAL and synchronous=FULL, so that a commit is as durable as LMDB's, and print the same line as the C peer.
"""

import asyncio
import resource
import socket
import sqlite3
import struct
import sys
import time

HEART_RATE, RR_INTERVAL = 1, 2
INSERT = "INSERT INTO sample VALUES (?, ?, ?)"
u16 = struct.Struct("<H").unpack_from


def cpu_ns():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return int((usage.ru_utime + usage.ru_stime) * 1e9)


def open_store(directory):
    store = sqlite3.connect(directory + "/peer.sqlite", isolation_level=None)
    store.execute("PRAGMA journal_mode=WAL")
    store.execute("PRAGMA synchronous=FULL")
    store.execute("CREATE TABLE sample (time INTEGER NOT NULL, series INTEGER NOT NULL, value INTEGER NOT NULL)")
    return store


def decode(pdu, take):
    """A Handle Value Notification with a Heart Rate Measurement; anything else is left out."""
    if len(pdu) < 5 or pdu[0] != 0x1B:
        return
    now = time.time_ns()
    flags, offset = pdu[3], 5
    if flags & 0x01:
        rate, offset = u16(pdu, 4)[0], 6
    else:
        rate = pdu[4]
    if flags & 0x08:
        offset += 2
    take((now, HEART_RATE, rate))
    if flags & 0x10:
        while offset + 2 <= len(pdu):
            take((now, RR_INTERVAL, u16(pdu, offset)[0]))
            offset += 2


class Hub:
    def __init__(self, channel, wanted, commit_every, store):
        self.channel, self.left, self.commit_every, self.store = channel, wanted, commit_every, store
        self.pending, self.commits, self.begun = 0, 0, None
        self.done = asyncio.get_running_loop().create_future()
        store.execute("BEGIN")

    def readable(self):
        pdu = self.channel.recv(1024)
        if self.begun is None:
            self.begun = cpu_ns()
        decode(pdu, self.take)
        self.pending += 1
        self.left -= 1
        if self.pending == self.commit_every or self.left == 0:
            self.store.execute("COMMIT")
            self.commits += 1
            self.pending = 0
            if self.left == 0:
                self.done.set_result(cpu_ns() - self.begun)
            else:
                self.store.execute("BEGIN")

    def take(self, row):
        self.store.execute(INSERT, row)


async def run_hub(channel, wanted, commit_every, store):
    channel.setblocking(False)
    hub = Hub(channel, wanted, commit_every, store)
    asyncio.get_running_loop().add_reader(channel, hub.readable)
    spent = await hub.done
    asyncio.get_running_loop().remove_reader(channel)
    return spent, hub.commits


def run_least(channel, wanted, commit_every, store):
    rows, commits, begun = [], 0, None
    for count in range(1, wanted + 1):
        pdu = channel.recv(1024)
        if begun is None:
            begun = cpu_ns()
        decode(pdu, rows.append)
        if count % commit_every == 0 or count == wanted:
            store.execute("BEGIN")
            store.executemany(INSERT, rows)
            store.execute("COMMIT")
            rows.clear()
            commits += 1
    return cpu_ns() - begun, commits


def main():
    kind, descriptor, wanted, commit_every, directory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    channel = socket.socket(fileno=descriptor)
    store = open_store(directory)
    if kind == "hub":
        spent, commits = asyncio.run(run_hub(channel, wanted, commit_every, store))
    else:
        spent, commits = run_least(channel, wanted, commit_every, store)

    def total(series):
        return store.execute("SELECT count(*), coalesce(sum(value), 0) FROM sample WHERE series = ?", (series,)).fetchone()

    (rates, rate_sum), (intervals, interval_sum) = total(HEART_RATE), total(RR_INTERVAL)
    print(f"cpu_ns={spent} commits={commits} rates={rates} rate_sum={rate_sum} intervals={intervals} interval_sum={interval_sum}")


main()
