"""Wearables that keep their central waiting: mute at each step of a link, slow in each answer, or gone as soon as they are there."""
import asyncio

from hostile import MTU_REQUEST, READ, READ_BY_GROUP, READ_BY_TYPE, WRITE, Hostile

SLOW = 29.0  # s: just below ATT's own transaction time


class Mute(Hostile):
    """Stops answering from the named request on: an opcode, or `None` for every request. `spared` so many of that kind before."""

    at, spared = None, 0

    def connected(self, connection):
        self.left, self.is_mute = self.spared, self.at is None
        super().connected(connection)

    def take(self, pdu):
        if pdu[:1] == bytes([self.at or 0]):
            self.left -= 1
            self.is_mute = self.is_mute or self.left < 0
        return self.is_mute


def mute(at, spared=0):
    return type("Mute", (Mute,), {"at": at, "spared": spared})


class Slow(Hostile):
    """Each answer takes 29 s."""

    def take(self, pdu):
        link = self.connection

        async def later():
            await asyncio.sleep(SLOW)
            if self.connection is link and link is not None:
                self.device.on_gatt_pdu(link.handle, pdu)

        self.tasks.append(asyncio.create_task(later()))
        return True


class Refusing(Hostile):
    """Answers each request with an error."""

    code = 0x0E

    def take(self, pdu):
        if not pdu[0] & 1 and pdu[0] != 0x52:
            self.refuse(pdu, self.code)
        return True


class Leaving(Hostile):
    """Ends each link after a while."""

    after = 0.0

    async def attack(self):
        await asyncio.sleep(self.after)
        asyncio.create_task(self.hang_up())


def leaving(after):
    return type("Leaving", (Leaving,), {"after": after})


MODELS = {
    "mute": Mute,
    "mute-at-mtu": mute(MTU_REQUEST),
    "mute-at-services": mute(READ_BY_GROUP),
    "mute-in-services": mute(READ_BY_GROUP, 1),
    "mute-at-characteristics": mute(READ_BY_TYPE),
    "mute-at-values": mute(READ),
    "mute-at-subscription": mute(WRITE),
    "silent-strap": Hostile,
    "slow": Slow,
    "refusing": Refusing,
    "leaving-at-once": leaving(0.0),
    "leaving-each-second": leaving(1.0),
}
