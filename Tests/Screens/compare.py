#!/usr/bin/env python3
"""Compares what the screens of one hub say in the same second: no two may contradict each other.

    Tests/Screens/compare.py --programs .build-tests/release [--population gym|ward|class] [--minutes 60] [--seed N]

A hub among simulated wearables in real time (`hearth-sim serve`), asked every five seconds as a person does, by `hearth`. An answer is asked for
between two of another screen, and each pair of facts is compared. A fact that is equal to one of the two is no contradiction. What differs is
asked again at once, for a wearable comes and goes between two questions. What differs five times is printed with both screens, and fails.
"""
import argparse, collections, itertools, json, pathlib, random, re, shutil, signal, subprocess, sys, tempfile, time

LIVE = "live"
# A trouble that comes and goes with a slot may do so between any two questions of one look, seldom of five.
SECONDS_BETWEEN, LOOKS = 5, 5


class Hub:
    """A served hub and what is asked of it."""

    def __init__(self, programs, population, wearables, seed):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-screens-"))
        self.hearth, self.socket = programs / "hearth", self.folder / "s"
        words = ["serve", "--population", population, "--wearables", str(wearables), "--seed", str(seed)]
        places = ["--socket", str(self.socket), "--store", str(self.folder / "store")]
        self.process = subprocess.Popen([programs / "hearth-sim", *words, *places], stdout=subprocess.DEVNULL)
        while self.process.poll() is None and not self.socket.exists():
            time.sleep(0.05)

    def text(self, *words):
        done = subprocess.run([self.hearth, "--socket", self.socket, *words], capture_output=True, text=True)
        return done.returncode, done.stdout

    def document(self, *words):
        status, text = self.text("--json", *words)
        return json.loads(text) if text else {"refused": status}

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        ended = self.process.wait(60)
        shutil.rmtree(self.folder)
        return ended


class Look:
    """What every screen says now; `first` and `last` are the same questions at the begin and the end of it."""

    def __init__(self, hub, name):
        self.first = Facts(hub)
        self.status_exit, self.status_text = hub.text()
        self.watch_exit, self.watch = hub.text("watch", "--once", "--columns", "160")
        _, self.table = hub.text("devices")
        self.radio, self.clock = hub.document("radio"), hub.document("clock")
        self.device, self.link = hub.document("device", name), hub.document("link", name)
        _, self.device_text = hub.text("device", name)
        self.name = name
        self.last = Facts(hub)


class Facts:
    """Status, wearables, visits, lights: what others are held against."""

    def __init__(self, hub):
        self.status, devices = hub.document("status"), hub.document("devices")
        self.lights, self.visits = hub.document("led"), hub.document("visits")
        self.lane, self.events = hub.document("visits", "--why"), hub.document("events", "-n", "20")
        self.store = hub.document("store")
        self.devices = {each["name"]: each for each in devices if each["enrolled"]}

    @property
    def holder(self):
        return self.status["lane"]["holder"]

    @property
    def codes(self):
        return {each["reason"]["code"] for each in self.status["attention"]}

    def count(self, true):
        return sum(1 for each in self.devices.values() if true(each))


def table_rows(text):
    """The rows of `hearth devices` by name: the state, what follows the fixed columns."""
    lines = text.splitlines()
    at = lines[0].find("STATE") if lines else -1
    return {line.split()[0]: line[at:].strip() for line in lines[1:] if at > 0 and not line.startswith("times in")}


def watch_rows(text):
    """The rows of the wearables of `hearth watch --once` by name: the state."""
    lines = iter(text.splitlines())
    head = next((line for line in lines if line.split()[:2] == ["NAME", "STATE"]), None)
    if head is None:
        return {}
    begin, end = head.find("STATE"), head.find("BATTERY")
    rows = itertools.takewhile(lambda line: line.strip() and not line.startswith("--"), lines)
    return {line.split()[0]: line[begin:end].strip() for line in rows}


def first_number(pattern, text):
    found = re.search(pattern, text)
    return int(found.group(1)) if found else None


# Each rule gives pairs (what, said, allowed): `said` by one screen, one of `allowed` by the others.
RULES = []


def rule(function):
    RULES.append(function)
    return function


def both(look, fact):
    return [fact(look.first), fact(look.last)]


def between(look, fact):
    low, high = sorted(both(look, fact))
    return range(low, high + 1)


