"""Brokers as processes of this machine, in a folder of the caller: a Mosquitto, or three NATS servers. The database is that of Tests/Sink."""
import pathlib, signal, socket, subprocess, sys, time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "Sink"))
from engines import Database, Relay, free_port  # noqa: E402,F401
from authority import Authority  # noqa: E402


def wait_for(what, limit, every=0.1):
    """The first true value of `what()`; `None` after `limit` seconds."""
    until = time.monotonic() + limit
    while True:
        found = what()
        if found or time.monotonic() > until:
            return found or None
        time.sleep(every)


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 0.3).close()
        return True
    except OSError:
        return False


def certificates(folder):
    """ca.pem, server.pem, client.pem with keys, and expired.pem: the server's, over since yesterday."""
    authority = Authority(folder, days=30)
    for name in ("server", "client", "expired"):
        authority.certificate(name, "localhost", "DNS:localhost,IP:127.0.0.1", is_over=name == "expired")
    for file in folder.iterdir():
        file.chmod(0o644)


class Process:
    """A server that can be killed and started again."""

    def __init__(self, command, log, port):
        self.command, self.log, self.port = command, log, port
        self.process = None

    def start(self, limit=30):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                            start_new_session=True)
        if self.port and not wait_for(lambda: answers(self.port), limit):
            raise RuntimeError(f"{self.command[0]} does not answer: {self.log.read_text()[-800:]}")
        return self

    def kill(self, number=signal.SIGKILL):
        """At once, or in order for 20 s and then at once, as a service manager does."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                print(f"     ({self.command[0]} did not end in order)")
                self.process.kill()
                self.process.wait()

    def end(self):
        self.kill(signal.SIGTERM)


class SmallDisk:
    """A file system of a bounded size in memory: a broker's disk that can be full."""

    def __init__(self, path, megabytes):
        self.path, self.megabytes = path, megabytes
        path.mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=777", "hearth-engines", path], check=True)

    def resize(self, megabytes):
        subprocess.run(["mount", "-o", f"remount,size={megabytes}m", self.path], check=True)

    def fill(self):
        try:
            with open(self.path / "ballast", "wb", buffering=0) as file:
                while file.write(bytes(65536)):
                    pass
        except OSError:
            pass

    def empty(self):
        """There is room again, even if the broker itself had taken all of it."""
        (self.path / "ballast").unlink(missing_ok=True)
        self.megabytes *= 2
        self.resize(self.megabytes)

    def end(self):
        subprocess.run(["umount", "-l", self.path], check=False)


class Mosquitto:
    name, has_groups, version = "mosquitto", True, "auto"

    def __init__(self, folder, secrets):
        self.folder, self.secrets = folder, secrets
        self.disk = SmallDisk(folder / "disk", 256)
        self.port, self.plain = free_port(), free_port()
        self.write("server")
        self.nodes = [Process(["mosquitto", "-c", str(folder / "mosquitto.conf")], folder / "mosquitto.log", self.plain)]

    def write(self, certificate):
        (self.folder / "mosquitto.conf").write_text(f"""
user root
persistence true
persistence_location {self.disk.path}/
autosave_interval 1
autosave_on_changes true
max_queued_messages 0
max_inflight_messages 200
allow_anonymous true
log_type error
log_type warning
listener {self.plain} 127.0.0.1
listener {self.port} 127.0.0.1
cafile {self.secrets}/ca.pem
certfile {self.secrets}/{certificate}.pem
keyfile {self.secrets}/{certificate}.key
require_certificate true
""")

    def gave_up(self, node):
        return False

    @property
    def ports(self):
        return [self.port]

    @property
    def plain_ports(self):
        return [self.plain]

    def start(self):
        for node in self.nodes:
            node.start()
        return self

    def end(self):
        for node in self.nodes:
            node.end()
        self.disk.end()

    def says(self):
        return subprocess.run(["mosquitto", "-h"], capture_output=True, text=True).stdout.splitlines()[0]


class NATS:
    """Three servers with JetStream, of which any one may be gone; MQTT is their side door."""
    name, has_groups, version = "nats", False, "3.1.1"

    def __init__(self, folder, secrets):
        self.folder, self.secrets = folder, secrets
        self.disk = SmallDisk(folder / "disk", 1024)
        self.mqtt, self.cluster, self.client = ([free_port() for _ in range(3)] for _ in range(3))
        self.write("server")
        self.nodes = [Process(["nats-server", "-c", str(folder / f"n{number}.conf")], folder / f"n{number}.log", self.mqtt[number])
                      for number in range(3)]

    def write(self, certificate):
        routes = ", ".join(f"nats://127.0.0.1:{port}" for port in self.cluster)
        for number in range(3):
            (self.folder / f"n{number}.conf").write_text(f"""
server_name: n{number}
listen: "127.0.0.1:{self.client[number]}"
jetstream {{ store_dir: "{self.disk.path}/n{number}", max_file_store: 800MB, max_memory_store: 64MB }}
cluster {{ name: engines, listen: "127.0.0.1:{self.cluster[number]}", routes: [{routes}] }}
mqtt {{
  listen: "127.0.0.1:{self.mqtt[number]}", stream_replicas: 3, consumer_replicas: 3, ack_wait: "20s", max_ack_pending: 1000
  tls {{ cert_file: "{self.secrets}/{certificate}.pem", key_file: "{self.secrets}/{certificate}.key", ca_file: "{self.secrets}/ca.pem", verify: true }}
}}
""")

    def gave_up(self, node):
        """A server has no JetStream after its disk was full, until it is started again."""
        return "DISABLED" in node.log.read_text().rsplit("Starting nats-server", 1)[-1]

    @property
    def ports(self):
        return self.mqtt

    plain_ports = ports

    def start(self):
        for node in self.nodes:
            node.start()
        time.sleep(5)  # until they have a leader
        return self

    def end(self):
        for node in self.nodes:
            node.kill()
        self.disk.end()

    def says(self):
        return subprocess.run(["nats-server", "-v"], capture_output=True, text=True).stdout.strip()
