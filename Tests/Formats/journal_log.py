"""The file journal.log of a store: the chunks of live samples that are in no table yet (Sources/RingStore/FORMAT.md)."""
import struct

import chunks
from chunks import Damaged, crc32c

NAME, SLOT, SLOTS, HEAD = "journal.log", 4096, 512, 16


def slot(data, place, number, store):
    """(number of the slot, key, chunk), or `None` if the slot is not whole."""
    checksum, length, zero, count = struct.unpack_from("<IHHQ", data)
    if length + HEAD > SLOT or zero or count % SLOTS != place:
        return None
    if crc32c(struct.pack("<Q", number) + data[4 : HEAD + length]) != checksum:
        return None
    value = data[HEAD : HEAD + length]
    if len(value) < 16:
        return None
    key = struct.pack(">Q", struct.unpack_from("<Q", value, 8)[0])
    try:
        return count, key, chunks.journal_chunk(key, value, store)
    except Damaged:
        return None


def behind(file, number, first, store=None):
    """`store` is the number that its chunks' checksums cover. Gives (key, chunk) from a sequence number on; a key without a chunk if the chunk is lost."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return
    found = []
    for place in range(SLOTS):
        start = SLOT * (1 + place)
        part = data[start : start + SLOT]
        if len(part) == SLOT and (one := slot(part, place, number, store)):
            found.append(one)
    found.sort(key=lambda one: one[0])
    before = None
    for count, key, chunk in found:
        if found[-1][0] - count >= SLOTS or before and chunk.sequence < before[1]:
            continue
        if chunk.sequence >= first:
            if before and count > before[0] + 1 and chunk.sequence > before[1] >= first:
                yield struct.pack(">Q", before[1]), None
            yield key, chunk
        before = count, chunk.sequence + len(chunk.records)
