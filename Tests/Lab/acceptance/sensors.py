#!/usr/bin/env python3
"""Health sensors among the whole hub: what one says that it sent, and what the hub gives out.

    Tests/Lab/in-lab -t 500 PYTHON Tests/Lab/acceptance/sensors.py --programs .build/release

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt. Takes about five minutes of the lab's time.
"""
import json
import pathlib
import subprocess
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from ledger import pair, parse_export, series_of  # noqa: E402
from report import Report, demand, eventually, stalls  # noqa: E402
from scene import COMMIT_EVERY, Hub, World, conclude, parser, scratch, sensor_address  # noqa: E402
from vitals_stream import all_in_order  # noqa: E402

OXIMETER, CUFF = 0, 2
SIGNS = ("systolic", "diastolic")
KILOPASCAL = 7.50061683  # mmHg
LISTENING = 30.0  # s
SLACK = 2.5  # s, as in ledger.py


class Sensors:
    def __init__(self, report, world, hub):
        self.report, self.world, self.hub = report, world, hub

    def all(self):
        step = self.report.step
        step("the daemon starts, and an oximeter is enrolled and streams", self.enrol)
        step("its link is lost, and it streams again", self.lost)
        step("a cuff that is used behind the order is measured: its reading is the result, and is stored", self.cuff)
        step("twice in one session: each use is a result of its own", self.cuff, 2)
        step("every value of the oximeter that it stands by is in the export once, and none that it doubts", self.accounts)

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

    def cuff(self, count=1):
        if count == 1:
            self.hub.json("enroll", "open", "--for", "60s")
            self.world.ask("sensor-show", CUFF, 30)
            self.hub.accept(sensor_address(CUFF), "cuff")
            self.hub.json("enroll", "close")
            time.sleep(40)  # until it is gone
        command = [self.hub.shell_program, "--socket", self.hub.socket, "measure", "cuff", "--count", str(count), "--json"]
        output = self.hub.folder / f"cuff-{count}.jsonl"
        with open(output, "w") as file:
            process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        try:
            for number in range(count):
                self.use_cuff(output, number)
            process.wait(60)
        finally:
            process.kill()
        demand(process.returncode == 0, lambda: f"it ended with {process.returncode}: {output.read_text()[-1500:]}")
        records = all_in_order([json.loads(line) for line in output.read_text().splitlines()], count)
        taken = self.world.log("sensor", CUFF, "measure")[-count:]
        demand(len(records) == count, f"records are {records}")
        kept = self.hub.json("measurements", "cuff")["records"]
        for line, record in zip(taken, records):
            found = {one["name"]: one["value"] for one in record["results"]}
            scale = KILOPASCAL / 10 if line["unit"] == "0.1 kPa" else 1
            for name in SIGNS:
                told = found.get(f"blood_pressure_{name}")
                demand(told is not None and abs(told - line[name] * scale) < 0.01, lambda: f"{name} is {told}, it measured {line}")
            one = [one for one in kept if (one["session"], one["number"]) == (record["session"], record["number"])]
            demand(len(one) == 1 and one[0]["results"] == record["results"], lambda: f"of {record} there is {one}")
        self.report.measured("readings of a cuff by order", [{one["name"]: one["value"] for one in record["results"]} for record in records])

    def use_cuff(self, output, number):
        """Once the session is ready for this one, and the cuff is on an arm."""

        def results():
            lines = [json.loads(line) for line in output.read_text().splitlines() if line.endswith("}")]
            return sum(one.get("event") == "results" for one in lines)

        eventually(lambda: results() == number, 30, lambda: f"before use {number} it says {output.read_text()[-1500:]}")
        time.sleep(20)
        self.world.ask("sensor-measure", CUFF)
        eventually(lambda: results() == number + 1, 60, lambda: f"no result of use {number}: {output.read_text()[-1500:]}")

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
