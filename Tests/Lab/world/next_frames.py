"""The wire of TopStep's new platform: frames with a header of ten bytes around protobuf messages.

| byte of a frame | |
|---|---|
| 0 | 0xAB |
| 1 | command |
| 2 | key |
| 3 | flags; the places of response, repetition and fragment are not published, so no flag is set here |
| 4–5 | length of the payload |
| 6–7 | CRC-16/ARC of the payload |
| 8–9 | sequence number; an answer has that of the request |

All big-endian. Times are seconds since 2000-01-01 UTC. A field with its default value is absent, so an answer that says "ok" may be empty.
"""
import dataclasses
import struct

import protobuf
import topstep_frames
from topstep_frames import MARK, crc16

HEADER = struct.Struct(">BBBBHHH")
EPOCH = 946_684_800  # 2000-01-01 UTC, seconds since 1970
LONGEST = 8192

SETTINGS, ENVIRONMENT, SYNC = 2, 3, 5  # commands; 1, 4 and 6 are update, notification and files
# Keys of settings: reading, writing.
DEVICE_INFO, FUNCTIONS, UNITS, GOALS = 2, (3, 4), (5, 6), (7, 8)
HEART_RATE_CONFIG, STRESS_CONFIG, SPO2_CONFIG, PRESSURE_CONFIG = (0x0D, 0x0E), (0x0F, 0x10), (0x11, 0x12), (0x13, 0x14)
ALL_SETTINGS, DATA_CHANGED = 1, 0x48
CONFIGS = {"heart_rate": HEART_RATE_CONFIG, "stress": STRESS_CONFIG, "spo2": SPO2_CONFIG, "pressure": PRESSURE_CONFIG}
CHANGED_BY_DEVICE = {"heart_rate": 0x1E, "stress": 0x1F, "spo2": 0x20, "pressure": 0x21}
# Keys of environment.
BIND, LOGIN, UNBIND, USER, TIME, BATTERY, BATTERY_CHANGED, BLUETOOTH_INFO = 1, 2, 3, 4, 5, 9, 0x0A, 0x11
OK, OTHER_USER, CANCELLED, TIMED_OUT, LOW_BATTERY, RESETTING, RESET_NEEDED, UNKNOWN = 0, 1, 2, 3, 5, 6, 7, 127
# Keys of sync.
START, END, LIVE_CONTROL, LIVE_STOPPED, LIVE = 0x21, 0x22, 0x30, 0x31, 0x32
TYPES = {"heart_rate": 1, "spo2": 2, "pressure": 3, "stress": 4, "sleep": 5, "activity": 6, "sport": 7}
NOT_UPDATED, SYNC_FAILED = 1, 127
STAGES = {"awake": 0, "light": 1, "deep": 2, "rem": 3}


class Wrong(ValueError):
    pass


@dataclasses.dataclass(frozen=True)
class Frame:
    command: int
    key: int
    sequence: int
    payload: bytes = b""
    flags: int = 0

    def encode(self):
        return HEADER.pack(MARK, self.command, self.key, self.flags, len(self.payload), crc16(self.payload), self.sequence) + self.payload


def size_of(content):
    """For `topstep_frames.Assembly`."""
    if len(content) >= 2 and not 1 <= content[1] <= 6:
        return 0
    if len(content) < 6:
        return None
    size = struct.unpack(">H", content[4:6])[0]
    return 0 if size > LONGEST else HEADER.size + size


def assembly():
    return topstep_frames.Assembly(size_of)


def decode(content):
    mark, command, key, flags, size, checksum, sequence = HEADER.unpack(content[: HEADER.size])
    payload = content[HEADER.size :]
    if mark != MARK or len(payload) != size:
        raise Wrong("frame")
    if crc16(payload) != checksum:
        raise Wrong("crc")
    return Frame(command, key, sequence, payload, flags)


# --- messages: {field: value} in, canonical bytes out ---



def build(*fields):
    """Of (number, value) each: numbers, floats, text or bytes; what is a default is left out, an empty message is not (`bytes` are parts)."""
    content = b""
    for number, value in fields:
        if isinstance(value, (bytes, str)):
            content += protobuf.part(number, value) if value else b""
        elif isinstance(value, float):
            content += protobuf.real(number, value) if value else b""
        elif value:
            content += protobuf.number(number, int(value))
    return content


def first(fields, number, default=0):
    return fields.get(number, [default])[0]


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def text(fields, number):
    return first(fields, number, b"").decode()


def real(fields, number):
    value = first(fields, number, None)
    return 0.0 if value is None else struct.unpack("<f", value)[0]


def time(timestamp, zone):
    return build((1, timestamp), (2, zone))


