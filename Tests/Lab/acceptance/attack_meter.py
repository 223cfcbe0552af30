"""Effects of an attack on the daemon and on a good strap: memory, turns of the loop, and seconds until a lost link is back."""
import dataclasses
import json
import time

from ledger import StrapLog, compare, parse_export
from report import Failure, demand, eventually, stalls
from scene import COMMIT_EVERY, address_of

GOOD = 0
REGAINED_WITHIN, JOINED_WITHIN = 5.0, 15.0  # s
STAYS = 4.0  # MB
TURN = 20.0  # ms of processor time
USEFUL = 10.5  # s that a link lasted, with values (Hub/Lane/Reconnection), and a little
GIVEN_UP = 25.0  # s until a link that is not back is not waited for


@dataclasses.dataclass
class Row:
    name: str
    links: int = 0  # that the hub made to the hostile side
    regained: list = dataclasses.field(default_factory=list)  # s; `None`: not in GIVEN_UP
    joined: float | None = None  # s
    exact: bool = False
    inexact: str = ""  # what is not
    before: float = 0.0  # MB
    peak: float = 0.0
    after: float = 0.0
    own: float = 0.0  # of what stays: the daemon's own, without pages of its program and its store that were read for the first time
    turn: float | None = None  # ms, of a turn that was longer than any before
    turn_bound: float = 0.0  # ms
    used: float | None = None  # ms of the processor by the daemon
    answered: float | None = None  # ms for an answer of the daemon

    def text(self):
        late = max((GIVEN_UP if one is None else one for one in self.regained), default=0.0)
        regained = f">{GIVEN_UP:.0f}" if None in self.regained else f"{late:.1f}"
        joined = "-" if self.joined is None else f"{self.joined:.1f}"
        turn, used, answered = ("-" if one is None else f"{one:.0f}" for one in (self.turn, self.used, self.answered))
        return (
            f"{self.name:26} {self.links:5} {regained:>8} {'yes' if self.exact else 'NO':>6} {self.before:7.1f} {self.peak:7.1f} {self.after:7.1f}"
            f" {self.after - self.before:+6.1f} {turn:>6} {used:>8} {answered:>7} {joined:>7} {self.own:+6.1f}"
        )


HEADING = f"{'attack':26} {'links':>5} {'regain s':>8} {'exact':>6} {'RSS MB':>7} {'peak':>7} {'after':>7} {'stays':>6} {'turn':>6} {'used ms':>8} {'ask ms':>7} {'joins s':>7} {'own MB':>6}"


