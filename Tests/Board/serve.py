#!/usr/bin/env python3
"""The package on an emulated board with systemd as its first process: installed, started, asked, frozen, killed, and without power in the middle of work.

    PYTHON Tests/Board/serve.py BOARD --package FILE.deb [--keep FOLDER]

BOARD is pi (Raspberry Pi 3B, arm64), pi5 (arm64, pages of 16 KiB) or pc (amd64). PYTHON has the packages of Tests/Lab/world/requirements.txt; the wearables
are on this machine, at the other end of the board's serial line. Most of its time is the emulation's.
--keep: the card stays in FOLDER. Exit status 0 if every step passed; the last line is the count.
"""
import argparse
import pathlib
import shutil
import sys
import time

from machine import BOARDS, Card, Machine, Pins, scratch

import ledger
from report import Report, demand, eventually
from scene import World, address_of

STRAPS = (0, 1, 2)
COMMIT = 2.0  # s, as in the configuration below
CONFIGURATION = """\
hub: {name: board}
enroll: {mode: all}
store: {commit: {every: 2s, bytes: 4KB}}
lights: {board: %s}
"""
# As in board/hearth-hat-1.yaml.
HUB, LINK = 17, 27
WATCHDOG = 30  # s, as in the unit
# Clocks of board and straps are two, and under emulation a notification may take its time.
ledger.SLACK = 20.0


