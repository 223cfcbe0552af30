"""Intervals of the pulse, as Polar's optical wearables stream them. The stream is empty for 25 s, then a batch comes every 5 s, of which
the first intervals are not vouched for."""
import asyncio
import struct
import time

import polar_data
from heart import Heart
from polar_data import PPI
from recorder import ALREADY, START, STOP, Recorder

# s: it looks for the pulse first, and collects what it finds.
FIRST_BATCH, BATCH = 25, 5
SETTLING = 12  # intervals, which it does not vouch for
ERROR, UNSETTLED = 6, 30  # ms
CONTACT, BLOCKED = 0x06, 0x01  # contact is supported, and there


class PulseRecorder(Recorder):
    """Logs `stream` when the intervals are ordered on and off. `seed` chooses the heart: 910 ms from beat to beat."""

    seed = 41

    def __init__(self, *words):
        super().__init__(*words)
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
        heart, begun, count = Heart(self.seed + self.number, 910, 35, 13), time.monotonic(), 0
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
