"""Wearables with a database that has no end, no order or no sense; and one that is another at each link."""
import asyncio
import struct

from bumble.core import UUID
from bumble.gatt import Characteristic, Service

from hostile import INFORMATION, READ, READ_BLOB, READ_BY_GROUP, READ_BY_TYPE, Hostile


class Table(Hostile):
    """Answers searches by itself. `group`, `kind` and `information` give an answer for the first handle that is asked for, or `None` to
    leave it to the server."""

    def take(self, pdu):
        search = {READ_BY_GROUP: self.group, READ_BY_TYPE: self.characteristics, INFORMATION: self.information}.get(pdu[0])
        answer = search(int.from_bytes(pdu[1:3], "little")) if search else None
        if answer is not None:
            self.pdu(answer)
        return answer is not None

    def group(self, first):
        return None

    def characteristics(self, first):
        return None

    def information(self, first):
        return None


def services(*entries):
    return b"\x11\x06" + b"".join(struct.pack("<HHH", *entry) for entry in entries)


class EndlessServices(Table):
    def group(self, first):
        return services((first, first, 0x180D))


class Repeating(Table):
    def group(self, _first):
        return services((1, 5, 0x180D), (1, 5, 0x180D))


class Overlapping(Table):
    def group(self, first):
        return services((first, 0xFFFE, 0x180D), (first, 0xFFFF, 0x180D)) if first < 9 else None


class Backwards(Table):
    def group(self, first):
        return services((max(first, 9), 2, 0x180D))


class Empty(Table):
    def group(self, _first):
        return b"\x11\x06"


class Cut(Table):
    def group(self, _first):
        return b"\x11\x06\x01\x00\x05"


class ZeroLength(Table):
    def group(self, _first):
        return b"\x11\x00" + bytes(18)


class EndlessCharacteristics(Table):
    def group(self, first):
        return services((1, 0xFFFF, 0x180D)) if first == 1 else None

    def characteristics(self, first):
        return b"\x09\x07" + struct.pack("<HBHH", first, 0x10, min(first + 1, 0xFFFF), 0x2A37)


class RepeatingCharacteristics(EndlessCharacteristics):
    def characteristics(self, _first):
        return b"\x09\x07" + struct.pack("<HBHH", 2, 0x10, 3, 0x2A37)


class EndlessDescriptors(Table):
    def information(self, first):
        return b"\x05\x01" + struct.pack("<HH", first, 0x2901)


class LongName(Hostile):
    """512 bytes with a terminal's escape sequences; each byte of them in its advertisement's name, too."""

    name = (b"\x1b[31m\x00\x07\r\n\"\\\xc3\x28\xff\xe2\x80\xae" + b"evil\x00\xf0\x9f" * 80)[:512]


class EndlessValue(Hostile):
    """Each value goes on for as long as anybody reads it."""

    def take(self, pdu):
        if pdu[0] in (READ, READ_BLOB):
            self.pdu(bytes([pdu[0] + 1]) + b"x" * (self.connection.att_mtu - 1))
        return pdu[0] in (READ, READ_BLOB)


class Changing(Hostile):
    """Says all the time that its database has changed."""

    def services(self):
        self.changed = Characteristic(UUID.from_16_bits(0x2A05), Characteristic.Properties.INDICATE, Characteristic.READABLE, b"")
        return [Service(UUID.from_16_bits(0x1801), [self.changed]), *super().services()]

    async def attack(self):
        while True:
            await asyncio.sleep(0.1)
            self.pdu(struct.pack("<BHHH", 0x1D, self.changed.handle, 1, 0xFFFF))


MODELS = {
    "endless-services": EndlessServices,
    "repeating-services": Repeating,
    "overlapping-services": Overlapping,
    "backward-services": Backwards,
    "no-services": Empty,
    "cut-services": Cut,
    "services-of-no-length": ZeroLength,
    "endless-characteristics": EndlessCharacteristics,
    "repeating-characteristics": RepeatingCharacteristics,
    "endless-descriptors": EndlessDescriptors,
    "long-name": LongName,
    "endless-values": EndlessValue,
    "changing-database": Changing,
}
