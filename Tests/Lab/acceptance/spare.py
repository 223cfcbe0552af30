#!/usr/bin/env python3
"""A hub with ten wearables is destroyed in the middle of a visit. A spare is restored from its backup and goes on. No wearable is paired again, all data that
a wearable still had arrive, and each is fetched once.

    Tests/Lab/in-lab -t 600 PYTHON Tests/Lab/acceptance/spare.py --programs .build/release

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt and Tests/Formats/requirements.txt. Takes about three minutes of the lab's time. The wearables'
own logs are held against the spare's store and export. Data that the first hub took after its backup, and lost with its card, are counted. They are not excused if a wearable still
had them.
"""
import datetime
import os
import pathlib
import shutil
import signal
import sys
import time
import zoneinfo

TESTS = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(TESTS / "Lab" / "acceptance"), str(TESTS / "Lab"), str(TESTS / "Lab" / "world"), str(TESTS / "Formats")]

import clock  # noqa: E402

if not clock.is_user_mode_linux():
    os.environ.setdefault("HEARTH_BAND_NOON", datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None, microsecond=0).isoformat())

import books  # noqa: E402
import polar_band  # noqa: E402
import polar_data  # noqa: E402
import polar_sense  # noqa: E402
import polar_strap  # noqa: E402
from activities import activity  # noqa: E402
from insoles import InsoleLog, insole_address  # noqa: E402
from ledger import StrapLog, compare, parse_export  # noqa: E402
from polar_band import BandLog  # noqa: E402
from report import Report, demand, eventually  # noqa: E402
from scene import COMMIT_EVERY, Hub, Load, Phases, World, address_of, conclude, parser_with_load, parser_with_troubles, scratch, sensor_address  # noqa: E402
from wrist_books import Account, WristLog  # noqa: E402

ZONE = "Europe/Berlin"
LANE = """\
lane:
  visit_bound: 60s
  fresh: 5s
log:
  level: debug
"""
BONDED = ["band-01", "h10", "insole-01", "insole-02", "sense-01"]
INSOLES = ((30, 2000), (900,))
OXIMETER, SPOT_OXIMETER = 0, 1
FIT, MOYOUNG = 0, 1
FAMILIES = {FIT: "fitcloud", MOYOUNG: "moyoung"}
BAND_BYTES = 1_000_000
LONG = 16_000  # records of the file in the middle of which the hub dies: 416 kB
STEP = 64 << 10  # bytes of a file in which the hub keeps what came
WINDOW = COMMIT_EVERY + 0.5  # s until what came is durable
KEPT = 12, 300  # spot-checks that come meanwhile, and the seconds between two of them
PATIENCE = 120  # s until something has happened at all
PASSPHRASE = "four words that nobody guesses\n"


def wrist_address(wrist):
    return f"F0:BA:4D:00:00:{wrist:02X}"


# (address, name at this hub, its name over the air if that decides what it is)
WEARABLES = (
    (address_of(0), "strap-01", ""),
    (polar_strap.ADDRESS, "h10", "Polar H10"),
    (sensor_address(OXIMETER), "oximeter", ""),
    (sensor_address(SPOT_OXIMETER), "spot-oximeter", ""),
    (wrist_address(FIT), "wrist-fit", ""),
    (wrist_address(MOYOUNG), "wrist-moy", ""),
    (polar_sense.ADDRESS, polar_sense.NAME, "Polar Sense"),
    (polar_band.ADDRESS, polar_band.NAME, "Polar 360"),
    (insole_address(0), "insole-01", ""),
    (insole_address(1), "insole-02", ""),
)


