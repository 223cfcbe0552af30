"""What health sensors measure: made up, but the same for every run, so that a test can say which value is missing. `numbers` has what a hub
owes it, in the unit of the hub's series as text, or as whole numbers of the named unit. `is_sample` is false if the sensor says that there
is no value."""
import dataclasses
import datetime
import struct

NOT_A_NUMBER = 0x07FF  # SFLOAT
NO_NUMBER = 0x007FFFFF  # FLOAT


def sfloat(mantissa, exponent=0):
    """IEEE 11073-20601: exponent of ten in the upper four bits, mantissa in the lower twelve, both signed."""
    return (exponent & 0xF) << 12 | mantissa & 0xFFF


def float32(mantissa, exponent=0):
    """The same with eight bits and 24."""
    return (exponent & 0xFF) << 24 | mantissa & 0xFFFFFF


def date_time(moment):
    return struct.pack("<HBBBBB", moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)


def utc_now():
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0, tzinfo=None)


@dataclasses.dataclass(frozen=True)
class Value:
    value: bytes  # as sent
    numbers: dict  # what it says
    is_sample: bool = True
    shown: str | None = None  # its own time, ISO 8601 without a zone


def temperature(sensor, sequence, moment, is_final=True):
    """Health Thermometer 1.0, 3.1: flags (bit 0 °F, 1 time, 2 type), FLOAT, time, type. All forms take turns; every 17th is no number."""
    fahrenheit, timed, typed = sequence % 2 == 1, sequence // 2 % 2 == 1, sequence // 4 % 2 == 1
    tenths = 360 + (sequence * 7 + sensor * 11) % 45 - (0 if is_final else 25)
    flags = fahrenheit | timed << 1 | typed << 2
    # °F that are whole tenths: 36.0 °C is 96.8 °F, and each fifth of a degree in °C is 0.36 in °F.
    told = round((tenths * 9 / 5) + 320) if fahrenheit else tenths
    is_sample = sequence % 17 != 11
    value = struct.pack("<BI", flags, float32(told, -1) if is_sample else NO_NUMBER)
    if timed:
        value += date_time(moment)
    if typed:
        value += bytes([1 + sequence % 9])
    numbers = {"temperature": told, "unit": "0.1 degF" if fahrenheit else "0.1 degC"} if is_sample else {}
    return Value(value, numbers, is_sample, moment.isoformat() if timed else None)


def pressure(sensor, sequence, moment):
    """Blood Pressure 1.1.1, 3.1: flags (bit 0 kPa, 1 time, 2 pulse, 3 user, 4 status), three SFLOAT, time, pulse, user, status. Every 13th failed."""
    kilopascal = sequence % 4 == 3
    timed, pulsed, owned, judged = sequence % 5 != 4, sequence % 2 == 0, sequence % 3 == 0, sequence % 3 != 1
    systolic = 105 + (sequence * 11 + sensor * 3) % 70
    diastolic, pulse = systolic * 5 // 8, 55 + (sequence * 7) % 60
    triple = [systolic, diastolic, (systolic + 2 * diastolic) // 3]
    if kilopascal:
        triple = [number * 4 // 3 for number in triple]  # tenths of a kPa
    is_sample = sequence % 13 != 7
    flags = kilopascal | timed << 1 | pulsed << 2 | owned << 3 | judged << 4
    value = struct.pack("<B", flags)
    for number in triple:
        value += struct.pack("<H", sfloat(number, -1 if kilopascal else 0) if is_sample else NOT_A_NUMBER)
    if timed:
        value += date_time(moment)
    if pulsed:
        value += struct.pack("<H", sfloat(pulse) if is_sample else NOT_A_NUMBER)
    if owned:
        value += bytes([sequence % 4])
    status = (0, 0, 0x0001, 0x0004, 0)[sequence % 5]  # movement, irregular pulse
    if judged:
        value += struct.pack("<H", status)
    numbers = dict(zip(("systolic", "diastolic", "mean"), triple), unit="0.1 kPa" if kilopascal else "mmHg") if is_sample else {}
    if pulsed and is_sample:
        numbers["pulse"] = pulse
    if judged:
        numbers["status"] = status
    return Value(value, numbers, is_sample, moment.isoformat() if timed else None)


def saturation(sensor, sequence):
    """Pulse Oximeter 1.0.1, 3.3, continuous: flags (bit 2 measurement status, 3 sensor status), the pair, both. Every 20th is of no finger."""
    oxygen, pulse = 880 + (sequence * 7 + sensor * 13) % 120, 500 + (sequence * 37 + sensor * 101) % 700
    is_sample = sequence % 20 != 15
    measured, sensed = (1 << 5 | 1 << 7, 1 << 9) if is_sample else (1 << 13, 1 << 11)
    pair = (sfloat(oxygen, -1), sfloat(pulse, -1)) if is_sample else (NOT_A_NUMBER, NOT_A_NUMBER)
    value = struct.pack("<BHHH", 0x0C, *pair, measured) + sensed.to_bytes(3, "little")
    return Value(value, {"oxygen": oxygen, "pulse": pulse} if is_sample else {}, is_sample)


def spot_check(sensor, sequence, moment, is_set=True):
    """The same, 3.2, kept: flags, the pair, time, status. Flags are bit 0 time, 1 measurement status, 4 clock not set; of the status bit 7
    is validated, 9 from the memory."""
    oxygen, pulse = 90 + (sequence * 3 + sensor) % 10, 52 + (sequence * 11 + sensor * 7) % 60
    value = struct.pack("<BHH", 0x03 if is_set else 0x13, sfloat(oxygen), sfloat(pulse)) + date_time(moment) + struct.pack("<H", 1 << 7 | 1 << 9)
    return Value(value, {"oxygen": oxygen * 10, "pulse": pulse * 10}, True, moment.isoformat())


def run(sensor, sequence, distance):
    """Running Speed and Cadence 1.0, 3.1: flags (bit 0 stride, 1 distance, 2 running), 1/256 m/s, steps a minute, cm, 0.1 m."""
    stands = sequence // 20 % 4 == 3
    speed, cadence = (0, 0) if stands else (300 + (sequence * 17 + sensor * 5) % 700, 50 + (sequence * 3 + sensor) % 45)
    stride = speed * 6000 // (256 * cadence) if cadence else 0
    value = struct.pack("<BHBHI", 3 | (speed > 600) << 2, speed, cadence, stride, distance & 0xFFFFFFFF)
    return Value(value, {"speed": speed, "cadence": cadence, "stride": stride, "distance": distance & 0xFFFFFFFF})
