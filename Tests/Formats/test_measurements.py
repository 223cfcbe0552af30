"""Records of measurements: what Swift wrote, in Tests/Vectors/measurement/records.json, and bytes that are broken."""
import json
import pathlib
import random
import re
import tempfile
import unittest

import dump
import hearthstore
import making
import measurements
from chunks import Damaged, Item
from making import fetched, live

ROOT = pathlib.Path(__file__).parents[2]
VECTORS = json.loads((ROOT / "Tests/Vectors/measurement/records.json").read_text())["vectors"]
FORMAT = (ROOT / "Sources/RingStore/FORMAT.md").read_text()


class Records(unittest.TestCase):
    def test_every_record_that_swift_wrote_says_here_what_it_says_there(self):
        self.assertGreater(sum("record" in vector for vector in VECTORS), 20)
        for vector in VECTORS:
            if "record" in vector:
                with self.subTest(vector["id"]):
                    self.assertEqual(measurements.read(bytes.fromhex(vector["bytes"])), vector["record"])

    def test_what_is_no_record_there_is_none_here(self):
        for vector in VECTORS:
            if "defect" in vector:
                with self.subTest(vector["id"]), self.assertRaises(
                        measurements.LaterVersion if vector["defect"] == "version" else Damaged):
                    measurements.read(bytes.fromhex(vector["bytes"]))

    def test_a_record_that_is_cut_off_is_damaged(self):
        whole = bytes.fromhex(VECTORS[0]["bytes"])
        for length in range(len(whole)):
            with self.subTest(length), self.assertRaises(Damaged):
                measurements.read(whole[:length])

    def test_bytes_that_may_be_anything_are_a_record_or_damaged(self):
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        chance = random.Random(seed)
        for _ in range(3000):
            data = bytearray.fromhex(chance.choice(VECTORS[:20])["bytes"]) or bytearray(b"\1")
            for _ in range(chance.randrange(1, 5)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            try:
                measurements.read(bytes(data))
            except (Damaged, measurements.LaterVersion):
                pass

    def test_the_codes_are_those_of_the_format(self):
        table = FORMAT.partition("Codes of an error:")[2].partition("An error of a measurement")[0]
        self.assertEqual({int(code) for code in re.findall(r"\| (\d+) \|", table)}, measurements.CODES)

    def test_only_kind_1_of_its_series_is_a_record(self):
        data = bytes.fromhex(VECTORS[0]["bytes"])
        self.assertEqual(measurements.of_item(live(1, 76), Item(0, 0, (1,), data)), VECTORS[0]["record"])
        self.assertIsNone(measurements.of_item(live(1, 76), Item(0, 0, (2,), b"?")))
        self.assertIsNone(measurements.of_item(live(1, 76), Item(0, 0, (1,), b"\2")))
        self.assertIsNone(measurements.of_item(fetched(1, 25), Item(0, 0, (1,), b"?")))

    def test_dump_prints_the_records_of_a_store(self):
        data = bytes.fromhex(VECTORS[0]["bytes"])
        ring = live(1, 76)
        items = [Item(VECTORS[0]["record"]["start_us"], 0, (1,), data), Item(0, 0, (1,), data[:-1]), Item(0, 0, (9,), b"")]
        with tempfile.TemporaryDirectory() as folder:
            making.store(folder, {"journal": dict([making.journal_chunk(0, [(ring, item) for item in items], items[0].time)])}, 5)
            with hearthstore.Store(folder) as store:
                lines = list(dump.measurement_lines(store))
        place = {"wearable": 1, "series": 76, "way": 0}
        self.assertEqual(lines, [place | {"ordinal": 0} | VECTORS[0]["record"], place | {"ordinal": 1, "damaged": "cut off"}])


if __name__ == "__main__":
    unittest.main()