class Spare:
    def __init__(self, report, world, first, spare, folder, seed):
        self.report, self.world, self.hub, self.spare = report, world, first, spare
        self.first = first
        self.phases = Phases(report, seed)
        self.backup = folder / "gym.hearth"
        self.passphrase = folder / "passphrase"
        self.passphrase.write_text(PASSPHRASE)
        self.backed_up = self.died = float("inf")
        self.synced_at = {}  # when the last sync of a wrist band began that succeeded

    def all(self):
        step = self.report.step
        step("ten wearables of all families join, and what they have is fetched", self.at_home)
        if self.report.failed:
            return
        step("five of them are bonded", self.bonded)
        step("in the middle of a visit, a backup of the hub that serves is made", self.make_backup)
        step("others have more, and the hub is destroyed with its card, in the middle of that visit", self.destroyed)
        step("a spare that was on the shelf is restored, with a wrong passphrase nothing, with the right one all", self.restored)
        step("it has the same bonds, wearables and names, before anybody is heard", self.same)
        step("all ten are at home, and what they have is fetched", self.home_again)
        step("nobody was asked to pair or to be bound", self.nobody_paired)
        step("nothing that was safe was fetched again, and the half-fetched file goes on where the backup was", self.nothing_twice)
        step("SIGTERM ends it cleanly", self.end)
        step("every byte of the insoles' files is in its store once", self.insole_bytes)
        step("every recording that the Polar 360 removed is in its store once", self.band_bytes)
        step("every item of the wrist bands is in its export once", self.wrists)
        step("every spot-check is in its export once", self.spot_checks)
        step("every beat of the strap but those between backup and spare is in its export once", self.beats)

    # --- logs ---

    def insole(self, number):
        return InsoleLog(f"{self.world.logs}/insole-{number}.jsonl")

    def band(self):
        return BandLog(f"{self.world.logs}/band-0.jsonl")

    def wrist(self, number):
        return WristLog(f"{self.world.logs}/wrist-{number}.jsonl")

    # --- the first hub ---

    def at_home(self):
        self.phases.pause()
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "300s")
        for address, name, called in WEARABLES:
            self.hub.accept(address, name, called=called, within=60)
        self.hub.json("enroll", "close")
        self.wait_until_home()

    def wait_until_home(self):
        """Each streaming wearable is live, and no wearable has data for the hub."""
        eventually(lambda: not self.missing(), PATIENCE * 2, lambda: f"not at home: {self.missing()}\n{self.hub.say('devices')}", every=1)

    def missing(self):
        world, devices = self.world.status(), self.hub.devices()
        found = [name for address, name, _ in WEARABLES[:3] if devices.get(address, {}).get("state") != "live"]
        found += [f"insole {number}" for number, insole in enumerate(world["insoles"]) if insole["files"]]
        band = world["bands"][0]
        found += [path for path in band["files"] if path.endswith(".REC") and path not in band["running"]]
        if not world["wrists"][FIT]["owner"]:
            found.append("wrist-fit is not bound")
        records = parse_export(self.hub.say("export", "--format", "ndjson", "--device", "spot-oximeter", "--series", "spo2", allowed=(0, 3)))
        if len([one for one in records if one["origin"] == "fetched"]) < world["sensors"][SPOT_OXIMETER]["kept"]:
            found.append("spot-checks")
        return found

    def bonds(self, hub):
        return sorted(bond["device"] for bond in hub.json("bond", "list")["bonds"])

    def bonded(self):
        # All bonds that there will be: the spare would not know a bond that is younger than the backup.
        eventually(lambda: self.bonds(self.hub) == BONDED, PATIENCE, lambda: f"bonded are {self.bonds(self.hub)}", every=1)
        self.report.measured("bonded", ", ".join(self.bonds(self.hub)))

    def fetched(self, since, until):
        """Bytes that the first insole sent between two moments."""
        return sum(line["length"] for line in self.insole(0).of("read") if since < line["monotonic"] < until)

    def make_backup(self):
        since = time.monotonic()
        self.world.ask("insole-reboot", 0)
        self.world.ask("insole-record", 0, LONG)
        self.phases.pause()
        self.hub.shell("visit", "now", "insole-01")
        # The backup holds what is durable: whole steps that came before the last commit window.
        durable = lambda: self.fetched(since, time.monotonic() - WINDOW)  # noqa: E731
        eventually(lambda: durable() >= STEP, PATIENCE, lambda: f"{durable()} bytes of its file are durable\n{self.hub.say('visits')}", every=0.02)
        before = time.monotonic()
        self.backed_up = before - WINDOW
        said = self.hub.say("backup", self.backup, "--samples", "--passphrase-file", self.passphrase, timeout=120)
        self.report.by_clock("time of a backup", f"{time.monotonic() - before:.1f} s")
        self.report.measured("the backup", said.splitlines()[0])
        demand(oct(self.backup.stat().st_mode)[-3:] == "600", "others may read it")
        demand(PASSPHRASE.strip().encode() not in self.backup.read_bytes() and b"strap-01" not in self.backup.read_bytes(), "it is not sealed")
        eventually(lambda: self.hub.json("status").get("backup_at"), 5, "the hub does not know of its backup")
        self.names, self.bonds_before = sorted(device["name"] for device in self.hub.devices().values()), self.bonds(self.hub)

    def destroyed(self):
        demand(not self.insole(0).of("erase") or self.insole(0).of("erase")[-1]["monotonic"] < self.backed_up, "the visit was over too soon")
        self.world.ask("insole-reboot", 1)
        self.world.ask("insole-record", 1, 900)
        self.world.ask("band-record", 0, 60_000)
        self.world.ask("wrist-wear", FIT, 120)
        self.world.ask("wrist-wear", MOYOUNG, 120)
        self.world.ask("sensor-keep", SPOT_OXIMETER, *KEPT)
        self.phases.pause()
        self.hub.stop(signal.SIGKILL)
        self.died = time.monotonic()
        erased = [line for line in self.insole(0).of("erase", "rest") if line["monotonic"] > self.backed_up]
        demand(not erased, f"the visit was over: {erased}")
        shutil.rmtree(self.hub.store)

    # --- the spare ---

    def restored(self):
        # The spare was tried before it went on the shelf.
        self.spare.start()
        demand(self.spare.stop() == 0, f"it ended with {self.spare.process.returncode}")
        wrong = self.first.folder / "wrong"
        wrong.write_text("not this\n")
        words = ("--config", self.spare.configuration, "restore", self.backup, "--take-radio-address", "--passphrase-file")
        done = self.spare.shell(*words, wrong, asks=False, timeout=60)
        demand(done.returncode != 0 and "H4202" in done.stderr, f"a wrong passphrase ended with {done.returncode}: {done.stdout}{done.stderr}")
        begin = time.monotonic()
        said = self.spare.say(*words, self.passphrase, asks=False, timeout=120)
        self.report.by_clock("time of a restore", f"{time.monotonic() - begin:.1f} s")
        self.report.measured("restored", said.splitlines()[0])
        demand("sudo systemctl start hearthd" in said, said)
        other = pathlib.Path(f"{self.spare.configuration}.from-backup")
        demand(other.read_text() == self.first.configuration.read_text(), "the other hub's configuration is not beside this one's")

    def same(self):
        self.phases.pause()
        self.hub = self.spare
        self.started = time.monotonic()
        self.hub.start()
        demand(sorted(device["name"] for device in self.hub.devices().values()) == self.names, self.hub.say("devices"))
        demand(self.bonds(self.hub) == self.bonds_before, f"bonds are {self.bonds(self.hub)}, were {self.bonds_before}")
        demand("H3115" not in self.hub.say("status"), "the adapter has another address than the backup says")

    def home_again(self):
        self.wait_until_home()
        for wrist, name in ((FIT, "wrist-fit"), (MOYOUNG, "wrist-moy")):
            self.synced(wrist, name)
        self.report.measured("from the start of the spare until all are at home and empty", f"{time.monotonic() - self.started:.1f} s")

    def synced(self, wrist, name):
        def done():
            began = time.monotonic()
            answer = self.hub.shell("sync", name, timeout=90)
            if answer.returncode == 0:
                self.synced_at[wrist] = began
            return answer.returncode == 0

        eventually(done, PATIENCE, lambda: f"hearth sync {name}: {self.hub.say('device', name)}", every=2)

    def nobody_paired(self):
        for number in range(len(INSOLES)):
            self.none_of(f"insole {number}", self.insole(number).lines, "pairing-request", "paired", "pairing-failed")
            demand(any(line["event"] == "encrypted" and line["on"] and line["monotonic"] > self.died for line in self.insole(number).lines), f"insole {number} is not encrypted")
        self.none_of("band", self.band().lines, "paired")
        demand(self.band().of("encrypted", since=self.died), "the Polar 360 is not encrypted")
        self.none_of("wrist-fit", self.wrist(FIT).lines, "bind", "wipe")

    def none_of(self, who, lines, *events):
        found = [line for line in lines if line["event"] in events and line["monotonic"] > self.died]
        demand(not found, lambda: f"{who}: {found[:3]}")

    def nothing_twice(self):
        lines = self.insole(0).of("recorded", "read")
        name, size = [(line["name"], line["size"]) for line in lines if line["event"] == "recorded"][-1]
        reads = [line for line in lines if line["event"] == "read"]
        old = [line for line in reads if line["monotonic"] > self.died and line["name"] != name]
        demand(not old, lambda: f"of files that were safe: {old[:3]}")
        mine = [(line["monotonic"], line["length"]) for line in reads if line["name"] == name]
        before = sum(length for moment, length in mine if moment < self.backed_up)
        between = sum(length for moment, length in mine if self.backed_up <= moment <= self.died)
        after = sum(length for moment, length in mine if moment > self.died)
        self.report.measured("bytes of the half-fetched file: all; safe before the backup, lost with the card, asked for by the spare", f"{size}; {before}, {between}, {after}")
        demand(before >= STEP and after <= size - before + STEP, f"the spare began again: it asked for {after} of {size} bytes, and {before} were durable before the backup")
        served = [(line["path"], line["monotonic"] > self.died) for line in self.band().of("served") if line["path"].endswith(".REC")]
        twice = {path for path, is_after in served if is_after} & {path for path, is_after in served if not is_after}
        # A recording of one name may be another one, which was begun since.
        begun_since = {line["path"] for line in self.band().of("recorded", since=self.backed_up)} | {line["path"] for line in self.band().of("running", since=self.backed_up)}
        demand(not twice - begun_since, f"both hubs took {twice - begun_since} of the Polar 360")

    # --- the books ---

    def end(self):
        time.sleep(COMMIT_EVERY + 1)
        self.ended = time.monotonic()
        demand(self.hub.stop() == 0, f"it ended with {self.hub.process.returncode}")

    def export(self, name):
        words = ("--store", self.hub.store, "export", "--format", "ndjson", "--device", name)
        return parse_export(self.hub.say(*words, asks=False, allowed=(0, 3), timeout=60))

    def insole_bytes(self):
        found = books.raw_items(self.hub.store)
        total = 0
        for number in range(len(INSOLES)):
            had = [len(activity(number, index, count)) for index, count in enumerate(INSOLES[number], 1)]
            sizes = sorted(had + [line["size"] for line in self.insole(number).of("recorded")])
            kept = found.get(insole_address(number), [])
            demand(sorted(map(len, kept)) == sizes, f"insole {number}: {sorted(map(len, kept))} bytes are kept, {sizes} were recorded")
            demand(len(set(kept)) == len(kept), f"insole {number}: one file twice")
            total += sum(sizes)
        self.report.measured("bytes of the insoles' files", total)

    def band_bytes(self):
        made = {}
        for line in self.band().of("recorded"):
            made.setdefault(line["path"], []).append(line["size"])
        removed = [path for path in self.band().removed() if path.endswith(".REC")]
        wanted = sorted(size for path in removed for size in made[path])
        kept = [len(content) for content in books.raw_items(self.hub.store).get(polar_band.ADDRESS, [])]
        for size in wanted:
            demand(kept.count(size) == wanted.count(size), f"{kept.count(size)} recordings of {size} bytes are kept, {wanted.count(size)} were removed")
        self.report.measured("recordings of the Polar 360, bytes", f"{len(wanted)}, {sum(wanted)}")

    def wrists(self):
        now = datetime.datetime.now(zoneinfo.ZoneInfo(ZONE))
        yesterday = (now.replace(hour=0, minute=0, second=0, microsecond=0) - datetime.timedelta(days=1)).timestamp()
        for wrist, name in ((FIT, "wrist-fit"), (MOYOUNG, "wrist-moy")):
            oldest = yesterday if wrist == MOYOUNG else 0
            account = Account(name, FAMILIES[wrist], self.wrist(wrist), self.export(name), wrist_address(wrist), self.report, oldest, self.synced_at[wrist])
            account.of_moments()
            account.nights()
            account.half_hours()
            self.report.measured(f"items of {name}", account.found)

    def spot_checks(self):
        kept = self.world.status()["sensors"][SPOT_OXIMETER]["kept"]
        found = [one for one in self.export("spot-oximeter") if one["series"] == "spo2" and one["origin"] == "fetched"]
        demand(len(found) == kept and len({one["seconds"] for one in found}) == kept, f"{len(found)} spot-checks are in the export, {kept} are kept")
        self.report.measured("spot-checks", kept)

    def beats(self):
        cuts = [(self.backed_up, self.started), (self.ended - COMMIT_EVERY, float("inf"))]
        heard, missing, _ = compare(StrapLog(f"{self.world.logs}/strap-0.jsonl"), self.export("strap-01"), address_of(0), cuts)
        self.report.measured("beats in both accounts, beats from the backup to the spare", f"{heard}, {missing}")


