#!/usr/bin/env python3
"""Six insoles of three eras with files and two straps that stream: all visited one after another, every byte kept, no file erased too soon.

    Tests/Lab/in-lab -t 900 PYTHON Tests/Lab/acceptance/insoles.py --programs .build/release

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt and Tests/Formats/requirements.txt. Three accounts are
held against each other: what the insoles recorded, what they say that they served, and what stands in the store.
"""
import json
import pathlib
import signal
import statistics
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(TESTS / "Lab" / "acceptance"), str(TESTS / "Lab"), str(TESTS / "Formats")]

import books  # noqa: E402
import clock  # noqa: E402
from ledger import StrapLog, compare, parse_export  # noqa: E402
from report import Report, demand, eventually, stalls  # noqa: E402
from scene import COMMIT_EVERY, Hub, World, address_of, conclude, parser_with_troubles, scratch  # noqa: E402

sys.path.insert(0, str(TESTS / "Lab" / "world"))
from activities import activity  # noqa: E402

STRAPS = (0, 1)
# Era, and records of each file: 26 bytes each, so from a second to five at 30 kB/s.
INSOLES = (
    ("head", 30, 2000),
    ("head", 900),
    ("head", 4000),
    ("2025-08", 1200, 10, 500),
    ("2025-08", 2500),
    ("2025-06", 700, 1),
)
# Present wearables are visited as often as the configuration allows, so that a test need not wait a quarter of an hour.
LANE = """\
lane:
  visit_bound: 30s
  fresh: 5s
log:
  level: debug
"""
VISITED_WITHIN = 240  # s for all six, pairing and a first look at all 255 numbers included
AGAIN_WITHIN = 120  # s from trouble to a file that is safe
TOLD_WITHIN = 60  # s from a bond that is lost to `hearth device`: its next link
# Frames of one fetch follow each other; a pause of so many seconds ends it.
PAUSE = 2.0
# What insoles are told by an operator before their first visit; the others follow the policy.
CHOSEN = {3: "idle", 4: "foreground"}
CODES = {"foreground": 0, "background": 1, "idle": 2}
# Interval from and to in ms, latency, supervision time-out in ms. Idle as these insoles publish it is illegal: background takes its place.
NUMBERS = {"foreground": (15, 30, 0, 4000), "background": (50, 100, 4, 6000)}
PACE = 0.5  # s from one command to the next
LATE = 0.1
# s from the insole's own numbers after a transfer to those of its profile. The hub asks for them 6 s after the last frame, the insole for its own 5 s after.
# Idle that is refused (ATT 0x0E) is asked for once, and half a second later background takes its place.
SETTLING = 5.0
SETTLED_WITHIN = 60


def insole_address(number):
    return f"F0:B0:72:00:00:{number:02X}"


class InsoleLog:
    def __init__(self, path):
        with open(path) as file:
            self.lines = [json.loads(line) for line in file if line.endswith("\n")]

    def of(self, *events):
        return [line for line in self.lines if line["event"] in events]

    def fetches(self):
        """(begin, end) of the times in which it gave out file data."""
        spans = []
        for line in self.of("asked-for", "read"):
            if spans and line["monotonic"] - spans[-1][1] < PAUSE:
                spans[-1][1] = line["monotonic"]
            else:
                spans.append([line["monotonic"], line["monotonic"]])
        return spans

    def settlings(self):
        """For each time it took numbers of its own after a transfer and was then left alone. Pairs of (what it was told, what was in
        effect) at the time it had to be settled."""
        found = []
        for rest in self.of("rest"):
            end = rest["monotonic"] + SETTLING
            between = [line for line in self.lines if rest["monotonic"] < line["monotonic"] <= end]
            is_over = any(line["monotonic"] > end for line in self.lines) or time.monotonic() > end
            # A visit begins with setting the clock.
            is_disturbed = any(line["event"] in ("disconnect", "transfer") or line.get("characteristic") == "81" for line in between)
            if is_over and not is_disturbed:
                told = [line["code"] for line in between if line["event"] == "profile"]
                now = [(line["interval"], line["latency"], line["timeout"]) for line in self.of("parameters") if line["monotonic"] <= end]
                found.append((told, now[-1]))
        return found

    def served(self, until=float("inf")):
        """By name: whether all of the file was given out, since it was last recorded."""
        whole = {}
        for line in self.lines:
            if line["monotonic"] > until:
                break
            if line["event"] == "recorded":
                whole[line["name"]] = (set(), line["size"])
            elif line["event"] == "read":
                got, _ = whole.setdefault(line["name"], (set(), line["size"]))
                got.update(range(line["offset"], line["offset"] + line["length"]))
        return {name: len(got) == size for name, (got, size) in whole.items()}


