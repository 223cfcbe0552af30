"""The two accounts of a measurement of vital signs: what the strap says it sent, and the record that the hub made of it.

A record is a line of `hearth measurements NAME --json --intervals`. The record must hold exactly the strap's intervals of its time, each as it was sent. Its
results must be what the published methods (vital_methods.py) make of those intervals. Which beat at an edge belongs to the time is known to two packets.
`try_vitals_books.py` tries whether this finds out records that are wrong.
"""
import bisect
import datetime

import vital_methods
from report import demand, stalls

EDGE = 2.0  # s: two packets, one a second
SLACK = 1.0  # s: the way through two stacks, and the clocks of a measurement's begin and its record
EXACT, CLOSE = 1e-6, 1e-3  # relative: arithmetic on the same intervals; sums of sines
RANKS = ("unknown", "low", "medium", "high")
# Share of artefacts at most; coverage at least, and as much above 1 at most.
QUALITY = (("high", 0.05, 0.95), ("medium", 0.10, 0.90), ("low", 0.20, 0.80))
SPECTRAL = ("lf", "hf", "lf_hf", "lf_nu")
# s of a final result at least.
LEAST = {"pulse_rate": 20, "mean_rr": 35, "rr_list": 50, "sdnn": 35, "rmssd": 35, "pnn50": 50, "sd1": 50, "sd2": 50, "respiration_rate": 37, "prq": 37}
LEAST |= dict.fromkeys((*SPECTRAL, "stress_index", "stress_level", "pns_index_hub", "pns_zone", "sns_index_hub", "sns_zone"), 50)
LEAST |= {"energy": 10, "heart_rate_zone": 7}
# A sensor of rates alone.
OF_RATES = ("pulse_rate", "energy", "heart_rate_zone")
PLAUSIBLE = {
    "pulse_rate": (30, 220), "mean_rr": (273, 2000), "sdnn": (0, 300), "rmssd": (0, 300), "pnn50": (0, 100), "respiration_rate": (7.2, 30), "prq": (2, 12),
    "stress_index": (0, 2000), "pns_index_hub": (-5, 8), "sns_index_hub": (-5, 8), "energy": (0, 120),
}  # fmt: skip
UNITS = {"pulse_rate": "bpm", "mean_rr": "ms", "sdnn": "ms", "rmssd": "ms", "sd1": "ms", "sd2": "ms", "pnn50": "%", "lf": "ms²", "hf": "ms²", "respiration_rate": "/min",
         "stress_index": "1/s²", "energy": "kJ/min"}  # fmt: skip
METHODS = {"respiration_rate": "RSA-1", "stress_index": "BI-1", "stress_level": "BI-1"} | dict.fromkeys(SPECTRAL, "LS-1")
METHODS |= dict.fromkeys(("pns_index_hub", "pns_zone", "sns_index_hub", "sns_zone"), "PS-1")
# From less than so many s, a result is marked and at best so good.
SHORT = dict.fromkeys(SPECTRAL, (120, "low")) | dict.fromkeys(("sdnn", "sd2", "pnn50", "stress_index", "pns_index_hub", "sns_index_hub"), (60, "medium"))
CLASSES = {"ectopic": "ectopic", "missed": "missed", "extra": "extra", "longshort": "long_or_short"}


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def ticks(ms):
    """An interval of a record, which has whole µs, in 1/1024 s."""
    return round(ms * 1.024)


def milliseconds(raw):
    return raw * 1000 / 1024


class Sent:
    """An interval on its way: which packet had it, and whether there was contact."""

    def __init__(self, raw, line):
        self.raw, self.line, self.has_contact = raw, line, line.get("contact") is not False

    @property
    def wall(self):
        return self.line["wall"]


