"""A store of format 5 with something in every table, made here: its export line by line, and that verify.py sees each broken promise."""
import base64
import json
import pathlib
import struct
import tempfile
import unittest

import chunks
import digest
import hearthstore
import journal_log
import making
import verify
from chunks import Item
from making import fetched, live, record, ring_chunk, ring_field, ring_row

T = 1_795_255_750_000_000  # 2026-11-21T10:09:10Z
SECOND = 1_000_000
LONG = bytes(place * 31 & 0xFF for place in range(5000))


def u32(number):
    return struct.pack(">I", number)


def u64(number):
    return struct.pack(">Q", number)


def i64(number):
    return "<q", number


def assignment(wearable, time):
    return u32(wearable) + u64((time ^ 1 << 63) % (1 << 64))


def pulse(second, rate, flags=0):
    return Item(T + second * SECOND, flags, (rate,), b"")


def numbers16(*numbers):
    return struct.pack(f"<{len(numbers)}h", *numbers)


# A record.
MEASUREMENT = bytes.fromhex(json.loads((pathlib.Path(__file__).parents[1] / "Vectors/measurement/records.json").read_text())["vectors"][0]["bytes"])
# By ring, the chunks' items in order.
RINGS = {
    live(1, 1): [[pulse(0, 60), pulse(1, 61)], [pulse(2, 62, flags=0x20), pulse(1, 63, flags=4)]],
    fetched(1, 5): [[Item(T + 1, 1, (800, 5, 3), b""), Item(T + 1000, 1, (801, -5, 0), b"")]],
    fetched(1, 6): [[Item(T, 1, (7_692_308, 2, 1), bytes.fromhex("0000800100ff")), Item(T, 1, (7_692_308, 2, 0), numbers16(5, -6))]],
    fetched(1, 7): [[Item(T, 1, (1_000_000, 9, 300), b"own")]],
    fetched(1, 8): [[Item(T, 1, (20_000_000, 2, 0), numbers16(1, -2, 3, 4, 5, 6))]],
    fetched(1, 15): [[Item(T, 1, (60 * SECOND, 90), b"")]],
    fetched(1, 16): [[Item(T, 1, (60 * SECOND + 5, 123), b"")]],
    fetched(1, 21): [[Item(T, 0x41, (2,), LONG[:3800])], [Item(T, 1, (2,), LONG[3800:])]],
    fetched(2, 1): [[pulse(0, 40, flags=1 | 3 << 3), pulse(1, 190, flags=1 | 1 << 3), pulse(2, 30, flags=2 | 2 << 3)]],
    fetched(9, 13): [[Item(T, 1, (-1_250,), b""), Item(T + 7, 1, (36_000,), b"")]],
}
# Of the batch that the receipt is for.
DIGEST = digest.batch("file", [(fetched(1, 15), RINGS[fetched(1, 15)][0]), (live(1, 1), [*RINGS[live(1, 1)][1], pulse(3, 64)])])
JOURNAL = [
    [(live(1, 1), pulse(3, 64)), (live(1, 2), Item(T + 3 * SECOND, 0, (946,), b"")), (live(1, 2), Item(T + 3 * SECOND, 0, (768,), b""))],
    [(live(2, 300), Item(T + 4 * SECOND, 0, (1, 2), b"")), (live(1, 11), Item(T + 4 * SECOND, 0, (-5,), b""))],
]
ONE = '{"device":"strap-01","address":"E6:C2:E1:BB:00:02","series":'
TWO = '{"device":"strap-02","address":"00:00:00:00:00:07","series":'
GONE = '{"device":"wearable-9","address":"","series":'
ADA = '"wearer":"Ada \\"L\\" Ö"'
EXPORT = [
    ONE + '"heart_rate","time":"2026-11-21T10:09:10.000Z","value":60,"unit":"bpm","origin":"live"}',
    ONE + '"heart_rate","time":"2026-11-21T10:09:11.000Z","value":61,"unit":"bpm","origin":"live",' + ADA + '}',
    ONE + '"heart_rate","time":"2026-11-21T10:09:12.000Z","value":62,"unit":"bpm","origin":"live","quality":"low"}',
    ONE + '"heart_rate","time":"2026-11-21T10:09:11.000Z","value":63,"unit":"bpm","origin":"live","manual":true,' + ADA + '}',
    ONE + '"ppi","time":"2026-11-21T10:09:10.000001Z","value":[800,5,3],"unit":"ms","origin":"fetched"}',
    ONE + '"ppi","time":"2026-11-21T10:09:10.001Z","value":[801,-5,0],"unit":"ms","origin":"fetched"}',
    ONE + '"ecg","time":"2026-11-21T10:09:10.000Z","value":[-8388608,-65535],"unit":"uV","origin":"fetched","period_ns":7692308}',
    ONE + '"ecg","time":"2026-11-21T10:09:10.000Z","value":[5,-6],"unit":"uV","origin":"fetched","period_ns":7692308}',
    ONE + '"ppg","time":"2026-11-21T10:09:10.000Z","unit":"counts","origin":"fetched","encoding":300,"period_ns":1000000,"count":9,"data":"b3du"}',
    ONE + '"acc","time":"2026-11-21T10:09:10.000Z","value":[[1,-2,3],[4,5,6]],"unit":"mg","origin":"fetched","period_ns":20000000}',
    ONE + '"steps","time":"2026-11-21T10:09:10.000Z","value":90,"unit":"steps","origin":"fetched","end":"2026-11-21T10:10:10.000Z"}',
    ONE + '"distance","time":"2026-11-21T10:09:10.000Z","value":12.3,"unit":"m","origin":"fetched","end":"2026-11-21T10:10:10.000005Z"}',
    ONE + '"exercise","time":"2026-11-21T10:09:10.000Z","origin":"fetched","record":2,"data":"' + base64.b64encode(LONG).decode() + '"}',
    TWO + '"heart_rate","time":"2026-11-21T10:09:10.000Z","value":40,"unit":"bpm","origin":"fetched","kind":"resting"}',
    TWO + '"heart_rate","time":"2026-11-21T10:09:11.000Z","value":190,"unit":"bpm","origin":"fetched","kind":"maximum"}',
    TWO + '"heart_rate","time":"2026-11-21T10:09:12.000Z","value":30,"unit":"bpm","origin":"replayed","kind":"minimum"}',
    GONE + '"skin_temperature","time":"2026-11-21T10:09:10.000Z","value":-1.25,"unit":"degC","origin":"fetched"}',
    GONE + '"skin_temperature","time":"2026-11-21T10:09:10.000007Z","value":36,"unit":"degC","origin":"fetched"}',
    # Chunks of the journal that were begun under a clock without synchronisation.
    ONE + '"heart_rate","time":"2026-11-21T10:09:13.000Z","value":64,"unit":"bpm","origin":"live","clock":"unsure"}',
    ONE + '"rr_interval","time":"2026-11-21T10:09:13.000Z","value":923.828125,"unit":"ms","origin":"live","clock":"unsure"}',
    ONE + '"rr_interval","time":"2026-11-21T10:09:13.000Z","value":750,"unit":"ms","origin":"live","clock":"unsure"}',
    ONE + '"pressure","time":"2026-11-21T10:09:14.000Z","value":-0.05,"unit":"hPa","origin":"live","clock":"unsure"}',
]