def main(arguments):
    folder = scratch("spare")
    clock.put_to(polar_data.BAND_NOON)
    clock.trust()
    report = Report()
    offset = int(datetime.datetime.now(zoneinfo.ZoneInfo(ZONE)).utcoffset().total_seconds())
    world = World(
        folder, "--straps", "1", "--rssi=-45", "--h10s", "1", "--senses", "1", "--bands", str(BAND_BYTES),
        "--insoles", ",".join("head:" + ":".join(map(str, counts)) for counts in INSOLES),
        "--sensors", "oximeter,spot-oximeter", "--wrists", "fitcloud,moyoung", "--wrist-offset", str(offset),
    )
    hubs = []
    for name in ("first", "spare"):
        hub = Hub(folder / name, arguments.programs, "none")
        # All may stay linked.
        text = hub.variant().replace("radio:\n", f"radio:\n  slots: {len(WEARABLES) + 2}\n").replace("  name: lab\n", f"  name: {name}\n  timezone: {ZONE}\n")
        hub.configuration.write_text(text + LANE)
        hubs.append(hub)
    act = Spare(report, world, *hubs, folder, arguments.seed)
    load = arguments.load and Load(act.phases.draw, world, *hubs)
    try:
        act.all()
    finally:
        if load:
            load.end()
        for hub in hubs:
            hub.end_for_sure()
        world.close()
    return conclude(report, act.hub, arguments.keep, folder)


if __name__ == "__main__":
    sys.exit(main(parser_with_load(parser_with_troubles(__doc__)).parse_args()))
