#!/usr/bin/env python3
"""What hearthd has resident with forty straps, as many of them live as it takes links, and whether that stays so for three hours.

    Tests/Lab/in-lab -t 1800 PYTHON Tests/Lab/acceptance/memory.py --programs .build/release

Memory is the same in virtual time as at real speed, so the three hours take minutes. Runs as root in the lab. The controller of the lab's world has a link for
each slot, as four adapters would together: the daemon is measured here, not a radio.
"""
import sys
import pathlib
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from report import Report, demand, eventually  # noqa: E402
from scene import Hub, World, address_of, conclude, parser, scratch  # noqa: E402

STRAPS, SLOTS = 40, 32  # the most that radio.slots takes
RESIDENT, ANONYMOUS = 26_000, 4_096  # kB; it had 20.7 MB and 3.9 when this was written
SETTLED, FLAT = 5_700, 11_700  # s after which it is looked at: once the journal was moved three times, and a hundred minutes later
GROWTH = 200  # kB of its own in a hundred minutes; pages of program and store that are read for the first time do not count


class Memory:
    def __init__(self, report, world, hub):
        self.report, self.world, self.hub = report, world, hub

    def enrol(self):
        for strap in range(STRAPS):
            self.world.ask("add", strap)
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "600s")
        for strap in range(STRAPS):
            self.hub.accept(address_of(strap), f"strap-{strap:02}", within=120)
        self.live(300)

    def live(self, within):
        def count():
            return sum(device["state"] == "live" for device in self.hub.devices().values())

        eventually(lambda: count() >= SLOTS, within, lambda: f"{count()} of {STRAPS} straps are live, {SLOTS} are wanted", every=1)

    def look(self):
        resident, own = self.hub.proc_status("VmRSS"), self.hub.proc_status("RssAnon")
        self.report.measured("resident, of that anonymous", f"{resident} kB, {own} kB")
        demand(resident <= RESIDENT and own <= ANONYMOUS, f"more than {RESIDENT} kB resident or {ANONYMOUS} anonymous")
        self.live(60)
        return own

    def settled(self):
        time.sleep(SETTLED)
        self.own = self.look()

    def flat(self):
        time.sleep(FLAT - SETTLED)
        grown = self.look() - self.own
        self.report.measured("grown by", f"{grown} kB")
        demand(grown <= GROWTH, f"it grew by {grown} kB")

    def end(self):
        demand(self.hub.stop() == 0, f"it ended with {self.hub.process.returncode}")


def main(arguments):
    folder = scratch("memory")
    clock.trust()
    report = Report()
    world = World(folder, "--straps", "0", "--rssi=-45")
    hub = Hub(folder, arguments.programs, "none")
    hub.configuration.write_text(hub.variant().replace("radio:\n", f"radio:\n  slots: {SLOTS}\n"))
    memory = Memory(report, world, hub)
    try:
        report.step(f"{SLOTS} of {STRAPS} straps are live", memory.enrol)
        if report.failed == 0:
            report.step(f"after {SETTLED // 60} minutes it has {RESIDENT // 1000} MB at most, {ANONYMOUS // 1024} of them its own", memory.settled)
            report.step(f"{(FLAT - SETTLED) // 60} minutes later it has no more", memory.flat)
        report.step("SIGTERM ends it cleanly", memory.end)
    finally:
        hub.end_for_sure()
        world.close()
    return conclude(report, hub)


if __name__ == "__main__":
    sys.exit(main(parser(__doc__).parse_args()))
