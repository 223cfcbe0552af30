"""A Polar Verity Sense: it records by order, encrypted if it is given a key, streams intervals of the pulse, and has no days."""
import datetime

from polar_data import ACC, OFFLINE_HR, PPI
from pulse import PulseRecorder

# What its clock shows after its battery was empty.
EMPTY_CLOCK = datetime.datetime(2019, 1, 1)


class Sense(PulseRecorder):
    kind = "sense"
    model = "Sense"
    firmware = "2.2.6"
    features = bytes([0x0C, 0x60])
    kinds = (ACC, PPI, OFFLINE_HR)
    encrypts = True

    def __init__(self, number, air, log, rssi):
        super().__init__(number, air, log, rssi, f"F0:5E:05:00:00:{number:02X}", 0x5E05000 + number, EMPTY_CLOCK)
