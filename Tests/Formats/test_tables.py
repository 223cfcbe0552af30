"""Lines, CSV, tables and intervals: each value of the store is there once, read by pandas and by the second reader."""
import collections
import io
import os
import random
import subprocess

import numpy
import pandas

import hearthstore
import making
import polars_tables
import tables
import test_parquet
import test_store
from chunks import Item
from making import fetched, live
from test_store import SECOND, T

# The hour that a clock of Berlin shows twice begins ten seconds later.
FOLD = 1_792_889_990 * SECOND
ADA = 'Ada "the first", née Ö'


class TableCase(test_parquet.ParquetCase):
    """Checks of one format each: a selection of a store at rest."""

    def check_lines(self):
        """The lines of `hearth export` are those of the second reader. Returns them as rows."""
        lines = self.hearth().decode().splitlines()
        with hearthstore.Store(self.store) as store:
            self.assertEqual(lines, list(store.export()))
            self.assertEqual(store.damaged, [])
        return tables.texts(lines)

    def check_selection(self, everything, *words, keep):
        """Rows of a selection: those of the whole store for which `keep` is true, each once."""
        chosen = tables.texts(self.hearth(*words).decode().splitlines())
        self.assertEqual(*(collections.Counter(map(repr, rows)) for rows in (chosen, filter(keep, everything))))

    def read_csv(self, *words):
        return pandas.read_csv(io.BytesIO(self.hearth("--format", *words)), dtype=str, keep_default_na=False)

    def check_csv(self, *words):
        """The long form, as it is and with each sample of a waveform."""
        rows = tables.texts(self.hearth(*words).decode().splitlines())
        for more, wanted in ([], rows), (["--explode"], tables.exploded(rows)):
            table = self.read_csv("csv", *more, *words)
            self.assertEqual(list(table.columns), tables.COLUMNS)
            count = 0
            for row, cells in zip(wanted, table.itertuples(index=False, name=None)):
                self.assertEqual(tables.csv_cells(row), list(cells))
                count += 1
            self.assertEqual(len(table), count)
            self.assertEqual(polars_tables.csv(self.hearth("--format", "csv", *more, *words)).rows(), list(table.itertuples(index=False, name=None)))
        self.assertIsNone(next(wanted, None))
        single = table[(table.value != "") & ~table.value.str.contains("[;a-z]")]
        self.assertEqual(pandas.to_numeric(single.value).tolist(), list(map(float, single.value)))
        self.assertFalse(pandas.to_datetime(table.time, format="ISO8601").isna().any())

    def check_wide(self, step, *words):
        """Each cell of the table is the mean or the last of its values, to three places. Each value belongs to a cell."""
        rows = tables.texts(self.hearth(*words).decode().splitlines())
        wanted = tables.wide(rows, {"1s": 1, "1m": 60}[step])
        table = self.read_csv("csv-wide", "--every", step, *words)
        heads = [(head, *head.split(" ")[0].rsplit("_", 1)) for head in table.columns[4:]]
        self.assertEqual({series for _, series, _ in heads}, set().union(*wanted.values()) if wanted else set())
        places = table.set_index(["time", "device", "address", "wearer"])
        self.assertTrue(places.index.is_unique)
        self.assertEqual(set(places.index), set(wanted))
        for head, series, rule in heads:
            for key, cell in places[head].items():
                values = wanted[key].get(series)
                self.assertEqual(values is None, cell == "", (key, head))
                if values is None:
                    continue
                latest = max(time for time, _ in values)
                allowed = {tables.Fraction(sum(number for _, number in values), len(values))} if rule == "mean" else {
                    number for time, number in values if time == latest}
                self.assertLessEqual(min(abs(tables.Fraction(cell) - number) for number in allowed), tables.Fraction(1, 2000), (key, head))

    def check_intervals(self, *words):
        """Intervals in the order of time. Of a wearable's two ways the one with fewer is left out while the other measured. Returns how many."""
        text = self.hearth("--format", "rr", *words)
        ways = tables.beats(tables.texts(self.hearth(*words).decode().splitlines()))
        order = sorted(ways, key=lambda way: -len(ways[way]))
        kept = tables.joined([ways[way] for way in order])
        self.assertEqual(text.decode().split(), [value for _, value in kept])
        if kept:
            found = numpy.loadtxt(io.BytesIO(text), ndmin=1)
            self.assertEqual(found.tolist(), [float(value) for _, value in kept])
            if os.environ.get("HEARTH_AT_LENGTH") and len(found) > 30:
                import neurokit2  # pylint: disable=import-outside-toplevel
                figures = neurokit2.hrv_time({"RRI": found})
                self.assertAlmostEqual(figures["HRV_MeanNN"][0], found.mean())
                self.assertAlmostEqual(figures["HRV_SDNN"][0], found.std(ddof=1))
        return len(kept)


