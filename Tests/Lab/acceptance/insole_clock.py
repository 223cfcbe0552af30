#!/usr/bin/env python3
"""An insole without a set clock, and a hub that loses its time server: the times in the store, and whether they are sure.

    Tests/Lab/in-lab -t 600 PYTHON Tests/Lab/acceptance/insole_clock.py --programs .build/release

Runs as root in the lab, in which the kernel's clock can be marked as not synchronised.
"""
import pathlib
import signal
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(TESTS / "Lab" / "acceptance"), str(TESTS / "Lab"), str(TESTS / "Formats"), str(TESTS / "Lab" / "world")]

import clock  # noqa: E402
from activities import START  # noqa: E402
from ledger import parse_export, series_of  # noqa: E402
from report import Report, demand, eventually  # noqa: E402
from scene import COMMIT_EVERY, Hub, World, conclude, parser_with_troubles, scratch  # noqa: E402

ADDRESS = "F0:B0:72:00:00:00"
RECORDS = 200
# The insole falls back 512 s after it was set: it is set again well before.
SET_AGAIN_WITHIN = 150
LANE = "lane:\n  visit_bound: 30s\n  fresh: 5s\nlog:\n  level: debug\n"


class InsoleClock:
    def __init__(self, report, world, hub):
        self.report, self.world, self.hub = report, world, hub

    def settings(self, since=0.0):
        """Times that it was given."""
        return [line for line in self.world.log("insole", 0, "set-time") if line["monotonic"] > since]

    def cadence(self):
        text = self.hub.say("export", "--format", "ndjson", "--device", "insole-01", allowed=(0, 3))
        return [sample for sample in series_of(parse_export(text), ADDRESS, "cadence") if sample["origin"] == "fetched"]

    def wait_for(self, count, within=120):
        eventually(lambda: len(self.cadence()) >= count, within, lambda: f"not fetched: {self.hub.say('devices')}", every=1)

    def wait_until_set(self, since, within):
        eventually(lambda: self.settings(since), within, "its clock was not set", every=0.5)
        return self.settings(since)

    # --- an unset clock ---

    def first_contact(self):
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "120s")
        self.hub.accept(ADDRESS, "insole-01")
        self.wait_for(RECORDS)
        stored = self.cadence()
        begin = START + 4000
        times = [round(sample["seconds"]) for sample in stored]
        demand(times == [begin + 1 + index for index in range(RECORDS)], f"stored from {stored[0]['time']} to {stored[-1]['time']}; the file begins at {begin}")
        demand(all(sample.get("clock") == "unsure" for sample in stored), f"not marked: {stored[0]}")
        self.report.measured("a file that the clock as it was read cannot have dated", f"{stored[0]['time']}, {stored[0]['clock']}")

    def goes_on_believing(self):
        clock.distrust()
        told = self.hub.json("clock")
        demand(not told["synchronised"] and told["plausible"], f"{told}")
        demand("H5001" not in self.hub.say("status"), self.hub.say("status"))

    # --- no time server, and a restart ---

    def set_without_server(self):
        since = time.monotonic()
        self.world.ask("insole-reboot", 0)
        self.wait_until_set(since, 90)

    def restarted(self):
        self.hub.stop(signal.SIGKILL)
        time.sleep(COMMIT_EVERY)
        since = time.monotonic()
        self.hub.start()
        first = self.wait_until_set(since, 60)[-1]
        again = self.wait_until_set(first["monotonic"] + 5, SET_AGAIN_WITHIN)[-1]
        for line in (first, again):
            demand(abs(line["given"] - line["shown"]) <= 3, f"it was moved: {line}")
        device, = self.hub.json("clock")["devices"]
        demand(abs(device["offset_us"]) <= 3_000_000 and not device["trusted"], f"{device}")
        self.report.measured("set again after the restart of a hub without a time server", f"after {first['monotonic'] - since:.1f} s, then after {again['monotonic'] - first['monotonic']:.1f} s")

    def session(self):
        now = time.time()
        self.world.ask("insole-session", 0, 20)
        self.wait_for(RECORDS + 20)
        last = max(self.cadence(), key=lambda sample: sample["seconds"])
        demand(abs(last["seconds"] - now) <= 10, f"stored at {last['time']}, recorded at {now}")
        demand(last.get("clock") == "unsure", f"{last}")

    def clean_end(self):
        demand(self.hub.stop() == 0, f"it ended with {self.hub.process.returncode}")

    def second_reader(self):
        import hearthstore

        with hearthstore.Store(self.hub.store) as store:
            mine = [line for line in store.export() if '"series":"cadence"' in line]
        text = self.hub.say("--store", self.hub.store, "export", "--format", "ndjson", asks=False, allowed=(0, 3))
        demand(mine == [line for line in text.splitlines() if '"series":"cadence"' in line], "the second reader says otherwise")


def main(arguments):
    folder = scratch("insole-clock")
    clock.trust()
    report = Report()
    world = World(folder, "--straps", "0", "--insoles", f"head:{RECORDS}")
    hub = Hub(folder, arguments.programs, "none")
    hub.configuration.write_text(hub.variant() + LANE)
    act = InsoleClock(report, world, hub)
    try:
        report.step("at first contact with an unset clock a file keeps the insole's own times, marked unsure", act.first_contact)
        report.step("without a time server from now on, the hub goes on believing its own clock", act.goes_on_believing)
        report.step("an insole that lost its clock gets the hub's", act.set_without_server)
        report.step("after kill -9 and a restart it is set again and again, to the time that it had", act.restarted)
        report.step("what is recorded then has the time at which it was, marked unsure", act.session)
        report.step("SIGTERM ends it cleanly", act.clean_end)
        report.step("the second reader prints the same lines", act.second_reader)
    finally:
        hub.end_for_sure()
        world.close()
        clock.trust()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    sys.exit(main(parser_with_troubles(__doc__).parse_args()))
