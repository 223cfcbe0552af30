"""The wire of Moyoung bands: frames without a checksum, FE EA, a length that counts from there, a command.

| byte | fixed framing, maker `MOYOUNG` | MTU framing, maker `MOYOUNG-V2` |
|---|---|---|
| 0–1 | FE EA | FE EA |
| 2 | 0x10 | 0x20 + the upper bits of the length |
| 3 | length | the lower eight bits of the length |
| 4 | command | command |

Frames of the first come in pieces of 20 bytes, those of the second in pieces as the MTU allows. A single command is in flight; its answer has its number.
Dates are a local wall clock as if that were the time of GMT+8.
"""
import datetime
import struct

SERVICE = 0xFEEA
STEPS, WRITE, NOTIFY = 0xFEE1, 0xFEE2, 0xFEE3
MARK = b"\xfe\xea"
HEADER = 5
LONGEST = 0xFFF

SET_USER, SET_GOAL, GET_GOAL = 18, 22, 38
SET_TIME_SYSTEM, GET_TIME_SYSTEM, SET_UNITS, GET_UNITS = 23, 39, 26, 42
SET_RATE_INTERVAL, GET_RATE_INTERVAL = 31, 47
VERSION, SET_TIME, SLEEP, PAST, TRAINING_RATES, RATES, MINUTE_RATES, TRAININGS = 46, 49, 50, 51, 52, 53, 54, 55
CONTINUOUS, PRESSURE, SPO2, RATE = 104, 105, 107, 109
EXTENDED = 0xB9
STAGES = {"awake": 0, "light": 1, "deep": 2, "rem": 3}
# What argument of PAST is what, as on the watch that was observed.
PAST_STEPS, PAST_SLEEP = {1: 2, 2: 1}, {3: 2, 4: 1}
SHIFT = 8 * 3600


class Wrong(ValueError):
    pass


def frame(command, content=b"", is_fixed=False):
    size = HEADER + len(content)
    return MARK + bytes([0x10 if is_fixed else 0x20 + (size >> 8), size & 0xFF, command]) + content


def decode(content):
    """(command, payload, is_fixed) of one whole frame."""
    if content[:2] != MARK:
        raise Wrong("marker")
    if content[2] != 0x10 and content[2] & 0xF0 != 0x20:
        raise Wrong("framing")
    if len(content) != size_of(content):
        raise Wrong("length")
    return content[4], content[HEADER:], content[2] == 0x10


def size_of(content):
    """`None` if it is not reported yet."""
    if len(content) < HEADER - 1:
        return None
    return content[3] if content[2] == 0x10 else (content[2] & 0x0F) << 8 | content[3]


class Assembly:
    def __init__(self):
        self.buffer = b""

    def take(self, piece):
        """The whole frame that this piece ends; `None`: there is more to come. A piece that neither begins nor continues a frame is passed over."""
        piece = bytes(piece)
        if not self.buffer and piece[:2] != MARK[: len(piece)]:
            return None
        self.buffer += piece
        size = size_of(self.buffer)
        if size is None or len(self.buffer) < size:
            return None
        whole, self.buffer = self.buffer[:size], b""
        return whole if size >= HEADER else None


def pack_time(moment):
    """Of a local wall clock: seconds at which a clock of GMT+8 shows the same, as they are sent in a command."""
    return struct.pack(">I", shown(moment)) + bytes([8])


def unpack_time(content):
    return moment(struct.unpack(">I", content[:4])[0])


def shown(moment):
    return int(moment.replace(tzinfo=datetime.timezone.utc).timestamp()) - SHIFT


def moment(seconds):
    return datetime.datetime.fromtimestamp(seconds + SHIFT, datetime.timezone.utc).replace(tzinfo=None)


def read_user(content):
    height, weight, age, sex = content
    return {"height_cm": height, "weight_kg": weight, "age": age, "sex": "female" if sex else "male"}


def rates(index, values):
    """72 of them, one each five minutes: a quarter of a day; index / 4 says how many days ago."""
    return bytes([index]) + bytes(values)


def read_rates(content):
    """(index, [(minute of the day, rate)])"""
    index = content[0]
    begin = index % 4 * 360
    return index, [(begin + place * 5, value) for place, value in enumerate(content[1:]) if value]


def triple(steps, metres, kilocalories):
    return b"".join(number.to_bytes(3, "little") for number in (steps, metres, kilocalories))


def read_triple(content):
    return tuple(int.from_bytes(content[at : at + 3], "little") for at in (0, 3, 6))


def sleep(entries):
    """Of (stage, local wall clock) each; a stage lasts until the next entry."""
    return b"".join(bytes([STAGES[stage], moment.hour, moment.minute]) for stage, moment in entries)


def read_sleep(content):
    names = {number: name for name, number in STAGES.items()}
    return [(names[content[at]], content[at + 1], content[at + 2]) for at in range(0, len(content) - 2, 3)]


def training(begin, end, seconds, index, kind, steps, metres, kilocalories):
    """24 bytes, the last two of which are spare; without any, all of them are 0."""
    return struct.pack("<IIHBBIIH2x", shown(begin), shown(end), seconds, index, kind, steps, metres, kilocalories)
