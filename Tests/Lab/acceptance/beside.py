#!/usr/bin/env python3
"""The costs of an uplink for the daemon that it asks: memory, processor time and the longest turn. A daemon without it and one beside it are compared at
the same age.

    Tests/Lab/in-lab -r -t 900 PYTHON Tests/Lab/acceptance/beside.py --programs .build/release

Straps beat on the air all the while, the broker is a mosquitto in the lab. Runs as root in the lab, at real speed (in-lab -r); needs mosquitto.
"""
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "Uplink")]

import clock  # noqa: E402
import wire  # noqa: E402
from report import IS_VIRTUAL, Report, demand, eventually  # noqa: E402
from scene import Hub, World, address_of, conclude, parser, scratch  # noqa: E402

BROKER = 18830
MEMORY = 1024  # kB more
PERCENT = 5  # of a core more


class Uplink:
    def __init__(self, folder, programs, hub):
        self.programs, self.socket = programs, folder / "uplink.sock"
        (folder / "mosquitto.conf").write_text(f"listener {BROKER} 127.0.0.1\nallow_anonymous true\nuser root\n")
        (folder / "uplink.yaml").write_text(
            f"broker:\n  address: 127.0.0.1:{BROKER}\ntls:\n  on: false\nhub_socket: {hub.socket}\nsocket: {self.socket}\npersons: none\n"
        )
        self.log = open(folder / "uplink.log", "w")
        self.broker = subprocess.Popen(["mosquitto", "-c", folder / "mosquitto.conf"], stdout=self.log, stderr=self.log)
        # Without a reader rows would wait.
        self.reader = wire.Client(BROKER, "reader", ["hearth/1/#"], lambda *_: None)
        self.process = subprocess.Popen([programs / "hearth-uplink", "--config", folder / "uplink.yaml"], stdout=self.log, stderr=self.log)

    def says(self):
        said = subprocess.run([self.programs / "hearth", "uplink", "--uplink-socket", self.socket], capture_output=True, text=True)
        return said.stdout + said.stderr

    def sends(self):
        text = self.says()
        demand("connected since" in text and "acknowledged" in text, text)

    def close(self):
        self.reader.over = True
        for process in (self.process, self.broker):
            process.terminate()
            process.wait()


class Beside:
    def __init__(self, report, hub, arguments):
        self.report, self.hub = report, hub
        self.straps, self.seconds, self.programs = arguments.straps, arguments.seconds, arguments.programs
        self.uplink = None
        self.found = None  # kB, share of a core in percent

    def begin(self):
        self.hub.launch()
        self.report.step("the daemon answers", eventually, lambda: self.hub.shell("status").returncode in (0, 1), 120, "it does not answer")
        self.report.step(f"{self.straps} straps are live", self.enrol)

    def enrol(self):
        self.hub.json("enroll", "open", "--for", "120s")
        for strap in range(self.straps):
            self.hub.accept(address_of(strap), f"strap-{strap:02}")
        self.hub.wait_until_live(range(self.straps), 60)

    def begin_uplink(self):
        self.uplink = uplink = Uplink(self.hub.folder, self.programs, self.hub)
        self.report.step("the uplink sends", eventually, lambda: "connected since" in uplink.says(), 60, uplink.says)

    def measure(self):
        used = self.hub.processor_seconds()
        time.sleep(self.seconds)
        percent = (self.hub.processor_seconds() - used) / self.seconds * 100
        memory, own = self.hub.proc_status("VmRSS"), self.hub.proc_status("RssAnon")
        self.found = memory, percent
        self.report.measured(
            "in all", f"{percent:.2f} % of a core, VmRSS {memory} kB (anonymous {own}), longest turn {self.hub.longest_turn()} ms"
        )

    def end(self):
        if self.uplink:
            self.report.step("rows are acknowledged", self.uplink.sends)
        self.report.step("SIGTERM ends it cleanly", lambda: demand(self.hub.stop(within=60) == 0, "it ended with another status"))

    def close(self):
        if self.uplink:
            self.uplink.close()
        self.hub.end_for_sure()


def begin_straps(world, count):
    for strap in range(count):
        world.ask("add", strap)


def compare(report, alone, beside):
    memory, percent = (two - one for one, two in zip(alone.found, beside.found))
    report.measured("what the uplink costs", f"{percent:.2f} % of a core, {memory} kB")
    demand(memory <= MEMORY and percent <= PERCENT, f"more than {PERCENT} % of a core or {MEMORY} kB")


def measure(report, folder, arguments):
    """A daemon without an uplink and one with it, both of the same age when they are looked at: each grows while it becomes older."""
    both = []
    for what in ("alone", "beside"):
        one = Beside(report, Hub(folder / what, arguments.programs, "none"), arguments)
        both.append(one)
        try:
            one.begin()
            report.step("its start is over", time.sleep, 30)
            if what == "beside":
                one.begin_uplink()
            report.step("for a minute", time.sleep, 60)
            report.step("without an uplink" if what == "alone" else "beside an uplink", one.measure)
            one.end()
        finally:
            one.close()
    if all(one.found for one in both):
        report.step("it is no more than a MB and 5 %", compare, report, *both)
    return both[1].hub


def main(arguments):
    if IS_VIRTUAL and not arguments.trace:
        sys.exit("beside.py measures processor time: it needs in-lab -r")
    folder = scratch("beside")
    clock.trust()
    # The lab has a network of its own, whose interface is still down.
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    report = Report()
    world = World(folder, "--straps", "0", "--rssi=-45,-48,-51,-46,-38")
    try:
        report.step("straps beat", begin_straps, world, arguments.straps)
        hub = measure(report, folder, arguments)
    finally:
        world.close()
    return conclude(report, hub)


def parse(words):
    options = parser(__doc__)
    options.add_argument("--straps", type=int, default=4, help="the lab's controller has five links")
    options.add_argument("--seconds", type=int, default=180, help="of each measurement")
    return options.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(parse(sys.argv[1:])))
