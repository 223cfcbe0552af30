#!/usr/bin/env python3
"""Vital signs of people with straps: measured two at once, stopped, without contact, through a lost link, a stop and a kill of the daemon.

    Tests/Lab/in-lab -t 400 PYTHON Tests/Lab/acceptance/measure.py --programs .build/release

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt. Takes about three minutes of the lab's time. The straps' own logs are held against the
records (vitals_books.py), and the news of each measurement against its life cycle (vitals_stream.py). The store is held against what was reported.
"""
import datetime
import json
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import clock  # noqa: E402
from ledger import StrapLog  # noqa: E402
from report import Report, demand, eventually  # noqa: E402
from scene import Hub, World, address_of, conclude, parser, scratch  # noqa: E402
from vitals_books import Book, ticks  # noqa: E402
from vitals_stream import all_in_order, in_order  # noqa: E402

DUMP = HERE.parent.parent / "Formats/dump.py"
ADA, BEN, NOBODY, RATES = 0, 1, 2, 3
NAMES = ["strap-01", "strap-02", "strap-03", "strap-04"]
BORN, WEIGHT = datetime.date(1980, 5, 17), 62
LONG, OTHER, SHORT = 55, 60, 20  # s of a measurement: for most vital signs, for another person, for a pulse
OPENING = 75  # s from an order to the begin, at most
BUSY, FAILED, USAGE, UNKNOWN = 6, 1, 2, 5  # exit statuses
DISCONNECTED, NOT_ON_BODY = 8007, 8501


def which(record):
    return record["session"], record["number"]


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


