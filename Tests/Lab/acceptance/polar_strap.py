"""What a Polar H10 sent live against `hearth export`: electrocardiogram, acceleration and heart rate together, sample for sample."""
import decimal
import json
import time

from ledger import SLACK, StrapLog, compare, series_of
from report import demand, eventually, stalls
from scene import COMMIT_EVERY

import polar_data

ADDRESS = "F0:10:0A:00:00:00"
NAME = "strap-01"
STREAMS = ("ecg", "acc")
RATES = {"ecg": 130, "acc": 200}  # Hz; an H10 in the foreground gives the fastest it has
TOGETHER = 60  # s
PATIENCE = 60  # s from an order to what comes of it
AGAIN_WITHIN = 30  # s from a lost link or stream to the next
# s by which a frame may begin off the end of the one before it, and all together. If the machine stood still, the first frames come late. The strap's own log
# gives how late the frame before was put; the next frame may take back that much.
SEAM = 0.05
DRIFT = 0.02


class Frame:
    def __init__(self, line):
        self.stream, self.run, self.first, self.count = line["stream"], line["run"], line["first"], line["count"]
        self.wall, self.monotonic = line["wall"], line["monotonic"]

    @property
    def values(self):
        indices = range(self.first, self.first + self.count)
        if self.stream == "ecg":
            return [polar_data.ecg(self.run, index) for index in indices]
        return [list(polar_data.acceleration(self.run, index)) for index in indices]

    def __str__(self):
        return f"{self.stream} {self.run}, samples {self.first} to {self.first + self.count - 1}, sent at {self.wall:.3f}"


