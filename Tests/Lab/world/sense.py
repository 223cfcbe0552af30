"""A Polar Verity Sense: it records by order, encrypted where it is given a key, streams intervals of the pulse, and has no days."""
import asyncio
import datetime
import struct
import time

import polar_data
from heart import Heart
from polar_data import ACC, OFFLINE_HR, PPI
from recorder import ALREADY, START, STOP, Recorder

# What its clock shows after its battery was empty.
EMPTY_CLOCK = datetime.datetime(2019, 1, 1)
# s: it looks for the pulse first, and collects what it finds.
FIRST_BATCH, BATCH = 25, 5
SETTLING = 12  # intervals, which it does not vouch for
ERROR, UNSETTLED = 6, 30  # ms
CONTACT, BLOCKED = 0x06, 0x01  # it says contact on a table, too


class Sense(Recorder):
    kind = "sense"
    model = "Sense"
    firmware = "2.2.6"
    features = bytes([0x0C, 0x60])
    kinds = (ACC, PPI, OFFLINE_HR)
    encrypts = True

    def __init__(self, number, air, log, rssi):
        super().__init__(number, air, log, rssi, f"F0:5E:05:00:00:{number:02X}", 0x5E05000 + number, EMPTY_CLOCK)
        self.pulse = None  # the task that streams

    def disconnected(self):
        self._stop_pulse()
        super().disconnected()

    def command(self, op, parameters):
        if op in (START, STOP) and parameters[:1] == bytes([PPI]):
            return self._stream(op == START), b""
        return super().command(op, parameters)

    def _stream(self, is_on):
        if is_on == (self.pulse is not None):
            return ALREADY
        self.log("stream", kind=PPI, on=is_on)
        if is_on:
            self.streams.add(PPI)
            self.pulse = asyncio.create_task(self._tell_pulse())
        else:
            self._stop_pulse()
        return 0

    def _stop_pulse(self):
        self.streams.discard(PPI)
        if self.pulse is not None:
            self.pulse.cancel()
            self.pulse = None

    async def _tell_pulse(self):
        heart, begun, count = Heart(41 + self.number, 910, 35, 13), time.monotonic(), 0
        pause = FIRST_BATCH
        while True:
            await asyncio.sleep(pause)
            pause = BATCH
            batch = b""
            for interval in heart.until(time.monotonic() - begun):
                length = round(interval / 1.024)
                settled = count >= SETTLING
                rate, error, flags = (60_000 // length, ERROR, CONTACT) if settled else (0, UNSETTLED, CONTACT | BLOCKED)
                batch += struct.pack("<BHHB", rate, length, error, flags)
                count += 1
            self.notify(self.data, struct.pack("<BQB", PPI, polar_data.nanoseconds(self.now()), 0) + batch)
