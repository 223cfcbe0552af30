#!/usr/bin/env python3
"""Looks at a store at rest for everything that Sources/RingStore/FORMAT.md promises.

    verify.py STORE

Prints a line for each broken promise, and at last their number. Exit status 0 if every promise is kept, 1 if not, 2 if the
store cannot be read.
"""
import argparse
import pathlib
import re
import sys

import digest
import fields
import measurements
import seals
import series
from chunks import Damaged, Ring
from hearthstore import TABLES, Store, StoreError

NAME = re.compile(r"[A-Za-z0-9_.-]{1,32}\Z")
BODY = (("sex", 1, 2), ("height", 90, 240), ("weight", 15, 300), ("maximum_heart_rate", 100, 240), ("resting_heart_rate", 20, 120),
        ("vo2_max", 10, 95), ("training_background", 10, 60), ("typical_day", 1, 3), ("sleep_goal", 300, 660))
LIMITS = {"wearers": 4096, "assignments": 65536, "readers": 64, "bonds": 512, "receipts": 20000, "visits": 10000, "events": 10000, "accesses": 8192, "corrections": 1024,
          "quarantine": 64, "custody": 65536, "staged": 8192}
UNKNOWN_TIMES = (1 << 63) - 1, -(1 << 63)  # of what had gone before a row was made anew


