"""People who walk past with gadgets: random addresses that advertise rubbish. Strangers cost the world only the report itself."""
import asyncio
import random

from bumble.hci import Address

ROUND = 1.0  # each advertises once in this time
STEPS = 20  # a round is spread over so many steps


class Strangers:
    """Rubbish from a seed: every second packet is random bytes, the others are almost right."""

    def __init__(self, seed=1):
        self.random = random.Random(seed)
        self.packets = []
        self.task = None

    def set_count(self, count, hear):
        """`hear(address, data, rssi)` gets every advertisement."""
        while len(self.packets) < count:
            self.packets.append(self._packet())
        del self.packets[count:]
        if self.task is None and count:
            self.task = asyncio.create_task(self._walk(hear))
        elif self.task is not None and not count:
            self.task.cancel()
            self.task = None

    def _packet(self):
        draw = self.random
        # The two top bits say what kind of random address it is; all of them are heard in the wild.
        address = Address(bytes(draw.randrange(256) for _ in range(6)), Address.RANDOM_DEVICE_ADDRESS)
        if draw.random() < 0.5:
            data = bytes(draw.randrange(256) for _ in range(draw.randrange(32)))
        else:
            name = bytes(draw.choice((0x00, 0x1B, 0x07, 0xC3, 0x41, 0xFF)) for _ in range(draw.randrange(16)))
            data = bytes([2, 1, 6, 3, 3, 0x0D, 0x18, len(name) + draw.randrange(3), 9]) + name
        return address, data[:31], draw.randrange(-100, -40)

    async def _walk(self, hear):
        step = 0
        while True:
            for address, data, rssi in self.packets[step::STEPS]:
                hear(address, data, rssi)
            step = (step + 1) % STEPS
            await asyncio.sleep(ROUND / STEPS)
