"""The accounts of wrist bands: what each says that it kept, gave out and was told, and what the hub gives out.

An item of a band's log is owed if the band still had it at the end, or if the hub confirmed it. An item that was overwritten or wiped before a hub asked for it may
be missing. The export may have only items that a band kept, each once.
"""
import collections
import datetime
import json

from ledger import brief
from report import demand, stalls

SLACK = 2.0  # s between the time that an item has on the band and in the export
LIVE_SLACK = 3.0  # s between a band's clock reading when it told a live value and the hub's time stamp
STAGES = {"unknown": 0, "awake": 1, "rem": 2, "light": 3, "deep": 4}
CELL = 300  # s; a night is compared in cells of so many
NEWEST = 60 + SLACK  # s; the new platform may fill such a place with anything
REPEATED = 3.5  # s until a frame that was not acknowledged comes again, and what a second in a busy lab may add
DAY = 86400
# What a hub owes of each family: series of items of a moment, and whether nights, half-hours and extremes are owed.
OWED = {
    "fitcloud": {"heart_rate": ("normal",), "spo2": ("normal",), "steps": ("normal",), "sleep_stage": ("normal",)},
    "topstep_next": {
        "heart_rate": ("normal", "resting"),
        "spo2": ("normal",),
        "stress": ("normal",),
        "steps": ("normal",),
        "sleep_stage": ("normal",),
    },
    "moyoung": {"heart_rate": ("normal",), "sleep_stage": ("normal",), "training": ("normal",)},
}


class Kept:
    """An item of a band's log."""

    def __init__(self, told):
        self.series, self.begin, self.value, self.length, self.is_manual, self.kind = told
        self.key = json.dumps(told)

    def __repr__(self):
        by_hand, kind = " by hand" if self.is_manual else "", "" if self.kind == "normal" else f" ({self.kind})"
        return f"{self.series} {self.value}{by_hand}{kind} of {self.begin}"


class WristLog:
    def __init__(self, path):
        with open(path) as file:
            self.lines = [json.loads(line) for line in file if line.endswith("\n")]

    def of(self, *events, since=0.0):
        return [line for line in self.lines if line["event"] in events and line["monotonic"] > since]

    def items(self, *events, until=float("inf")):
        """{key: item} of these events."""
        return {one.key: one for line in self.of(*events) if line["monotonic"] <= until for one in map(Kept, line["items"])}

    def confirmed(self, until=float("inf")):
        return self.items("confirmed", until=until)

    def owed(self, family, not_before=0, until=float("inf")):
        """Items that have to be in the export: confirmed ones, and those that it had until the last sync began and still has at last."""
        gone = self.items("overwrite", "wipe", "confirmed").keys()
        found = self.confirmed() | {key: one for key, one in self.items("keep", until=until).items() if key not in gone}
        wanted = OWED[family]
        return [one for one in found.values() if one.kind in wanted.get(one.series, ()) and one.begin >= not_before]

    def extremes(self):
        """{(series, begin, value): whether its day was over} of what it said to be a day's."""
        found = {}
        for line in self.of("extremes"):
            for begin, value in line["items"]:
                found[line["series"], begin, value] = found.get((line["series"], begin, value), False) or line["is_over"]
        return found


