"""How samples are packed: chunks of the journal (layouts 1 and 3) and of rings (layout 2), and rows of rings.

Written from Sources/RingStore/FORMAT.md alone. Every decoder takes arbitrary bytes and either returns what they say or raises `Damaged`.
No decoder trusts a length, and the work is bounded by the size of the value.
"""
import dataclasses
import struct
import typing

MAXIMUM = 4080  # bytes of a chunk: what one overflow page of LMDB holds
VALUES = 16  # of an item
ITEMS = 8192  # of a chunk of a ring
RUN = 128  # items to a block


class Damaged(Exception):
    """These bytes are not what FORMAT.md describes."""


def need(condition, what):
    if not condition:
        raise Damaged(what)


# --- Numbers -------------------------------------------------------------------------------------------------------------------------

def _table():
    polynomial, table = 0x82F63B78, []  # 0x1EDC6F41, reflected
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (polynomial if byte & 1 else 0)
        table.append(byte)
    return table


_CRC = _table()


def crc32c(*pieces):
    crc = 0xFFFFFFFF
    for piece in pieces:
        for byte in piece:
            crc = crc >> 8 ^ _CRC[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


_PLACES = {entry >> 24: place for place, entry in enumerate(_CRC)}


def number_in(checksum, *pieces):
    """Calculates backwards which number (u32) the bytes of a checksum follow."""
    crc = checksum ^ 0xFFFFFFFF
    for byte in reversed(bytes(4) + b"".join(pieces)):
        place = _PLACES[crc >> 24]
        crc = ((crc ^ _CRC[place]) << 8 & 0xFFFFFFFF) | place ^ byte
    return crc ^ 0xFFFFFFFF


def wrap(number):
    """What is left of a number in an i64."""
    number &= 0xFFFFFFFFFFFFFFFF
    return number - (1 << 64) if number >> 63 else number


def unzigzag(number):
    return number >> 1 ^ -(number & 1)


class Bytes:
    """Walks along bytes from the front."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    @property
    def left(self):
        return len(self.data) - self.at

    def take(self, count):
        need(count <= self.left, "ends too early")
        self.at += count
        return self.data[self.at - count:self.at]

    def byte(self):
        return self.take(1)[0]

    def varint(self, bits=64):
        number = 0
        for place in range(10):
            byte = self.byte()
            number |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                need(number >> bits == 0, f"a varint of more than {bits} bits")
                return number
        raise Damaged("a varint of more than ten bytes")

    def zigzag(self):
        return unzigzag(self.varint())


def check_sum(value, covered=b""):
    """Of chunks and rows of rings: bytes 4-7 are the CRC-32C of what they cover of their place, and of all others."""
    need(struct.unpack_from("<I", value, 4)[0] == crc32c(covered, value[:4], value[8:]), "checksum")


def covered(number, key):
    """What the checksum of a chunk or page covers of its place: the store's number, and its key."""
    return struct.pack("<I", number or 0) + key


def check_flags(flags):
    """Of an item."""
    need(0 <= flags <= 0x7F, "flags of an item")


# --- What is in a chunk --------------------------------------------------------------------------------------------------------------

class Item(typing.NamedTuple):
    """A sample, or a part of one. `time` in microseconds; `values` in the stored scale of the series."""

    time: int
    flags: int
    values: tuple
    data: bytes

    @property
    def origin(self):
        return self.flags & 3

    @property
    def manual(self):
        return self.flags >> 2 & 1 == 1

    @property
    def kind(self):
        return self.flags >> 3 & 3

    @property
    def low_quality(self):
        return self.flags >> 5 & 1 == 1

    @property
    def goes_on(self):
        return self.flags >> 6 & 1 == 1


class Ring(typing.NamedTuple):
    """The name of a ring."""

    wearable: int
    series: int
    way: int  # 0 live, 1 fetched

    @property
    def key(self):
        return struct.pack(">IHB", *self)


@dataclasses.dataclass
class JournalChunk:
    layout: int
    disciplined: bool
    sequence: int
    before: int  # records committed before this chunk, ever
    monotonic: int  # ns
    wall: int
    earliest: int
    latest: int
    high_water: int
    boot: str
    odometer: typing.Optional[int]  # layout 1 lacks it
    records: list  # of (Ring, Item)
    own_times: bool = False  # they rest on no clock of the hub's

    @property
    def wall_less_monotonic(self):
        return self.wall - self.monotonic // 1000


@dataclasses.dataclass
class RingChunk:
    ring: Ring
    disciplined: bool
    continues: bool  # the first item is the rest of one before it
    first: int
    earliest: int
    latest: int
    high_water: int
    wall_less_monotonic: int  # us
    boot: str
    value_count: int
    has_bytes: bool
    items: list
    own_times: bool = False
    is_covered: bool = False  # its checksum covers its place


@dataclasses.dataclass
class RingRow:
    next: int
    items: int
    chunks: int
    first_items: int  # of the first chunk
    first: int
    earliest: int  # of the first chunk
    latest: int
    high_water: int
    exported: int
    evicted: int
    evicted_unexported: int
    evicted_earliest: int
    evicted_latest: int
    purged: int
    bytes: int


def boot_text(high, low):
    return f"{high:016x}{low:016x}"


# --- The journal ---------------------------------------------------------------------------------------------------------------------

def journal_chunk(key, value, number=None):
    need(len(key) == 8, "a key of another length than 8")
    need(80 <= len(value) <= MAXIMUM, "length")
    layout, flags, count = struct.unpack_from("<BBH", value)
    need(layout in (1, 3), "layout")
    need(len(value) >= 88 or layout == 1, "length")
    check_sum(value, covered(number, key) if layout == 3 and flags & 4 else b"")
    sequence, before, monotonic, wall, earliest, latest, high_water, high, low = struct.unpack_from("<QQqqqqqQQ", value, 8)
    need(sequence == int.from_bytes(key, "big"), "another number than the key's")
    need(count > 0, "no records")
    odometer = struct.unpack_from("<Q", value, 80)[0] if layout == 3 else None
    walk = Bytes(value, 88 if layout == 3 else 80)
    records = (_records if layout == 3 else _old_records)(walk, count, wall)
    need(walk.left == 0, "bytes behind the last record")
    return JournalChunk(layout, bool(flags & 1), sequence, before, monotonic, wall, earliest, latest, high_water, boot_text(high, low),
                        odometer, records, bool(flags & 2))


def _records(walk, count, time):
    wearable, flags, records = 0, 0, []
    for _ in range(count):
        control = walk.byte()
        if not control & 1:
            wearable = walk.varint(32)
        series = control >> 4
        if series == 15:
            series = walk.varint(16)
        if not control & 4:
            flags = walk.byte()
        shape = walk.byte() if control & 8 else 1
        need(shape & 0x60 == 0 and shape & 31 <= VALUES, "shape of a record")
        if not control & 2:
            time = wrap(time + walk.zigzag() * (1 if flags & 0x80 else 1000))
        values = tuple(walk.zigzag() for _ in range(shape & 31))
        data = walk.take(walk.varint()) if shape & 0x80 else b""
        check_flags(flags & 0x7F)
        records.append((Ring(wearable, series, 0), Item(time, flags & 0x7F, values, data)))
    return records


def _old_records(walk, count, time):
    wearable, records = 0, []
    for _ in range(count):
        control = walk.byte()
        if not control & 4:
            wearable = walk.varint(32)
        series = control >> 4
        if series == 15:
            series = walk.varint(16)
        if not control & 8:
            time = wrap(time + walk.zigzag())
        check_flags(control & 3)
        records.append((Ring(wearable, series, 0), Item(time, control & 3, (walk.zigzag(),), b"")))
    return records


# --- Rings ---------------------------------------------------------------------------------------------------------------------------

def ring_name(key):
    need(len(key) == 7, "a key of another length than 7")
    ring = Ring(*struct.unpack(">IHB", key))
    need(ring.way in (0, 1), "way")
    return ring


def ring_row(value):
    need(len(value) == 120, "length")
    need(value[0] == 1, "layout")
    check_sum(value)
    return RingRow(*struct.unpack_from("<QQIIQqqqQQQqqQQ", value, 8))


def staged_page(key, value, number=None):
    """(wearable, id of the item, offset, bytes)"""
    need(14 <= len(key) <= 133 and key[-9] == 0 and all(0x21 <= byte <= 0x7E for byte in key[4:-9]), "key")
    need(17 <= len(value) <= 4016, "length")
    layout, is_covered, count, _, offset = struct.unpack_from("<BBHIQ", value)
    need(layout == 1 and is_covered <= 1, "layout")
    check_sum(value, covered(number, key) if is_covered else b"")
    need(count == len(value) - 16, "number of bytes")
    need(offset == int.from_bytes(key[-8:], "big"), "another offset than its key's")
    return int.from_bytes(key[:4], "big"), key[4:-9].decode(), offset, value[16:]


def ring_chunk(key, value, number=None):
    need(len(key) == 15, "a key of another length than 15")
    ring = ring_name(key[:7])
    need(68 <= len(value) <= MAXIMUM, "length")
    layout, flags, count = struct.unpack_from("<BBH", value)
    need(layout == 2, "layout")
    check_sum(value, covered(number, key) if flags & 8 else b"")
    first, earliest, latest, high_water, offset, high, low, value_count, has_bytes, heap_length = struct.unpack_from(
        "<QqqqqQQBBH", value, 8)
    need(first == int.from_bytes(key[7:], "big"), "another ordinal than the key's")
    need(1 <= count <= ITEMS, "number of items")
    need(value_count <= VALUES and has_bytes <= 1, "number of columns")
    walk = Bytes(value, 68)
    times, flag_column, *others = columns(walk, 2 + value_count + has_bytes, count)
    need(walk.left == heap_length, "the heap has another length")
    lengths = others.pop() if has_bytes else [0] * count
    need(all(0 <= length <= 3800 for length in lengths) and sum(lengths) == heap_length, "the items' lengths are not the heap's")
    for flag in set(flag_column):
        check_flags(flag)
    items = [Item(time, flag, values, walk.take(length))
             for time, flag, values, length in zip(times, flag_column, zip(*others) if others else [()] * count, lengths)]
    return RingChunk(ring, bool(flags & 1), bool(flags & 2), first, earliest, latest, high_water, offset, boot_text(high, low), value_count,
                     has_bytes == 1, items, bool(flags & 4), bool(flags & 8))


def columns(walk, number, count):
    """Descriptors and blocks: `number` columns of `count` numbers each."""
    exponents, result = {}, []
    for column in range(number):
        descriptor = walk.byte()
        need(descriptor & 0x78 == 0, "descriptor of a column")
        if descriptor & 0x80:
            result.append([walk.zigzag()] * count)
        else:
            need(descriptor <= 6, "exponent of a column")
            exponents[column] = descriptor
            result.append([])
    before = dict.fromkeys(exponents, 0)
    for start in range(0, count, RUN):
        length = min(RUN, count - start)
        for column, exponent in exponents.items():
            numbers = block(walk, length, before[column])
            before[column] = numbers[-1]
            result[column] += [wrap(number * 10 ** exponent) for number in numbers]
    return result


def block(walk, count, before):
    head = walk.byte()
    width, predictor = head & 63, head >> 6
    need(width <= 56 or width == 63, "width of residuals")
    width = 64 if width == 63 else width
    start = wrap(before + walk.zigzag())
    slope = walk.zigzag() if predictor >= 2 else 0
    residuals = _residuals(walk, (count, count - 1, max(count - 2, 0), count)[predictor], width)
    if predictor == 0:
        return [wrap(start + residual) for residual in residuals]
    if predictor == 3:
        return [wrap(start + (wrap(place * slope) >> 8) + residual) for place, residual in enumerate(residuals)]
    numbers = [start]
    if predictor == 1:
        for residual in residuals:
            numbers.append(wrap(numbers[-1] + unzigzag(residual)))
    elif count > 1:
        numbers.append(wrap(start + slope))
        for residual in residuals:
            numbers.append(wrap(2 * numbers[-1] - numbers[-2] + unzigzag(residual)))
    return numbers


def _residuals(walk, count, width):
    packed = int.from_bytes(walk.take((count * width + 7) // 8), "little")
    mask = (1 << width) - 1
    return [packed >> place * width & mask for place in range(count)]
