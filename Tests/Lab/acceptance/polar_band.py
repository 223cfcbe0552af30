"""What a Polar 360 has to see of the hub: everything fetched, no file removed too soon, every sync ended, busy taken for an answer."""
import datetime
import json
import signal
import time
import zoneinfo

import books
from report import demand, eventually
from scene import objects_with

import polar_data
import polar_sense
import protobuf

ADDRESS = "F0:36:0B:00:00:00"
NAME = "band-01"
NOON = polar_data.BAND_NOON
ZONE = "Europe/Berlin"
TODAY = f"/U/0/{polar_data.BAND_NOON:%Y%m%d}/"
# Days that go on, and what is measured of them so far.
OF_TODAY = (TODAY + "ACT/", TODAY + "SLEEP/", TODAY + "DSUM/", "/U/0/AUTOS/AUTOS001.BPB")
ALWAYS = (polar_data.SETTINGS_PATH,)
START_SYNC, STOP_SYNC, INITIALIZE, TERMINATE = 0, 1, 8, 9
STOPPED = "0801"  # completed
VISIT_BOUND = 30  # s, as configured
PATIENCE = 60  # s from an order to what comes of it
# Bytes a second that the slowest machine must reach over a link of 90 kB/s; the measured ones are printed.
SLOWEST = 20_000


class BandLog:
    def __init__(self, path):
        with open(path) as file:
            self.lines = [json.loads(line) for line in file if line.endswith("\n")]

    def of(self, *events, since=0.0):
        return [line for line in self.lines if line["event"] in events and line["monotonic"] > since]

    def asked_for(self, since=0.0):
        """Recordings, in the order in which they were asked for."""
        return [line["path"] for line in self.of("asked-for", since=since) if line["path"].endswith(".REC")]

    def removed(self):
        return {path for line in self.of("removed") for path in line["files"] or ()}

    def syncs(self):
        """[(begin, end or `None`, how)] of what the hub called a sync. `how`: ended as it should be, `lost` with the link, or `open` until the next."""
        found, begun, steps = [], None, []
        for line in self.of("asked-to-sync", "told", "disconnect"):
            if line["event"] == "told" and line["id"] == START_SYNC:
                begun, steps = line["monotonic"], []
            elif begun is None:
                continue
            elif line["event"] == "told":
                steps.append((line["id"], line["hex"]))
                if line["id"] == TERMINATE:
                    found.append((begun, line["monotonic"], "ended" if steps == [(STOP_SYNC, STOPPED), (TERMINATE, "")] else f"ended with {steps}"))
                    begun = None
            else:
                found.append((begun, line["monotonic"], "lost" if line["event"] == "disconnect" else "open"))
                begun = None
        return found


