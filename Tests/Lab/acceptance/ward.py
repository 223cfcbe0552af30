#!/usr/bin/env python3
"""A strap, an oximeter, a thermometer and cuffs that are there for ten seconds, beside insoles that are fetched. Every value that was reported by their logs is in the export
once.

    Tests/Lab/in-lab -t 400 PYTHON Tests/Lab/acceptance/ward.py --programs .build/release
    Tests/Lab/in-lab -t 1200 PYTHON Tests/Lab/acceptance/ward.py --programs .build/release --minutes 10 --cuffs 10

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt. Takes about two minutes of the lab's time. `--minutes` is how long they are all at it, `--cuffs` how
many there are. No bound here depends on how fast the machine is, but for how long it is waited until something has happened at all.
"""
import datetime
import decimal
import fractions
import pathlib
import signal
import struct
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from ledger import StrapLog, compare, pair, parse_export, series_of  # noqa: E402
from report import Report, demand, eventually, stalls  # noqa: E402
from scene import COMMIT_EVERY, Hub, Load, Phases, World, address_of, conclude, parser, parser_with_load, scratch, sensor_address  # noqa: E402

OXIMETER, THERMOMETER, SPOT_OXIMETER, FIRST_CUFF = 0, 1, 2, 3
INSOLES = (("head", 30, 2000), ("head", 900))
LANE = """\
lane:
  visit_bound: 30s
  fresh: 5s
"""
SLACK = 2.5  # s, as in ledger.py
HEARD = 10  # s that a cuff is heard after a measurement
AWAY = 12, 300  # records that the oximeter took while it was away for an hour, and the seconds between two of them
MANY = 160  # records of the transfer in the middle of which the daemon is killed, 30 ms each
KILLED_WITHIN = 2  # s from an eighth of that transfer to the kill
PATIENCE = 240  # s until something has happened at all
MERCURY = fractions.Fraction(133322387415, 10**12)  # kPa


def insole_address(number):
    return f"F0:B0:72:00:00:{number:02X}"


def rounded(number, places):
    """Of a fraction, halves away from zero, as a decimal."""
    scaled = abs(number) * 10**places
    whole = int(scaled + fractions.Fraction(1, 2))
    return decimal.Decimal(whole if number >= 0 else -whole).scaleb(-places)


