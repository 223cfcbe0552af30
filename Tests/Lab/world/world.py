#!/usr/bin/env python3
"""A world of virtual wearables for the kernel it runs on. One controller on /dev/vhci, and straps, insoles, Polar's wearables, health sensors and wrist bands around it, faults on
demand.

    world.py --straps 4 [--insoles head:30,2025-06:900] [--h10s 1] [--bands 5000000] [--senses 1] [--sensors thermometer,cuff,clocked-cuff,secured-cuff,oximeter,spot-oximeter,foot-pod] [--wrists fitcloud,topstep_next,moyoung] --control /run/world.sock --logs /run/logs [--rssi -45,-48,-51,-70] [--period 1.0] [--slots 5]

Prints `ready hciN` when they are on the air. Each strap writes LOGS/strap-N.jsonl: every connection, subscription and notification that it sent, with
CLOCK_MONOTONIC and wall time. The others write LOGS/insole-N.jsonl, LOGS/h10-N.jsonl, LOGS/band-N.jsonl (Polar 360), LOGS/sense-N.jsonl (Verity Sense),
LOGS/sensor-N.jsonl (health sensor) and LOGS/wrist-N.jsonl (wrist band). LOGS/controller.jsonl has every HCI command of the kernel. The wearables are Google's
Bumble: no line of the hub's own protocol code is in them. See control.py for the commands, README.md for the whole lab.
"""
import argparse
import asyncio
import logging
import os
import sys

from activities import activity
from air import Air
from band import Band
from control import Control
from h10 import H10
from health_sensor import MODELS
from hub_controller import HubController
from insole import FOLDER, Insole
from sense import Sense
from strangers import Strangers
from strap import Strap
from uart import Uart
from vhci import Vhci
from wrist import MODELS as WRISTS


