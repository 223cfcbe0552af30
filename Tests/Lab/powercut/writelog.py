"""What dm-log-writes wrote down: every write that a disk got, in the order in which it was asked to make them last.

The log begins with a sector that holds magic, version, number of entries (u64 each) and the sector size (u32). An entry is a sector
with its head and, for marks, the text; for writes the data follow. An unflushed write stands in front of the flush that made it last,
not at its time of issue. The first n entries are the worst that a disk may have after a power cut at that point.
"""
import os
import struct

MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8


class Entry:
    __slots__ = ("offset", "length", "flags", "place", "text")

    def __init__(self, offset, length, flags, place, text):
        self.offset = offset  # on the disk, bytes
        self.length = length
        self.flags = flags
        self.place = place  # of the data in the log
        self.text = text  # of a mark, else ""

    @property
    def is_write(self):
        return self.length > 0 and not self.flags & (DISCARD | MARK)


class WriteLog:
    def __init__(self, device):
        self.file = os.open(device, os.O_RDONLY)
        magic, version, count, sector = struct.unpack("<QQQI", os.pread(self.file, 28, 0))
        if magic != MAGIC or version != 1:
            raise ValueError(f"{device} is not a write log of version 1")
        self.entries = []
        place = sector
        for _ in range(count):
            head = os.pread(self.file, sector, place)
            at, sectors, flags, text = struct.unpack_from("<QQQQ", head)
            place += sector
            length = sectors * sector
            self.entries.append(Entry(at * sector, length, flags, place, head[32:32 + text].decode() if flags & MARK else ""))
            if not flags & DISCARD:
                place += length
        self.size = place

    def data(self, entry):
        return os.pread(self.file, entry.length, entry.place)

    def close(self):
        os.close(self.file)

    def apply(self, entry, image):
        """Does to the image what the entry did to the disk."""
        if entry.flags & DISCARD:
            image[entry.offset:entry.offset + entry.length] = bytes(entry.length)
        elif entry.is_write:
            image[entry.offset:entry.offset + entry.length] = self.data(entry)

    def apply_torn(self, entry, image, random, sector=512):
        """As a disk that lost its power in the middle of it: sectors are whole, each is old or new."""
        data = self.data(entry)
        for start in range(0, len(data), sector):
            if random.random() < 0.5:
                image[entry.offset + start:entry.offset + start + sector] = data[start:start + sector]
