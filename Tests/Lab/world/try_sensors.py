#!/usr/bin/env python3
"""Tries the health sensors against a plain Bumble central, without any kernel or hub: try_sensors.py. Exit status 1 and a sentence if they are not as they should be."""
import asyncio
import io
import json

from bumble.core import UUID
from bumble.device import Peer

from air import Air
from health_sensor import Cuff, FootPod, Oximeter, SpotOximeter, Thermometer
from try_insole import Central


class SensorCentral(Central):
    async def connect(self, sensor):
        self.link = await self.device.connect(sensor.address, own_address_type=0)
        self.peer = Peer(self.link)
        await asyncio.sleep(0.2)
        await self.peer.discover_services()
        for service in self.peer.services:
            await service.discover_characteristics()
        self.heard = []

    def one(self, number):
        return [one for service in self.peer.services for one in service.characteristics if one.uuid == UUID.from_16_bits(number)][0]

    async def subscribe(self, number, notify=False):
        await self.one(number).subscribe(lambda value: self.heard.append((number, bytes(value))), prefer_notify=notify)

    async def read(self, number):
        return bytes(await self.one(number).read_value())

    async def write(self, number, value):
        await self.one(number).write_value(value, with_response=True)

    def values(self, number):
        return [value for one, value in self.heard if one == number]


async def meet(model):
    air, log = Air(), io.StringIO()
    sensor, central = model(0, air, log, -50), SensorCentral(air)
    await sensor.start()
    await central.device.power_on()
    return sensor, central


def demand(truth, sentence):
    if not truth:
        raise SystemExit(f"sensors: {sentence}")


def lines(sensor, event, characteristic=None):
    told = map(json.loads, sensor.log_file.getvalue().splitlines())
    return [line for line in told if line["event"] == event and characteristic in (None, line.get("characteristic"))]


def same(sensor, central, event, number):
    """What was heard is what the log says."""
    logged = [line["hex"] for line in lines(sensor, event, f"{number:04X}")]
    demand(logged and logged == [value.hex() for value in central.values(number)], f"{sensor.model}: {number:04X} was heard otherwise than logged")
    return logged


async def try_thermometer():
    sensor, central = await meet(Thermometer)
    sensor.period = 0.1
    await asyncio.sleep(Thermometer.period)  # the pause that it had begun
    await central.connect(sensor)
    demand(await central.read(0x2A1D) == bytes([2]) and await central.read(0x2A23) == bytes([0, 2, 3, 0xFE, 0xFF, 4, 5, 6]), "type, system id")
    await central.subscribe(0x2A1E, notify=True)
    await central.subscribe(0x2A1C)
    await asyncio.sleep(2.5)
    await sensor.hang_up()
    await asyncio.sleep(0.1)
    logged = same(sensor, central, "confirm", 0x2A1C)
    same(sensor, central, "notify", 0x2A1E)
    demand(len(logged) > 15 and logged[0][:10] == "00680100ff", f"36.0 °C came as {logged[0]}")
    demand(any(not line["is_sample"] for line in lines(sensor, "confirm")), "none without a number")


async def try_cuff():
    sensor, central = await meet(Cuff)
    Cuff.STAYS, Cuff.HEARD = 1.0, 3.0
    await sensor.measure()
    await asyncio.sleep(3.2)
    demand(not sensor.on_air, "it is heard for ever")
    await sensor.measure()
    sensor.lost_confirmations = 1
    await central.connect(sensor)
    await central.subscribe(0x2A35)
    await asyncio.sleep(0.8)
    demand(sensor.connection is None and len(sensor.kept) == 2, "a confirmation that is lost is none")
    await sensor.measure()
    await central.connect(sensor)
    await central.subscribe(0x2A35)
    await asyncio.sleep(0.8)
    demand(not sensor.kept and [value.hex() for value in central.values(0x2A35)] == [line["hex"] for line in lines(sensor, "measure")], "what it kept")
    await asyncio.sleep(1)
    demand(sensor.connection is None and not sensor.on_air and len(lines(sensor, "leave")) == 1, "it stays")
    demand([line["sequence"] for line in lines(sensor, "indicate")] == [0, 0, 1, 2], "what was not confirmed is sent again")


async def try_notifiers():
    for model, number in ((Oximeter, 0x2A5F), (FootPod, 0x2A53)):
        sensor, central = await meet(model)
        await central.connect(sensor)
        await central.subscribe(number, notify=True)
        await asyncio.sleep(2.5)
        same(sensor, central, "notify", number)


async def try_records():
    sensor, central = await meet(SpotOximeter)
    sensor.slow = 100
    await central.connect(sensor)
    await central.subscribe(0x2A52)
    await central.subscribe(0x2A5E)
    await central.write(0x2A52, bytes([4, 1]))
    await asyncio.sleep(0.2)
    await central.write(0x2A52, bytes([1, 1]))
    await asyncio.sleep(0.8)
    demand(central.values(0x2A52) == [bytes([5, 0, 5, 0]), bytes([6, 0, 1, 1])], f"the control point said {central.values(0x2A52)}")
    demand(len(same(sensor, central, "confirm", 0x2A5E)) == 5, "not five records")
    await central.write(0x2A2B, bytes.fromhex("ea070301071e0f070000"))
    demand((await central.read(0x2A2B))[:6] == bytes.fromhex("ea070301071e"), "its clock was set")
    await sensor.measure()
    demand(lines(sensor, "measure")[0]["shown"].startswith("2026-03-01T07:30"), "the clock of its records")


async def main():
    await try_thermometer()
    await try_cuff()
    await try_notifiers()
    await try_records()
    print("health sensors: as they should be")


if __name__ == "__main__":
    asyncio.run(asyncio.wait_for(main(), 60))
