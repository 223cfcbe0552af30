#!/usr/bin/env python3
"""Prints what each format costs: rows, seconds, bytes beside CSV, and memory. Then rows a second over a hub's socket, and its longest turn meanwhile.

    figures.py --programs DIR [--days N] [--wearables N] [--store FOLDER]

The store is made here: a heart rate and an interval a second and wearable, a week of eight. FOLDER is another one, at rest. Figures of a test build
(.build-tests) are too high, as it checks its assertions: those that count are of `swift build -c release`. Exit status 1 if a program fails, or
if one format lacks rows.
"""
import argparse
import fcntl
import json
import os
import pathlib
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

import duckdb

import chunks
import hearthstore
import making
import test_parquet
import test_store

SECOND = 1_000_000
# Items of a chunk; it must fit one page.
ITEMS = 700
# Of a reply that others follow (Varlink).
CONTINUES = re.compile(rb'"continues": ?true')


def ring(wearable, series, seconds, source):
    """(key, value) of each chunk of a ring, with an item a second."""
    level = source.randint(60, 120)
    for first in range(0, seconds, ITEMS):
        items = []
        for second in range(first, min(first + ITEMS, seconds)):
            level = min(180, max(45, level + source.randint(-1, 1)))
            value = level if series == 1 else 61_440 // level + source.randint(-20, 20)
            items.append(chunks.Item(test_store.T + second * SECOND + source.randrange(0, 20_000, 1000), 0, (value,), b""))
        yield making.ring_chunk(making.live(wearable, series), first, items, items[-1].time, [(making.LINE, 3), "constant", (making.FRAME, 0)])


def make_store(folder, wearables, seconds):
    """Rows in it."""
    tables = dict.fromkeys(hearthstore.TABLES, {}) | {"rings": {}, "chunks": {}, "registry": {}}
    for wearable in range(1, wearables + 1):
        tables["registry"][test_store.u32(wearable)] = test_store.wearable(wearable, f"strap-{wearable:02}")
        for series in 1, 2:
            made = list(ring(wearable, series, seconds, random.Random(wearable * 10 + series)))
            tables["chunks"] |= dict(made)
            tables["rings"][making.live(wearable, series).key] = making.ring_row(made)
    folder.mkdir()
    making.store(folder, tables, 6)
    return 2 * wearables * seconds


class Costs:
    """Figures of one or several runs of a program."""

    def __init__(self):
        self.seconds, self.bytes, self.lines, self.peak = 0.0, 0, 0, 0

    def run(self, command, output=None):
        """`output`: the file that takes its bytes; else they are counted."""
        begin = time.monotonic()
        with subprocess.Popen(command, stdout=output or subprocess.PIPE, stderr=subprocess.PIPE) as running:
            if output is None:
                fcntl.fcntl(running.stdout, fcntl.F_SETPIPE_SZ, 1 << 20)
                while piece := running.stdout.read1(1 << 20):
                    self.bytes += len(piece)
                    self.lines += piece.count(b"\n")
            said = running.stderr.read()
            _, status, usage = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
        self.seconds += time.monotonic() - begin
        self.peak = max(self.peak, usage.ru_maxrss)
        if running.returncode:
            raise SystemExit(f"{' '.join(map(str, command))}: {said.decode(errors='replace')}")
        return self


def table(hearth, store, scratch):
    """Prints a line for each format."""
    ask = [hearth, "--store", store, "export"]
    ndjson = scratch / "all.ndjson"
    with open(ndjson, "wb") as file:
        Costs().run(ask, file)
    devices = names(hearth, store)
    csv = Costs().run([*ask, "--format", "csv"])
    rows = csv.lines - 1
    print(f"{rows:,} rows of {len(devices)} wearables\n")
    print(f"{'format':24} {'seconds':>8} {'rows/s':>12} {'MB':>9} {'of CSV':>8} {'memory MB':>10}")

    def show(name, costs):
        print(f"{name:24} {costs.seconds:8.1f} {rows / costs.seconds:12,.0f} {costs.bytes / 1e6:9.1f} {costs.bytes / csv.bytes:8.1%} {costs.peak / 1024:10.1f}")
    show("csv", csv)
    lines = Costs().run(ask)
    show("ndjson", lines)
    if lines.lines != rows:
        raise SystemExit(f"NDJSON has {lines.lines} rows, CSV {rows}")
    for name, words in (("csv --explode --no-raw", ["--format", "csv", "--explode", "--no-raw"]), ("csv-wide, a minute", ["--format", "csv-wide", "--every", "1m"]),
                        ("fhir", ["--format", "fhir"]), ("fhir-bundle", ["--format", "fhir-bundle"])):
        show(name, Costs().run([*ask, *words]))
    for form, words in (("rr", ["--series", "rr_interval"]), ("edf", []), ("fit", [])):
        costs = Costs()
        for device in devices:
            costs.run([*ask, "--format", form, "--device", device, *words])
        show(f"{form}, a file each", costs)
    parquet, begin = Costs(), time.monotonic()
    here = os.getcwd()
    os.chdir(scratch)
    exec(test_parquet.guide_lines(), {"duckdb": duckdb})  # pylint: disable=exec-used
    os.chdir(here)
    parquet.seconds, parquet.bytes = time.monotonic() - begin, (scratch / "all.parquet").stat().st_size
    show("parquet, of ndjson", parquet)


