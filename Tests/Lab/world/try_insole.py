#!/usr/bin/env python3
"""Tries the insole against a plain Bumble central, without any kernel or hub: try_insole.py. Exit status 1 and a sentence if it is not as it should be."""
import asyncio
import io
import json
import struct
import sys

from bumble import hci
from bumble.controller import Controller
from bumble.core import UUID
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.hci import Address
from bumble.host import Host
from bumble.pairing import PairingConfig, PairingDelegate

import insole as botz
import smp
from activities import activity
from air import Air


class Central:
    def __init__(self, air):
        host = Host()
        host.controller = Controller("central", link=air, public_address="AA:BB:CC:00:00:02")
        host.controller.le_features &= ~(hci.LeFeatureMask.LE_EXTENDED_ADVERTISING | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING)
        self.device = Device(config=DeviceConfiguration(name="central", address=Address("AA:BB:CC:00:00:02", Address.PUBLIC_DEVICE_ADDRESS)), host=host)
        consent = PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT)
        self.device.pairing_config_factory = lambda _: PairingConfig(sc=True, mitm=False, bonding=True, delegate=consent)

    async def connect(self, insole):
        self.link = await self.device.connect(insole.address, own_address_type=hci.OwnAddressType.PUBLIC)
        self.peer = Peer(self.link)
        await asyncio.sleep(0.3)
        await self.peer.discover_services()
        for service in self.peer.services:
            await service.discover_characteristics()
        self.replies = asyncio.Queue()
        self.buffer = b""
        self.sequence = 0
        await self.of(botz.SMP, botz.SMP_DATA).subscribe(self._piece)

    def of(self, service, characteristic):
        wanted = [one for one in self.peer.services if one.uuid == service][0]
        return [one for one in wanted.characteristics if one.uuid == characteristic][0]

    def _piece(self, piece):
        demand(len(piece) <= 118, f"a notification of {len(piece)} bytes")
        self.buffer += bytes(piece)
        if len(self.buffer) >= 8 and len(self.buffer) >= 8 + struct.unpack(">H", self.buffer[2:4])[0]:
            self.replies.put_nowait(smp.decode(self.buffer[8:]))
            self.buffer = b""

    async def ask(self, command, operation=0, **request):
        self.sequence += 1
        body = smp.encode(request)
        frame = struct.pack(">BBHHBB", 8 | operation, 0, len(body), smp.FILES, self.sequence, command) + body
        await self.of(botz.SMP, botz.SMP_DATA).write_value(frame, with_response=False)
        return await asyncio.wait_for(self.replies.get(), 5)

    async def download(self, name):
        content, size = b"", None
        while size is None or len(content) < size:
            reply = await self.ask(smp.DOWNLOAD, off=len(content), name=name)
            size = reply.get("len", size)
            content += reply["data"]
        return content


def demand(truth, sentence):
    if not truth:
        raise SystemExit(f"the insole: {sentence}")


def control(low):
    return UUID(f"4fd5b6{low}-9d89-4061-92aa-319ca786baae")


async def run(era):
    air = Air()
    log = io.StringIO()
    files = {f"{botz.FOLDER}activity_{number:03}.dat": activity(0, number, count) for number, count in ((1, 10), (2, 500))}
    insole = botz.Insole(0, air, log, -50, era, files)
    await insole.start()
    central = Central(air)
    await central.device.power_on()
    await central.connect(insole)

    def events(kind):
        return [line for line in map(json.loads, log.getvalue().splitlines()) if line["event"] == kind]

    demand(events("introduced") and events("introduced")[0]["mtu"] == 121, f"its own MTU request and search came to {events('introduced')}")
    profile = central.of(botz.CONTROL, control("8b"))
    if era == "2025-06":
        try:
            await profile.write_value(bytes([1]), with_response=True)
            demand(False, "a write without encryption was taken")
        except Exception as refusal:
            demand(getattr(refusal, "error_code", None) in (0x05, 0x0F), f"a write without encryption ended with {refusal!r}")
    await central.link.pair()
    await asyncio.sleep(0.2)
    demand(central.link.encryption, "the link is not encrypted")
    await profile.write_value(bytes([1]), with_response=True)
    if era != "head":
        demand(await profile.read_value() == bytes([1]), "the profile is not read back")
    for name, content in files.items():
        demand((await central.ask(smp.STATUS, name=name))["len"] == len(content), f"status of {name}")
        demand(await central.download(name) == content, f"{name} came otherwise")
    demand((await central.ask(smp.STATUS, name=botz.FOLDER + "activity_003.dat"))["err"] == {"group": 8, "rc": 3}, "a file that is not there")
    served = {}
    for line in events("read"):
        served.setdefault(line["name"], set()).update(range(line["offset"], line["offset"] + line["length"]))
    demand({name: len(bytes_) for name, bytes_ in served.items()} == {name: len(content) for name, content in files.items()}, "the log of what was served")
    await asyncio.sleep(botz.SMP_REST + 1)
    # What it wants in its first five seconds waits for their end, and the last of it counts.
    demand([(line["why"], tuple(line["parameters"])) for line in events("ask")] == [("first", botz.TRANSFER), ("rest", botz.PLAIN)], f"it asked for {events('ask')}")
    await profile.write_value(bytes([1]), with_response=True)
    await asyncio.sleep(0.5)
    now = events("parameters")[-1]
    demand((now["interval"], now["latency"], now["timeout"]) == (100, 4, 6000), f"after profile 1 the link has {now}")
    try:
        await profile.write_value(bytes([2]), with_response=True)
        demand(False, "profile 2 was taken")
    except Exception as refusal:
        demand(getattr(refusal, "error_code", None) == 0x0E, f"profile 2 ended with {refusal!r}")
    await central.of(botz.CONTROL, control("81")).write_value(struct.pack(">I", 1_763_700_000), with_response=True)
    clock = await central.of(botz.INFORMATION, UUID.from_16_bits(0x2A2B)).read_value()
    demand(struct.unpack("<HBBBB", bytes(clock)[:6]) == (2025, 11, 21, 4, 40), f"the clock is {bytes(clock).hex()}")
    for expected in (False, True):
        await central.of(botz.CONTROL, control("91")).write_value(bytes([1]), with_response=True)
        demand(events("erase")[-1]["ignored"] == expected, "an erasure works once in a boot")
    demand((await central.ask(smp.STATUS, name=botz.FOLDER + "activity_001.dat")).get("err"), "a file outlived the erasure")

    # A bond that only the central lost is not replaced; one that the insole lost is missed.
    await central.device.keystore.delete_all()
    await central.link.disconnect()
    await asyncio.sleep(0.5)
    await central.connect(insole)
    try:
        await central.link.pair()
        demand(False, "a second pairing replaced the bond")
    except Exception:
        demand(events("pairing-request")[-1]["refused"], "the second pairing failed otherwise")
    print(f"insole of era {era}: as it should be")


if __name__ == "__main__":
    for one in sys.argv[1:] or botz.ERAS:
        asyncio.run(asyncio.wait_for(run(one), 60))
