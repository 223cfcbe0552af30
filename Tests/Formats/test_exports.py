"""Exports for other tools: every number that NDJSON has comes back from them, at its time."""
import collections
import datetime
import fractions
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

import exports
import hearthstore
import making
import test_programs
import test_store
from chunks import Item
from making import fetched, live
from test_store import SECOND, T

Fraction = fractions.Fraction
# Rows of these are annotations, whatever their layout is.
KINDS = ("maximum", "minimum", "resting")
EVENTS = {"rr_interval", "ppi", "training", "sleep", "recharge"}


def seconds(text):
    """Of a time in UTC, exactly."""
    whole, _, rest = text.rstrip("Z").partition(".")
    return int(datetime.datetime.fromisoformat(whole + "+00:00").timestamp()) + Fraction("0." + (rest or "0"))


def parsed(line):
    return json.loads(line, parse_float=Fraction, parse_int=Fraction)


def expected(rows):
    """From lines of NDJSON: {(series, component, origin, kind): [(time, number)]} of what is a signal, and the rest of the rows."""
    signals, events = collections.defaultdict(list), []
    for row in rows:
        series, value = row["series"], row.get("value")
        is_signal = series not in EVENTS and value is not None and "end" not in row
        if not is_signal:
            events.append(row)
            continue
        key = row["origin"], row.get("kind", "")
        begin = seconds(row["time"])
        samples = value if "period_ns" in row else [value]
        for place, sample in enumerate(samples):
            at = begin + place * row.get("period_ns", 0) / 10 ** 9
            for component, number in enumerate(sample if isinstance(sample, list) else [sample]):
                # Places are 1e-7 degrees there, and degrees in a signal.
                scale = 10 ** 7 if series == "location" and component < 2 else 1
                signals[(series, component, *key)].append((at, number / scale))
    return signals, events


