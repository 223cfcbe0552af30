#!/usr/bin/env python3
"""Wearables are accepted at any moment of a try: the daemon never aborts, and one acceptance is enough.

    Tests/Lab/in-lab -t 600 PYTHON Tests/Lab/acceptance/acceptances.py --programs .build/release [--count 20] [--seed N]

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt. A strap and an oximeter are forgotten and accepted again and again. Half of the times
`enroll.mode: all` is set, in which they are tried as strangers in the same moments. Beside them are a dozen strangers with hostile names that take no connection. Then a
band that serves no file without a bond is accepted within the same second as the strap. Each of the two is first in turn. `--count` is of all single
acceptances.
"""
import pathlib
import re
import sys
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from report import Failure, Report, demand, eventually  # noqa: E402
from scene import Hub, Phases, World, address_of, conclude, parser, scratch, sensor_address  # noqa: E402

WEARABLES = (address_of(0), sensor_address(0))
BAND = "F0:36:0B:00:00:00"
BAND_NAME = "Polar 360"
BAND_BYTES = 20_000  # of recordings on the band: a visit of seconds
STRANGERS = 12
TRY = 3.0  # s from the moment in which a wearable is heard again until its try is over, mostly
LIVE_WITHIN = 25.0  # s; a stranger that takes no connection holds the radio up for three, and there are some before it


