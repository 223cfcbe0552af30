#!/usr/bin/env python3
"""A strap that tells its heart rate in advertisements and takes no connection: every measurement is in the store once, and shown.

    Tests/Lab/in-lab -t 200 PYTHON Tests/Lab/acceptance/heard.py --programs .build/release

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt. What the strap says that it told is held against `hearth export`.
"""
import json
import pathlib
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from ledger import StrapLog, compare, parse_export, series_of  # noqa: E402
from report import Report, demand, eventually, stalls  # noqa: E402
from scene import COMMIT_EVERY, Hub, World, address_of, conclude, parser, scratch  # noqa: E402

TELLER, STREAMER = 0, 1
LISTENING = 30.0  # s
# The hub has heard it connectable a moment ago and tries to have its link back: ten seconds, and a pause. Meanwhile it hears little.
GIVEN_UP_WITHIN = 60
# From the strap's log to the hub's clock, on a machine that does other things as well; a measurement is told for a second.
SLACK = 1.5
# What is told without a link is believed of this family alone, once it was said over one.
FAMILY = "Polar Electro Oy"
SCAN_ENABLE = "010c2002"  # HCI LE Set Scan Enable, then: enable, filter duplicates


class Heard:
    def __init__(self, report, world, hub):
        self.report, self.world, self.hub = report, world, hub

    def all(self):
        step = self.report.step
        step("the daemon starts, two straps are enrolled and stream", self.enrol)
        step("one ends its link and tells its heart rate to everybody: the hub shows it without a link", self.told)
        step("the other one's stream goes on, and nobody is connected anew", self.undisturbed)
        step("the kernel's scan lets what is told again through, or nothing could change", self.unfiltered)
        step("an operator does not want it: nothing more is kept", self.unwanted)
        step("it takes connections again, and streams", self.streams_again)
        step("every measurement that was told while somebody wanted it is in the export once, and no other", self.accounts)

    def enrol(self):
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "120s")
        for strap in (TELLER, STREAMER):
            name = f"strap-0{strap + 1}"
            eventually(lambda: self.hub.shell("enroll", "accept", address_of(strap), "--name", name).returncode == 0, 30, "not accepted", every=0.5)
        self.hub.json("enroll", "close")
        self.hub.wait_until_live((TELLER, STREAMER), 60)

    def log(self):
        return StrapLog(f"{self.world.logs}/strap-{TELLER}.jsonl").lines

    def told(self):
        self.connections = sum(line["event"] == "connect" for line in self.log())
        self.world.ask("broadcast", TELLER, 1)
        self.hub.wait_for_state((TELLER,), ("heard",), GIVEN_UP_WITHIN)
        self.begin = time.time()
        time.sleep(LISTENING)
        device = self.hub.json("device", "strap-01")
        demand(device["state"] == "heard" and device["listens"], f"it is {device['state']}")
        newest = [line["heart_rate"] for line in self.log() if line["event"] == "broadcast"][-3:]
        # Values that any device can send are shown, but never as a heart rate that a link brought.
        demand(device["heart_rate"] is None and device["advertised_heart_rate"] in newest, f"{device} is shown, told were {newest}")
        demand(" bpm" in self.hub.say("devices"), "`hearth devices` does not show it")

    def undisturbed(self):
        demand(self.hub.state(STREAMER) == "live", f"the other one is {self.hub.state(STREAMER)}")
        demand(sum(line["event"] == "connect" for line in self.log()) == self.connections, "it was connected")

    def unfiltered(self):
        with open(f"{self.world.logs}/controller.jsonl") as file:
            scans = [line["bytes"] for line in map(json.loads, file) if line.get("bytes", "").startswith(SCAN_ENABLE)]
        begun = [scan for scan in scans if scan[8:10] == "01"]
        demand(begun and begun[-1][10:12] == "00", f"the last scan began with {begun[-1:]}")
        self.report.measured("scans begun with and without the filter of duplicates", [sum(scan[10:12] == kind for scan in begun) for kind in ("01", "00")])

    def unwanted(self):
        self.end = time.time()
        self.hub.json("device", "strap-01", "listen", "off")
        self.refused = time.time()
        time.sleep(6)

    def streams_again(self):
        self.again = time.time()
        self.world.ask("broadcast", TELLER, 0)
        self.hub.wait_until_live((TELLER,), 60)
        time.sleep(COMMIT_EVERY + 1)

    def accounts(self):
        until = time.monotonic() - COMMIT_EVERY - 1
        samples = parse_export(self.hub.say("export", "--format", "ndjson"))
        told = [line for line in self.log() if line["event"] == "broadcast" and line["wall"] > self.begin]
        heard = [sample for sample in series_of(samples, address_of(TELLER), "heart_rate") if told[0]["wall"] - 0.05 <= sample["seconds"] < self.again]
        # The report at the time of a decision may be either.
        certain = [line for line in told if line["wall"] < self.end - 1]
        # The daemon reports one a second; on a busy machine less often, which is no fault of the hub.
        demand(len(certain) >= LISTENING / 2, f"the strap told only {len(certain)}")
        demand(len(certain) <= len(heard) <= len(certain) + 2, f"{len(heard)} in the export, told were {len(certain)}")
        longest = 0.0
        for line, sample in zip(told, heard):
            demand(line["heart_rate"] == sample["value"], f"{line['sequence']} was {line['heart_rate']} bpm, in the export is {sample['value']}")
            late = abs(sample["seconds"] - line["wall"])
            demand(late < SLACK + stalls.around(line["monotonic"]), f"{line['sequence']} came {late:.1f} s late")
            longest = max(longest, late)
        demand(all(sample["seconds"] <= self.refused for sample in heard), "something was kept that nobody wanted")
        self.report.measured("measurements told and kept", len(heard))
        self.report.measured("longest way from the strap's clock to the hub's time stamp", f"{longest * 1000:.0f} ms")
        streamed, missing, _ = compare(StrapLog(f"{self.world.logs}/strap-{STREAMER}.jsonl"), samples, address_of(STREAMER), [(until, float("inf"))])
        demand(missing <= 4, f"{missing} beats of the other strap are missing")
        self.report.measured("beats that the other one streamed meanwhile", streamed)


def main(arguments):
    folder = scratch("heard")
    clock.trust()
    report = Report()
    world = World(folder, "--straps", "2", "--rssi=-45,-48", "--manufacturer", FAMILY)
    hub = Hub(folder, arguments.programs, "none")
    try:
        Heard(report, world, hub).all()
    finally:
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    sys.exit(main(parser(__doc__).parse_args()))