class Meter:
    def __init__(self, report, world, hub):
        self.report, self.world, self.hub = report, world, hub
        self.cuts = []  # (begin, moment)
        self.longest = 0.0  # ms, of the turns so far
        self.tolerance = 0.0  # ms
        self.drops = 0
        self.since = 0.0  # by the wall clock: what is judged

    # --- the daemon ---

    def rss(self, field="VmRSS"):
        return self.hub.proc_status(field) / 1024

    def begin(self, row):
        self.hub.proc_status("VmRSS")
        with open(f"/proc/{self.hub.process.pid}/clear_refs", "w") as file:
            file.write("5")  # the peak is counted anew (proc(5))
        row.before, self.used, self.began = self.rss(), self.hub.processor_seconds(), time.monotonic()
        self.own = self.rss("RssAnon")
        return row

    def end(self, row):
        """Asked after the hostile side is gone. What the daemon says of its longest turn is by the clock and since its start: only a longer one is seen."""
        asked = time.monotonic()
        longest = self.hub.longest_turn()
        answered, used = (time.monotonic() - asked) * 1000, (self.hub.processor_seconds() - self.used) * 1000
        row.peak, row.after = self.rss("VmHWM"), self.rss()
        row.own = self.rss("RssAnon") - self.own
        if not self.report.has_clock("turns of the loop, processor time and answers of the daemon"):
            return
        row.answered, row.used = answered, used
        waits = [length for moment, length in list(stalls.seen) if moment >= self.began]
        row.turn_bound = TURN + self.tolerance + 1000 * max(waits, default=0.0)
        if longest > self.longest:
            # The turn took no more of the processor than the daemon did in all.
            row.turn, self.longest = min(longest, row.used), longest

    # --- the good strap ---

    def lines(self, strap=GOOD):
        with open(f"{self.world.logs}/strap-{strap}.jsonl") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def moments(self, *events, since=0.0, strap=GOOD):
        return [line["monotonic"] for line in self.lines(strap) if line["event"] in events and line["monotonic"] > since and line.get("characteristic") != "battery"]

    def settled(self):
        """Waits until the good strap's link was of use, as the hub sees it. After repeated early losses the hub waits longer each time, attack or not."""
        self.is_back(120)
        time.sleep(max(0.0, self.moments("subscribe")[-1] + USEFUL - time.monotonic()))

    def leave(self):
        """The strap is away: any device heard at its address is another one."""
        self.settled()
        self.left = time.monotonic()
        self.cuts.append((self.left - 0.5, self.left))
        self.world.ask("absent", GOOD, 1)

    def come_back(self):
        self.world.ask("absent", GOOD, 0)
        return self.back_since(self.left)

    def lose(self):
        """In turn out of range for a second, and ended by the strap. Seconds from its advertising again until it is subscribed to; `None`:
        not within `GIVEN_UP`."""
        self.settled()
        moment = time.monotonic()
        self.cuts.append((moment - 0.5, moment))
        self.world.ask(("drop", "hangup")[self.drops % 2], GOOD)
        self.drops += 1
        return self.back_since(moment)

    def back_since(self, moment):
        try:
            back = eventually(lambda: self.moments("subscribe", since=moment), GIVEN_UP, "not back")[0]
        except Failure:
            return None
        return max(0.0, back - max(self.moments("disconnect", "return", since=moment), key=lambda one: one if one < back else 0))

    def is_back(self, within):
        eventually(lambda: self.lines()[-1]["event"] in ("notify", "subscribe", "battery"), within, "the good strap's link does not come back")

    def is_exact(self):
        """Fails unless all that is durable is as the strap sent it over its links, over the whole run. Its family advertises no values."""
        until = time.monotonic() - COMMIT_EVERY - 1.5
        text = self.hub.say("export", "--device", "good", "--format", "ndjson")
        samples = [one for one in parse_export(text) if one["seconds"] > self.since]
        log = StrapLog(f"{self.world.logs}/strap-{GOOD}.jsonl")
        log.lines = [line for line in log.lines if line["event"] != "notify" or line["wall"] > self.since]
        try:
            compare(log, samples, address_of(GOOD), [*self.cuts, (until, float("inf"))])
        except Failure:
            # An attack's fault is not reported of the next. Values more than half a beat after the newest that either account has are judged
            # from now on.
            newest = [line["wall"] for line in log.lines if line["event"] == "notify"] + [sample["seconds"] for sample in samples]
            self.since = max(newest, default=time.time()) + 0.45
            raise

    def judge(self, row):
        self.report.measured("figures", HEADING)
        self.report.measured("       ", row.text())
        regained = [one for one in row.regained if one is not None and one <= REGAINED_WITHIN]
        complaints = []
        if len(regained) < 0.95 * len(row.regained):
            complaints.append(f"{len(regained)} of {len(row.regained)} lost links were back within {REGAINED_WITHIN:.0f} s: {row.regained}")
        if row.joined is not None and row.joined > JOINED_WITHIN:
            complaints.append(f"a new strap joined after {row.joined:.1f} s")
        if not row.exact:
            complaints.append(f"the good strap's values are not those that it sent: {row.inexact}")
        if row.own > STAYS:
            complaints.append(f"{row.own:.1f} MB of its own stay")
        if row.turn is not None and row.turn > row.turn_bound:
            complaints.append(f"a turn of the loop took {row.turn:.0f} ms, {row.turn_bound:.0f} ms are borne")
        demand(not complaints, "\n".join(complaints))
