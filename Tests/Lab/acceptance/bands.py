#!/usr/bin/env python3
"""Three wrist bands beside a strap: bound, emptied, ordered, in trouble. Every item that they kept is in the export once, and items were confirmed only after they were
durable.

    Tests/Lab/in-lab -t 500 PYTHON Tests/Lab/acceptance/bands.py --programs .build/release
    Tests/Lab/in-lab -t 1500 PYTHON Tests/Lab/acceptance/bands.py --programs .build/release --minutes 10

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt. Takes about three minutes of the lab's time; `--minutes` is how long all of them are used and
in trouble by turns beyond that. The bands' own logs are held against `hearth export` (wrist_books.py).
"""
import datetime
import json
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
import zoneinfo

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from ledger import StrapLog, compare, parse_export  # noqa: E402
from report import Failure, Report, demand, eventually  # noqa: E402
from scene import COMMIT_EVERY, Hub, World, address_of, conclude, parser_with_troubles, scratch  # noqa: E402
from wrist_books import Account, WristLog, durable  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "world"))
import fitcloud_frames  # noqa: E402
import next_frames  # noqa: E402

ZONE = "Europe/Berlin"
# A clock of five minutes turns soon after the begin, so that the bands measure by themselves in the run.
BEGIN = datetime.datetime(2026, 3, 3, 13, 58, 0)
FIT, NEXT, MOYOUNG, ANONYMOUS = 0, 1, 2, 3
NAMES = {FIT: "wrist-fit", NEXT: "wrist-next", MOYOUNG: "wrist-moy", ANONYMOUS: "wrist-anonymous"}
FAMILIES = {FIT: "fitcloud", NEXT: "topstep_next", MOYOUNG: "moyoung", ANONYMOUS: "fitcloud"}
MODELS = ("fitcloud", "topstep_next", "moyoung", "fitcloud_anonymous")
BANDS = (FIT, NEXT, MOYOUNG)
STRAP = "strap-01"
# Present wearables are visited as often as the configuration allows, so that a test need not wait a quarter of an hour.
LANE = """\
lane:
  visit_bound: 30s
  fresh: 5s
log:
  level: debug
"""
PATIENCE = 60  # s until something has happened at all
SYNC_WITHIN = 90  # s
MEASURED_FOR = 15  # s
WEAR = 300  # minutes between two syncs
LATE = 100  # s by which clocks are slow for a while
ROOM = 40  # items of a series that fit in while a band is away: fewer than the 60 heart rates of that time


def wrist_address(wrist):
    return f"F0:BA:4D:00:00:{wrist:02X}"