@rule
def counts(look):
    for word, key in (("enrolled", "enrolled"), ("present", "present"), ("live", "live")):
        allowed = between(look, lambda facts: facts.status[key])
        yield f"{word} in hearth", first_number(rf"(\d+) {word}", look.status_text), [*allowed, *([None] if 0 in allowed else [])]
        yield f"{word} in watch", first_number(rf"(\d+) {word}", look.watch), [*allowed, *([None] if 0 in allowed else [])]
    for facts in (look.first, look.last):
        yield "live in devices", facts.count(lambda each: each["state"] == LIVE), between(look, lambda one: one.status["live"])
        yield "enrolled in devices", len(facts.devices), [facts.status["enrolled"]]
        yield "missing in devices", facts.count(lambda each: each["state"] == "missing"), between(look, lambda one: one.status["missing"])


@rule
def links(look):
    allowed = between(look, lambda facts: facts.status["radio"]["links"])
    yield "links in radio", look.radio["links"], allowed
    yield "links in hearth", first_number(r"(\d+) of \d+ connections", look.status_text), allowed
    yield "slots in radio", look.radio["slots"], both(look, lambda facts: facts.status["radio"]["slots"])
    for facts in (look.first, look.last):
        linked = facts.count(lambda each: each["linked_since"])
        # A wearable that is being connected has no link yet; one that is left may have one for the time of its
        # farewell.
        yield "linked in devices", linked, range(max(0, allowed[0] - 1), allowed[-1] + 2)
    yield "link of one", look.link["linked"], both(look, lambda facts: bool(facts.devices[look.name]["linked_since"]))


@rule
def troubles(look):
    allowed = both(look, lambda facts: facts.codes)
    either = set().union(*allowed)
    # `! NAME CODE` wants a person, `- NAME CODE` is told alone; the exit status says whether there is one of the first.
    said = re.findall(r"^([!-]) \S+ +(H\d{4})", look.status_text, re.M)
    yield "exit status of hearth", look.status_exit, [1 if any(mark == "!" for mark, _ in said) else 0]
    if allowed[0] == allowed[1]:
        yield "codes in hearth", {code for _, code in said}, [allowed[0]]
        shown = set(re.findall(r"H\d{4}", look.watch.partition("-- last events")[0]))
        yield "codes that watch lacks", allowed[0] - shown, [set()]
        yield "exit status of watch", look.watch_exit, [look.status_exit]
    for facts in (look.first, look.last):
        for light in facts.lights["lights"]:
            # A visit that is over is shown for ten seconds more, and said to be.
            if light["code"] and not light["over"]:
                yield f"code of {light['lamp']}", light["code"], either
        for name, each in facts.devices.items():
            reason = (each["reason"] or {}).get("code") if isinstance(each["reason"], dict) else each["reason"]
            if reason and each["state"] in ("failing", "attention", "missing"):
                yield f"reason of {name}", reason, either


@rule
def visits(look):
    for facts in (look.first, look.last):
        running = [each["device"] for each in facts.visits["visits"] if each["running"]] if isinstance(facts.visits, dict) else []
        allowed = both(look, lambda one: one.holder)
        for name in running:
            yield "visit that runs", name, allowed
        now = [name for name, each in facts.devices.items() if (each["visit"] or {}).get("running")]
        for name in now:
            yield "visit in devices", name, allowed
    holder = set(both(look, lambda one: one.holder))
    if len(holder) == 1 and None not in holder:
        yield "holder in watch", next(iter(holder)) in look.watch, [True]


@rule
def queue(look):
    def waiting(facts):
        return frozenset(each["device"] for each in facts.status["lane"]["waiting"])

    def listed(facts):
        return frozenset(each["device"] for each in facts.lane["queue"])

    def queued(facts):
        return frozenset(name for name, each in facts.devices.items() if each["queued"])

    ways = [each for facts in (look.first, look.last) for each in (waiting(facts), listed(facts), queued(facts))]
    if waiting(look.first) == waiting(look.last):
        yield "the queue", len(set(ways)), [1]
    for facts in (look.first, look.last):
        slots = [each["slot_of"] for each in facts.lane["queue"] if each["slot_of"] and each["heard"] and not each["held_by"]]
        for name, times in collections.Counter(slots).items():
            yield f"slot of {name} promised", times, [1]


@rule
def states(look):
    states = {name: set(both(look, lambda facts: (facts.devices.get(name) or {}).get("state"))) for name in look.first.devices}
    table, watch = table_rows(look.table), watch_rows(look.watch)
    for name, allowed in states.items():
        if len(allowed) != 1:
            continue
        state = next(iter(allowed))
        for screen, rows in (("devices", table), ("watch", watch)):
            yield f"{name} is in {screen}", name in rows, [True]
            said = rows.get(name, "")
            if state == LIVE:
                yield f"{name} in {screen}", said.startswith("live"), [True]
            if state in ("away", "missing"):
                yield f"{name} in {screen}", said.split()[:1], [[state]]
        if name == look.name:
            yield f"{name} in device", look.device["state"] if isinstance(look.device, dict) else look.device[0]["state"], allowed


