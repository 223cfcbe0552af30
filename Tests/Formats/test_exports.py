"""Exports for other tools: every number that NDJSON has comes back from them, at its time."""
import struct
import subprocess

import cases
import exports
import test_store
from chunks import Item
from making import fetched, live
from test_store import SECOND, T


class Exports(cases.Checks):
    # MARK: EDF

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