class World:
    def __init__(self, arguments):
        self.logs = arguments.logs
        self.period = arguments.period
        self.manufacturer = arguments.manufacturer
        self.rssi = arguments.rssi
        self.slots = (arguments.slots, 0x09)
        self.air = Air()
        self.straps = []
        self.insoles = []
        self.h10s = []
        self.bands = []
        self.senses = []
        self.sensors = []
        self.wrists = []
        self.hostiles = []
        self.hostile_air = None  # the task of an attack that needs no link
        self.wrist_offset = arguments.wrist_offset
        self.deaf_to = set()
        self.strangers = Strangers()
        self.vhci = None
        self.controller = None
        self.more = {}  # further controllers, by number from 2
        self.uart = arguments.uart and Uart(arguments.uart, self.add_controller, self.remove_controller)
        self.ended = asyncio.Event()
        self.controller_log = open(os.path.join(self.logs, "controller.jsonl"), "w")

    async def add_strap(self, number):
        if number != len(self.straps):
            raise ValueError(f"the next strap is {len(self.straps)}")
        log = open(os.path.join(self.logs, f"strap-{number}.jsonl"), "w")
        strap = Strap(number, self.air, log, self.rssi[number] if number < len(self.rssi) else -50, self.period, self.manufacturer)
        self.straps.append(strap)
        await strap.start()

    async def add_insole(self, era, *records):
        """An insole with files of so many records each."""
        number = len(self.insoles)
        log = open(os.path.join(self.logs, f"insole-{number}.jsonl"), "w")
        files = {f"{FOLDER}activity_{index:03}.dat": activity(number, index, count) for index, count in enumerate(records, 1)}
        insole = Insole(number, self.air, log, -50 - number, era, files)
        self.insoles.append(insole)
        await insole.start()

    async def add_h10(self):
        number = len(self.h10s)
        self.h10s.append(H10(number, self.air, open(os.path.join(self.logs, f"h10-{number}.jsonl"), "w"), -45 - number))
        await self.h10s[-1].start()

    async def add_band(self, total):
        """A band with recordings of together so many bytes."""
        number = len(self.bands)
        self.bands.append(Band(number, self.air, open(os.path.join(self.logs, f"band-{number}.jsonl"), "w"), -50 - number, total))
        await self.bands[-1].start()

    async def add_sense(self):
        number = len(self.senses)
        self.senses.append(Sense(number, self.air, open(os.path.join(self.logs, f"sense-{number}.jsonl"), "w"), -48 - number))
        await self.senses[-1].start()

    async def add_sensor(self, model):
        """A health sensor of one of the models of health_sensor.py."""
        number = len(self.sensors)
        self.sensors.append(MODELS[model](number, self.air, open(os.path.join(self.logs, f"sensor-{number}.jsonl"), "w"), -46 - number))
        await self.sensors[-1].start()

    async def add_wrist(self, model):
        """A band of one of the models of wrist.py."""
        number = len(self.wrists)
        log = open(os.path.join(self.logs, f"wrist-{number}.jsonl"), "w")
        self.wrists.append(WRISTS[model](number, self.air, log, -47 - number, self.wrist_offset))
        await self.wrists[-1].start()

    async def add_controller(self):
        if self.controller is not None:
            raise ValueError("there is one already")
        self.vhci = self.uart or Vhci()
        self.controller = HubController(self.vhci, self.air, self.controller_log)
        self.controller.deaf_to = self.deaf_to
        self.limit_slots(*self.slots)
        await self.vhci.open(self.controller)
        return f"hci{self.vhci.index}"

    async def remove_controller(self):
        if self.controller is None:
            raise ValueError("there is none")
        self._pull(self.vhci, self.controller)
        self.controller = self.vhci = None

    def _pull(self, vhci, controller):
        vhci.close()
        self.air.remove_controller(controller)
        for connection in list(controller.le_connections.values()):
            self.air.lose(connection.peer_address)

    async def plug(self, number, slots, status):
        """A further controller, which can hold so many links."""
        if number < 2 or number in self.more:
            raise ValueError("no such place")
        vhci = Vhci()
        controller = HubController(vhci, self.air, self.controller_log, number)
        controller.deaf_to = self.deaf_to
        controller.slots, controller.slots_status = slots, status
        self.more[number] = (vhci, controller)
        await vhci.open(controller)
        return f"hci{vhci.index}"

    async def pull(self, number):
        self._pull(*self.more.pop(number))

    def limit_slots(self, count, status):
        self.slots = (count, status)
        if self.controller is not None:
            self.controller.slots, self.controller.slots_status = count, status

    def set_strangers(self, count):
        self.strangers.set_count(count, lambda *packet: self.controller and self.controller.hear(*packet))

    def status(self):
        return {
            "controller": None if self.vhci is None else f"hci{self.vhci.index}",
            "links": {
                str(controller.number): len(controller.le_connections)
                for controller in [self.controller, *(controller for _, controller in self.more.values())]
                if controller is not None
            },
            "reports": 0 if self.controller is None else self.controller.reports,
            "scanning": self.controller is not None and self.controller.le_scan_enable,
            "straps": [
                {
                    "address": strap.address.to_string(with_type_qualifier=False),
                    "connected": strap.connection is not None,
                    "subscribed": strap.subscribed,
                    "away": strap.is_away,
                    "sequence": strap.sequence,
                }
                for strap in self.straps
            ],
            "insoles": [
                {
                    "address": insole.address.to_string(with_type_qualifier=False),
                    "era": insole.era,
                    "connected": insole.connection is not None,
                    "files": {name: len(content) for name, content in insole.files.items()},
                    "erased": insole.has_erased,
                }
                for insole in self.insoles
            ],
            "h10s": [
                {
                    "connected": strap.connection is not None,
                    "subscribed": strap.subscribed,
                    "streams": sorted(strap.streams),
                    "exercise": strap.exercise and strap.exercise[0],
                    "files": {path: len(content) for path, content in strap.files.content.items()},
                }
                for strap in self.h10s
            ],
            "bands": [
                {
                    "connected": band.connection is not None,
                    "busy": band.busy,
                    "files": {path: len(content) for path, content in band.files.content.items()},
                    "running": sorted(recording.path for recording in band.running.values()),
                }
                for band in self.bands
            ],
            "senses": [
                {
                    "connected": sense.connection is not None,
                    "files": {path: len(content) for path, content in sense.files.content.items()},
                    "running": sorted(recording.path for recording in sense.running.values()),
                }
                for sense in self.senses
            ],
            "sensors": [
                {
                    "address": sensor.address.to_string(with_type_qualifier=False),
                    "model": sensor.model,
                    "connected": sensor.connection is not None,
                    "heard": sensor.on_air,
                    "sequence": sensor.sequence,
                    "kept": len(getattr(sensor, "kept", [])),
                }
                for sensor in self.sensors
            ],
            "wrists": [wrist.status() for wrist in self.wrists],
        }


