"""A heart rate for all listeners: in the manufacturer data of advertisements, as Polar's straps and watches have it. Connections are refused meanwhile."""
import asyncio
import struct

from bumble.core import AdvertisingData

COMPANY = 0x006B
INTERVAL = 0.2  # seconds between advertisements
REPEATS = 5  # advertisements of one measurement
CONTACT, BROADCAST = 0x02, 0x20


class Broadcast:
    """A measurement a second until `end`, each in the strap's log."""

    def __init__(self, strap):
        self.strap = strap
        self.task = asyncio.create_task(self._run())

    def end(self):
        self.task.cancel()

    async def _run(self):
        sequence = 0
        while True:
            # Each rate twice: only the counter tells that it is another measurement.
            heart_rate = 60 + sequence // 2 % 100
            block = struct.pack("<HBBBB", COMPANY, CONTACT | BROADCAST | sequence % 8 << 2, 0, heart_rate + 3, heart_rate)
            data = bytes(AdvertisingData([(AdvertisingData.FLAGS, bytes([0x06])), (AdvertisingData.MANUFACTURER_SPECIFIC_DATA, block)]))
            self.strap.log("broadcast", sequence=sequence, heart_rate=heart_rate)
            for _ in range(REPEATS):
                self.strap.air.broadcast(self.strap.address, data)
                await asyncio.sleep(INTERVAL)
            sequence += 1
