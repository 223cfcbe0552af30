#!/usr/bin/env python3
"""A bad week on a ward, and then the questions of the technician: each answered by one command, from the outside.

    Tests/Lab/in-lab -t 600 PYTHON Tests/Lab/acceptance/rehearsal.py --programs .build/release

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt. The hub was off for three days, one strap did not come back, and there
are more wearables than links. A band lost its bond while its link is up, a battery is nearly empty, and the adapter is pulled out. `--show` prints every
answer.
"""
import datetime
import json
import pathlib
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(TESTS / "Lab" / "acceptance"), str(TESTS / "Lab"), str(TESTS / "Lab" / "world")]

import clock  # noqa: E402
from lamps import Lamps  # noqa: E402
from ledger import StrapLog  # noqa: E402
from report import Report, demand, eventually  # noqa: E402
from run import BOARD, CHIP_LABEL, LINES  # noqa: E402
from scene import COMMIT_EVERY, Hub, World, address_of, conclude, parser, scratch  # noqa: E402

# A day on which summer time has not begun, in the afternoon: what is yesterday in Berlin is yesterday here, too.
BEGINNING = datetime.datetime(2026, 3, 3, 14, 0)
AWAY = datetime.timedelta(days=3)
SLOTS = 3
BAND, BAND_NAME = "F0:36:0B:00:00:00", "band-01"
NAMES = {0: "strap-01", 1: "strap-02", 2: "strap-03", 3: "strap-04"}
LOST, WEAK, LATE = 1, 2, 3  # straps: the one that stays away, the one with the empty battery, the one that comes last
# No wearable is missing in the first two minutes of a hub: a present one must be heard first.
MISSING_WITHIN = 300
BEATING = 20  # s


