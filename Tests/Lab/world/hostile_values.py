"""Wearables that are subscribed to like any other, and tell what cannot be, or more than anybody can use."""
import itertools
import struct

from bumble.core import UUID
from bumble.gatt import Characteristic, Service

from hostile import Hostile


class Telling(Hostile):
    """`values` in turn, one each `every` seconds."""

    values, every = (b"\x00\x50",), 1.0

    async def attack(self):
        turns = itertools.cycle(self.values)
        await self.beat(lambda: next(turns), self.every)


def telling(*values, every=0.1):
    return type("Telling", (Telling,), {"values": values, "every": every})


class Intervals(Hostile):
    """Ten notifications a second with as many intervals as the MTU holds."""

    async def attack(self):
        await self.beat(lambda: b"\x10\x50" + struct.pack("<H", 700) * ((self.connection.att_mtu - 5) // 2), 0.1)


class Thermometer(Hostile):
    """A thousand measurements a second, in turn possible, infinite, no number, of the year 0 and of 9999."""

    service, name = 0x1809, b"Thermometer"
    values = [
        struct.pack("<BI", 0, number) + time
        for number in (0xFF000172, 0x007FFFFE, 0x007FFFFF, 0x7F7FFFFD, 0x80800002)
        for time in (b"", bytes(7), b"\x0f\x27\x0c\x1f\x17\x3b\x3b")
    ]

    def services(self):
        self.final = Characteristic(UUID.from_16_bits(0x2A1C), Characteristic.Properties.INDICATE, Characteristic.READABLE, b"")
        self.final.on(Characteristic.EVENT_SUBSCRIPTION, lambda _bearer, _notify, indicate: self._subscription(None, indicate, None))
        return [*super().services(), Service(UUID.from_16_bits(0x1809), [self.final])]

    async def attack(self):
        pdus = (struct.pack("<BH", 0x1D, self.final.handle) + value for value in itertools.cycle(self.values))
        await self.flood(pdus, pause=0.02)


class Impostor(Telling):
    """To be put at another's address: a strap of another maker with another name and another database, and a rate that no other strap sends."""

    name, serial, values, every = b"Impostor", "FORGED", (b"\x00\xf9",), 0.2

    def services(self):
        gap, rate, battery, information = super().services()
        return [information, rate, gap]


class SameTables(Telling):
    """The same with the database of the good strap, as far as anybody reads it."""

    name, serial, values, every = b"Strap 9", "LAB-0009", (b"\x00\xf9",), 0.2


class Copy(Impostor):
    """The same, with the good strap's name too."""

    name = b"Strap 0"


class Battery(Telling):
    battery = 255


MODELS = {
    "intervals": Intervals,
    "impossible-rates": telling(b"\x01\xff\xff", b"\x00\xff", b"\x00\x00", b"\x01\x00\x00"),
    "impossible-intervals": telling(b"\x10\x50\0\0\0\0", b"\x10\x50\xff\xff", b"\x10\x50\x01\x00"),
    "cut-values": telling(b"", b"\x01", b"\x01\x50", b"\x10\x50\xaa", b"\x1f", b"\xff" * 8),
    "thermometer": Thermometer,
    "impostor": Impostor,
    "impostor-same-tables": SameTables,
    "copy": Copy,
    "battery-255": Battery,
}
