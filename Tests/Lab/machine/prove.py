#!/usr/bin/env python3
"""In a machine with a real systemd: the unit with its whole sandbox, a strap that streams, and what other programs do to it.

    prove.py [STEP...]     as root; /share has programs, board, config and the lab (see boot)

Ends with exit status 0 if every step passed. Steps: sandbox, helper, reinstall, activation, start, by_hand, beside, plugs, hang, clocks, stop.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path[:0] = ["/share/lab/acceptance", "/share/lab"]

from report import Failure, Report, demand, eventually  # noqa: E402
from scene import World, address_of, scratch  # noqa: E402

SHARE = pathlib.Path("/share")
BACK = 30.0  # s until the hub serves again after any start of bluetoothd
PLUGGED = 15.0
DAEMON = "/usr/libexec/bluetooth/bluetoothd"
TIME_SERVER = "10.0.2.2"
OXIMETER = "F0:F1:F2:F3:C5:00"
SLOW = 600  # s by which its clock is behind


def run(*words, within=120, check=True, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", timeout=within, stdin=subprocess.DEVNULL, **options)
    if check:
        demand(done.returncode == 0, lambda: f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def install():
    """As board/README.md says."""
    board = SHARE / "board"
    for program in ("hearthd", "hearth"):
        shutil.copy(SHARE / "programs" / program, "/usr/bin/")
        os.chmod(f"/usr/bin/{program}", 0o755)
    for source, target in (
        ("hearth.sysusers", "/usr/lib/sysusers.d/hearth.conf"),
        ("99-hearth.rules", "/usr/lib/udev/rules.d/99-hearth.rules"),
        ("bluetooth-hearth.conf", "/usr/lib/systemd/system/bluetooth.service.d/hearth.conf"),
        *((name, f"/usr/lib/systemd/system/{name}") for name in ("hearthd.service", "hearth-radio-claim.service", "hearth-clock.service", "hearth-clock.timer", "hearth-radio-reset.service", "hearth-radio-reset.path")),
        ("hearth-radio-reset", "/usr/libexec/hearth-radio-reset"),
    ):
        pathlib.Path(target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(board / source, target)
    os.chmod("/usr/libexec/hearth-radio-reset", 0o755)
    run("systemd-sysusers")
    run("udevadm", "control", "--reload")
    pathlib.Path("/etc/hearth").mkdir(exist_ok=True)
    text = "hub:\n  name: machine\nenroll:\n  mode: window\n  near_rssi: -60\n  window: 120s\nlights:\n  board: none\nstore:\n  path: /var/lib/hearth/store\n  size: 64MB\n"
    pathlib.Path("/etc/hearth/hearth.yaml").write_text(text)
    run("systemctl", "daemon-reload")


class Machine:
    def __init__(self, report, world):
        self.report, self.world = report, world

    # --- what is asked ---

    def hearth(self, *words, check=False):
        return run("hearth", *words, check=check, within=60)

    def active(self, unit="hearthd.service"):
        return run("systemctl", "is-active", unit, check=False).strip() == "active"

    def process(self):
        return run("systemctl", "show", "-p", "MainPID", "--value", "hearthd.service").strip()

    def bluetoothd(self):
        return run("pgrep", "-x", "bluetoothd", check=False).strip()

    def all_sent(self):
        """When the strap sent samples to its subscriber, on the monotonic clock."""
        with open(f"{self.world.logs}/strap-0.jsonl") as file:
            lines = [json.loads(text) for text in file if text.endswith("\n")]
        return [line["monotonic"] for line in lines if line["event"] == "notify"]

    def sent(self):
        return max(self.all_sent(), default=0.0)

    def longest_gap(self, begin):
        """Seconds without a sample since then."""
        moments = [begin, *(moment for moment in self.all_sent() if moment > begin), time.monotonic()]
        return max(after - before for before, after in zip(moments, moments[1:]))

    def streams_again(self, begin, within, settle=2.0):
        """Seconds until samples come without a gap of two seconds, counted from `begin`."""
        deadline = begin + within + 60
        while time.monotonic() < deadline:
            time.sleep(0.25)
            since = time.monotonic()
            if since - self.sent() < 1.8:
                time.sleep(settle)
                if time.monotonic() - self.sent() < 1.8:
                    return since - begin
        raise Failure(f"no sample for {time.monotonic() - self.sent():.0f} s\n{self.hearth('status')}{run('journalctl', '-u', 'hearthd', '-n', '40', '--no-pager')}")

    def events(self):
        return self.hearth("events", "-n", "200")

    # --- steps ---

    def sandbox(self):
        run("systemctl", "start", "hearthd", check=False)
        demand(self.active(), lambda: f"hearthd is not active\n{run('journalctl', '-u', 'hearthd', '-n', '30', '--no-pager')}")
        demand(not self.bluetoothd(), "a bluetoothd runs beside it")
        self.hearth("enroll", "open", check=True)
        eventually(lambda: "accepted" in self.hearth("enroll", "accept", address_of(0), "--name", "strap-01") or "strap-01" in self.hearth("devices"), 90, lambda: self.hearth("enroll", "list"), every=1)
        self.report.measured("streaming after", f"{self.streams_again(time.monotonic(), 60):.1f} s")
        status = pathlib.Path(f"/proc/{self.process()}/status").read_text()
        for field, wanted in (("Uid", "hearth"), ("NoNewPrivs", "1"), ("Seccomp", "2"), ("CapEff", "0000000000003000"), ("CapBnd", "0000000000003000")):
            line = next(line for line in status.splitlines() if line.startswith(field + ":"))
            words = line.split()[1:]
            demand(words[0] == (run("id", "-u", "hearth").strip() if field == "Uid" else wanted), f"{line}, not {wanted}")
        limits = pathlib.Path(f"/proc/{self.process()}/limits").read_text()
        demand(re.search(r"^Max core file size +0 +0 ", limits, re.MULTILINE), limits)
        for unit, most in (("hearthd", 1.7), ("hearth-radio-reset", 4.0), ("hearth-clock", 4.0), ("hearth-radio-claim", 4.0)):
            said = run("systemd-analyze", "security", "--no-pager", f"{unit}.service").splitlines()[-1]
            exposure = float(re.search(r": ([0-9.]+) ", said)[1])
            self.report.measured(f"exposure of {unit}", exposure)
            demand(exposure <= most, said)
        denied = run("journalctl", "-b", "--no-pager", "-g", "type=1326|seccomp", check=False)
        demand("hearthd" not in denied, denied)

    def helper(self):
        """The helper that resets a port, with a USB device that QEMU has in the place of an adapter. Also its message for an adapter that hangs on no bus."""
        port = next(path.parent for path in pathlib.Path("/sys/bus/usb/devices").glob("*/authorized") if ":" not in path.parent.name and not path.parent.name.startswith("usb"))
        script = f"echo 0 > {port}/authorized && cat {port}/authorized && echo 1 > {port}/authorized && cat {port}/authorized; rm -f /run/hearth/radio-reset; touch /etc/radio-reset 2>/dev/null && echo WRITABLE; id -u"
        override = pathlib.Path("/run/systemd/system/hearth-radio-reset.service.d/test.conf")
        override.parent.mkdir(parents=True, exist_ok=True)
        override.write_text(f"[Service]\nExecStart=\nExecStart=/bin/sh -c '{script}'\n")
        run("systemctl", "daemon-reload")
        run("systemctl", "start", "hearth-radio-reset.path")
        self.ask_for_reset("0")
        said = self.helper_said()
        demand(re.search(r"\]: 0\n.*\]: 1\n.*\]: 0\n", said) and "WRITABLE" not in said, f"the sandbox lets it not do what it is for, or more:\n{said}")
        override.unlink()
        run("systemctl", "daemon-reload")
        self.ask_for_reset("0")
        eventually(lambda: "neither on USB nor" in self.helper_said() or "on no bus" in self.helper_said(), 30, lambda: self.helper_said())
        self.report.measured("the helper in its sandbox", "writes authorized of a USB port, and nothing in /etc")

    def ask_for_reset(self, number):
        run("systemctl", "reset-failed", "hearth-radio-reset.service", check=False)
        run("setpriv", "--reuid=hearth", "--regid=hearth", "--clear-groups", "sh", "-c", f"echo hci{number} > /run/hearth/radio-reset")
        eventually(lambda: not pathlib.Path("/run/hearth/radio-reset").exists(), 30, lambda: f"the request stays\n{self.helper_said()}")
        eventually(lambda: run("systemctl", "is-active", "hearth-radio-reset.service", check=False).strip() in ("inactive", "failed"), 30, "the helper does not end")

    def helper_said(self):
        return run("journalctl", "-b", "-u", "hearth-radio-reset.service", "--no-pager", check=False)

    def undisturbed(self, what, action):
        before, begin = self.process(), time.monotonic()
        said = action()
        self.streams_again(time.monotonic(), BACK)
        took = self.longest_gap(begin)
        demand(self.active(), f"hearthd is {run('systemctl', 'is-active', 'hearthd', check=False)}")
        demand(self.process() == before, f"hearthd was started again\n{run('journalctl', '-u', 'hearthd', '-n', '30', '--no-pager')}")
        demand(took <= BACK, f"{took:.1f} s")
        self.report.measured(f"{what}: longest time without a sample {took:.1f} s; bluetoothd", self.bluetoothd() or "not there")
        return said

    def reinstall(self):
        package = next(pathlib.Path("/var/cache/apt/archives").glob("bluez_*.deb"))
        self.undisturbed("bluez installed again", lambda: run("apt-get", "install", "-y", "--reinstall", "--allow-downgrades", package, env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"), within=300))
        demand(not self.bluetoothd(), "a bluetoothd runs beside it")

    def activation(self):
        self.undisturbed("D-Bus activation", lambda: run("busctl", "--timeout=10", "call", "org.bluez", "/", "org.freedesktop.DBus.Introspectable", "Introspect", check=False))

    def start(self):
        self.undisturbed("systemctl restart bluetooth", lambda: run("systemctl", "restart", "bluetooth", check=False))
        demand(not self.bluetoothd(), "a bluetoothd runs beside it")
        self.undisturbed("udev's bluetooth.target", lambda: run("systemctl", "restart", "bluetooth.target", check=False))

    def takes_back(self, what, action):
        count = self.events().count("H3114")
        self.undisturbed(what, action)
        eventually(lambda: "H3114" in self.events(), 30, lambda: f"no event H3114:\n{self.events()}")
        self.report.measured("events H3114 before and after", f"{count}, {self.events().count('H3114')}")

    def by_hand(self):
        """A bluetoothd that no unit knows of: it is told while it runs, and when it took the adapter; its end powers the adapter off."""
        held = []
        self.takes_back("bluetoothd started by hand", lambda: held.append(subprocess.Popen([DAEMON, "-n"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)))
        demand(self.bluetoothd(), "it does not run")
        eventually(lambda: "H3108" in self.hearth("status"), 70, lambda: self.hearth("status"))
        self.undisturbed("bluetoothd ended", lambda: (held[0].terminate(), held[0].wait()))
        eventually(lambda: "H3108" not in self.hearth("status"), 70, lambda: self.hearth("status"))

    def beside(self):
        """A machine that needs both."""
        mark = pathlib.Path("/etc/hearth/with-bluetoothd")
        mark.touch()
        try:
            self.serves_beside()
        finally:
            mark.unlink()
        run("systemctl", "restart", "hearthd")
        self.streams_again(time.monotonic(), BACK)
        demand(not self.bluetoothd(), "the hub's start did not stop it")

    def serves_beside(self):
        self.takes_back("bluetooth.service started beside it", lambda: run("systemctl", "start", "bluetooth"))
        demand(self.bluetoothd(), "it does not run")
        eventually(lambda: "H3108" in self.hearth("status"), 70, lambda: self.hearth("status"))
        for time_of_many in ("", " again", " and again"):
            self.undisturbed(f"bluetooth.service restarted beside it{time_of_many}", lambda: run("systemctl", "restart", "bluetooth"))
        run("systemctl", "restart", "hearthd")
        self.streams_again(time.monotonic(), BACK)
        demand(self.bluetoothd(), "the hub stopped it, which it must not here")

    def plugs(self):
        took = []
        for pause in (0, 0.1, 1, 3, 0, 0.5, 2, 0, 1, 0.1):
            self.world.ask("remove-controller")
            time.sleep(pause)
            self.world.ask("add-controller")
            begin = time.monotonic()
            took.append(self.streams_again(begin, PLUGGED))
            demand(took[-1] <= PLUGGED, f"{took[-1]:.1f} s")
        self.report.measured("streaming after a plug, longest of ten", f"{max(took):.1f} s")
        demand(self.active() and not self.bluetoothd(), "hearthd is gone, or a bluetoothd came with the adapter")

    def hang(self):
        begin = time.monotonic()
        self.world.ask("black-hole")
        eventually(lambda: "H3105" in run("journalctl", "-u", "hearthd", "-b", "--no-pager"), 40, "not noticed", every=0.5)
        noticed = time.monotonic() - begin
        time.sleep(max(0, 60 - noticed))
        rungs = [line for line in run("journalctl", "-u", "hearthd", "-b", "--no-pager").splitlines() if "revive" in line]
        self.world.ask("black-hole", 0)
        took = self.streams_again(time.monotonic(), 10)
        self.report.measured("a hang of 60 s: noticed after", f"{noticed:.1f} s, {len(rungs)} rungs; streaming {took:.1f} s after it answered")
        demand(noticed <= 15 and took <= 10, "too late")

    def clocks(self):
        device = next(path.name for path in pathlib.Path("/sys/class/net").iterdir() if path.name != "lo")
        run("ip", "link", "set", device, "up")
        run("ip", "addr", "add", "10.0.2.15/24", "dev", device, check=False)
        pathlib.Path("/etc/systemd/timesyncd.conf").write_text(f"[Time]\nNTP={TIME_SERVER}\n")
        self.hearth("enroll", "open", check=True)
        eventually(lambda: "accepted" in self.hearth("enroll", "accept", OXIMETER, "--name", "oximeter") or "oximeter" in self.hearth("devices"), 90, lambda: self.hearth("enroll", "list"), every=1)
        self.keeper("nobody", lambda: run("systemctl", "disable", "--now", "systemd-timesyncd"), wanted=False)
        self.keeper("systemd-timesyncd", lambda: run("systemctl", "enable", "--now", "systemd-timesyncd"))
        run("systemctl", "stop", "systemd-timesyncd")
        shutil.rmtree("/run/systemd/timesync", ignore_errors=True)
        # Each with the configuration that Debian ships, but for the servers.
        self.package("chrony")
        self.servers("/etc/chrony/chrony.conf", "minpoll 0 maxpoll 3")
        self.keeper("chrony", lambda: run("systemctl", "restart", "chrony"))
        run("systemctl", "stop", "chrony")
        self.package("ntpsec")
        self.servers("/etc/ntpsec/ntp.conf", "minpoll 3 maxpoll 4", "tos minclock 1 minsane 1")
        # As after its first day: without a measured drift it leaves the kernel alone for the first minutes.
        run("systemctl", "stop", "ntpsec")
        drift = pathlib.Path("/var/lib/ntpsec/ntp.drift")
        drift.write_text("0.000\n")
        shutil.chown(drift, "ntpsec", "ntpsec")
        self.keeper("ntpsec", lambda: run("systemctl", "restart", "ntpsec"))

    def servers(self, path, options, *more):
        file = pathlib.Path(path)
        kept = [line for line in file.read_text().splitlines() if not re.match(r"(pool|server|tos|sourcedir)\b", line)]
        file.write_text("\n".join([*kept, *more, f"server {TIME_SERVER} iburst {options}", ""]))

    def package(self, name):
        """From what the disk has; the programs that keep clocks exclude each other."""
        run("apt-get", "install", "-y", "--no-download", "--no-install-recommends", name, env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"), within=400)

    def keeper(self, name, begin, wanted=True):
        unsynchronise()
        demand(not kernel_says(), "the kernel's clock cannot be made to be unsynchronised")
        eventually(lambda: self.hub_says() is False, 60, lambda: f"without a keeper the hub says {self.hub_says()}")
        begin()
        if wanted:
            eventually(kernel_says, 240, lambda: f"{name} does not synchronise the kernel's clock: {run('systemctl', 'status', name, '--no-pager', check=False)}", every=1)
            eventually(lambda: self.hub_says() is True, 60, lambda: f"{name}: the hub says {self.hub_says()}", every=1)
        else:
            time.sleep(35)
            demand(self.hub_says() is False, "the hub believes a clock that nobody keeps")
        self.report.measured(f"{name}: kernel and hub say that the clock is synchronised", f"{kernel_says()}, {self.hub_says()}")
        words = "trusted (time server)" if wanted else "no time server"
        demand(words in self.hearth("status"), lambda: f"{name}: {self.hearth('status')}")
        self.sets_clock(name, wanted)

    def sets_clock(self, name, wanted):
        """An oximeter with a slow clock is visited: only a hub with a synchronised clock sets it."""
        self.world.ask("sensor-slow", 0, SLOW)
        begin = time.monotonic()
        self.hearth("visit", "now", "oximeter")
        eventually(lambda: self.oximeter("reported", begin) or self.oximeter("ask", begin), 90, lambda: f"it is not visited: {self.hearth('devices')}")
        if wanted:
            eventually(lambda: self.oximeter("set clock", begin), 30, lambda: f"{name}: its clock is not set: {self.hearth('log', 'oximeter')}")
        else:
            time.sleep(10)
            demand(not self.oximeter("set clock", begin), "a clock that nobody keeps was given to a wearable")
        was = [line["was_slow"] for line in self.oximeter("set clock", begin)]
        self.report.measured(f"{name}: the wearable's clock, {SLOW} s slow, was set", f"{'yes' if was else 'no'}")

    def oximeter(self, event, begin):
        with open(f"{self.world.logs}/sensor-0.jsonl") as file:
            lines = [json.loads(text) for text in file if text.endswith("\n")]
        return [line for line in lines if line["event"] == event and line["monotonic"] > begin]

    def hub_says(self):
        text = json.loads(self.hearth("status", "--json"))
        found = [value for document in walk(text) for key, value in document.items() if "ynchronised" in key]
        demand(found, f"status has no word of the clock: {text}")
        return found[0]

    def stop(self):
        """An operator's stop is for good, whatever then happens to bluetoothd."""
        run("systemctl", "stop", "hearthd")
        run("systemctl", "restart", "bluetooth")
        time.sleep(40)
        demand(not self.active(), "hearthd runs again")
        demand(self.bluetoothd(), "bluetoothd may not run though the hub is stopped")
        run("systemctl", "start", "hearthd")
        self.streams_again(time.monotonic(), BACK)
        demand(not self.bluetoothd(), "the hub's start did not stop bluetoothd")


