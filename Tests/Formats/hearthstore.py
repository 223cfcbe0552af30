"""A second reader of Hearth's store, formats 1 to 8, written from Sources/RingStore/FORMAT.md alone.

    store = hearthstore.Store("/var/lib/hearth")
    for ring, ordinal, item in store.items():
        ...

Reads at rest: a copy, or a store that no daemon has open. Takes no lock and never writes.
"""
import bisect
import collections
import dataclasses
import pathlib
import struct

import lmdb

import chunks
import fields
import journal_log
import seals
import series
from chunks import Damaged, Ring, crc32c, need

FORMATS = (1, 2, 3, 4, 5, 6, 7, 8)
TABLES = ("meta", "registry", "journal", "rings", "chunks", "wearers", "assignments", "cursors", "readers", "bonds", "receipts", "batches",
          "visits", "events", "quarantine", "custody", "staged", "hub-state", "driver-state", "accesses", "erasures", "corrections",
          "watermarks")


class StoreError(Exception):
    """The store as a whole cannot be read."""


class Store:
    """`damaged` collects what was skipped while reading: (table, key, why)."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        file = self.path / "data.mdb"
        if not file.is_file():
            raise StoreError(f"{file} is not there")
        try:
            self.environment = lmdb.open(str(path), readonly=True, lock=False, create=False, max_dbs=len(TABLES), readahead=False)
        except lmdb.Error as error:
            raise StoreError(f"LMDB cannot open it: {error}") from error
        try:
            # Reading behind the end of a mapped file kills the process.
            pages, page = self.environment.info()["last_pgno"] + 1, self.environment.stat()["psize"]
            if file.stat().st_size < pages * page:
                raise StoreError("data.mdb is shorter than its own tables say")
            self.transaction = self.environment.begin()
            self.tables = {}
            for name in TABLES:
                try:
                    self.tables[name] = self.environment.open_db(name.encode(), self.transaction, create=False)
                except lmdb.NotFoundError:
                    pass
            self.damaged = []
            self.version, self.made = self._format()
            if self.version not in FORMATS:
                raise StoreError(f"format {self.version}; this reads {FORMATS}")
            self.number = self._number()
        except BaseException:
            self.close()
            raise

    def close(self):
        """No value of the store may be used afterwards."""
        self.environment.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # --- Entries as they are ---

    def entries(self, table, prefix=b""):
        """(key, value) in the order of keys, of those that begin so. A table that is not there is empty."""
        if table not in self.tables:
            return
        cursor = self.transaction.cursor(self.tables[table])
        if cursor.set_range(prefix):
            for key, value in cursor:
                if not key.startswith(prefix):
                    return
                yield key, value

    def value(self, table, key):
        return self.transaction.get(key, db=self.tables[table]) if table in self.tables else None

    def statistics(self, table):
        """LMDB's numbers about a table, or `None` if it is not there."""
        return self.transaction.stat(self.tables[table]) if table in self.tables else None

    def _decoded(self, table, decode, prefix=b""):
        for key, value in self.entries(table, prefix):
            try:
                yield key, decode(key, value)
            except Damaged as why:
                self.damaged.append((table, key, str(why)))

    # --- What they mean ---

    def _format(self):
        value = self.value("meta", b"format")
        if value is None or len(value) < 16 or value[:6] != b"hearth":
            raise StoreError("this is no store of Hearth")
        return struct.unpack_from("<Hq", value, 6)

    def _number(self):
        """The number that checksums of chunks cover: as it is written, else as most chunks have it."""
        value = self.value("meta", b"chunk-number")
        if value and len(value) == 8:
            number, complement = struct.unpack("<II", value)
            if number and number == complement ^ 0xFFFFFFFF:
                return number
        if self.version < 8:
            return None
        votes = collections.Counter()
        for table, flag in ("chunks", 8), ("journal", 4):
            for key, chunk in self.entries(table):
                if len(chunk) > 8 and chunk[1] & flag:
                    votes[chunks.number_in(struct.unpack_from("<I", chunk, 4)[0], key, chunk[:4], chunk[8:])] += 1
        best = votes.most_common(1)
        return best[0][0] if best and best[0][1] > 1 else None

    def meta(self):
        """The known keys by name; unknown ones as hex."""
        result = {}
        for key, value in self.entries("meta"):
            name = key.decode(errors="replace")
            if name == "format":
                result[name] = {"version": self.version, "made": self.made}
            elif name in ("next-wearable", "next-wearer") and len(value) == 4:
                result[name] = struct.unpack("<I", value)[0]
            elif name in ("identity", "journal-file") and len(value) == 8:
                result[name] = f"{struct.unpack('<Q', value)[0]:016x}"
            elif name == "machine" and len(value) == 25 and value[0] == 1:
                result[name] = [f"{mark:016x}" for mark in struct.unpack("<QQQ", value[1:])]
            elif name == "chunk-number" and len(value) == 8:
                result[name] = f"{struct.unpack_from('<I', value)[0]:08x}"
            elif name == "odometer" and len(value) == 8:
                result[name] = struct.unpack("<Q", value)[0]
            elif name == "evicted" and len(value) == 24:
                result[name] = dict(zip(("samples", "earliest", "latest"), struct.unpack("<Qqq", value)))
            elif name == "wear" and len(value) % 12 == 0:
                result[name] = [dict(zip(("day", "odometer"), day)) for day in struct.iter_unpack("<IQ", value)]
            elif name == "secrets" and len(value) == 18 and value[0] == 1 and value[17] <= 1:
                result[name] = {"check": value[1:17].hex(), "clean": value[17] == 1}
            elif name in ("run", "hub-orders"):
                try:
                    result[name] = fields.record(name, value)
                except Damaged:
                    result[name] = value.hex()
            else:
                result[name] = value.hex()
        return result

    def records(self, table):
        """(parts of the key, what the record says), for the tables of fields.RECORDS."""
        def decode(key, value):
            parts = fields.key(table, key)
            return parts, fields.record(table, value, parts.get("kind"))
        for _, pair in self._decoded(table, decode):
            yield pair

    def seals(self, key=None):
        """(table, key of the record, content of its seal) for every seal. The content is `None` without the key of the store, or if the seal does not open."""
        for table in fields.SEALS:
            for entry, value in self.entries(table):
                try:
                    fields.record(table, value, fields.key(table, entry).get("kind"))
                    found = fields.seal(table, value)
                except Damaged:
                    continue
                if found:
                    tag, seal, bound = found
                    yield table, entry, key and seals.opened(key, seal, table, tag, entry, bound)

    def assignments(self):
        """(wearable, from when, wearer); 0 is no wearer; a damaged record assigns to 0."""
        for key, value in self.entries("assignments"):
            try:
                parts = fields.key("assignments", key)
            except Damaged as why:
                self.damaged.append(("assignments", key, str(why)))
                continue
            try:
                wearer = fields.record("assignments", value)["wearer"]
            except Damaged as why:
                self.damaged.append(("assignments", key, str(why)))
                wearer = 0
            yield parts["wearable"], parts["from"], wearer

    def batches(self):
        """(wearable, digest as hex, number of the receipt)"""
        def decode(key, value):
            need(len(key) == 20 and len(value) == 8, "length")
            return int.from_bytes(key[:4], "big"), key[4:].hex(), int.from_bytes(value, "little")
        for _, batch in self._decoded("batches", decode):
            yield batch

    def rings(self):
        """(Ring, RingRow)"""
        for _, pair in self._decoded("rings", lambda key, value: (chunks.ring_name(key), chunks.ring_row(value))):
            yield pair

    def ring_chunks(self, ring=None):
        """Chunks of one ring, or of all, in the order of their keys."""
        def decode(key, value):
            chunk = chunks.ring_chunk(key, value, self.number)
            kind = series.ALL.get(chunk.ring.series)
            need(chunk.is_covered or kind is None or (chunk.value_count, chunk.has_bytes) == (kind.values, kind.has_bytes),
                 "values of another series")
            return chunk
        for _, chunk in self._decoded("chunks", decode, ring.key if ring else b""):
            yield chunk

    def journal(self):
        """The chunks of the table, then those that only journal.log has."""
        moved = 0
        for _, chunk in self._decoded("journal", lambda key, value: chunks.journal_chunk(key, value, self.number)):
            yield chunk
            moved = journal_log.end(chunk)
        number = self.value("meta", b"journal-file")
        if number is None or len(number) != 8:
            return
        keys = [key for key, _ in self.entries("journal") if len(key) == 8 and int.from_bytes(key, "big") < 2**64 - 2**40 - 4080]
        if keys:
            first = int.from_bytes(keys[-1], "big") + 1
        else:
            end = self.value("meta", b"journal-end")
            first = struct.unpack_from("<Q", end)[0] if end and len(end) == 24 else 0
        file = self.path / journal_log.NAME
        for key, chunk in journal_log.behind(file, struct.unpack("<Q", number)[0], first, max(moved, first), self.number):
            if chunk is None:
                self.damaged.append(("journal", key, "its slot of journal.log is lost"))
            else:
                yield chunk

    def staged(self):
        """(wearable, id, offset, bytes) of each page"""
        for _, page in self._decoded("staged", lambda key, value: chunks.staged_page(key, value, self.number)):
            yield page

    def staged_bytes(self, wearable, item):
        """The sound bytes from the beginning of an item on."""
        result = b""
        for owner, name, offset, part in self.staged():
            if (owner, name) == (wearable, item):
                if offset != len(result):
                    break
                result += part
        return result

    # --- Samples ---

    def items(self):
        """Everything as (Ring, ordinal, Item): all rings in the order of their keys, each by ordinals; then the journal."""
        for ring, ordinal, item, _, _ in self._items():
            yield ring, ordinal, item

    def _items(self):
        """The same, each with whether it is known to be the rest of the item before it in its ring. `_clock` gives what is known of its time."""
        boots = self.boots()
        for chunk in self.ring_chunks():
            clock = self._clock(boots, chunk, chunk.ring.way)
            for place, item in enumerate(chunk.items):
                yield chunk.ring, chunk.first + place, item, chunk.items[place - 1].goes_on if place else chunk.continues, clock
        next_ordinals = {ring: row.next for ring, row in self.rings()}
        for chunk in self.journal():
            clock = self._clock(boots, chunk, 0)
            for ring, item in chunk.records:
                ordinal = next_ordinals.get(ring, 0)
                next_ordinals[ring] = ordinal + 1
                yield ring, ordinal, item, False, clock

    def boots(self):
        """By boot: how its clock stood to true time, and until when that is used; both in microseconds."""
        value = self.value("meta", b"boots") or b""
        if len(value) < 5 or value[0] != 1 or (len(value) - 5) % 40 or crc32c(value[:-4]) != int.from_bytes(value[-4:], "little"):
            return {}
        rows = struct.iter_unpack("<QQqqq", value[1:-4])
        return {chunks.boot_text(high, low): (distance, known) for high, low, _, distance, known in rows if distance != 2**63 - 1}

    @staticmethod
    def _clock(boots, chunk, way):
        """What an export says of the times of a chunk, and what it adds to them."""
        if chunk.disciplined:
            return None, 0
        distance, known = boots.get(chunk.boot, (None, None))
        if way != 0 or chunk.own_times or distance is None or chunk.latest + distance - chunk.wall_less_monotonic > known:
            return "unsure", 0
        return "corrected", distance - chunk.wall_less_monotonic

    def whole_items(self):
        """The same with long items put together: (Ring, ordinal of the last part, Item). An item comes at the place of its last part; one
        with a missing part is left out."""
        for ring, ordinal, item, _ in self._whole_items():
            yield ring, ordinal, item

    def _whole_items(self):
        """The same, each with what is known of its time."""
        pending = {}  # by ring: ordinal of the last part, the item as far as it is here
        for ring, ordinal, item, is_rest, clock in self._items():
            last, start = pending.pop(ring, (None, None))
            if start and last + 1 == ordinal and (start.time, start.values) == (item.time, item.values):
                item = item._replace(data=start.data + item.data)
            elif is_rest:
                continue
            if item.goes_on:
                pending[ring] = ordinal, item
            else:
                yield ring, ordinal, item, clock

    def export(self):
        """The lines of `hearth export --format ndjson`, without their ends. Series that the table does not have are left out."""
        wearables = {key["wearable"]: record for key, record in self.records("registry")}
        names = {key["wearer"]: record["name"] for key, record in self.records("wearers")}
        assignments = {}
        for wearable, since, wearer in self.assignments():
            assignments.setdefault(wearable, []).append((since, wearer))
        for ring, _, item, (clock, shift) in self._whole_items():
            if ring.series not in series.ALL:
                continue
            item = item._replace(time=item.time + shift)
            wearable = wearables.get(ring.wearable)
            yield series.line(
                ring.series, item,
                wearable["name"] if wearable else f"wearable-{ring.wearable}",
                fields.address_text(wearable["address"]) if wearable else "",
                names.get(wearer_at(assignments.get(ring.wearable, []), item.time)), clock)


def wearer_at(assignments, time):
    """From (from, wearer) in the order of time: the wearer at a time; 0 is no wearer."""
    place = bisect.bisect_right(assignments, time, key=lambda assignment: assignment[0])
    return assignments[place - 1][1] if place else 0


def plain(thing):
    """What json.dumps can print: objects of this reader as dictionaries, bytes in hex."""
    if dataclasses.is_dataclass(thing):
        return {field.name: plain(getattr(thing, field.name)) for field in dataclasses.fields(thing)}
    if isinstance(thing, (Ring, chunks.Item)):
        return {name: plain(value) for name, value in thing._asdict().items()}
    if isinstance(thing, dict):
        return {name: plain(value) for name, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [plain(part) for part in thing]
    return thing.hex() if isinstance(thing, bytes) else thing
