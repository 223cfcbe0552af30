"""The wire of FitCloud bands: frames with acknowledgements (L1), commands with keyed values (L2), packed times, records of history.

| byte of a frame | |
|---|---|
| 0 | 0xAB |
| 1 | bit 5 error, bit 4 acknowledgement, bits 3–0 version, 0 |
| 2–3 | length of the payload |
| 4–5 | CRC-16/ARC of the payload |
| 6–7 | sequence number |

All big-endian. A payload is the command, the version in its upper four bits, then values. Each is a key, 16 bits of which the low nine are the
length, and content.
"""
import dataclasses
import datetime
import struct

import topstep_frames
from topstep_frames import MARK, crc16

HEADER = struct.Struct(">BBHHH")
ERROR, ACKNOWLEDGEMENT = 0x20, 0x10
PAYLOAD_LIMIT = 502

SETTINGS, AUTH, DATA = 2, 3, 5  # commands
# Keys of settings.
SET_TIME, SET_USER, SET_GOALS = 0x01, 0x05, 0x06
DEVICE_INFO_REQUEST, DEVICE_INFO, FIRMWARE = 0x10, 0x11, 0x12
BATTERY_REQUEST, BATTERY = 0x1B, 0x1C
CONFIGURATION_REQUEST, CONFIGURATION = 0x20, 0x21
MONITOR_SET, MONITOR_REQUEST, MONITOR = 0x22, 0x23, 0x24
LATEST_REQUEST, LATEST = 0x42, 0x43
ALARM_SET, ALARM_REQUEST, ALARM = 0x46, 0x47, 0x48
HOST_FEATURES, CHANGED = 0x50, 0x51
TYPE_MONITOR_SET, TYPE_MONITOR_REQUEST, TYPE_MONITOR = 0xCB, 0xCC, 0xCD
RESTING_REQUEST, RESTING_TODAY = 0xE1, 0xE2
# Keys of authentication, and what is answered.
BIND, BIND_REPLY, LOGIN, LOGIN_REPLY, UNBIND, UNBIND_REPLY = 0x11, 0x12, 0x13, 0x14, 0x15, 0x16
OK, FAILED, CANCELLED, TIMED_OUT, NEEDS_RESET = 0, 1, 2, 3, 5
# Keys of data.
START, SIZE_REQUEST, SIZE, BEGIN, END = 0x01, 0x05, 0x06, 0x07, 0x08
VERDICT, TODAY_REQUEST, TODAY, LIVE_CONTROL, LIVE = 0x20, 0x21, 0x22, 0x23, 0x24
PART = 0x30
# Types of history; 0x80 more is what the wearer began.
STEPS, SLEEP, HEART_RATE, SPO2, PRESSURE, RESPIRATION, RESTING = 1, 2, 3, 4, 5, 6, 254
MANUAL = 0x80
STAGES = {"deep": 1, "light": 2, "awake": 3, "rem": 4}
ITEM_SIZES = {STEPS: 2, PRESSURE: 2}  # bytes; others 1
STEP_LIMIT = 3000  # in one slot; more is corrupt
# Hardware flags.
HAS_HEART_RATE, HAS_SPO2, HAS_PRESSURE, HAS_RESPIRATION, HAS_STRESS, HAS_AIR_PUMP, HAS_MANUAL = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 13, 1 << 21, 1 << 22
# What is measured live, as a mask.
LIVE_ITEMS = {"heart_rate": 1, "spo2": 2, "pressure": 4, "respiration": 8, "ecg": 16, "temperature": 32, "stress": 64}


class Wrong(ValueError):
    """Not a frame; says why in a word."""


@dataclasses.dataclass(frozen=True)
class Frame:
    sequence: int
    payload: bytes = b""
    is_acknowledgement: bool = False
    is_error: bool = False

    def encode(self):
        flags = (ACKNOWLEDGEMENT if self.is_acknowledgement else 0) | (ERROR if self.is_error else 0)
        return HEADER.pack(MARK, flags, len(self.payload), crc16(self.payload), self.sequence) + self.payload


def acknowledgement(sequence, is_error=False):
    return Frame(sequence, b"", True, is_error)


def size_of(content):
    """For `topstep_frames.Assembly`. A frame of the other family has another version, or is longer than any."""
    if len(content) < 2:
        return None
    if content[1] & ~(ERROR | ACKNOWLEDGEMENT):
        return 0
    if len(content) < 4:
        return None
    size = struct.unpack(">H", content[2:4])[0]
    return 0 if size > PAYLOAD_LIMIT else HEADER.size + size


def assembly():
    return topstep_frames.Assembly(size_of)