def names(hearth, store):
    # 1 is an answer as well: something of the store needs attention.
    run = subprocess.run([hearth, "--store", store, "--json", "store"], capture_output=True, check=False)
    return sorted({ring["device"] for ring in json.loads(run.stdout)["rings"]})


def terminal(hearth, store):
    """Runs an export with standard error on a terminal; prints how much of its progress was seen."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    with subprocess.Popen([hearth, "--store", store, "export"], stdout=subprocess.DEVNULL, stderr=theirs) as running:
        os.close(theirs)
        seen = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        running.wait()
    os.close(ours)
    steps = [line for line in seen.decode(errors="replace").replace("\r", "\n").split("\n") if "%" in line]
    print(f"\nprogress on a terminal: {len(steps)} lines" + (f", such as: {steps[len(steps) // 2].strip()}" if steps else ""))


def served(programs, store, scratch):
    """Rows a second that a hub sends over its socket, and the longest turn of its loop meanwhile."""
    place, settings = scratch / "hearth.sock", scratch / "hearth.yaml"
    settings.write_text(f"store: {{path: {store}, size: 1GB}}\ncontrol: {{socket: {place}}}\n")
    hub = subprocess.Popen([programs / "hearth-sim", "serve", "--population", "straps", "--wearables", "0", "--config", settings],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while not place.exists() and time.monotonic() < end:
            time.sleep(0.2)

        def loop():
            run = subprocess.run([programs / "hearth", "--socket", place, "--json", "status"], capture_output=True, check=False)
            return json.loads(run.stdout)["loop"]
        before = loop()
        question = json.dumps({"method": "io.hearth.Hub.Export", "parameters": {}, "more": True}).encode() + b"\0"
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(place))
            begin = time.monotonic()
            client.sendall(question)
            rows, size = 0, 0
            # The end of a piece belongs to the next one: it may be half of the name that is counted.
            rest, is_last = b"", False
            while not is_last and (piece := client.recv(1 << 20)):
                size += len(piece)
                whole, _, rest = (rest + piece).rpartition(b"\0")
                rows += whole.count(b'{"device":')
                is_last = bool(whole) and not CONTINUES.search(whole[whole.rfind(b"\0") + 1:])
            seconds = time.monotonic() - begin
        after = loop()
    finally:
        hub.send_signal(signal.SIGTERM)
        hub.wait(60)
    print(f"over the socket: {rows:,} rows, {size / 1e6:.0f} MB in {seconds:.1f} s: {rows / seconds:,.0f} rows/s; longest turn {after['longest_turn_ms']} ms "
          f"({before['longest_turn_ms']} ms before), p99 {after['turn_p99_ms']} ms")


def main(arguments):
    programs = arguments.programs.resolve()
    with tempfile.TemporaryDirectory(prefix="hearth-figures.", dir="/var/tmp") as folder:
        scratch, store = pathlib.Path(folder), arguments.store
        if store is None:
            store = scratch / "store"
            make_store(store, arguments.wearables, round(arguments.days * 86_400))
        table(programs / "hearth", store, scratch)
        terminal(programs / "hearth", store)
        served(programs, store, scratch)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--days", type=float, default=7)
    parser.add_argument("--wearables", type=int, default=8)
    parser.add_argument("--store", type=pathlib.Path)
    sys.exit(main(parser.parse_args()))
