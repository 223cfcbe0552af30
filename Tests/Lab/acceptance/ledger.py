"""The two accounts of the same beats: what each strap says that it sent, and what the hub gives out."""
import dataclasses
import datetime
import decimal
import json

from report import Failure, demand, stalls

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
    excused: bool  # the hub was not bound to hear it


class StrapLog:
    def __init__(self, path):
        with open(path) as file:
            self.lines = [json.loads(line) for line in file if line.endswith("\n")]

    def count(self, event):
        return sum(1 for line in self.lines if line["event"] == event)

    def sent(self, cuts):
        """Every sample sent; a measurement without skin contact or beat is no sample. A cut is (begin, moment): what
        left from begin until the first subscription after moment is excused."""
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


def pair(sent, kept, distance, may_miss, describe):
    """Pairs everything that was sent with everything that was kept, both in order, with the least distances in all.

    `distance` gives seconds between a sent and a kept value, `None` if they are not the same. A value for which `may_miss` holds may be without a
    partner. Equal neighbours need this: a value that was lost must not take the kept one of the next. Returns the pairs. Fails if there is no such
    pairing.
    """
    ways = {0: (0.0, None)}  # how many of `kept` have a partner -> (all distances, ((..., pair), pair))
    for one in sent:
        longer = {}
        for count, (cost, pairs) in ways.items():
            if may_miss(one):
                _shorter_way(longer, count, cost, pairs)
            seconds = distance(one, kept[count]) if count < len(kept) else None
            if seconds is not None:
                _shorter_way(longer, count + 1, cost + seconds, (pairs, (one, kept[count])))
        if not longer:
            after = max(ways)
            raise Failure(f"{describe(one)} is not in the export; the next value there is {brief(kept[after]) if after < len(kept) else None}")
        ways = longer
    if len(kept) not in ways:
        after = max(ways)
        raise Failure(f"the export has {brief(kept[after])}, which was not sent (or not twice); it has {len(kept)} values, and {after} of them were sent")
    found, (_, pairs) = [], ways[len(kept)]
    while pairs:
        pairs, last = pairs
        found.append(last)
    return found[::-1]


def _shorter_way(ways, count, cost, pairs):
    if count not in ways or cost < ways[count][0]:
        ways[count] = (cost, pairs)


def compare(log, samples, address, cuts):
    """Fails unless the export has exactly the beats of the log, in order, once; excused ones may be missing.

    Returns (beats in both, excused beats that are missing, longest way from the strap's log to the hub's time stamp in seconds).
    """
    sent = log.sent(cuts)
    heart_rates = [sample for sample in series_of(samples, address, "heart_rate") if sample["value"] != FLOOD_HEART_RATE]
    pairs = pair(sent, heart_rates, _distance, lambda beat: beat.excused, lambda beat: f"{address}: beat {describe(beat)}")
    heard, missing = [beat for beat, _ in pairs], len(sent) - len(pairs)
    longest = max((abs(sample["seconds"] - beat.wall) for beat, sample in pairs), default=0.0)

    expected = [decimal.Decimal(raw) * 1000 / 1024 for beat in heard for raw in beat.rr]
    found = [decimal.Decimal(sample["value"]) for sample in series_of(samples, address, "rr_interval")]
    for position, (ours, theirs) in enumerate(zip(found, expected)):
        demand(ours == theirs, f"{address}: RR interval {position} is {ours} ms, sent was {theirs} ms")
    demand(len(found) == len(expected), f"{address}: {len(found)} RR intervals in the export, {len(expected)} were sent with its beats")
    for series in ("heart_rate", "rr_interval"):
        times = [sample["seconds"] for sample in series_of(samples, address, series)]
        demand(times == sorted(times), f"{address}: {series} is not in order of time")
    return len(heard), missing, longest


def _distance(beat, sample):
    seconds = abs(sample["seconds"] - beat.wall)
    return seconds if sample["value"] == beat.heart_rate and seconds <= SLACK + stalls.around(beat.monotonic) else None


def describe(beat):
    return f"{beat.sequence} ({beat.heart_rate} bpm, sent at {beat.wall:.3f})"


def brief(sample):
    return f"{sample['value']} {sample['unit']} of {sample['seconds']:.3f}"
