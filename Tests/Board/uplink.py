#!/usr/bin/env python3
"""hearth-uplink and hearth-sink beside the hub on a board with systemd. Rows of straps go to a broker on this machine, through a network of QEMU's own.

    PYTHON Tests/Board/uplink.py BOARD --package hearth_….deb --uplink hearth-uplink_….deb [--sink hearth-sink_….deb]

BOARD is pi, pi5, pc or pc12; PYTHON as for serve.py. The broker is this machine's mosquitto, asked over TLS with a certificate of the hub's own. With --sink PostgreSQL and
the sink are on the board too, installed from Debian's packages (a PC has enough room). Exit status 0 if every step passed; the last line is the count.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
from decimal import Decimal

from machine import BOARDS, CACHE, HERE, prove, scratch
from serve import STRAPS, Proof, words

sys.path.insert(0, str(HERE.parent / "Uplink"))
import wire  # noqa: E402
from authority import Authority  # noqa: E402

from report import Report, demand, eventually  # noqa: E402

NETWORK = "[Match]\\nName=en* eth* usb*\\n[Network]\\nAddress=10.0.2.15/24\\nGateway=10.0.2.2\\nLinkLocalAddressing=no\\nIPv6AcceptRA=no\\n"
# All that the hub has, as it says it: a line for each page.
EXPORT = r"""
use Socket; socket(my $hub, AF_UNIX, SOCK_STREAM, 0) or die $!; connect($hub, pack_sockaddr_un("/run/hearth/hearth.sock")) or die $!;
syswrite $hub, '{"method":"io.hearth.Hub.Export","parameters":{"ordinals":true},"more":true}' . "\0";
my $rest = "";
while (1) {
  while ($rest =~ s/^([^\0]*)\0//) { my $page = $1; print "$page\n"; exit 0 unless $page =~ /"continues":true/ }
  sysread($hub, $rest, 65536, length $rest) or die "it hung up";
}
"""
EXPOSURE = 2.0  # of systemd-analyze security, from 0 (tight) to 10
BROKER_GONE = 45  # s


class Broker:
    """A mosquitto on this machine: in clear for clients of this machine, with TLS and certificates for the board."""

    def __init__(self, folder, plain, secure):
        self.folder, self.plain = folder, plain
        authority = Authority(folder)
        for name in ("broker", "hub", "sink"):
            authority.certificate(name, alternative="IP:10.0.2.2" if name == "broker" else "")
        (folder / "mosquitto.conf").write_text(
            f"per_listener_settings true\npersistence true\npersistence_location {folder}/\nmax_queued_messages 0\nuser root\n"
            f"listener {plain} 127.0.0.1\nallow_anonymous true\nlistener {secure} 127.0.0.1\ncafile {folder}/ca.pem\ncertfile {folder}/broker.pem\n"
            f"keyfile {folder}/broker.key\nrequire_certificate true\nuse_identity_as_username true\nallow_anonymous false\n")  # fmt: skip
        self.log = open(folder / "mosquitto.log", "ab")
        self.start()

    def start(self):
        self.process = subprocess.Popen(["mosquitto", "-c", self.folder / "mosquitto.conf"], stdout=self.log, stderr=self.log)

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Consumer:
    """Each row once, as a sink has it, and what the hub says of itself."""

    def __init__(self, port):
        self.rows, self.again, self.conflicts, self.bytes, self.states, self.live, self.defects = {}, 0, [], 0, [], 0, []
        self.client = wire.Client(port, "consumer", ["hearth/1/hearth/board/#", "spBv1.0/hearth/#"], self.take)
        demand(self.client.ready.wait(10), "the broker does not answer")

    def take(self, topic, payload, retained, size):
        try:
            kind = topic.split("/")[2 if topic.startswith("spBv1.0") else 4]
            if kind == "status":
                self.states.append(json.loads(payload)["state"])
            elif kind == "DDATA":
                self.live += 1
            elif kind == "rows":
                self.bytes += size
                found = wire.batch(payload)
                for row in (row for _, rows in found["runs"] for row in rows):
                    key = (found["store"], row["enrolment"], row["series"], row["way"], row["ordinal"])
                    self.again += key in self.rows
                    if self.rows.setdefault(key, row) != row:
                        self.conflicts.append(key)
        except Exception as defect:
            self.defects.append(f"{topic}: {defect!r}")


class Carrying(Proof):
    def __init__(self, report, arguments, folder):
        super().__init__(report, arguments.board, arguments.package, folder, arguments.port, network=True)
        self.arguments, self.board = arguments, BOARDS[arguments.board]
        self.plain, self.secure = arguments.port + 1, arguments.port + 2
        self.broker = Broker(folder / "broker", self.plain, self.secure)
        self.consumer = Consumer(self.plain)
        self.figures = {}

    def close(self):
        self.consumer.client.close()
        self.broker.stop()
        super().close()

    # --- steps, in order ---

    def installs(self):
        """The hub, and what carries its rows: an operator with a network lets apt fetch the library."""
        extra = CACHE / "board" / self.board.architecture / "extra" / "uplink"
        (self.folder / "export.pl").write_text(EXPORT)
        files = {self.arguments.uplink: "hearth-uplink.deb", self.folder / "export.pl": "export.pl"} | {path: path.name for path in extra.glob("*.deb")}
        files |= {self.broker.folder / name: name for name in ("ca.pem", "hub.pem", "hub.key", "sink.pem", "sink.key")}
        self.machine.end()
        for source, name in files.items():
            self.card.put(source, f"/root/{name}")
        self.machine.boot()
        self.set_clock()
        self.began = began = time.monotonic()
        self.machine.say("cd /root && chmod 600 *.key && apt-get -qq -y install ./*.deb", 1800)
        self.report.measured("apt install of both, and libmosquitto1", f"{time.monotonic() - began:.0f} s")
        self.machine.say(f"printf '{NETWORK}' > /etc/systemd/network/wire.network && systemctl enable --now systemd-networkd")

    def waits(self):
        state = self.machine.say("systemctl is-enabled hearth-uplink; systemctl is-active hearth-uplink", allowed=(0, 1, 3, 4)).split()
        demand(state == ["disabled", "inactive"], state)
        # As it will be looked at beside an uplink: it has given back what only its start needed, and then others had an export.
        time.sleep(30)
        self.exported()
        time.sleep(30)
        self.figures["hearthd without an uplink"] = self.cost("hearthd")

    def connects(self):
        """As a person does it: settings, certificate, key of pseudonyms, a look, and a start."""
        self.machine.wait_for("timeout 3 bash -c '</dev/tcp/10.0.2.2/%d'" % self.secure, 120)
        self.machine.say(
            "cd /etc/hearth && install -m 644 /root/ca.pem /root/hub.pem . && install -m 640 -g hearth-uplink /root/hub.key . && "
            f"sed -i -e 's/^  #address: none .*/  address: 10.0.2.2:{self.secure}/' -e 's/^  #every: 60s /  every: 5s /' "
            "-e 's!^  #ca: none .*!  ca: /etc/hearth/ca.pem!' -e 's!^  #certificate: none .*!  certificate: /etc/hearth/hub.pem!' "
            "-e 's!^  #key: none.*!  key: /etc/hearth/hub.key!' uplink.yaml && "
            "bash -c \"$(sed -n 's/.*sudo sh -c .\\(umask.*persons.key\\)./\\1/p' uplink.yaml)\" && runuser -u hearth-uplink -- hearth-uplink --check")  # fmt: skip
        began = time.monotonic()
        self.machine.say("systemctl enable --now hearth-uplink", 300)
        self.is_connected(300)
        self.report.measured("systemctl enable --now to connected", f"{time.monotonic() - began:.1f} s")
        said = self.machine.say("hearth uplink")
        self.report.measured("hearth uplink", said.replace("\n", " | ")[:600])
        demand(self.machine.shown("ActiveState", "hearth-uplink") == "active", said)
        stamps = [int(self.machine.shown(name, "hearth-uplink")) / 1e6 for name in ("ExecMainStartTimestampMonotonic", "ActiveEnterTimestampMonotonic")]
        self.report.measured("start to READY", f"{stamps[1] - stamps[0]:.2f} s by the board's clock")

    def uplink(self):
        status, said = self.machine.run("hearth uplink --json")
        try:
            return json.loads(said)
        except ValueError:
            return {"connected": False, "said": said, "status": status, "troubles": []}

    def is_connected(self, within):
        eventually(lambda: self.uplink()["connected"], within, lambda: self.machine.run("hearth uplink; systemctl status -n 30 --no-pager hearth-uplink")[1], every=1)

    def kept_apart(self):
        """A user of its own, no capability, a filter of system calls, and no refused call."""
        status = self.machine.say(f"cat /proc/{self.machine.daemon('hearth-uplink')}/status")
        found = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        nothing = "0" * 16
        for field, wanted in (("Uid", self.machine.say("id -u hearth-uplink")), ("NoNewPrivs", "1"), ("Seccomp", "2"), ("CapEff", nothing), ("CapBnd", nothing)):
            demand(found[field].split()[0] == wanted, f"{field} is {found[field]}, not {wanted}")
        said = self.machine.say("journalctl -u hearth-uplink -b -o cat --no-pager")
        demand(not [word for word in ("denied", "not permitted", "Permission", "Read-only") if word in said], said[-2000:])
        self.is_tight("hearth-uplink")
        self.report.measured("its socket", self.machine.say("stat -c '%A %U:%G' /run/hearth-uplink /run/hearth-uplink/uplink.sock").replace("\n", "; "))

    def is_tight(self, unit):
        exposure = float(self.machine.say(f"systemd-analyze security --no-pager {unit} | tail -n 1", 300).split("level for")[1].split(":")[1].split()[0])
        self.report.measured(f"systemd-analyze security {unit}", exposure)
        demand(exposure <= EXPOSURE, f"{unit} is {exposure}")

    def exported(self):
        found = {}
        for line in self.machine.file("<(perl /root/export.pl)").decode().splitlines():
            page = json.loads(line, parse_float=Decimal)["parameters"]
            for sample in page["samples"]:
                found[int(page["store"], 16), sample["enrolment"], sample["series"], sample["way"], sample["ordinal"]] = sample
        return found

    def arrives(self, within=180):
        """Exactly the rows of the store are at the broker, each row equal."""
        self.export = self.exported()
        demand(self.export, "the store has nothing")
        eventually(lambda: self.export.keys() <= self.consumer.rows.keys(), within,
                   lambda: f"{len(self.export.keys() - self.consumer.rows.keys())} of {len(self.export)} rows are missing; {self.uplink()}")  # fmt: skip
        rows = dict(self.consumer.rows)
        unequal = [(key, difference) for key, sample in self.export.items() if (difference := wire.differs(rows[key], sample))]
        demand(not unequal, lambda: f"{len(unequal)} rows are not equal: {unequal[:3]}")
        later = self.exported()
        demand(not (rows.keys() - later.keys()), lambda: f"the broker has rows that the store has not: {list(rows.keys() - later.keys())[:3]}")
        demand(not self.consumer.conflicts and not self.consumer.defects, lambda: f"{self.consumer.conflicts[:3]} {self.consumer.defects[:3]}")
        self.report.measured("rows of the store that are at the broker, each equal", f"{len(self.export)}; came again: {self.consumer.again}; live messages: {self.consumer.live}")

    def cost(self, unit, seconds=30):
        """Memory of a unit, and its processor time over a while."""
        process = self.machine.daemon(unit)
        ticks = lambda: sum(map(int, self.machine.say(f"cat /proc/{process}/stat").rpartition(")")[2].split()[11:13]))  # noqa: E731
        begin, before = float(self.machine.say("cut -d' ' -f1 /proc/uptime")), ticks()
        time.sleep(seconds)
        after, end = ticks(), float(self.machine.say("cut -d' ' -f1 /proc/uptime"))
        lines = self.machine.say(f"grep -E '^(VmRSS|VmHWM|RssAnon):' /proc/{process}/status; grep -E '^(Pss|Private_Dirty):' /proc/{process}/smaps_rollup").splitlines()
        found = {line.split(":")[0]: int(line.split()[1]) / 1000 for line in lines if ":" in line}
        found["store"] = sum(map(int, self.machine.say(f"awk '/data.mdb$/ {{ of = 1 }} of && /^Rss:/ {{ print $2; of = 0 }}' /proc/{process}/smaps").split())) / 1000
        found["MemoryCurrent"] = int(self.machine.shown("MemoryCurrent", unit)) / 1e6
        found["processor"] = (after - before) / (end - begin)
        return found

    @staticmethod
    def told(figures):
        return ", ".join(f"{name} {value:.1f}{' %' if name == 'processor' else ' MB'}" for name, value in figures.items())

    def costs(self):
        """A minute after its start: by then it has given back what only its start needed."""
        self.figures["hearthd with an uplink"] = self.cost("hearthd")
        self.figures["hearth-uplink"] = self.cost("hearth-uplink")
        for name, figures in self.figures.items():
            self.report.measured(name, self.told(figures))
        demand(self.figures["hearth-uplink"]["VmRSS"] < 20, "it takes more than 20 MB")

    def hub_is_untouched(self):
        """The same process, not complaining, and its lights as before."""
        now = (self.machine.daemon(), self.machine.shown("NRestarts"), self.machine.run("hearth status > /dev/null")[0])
        demand(now == self.hub, f"the hub was {self.hub} and is {now}")

    def broker_gone(self):
        self.hub = (self.machine.daemon(), self.machine.shown("NRestarts"), self.machine.run("hearth status > /dev/null")[0])
        self.broker.stop()
        gone = time.monotonic()
        eventually(lambda: any(trouble["code"] == "H9001" for trouble in self.uplink()["troubles"]), 90, lambda: self.machine.run("hearth uplink")[1], every=2)
        self.report.measured("hearth uplink tells (H9001) after", f"{time.monotonic() - gone:.0f} s")
        without = self.cost("hearthd", BROKER_GONE)
        self.report.measured("hearthd while the broker is gone", self.told(without))
        if self.is_pi:
            super().lights()
        self.hub_is_untouched()
        with_it = self.figures["hearthd with an uplink"]
        demand(without["VmRSS"] < with_it["VmRSS"] + 2, "the hub's memory grew")
        demand(without["processor"] < with_it["processor"] + 3, "the hub's processor time grew")
        self.broker.start()
        began = time.monotonic()
        self.is_connected(180)
        self.report.measured("connected again after the broker came back", f"{time.monotonic() - began:.0f} s")
        self.hub_is_untouched()

    def killed(self):
        unit = "hearth-uplink"
        before, restarts = self.machine.daemon(unit), int(self.machine.shown("NRestarts", unit))
        began = time.monotonic()
        self.machine.say(f"kill -KILL {before}")
        self.machine.wait_for(f"test $(systemctl show -p NRestarts --value {unit}) -gt {restarts} && systemctl is-active {unit}", 300, every=0.5)
        self.is_connected(300)
        self.report.measured("killed: connected again after", f"{time.monotonic() - began:.1f} s")
        demand(self.machine.daemon(unit) != before, "it is the same process")

    def reboots(self):
        moment = time.monotonic()
        self.machine.end()
        self.came_back(moment, "reboot")

    def power_cut(self):
        time.sleep(6)
        moment = time.monotonic()
        self.machine.cut()
        self.came_back(moment, "power cut")

    def came_back(self, moment, what):
        self.machine.boot()
        self.set_clock()
        self.machine.wait_for("systemctl is-active hearthd hearth-uplink", 600)
        self.is_connected(600)
        self.report.measured(f"{what}: connected again after", f"{time.monotonic() - moment:.0f} s")
        self.live(600, moment)
        self.report.measured(f"{what}: three straps live after", f"{time.monotonic() - moment:.0f} s")

    # --- a sink and its database on the same board ---

    def sink_installs(self):
        extra = CACHE / "board" / self.board.architecture / "extra" / "sink"
        self.machine.say("mkdir -p /root/sink")
        self.machine.end()
        for path in (self.arguments.sink, *(path for path in extra.glob("*.deb") if not path.name.startswith(("mosquitto", "libwebsockets", "libcjson", "libdlt")))):
            self.card.put(path, f"/root/sink/{path.name.replace('%3a', '_')}")
        self.machine.boot()
        self.set_clock()
        self.is_connected(600)
        began = time.monotonic()
        self.machine.say("cd /root/sink && DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install ./*.deb < /dev/null", 3600)
        self.report.measured("apt install of PostgreSQL and hearth-sink", f"{time.monotonic() - began:.0f} s")
        state = self.machine.say("systemctl is-enabled hearth-sink; systemctl is-active hearth-sink", allowed=(0, 1, 3, 4)).split()
        demand(state == ["disabled", "inactive"], state)
        self.machine.wait_for("runuser -u postgres -- psql -Atc 'select 1'", 300)

    def sink_starts(self):
        """As hearth-sink(8) says, with the broker's key as a credential."""
        sql = ("CREATE ROLE \\\"hearth-sink\\\" LOGIN; GRANT USAGE ON SCHEMA hearth TO \\\"hearth-sink\\\"; "
               "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hearth TO \\\"hearth-sink\\\";")  # fmt: skip
        self.machine.say("cd /tmp && runuser -u postgres -- createdb hearth && runuser -u postgres -- hearth-sink schema --apply && "
                         f'runuser -u postgres -- psql -q -v ON_ERROR_STOP=1 hearth -c "{sql}"', 900)  # fmt: skip
        self.machine.say(
            "cd /etc/hearth && install -m 644 /root/ca.pem /root/sink.pem . && install -m 600 /root/sink.key . && "
            f"sed -i -e 's/^  #address: localhost:1883 .*/  address: 10.0.2.2:{self.secure}/' -e 's/^  #tls: false .*/  tls: true/' "
            "-e 's!^  #ca: none .*!  ca: /etc/hearth/ca.pem!' -e 's!^  #certificate: none .*!  certificate: /etc/hearth/sink.pem!' "
            "-e 's!^  #key: none.*!  key: /run/credentials/hearth-sink.service/broker-key!' sink.yaml && mkdir -p /etc/systemd/system/hearth-sink.service.d && "
            "printf '[Service]\\nLoadCredential=broker-key:/etc/hearth/sink.key\\n' > /etc/systemd/system/hearth-sink.service.d/key.conf && systemctl daemon-reload")  # fmt: skip
        self.machine.say("systemctl enable --now hearth-sink", 300)
        demand(self.machine.shown("ActiveState", "hearth-sink") == "active", lambda: self.machine.run("systemctl status -n 30 --no-pager hearth-sink")[1])
        self.machine.say("hearth uplink resend --from 2020-01-01T00:00:00Z")

    def stored(self):
        """(store, enrolment, series, way, ordinal) and the value of each row in the database."""
        query = "COPY (SELECT store, enrolment, series, way, ordinal, value FROM hearth.samples) TO STDOUT"
        text = self.machine.file(f"<(cd /tmp && runuser -u hearth-sink -- psql -d hearth -c \"{query}\")").decode()
        return {(int(store, 16), int(enrolment), series, way, int(ordinal)): value for store, enrolment, series, way, ordinal, value in (line.split("\t") for line in text.splitlines())}

    def sink_has_all(self, within=180):
        self.export = self.exported()
        eventually(lambda: self.export.keys() <= self.stored().keys(), within,
                   lambda: f"{len(self.export.keys() - self.stored().keys())} of {len(self.export)} rows are missing; "
                           + self.machine.run("journalctl -u hearth-sink -n 20 -o cat --no-pager")[1], every=3)  # fmt: skip
        stored = self.stored()
        unequal = [key for key, sample in self.export.items() if isinstance(sample.get("value"), (int, Decimal)) and Decimal(stored[key]) != sample["value"]]
        demand(not unequal, lambda: f"{len(unequal)} rows are not equal: {unequal[:3]}")
        self.machine.say("runuser -u hearth-sink -- hearth-sink gaps")
        self.report.measured("rows of the store that are in the database, each equal", f"{len(self.export)}, of {len(stored)}; no gap")

    def sink_is_killed(self):
        began, restarts = time.monotonic(), int(self.machine.shown("NRestarts", "hearth-sink"))
        self.machine.say(f"kill -KILL {self.machine.daemon('hearth-sink')}")
        self.machine.wait_for(f"test $(systemctl show -p NRestarts --value hearth-sink) -gt {restarts} && systemctl is-active hearth-sink", 300, every=0.5)
        self.report.measured("killed: active again after", f"{time.monotonic() - began:.1f} s")

    def sink_costs(self):
        self.is_tight("hearth-sink")
        status = self.machine.say(f"cat /proc/{self.machine.daemon('hearth-sink')}/status")
        demand("CapEff:\t" + "0" * 16 in status and "Seccomp:\t2" in status, status)
        self.report.measured("hearth-sink", self.told(self.cost("hearth-sink")))

    def reboots_with_sink(self):
        self.reboots()
        self.machine.wait_for("systemctl is-active hearth-sink", 600)

    def stops(self):
        restarts = [self.machine.shown("NRestarts", unit) for unit in ("hearthd", "hearth-uplink")]
        demand(restarts == ["0", "0"], f"restarts since the last boot: {restarts}")
        self.machine.say("systemctl stop hearth-uplink")
        demand(self.machine.shown("Result", "hearth-uplink") == "success", self.machine.shown("Result", "hearth-uplink"))
        eventually(lambda: self.consumer.states[-1:] == ["offline"], 10, lambda: f"it said {self.consumer.states[-3:]}")
        self.machine.end()


def main(arguments):
    report = Report()
    folder = scratch(f"uplink-{arguments.board}")
    proof = Carrying(report, arguments, folder)
    sink = [
        ("apt installs PostgreSQL and hearth-sink, which waits for a person", proof.sink_installs),
        ("the sink is started, with its key as a credential and PostgreSQL's peer", proof.sink_starts),
        ("the database has what the store has", proof.sink_has_all),
        ("a sink that is killed is started again", proof.sink_is_killed),
        ("the database has what the store has, after that", proof.sink_has_all),
        ("what the sink costs, and how it is kept apart", proof.sink_costs),
        ("the board is started anew, and all of it comes back", proof.reboots_with_sink),
        ("the database has what the store has, after that too", proof.sink_has_all),
    ] if arguments.sink else []  # fmt: skip
    steps = [
        ("the board boots, with systemd as its first process, a radio and a network", proof.boots),
        ("apt installs the hub and hearth-uplink", proof.installs),
        ("the hub is READY", proof.is_ready),
        ("it takes a configuration for three straps", proof.configure),
        ("three straps become live", proof.straps_are_live),
        ("the uplink waits for a person", proof.waits),
        ("it is set up and started, and connected over TLS", proof.connects),
        ("it is kept apart from everything else", proof.kept_apart),
        ("the broker has what the store has", proof.arrives),
        ("what it costs", proof.costs),
        ("the broker goes, and the hub does not mind", proof.broker_gone),
        ("the broker has what the store has, after that", proof.arrives),
        ("an uplink that is killed is started again", proof.killed),
        ("the broker has what the store has, after the kill", proof.arrives),
        ("the board is switched off and on, and the uplink comes back by itself", proof.reboots),
        ("the broker has what the store has, after the boot", proof.arrives),
        ("the power is cut, and the uplink comes back by itself", proof.power_cut),
        ("the broker has what the store has, after the cut, and nothing else", proof.arrives),
        *sink,
        ("it ends in order, and the board is switched off", proof.stops),
    ]  # fmt: skip
    try:
        return prove(report, folder, proof, steps)
    finally:
        proof.close()


if __name__ == "__main__":
    parser = words(__doc__)
    parser.add_argument("--uplink", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--sink", type=lambda path: pathlib.Path(path).resolve())
    sys.exit(main(parser.parse_args()))
