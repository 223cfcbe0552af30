#!/usr/bin/env python3
"""Tries the band, the H10 and the Verity Sense against a plain Bumble central, without any kernel or hub: try_polar.py. Exit status 1 and a sentence if they are not as they should be."""
import asyncio
import datetime
import io
import json
import struct

from bumble.core import UUID
from bumble.device import Peer

import polar_data
import polar_wearable as polar
import protobuf
import psftp
from air import Air
from band import Band, SLOW
from h10 import H10, ROOM
from sense import Sense
from try_insole import Central


class PolarCentral(Central):
    async def connect(self, wearable):
        self.link = await self.device.connect(wearable.address, own_address_type=0)
        self.peer = Peer(self.link)
        await asyncio.sleep(0.3)
        await self.peer.request_mtu(512)
        await self.peer.discover_services()
        for service in self.peer.services:
            await service.discover_characteristics()
        self.packets, self.answers, self.frames = asyncio.Queue(), asyncio.Queue(), asyncio.Queue()

    def polar(self, uuid):
        return [one for service in self.peer.services for one in service.characteristics if one.uuid == UUID(uuid)][0]

    async def secure(self):
        try:
            await self.polar(polar.TRANSFER).subscribe(self.packets.put_nowait)
            demand(False, "file transfer is served without encryption")
        except Exception as refusal:
            demand(getattr(refusal, "error_code", None) in (0x05, 0x0F), f"a subscription without encryption ended with {refusal!r}")
        await self.link.pair()
        await self.polar(polar.TRANSFER).subscribe(self.packets.put_nowait)

    async def send(self, message):
        for packet in psftp.packets(message, self.link.att_mtu - 3):
            await self.polar(polar.TRANSFER).write_value(packet, with_response=False)

    async def ask(self, message):
        """Content, or a code."""
        await self.send(message)
        content, expected = b"", 0
        while True:
            packet = bytes(await asyncio.wait_for(self.packets.get(), 5))
            state, sequence = packet[0] >> 1 & 3, packet[0] >> 4
            if state == psftp.RESPONSE:
                return struct.unpack("<H", packet[1:3])[0]
            demand(sequence == expected and packet[0] & 1 == bool(content), f"packet {packet[:1].hex()} where {expected} was due")
            content, expected = content + packet[1:], expected + 1 & 15
            if state == psftp.LAST:
                return content

    async def command(self, *octets):
        await self.polar(polar.CONTROL_POINT).write_value(bytes(octets), with_response=True)
        return bytes(await asyncio.wait_for(self.answers.get(), 5))


async def meet(model, *properties):
    """A wearable of this model in an air of its own, and a central that is connected to it."""
    air, log = Air(), io.StringIO()
    wearable, central = model(0, air, log, -50, *properties), PolarCentral(air)
    await wearable.start()
    await central.device.power_on()
    await central.connect(wearable)
    return wearable, central


def demand(truth, sentence):
    if not truth:
        raise SystemExit(f"Polar: {sentence}")


def request(command, path):
    operation = protobuf.number(1, command) + protobuf.part(2, path)
    return struct.pack("<H", len(operation)) + operation


def query(number, parameters=b""):
    return struct.pack("<H", number | 0x8000) + parameters


def names(listing):
    return [protobuf.read(entry)[1][0].decode() for entry in protobuf.read(listing).get(1, [])]


async def try_band():
    band, central = await meet(Band, 100_000)
    await central.secure()
    demand(central.link.att_mtu == polar.MTU, f"the MTU is {central.link.att_mtu}")
    demand(names(await central.ask(request(psftp.GET, "/U/0/"))) == ["20260302/", "20260303/", "AUTOS/", "S/"], "what is in /U/0/")
    for path, content in (polar_data.recordings(100_000) | polar_data.days()).items():
        demand(await central.ask(request(psftp.GET, path)) == content, f"{path} came otherwise")
    lines = (await central.ask(request(psftp.GET, "/PMDFILES.TXT"))).decode().splitlines()
    demand(len(lines) == sum(path.endswith(".REC") for path in band.files.content), "the index of recordings")
    demand(await central.ask(request(psftp.GET, "/U/0/19990101/")) == psftp.NO_SUCH_FILE, "a folder that is not there")
    time, offset = polar_data.moment(await central.ask(query(psftp.GET_LOCAL_TIME)))
    demand(polar_data.BAND_NOON.date() == (time + datetime.timedelta(seconds=SLOW)).date() and offset == 0, f"its clock shows {time}, {offset}")
    await try_recordings(central, band)
    await try_files(central, band)
    print("Polar 360: as it should be")


async def try_recordings(central, band):
    await central.polar(polar.CONTROL_POINT).subscribe(central.answers.put_nowait, prefer_notify=False)
    demand(bytes(await central.polar(polar.CONTROL_POINT).read_value()) == bytes([0x0F, 0x8E, 0x62]), "its features")
    states = (await central.command(5))[5:]
    demand(sorted(one & 0x3F for one in states if one >> 6 == 2) == [2, 14], f"it records {states.hex()}")
    old = band.running[polar_data.ACC].path
    demand((await central.command(3, 2))[:4] == bytes([0xF0, 3, 2, 0]), "the end of a recording")
    demand((await central.command(3, 2))[3] == 6, "the end of one that has ended")
    answer = await central.command(2, 0x82, *polar_data.setting(0, 50))
    demand(answer[:4] == bytes([0xF0, 2, 0x82, 0]), f"a recording begun: {answer.hex()}")
    new = band.running[polar_data.ACC].path
    demand(new != old and new not in band.files.content, "a file where a recording has just begun")