class Verification:
    """`problems` is a list of sentences."""

    def __init__(self, store, key=None):
        self.store, self.problems, self.key = store, [], key
        self.version_and_tables()
        self.meta()
        self.seals()
        self.wearables()
        self.limits()
        self.people()
        self.states()
        self.watermarks()
        self.wanted = {(record["wearable"], part["series"], part["way"])
                       for _, record in store.records("receipts") for part in record.get("ranges", [])}
        self.kept = {}  # items by ordinal, by ring, for the digests of receipts
        self.live = {}  # items in the journal, by ring
        self.dangling = {}  # items that must go on, by ring: ordinal, item
        self.rows = dict(store.rings())
        self.rings()
        self.journal()
        for ring, (_, item) in self.dangling.items():
            self.say(ring, f"the item of {item.time} goes on in an item that is not there")
        self.confirmations()
        self.receipts()
        self.custody()
        for table, key, why in dict.fromkeys(store.damaged):
            self.say(f"{table} {key.hex()}", f"damaged: {why}")

    def say(self, where, what):
        where = f"ring {where.wearable}/{where.series}/{where.way}" if isinstance(where, Ring) else where
        self.problems.append(f"{where}: {what}")

    def need(self, condition, where, what):
        if not condition:
            self.say(where, what)

    # --- Tables ---

    def version_and_tables(self):
        for table, database in self.store.tables.items():
            self.need(not any(database.flags(self.store.transaction).values()), table, "has flags of LMDB")
            before, count = None, 0
            for key, _ in self.store.entries(table):
                self.need(before is None or before < key, f"{table} {key.hex()}", "keys are out of order")
                before, count = key, count + 1
            self.need(count == self.store.statistics(table)["entries"], table, "LMDB counts other entries than there are")
        for table in {1: TABLES[3:], 2: TABLES[15:], 3: TABLES[17:]}.get(self.store.version, ()):
            self.need(not any(True for _ in self.store.entries(table)), table, f"a store of format {self.store.version} has none")

    def seals(self):
        """That each seal opens at its place, as far as the key is there."""
        mark = self.store.meta().get("secrets")
        if self.key and isinstance(mark, dict):
            self.need(mark["check"] == seals.check(self.key).hex(), "meta secrets", "another key's")
        for table, entry, content in self.store.seals(self.key):
            self.need(self.store.version >= 6, f"{table} {entry.hex()}", "a seal before format 6")
            self.need(content is not None or not self.key, f"{table} {entry.hex()}", "its seal does not open")

    def meta(self):
        meta = self.store.meta()
        for name in ("next-wearable", "next-wearer", "evicted", "odometer", "wear", "run", "secrets"):
            self.need(not isinstance(meta.get(name), str), f"meta {name}", "damaged" if name == "run" else "length")
        wear = meta.get("wear")
        if isinstance(wear, list):
            self.need(len(wear) <= 400, "meta wear", "more than 400 days")
            for one, other in zip(wear, wear[1:]):
                self.need(one["day"] < other["day"], "meta wear", f"day {other['day']} is not after {one['day']}")
                self.need(one["odometer"] <= other["odometer"], "meta wear", f"the odometer goes back on day {other['day']}")

    def wearables(self):
        following = self.store.meta().get("next-wearable")
        counts = [0, 0]
        for key, record in self.store.records("registry"):
            where = f"registry {key['wearable']}"
            counts["forgotten" in record] += 1
            self.need(isinstance(following, int) and key["wearable"] < following, where, "not below next-wearable")
            self.need(NAME.match(record["name"]), where, "name")
            self.need(record["address"] >> 48 == 0, where, "address")
            self.need(record["address_type"] in (1, 2), where, "address type")
            self.need(record.get("battery", 0) <= 100, where, "battery")
        self.need(counts[0] <= 512, "registry", "more than 512 wearables")
        self.need(counts[1] <= 3584, "registry", "more than 3584 forgotten wearables")

    def limits(self):
        for table, limit in LIMITS.items():
            self.need((self.store.statistics(table) or {"entries": 0})["entries"] <= limit, table, f"more than {limit}")
        for table in ("cursors", "bonds", "visits", "events", "custody", "accesses", "erasures", "corrections", "watermarks"):
            for key, record in self.store.records(table):  # damage is told at the end
                where = f"{table} {'/'.join(map(str, key.values()))}"
                self.need(key.get("address_type") in (None, 1, 2), where, "address type")
                if table == "events":
                    self.need(record.get("from", 0) <= record.get("to", record.get("from", 0)), where, "ends before it begins")
                for evidence in (record.get("opened"), record.get("closed")):
                    self.need(evidence is None or evidence["trusted"] <= 1, where, "trusted")
        for key, _ in self.store.entries("quarantine"):
            self.need(len(key) == 8, f"quarantine {key.hex()}", "length of the key")
        for key, _ in self.store.records("readers"):
            self.need(NAME.match(key["reader"]), f"readers {key['reader']}", "name")

    def people(self):
        following, wearers = self.store.meta().get("next-wearer"), {0}
        for key, record in self.store.records("wearers"):
            wearers.add(key["wearer"])
            for name, least, most in BODY:
                self.need(least <= record.get(name, least) <= most, f"wearers {key['wearer']}", name)
            self.need(record.get("training_background", 10) % 10 == 0, f"wearers {key['wearer']}", "training_background")
            self.need(key["wearer"] > 0, "wearers 0", "numbers begin at 1")
            self.need(isinstance(following, int) and key["wearer"] < following, f"wearers {key['wearer']}", "not below next-wearer")
        for key, record in self.store.records("assignments"):
            self.need(record["wearer"] in wearers, f"assignments {key['wearable']}/{key['from']}", f"no wearer {record['wearer']}")

    def states(self):
        enrolled = {key["wearable"] for key, record in self.store.records("registry") if "forgotten" not in record}
        named = {key["wearable"] for key, _ in self.store.records("registry")}
        damaged = {int.from_bytes(key, "big") for table, key, _ in self.store.damaged if table == "registry"}
        for table in ("hub-state", "driver-state"):
            counts, sizes = {}, {}
            for key, _ in self.store.records(table):
                wearable, where = key["wearable"], f"{table} {key['wearable']}/{key['kind']}"
                is_past = (table, key["kind"]) == ("hub-state", "uncollected") and wearable in named
                self.need(wearable in enrolled or wearable in damaged or is_past, where, "there is no such wearable")
                entry = wearable.to_bytes(4, "big") + key["kind"].encode()
                size = fields.size_of_state(self.store.value(table, entry))
                counts[wearable] = counts.get(wearable, 0) + 1
                sizes[wearable] = sizes.get(wearable, 0) + len(key["kind"]) + size
            for wearable in counts:
                self.need(counts[wearable] <= 40, f"{table} {wearable}", "more than 40")
                self.need(sizes[wearable] <= 16384, f"{table} {wearable}", "more than 16384 bytes")

    def watermarks(self):
        enrolled = {key["wearable"] for key, record in self.store.records("registry") if "forgotten" not in record}
        damaged = {int.from_bytes(key, "big") for table, key, _ in self.store.damaged if table == "registry"}
        for key, record in self.store.records("watermarks"):
            where = f"watermarks {key['wearable']}/{key['series']}"
            self.need(key["wearable"] in enrolled or key["wearable"] in damaged, where, "there is no such wearable")
            self.need("end" in record or "read_to" in record or record.get("refused", 0) > 0, where, "it says nothing")

    # --- Samples ---

    def item(self, ring, ordinal, item):
        """What holds for every item."""
        kind = series.ALL.get(ring.series)
        if ring in self.wanted:
            self.kept.setdefault(ring, {})[ordinal] = item
        if kind:
            self.need(len(item.values) == kind.values and (kind.has_bytes or not item.data), ring,
                      f"the item of {item.time} is no {kind.layout}")
        self.need(len(item.data) <= 3800, ring, f"the item of {item.time} has more than 3800 bytes")
        self.measurement(ring, item)
        if ring in self.dangling:
            before, start = self.dangling.pop(ring)
            self.need((start.time, start.values) == (item.time, item.values) and before + 1 == ordinal, ring,
                      f"the item of {start.time} goes on in an item that is another one")
        if item.goes_on:
            self.dangling[ring] = ordinal, item

    def measurement(self, ring, item):
        """The record of a measurement can be read, and is of one piece."""
        try:
            record = measurements.of_item(ring, item)
            self.need(record is None or not item.goes_on, ring, f"the measurement of {item.time} goes on in another item")
        except Damaged as why:
            self.say(ring, f"the measurement of {item.time} cannot be read: {why}")

    def rings(self):
        found = {}  # by ring: the entries of its chunks, as (ordinal, bytes)
        for key, value in self.store.entries("chunks"):
            if len(key) == 15:
                found.setdefault(key[:7], []).append((int.from_bytes(key[7:], "big"), len(value)))
        for key in found:
            self.need(self.store.value("rings", key) is not None, f"chunks {key.hex()}", "there is no such ring")
        for ring, row in self.rows.items():
            self.ring(ring, row, found.get(ring.key, []))

    def ring(self, ring, row, entries):
        chunks = list(self.store.ring_chunks(ring))
        intact = len(chunks) == len(entries)
        self.need(row.chunks == len(entries), ring, f"{row.chunks} chunks in its row, {len(entries)} in chunks")
        self.need(row.bytes == sum(size for _, size in entries), ring, f"{row.bytes} bytes in its row, {sum(size for _, size in entries)} in chunks")
        first = entries[0][0] if entries else row.next
        self.need(row.first == first, ring, f"first ordinal {row.first} in its row, {first} in chunks")
        self.need(row.evicted_unexported <= row.evicted, ring, "more unconfirmed items evicted than items")
        self.need(row.items + row.evicted + row.purged == row.next, ring,
                  f"{row.items} items, {row.evicted} evicted and {row.purged} purged are not the {row.next} that were there")
        if not entries:
            self.need((row.earliest, row.latest, row.first_items) == (0, 0, 0), ring, "times or items of a first chunk that is not there")
        elif chunks and chunks[0].first == entries[0][0]:
            self.need((row.earliest, row.latest) == (chunks[0].earliest, chunks[0].latest), ring, "other times in its row than in its first chunk")
            self.need(row.first_items == len(chunks[0].items), ring, "other items of the first chunk in its row than it has")
        before = None
        for chunk in chunks:
            self.ring_chunk(chunk, before, intact and not row.purged)
            before = chunk
        if before:
            end = before.first + len(before.items)
            self.need(row.next >= end, ring, f"next ordinal {row.next}, but chunks end at {end}")
            self.need(row.high_water >= before.high_water, ring, "high water in its row is below that of its last chunk")
            if end == row.next:
                self.need(row.high_water == before.high_water, ring, "high water in its row is not that of its last chunk")
        if row.evicted:
            times = row.evicted_earliest, row.evicted_latest
            self.need(times[0] <= times[1] <= row.high_water or times == UNKNOWN_TIMES, ring, "times of what was evicted")
        if intact:
            items = sum(len(chunk.items) for chunk in chunks)
            self.need(row.items == items, ring, f"{row.items} items in its row, {items} in chunks")

    def ring_chunk(self, chunk, before, whole):
        where, times = chunk.ring, [item.time for item in chunk.items]
        at = f"the chunk of ordinal {chunk.first}"
        kind = series.ALL.get(chunk.ring.series)
        self.need((chunk.earliest, chunk.latest) == (min(times), max(times)), where, f"{at}: earliest and latest are not those of its items")
        self.need(kind is None or (chunk.value_count, chunk.has_bytes) == (kind.values, kind.has_bytes), where, f"{at}: columns")
        self.need(chunk.high_water >= chunk.latest, where, f"{at}: high water")
        if before:
            end = before.first + len(before.items)
            self.need(chunk.first >= end, where, f"{at}: begins before {end}, where the one before ends")
            self.need(chunk.first == end or not whole, where, f"{at}: the one before ends at {end}")
            self.need(chunk.first != end or chunk.continues == before.items[-1].goes_on, where, f"{at}: the rest of an item, or not")
            highest = max(before.high_water, chunk.latest)
            self.need(chunk.high_water == highest or (chunk.first > end and chunk.high_water > highest), where, f"{at}: high water")
        for place, item in enumerate(chunk.items):
            self.item(chunk.ring, chunk.first + place, item)

    def journal(self):
        before = None
        for chunk in self.store.journal():
            where, times = f"journal {chunk.sequence}", [item.time for _, item in chunk.records]
            self.need(chunk.layout == 1 or self.store.version > 1, where, "a layout that format 1 does not have")
            self.need((chunk.earliest, chunk.latest) == (min(times), max(times)), where, "earliest and latest are not those of its records")
            self.need(chunk.layout == 1 or chunk.wall % 1000 == 0, where, "base is no whole number of milliseconds")
            self.need(chunk.high_water >= chunk.latest, where, "high water")
            if before:
                end = before.sequence + len(before.records)
                gap = chunk.sequence > end
                self.need(chunk.sequence >= end, where, f"begins before {end}, where the one before ends")
                total, highest = before.before + len(before.records), max(before.high_water, chunk.latest)
                # What is behind a gap may follow a chunk that is damaged or was dropped.
                self.need(chunk.before == total or gap and chunk.before > total, where, f"{chunk.before} records before it, not {total}")
                self.need(chunk.high_water == highest or gap and chunk.high_water > highest, where, "high water")
                self.need(before.odometer is None or chunk.odometer is None or before.odometer <= chunk.odometer, where, "odometer goes back")
                self.need(before.layout <= chunk.layout, where, "an older layout behind a newer one")
            before = chunk
            for ring, item in chunk.records:
                row, place = self.rows.get(ring), self.live.get(ring, 0)
                self.item(ring, (row.next if row else 0) + place, item)
                self.live[ring] = place + 1
                kind = series.ALL.get(ring.series)
                if chunk.layout == 3 and kind and not kind.fine and item.origin == 0:
                    self.need(item.time % 1000 == 0, where, f"a live time in microseconds, {item.time}, of {kind.name}")

    def end(self, ring):
        """Above the last ordinal of a ring, its items in the journal included."""
        row = self.rows.get(ring)
        return (row.next if row else 0) + self.live.get(ring, 0)

    def confirmations(self):
        for ring, row in self.rows.items():
            self.need(row.exported <= self.end(ring), ring, f"confirmed below {row.exported}, ends at {self.end(ring)}")
        for key, record in self.store.records("readers"):
            for confirmed in record.get("rings", []):
                ring = Ring(confirmed["wearable"], confirmed["series"], confirmed["way"])
                where = f"readers {key['reader']}"
                self.need(confirmed["below"] <= self.end(ring), where, f"confirmed ordinals that {ring} does not have")
                row = self.rows.get(ring)
                self.need(row is None or confirmed["below"] <= row.exported, where, f"confirmed more of {ring} than the ring's row says")

    # --- Custody ---

    def custody(self):
        receipts = {key["number"]: record["wearable"] for key, record in self.store.records("receipts")}
        damaged = {int.from_bytes(key, "big") for table, key, _ in self.store.damaged if table == "receipts"}
        known, counts = {}, {}
        for key, record in self.store.records("custody"):
            where = f"custody {key['wearable']}/{key['item']}"
            known[key["wearable"], key["item"]] = record
            counts[key["wearable"]] = counts.get(key["wearable"], 0) + 1
            for number in record.get("receipts", []):
                if number in receipts:
                    self.need(receipts[number] == key["wearable"], where, f"receipt {number} is another wearable's")
                else:
                    self.need(0 < number < min(receipts, default=1) or number in damaged, where, f"receipt {number} is not there")
            self.need("durable_at" not in record or record.get("receipts"), where, "durable without a receipt")
        for wearable, count in counts.items():
            self.need(count <= 1024, f"custody {wearable}", "more than 1024")
        before = None
        for wearable, item, offset, part in self.store.staged():
            where = f"staged {wearable}/{item}/{offset}"
            end = before[2] + len(before[3]) if before and before[:2] == (wearable, item) else 0
            self.need(offset == end and offset % 4000 == 0, where, f"what is before it ends at {end}")
            self.need((wearable, item) in known, where, "there is no record of the item")
            self.need(offset + len(part) <= 8 << 20, where, "more than 8 MiB of an item")
            before = wearable, item, offset, part

    # --- Receipts ---

    def receipts(self):
        batches = {(wearable, digest): number for wearable, digest, number in self.store.batches()}
        receipts = {key["number"]: record for key, record in self.store.records("receipts")}
        for number, record in receipts.items():
            where = f"receipts {number}"
            batch = batches.get((record["wearable"], record["digest"]))
            self.need(batch == number, where, "no batch names it" if batch is None else f"its batch names receipt {batch}")
            ranges = record.get("ranges", [])
            self.need(sum(part["items"] for part in ranges) == record["items"], where, "its ranges have other items than it says")
            for part in ranges:
                ring = Ring(record["wearable"], part["series"], part["way"])
                self.need(part["way"] in (0, 1) and part["first"] + part["items"] <= self.end(ring), where, f"ordinals that {ring} does not have")
            self.digest(where, record, ranges)
        for (wearable, digested), number in batches.items():
            record = receipts.get(number)
            self.need(record is not None and (record["wearable"], record["digest"]) == (wearable, digested), f"batches {wearable} {digested}",
                      f"receipt {number} is not there or another's")

    def digest(self, where, record, ranges):
        """Of what a receipt is for, as far as it is all there."""
        groups = []
        for part in ranges:
            ring = Ring(record["wearable"], part["series"], part["way"])
            items = self.kept.get(ring, {})
            group = [items[ordinal] for ordinal in range(part["first"], part["first"] + min(part["items"], len(items))) if ordinal in items]
            if not group or len(group) != part["items"]:
                return
            groups.append((ring, group))
        # A long source is cut in the receipt.
        if groups and len(record["source"].encode()) < 255:
            self.need(digest.batch(record["source"], groups).hex() == record["digest"], where, "its digest is not that of its items")


def verify(path, key=None):
    """The problems of the store in a folder; raises StoreError."""
    with Store(path) as store:
        return Verification(store, key).problems


def main(arguments):
    try:
        problems = verify(arguments.store, arguments.key and pathlib.Path(arguments.key).read_bytes())
    except StoreError as error:
        print(f"{arguments.store}: {error}")
        return 2
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" if problems else "clean")
    return 1 if problems else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--key", help="the store's key file: seals are opened with it")
    sys.exit(main(parser.parse_args()))
