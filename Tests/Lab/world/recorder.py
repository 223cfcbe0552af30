"""What a Polar 360 and a Verity Sense have in common: recordings in files, begun and ended by order."""
import asyncio

import polar_data
import psftp
from polar_wearable import Polar

SETTINGS, START, STOP, FULL_SETTINGS, STATUS, SDK_STATUS, TRIGGERS = 1, 2, 3, 4, 5, 6, 7
OFFLINE = 0x80
INVALID_OP, INVALID_TYPE, NOT_SUPPORTED, INVALID_PARAMETER, ALREADY = 1, 2, 3, 5, 6
SECURITY, AES_128 = 6, 2
# s after which a recording has a file. On hardware it may be five minutes.
APPEARS = 15
GROWS = 3  # s from one frame in a file to the next
INDEX = "/PMDFILES.TXT"


class Running:
    """A recording that goes on."""

    def __init__(self, kind, begins, frames=0, key=b""):
        self.kind = kind
        self.begins = begins
        self.frames = frames
        self.key = key

    @property
    def path(self):
        return self.file[0]

    @property
    def file(self):
        """(path, content)"""
        path, content = polar_data.running(self.kind, self.begins, self.frames)
        return path, polar_data.sealed(content, self.key) if self.key else content


class Recorder(Polar):
    kinds = ()  # what it can measure
    encrypts = False

    def __init__(self, number, air, log, rssi, address, device_number, clock):
        super().__init__(number, air, log, rssi, address, device_number, clock)
        self.running = {}
        self.streams = set()

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
            return 0, bytes(one | (one in self.streams) << 6 | (one in self.running) << 7 for one in self.kinds)
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
        self.record(*recording.file, frames=recording.frames)
        return 0

    def _start(self, kind, settings):
        if kind not in polar_data.RECORDED:
            return INVALID_TYPE
        if kind in self.running:
            return ALREADY
        key = b""
        # Without a count of its own, behind everything else.
        at = settings.find(bytes([SECURITY, 1, AES_128]))
        if at >= 0:
            if not self.encrypts:
                return NOT_SUPPORTED
            key = settings[at + 3 :]
            if len(key) != 16:
                return INVALID_PARAMETER
        recording = Running(kind, self.now().replace(microsecond=0), key=key)
        self.running[kind] = recording
        self.log("running", path=recording.path, settings=settings.hex(), key=key.hex())
        return 0
