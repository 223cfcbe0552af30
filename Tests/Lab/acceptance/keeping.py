#!/usr/bin/env python3
"""A strap that streams keeps its link beside all that are accepted. These are cuffs that come for seconds and never measure, straps that take no connection,
and a new strap.

    Tests/Lab/in-lab -t 900 PYTHON Tests/Lab/acceptance/keeping.py --programs .build/release [--seed N]

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt. The strap's own log says for how long it had no link.
"""
import json
import pathlib
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from report import Report, demand, eventually  # noqa: E402
from scene import Hub, Phases, World, address_of, conclude, parser, scratch, sensor_address  # noqa: E402

GOOD = 0
CUFFS, DEAF, LATE = 8, 30, 5
THERE, ROUND = 3.0, 10.0  # s: a cuff is heard for so long in each round
WITHOUT = 5.0  # s without a link, at most
JOINED_WITHIN = 15.0  # s from its switching on to its first value
PAUSE = 10.0  # s, at most: three attempts at straps that take no connection
STREAMS = 120.0  # s after which a strap counts as one that streams


class Keeping:
    def __init__(self, report, world, hub, arguments):
        self.report, self.world, self.hub = report, world, hub
        self.phases = Phases(report, arguments.seed)

    def all(self):
        step = self.report.step
        step("the daemon starts, and a strap streams for two minutes", self.begin)
        step(f"{CUFFS} cuffs are accepted, which never measure", self.accept_cuffs)
        step(f"they come for {THERE:.0f} s in {ROUND:.0f}: the strap is without its link for {WITHOUT:.0f} s at most", self.cuffs_come)
        step(f"{DEAF} straps are accepted that take no connection: the same", self.accept_deaf)
        for number in range(1, LATE + 1):
            step(f"new strap {number} is accepted among them, and is live: the same", self.accept_late, number)

    def begin(self):
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "3600s")
        self.hub.accept(address_of(GOOD), "good")
        self.hub.wait_until_live([GOOD], 60)
        time.sleep(STREAMS)

    def accept_cuffs(self):
        for number in range(CUFFS):
            self.world.ask("sensor-show", number, THERE)
            self.hub.accept(sensor_address(number), f"cuff-{number}")

    def cuffs_come(self):
        began = time.monotonic()
        while time.monotonic() - began < 240:
            for number in range(CUFFS):
                self.world.ask("sensor-show", number, THERE)
                time.sleep(ROUND / CUFFS)
        self.judge(began)

    def accept_deaf(self):
        self.phases.pause(PAUSE)
        began = time.monotonic()
        for number in range(DEAF):
            one = json.loads(self.world.ask("hostile", "silent-strap", 1))
            self.hub.accept(one["address"], f"deaf-{number}", within=90)
        time.sleep(120)
        self.judge(began)

    def accept_late(self, number):
        self.phases.pause(PAUSE)
        began = time.monotonic()
        self.world.ask("add", number)
        self.hub.accept(address_of(number), f"late-{number}", within=90)
        accepted = time.monotonic()
        eventually(lambda: self.hub.state(number) == "live", 60, "the new strap is not live", every=0.1)
        took = time.monotonic() - began
        self.report.measured("heard after, live after", f"{accepted - began:.1f} s, {took:.1f} s")
        time.sleep(20)
        self.hub.shell("device", f"late-{number}", "forget", "--yes")
        self.world.ask("vanish", number)
        self.judge(began)
        demand(took <= JOINED_WITHIN, f"the new strap is live {took:.1f} s after it was switched on")

    def judge(self, since):
        """By the strap's log: from each end of a link to the next subscription."""
        ended, longest = None, 0.0
        for line in self.world.log("strap", GOOD, "disconnect", "subscribe", "notify"):
            if line["event"] == "disconnect":
                ended = line["monotonic"]
            elif line.get("characteristic") != "battery" and ended is not None:
                longest, ended = max(longest, line["monotonic"] - ended) if line["monotonic"] > since else longest, None
        if ended is not None:
            longest = max(longest, time.monotonic() - ended)
        self.report.measured("longest time without its link", f"{longest:.1f} s")
        demand(longest <= WITHOUT, f"the strap was without its link for {longest:.1f} s")


def main(arguments):
    folder = scratch("keeping")
    clock.trust()
    report = Report()
    world = World(folder, "--straps", "1", "--sensors", ",".join(["cuff"] * CUFFS), "--rssi=-45,-47")
    hub = Hub(folder, arguments.programs, "none")
    try:
        Keeping(report, world, hub, arguments).all()
    finally:
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    sys.exit(main(parser(__doc__).parse_args()))