class Ward:
    def __init__(self, report, world, hub, arguments):
        self.report, self.world, self.hub = report, world, hub
        self.seconds = arguments.minutes * 60
        self.phases = Phases(report, arguments.seed)
        self.kills_cuffs = arguments.kill_after_confirmation
        self.cuffs = range(FIRST_CUFF, FIRST_CUFF + arguments.cuffs)
        self.cuts = []  # (begin, moment): what left from begin until the next subscription after moment need not be there
        self.samples = []

    def all(self):
        step = self.report.step
        step("the daemon starts, and everybody is enrolled", self.enrol)
        step("strap, oximeter and thermometer are live", self.wait_until_live)
        if self.report.failed:
            return
        step("the thermometer asks the hub for the time, and is told it", self.hub_time)
        step(f"for {self.seconds:.0f} s they go on while insoles are fetched and cuffs are used", self.day)
        step("an oximeter that was away for an hour comes home, and its spot-checks are fetched", self.away)
        step("the daemon is killed in the middle of a transfer of records", self.killed)
        if self.kills_cuffs:
            step("and again right after it confirmed a cuff's reading, which the cuff has forgotten", self.killed_after_reading)
        step("what the cuffs still keep is taken", self.taken)
        step("SIGTERM ends it cleanly", self.end)
        step("every spot-check that the oximeter keeps is in the export once, at its time", self.spot_checks)
        step("every reading that a cuff took is in the export once, with its quality", self.readings)
        step("every temperature that was confirmed or notified is in the export once, with its quality", self.temperatures)
        step("every saturation that was notified is in the export once", self.saturations)
        step("every beat of the strap is in the export once", self.beats)

    # --- logs ---

    def lines(self, sensor, *events):
        return self.world.log("sensor", sensor, *events)

    def erased(self, insole):
        with open(f"{self.world.logs}/insole-{insole}.jsonl") as file:
            return sum('"event": "erase"' in line for line in file)

    def kept(self, sensor):
        return self.world.status()["sensors"][sensor]["kept"]

    # --- life ---

    def enrol(self):
        self.phases.pause()
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "300s")
        wanted = {address_of(0): "strap-01", sensor_address(OXIMETER): "oximeter", sensor_address(THERMOMETER): "thermometer"}
        wanted |= {sensor_address(SPOT_OXIMETER): "spot-oximeter"}
        wanted |= {insole_address(number): f"insole-0{number + 1}" for number in range(len(INSOLES))}
        for address, name in wanted.items():
            self.hub.accept(address, name)
        for cuff in self.cuffs:
            self.measure_and_accept(cuff)
        self.hub.json("enroll", "close")
        for cuff in self.cuffs:
            self.world.ask("sensor-heard", cuff, HEARD)

    def measure_and_accept(self, cuff):
        """The cuff is heard for half a minute after each use: used again until it is in."""

        def accepted():
            self.world.ask("sensor-measure", cuff)
            try:
                self.hub.accept(sensor_address(cuff), f"cuff-{cuff}", within=20)
            except Exception:  # not heard yet
                return False
            return True

        eventually(accepted, PATIENCE, f"cuff {cuff} is not enrolled")

    def is_live(self, address):
        return self.hub.devices().get(address, {}).get("state") == "live"

    def wait_until_live(self):
        for address in (address_of(0), sensor_address(OXIMETER), sensor_address(THERMOMETER)):
            eventually(lambda: self.is_live(address), PATIENCE, lambda: f"{address} is not live: {self.hub.say('devices')}", every=0.5)

    def hub_time(self):
        eventually(lambda: self.lines(THERMOMETER, "hub-time"), PATIENCE, lambda: f"it says {self.lines(THERMOMETER, 'no-hub-time')}", every=0.5)
        line = self.lines(THERMOMETER, "hub-time")[-1]
        told = {name: bytes.fromhex(value) for name, value in line["told"].items()}
        demand(set(told) == {"2A2B", "2A0F"}, f"the hub has {sorted(told)}")
        year, month, day, hour, minute, second, weekday, fraction, _ = struct.unpack("<HBBBBBBBB", told["2A2B"])
        shown = datetime.datetime(year, month, day, hour, minute, second, tzinfo=datetime.timezone.utc)
        off = shown.timestamp() + fraction / 256 - line["wall"]
        demand(abs(off) <= SLACK + stalls.around(line["monotonic"]) and weekday == shown.isoweekday(), f"it was told {shown}, {off} s off, weekday {weekday}")
        demand(told["2A0F"] == bytes(2), f"its zone is {told['2A0F'].hex()}, and the hub's is UTC")

    def day(self):
        end, turn, files = time.monotonic() + self.seconds, 0, 0
        before = [self.erased(number) for number in range(len(INSOLES))]
        while time.monotonic() < end:
            insole = turn % len(INSOLES)
            if turn % 2 == 0:
                self.world.ask("insole-reboot", insole)
                self.world.ask("insole-record", insole, 900)
                files += 1
            self.world.ask("sensor-measure", self.cuffs[turn % len(self.cuffs)])
            turn += 1
            time.sleep(5)
            self.phases.pause(2)
        served = sum(self.erased(number) for number in range(len(INSOLES))) - sum(before)
        self.report.measured("files that the insoles recorded, erasures after they were fetched, uses of cuffs", f"{files}, {served}, {turn}")
        eventually(lambda: sum(self.erased(number) for number in range(len(INSOLES))) > sum(before), PATIENCE, "no insole was fetched meanwhile", every=1)

    def wait_for_records(self, count):
        """Until so many spot-checks are in the export."""
        eventually(lambda: len(self.fetched()) >= count, PATIENCE, lambda: f"{len(self.fetched())} of {count} records are in the export", every=1)

    def fetched(self):
        samples = parse_export(self.hub.say("export", "--format", "ndjson", "--device", "spot-oximeter", "--series", "spo2"))
        return [sample for sample in samples if sample["origin"] == "fetched"]

    def records(self):
        return self.world.status()["sensors"][SPOT_OXIMETER]["kept"]

    def away(self):
        self.wait_for_records(self.records())
        self.world.ask("sensor-vanish", SPOT_OXIMETER)
        self.world.ask("sensor-keep", SPOT_OXIMETER, *AWAY)
        self.world.ask("sensor-return", SPOT_OXIMETER)
        self.wait_for_records(self.records())
        self.report.measured("records that are in the export", len(self.fetched()))

    def kill(self):
        moment = time.monotonic()
        self.cuts.append((moment - COMMIT_EVERY - 0.5, moment))
        self.hub.stop(signal.SIGKILL)
        time.sleep(1)
        self.hub.start()

    def killed(self):
        """The next report has all that it keeps."""
        self.world.ask("sensor-keep", SPOT_OXIMETER, MANY, 1)
        count = self.records()
        begun = len(self.lines(SPOT_OXIMETER, "report"))
        self.hub.shell("visit", "now", "spot-oximeter")
        eventually(lambda: len(self.lines(SPOT_OXIMETER, "report")) > begun, PATIENCE, "its records are not asked for", every=0.02)
        told = len(self.told_records())
        eventually(lambda: len(self.told_records()) > told + MANY // 8, PATIENCE, "its records are not told", every=0.02)
        self.phases.pause(KILLED_WITHIN)
        self.kill()
        ended = len(self.lines(SPOT_OXIMETER, "reported"))
        demand(ended <= begun, "the transfer was over before the daemon was killed")
        self.wait_for_records(count)

    def killed_after_reading(self):
        cuff = self.cuffs[0]
        before = len(self.confirmed(cuff))
        eventually(lambda: self.used(cuff, before), PATIENCE, "no reading of a cuff is taken", every=0.02)
        self.kill()

    def used(self, cuff, before):
        """Uses it if no reading is under way; whether a reading more was confirmed."""
        if len(self.confirmed(cuff)) > before:
            return True
        if not self.kept(cuff) or time.monotonic() - getattr(self, "used_at", 0) > HEARD + 5:
            self.used_at = time.monotonic()
            self.world.ask("sensor-measure", cuff)
        return False

    def confirmed(self, sensor):
        return self.lines(sensor, "confirm")

    def told_records(self):
        return [line for line in self.lines(SPOT_OXIMETER, "confirm") if line.get("characteristic") == "2A5E"]

    def taken(self):
        for cuff in self.cuffs:

            def empty():
                if not self.kept(cuff):
                    return True
                self.world.ask("sensor-measure", cuff)
                deadline = time.monotonic() + HEARD + 5
                while self.kept(cuff) and time.monotonic() < deadline:
                    time.sleep(0.2)
                return not self.kept(cuff)

            eventually(empty, PATIENCE, lambda: f"cuff {cuff} keeps {self.kept(cuff)} readings", every=0.5)

    def end(self):
        time.sleep(COMMIT_EVERY + 1)
        moment = time.monotonic()
        self.cuts.append((moment, float("inf")))
        demand(self.hub.stop() == 0, f"it ended with {self.hub.process.returncode}")
        # Not the insoles: what they record in ten minutes is a gigabyte of lines.
        for name in ("strap-01", "oximeter", "thermometer", "spot-oximeter", *(f"cuff-{cuff}" for cuff in self.cuffs)):
            words = ("--store", self.hub.store, "export", "--format", "ndjson", "--device", name)
            self.samples += parse_export(self.hub.say(*words, asks=False, allowed=(0, 3)))

    # --- the books ---

    def deaf(self, sensor):
        """Times in which it may have gone unheard: from the commit window before a kill until it was subscribed to again."""
        again = [one["monotonic"] for one in self.lines(sensor, "subscribe")]
        return [(begin, min((one for one in again if one > moment), default=float("inf"))) for begin, moment in self.cuts]

    def hold(self, sensor, series, wanted):
        """The export has exactly the values of the log, in order and once. `wanted` has (line, value, is low)."""
        deaf = self.deaf(sensor)
        heard = [sample for sample in series_of(self.samples, sensor_address(sensor), series) if sample["origin"] == "live"]

        def distance(told, sample):
            line, value, _ = told
            seconds = abs(sample["seconds"] - line["wall"])
            return seconds if decimal.Decimal(sample["value"]) == value and seconds <= SLACK + stalls.around(line["monotonic"]) else None

        def may_miss(told):
            return any(begin <= told[0]["monotonic"] <= end for begin, end in deaf)

        pairs = pair(wanted, heard, distance, may_miss, lambda told: f"sensor {sensor}, {series} {told[0]['sequence']}, {told[1]} sent at {told[0]['wall']:.3f},")
        for (line, _, is_low), sample in pairs:
            demand((sample.get("quality") == "low") == is_low, f"sensor {sensor}, {series} {line['sequence']}: its quality is {sample.get('quality')}")
        return len(pairs), len(wanted) - len(pairs)

    def saturations(self):
        lines = [line for line in self.lines(OXIMETER, "notify") if line["is_sample"]]
        told = {
            "spo2": [(line, decimal.Decimal((line["oxygen"] + 5) // 10), False) for line in lines],
            "pulse_rate": [(line, decimal.Decimal(line["pulse"]) / 10, False) for line in lines],
        }
        for series, wanted in told.items():
            found, missing = self.hold(OXIMETER, series, wanted)
            self.report.measured(f"values of {series}, and those of the moments before a kill", f"{found}, {missing}")

    def temperatures(self):
        wanted = []
        for line in self.lines(THERMOMETER, "notify", "indicate"):
            if not line["is_sample"]:
                continue
            told = fractions.Fraction(line["temperature"], 10)
            celsius = (told - 32) * 5 / 9 if line["unit"] == "0.1 degF" else told
            wanted.append((line, rounded(celsius, 3), line["event"] == "notify"))
        found, missing = self.hold(THERMOMETER, "body_temperature", wanted)
        self.report.measured("temperatures, and those of the moments before a kill", f"{found}, {missing}")

    def readings(self):
        """Those that the cuff has taken, whatever became of links and daemons: the cuff forgets only what was confirmed."""
        total = repeated = 0
        for cuff in self.cuffs:
            demand(not self.lines(cuff, "overwritten"), f"cuff {cuff} ran full")
            told = {}
            for line in self.lines(cuff, "indicate"):
                if line.get("characteristic") == "2A35":
                    told.setdefault(line["sequence"], []).append(line)
            for series, number in (("blood_pressure_systolic", "systolic"), ("blood_pressure_diastolic", "diastolic"), ("blood_pressure_mean", "mean")):
                heard = series_of(self.samples, sensor_address(cuff), series)
                wanted = [line for line in self.lines(cuff, "measure") if line["is_sample"]]
                for line in wanted:
                    value = fractions.Fraction(line[number], 10) / MERCURY if line["unit"] == "0.1 kPa" else fractions.Fraction(line[number])
                    times = [one for one in told.get(line["sequence"], [])]
                    demand(times, f"cuff {cuff}: reading {line['sequence']} was never asked for")
                    # When it was told, or when it was measured: by a cuff's clock, which shows whole seconds.
                    def is_its(moment):
                        when = [(one, SLACK) for one in times] + [(line, 1 + SLACK)]
                        return any(abs(moment - one["wall"]) <= slack + stalls.around(one["monotonic"]) for one, slack in when)

                    same = [
                        sample for sample in heard if decimal.Decimal(sample["value"]) == rounded(value, 2) and is_its(sample["seconds"])
                    ]
                    demand(len(same) == 1, f"cuff {cuff}: reading {line['sequence']} is {len(same)} times in the export, {series} {rounded(value, 2)}")
                    is_low = line.get("status", 0) & 0x27 != 0
                    demand((same[0].get("quality") == "low") == is_low, f"cuff {cuff}: reading {line['sequence']} has the quality {same[0].get('quality')}")
                demand(len(heard) == len(wanted), f"cuff {cuff}: {len(heard)} of {series} in the export, {len(wanted)} were taken")
            total += sum(line["is_sample"] for line in self.lines(cuff, "measure"))
            repeated += sum(len(times) > 1 for times in told.values())
        self.report.measured("readings of cuffs, all in the export once; those that were sent more than once", f"{total}, {repeated}")

    def spot_checks(self):
        records = self.lines(SPOT_OXIMETER, "record", "measure")
        for series, number in (("spo2", "oxygen"), ("pulse_rate", "pulse")):
            heard = [sample for sample in series_of(self.samples, sensor_address(SPOT_OXIMETER), series) if sample["origin"] == "fetched"]
            demand(len(heard) == len(records), f"{len(heard)} of {series} were fetched, {len(records)} are kept")
            left = list(heard)
            for line in records:
                value = decimal.Decimal(line[number]) / 10
                same = [sample for sample in left if decimal.Decimal(sample["value"]) == value and abs(sample["seconds"] - line["measured"]) <= SLACK]
                demand(same, f"record {line['sequence']}: {series} {value} at {line['measured']:.0f} is not in the export")
                left.remove(same[0])
        self.report.measured("spot-checks that are in the export, each once", len(records))

    def beats(self):
        log = StrapLog(f"{self.world.logs}/strap-0.jsonl")
        heard, missing, longest = compare(log, self.samples, address_of(0), self.cuts)
        self.report.measured("beats in both accounts, beats sent while the hub was cut off", f"{heard}, {missing}")


def main(arguments):
    folder = scratch("ward")
    clock.trust()
    report = Report()
    sensors = ["oximeter", "thermometer", "spot-oximeter"] + ["cuff"] * arguments.cuffs
    insoles = ",".join(":".join(map(str, insole)) for insole in INSOLES)
    world = World(folder, "--straps", "1", "--rssi=-45", "--insoles", insoles, "--sensors", ",".join(sensors))
    hub = Hub(folder, arguments.programs, "none")
    # All may stay linked, and so may a cuff that comes by.
    hub.configuration.write_text(hub.variant().replace("radio:\n", f"radio:\n  slots: {6 + arguments.cuffs}\n") + LANE)
    act = Ward(report, world, hub, arguments)
    load = arguments.load and Load(act.phases.draw, world, hub)
    try:
        act.all()
    finally:
        if load:
            load.end()
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    words = parser_with_load(parser(__doc__))
    words.add_argument("--minutes", type=float, default=0.5, help="how long everybody is at it")
    words.add_argument("--cuffs", type=int, default=2, help="how many cuffs there are")
    words.add_argument("--kill-after-confirmation", action="store_true", help="kill the daemon, too, right after it confirmed a cuff's reading")
    sys.exit(main(words.parse_args()))