@rule
def values(look):
    one = look.device if isinstance(look.device, dict) else look.device[0]
    for key in ("battery", "firmware", "model", "wearer", "erase", "driver"):
        yield f"{key} of one", one[key], both(look, lambda facts: facts.devices[look.name][key])
    clocks = {each["device"]: each for each in look.clock["devices"]}
    yield "in the table of clocks", look.name in clocks, [True]


@rule
def store(look):
    # The first answer about the store is asked for after the first status, and before the last one.
    for key in ("samples", "evicted_samples", "corrupt_chunks", "commits"):
        yield f"{key} of the store", look.first.store[key], between(look, lambda facts: facts.status["store"][key])


@rule
def ends(look):
    """A slot that was given away is an event that names its former owner: its text and its field have the same name."""
    for event in look.last.events if isinstance(look.last.events, list) else []:
        if event["code"] == "H2101":
            yield "who gave its slot", event["text"].split()[0], [event["device"]]


def contradictions(look):
    return [(f"{each.__name__}: {what}", said, allowed) for each in RULES for what, said, allowed in each(look) if said not in allowed]


def coverage_contradictions(hub, name):
    """The gap at the end of a live series, and what its wearable is now: a live wearable with values every second has no gap."""
    before, pages = hub.document("device", name), hub.document("coverage", name, "--since", "20m")
    after = hub.document("device", name)
    before, after = (each if isinstance(each, dict) else each[0] for each in (before, after))
    for page in pages if isinstance(pages, list) else [pages]:
        for series in page.get("series", []):
            for gap in series["gaps"]:
                # Up to its tolerance before now, what is missing may be on its way.
                at_end = gap["to"] >= page["until"]
                causes = {cause["cause"] for cause in gap["causes"]}
                if at_end and before["state"] == after["state"] == "away" and "no_slot" in causes:
                    yield f"coverage: {name}", sorted(causes), "away"
                # A wearable that is heard again since a moment ago was out of reach for all of the gap but that.
                waits = [each["slot_wait"] for each in (before, after) if each["slot_wait"] and (each["slot_wait"]["since"] or "9") < gap["from"]]
                if at_end and causes == {"out_of_reach"} and before["state"] == after["state"] == "due" and len(waits) == 2:
                    yield f"coverage: {name}", sorted(causes), "waits for a slot"
                for cause in gap["causes"]:
                    if cause["code"] and hub.text("explain", cause["code"])[0] != 0:
                        yield f"coverage: {name}", cause["code"], "a code that explain does not know"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--population", default="gym")
    parser.add_argument("--wearables", type=int, default=14)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    options = parser.parse_args()
    print(f"{options.population}, seed {options.seed}, {options.minutes:g} minutes", flush=True)
    hub = Hub(options.programs.resolve(), options.population, options.wearables, options.seed)
    looks, compared, found = 0, 0, collections.Counter()
    try:
        names = itertools.cycle(sorted(Facts(hub).devices))
        end = time.monotonic() + options.minutes * 60
        while time.monotonic() < end and hub.process.poll() is None:
            began, name = time.monotonic(), next(names)
            standing = None
            for again in range(LOOKS):
                look = Look(hub, name)
                now = {what: (said, allowed) for what, said, allowed in contradictions(look)}
                standing = now if standing is None else {what: now[what] for what in now if what in standing}
                compared += sum(1 for each in RULES for _ in each(look))
                if not standing:
                    break
            looks += 1
            said = [(what, *pair) for what, pair in standing.items()] + list(coverage_contradictions(hub, name))
            for what, one, other in said:
                found[what] += 1
                if found[what] <= 2:
                    print(f"CONTRADICTION {time.strftime('%H:%M:%S')} {what}: {one!r}, others say {other!r}", flush=True)
                    print(look.status_text, look.table, look.watch, look.device_text, sep="\n", flush=True)
            time.sleep(max(0, SECONDS_BETWEEN - (time.monotonic() - began)))
    finally:
        ended = hub.end()
    for what, times in found.most_common():
        print(f"FAIL {what}: {times} of {looks} looks")
    print(f"{looks} looks at every screen, {compared} facts compared")
    print(f"{int(not found and not ended)} passed, {len(found) + int(ended != 0)} failed")
    return 1 if found or ended else 0


if __name__ == "__main__":
    sys.exit(main())
