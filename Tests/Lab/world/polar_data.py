"""What the twins of Polar's wearables measured: made up, but the same for every run, so that a test knows every byte and every sample."""
import datetime
import os
import random
import struct

import protobuf
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # which Bumble brings

EPOCH = datetime.datetime(2000, 1, 1)
# When a band's world begins, in UTC, which its clock shows. The acceptance puts the lab's own clock there, so that no result depends on the day of the run. A
# machine with a clock of its own gives another begin instead.
BAND_NOON = datetime.datetime.fromisoformat(os.environ.get("HEARTH_BAND_NOON", "2026-03-03T14:00:00"))
ECG, ACC, PPI, OFFLINE_HR = 0, 2, 3, 14
FILE_NAMES = {ACC: "ACC", OFFLINE_HR: "HR"}

ACC_RATE = 50  # Hz
BLOCK = 80  # differences in a frame of a recording, of eight bits for each of three axes
FRAME_SAMPLES = BLOCK + 1
FRAME = 10 + 6 + 2 + BLOCK * 3  # bytes


def nanoseconds(moment):
    """As Polar counts: since 2000, of local time."""
    return (moment - EPOCH) // datetime.timedelta(microseconds=1) * 1000


def device_id(number):
    """The eight digits of a wearable of which the first seven are known: the last is their checksum."""
    digits = [number >> 4 * place & 15 for place in range(7)]
    checksum = (3 * sum(digits[0::2]) + sum(digits[1::2])) % 16
    return f"{number:07X}{checksum:X}"


def setting(kind, value, width=2):
    return bytes([kind, 1]) + value.to_bytes(width, "little")


RECORDED = {
    ACC: setting(0, ACC_RATE) + setting(1, 16) + setting(2, 8) + setting(4, 3, 1) + setting(5, 0x3F80_0000, 4),
    OFFLINE_HR: b"",
}


# --- live ---------------------------------------------------------------------------------------------------------------------------


def ecg(run, index):
    """uV, in the range of an H10; `run` counts the streams of one strap."""
    return (index * 7919 + run * 104_729) % 40_001 - 20_000


def acceleration(run, index):
    """mg on three axes; within 8 g."""
    return tuple((index * 37 + axis * 911 + run * 13) % 16_001 - 8000 for axis in range(3))


# --- recordings ---------------------------------------------------------------------------------------------------------------------


