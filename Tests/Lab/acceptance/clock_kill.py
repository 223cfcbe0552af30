#!/usr/bin/env python3
"""A daemon is killed right after it set the clock of an oximeter or a cuff. Readings that these had kept have their times, or are marked as not
sure.

    Tests/Lab/in-lab -t 900 PYTHON Tests/Lab/acceptance/clock_kill.py --programs .build/release

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt. Takes about five minutes of the lab's time.
"""
import pathlib
import signal
import sys
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from ledger import parse_export  # noqa: E402
from report import Report, demand, eventually  # noqa: E402
from scene import Hub, World, conclude, parser, scratch, sensor_address  # noqa: E402

# Of each: by how many seconds its clock is behind, and how long after the write of its clock the daemon is killed, s.
OXIMETERS = ((5000, 0.0), (5000, 0.15), (5000, 0.6), (5000, 1.2), (-5000, 0.3), (-5000, 1.0))
CUFFS = ((7200, 0.0), (7200, 0.1), (-7200, 0.0), (-7200, 0.1))
RECORDS, SPACING = 30, 60  # and seconds between two of them
READINGS = 3
SLACK = 6.0  # s: whole seconds at both ends, and the time of a link
PATIENCE = 120  # s


class Clocks:
    def __init__(self, report, world, hub):
        self.report, self.world, self.hub = report, world, hub

    def all(self):
        self.hub.start()
        for number, (slow, delay) in enumerate(OXIMETERS):
            self.report.step(f"an oximeter {slow} s slow, the daemon killed {delay} s after its clock was set", lambda n=number: self.oximeter(n))
        for number, (slow, delay) in enumerate(CUFFS):
            self.report.step(f"a cuff {slow} s slow, the daemon killed {delay} s after its clock was set", lambda n=number: self.cuff(n))

    def kill(self, sensor, name, delay):
        """Lets it join, and kills the daemon when its clock was set: in a thread, as the command that lets it join may take longer."""

        def watch():
            eventually(lambda: self.world.log("sensor", sensor, "set clock"), PATIENCE, "its clock is not set", every=0.005)
            time.sleep(delay)
            self.hub.process.send_signal(signal.SIGKILL)

        self.hub.json("enroll", "open", "--for", "120s")
        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        while watcher.is_alive():
            self.hub.shell("enroll", "accept", sensor_address(sensor), "--name", name)
            time.sleep(0.2)
        self.hub.process.wait(10)
        demand(self.world.log("sensor", sensor, "set clock"), "its clock is not set")
        time.sleep(1)
        self.hub.start()

    def exported(self, name, series):
        return [one for one in parse_export(self.hub.say("export", "--format", "ndjson", "--device", name, "--series", series)) if one["series"] == series]

    def judge(self, sensor, samples, measured):
        """Each that is sure lies at the time of a measurement."""
        sure = [one for one in samples if one.get("clock") != "unsure"]
        wrong = [one for one in sure if min(abs(one["seconds"] - at) for at in measured) > SLACK]
        demand(not wrong, lambda: f"{len(wrong)} of {len(samples)} are sure and wrong: {wrong[:2]}")
        self.report.measured(f"sensor {sensor}: samples, of them unsure", f"{len(samples)}, {len(samples) - len(sure)}")

    def oximeter(self, number):
        slow, delay = OXIMETERS[number]
        name = f"oximeter-{number}"
        self.world.ask("sensor-slow", number, slow)
        self.world.ask("sensor-keep", number, RECORDS, SPACING)
        self.world.ask("sensor-return", number)
        # The times of readings from before its clock was wrong cannot be known.
        times = [line["measured"] for line in self.world.log("sensor", number, "record")]
        measured, others = times[-RECORDS:], [moment + slow for moment in times[:-RECORDS]]
        self.kill(number, name, delay)
        eventually(lambda: len(self.exported(name, "spo2")) >= len(times) - 2, PATIENCE, "its records are not fetched", every=1)
        self.judge(number, self.exported(name, "spo2"), measured + others)

    def cuff(self, number):
        slow, delay = CUFFS[number]
        sensor, name = len(OXIMETERS) + number, f"cuff-{number}"
        self.world.ask("sensor-slow", sensor, slow)
        self.world.ask("sensor-keep", sensor, READINGS, SPACING)
        self.world.ask("sensor-measure", sensor)
        self.kill(sensor, name, delay)
        while len(self.world.log("sensor", sensor, "confirm")) < READINGS + 1:
            self.world.ask("sensor-measure", sensor)
            time.sleep(20)
        time.sleep(4)
        self.judge(sensor, self.exported(name, "blood_pressure_systolic"), [line["measured"] for line in self.world.log("sensor", sensor, "measure")])


def main(arguments):
    folder = scratch("clock-kill")
    clock.trust()
    report = Report()
    world = World(folder, "--straps", "0", "--sensors", ",".join(["spot-oximeter"] * len(OXIMETERS) + ["clocked-cuff"] * len(CUFFS)))
    hub = Hub(folder, arguments.programs, "none")
    try:
        # Each is heard when it is its turn: no other wearable waits for the lane.
        for number in range(len(OXIMETERS)):
            world.ask("sensor-vanish", number)
        Clocks(report, world, hub).all()
    finally:
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    sys.exit(main(parser(__doc__).parse_args()))
