"""What all tests of exports share: a store that is made here, its exports, and checks of the files that other tools read."""
import collections
import datetime
import fractions
import json
import pathlib
import random
import struct
import subprocess
import tempfile
import unittest

import exports
import hearthstore
import making
import test_programs
import test_store
from chunks import Item

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
        # The hub's time zone; no other zone than the machine's if it is empty.
        self.zone = ""

    def program(self, name):
        if test_programs.PROGRAMS is None:
            self.skipTest("no --programs")
        return str(test_programs.PROGRAMS / name)

    def hearth(self, *words, socket=None):
        where = ["--socket", str(socket)] if socket else ["--store", str(self.store)]
        if self.zone:
            settings = self.folder / "hearth.yaml"
            settings.write_text(f"hub: {{timezone: {self.zone}}}\n")
            where += ["--config", str(settings)]
        run = subprocess.run([self.program("hearth"), *where, "export", *words], capture_output=True, timeout=600)
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


class Checks(ExportCase):
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
            # 180 degrees east is 180 degrees west.
            value = [value[0], value[1] if round(value[1] * degrees) < 2 ** 31 - 1 else -180 * 10 ** 7, *value[2:]]
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

        # A thousand resources take some seconds; of a day's only so many are judged by the model, spread over it.
        stride = 1 + len(lines) // 2000
        for place, line in enumerate(lines):
            if place % stride == 0:
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
        if stride == 1:
            Bundle.model_validate_json(bundle)
        self.assertEqual([entry["resource"] for entry in json.loads(bundle).get("entry", [])], [json.loads(line) for line in lines])
        return [json.loads(line) for line in lines]
