"""The ordinary life of a hub: start, enrolment, a minute of heart beats, and at the end the books."""
import time

from act import ENROLLED, ROGUE, STRANGER, Part
from lamps import demand_heartbeat
from ledger import FLOOD_HEART_RATE, brief, series_of
from malice import MALFORMED_HEART_RATES
from report import demand, eventually
from scene import address_of, objects_with
from service import serves_as_a_unit

LIVE_SECONDS = 60
IDLE_SECONDS = 10
NAMES = {0: "strap-01", 1: "strap-02", 2: "strap-03"}


class Life(Part):
    def beginning(self):
        step = self.report.step
        step("the daemon starts, scans and answers", self.start)
        step("with nobody in the air it sleeps", self.idle)
        step("it runs on two threads at most", self.threads)
        step("four straps come on the air; while nothing is enrolled none is connected", self.straps_arrive)
        step("all four are candidates while the window is open, and LINK says so", self.open_window)
        step("three of them are accepted under names of their own", self.accept)
        step("the three become live", lambda: self.hub.wait_until_live(ENROLLED))
        step(f"for {LIVE_SECONDS} s they beat", lambda: time.sleep(LIVE_SECONDS))
        step("HUB beats, LINK is steady, STORE winks", self.lights_of_a_good_minute)
        step("the export has every beat that the straps sent, once, in order, values and RR intervals exact", self.books_so_far)
        step("status, devices and live show them", self.screens)
        step("the export keeps to its filters, and CSV has the same samples", self.filters)
        step("the fourth was never connected", self.act.stranger_was_left_alone)

    def start(self):
        self.hub.launch()
        eventually(lambda: self.world.status()["scanning"], 10, "the kernel does not scan", every=0.02)
        seconds = self.hub.processor_seconds()
        self.report.by_clock("processor time from start to scanning", f"{seconds * 1000:.0f} ms", seconds <= 1)
        self.hub.wait_until_it_answers()

    def idle(self):
        time.sleep(2)
        begin, before, used = time.monotonic(), self.hub.proc_status("voluntary_ctxt_switches"), self.hub.processor_seconds()
        time.sleep(IDLE_SECONDS)
        end = time.monotonic()
        wakes = self.hub.proc_status("voluntary_ctxt_switches") - before
        edges = sum(len(self.lamps.edges_between(lamp, begin, end)) for lamp in self.lamps.lines)
        rate = max(0, wakes - edges) / (end - begin)
        self.report.measured("idle wake-ups a second, light edges left out", f"{rate:.1f} ({wakes} in all, {edges} edges)")
        self.report.by_clock("idle processor time", f"{(self.hub.processor_seconds() - used) / (end - begin) * 100:.2f} %")
        self.report.measured("resident memory", f"{self.hub.proc_status('VmRSS') / 1024:.1f} MB")
        demand(rate <= 4, f"{rate:.1f} wake-ups a second with nothing to do")

    def threads(self):
        threads = self.hub.proc_status("Threads")
        demand(threads <= 2, f"{threads} threads")

    def straps_arrive(self):
        for strap in range(4):
            self.world.ask("add", strap)
        time.sleep(3)
        for strap in range(4):
            demand(self.act.log_of(strap).count("connect") == 0, f"strap {strap} was connected")

    def open_window(self):
        self.hub.json("enroll", "open", "--for", "120s")
        begin = time.monotonic()
        eventually(
            lambda: {address_of(strap) for strap in range(4)} <= self.candidates(), 15, lambda: f"candidates are {self.candidates()}"
        )
        time.sleep(5)
        demand(self.lamps.pulses("LINK", begin, time.monotonic()), "LINK does not move while the window is open")

    def candidates(self):
        return {candidate["address"] for candidate in objects_with(self.hub.json("enroll", "list"), "address")}

    def accept(self):
        for strap in ENROLLED:
            self.hub.say("enroll", "accept", address_of(strap), "--name", NAMES[strap])
        self.hub.say("enroll", "close")
        devices = self.hub.devices()
        for strap in ENROLLED:
            device = devices.get(address_of(strap), {})
            demand(device.get("enrolled") is True, f"strap {strap} is not enrolled: {device}")
            demand(device.get("name") == NAMES[strap], f"strap {strap} is called {device.get('name')}")
        demand(not devices.get(address_of(STRANGER), {}).get("enrolled"), "the fourth is enrolled, too")

    def lights_of_a_good_minute(self):
        end = time.monotonic()
        begin = end - LIVE_SECONDS + 10
        self.report.measured("heartbeats of HUB in 50 s", demand_heartbeat(self.lamps, begin, end))
        share = self.lamps.time_on("LINK", begin, end) / (end - begin)
        demand(share > 0.9, f"LINK was on for {share * 100:.0f} % of the minute")
        winks = len(self.lamps.edges_between("STORE", begin, end))
        demand(winks >= 2, "STORE did not wink, though samples were committed")

    def books_so_far(self):
        until = self.act.durable_until()
        self.act.compare_accounts(self.hub.say("export", "--format", "ndjson"), until)

    def screens(self):
        devices = self.hub.devices()
        for strap in ENROLLED:
            device = devices[address_of(strap)]
            for key in ("name", "address", "kind", "state", "enrolled", "rssi", "battery", "last_seen"):
                demand(key in device, f"devices --json has no {key}")
            demand(device["battery"] == 90 - strap, f"battery of strap {strap} is {device['battery']}")
            demand(-60 < device["rssi"] < -40, f"strap {strap} is heard with {device['rssi']} dBm")
        for words in (("status",), ("devices",), ("device", NAMES[0]), ("enroll", "list"), ("store",), ("led", "explain"), ("led", "legend")):
            text = self.hub.say(*words)
            demand(text.strip(), f"hearth {' '.join(words)} says nothing")
            demand("\x1b" not in text, f"hearth {' '.join(words)} writes colours into a pipe")
            long = [line for line in text.splitlines() if len(line) > 80]
            demand(not long, lambda: f"hearth {' '.join(words)} is wider than 80 columns: {long[0]}")
        demand(self.hub.shell("device", "nobody").returncode == 5, "a device that is not there does not end with 5")
        demand(self.hub.shell("explain", "H3104").returncode == 0, "H3104 has no explanation")

    def filters(self):
        def lines(*words):
            return self.hub.say("export", *words).splitlines()

        everything = lines("--format", "ndjson", "--until", self._a_moment_ago())
        one = lines("--format", "ndjson", "--device", NAMES[1], "--series", "heart_rate")
        demand(one, "export of one series of one device is empty")
        for line in one:
            demand('"heart_rate"' in line and address_of(1) in line, f"a line that was not asked for: {line}")
        by_address = lines("--format", "ndjson", "--device", address_of(1), "--series", "heart_rate")
        demand(set(one) <= set(by_address), "a device asked for by address is not the one asked for by name")
        table = lines("--format", "csv", "--until", self._last_moment)
        demand(len(table) == len(everything) + 1, f"{len(table)} lines of CSV (one a heading) for {len(everything)} samples")

    def _a_moment_ago(self):
        self._last_moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 10))
        return self._last_moment

    def end(self):
        step = self.report.step
        step("SIGTERM ends it cleanly", self.clean_end)
        step("with the daemon down, status says so and the store is read without it", self.offline)
        step("as a service without root, with its two capabilities, it scans and gives signs of life", serves_as_a_unit, self.act)
        step("over the whole run the books agree: none missing, none twice, in order, exact", self.books_at_last)
        step("the fourth was never connected in the whole run", self.act.stranger_was_left_alone)

    def clean_end(self):
        self.act.cut(time.monotonic())
        demand(self.hub.stop() == 0, f"it ended with {self.hub.process.returncode}")

    def offline(self):
        done = self.hub.shell("status")
        demand(done.returncode == 3, f"hearth status ended with {done.returncode}, not 3")
        demand((done.stdout + done.stderr).strip(), "hearth status says nothing")
        demand(self.hub.say("--store", self.hub.store, "store", asks=False, allowed=(0, 3)).strip(), "hearth store says nothing")

    def books_at_last(self):
        text = self.hub.say("--store", self.hub.store, "export", "--format", "ndjson", asks=False, allowed=(0, 3))
        samples = self.act.compare_accounts(text)
        sent = {beat.heart_rate for beat in self.act.log_of(ROGUE).sent([])} | {FLOOD_HEART_RATE, *MALFORMED_HEART_RATES}
        foreign = [brief(sample) for sample in series_of(samples, address_of(ROGUE), "heart_rate") if sample["value"] not in sent]
        demand(not foreign, f"samples of the rogue strap that it never sent: {foreign}")
