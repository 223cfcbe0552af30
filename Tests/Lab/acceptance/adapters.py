#!/usr/bin/env python3
"""A class: forty straps and four adapters that carry 5, 7, 8 and 20 links. A single one of them drops a link when it is full; adapters are pulled,
plugged and hung.

    Tests/Lab/in-lab -t 900 PYTHON Tests/Lab/acceptance/adapters.py --programs .build/release

Runs as root in the lab. `--straps 12 --adapters 5,7` is a smaller class.
"""
import json
import pathlib
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from report import Report, demand, eventually  # noqa: E402
from scene import ADAPTER, Hub, Phases, World, address_of, conclude, parser, scratch  # noqa: E402

FULL = ["0x09", "0x0D", "-1", "0x09"]  # how each adapter says that it is full; -1: it drops another link


class Class:
    def __init__(self, report, world, hub, phases, straps, slots):
        self.report, self.world, self.hub, self.phases = report, world, hub, phases
        self.straps, self.slots = straps, slots

    def live(self):
        return sum(device["state"] == "live" for device in self.hub.devices().values())

    def room(self):
        return min(self.straps, sum(self.slots))

    def wait_until_all_live(self, within, what):
        began = time.monotonic()
        eventually(
            lambda: self.live() >= self.room(), within,
            lambda: f"{self.live()} of {self.room()} are live; links {self.world.status()['links']}; {self.radio()}", every=1,
        )
        self.report.measured(what, f"{time.monotonic() - began:.0f} s")

    def radio(self):
        return json.dumps(self.hub.json("radio"))[:400]

    def join(self):
        for strap in range(self.straps):
            self.world.ask("add", strap)
        self.hub.start()
        self.wait_until_all_live(1200, "all new ones live after")

    def shares(self):
        links = self.world.status()["links"]
        self.report.measured("links of each adapter", links)
        demand(len(links) == len(self.slots), f"adapters: {links}")
        demand(all(links[str(place + 1)] <= count for place, count in enumerate(self.slots)), f"more links than an adapter carries: {links}")

    def restart(self):
        demand(self.hub.stop() == 0, f"it ended with {self.hub.process.returncode}")
        self.hub.start()
        self.wait_until_all_live(300, "all enrolled ones live after a restart")

    def pulled(self):
        """Each but the first in turn; the straps it had go to adapters with room."""
        for number in range(2, len(self.slots) + 1):
            self.phases.pause(5)
            self.world.ask("pull", number)
            left = min(self.straps, sum(self.slots) - self.slots[number - 1])
            eventually(lambda: self.live() >= left, 120, lambda: f"{self.live()} of {left} are live without adapter {number}; {self.world.status()['links']}", every=1)
            self.world.ask("plug", number, self.slots[number - 1], FULL[number - 1])
            self.wait_until_all_live(300, f"all live again after adapter {number} was pulled and plugged")

    def hung(self):
        number = 2
        self.world.ask("black-hole", 1, number)
        left = min(self.straps, sum(self.slots) - self.slots[number - 1])
        began = time.monotonic()
        eventually(lambda: self.live() >= left, 180, lambda: f"{self.live()} of {left} are live beside a hung adapter; {self.world.status()['links']}", every=1)
        self.report.measured("the others serve what they can after", f"{time.monotonic() - began:.0f} s")
        time.sleep(60)
        self.world.ask("black-hole", 0, number)
        self.wait_until_all_live(300, "all live again after an adapter had hung for a minute")

    def end(self):
        demand(self.hub.stop() == 0, f"it ended with {self.hub.process.returncode}")


def main(arguments):
    folder = scratch("adapters")
    clock.trust()
    report = Report()
    slots = [int(word) for word in arguments.adapters.split(",")]
    phases = Phases(report, arguments.seed)
    world = World(folder, "--straps", "0", "--rssi=" + ",".join(["-45"] * arguments.straps), "--slots", str(slots[0]))
    for number, count in enumerate(slots[1:], 2):
        world.ask("plug", number, count, FULL[(number - 1) % len(FULL)])
    hub = Hub(folder, arguments.programs, "none")
    hub.configuration.write_text(hub.variant().replace(f"  adapter: {ADAPTER}\n", "  adapters: auto\n").replace("mode: window", "mode: all"))
    scene = Class(report, world, hub, phases, arguments.straps, slots)
    try:
        report.step(f"{arguments.straps} new straps join by themselves over {len(slots)} adapters", scene.join)
        if report.failed == 0:
            report.step("no adapter has more links than it carries", scene.shares)
            report.step("after a restart all are live", scene.restart)
            report.step("adapters are pulled and plugged", scene.pulled)
            report.step("one hangs for a minute, and stops no other", scene.hung)
        report.step("SIGTERM ends it cleanly", scene.end)
    finally:
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    words = parser(__doc__)
    words.add_argument("--straps", type=int, default=40)
    words.add_argument("--adapters", default="5,7,8,20", help="links that each adapter carries")
    sys.exit(main(words.parse_args()))
