"""A Polar 360: recordings and days in files behind an encrypted link, and two recordings that go on while it is visited."""
import asyncio

import polar_data
import psftp
from polar_wearable import Polar
from polar_data import ACC, BAND_NOON, BEGAN, OFFLINE_HR

SETTINGS, START, STOP, FULL_SETTINGS, STATUS, SDK_STATUS, TRIGGERS = 1, 2, 3, 4, 5, 6, 7
OFFLINE = 0x80
INVALID_OP, INVALID_TYPE, NOT_SUPPORTED, ALREADY = 1, 2, 3, 6
PPG, PPI, SKIN_TEMPERATURE = 1, 3, 7
FRAMES_AT_FIRST = {ACC: 60, OFFLINE_HR: 4}
# s after which a recording has a file. On hardware it may be five minutes.
APPEARS = 15
GROWS = 3  # s from one frame in a file to the next
INDEX = "/PMDFILES.TXT"


class Running:
    """A recording that goes on."""

    def __init__(self, kind, begins, frames=0):
        self.kind = kind
        self.begins = begins
        self.frames = frames

    @property
    def path(self):
        return self.file[0]

    @property
    def file(self):
        """(path, content)"""
        return polar_data.running(self.kind, self.begins, self.frames)


class Band(Polar):
    kind = "band"
    model = "360"
    firmware = "2.0.8"
    features = bytes([0x8E, 0x62])

    def __init__(self, number, air, log, rssi, total):
        super().__init__(number, air, log, rssi, f"F0:36:0B:00:00:{number:02X}", 0x360B000 + number, BAND_NOON)
        for path, content in (polar_data.recordings(total) | polar_data.days()).items():
            self.record(path, content)
        self.running = {kind: Running(kind, begins, FRAMES_AT_FIRST[kind]) for kind, begins in BEGAN.items()}
        for recording in self.running.values():
            self.files.put(*recording.file)
            self.log("running", path=recording.path)
        self.later = 0  # recordings that were added

    async def start(self):
        await super().start()
        self.tasks.append(asyncio.create_task(self._go_on()))

    async def _go_on(self):
        while True:
            await asyncio.sleep(GROWS)
            for recording in self.running.values():
                if (self.now() - recording.begins).total_seconds() >= APPEARS:
                    recording.frames += 1
                    self.files.put(*recording.file)

    def add(self, total):
        """A recording of some `total` bytes that ended before anybody asked."""
        self.record(*polar_data.later_recording(self.later, total))
        self.later += 1

    def read(self, path):
        if path != INDEX:
            return super().read(path)
        return "".join(f"{len(content)} {one}\r\n" for one, content in sorted(self.files.content.items()) if one.endswith(".REC")).encode()

    def query(self, query, parameters):
        if query == psftp.GET_LOCAL_TIME:
            return polar_data.local_time(self.now(), self.offset)
        if query == psftp.SET_SYSTEM_TIME:
            return psftp.SUCCESS
        return super().query(query, parameters)

    # --- control point ---

    def command(self, op, parameters):
        kind = parameters[0] & 0x3F if parameters else None
        if op in (SETTINGS, FULL_SETTINGS):
            return (0, polar_data.RECORDED[kind]) if kind in polar_data.RECORDED else (INVALID_TYPE, b"")
        if op == STATUS:
            return 0, bytes(one | (2 << 6 if one in self.running else 0) for one in (PPG, ACC, PPI, SKIN_TEMPERATURE, OFFLINE_HR))
        if op == SDK_STATUS:
            return 0, b"\0"
        if op == TRIGGERS:
            return 0, b"\0"
        if op == STOP:
            return self._stop(kind), b""
        if op == START and parameters and parameters[0] & OFFLINE:
            return self._start(kind, parameters[1:]), b""
        return (NOT_SUPPORTED if op == START else INVALID_OP), b""

    def _stop(self, kind):
        recording = self.running.pop(kind, None)
        if recording is None:
            return ALREADY
        # What was in memory comes into the file with its end.
        recording.frames += 1
        self.record(*recording.file)
        return 0

    def _start(self, kind, settings):
        if kind not in polar_data.RECORDED:
            return INVALID_TYPE
        if kind in self.running:
            return ALREADY
        recording = Running(kind, self.now().replace(microsecond=0))
        self.running[kind] = recording
        self.log("running", path=recording.path, settings=settings.hex())
        return 0