async def main(arguments):
    # asyncio ends a sleep early by the resolution that the clock claims: 10 ms in virtual time, more than the pauses between packets.
    asyncio.get_running_loop()._clock_resolution = 1e-6
    os.makedirs(arguments.logs, exist_ok=True)
    world = World(arguments)
    if world.uart is None:
        name = await world.add_controller()
    else:
        name = f"port {arguments.uart}"
        await world.uart.listen()
    for number in range(arguments.straps):
        await world.add_strap(number)
    for era, *records in arguments.insoles:
        await world.add_insole(era, *map(int, records))
    for _ in range(arguments.h10s):
        await world.add_h10()
    for total in arguments.bands:
        await world.add_band(total)
    for _ in range(arguments.senses):
        await world.add_sense()
    for model in arguments.sensors:
        await world.add_sensor(model)
    for model in arguments.wrists:
        await world.add_wrist(model)
    await Control(world).serve(arguments.control)
    print("ready", name, flush=True)
    await world.ended.wait()


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--straps", type=int, default=4)
    parser.add_argument(
        "--insoles",
        type=lambda text: [word.split(":") for word in text.split(",")],
        default=[],
        help="era of each insole, and records of each of its files",
    )
    parser.add_argument("--h10s", type=int, default=0)
    parser.add_argument(
        "--bands", type=lambda text: [int(word) for word in text.split(",")], default=[], help="bytes of recordings on each Polar 360"
    )
    parser.add_argument("--senses", type=int, default=0)
    parser.add_argument("--sensors", type=lambda text: text.split(","), default=[], help=f"health sensors, of these models: {', '.join(MODELS)}")
    parser.add_argument("--wrists", type=lambda text: text.split(","), default=[], help=f"wrist bands, of these models: {', '.join(WRISTS)}")
    parser.add_argument("--wrist-offset", type=int, default=0, help="seconds that the zone of the bands is before Greenwich's")
    parser.add_argument("--control", required=True, help="path of the UNIX socket for commands")
    parser.add_argument("--logs", required=True, help="folder for the logs")
    parser.add_argument("--rssi", type=lambda text: [int(word) for word in text.split(",")], default=[], help="dBm of each strap")
    parser.add_argument("--period", type=float, default=1.0, help="seconds between heart rate notifications")
    parser.add_argument("--manufacturer", default="Hearth Lab", help="of the straps, as they say over a link")
    parser.add_argument("--uart", type=int, help="TCP port at which a board's serial line is awaited, in the place of /dev/vhci")
    parser.add_argument("--slots", type=int, default=None, help="links that the controller can hold")
    return parser.parse_args(words)


if __name__ == "__main__":
    logging.basicConfig(level=os.environ.get("BUMBLE_LOGLEVEL", "ERROR").upper(), stream=sys.stderr)
    asyncio.run(main(parse(sys.argv[1:])))
