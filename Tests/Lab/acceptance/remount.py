#!/usr/bin/env python3
"""A store with a file system that turns read-only while the daemon runs, as ext4 does at an error with errors=remount-ro. An insole beside it is not emptied
meanwhile.

    Tests/Lab/in-lab -t 600 -d 64 PYTHON Tests/Lab/acceptance/remount.py --programs .build/release

Runs as root in the lab, at real speed, with a disk for the store. PYTHON has the packages of Tests/Lab/world/requirements.txt. Needs e2fsprogs.
The kernel refuses a remount to read-only by hand while the store is open. And ext4 takes no write again before it is unmounted, whatever
`mount -o remount,rw` answers. So the hub is stopped for that; closing the store alone would not help. What hearth doctor says is typed
here as it stands.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

LAB = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(LAB / "acceptance"), str(LAB), str(LAB / "powercut")]

import clock  # noqa: E402
import disk  # noqa: E402
from report import Report, demand, eventually  # noqa: E402
from scene import Hub, World, address_of, conclude, parser, scratch  # noqa: E402

STRAP, INSOLE = 0, 0
INSOLE_ADDRESS = "F0:B0:72:00:00:00"
UNWRITABLE, FAILING = "H4001", "H4199"
LANE = "lane:\n  visit_bound: 30s\n  fresh: 5s\n"
VISITED_WITHIN = 90  # s: two visits
SAID_WITHIN = 60  # s: the first commit that fails, or the next visit
RECORDS = 100
OPTIONS = "noatime,errors=remount-ro"


class Remount:
    def __init__(self, report, world, hub, mount):
        self.report, self.world, self.hub, self.mount = report, world, hub, mount

    def all(self):
        step = self.report.step
        step("a strap streams; an insole is fetched and emptied", self.begin)
        step("ext4 meets an error: nothing is erased; code, light and doctor say why", self.turns_read_only)
        step("the next steps of hearth doctor, typed: commits go on, and the insole is emptied", self.begins_anew)

    def begin(self):
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "600s")
        self.hub.accept(address_of(STRAP), "good")
        self.hub.accept(INSOLE_ADDRESS, "insole")
        self.hub.wait_until_live([STRAP], 60)
        self.is_emptied()

    def erasures(self, since=0.0):
        with open(f"{self.world.logs}/insole-{INSOLE}.jsonl") as file:
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        return [line for line in lines if line["event"] == "erase" and line["files"] and line["monotonic"] > since]

    def reads(self, since):
        with open(f"{self.world.logs}/insole-{INSOLE}.jsonl") as file:
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        return [line for line in lines if line["event"] in ("connect", "asked-for", "read") and line["monotonic"] > since]

    def is_emptied(self, since=0.0):
        eventually(lambda: self.erasures(since), VISITED_WITHIN, lambda: f"it is not emptied: {self.hub.say('devices')}", every=0.5)

    def record(self):
        """A file on a restarted insole, which can be erased again."""
        self.world.ask("insole-reboot", INSOLE)
        self.world.ask("insole-record", INSOLE, RECORDS)

    def codes(self, *words):
        return {word for word in (UNWRITABLE, FAILING) if word in self.hub.say(*words, allowed=range(8))}

    def newest(self):
        said = self.hub.say("export", "--device", "good", "--format", "ndjson", allowed=range(8))
        return said.count("heart_rate")

    def turns_read_only(self):
        since = time.monotonic()
        pathlib.Path(f"/sys/fs/ext4/{pathlib.Path(self.mount.device).name}/trigger_fs_error").write_text("1")
        self.record()
        began = time.monotonic()
        eventually(lambda: self.codes("status"), SAID_WITHIN, lambda: f"nothing is said: {self.hub.say('status')}", every=0.5)
        self.report.measured("said after", f"{time.monotonic() - began:.1f} s")
        # A visit at which it would have been emptied.
        eventually(lambda: self.reads(since), VISITED_WITHIN, "the insole is not visited", every=0.5)
        time.sleep(VISITED_WITHIN)
        demand(not self.erasures(since), "it was emptied into a store that takes no write")
        demand(self.hub.process.poll() is None, "the daemon ended")
        for words in (("status",), ("led",), ("doctor",)):
            demand(self.codes(*words), lambda: f"hearth {words[0]} does not say why:\n{self.hub.say(*words, allowed=range(8))}")
        said = self.hub.say("doctor", allowed=range(8))
        demand(any("ext4 on" in line and ("is read-only" in line or "counts" in line) for line in said.splitlines()), lambda: f"the doctor finds the file system well:\n{said}")

    def recovers(self, before, since):
        eventually(lambda: self.newest() > before, SAID_WITHIN, "no commit goes on", every=1)
        self.is_emptied(since)
        eventually(lambda: not self.codes("status"), SAID_WITHIN, lambda: f"it is still said: {self.hub.say('status')}", every=0.5)
        demand(not self.codes("led"), lambda: f"the light goes on: {self.hub.say('led')}")

    def takes_writes(self):
        try:
            (self.mount.folder / "probe").write_text("1")
        except OSError:
            return False
        return True

    def remount(self, when):
        """Whether or not the store is open, ext4 takes no write again: it refuses, or accepts without effect."""
        done = subprocess.run(["mount", "-o", "remount,rw", self.mount.device, self.mount.folder], capture_output=True, text=True)
        demand(not self.takes_writes(), f"it takes writes {when}")
        self.report.measured(f"remount,rw {when}", f"status {done.returncode}, no write")

    def type(self, command):
        """A next step, as it stands, by root."""
        words = command.removeprefix("sudo ")
        if words == f"kill {self.hub.process.pid}":
            demand(self.hub.stop(within=30) is not None, "it does not end")
            self.remount("with the hub stopped")
        elif words.startswith("hearthd --config "):
            self.hub.start()
        elif words.startswith("hearth "):
            done = self.hub.shell("export", "--format", "csv")
            demand(len(done.stdout.splitlines()) > RECORDS, lambda: f"what was fetched cannot be exported: {done.stderr}")
        else:
            done = subprocess.run(words, shell=True, capture_output=True, text=True)
            demand(done.returncode in (0, 1), lambda: f"{command} ended with {done.returncode}: {done.stderr}")

    def next_steps(self):
        findings = json.loads(self.hub.say("doctor", "--json", allowed=range(8)))["checks"]
        return next(one["fix"]["commands"] for one in findings if one["check"] == "filesystem")

    def begins_anew(self):
        self.remount("while the hub runs")
        steps = self.next_steps()
        self.report.measured("next steps", "; ".join(steps))
        since = time.monotonic()
        for step in steps:
            self.type(step)
        demand(self.takes_writes(), "it takes no writes after the next steps")
        self.recovers(self.newest(), since)


def main(arguments):
    folder = scratch("remount")
    disks = os.environ.get("HEARTH_LAB_DISKS", "").split()
    if len(disks) != 1:
        sys.exit("in-lab must be given a disk: -d 64")
    clock.trust()
    os.environ.pop("HEARTH_ANY_MEDIUM", None)  # what holds the store is looked at here
    report = Report()
    disk.make_file_system(disks[0], "-J", "size=4")
    with disk.Mount(disks[0], folder / "disk", OPTIONS) as mount:
        world = World(folder, "--straps", "1", "--rssi=-45", "--insoles", f"head:{RECORDS}")
        hub = Hub(folder, arguments.programs, "none")
        hub.store = folder / "disk" / "store"
        hub.configuration.write_text(hub.variant(store=hub.store) + LANE)
        try:
            Remount(report, world, hub, mount).all()
        finally:
            hub.end_for_sure()
            world.close()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    sys.exit(main(parser(__doc__).parse_args()))
