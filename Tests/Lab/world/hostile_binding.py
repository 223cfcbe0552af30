"""Wearables that pair, or want to be bound, for ever. A cuff refuses each value and forgets each key; on the bands "yes" is never pressed."""
import asyncio
import itertools

from bumble.core import UUID
from bumble.gatt import Characteristic, Service

import fitcloud_frames
from hostile import READ, WRITE, Hostile
from hostile_files import BASE, leave
from moyoung_band import Moyoung
from wrist import FitCloudWrist, MoyoungWrist

INSUFFICIENT_AUTHENTICATION = 0x05
ASKS_EVERY = 1.0  # s
FOR_EVER = 1 << 30


class PairingCuff(Hostile):
    """Pairs with every central and asks itself; each value wants one pairing more, and it forgets the key of each."""

    service, name = 0x1810, b"Cuff"

    def services(self):
        pressure = Characteristic(UUID.from_16_bits(0x2A35), Characteristic.Properties.INDICATE, Characteristic.READABLE, b"")
        return [*super().services(), Service(UUID.from_16_bits(0x1810), [pressure, self.fixed(0x2A49, b"\x1f\x00")])]

    def take(self, pdu):
        if pdu[0] not in (READ, WRITE):
            return False
        self.refuse(pdu, INSUFFICIENT_AUTHENTICATION)
        return True

    async def attack(self):
        for _ in itertools.count():
            self.security(b"\x0b\x09")
            await asyncio.sleep(ASKS_EVERY)
            await self.device.keystore.delete_all()


class BindingBand(FitCloudWrist):
    """A band that is never confirmed on its screen: each wish to be bound is answered with that."""

    def __init__(self, number, air, log, rssi, address=None):
        super().__init__(BASE + number, air, log, rssi, 0)
        self.protocol.battery = Hostile.battery
        self.protocol.faults.never_confirms = FOR_EVER

    async def end(self):
        await leave(self)


class SilentBand(BindingBand):
    """Takes and acknowledges each frame, and answers no frame."""

    def __init__(self, *words):
        super().__init__(*words)
        self.protocol._answer = lambda command, key, content: self.log("ignored", command=command, key=key)


class RefusingBand(BindingBand):
    """Refuses each frame, as if it had come in pieces that do not fit."""

    def _written(self, _link, value):
        sequence = int.from_bytes(bytes(value)[6:8], "big")
        self.send(fitcloud_frames.acknowledgement(sequence, True).encode())


class MuteBand(MoyoungWrist):
    """Of another family; takes what is written and never answers."""

    protocol_kind = type("Charged", (Moyoung,), {"BATTERY": 255})  # less its number

    def __init__(self, number, air, log, rssi, address=None):
        super().__init__(BASE + number, air, log, rssi, 0)
        self.is_mute = True

    async def end(self):
        await leave(self)


MODELS = {
    "cuff-pairs": PairingCuff,
    "band-never-bound": BindingBand,
    "band-answers-nothing": SilentBand,
    "band-refuses-frames": RefusingBand,
    "band-mute": MuteBand,
}
