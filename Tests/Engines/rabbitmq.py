#!/usr/bin/env python3
"""A hub, RabbitMQ and a sink: does what is published arrive once and exact, also when the node is killed and started again.

    Tests/Engines/rabbitmq.py --programs .build/release [--sparkplug]

Needs Debian's rabbitmq-server (with its plugin for MQTT), PostgreSQL, and hearth-sim, hearth-uplink and hearth-sink in the folder of --programs.
A single node, as root, in a folder of its own. With --sparkplug births and live values come too, which a broker that changes dots in
topics spoils.
"""
import argparse, os, pathlib, shutil, signal, subprocess, sys, tempfile, time
from decimal import Decimal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Uplink"))
import wire  # noqa: E402
from brokers import Database, Process, free_port, wait_for  # noqa: E402
from checks import check  # noqa: E402
from engines import Sink  # noqa: E402

options = argparse.ArgumentParser()
options.add_argument("--programs", required=True, type=pathlib.Path)
options.add_argument("--sparkplug", action="store_true")
options = options.parse_args()
programs = options.programs.resolve()
folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-rabbit-"))


class Rabbit:
    """A node with the plugin for MQTT. Erlang has a port mapper of its own, which is told to end with it."""

    def __init__(self):
        self.port, self.mapper = free_port(), free_port()
        (folder / "rabbitmq.conf").write_text(
            f"listeners.tcp.1 = 127.0.0.1:{free_port()}\nmqtt.listeners.tcp.1 = 127.0.0.1:{self.port}\nmqtt.allow_anonymous = true\n"
            "mqtt.default_user = guest\nmqtt.default_pass = guest\nmqtt.prefetch = 256\nmqtt.subscription_ttl = 604800000\n"
            "mqtt.durable_queue_type = quorum\nlog.console = true\nlog.file = false\n")  # fmt: skip
        (folder / "plugins").write_text("[rabbitmq_mqtt].\n")
        self.environment = os.environ | {
            "HOME": str(folder), "RABBITMQ_NODENAME": f"hearth{self.port}@localhost", "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"), "RABBITMQ_LOG_BASE": str(folder),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"), "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"), "RABBITMQ_PID_FILE": str(folder / "pid"),
            "RABBITMQ_DIST_PORT": str(free_port()), "ERL_EPMD_PORT": str(self.mapper), "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+sbwt none +sbwtdcpu none +sbwtdio none"}  # fmt: skip

    def start(self):
        with open(folder / "rabbit.log", "ab") as log:
            self.process = subprocess.Popen(["/usr/lib/rabbitmq/bin/rabbitmq-server"], env=self.environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        began = time.monotonic()
        if not wait_for(lambda: not subprocess.run(["bash", "-c", f"</dev/tcp/127.0.0.1/{self.port}"], capture_output=True).returncode, 180, 0.5):
            raise RuntimeError((folder / "rabbit.log").read_text()[-2000:])
        return time.monotonic() - began

    def kill(self, how=signal.SIGKILL):
        os.killpg(self.process.pid, how)
        self.process.wait()

    def end(self):
        if self.process.poll() is None:
            self.kill()
        # RabbitMQ refuses as long as it knows of a node.
        wait_for(lambda: subprocess.run(["epmd", "-port", str(self.mapper), "-kill"], capture_output=True).returncode == 0, 10, 0.5)


def has():
    """Keys of all rows that the hub has, and their values."""
    hub, rows, confirm = wire.Daemon(folder / "hub.sock"), {}, False
    while True:
        page = hub.call("ExportNext", cursor="other", ordinals=True, confirm=confirm)
        confirm = True
        for sample in page["samples"]:
            rows[page["store"], sample["enrolment"], sample["series"], sample["way"], sample["ordinal"]] = sample.get("value")
        if page["last"]:
            hub.close()
            return rows


everything = {}


def arrives(sentence, seconds=90):
    everything.update(has())

    def missing():
        return everything.keys() - database.rows()[0].keys()

    wait_for(lambda: not missing(), seconds, 1)
    found, double = database.rows()
    gone = everything.keys() - found.keys()
    other = [key for key, value in everything.items() if key in found and isinstance(value, (int, Decimal)) and [Decimal(text) for text in found[key][1]] != [value]]
    check(sentence, not gone and not double and not other, f"{len(everything)} rows, {len(gone)} missing, {double} double, {len(other)} different")


def uplink_says():
    link = wire.Daemon(folder / "uplink.sock", "io.hearth.Uplink")
    try:
        return link.call("Status")["uplink"]
    finally:
        link.close()


def says(what):
    try:
        return what(uplink_says())
    except (OSError, RuntimeError):
        return None


rabbit, database = Rabbit(), None
processes = []
try:
    print(f"     RabbitMQ starts in {rabbit.start():.0f} s", flush=True)
    database = Database(folder)
    database.start()
    (folder / "hearth.yaml").write_text("hub: {name: gym}\nenroll: {mode: all}\n")
    (folder / "uplink.yaml").write_text(
        f"broker: {{address: 'localhost:{rabbit.port}'}}\ntls: {{on: false}}\nhub_socket: {folder}/hub.sock\nsocket: {folder}/uplink.sock\npersons: none\n"
        f"sparkplug: {'true' if options.sparkplug else 'false'}\nhistory: {{every: 2s}}\n")  # fmt: skip
    sink = Sink(programs / "hearth-sink", folder, "sink", rabbit, database, f"  part: 1/1\n  sparkplug: {'true' if options.sparkplug else 'false'}\n")
    sink.ask("schema", "--apply")
    sink.start()
    simulator = Process([str(programs / "hearth-sim"), "serve", "--population", "gym", "--wearables", "4", "--socket", str(folder / "hub.sock"), "--store", str(folder / "store"),
                         "--config", str(folder / "hearth.yaml")], folder / "sim.log", None).start()  # fmt: skip
    processes.append(simulator)
    wait_for((folder / "hub.sock").exists, 20)
    time.sleep(5)
    uplink = Process([str(programs / "hearth-uplink"), "--config", str(folder / "uplink.yaml")], folder / "uplink.log", None).start()
    processes.append(uplink)
    check("hearth-uplink is connected", wait_for(lambda: says(lambda state: state["connected"]), 60), says(lambda state: state["protocol"]))
    arrives("what the hub has is in the database")
    sink.stop(signal.SIGKILL)
    time.sleep(10)
    check("the broker acknowledges while the sink is gone", wait_for(lambda: says(lambda state: state["in_flight"] == 0), 30))
    sink.start()
    arrives("a sink that was killed gets what came meanwhile")
    acknowledged = says(lambda state: state["rows_acknowledged"])
    rabbit.kill()
    time.sleep(3)
    print(f"     killed, it starts again in {rabbit.start():.0f} s", flush=True)
    check("hearth-uplink is connected again", wait_for(lambda: says(lambda state: state["connected"]), 90))
    check("rows are acknowledged again", wait_for(lambda: says(lambda state: state["rows_acknowledged"] > acknowledged), 90))
    arrives("after the node was killed nothing is missing")
    sink.stop(signal.SIGKILL)
    time.sleep(8)
    rabbit.kill()
    rabbit.start()
    wait_for(lambda: says(lambda state: state["connected"]), 90)
    sink.start()
    arrives("killed with messages that no sink has read, the node has them afterwards")
    gaps = sink.ask("gaps", check=False)
    check("no gap is reported", gaps.returncode == 0, gaps.stdout[-300:])
    check("nothing was put aside", database.one("SELECT count(*) FROM hearth.quarantine") == "0")
    sink.stop()
finally:
    for process in processes:
        process.end()
    if database:
        try:
            sink.stop(signal.SIGKILL)
        except NameError:
            pass
        database.stop()
    rabbit.end()
    if check.failed:
        print("".join((folder / name).read_text()[-1500:] for name in ("uplink.log", "sink.log") if (folder / name).exists()))
    shutil.rmtree(folder, ignore_errors=True)
check.end()
