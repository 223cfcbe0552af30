#!/usr/bin/env python3
"""Many simulated hubs, a broker that exists, sinks and PostgreSQL, through faults: at the end each row is in the database once.

    Tests/Engines/run.py --programs .build-tests/release [--engine mosquitto|nats] [--hubs 20] [--faults quiet,nodes,...]

Starts Mosquitto, or three NATS servers with JetStream, from Debian's packages; hearth-sim and hearth-uplink for each hub, two hearth-sink,
and a PostgreSQL. After each fault it asks every hub for all its rows and waits until the database has them. The table shows how many
there are, how many are missing, double or different, and whether the sink's report of gaps made hubs send again. Another column has
the seconds after which the last row was there. Needs root for disks that can be full.
"""
import argparse, contextlib, pathlib, shutil, signal, subprocess, tempfile, time

from brokers import NATS, Database, Mosquitto, Relay, certificates, wait_for
from checks import check
from hubs import Hub, Sink, same, stored

class Field:
    """All of it, running."""

    def __init__(self, engine, folder, options, ends):
        self.options, self.folder = options, folder
        self.secrets = folder / "secrets"
        certificates(self.secrets)

        def kept(part):
            ends.callback(part.end)
            return part

        self.engine = kept(engine(folder, self.secrets)).start()
        self.pipes = [kept(Relay(port)) for port in self.engine.ports]
        self.database = Database(folder)
        self.database.start()
        ends.callback(self.database.stop)
        self.sinks = [Sink(number, 2, folder, options.programs, self.engine, self.database) for number in (1, 2)]
        self.sinks[0].apply()
        for sink in self.sinks:
            kept(sink.process).start()
        self.hubs = []
        for number in range(1, options.hubs + 1):
            ports = [pipe.port for pipe in self.pipes]
            turn = number % len(ports)
            hub = Hub(number, folder, options.programs, self.engine, ports[turn:] + ports[:turn], self.secrets, options.wearables)
            self.hubs.append(kept(hub).start())

    # --- Faults ---

    def quiet(self):
        time.sleep(10)

    def nodes(self):
        """Each node of the broker killed in turn."""
        for node in self.engine.nodes * (3 if len(self.engine.nodes) == 1 else 1):
            node.kill()
            time.sleep(4)
            node.start()
            time.sleep(6)

    def together(self):
        """All nodes killed at once."""
        for node in self.engine.nodes:
            node.kill()
        time.sleep(5)
        self.engine.start()

    def link(self):
        """The hubs' link cut, then slow: 2 KB a second for each connection."""
        for pipe in self.pipes:
            pipe.cut()
        time.sleep(10)
        for pipe in self.pipes:
            pipe.mend()
            pipe.rate = 2000
        time.sleep(10)
        for pipe in self.pipes:
            pipe.mend()

    def disk(self):
        """The broker's disk full, and empty again; if a server gave up over it, all are started again, one after the other."""
        self.engine.disk.fill()
        time.sleep(15)
        self.engine.disk.empty()
        self.revive()

    def revive(self):
        ended = [node for node in self.engine.nodes if node.process.poll() is not None]
        if ended:
            print(f"     ({len(ended)} servers had ended)")
        for node in ended:
            node.start()
        if any(self.engine.gave_up(node) for node in self.engine.nodes):
            print("     (a server had given up over it: all are started anew, one after the other)")
            for node in self.engine.nodes:
                node.kill(signal.SIGTERM)
                node.start()
                time.sleep(5)

    def twins(self):
        """Another client takes the name of two hubs again and again."""
        until = time.monotonic() + 12
        while time.monotonic() < until:
            for hub in self.hubs[:2]:
                subprocess.run(["mosquitto_pub", "-h", "localhost", "-p", str(self.engine.ports[0]), "-V", "mqttv311", "-i", f"hearth-{hub.name}",
                                "--cafile", self.secrets / "ca.pem", "--cert", self.secrets / "client.pem", "--key", self.secrets / "client.key",
                                "-t", "twin", "-m", "x"], capture_output=True)
            time.sleep(1)

    def certificate(self):
        """The broker's certificate is over; then it has a new one."""
        for name in ("expired", "server"):
            self.engine.write(name)
            for node in self.engine.nodes:
                node.kill(signal.SIGTERM)
            self.engine.start()
            if name == "expired":
                def told():
                    return subprocess.run([self.options.programs / "hearth", "uplink", "--json", "--uplink-socket", self.hubs[-1].folder / "uplink.sock"],
                                          capture_output=True, text=True).stdout

                time.sleep(5)
                is_told = wait_for(lambda: "H9003" in told(), 60, 1)
                check("meanwhile hearth uplink says H9003", is_told, "" if is_told else told()[-300:])

    def sinks_killed(self):
        """Both sinks killed in turn, four times."""
        for _ in range(4):
            for sink in self.sinks:
                sink.process.kill()
                time.sleep(1)
                sink.process.start()
                time.sleep(1)

    def uplinks_killed(self):
        """All uplinks killed, twice."""
        for _ in range(2):
            for hub in self.hubs:
                hub.uplink.kill()
            for hub in self.hubs:
                hub.uplink.start()
            time.sleep(4)

    def database_killed(self):
        self.database.stop()
        time.sleep(4)
        self.database.start()

    # --- What came of it ---

    def ended(self):
        """Processes that were not ended here and do not run."""
        parts = [(sink.settings.stem, sink.process) for sink in self.sinks]
        for hub in self.hubs:
            parts += [(f"simulator of {hub.name}", hub.simulator), (f"uplink of {hub.name}", hub.uplink)]
        return [f"{name} ({part.process.poll()})" for name, part in parts if part.process.poll() is not None]

    def compare(self, fault, limit):
        """A line of the table."""
        ended = self.ended()
        check(f"{self.engine.name}, {fault}: hubs, uplinks and sinks still run", not ended, ended)
        began = time.monotonic()
        held = {}
        for hub in self.hubs:
            held |= hub.rows()

        resent = 0
        while True:
            found, double = stored(self.database)
            left = [place for place in held if place not in found]
            took = time.monotonic() - began
            if not left or took > limit:
                break
            # A broker that acknowledged and lost them: the report names them, and the hub sends again.
            if took > 30 * (resent + 1):
                gaps = self.sinks[0].gaps()
                for hub in self.hubs:
                    if hub.name in gaps:
                        told = hub.resend(self.options.programs, gaps[hub.name])
                        check(f"{hub.name} sends again from {gaps[hub.name]} on", told is True, told)
                resent += 1
            time.sleep(1)
        ended = self.ended()
        if ended:
            check("and while their rows were waited for", False, ended)
        differing = [place for place in held if place in found and not same(held[place], found[place])]
        print(f"| {fault} | {len(held)} | {len(held) - len(left)} | {len(left)} | {double} | {len(differing)} | {resent} | {took:.0f} s |", flush=True)
        if differing:
            print("     for example", differing[0], held[differing[0]], found[differing[0]])
        if left:
            print("     for example", left[:3])
            for sink in self.sinks:
                for line in sink.process.log.read_text().splitlines()[-8:]:
                    print(f"     {sink.settings.stem}: {line}")
        check(f"{self.engine.name}, {fault}: each of {len(held)} rows is there once and exact", not left and not double and not differing)