def read_time(content):
    fields = protobuf.read(content)
    return first(fields, 1), signed(first(fields, 2))


def user(gender, age, height, weight):
    return build((1, gender), (2, age), (3, height), (4, float(weight)))


def read_user(content):
    fields = protobuf.read(content)
    return first(fields, 1), first(fields, 2), first(fields, 3), real(fields, 4)


def auth(user_id, system, version, brand, model, code, user=b"", time=b""):
    return build((1, user_id), (2, system), (3, version), (4, brand), (5, model), (6, code), (7, user), (8, time))


def read_auth(content):
    fields = protobuf.read(content)
    names = ((1, "user_id"), (3, "version"), (4, "brand"), (5, "model"), (6, "auth_code"))
    found = {name: text(fields, number) for number, name in names}
    found["system"] = first(fields, 2)
    found["user"], found["time"] = first(fields, 7, b""), first(fields, 8, b"")
    return found


def auth_reply(result, ever_bound=0, bind_time=0):
    return build((1, result), (2, ever_bound), (3, bind_time))


def battery(level, is_charging):
    return build((1, level), (2, is_charging))


def result(value):
    return build((1, value))


def monitor(is_on, begin, end, interval):
    return build((1, is_on), (2, begin), (3, end), (4, interval))


def alarm(is_on, low, high):
    return build((1, is_on), (2, low), (3, high))


def heart_rate_config(monitor, exercise, resting, maximum):
    return build((1, monitor), (2, exercise), (3, resting), (4, maximum))


def sync_start(begin, end, kind):
    return build((1, begin), (2, end), (3, kind))


def sync_reply(kind, outcome):
    return build((1, kind), (2, outcome))


def live_control(kind, action, seconds):
    return build((1, kind), (2, action), (3, seconds))


def live_value(value, second=0):
    return build((2, value), (3, second))


def _moments(field, items):
    return b"".join(protobuf.part(field, build((1, moment), (2, value))) for moment, value in items)


def rate_day(begin, end, manual, slots, resting=(), extremes=(), has_resting=True):
    """Of heart rate; without resting ones of SpO2 and stress. `slots`: a value each five minutes, 0 without a value."""
    content = build((1, begin), (2, end)) + _moments(3, manual) + build((4, bytes(slots).rstrip(b"\0")))
    if has_resting:
        return content + _moments(5, resting) + _moments(6, extremes)
    return content + _moments(5, extremes)


def read_rate_day(content, has_resting=True):
    fields = protobuf.read(content)

    def moments(number):
        return [(first(one, 1), first(one, 2)) for one in map(protobuf.read, fields.get(number, []))]

    begin = first(fields, 1)
    slots = [(begin + place * 300, value) for place, value in enumerate(first(fields, 4, b"")) if value]
    extremes = moments(6 if has_resting else 5)
    return {"start": begin, "end": first(fields, 2), "manual": moments(3), "auto": slots, "resting": moments(5) if has_resting else [], "extremes": extremes}


def pressure_day(begin, end, measured):
    return build((1, begin), (2, end)) + b"".join(protobuf.part(3, build((1, moment), (2, high), (3, low))) for moment, high, low in measured)


def sleep_day(midnight, items):
    """Of (begin, seconds, stage) each."""
    return build((1, midnight)) + b"".join(protobuf.part(2, build((1, begin), (2, seconds), (3, STAGES[stage]))) for begin, seconds, stage in items)


def read_sleep_day(content):
    fields, names = protobuf.read(content), {number: name for name, number in STAGES.items()}
    items = [(first(one, 1), first(one, 2), names[first(one, 3)]) for one in map(protobuf.read, fields.get(2, []))]
    return first(fields, 1), items


ACTIVITY = ("steps", "calories", "distance", "active", "sport", "count")


def activity_day(begin, end, slots):
    """`slots`: {place of the half-hour: {name: number}}."""
    content = build((1, begin), (2, end))
    for number, name in enumerate(ACTIVITY, 3):
        values = [slots.get(place, {}).get(name, 0) for place in range(48)]
        while values and not values[-1]:
            values.pop()
        content += protobuf.packed(number, values) if values else b""
    return content


def read_activity_day(content):
    fields = protobuf.read(content)
    begin, slots = first(fields, 1), {}
    for number, name in enumerate(ACTIVITY, 3):
        data, at, place = first(fields, number, b""), 0, 0
        while at < len(data):
            value = shift = 0
            while data[at] & 0x80:
                value |= (data[at] & 0x7F) << shift
                at, shift = at + 1, shift + 7
            value |= data[at] << shift
            at += 1
            if value:
                slots.setdefault(begin + place * 1800, {})[name] = value
            place += 1
    return begin, slots
