"""State that the parts of the run share: actors on stage, enrolled straps, and times at which the hub could not be expected to hear."""
import time

from ledger import StrapLog, compare, parse_export
from report import demand
from scene import COMMIT_EVERY, address_of

# Enrolled in the beginning; strap 3 never is. Strap 4 joins for the hostile part and is judged less strictly.
ENROLLED = (0, 1, 2)
STRANGER = 3
ROGUE = 4


class Act:
    def __init__(self, report, world, hub, lamps):
        self.report = report
        self.world = world
        self.hub = hub
        self.lamps = lamps
        self.cuts = {strap: [] for strap in ENROLLED}

    def cut(self, moment, straps=ENROLLED, margin=0.5):
        """At this moment the hub was cut off from these straps. Values from `margin` seconds before until they were
        subscribed to again may be missing from the hub's account."""
        for strap in straps:
            self.cuts[strap].append((moment - margin, moment))

    def log_of(self, strap):
        return StrapLog(f"{self.world.logs}/strap-{strap}.jsonl")

    def compare_accounts(self, export, until=float("inf")):
        """The export against the logs of the enrolled straps; what was sent after `until` may be missing."""
        samples = parse_export(export)
        heard = missing = 0
        longest = 0.0
        for strap in ENROLLED:
            cuts = [*self.cuts[strap], (until, float("inf"))]
            some = compare(self.log_of(strap), samples, address_of(strap), cuts)
            heard, missing, longest = heard + some[0], missing + some[1], max(longest, some[2])
        demand(heard > 0, "there is not one beat in the export")
        for sample in samples:
            demand(sample["address"] != address_of(STRANGER), "there are samples of the strap that was never enrolled")
            demand(sample["origin"] == "live", f"a sample of origin {sample['origin']}")
            if sample["series"] == "battery":
                strap = int(sample["address"][-2:], 16)
                demand(sample["value"] == 90 - strap, f"battery of strap {strap} is {sample['value']}, not {90 - strap}")
        self.report.measured("beats that both accounts have", heard)
        self.report.measured("beats sent while the hub was cut off, and not in the export", missing)
        self.report.measured("longest way from a strap's clock to the hub's time stamp", f"{longest * 1000:.0f} ms")
        return samples

    def durable_until(self):
        """What was sent before this has been through a commit by now."""
        return time.monotonic() - COMMIT_EVERY - 1.0

    def stranger_was_left_alone(self):
        demand(self.log_of(STRANGER).count("connect") == 0, "the strap that nobody enrolled was connected")


class Part:
    """A part of the run, with what is on stage at hand."""

    def __init__(self, act):
        self.act = act
        self.report = act.report
        self.world = act.world
        self.hub = act.hub
        self.lamps = act.lamps