class Insoles:
    def __init__(self, report, world, hub):
        self.report = report
        self.world = world
        self.hub = hub
        self.cuts = {strap: [] for strap in STRAPS}
        self.recorded = {number: [activity(number, index, count) for index, count in enumerate(counts, 1)]
                         for number, (_, *counts) in enumerate(INSOLES)}

    def log_of(self, number):
        return InsoleLog(f"{self.world.logs}/insole-{number}.jsonl")

    def cut(self, margin=0.5):
        moment = time.monotonic()
        for strap in STRAPS:
            self.cuts[strap].append((moment - margin, moment))

    # --- the ordinary life ---

    def beginning(self):
        step = self.report.step
        step("the daemon starts, and eight wearables are enrolled", self.enrol)
        step("an operator wants one of them idle and one awake", self.choose_profiles)
        step("the straps stream", lambda: self.hub.wait_until_live(STRAPS, 60))
        step("every insole is visited, every file served whole and then erased", self.all_visited)
        step("no two fetches overlap", self.one_at_a_time)
        step("what was erased had been served whole, and is in custody as durable", self.erased_in_order)
        step("each insole saw the foreground until it was fetched, its own numbers meanwhile, and its profile five seconds after", self.profiles)
        step("idle that cannot be had is told as background, with the reason", self.idle_is_told)
        step("from the kernel's connect to the first read", self.first_read)
        step("foot pressure and orientation are streamed by order, not while files are fetched, until nobody wants them", self.streams)
        step("what an insole does not send by order is refused when it is ordered", self.refused_orders)
        step("no command comes within half a second of another, and idle is asked for once over a link", self.pace)

    def enrol(self):
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "300s")
        wanted = {address_of(strap): f"strap-0{strap + 1}" for strap in STRAPS}
        wanted |= {insole_address(number): f"insole-0{number + 1}" for number in range(len(INSOLES))}
        # Straps first, so that they stream while the insoles are fetched.
        for address, name in wanted.items():
            self.hub.accept(address, name)

    def all_visited(self):
        begin = time.monotonic()

        def done():
            insoles = self.world.status()["insoles"]
            return all(insole["erased"] and not insole["files"] for insole in insoles)

        eventually(done, VISITED_WITHIN, lambda: f"not all are empty: {self.world.status()['insoles']}\n{self.hub.say('devices')}", every=1)
        self.report.measured("six insoles, ten files: from enrolment to the last erasure", f"{time.monotonic() - begin:.1f} s")

    def one_at_a_time(self):
        spans = sorted((begin, end, number) for number in range(len(INSOLES)) for begin, end in self.log_of(number).fetches())
        demand(spans, "nothing was fetched at all")
        for (_, end, first), (begin, _, second) in zip(spans, spans[1:]):
            demand(first == second or end <= begin, f"insole {first} was fetched until {end:.3f}, insole {second} from {begin:.3f}")
        self.report.measured("times of fetching, in all insoles", len(spans))

    def erased_in_order(self):
        for number in range(len(INSOLES)):
            log = self.log_of(number)
            for line in log.of("erase"):
                served = log.served(line["monotonic"])
                early = [name for name in line["files"] if not served.get(name)]
                demand(not early, f"insole {number} was erased before it had served {early}")

    def choose_profiles(self):
        for number, profile in CHOSEN.items():
            self.hub.json("link", f"insole-0{number + 1}", "set", profile)

    def profiles(self):
        logs = {}

        def all_settled():
            logs.update({number: self.log_of(number) for number in range(len(INSOLES))})
            return all(log.settlings() for log in logs.values())

        eventually(all_settled, SETTLED_WITHIN, lambda: f"settled are {[number for number, log in logs.items() if log.settlings()]}", every=0.5)
        for number, log in logs.items():
            self.before_and_meanwhile(number, log)
            wanted = CHOSEN.get(number, "background")
            shortest, longest, latency, timeout = NUMBERS["background" if wanted == "idle" else wanted]
            for told, now in log.settlings():
                demand(told and told[-1] == CODES["background" if wanted == "idle" else wanted], f"insole {number} ({wanted}) was told {told}")
                demand(shortest <= now[0] <= longest and now[1:] == (latency, timeout), f"insole {number} ({wanted}) runs with {now}")
            codes = [line["code"] for line in log.of("profile")]
            demand((CODES["idle"] in codes) == (wanted == "idle"), f"insole {number} ({wanted}) was told {codes}")
            self.report.measured(f"insole {number} ({INSOLES[number][0]}, {wanted}): told, in effect {SETTLING:.0f} s after its own numbers", log.settlings())

    def before_and_meanwhile(self, number, log):
        begin, end = log.fetches()[0]
        parameters = [line for line in log.of("parameters") if line["monotonic"] < end]
        slow = [line for line in parameters if line["monotonic"] < begin and line["interval"] > NUMBERS["foreground"][1]]
        demand(not slow, f"insole {number} had {slow} before it was fetched")
        for begin, end in log.fetches():
            meddling = [line for line in log.of("profile") if begin < line["monotonic"] < end]
            demand(not meddling, f"insole {number} was told {meddling} while it was fetched")

    def idle_is_told(self):
        for number, profile in CHOSEN.items():
            link = self.hub.json("link", f"insole-0{number + 1}")
            demand(link["requested"]["profile"] == profile and link.get("override") == profile, f"{link}")
            reason = (link.get("reason") or {}).get("code")
            demand((reason == "H2103") == (profile == "idle"), f"the reason is {reason}: {link}")

    def first_read(self):
        with open(f"{self.world.logs}/controller.jsonl") as file:
            attempts = [line["monotonic"] for line in map(json.loads, file) if "CREATE_CONNECTION_COMMAND" in line.get("command", "")]
        waits = []
        for number in range(len(INSOLES)):
            log = self.log_of(number)
            for line in log.of("first-read"):
                before = [moment for moment in attempts if moment < line["monotonic"]]
                if before:
                    waits.append(line["monotonic"] - before[-1] - stalls.between(before[-1], line["monotonic"]))
        demand(waits, "nothing was read")
        self.report.measured("connect to first read", f"median {statistics.median(waits):.2f} s, longest {max(waits):.2f} s of {len(waits)}")
        demand(statistics.median(waits) <= 1.5, f"the median is {statistics.median(waits):.2f} s")

    def commands_of(self, number, since):
        """Starts and stops, in order: 'start 5'."""
        names = {"84": "start", "85": "stop"}
        lines = [line for line in self.log_of(number).of("control") if line["monotonic"] > since and line["characteristic"] in names]
        return [f"{names[line['characteristic']]} {int(line['hex'], 16)}" for line in lines]

    def streams(self):
        number, name, since = 1, "insole-02", time.monotonic()

        def until(commands, within=60):
            eventually(lambda: self.commands_of(number, since) == commands, within, lambda: f"it was told {self.commands_of(number, since)}, not {commands}", every=0.5)

        self.hub.say("settings", name, "set", "streams", "foot_pressure,orientation")
        until(["start 5"])
        eventually(lambda: self.hub.say("settings", name).count("running") >= 2, 30, lambda: f"not both run: {self.hub.say('settings', name)}", every=1)
        self.hub.say("visit", "now", name)
        until(["start 5", "stop 5", "start 5"])
        self.hub.say("settings", name, "set", "streams", "orientation")
        until(["start 5", "stop 5", "start 5", "stop 5", "start 4"])
        self.hub.say("settings", name, "set", "streams", "none")
        until(["start 5", "stop 5", "start 5", "stop 5", "start 4", "stop 5"])
        for number in range(len(INSOLES)):
            log = self.log_of(number)
            demand(not log.of("forbidden"), f"insole {number}: {log.of('forbidden')}")
            demand(not any(line["streaming"] for line in log.of("transfer")), f"insole {number} was asked for files while it streamed")

    def refused_orders(self):
        for words in (("streams", "cadence"), ("streams", "acc"), ("rates", "acc=50"), ("features-off", "usb"), ("ant-plus", "on")):
            done = self.hub.shell("settings", "insole-02", "set", *words)
            demand(done.returncode == 2 and "H2131" in done.stdout + done.stderr, f"{words}: {done.returncode} {done.stdout}{done.stderr}")

    def pace(self):
        nearest = []
        for number in range(len(INSOLES)):
            log = self.log_of(number)
            moments = [line["monotonic"] for line in log.of("control")]
            gaps = [later - earlier for earlier, later in zip(moments, moments[1:])]
            nearest.append(min(gaps, default=PACE))
            # This process may hear the first of two late, by what the lab's one processor is busy with.
            demand(min(gaps, default=PACE) >= PACE - LATE, f"insole {number} was written twice within {min(gaps):.3f} s")
            idle = 0
            for line in log.of("connect", "profile"):
                idle = 0 if line["event"] == "connect" else idle + (line["code"] == CODES["idle"])
                demand(idle <= 1, f"insole {number} was asked for idle {idle} times over one link")
        self.report.measured("nearest two commands, by insole", ", ".join(f"{gap:.3f} s" for gap in nearest))

    # --- trouble ---

    def trouble(self):
        step = self.report.step
        step("four insoles have a new file; two bonds are lost by others, one by the hub, one link breaks in the middle of the file", self.begin_troubles)
        step("a link lost in the middle of a file: it goes on where it stopped", self.lost_link)
        step("a bond that the insole lost is told at once; nothing is paired or taken in silence", self.bond_lost_by_insole)
        step("a bond that the kernel lost: it gets it back, and the file comes over an encrypted link", self.bond_lost_by_kernel)
        step("a bond that the hub lost: the insole does not replace its own, and the file is safe all the same", self.bond_lost_by_hub)
        step("a person accepts the insole that lost its bond anew: it is paired, and its file comes over an encrypted link", self.accepted_anew)
        step("hearthd killed in the middle of a file: started again, it goes on where it stopped", self.killed)
        step("the adapter powered off and on in the middle of a file: the file is safe", self.power_cycle)
        step("still no two fetches overlap, and nothing was erased too soon", lambda: (self.one_at_a_time(), self.erased_in_order()))
        step("still no command comes too closely", self.pace)

    def begin_troubles(self):
        """All at once: each is another insole's."""
        self.since = time.monotonic()
        self.world.ask("insole-forget", 1)
        # To the kernel, past the daemon.
        self.btmgmt("unpair", "-t", "2", insole_address(3))
        self.hub.say("bond", "remove", "insole-05", "--yes")
        # Said first: the file may be half fetched before the last insole has recorded its own.
        self.world.ask("insole-drop-after", 0, 50_000)
        for number, records in ((0, 4000), (1, 400), (3, 400), (4, 400)):
            self.record(number, records)

    def btmgmt(self, *words):
        try:
            command = ["btmgmt", "--index", self.world.adapter_index(), *words]
            subprocess.run(command, stdin=subprocess.PIPE, capture_output=True, timeout=25)
        except subprocess.TimeoutExpired:
            demand(False, f"btmgmt {' '.join(words)} did not end")

    def record(self, number, records):
        """A new file on a restarted insole, which can be erased again."""
        self.world.ask("insole-reboot", number)
        self.recorded[number].append(activity(number, len(self.recorded[number]) + 1, records))
        return f"/lfs1/hardware/activity_{int(self.world.ask('insole-record', number, records)):03}.dat"

    def wait_until_served(self, number, since, within=AGAIN_WITHIN):
        def erased():
            return any(line["monotonic"] > since and line["files"] for line in self.log_of(number).of("erase"))

        eventually(erased, within, lambda: f"insole {number} was not fetched and erased: {self.hub.say('devices')}", every=0.5)

    def wait_for_data(self, number, since, count=3, within=AGAIN_WITHIN):
        """Until so many chunks of a file went out."""
        eventually(lambda: sum(line["monotonic"] > since for line in self.log_of(number).of("read")) >= count, within, "nothing is fetched", every=0.02)

    def resumed(self, number, since):
        """The insole asked for the first bytes of its new file once, though it was interrupted."""
        offsets = [line["offset"] for line in self.log_of(number).of("asked-for") if line["monotonic"] > since]
        lost = [line["monotonic"] for line in self.log_of(number).of("disconnect") if line["monotonic"] > since]
        demand(lost, f"insole {number} was not interrupted")
        self.report.measured("offsets asked for", f"{len(offsets)}, of which {offsets.count(0)} times 0")
        return offsets

    def lost_link(self):
        self.wait_until_served(0, self.since)
        offsets = self.resumed(0, self.since)
        # A visit may look at the head of a file to tell it from another; what was fetched is not fetched again.
        demand(len(offsets) <= 60, f"{len(offsets)} chunks for a file of 43")

    def security_of(self, number):
        """Of its links since the trouble began: (encryptions, pairings that were asked, pairings that were made)."""
        lines = [line for line in self.log_of(number).lines if line["monotonic"] > self.since]
        return (
            sum(line["event"] == "encrypted" and line["on"] for line in lines),
            sum(line["event"] == "pairing-request" for line in lines),
            sum(line["event"] == "paired" for line in lines),
        )

    def bond_lost_by_insole(self):
        eventually(lambda: "H2207" in self.hub.say("device", "insole-02"), TOLD_WITHIN, "hearth device does not tell of the lost key", every=0.5)
        lost = [bond["device"] for bond in self.hub.json("bond", "list")["bonds"] if bond.get("lost")]
        demand(lost == ["insole-02"], f"lost are the bonds of {lost}")

    def nothing_taken(self, number):
        """A peer without a key may be any device."""
        demand(not any(self.security_of(number)), f"it was encrypted, asked to pair, paired: {self.security_of(number)}")
        taken = [line for line in self.log_of(number).of("asked-for", "read", "erase") if line["monotonic"] > self.since]
        demand(not taken, f"taken over a link without a key: {taken[:3]}")

    def accepted_anew(self):
        # Others were visited meanwhile, and this one was looked at all the time.
        self.nothing_taken(1)
        self.hub.say("enroll", "open", "--for", "120s")
        self.hub.say("enroll", "accept", "insole-02")
        self.hub.say("enroll", "close")
        self.wait_until_served(1, self.since)
        encrypted, _, paired = self.security_of(1)
        demand(encrypted and paired == 1, f"it was encrypted {encrypted} times and paired {paired} times")
        bonds = self.hub.json("bond", "list")["bonds"]
        demand(not any(bond.get("lost") for bond in bonds), f"the bonds are {bonds}")

    def bond_lost_by_kernel(self):
        self.wait_until_served(3, self.since)
        encrypted, asked, _ = self.security_of(3)
        demand(encrypted and not asked, f"it was encrypted {encrypted} times and asked to pair {asked} times")

    def bond_lost_by_hub(self):
        self.wait_until_served(4, self.since)
        encrypted, asked, paired = self.security_of(4)
        demand(not encrypted and not asked and not paired, f"it was encrypted {encrypted} times, asked to pair {asked} times, and paired {paired} times")

    def killed(self):
        since = time.monotonic()
        self.record(2, 4000)
        self.wait_for_data(2, since, 12)
        self.cut(COMMIT_EVERY + 0.5)
        self.hub.stop(signal.SIGKILL)
        time.sleep(2)
        self.hub.start()
        self.wait_until_served(2, since)
        self.resumed(2, since)
        self.hub.wait_until_live(STRAPS, 60)

    def power_cycle(self):
        # The one that was not restarted yet: the hub takes starts within ten minutes of each other for one, and erases once in a boot.
        since = time.monotonic()
        self.record(5, 4000)
        self.wait_for_data(5, since, 8)
        self.cut()
        for word in ("off", "on"):
            self.btmgmt("power", word)
            time.sleep(2)
        self.wait_until_served(5, since)
        self.resumed(5, since)
        self.hub.wait_until_live(STRAPS, 90)

    # --- the books ---

    def end(self):
        step = self.report.step
        step("SIGTERM ends it cleanly", self.clean_end)
        step("every byte of every file is in the store, once", self.every_byte)
        step("what is erased was durable before, by the store's own account", self.custody)
        step("the straps' beats are all there", self.beats)

    def clean_end(self):
        time.sleep(COMMIT_EVERY + 1)
        self.cut()
        demand(self.hub.stop() == 0, f"it ended with {self.hub.process.returncode}")

    def every_byte(self):
        found = books.raw_items(self.hub.store)
        total = 0
        for number, files in self.recorded.items():
            total += books.holds_each_once(found.get(insole_address(number), []), files, f"insole {number}")
        self.report.measured("bytes of files, all in the store", total)

    def custody(self):
        books.erased_only_after_durable(self.hub.store)

    def beats(self):
        text = self.hub.say("--store", self.hub.store, "export", "--format", "ndjson", asks=False, allowed=(0, 3))
        samples = parse_export(text)
        heard = missing = 0
        for strap in STRAPS:
            log = StrapLog(f"{self.world.logs}/strap-{strap}.jsonl")
            some = compare(log, samples, address_of(strap), self.cuts[strap])
            heard, missing = heard + some[0], missing + some[1]
        self.report.measured("beats in both accounts, beats sent while the hub was cut off", f"{heard}, {missing}")


def main(arguments):
    folder = scratch("insoles")
    clock.trust()
    report = Report()
    described = ",".join(":".join(map(str, insole)) for insole in INSOLES)
    world = World(folder, "--straps", str(len(STRAPS)), "--rssi=-45,-48", "--insoles", described)
    hub = Hub(folder, arguments.programs, "none")
    # All may stay linked.
    hub.configuration.write_text(hub.variant().replace("radio:\n", f"radio:\n  slots: {len(STRAPS) + len(INSOLES)}\n") + LANE)
    act = Insoles(report, world, hub)
    try:
        act.beginning()
        if arguments.only:
            if arguments.only not in ("killed", "power_cycle"):
                act.begin_troubles()
            report.step(arguments.only, getattr(act, arguments.only))
        elif report.failed == 0 or arguments.all:
            act.trouble()
        act.end()
    finally:
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    sys.exit(main(parser_with_troubles(__doc__).parse_args()))
