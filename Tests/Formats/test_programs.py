"""Stores made by Hearth's own programs: this reader and `hearth export` print the same lines, and every promise of FORMAT.md is kept."""
import itertools
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import hearthstore
import verify

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "RingStoreTests" / "Fixtures"
PROGRAMS = None  # a folder; run.py sets it
SECONDS = 12
CONFIGURATION = """
hub:
  name: formats
enroll:
  mode: all
store:
  path: {folder}/store
  commit: {{every: 1s, bytes: 4KB}}
control:
  socket: {folder}/hearth.sock
"""


class Programs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="hearth-formats.")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.store = self.folder / "store"
        self.running = None
        self.addCleanup(lambda: self.stop(signal.SIGKILL))

    def program(self, name):
        if PROGRAMS is None:
            self.skipTest("no --programs")
        if name == "store-torture" and not (PROGRAMS / name).exists():
            self.skipTest(f"{name} is not built")
        return str(PROGRAMS / name)

    def start(self, *command):
        with open(self.folder / "log", "ab") as log:
            self.running = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def stop(self, number):
        """The exit status, negative for a signal."""
        if self.running is None:
            return None
        running, self.running = self.running, None
        if running.poll() is None:
            running.send_signal(number)
        return running.wait(60)

    def simulate(self, straps):
        self.store.mkdir(exist_ok=True)
        (self.folder / "hearth.yaml").write_text(CONFIGURATION.format(folder=self.folder))
        self.start(
            self.program("hearth-sim"), "serve", "--config", str(self.folder / "hearth.yaml"), "--population", "straps", "--wearables", str(straps))

    def log(self):
        return (self.folder / "log").read_text(errors="replace")[-4000:]

    def check_both_readers(self, least):
        """Of a store at rest: the two readers' lines, and what verify says. Returns how many lines there are."""
        run = subprocess.run([self.program("hearth"), "--store", str(self.store), "export", "--format", "ndjson"], capture_output=True, timeout=300)
        # 1 and 3 are answers as well: from the store while something needs attention, or while no daemon runs.
        self.assertIn(run.returncode, (0, 1, 3), run.stderr.decode(errors="replace"))
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.store, copy)
        theirs = run.stdout.decode().splitlines()
        with hearthstore.Store(copy) as store:
            ours = list(store.export())
            self.assertEqual(store.damaged, [])
        for number, (one, other) in enumerate(itertools.zip_longest(theirs, ours), 1):
            self.assertEqual(one, other, f"line {number} of {len(theirs)} and {len(ours)}: hearth export, then this reader")
        self.assertEqual(verify.verify(copy), [])
        self.assertGreaterEqual(len(ours), least, self.log())
        return len(ours)

    def check_fixture(self, version, more=""):
        fixture = FIXTURES / f"format-{version}{more}"
        if not fixture.exists():
            self.skipTest("it is not there")
        shutil.copytree(fixture, self.store)
        with hearthstore.Store(self.store) as store:
            self.assertEqual(store.version, version)
            lines = list(store.export())
            self.assertEqual(store.damaged, [])
        self.assertEqual("".join(line + "\n" for line in lines), (fixture / "export.ndjson").read_text())
        self.assertEqual(verify.verify(self.store), [])

    def test_the_fixture_of_format_1_dumps_to_its_export(self):
        self.check_fixture(1)

    def test_the_fixture_of_format_2_dumps_to_its_export(self):
        self.check_fixture(2)

    def test_the_fixture_of_format_3_dumps_to_its_export(self):
        self.check_fixture(3)
        with hearthstore.Store(self.store) as store:
            self.assertEqual(store.staged_bytes(1, "act/2"), bytes(7 * place & 255 for place in range(9001)))

    def test_the_fixture_of_format_3_has_notes(self):
        self.check_fixture(3, "-notes")
        with hearthstore.Store(self.store) as store:
            self.assertEqual([len(record.get("notes", [])) for _, record in store.records("registry")], [22, 3, 4, 3])

    def test_the_fixture_of_format_4_has_states(self):
        self.check_fixture(4)
        with hearthstore.Store(self.store) as store:
            states = {(key["wearable"], key["kind"]): record for key, record in store.records("hub-state")}
            self.assertEqual(states[1, "idle-refused"], {"version": 1, "what": "refused", "firmware": "001.07.01"})
            self.assertEqual([key["kind"] for key, _ in store.records("driver-state")], ["of-a-later-driver", "polar-recordings"])

    def test_the_fixture_of_format_5_has_doubtful_values(self):
        self.check_fixture(5)
        with hearthstore.Store(self.store) as store:
            self.assertEqual({ring.way for ring, _, item in store.whole_items() if item.low_quality}, {0, 1})

    def test_the_fixture_of_format_6_has_advertised_values(self):
        self.check_fixture(6)
        with hearthstore.Store(self.store) as store:
            self.assertEqual({ring.way for ring, _, item in store.whole_items() if item.origin == 3}, {0})

    def test_the_fixture_of_format_7_goes_on_in_its_journal_file(self):
        self.check_fixture(7)
        (self.store / "journal.log").unlink()
        with hearthstore.Store(self.store) as store:
            self.assertEqual(list(store.journal()), [])

    def test_the_fixture_of_format_8_has_chunks_that_know_their_place(self):
        self.check_fixture(8)
        with hearthstore.Store(self.store) as store:
            self.assertTrue(all(chunk.is_covered for chunk in store.ring_chunks()))
            number = store.number
            self.assertTrue(number)
            store.value = lambda table, key: None if key == b"chunk-number" else type(store).value(store, table, key)
            self.assertEqual(store._number(), number)
            key, value = next(store.entries("chunks"))
            for other in key[:3] + bytes([key[3] ^ 1]) + key[4:], key[:5] + bytes([key[5] ^ 1]) + key[6:]:
                with self.assertRaisesRegex(hearthstore.Damaged, "checksum"):
                    hearthstore.chunks.ring_chunk(other, value, number)
            with self.assertRaisesRegex(hearthstore.Damaged, "checksum"):
                hearthstore.chunks.ring_chunk(key, value, number ^ 1)

    def test_the_fixture_of_format_6_has_seals_that_its_key_opens(self):
        self.check_fixture(6)
        key = (self.store / "secrets.key").read_bytes()
        self.assertEqual(verify.verify(self.store, key), [])
        self.assertGreater(len(verify.verify(self.store, bytes(32))), 1)
        with hearthstore.Store(self.store) as store:
            (bond,) = [content for table, _, content in store.seals(key) if table == "bonds"]
            self.assertEqual(bond, b"\3\x11\1" + b"\xa5" * 16 + b"\3\4\2\1\2\3")

    def test_a_simulated_hub_that_ended_and_was_started_again(self):
        lines = 0
        for life in range(2):
            self.simulate(6)
            time.sleep(SECONDS)
            self.assertEqual(self.stop(signal.SIGTERM), 0, self.log())
            now = self.check_both_readers(lines + 20)
            self.assertGreater(now, lines)
            lines = now

    def test_a_simulated_hub_that_was_killed(self):
        self.simulate(12)
        time.sleep(SECONDS)
        self.assertEqual(self.stop(signal.SIGKILL), -signal.SIGKILL, self.log())
        self.check_both_readers(20)

    def test_a_hub_that_begins_with_the_fixture_of_format_1(self):
        shutil.copytree(FIXTURES / "format-1", self.store)
        (self.store / "export.ndjson").unlink()
        self.simulate(3)
        time.sleep(SECONDS)
        self.assertEqual(self.stop(signal.SIGTERM), 0, self.log())
        self.check_both_readers(406)

    def test_a_busy_store_that_was_killed_twice(self):
        for seed in range(2):
            self.start(self.program("store-torture"), "run", str(self.store), str(4 << 20), "4000", str(seed + 1))
            time.sleep(3)
            self.stop(signal.SIGKILL)
            self.check_both_readers(1000)