class Account:
    """A band's samples in an export, of which each is taken once. `since`: items of before are not owed; `until`: those that came into the
    memory later are not."""

    def __init__(self, who, family, log, samples, address, report, since=0, until=float("inf")):
        self.who, self.family, self.log, self.report = who, family, log, report
        self.samples = [sample for sample in samples if sample["address"] == address]
        self.not_before, self.until = since, until
        self.found = 0
        self.farthest = 0.0

    def owed(self):
        """Of a Moyoung band, no five minutes that were not over when the last sync began. Of the new platform, no automatic value of its last minute."""
        found = self.log.owed(self.family, self.not_before, self.until)
        if self.family not in ("moyoung", "topstep_next") or self.until == float("inf"):
            return found
        wall = max((line["wall"] for line in self.log.lines if line["monotonic"] <= self.until), default=0)
        if self.family == "moyoung":
            return [one for one in found if one.series != "heart_rate" or one.begin + CELL <= wall]
        return [one for one in found if one.is_manual or one.series not in ("heart_rate", "spo2", "stress") or one.begin + NEWEST <= wall]

    def all(self):
        self.of_moments()
        self.nights()
        self.half_hours()
        self.trainings()
        self.live_values()
        self.no_guesses()
        self.report.measured(f"items of {self.who} that are in both accounts, farthest time", f"{self.found}, {self.farthest:.1f} s")

    def of(self, series, origins=("fetched", "replayed")):
        return [sample for sample in self.samples if sample["series"] == series and sample["origin"] in origins]

    def _key(self, sample):
        return float(sample["value"]), bool(sample.get("manual")), sample.get("kind", "normal")

    def of_moments(self, only=None):
        """Heart rate, SpO2, stress: each item that is owed once, and only items that are kept. `only`: these items are owed."""
        owed = {one.key: one for one in (self.owed() if only is None else only)}
        # The rates of a training are sent once, over a present link, and may be missing.
        of_trainings = self.log.items("training-rates")
        ever, confirmed = self.log.items("keep") | of_trainings, self.log.confirmed()
        for series in ("heart_rate", "spo2", "stress"):
            left = collections.defaultdict(list)
            for sample in self.of(series):
                left[self._key(sample)].append(sample)
            for key, one in ever.items():
                if one.series != series:
                    continue
                group = left[float(one.value), one.is_manual, one.kind]
                same = [sample for sample in group if abs(sample["seconds"] - one.begin) <= SLACK]
                demand(len(same) < 2, lambda: f"{self.who}: {one} is {len(same)} times in the export")
                owes = key in owed and not self._has_of_training(one, of_trainings)
                demand(same or not owes, lambda: f"{self.who}: {one}, {'confirmed' if key in confirmed else 'still kept'}, is not in the export; of that value are {[brief(sample) for sample in group][:4]}")
                if same:
                    group.remove(same[0])
                    self.found += 1
                    self.farthest = max(self.farthest, abs(same[0]["seconds"] - one.begin))
            if only is None:
                self._extremes(series, left)
                more = [sample for group in left.values() for sample in group]
                demand(not more, lambda: f"{self.who}: {len(more)} of {series} that it never kept, first {brief(more[0])} {more[0]}")

    def _has_of_training(self, one, of_trainings):
        """Of a minute that came as one of a training its rate of the day is left out: no minute is stored twice."""
        minutes = [rate for rate in of_trainings.values() if rate.series == one.series and rate.begin // 60 * 60 == one.begin]
        return any(abs(sample["seconds"] - rate.begin) <= SLACK and float(sample["value"]) == rate.value for rate in minutes for sample in self.of(one.series))

    def _extremes(self, series, left):
        told = self.log.extremes()
        missing = []
        for (whose, begin, value), is_over in told.items():
            if whose != series:
                continue
            same = []
            for kind in ("maximum", "minimum"):
                group = left[float(value), False, kind]
                near = [sample for sample in group if abs(sample["seconds"] - begin) <= SLACK]
                demand(len(near) < 2, lambda: f"{self.who}: the {kind} {value} of {begin} is {len(near)} times in the export")
                for sample in near:
                    group.remove(sample)
                same += near
            if is_over and not same:
                missing.append((begin, value))
        demand(not missing, lambda: f"{self.who}: extremes of days that are over and are not in the export as such: {missing}")
        if told:
            self.report.measured(f"extremes of {series} that {self.who} told", sum(whose == series for whose, _, _ in told))

    def nights(self, only=None):
        owed = [one for one in (self.owed() if only is None else only) if one.series == "sleep_stage"]
        cells = collections.Counter()
        stages = {}
        for sample in self.of("sleep_stage"):
            begin, end = round(sample["seconds"]), round(self._seconds(sample["end"]))
            for cell in range(begin // CELL * CELL, end, CELL):
                cells[cell] += 1
                stages[cell] = int(sample["value"])
        for one in owed:
            for cell in range(one.begin, one.begin + one.length, CELL):
                demand(cells[cell] == 1, lambda: f"{self.who}: {one}: five minutes from {cell} on are {cells[cell]} times in the export")
                demand(stages[cell] == STAGES[one.value], lambda: f"{self.who}: {one}: in the export is stage {stages[cell]} at {cell}")
                self.found += 1
        ever = {cell for one in self.log.items("keep").values() if one.series == "sleep_stage" for cell in range(one.begin, one.begin + one.length, CELL)}
        more = sorted(cell for cell in cells if cell not in ever)
        demand(not more, lambda: f"{self.who}: {len(more)} times five minutes of sleep that it never kept, from {more[0]} on")

    def _seconds(self, text):
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()

    def half_hours(self, only=None):
        owed = [one for one in (self.owed() if only is None else only) if one.series == "steps"]
        # Steps, small calories, metres, as the log has them.
        told = {"steps": (0, 1)} | ({"calories": (1, 1000), "distance": (2, 1)} if self.family == "topstep_next" else {})
        for series, (place, divisor) in told.items():
            heard = self.of(series)
            for one in owed:
                value = one.value[place] / divisor
                same = [
                    sample
                    for sample in heard
                    if abs(sample["seconds"] - one.begin) <= SLACK
                    and abs(self._seconds(sample["end"]) - one.begin - one.length) <= SLACK
                    and abs(float(sample["value"]) - value) <= 0.0501
                ]
                near = [sample for sample in heard if abs(sample["seconds"] - one.begin) <= one.length]
                demand(len(same) == 1, lambda: f"{self.who}: {series} {value} of {one.begin} is {len(same)} times in the export; near it are {near[:3]}")
                self.found += 1
            ever = {one.begin for one in self.log.items("keep").values() if one.series == "steps"}
            more = [sample for sample in heard if not any(abs(sample["seconds"] - begin) <= SLACK for begin in ever)]
            if self.family != "moyoung":
                demand(not more, lambda: f"{self.who}: {len(more)} of {series} that it never kept, first {more[0]}")

    def trainings(self):
        for one in self.owed():
            if one.series == "training":
                same = [sample for sample in self.of("training") if abs(sample["seconds"] - one.begin) <= SLACK]
                demand(len(same) == 1, lambda: f"{self.who}: {one} is {len(same)} times in the export: {self.of('training')}")
                self.found += 1

    def live_values(self):
        """What was measured by order is a manual item of the moment at which it came."""
        told = self.log.of("live")
        for series in ("heart_rate", "spo2"):
            heard = [sample for sample in self.of(series, ("live",)) if sample.get("manual")]
            wanted = [line for line in told if line.get(series)]
            for sample in heard:
                near = [line for line in wanted if line[series] == sample["value"] and self._is_near(line, sample)]
                demand(near, lambda: f"{self.who}: the live value {brief(sample)} was never told; {self._around(sample, series, told, heard)}")
                wanted.remove(near[0])
            self.report.measured(f"live values of {series} of {self.who} in both accounts, told and not stored", f"{len(heard)}, {len(wanted)}")

    def _around(self, sample, series, told, heard):
        """What both accounts have within half a minute of it."""
        of_log = [(round(line["wall"], 2), line.get(series)) for line in told if abs(line["wall"] - sample["seconds"]) < 30]
        of_export = [(round(one["seconds"], 2), one["value"]) for one in heard if abs(one["seconds"] - sample["seconds"]) < 30]
        return f"the log has {of_log}, the export {of_export}"

    def _is_near(self, line, sample):
        again = sum(0 < one["monotonic"] - line["monotonic"] < 3 * REPEATED for one in self.log.of("again"))
        return abs(line["wall"] - sample["seconds"]) <= LIVE_SLACK + stalls.around(line["monotonic"]) + again * REPEATED

    def no_guesses(self):
        guessed = [sample for sample in self.samples if sample["series"].startswith("blood_pressure")]
        demand(not guessed, lambda: f"{self.who}: an optical pressure is in the export: {guessed[0]}")
        confirmed = [one for one in self.log.confirmed().values() if one.series == "blood_pressure"]
        demand(not confirmed, f"{self.who}: {len(confirmed)} pressures were confirmed, and are lost")


def durable(who, family, log, samples, address, report, until=float("inf")):
    """Whatever a band was told to forget is in this export."""
    account = Account(who, family, log, samples, address, report)
    confirmed = [one for one in log.confirmed(until).values() if one.kind in OWED[family].get(one.series, ())]
    account.of_moments(confirmed)
    account.nights(confirmed)
    account.half_hours(confirmed)
    return len(confirmed)
