"""A Polar H10: heart rate, electrocardiogram and acceleration, live; exercises in its own memory."""
import asyncio
import datetime
import struct
import time

import polar_data
import protobuf
import psftp
from polar_wearable import MTU, Polar
from polar_data import ACC, ECG

SETTINGS, START, STOP, STATUS = 1, 2, 3, 5
INVALID_OP, INVALID_TYPE, INVALID_PARAMETER, ALREADY, INVALID_RATE, INVALID_RANGE = 1, 2, 5, 6, 8, 9
ONLINE_STOPPED = 1
RR_INTERVALS = 16
# Time on its clock after a reset. This clock can be set and not be read.
RESET_CLOCK = datetime.datetime(2019, 1, 1)
RATES = {ECG: (130,), ACC: (25, 50, 100, 200)}
RANGES = {ECG: (), ACC: (2, 4, 8)}
RECORD = {ECG: 3, ACC: 6}  # bytes of a sample
FRAME_TYPE = {ECG: 0, ACC: 1}
ROOM = MTU - 3 - 10  # bytes of samples in a frame
NAMES = {ECG: "ecg", ACC: "acc"}


def settings(kind):
    """All that can be chosen."""
    rates, ranges = RATES[kind], RANGES[kind]
    content = bytes([0, len(rates)]) + b"".join(struct.pack("<H", rate) for rate in rates) + bytes([1, 1, 14 if kind == ECG else 16, 0])
    return content + (bytes([2, len(ranges)]) + b"".join(struct.pack("<H", one) for one in ranges) if ranges else b"")


def chosen(content):
    """{type: value} of what was chosen; ValueError for anything else than one value of each type."""
    found, at = {}, 0
    while at < len(content):
        kind, count = content[at], content[at + 1] if at + 1 < len(content) else 0
        width = {0: 2, 1: 2, 2: 2, 3: 4, 4: 1, 5: 4}.get(kind)
        if width is None or count != 1 or at + 2 + width > len(content):
            raise ValueError("no selection")
        found[kind] = int.from_bytes(content[at + 2 : at + 2 + width], "little")
        at += 2 + width
    return found


class Stream:
    def __init__(self, kind, rate, run, begins):
        self.kind = kind
        self.rate = rate
        self.run = run
        self.begins = begins  # ns on the strap's clock
        self.task = None


class H10(Polar):
    kind = "h10"
    model = "H10"
    firmware = "5.0.0"
    features = bytes([0x05, 0x00])

    def __init__(self, number, air, log, rssi):
        super().__init__(number, air, log, rssi, f"F0:10:0A:00:00:{number:02X}", 0xA100000 + number, RESET_CLOCK)
        self.streams = {}
        self.runs = 0
        self.exercise = None  # (name, when it began) of the one that runs
        self.exercises = 0

    def disconnected(self):
        super().disconnected()
        # The real one goes on until its battery is empty; the recording is not visible on the air.
        for kind in list(self.streams):
            self.log("left-on", stream=NAMES[kind])
            self._end(kind)

    def command(self, op, parameters):
        kind = parameters[0] if parameters else None
        if op == STATUS:
            return 0, bytes(one | (1 << 6 if one in self.streams else 0) for one in RATES)
        if op not in (SETTINGS, START, STOP):
            return INVALID_OP, b""
        if kind not in RATES:
            return INVALID_TYPE, b""
        if op == SETTINGS:
            return 0, settings(kind)
        if op == STOP:
            return (0 if self._end(kind) else ALREADY), b""
        try:
            return self._begin(kind, chosen(parameters[1:])), b""
        except ValueError:
            return INVALID_PARAMETER, b""

    def _begin(self, kind, choice):
        if kind in self.streams:
            return ALREADY
        if choice.get(0) not in RATES[kind]:
            return INVALID_RATE
        if RANGES[kind] and choice.get(2) not in RANGES[kind]:
            return INVALID_RANGE
        stream = Stream(kind, choice[0], self.runs, polar_data.nanoseconds(self.now()))
        self.runs += 1
        self.streams[kind] = stream
        self.log("stream", stream=NAMES[kind], run=stream.run, rate=stream.rate)
        stream.task = asyncio.create_task(self._measure(stream))
        return 0

    def _end(self, kind):
        stream = self.streams.pop(kind, None)
        if stream is None:
            return False
        stream.task.cancel()
        self.log("stream-ended", stream=NAMES[kind], run=stream.run)
        return True

    def stop_by_itself(self, kind):
        """The strap ends a stream and says so."""
        if self._end(kind) and self.connection is not None:
            self.tell(self.connection, bytes([ONLINE_STOPPED, kind]))

    async def _measure(self, stream):
        """Frames as full as a notification allows, each when its last sample is there."""
        count = ROOM // RECORD[stream.kind]
        began, first = time.monotonic(), 0
        while True:
            last = first + count - 1
            await asyncio.sleep(max(0.0, began + last / stream.rate - time.monotonic()))
            if not self.is_away:
                moment = stream.begins + last * 1_000_000_000 // stream.rate
                head = struct.pack("<BQB", stream.kind, moment, FRAME_TYPE[stream.kind])
                self.notify(self.data, head + self._samples(stream, range(first, first + count)))
                self.log("frame", stream=NAMES[stream.kind], run=stream.run, first=first, count=count, time=moment)
            first += count

    @staticmethod
    def _samples(stream, indices):
        if stream.kind == ECG:
            return b"".join(polar_data.ecg(stream.run, index).to_bytes(3, "little", signed=True) for index in indices)
        return b"".join(struct.pack("<hhh", *polar_data.acceleration(stream.run, index)) for index in indices)

    # --- file transfer ---

    def query(self, query, parameters):
        if query == psftp.REQUEST_RECORDING_STATUS:
            return protobuf.number(1, int(self.exercise is not None)) + (protobuf.part(2, self.exercise[0]) if self.exercise else b"")
        if query == psftp.REQUEST_START_RECORDING:
            return self._begin_exercise(protobuf.read(parameters))
        if query == psftp.REQUEST_STOP_RECORDING:
            return self._end_exercise()
        # The strap takes the local time, and never gives it.
        return psftp.NOT_IMPLEMENTED

    # --- exercises in its own memory ---

    def _begin_exercise(self, fields):
        name = fields[3][0].decode()
        if self.exercise is not None or fields[1] != [RR_INTERVALS] or not 1 <= len(name) <= 63:
            return psftp.INVALID_PARAMETER
        self.exercise = (name, time.monotonic())
        # There is a file from the beginning on; what is in it grows.
        self.files.put(f"/{name}/SAMPLES.BPB", polar_data.exercise(self.exercises, 1))
        self.log("exercise", name=name, number=self.exercises)
        return psftp.SUCCESS

    def _end_exercise(self):
        if self.exercise is None:
            return psftp.INVALID_PARAMETER
        name, began = self.exercise
        count = polar_data.beats_within(self.exercises, time.monotonic() - began)
        self.record(f"/{name}/SAMPLES.BPB", polar_data.exercise(self.exercises, count), name=name, number=self.exercises, count=count)
        self.exercise = None
        self.exercises += 1
        return psftp.SUCCESS