class StrapAct:
    def __init__(self, report, world, hub):
        self.report = report
        self.world = world
        self.hub = hub
        self.cuts = []  # (begin, moment): what left from begin until streams and subscriptions were there again may be missing
        self.window = None  # monotonic; values between these may not be missing

    @property
    def path(self):
        return f"{self.world.logs}/h10-0.jsonl"

    def lines(self, *events, since=0.0):
        with open(self.path) as file:
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        return [line for line in lines if line["event"] in events and line["monotonic"] > since]

    def cut(self, margin=0.5):
        moment = time.monotonic()
        self.cuts.append((moment - margin, moment))

    # --- steps ---

    def moved(self):
        def device():
            return self.hub.json("device", NAME)

        eventually(lambda: device().get("next_driver"), PATIENCE, lambda: f"it did not say what it is: {device()}")
        before = device()
        demand((before["driver"], before["next_driver"], before["state"]) == ("heart-rate", "polar-strap", "live"), f"it is {before}")
        demand("heart-rate; with its next link polar-strap" in self.hub.say("device", NAME), "`hearth device` does not show it")
        refused = self.hub.shell("settings", NAME, "set", "streams", "ecg")
        demand(refused.returncode != 0 and "sends no ecg" in refused.stdout + refused.stderr, f"a stream was ordered of it: {refused.returncode} {refused.stderr}")
        demand(not self.lines("command", "asked-to-sync"), "it was asked for more than any strap over that link")
        self.cut()
        self.world.ask("h10-drop", 0)
        self.cut()
        eventually(lambda: device()["driver"] == "polar-strap" and device()["state"] == "live", AGAIN_WITHIN, lambda: f"it is {device()}", every=0.2)
        demand(device().get("next_driver") is None and device()["name"] == NAME, f"it is {device()}")
        demand("moves from driver heart-rate to polar-strap" in self.hub.log(), "the log does not say so")

    def order(self):
        self.hub.json("link", NAME, "set", "foreground")
        self.hub.json("settings", NAME, "set", "streams", ",".join(STREAMS))

    def streaming(self, since=0.0):
        """Both streams were begun since then, and go on."""
        begun = {line["stream"] for line in self.lines("stream", since=since)}
        status = self.world.status()["h10s"][0]
        return begun == set(STREAMS) and len(status["streams"]) == len(STREAMS) and status["subscribed"]

    def rates(self):
        """Of the streams as they were begun last."""
        return {line["stream"]: line["rate"] for line in self.lines("stream")}

    def begin(self):
        # A link that is just coming to the foreground may begin with a slower rate.
        eventually(lambda: self.streaming() and self.rates() == RATES, 60, lambda: f"{self.lines('stream', 'command')}\n{self.hub.say('devices')}", every=0.2)
        began = max(line["monotonic"] for line in self.lines("stream"))
        self.window = (began, began + TOGETHER)

    def together(self):
        """Whatever else the hub does meanwhile."""
        time.sleep(max(0.0, self.window[1] - time.monotonic()))
        interruptions = self.lines("stream-ended", "disconnect", since=self.window[0])
        demand(not interruptions, f"{interruptions}")

    def ended_by_itself(self):
        since = time.monotonic()
        self.cut()
        self.world.ask("h10-stop", 0, "ecg")
        eventually(lambda: self.lines("stream", since=since), AGAIN_WITHIN, "the stream was not begun again", every=0.2)
        again = self.lines("stream", since=since)
        demand([line["stream"] for line in again] == ["ecg"], f"begun again were {again}")
        self.report.measured("from the end of the stream to the next", f"{again[0]['monotonic'] - since:.1f} s")

    def link_lost(self):
        since = time.monotonic()
        self.cut()
        self.world.ask("h10-drop", 0)
        self.cut()
        eventually(lambda: self.streaming(since), AGAIN_WITHIN, lambda: f"{self.lines('stream', 'command', since=since)}", every=0.2)
        self.report.measured("from the loss to both streams", f"{max(line['monotonic'] for line in self.lines('stream', since=since)) - since:.1f} s")

    def seen_by_machines(self):
        """The switches of its radio: ANT+ for treadmills and a second link. They take effect at once over its link, are read back, and
        return to their former values at the end."""
        for name in ("ant-plus", "second-link"):
            self.hub.say("settings", NAME, "set", name, "on")
        turned = [(10, True), (8, True)]
        eventually(lambda: [(line["code"], line["on"]) for line in self.lines("radio")] == turned, PATIENCE, lambda: f"{self.lines('radio')}", every=0.2)
        rows = {row["name"]: row["fields"] for row in self.hub.json("settings", NAME)["report"]["rows"]}
        demand(rows["ant-plus"] == {"on": "yes", "ordered": "on"} == rows["second-link"] and rows["broadcast"] == {"on": "yes"}, f"it says {rows}")
        for name in ("ant-plus", "second-link"):
            self.hub.say("settings", NAME, "set", name, "none")
        turned += [(10, False), (8, False)]
        eventually(lambda: [(line["code"], line["on"]) for line in self.lines("radio")] == turned, PATIENCE, lambda: f"{self.lines('radio')}", every=0.2)

    def exercise_begun(self):
        """By order of a person at the hub. A running recording is shown, and neither fetched nor removed."""
        said = self.hub.say("recordings", NAME, "start", "rr", "morning", timeout=PATIENCE)
        demand("exercise 'morning_" in said and "is being recorded" in said, said)
        name = self.world.status()["h10s"][0]["exercise"]
        demand(name and name in said, f"the strap records {name}, the hub said: {said}")
        twice = self.hub.shell("recordings", NAME, "start", "rr", timeout=PATIENCE)
        demand(twice.returncode == 2 and name in twice.stderr, f"a second one ended with {twice.returncode}: {twice.stderr}")
        row = next(row["fields"] for row in self.hub.json("recordings", NAME)["rows"] if row["name"] == "exercise")
        demand(row == {"recording": "yes", "name": name}, f"it is shown as {row}")
        self.hub.say("visit", "now", NAME, "--wait", timeout=PATIENCE)

    def exercise_ended(self):
        """Listed, fetched and removed."""
        touched = [line for line in self.lines("asked-for", "removed") if line["path"].endswith("SAMPLES.BPB") or line["event"] == "removed"]
        demand(not touched, f"while it ran: {touched}")
        name = self.world.status()["h10s"][0]["exercise"]
        said = self.hub.say("recordings", NAME, "stop", timeout=PATIENCE)
        demand(f"exercise '{name}' has ended" in said, said)
        self.hub.say("visit", "now", NAME)
        eventually(lambda: self.lines("removed"), PATIENCE, lambda: f"it was not removed\n{self.hub.say('visits')}{self.hub.say('custody', NAME)}", every=0.5)
        demand(not self.world.status()["h10s"][0]["files"], "something of it is left")
        demand(f"/{name}/SAMPLES.BPB" in str(self.hub.json("custody", NAME)), "it is not among what the hub had in custody")

    def removed(self):
        return {path for line in self.lines("removed") for path in line["files"] or ()}

    def killed(self):
        """Called at the moment of a SIGKILL of the daemon: what was not committed is lost."""
        self.cut(COMMIT_EVERY + 0.5)

    def switched_off(self):
        """After the daemon's end: a strap that goes on measuring is empty within a day."""
        last = self.lines("disconnect")[-1]["monotonic"]
        left = self.lines("left-on", since=last - 0.5)
        demand(not left, f"left on were {[line['stream'] for line in left]}")

    # --- accounts ---

    def excused(self, frame):
        """Sent while the hub was cut off: from the cut to the next start of that stream; or without a stream having a listener."""
        for begin, moment in self.cuts:
            again = [line["monotonic"] for line in self.lines("stream", since=moment) if line["stream"] == frame.stream]
            if begin <= frame.monotonic <= (min(again) if again else float("inf")):
                return True
        return False

    def accounts(self, samples):
        everything = [Frame(line) for line in self.lines("frame")]
        for stream in STREAMS:
            frames = [frame for frame in everything if frame.stream == stream]
            blocks = series_of(samples, ADDRESS, stream)
            heard = self.same(stream, frames, blocks)
            self.spaced(stream, heard)
            inside = [frame for frame in frames if self.window[0] <= frame.monotonic <= self.window[1]]
            whole = TOGETHER * RATES[stream] // max(frame.count for frame in inside) if inside else 1
            demand(len(inside) >= whole - 1, f"{stream}: the strap sent {len(inside)} frames in {TOGETHER} s")
            kept = {id(frame) for frame, _ in heard}
            demand(all(id(frame) in kept for frame in inside), f"{stream}: a frame of the {TOGETHER} s is missing")
            self.report.measured(
                f"{stream}: frames of the {TOGETHER} s, samples in all accounts",
                f"{len(inside)} of {len(inside)}, {sum(frame.count for frame, _ in heard)}",
            )
        beats = compare(StrapLog(self.path), [sample for sample in samples if sample["origin"] == "live"], ADDRESS, self.cuts)
        self.report.measured("heart rates in both accounts, sent while the hub was cut off", f"{beats[0]}, {beats[1]}")

    def exercises(self, samples):
        """Every beat of what it kept in its own memory, from the begin on that is in its name."""
        for line in self.lines("recorded"):
            kept = [sample for sample in series_of(samples, ADDRESS, "rr_interval") if sample["origin"] == "fetched"]
            wanted = polar_data.beats(line["number"], line["count"])
            demand([round(float(sample["value"])) for sample in kept] == wanted, f"{len(kept)} of {len(wanted)} beats, or others")
            self.report.measured("beats of an exercise, all in the export", len(wanted))

    def same(self, stream, frames, blocks):
        """Exactly the frames that are not excused, in order, once, with their values. [(frame, block)]"""
        heard, at = [], 0
        for block in blocks:
            while at < len(frames) and frames[at].values != block["value"]:
                demand(self.excused(frames[at]), lambda: f"{frames[at]} is not in the export before the block of {block['time']}")
                at += 1
            demand(at < len(frames), lambda: f"{stream}: the export has a block of {block['time']} that was not sent, or not twice")
            demand(abs(self.end(block) - frames[at].wall) <= SLACK + stalls.around(frames[at].monotonic), lambda: f"{frames[at]} has the time {block['time']}")
            heard.append((frames[at], block))
            at += 1
        for left in frames[at:]:
            demand(self.excused(left), lambda: f"{left} is not in the export")
        return heard

    @staticmethod
    def end(block):
        """When its last sample was measured, s."""
        return block["seconds"] + float((len(block["value"]) - 1) * decimal.Decimal(block["period_ns"]) / 1_000_000_000)

    def spaced(self, stream, heard):
        """Samples are one period apart, within a frame as it is told, and from frame to frame."""
        worst = drift = 0.0
        rates = {line["run"]: line["rate"] for line in self.lines("stream")}
        for (frame, block), (after, next_block) in zip(heard, heard[1:]):
            period = int(next_block["period_ns"]) / 1e9
            demand(abs(period * rates[after.run] - 1) < 1e-6, f"{after}: samples are {period * 1000:.6f} ms apart")
            if frame.run != after.run or frame.first + frame.count != after.first or not self.window[0] <= after.monotonic <= self.window[1]:
                continue
            seam = next_block["seconds"] - self.end(block) - period
            late = max(0.0, self.end(block) - frame.wall)
            demand(-SEAM - late <= seam <= SEAM, f"{after} begins {seam * 1000:.3f} ms off; the frame before was put {late * 1000:.3f} ms late")
            if seam < -SEAM:
                continue
            worst, drift = max(worst, abs(seam)), drift + seam
        demand(abs(drift) <= DRIFT, f"{stream}: all seams together are {drift * 1000:.1f} ms")
        self.report.measured(f"{stream}: widest seam between two frames, all together", f"{worst * 1000:.2f} ms, {drift * 1000:.2f} ms")
