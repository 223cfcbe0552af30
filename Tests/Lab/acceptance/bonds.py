#!/usr/bin/env python3
"""Cuffs that refuse hubs without a bond, a strap with a changing address, and a thief that gives another's address as its own. Checked are the keys of the hub, and
their wearables.

    Tests/Lab/in-lab -t 400 PYTHON Tests/Lab/acceptance/bonds.py --programs .build/release

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt. Takes five minutes of the lab's time.
"""
import pathlib
import signal
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from report import Report, demand, eventually, stalls  # noqa: E402
from scene import COMMIT_EVERY, Hub, Phases, World, address_of, conclude, parser, scratch, sensor_address  # noqa: E402

FIRST, SECOND, THIRD, FOURTH, BY_ITSELF, LATE = range(6)  # cuffs
HIDDEN, BONDED, THIEF, OPEN = range(4)  # straps, in the order in which they come
APART = 38  # s between the first pairings of a start
UNHEARD = 32  # s after which an address that was heard is free again (Hub/Bonds/IdentityClaim)
PATIENCE, BACK_WITHIN = 90, 5.0  # s
LOSSES = 3


class Bonds:
    def __init__(self, report, world, hub, arguments):
        self.report, self.world, self.hub = report, world, hub
        self.phases = Phases(report, arguments.seed)
        self.said = 0  # of the log, read so far

    def all(self):
        step = self.report.step
        step(f"two cuffs that refuse what is not encrypted, accepted {APART} s apart, are the first pairings of a start: bonds of both", self.first_pairings)
        step("two that are accepted at once: bonds of both", self.at_once)
        step("after SIGTERM and after kill -9 their next readings come, with the keys that they have", self.restarts)
        step("in mode all one that joins by itself is bonded, and after a restart its next reading comes", self.by_itself)
        step("a strap with a changing address is enrolled under its identity, and live again under its next address", self.hidden)
        step("a thief that gives a bonded strap's address as its own gets no key, and takes nothing of it", self.thief, BONDED)
        step("the same with a strap that never bonded", self.thief, OPEN)
        step("the same again, and the thief is gone: the strap that it named is back as quickly", self.thief, OPEN, True)
        step("a cuff that a person accepts in mode all is bonded, and its next reading comes after a restart", self.late)

    # --- cuffs ---

    def bonds(self):
        return {bond["address"]: bond for bond in self.hub.json("bond", "list")["bonds"]}

    def kept(self, cuff):
        return self.world.status()["sensors"][cuff]["kept"]

    def accept_cuff(self, cuff):
        """Used again until it is in: it is heard for half a minute after each use."""
        self.world.ask("sensor-measure", cuff)
        self.hub.accept(sensor_address(cuff), f"cuff-{cuff}")

    def is_bonded(self, *cuffs):
        """Each has given its reading over a pairing that wanted a bond, and the hub has that."""
        for cuff in cuffs:
            eventually(lambda: not self.kept(cuff), PATIENCE, lambda: f"cuff {cuff} still has its reading\n{self.hub.log()[-1500:]}", every=0.5)
            wishes = [line["bonding"] for line in self.world.log("sensor", cuff, "pairing")]
            demand(wishes and all(wishes), f"cuff {cuff} was asked to pair {len(wishes)} times, with a bond: {wishes}")
            demand(sensor_address(cuff) in self.bonds(), lambda: f"the hub has no bond of cuff {cuff}: {self.bonds()}")

    def first_pairings(self):
        self.phases.pause()
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "600s")
        self.accept_cuff(FIRST)
        time.sleep(APART)
        self.accept_cuff(SECOND)
        self.is_bonded(FIRST, SECOND)

    def at_once(self):
        for cuff in (THIRD, FOURTH):
            self.world.ask("sensor-measure", cuff)
        for cuff in (THIRD, FOURTH):
            self.hub.accept(sensor_address(cuff), f"cuff-{cuff}")
        self.is_bonded(THIRD, FOURTH)

    def restart(self, with_signal=signal.SIGTERM):
        time.sleep(COMMIT_EVERY + 1)
        if with_signal == signal.SIGKILL:
            self.hub.process.kill()
            self.hub.process.wait()
        else:
            demand(self.hub.stop() == 0, f"it ended with {self.hub.process.returncode}")
        self.hub.start()

    def restarts(self):
        cuffs = (FIRST, SECOND, THIRD, FOURTH)
        for with_signal in (signal.SIGTERM, signal.SIGKILL):
            self.restart(with_signal)
            self.use_again(*cuffs)

    def use_again(self, *cuffs):
        """Each gives its next reading, without another pairing."""
        before = {cuff: len(self.world.log("sensor", cuff, "pairing")) for cuff in cuffs}
        # A kernel keeps the links of a process that was killed for two seconds.
        eventually(lambda: not any(self.world.status()["sensors"][cuff]["connected"] for cuff in cuffs), PATIENCE, "their links never end")
        for cuff in cuffs:
            self.world.ask("sensor-measure", cuff)
        for cuff in cuffs:
            eventually(lambda: not self.kept(cuff), PATIENCE, lambda: f"cuff {cuff} still has its reading\n{self.hub.log()[-1500:]}", every=0.5)
            demand(len(self.world.log("sensor", cuff, "pairing")) == before[cuff], f"cuff {cuff} was paired anew")
        wrong = {device["name"]: device.get("trouble") for device in self.hub.devices().values() if device.get("state") == "attention"}
        demand(not wrong, f"a person is wanted by {wrong}")

    def by_itself(self):
        self.set_mode("all")
        self.world.ask("sensor-heard", BY_ITSELF, 120)
        self.world.ask("sensor-measure", BY_ITSELF)
        # A cuff is off after a link, so the link in which it is tried brings no reading yet.
        eventually(lambda: self.world.log("sensor", BY_ITSELF, "disconnect"), PATIENCE, "it is not tried")
        self.world.ask("sensor-measure", BY_ITSELF)
        self.is_bonded(BY_ITSELF)
        self.restart()
        self.world.ask("sensor-heard", BY_ITSELF, 30)
        self.use_again(BY_ITSELF)
        self.set_mode("window")

    def set_mode(self, mode):
        text = self.hub.configuration.read_text()
        self.hub.configuration.write_text(text.replace("mode: window", f"mode: {mode}").replace("mode: all", f"mode: {mode}"))
        self.restart()

    def late(self):
        self.set_mode("all")
        self.hub.json("enroll", "open", "--for", "600s")
        self.accept_cuff(LATE)
        self.is_bonded(LATE)
        self.set_mode("window")
        self.use_again(LATE)

    # --- straps ---

    def hide(self, strap):
        self.world.ask("pairing", strap, "just-works")
        return self.world.ask("hide", strap)

    def enrol(self, address, name):
        """Returns the shell's objection; an empty text: the wearable is enrolled."""
        self.hub.json("enroll", "open", "--for", "600s")
        listed = lambda: [one["address"] for one in self.hub.json("enroll", "list")["candidates"]]
        eventually(lambda: address in listed(), PATIENCE, lambda: f"{address} is no candidate: {listed()}", every=0.5)
        done = self.hub.shell("enroll", "accept", address, "--name", name, timeout=90)
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def subscriptions(self, strap, since):
        return [line["monotonic"] for line in self.world.log("strap", strap, "subscribe") if line["monotonic"] > since]

    def add_hidden(self, strap):
        """A strap that is heard under a changing address alone. Gives the first."""
        self.world.ask("add", strap)
        address = self.hide(strap)
        time.sleep(UNHEARD)
        return address

    def hidden(self):
        random = self.add_hidden(HIDDEN)
        said = self.enrol(random, "hidden")
        demand(not said, said)
        demand(random not in self.hub.devices(), f"it is enrolled under {random}, which changes")
        self.hub.wait_until_live([HIDDEN], PATIENCE)
        demand(self.bonds()[address_of(HIDDEN)]["identity_key"], "the bond has no identity key")
        for _ in range(2):
            # Away, and back under another address.
            self.world.ask("vanish", HIDDEN)
            self.world.ask("return", HIDDEN)
            self.hide(HIDDEN)
            moment = time.monotonic()
            eventually(lambda: self.subscriptions(HIDDEN, moment), PATIENCE, "it is not live again under its next address")
        self.restart()
        self.hub.wait_until_live([HIDDEN], PATIENCE)

    def prepare(self, victim, name):
        if address_of(victim) in self.hub.devices():
            return
        if victim == BONDED:
            said = self.enrol(self.add_hidden(victim), name)
        else:
            self.world.ask("add", victim)
            said = self.enrol(address_of(victim), name)
        demand(not said, said)
        self.hub.wait_until_live([victim], PATIENCE)

    def thief(self, victim, leaves=False):
        name = f"strap-{victim}"
        self.prepare(victim, name)
        keys = self.bonds()
        if len(self.world.status()["straps"]) == THIEF:
            self.world.ask("add", THIEF)
        address = self.hide(THIEF)
        self.world.ask("forget-bonds", THIEF)
        self.world.ask("claim", THIEF, address_of(victim))
        said = self.enrol(address, "thief")
        demand("H2251" in said, f"the thief is enrolled, or refused without its code: {said or 'enrolled'}")
        demand(self.bonds() == keys, lambda: f"bonds were {keys}, and are {self.bonds()}")
        demand(all(device["name"] != "thief" for device in self.hub.devices().values()), "the thief is enrolled")
        eventually(lambda: "H2251" in self.hub.say("events", "--device", name), PATIENCE, f"{name} has no event of it", every=1)
        if leaves:
            self.world.ask("vanish", THIEF)
        late = []
        for _ in range(LOSSES):
            time.sleep(10.5)  # a useful link
            self.world.ask("drop", victim)
            moment = time.monotonic()
            late.append(eventually(lambda: self.subscriptions(victim, moment), PATIENCE, f"{name} is not back")[0] - moment)
        self.report.measured(f"{name} back after s", [round(seconds, 1) for seconds in late])
        demand(max(late) <= BACK_WITHIN + stalls.longest(), f"{name} is back after {late} s")


def main(arguments):
    folder = scratch("bonds")
    clock.trust()
    report = Report()
    world = World(folder, "--straps", "0", "--sensors", ",".join(["secured-cuff"] * 6))
    hub = Hub(folder, arguments.programs, "none")
    try:
        Bonds(report, world, hub, arguments).all()
    finally:
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    sys.exit(main(parser(__doc__).parse_args()))
