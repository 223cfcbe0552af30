#!/usr/bin/env python3
"""Prints a store at rest.

    dump.py STORE                 every sample, as `hearth export --format ndjson` does
    dump.py STORE --table NAME    the entries of a table instead, one JSON object a line; may be given several times; `all` for all
    dump.py STORE --measurements  the records of measurements instead, one JSON object a line

Damaged items are left out and reported on the error output. The exit status is 1 then, and 2 if the store cannot be read at
all.
"""
import argparse
import json
import os
import sys

import measurements
from chunks import Damaged
from hearthstore import TABLES, Store, StoreError, plain


def table_lines(store, table):
    if table == "meta":
        yield from ({"key": name, "value": value} for name, value in store.meta().items())
    elif table == "journal":
        for chunk in store.journal():
            yield plain(chunk) | {"records": [plain(ring) | plain(item) for ring, item in chunk.records]}
    elif table == "rings":
        yield from (plain(ring) | plain(row) for ring, row in store.rings())
    elif table == "chunks":
        yield from (plain(chunk) for chunk in store.ring_chunks())
    elif table == "quarantine":
        yield from ({"sequence": int.from_bytes(key, "big"), "value": value.hex()} for key, value in store.entries("quarantine"))
    elif table == "staged":
        yield from ({"wearable": wearable, "item": item, "offset": offset, "bytes": part.hex()} for wearable, item, offset, part in store.staged())
    elif table == "batches":
        yield from (dict(zip(("wearable", "digest", "receipt"), batch)) for batch in store.batches())
    else:
        yield from (key | plain(record) for key, record in store.records(table))


def measurement_lines(store):
    """Each record, behind the ring and the ordinal of its item; one that cannot be read has a `damaged` instead."""
    for ring, ordinal, item in store.items():
        try:
            record = measurements.of_item(ring, item)
        except Damaged as why:
            record = {"damaged": str(why)}
        if record is not None:
            yield plain(ring) | {"ordinal": ordinal} | record


def main(arguments):
    try:
        store = Store(arguments.store)
    except StoreError as error:
        print(f"{arguments.store}: {error}", file=sys.stderr)
        return 2
    with store:
        tables = TABLES if arguments.table and "all" in arguments.table else arguments.table or ()
        for table in tables:
            for line in table_lines(store, table):
                print(json.dumps({"table": table} | line, ensure_ascii=False))
        if arguments.measurements:
            for line in measurement_lines(store):
                print(json.dumps(line, ensure_ascii=False))
        elif not tables:
            for line in store.export():
                print(line)
        for table, key, why in store.damaged:
            print(f"damaged and left out: {table} {key.hex()}: {why}", file=sys.stderr)
        return 1 if store.damaged else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--table", action="append", choices=(*TABLES, "all"), metavar="NAME")
    parser.add_argument("--measurements", action="store_true")
    try:
        sys.exit(main(parser.parse_args()))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
