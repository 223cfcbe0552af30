"""Everything on one machine, in a folder that goes with it: a simulated class, a hub's uplink, broker, database, sink, and the pages."""
import os, pathlib, shutil, signal, socket, subprocess, tempfile, time

import files, joining, pages, server
from house import House

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAMES = ["hearth-sim", "hearth-uplink", "hearth-sink", "hearth"]
HUB = "class"


def free_ports(count):
    """Held together, so that no two are equal."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def build():
    """As board/demo does, and as long: with board/lib.sh, which installs what is missing and says how far it is."""
    script = f'. board/lib.sh; need_packages "${{build_packages[@]}}" {" ".join(server.PACKAGES + pages.NEEDS)}; need_swift; '
    script += "; ".join(f'step "building {name}"; swift build "${{demo_flags[@]}}" --product {name} 2>&1 | build_progress || stop "the build failed"' for name in NAMES)
    if subprocess.run(["bash", "-c", f"set -uo pipefail; {script}"], cwd=ROOT).returncode:
        raise server.Stopped("it could not be built")
    out = subprocess.run(["swift", "build", "--show-bin-path"], cwd=ROOT, capture_output=True, text=True, check=True)
    return pathlib.Path(out.stdout.strip())


class Trial:
    """The folder and all processes; `end` removes all of them."""

    def __init__(self, programs, wearables):
        self.programs, self.wearables = programs.resolve(), wearables
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-hall-"))
        # PostgreSQL, which takes no root, has a folder in it.
        self.folder.chmod(0o711)
        self.processes = []
        names = ("secure", "local", "pages", "local_pages")
        self.ports = dict(zip(names, free_ports(len(names))))
        self.data = self.folder / "broker"
        self.house = House(self.folder / "house", self.folder / "etc", self.folder / "www", self.ports, self.data)
        self.socket = self.folder / "hub.sock"

    def start(self, name, *words, as_user=()):
        log = open(self.folder / f"{name}.log", "w")
        one = subprocess.Popen([*as_user, *words], stdout=log, stderr=log, cwd=self.folder, start_new_session=True)
        self.processes.append((name, one))
        return one

    def begin(self):
        self.house.keep(hosts=["localhost"], hubs=[HUB])
        if not self.house.wall.exists():
            self.house.wall.write_text('{"title": "The class", "sort": "effort"}\n')
        self.house.write()
        self.broker()
        address = self.database()
        files.write(self.folder / "sink-word", self.house.words.of("sink") + "\n", 0o600)
        (self.folder / "sink.yaml").write_text(self.house.sink_settings(self.folder / "sink-word", address))
        server.run(self.programs / "hearth-sink", "schema", "--apply", "--config", self.folder / "sink.yaml")
        self.start("sink", self.programs / "hearth-sink", "run", "--config", self.folder / "sink.yaml")
        self.hub()

    def broker(self):
        self.data.mkdir(exist_ok=True)
        user = "user root\n" if os.getuid() == 0 else ""
        (self.folder / "mosquitto.conf").write_text(user + self.house.broker_settings("127.0.0.1"))
        self.start("mosquitto", shutil.which("mosquitto", path="/usr/sbin:/usr/bin"), "-c", self.folder / "mosquitto.conf")
        server.wait(lambda: server.answers(self.ports["secure"]), 60, f"mosquitto does not answer: {self.folder}/mosquitto.log")

    def database(self):
        """A cluster of its own, reached by a socket in its folder alone. PostgreSQL takes no root."""
        bin = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        folder = self.folder / "postgresql"
        folder.mkdir()
        as_user = ()
        if os.getuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
            as_user = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups")
        server.run(*as_user, bin / "initdb", "-D", folder / "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", cwd=folder)
        self.start("postgresql", bin / "postgres", "-D", folder / "data", "-k", folder, "-c", "listen_addresses=", "-c", "unix_socket_permissions=0700", as_user=as_user)
        server.wait(lambda: server.run("psql", "-h", folder, "-U", "postgres", "-XAtqc", "SELECT 1", ask=True), 60, f"PostgreSQL does not answer: {self.folder}/postgresql.log")
        return f"host={folder} user=postgres dbname=postgres"

    def hub(self):
        words = ["--population", "class", "--wearables", str(self.wearables), "--socket", self.socket, "--store", self.folder / "store"]
        self.start("hub", self.programs / "hearth-sim", "serve", *words)
        server.wait(self.socket.exists, 60, f"the hub does not serve: {self.folder}/hub.log")
        (self.folder / "hall-ca.crt").write_text((self.house.folder / "ca.crt").read_text())
        files.write(self.folder / "hall-password", self.house.words.of(f"hub-{HUB}") + "\n", 0o600)
        sockets = (self.socket, self.folder / "uplink.sock")
        (self.folder / "uplink.yaml").write_text(
            joining.uplink_settings("localhost", self.ports["secure"], HUB, "hearth", self.folder, sockets, every="2s"))
        self.start("uplink", self.programs / "hearth-uplink", "--config", self.folder / "uplink.yaml")

    def ended(self):
        """The name of a program that ended by itself, or `None`."""
        return next((name for name, one in self.processes if one.poll() is not None), None)

    def end(self):
        for name, one in reversed(self.processes):
            # A fast end of PostgreSQL is SIGINT: it waits for no client.
            if one.poll() is None:
                os.killpg(one.pid, signal.SIGINT if name == "postgresql" else signal.SIGTERM)
        for _, one in self.processes:
            try:
                one.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(one.pid, signal.SIGKILL)
                one.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def run(programs, wearables):
    began = time.monotonic()
    if programs is None:
        programs = build()
    trial = Trial(programs, wearables)
    try:
        trial.begin()
        wall, console = trial.house.addresses(is_secure=False)
        print(f"\nafter {time.monotonic() - began:.0f} s, until Ctrl-C:\n\n    the wall     {wall}\n    the console  {console}\n")
        print(f"    {trial.programs}/hearth --socket {trial.socket} watch\n    psql -h {trial.folder}/postgresql -U postgres\n", flush=True)
        while trial.ended() is None:
            time.sleep(0.5)
        name = trial.ended()
        raise server.Stopped(f"{name} ended by itself:\n{(trial.folder / f'{name}.log').read_text()[-2000:]}")
    finally:
        trial.end()
