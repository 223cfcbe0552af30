"""A broker, a database and sinks of this machine, started for one test in a folder of its own."""
import os, pathlib, shutil, signal, socket, subprocess, sys, time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Uplink"))
from ports import free_port  # noqa: E402,F401
from relay import Relay  # noqa: E402

# Of the newest that is installed.
BIN = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), default=pathlib.Path("/"))


def wait(what, seconds=30, step=0.05):
    """Until `what` is true; whether it became true."""
    end = time.monotonic() + seconds
    while True:
        try:
            if what():
                return True
        except (OSError, subprocess.CalledProcessError, ValueError):
            pass
        if time.monotonic() > end:
            return False
        time.sleep(step)


class Broker:
    """Mosquitto that keeps what it acknowledged, also over a restart in order."""

    def __init__(self, folder, more=""):
        self.folder, self.port, self.process = folder, free_port(), None
        (folder / "broker").mkdir()
        (folder / "mosquitto.conf").write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\n"
            f"persistence_location {folder}/broker/\nautosave_interval 1\nmax_queued_messages 0\nmax_queued_bytes 0\n"
            f"max_inflight_messages 1000\nuser root\nlog_dest file {folder}/broker.log\n{more}")

    def start(self):
        self.process = subprocess.Popen(["mosquitto", "-c", self.folder / "mosquitto.conf"], stderr=subprocess.DEVNULL)
        assert wait(lambda: socket.create_connection(("127.0.0.1", self.port), 1).close() is None), "no broker"

    def stop(self, how=signal.SIGTERM):
        if self.process:
            self.process.send_signal(how)
            self.process.wait()
            self.process = None


class Muffler(Relay):
    """Stands between sinks and a broker and takes messages of rows out of as many connections as it is told; all else goes through."""

    piece = 65536

    def __init__(self, target, connections):
        self.left, self.taken = connections, 0
        super().__init__(target)

    def passing(self, is_up):
        if is_up:
            return super().passing(is_up)
        muffles, self.left, rest = self.left > 0, self.left - 1, b""

        def passes(data):
            nonlocal rest
            if not muffles:
                return data
            rest, whole = rest + data, b""
            while length := self.packet(rest):
                packet, rest = rest[:length], rest[length:]
                head = 1 + next(n for n in range(1, 5) if packet[n] < 128)
                topic = packet[head + 2:head + 2 + int.from_bytes(packet[head:head + 2], "big")] if packet[0] >> 4 == 3 else b""
                if topic.endswith(b"/rows"):
                    self.taken += 1
                else:
                    whole += packet
            return whole

        return passes

    @staticmethod
    def packet(bytes):
        """How long the first packet is; 0 if it is not whole."""
        length = 0
        for place in range(1, min(5, len(bytes))):
            length |= (bytes[place] & 127) << 7 * (place - 1)
            if bytes[place] < 128:
                whole = 1 + place + length
                return whole if len(bytes) >= whole else 0
        return 0


class Nats:
    """A server of NATS with JetStream and its MQTT side: version 3.1.1, no shared subscriptions, no dots in topics."""

    def __init__(self, folder):
        self.port, self.folder, self.process = free_port(), folder, None
        (folder / "nats.conf").write_text(
            f'server_name: one\nport: {free_port()}\njetstream {{ store_dir: "{folder}/jetstream" }}\nmqtt {{ port: {self.port} }}\n')

    def start(self):
        self.process = subprocess.Popen(["nats-server", "-c", self.folder / "nats.conf"], stderr=open(self.folder / "nats.log", "w"))
        assert wait(lambda: socket.create_connection(("127.0.0.1", self.port), 1).close() is None), "no NATS"

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Database:
    """PostgreSQL, as the user `postgres` if the test runs as root."""

    def __init__(self, folder):
        self.folder = folder / "pg"
        self.folder.mkdir()
        self.as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if self.as_user:
            folder.chmod(0o755)
            shutil.chown(self.folder, "postgres", "postgres")
        self.run("initdb", "-D", self.folder / "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C")
        with open(self.folder / "data/postgresql.conf", "a") as file:
            file.write(f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\nmax_wal_size = '2GB'\n")
        self.address = f"host={self.folder} user=postgres dbname=postgres"
        self.sinks = self.address

    def run(self, program, *words):
        subprocess.run(self.as_user + [BIN / program, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)

    def start(self):
        self.run("pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-w", "start")

    def stop(self, mode="immediate"):
        self.run("pg_ctl", "-D", self.folder / "data", "-m", mode, "-w", "stop")

    def ask(self, statement):
        """Rows of text; an empty text is null."""
        out = subprocess.run(
            ["psql", "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", self.address, "-c", statement], check=True,
            capture_output=True, text=True).stdout
        return [line.split("\t") for line in out.splitlines()]

    def one(self, statement):
        return self.ask(statement)[0][0]

    def count(self):
        return int(self.one("SELECT count(*) FROM hearth.rows"))

    def empty(self):
        tables = "hearth.rows, hearth.skips, hearth.heads, hearth.retimed, hearth.stretches, hearth.corrections, hearth.quarantine, hearth.hubs, hearth.series, hearth.wearers, hearth.traits"
        self.ask(f"TRUNCATE {tables} CASCADE")

    def rows(self):
        """All rows as `Hub.row` tells them."""
        found = {}
        double = 0
        for store, enrolment, series, way, ordinal, us, numbers, lasts, wearer in self.ask(
                "SELECT w.store, w.enrolment, s.name, g.way, r.ordinal, (extract(epoch FROM r.time) * 1000000)::bigint,"
                " coalesce(array_to_string(r.numbers, ' '), r.value::text, ''), coalesce(r.lasts::text, ''), coalesce(p.name, '')"
                " FROM hearth.rows r JOIN hearth.rings g USING (ring) JOIN hearth.series s USING (series)"
                " JOIN hearth.wearables w USING (wearable) LEFT JOIN hearth.wearers p USING (wearer)"):
            key = (store, int(enrolment), series, way, int(ordinal))
            double += key in found
            found[key] = (int(us), tuple(numbers.split()), int(lasts) if lasts else None, wearer or None)
        return found, double


class Sink:
    def __init__(self, program, folder, name, broker, database, settings="", more=""):
        self.program, self.config, self.process, self.log = program, folder / f"{name}.yaml", None, folder / f"{name}.log"
        self.config.write_text(
            f"broker:\n  address: localhost:{broker.port}\n  client: {name}\n{settings}"
            f"database:\n  address: {database.sinks}\n{more}log:\n  level: debug\n")

    def start(self):
        self.process = subprocess.Popen([self.program, "run", "--config", self.config], stderr=open(self.log, "a"))
        return self

    def stop(self, how=signal.SIGTERM):
        if not self.process:
            return None
        self.process.send_signal(how)
        code = self.process.wait(timeout=30)
        self.process = None
        return code

    def ask(self, *words, check=True):
        return subprocess.run([self.program, *words, "--config", self.config], capture_output=True, text=True, check=check)
