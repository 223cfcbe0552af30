"""The decoders: on bytes worked out by hand, on what the plain encoder of making.py packs, and on bytes that are broken."""
import random
import struct
import unittest

import chunks
import digest
import fields
import making
from chunks import Bytes, Damaged, Item
from making import DELTA, DELTA_OF_DELTA, FRAME, LINE

LEAST, MOST = -(1 << 63), (1 << 63) - 1
T = 1_795_255_750_000_000  # 2026-11-21T10:09:10Z
PATTERNS = {
    "one number": [5],
    "two numbers": [5, -7],
    "three numbers": [5, -7, 100],
    "a full run": [T + 1_000_000 * place for place in range(128)],
    "one more than a run": [T + 1_000_000 * place for place in range(129)],
    "runs with noise": [T + 1_003_000 * place + 1000 * (place * 7919 % 40) for place in range(700)],
    "backwards, with repetitions": [T - 500 * (place // 3) for place in range(300)],
    "extremes": [LEAST, MOST, 0, -1, MOST, LEAST, 1, LEAST, LEAST, MOST],
    "all the same": [-3] * 200,
    "wide residuals": [(place * 0x9E3779B97F4A7C15) % (1 << 55) for place in range(150)],
}


class Numbers(unittest.TestCase):
    def test_the_checksum_is_crc32c(self):
        self.assertEqual(chunks.crc32c(b"123456789"), 0xE3069283)
        self.assertEqual(chunks.crc32c(b"1234", b"56789"), 0xE3069283)

    def test_varints_come_least_significant_group_first(self):
        self.assertEqual(Bytes(bytes.fromhex("ac02")).varint(), 300)
        self.assertEqual(Bytes(b"\xff" * 9 + b"\x01").varint(), (1 << 64) - 1)

    def test_a_varint_of_more_than_64_bits_or_without_end_is_damage(self):
        for broken in (b"\xff" * 9 + b"\x02", b"\x80" * 10 + b"\x00", b"\x80", b""):
            with self.assertRaises(Damaged):
                Bytes(broken).varint()

    def test_zigzag_alternates_between_the_signs(self):
        self.assertEqual([Bytes(bytes([byte])).zigzag() for byte in range(4)], [0, -1, 1, -2])
        self.assertEqual(Bytes(b"\xff" * 9 + b"\x01").zigzag(), LEAST)


    def test_the_digest_is_siphash(self):
        key = bytes(range(16))
        self.assertEqual(digest.siphash(b"", key).hex(), "a3817f04ba25a8e66df67214c7550293")
        # From the authors' vectors: inputs 00 and 00 01 02 ... 0e
        self.assertEqual(digest.siphash(b"\0", key).hex(), "da87c1d86b99af44347659119b22fc45")
        self.assertEqual(digest.siphash(bytes(range(15)), key).hex(), "5493e99933b0a8117e08ec0f97cfc3d9")


class Blocks(unittest.TestCase):
    """By hand: the head, start - before, the slope if there is one, and residuals from the least significant bit on."""

    def check_block(self, text, count, before, numbers):
        walk = Bytes(bytes.fromhex(text))
        self.assertEqual(chunks.block(walk, count, before), numbers)
        self.assertEqual(walk.left, 0)

    def test_frame(self):
        # w 3, s = 10 + 2; residuals 0, 5, 7 are 000, 101, 111 from the low end: 1 1110 1000
        self.check_block("03 04 e8 01", 3, 10, [12, 17, 19])

    def test_delta(self):
        # w 2; residuals 1, -1, -2 zig-zag to 2, 1, 3: 11 01 10
        self.check_block("42 13 36", 4, 0, [-10, -9, -10, -12])

    def test_delta_of_delta(self):
        # w 1, slope 1000; residuals 0, -1: 1 0
        self.check_block("81 00 d00f 02", 4, 7, [7, 1007, 2007, 3006])
        self.check_block("80 00 00", 1, 7, [7])

    def test_line(self):
        # slope -384/256, so floor gives 0, -2, -3, -5; w 1, residuals 1, 0, 0, 1
        self.check_block("c1 c801 ff05 09", 4, 0, [101, 98, 97, 96])

    def test_widths_that_are_not_defined_are_damage(self):
        for width in range(57, 63):
            with self.assertRaises(Damaged):
                chunks.block(Bytes(bytes([width, 0]) + bytes(100)), 3, 0)

    def test_a_line_wraps(self):
        self.check_block("c0 00" + "ff" * 9 + "01", 3, 0, [0, -(1 << 55), 0])


class RingChunks(unittest.TestCase):
    def check_items(self, items, plans, ring=making.live(1, 1)):
        chunk = chunks.ring_chunk(*making.ring_chunk(ring, 7, items, plans=plans))
        self.assertEqual(chunk.items, items)
        self.assertEqual((chunk.ring, chunk.first), (ring, 7))

    def test_every_predictor_gives_every_pattern_back(self):
        for predictor in (FRAME, DELTA, DELTA_OF_DELTA, LINE):
            for name, pattern in PATTERNS.items():
                with self.subTest(predictor=predictor, pattern=name):
                    walk = Bytes(making.columns([pattern], [(predictor, 0)]))
                    self.assertEqual(chunks.columns(walk, 1, len(pattern)), [pattern])
                    self.assertEqual(walk.left, 0)

    def test_columns_share_runs_and_keep_their_own_number_before(self):
        items = [Item(T + 1000 * place, place & 1, (place, -place, 42), b"") for place in range(300)]
        self.check_items(items, [(LINE, 3), (FRAME, 0), (DELTA_OF_DELTA, 0), (DELTA, 0), "constant"], making.fetched(3, 5))

    def test_exponents_multiply(self):
        for exponent in range(7):
            items = [Item(T, 0, (place * 10 ** exponent,), b"") for place in range(10)]
            self.check_items(items, ["constant", "constant", (FRAME, exponent)])

    def test_bytes_are_cut_by_their_lengths(self):
        items = [Item(T, 0, (0,), bytes(range(length))) for length in (3, 0, 200)]
        self.check_items(items, ["constant", "constant", "constant", (FRAME, 0)], making.fetched(1, 25))

    def test_a_chunk_of_constants_has_no_blocks(self):
        self.check_items([Item(T, 0, (60,), b"")] * 8192, ["constant"] * 3)

    def test_a_chunk_without_values_has_two_columns(self):
        self.check_items([Item(T, 0, (), b"")] * 3, ["constant"] * 2)

    def test_one_wrong_thing_is_damage(self):
        key, value = making.ring_chunk(making.live(1, 1), 7, [Item(T, 0, (60,), b""), Item(T + 1, 0, (61,), b"")])
        self.assertEqual(len(chunks.ring_chunk(key, value).items), 2)
        broken = {
            "layout": b"\x03" + value[1:], "no items": value[:2] + b"\0\0" + value[4:], "more items": value[:2] + b"\xc8\0" + value[4:],
            "another ordinal": value[:8] + b"\x08" + value[9:], "17 values": value[:64] + b"\x11" + value[65:],
            "bytes 2": value[:65] + b"\x02" + value[66:], "a heap": value[:66] + b"\x01" + value[67:], "a byte more": value + b"\0",
            "a byte less": value[:-1], "exponent 7": value[:68] + b"\x07" + value[69:], "bit 6": value[:68] + b"\x40" + value[69:],
        }
        for name, one in broken.items():
            with self.subTest(name), self.assertRaises(Damaged):
                chunks.ring_chunk(key, making.summed(one))
        with self.assertRaises(Damaged):
            chunks.ring_chunk(key, value[:4] + b"\0\0\0\0" + value[8:])
        with self.assertRaises(Damaged):
            chunks.ring_chunk(key[:6] + b"\x02" + key[7:], value)

    def test_flags_that_are_not_defined_are_damage(self):
        for flags in (-1, 0x80, 0x100):
            key, value = making.ring_chunk(making.live(1, 1), 0, [Item(T, flags, (60,), b"")], plans=["constant"] * 3)
            with self.subTest(flags), self.assertRaises(Damaged):
                chunks.ring_chunk(key, value)

    def test_every_origin_is_read_in_every_layout(self):
        for flags in (0, 1, 2, 3, 0x23):
            item = Item(T, flags, (60,), b"")
            key, value = making.ring_chunk(making.live(1, 1), 0, [item], plans=["constant"] * 3)
            with self.subTest(flags):
                self.assertEqual([one.flags for one in chunks.ring_chunk(key, value).items], [flags])
                journal = chunks.journal_chunk(*making.journal_chunk(0, [(making.live(1, 1), item)], T))
                self.assertEqual([one.flags for _, one in journal.records], [flags])
        old = chunks.journal_chunk(*making.old_journal_chunk(0, [(making.live(1, 1), Item(T, 3, (60,), b""))], T))
        self.assertEqual([one.flags for _, one in old.records], [3])


class JournalChunks(unittest.TestCase):
    def test_records_by_hand(self):
        key, value = making.journal_chunk(9, [(making.live(1, 1), Item(T, 0, (60,), b""))], T, odometer=4096)
        body = bytes.fromhex(
            "14 01 d00f 78"  # wearable 1, 1000 ms later, heart_rate 60, flags as in the beginning
            "27 f00e"  # everything as before: rr_interval 952
            "f1 12 84 01 7f"  # series 18, flags 0x84: manual, and 1 us less
        )
        # bit 3 of 0xf1 is 0, so one value: 0x7f is -64
        value = making.summed(value[:2] + b"\3\0" + value[4:88] + body)
        chunk = chunks.journal_chunk(key, value)
        self.assertEqual(chunk.records, [
            (making.live(1, 1), Item(T + 1_000_000, 0, (60,), b"")),
            (making.live(1, 2), Item(T + 1_000_000, 0, (952,), b"")),
            (making.live(1, 18), Item(T + 999_999, 4, (-64,), b"")),
        ])
        self.assertEqual((chunk.sequence, chunk.wall, chunk.odometer), (9, T, 4096))

    def test_every_shape_comes_back(self):
        records = [
            (making.live(1, 5), Item(T, 0, (1, -2, 3), b"")), (making.live(1, 6), Item(T + 3, 0x44, (1, 2, 300), b"x" * 400)),
            (making.live(1, 6), Item(T + 3, 4, (1, 2, 300), b"y")), (making.live(4_000_000_000, 60_000), Item(T - 1000, 0, (), b"")),
            (making.live(2, 1), Item(T - 1000, 0x18, (LEAST,), b"")), (making.live(2, 7), Item(T, 0, tuple(range(16)), b"")),
        ]
        self.assertEqual(chunks.journal_chunk(*making.journal_chunk(0, records, T)).records, records)

    def test_layout_1_comes_back(self):
        records = [(making.live(1, 1), Item(T + 1, 0, (60,), b"")), (making.live(1, 2), Item(T + 1, 1, (MOST,), b"")),
                   (making.live(9, 300), Item(T - 9, 2, (LEAST,), b""))]
        chunk = chunks.journal_chunk(*making.old_journal_chunk(4, records, T + 1))
        self.assertEqual((chunk.records, chunk.layout, chunk.odometer), (records, 1, None))

    def test_one_wrong_thing_is_damage(self):
        key, value = making.journal_chunk(9, [(making.live(1, 1), Item(T, 0, (60,), b""))], T)
        broken = [b"\x02" + value[1:], value[:2] + b"\0\0" + value[4:], value[:2] + b"\2\0" + value[4:], value + b"\0", value[:-1],
                  value[:8] + b"\x08" + value[9:], value[:80], value[:88] + b"\x1f\x11\0" + value[91:], value + bytes(4080)]
        for one in broken:
            with self.assertRaises(Damaged):
                chunks.journal_chunk(key, making.summed(one))


class Hostile(unittest.TestCase):
    def test_whatever_the_bytes_are_a_decoder_answers_or_says_damaged(self):
        dice = random.Random(3)
        items = [Item(T + 1000 * place, 0, (place, 2, 0), bytes(place)) for place in range(40)]
        ring = making.fetched(1, 6)
        plans = [(LINE, 3), "constant", (FRAME, 0), (DELTA, 0), "constant", (DELTA_OF_DELTA, 0)]
        kinds = [
            (chunks.ring_chunk, *making.ring_chunk(ring, 7, items, plans=plans)),
            (chunks.journal_chunk, *making.journal_chunk(7, [(ring._replace(way=0), item) for item in items[:20]], T)),
            (chunks.journal_chunk, *making.old_journal_chunk(7, [(ring._replace(way=0), item) for item in items], T)),
        ]
        outcomes = [0, 0]
        for decode, key, value in kinds:
            for _ in range(1500):
                changed = bytearray(value)
                for _ in range(dice.randint(1, 3)):
                    changed[dice.choice([0, 2, 3, *range(64, len(changed))])] = dice.randrange(256)
                try:
                    decode(key, making.summed(bytes(changed[:dice.choice([len(changed), dice.randint(80, len(changed))])])))
                    outcomes[0] += 1
                except Damaged:
                    outcomes[1] += 1
        self.assertGreater(min(outcomes), 100, outcomes)

    def test_records_with_fields_answer_or_say_damaged(self):
        dice = random.Random(4)
        value = making.record((1, ("<Q", 5)), (2, b"\1"), (3, "name"), (6, ("<q", T)), (10, b"\4fact?"))
        self.assertEqual(fields.record("registry", value)["facts"], [{"name": "fact", "value": "?"}])
        for _ in range(3000):
            changed = bytearray(value[:-4])
            changed[dice.randrange(1, len(changed))] = dice.randrange(256)
            changed = bytes(changed[:dice.randint(1, len(changed))])
            try:
                fields.record("registry", changed + struct.pack("<I", chunks.crc32c(changed)))
            except Damaged:
                pass