class Rehearsal:
    def __init__(self, report, world, hub, lamps, shows):
        self.report, self.world, self.hub, self.lamps, self.shows = report, world, hub, lamps, shows
        self.waiting = NAMES[LATE]

    def all(self):
        step = self.report.step
        step("three straps join a hub in Berlin, one of them worn by Ada", self.join)
        step("off for three days, and started again without one of them: that one is missing, on every surface", self.somebody_is_missing)
        step("a band and one more strap join; three links are all there are, and who has none is told why", self.all_slots_are_taken)
        step("a battery is nearly empty: that is said, and lit", self.battery)
        step("the band forgets its bond and keeps its link: it needs a person, on every surface", self.bond_lost)
        step("the adapter is pulled out and put back: both are said", self.adapter_pulled)
        step("the lost strap is back: nobody is missing any more", self.somebody_is_back)
        self.questions()

    # --- the week ---

    def join(self):
        self.world.ask("band-vanish", 0)
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "300s")
        for strap in (0, LOST, WEAK):
            self.hub.accept(address_of(strap), NAMES[strap])
        self.hub.json("enroll", "close")
        self.hub.wait_until_live((0, LOST, WEAK))
        self.hub.say("wearer", "add", "Ada")
        self.hub.say("wearer", "add", "Ben")
        self.hub.say("wearer", "assign", NAMES[0], "Ada")
        time.sleep(BEATING)

    def somebody_is_missing(self):
        time.sleep(COMMIT_EVERY + 1)
        self.beats = len(StrapLog(f"{self.world.logs}/strap-0.jsonl").sent([]))
        demand(self.hub.stop() == 0, f"it ended with {self.hub.process.returncode}")
        self.world.ask("vanish", LOST)
        clock.put_to(datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None) + AWAY)
        clock.trust()  # a clock that is set by hand counts as not synchronised
        self.hub.start()
        eventually(lambda: self.hub.state(LOST) == "missing", MISSING_WITHIN, lambda: f"it is {self.hub.state(LOST)}", every=1)
        first = self.hub.shell("status")
        demand(first.returncode == 1 and NAMES[LOST] in first.stdout and "H2140" in first.stdout, f"hearth ended with {first.returncode}:\n{first.stdout}")
        demand(self.hub.shell("device", NAMES[LOST]).returncode == 1, "hearth device ended with 0")
        demand("H2140" in self.hub.say("led", "explain"), "the lights do not say it")
        self.asks_for_a_person()
        demand(NAMES[LOST] in self.hub.say("events", "--code", "H2140"), "it is no event")

    def asks_for_a_person(self):
        """LINK shows code 3: three flashes, and a pause."""
        begin = time.monotonic()
        time.sleep(12)
        flashes = len(self.lamps.pulses("LINK", begin, time.monotonic()))
        demand(flashes >= 6, f"LINK flashed {flashes} times in 12 s")

    def all_slots_are_taken(self):
        self.world.ask("band-return", 0)
        self.world.ask("add", LATE)
        self.hub.json("enroll", "open", "--for", "300s")
        self.hub.accept(BAND, BAND_NAME, called="Polar 360")
        self.hub.accept(address_of(LATE), NAMES[LATE])
        self.hub.json("enroll", "close")
        self.waiting = eventually(self.who_has_no_slot, 60, lambda: f"nobody waits for a link:\n{self.hub.say('devices')}", every=0.5)

    def who_has_no_slot(self):
        for device in self.hub.devices().values():
            if f"{SLOTS} of {SLOTS}" in self.hub.say("device", device["name"]):
                return device["name"]
        return None

    def battery(self):
        self.world.ask("battery", WEAK, 8)
        eventually(lambda: self.device(NAMES[WEAK])["battery"] == 8, 120, lambda: f"it is {self.device(NAMES[WEAK])}", every=1)
        first = self.hub.shell("status")
        demand(first.returncode == 1 and NAMES[WEAK] in first.stdout, f"hearth ended with {first.returncode}:\n{first.stdout}")

    def device(self, name):
        return next(device for device in self.hub.devices().values() if device["name"] == name)

    def bond_lost(self):
        eventually(lambda: self.device(BAND_NAME)["last_visit"], 120, lambda: f"it was never visited: {self.device(BAND_NAME)}", every=1)
        self.world.ask("band-forget", 0)
        eventually(lambda: self.device(BAND_NAME)["state"] == "attention", 120, lambda: f"it is {self.device(BAND_NAME)}", every=1)
        code = self.device(BAND_NAME)["reason"]["code"]
        demand(code.startswith("H22"), f"it says {code}")
        demand(self.hub.shell("device", BAND_NAME).returncode == 1, "hearth device ended with 0")
        demand(code in self.hub.say("devices") and code in self.hub.say("status"), "the lists do not say it")

    def adapter_pulled(self):
        self.world.ask("remove-controller")
        eventually(lambda: "H31" in self.hub.say("status"), 15, "hearth does not say it")
        time.sleep(3)
        self.world.ask("add-controller")
        eventually(lambda: self.hub.json("radio")["state"] == "ready", 60, lambda: f"the radio is {self.hub.json('radio')}", every=1)
        time.sleep(BEATING)
        demand("H31" in self.hub.say("events", "--code", "H31xx"), "the events do not say it")

    def somebody_is_back(self):
        self.world.ask("return", LOST)
        eventually(lambda: self.hub.state(LOST) not in ("missing", "absent"), 60, lambda: f"it is {self.hub.state(LOST)}", every=1)
        demand("H2140" not in self.hub.say("status"), "hearth says that it is missing")

    # --- the questions ---

    def questions(self):
        ask = self.ask
        ask("is all well?", ["status"], (1,), "H22")
        ask("who is near?", ["devices", "--present"], (0, 1), NAMES[0])
        ask("who is missing?", ["devices", "--by", "seen"], (0, 1), NAMES[LOST])
        ask("why was it not visited?", ["device", self.waiting], (0, 1))
        ask("whose battery is low?", ["devices", "--by", "battery"], (0, 1), "8 %")
        ask("what of the last 24 h is there, and where are gaps?", ["coverage", NAMES[0]], (0, 1), "heart_rate")
        ask("what was lost and why?", ["events", "--since", "2h"], (0, 1), "H2140")
        ask("what is lost if the card is pulled now?", ["store"], (0, 1))
        ask("is the clock right?", ["clock"], (0, 1), "Europe/Berlin")
        ask("what do the lights mean?", ["led", "explain"], (0, 1), "LINK")
        ask("why does HUB blink?", ["led", "explain"], (0, 1), "HUB")
        ask("are the lights off at night?", ["led", "--help"], (0,), "lights.night")
        ask("which are the fullest?", ["devices", "--by", "memory"], (0, 1), BAND_NAME)
        ask("which firmware has each?", ["devices", "-v"], (0, 1), "firmware")
        ask("will the card last a year?", ["store"], (0, 1), "card ")
        page = pathlib.Path(self.hub.folder) / "night.html"
        ask("print this person's night", ["report", NAMES[0], "--day", "2026-03-03", "--out", str(page)], (0,))
        demand(page.read_text().startswith("<!DOCTYPE html>"), "the page is no page")
        ask("replace a strap and keep the person", ["wearer", "assign", NAMES[LATE], "Ada"], (0,), "Ada   now")
        ask("let a strap in", ["enroll", "open", "--for", "10s"], (0,))
        ask("hand a wearable from one person to another", ["wearer", "assign", NAMES[0], "Ben"], (0,), "Ben   now")
        day = ["--since", "2026-03-03", "--until", "2026-03-03"]
        text = ask("a day of one wearable as CSV", ["export", "--device", NAMES[0], "--format", "csv", *day], (0,), "heart_rate")
        self.report.step("that day has as many heart rates as the strap sent", self.a_day, text)
        self.report.step("it was Ben's from the beginning: the assignment is put right, and who has had the rows is told so once", self.corrected)
        ask("who has read this person's data?", ["access", "Ada"], (0,), "Export of")

    def corrected(self):
        def told():
            lines = self.hub.say("export", "--cursor", "ward", "--format", "ndjson").splitlines()
            return [json.loads(line)["correction"] for line in lines if line.startswith('{"correction"')]

        demand(not told(), "a new reader is told of corrections")
        (first, *_) = self.hub.json("wearer", "history", NAMES[0])["assignments"]
        refused = self.hub.shell("wearer", "correct", NAMES[0], first["from"], "--to", "Ben")
        demand(refused.returncode == 7 and "Ben's instead of Ada's" in refused.stdout + refused.stderr, f"nobody was asked: {refused}")
        demand("reader ward had some of them" in refused.stdout + refused.stderr, f"the reader is not named: {refused}")
        self.hub.say("wearer", "correct", NAMES[0], first["from"], "--to", "Ben", "--yes")
        found = told()
        demand([(one["device"], one["was"], one["wearer"]) for one in found] == [(NAMES[0], "Ada", "Ben")], f"it was told {found}")
        demand(not told(), "it is told again")
        rows = self.hub.say("export", "--device", NAMES[0], "--until", "2026-03-03", "--format", "csv").splitlines()[1:]
        demand(any(",Ben," in row for row in rows) and not any(",Ada," in row for row in rows), "the rows are still Ada's")

    def ask(self, question, words, allowed, *wanted):
        return self.report.step(f"{question}  hearth {' '.join(words)}", self.answer, words, allowed, wanted)

    def answer(self, words, allowed, wanted):
        text = self.hub.say(*words, allowed=allowed)
        if self.shows:
            print("".join(f"            | {line}\n" for line in text.splitlines()[:40]), end="", flush=True)
        for piece in wanted:
            demand(piece in text, f"it does not say {piece}:\n{text}")
        return text

    def a_day(self, text):
        rows = [line for line in (text or "").splitlines() if ",heart_rate," in line]
        demand(abs(len(rows) - self.beats) <= 5, f"{len(rows)} rows, the strap had sent {self.beats} before it was handed over")


def main(arguments):
    folder = scratch("rehearsal")
    clock.put_to(BEGINNING)
    clock.trust()
    report = Report()
    lamps = Lamps(CHIP_LABEL, LINES)
    world = World(folder, "--straps", "3", "--bands", "200000", "--rssi=-45,-48,-51,-46")
    hub = Hub(folder, arguments.programs, BOARD)
    text = hub.variant().replace("  name: lab\n", "  name: lab\n  timezone: Europe/Berlin\n")
    hub.configuration.write_text(text.replace("radio:\n", f"radio:\n  slots: {SLOTS}\n") + "lane:\n  visit_bound: 60s\n  fresh: 20s\n")
    try:
        Rehearsal(report, world, hub, lamps, arguments.show).all()
    finally:
        hub.end_for_sure()
        world.close()
        lamps.close()
    return conclude(report, hub, arguments.keep)


def parse(words):
    words_of = parser(__doc__)
    words_of.add_argument("--show", action="store_true", help="print every answer")
    return words_of.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(parse(sys.argv[1:])))