def _walks():
    """Differences that return to their start, so that no axis runs away."""
    source = random.Random(360)
    for _ in range(16):
        steps = [[source.randint(-90, 90) for _ in range(3)] for _ in range(BLOCK // 2)]
        steps += [[-step for step in one] for one in reversed(steps)]
        yield bytes(step & 0xFF for one in steps for step in one)


WALKS = tuple(_walks())


def acceleration_frame(seed, index, begins):
    """Compressed, type 1: a reference and 80 differences."""
    last = nanoseconds(begins) + ((index + 1) * FRAME_SAMPLES - 1) * 1_000_000_000 // ACC_RATE
    reference = struct.pack("<hhh", (seed * 31 + index) % 500, (index * 7) % 400 - 200, 1000 - index % 300)
    return struct.pack("<BQB", ACC, last, 0x81) + reference + bytes([8, BLOCK]) + WALKS[(seed + index * 5) % len(WALKS)]


def heart_rate_frame(seed, index, begins):
    """A minute of one value a second."""
    last = nanoseconds(begins) + ((index + 1) * 60 - 1) * 1_000_000_000
    return struct.pack("<BQB", OFFLINE_HR, last, 0) + bytes(60 + (seed + index + second) % 90 for second in range(60))


FRAMES = {ACC: acceleration_frame, OFFLINE_HR: heart_rate_frame}


def recording(kind, seed, begins, first, count):
    """A file of a recording, with so many frames from number `first` on."""
    settings = RECORDED[kind]
    head = struct.pack("<BIIII", 0, 0x3D7C_4C2B, 1, 0, 0x5EED_F00D) + begins.strftime("%Y-%m-%d %H:%M:%S").encode() + b"\0"
    frames = [FRAMES[kind](seed, index, begins) for index in range(first, first + count)]
    return head + bytes([len(settings)]) + settings + b"\0" + b"".join(struct.pack("<H", len(frame)) + frame for frame in frames)


# Of a key, the byte with which a payload is combined.
KEY_BYTE = 12


def sealed(content, key):
    """A recording as it is in the file if it is encrypted. Its description is encrypted by AES-128, block by block, its packets by one byte of the key."""

    def filled(text):
        missing = 16 - len(text) % 16
        return text + bytes([missing]) * missing

    at = 37 + 1 + content[37]  # its settings end here
    head, first = content[1:at], content[at + 1 : at + 3]
    about = filled(filled(head + bytes([2, 1, KEY_BYTE])) + first)
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return b"\x02" + encryptor.update(about) + encryptor.finalize() + bytes(one ^ key[KEY_BYTE] for one in content[at + 3 :])


def frames_of(kind, size):
    """How many frames a file of so many bytes holds."""
    return (size - 39 - len(RECORDED[kind])) // (2 + len(FRAMES[kind](0, 0, BAND_NOON)))


def recording_path(kind, begins, part=0):
    return f"/U/0/{begins:%Y%m%d}/R/{begins:%H%M%S}/{FILE_NAMES[kind]}{part}.REC"


def recordings(total):
    """{path: content} of recordings that have ended: acceleration of together some `total` bytes, every third in two parts, half of them yesterday's."""
    found = {}
    each = max(2, total // 8 // (FRAME + 2))
    for number in range(8):
        begins = BAND_NOON - datetime.timedelta(hours=30 if number < 4 else 6) + datetime.timedelta(minutes=number, seconds=number)
        cuts = ((0, each),) if number % 3 else ((0, each // 2), (each // 2, each - each // 2))
        for part, (first, count) in enumerate(cuts):
            found[recording_path(ACC, begins, part)] = recording(ACC, number, begins, first, count)
    return found


def later_recording(number, total):
    """(path, content) of one that is added to a band while the world runs, numbered from 0."""
    begins = BAND_NOON - datetime.timedelta(hours=3) + datetime.timedelta(minutes=10 * number)
    return recording_path(ACC, begins), recording(ACC, 100 + number, begins, 0, total // (FRAME + 2))


# What a band records when its world begins. Acceleration runs for so long that a visit ends it, heart rate does not (the hub lets one run for half
# an hour).
BEGAN = {ACC: BAND_NOON - datetime.timedelta(minutes=40), OFFLINE_HR: BAND_NOON - datetime.timedelta(minutes=5)}


def running(kind, begins, frames):
    """(path, content) of one that goes on, or did."""
    return recording_path(kind, begins), recording(kind, kind, begins, 0, frames)


def began_as(path):
    """(kind, time)"""
    day, _, clock, name = path.split("/")[3:]
    kind = next(kind for kind, start in FILE_NAMES.items() if name.startswith(start))
    return kind, datetime.datetime.strptime(day + clock, "%Y%m%d%H%M%S")


def running_again(path, size):
    """The content of one that ended with so many bytes."""
    kind, begins = began_as(path)
    return running(kind, begins, frames_of(kind, size))[1]


# --- exercises of a strap -----------------------------------------------------------------------------------------------------------


def beats(run, count):
    """ms from beat to beat; `run` counts the exercises of one strap."""
    return [800 + (run * 31 + index * 7) % 200 for index in range(count)]


def beats_within(run, seconds):
    """How many that are; at least one."""
    count = 1
    while sum(beats(run, count + 1)) <= seconds * 1000:
        count += 1
    return count


def exercise(run, count):
    """PbExerciseSamples of beats."""
    return protobuf.part(1, protobuf.number(3, 1)) + protobuf.part(28, protobuf.packed(1, beats(run, count)))


# --- settings -----------------------------------------------------------------------------------------------------------------------

SETTINGS_PATH = "/U/0/S/UDEVSET.BPB"
PHYSICAL_PATH = "/U/0/S/PHYSDATA.BPB"


LEFT_WRIST, CHEST = 2, 5


def device_settings(telemetry, worn=LEFT_WRIST):
    """PbUserDeviceSettings: the place at which it is worn, traces for the vendor or not, and a field that no definition has."""
    changed = protobuf.part(1, date(BAND_NOON)) + protobuf.part(2, time_of_day(BAND_NOON)) + protobuf.number(3, 1)
    return (
        protobuf.part(1, protobuf.number(15, worn))
        + protobuf.part(26, protobuf.number(1, int(telemetry)))
        + protobuf.part(101, changed)
        + protobuf.part(900, "kept")
    )


IDENTIFIER_PATH = "/U/0/USERID.BPB"


def phone_data():
    """PbUserPhysData as a phone wrote it: ten facts, each with a time of its own, four with a source. Fields that no definition has are
    before, between and behind them."""

    def fact(field, value, *more):
        changed = protobuf.part(1, date(BAND_NOON)) + protobuf.part(2, protobuf.number(1, 7) + protobuf.number(2, field) + protobuf.number(3, 9)) + protobuf.number(3, 1)
        return protobuf.part(field, value + protobuf.part(2, changed) + b"".join(more))

    born = protobuf.part(1, protobuf.number(1, 1980) + protobuf.number(2, 5) + protobuf.number(3, 17))
    measured, tested = protobuf.number(3, 3), protobuf.number(3, 3)
    return b"".join((
        protobuf.number(7, 99), fact(1, born), fact(2, protobuf.number(1, 2)), fact(3, protobuf.real(1, 61.5), measured, protobuf.number(9, 1234)),
        fact(4, protobuf.real(1, 171)), fact(5, protobuf.number(1, 191), measured), fact(6, protobuf.number(1, 46)), protobuf.part(13, "newer"),
        fact(10, protobuf.number(1, 53), tested), fact(11, protobuf.number(1, 40)), fact(12, protobuf.number(1, 3)), fact(17, protobuf.number(1, 510)),
        protobuf.part(18, "kept"), protobuf.part(100, protobuf.part(1, date(BAND_NOON)) + protobuf.part(2, time_of_day(BAND_NOON)) + protobuf.number(3, 1)),
    ))


def phone_identifier():
    """PbUserIdentifier of a user of the vendor's service, and a field that no definition has."""
    return protobuf.number(1, 4711) + protobuf.number(3, 7)


# --- days ---------------------------------------------------------------------------------------------------------------------------


def date(day):
    """PbDate"""
    return protobuf.number(1, day.year) + protobuf.number(2, day.month) + protobuf.number(3, day.day)


def time_of_day(moment):
    """PbTime"""
    fields = (moment.hour, moment.minute, moment.second, moment.microsecond // 1000)
    return b"".join(protobuf.number(field, value) for field, value in enumerate(fields, 1))


def days():
    """{path: content} of activity, daily summary and automatic samples, of yesterday and of today."""
    found = {}
    for number, ago in enumerate((1, 0)):
        day = BAND_NOON - datetime.timedelta(days=ago)
        folder = f"/U/0/{day:%Y%m%d}/"
        midnight = day.replace(hour=0)
        start = protobuf.part(1, date(day)) + protobuf.part(2, time_of_day(midnight)) + protobuf.number(3, 1) + protobuf.number(4, 0)
        minutes = 600 - 300 * number
        found[folder + "ACT/ASAMPL0.BPB"] = (
            protobuf.part(1, start)
            + protobuf.part(2, protobuf.number(3, 30))
            + protobuf.part(3, protobuf.number(2, 1))
            + b"".join(protobuf.real(4, 1 + index % 8 / 8) for index in range(2 * minutes))
            + protobuf.packed(5, [index % 140 for index in range(minutes)])
        )
        found[folder + "DSUM/DSUM.BPB"] = protobuf.part(1, date(day)) + protobuf.number(2, 8000 + number) + protobuf.number(3, 450) + protobuf.real(8, 5300.5)
        rates = protobuf.number(1, 2) + protobuf.part(2, time_of_day(midnight)) + protobuf.packed(3, [55 + index % 40 for index in range(200)])
        found[f"/U/0/AUTOS/AUTOS{number:03}.BPB"] = protobuf.part(1, date(day)) + protobuf.part(2, rates)
    return found


LIGHT, DEEP, AWAKE = -5, -6, -2  # PbSleepWakeState
NIGHT_END = BAND_NOON.replace(hour=7)
NIGHT_HOURS = 8


def night():
    """{path: content} of the night that ended this morning, in phases of an hour. The night is final only when another night is there, or a day later."""
    def moment(time):
        return protobuf.part(1, date(time)) + protobuf.part(2, time_of_day(time)) + protobuf.number(3, 1) + protobuf.number(4, 0)

    utc = protobuf.part(1, date(NIGHT_END)) + protobuf.part(2, time_of_day(NIGHT_END)) + protobuf.number(3, 1)
    phases = ((hour * 3600, (LIGHT, DEEP, LIGHT, AWAKE)[hour % 4]) for hour in range(NIGHT_HOURS))
    return {
        f"/U/0/{NIGHT_END:%Y%m%d}/SLEEP/SLEEPRES.BPB": protobuf.part(1, moment(NIGHT_END - datetime.timedelta(hours=NIGHT_HOURS)))
        + protobuf.part(2, moment(NIGHT_END))
        + protobuf.part(3, utc)
        + protobuf.number(4, 480)
        + b"".join(protobuf.part(5, protobuf.number(1, start) + protobuf.number(2, state)) for start, state in phases)
    }


def local_time(moment, offset):
    """PbPFtpSetLocalTimeParams"""
    return protobuf.part(1, date(moment)) + protobuf.part(2, time_of_day(moment)) + (b"" if offset is None else protobuf.number(3, offset))


def moment(parameters):
    """(time, offset in minutes or `None`) of the same."""
    fields = protobuf.read(parameters)
    day, clock = protobuf.read(fields[1][0]), protobuf.read(fields[2][0])
    numbers = [day[field][0] for field in (1, 2, 3)] + [clock.get(field, [0])[0] for field in (1, 2, 3)]
    offset = fields.get(3, [None])[0]
    if offset is not None and offset >> 63:
        offset -= 1 << 64
    return datetime.datetime(*numbers, clock.get(4, [0])[0] * 1000), offset
