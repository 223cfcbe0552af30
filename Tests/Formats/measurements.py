"""The record of a measurement: kind 1 of series 76.

Written from Sources/RingStore/FORMAT.md alone. `read` takes bytes that may be anything and returns what they say or raises `Damaged`.
"""
import math
import struct

from chunks import Damaged, need, unzigzag

SERIES, KIND, VERSION, MAXIMUM = 76, 1, 1, 3800
ID, WORD = 128, 48  # bytes of a text
INTERVALS, GAPS, RESULTS = 1320, 90, 64
BASES = {1: "rr", 2: "ppi", 3: "rate"}
ENDS = ("duration", "stop", "terminated", "error")
CONFIDENCES = ("unknown", "low", "medium", "high")
CODES = {4, 14, 17, 19, 20, 3003, 3500, 4506, 6004, 6005, 7002, 7007, 7008, 7009, 7012, 8003, 8004, 8005, 8006, 8007, 8501, 9500}


class LaterVersion(Exception):
    """The bytes are of a later program."""


class Content:
    """Walks along the bytes of a record or of one of its fields."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def take(self, count):
        need(count <= len(self.data) - self.at, "cut off")
        self.at += count
        return self.data[self.at - count:self.at]

    def varint(self, bits=64):
        number = 0
        for place in range(10):
            byte, = self.take(1)
            number |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                need(byte or not place, "a varint longer than it needs to be")
                need(number < 1 << bits, f"a number of more than {bits} bits")
                return number
        raise Damaged("a varint of more than ten bytes")

    def zigzag(self):
        return unzigzag(self.varint())

    def real(self):
        number, = struct.unpack("<d", self.take(8))
        need(math.isfinite(number), "a real that is not finite")
        return number

    def share(self, limit):
        number = self.real()
        need(0 <= number <= limit, f"a share outside 0 to {limit}")
        return number

    def text(self, limit):
        data = self.take(self.varint())
        need(len(data) <= limit, "length of a text")
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise Damaged("a text that is no UTF-8") from None

    def one_of(self, names):
        number = self.varint()
        named = names.get(number) if isinstance(names, dict) else names[number] if number < len(names) else None
        need(named is not None, f"a number that stands for nothing, {number}")
        return named

    def several(self, limit, entry):
        found = []
        while self.more():
            need(len(found) < limit, "too many entries")
            found.append(entry(self))
        return found


def interval(content):
    number = content.varint(33)
    if not number & 1:
        return [number >> 1, 0]
    flags = content.varint(16)
    need(flags, "flags of an interval that are none")
    return [number >> 1, flags]


def result(content):
    return {"name": content.text(WORD), "value": content.real(), "text": content.text(WORD), "unit": content.text(WORD),
            "confidence": content.one_of(CONFIDENCES), "window_s": content.real(), "method": content.text(WORD), "flags": content.varint(16)}


def ending(content):
    end = {"end": content.one_of(ENDS)}
    if end["end"] == "error":
        end["code"] = content.varint(16)
        need(end["code"] in CODES, f"an error that nobody knows, {end['code']}")
    return end


# By tag: what a field says, as parts of the whole.
FIELDS = {
    1: lambda content: {"session": content.varint(), "number": content.varint(32), "basis": content.one_of(BASES)},
    2: lambda content: {"person": content.text(ID)},
    3: lambda content: {"device": content.text(ID)},
    4: lambda content: {name: content.zigzag() for name in ("start_us", "end_us", "requested_us", "actual_us")},
    5: ending,
    6: lambda content: {"artefact_share": content.share(1), "coverage": content.share(10)},
    7: lambda content: {"intervals": content.several(INTERVALS, interval)},
    8: lambda content: {"gaps": content.several(GAPS, lambda gap: [gap.zigzag(), gap.zigzag()])},
    9: lambda content: {"results": content.several(RESULTS, result)},
    10: lambda content: {"not_reported": content.several(RESULTS, lambda one: {"name": one.text(WORD), "reason": one.text(WORD)})},
    11: lambda content: {"left_out": content.varint(32)},
}


def read(data):
    """What a record says, as a dictionary; raises Damaged, or LaterVersion."""
    need(0 < len(data) <= MAXIMUM, "length of a record")
    if data[0] != VERSION:
        raise LaterVersion(f"version {data[0]}")
    whole, record, last = Content(data[1:]), {}, 0
    while whole.more():
        tag, = whole.take(1)
        need(tag > last and (tag == last + 1 or last >= max(FIELDS)), f"field {tag} behind field {last}")
        last, content = tag, Content(whole.take(whole.varint()))
        if tag in FIELDS:
            record |= FIELDS[tag](content)
            need(not content.more(), f"bytes behind the content of field {tag}")
    need(last >= max(FIELDS), "fields are missing")
    return record


def of_item(ring, item):
    """The record in an item, `None` if it holds no record that this reader knows; raises Damaged."""
    if ring.series != SERIES or item.values != (KIND,):
        return None
    try:
        return read(item.data)
    except LaterVersion:
        return None