def walk(document):
    if isinstance(document, dict):
        yield document
        for value in document.values():
            yield from walk(value)
    elif isinstance(document, list):
        for value in document:
            yield from walk(value)


def timex(modes=0, status=0):
    """adjtimex(2): the status bits of the kernel's clock."""
    import ctypes
    import struct

    buffer = ctypes.create_string_buffer(struct.pack("<I4xqqqqi", modes, 0, 0, 0, 0, status), 208)
    demand(ctypes.CDLL(None, use_errno=True).adjtimex(buffer) >= 0, "adjtimex failed")
    return struct.unpack_from("<i", buffer, 40)[0]


def kernel_says():
    return not timex() & 0x0040  # STA_UNSYNC


def unsynchronise():
    timex(0x0010, 0x0040)  # ADJ_STATUS


STEPS = {
    "sandbox": "the unit runs with its whole sandbox, and a strap streams",
    "helper": "the helper that resets a port may do that in its sandbox",
    "reinstall": "bluez is installed again: the hub goes on",
    "activation": "D-Bus asks for bluetoothd: the hub goes on",
    "start": "bluetooth.service is restarted by hand and by udev's target: the hub goes on",
    "by_hand": "a bluetoothd is started by hand and ended: the hub serves again, says H3114, and H3108 while it runs",
    "beside": "on a machine that needs both the hub serves beside bluetooth.service; without the opt-out it stops it at its start",
    "plugs": "the controller is pulled out and plugged in again ten times: streaming within 15 s",
    "hang": "the controller hangs for a minute",
    "clocks": "whoever keeps the clock, the hub knows, and sets a wearable's: nobody, systemd-timesyncd, chrony, ntpsec",
    "stop": "an operator's stop is for good",
}


def main(names):
    report = Report()
    run("modprobe", "hci_vhci")
    folder = scratch("machine")
    report.step("everything is installed as board/README.md says", install)
    # Read once from the disk, which takes its time on an emulated processor.
    run(sys.executable, "-c", "import bumble.controller, bumble.device, bumble.smp", within=300)
    world = World(folder, "--straps", "1", "--rssi=-45", "--sensors", "spot-oximeter")
    machine = Machine(report, world)
    try:
        for name in names or STEPS:
            report.step(STEPS[name], getattr(machine, name))
    finally:
        pathlib.Path("/share/out/journal").write_text(run("journalctl", "-b", "--no-pager", check=False))
        world.close()
    return 0 if report.close() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