class Measuring:
    """`hearth measure NAME --json`, in the background."""

    count = 0

    def __init__(self, hub, name, *words):
        Measuring.count += 1
        self.name = name
        self.output, self.errors = (hub.folder / f"measure-{Measuring.count}.{kind}" for kind in ("jsonl", "err"))
        command = [hub.shell_program, "--socket", hub.socket, "measure", name, *map(str, words), "--json"]
        with open(self.output, "w") as output, open(self.errors, "w") as errors:
            self.process = subprocess.Popen(command, stdout=output, stderr=errors, stdin=subprocess.DEVNULL)

    def events(self, kind=None):
        with open(self.output) as file:
            events = [json.loads(line) for line in file if line.endswith("\n")]
        return [event for event in events if kind in (None, event["event"])]

    def state(self):
        return ([None] + [event["state"]["state"] for event in self.events("state")])[-1]

    def elapsed(self):
        return ([0] + [event["values"]["elapsed_s"] for event in self.events("values")])[-1]

    def until(self, truth, within, what):
        def so():
            demand(truth() or self.process.poll() is None, lambda: f"{self.name} ended before {what}: {self.said()}")
            return truth()

        eventually(so, within, lambda: f"{self.name} is not {what}: {self.said()}", every=0.1)

    def until_elapsed(self, seconds):
        self.until(lambda: self.elapsed() >= seconds, OPENING + seconds, f"measured for {seconds} s")

    def said(self):
        return f"status {self.process.poll()}, {self.output.read_text()[-900:]}{self.errors.read_text()[-600:]}"

    def end(self, within, status=0):
        """Waits for it; its exit status must be this. The record that it told."""
        self._wait(within, status)
        return in_order(self.events())

    def end_all(self, within, count, status=0):
        """The same of so many measurements in one session: the record of each."""
        self._wait(within, status)
        return all_in_order(self.events(), count)

    def _wait(self, within, status):
        try:
            found = self.process.wait(within)
        except subprocess.TimeoutExpired:
            demand(False, f"{self.name} goes on after {within} s: {self.said()}")
        demand(found == status, lambda: f"{self.name} ended with {found} instead of {status}: {self.said()}")

    def notices(self, code):
        return [event["notice"]["on"] for event in self.events() if event["event"] in ("warning", "error") and event["notice"]["code"] == code]

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Measure:
    def __init__(self, report, world, hub):
        self.report, self.world, self.hub = report, world, hub
        self.running = []
        self.told = []  # records

    def all(self):
        step = self.report.step
        step("the daemon starts, four straps are worn by hearts that breathe, two of them by people who are entered", self.enrol)
        if self.report.failed:
            return
        step("two persons are measured at once, and a strap that tells rates alone; a third strap on one of them is refused", self.at_once)
        for strap, what in ((ADA, "Ada's, with her body's zone and energy"), (BEN, "Ben's, with early beats"), (RATES, "of rates alone")):
            step(f"the record ({what}) has the intervals that were sent, and results that are computed from them", self.booked, strap)
        step("a training that was ordered meanwhile has the rates that the strap sent, zones, energy, and is in the day and in the export", self.training)
        step("what is shown and exported is what was told", self.shown)
        step("contact is lost and found, a link is lost, one is stopped, all at the same time", self.in_trouble)
        step("without contact there was a warning, and the record has nothing of that time", self.without_contact)
        step("what was stopped has its results", self.stopped)
        step("what lost its link told the error and no results, and the next measurement works", self.lost)
        step("two are measured behind each other in one session, each with a record of its own", self.twice)
        step("SIGTERM in the middle of two: no record, and an end that is told", self.terminated)
        step("the daemon is killed right after results and in the middle of another: what was told is in the store", self.killed)
        step("after the restart it is shown, and measured is again", self.after_kill)
        step("SIGTERM ends it cleanly", self.ended)

    # --- helpers ---

    def measure(self, strap, *words):
        self.running.append(Measuring(self.hub, NAMES[strap], *words))
        return self.running[-1]

    def close(self):
        for one in self.running:
            one.close()

    def log(self, strap):
        return StrapLog(f"{self.world.logs}/strap-{strap}.jsonl").lines

    def records(self, name, *words):
        document = self.hub.json("measurements", name, *words)
        demand(document["unreadable"] == 0, f"{document['unreadable']} records of {name} are unreadable")
        return document["records"]

    def kept(self, strap, told):
        """The newest record of a strap, with its intervals; it is the one that was told."""
        record = self.records(NAMES[strap], "--last", "--intervals")[-1]
        self.same(told, record)
        return record

    def exported(self, series):
        """What the export has of Ada's strap."""
        lines = self.hub.say("export", "--format", "ndjson", "--device", NAMES[ADA], timeout=60).splitlines()
        return [sample for sample in map(json.loads, lines) if sample["series"] == series]

    def same(self, told, kept):
        own = ("wearer", "interval_list")
        unequal = {name: (told[name], kept[name]) for name in told.keys() & kept.keys() - set(own) if told[name] != kept[name]}
        demand(not unequal, lambda: f"told and kept are not the same: {json.dumps(unequal)[:1500]}")

    def note(self, record):
        demand(record is not None, "no results were told")
        self.told.append(record)
        return record

    def refused(self, strap, status, *words, saying=""):
        done = self.hub.shell("measure", NAMES[strap], *words, "--json")
        demand(done.returncode == status and saying in done.stderr, f"measure {NAMES[strap]} {words} ended with {done.returncode}: {done.stdout}{done.stderr}")

    # --- the run ---

    def enrol(self):
        self.world.ask("heart", ADA, 640, 32, 15)
        self.world.ask("heart", BEN, 930, 42, 12, 29)
        self.world.ask("heart", NOBODY, 780, 40, 17)
        self.world.ask("rates", RATES, 720, 40, 14)
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "120s")
        for strap, name in enumerate(NAMES):
            self.hub.accept(address_of(strap), name)
        self.hub.json("enroll", "close")
        for person in ("Ada", "Ben"):
            self.hub.say("wearer", "add", person)
        self.hub.say("wearer", "body", "Ada", "--born", BORN.isoformat(), "--sex", "female", "--height", "171", "--weight", WEIGHT)
        self.hub.say("wearer", "assign", NAMES[ADA], "Ada")
        self.hub.say("wearer", "assign", NAMES[BEN], "Ben")
        self.hub.wait_until_live(range(len(NAMES)), 60)

    def at_once(self):
        demand(self.hub.json("training", NAMES[ADA], "begin")["origin"] == "ordered", "a training that was ordered is not told as such")
        first = {ADA: self.measure(ADA, "--seconds", LONG), BEN: self.measure(BEN, "--seconds", OTHER), RATES: self.measure(RATES, "--seconds", SHORT)}
        for one in first.values():
            one.until_elapsed(2)
        demand(", measuring" in self.hub.say("devices"), "the list of wearables does not say that one is being measured")
        self.refused(NOBODY, BUSY, "--person", "Ada", "--seconds", SHORT, saying="7009")
        self.refused(ADA, BUSY, "--seconds", SHORT, saying="7009")
        self.refused(NOBODY, USAGE, "--seconds", 19)
        self.refused(NOBODY, UNKNOWN, "--person", "Eve")
        self.first = {}
        for strap in (RATES, ADA, BEN):
            self.first[strap] = self.note(first[strap].end(OPENING + OTHER))
        for strap, seconds in ((ADA, LONG), (BEN, OTHER), (RATES, SHORT)):
            opened = first[strap].events("opened")[0]["session"]
            demand(opened["seconds"] == seconds and opened["person"] == {ADA: "Ada", BEN: "Ben"}.get(strap), f"opened was {opened}")
            values = first[strap].events("values")
            demand(seconds - 3 <= len(values) <= seconds + 1, f"{NAMES[strap]} told values {len(values)} times in {seconds} s")
            rates = [event["values"]["pulse_rate"] for event in values if event["values"]["pulse_rate"] is not None]
            sent = [line["heart_rate"] for line in self.log(strap) if line["event"] == "notify"]
            demand(rates and min(sent) - 25 <= min(rates) and max(rates) <= max(sent) + 25, f"{NAMES[strap]} was shown with {min(rates)} to {max(rates)} bpm")
            self.report.measured(f"{NAMES[strap]}: pulse while it was measured, and at the end", f"{min(rates):.0f} to {max(rates):.0f}, {self.sign(self.first[strap], 'pulse_rate')}")
        trained = self.hub.json("training", NAMES[ADA], "end")
        self.trained = trained, self.log(ADA)
        both = [first[strap].events("opened")[0]["session"]["id"] for strap in first]
        demand(len(set(both)) == 3, f"sessions are {both}")

    @staticmethod
    def sign(record, name):
        return next((result["value"] for result in record["results"] if result["name"] == name), None)

    def body(self, strap):
        if strap != ADA:
            return None
        today = datetime.date.today()
        return {"sex": "female", "weight": WEIGHT, "age": today.year - BORN.year - ((today.month, today.day) < (BORN.month, BORN.day))}

    def booked(self, strap):
        record = self.kept(strap, self.first[strap])
        demand(record["person"] == {ADA: "Ada", BEN: "Ben"}.get(strap), f"the record is of {record['person']}")
        Book(NAMES[strap], self.log(strap), record, self.body(strap)).all()
        found = sum(any(flag in ("ectopic", "missed", "extra", "long_or_short") for flag in interval["flags"]) for interval in record["interval_list"] or ())
        results = {name: self.sign(record, name) for name in ("rmssd", "sdnn", "stress_index", "respiration_rate", "energy")}
        self.report.measured(f"intervals, artefacts of {NAMES[strap]}, {results}", f"{record['intervals']}, {found}")

    def training(self):
        """Ada's, over all of the time in which the others were measured."""
        told, log = self.trained
        begins, ends = (datetime.datetime.fromisoformat(told[name].replace("Z", "+00:00")).timestamp() for name in ("begins", "ends"))
        sent = [line for line in log if line["event"] == "notify" and line["is_sample"] and begins - 2 <= line["wall"] <= ends]
        # Each rate stands until the next one; the first may be that of just before the order.
        stood = [(line["heart_rate"], after["wall"] - line["wall"]) for line, after in zip(sent, sent[1:])]
        mean = sum(rate * time for rate, time in stood) / sum(time for _, time in stood)
        demand(abs(told["mean_heart_rate"] - mean) < 1, f"its mean is {told['mean_heart_rate']}, by the strap's log {mean}")
        inner = max(line["heart_rate"] for line in sent if line["wall"] >= begins + 2)
        demand(inner <= told["highest_heart_rate"] <= max(line["heart_rate"] for line in sent), f"its highest is {told['highest_heart_rate']}, not {inner}")
        zones = told["zones_s"]
        demand(zones and abs(sum(zones) - told["known_s"]) < 1 and told["calories_kcal"] > 0, f"zones and energy are not told: {told}")
        kept = self.exported("training")
        demand(len(kept) == 1 and kept[0]["time"][:19] == told["begins"][:19] and kept[0]["manual"], f"the export has the trainings {kept}")
        demand("as ordered" in self.hub.say("days", NAMES[ADA]), "the day does not say that it was ordered")
        self.report.measured("a training by order: length, mean and highest rate, energy", f"{told['length_s']:.0f} s, {told['mean_heart_rate']:.0f}, {told['highest_heart_rate']}, {told['calories_kcal']:.1f} kcal")

    def shown(self):
        self.same(self.first[ADA], self.records("Ada", "--last")[-1])
        text = self.hub.say("measurements", NAMES[ADA], "--last")
        demand(str(round(self.sign(self.first[ADA], "pulse_rate"))) in text, f"the pulse is not shown:\n{text}")
        demand(NAMES[BEN] in self.hub.say("measurements", "Ben"), "Ben's measurement is not listed under his name")
        kept = [sample for sample in self.exported("measurement") if sample["record"] == 1]
        demand(len(kept) == 1, f"the export has {len(kept)} measurements")

    # --- troubles ---

    def in_trouble(self):
        self.bare, self.halted, self.cut = self.measure(ADA, "--seconds", 40), self.measure(BEN, "--seconds", OTHER), self.measure(NOBODY, "--seconds", 40)
        self.cut.until_elapsed(6)
        self.world.ask("drop", NOBODY)
        self.bare.until_elapsed(10)
        self.world.ask("contact", ADA, 0)
        time.sleep(5)
        self.world.ask("contact", ADA, 1)
        # The next one, while its sensor comes back.
        self.cut.until(lambda: DISCONNECTED in [event["notice"]["code"] for event in self.cut.events("error")], 30, "told of the lost link")
        self.halted.until_elapsed(24)
        self.halted.process.send_signal(signal.SIGINT)
        self.halted_record = self.note(self.halted.end(10))
        self.bare_record = self.note(self.bare.end(OPENING))

    def without_contact(self):
        demand(self.bare.notices(NOT_ON_BODY) == [True, False], f"warnings were {self.bare.notices(NOT_ON_BODY)}")
        record = self.kept(ADA, self.bare_record)
        book = Book(NAMES[ADA], self.log(ADA), record, self.body(ADA)).all()
        demand(len(book.stretches) == 2, f"its intervals are {len(book.stretches)} stretches")
        self.report.measured("coverage with 5 of 40 s without contact; intervals of that time in the record", f"{record['coverage']:.3f}; {sum(not one.has_contact for one in book.run)}")

    def stopped(self):
        demand(self.halted.events("end")[0]["end"]["end"] == "stop", f"it ended by {self.halted.events('end')}")
        record = self.kept(BEN, self.halted_record)
        demand(record["ended_by"] == "stop" and 23 <= record["actual_s"] <= 30, f"it was ended by {record['ended_by']} after {record['actual_s']} s")
        Book(NAMES[BEN], self.log(BEN), record).all()

    def lost(self):
        record = self.cut.end(OPENING + 70, FAILED)
        demand(record is None, "it has results")
        end = self.cut.events("end")[0]["end"]
        demand(end["end"] == "error" and end["code"] == DISCONNECTED and end["reason"], f"it ended by {end}")
        demand(not self.records(NAMES[NOBODY]), "there is a record of it")
        self.hub.wait_until_live((NOBODY,), 60)
        again = self.measure(NOBODY, "--seconds", SHORT)
        told = self.note(again.end(OPENING + SHORT))
        Book(NAMES[NOBODY], self.log(NOBODY), self.kept(NOBODY, told)).all()

    def twice(self):
        before = len(self.records(NAMES[BEN]))
        both = self.measure(BEN, "--seconds", SHORT, "--count", 2)
        records = [self.note(record) for record in both.end_all(OPENING + 2 * SHORT, 2)]
        demand(len(records) == 2 and len({record["session"] for record in records}) == 1, f"records are {records}")
        kept = self.records(NAMES[BEN], "--intervals")
        demand(len(kept) == before + 2, "not both are stored")
        for told in records:
            record = next((one for one in kept if which(one) == which(told)), None)
            demand(record, lambda: f"{which(told)} is not among {[which(one) for one in kept]}")
            self.same(told, record)
            Book(NAMES[BEN], self.log(BEN), record).all()
        first, second = sorted(record["start"] for record in records)
        gap = (moment(second) - moment(first)).total_seconds() - SHORT
        demand(0 <= gap <= 3, f"the second began {gap} s behind the first")

    # --- the daemon ends ---

    def counts(self):
        return [len(self.records(name)) for name in NAMES]

    def terminated(self):
        before = self.counts()
        both = [self.measure(strap, "--seconds", OTHER) for strap in (ADA, BEN)]
        for one in both:
            one.until_elapsed(4)
        demand(self.hub.stop() == 0, "it did not end cleanly")
        for one in both:
            one.process.wait(10)
            demand(one.process.returncode not in (0, None), f"it ended with {one.process.returncode}")
            demand(not one.events("results"), "results were told")
            states = [event["state"]["state"] for event in one.events("state")]
            demand(states[-2:] == ["terminating", "terminated"], f"its states were {states}")
            demand(one.events()[-1]["event"] == "end" and in_order(one.events()) is None, f"its end is not told: {one.said()}")
        self.hub.start()
        demand(self.counts() == before, f"records were {before}, are {self.counts()}")
        self.hub.wait_until_live((ADA, BEN), 60)

    def killed(self):
        longer = self.measure(ADA, "--seconds", OTHER)
        longer.until_elapsed(1)
        short = self.measure(BEN, "--seconds", SHORT)
        short.until(lambda: short.events("results"), OPENING + SHORT, "done")
        self.hub.stop(signal.SIGKILL)
        self.last = self.note(short.events("results")[0]["record"])
        demand(not longer.events("results"), "the longer one is done")
        for one in (longer, short):
            one.process.wait(10)
        found = subprocess.run([sys.executable, DUMP, self.hub.store, "--measurements"], capture_output=True, text=True, timeout=60)
        demand(found.returncode == 0, f"the second reader ended with {found.returncode}: {found.stderr}")
        records = [json.loads(line) for line in found.stdout.splitlines()]
        demand(not [record for record in records if "damaged" in record], "a record is damaged")
        due, there = sorted(map(which, self.told)), sorted(map(which, records))
        demand(due == there, f"measurements that told results: {due}; in the store: {there}")
        for told in self.told:
            record = next(one for one in records if which(one) == which(told))
            values = {result["name"]: result["text"] or result["value"] for result in record["results"]}
            demand(values == {result["name"]: result["text"] or result["value"] for result in told["results"]}, f"of {told['device']} the store has {values}")
        self.dumped = {which(record): [ticks(interval[0] / 1000) for interval in record["intervals"]] for record in records}
        self.report.measured("records that were told, and are in the store", len(there))

    def after_kill(self):
        self.hub.start()
        record = self.kept(BEN, self.last)
        demand([ticks(interval["ms"]) for interval in record["interval_list"]] == self.dumped[which(record)], "two readers read two lists of intervals")
        Book(NAMES[BEN], self.log(BEN), record).all()
        demand(sum(self.counts()) == len(self.told), f"{len(self.told)} were told, kept are {self.counts()}")
        self.hub.wait_until_live((ADA,), 60)
        told = self.note(self.measure(ADA, "--seconds", SHORT).end(OPENING + SHORT))
        Book(NAMES[ADA], self.log(ADA), self.kept(ADA, told), self.body(ADA)).all()

    def ended(self):
        demand(self.hub.stop() == 0, "it did not end cleanly")


def main(arguments):
    folder = scratch("measure")
    clock.trust()
    report = Report()
    world = World(folder, "--straps", "4", "--rssi=-45,-46,-47,-48")
    hub = Hub(folder, arguments.programs, "none")
    run = Measure(report, world, hub)
    try:
        run.all()
    finally:
        run.close()
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    sys.exit(main(parser(__doc__).parse_args()))