def ring_tables(rings, changes=None):
    """Tables `rings` and `chunks`; `changes` to rows, by ring."""
    tables = {"rings": {}, "chunks": {}}
    for ring, contents in rings.items():
        made, first, high_water, goes_on = [], 0, -(1 << 63), False
        for items in contents:
            high_water = max(high_water, max(item.time for item in items))
            made.append(ring_chunk(ring, first, items, high_water, continues=goes_on))
            first, goes_on = first + len(items), items[-1].goes_on
        tables["chunks"] |= dict(made)
        tables["rings"][ring.key] = ring_row(made, **(changes or {}).get(ring, {}))
    return tables


def wearable(address, name, *more):
    return record((1, ("<Q", address)), (2, b"\2"), (3, name), (6, i64(T)), *more)


def notes(count):
    """As many as there are; a wearable may have 24."""
    return [(11, b"\3n%02dx" % number) for number in range(count)]


def item(*more):
    return record((1, "mark"), (3, ("<Q", 4004)), (8, b"\2"), (12, ("<Q", 3)), *more)


def nested(*parts):
    """Fields within a field: those of a record, without layout and checksum."""
    return record(*parts)[1:-4]


def state(*parts, version=1):
    return record((1, ("<H", version)), (2, nested(*parts)))


def sample_tables():
    receipt = record((1, ("<I", 1)), (2, DIGEST), (3, "file"), (4, i64(T)), (5, ("<Q", 3)), (6, ("<Q", 4)),
                     (7, ("<HBQQ", 15, 1, 0, 1)), (7, ("<HBQQ", 1, 0, 2, 3)))
    return ring_tables(RINGS, {live(1, 1): {"exported": 5}}) | {
        "meta": {b"next-wearable": struct.pack("<I", 4), b"next-wearer": struct.pack("<I", 2), b"later": b"kept",
                 b"odometer": struct.pack("<Q", 5000), b"wear": struct.pack("<IQIQ", 20778, 0, 20779, 123456),
                 b"run": record((1, i64(T)), (2, i64(T + SECOND)), (4, bytes(16)), (5, ("<I", 2)), (6, i64(T - SECOND)))},
        "registry": {u32(1): wearable(0xE6C2E1BB0002, "strap-01", (8, b"\x36"), (10, b"\5modelVirtual"), (11, b"\5eraseno"), (12, bytes(16)),
                             (99, b"later")),
                     u32(2): wearable(7, "strap-02"), u32(3): wearable(8, "strap-03", (7, i64(T)), *notes(24))},
        "journal": dict([making.journal_chunk(1, JOURNAL[0], T + 3 * SECOND, before=7, odometer=1000),
                         making.journal_chunk(4, JOURNAL[1], T + 4 * SECOND, before=10, odometer=2000)]),
        "wearers": {u32(1): record((1, "Ada \"L\" Ö"), (2, i64(T)), (4, ("<i", -3650)), (5, b"\2"), (6, ("<H", 171)), (7, ("<H", 62)), (8, ("<H", 186)),
                                   (9, ("<H", 52)), (10, b"\x2d"), (11, b"\x1e"), (12, b"\2"), (13, ("<H", 480)))},
        "assignments": {assignment(1, -5): record((1, ("<I", 0)), (2, i64(T))), assignment(1, T + SECOND): record((1, ("<I", 1)), (2, i64(T))),
                        assignment(1, T + 2 * SECOND): record((1, ("<I", 0)), (2, i64(T)))},
        "cursors": {u32(1) + b"\0\x05": record((1, i64(-1)), (2, b"mark"), (3, ("<Q", 3)), (4, i64(T)))},
        "readers": {b"to-cloud": record((1, i64(T)), (2, i64(T)), (3, ("<Q", 5)), (4, ring_field(live(1, 1), 5)), (5, "uid 0"), (6, ("<Q", 2)))},
        "bonds": {b"\2" + bytes.fromhex("e6c2e1bb0002"): record((1, ("<I", 1)), (2, i64(T)), (3, b"\1" + bytes(16)))},
        "receipts": {u64(1): receipt}, "batches": {u32(1) + DIGEST: struct.pack("<Q", 1)},
        "visits": {u64(3): record((1, ("<I", 1)), (2, i64(T)), (3, i64(T)), (4, b"\0\0"), (5, ("<Q", 99)), (6, ("<qqqB", 1, 2, 3, 1)), (15, ("<h", -300)))},
        "quarantine": {u64(0): b"broken"},
        "custody": {u32(1) + b"a.bin": item((6, i64(T)), (9, ("<Q", 1))), u32(1) + b"half": item((2, ("<Q", 9000)), (11, "so far"), (15, b"\2"))},
        "staged": dict([making.staged_page(1, "half", 0, bytes(4000)), making.staged_page(1, "half", 4000, b"rest")]),
        "hub-state": {u32(1) + b"orders": state((1, b"\6\0"), (2, nested((1, b"\6\0"), (2, ("<I", 130)))), (4, nested((1, "ant-plus"), (2, "off")))),
                      u32(2) + b"sync": state((1, ("<Q", 3)), (2, i64(T)), (9, nested((1, "sleep"), (2, b"\1"), (4, ("<I", 2)))), (9, nested((1, "trainings"), (2, b"\0")))),
                      u32(1) + b"later-kind": record((1, ("<H", 7)), (2, nested((1, "x"))), (9, b"kept"))},
        "driver-state": {u32(2) + b"botz-clock": state((1, "1-2"), (2, i64(T))), u32(2) + b"polar-renewals": state(
            (1, nested((1, b"\2"), (2, b"\1"), (3, nested((1, b"\0"), (2, ("<I", 52)))))))},
        "events": {u64(1): record((1, i64(T)), (2, ("<H", 2108)), (3, ("<I", 1)), (4, "dropped")),
                   u64(2): record((1, i64(T)), (2, ("<H", 2110)), (3, ("<I", 1)), (4, "unsteady"), (5, i64(T - SECOND)), (6, i64(T)), (7, ("<I", 9)))},
        "accesses": {u64(1): record((1, ("<I", 1000)), (2, "pi"), (3, "Export"), (4, ("<I", 1)), (5, i64(T)), (6, i64(T)), (7, ("<Q", 2)), (8, ("<Q", 9)), (9, ("<I", 1)),
                                    (10, b"\1"), (11, ("<H", 1)), (12, i64(T)), (13, i64(T)), (14, "ward"))},
        "corrections": {u64(3): record((1, ("<I", 1)), (2, i64(T)), (3, i64(T + SECOND)), (4, ("<I", 1)), (5, ("<I", 0)), (6, i64(T + 2 * SECOND)))},
        "erasures": {u32(7): record((1, i64(T)), (2, i64(T)), (3, ("<Q", 12)), (4, ("<Iqq", 1, T, T + SECOND)))},
        "watermarks": {u32(1) + b"\0\x0f": record((1, i64(T)), (2, ("<Q", 3)), (3, i64(T + SECOND)), (4, ("<Q", 2)), (6, i64(T + SECOND)))},
    }


