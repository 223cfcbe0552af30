"""A Polar Verity Sense: it records by order, encrypted where it is given a key, and has no days."""
import datetime

from polar_data import ACC, OFFLINE_HR
from recorder import Recorder

# What its clock shows after its battery was empty.
EMPTY_CLOCK = datetime.datetime(2019, 1, 1)


class Sense(Recorder):
    kind = "sense"
    model = "Sense"
    firmware = "2.2.6"
    features = bytes([0x04, 0x60])
    kinds = (ACC, OFFLINE_HR)
    encrypts = True

    def __init__(self, number, air, log, rssi):
        super().__init__(number, air, log, rssi, f"F0:5E:05:00:00:{number:02X}", 0x5E05000 + number, EMPTY_CLOCK)