class Tables(TableCase):
    def refused(self, *words):
        run = subprocess.run([self.program("hearth"), "--store", str(self.store), "export", *words], capture_output=True)
        self.assertEqual((run.returncode, run.stdout), (2, b""))
        return run.stderr.decode()

    def make_hostile(self):
        """Makes a store with gaps, overlaps and a clock that steps, in the night in which clocks show an hour twice. Two straps are on one person,
        and one is on two. Values came in two ways, are doubted or advertised, and names need quotes."""
        source = random.Random(5)

        def pulses(begin, end, flags=0):
            return [Item(FOLD + second * SECOND + source.randrange(SECOND), flags, (source.randint(40, 190),), b"") for second in range(begin, end)]

        def intervals(begin, end, flags=0):
            return [Item(FOLD + second * SECOND + 333_000, flags, (source.randint(500, 1100),), b"") for second in range(begin, end)]
        hour = 3600
        self.make({
            live(1, 1): [pulses(-60, 140), pulses(130, 180), pulses(-hour, -hour + 90), pulses(2 * hour, 2 * hour + 70, 0x20), pulses(5, 40)],
            fetched(1, 1): [pulses(0, 120, 1) + pulses(0, 1, 1 | 1 << 3) + pulses(1, 2, 1 | 2 << 3) + pulses(2, 3, 1 | 3 << 3)],
            live(1, 2): [intervals(-60, 140), intervals(300, 420)],
            fetched(1, 2): [intervals(100, 330, 1)],
            live(1, 6): self.ecg(FOLD - 30 * SECOND, 80) + self.ecg(FOLD + 20 * SECOND, 40, seed=2),
            live(1, 4): [[Item(FOLD + second * SECOND, 3, (second % 100,), b"") for second in range(20)]],
            fetched(1, 5): [[Item(FOLD + place * 700_000 + 1, 1, (700 + place, place % 50, place % 8), b"") for place in range(-90, 90)]],
            fetched(1, 12): [[Item(FOLD + place * SECOND, 1, (-525_163_000 + place, 1_799_999_999, -34, 3), b"") for place in range(5)]],
            fetched(1, 15): [[Item(FOLD - 30 * SECOND, 1, (60 * SECOND, 90), b""), Item(FOLD + 30 * SECOND, 1, (hour * SECOND, 0), b"")]],
            fetched(1, 7): [[Item(FOLD, 1, (1_000_000, 9, 300), b"own")]],
            fetched(1, 21): [[Item(FOLD, 1, (2,), test_store.LONG[:3000])]],
            live(2, 1): [pulses(-20, 100)],
            live(2, 8): [[Item(FOLD + 480_000 * place, 0, (20_000_000, 24, 0), bytes(range(144))) for place in range(20)]],
            live(2, 13): [[Item(FOLD + place * SECOND, 0, (-1_250 + place,), b"") for place in range(70)]],
            fetched(9, 13): [[Item(T, 1, (-1_250,), b""), Item(T + 7, 1, (36_000,), b"")]],
        }, wearers={test_store.u32(number): making.record((1, name), (2, test_store.i64(T))) for number, name in ((1, ADA), (2, "NA"))},
            assignments={test_store.assignment(wearable, FOLD + second * SECOND): making.record((1, ("<I", wearer)), (2, test_store.i64(T)))
                         for wearable, second, wearer in ((1, -4000, 1), (2, -50, 1), (1, 100, 2), (2, 60, 0))})

    def test_a_hostile_store_comes_back_from_every_format(self):
        self.make_hostile()
        self.zone = "Europe/Berlin"
        rows = self.check_lines()
        self.assertEqual({row.get("wearer") for row in rows}, {ADA, "NA", None})
        for person in ADA, "NA":
            self.check_selection(rows, "--person", person, keep=lambda row, person=person: row.get("wearer") == person)
        self.check_selection(rows, "--device", "strap-02", "--series", "acc", "--series", "heart_rate",
                             keep=lambda row: row["device"] == "strap-02" and row["series"] in ("acc", "heart_rate"))
        begin, end = "2026-10-25T00:59:00.000Z", "2026-10-25T01:30:00.000Z"
        self.check_selection(rows, "--since", begin, "--until", end, keep=lambda row: begin <= row["time"] < end)
        for words in ([], ["--person", ADA], ["--device", "strap-02"]):
            self.check_csv(*words)
            self.check_wide("1s", *words)
            self.check_wide("1m", *words)
            self.check_parquet(*words)
            self.check_fhir(*words)
        for person, series in (ADA, "rr_interval"), (ADA, "ppi"), ("NA", "rr_interval"):
            self.assertGreater(self.check_intervals("--person", person, "--series", series), 10)
        for person in ADA, "NA":
            self.check_edf("--person", person)
            self.check_fit("--person", person)
        file = self.check_edf("--person", ADA)[0]
        self.assertIn(b" UTC+02:00 ", file.data[:256])
        self.assertIn("wore", self.refused("--format", "rr", "--device", "strap-01", "--series", "rr_interval"))

    def test_no_name_is_in_the_bytes_of_any_format(self):
        self.make_hostile()
        key = self.folder / "persons.key"
        key.write_text("0123456789abcdef0123456789abcdef")
        key.chmod(0o600)
        with hearthstore.Store(self.store) as store:
            addresses = {row["address"] for row in tables.texts(store.export()) if row["address"]}
        secrets = [name.encode() for name in ("Ada", "the first", "née", "Ö", "strap-", *addresses, *(address.replace(":", "") for address in addresses))]
        shown = set()
        for form in "ndjson", "csv", "csv-wide", "fhir", "fhir-bundle", "edf", "fit", "rr":
            words = ["--format", form] + (["--person", ADA] if form in ("edf", "fit", "rr") else [])
            words += ["--series", "rr_interval"] if form == "rr" else []
            plain = self.hearth(*words)
            shown |= {name for name in secrets if name in plain}
            for hidden in (["--no-names"], ["--pseudonyms", str(key), "--pseudonyms-of", "house"]):
                data = self.hearth(*words, *hidden)
                self.assertEqual([name for name in secrets if name in data], [], words + hidden)
                self.assertEqual(len(data) > 50, len(plain) > 50)
        self.assertEqual(shown, set(secrets))

    def test_a_store_and_a_selection_without_rows(self):
        self.make({live(1, 1): [[test_store.pulse(0, 60)]], live(1, 62): []})
        self.assertEqual(len(self.check_lines()), 1)
        for words in (["--series", "weight"], ["--device", "strap-02"], ["--until", "2020-01-01"]):
            self.assertEqual(self.hearth(*words), b"")
            self.assertEqual(len(self.read_csv("csv", *words)), 0)
            self.assertEqual(list(self.read_csv("csv-wide", *words).columns), ["time", "device", "address", "wearer"])
            self.assertEqual(self.check_fhir(*words), [])
        self.assertEqual(self.hearth("--format", "rr", "--device", "strap-02"), b"")
        self.assertIn("no samples are there", self.refused("--format", "edf", "--device", "strap-02"))
        self.assertIn("no values for a FIT file", self.refused("--format", "fit", "--device", "strap-02"))