class Proof:
    def __init__(self, report, board, package, folder, port, network=False):
        self.report, self.package, self.folder = report, package, folder
        self.world = World(folder, "--straps", str(len(STRAPS)), "--rssi=-45,-46,-47", "--uart", str(port))
        self.card = Card(folder, BOARDS[board].architecture)
        self.machine = Machine(board, self.card, folder, port, network)
        self.is_pi = board == "pi"
        self.cuts = []

    # --- steps, in order ---

    def boots(self):
        self.card.put(self.package, "/root/hearth.deb")
        wall, own = self.machine.boot()
        self.report.measured("power on to a systemd that serves", f"{wall:.0f} s, {own:.1f} s by the board's clock")
        first = self.machine.say("cat /proc/1/comm; systemctl --version | head -n 1; uname -rm; getconf PAGE_SIZE").split("\n")
        demand(first[0] == "systemd", f"process 1 is {first[0]}")
        self.report.measured("board", ", ".join(first[1:]))
        self.machine.wait_for("test -d /sys/class/bluetooth/hci0", 300)
        self.set_clock()

    def set_clock(self):
        self.machine.say(f"date -u -s @{time.time():.1f}")

    def installs(self):
        self.began = began = time.monotonic()
        self.machine.say("cd /root && apt-get -qq -y install ./hearth.deb", 1800)
        self.report.measured("apt install ./hearth.deb", f"{time.monotonic() - began:.0f} s")
        size = self.machine.say("dpkg-query -W -f '${Version} ${Installed-Size}' hearth").split()
        self.report.measured("installed", f"version {size[0]}, {int(size[1]) / 1024:.1f} MiB ({int(size[1]) * 1024 / 1e6:.1f} MB)")

    def is_ready(self):
        took = self.machine.wait_for("systemctl is-active hearthd", 300)
        demand(self.machine.shown("Type") == "notify", "the unit does not wait for READY")
        stamps = [int(self.machine.shown(name)) / 1e6 for name in ("ExecMainStartTimestampMonotonic", "ActiveEnterTimestampMonotonic")]
        self.report.measured("start to READY", f"{stamps[1] - stamps[0]:.2f} s by the board's clock (asked for {took:.0f} s)")
        self.report.measured("processor time of the unit until then, emulated", f"{int(self.machine.shown('CPUUsageNSec')) / 1e9:.2f} s")
        demand(self.machine.shown("StatusText") == "serving", self.machine.shown("StatusText"))
        self.machine.say("hearth status", allowed=(0, 1))

    def sets_up(self):
        """The second and the third command of three, typed as by a person with a strap close to the box."""
        began = time.monotonic()
        said = self.machine.say("hearth setup --defaults")
        took = time.monotonic() - began
        demand("strap-01" in said, lambda: f"no strap joined: {said}")
        line = self.machine.say("hearth live --json --seconds 300 | grep -m 1 '\"heart_rate\"'")
        demand("strap-01" in line, line)
        self.report.measured("three commands", f"{time.monotonic() - self.began:.0f} s to the first heart rate, {took:.0f} s of them for hearth setup --defaults")

    def journal(self):
        said = self.machine.say("journalctl -u hearthd -b -o cat --no-pager")
        for words in ("Starting hearthd.service", "Started hearthd.service", "roles on the socket: reading hearth-read"):
            demand(words in said, lambda: f"the journal has no {words!r}:\n{said[-2000:]}")

    def sandbox(self):
        status = self.machine.say(f"cat /proc/{self.machine.daemon()}/status")
        found = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        user = self.machine.say("id -u hearth")
        for field, wanted in (("Uid", user), ("NoNewPrivs", "1"), ("Seccomp", "2"), ("CapEff", "0000000000003000"), ("CapBnd", "0000000000003000")):
            demand(found[field].split()[0] == wanted, f"{field} is {found[field]}, not {wanted}")
        groups = self.machine.say("id -Gn hearth").split()
        demand({"gpio", "netdev"} <= set(groups), f"its groups are {groups}")

    def who_may_ask(self):
        """A user of each group, and one without a group: what each may read, do and administer."""
        self.machine.say("for who in none read operate administer; do id user-$who > /dev/null 2>&1 || useradd -M -s /bin/bash user-$who; done; "
                         "gpasswd -a user-read hearth-read; gpasswd -a user-operate hearth; gpasswd -a user-administer hearth-admin")  # fmt: skip
        asked = {"read": "hearth devices", "operate": "hearth enroll close", "administer": "hearth access"}
        order = list(asked)
        for who in ("none", *order):
            for what, command in asked.items():
                status, said = self.machine.run(f"runuser -u user-{who} -- {command}")
                refused = "H6020" in said
                may = who != "none" and order.index(what) <= order.index(who)
                demand(refused != may, f"{what} by a member of {who}: status {status}: {said}")
        mode = self.machine.say("stat -c '%A %U:%G' /run/hearth/hearth.sock; stat -c '%A %U:%G' /var/lib/hearth")
        self.report.measured("socket, store", mode.replace("\n", "; "))

    def configure(self):
        lamps = "hearth-hat-1" if self.is_pi else "none"
        moment = time.monotonic()
        text = (CONFIGURATION % lamps).replace("\n", "\\n")
        self.machine.say(f"mkdir -p /etc/hearth/hearth.d && printf '{text}' > /etc/hearth/hearth.d/board.yaml && hearth config check && systemctl restart hearthd")
        self.cut_off(moment)  # for the strap that joined before
        # As a time server would: the hub's own unit reads it within half a minute.
        self.machine.say("perl -e '$b = pack(\"Lx4q4lx4\", 0x1c, 0, 0, 0, 0, 0) . (\"\\0\" x 200); syscall($ARGV[0] + 0, $b) >= 0 or die $!' "
                         f"{159 if self.machine.board.architecture.startswith('amd64') else 171}")  # fmt: skip

    def straps_are_live(self):
        began = time.monotonic()
        self.live(600)
        self.report.measured("three straps live after", f"{time.monotonic() - began:.0f} s")

    def live(self, within, since=0.0):
        """Until all straps were subscribed to after that moment: a link of before may outlive a daemon by some seconds."""

        def subscribed(strap):
            lines = ledger.StrapLog(f"{self.world.logs}/strap-{strap}.jsonl").lines
            return any(line["event"] == "subscribe" and line["characteristic"] == "heart_rate" and line["monotonic"] > since for line in lines)

        eventually(lambda: all(map(subscribed, STRAPS)), within, self.devices, every=0.5)

    def devices(self):
        return self.machine.run("hearth devices; hearth status; journalctl -u hearthd -n 30 -o cat --no-pager")[1]

    def serves(self):
        """Half a minute of three straps, and what it costs."""
        daemon = self.machine.daemon()
        ticks = lambda: sum(map(int, self.machine.say(f"cat /proc/{daemon}/stat").rpartition(")")[2].split()[11:13]))  # noqa: E731
        begin, before = float(self.machine.say("cut -d' ' -f1 /proc/uptime")), ticks()
        time.sleep(30)
        after, end = ticks(), float(self.machine.say("cut -d' ' -f1 /proc/uptime"))
        self.report.measured("processor time with three straps", f"{(after - before) / (end - begin):.2f} % of one core, {(after - before) * 10} ms in {end - begin:.0f} s")
        memory = self.machine.say(f"grep -E '^(VmRSS|VmHWM|Threads|RssAnon)' /proc/{daemon}/status; grep -E '^(Pss|Private_Dirty|Private_Clean):' /proc/{daemon}/smaps_rollup")
        self.report.measured("memory", ", ".join(" ".join(line.split()) for line in memory.splitlines()))
        self.report.measured("of the whole unit", self.machine.say("systemctl show -p MemoryCurrent -p CPUUsageNSec hearthd").replace("\n", ", "))
        demand(int(next(line.split()[1] for line in memory.splitlines() if line.startswith("Threads"))) <= 2, memory)

    def lights(self):
        """By the pins themselves, from outside: HUB beats once in two seconds, LINK is steady with a dip at the end of a visit."""
        time.sleep(35)  # until it knows that the clock is kept
        pins = Pins(self.folder)
        seconds = 30
        edges = pins.watch((HUB, LINK), seconds)
        pins.close()
        on = {}
        for pin, seen in edges.items():
            ends = [moment for moment, _ in seen[1:]] + [seconds]
            on[pin] = sum(end - moment for (moment, level), end in zip(seen, ends) if level)
        beats = sum(1 for _, level in edges[HUB] if level)
        self.report.measured("HUB at the pin", f"{beats} beats in {seconds} s, on for {on[HUB]:.1f} s")
        self.report.measured("LINK at the pin", f"on for {on[LINK]:.1f} s of {seconds} s, {len(edges[LINK]) - 1} edges")
        explained = self.machine.say("hearth led explain")
        demand(seconds / 3 - 3 <= beats <= seconds / 2 + 2 and on[HUB] < seconds / 4, lambda: f"HUB does not beat: {edges[HUB]}\n{explained}")
        demand(on[LINK] > 0.8 * seconds, lambda: f"LINK is not steady: {edges[LINK]}\n{explained}")

    def books(self):
        """What the straps sent is what the store has."""
        time.sleep(COMMIT + 3)
        until = time.monotonic() - COMMIT - 4
        self.export = self.machine.file("<(hearth export --format ndjson)").decode()
        samples = ledger.parse_export(self.export)
        heard = missing = 0
        for strap in STRAPS:
            log = ledger.StrapLog(f"{self.world.logs}/strap-{strap}.jsonl")
            some = ledger.compare(log, samples, address_of(strap), [*joining(log), *self.cuts, (until, float("inf"))])
            heard, missing = heard + some[0], missing + some[1]
        demand(heard > 0, "there is not one beat in the store")
        self.report.measured("heart rates in the store that equal what was sent", f"{heard}; sent while the hub was dead or just before: {missing}")

    def cut_off(self, moment):
        """What was sent from a commit before that until the straps were subscribed to again may be missing."""
        self.cuts.append((moment - COMMIT - 4, moment))

    def goes_on_after(self, what, action, within, wanted):
        before, restarts = self.machine.daemon(), int(self.machine.shown("NRestarts"))
        began = time.monotonic()
        self.machine.say(action.format(before))
        self.machine.wait_for(f"test $(systemctl show -p NRestarts --value hearthd) -gt {restarts} && systemctl is-active hearthd", within, every=0.5)
        took = time.monotonic() - began
        self.cut_off(began)
        self.live(600, began)
        self.report.measured(f"{what}: READY again after", f"{took:.1f} s, three straps live after {time.monotonic() - began:.1f} s")
        said = self.machine.say("journalctl -u hearthd -b -n 200 -o cat --no-pager")
        demand(wanted in said, lambda: f"the journal has no {wanted!r}:\n{said[-2000:]}")
        demand(self.machine.daemon() != before, "it is the same process")

    def watchdog(self):
        self.goes_on_after("frozen (SIGSTOP)", "kill -STOP {}", 4 * WATCHDOG + 300, "Watchdog timeout")

    def killed(self):
        self.goes_on_after("killed (SIGKILL)", "kill -KILL {}", 300, "code=killed")

    def reload(self):
        before = self.machine.daemon()
        self.machine.say("systemctl reload hearthd")
        demand(self.machine.daemon() == before and self.machine.shown("ActiveState") == "active", "a reload started it anew")
        self.live(600)

    def power_cut(self):
        """In the middle of three streams, and then from the start by itself."""
        self.machine.say("hearth store", allowed=(0, 1))
        time.sleep(6)
        moment = time.monotonic()
        self.machine.cut()
        wall, own = self.machine.boot()
        self.machine.wait_for("systemctl is-active hearthd", 600)
        self.set_clock()
        self.cut_off(moment)
        self.live(600, moment)
        self.report.measured("power back to three straps live", f"{time.monotonic() - moment:.0f} s (systemd serves after {wall:.0f} s, {own:.1f} s by the board's clock)")
        seconds = (int(self.machine.shown("ActiveEnterTimestampMonotonic")) - int(self.machine.shown("ExecMainStartTimestampMonotonic"))) / 1e6
        self.report.measured("start to READY at boot", f"{seconds:.2f} s by the board's clock")

    def whole(self):
        self.cut_off(time.monotonic())
        said = self.machine.say("systemctl stop hearthd && hearth --store /var/lib/hearth store verify; status=$?; systemctl start hearthd; exit $status", 900, (0, 3))
        self.report.measured("hearth store verify", said.splitlines()[-1] if said else "nothing")

    def stops(self):
        self.machine.say("systemctl stop hearthd")
        demand(self.machine.shown("Result") == "success", f"it ended with {self.machine.shown('Result')}")
        self.machine.end()

    def close(self):
        self.machine.end_for_sure()
        self.world.close()