class Acceptances:
    def __init__(self, report, world, hub, arguments):
        self.report, self.world, self.hub, self.count = report, world, hub, arguments.count
        self.phases = Phases(report, arguments.seed)
        self.longest, self.joined, self.accepted = 0.0, 0, 0

    def all(self):
        for mode in ("all", "window"):
            half = self.count // 2
            self.report.step(f"mode {mode}: the daemon starts among {STRANGERS} strangers", self.begin, mode)
            self.report.step(f"mode {mode}: {half} acceptances, each linked without a second one", self.accept_all, half)
            if mode == "window":
                pairs = max(2, self.count // 4)
                self.report.step(f"{pairs} times a band that wants a bond and a strap are accepted within a second: both join, the band with a key", self.accept_pairs, pairs)
            self.report.step(f"mode {mode}: SIGTERM ends it cleanly", self.end)
        self.report.measured("longest from an acceptance to the first value", f"{self.longest:.1f} s")
        self.report.measured("joined by themselves before they could be accepted", self.joined)

    def begin(self, mode):
        self.mode = mode
        text = self.hub.variant()
        self.hub.configuration.write_text(text.replace("mode: window", f"mode: {mode}"))
        self.hub.start()
        self.world.ask("advertisers", STRANGERS)

    def end(self):
        demand(self.hub.process.poll() is None, lambda: f"hearthd ended with {self.hub.process.returncode}")
        demand(self.hub.stop() == 0, lambda: f"it ended with {self.hub.process.returncode}")

    def accept_all(self, count):
        for number in range(count):
            self.accept_one(WEARABLES[number % len(WEARABLES)])
            self.accepted += 1

    def accept_one(self, address):
        self.hub.json("enroll", "open", "--for", "600s")
        while True:
            self.forget(address)
            # The wearable is heard, and from then on tried.
            eventually(lambda: self.is_heard(address), 60, lambda: f"{address} is not heard: {self.hub.devices()}", every=0.1)
            self.phases.pause(TRY)
            done = self.hub.shell("enroll", "accept", address, "--name", f"{self.mode}-{self.accepted}")
            self.is_alive()
            if done.returncode == 0:
                break
            # Already enrolled: this try is no proof.
            demand(self.is_enrolled(address), f"{address} was refused: {done.stdout}{done.stderr}")
            self.joined += 1
        began = time.monotonic()
        eventually(lambda: self.is_live(address), LIVE_WITHIN, lambda: f"{address} is not live: {self.hub.devices().get(address)}", every=0.1)
        self.longest = max(self.longest, time.monotonic() - began)

    def accept_pairs(self, count):
        for number in range(count):
            self.accept_pair(number)

    def accept_pair(self, number):
        both = [WEARABLES[0], BAND]
        self.hub.json("enroll", "open", "--for", "600s")
        for address in both:
            self.forget(address)
        # The oximeter knows one hub at a time, and refuses to be paired by another.
        self.world.ask("band-forget", 0)
        paired, written = len(self.world.log("band", 0, "paired")), len(self.hub.log())
        for address in both:
            eventually(lambda: self.is_heard(address), 60, lambda: f"{address} is not heard: {self.hub.devices()}", every=0.1)
        # Without its name, which it gives in a scan response, it would join as a strap that no one pairs.
        eventually(lambda: BAND_NAME in self.hub.say("enroll", "list"), 60, "the name of the band is not heard", every=0.1)
        answers = {}

        def accept(address):
            answers[address] = self.hub.shell("enroll", "accept", address, "--name", f"pair-{number}-{both.index(address)}", timeout=90)

        threads = [threading.Thread(target=accept, args=(address,)) for address in (both if number % 2 else reversed(both))]
        threads[0].start()
        self.phases.pause(1.0)
        threads[1].start()
        for thread in threads:
            thread.join()
        self.is_alive()
        log = self.hub.log()[written:]
        said = "".join(done.stdout + done.stderr for done in answers.values())
        demand(all(done.returncode == 0 for done in answers.values()), lambda: f"accepted together, they said {said}")
        demand("H2206" not in said + log, lambda: f"pairing failed: {said}{[line for line in log.splitlines() if 'H2206' in line]}")
        eventually(lambda: self.is_live(both[0]), LIVE_WITHIN, lambda: f"the strap is not live: {self.hub.devices().get(both[0])}", every=0.1)
        eventually(lambda: len(self.world.log("band", 0, "paired")) > paired, LIVE_WITHIN, lambda: f"the band was not paired: {self.hub.devices().get(BAND)}", every=0.1)
        # Reported once it is durable.
        has_key = lambda: any(one["address"] == BAND for one in self.hub.json("bond", "list")["bonds"])
        eventually(has_key, LIVE_WITHIN, "the hub has no key of the band", every=0.1)

    def is_alive(self):
        demand(self.hub.process.poll() is None, lambda: f"hearthd ended with {self.hub.process.returncode} after {self.accepted} acceptances:\n{self.hub.log()[-2000:]}")

    def is_heard(self, address):
        return any(one["address"] == address for one in self.hub.json("enroll", "list")["candidates"]) or self.is_enrolled(address)

    def is_enrolled(self, address):
        return self.hub.devices().get(address, {}).get("enrolled", False)

    def is_live(self, address):
        self.is_alive()
        return self.hub.devices().get(address, {}).get("state") == "live"

    def forget(self, address):
        """With all that it says that it holds; that may be more each time."""
        self.is_alive()
        if not self.is_enrolled(address):
            return
        name, agreement = self.hub.devices()[address]["name"], ["--yes"]
        for _ in range(5):
            done = self.hub.shell("device", name, "forget", *agreement)
            if done.returncode == 0:
                return
            lost = re.search(r"--yes-lose\s+(\d+)", done.stderr + done.stdout)
            agreement = ["--yes-lose", lost[1]] if lost else agreement
        raise Failure(f"{name} cannot be forgotten: {done.stdout}{done.stderr}")


def main(arguments):
    folder = scratch("acceptances")
    clock.trust()
    report = Report()
    world = World(folder, "--straps", "1", "--sensors", "oximeter", "--bands", str(BAND_BYTES), "--rssi=-45")
    hub = Hub(folder, arguments.programs, "none")
    try:
        Acceptances(report, world, hub, arguments).all()
    finally:
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


def parse(words):
    options = parser(__doc__)
    options.add_argument("--count", type=int, default=20, help="acceptances, half of them in each mode")
    return options.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(parse(sys.argv[1:])))