class ExportCase(unittest.TestCase):
    """A store that is made here, and its exports."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="hearth-exports.")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.store = self.folder / "store"
        self.store.mkdir()

    def program(self, name):
        if test_programs.PROGRAMS is None:
            self.skipTest("no --programs")
        return str(test_programs.PROGRAMS / name)

    def hearth(self, *words, socket=None):
        where = ["--socket", str(socket)] if socket else ["--store", str(self.store)]
        run = subprocess.run([self.program("hearth"), *where, "export", *words], capture_output=True, timeout=300)
        self.said = run.stderr.decode(errors="replace")
        self.assertEqual(run.returncode, 0, self.said)
        return run.stdout

    def rows(self, *words, socket=None):
        lines = self.hearth(*words, socket=socket).decode().splitlines()
        return [row for row in map(parsed, lines) if "series" in row]

    def make(self, rings, **more):
        registry = {test_store.u32(number): test_store.wearable(number, f"strap-0{number}") for number in (1, 2)}
        tables = dict.fromkeys(hearthstore.TABLES, {}) | test_store.ring_tables(rings) | {"registry": registry} | more
        making.store(self.store, tables, 6)

    def ecg(self, start, blocks, ring=None, size=70, period=7_692_308, jitter=0, seed=1):
        """Blocks of a waveform from a time on, microseconds; numbers wander within 16 bits."""
        source, items, at, value = random.Random(seed), [], start, 0
        for _ in range(blocks):
            numbers = []
            for _ in range(size):
                value = max(-20_000, min(20_000, value + source.randint(-300, 300)))
                numbers.append(value)
            items.append(Item(at + source.randint(-jitter, jitter), 0, (period, size, 0), struct.pack(f"<{size}h", *numbers)))
            at += size * period // 1000
        return [items[place:place + 20] for place in range(0, len(items), 20)]


class Exports(ExportCase):
    # MARK: EDF

    def check_edf(self, *words, socket=None, patience=3):
        """Compares a file with NDJSON; returns it and the rows. `patience` is in seconds."""
        rows = self.rows(*words, socket=socket)
        file = exports.File(self.hearth("--format", "edf", *words, socket=socket))
        signals, events = expected(rows)
        texts = collections.Counter(text.split(" [")[0].split(" (")[0] for _, _, text in file.annotations)
        found, components = collections.defaultdict(list), collections.defaultdict(list)
        for name, cells in file.signals:
            name, origin, kind, *_ = name.split(" ")
            series, _, component = name.partition(".")
            if component not in components[series]:
                components[series].append(component)
            found[series, components[series].index(component), origin, kind if kind in KINDS else ""] += cells
        self.assertEqual(set(found), set(signals))
        for key, wanted in signals.items():
            cells = found[key]
            # What found no cell is an annotation.
            rest = collections.Counter(number for _, number in wanted)
            rest.subtract(number for _, number in cells)
            self.assertTrue(all(count >= 0 for count in rest.values()), f"{key}: {[n for n, c in rest.items() if c < 0][:5]}")
            for number in rest.elements():
                shown = [text for text in texts if text.split(" ")[0] == key[0] and Fraction(text.split(" ")[1]) == number and texts[text]]
                self.assertTrue(shown, f"{key}: {number} is not there")
                texts[shown[0]] -= 1
            if not any(rest.values()):
                times = zip(sorted(time for time, _ in wanted), sorted(time for time, _ in cells))
                self.assertLess(max(abs(one - other) for one, other in times), patience, key)
        beats = collections.Counter((time, Fraction(text.split(" ")[1])) for time, _, text in file.annotations if text.startswith("rr_interval "))
        self.assertEqual(beats, collections.Counter(
            (seconds(row["time"]), row["value"]) for row in events if row["series"] == "rr_interval"))
        return file, rows

    def test_twenty_minutes_of_ecg_with_heart_rate_and_beats(self):
        self.make({
            live(1, 1): [[test_store.pulse(second, 60 + second % 90) for second in range(begin, begin + 100)] for begin in range(0, 1200, 100)],
            live(1, 2): [[Item(T + place * 930_000, 0, (952 + place % 7,), b"") for place in range(begin, begin + 100)] for begin in range(0, 1200, 100)],
            live(1, 6): self.ecg(T, 2230, jitter=1000),
        })
        file, rows = self.check_edf("--device", "strap-01")
        self.assertEqual(file.kind, "EDF+C")
        wave = next(cells for name, cells in file.signals if name.startswith("ecg "))
        wanted = [number for row in rows if row["series"] == "ecg" for number in row["value"]]
        self.assertEqual([number for _, number in wave], wanted)
        # No hole: as many cells as there are from the first to the last.
        self.assertEqual(round((wave[-1][0] - wave[0][0]) * 130) + 1, len(wave))

    def test_a_hostile_store(self):
        """Gaps, streams that overlap, a clock that steps, two wearables, low quality, a record, and a series without rows."""
        hour = 3600 * SECOND
        self.make({
            live(1, 1): [[test_store.pulse(second, 60) for second in range(50)] + [test_store.pulse(second, 70, flags=0x20) for second in range(20, 80)],
                         [test_store.pulse(9000 + second, 80 + second) for second in range(30)]],
            fetched(1, 1): [[test_store.pulse(second, 65, flags=1) for second in range(50)] + [test_store.pulse(0, 190, flags=1 | 1 << 3)]],
            live(1, 6): self.ecg(T, 40) + self.ecg(T + 5 * SECOND, 40, seed=2) + self.ecg(T + hour, 3, seed=3),
            live(1, 8): [[Item(T + 480_000 * place, 0, (20_000_000, 24, 0), struct.pack("<72h", *range(-36, 36))) for place in range(20)]],
            fetched(1, 21): [[Item(T, 1, (2,), b"bytes")]],
            fetched(1, 15): [[Item(T - hour, 1, (60 * SECOND, 90), b"")]],
            live(2, 1): [[test_store.pulse(second, 100 + second) for second in range(40)]],
            live(2, 14): [[test_store.pulse(7 * second, 97) for second in range(40)]],
        })
        file, _ = self.check_edf("--device", "strap-01", "--device", "strap-02")
        self.assertEqual(file.kind, "EDF+D")
        self.assertIn("stretches with gaps", self.said)
        texts = [text for _, _, text in file.annotations]
        self.assertIn("steps 90 steps fetched [strap-01]", texts)
        self.assertIn("exercise not in this file fetched [strap-01]", texts)
        self.assertTrue([text for text in texts if text.startswith("heart_rate: low quality")])
        self.assertTrue([text for text in texts if text.startswith("gap in ecg")])
        self.assertIn("overlapping-2", " ".join(name for name, _ in file.signals))
        for words in (["--device", "strap-02", "--series", "weight"], ["--device", "strap-01", "--until", "2020-01-01"]):
            run = subprocess.run([self.program("hearth"), "--store", str(self.store), "export", "--format", "edf", *words], capture_output=True)
            self.assertEqual((run.returncode, run.stdout), (2, b""))
            self.assertIn(b"no samples are there", run.stderr)

    def test_numbers_of_24_bits_are_bdf(self):
        light = struct.pack("<8i", 0, 0, 0, 0, 70_000, -5, 3, 8_388_607)
        self.make({live(1, 7): [[Item(T + 100_000 * place, 0, (50_000_000, 2, 2), light) for place in range(30)]]})
        file, _ = self.check_edf("--device", "strap-01")
        self.assertEqual(file.kind, "BDF+C")
        self.assertIn("BDF+", self.said)
        self.make({live(1, 7): [[Item(T, 0, (50_000_000, 1, 2), struct.pack("<4i", 0, 1, -2 ** 31, 2 ** 31 - 1)),
                                 Item(T + SECOND, 0, (50_000_000, 1, 2), struct.pack("<4i", 0, 1, 2, 3))]]})
        run = subprocess.run([self.program("hearth"), "--store", str(self.store), "export", "--format", "edf", "--device", "strap-01"],
                             capture_output=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"more than 24 bits", run.stderr)

    # MARK: FIT

    def check_fit(self, *words, socket=None):
        """Compares a file with NDJSON, each number of each second."""
        rows = self.rows(*words, socket=socket)
        file = exports.Activity(self.hearth("--format", "fit", *words, socket=socket))
        trainings = sorted((seconds(row["time"]), row["value"]) for row in rows if row["series"] == "training" and row["value"][0] == 0)
        spans = [(begin.__floor__(), begin.__floor__() + int(value[2])) for begin, value in trainings]
        values = [part for row in rows if row.get("kind") is None and row.get("quality") is None for part in self.fit_values(row)]
        if not spans:
            times = [time.__floor__() for time, *_ in values]
            spans = [(min(times), max(times))]
        records, intervals, used = [], [], -1
        for begin, end in spans:
            begin, used = max(begin, used + 1), end
            inside = sorted((value for value in values if begin <= value[0].__floor__() <= end), key=lambda value: value[0])
            counts = collections.Counter((name, source) for _, name, _, source in inside)
            # The most frequent source comes first; of equally frequent ones the one that came first.
            order = list(dict.fromkeys(source for *_, source in values))
            ranked = sorted(counts, key=lambda key: (-counts[key], order.index(key[1])))
            best = {}
            for name, source in ranked:
                best.setdefault(name, []).append(source)
            by_second = collections.defaultdict(dict)
            for time, name, number, source in inside:
                if name == "interval":
                    if source == best[name][0]:
                        intervals.append(number)
                    continue
                cell = by_second[time.__floor__()]
                rank = best[name].index(source)
                if name not in cell or rank <= cell[name][0]:
                    cell[name] = rank, number
            pedals = {"left", "right"} & set(best)
            for second in sorted(by_second):
                cell = {name: number for name, (_, number) in by_second[second].items()}
                watts = [cell.pop(name) for name in ("left", "right") if name in cell]
                if watts and len(watts) == len(pedals):
                    cell["power"] = sum(watts)
                if cell:
                    records.append((second, cell))
        self.assertEqual([time for time, _ in file.records], [time for time, _ in records])
        steps = {"heart_rate": 0, "power": 0, "distance": 0.01, "speed": 0.001, "altitude": 0.2, "position_lat": 1, "position_long": 1, "cadence": 1 / 128}
        for (time, found), (_, wanted) in zip(file.records, records):
            found = dict(found)
            if "cadence" in found:
                found["cadence"] += found.pop("fractional_cadence")
            self.assertEqual(found.keys(), wanted.keys(), time)
            for name, number in wanted.items():
                self.assertLessEqual(abs(found[name] - number), steps[name] / 2 + 1e-9, (time, name))
        self.assertEqual(len(file.intervals), len(intervals))
        self.assertTrue(all(abs(one - other) <= 0.5 for one, other in zip(file.intervals, intervals)))
        self.assertEqual([(one["start_time"] + exports.FIT_EPOCH, one["timestamp"] + exports.FIT_EPOCH) for one in file.sessions],
                         [(begin, end) for begin, end in spans])
        return file, rows

    @staticmethod
    def fit_values(row):
        """(time, name, number in the unit of FIT, source) of what a FIT file has of a row."""
        time, series, value = seconds(row["time"]), row["series"], row.get("value")
        source = row["device"], row["origin"], series
        if series == "location":
            degrees = Fraction(2 ** 31, 180 * 10 ** 7)
            return [(time, name, number, source) for name, number in
                    zip(("position_lat", "position_long", "altitude", "speed"), (value[0] * degrees, value[1] * degrees, value[2], value[3]))]
        if series == "ppi":
            interval, error, status = map(int, value)
            # Not blocked, not without contact, sure enough.
            is_valid = not status & 1 and status & 6 != 4 and error <= 30 and interval > 0
            return [(time, "interval", interval, source)] if is_valid else []
        rules = {"heart_rate": ("heart_rate", 1), "rr_interval": ("interval", 1), "cadence": ("cadence", Fraction(1, 2)),
                 "crank_cadence": ("cadence", 1), "speed": ("speed", Fraction(10, 36)), "exercise_distance": ("distance", 1),
                 "altitude": ("altitude", 1), "power_left": ("left", 1), "power_right": ("right", 1)}
        return [(time, rules[series][0], value * rules[series][1], source)] if series in rules else []

    def test_trainings_are_sessions_with_all_their_values(self):
        def each(values, begin=0):
            return [[Item(T + (begin + place) * SECOND, 1, value if isinstance(value, tuple) else (value,), b"")
                     for place, value in enumerate(values)]]
        self.make({
            live(1, 1): [[Item(T + second * SECOND + 300_000, 0, (60 + second % 90,), b"") for second in range(-50, 400)]],
            live(1, 2): [[Item(T + place * 930_000, 0, (952 + place % 7,), b"") for place in range(400)]],
            # A training of two exercises, and a shorter one.
            fetched(1, 48): [[Item(T, 1, (0, 1, 200, 812, 33, 141, 163), b""), Item(T, 1, (1, 1, 90, 0, 0, 0, 0), b""),
                              Item(T + 100 * SECOND, 1, (2, 1, 100, 0, 0, 0, 0), b""), Item(T + 300 * SECOND, 1, (0, 2, 60, 0, 0, 0, 0), b"")]],
            fetched(1, 27): each([150 + place % 40 for place in range(200)]),
            fetched(1, 29): each([90 + place % 50 for place in range(100)]) + each([95] * 50, 120),
            fetched(1, 44): each([31 * place for place in range(200)]),
            fetched(1, 43): each([4_000 - 7 * place for place in range(200)]),
            fetched(1, 12): each([(525_163_000 + 90 * place, 133_777_000 - 31 * place, 34, 3) for place in range(200)]),
            fetched(1, 46): each([100 + place for place in range(60)], 300),
            fetched(1, 47): each([90 + place for place in range(50)], 305),
            live(2, 1): [[test_store.pulse(second, 200) for second in range(0, 500, 3)]],
        })
        file, _ = self.check_fit("--device", "strap-01")
        self.assertEqual(file.file_id["type"], "activity")
        self.assertEqual(file.activity["num_sessions"], 2)
        first, second = file.sessions
        self.assertEqual((first["total_timer_time"], first["total_distance"], first["total_calories"]), (200, 812, 33))
        self.assertEqual((first["avg_heart_rate"], first["max_heart_rate"]), (141, 163))
        self.assertEqual((first["num_laps"], second["num_laps"], len(file.laps)), (2, 1, 3))
        self.assertEqual(first["sport_profile_name"], "sport 1")
        self.assertIn("outside of the trainings", self.said)
        both = self.check_fit("--device", "strap-01", "--device", "strap-02")[0]
        self.assertEqual([one["product_name"] for one in both.devices][1:], ["strap-01", "strap-02"])
        # Without the trainings all values are one session, of the sport that was given.
        words = ["--device", "strap-01", "--series", "heart_rate", "--series", "rr_interval"]
        whole = self.check_fit(*words)[0]
        self.assertEqual((len(whole.sessions), len(whole.records)), (1, 450))
        named = exports.Activity(self.hearth("--format", "fit", "--sport", "cycling", *words))
        self.assertEqual([one["sport"] for one in named.sessions + named.laps], ["cycling", "cycling"])

    def test_a_training_across_midnight_with_gaps_and_names_and_days_that_are_hidden(self):
        midnight = (T // (86_400 * SECOND) + 1) * 86_400 * SECOND
        seen = [second for second in range(-600, 601) if not -100 < second < 250]
        self.make({
            live(1, 1): [[Item(midnight + second * SECOND, 0, (120 + second % 9,), b"") for second in seen]],
            live(1, 48): [[Item(midnight - 600 * SECOND, 0, (0, 0, 1200, 0, 0, 0, 0), b"")]],
        })
        file, _ = self.check_fit("--device", "strap-01")
        self.assertEqual([time - midnight // SECOND for time, _ in file.records], seen)
        hidden = exports.Activity(self.hearth("--format", "fit", "--device", "strap-01", "--no-names", "--shift-days", "-1000"))
        self.assertNotIn(b"strap-01", hidden.data)
        self.assertEqual([(time + 86_400_000, fields) for time, fields in hidden.records], file.records)
        run = subprocess.run([self.program("hearth"), "--store", str(self.store), "export", "--format", "fit", "--device", "strap-01",
                              "--shift-days", "-20000"], capture_output=True)
        self.assertEqual((run.returncode, run.stdout), (2, b""))
        self.assertIn(b"FIT has times from 1998-07-03", run.stderr)

    # MARK: FHIR

    def check_fhir(self, *words, socket=None):
        from fhir.resources.R4B.bundle import Bundle
        from fhir.resources.R4B.observation import Observation
        lines = self.hearth("--format", "fhir", *words, socket=socket).decode().splitlines()
        found = collections.Counter()
        names = {"8867-4": "heart_rate", "8889-8": "pulse_rate", "2708-6": "spo2", "8310-5": "body_temperature", "8480-6": "blood_pressure_systolic",
                 "8462-4": "blood_pressure_diastolic", "8478-0": "blood_pressure_mean", "9279-1": "respiration_rate", "29463-7": "weight",
                 "55423-8": "steps"}
        ids = set()

        def take(part, begin):
            codes = [coding["code"] for coding in part["code"]["coding"] if coding["system"] == "http://loinc.org"]
            name = "pulse_rate" if "8889-8" in codes else names[codes[0]]
            found[name, begin, part["valueQuantity"]["value"]] += 1

        for line in lines:
            Observation.model_validate_json(line)
            one = parsed(line)
            ids.add(one["id"])
            begin = seconds(one.get("effectiveDateTime") or one["effectivePeriod"]["start"])
            for part in one.get("component", [one]):
                take(part, begin)
        self.assertEqual(len(ids), len(lines), "identifiers that are given twice")
        wanted = collections.Counter(
            (row["series"], seconds(row["time"]), row["value"]) for row in self.rows(*words, socket=socket)
            if row["series"] in names.values() and row.get("kind") in (None, "resting"))
        self.assertEqual(found, wanted)
        bundle = self.hearth("--format", "fhir-bundle", *words, socket=socket)
        Bundle.model_validate_json(bundle)
        self.assertEqual([entry["resource"] for entry in json.loads(bundle).get("entry", [])], [json.loads(line) for line in lines])
        return [json.loads(line) for line in lines]

    def test_vital_signs_are_observations(self):
        self.make({
            live(1, 1): [[test_store.pulse(second, 60 + second) for second in range(50)]],
            live(1, 14): [[test_store.pulse(second, 97) for second in range(50)]],
            live(1, 24): [[test_store.pulse(second, 14) for second in range(5)]],
            live(2, 54): [[Item(T, 0, (36_650,), b"")]],
            live(2, 56): [[Item(T, 0, (12_000,), b""), Item(T + 60 * SECOND, 0, (13_050,), b"")]],
            live(2, 57): [[Item(T, 0, (8_000,), b""), Item(T + 60 * SECOND, 0, (8_525,), b"")]],
            live(2, 58): [[Item(T, 0, (9_333,), b"")]],
            live(2, 62): [[Item(T, 0, (71_355,), b"")]],
            fetched(1, 15): [[Item(T, 1, (60 * SECOND, 90), b"")]],
            fetched(2, 1): [[test_store.pulse(0, 48, flags=1 | 3 << 3), test_store.pulse(1, 190, flags=1 | 1 << 3)]],
            fetched(1, 3): [[test_store.pulse(0, 80, flags=1)]],
        })
        made = self.check_fhir()
        self.assertEqual(sum("component" in one for one in made), 2)
        self.assertEqual(made, self.check_fhir())
        self.assertIn("left out", self.said)
        self.assertEqual(self.check_fhir("--until", "2020-01-01"), [])

    # MARK: Simulated hubs

    def lived(self, population, series, least):
        """Copies the store of a hub that lives in virtual time, once it has so many rows of a series. The hub is stopped for each copy."""
        words = ["--population", population, "--days", "1", "--wearables", "6", "--seed", "3", "--faults", "none"]
        simulation = subprocess.Popen([self.program("hearth-sim"), *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        scratch = set()
        try:
            while True:
                time.sleep(1)
                simulation.send_signal(signal.SIGSTOP)
                if simulation.poll() is not None:
                    break
                maps = pathlib.Path(f"/proc/{simulation.pid}/maps").read_text().splitlines()
                for folder in {pathlib.Path(line.split()[-1]).parent for line in maps if line.endswith("/data.mdb")}:
                    scratch.add(folder.parent)
                    shutil.rmtree(self.store)
                    subprocess.run(["cp", "-r", "--sparse=always", str(folder), str(self.store)], check=True)
                    run = subprocess.run([self.program("hearth"), "--store", str(self.store), "export", "--series", series], capture_output=True)
                    if run.returncode == 0 and run.stdout.count(b"\n") >= least:
                        return [parsed(line) for line in run.stdout.decode().splitlines()]
                simulation.send_signal(signal.SIGCONT)
        finally:
            simulation.kill()
            simulation.wait()
            for folder in scratch:
                if folder.name.startswith("hearth-simulation-"):
                    shutil.rmtree(folder, ignore_errors=True)
        self.fail(f"no {series} came in the day of a {population}")

    def check_hour(self, population, series, least):
        """Each wearable's file of the hour in which the series has most rows, and its observations."""
        hours = collections.Counter(row["time"][:13] for row in self.lived(population, series, least))
        begin = hours.most_common(1)[0][0]
        until = datetime.datetime.fromisoformat(begin + ":00:00+00:00") + datetime.timedelta(hours=1)
        words = ["--since", begin + ":00:00Z", "--until", until.strftime("%Y-%m-%dT%H:%M:%SZ")]
        names, count = set(), 0
        for device in sorted({row["device"] for row in self.rows(*words)}):
            file, rows = self.check_edf("--device", device, *words)
            if any(self.fit_values(row) for row in rows):
                self.check_fit("--device", device, *words)
            names |= {name.split(" ")[0].split(".")[0] for name, _ in file.signals}
            count += len(rows)
        self.assertIn(series, names)
        self.assertGreater(count, 200)
        return self.check_fhir(*words)

    # Looks at the store while a day passes in seconds, which the lab's time does not let it.
    at_length = unittest.skipUnless(os.environ.get("HEARTH_AT_LENGTH"), "a simulated day at the machine's own time")

    @at_length
    def test_an_hour_of_a_gym(self):
        self.assertTrue(self.check_hour("polar", "acc", 50))

    @at_length
    def test_an_hour_of_a_ward(self):
        made = self.check_hour("ward", "blood_pressure_systolic", 5)
        self.assertTrue(any("component" in one for one in made))

    def test_a_running_hub_gives_the_same_as_its_store(self):
        socket = self.folder / "hearth.sock"
        with open(self.folder / "log", "ab") as log:
            hub = subprocess.Popen([self.program("hearth-sim"), "serve", "--population", "gym", "--wearables", "6", "--socket", str(socket),
                                    "--store", str(self.store)], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            end = time.monotonic() + test_programs.SECONDS + 30
            while time.monotonic() < end:
                time.sleep(1)
                if end - time.monotonic() < 30 and socket.exists() and len(self.rows("--series", "heart_rate", socket=socket)) > 10:
                    break
            until = ["--until", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")]
            devices = {row["device"] for row in self.rows(*until, socket=socket)}
            self.assertTrue(devices, (self.folder / "log").read_text(errors="replace")[-2000:])
            device = sorted(devices)[0]
            served = self.check_edf("--device", device, *until, socket=socket)[0]
            activity = self.check_fit("--device", device, *until, socket=socket)[0]
            observations = self.check_fhir("--device", device, *until, socket=socket)
        finally:
            hub.send_signal(signal.SIGTERM)
            hub.wait(60)
        self.assertEqual(self.check_edf("--device", device, *until)[0].data, served.data)
        self.assertEqual(self.check_fit("--device", device, *until)[0].data, activity.data)
        self.assertEqual(self.check_fhir("--device", device, *until), observations)
