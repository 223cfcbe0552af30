#!/usr/bin/env python3
"""A controller that hangs under streaming straps, and one that is pulled out and plugged in again, twenty times.

    Tests/Lab/in-lab -t 900 PYTHON Tests/Lab/acceptance/radio.py --programs .build/release [--plugs 20] [--hangs 60,180]

Runs as root in the lab. Takes about eight minutes of the lab's time. The bounds are the promised ones. A controller that answers no command is
noticed within 15 s, and each rung on the adapter is tried within a minute of that. Straps stream 10 s after it answers again, and 15 s after it is
back. A room without an advertisement is left alone. What this machine stood still comes on top (report.py).
"""
import json
import random
import sys
import time
import pathlib

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

from report import Report, demand, eventually, stalls  # noqa: E402
from scene import Hub, World, address_of, conclude, parser, scratch  # noqa: E402

STRAPS = (0, 1, 2)
NOTICED = 15.0
RUNGS = 60.0
STREAMING = 10.0
PLUGGED = 15.0
QUIET = 40.0
FIRST_RUNG, LAST_RUNG = "power off and on", "down and up"  # of a virtual controller: no bus of it can be reset
SEEDS = random.Random()


class Radio:
    def __init__(self, report, world, hub, arguments):
        self.report, self.world, self.hub, self.arguments = report, world, hub, arguments

    def all(self):
        step = self.report.step
        step("three straps are enrolled and live", self.begin)
        for seconds in self.arguments.hangs:
            step(f"a controller that hangs for {seconds} s is noticed, taken up the ladder, and serves when it answers again", self.hang, seconds)
        step(f"a controller that hangs for 2.5 s under a stream is left alone", self.short_hang)
        step(f"pulled out and plugged in again {self.arguments.plugs} times: all links are back each time", self.plugs)
        step("in a room without an advertisement nothing is done to it", self.quiet)

    def begin(self):
        for strap in STRAPS:
            self.world.ask("add", strap)
        self.hub.start()
        self.hub.say("enroll", "open")
        for strap in STRAPS:
            self.hub.accept(address_of(strap), f"strap-0{strap + 1}")
        self.hub.wait_until_live(STRAPS)
        time.sleep(3)

    def notified_after(self, strap, moment):
        """When the strap first sent a sample to a hub that had subscribed, after this moment of the monotonic clock."""
        with open(f"{self.world.logs}/strap-{strap}.jsonl") as file:
            for text in file:
                if text.endswith("\n"):
                    line = json.loads(text)
                    if line["event"] == "notify" and line["monotonic"] > moment:
                        return line["monotonic"]
        return None

    def said_after(self, mark, words):
        return words in self.hub.log()[mark:]

    def until_said(self, mark, words, begin, within):
        eventually(lambda: self.said_after(mark, words), within + 60, f"the log does not say: {words}", every=0.05)
        return time.monotonic() - begin

    def hang(self, seconds):
        mark, begin = len(self.hub.log()), time.monotonic()
        self.world.ask("black-hole")
        noticed = self.until_said(mark, "H3105", begin, NOTICED)
        first = self.until_said(mark, f"revive the radio: {FIRST_RUNG}", begin, NOTICED)
        last = self.until_said(mark, f"revive the radio: {LAST_RUNG}", begin, NOTICED + RUNGS)
        time.sleep(max(0, seconds - (time.monotonic() - begin)))
        self.world.ask("black-hole", 0)
        thawed = time.monotonic()
        streaming = self.streaming_after(thawed, 60)
        self.report.measured(f"hang of {seconds} s: noticed, first rung, last rung on the adapter after", f"{noticed:.1f}, {first:.1f}, {last:.1f} s")
        self.report.measured("the straps stream again after it answers", f"{streaming:.1f} s")
        slack = stalls.between(begin, time.monotonic())
        demand(noticed <= NOTICED + slack, f"noticed after {noticed:.1f} s")
        demand(last - noticed <= RUNGS + slack, f"the last rung came {last - noticed:.1f} s after it was noticed")
        demand(streaming <= STREAMING + slack, f"streaming {streaming:.1f} s after it answered")
        self.hub.wait_until_live(STRAPS)
        time.sleep(5)

    def streaming_after(self, moment, within):
        times = {}

        def all_stream():
            for strap in STRAPS:
                times[strap] = self.notified_after(strap, moment)
            return all(times.values())

        eventually(all_stream, within, lambda: f"not all stream: {times}\n{self.hub.devices()}", every=0.1)
        return max(times.values()) - moment

    def short_hang(self):
        """Shorter than the time between two questions that are not answered, and links survive it."""
        mark = len(self.hub.log())
        self.world.ask("black-hole")
        time.sleep(2.5)
        self.world.ask("black-hole", 0)
        time.sleep(12)
        demand(not self.said_after(mark, "revive"), f"something was done to it:\n{self.hub.log()[mark:]}")
        self.hub.wait_until_live(STRAPS, 5)

    def plugs(self):
        took = []
        for number in range(self.arguments.plugs):
            self.world.ask("remove-controller")
            time.sleep(SEEDS.choice((0, 0.02, 0.1, 0.5, 1, 3)))
            name = self.world.ask("add-controller")
            plugged = time.monotonic()
            took.append(self.streaming_after(plugged, 90))
            slack = stalls.between(plugged, time.monotonic())
            demand(took[-1] <= PLUGGED + slack, lambda: f"{took[-1]:.1f} s after plug {number} ({name}):\n{self.hub.say('status')}{self.hub.say('devices')}")
            self.hub.wait_until_live(STRAPS)
        took.sort()
        self.report.measured("all links back after a plug: shortest, middle, longest", f"{took[0]:.1f}, {took[len(took) // 2]:.1f}, {took[-1]:.1f} s")

    def quiet(self):
        for strap in STRAPS:
            self.world.ask("vanish", strap)
        eventually(lambda: not any(strap["connected"] for strap in self.world.status()["straps"]), 10, "they are still linked")
        time.sleep(2)
        mark = len(self.hub.log())
        time.sleep(QUIET)
        demand(not self.said_after(mark, "revive"), f"something was done to it:\n{self.hub.log()[mark:]}")
        demand(not self.said_after(mark, "H3105"), f"it was held to be silent:\n{self.hub.log()[mark:]}")
        for strap in STRAPS:
            self.world.ask("return", strap)
        self.hub.wait_until_live(STRAPS)


def main(arguments):
    folder = scratch("radio")
    report = Report()
    world = World(folder, "--straps", "0", "--rssi=-45,-48,-51")
    hub = Hub(folder, arguments.programs, "none")
    try:
        Radio(report, world, hub, arguments).all()
    finally:
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    words = parser(__doc__)
    words.add_argument("--plugs", type=int, default=20)
    words.add_argument("--hangs", type=lambda text: [int(word) for word in text.split(",") if word], default=[60, 180])
    sys.exit(main(words.parse_args()))