def decode(content):
    """A frame, whole; `Wrong` with "crc" for a checksum that does not fit."""
    mark, flags, size, checksum, sequence = HEADER.unpack(content[: HEADER.size])
    payload = content[HEADER.size :]
    if mark != MARK or len(payload) != size:
        raise Wrong("frame")
    if crc16(payload) != checksum:
        raise Wrong("crc")
    return Frame(sequence, payload, bool(flags & ACKNOWLEDGEMENT), bool(flags & ERROR))


def payload(command, *items):
    """Of (key, content) each."""
    return bytes([command, 0]) + b"".join(struct.pack(">BH", key, len(content)) + content for key, content in items)


def read_payload(content):
    """(command, version, [(key, content)]); `Wrong` for one that is cut."""
    if len(content) < 2:
        raise Wrong("payload")
    items, at = [], 2
    while at < len(content):
        if at + 3 > len(content):
            raise Wrong("item_header")
        key, word = struct.unpack(">BH", content[at : at + 3])
        size = word & 0x1FF
        if at + 3 + size > len(content):
            raise Wrong("item_length")
        items.append((key, content[at + 3 : at + 3 + size]))
        at += 3 + size
    return content[0], content[1] >> 4, items


def pack_time(moment):
    """Local wall clock: year − 2000 (6 bits), month (4), day (5), hour (5), minute (6), second (6)."""
    value = moment.year - 2000
    for field, bits in ((moment.month, 4), (moment.day, 5), (moment.hour, 5), (moment.minute, 6), (moment.second, 6)):
        value = value << bits | field
    return struct.pack(">I", value)


def unpack_time(content):
    value = struct.unpack(">I", content)[0]
    fields = []
    for bits in (6, 6, 5, 5, 4):
        fields.append(value & (1 << bits) - 1)
        value >>= bits
    second, minute, hour, day, month = fields
    return datetime.datetime(2000 + value, month, day, hour, minute, second)


def record(kind, begin, interval, values):
    """Of one type: values from a local wall clock on, so many minutes apart; of pressure (systolic, diastolic), of sleep names of stages or `None`."""
    date = begin.year - 2000 << 9 | begin.month << 5 | begin.day
    content = struct.pack(">HHHH", len(values), date, begin.hour * 60 + begin.minute, interval)
    for value in values:
        if kind == SLEEP:
            content += bytes([STAGES.get(value, 0)])
        elif kind == PRESSURE:
            content += bytes(value or (0, 0))
        else:
            content += (value or 0).to_bytes(ITEM_SIZES.get(kind, 1), "big")
    return content


def read_records(kind, content):
    """[(local wall clock, value)] without what is no sample."""
    names = {number: stage for stage, number in STAGES.items()}
    size, at, found = ITEM_SIZES.get(kind, 1), 0, []
    while at < len(content):
        count, date, minute, interval = struct.unpack(">HHHH", content[at : at + 8])
        begin = datetime.datetime(2000 + (date >> 9 & 0x3F), date >> 5 & 0xF, date & 0x1F) + datetime.timedelta(minutes=minute)
        at += 8
        for place in range(count):
            raw = content[at : at + size]
            if len(raw) < size:
                raise Wrong("record")
            value = tuple(raw) if kind == PRESSURE else int.from_bytes(raw, "big")
            if any(raw) and not (kind == STEPS and value > STEP_LIMIT):
                found.append((begin + datetime.timedelta(minutes=place * interval), names[value] if kind == SLEEP else value))
            at += size
    return found


def live_control(items, interval, minutes):
    return struct.pack(">HBB", sum(LIVE_ITEMS[item] for item in items), interval, minutes)


def read_live_control(content):
    """([item], seconds, minutes); without items it stops."""
    mask, interval, minutes = struct.unpack(">HBB", content)
    return [item for item, bit in LIVE_ITEMS.items() if mask & bit], interval, minutes


def today(steps, metres, calories, deep, light, rate):
    """Totals of the day, older layout: minutes of sleep, small calories, mean rate."""
    return struct.pack(">6I", steps, metres, calories, deep, light, rate)


def user(sex_bit, age, height, weight):
    """Older generation: cm and kg, halves allowed."""
    return struct.pack(">I", (sex_bit << 7 | age) << 24 | int(height * 2) << 15 | int(weight * 2) << 5)


def read_user(content):
    value = struct.unpack(">I", content)[0]
    return value >> 31, value >> 24 & 0x7F, (value >> 15 & 0x1FF) / 2, (value >> 5 & 0x3FF) / 2


def monitor(is_on, begin, end, interval=None):
    """Minutes after midnight; the older generation has no interval."""
    return struct.pack(">BHH", is_on, begin, end) + (b"" if interval is None else struct.pack(">H", interval))


def read_monitor(content):
    is_on, begin, end = struct.unpack(">BHH", content[:5])
    return bool(is_on), begin, end, struct.unpack(">H", content[5:7])[0] if len(content) >= 7 else None
