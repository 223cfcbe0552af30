"""A Polar 360: recordings and days in files behind an encrypted link, and two recordings that go on while it is visited. The band streams
intervals of the pulse."""
import datetime

import polar_data
from polar_data import ACC, BAND_NOON, BEGAN, OFFLINE_HR, PPI
from pulse import PulseRecorder
from recorder import Running

PPG, SKIN_TEMPERATURE = 1, 7
# s that its clock is slow.
SLOW = 100


def clock():
    """UTC, slow: its zone was never set. If the machine's own clock is elsewhere, it is noon."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
    return (now if abs(now - BAND_NOON) < datetime.timedelta(minutes=10) else BAND_NOON) - datetime.timedelta(seconds=SLOW)


FRAMES_AT_FIRST = {ACC: 60, OFFLINE_HR: 4}


class Band(PulseRecorder):
    kind = "band"
    model = "360"
    firmware = "2.0.8"
    features = bytes([0x8E, 0x62])
    kinds = (PPG, ACC, PPI, SKIN_TEMPERATURE, OFFLINE_HR)

    def __init__(self, number, air, log, rssi, total):
        super().__init__(number, air, log, rssi, f"F0:36:0B:00:{number >> 8:02X}:{number & 255:02X}", 0x360B000 + number, clock())
        for path, content in (polar_data.recordings(total) | polar_data.days() | polar_data.night()).items():
            self.record(path, content)
        self.files.put(polar_data.SETTINGS_PATH, polar_data.device_settings(True))
        self.running = {kind: Running(kind, begins, FRAMES_AT_FIRST[kind]) for kind, begins in BEGAN.items()}
        for recording in self.running.values():
            self.files.put(*recording.file)
            self.log("running", path=recording.path)
        self.later = 0  # recordings that were added

    def add(self, total):
        """A recording of some `total` bytes that ended before anybody asked."""
        self.record(*polar_data.later_recording(self.later, total))
        self.later += 1
