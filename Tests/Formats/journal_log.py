"""The file journal.log of a store: the chunks of live samples that are in no table yet (Sources/RingStore/FORMAT.md)."""
import struct

import chunks
from chunks import Damaged, crc32c

NAME, SLOT, SLOTS, HEAD = "journal.log", 4096, 512, 16


def slot(data, place, number, store):
    """(number of the slot, key, chunk, its flags), or `None` if the slot is not whole."""
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
        return count, key, chunks.journal_chunk(key, value, store), value[1]
    except Damaged:
        return None


AT_ONCE, SAME_WRITE = 32, 8


def end(chunk):
    return chunk.sequence + len(chunk.records)


def whole(found, moved):
    """`found`, in order, without what an interrupted write left behind its first missing slot."""
    last = len(found)
    for place in reversed(range(len(found))):
        count, _, chunk, flags = found[place]
        if not flags & SAME_WRITE or found[-1][0] - count >= AT_ONCE:
            break
        if place and found[place - 1][0] + 1 == count:
            continue
        if chunk.sequence <= max(end(found[place - 1][2]) if place else 0, moved):
            break
        last = place
    return found[:last]


def behind(file, number, first, moved, store=None):
    """Gives (key, chunk) from the sequence number `first` on; a key without a chunk if the chunk is lost.

    Chunks below `moved` are in the table or in rings. `store` is the number that the chunks' checksums cover.
    """
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
    newest, counted = max((one[0] for one in found), default=0), []
    for one in sorted(found, key=lambda one: one[0]):
        if newest - one[0] < SLOTS and not (counted and one[2].sequence < end(counted[-1][2])):
            counted.append(one)
    before = None
    for count, key, chunk, _ in whole(counted, moved):
        if chunk.sequence >= first:
            if before and count > before[0] + 1 and chunk.sequence > before[1] >= first:
                yield struct.pack(">Q", before[1]), None
            yield key, chunk
        before = count, end(chunk)