class Bands:
    def __init__(self, report, world, hub, arguments):
        self.report, self.world, self.hub = report, world, hub
        self.seconds = arguments.minutes * 60
        self.random = random.Random(arguments.seed)
        self.cuts = []
        self.synced_at = {}  # when the last sync of each began that succeeded

    def log_of(self, wrist):
        return WristLog(f"{self.world.logs}/wrist-{wrist}.jsonl")

    def ask(self, command, *words):
        return self.world.ask(f"wrist-{command}", *words)

    def wrist(self, number):
        return self.world.status()["wrists"][number]

    # --- the account of a day ---

    def beginning(self):
        step = self.report.step
        step("the daemon starts, and a strap and three bands are enrolled", self.enrol)
        if self.report.failed:
            return
        step("a wearer presses cancel: her band is not bound, and the hub says so", self.cancelled)
        step("all three are at work, the two that can be bound are bound to this hub", self.bound)
        step("a link is lost in the middle of each band's first transfer, and all is fetched", self.fetched_in_spite)
        step("batteries, and what each can do, are known", self.known)

    def middle(self):
        step = self.report.step
        step("bands that were worn on are synced; one of them had no room for all of it", self.synced)
        step("the daemon is killed in the middle of a transfer", self.killed_in_transfer)
        step("the daemon is killed right after it confirmed: what the band forgot is in the store", self.killed_after_verdict)
        step("values that a wearer measured by hand are marked so", self.by_hand)
        step("a heart rate is measured by order, on each band", self.measured)
        step("bands are told how to measure by themselves, and say so", self.monitored)
        step("items, days and what a band is are shown", self.shown)
        step("a FitCloud band whose advertisements do not say so is told by its answers, fetched, and unbound when it is forgotten", self.anonymous)
        step("a band is reset: it is bound again, and told the time", self.reset)
        step("a phone takes a band away: the hub says so, and has it again when it was reset", self.taken_away)
        if self.seconds:
            step(f"for {self.seconds:.0f} s they are used and in trouble by turns", self.day)

    def end(self):
        step = self.report.step
        step("at last all is synced", self.all_synced)
        step("SIGTERM ends it cleanly", self.stopped)
        for wrist in BANDS:
            step(f"every item of {NAMES[wrist]} is in the export once, with its time and its marks, and nothing else", self.accounts, wrist)
        step("the hub spoke as the bands expect it", self.manners)
        step("every beat of the strap is in the export once", self.beats)

    # --- helpers ---

    def export(self, name, *words):
        return parse_export(self.hub.say("export", "--format", "ndjson", "--device", name, *words, timeout=60))

    def export_offline(self, name):
        words = ("--store", self.hub.store, "export", "--format", "ndjson", "--device", name)
        return parse_export(self.hub.say(*words, asks=False, allowed=(0, 3), timeout=60))

    def sync(self, wrist, within=SYNC_WITHIN):
        """Ordered and waited for, again while it is busy, not heard, or in trouble."""

        def done():
            began = time.monotonic()
            self.answer = self.tried("sync", NAMES[wrist], within=within)
            if self.answer.returncode == 0:
                self.synced_at[wrist] = began
            return self.answer.returncode == 0

        eventually(done, within, lambda: f"hearth sync {NAMES[wrist]} ended with {self.answer.returncode}: {self.answer.stdout}{self.answer.stderr}", every=2)

    def tried(self, *words, within=SYNC_WITHIN):
        """A command that may fail, or take too long."""
        try:
            return self.hub.shell(*words, timeout=within)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, 124, "", f"not within {within} s")

    def offers(self, wrist, since=0.0):
        return self.log_of(wrist).of("offer", since=since)

    def kill(self):
        moment = time.monotonic()
        self.cuts.append((moment - COMMIT_EVERY - 0.5, moment))
        self.hub.stop(signal.SIGKILL)
        return moment

    def everything_confirmed_is_durable(self, moment=float("inf")):
        """While the daemon is dead: the store alone."""
        counts = {}
        for wrist in (FIT,):
            samples = self.export_offline(NAMES[wrist])
            counts[NAMES[wrist]] = durable(NAMES[wrist], FAMILIES[wrist], self.log_of(wrist), samples, wrist_address(wrist), self.report, moment)
        self.report.measured("items that the bands were told to forget, all in the store", counts)

    def problem(self, wrist):
        return self.hub.say("device", NAMES[wrist])

    # --- the beginning ---

    def enrol(self):
        self.ask("fault", NEXT, "cancels")
        self.ask("fault", FIT, "ignored")
        self.ask("drop-after", FIT, 200)
        self.ask("drop-after", NEXT, 250)
        self.ask("drop-after", MOYOUNG, 150)
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "300s")
        self.hub.accept(address_of(0), STRAP)
        for wrist in BANDS:
            self.hub.accept(wrist_address(wrist), NAMES[wrist])
        self.hub.json("enroll", "close")

    def cancelled(self):
        eventually(lambda: self.log_of(NEXT).of("bind"), PATIENCE, lambda: f"nobody asked it to be bound: {self.hub.say('devices')}", every=0.2)
        demand(self.log_of(NEXT).of("bind")[0]["status"] == next_frames.CANCELLED, "it was bound at once")
        eventually(lambda: "H2241" in self.problem(NEXT), 30, lambda: f"the hub says {self.problem(NEXT)}", every=0.5)
        # A person is asked again.
        self.hub.shell("visit", "now", NAMES[NEXT])

    def bound(self):
        for wrist in (FIT, NEXT):
            eventually(lambda: self.wrist(wrist)["owner"], PATIENCE, lambda: f"{NAMES[wrist]} belongs to nobody: {self.problem(wrist)}", every=0.5)
        eventually(lambda: self.log_of(MOYOUNG).of("asked"), PATIENCE, "the Moyoung band is asked nothing", every=0.5)
        eventually(lambda: self.log_of(FIT).of("ignored"), 1, "the first frame was not passed over")

    def fetched_in_spite(self):
        for wrist in BANDS:
            eventually(lambda: self.log_of(wrist).of("drop"), PATIENCE, lambda: f"nothing is fetched of {NAMES[wrist]}: {self.problem(wrist)}", every=0.5)
        for wrist in BANDS:
            self.sync(wrist, PATIENCE)
            self.holds_all(wrist)

    def holds_all(self, wrist):
        """Of moments: what is owed is there, soon."""

        def there():
            account = self.account(wrist, self.export(NAMES[wrist]))
            try:
                account.of_moments(account.owed())
            except Failure as failure:  # not yet
                self.failure = failure
                return False
            return True

        eventually(there, 20, lambda: str(self.failure), every=2)

    def account(self, wrist, samples):
        """What it measured by itself after the last sync began need not be there."""
        until = self.synced_at.get(wrist, float("inf"))
        return Account(NAMES[wrist], FAMILIES[wrist], self.log_of(wrist), samples, wrist_address(wrist), self.report, self.oldest(wrist), until)

    def oldest(self, wrist):
        """A Moyoung band tells no more than yesterday and today."""
        if FAMILIES[wrist] != "moyoung":
            return 0
        now = datetime.datetime.now(zoneinfo.ZoneInfo(ZONE))
        return (now.replace(hour=0, minute=0, second=0, microsecond=0) - datetime.timedelta(days=1)).timestamp()

    def known(self):
        devices = self.hub.devices()
        for wrist in BANDS:
            device = devices[wrist_address(wrist)]
            demand(device.get("battery") == 80 - wrist, f"the battery of {NAMES[wrist]} is {device.get('battery')}")
            eventually(lambda: "not known yet" not in self.problem(wrist), 20, lambda: f"what it can do is not known: {self.problem(wrist)}", every=2)
            text = self.problem(wrist)
            demand("heart_rate" in text or "heart rate" in text, f"hearth device {NAMES[wrist]} says nothing of a heart rate:\n{text}")
        lines = [line.strip() for line in self.hub.say("device", NAMES[FIT]).splitlines() if "bound" in line or "binding" in line]
        self.report.measured("hearth device of its binding", lines)

    # --- trouble ---

    def synced(self):
        self.ask("vanish", FIT)
        self.ask("capacity", FIT, ROOM)
        # Neither family tells what its clock shows, so what is kept stays as it was dated.
        for wrist in (FIT, MOYOUNG):
            self.ask("slow", wrist, LATE)
        for wrist in BANDS:
            self.ask("wear", wrist, WEAR)
        demand(self.log_of(FIT).items("overwrite"), "it had room for all of it")
        self.ask("return", FIT)
        self.ask("fault", FIT, "wrong_checksums")
        self.ask("fault", NEXT, "wrong_checksums")
        self.ask("fault", FIT, "lost_acknowledgements")
        self.ask("fault", NEXT, "lost_acknowledgements")
        for wrist in BANDS:
            self.sync(wrist)
            self.holds_all(wrist)
        self.ask("capacity", FIT, 5000)
        slow = {NAMES[wrist]: round(self.wrist(wrist)["slow"], 1) for wrist in BANDS}
        self.report.measured("seconds by which their clocks are slow now", slow)
        demand(all(abs(seconds) < 5 for seconds in slow.values()), "a clock was not set")
        self.report.measured("frames that came again", {NAMES[wrist]: len(self.log_of(wrist).of("repeated")) for wrist in (FIT, NEXT)})

    def in_the_background(self, *words):
        """A command with an end that does not matter: the daemon is killed meanwhile."""

        threading.Thread(target=self.tried, args=words, daemon=True).start()

    def killed_in_transfer(self):
        for wrist in BANDS:
            since = time.monotonic()
            self.ask("pace", wrist, 150)
            self.ask("wear", wrist, 3 * WEAR)
            self.in_the_background("sync", NAMES[wrist])
            # Large enough to last for a second at that pace.
            eventually(
                lambda: any(line.get("bytes", 1) > 70 or line.get("days") for line in self.offers(wrist, since)), SYNC_WITHIN, f"{NAMES[wrist]} is not asked", every=0.02
            )
            time.sleep(0.3)
            moment = self.kill()
            self.report.measured(f"seconds from the begin of a transfer of {NAMES[wrist]} to the kill", f"{moment - self.offers(wrist, since)[-1]['monotonic']:.2f}")
            self.everything_confirmed_is_durable()
            time.sleep(1)
            self.ask("pace", wrist, 4)
            self.hub.start()
        for wrist in BANDS:
            self.sync(wrist)
            self.holds_all(wrist)

    def killed_after_verdict(self):
        demand(self.wrist(FIT)["caught_up"], "the band is not worn until now")
        self.ask("measure", FIT)
        since = time.monotonic()
        self.in_the_background("sync", NAMES[FIT])

        def told():
            return [line for line in self.log_of(FIT).of("verdict", since=since) if line["verdict"] == 0 and line["count"]]

        eventually(told, SYNC_WITHIN, "nothing is confirmed", every=0.01)
        moment = self.kill()
        self.report.measured("seconds from a verdict to the kill", f"{moment - told()[0]['monotonic']:.2f}")
        self.everything_confirmed_is_durable()
        self.hub.start()
        self.hub.wait_until_live((0,), 60)

    # --- use ---

    def by_hand(self):
        for wrist in (FIT, NEXT):
            self.ask("measure", wrist, "spo2")
            self.ask("measure", wrist)
        self.ask("train", MOYOUNG, 25)
        for wrist in BANDS:
            self.sync(wrist)
            self.holds_all(wrist)
        for wrist in (FIT, NEXT):
            text = self.hub.say("items", NAMES[wrist], "heart_rate", "--manual", "--json")
            demand(json.loads(text)["items"], f"hearth items --manual of {NAMES[wrist]} shows none")

    def measured(self):
        for wrist in BANDS:
            since = time.monotonic()

            def done():
                self.answer = self.tried("measure", NAMES[wrist], "heart_rate", "--for", MEASURED_FOR)
                return self.answer.returncode == 0

            eventually(done, 60, lambda: f"{NAMES[wrist]}: it ended with {self.answer.returncode}: {self.answer.stdout}{self.answer.stderr}", every=2)
            log = self.log_of(wrist)
            told = log.of("live", since=since)
            demand(told, f"{NAMES[wrist]} measured nothing")
            self.report.measured(f"values of {NAMES[wrist]} in {MEASURED_FOR} s, lines of hearth measure", f"{len(told)}, {len(self.answer.stdout.splitlines())}")
            shown = [line["heart_rate"] for line in told if str(line["heart_rate"]) in self.answer.stdout]
            demand(shown, f"hearth measure does not show what {NAMES[wrist]} said: {self.answer.stdout}")
            controls = log.of("live-control", since=since)
            demand(controls, f"{NAMES[wrist]} was not asked to measure")

    def monitored(self):
        since = time.monotonic()
        for wrist in BANDS:
            self.hub.say("monitor", NAMES[wrist], "heart_rate", "every=1200s")
        for wrist in BANDS:
            eventually(
                lambda: self.log_of(wrist).of("monitor", since=since) or self.hub.shell("visit", "now", NAMES[wrist]) is None,
                SYNC_WITHIN,
                lambda: f"{NAMES[wrist]} was told nothing: {self.hub.say('monitor', NAMES[wrist])}",
                every=3,
            )
            line = self.log_of(wrist).of("monitor", since=since)[-1]
            told = bytes.fromhex(line["hex"])
            if wrist == FIT:
                interval = fitcloud_frames.read_monitor(told)[3]
            elif wrist == NEXT:
                interval = next_frames.first(next_frames.protobuf.read(next_frames.first(next_frames.protobuf.read(told), 1, b"")), 4)
            else:
                interval = told[0] * 5
            demand(interval == 20, f"{NAMES[wrist]} was told an interval of {interval} min: {line}")
            text = self.hub.say("monitor", NAMES[wrist], "--now", timeout=60)
            demand("1200 s" in text or "20 min" in text, f"hearth monitor {NAMES[wrist]} --now does not say so: {text}")

    def shown(self):
        for wrist in BANDS:
            items = json.loads(self.hub.say("items", NAMES[wrist], "heart_rate", "--json"))["items"]
            demand(items, f"hearth items of {NAMES[wrist]} is empty")
            days = self.hub.json("days", NAMES[wrist])
            demand(any(one.get("days") for one in days["series"]) or days["lines"], f"hearth days of {NAMES[wrist]} is empty: {str(days)[:300]}")
            for words in (("device", NAMES[wrist]), ("days", NAMES[wrist]), ("items", NAMES[wrist], "heart_rate"), ("days", NAMES[wrist], "--day", "yesterday")):
                text = self.hub.say(*words)
                demand(text.strip() and "\x1b" not in text, f"hearth {' '.join(words)} says {text!r}")
        resting = json.loads(self.hub.say("items", NAMES[NEXT], "heart_rate", "--kind", "resting", "--json"))["items"]
        demand(resting, "the resting rate of today is not there")
        everybody = self.tried("sync", "--all")
        demand(everybody.returncode == 0, f"hearth sync --all ended with {everybody.returncode}: {everybody.stdout}{everybody.stderr}")
        for wrist in BANDS:
            demand(NAMES[wrist] in everybody.stdout, f"hearth sync --all says nothing of {NAMES[wrist]}: {everybody.stdout!r}")

    def anonymous(self):
        self.hub.json("enroll", "open", "--for", "60s")
        self.hub.accept(wrist_address(ANONYMOUS), NAMES[ANONYMOUS])
        self.hub.json("enroll", "close")
        eventually(lambda: self.wrist(ANONYMOUS)["owner"], PATIENCE, lambda: f"it belongs to nobody: {self.problem(ANONYMOUS)}", every=1)
        self.sync(ANONYMOUS, PATIENCE)
        self.holds_all(ANONYMOUS)
        since = time.monotonic()
        self.hub.shell("device", NAMES[ANONYMOUS], "forget", "--yes", timeout=60)
        eventually(lambda: self.log_of(ANONYMOUS).of("unbind", since=since), 30, "it was not unbound", every=0.5)
        demand(self.wrist(ANONYMOUS)["owner"] is None, "it still belongs to this hub")

    def visit_until_bound(self, wrist):
        """As a person does after a reset."""
        deadline = time.monotonic() + PATIENCE
        while not self.wrist(wrist)["owner"] and time.monotonic() < deadline:
            self.tried("visit", "now", NAMES[wrist])
            time.sleep(5)

    def reset(self):
        self.sync(FIT)
        self.ask("reset", FIT)
        self.visit_until_bound(FIT)
        eventually(lambda: self.wrist(FIT)["owner"], 1, lambda: f"it belongs to nobody: {self.problem(FIT)}", every=1)
        eventually(lambda: abs(self.wrist(FIT)["slow"]) < 30, PATIENCE, "its clock was not set", every=1)
        # The band is worn again.
        self.ask("measure", FIT)
        self.sync(FIT)
        self.holds_all(FIT)

    def taken_away(self):
        self.sync(NEXT)
        self.ask("phone", NEXT)
        self.ask("drop", NEXT)
        eventually(lambda: "H2240" in self.problem(NEXT), PATIENCE, lambda: f"the hub says {self.problem(NEXT)}", every=1)
        demand(self.wrist(NEXT)["owner"] == "a phone", "the hub took it from the phone")
        self.ask("reset", NEXT)
        self.visit_until_bound(NEXT)
        eventually(lambda: self.wrist(NEXT)["owner"] not in (None, "a phone"), 1, lambda: f"it belongs to nobody: {self.problem(NEXT)}", every=1)
        self.ask("measure", NEXT)
        self.sync(NEXT)
        self.holds_all(NEXT)

    def day(self):
        """A turn each few seconds; what a wearer measures by hand is a minute apart."""
        end = time.monotonic() + self.seconds
        counts, last_kill, by_hand = {}, time.monotonic(), {}
        while time.monotonic() < end:
            wrist = self.random.choice(BANDS)
            turn = self.random.choice(("measure", "measure", "drop", "cut", "vanish", "damage", "lose", "sync", "order", "train", "kill"))
            counts[turn] = counts.get(turn, 0) + 1
            if turn == "measure" and wrist != MOYOUNG and time.monotonic() - by_hand.get(wrist, 0) > 65:
                by_hand[wrist] = time.monotonic()
                self.ask("measure", wrist, self.random.choice(("heart_rate", "spo2")))
            elif turn == "drop":
                self.ask("drop", wrist)
            elif turn == "cut":
                self.ask("drop-after", wrist, self.random.randrange(1, 60))
                self.in_the_background("sync", NAMES[wrist])
            elif turn == "vanish":
                self.ask("vanish", wrist)
                time.sleep(self.random.uniform(1, 8))
                self.ask("return", wrist)
            elif turn == "damage":
                self.ask("fault", wrist, "wrong_checksums", self.random.randrange(1, 3))
            elif turn == "lose":
                self.ask("fault", wrist, "lost_acknowledgements")
            elif turn == "sync":
                self.tried("sync", NAMES[wrist])
            elif turn == "order":
                self.in_the_background("measure", NAMES[wrist], "heart_rate", "--for", "15")
            elif turn == "train":
                self.ask("train", MOYOUNG, 5) if counts["train"] == 1 else None
            elif turn == "kill" and time.monotonic() - last_kill > 60:
                last_kill = time.monotonic()
                self.in_the_background("sync", NAMES[FIT])
                time.sleep(self.random.uniform(0, 3))
                self.kill()
                self.everything_confirmed_is_durable()
                self.hub.start()
            time.sleep(self.random.uniform(1, 6))
        self.report.measured("turns", counts)

    # --- the books ---

    def all_synced(self):
        for wrist in BANDS:
            self.ask("drop-after", wrist, 1_000_000)
            self.sync(wrist, PATIENCE)
            self.holds_all(wrist)

    def stopped(self):
        time.sleep(COMMIT_EVERY + 1)
        self.cuts.append((time.monotonic(), float("inf")))
        demand(self.hub.stop() == 0, f"it ended with {self.hub.process.returncode}")

    def accounts(self, wrist):
        self.account(wrist, self.export_offline(NAMES[wrist])).all()

    def manners(self):
        unknown = {}
        for wrist in range(len(MODELS)):
            log = self.log_of(wrist)
            for event in ("bad-frame", "bad-payload", "too-early", "stray-verdict", "other-framing", "update-written"):
                lines = log.of(event)
                if MODELS[wrist] == "fitcloud_anonymous":
                    lines = [line for line in lines if event not in ("bad-frame",)]
                demand(not lines, lambda: f"{NAMES[wrist]}: {len(lines)} times {event}, first {lines[0]}")
            for line in log.of("unknown"):
                key = (NAMES[wrist], line["command"], line.get("key"))
                unknown[key] = unknown.get(key, 0) + 1
        self.report.measured("commands that a band did not know (band, command, key)", unknown)

    def beats(self):
        log = StrapLog(f"{self.world.logs}/strap-0.jsonl")
        heard, missing, _ = compare(log, self.export_offline(STRAP), address_of(0), self.cuts)
        self.report.measured("beats in both accounts, beats sent while the hub was cut off", f"{heard}, {missing}")


def main(arguments):
    folder = scratch("bands")
    clock.put_to(BEGIN)
    clock.trust()
    report = Report()
    offset = int(datetime.datetime.now(zoneinfo.ZoneInfo(ZONE)).utcoffset().total_seconds())
    world = World(folder, "--straps", "1", "--rssi=-45", "--wrists", ",".join(MODELS), "--wrist-offset", str(offset))
    hub = Hub(folder, arguments.programs, "none")
    hub.configuration.write_text(hub.variant().replace("  name: lab\n", f"  name: lab\n  timezone: {ZONE}\n") + LANE)
    act = Bands(report, world, hub, arguments)
    report.measured("seed", arguments.seed)
    try:
        act.beginning()
        if arguments.only:
            report.step(arguments.only, getattr(act, arguments.only))
        elif report.failed == 0 or arguments.all:
            act.middle()
        act.end()
    finally:
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    words = parser_with_troubles(__doc__)
    words.add_argument("--minutes", type=float, default=0.0, help="how long they are used and in trouble by turns, beyond the rest")
    sys.exit(main(words.parse_args()))
