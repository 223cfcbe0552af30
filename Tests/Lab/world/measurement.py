"""What a strap measures: made up, but the same for every run, so that a test can say which sample is missing."""
import dataclasses
import struct

# Heart Rate Measurement flags (Heart Rate Service 1.0, 3.1.1.1).
WIDE_HEART_RATE = 0x01
CONTACT_SUPPORTED = 0x04
CONTACT_DETECTED = 0x02
ENERGY_PRESENT = 0x08
RR_PRESENT = 0x10

# A value that no measurement below takes: a flood is made of it, so that a test can tell flood from measurement.
FLOOD_HEART_RATE = 251


@dataclasses.dataclass(frozen=True)
class Measurement:
    heart_rate: int  # bpm
    rr: tuple  # 1/1024 s, oldest first
    energy: int | None  # kJ
    is_sample: bool  # no beat was felt in one without skin contact, or of 0 bpm: it is no sample
    value: bytes  # as notified


def measurement(strap, sequence):
    """Number `sequence` of strap `strap`. Neighbours never have the same heart rate; flags take every form that a strap may send."""
    heart_rate = 50 + (sequence * 7 + strap * 13) % 140
    rr = tuple(400 + (sequence * 37 + beat * 211 + strap * 101) % 900 for beat in range(sequence % 4))
    energy = (sequence // 10) % 0x10000 if sequence % 10 == 0 else None
    wide = sequence % 7 == 3
    contact = (0, CONTACT_SUPPORTED | CONTACT_DETECTED)[sequence // 5 % 2]
    if sequence % 25 in (11, 12):
        contact = CONTACT_SUPPORTED
    if sequence % 50 == 30:
        heart_rate = 0
    flags = (
        contact
        | (WIDE_HEART_RATE if wide else 0)
        | (ENERGY_PRESENT if energy is not None else 0)
        | (RR_PRESENT if rr else 0)
    )
    value = struct.pack("<BH" if wide else "<BB", flags, heart_rate)
    if energy is not None:
        value += struct.pack("<H", energy)
    for interval in rr:
        value += struct.pack("<H", interval)
    return Measurement(heart_rate, rr, energy, heart_rate != 0 and contact != CONTACT_SUPPORTED, value)