class BandAct:
    def __init__(self, report, world, hub, total, strap):
        self.report = report
        self.world = world
        self.hub = hub
        self.total = total
        self.strap = strap  # which streams meanwhile
        self.cuts = []  # moments at which the link was lost by our doing
        self.added = []  # bytes of the recordings that were added

    def log(self):
        return BandLog(f"{self.world.logs}/band-0.jsonl")

    # --- the first sync, with a link that breaks ---

    def beginning(self):
        step = self.report.step
        step(f"{self.total / 1e6:.1f} MB of recordings are fetched and removed, though the link breaks in the middle", self.all_fetched)
        step("nothing was fetched twice but what the link broke off", self.resumed)
        step("both recordings were ended and begun anew: one had run for long, the other was in the way of its clock", self.renewed)
        step(f"in between it was told the local time of {ZONE}, before the sync; hearth clock says so", self.local_time)
        step("what had ended is gone from the band, with days that are over; what goes on is there", self.left)
        step("the night that ended this morning is in the store, and today's steps as far as they have come, once each", self.morning)

    def break_in_the_middle(self):
        self.world.ask("band-drop-after", 0, self.total // 2)

    def at_rest(self):
        """Recordings that have ended and are still there."""
        band = self.world.status()["bands"][0]
        return [path for path in band["files"] if path.endswith(".REC") and path not in band["running"]]

    def wait_until_removed(self, within, every=0.5):
        eventually(lambda: not self.at_rest(), within, lambda: f"still there are {self.at_rest()}\n{self.hub.say('visits')}", every=every)

    def all_fetched(self):
        begin = time.monotonic()
        eventually(lambda: self.log().asked_for(), 90, lambda: f"nothing is asked for\n{self.hub.say('visits')}{self.hub.say('devices')}")
        self.wait_until_removed(60 + self.total / SLOWEST, every=1)
        log = self.log()
        breaks = log.of("broke-off")
        demand(len(breaks) == 1, f"the link broke off {len(breaks)} times")
        self.cuts.append(breaks[0]["monotonic"])
        first, last = log.of("asked-for")[0]["monotonic"], log.of("removed")[-1]["monotonic"]
        self.report.measured("from enrolment to the first file, to the last removal", f"{first - begin:.1f} s, {last - begin:.1f} s")
        self.rates(log)

    def rates(self, log):
        """Of whole files, from the request to the last packet."""
        asked, spans = {}, []
        for line in log.of("asked-for", "served"):
            if line["event"] == "asked-for":
                asked[line["path"]] = line["monotonic"]
            elif line["path"].endswith(".REC"):
                spans.append((line["size"], line["monotonic"] - asked[line["path"]]))
        size, seconds = map(sum, zip(*spans))
        self.report.measured("files, bytes a second while they come", f"{len(spans)}, {size / seconds:.0f}")

    def resumed(self):
        log = self.log()
        broken = log.of("broke-off")[0]["path"]
        asked = log.asked_for()
        # The head of a recording that goes on is read to see its settings.
        renewed = {line["path"] for line in log.of("recorded") if line["path"] in {one["path"] for one in log.of("running")}}
        again = {path for path in asked if asked.count(path) > 1} - renewed
        demand(again == {broken}, f"asked for more than once: {again}; the link broke off {broken}")
        demand(asked.count(broken) == 2, f"what the link broke off was asked for {asked.count(broken)} times")

    def renewed(self):
        log = self.log()
        begun = [line["path"] for line in log.of("running")]
        ended = [line["path"] for line in log.of("recorded") if line["path"] in begun]
        running = self.world.status()["bands"][0]["running"]
        demand(sorted(path.split("/")[-1] for path in ended) == ["ACC0.REC", "HR0.REC"], f"ended were {ended}")
        demand(sorted(path.split("/")[-1] for path in running) == ["ACC0.REC", "HR0.REC"], f"running are {running}")
        anew = [line for line in log.of("running") if "/ACC" in line["path"]][-1]
        self.report.measured("recordings that were ended and begun anew", len(ended))
        demand(bytes.fromhex(anew["settings"]).startswith(bytes([0, 1, polar_data.ACC_RATE, 0])), f"begun anew with {anew['settings']}")

    def local_time(self):
        log = self.log()
        told = log.of("set-time")
        begun = [line["monotonic"] for line in log.of("running") if "settings" in line]
        ended = [line["monotonic"] for line in log.of("recorded") if line["path"].startswith(TODAY) and line["monotonic"] > log.of("connect")[0]["monotonic"]]
        first_sync = [line["monotonic"] for line in log.of("told") if line["id"] == START_SYNC][0]
        offset = int(datetime.datetime.now(zoneinfo.ZoneInfo(ZONE)).utcoffset().total_seconds()) // 60
        demand([line["offset"] for line in told] == [offset], f"it was told {told}")
        demand(max(ended[:2]) < told[0]["monotonic"] < min(begun), "it was not told while nothing was recorded")
        demand(told[0]["monotonic"] < first_sync, "the sync had begun before")
        (row,) = [one for one in self.hub.json("clock", NAME)["devices"]]
        demand((row["utc_offset_min"], row["zone_offset_min"]) == (offset, offset) and abs(row["offset_us"]) < 2_000_000, f"hearth clock says {row}")
        self.report.measured("its clock, off by and zone", f"{row['offset_us'] / 1000:.0f} ms, {row['utc_offset_min']} min")

    def left(self):
        band = self.world.status()["bands"][0]
        written = {line["path"] for line in self.log().of("put")}
        extra = [path for path in band["files"] if not path.startswith(ALWAYS + OF_TODAY) and path not in band["running"] and path not in written]
        demand(not extra, f"still there are {extra}")
        for path in [one for one in polar_data.days() | polar_data.night() if one.startswith(OF_TODAY)]:
            demand(path in band["files"], f"{path} of today is gone")

    def morning(self):
        # By the hub's clock, whatever day that is. Of today 300 minutes were written, the last of which is whole once an hour has passed; yesterday is over.
        wanted = [sum(index % 140 for minutes in (600, today) for index in range(minutes)) for today in (299, 300)]

        def nights_and_steps():
            days = self.hub.json("days", NAME)["lines"]
            nights = [night for day in days for night in day["nights"]]
            hours = [sum(night[part] for part in ("awake_s", "rem_s", "light_s", "deep_s", "unknown_s")) / 3600 for night in nights]
            return hours, sum(day["steps"] or 0 for day in days)

        eventually(lambda: nights_and_steps() in [([polar_data.NIGHT_HOURS], steps) for steps in wanted], PATIENCE, lambda: f"nights and steps are {nights_and_steps()}, not {wanted}")

    # --- vital signs ---

    def measuring(self):
        self.report.step("a band is measured by order: its pulse comes of its intervals, is stored, and the stream is given back", self.measured)

    def measured(self):
        begun = self.log().of("stream")
        results = polar_sense.measured(self.hub, NAME)
        found = self.log().of("stream")[len(begun):]
        demand(len(found) >= 2 and found[0]["on"] and not found[-1]["on"], f"its stream was told {found}")
        self.report.measured("vital signs of a band", {name: one["value"] for name, one in results.items()})

    # --- trouble ---

    def trouble(self):
        step = self.report.step
        step("a training runs: SYSTEM_BUSY ends the visit, its heart rate still comes, and the hub is back when it is over", self.busy_from_the_beginning)
        step("a training begins between two files: the sync is ended, the band left alone, and the rest fetched later", self.busy_in_the_middle)
        step("hearthd killed in the middle of a file: started again, it fetches it", self.killed)
        step("a recording that runs was never removed", self.running_never_removed)
        step("what was removed had been served whole before", self.removed_in_order)
        step("every sync was ended, but for those whose link was lost", self.syncs_ended)

    # --- what a technician orders ---

    def orders(self):
        step = self.report.step
        step("a feature is ordered off: the band's settings are changed in that one place, and read back", self.feature_off)
        step("where it is worn and what it takes for a training are ordered, written into its settings, and read back", self.setting)
        step("the band is told who wears it, and says so itself", self.told_its_wearer)
        step("a phone sets the band up anew: of that only what people enter changes, byte for byte; another wearer has nothing of the one before", self.set_up_by_phone)
        step("what is nobody's to order is refused with what would do, and nothing is changed", self.refused)

    # --- a link over which too little comes ---

    def reset(self):
        step = self.report.step
        step("a link that falls mute shows no pulse after five seconds and is not live after thirty, and both again with the next beat", self.mute)
        step("reset, it has lost its bond: that is told at once, nothing is taken of it, and a person accepts it anew", self.bond_lost)

    def shown(self):
        return self.hub.devices()[ADDRESS]

    def mute(self):
        eventually(lambda: self.shown()["state"] == "live" and self.shown()["heart_rate"], PATIENCE, lambda: f"it is {self.shown()}")
        self.world.ask("band-mute", 0, 1)
        # Visits are no live values: it is looked at between them.
        eventually(lambda: self.shown()["heart_rate"] is None, 10, lambda: f"it shows {self.shown()}", every=0.5)
        eventually(lambda: self.shown()["state"] == "linked", 60, lambda: f"it is {self.shown()}", every=0.5)
        demand("bpm" not in next(line for line in self.hub.say("devices").splitlines() if line.startswith(NAME)), "a pulse is shown")
        self.world.ask("band-mute", 0, 0)
        eventually(lambda: self.shown()["state"] == "live" and self.shown()["heart_rate"], 30, lambda: f"it is {self.shown()}", every=0.5)

    def bond_lost(self):
        since = time.monotonic()
        self.world.ask("band-forget", 0)
        self.cuts.append(since)
        eventually(lambda: (self.shown()["reason"] or {}).get("code", "").startswith("H22"), 60, lambda: f"it is {self.shown()}", every=0.5)
        self.report.measured("s until a bond that was lost is told", f"{time.monotonic() - since:.1f}")
        begun = time.monotonic()
        time.sleep(15)
        device, beats = self.shown(), self.log().of("notify", since=begun)
        # The hub looks at it again and again, and may be about it now.
        told = (device["reason"] or {}).get("code") == "H2207"
        demand(told and device["state"] != "live" and device["heart_rate"] is None, f"it is {device}")
        demand(not beats and not self.log().asked_for(since), f"without a key {len(beats)} heart rates were taken, and {self.log().asked_for(since)}")
        self.hub.say("enroll", "open", "--for", "120s")
        self.hub.say("enroll", "accept", NAME)
        self.hub.say("enroll", "close")
        eventually(lambda: self.shown()["state"] == "live" and self.shown()["heart_rate"], PATIENCE, lambda: f"accepted anew it is {self.shown()}", every=0.5)
        lost = [bond for bond in self.hub.json("bond", "list")["bonds"] if bond.get("lost")]
        demand(not lost, f"lost are {lost}")

    def settings(self):
        """{row: fields} of what it says itself."""
        document = json.loads(self.hub.say("settings", NAME, "--json", timeout=PATIENCE))
        return {row["name"]: row["fields"] for row in document["report"]["rows"]}

    def content(self, path):
        return bytes.fromhex(self.world.ask("band-file", 0, path))

    def feature_off(self):
        before = self.content(polar_data.SETTINGS_PATH)
        demand(before == polar_data.device_settings(True), "its settings are not those of the beginning")
        self.hub.say("settings", NAME, "set", "features-off", "telemetry")
        self.visit_now()
        eventually(lambda: self.content(polar_data.SETTINGS_PATH) != before, PATIENCE, "its settings are not changed", every=0.5)
        changed = protobuf.read(self.content(polar_data.SETTINGS_PATH))
        wanted = protobuf.read(polar_data.device_settings(False))
        demand({field: changed.get(field) for field in wanted} == wanted, f"its settings are {changed}")
        row = self.settings()["telemetry"]
        demand(row == {"on": "no", "ordered": "off"}, f"it says {row}")

    def setting(self):
        for name, value in (("worn", "chest"), ("training-detection", "on"), ("training-sensitivity", "70"), ("training-minimum", "600")):
            self.hub.say("settings", NAME, "set", name, value)
        self.visit_now()
        trained = protobuf.part(2, protobuf.number(1, 1) + protobuf.number(2, 70) + protobuf.number(3, 600))
        wanted = protobuf.read(polar_data.device_settings(False, worn=polar_data.CHEST) + protobuf.part(21, trained))

        def written():
            found = protobuf.read(self.content(polar_data.SETTINGS_PATH))
            return {field: found.get(field) for field in wanted} == wanted

        eventually(written, PATIENCE, lambda: f"its settings are {self.content(polar_data.SETTINGS_PATH).hex()}", every=0.5)
        rows = self.settings()
        demand(rows["place"] == {"worn": "chest", "number": "5", "ordered": "chest"}, f"it says {rows['place']}")
        training = {"on": "yes", "ordered": "on", "sensitivity": "70", "sensitivity_ordered": "70", "minimum_s": "600", "minimum_ordered_s": "600"}
        demand(rows["training-detection"] == training, f"it says {rows['training-detection']}")
        self.hub.say("settings", NAME, "set", "worn", "none")
        before = protobuf.read(polar_data.device_settings(False))[1]
        eventually(lambda: protobuf.read(self.content(polar_data.SETTINGS_PATH))[1] == before, PATIENCE, "it is not as it was before", every=0.5)

    def told_its_wearer(self):
        self.hub.say("wearer", "add", "Ada")
        self.hub.say("wearer", "body", "Ada", "--born", "1980-05-17", "--sex", "female", "--height", "171", "--weight", "62")
        self.hub.say("wearer", "assign", NAME, "Ada")
        self.visit_now()
        eventually(lambda: polar_data.PHYSICAL_PATH in self.world.status()["bands"][0]["files"], PATIENCE, "it was told nothing", every=0.5)
        row = self.settings()["wearer"]
        told = {name: row.get(name) for name in ("state", "born", "sex", "height_cm", "weight_kg")}
        wanted = {"state": "kept", "born": "1980-05-17", "sex": "female", "height_cm": "171", "weight_kg": "62"}
        demand(told == wanted, f"it says {told}")

    def set_up_by_phone(self):
        """Changes field by field of the whole: whatever is not named has the bytes that the phone wrote."""
        self.world.ask("band-put", 0, polar_data.PHYSICAL_PATH, polar_data.phone_data().hex())
        self.world.ask("band-put", 0, polar_data.IDENTIFIER_PATH, polar_data.phone_identifier().hex())

        def told(expected, *words, before=None):
            before = protobuf.read(before or self.content(polar_data.PHYSICAL_PATH))
            for command in words:
                self.hub.say("wearer", *command)
            self.visit_now()

            def changed():
                now = protobuf.read(self.content(polar_data.PHYSICAL_PATH))
                # The time of change of the whole: two changes may fall into one second.
                return sorted(field for field in (before.keys() | now.keys()) - {100} if before.get(field) != now.get(field))

            eventually(lambda: changed() == expected, PATIENCE, lambda: f"fields {changed()} have changed instead of {expected}", every=0.5)

        # Ada's birth date, sex and height are as the phone had them; her heart rates were never entered.
        told([3], before=polar_data.phone_data())
        told([3, 10], ("body", "Ada", "--weight", "63", "--vo2max", "50"))
        # Further facts of Bo are unknown, and those of Ada's body are gone.
        told([1, 2, 3, 4, 5, 6, 10, 11, 12, 17], ("add", "Bo"), ("body", "Bo", "--born", "1999-12-01", "--sex", "male", "--height", "184", "--weight", "80"), ("assign", NAME, "Bo"))
        phone, now = protobuf.read(polar_data.phone_data()), protobuf.read(self.content(polar_data.PHYSICAL_PATH))
        demand(phone[100] != now[100], "its time of change is still the phone's")
        kept = (7, 13, 18)
        demand(all(phone[field] == now[field] for field in kept), f"of {kept} something is not as the phone wrote it: {now}")
        demand(self.content(polar_data.IDENTIFIER_PATH) == polar_data.phone_identifier(), "it has another identifier")
        row = self.settings()["wearer"]
        # Facts that Bo did not give are assumed, the highest heart rate by his age. All of Ada's are gone: no VO2max and no sleep
        # goal.
        assumed = "highest heart rate, resting heart rate, training background, typical day"
        wanted = {"state": "kept", "born": "1999-12-01", "sex": "male", "height_cm": "184", "weight_kg": "80", "resting_heart_rate_bpm": "60",
                  "training": "occasional", "typical_day": "sitting", "its_own": assumed, "assumed": assumed}  # fmt: skip
        highest = row.pop("maximum_heart_rate_bpm", None)
        demand(row == wanted and highest not in (None, "191"), f"it says {row}, {highest}")

    def refused(self):
        before = self.hub.json("settings", NAME, "--orders")
        for words, status, hint in (
            (("settings", NAME, "set", "features-off", "lamp"), 2, "telemetry"),
            (("settings", NAME, "set", "streams", "smell"), 2, "no series"),
            (("settings", NAME, "set", "streams", "ecg"), 2, "acc"),
            (("settings", NAME, "set", "worn", "moon"), 2, "left-wrist"),
            (("settings", NAME, "set", "lamp", "on"), 2, "training-minimum"),
            (("settings", NAME, "set", "rates", "acc=51"), 2, "50"),
            (("recordings", NAME, "start", "ecg"), 2, "acc"),
            (("recordings", NAME, "start", "acc", "rate=51"), 2, "50"),
            (("wearer", "assign", NAME, "Cy"), 5, "Cy"),
        ):
            done = self.hub.shell(*words, timeout=PATIENCE)
            demand(done.returncode == status and hint in done.stderr and not done.stdout, f"{words} ended with {done.returncode}: {done.stdout}{done.stderr}")
        demand(self.hub.json("settings", NAME, "--orders") == before, "the orders have changed")

    def record(self, size):
        self.added.append(size)
        self.world.ask("band-record", 0, size)

    def visit_now(self):
        # A visit that is just ending would take the wish for its own, and what came meanwhile would wait for the next.
        eventually(lambda: self.hub.json("visits", NAME)["visits"][0]["ended"], 30, lambda: f"a visit does not end\n{self.hub.say('visits')}")
        self.hub.say("visit", "now", NAME)

    def busy_from_the_beginning(self):
        since = time.monotonic()
        self.world.ask("band-busy", 0, 1)
        self.record(60_000)
        self.visit_now()
        eventually(lambda: self.log().of("asked-to-sync", since=since), 20, "it was not asked whether a sync may begin")
        time.sleep(3)
        log = self.log()
        demand(all(line["busy"] for line in log.of("asked-to-sync", since=since)), "it was not busy")
        begun = [line for line in log.of("told", since=since) if line["id"] in (START_SYNC, INITIALIZE)]
        demand(not begun, f"a sync was begun all the same: {begun}")
        demand(not log.asked_for(since), f"it was asked for {log.asked_for(since)}")
        demand(log.of("notify", since=since + 1), "its heart rate does not come any more")
        self.world.ask("band-busy", 0, 0)
        over = time.monotonic()
        self.wait_until_removed(VISIT_BOUND + 30)
        self.report.measured("from the end of the training to the removal", f"{time.monotonic() - over:.1f} s")

    def busy_in_the_middle(self):
        since = time.monotonic()
        self.world.ask("band-busy-at", 0, 2)
        for _ in range(2):
            self.record(60_000)
        self.visit_now()
        eventually(lambda: self.log().of("busy", since=since), 30, lambda: f"the second file is not asked for\n{self.hub.say('visits')}")
        eventually(lambda: self.log().syncs()[-1][0] > since, 15, "the sync was not ended", every=0.2)
        refused = self.log().of("busy", since=since)[0]["monotonic"]
        time.sleep(5)
        log = self.log()
        demand(log.syncs()[-1][2] == "ended", f"the sync was {log.syncs()[-1][2]}")
        demand(len(log.of("busy", since=since)) == 1, f"it was asked {len(log.of('busy', since=since))} times though it was busy")
        late = [path for path in log.asked_for(refused + 0.001)]
        demand(not late, f"it was asked for {late} though it was busy")
        self.world.ask("band-busy", 0, 0)
        self.visit_now()
        self.wait_until_removed(VISIT_BOUND + 30)

    def killed(self):
        since = time.monotonic()
        self.record(400_000)
        self.visit_now()
        eventually(lambda: self.log().asked_for(since), 20, lambda: f"nothing is asked for\n{self.hub.say('visits')}", every=0.05)
        time.sleep(1.0)
        demand(not [line for line in self.log().of("served", since=since) if line["path"].endswith(".REC")], "it was served before the kill")
        self.cuts.append(time.monotonic())
        self.strap.killed()
        self.hub.stop(signal.SIGKILL)
        time.sleep(2)
        self.hub.start()
        self.wait_until_removed(VISIT_BOUND + 60)

    # --- ledgers ---

    def running_never_removed(self):
        running = set()
        for line in self.log().of("running", "recorded", "removed"):
            if line["event"] == "running":
                running.add(line["path"])
            elif line["event"] == "recorded":
                running.discard(line["path"])
            else:
                demand(not running.intersection(line["files"] or ()), f"{line['path']} was removed with {running.intersection(line['files'])} in it")
                demand(not any(one.startswith(line["path"].rstrip("/") + "/") for one in running), f"{line['path']} was removed, where a recording runs")

    def removed_in_order(self):
        size, served = {}, set()
        count = 0
        for line in self.log().of("recorded", "served", "removed"):
            if line["event"] == "recorded":
                size[line["path"]] = line["size"]
                served.discard(line["path"])
            elif line["event"] == "served":
                if line["size"] == size.get(line["path"]):
                    served.add(line["path"])
            else:
                early = set(line["files"] or ()) - served
                demand(not early, f"{line['path']} was removed with {early}, which had not been served whole")
                count += len(line["files"] or ())
        self.report.measured("files removed", count)

    def syncs_ended(self):
        syncs = self.log().syncs()
        lost = [begin for begin, end, how in syncs if how == "lost"]
        wrong = [(begin, how) for begin, _, how in syncs if how not in ("ended", "lost")]
        demand(not wrong, f"not ended as they should be: {wrong}")
        demand(len(lost) <= len(self.cuts), f"{len(lost)} syncs were lost with their link, which was cut {len(self.cuts)} times")
        self.report.measured("syncs, and those whose link was lost", f"{len(syncs)}, {len(lost)}")

    # --- books ---

    def made(self):
        """{path: content} of everything that ended, made anew from what the twin's log says of it."""
        known = polar_data.recordings(self.total) | polar_data.days()
        for number, size in enumerate(self.added):
            path, content = polar_data.later_recording(number, size)
            known[path] = content
        began = {line["path"] for line in self.log().of("running")}
        for line in self.log().of("recorded"):
            if line["path"] in began:
                known[line["path"]] = polar_data.running_again(line["path"], line["size"])
        return known

    def every_byte(self):
        made, removed = self.made(), self.log().removed()
        demand(removed <= made.keys(), f"{removed - made.keys()} was removed, and had never ended")
        days_on = [content for path, content in made.items() if path not in removed]
        kept = [content for content in books.raw_items(self.hub.store).get(ADDRESS, []) if content not in days_on]
        total = books.holds_each_once(kept, [made[path] for path in removed], NAME)
        self.report.measured("bytes of files, all in the store once", total)

    def custody(self, others):
        """`others`: what was removed of other wearables."""
        erased = books.erased_only_after_durable(self.hub.store)
        removed = self.log().removed() | others
        demand(len(erased) == len(removed), f"{len(erased)} are recorded as erased, {len(removed)} were removed")

    def samples(self):
        """What the recordings decode to: as many samples as frames hold."""
        found = books.waveform_samples(self.hub.store, ADDRESS, "acc")
        removed = self.log().removed()
        sizes = [len(content) for path, content in self.made().items() if "/ACC" in path and path in removed]
        wanted = sum(polar_data.frames_of(polar_data.ACC, size) for size in sizes) * polar_data.FRAME_SAMPLES
        demand(found == wanted, f"the store has {found} samples of acceleration, the recordings have {wanted}")
        self.report.measured("samples of acceleration, all in the store", found)
