"""Wearables that send unrequested packets, as fast as the link takes it: on ATT, for pairing, and on the signalling channel."""
import itertools
import random
import struct

from hostile import MTU_REQUEST, WRITE, Hostile


def flooding(*pdus, channel="pdu"):
    """Sends these for ever, in turn."""

    class Flooding(Hostile):
        async def attack(self):
            await self.flood(itertools.cycle(pdus), send=getattr(self, channel))

    return Flooding


class Rubbish(Hostile):
    """Random bytes, the same in each run."""

    async def attack(self):
        draw = random.Random(self.number)
        await self.flood(iter(lambda: draw.randbytes(draw.randrange(1, 60)), None))


class Exchanging(Hostile):
    """Answers the exchange of the MTU with a number of its own, whatever was asked."""

    mtu = 23

    def take(self, pdu):
        if pdu[0] == MTU_REQUEST:
            self.pdu(struct.pack("<BH", MTU_REQUEST + 1, self.mtu))
        return pdu[0] == MTU_REQUEST


def exchanging(mtu):
    return type("Exchanging", (Exchanging,), {"mtu": mtu})


class Twice(Hostile):
    """Each answer comes three times: two of them are unexpected."""

    async def attack(self):
        send = self.device.gatt_server.send_response
        self.device.gatt_server.send_response = lambda bearer, answer: [send(bearer, answer) for _ in range(3)]


class Stalling(Hostile):
    """Asks for pairing and wants it to be subscribed to; stops answering the pairing from the named packet on."""

    packet = 0

    def take(self, pdu):
        if pdu[0] == WRITE and not self.connection.is_encrypted:
            self.refuse(pdu, 0x05)
            return True
        return False

    def connected(self, connection):
        self.seen = 0
        super().connected(connection)

    async def attack(self):
        self.security(b"\x0b\x09")

    def take_security(self, pdu):
        self.seen += 1
        return self.seen > self.packet


def stalling(packet):
    return type("Stalling", (Stalling,), {"packet": packet})


class Failing(Stalling):
    """Asks for pairing, refuses each, and asks again."""

    def take_security(self, pdu):
        if pdu[0] == 1:
            self.security(b"\x05\x05")
            self.security(b"\x0b\x09")
        return True


UPDATES = [struct.pack("<BBHHHHH", 0x12, 1 + place, 8, *numbers) for place, numbers in enumerate(((6, 6, 0, 10), (3200, 3200, 499, 3200), (0, 0, 0, 0), (65535, 1, 65535, 65535)))]
MODELS = {
    "empty-packets": flooding(b""),
    "one-byte-packets": flooding(*(bytes([code]) for code in range(256))),
    "oversized-packets": flooding(b"\x1b\x10\x00" + bytes(597)),
    "unknown-opcodes": flooding(*(bytes([code, 1, 0, 2, 0]) for code in (0x3F, 0x7F, 0xD2, 0xFF, 0x24, 0x2A))),
    "answers-unasked": flooding(b"\x0b\0\0", b"\x03\x00\x02", b"\x13", b"\x01\x0a\x01\x00\x0a", b"\x11\x06\x01\x00\x05\x00\x0d\x18", b"\x09\x07\x02\x00\x02\x03\x00\x37\x2a"),
    "indications": flooding(b"\x1d\x10\x00\x01"),
    "notifications-unasked": flooding(*(struct.pack("<BHB", 0x1B, handle, 60) for handle in (0, 1, 0x20, 0x7FFF, 0xFFFF))),
    "requests": flooding(b"\x10\x01\x00\xff\xff\x00\x28", b"\x08\x01\x00\xff\xff\x03\x28", b"\x04\x01\x00\xff\xff"),
    "prepared-writes": flooding(b"\x16\x01\x00\x00\x00" + bytes(18)),
    "mtu-requests": flooding(b"\x02\x17\x00", b"\x02\xff\xff", b"\x02\0\0"),
    "rubbish": Rubbish,
    "mtu-0": exchanging(0),
    "mtu-22": exchanging(22),
    "mtu-65535": exchanging(65535),
    "answers-thrice": Twice,
    "security-requests": flooding(b"\x0b\x09", channel="security"),
    "pairing-rubbish": flooding(b"\x03" + bytes(16), b"\x0c" + bytes(64), b"\x0d", b"\x0f\xff", channel="security"),
    "pairing-refused": Failing,
    **{f"pairing-stalls-{packet}": stalling(packet) for packet in range(4)},
    "parameter-updates": flooding(*UPDATES, channel="signal"),
    "signalling-rubbish": flooding(b"\x14\x01\x0a\x00" + bytes(10), b"\x01", b"\x06\x02\x04\x00" + bytes(4), b"\xff\x03\xff\xff", channel="signal"),
}
