"""Attacks that need no link: advertisements by the thousand, under new names and addresses, or under the address of another device."""
import asyncio
import itertools
import struct

from bumble import hci
from bumble.core import AdvertisingData
from bumble.hci import Address

STEP = 0.05  # s
SCANNABLE, ALONE = hci.HCI_LE_Advertising_Report_Event.EventType.ADV_IND, hci.HCI_LE_Advertising_Report_Event.EventType.ADV_NONCONN_IND
LOUD = -40  # dBm
SURE = 1 << 22  # addresses before it are not used up by those that change


def address(number):
    return Address(number.to_bytes(3, "little") + b"\xad\xde\xf0", Address.RANDOM_DEVICE_ADDRESS)


def strap(name):
    kinds = AdvertisingData.Type
    return bytes(AdvertisingData([(kinds.FLAGS, b"\x06"), (kinds.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, b"\x0d\x18"), (kinds.COMPLETE_LOCAL_NAME, name)]))


def crowd(count):
    """So many straps that never take a link, each once a second."""
    each = [(address(number), strap(b"Fake %d" % number), SCANNABLE) for number in range(count)]
    for step in itertools.count():
        yield each[step % 20 :: 20]


def renaming():
    for count in itertools.count():
        yield [(address(1), strap(b"Name %d\x1b" % (count * 3 + more)), SCANNABLE) for more in range(3)]


def rotating():
    for count in itertools.count():
        yield [(address(SURE + count * 3 + more), strap(b"Strap"), SCANNABLE) for more in range(3)]


def forging(whose):
    """Polar's advertised heart rate under another's address."""
    for count in itertools.count():
        block = struct.pack("<HBBBB", 0x006B, 0x22 | count % 8 << 2, 0, 200, 190 + count % 40)
        data = bytes(AdvertisingData([(AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.MANUFACTURER_SPECIFIC_DATA, block)]))
        yield [(Address(whose), data, ALONE)] if count % 4 == 0 else []


def broken():
    """Lengths that are not there, no lengths at all, and ends in the middle."""
    shapes = [b"", b"\x00", b"\xff\x09", b"\x02\x01", b"\x1f\x09" + b"x" * 29, b"\x00" * 31, bytes(range(31)), b"\x03\x03\x0d\x18\x1b\x09abc"]
    for count in itertools.count():
        yield [(address(2 + count % 50), shapes[count % len(shapes)], SCANNABLE)]


ATTACKS = {"crowd": lambda count: crowd(int(count)), "renaming": renaming, "rotating": rotating, "forging": forging, "broken": broken}


async def run(attack, world, rssi=LOUD):
    for heard in attack:
        for whose, data, kind in heard:
            if world.controller is not None:
                world.controller.hear(whose, data, rssi, kind)
        await asyncio.sleep(STEP)
