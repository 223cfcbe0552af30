"""Simulated hubs with their uplinks, sinks, and what the hubs have and the database got."""
import csv, datetime, io, json, pathlib, socket, subprocess

from brokers import Process, free_port, wait_for


class Hub:
    """A simulated hub that is served in real time, and its uplink."""

    def __init__(self, number, folder, programs, engine, ports, secrets, wearables):
        self.name, self.folder = f"hub-{number:02}", folder / f"hub-{number:02}"
        self.folder.mkdir()
        self.socket = self.folder / "hub.sock"
        (self.folder / "hearth.yaml").write_text(f"hub:\n  name: {self.name}\nenroll:\n  mode: all\n")
        self.simulator = Process([str(programs / "hearth-sim"), "serve", "--seed", str(number), "--wearables", str(wearables), "--socket",
                                  str(self.socket), "--store", str(self.folder / "store"), "--config", str(self.folder / "hearth.yaml")],
                                 self.folder / "sim.log", None)
        places = ",".join(f"localhost:{port}" for port in ports)
        (self.folder / "uplink.yaml").write_text(f"""
broker:
  address: {places}
  keep_alive: 10s
tls:
  ca: {secrets}/ca.pem
  certificate: {secrets}/client.pem
  key: {secrets}/client.key
group: engines
sparkplug: {"true" if engine.has_groups else "false"}
hub_socket: {self.socket}
socket: {self.folder}/uplink.sock
persons: none
history:
  every: 2s
""")
        self.uplink = Process([str(programs / "hearth-uplink"), "--config", str(self.folder / "uplink.yaml")], self.folder / "uplink.log", None)

    def start(self):
        self.simulator.start()
        if not wait_for(self.socket.exists, 20):
            raise RuntimeError(f"{self.name} does not answer: {self.simulator.log.read_text()[-400:]}")
        self.uplink.start()
        return self

    def end(self):
        self.uplink.end()
        self.simulator.end()

    def resend(self, programs, moment):
        """What an operator does when the sink's report names this hub."""
        done = subprocess.run([str(programs / "hearth"), "uplink", "resend", "--from", moment, "--uplink-socket", str(self.folder / "uplink.sock")],
                              capture_output=True, text=True)
        return done.returncode == 0 or done.stdout + done.stderr

    def rows(self):
        """All durable rows by their place: (store, enrolment, series, way, ordinal) to (time, numbers)."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(60)
            line.connect(str(self.socket))
            line.sendall(json.dumps({"method": "io.hearth.Hub.Export", "parameters": {"ordinals": True}, "more": True}).encode() + b"\0")
            found, buffer, is_over = {}, b"", False
            while not is_over:
                part = line.recv(1 << 16)
                if not part:
                    raise RuntimeError(f"{self.name} hung up")
                *messages, buffer = (buffer + part).split(b"\0")
                for message in messages:
                    reply = json.loads(message, parse_float=str, parse_int=str)
                    if "error" in reply:
                        raise RuntimeError(f"{self.name}: {reply}")
                    for sample in reply["parameters"]["samples"]:
                        place = (reply["parameters"]["store"], sample["enrolment"], sample["series"], sample["way"], sample["ordinal"])
                        found[place] = (sample["time"], numbers(sample.get("value")))
                    is_over = not reply.get("continues")
        return found


def plain(number):
    """Digits without meaningless zeros: 72.50 is 72.5."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def numbers(value):
    if isinstance(value, list):
        return tuple(one for item in value for one in numbers(item))
    return () if value is None else (plain(value),)


class Sink:
    def __init__(self, number, count, folder, programs, engine, database):
        self.settings = folder / f"sink-{number}.yaml"
        # Mosquitto 2.0 forgets shared subscriptions when it starts again, and NATS does not have them: each sink takes a part of
        # the hubs.
        shared = f"part: {number}/{count}"
        port = engine.plain_ports[(number - 1) % len(engine.plain_ports)]
        tls = "" if engine.has_groups else f"\n  tls: true\n  ca: {engine.secrets}/ca.pem\n  certificate: {engine.secrets}/client.pem\n  key: {engine.secrets}/client.key"
        places = f"localhost:{port}" if engine.has_groups else ",".join(f"localhost:{port}" for port in engine.ports)
        self.settings.write_text(f"""
broker:
  address: {places}
  version: {engine.version}
  client: sink-{number}
  {shared}
  sparkplug: {"true" if engine.has_groups else "false"}{tls}
database:
  address: {database.address}
""")
        self.program = programs / "hearth-sink"
        self.process = Process([str(self.program), "run", "--config", str(self.settings)], folder / f"sink-{number}.log", None)

    def apply(self):
        subprocess.run([str(self.program), "schema", "--apply", "--config", str(self.settings)], check=True, capture_output=True)

    def gaps(self):
        """What the report says is missing, by hub: a day before the earliest time beside a gap, as recordings come in no order of time."""
        done = subprocess.run([str(self.program), "gaps", "--json", "--config", str(self.settings)], capture_output=True, text=True)
        found = {}
        for gap in json.loads(done.stdout)["gaps"]:
            beside = [datetime.datetime.fromisoformat(gap[name]) for name in ("time_before", "time_after") if gap[name]]
            before = (min(beside) - datetime.timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
            found[gap["hub"]] = min(before, found.get(gap["hub"], before))
        return found


def stored(database):
    """What the database has, in the form of `Hub.rows`, and how many rows have the place of another."""
    statement = """COPY (SELECT store, enrolment, series, way, ordinal, to_char("time" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
        array_to_string(numbers, ' ') FROM hearth.samples) TO STDOUT (FORMAT csv)"""
    done = subprocess.run(["psql", "-d", database.address, "-Xq", "-c", statement], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    found, double = {}, 0
    for store, enrolment, series, way, ordinal, moment, text in csv.reader(io.StringIO(done.stdout)):
        place = (store, enrolment, series, way, ordinal)
        double += place in found
        found[place] = (moment, tuple(plain(one) for one in text.split()))
    return found, double


def same(row, other):
    """The hub writes milliseconds, or microseconds if there are some."""
    return row[0].rstrip("Z").ljust(26, "0") == other[0] and row[1] == other[1]