class Book:
    """`lines`: of the strap's log. `body`: {"sex", "age", "weight"} of the person, if the hub knows it."""

    def __init__(self, name, lines, record, body=None):
        self.name, self.record, self.body = name, record, body
        worn = next((place for place, line in enumerate(lines) if line["event"] == "worn"), 0)
        self.packets = [line for line in lines[worn:] if line["event"] == "notify"]
        self.sent = [Sent(raw, line) for line in self.packets for raw in line["rr"]]
        self.begin, self.end = seconds(record["start"]), seconds(record["end"])
        self.length = record["actual_s"]
        self.told = record.get("interval_list") or []
        self.results = {}
        for result in record["results"]:
            self.demand(result["name"] not in self.results, f"{result['name']} is told twice")
            self.results[result["name"]] = result
        self.stretches = self._stretches()

    def demand(self, truth, complaint):
        demand(truth, lambda: f"{self.name}: {complaint() if callable(complaint) else complaint}")

    def all(self):
        self.frame()
        if self.record["basis"] == "rate":
            self.of_rates()
        else:
            self.nothing_invented()
            self.of_its_time()
            self.marked()
            self.quality()
            self.computed()
        self.complete()
        self.trusted()
        return self

    # --- the frame ---

    def frame(self):
        record = self.record
        self.demand(abs(self.end - self.begin - self.length) < 0.5, f"from {record['start']} to {record['end']} are not {self.length} s")
        if record["ended_by"] == "duration":
            self.demand(abs(self.length - record["requested_s"]) <= 1.5, f"{record['requested_s']} s were asked for, measured were {self.length}")
        else:
            self.demand(record["ended_by"] == "stop" and self.length < record["requested_s"], f"it was ended by {record['ended_by']} after {self.length} s")
        self.demand(record["left_out"] == 0, f"{record['left_out']} entries are left out")
        self.demand(record["intervals"] == len(self.told), f"of {record['intervals']} intervals {len(self.told)} are listed")
        self.demand(record["basis"] in ("rr", "rate"), f"a strap's basis is {record['basis']}")

    # --- intervals ---

    def _stretches(self):
        """Intervals that are used, in ms, with the place of each in the record."""
        found, broken = [], True
        for place, interval in enumerate(self.told):
            if "dropped" in interval["flags"]:
                broken = True
                continue
            if broken or "begins_stretch" in interval["flags"]:
                found.append([])
            broken = False
            found[-1].append((place, milliseconds(ticks(interval["ms"]))))
        return found

    def nothing_invented(self):
        """The intervals are a run of what the strap sent. What came without contact is dropped, or was not kept at all."""
        raw = [ticks(interval["ms"]) for interval in self.told]
        self.demand(raw, "the record has no intervals")
        self.demand(all(abs(interval["ms"] - milliseconds(one)) < 0.001 for interval, one in zip(self.told, raw)), "an interval is none of 1/1024 s")
        whole = all(one.has_contact for one in self.sent) or any("dropped" in interval["flags"] for interval in self.told)
        sent = self.sent if whole else [one for one in self.sent if one.has_contact]
        places = [place for place in range(len(sent) - len(raw) + 1) if all(one.raw == told for one, told in zip(sent[place : place + len(raw)], raw))]
        self.demand(places, lambda: f"its {len(raw)} intervals are no run of the {len(sent)} that were sent: {self._nearest(sent, raw)}")
        first = min(places, key=lambda place: abs(sent[place].wall - self.begin))
        self.run = sent[first : first + len(raw)]
        for place, (one, interval) in enumerate(zip(self.run, self.told)):
            self.demand(one.has_contact != ("dropped" in interval["flags"]), f"interval {place} ({one.raw}/1024 s) has the flags {interval['flags']}, contact: {one.has_contact}")

    @staticmethod
    def _nearest(sent, raw):
        """For people: the longest run from the first interval on."""
        longest = (0, 0)
        for place in range(len(sent)):
            count = 0
            while place + count < len(sent) and count < len(raw) and sent[place + count].raw == raw[count]:
                count += 1
            longest = max(longest, (count, place))
        count, place = longest
        return f"{count} agree from {place} on, then sent was {[one.raw for one in sent[place + count : place + count + 3]]}, recorded is {raw[count : count + 3]}"

    def of_its_time(self):
        """Those between begin and end, to two packets at either edge, as BT-1 dates their beats."""
        reach = EDGE + SLACK + stalls.around(self.run[0].line["monotonic"]) + stalls.around(self.run[-1].line["monotonic"])
        self.demand(abs(self.run[0].wall - self.begin) <= reach, f"its first interval was sent {self.run[0].wall - self.begin:.1f} s after its begin")
        self.demand(abs(self.run[-1].wall - self.end) <= reach, f"its last interval was sent {self.run[-1].wall - self.end:.1f} s after its end")
        # What came without contact may count as time, or may not count at all.
        lost = []
        for counts in (True, False):
            packets = [(line["wall"], [milliseconds(raw) for raw in line["rr"]] if counts or line.get("contact") is not False else [], False) for line in self._of_link()]
            beats, gaps = vital_methods.timeline(packets)
            lost.append(sum(max(0.0, min(end, self.end) - max(end - length, self.begin)) for end, length in gaps))
        times = [beat.time for beat in beats]
        due = bisect.bisect_right(times, self.end) - bisect.bisect_right(times, self.begin)
        kept = sum(one.has_contact for one in self.run)
        most = 2 * max(len(line["rr"]) for line in self.packets) + 1
        self.demand(abs(due - kept) <= most, f"it has {kept} intervals, of its time are {due}")
        told = sum(gap["length_s"] for gap in self.record["gaps"])
        self.demand(min(lost) - SLACK <= told <= max(lost) + SLACK, f"gaps of {told:.1f} s are told, it should be {lost} s")

    def _of_link(self):
        """Packets of the time around it; what came long before does not matter."""
        return [line for line in self.packets if self.begin - 20 <= line["wall"] <= self.end + 5]

    def marked(self):
        """LT-1 finds the same in each stretch. A stretch ends at a loss of contact and at missing time."""
        used = [(place, one.line["wall"]) for place, one in enumerate(self.run) if one.has_contact]
        for (_, before), (place, wall) in zip(used, used[1:]):
            if any(line.get("contact") is False for line in self.packets if before < line["wall"] <= wall):
                self.demand("begins_stretch" in self.told[place]["flags"], f"contact was lost before interval {place}, and no stretch begins")
        self.demand(used and "begins_stretch" in self.told[used[0][0]]["flags"], "its first interval begins no stretch")
        begun = sum("begins_stretch" in interval["flags"] for interval in self.told)
        contacts = [line.get("contact") is not False for line in self.packets if self.begin < line["wall"] <= self.end]
        losses = sum(before and not after for before, after in zip(contacts, contacts[1:]))
        self.demand(begun <= 1 + losses + len(self.record["gaps"]), f"{begun} stretches begin, for {losses} losses of contact and {len(self.record['gaps'])} gaps")
        self.found = 0
        for stretch in self.stretches:
            classes = vital_methods.screened([ms for _, ms in stretch])
            self.found += len(classes)
            for index, (place, ms) in enumerate(stretch):
                is_told = {flag for flag in self.told[place]["flags"] if flag in CLASSES.values()}
                due = {CLASSES[classes[index]]} if index in classes else set()
                self.demand(is_told == due, f"interval {place} ({ms:.0f} ms) is told to be {sorted(is_told) or 'normal'}, and is {sorted(due) or 'normal'}")

    # --- what is made of them ---

    def quality(self):
        dropped = sum("dropped" in interval["flags"] for interval in self.told)
        uncertain = sum("uncertain" in interval["flags"] for interval in self.told)
        share = (self.found + dropped + uncertain / 2) / len(self.told)
        self.demand(abs(self.record["artefact_share"] - share) < EXACT, f"artefacts are {self.record['artefact_share']:.4f} of the intervals, and should be {share:.4f}")
        used = [ms for stretch in self.stretches for _, ms in stretch]
        covered = sum(used) / 1000 / self.length
        room = 2 * max(used) / 1000 / self.length
        self.demand(abs(self.record["coverage"] - covered) <= room, f"it covers {self.record['coverage']:.3f} of the time, and should {covered:.3f}")

    def grade(self):
        """What its share and coverage admit; `None`: no result."""
        for name, share, coverage in QUALITY:
            if self.record["artefact_share"] <= share and coverage <= self.record["coverage"] <= 2 - coverage:
                return name
        return None

    def due(self):
        """{name: (value, tolerance)}: every result that must be there. A name has `None` if its value may be due or not."""
        series = [vital_methods.corrected([ms for _, ms in stretch], vital_methods.screened([ms for _, ms in stretch])) for stretch in self.stretches]
        # A report of an artefact at an edge leaves the beats as they are.
        self.is_changed = any(made != [ms for _, ms in stretch] and made != [round(ms) for _, ms in stretch] for made, stretch in zip(series, self.stretches))
        pool = [ms for stretch in series for ms in stretch]
        values = {name: (value, EXACT) for name, value in vital_methods.time_domain(series).items()}
        values["rr_list"] = (len(pool), 0)
        stress = vital_methods.stress_index(pool)
        if stress is not None:
            values |= {"stress_index": (stress, EXACT), "stress_level": (vital_methods.stress_level(stress), 0)}
        if stress and {"rmssd", "sd1", "sd2"} <= values.keys() and values["sd1"][0] + values["sd2"][0] > 0:
            pns, sns = vital_methods.indices(*(values[name][0] for name in ("mean_rr", "rmssd", "sd1", "sd2")), stress)
            values |= {"pns_index_hub": (pns, EXACT), "pns_zone": (vital_methods.zone(pns), 0), "sns_index_hub": (sns, EXACT), "sns_zone": (vital_methods.zone(sns), 0)}
        longest = max(series, key=sum, default=[])
        self.longest = sum(longest) / 1000
        if len(longest) > 3:
            values |= {name: (value, CLOSE) for name, value in vital_methods.spectrum(longest).items()}
            rate, _, is_told = vital_methods.respiration(longest)
            if is_told:
                values |= {"respiration_rate": (rate, CLOSE), "prq": (values["pulse_rate"][0] / rate, CLOSE)}
        return self._with_body(values)

    def _with_body(self, values):
        rate = values["pulse_rate"][0]
        body = self.body
        if body:
            values["heart_rate_zone"] = (vital_methods.rate_zone(rate, vital_methods.highest_rate(body["age"])), 0)
            spent = vital_methods.energy(rate, body["sex"], body["age"], body["weight"])
            if spent is not None:
                values["energy"] = (spent, CLOSE)
        return values

    def computed(self):
        values = self.due()
        grade = self.grade()
        for name, least in LEAST.items():
            value, tolerance = values.get(name, (None, 0))
            bounds = PLAUSIBLE.get(name)
            is_due = value is not None and grade is not None and self.length >= least - 0.001 and (not bounds or bounds[0] <= value <= bounds[1])
            one = name in (*SPECTRAL, "respiration_rate", "prq")
            if is_due and one and self.longest < least:
                if self.longest < least - 2 * EDGE:
                    is_due = False
                elif name not in self.results:
                    continue
            self.demand(is_due == (name in self.results), f"{name} is {'not ' if is_due else ''}told: {self.results.get(name)}, computed is {value}")
            if is_due:
                self.same(name, value, tolerance)

    def same(self, name, value, tolerance):
        result = self.results[name]
        if isinstance(value, str) or name == "heart_rate_zone":
            told = result["text"] if isinstance(value, str) else result["value"] if result["value"] is not None else result["text"]
            self.demand(str(told).removesuffix(".0") == str(value), f"{name} is told to be {told}, and is {value}")
        else:
            told = result["value"]
            self.demand(told is not None and abs(told - value) <= tolerance * abs(value) + 1e-9, f"{name} is told to be {told}, and is {value}")
        if name in UNITS:
            self.demand(result["unit"] == UNITS[name], f"{name} is told in {result['unit']!r}")
        if name in METHODS:
            self.demand(result["method"] == METHODS[name], f"{name} is told to be of {result['method']}")

    def of_rates(self):
        """The mean of the rates of its time, to a packet at either edge."""
        self.demand(not self.told, "a strap of rates has intervals")
        lines = [line for line in self.packets if line["is_sample"]]
        walls = [line["wall"] for line in lines]
        first, last = bisect.bisect_left(walls, self.begin), bisect.bisect_right(walls, self.end)
        possible = []
        for begin in range(max(0, first - 2), first + 3):
            for end in range(last - 2, min(len(lines), last + 2) + 1):
                rates = [line["heart_rate"] for line in lines[begin:end]]
                possible += [sum(rates) / len(rates)] if rates else []
        self.demand("pulse_rate" in self.results, "it has no pulse rate")
        told = self.results["pulse_rate"]["value"]
        nearest = min(possible, key=lambda value: abs(value - told))
        self.demand(abs(told - nearest) <= EXACT * nearest, f"its pulse rate is told to be {told}, and is {nearest}")
        values = self._with_body({"pulse_rate": (told, EXACT)})
        for name in OF_RATES:
            self.demand((name in values) == (name in self.results), f"{name} is {'not ' if name in values else ''}told")
            if name in values:
                self.same(name, *values[name])

    def complete(self):
        """Each vital sign of its kind of sensor is a result, or is not reported for a reason, and no other is."""
        names = OF_RATES if self.record["basis"] == "rate" else LEAST
        missing = [entry["name"] for entry in self.record["not_reported"]]
        self.demand(len(set(missing)) == len(missing), f"twice not reported: {missing}")
        self.demand(all(entry["reason"] for entry in self.record["not_reported"]), "something is not reported for no reason")
        self.demand(not set(missing) & self.results.keys(), f"reported and not reported: {set(missing) & self.results.keys()}")
        both = set(missing) | self.results.keys()
        self.demand(both == set(names), f"neither reported nor not: {set(names) - both}; of no such sensor: {both - set(names)}")

    def trusted(self):
        """Confidence is no more than share of artefacts and coverage admit, and less if the time is short."""
        if self.record["basis"] == "rate":
            return
        grade = self.grade()
        for name, result in self.results.items():
            self.demand(result["confidence"] in RANKS, f"{name} has the confidence {result['confidence']}")
            rank = RANKS.index(result["confidence"])
            self.demand(rank <= RANKS.index(grade), f"{name} has confidence {result['confidence']}, its intervals have {grade}")
            self.demand(0 < result["window_s"] <= self.length + 0.5, f"{name} is of {result['window_s']} s, measured were {self.length}")
            usual, best = SHORT.get(name, (0, grade))
            is_short = self.length < usual
            if is_short:
                self.demand("window_short" in result["flags"], f"{name} of {self.length} s is not marked as of a short time")
                self.demand(rank <= RANKS.index(best), f"{name} of {self.length} s has confidence {result['confidence']}")
            elif name in ("pulse_rate", "mean_rr", "rmssd", "sdnn"):
                self.demand(result["confidence"] == grade, f"{name} has confidence {result['confidence']}, its intervals {grade}")
            if self.is_changed and name in ("mean_rr", "sdnn", "rmssd"):
                self.demand("corrected" in result["flags"], f"{name} does not say that beats were corrected")