FAULTS = ("quiet", "nodes", "together", "link", "disk", "twins", "certificate", "sinks_killed", "uplinks_killed", "database_killed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--engine", choices=("mosquitto", "nats"), action="append")
    parser.add_argument("--hubs", type=int, default=20)
    parser.add_argument("--wearables", type=int, default=6)
    parser.add_argument("--faults", default=",".join(FAULTS))
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the logs of an engine's run in which something failed")
    parser.add_argument("--limit", type=int, default=240, help="seconds after which rows that are not there are missing")
    options = parser.parse_args()
    for name in options.engine or ("mosquitto", "nats"):
        with contextlib.ExitStack() as ends:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-engines-"))
            ends.callback(shutil.rmtree, folder, ignore_errors=True)
            folder.chmod(0o755)
            field = Field({"mosquitto": Mosquitto, "nats": NATS}[name], folder, options, ends)
            print(f"\n{field.engine.says()}, {options.hubs} hubs, PostgreSQL {field.database.one('SHOW server_version')}")
            print("| fault | rows | stored | missing | double | different | sent again | after |\n|---|---:|---:|---:|---:|---:|---:|---:|", flush=True)
            for fault in options.faults.split(","):
                getattr(field, fault)()
                field.compare(fault, options.limit)
            gaps = field.sinks[0].gaps()
            if gaps:
                # Two sinks commit side by side: only what is named twice is said to be missing.
                time.sleep(5)
                gaps = field.sinks[0].gaps()
            check("the sink's report names no gap", not gaps, gaps)
            if check.failed and options.keep:
                for log in folder.rglob("*log"):
                    if log.is_file():
                        kept = options.keep / name / log.relative_to(folder)
                        kept.parent.mkdir(parents=True, exist_ok=True)
                        shutil.copy(log, kept)
    check.end()


main()