async def try_files(central, band):
    path = next(iter(polar_data.recordings(100_000)))
    await central.send(request(psftp.GET, path))
    await asyncio.sleep(0.02)
    await central.polar(polar.TRANSFER).write_value(psftp.CANCEL, with_response=True)
    await asyncio.sleep(0.2)
    demand(central.packets.qsize() < len(polar_data.recordings(100_000)[path]) // 228, "a transfer that was stopped goes on")
    while not central.packets.empty():
        central.packets.get_nowait()
    band.busy = True
    demand(await central.ask(query(psftp.REQUEST_SYNCHRONIZATION)) == psftp.BUSY, "a sync while it is busy")
    band.busy = False
    demand(await central.ask(query(psftp.REQUEST_SYNCHRONIZATION)) == psftp.SUCCESS, "a sync")
    folder = path.rsplit("/", 1)[0]
    demand(await central.ask(request(psftp.REMOVE, folder)) == psftp.SUCCESS and folder + "/" not in band.files.folders, "the removal of a folder")
    demand(await central.ask(request(psftp.REMOVE, path)) == psftp.NO_SUCH_FILE, "the removal of what is gone")


async def try_h10():
    strap, central = await meet(H10)
    await central.polar(polar.CONTROL_POINT).subscribe(central.answers.put_nowait, prefer_notify=False)
    await central.polar(polar.DATA).subscribe(central.frames.put_nowait)
    demand(bytes(await central.polar(polar.CONTROL_POINT).read_value()) == bytes([0x0F, 5, 0]), "its features")
    demand((await central.command(1, 0))[5:] == bytes.fromhex("0001820001010e00"), "settings of its electrocardiogram")
    demand((await central.command(2, 0, *polar_data.setting(0, 100)))[3] == 8, "a rate that it does not have")
    demand((await central.command(2, 0, *polar_data.setting(0, 130), *polar_data.setting(1, 14)))[3] == 0, "the start of a stream")
    last = None
    for number in range(3):
        frame = bytes(await asyncio.wait_for(central.frames.get(), 2))
        kind, time, form = struct.unpack("<BQB", frame[:10])
        values = [int.from_bytes(frame[at : at + 3], "little", signed=True) for at in range(10, len(frame), 3)]
        demand((kind, form, len(values)) == (0, 0, ROOM // 3) and values == [polar_data.ecg(0, number * 73 + index) for index in range(73)], "a frame")
        demand(last is None or abs(time - last - 73e9 / 130) < 2, "times of frames")
        last = time
    strap.stop_by_itself(polar_data.ECG)
    demand(bytes(await asyncio.wait_for(central.answers.get(), 2)) == bytes([1, 0]), "what it says of a stream that it ends")
    await asyncio.sleep(0.7)
    demand(central.frames.empty(), "a stream that has ended goes on")
    await central.secure()
    demand(await central.ask(query(psftp.GET_LOCAL_TIME)) == psftp.NOT_IMPLEMENTED, "it tells its time")
    await try_exercise(central)
    print("Polar H10: as it should be")


async def try_exercise(central):
    beats = protobuf.number(1, 16) + protobuf.part(2, protobuf.number(3, 1)) + protobuf.part(3, "RUN")
    demand(await central.ask(query(psftp.REQUEST_START_RECORDING, beats)) == psftp.SUCCESS, "the start of an exercise")
    demand(await central.ask(query(psftp.REQUEST_START_RECORDING, beats)) == psftp.INVALID_PARAMETER, "the start of a second one")
    demand(await central.ask(query(psftp.REQUEST_RECORDING_STATUS)) == protobuf.number(1, 1) + protobuf.part(2, "RUN"), "its status while it runs")
    await asyncio.sleep(2.0)
    demand(await central.ask(query(psftp.REQUEST_STOP_RECORDING)) == psftp.SUCCESS, "its end")
    demand(await central.ask(query(psftp.REQUEST_RECORDING_STATUS)) == protobuf.number(1, 0), "its status when it has ended")
    demand(await central.ask(request(psftp.GET, "/RUN/SAMPLES.BPB")) == polar_data.exercise(0, 2), "its beats")


async def try_sense():
    sense, central = await meet(Sense)
    await central.secure()
    await central.polar(polar.CONTROL_POINT).subscribe(central.answers.put_nowait, prefer_notify=False)
    key = bytes(range(16))
    acceleration = (0x82, *polar_data.setting(0, 50), *polar_data.setting(1, 16), *polar_data.setting(2, 8), *polar_data.setting(4, 3, 1))
    demand((await central.command(2, *acceleration, 6, 1, 2, *key[:15]))[3] == 5, "a key that is too short")
    demand((await central.command(2, *acceleration, 6, 1, 2, *key))[3] == 0, "the start of an encrypted recording")
    path = sense.running[polar_data.ACC].path
    demand((await central.command(3, 2))[3] == 0, "its end")
    plain = polar_data.running(*polar_data.began_as(path), 1)[1]
    kept = await central.ask(request(psftp.GET, path))
    demand(kept == polar_data.sealed(plain, key) and plain[40:] not in kept, "what is in its file")
    print("Polar Sense: as it should be")


if __name__ == "__main__":
    asyncio.run(asyncio.wait_for(try_band(), 60))
    asyncio.run(asyncio.wait_for(try_h10(), 60))
    asyncio.run(asyncio.wait_for(try_sense(), 60))