class Stores(unittest.TestCase):
    def made(self, tables, version=5):
        scratch = tempfile.TemporaryDirectory(prefix="hearth-formats.")
        self.addCleanup(scratch.cleanup)
        making.store(scratch.name, tables, version)
        return pathlib.Path(scratch.name)

    def test_every_sample_is_exported_in_its_form(self):
        with hearthstore.Store(self.made(sample_tables())) as store:
            lines = list(store.export())
            self.assertEqual(store.damaged, [])
        for line, expected in zip(lines, EXPORT):
            self.assertEqual(line, expected)
        self.assertEqual(len(lines), len(EXPORT))

    def test_every_table_can_be_read(self):
        with hearthstore.Store(self.made(sample_tables())) as store:
            for table in hearthstore.TABLES:
                self.assertGreater(store.statistics(table)["entries"], 0)
            self.assertEqual([(record.get("from"), record.get("to"), record.get("count")) for _, record in store.records("events")],
                             [(None, None, None), (T - SECOND, T, 9)])
            run = store.meta()["run"]
            self.assertEqual((run["began"], run["alive"], "ended" in run, run["untold"]), (T, T + SECOND, False, 2))
            self.assertEqual(store.meta()["wear"], [{"day": 20778, "odometer": 0}, {"day": 20779, "odometer": 123456}])
            self.assertEqual([key["from"] for key, _ in store.records("assignments")], [-5, T + SECOND, T + 2 * SECOND])
            (_, access), = store.records("accesses")
            self.assertEqual((access["user"], access["name"], access["wearers"], access["cursor"]), (1000, "pi", [1], "ward"))
            (key, erasure), = store.records("erasures")
            self.assertEqual((key["wearer"], erasure["spans"]), (7, [{"wearable": 1, "from": T, "to": T + SECOND}]))
            (key, correction), = store.records("corrections")
            self.assertEqual((key["number"], correction["from"], correction["old"], correction["new"]), (3, T, 1, 0))
            (key, mark), = store.records("watermarks")
            self.assertEqual((key, mark["end"], mark["refused"], mark["read_to"]), ({"wearable": 1, "series": 15}, T, 2, T + SECOND))
            (key, bond), = store.records("bonds")
            self.assertEqual((key["address"], bond["keys"]), ("E6:C2:E1:BB:00:02", [{"kind": 1, "bytes": 16}]))
            (later, unknown), (_, orders), (_, sync) = store.records("hub-state")
            self.assertEqual((sync["number"], [(part["name"], part["state"], part.get("stored")) for part in sync["domains"]]),
                             (3, [("sleep", 1, 2), ("trainings", 0, None)]))
            self.assertEqual((later, unknown["version"]), ({"wearable": 1, "kind": "later-kind"}, 7))
            self.assertEqual((orders["streams"], orders["rates"]), ([6], [{"series": 6, "hertz": 130}]))
            self.assertEqual(orders["settings"], [{"name": "ant-plus", "value": "off"}])
            (_, clock), (_, renewals) = store.records("driver-state")
            self.assertEqual((clock["boot"], clock["offset"]), ("1-2", T))
            self.assertEqual(renewals["renewals"], [{"type": 2, "encrypted": True, "settings": [{"setting": 0, "value": 52}]}])
            self.assertEqual(store.damaged, [])

    def test_ordinals_go_on_in_the_journal(self):
        with hearthstore.Store(self.made(sample_tables())) as store:
            ordinals = [ordinal for ring, ordinal, _ in store.items() if ring == live(1, 1)]
            self.assertEqual(ordinals, [0, 1, 2, 3, 4])
            self.assertEqual([ordinal for ring, ordinal, _ in store.items() if ring == live(1, 2)], [0, 1])

    def test_the_journal_goes_on_in_its_file(self):
        ring = live(1, 1)
        beats = lambda first, count: [(ring, pulse(second, 60 + second, flags=0)) for second in range(first, first + count)]
        made = [making.journal_chunk(first, beats(first, 2), T + first * SECOND) for first in (10, 12, 14, 16, 18)]
        # The first is in the table still, as its slot is; the others are not.
        path = self.made({"meta": {b"journal-file": struct.pack("<Q", 77)}, "journal": dict(made[:1])}, 7)

        def write(slots, number=77):
            data = bytearray(journal_log.SLOT * (1 + journal_log.SLOTS))
            for count, (_, value) in slots:
                rest = struct.pack("<HHQ", len(value), 0, count) + value
                start = journal_log.SLOT * (1 + count % journal_log.SLOTS)
                data[start : start + 4 + len(rest)] = struct.pack("<I", chunks.crc32c(struct.pack("<Q", number) + rest)) + rest
            (pathlib.Path(path) / journal_log.NAME).write_bytes(data)

        def values():
            with hearthstore.Store(path) as store:
                return [item.values[0] for _, _, item in store.items()], store.damaged

        for first in (0, 509):
            slots = [(first + place, chunk) for place, chunk in enumerate(made)]
            write(slots)
            self.assertEqual(values(), (list(range(70, 80)), []))
            # Lost between others it is damage; lost at the end it was never promised.
            write(slots[:2] + slots[3:])
            self.assertEqual(values(), ([70, 71, 72, 73, 76, 77, 78, 79], [("journal", u64(14), "its slot of journal.log is lost")]))
            write(slots[:-1])
            self.assertEqual(values(), (list(range(70, 78)), []))
        write([(0, made[1])], number=78)
        self.assertEqual(values(), ([70, 71], []))

    def test_a_damaged_chunk_is_left_out_and_the_rest_served(self):
        tables = sample_tables()
        key = live(1, 1).key + u64(0)
        tables["chunks"][key] = flipped(tables["chunks"][key], 70)
        with hearthstore.Store(self.made(tables)) as store:
            self.assertEqual(list(store.export()), EXPORT[2:])
            self.assertEqual(store.damaged, [("chunks", key, "checksum")])

    def test_a_fact_of_a_body_that_was_taken_back_is_absent(self):
        tables = sample_tables()
        tables["wearers"][u32(1)] = record((1, "Ada"), (2, i64(T)), (7, ("<H", 62)))
        with hearthstore.Store(self.made(tables)) as store:
            (_, wearer), = store.records("wearers")
            self.assertEqual((wearer.get("height"), wearer["weight"], wearer.get("vo2_max")), (None, 62, None))
            self.assertEqual(store.damaged, [])

    def test_a_damaged_assignment_assigns_to_nobody(self):
        tables = sample_tables()
        key = assignment(1, T + SECOND)
        tables["assignments"] |= {assignment(1, 0): tables["assignments"][key], key: flipped(tables["assignments"][key], 3)}
        with hearthstore.Store(self.made(tables)) as store:
            wearers = [("wearer" in line) for line in store.export()]
            self.assertEqual(wearers[:4], [True, False, False, False])
            self.assertEqual(len(store.damaged), 1)

    def test_a_long_item_may_go_on_in_the_journal(self):
        ring = live(1, 21)
        parts = [Item(T, 0x40, (2,), LONG[:3800]), Item(T, 0, (2,), LONG[3800:])]
        other = (live(1, 1), pulse(0, 60))
        tables = ring_tables({ring: [parts[:1]]}) | {"journal": dict([making.journal_chunk(0, [other, (ring, parts[1])], T)])}
        path = self.made(tables)
        with hearthstore.Store(path) as store:
            whole = [item for ring, _, item in store.whole_items()]
            self.assertEqual(whole, [other[1], parts[1]._replace(data=LONG)])
        self.assertEqual(verify.verify(path), [])

    def test_an_item_of_which_a_part_is_missing_is_left_out_whole(self):
        part = lambda second, count, more: Item(T + second * SECOND, more and 0x40, (2,), bytes([second]) * count)
        ring = fetched(1, 21)
        contents = [[part(0, 9, 0), part(1, 3800, 1)], [part(1, 3800, 1)], [part(1, 5, 0), part(2, 3700, 1)], [part(2, 6, 0), part(3, 7, 0)]]
        whole = [part(0, 9, 0), part(1, 0, 0)._replace(data=b"\1" * 7605), part(2, 0, 0)._replace(data=b"\2" * 3706), part(3, 7, 0)]
        keys = sorted(ring_tables({ring: contents})["chunks"])
        for gone, left in (None, (0, 1, 2, 3)), (0, (2, 3)), (1, (0, 2, 3)), (2, (0, 3)), (3, (0, 1)):
            for lose in drop, lambda table, key: edit(table, key, lambda value: flipped(value, 70)):
                tables = ring_tables({ring: contents})
                if gone is not None:
                    lose("chunks", keys[gone])(tables)
                with self.subTest(gone), hearthstore.Store(self.made(tables)) as store:
                    self.assertEqual([item for _, _, item in store.whole_items()], [whole[place] for place in left])

    def test_a_store_of_a_later_version_is_refused(self):
        with self.assertRaisesRegex(hearthstore.StoreError, "format 9"):
            hearthstore.Store(self.made({}, version=9))

    def test_what_is_no_store_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(hearthstore.StoreError):
                hearthstore.Store(folder)
            (pathlib.Path(folder) / "data.mdb").write_bytes(b"?" * 8192)
            with self.assertRaises(hearthstore.StoreError):
                hearthstore.Store(folder)

    def test_a_file_shorter_than_its_tables_is_refused(self):
        path = self.made(sample_tables())
        data = (path / "data.mdb").read_bytes()
        (path / "data.mdb").write_bytes(data[:len(data) - 4096])
        with self.assertRaisesRegex(hearthstore.StoreError, "shorter"):
            hearthstore.Store(path)

    def test_verify_finds_nothing_in_a_store_that_keeps_every_promise(self):
        self.assertEqual(verify.verify(self.made(sample_tables())), [])

    def test_verify_sees_each_promise_that_is_broken(self):
        for expected, change in BREAKS:
            tables = sample_tables()
            change(tables)
            with self.subTest(expected):
                problems = verify.verify(self.made(tables))
                self.assertTrue(any(expected in problem for problem in problems), problems)

    def test_verify_finds_nothing_in_a_measurement_that_can_be_read(self):
        for data in MEASUREMENT, b"\2 of a later program":
            tables = sample_tables()
            measured(data)(tables)
            problems = verify.verify(self.made(tables))
            self.assertFalse(any("measurement" in problem for problem in problems), problems)

    def test_verify_lets_evicted_and_purged_items_be(self):
        rings = {live(1, 1): RINGS[live(1, 1)]}
        tables = ring_tables(rings)
        del tables["chunks"][live(1, 1).key + u64(0)]
        row = chunks.ring_row(tables["rings"][live(1, 1).key])
        kept = list(tables["chunks"].items())
        for changes in ({"evicted": 2, "evicted_unexported": 1, "evicted_earliest": T, "evicted_latest": T + SECOND}, {"purged": 2}):
            tables["rings"][live(1, 1).key] = ring_row(kept, high_water=row.high_water, **changes)
            self.assertEqual(verify.verify(self.made(tables)), [])


