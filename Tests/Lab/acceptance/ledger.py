"""The two accounts of the same beats: what each strap says that it sent, and what the hub gives out."""
import dataclasses
import datetime
import decimal
import json

from report import demand, stalls

# Made by `flood` in the world; no measurement has it.
FLOOD_HEART_RATE = 251
# Between a strap's clock reading and the hub's, both of this machine: the way through two stacks. What the machine stood still comes on top.
SLACK = 2.5


@dataclasses.dataclass
class Sent:
    sequence: int
    monotonic: float
    wall: float
    heart_rate: int
    rr: list  # 1/1024 s
    excused: bool  # nobody was bound to hear it


class StrapLog:
    def __init__(self, path):
        with open(path) as file:
            self.lines = [json.loads(line) for line in file if line.endswith("\n")]

    def count(self, event):
        return sum(1 for line in self.lines if line["event"] == event)

    def sent(self, cuts):
        """Every sample sent; a measurement without skin contact or beat is none. A cut is
        (begin, moment): what left from begin until the first subscription after moment is excused."""
        subscriptions = [line["monotonic"] for line in self.lines if line["event"] == "subscribe" and line["characteristic"] == "heart_rate"]
        spans = [(begin, min((again for again in subscriptions if again > moment), default=float("inf"))) for begin, moment in cuts]
        return [
            Sent(
                line["sequence"],
                line["monotonic"],
                line["wall"],
                line["heart_rate"],
                line["rr"],
                any(begin <= line["monotonic"] <= end for begin, end in spans),
            )
            for line in self.lines
            if line["event"] == "notify" and line["is_sample"]
        ]


def parse_export(text):
    """Lines of `hearth export --format ndjson`, with exact decimals and times in seconds."""
    samples = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            sample = json.loads(line, parse_float=decimal.Decimal)
            sample["seconds"] = datetime.datetime.fromisoformat(sample["time"].replace("Z", "+00:00")).timestamp()
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            demand(False, f"line {number} of the export is not a sample: {line!r} ({problem})")
        samples.append(sample)
    return samples


def series_of(samples, address, series):
    return [sample for sample in samples if sample["address"] == address and sample["series"] == series]


def compare(log, samples, address, cuts):
    """Fails unless the export has every beat of the log that is not excused, in order, once, and nothing else.

    Returns (beats in both, excused beats that are missing, longest way from the strap's log to the hub's time stamp in seconds).
    """
    sent = log.sent(cuts)
    heart_rates = [sample for sample in series_of(samples, address, "heart_rate") if sample["value"] != FLOOD_HEART_RATE]
    heard, missing, longest, next_sent = [], 0, 0.0, 0
    for sample in heart_rates:
        while next_sent < len(sent) and not _is_same(sent[next_sent], sample):
            demand(sent[next_sent].excused, lambda: f"{address}: beat {describe(sent[next_sent])} is not in the export before {brief(sample)}")
            missing += 1
            next_sent += 1
        demand(next_sent < len(sent), lambda: f"{address}: the export has {brief(sample)}, which the strap did not send (or not twice)")
        longest = max(longest, abs(sample["seconds"] - sent[next_sent].wall))
        heard.append(sent[next_sent])
        next_sent += 1
    for left in sent[next_sent:]:
        demand(left.excused, lambda: f"{address}: beat {describe(left)} is not in the export")
        missing += 1

    expected = [decimal.Decimal(raw) * 1000 / 1024 for beat in heard for raw in beat.rr]
    found = [decimal.Decimal(sample["value"]) for sample in series_of(samples, address, "rr_interval")]
    for position, (ours, theirs) in enumerate(zip(found, expected)):
        demand(ours == theirs, f"{address}: RR interval {position} is {ours} ms, sent was {theirs} ms")
    demand(len(found) == len(expected), f"{address}: {len(found)} RR intervals in the export, {len(expected)} were sent with its beats")
    for series in ("heart_rate", "rr_interval"):
        times = [sample["seconds"] for sample in series_of(samples, address, series)]
        demand(times == sorted(times), f"{address}: {series} is not in order of time")
    return len(heard), missing, longest


def _is_same(beat, sample):
    return sample["value"] == beat.heart_rate and abs(sample["seconds"] - beat.wall) <= SLACK + stalls.around(beat.monotonic)


def describe(beat):
    return f"{beat.sequence} ({beat.heart_rate} bpm, sent at {beat.wall:.3f})"


def brief(sample):
    return f"{sample['value']} {sample['unit']} of {sample['seconds']:.3f}"
