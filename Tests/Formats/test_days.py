"""Days of simulated hubs, exported in every format and read back: each value is that of the store."""
import collections
import datetime
import os
import signal
import subprocess
import time
import unittest

import cases
import lived
import test_programs
import test_tables

# Looks at the store while a day passes in seconds, which the lab's time does not let it.
at_length = unittest.skipUnless(os.environ.get("HEARTH_AT_LENGTH"), "a simulated day at the machine's own time")


class Days(test_tables.TableCase):
    def lived(self, *words):
        """Gives `self.store` what a hub stored that lived in virtual time."""
        self.assertEqual(lived.lived(self.program("hearth-sim"), self.store, "--days", "1", "--wearables", "6", *words), 0)

    def check_all(self, series, least):
        """Every format, of all wearables or of each; the series has at least so many rows. Returns the observations."""
        rows = self.check_lines()
        count = collections.Counter(row["series"] for row in rows)
        self.assertGreaterEqual(count[series], least, count)
        self.check_csv()
        self.check_wide("1s")
        self.check_wide("1m")
        self.check_parquet()
        names, intervals = set(), 0
        for device in sorted({row["device"] for row in rows}):
            file, values = self.check_edf("--device", device)
            if any(self.fit_values(row) for row in values):
                self.check_fit("--device", device)
            names |= {name.split(" ")[0].split(".")[0] for name, _ in file.signals}
        self.assertIn(series, names)
        worn = {(row.get("wearer"), row["series"]) for row in rows if row["series"] in ("rr_interval", "ppi")}
        for wearer, beats in sorted((wearer, beats) for wearer, beats in worn if wearer):
            intervals += self.check_intervals("--person", wearer, "--series", beats)
        self.assertEqual(intervals > 0, bool(worn))
        return self.check_fhir()

    @at_length
    def test_a_day_of_a_gym(self):
        self.lived("--population", "polar", "--seed", "3", "--faults", "none")
        self.assertTrue(self.check_all("acc", 50))

    @at_length
    def test_a_day_of_a_ward(self):
        self.lived("--population", "ward", "--seed", "3", "--faults", "none")
        self.assertTrue(any("component" in one for one in self.check_all("blood_pressure_systolic", 5)))

    @at_length
    def test_a_day_with_every_fault_in_which_clocks_change(self):
        self.zone = "Europe/Berlin"
        self.lived("--population", "polar", "--seed", "7", "--faults", "all", "--zone", "Europe/Berlin", "--from", "2026-10-24")
        self.assertTrue(self.check_all("heart_rate", 1000))

    def serve(self, *words):
        """A hub in real time among simulated wearables, with its store."""
        self.socket = self.folder / "hearth.sock"
        with open(self.folder / "log", "ab") as log:
            hub = subprocess.Popen([self.program("hearth-sim"), "serve", *words, "--socket", str(self.socket), "--store", str(self.store)],
                                   stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.addCleanup(hub.wait)
        self.addCleanup(hub.kill)
        return hub

    def wait(self, what, holds):
        end = time.monotonic() + 60
        while not (self.socket.exists() and holds()):
            self.assertLess(time.monotonic(), end, f"no {what}: " + (self.folder / "log").read_text(errors="replace")[-2000:])
            time.sleep(1)

    def test_a_strap_s_ecg(self):
        """As long as `--seconds` says: an hour in the long check."""
        hub = self.serve("--population", "ward", "--wearables", "12", "--seed", "1")

        def order():
            run = subprocess.run([self.program("hearth"), "--socket", str(self.socket), "settings", "strap-02", "set", "streams", "ecg,acc"],
                                 capture_output=True)
            return run.returncode == 0
        self.wait("strap", order)
        self.wait("ECG", lambda: len(self.rows("--series", "ecg", socket=self.socket)) > 5)
        time.sleep(test_programs.SECONDS)
        hub.send_signal(signal.SIGTERM)
        self.assertEqual(hub.wait(60), 0)
        self.check_lines()
        words = ["--device", "strap-02"]
        file, rows = self.check_edf(*words)
        samples = sum(len(row["value"]) for row in rows if row["series"] == "ecg")
        self.assertGreater(samples / 130, 0.9 * test_programs.SECONDS)
        self.assertEqual(file.kind, "EDF+C")
        self.assertIn("ecg", [name.split(" ")[0] for name, _ in file.signals])
        for check in self.check_csv, self.check_parquet, self.check_intervals, self.check_fit, self.check_fhir:
            check(*words)
        for step in "1s", "1m":
            self.check_wide(step, *words)

    def test_a_running_hub_gives_the_same_as_its_store(self):
        hub = self.serve("--population", "gym", "--wearables", "6")
        time.sleep(test_programs.SECONDS)
        self.wait("heart rate", lambda: len(self.rows("--series", "heart_rate", socket=self.socket)) > 10)
        until = ["--until", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")]
        device = sorted({row["device"] for row in self.rows(*until, socket=self.socket)})[0]
        served = self.check_edf("--device", device, *until, socket=self.socket)[0]
        activity = self.check_fit("--device", device, *until, socket=self.socket)[0]
        observations = self.check_fhir("--device", device, *until, socket=self.socket)
        forms = [["ndjson"], ["csv", "--explode"], ["csv-wide"], ["rr", "--device", device]]
        texts = [self.hearth("--format", *words, *until, socket=self.socket) for words in forms]
        hub.send_signal(signal.SIGTERM)
        self.assertEqual(hub.wait(60), 0)
        self.assertEqual(self.check_edf("--device", device, *until)[0].data, served.data)
        self.assertEqual(self.check_fit("--device", device, *until)[0].data, activity.data)
        self.assertEqual(self.check_fhir("--device", device, *until), observations)
        for words, text in zip(forms, texts):
            self.assertEqual(self.hearth("--format", *words, *until).splitlines(), text.splitlines())
