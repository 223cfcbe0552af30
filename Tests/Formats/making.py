"""Makes stores for the tests, as plainly as FORMAT.md can be read, without any choice of small or fast encodings."""
import struct

import lmdb

from chunks import RUN, Ring, crc32c, wrap
from digest import varint

BOOT = struct.pack("<QQ", 0x0123456789ABCDEF, 0xFEDCBA9876543210)


def zigzag_number(number):
    return 2 * number if number >= 0 else -2 * number - 1


def zigzag(number):
    return varint(zigzag_number(wrap(number)))


def summed(value):
    """With its checksum in bytes 4-7."""
    return value[:4] + struct.pack("<I", crc32c(value[:4], value[8:])) + value[8:]


# --- Columns -------------------------------------------------------------------------------------------------------------------------

FRAME, DELTA, DELTA_OF_DELTA, LINE = range(4)


def block(predictor, numbers, before):
    start, slope = numbers[0], 0
    if predictor == FRAME:
        start = min(numbers)
        residuals = [number - start for number in numbers]
    elif predictor == DELTA:
        residuals = [zigzag_number(wrap(two - one)) for one, two in zip(numbers, numbers[1:])]
    elif predictor == DELTA_OF_DELTA:
        slope = wrap(numbers[1] - numbers[0]) if len(numbers) > 1 else 0
        residuals = [zigzag_number(wrap(three - 2 * two + one)) for one, two, three in zip(numbers, numbers[1:], numbers[2:])]
    else:
        slope = wrap((numbers[-1] - numbers[0]) * 256 // max(len(numbers) - 1, 1))
        line = [wrap(place * slope) // 256 for place in range(len(numbers))]
        start = min(number - point for number, point in zip(numbers, line))
        residuals = [(number - point - start) % (1 << 64) for number, point in zip(numbers, line)]
    width = max([residual.bit_length() for residual in residuals], default=0)
    width = 64 if width > 56 else width
    packed = sum(residual << place * width for place, residual in enumerate(residuals))
    return (bytes([predictor << 6 | min(width, 63)]) + zigzag(start - before) + (zigzag(slope) if predictor >= 2 else b"")
            + packed.to_bytes((len(residuals) * width + 7) // 8, "little"))


def columns(numbers, plans):
    """A plan is "constant", or (predictor, exponent)."""
    result, parts = b"", {}
    for place, (column, plan) in enumerate(zip(numbers, plans)):
        if plan == "constant":
            assert len(set(column)) == 1
            result += b"\x80" + zigzag(column[0])
        else:
            assert all(number % 10 ** plan[1] == 0 for number in column)
            result += bytes([plan[1]])
            parts[place] = plan[0], [number // 10 ** plan[1] for number in column]
    for start in range(0, len(numbers[0]), RUN):
        for predictor, column in parts.values():
            result += block(predictor, column[start:start + RUN], column[start - 1] if start else 0)
    return result


# --- Chunks and rows -----------------------------------------------------------------------------------------------------------------

def ring_chunk(ring, first, items, high_water=None, plans=None, continues=False):
    """(key, value)"""
    times = [item.time for item in items]
    numbers = [times, [item.flags for item in items], *zip(*(item.values for item in items))]
    has_bytes = any(item.data for item in items)
    if has_bytes:
        numbers.append([len(item.data) for item in items])
    heap = b"".join(item.data for item in items)
    high_water = max(times) if high_water is None else high_water
    head = struct.pack("<BBHIQqqqq", 2, 3 if continues else 1, len(items), 0, first, min(times), max(times), high_water, 1_000_000) + BOOT
    head += struct.pack("<BBH", len(items[0].values), has_bytes, len(heap))
    return ring.key + struct.pack(">Q", first), summed(head + columns(numbers, plans or [(DELTA, 0)] * len(numbers)) + heap)


def ring_row(chunks, **changes):
    """From the (key, value) of its chunks, without eviction; `changes` by the names of chunks.RingRow."""
    row = dict(next=0, items=0, chunks=len(chunks), first_items=0, first=0, earliest=0, latest=0, high_water=0, exported=0, evicted=0,
               evicted_unexported=0, evicted_earliest=0, evicted_latest=0, purged=0, bytes=sum(len(value) for _, value in chunks))
    for place, (key, value) in enumerate(chunks):
        count, = struct.unpack_from("<H", value, 2)
        first, earliest, latest, row["high_water"] = struct.unpack_from("<Qqqq", value, 8)
        if place == 0:
            row |= dict(first_items=count, first=first, earliest=earliest, latest=latest)
        row |= dict(next=first + count, items=row["items"] + count)
    row |= changes
    return summed(struct.pack("<II", 1, 0) + struct.pack("<QQIIQqqqQQQqqQQ", *row.values()))


def journal_head(layout, count, sequence, before, wall, times, high_water, odometer):
    head = struct.pack("<BBHIQQqqqqq", layout, 0, count, 0, sequence, before, 5_000_000_000, wall, min(times), max(times),
                       max(times) if high_water is None else high_water) + BOOT
    return head + (struct.pack("<Q", odometer) if layout == 3 else b"")


def journal_chunk(sequence, records, wall, before=None, high_water=None, odometer=0):
    """(key, value) of layout 3; `records` are (Ring, Item). Without needless repetition."""
    body, wearable, flags, time = b"", 0, 0, wall
    for ring, item in records:
        # A time that is no whole number of milliseconds away is told in microseconds.
        unit = 1000 if (item.time - time) % 1000 == 0 else 1
        now = item.flags | (0x80 if unit == 1 else 0)
        shape = len(item.values) | (0x80 if item.data else 0)
        control = (ring.wearable == wearable) | (item.time == time) << 1 | (now == flags) << 2 | (shape != 1) << 3
        body += bytes([control | min(ring.series, 15) << 4])
        body += b"" if control & 1 else varint(ring.wearable)
        body += varint(ring.series) if ring.series >= 15 else b""
        body += b"" if control & 4 else bytes([now])
        body += bytes([shape]) if control & 8 else b""
        body += b"" if control & 2 else zigzag((item.time - time) // unit)
        body += b"".join(zigzag(value) for value in item.values)
        body += varint(len(item.data)) + item.data if item.data else b""
        wearable, flags, time = ring.wearable, now, item.time
    times = [item.time for _, item in records]
    head = journal_head(3, len(records), sequence, sequence if before is None else before, wall, times, high_water, odometer)
    return struct.pack(">Q", sequence), summed(head + body)


def old_journal_chunk(sequence, records, wall, before=None, high_water=None):
    """(key, value) of layout 1."""
    body, wearable, time = b"", 0, wall
    for ring, item in records:
        control = item.origin | (ring.wearable == wearable) << 2 | (item.time == time) << 3
        body += bytes([control | min(ring.series, 15) << 4])
        body += b"" if control & 4 else varint(ring.wearable)
        body += varint(ring.series) if ring.series >= 15 else b""
        body += b"" if control & 8 else zigzag(item.time - time)
        body += zigzag(item.values[0])
        wearable, time = ring.wearable, item.time
    times = [item.time for _, item in records]
    head = journal_head(1, len(records), sequence, sequence if before is None else before, wall, times, high_water, 0)
    return struct.pack(">Q", sequence), summed(head + body)


# --- Records and stores --------------------------------------------------------------------------------------------------------------

def record(*fields):
    """Of (tag, content); a content is bytes, text, or a struct's form and its numbers."""
    result = b"\x01"
    for tag, content in fields:
        if isinstance(content, tuple):
            content = struct.pack(*content)
        content = content.encode() if isinstance(content, str) else content
        result += bytes([tag]) + varint(len(content)) + content
    return result + struct.pack("<I", crc32c(result))


def staged_page(wearable, item, offset, part):
    """(key, value)"""
    return struct.pack(">I", wearable) + item.encode() + b"\0" + struct.pack(">Q", offset), summed(struct.pack("<BBHIQ", 1, 0, len(part), 0, offset) + part)


def ring_field(ring, ordinal):
    return ring.key + struct.pack("<Q", ordinal)


def store(path, tables, version=3):
    """Writes {table: {key: value}} as a store; `format` is added to meta unless it is there."""
    tables = {"meta": {}} | tables
    tables["meta"] = {b"format": struct.pack("<6sHq", b"hearth", version, 1_795_000_000_000_000)} | tables["meta"]
    with lmdb.open(str(path), map_size=64 << 20, max_dbs=24, lock=False, sync=False) as environment:
        for name, entries in tables.items():
            database = environment.open_db(name.encode())
            with environment.begin(database, write=True) as transaction:
                for key, value in entries.items():
                    transaction.put(key, value)


def live(wearable, series):
    return Ring(wearable, series, 0)


def fetched(wearable, series):
    return Ring(wearable, series, 1)
