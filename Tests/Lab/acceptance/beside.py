#!/usr/bin/env python3
"""What an uplink costs the daemon that it asks: memory, processor time and the longest turn, without it and beside it.

    Tests/Lab/in-lab -t 900 PYTHON Tests/Lab/acceptance/beside.py --programs .build/release

Straps beat on the air all the while, the broker is a mosquitto in the lab. --trace LIST writes which functions of the daemon are run (board/order/trace.py)
instead of measuring: with an H10 that streams, and with a technician who looks in. Runs as root in the lab; needs mosquitto.
"""
import pathlib
import subprocess
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from report import Report, demand, eventually  # noqa: E402
from scene import HERE, Hub, World, address_of, conclude, parser, scratch  # noqa: E402

TRACE = HERE.parents[2] / "board" / "order" / "trace.py"
H10 = "F0:10:0A:00:00:00"
BROKER = 18830
# s after which what is traced is no part of a start any more. Before the daemon forgets its code (20 s): breakpoints set anew behind that ended it.
START = 12
MEMORY = 1024  # kB more


class Uplink:
    def __init__(self, folder, programs, hub):
        self.programs, self.socket = programs, folder / "uplink.sock"
        (folder / "mosquitto.conf").write_text(f"listener {BROKER} 127.0.0.1\nallow_anonymous true\nuser root\n")
        (folder / "uplink.yaml").write_text(
            f"broker:\n  address: 127.0.0.1:{BROKER}\ntls:\n  on: false\nhub_socket: {hub.socket}\nsocket: {self.socket}\npersons: none\n"
        )
        self.log = open(folder / "uplink.log", "w")
        self.broker = subprocess.Popen(["mosquitto", "-c", folder / "mosquitto.conf"], stdout=self.log, stderr=self.log)
        self.process = subprocess.Popen([programs / "hearth-uplink", "--config", folder / "uplink.yaml"], stdout=self.log, stderr=self.log)

    def says(self):
        said = subprocess.run([self.programs / "hearth", "uplink", "--uplink-socket", self.socket], capture_output=True, text=True)
        return said.stdout + said.stderr

    def sends(self):
        text = self.says()
        demand("connected since" in text and "acknowledged" in text, text)

    def close(self):
        for process in (self.process, self.broker):
            process.terminate()
            process.wait()


class Beside:
    def __init__(self, report, world, hub, seconds):
        self.report, self.world, self.hub, self.seconds = report, world, hub, seconds
        self.found = []  # kB

    def enrol(self, straps):
        self.hub.json("enroll", "open", "--for", "120s")
        for strap in range(straps):
            self.world.ask("add", strap)
            self.hub.accept(address_of(strap), f"strap-{strap:02}")
        self.hub.wait_until_live(range(straps), 60)

    def stream(self):
        self.hub.accept(H10, "h10")
        eventually(lambda: self.hub.devices()[H10]["driver"] == "polar-strap", 60, "the H10 is not known as one")
        self.hub.json("link", "h10", "set", "foreground")
        self.hub.json("settings", "h10", "set", "streams", "ecg,acc")

    def measure(self, what):
        used = self.hub.processor_seconds()
        time.sleep(self.seconds)
        used = self.hub.processor_seconds() - used
        memory = self.hub.proc_status("VmRSS")
        self.found.append(memory)
        own = self.hub.proc_status("RssAnon")
        self.report.measured(
            what, f"{used:.2f} s of {self.seconds} s, VmRSS {memory} kB (anonymous {own}), longest turn {self.hub.longest_turn()} ms"
        )

    def look_in(self):
        for _ in range(self.seconds // 15):
            for words in (("status",), ("devices",), ("devices", "--json"), ("visits",), ("led", "explain")):
                self.hub.say(*words)
            time.sleep(15)

    def compare(self):
        alone, beside = self.found
        more = beside - alone
        demand(more <= MEMORY, f"beside an uplink it takes {more} kB more")


def main(arguments):
    folder = scratch("beside")
    clock.trust()
    # The lab has a network of its own, which nobody has raised.
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    report = Report()
    world = World(folder, "--straps", "0", "--rssi=-45,-48,-51,-46,-38", *(("--h10s", "1") if arguments.trace else ()))
    hub = Hub(folder, arguments.programs, "none")
    beside, uplink = Beside(report, world, hub, arguments.seconds), None
    step = report.step
    try:
        if arguments.trace:
            program = folder / "hearthd"
            program.write_text(f'#!/bin/sh\nexec {sys.executable} {TRACE} {arguments.trace} {START} {arguments.programs}/hearthd "$@"\n')
            program.chmod(0o755)
            hub.daemon_program = program
        hub.launch()
        step("the daemon answers", eventually, lambda: hub.shell("status").returncode in (0, 1), 120, "it does not answer")
        step(f"{arguments.straps} straps are live", beside.enrol, arguments.straps)
        if arguments.trace:
            step("an H10 streams", beside.stream)
            step("the start is over", time.sleep, START)
        else:
            step("its start is over", time.sleep, 30)
            step("without an uplink", beside.measure, "without an uplink")
        uplink = Uplink(folder, arguments.programs, hub)
        step("the uplink sends", eventually, lambda: "connected since" in uplink.says(), 60, lambda: uplink.says())
        if arguments.trace:
            step("a technician looks in", beside.look_in)
        else:
            step("for a minute", time.sleep, 60)
            step("beside an uplink", beside.measure, "beside an uplink")
            step("which takes no more than a MB", beside.compare)
        step("rows are acknowledged", uplink.sends)
        step("SIGTERM ends it cleanly", lambda: demand(hub.stop(within=60) == 0, "it ended with another status"))
    finally:
        if uplink:
            uplink.close()
        hub.end_for_sure()
        world.close()
    return conclude(report, hub)


def parse(words):
    options = parser(__doc__)
    options.add_argument("--straps", type=int, default=4, help="the lab's controller has five links")
    options.add_argument("--seconds", type=int, default=180, help="of each measurement")
    options.add_argument("--trace", type=lambda path: pathlib.Path(path).resolve(), help="file for the functions, in place of measuring")
    return options.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(parse(sys.argv[1:])))