def flipped(value, at):
    return value[:at] + bytes([value[at] ^ 1]) + value[at + 1:]


def resummed(offset, form, number):
    """Changes a number in a chunk or row, the checksum with it."""
    def change(value):
        packed = struct.pack(form, number)
        return making.summed(value[:offset] + packed + value[offset + len(packed):])
    return change


PULSE, SECOND_CHUNK, FIRST_CHUNK = live(1, 1).key, live(1, 1).key + u64(2), live(1, 1).key + u64(0)


def edit(table, key, change):
    def apply(tables):
        tables[table][key] = change(tables[table][key])
    return apply


def row(offset, form, number):
    return edit("rings", PULSE, resummed(offset, form, number))


def put(table, key, value):
    return lambda tables: tables[table].update({key: value})


def drop(table, key):
    return lambda tables: tables[table].pop(key)


def measured(data, flags=0):
    """A measurement in the journal, behind all else."""
    return put("journal", *making.journal_chunk(6, [(live(1, 76), Item(T, flags, (1,), data))], T))


BREAKS = [
    ("cannot be read: cut off", measured(MEASUREMENT[:-1])),
    ("cannot be read: length of a record", measured(b"")),
    ("goes on in another item", measured(MEASUREMENT, flags=0x40)),
    ("rings 00000001000100: damaged: checksum", edit("rings", PULSE, lambda value: flipped(value, 60))),
    ("damaged: checksum", edit("chunks", SECOND_CHUNK, lambda value: flipped(value, 68))),
    ("journal 0000000000000004: damaged: checksum", edit("journal", u64(4), lambda value: flipped(value, 90))),
    ("registry 00000001: damaged: checksum", edit("registry", u32(1), lambda value: flipped(value, 20))),
    ("events 0000000000000001: damaged: no text", put("events", u64(1), record((1, i64(T)), (2, b"\0\0")))),
    ("damaged: text twice", put("events", u64(1), record((1, i64(T)), (2, b"\0\0"), (4, "a"), (4, "b")))),
    ("damaged: length of text", put("events", u64(1), record((1, i64(T)), (2, b"\0\0"), (4, "a" * 256)))),
    ("damaged: too many facts", put("registry", u32(1), wearable(1, "strap-01", *[(10, b"\1ab")] * 17))),
    ("ordinal 1: the rest of an item, or not", edit("chunks", fetched(1, 21).key + u64(1), resummed(1, "<B", 1))),
    ("ordinal 2: the rest of an item, or not", edit("chunks", SECOND_CHUNK, resummed(1, "<B", 3))),
    ("there is no such ring", drop("rings", PULSE)),
    ("next ordinal 3, but chunks end at 4", row(8, "<Q", 3)),
    ("5 items in its row, 4 in chunks", row(16, "<Q", 5)),
    ("1 chunks in its row, 2 in chunks", row(24, "<I", 1)),
    ("other items of the first chunk", row(28, "<I", 3)),
    ("first ordinal 1 in its row, 0 in chunks", row(32, "<Q", 1)),
    ("other times in its row", row(40, "<q", T - 1)),
    ("high water in its row is below", row(56, "<q", T)),
    ("high water in its row is not that", row(56, "<q", T + 99 * SECOND)),
    ("confirmed below 6, ends at 5", row(64, "<Q", 6)),
    ("confirmed more of", row(64, "<Q", 4)),
    ("2 evicted and 0 purged are not the 4", row(72, "<Q", 2)),
    ("more unconfirmed items evicted", row(80, "<Q", 1)),
    ("bytes in its row", row(112, "<Q", 1)),
    ("ordinal 2: high water", edit("chunks", SECOND_CHUNK, resummed(32, "<q", T + 99 * SECOND))),
    ("ordinal 2: earliest and latest", edit("chunks", SECOND_CHUNK, resummed(16, "<q", T))),
    ("begins before 2", put("chunks", *ring_chunk(live(1, 1), 1, [pulse(1, 60)]))),
    ("the one before ends at 4", put("chunks", *ring_chunk(live(1, 1), 9, [pulse(9, 60)]))),
    ("values of another series", put("chunks", *ring_chunk(live(1, 1), 0, [Item(T, 0, (1, 2), b""), Item(T, 0, (1, 2), b"")]))),
    ("is no scalar", put("journal", *making.journal_chunk(6, [(live(1, 1), Item(T, 0, (), b""))], T))),
    ("chunks 00000001000100000000000000000a: damaged: flags", put("chunks", *ring_chunk(live(1, 1), 10, [pulse(0, 60, flags=0x80)]))),
    ("is not there", put("journal", *making.journal_chunk(6, [(live(1, 1), pulse(0, 60, flags=0x40))], T))),
    ("is another one", put("journal", *making.journal_chunk(6, [(live(1, 1), pulse(0, 60, flags=0x40)), (live(1, 1), pulse(1, 60))], T))),
    ("a live time in microseconds", put("journal", *making.journal_chunk(6, [(live(1, 1), Item(T + 1, 0, (60,), b""))], T))),
    ("begins before 6", put("journal", *making.journal_chunk(5, JOURNAL[0], T))),
    ("99 records before it, not 10", edit("journal", u64(4), resummed(16, "<Q", 99))),
    ("journal 4: high water", edit("journal", u64(4), resummed(56, "<q", T + 99 * SECOND))),
    ("journal 4: earliest and latest", edit("journal", u64(4), resummed(48, "<q", T))),
    ("base is no whole number", put("journal", *making.journal_chunk(6, [(live(1, 5), Item(T + 1, 0, (1, 2, 3), b""))], T + 1))),
    ("odometer goes back", edit("journal", u64(4), resummed(80, "<Q", 1))),
    ("an older layout behind a newer one", put("journal", *making.old_journal_chunk(6, [(live(1, 1), pulse(0, 60))], T))),
    ("not below next-wearable", put("meta", b"next-wearable", struct.pack("<I", 3))),
    ("not below next-wearer", drop("meta", b"next-wearer")),
    ("day 20778 is not after 20778", put("meta", b"wear", struct.pack("<IQIQ", 20778, 0, 20778, 1))),
    ("the odometer goes back on day", put("meta", b"wear", struct.pack("<IQIQ", 20778, 2, 20779, 1))),
    ("more than 400 days", put("meta", b"wear", b"".join(struct.pack("<IQ", day, 0) for day in range(401)))),
    ("meta wear: length", put("meta", b"wear", b"?")),
    ("meta run: damaged", put("meta", b"run", record((1, i64(T))))),
    ("events 2: ends before it begins", put("events", u64(2), record((1, i64(T)), (2, b"\0\0"), (4, "a"), (5, i64(T)), (6, i64(T - 1))))),
    ("registry 2: name", put("registry", u32(2), wearable(7, "a b"))),
    ("registry 2: address", put("registry", u32(2), wearable(7 << 48, "strap-02"))),
    ("more than 512 wearables", lambda tables: tables["registry"].update({u32(number): wearable(number, "strap") for number in range(513)})),
    ("no wearer 7", put("assignments", assignment(1, T), record((1, ("<I", 7)), (2, i64(T))))),
    ("wearers 1: height", put("wearers", u32(1), record((1, "x"), (2, i64(T)), (6, ("<H", 89))))),
    ("wearers 1: training_background", put("wearers", u32(1), record((1, "x"), (2, i64(T)), (11, b"\x0b")))),
    ("wearers 1: sleep_goal", put("wearers", u32(1), record((1, "x"), (2, i64(T)), (13, ("<H", 299))))),
    ("damaged: length of a field", put("wearers", u32(1), record((1, "x"), (2, i64(T)), (4, ("<H", 1))))),
    ("damaged: length of a secret", put("registry", u32(1), wearable(1, "strap-01", (12, bytes(15))))),
    ("wearers 0: numbers begin at 1", put("wearers", u32(0), record((1, "x"), (2, i64(T))))),
    ("readers: more than 64", lambda tables: tables["readers"].update(
        {f"r{number}".encode(): record((1, i64(T)), (2, i64(T)), (3, ("<Q", 0))) for number in range(64)})),
    ("confirmed ordinals that", put("readers", b"r", record((1, i64(T)), (2, i64(T)), (3, ("<Q", 0)), (4, ring_field(live(1, 2), 3))))),
    ("bonds 9/", put("bonds", b"\x09" + bytes(6), record((1, ("<I", 1)), (2, i64(T))))),
    ("no batch names it", drop("batches", u32(1) + DIGEST)),
    ("its batch names receipt 2", put("batches", u32(1) + DIGEST, struct.pack("<Q", 2))),
    ("receipt 1 is not there or another's", drop("receipts", u64(1))),
    ("other items than it says", put("receipts", u64(1), record(
        (1, ("<I", 1)), (2, DIGEST), (3, "file"), (4, i64(T)), (5, ("<Q", 3)), (6, ("<Q", 2)), (7, ("<HBQQ", 15, 1, 0, 1))))),
    ("its digest is not that of its items", put("receipts", u64(1), record(
        (1, ("<I", 1)), (2, DIGEST), (3, "fill"), (4, i64(T)), (5, ("<Q", 3)), (6, ("<Q", 4)),
        (7, ("<HBQQ", 15, 1, 0, 1)), (7, ("<HBQQ", 1, 0, 2, 3))))),
    ("ordinals that", put("receipts", u64(1), record(
        (1, ("<I", 1)), (2, DIGEST), (3, "file"), (4, i64(T)), (5, ("<Q", 3)), (6, ("<Q", 1)), (7, ("<HBQQ", 15, 1, 1, 1))))),
    ("damaged: length of a note", put("registry", u32(1), wearable(1, "strap-01", (11, b"\0x")))),
    ("damaged: too many notes", put("registry", u32(1), wearable(1, "strap-01", *notes(25)))),
    ("hub-state 000000016c696e6b: damaged: neither 0 nor 1", put("hub-state", u32(1) + b"link", state((1, b"\2")))),
    ("hub-state 000000016c696e6b: damaged: no kept", put("hub-state", u32(1) + b"link", state())),
    ("damaged: version 0", put("hub-state", u32(1) + b"link", state((1, b"\1"), version=0))),
    ("damaged: length of fields", put("hub-state", u32(1) + b"link", record((1, ("<H", 1)), (2, bytes(8193))))),
    ("damaged: name of a kind", put("driver-state", u32(1) + b"Link", state())),
    ("driver-state 3/own: there is no such wearable", put("driver-state", u32(3) + b"own", state())),
    ("watermarks 3/15: there is no such wearable", put("watermarks", u32(3) + b"\0\x0f", record((1, i64(T)), (2, ("<Q", 3)), (3, i64(T))))),
    ("watermarks 2/15: it says nothing", put("watermarks", u32(2) + b"\0\x0f", record((2, ("<Q", 3)), (3, i64(T))))),
    ("damaged: no visit", put("watermarks", u32(2) + b"\0\x0f", record((1, i64(T)), (3, i64(T))))),
    ("hub-state 1: more than 40", lambda tables: tables["hub-state"].update({u32(1) + b"k%d" % number: state() for number in range(40)})),
    ("hub-state 1: more than 16384 bytes", lambda tables: tables["hub-state"].update(
        {u32(1) + b"k%d" % number: state((1, bytes(6000))) for number in range(3)})),
    ("custody 1/a.bin: receipt 9 is not there", put("custody", u32(1) + b"a.bin", item((9, ("<Q", 9))))),
    ("custody 2/a.bin: receipt 1 is another wearable's", put("custody", u32(2) + b"a.bin", item((9, ("<Q", 1))))),
    ("durable without a receipt", put("custody", u32(1) + b"a.bin", item((6, i64(T))))),
    ("damaged: id of an item", put("custody", u32(1) + b"a b", item())),
    ("custody 1: more than 1024", lambda tables: tables["custody"].update({u32(1) + b"%d" % number: item() for number in range(1024)})),
    ("staged 1/half/4000: what is before it ends at 0", drop("staged", making.staged_page(1, "half", 0, b"x")[0])),
    ("staged 1/none/0: there is no record", put("staged", *making.staged_page(1, "none", 0, b"x"))),
    ("number of bytes", edit("staged", making.staged_page(1, "half", 0, b"x")[0], resummed(2, "<H", 3999))),
    ("another offset than its key's", edit("staged", making.staged_page(1, "half", 0, b"x")[0], resummed(8, "<Q", 1))),
]
