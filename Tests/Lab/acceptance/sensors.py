#!/usr/bin/env python3
"""Health sensors among the whole hub: what one says that it sent, and what the hub gives out.

    Tests/Lab/in-lab -t 200 PYTHON Tests/Lab/acceptance/sensors.py --programs .build/release

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt. Takes about a minute and a half of the lab's time.
"""
import pathlib
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from ledger import pair, parse_export, series_of  # noqa: E402
from report import Report, demand, eventually, stalls  # noqa: E402
from scene import COMMIT_EVERY, Hub, World, conclude, parser, scratch, sensor_address  # noqa: E402

OXIMETER = 0
LISTENING = 30.0  # s
SLACK = 2.5  # s, as in ledger.py


class Sensors:
    def __init__(self, report, world, hub):
        self.report, self.world, self.hub = report, world, hub

    def all(self):
        step = self.report.step
        step("the daemon starts, and an oximeter is enrolled and streams", self.enrol)
        step("its link is lost, and it streams again", self.lost)
        step("every value that it stands by is in the export once, and none that it doubts", self.accounts)

    def is_live(self, sensor):
        return self.hub.devices().get(sensor_address(sensor), {}).get("state") == "live"

    def enrol(self):
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "120s")
        self.hub.accept(sensor_address(OXIMETER), "oximeter")
        self.hub.json("enroll", "close")
        eventually(lambda: self.is_live(OXIMETER), 60, "the oximeter is not live")
        time.sleep(LISTENING)

    def lost(self):
        self.cut = time.monotonic()
        self.world.ask("sensor-drop", OXIMETER)
        eventually(lambda: len(self.world.log("sensor", OXIMETER, "subscribe")) > 1 and self.is_live(OXIMETER), 90, "the oximeter is not live again")
        self.again = self.world.log("sensor", OXIMETER, "subscribe")[-1]["monotonic"]
        time.sleep(10)

    def accounts(self):
        until = time.monotonic()
        time.sleep(COMMIT_EVERY + 1)
        samples = parse_export(self.hub.say("export", "--format", "ndjson"))
        sent = [line for line in self.world.log("sensor", OXIMETER, "notify") if line["is_sample"]]

        def distance(told, sample):
            seconds = abs(sample["seconds"] - told[0]["wall"])
            return seconds if float(sample["value"]) == told[1] and seconds <= SLACK + stalls.around(told[0]["monotonic"]) else None

        def may_miss(told):
            return told[0]["monotonic"] > until or self.cut <= told[0]["monotonic"] <= self.again

        for series, number, scale in (("spo2", "oxygen", None), ("pulse_rate", "pulse", 10)):
            heard = series_of(samples, sensor_address(OXIMETER), series)
            expected = [(line, line[number] / scale if scale else (line[number] + 5) // 10) for line in sent]
            pairs = pair(expected, heard, distance, may_miss, lambda told: f"{series} {told[0]['sequence']}, {told[1]} sent at {told[0]['wall']:.3f},")
            self.report.measured(f"values of {series}", len(pairs))
        demand(len(sent) > LISTENING / 2, f"only {len(sent)} were sent")
        demand(any(not line["is_sample"] for line in self.world.log("sensor", OXIMETER, "notify")), "it doubted none")


def main(arguments):
    folder = scratch("sensors")
    clock.trust()
    report = Report()
    world = World(folder, "--straps", "0", "--sensors", "oximeter,thermometer,cuff,spot-oximeter,foot-pod")
    hub = Hub(folder, arguments.programs, "none")
    try:
        Sensors(report, world, hub).all()
    finally:
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    sys.exit(main(parser(__doc__).parse_args()))