def joining(log):
    """What a strap sent over the link by which it joined, before it had a record: the hub ends that link by itself."""
    links = [(line["event"], line["monotonic"]) for line in log.lines if line["event"] in ("connect", "disconnect")]
    return [(0.0, links[1][1])] if len(links) > 1 and links[1][1] - links[0][1] < 10 else []


def main(arguments):
    report = Report()
    folder = scratch(arguments.board)
    proof = Proof(report, arguments.board, arguments.package, folder, arguments.port)
    step, begin = report.step, [
        ("the board boots from its card, with systemd as its first process and its radio on a serial line", proof.boots),
        ("apt installs the package", proof.installs),
        ("the unit was started by that, and is READY", proof.is_ready),
    ]
    rest = [
        ("hearth setup --defaults lets the strap join that is held close, and hearth live shows its heart rate", proof.sets_up),
        ("the journal tells of its start", proof.journal),
        ("it runs as its own user with two capabilities and nothing more", proof.sandbox),
        ("who is in no group may ask nothing, each of the groups what it is for", proof.who_may_ask),
        ("it takes a configuration for three straps", proof.configure),
        ("three straps become live", proof.straps_are_live),
        ("it serves them", proof.serves),
        *([("HUB and LINK show it at the pins", proof.lights)] if proof.is_pi else []),
        ("the store has what the straps sent", proof.books),
        ("a reload changes nothing for them", proof.reload),
        ("a daemon that hangs is ended by the watchdog and started again", proof.watchdog),
        ("a daemon that is killed is started again", proof.killed),
        ("the power goes while they stream, and comes back", proof.power_cut),
        ("the store has what the straps sent, up to the last commit before each of these, and nothing else", proof.books),
        ("the store is whole", proof.whole),
        ("it ends, and the board is switched off", proof.stops),
    ]  # fmt: skip
    try:
        for sentence, action in begin:
            step(sentence, action)
        if report.failed == 0:
            for sentence, action in rest:
                step(sentence, action)
        else:
            print("the beginning failed; without it the rest says nothing", flush=True)
        if arguments.keep and report.failed == 0:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            shutil.move(proof.card.image, arguments.keep / "card.ext4")
            (arguments.keep / "export.ndjson").write_text(proof.export)
    finally:
        proof.close()
    closed = report.close()
    if closed:
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if closed else 1


def words(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", choices=BOARDS)
    parser.add_argument("--package", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--port", type=int, default=5941, help="TCP port of this machine for the board's radio")
    return parser


if __name__ == "__main__":
    parser = words(__doc__)
    parser.add_argument("--keep", type=pathlib.Path)
    sys.exit(main(parser.parse_args()))
