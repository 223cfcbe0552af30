#!/usr/bin/env python3
"""What brokers take, drop, and refuse. The uplink runs beside real Mosquittos, and beside a broker of a few lines that has every limit
that MQTT 5 knows.

    Tests/Uplink/limits.py --programs .build-tests/release

Needs mosquitto, openssl, and hearth-sim and hearth-uplink in the folder of --programs. Takes a minute and a half.
"""
import argparse, atexit, datetime, json, os, pathlib, shutil, socket, struct, subprocess, sys, tempfile, threading, time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import wire
from authority import Authority
from ports import free_port

options = argparse.ArgumentParser()
options.add_argument("--programs", required=True, type=pathlib.Path)
programs = options.parse_args().programs.resolve()
folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-limits-"))
folder.chmod(0o777)
children, failed, passed = [], 0, 0


def clean():
    for child in children:
        if child.poll() is None:
            child.kill()
            child.wait()
    shutil.rmtree(folder, ignore_errors=True)


atexit.register(clean)


def check(sentence, truth, detail=""):
    global failed, passed
    passed, failed = passed + bool(truth), failed + (not truth)
    print(f"{'ok  ' if truth else 'FAIL'} {sentence}" + (f" ({detail})" if detail else ""), flush=True)


def until(seconds, condition):
    end = time.time() + seconds
    while time.time() < end:
        try:
            if condition():
                return True
        except (OSError, RuntimeError):
            pass
        time.sleep(0.1)
    return False


def start(name, *command):
    log = open(folder / f"{name}.log", "ab")
    children.append(subprocess.Popen([str(part) for part in command], stdout=log, stderr=log, cwd=folder, env=os.environ | {"SWIFT_BACKTRACE": "enable=no"}))
    return children[-1]


def mosquitto(name, lines):
    port = free_port()
    (folder / f"{name}.conf").write_text(f"user root\nlistener {port} 127.0.0.1\nallow_anonymous true\n{lines}".replace("FOLDER", str(folder)))
    start(name, "mosquitto", "-c", folder / f"{name}.conf")
    if not until(10, lambda: not socket.create_connection(("127.0.0.1", port), 1).close()):
        sys.exit((folder / f"{name}.log").read_text())
    return port


def uplink(name, port, tls="  on: false", more="", every="1s", form="batches"):
    (folder / f"{name}.yaml").write_text(
        f"broker:\n  address: localhost:{port}\n  client: {name}\n  keep_alive: 60s\ntls:\n{tls}\ngroup: {name}\nhub_socket: {folder}/hub.sock\n"
        f"socket: {folder}/{name}.sock\npersons: none\n{more}history:\n  every: {every}\n  cursor: {name}\n  form: {form}\n")
    return start(name, programs / "hearth-uplink", "--config", folder / f"{name}.yaml")


def status(name):
    daemon = wire.Daemon(folder / f"{name}.sock", "io.hearth.Uplink")
    try:
        return daemon.call("Status")["uplink"]
    finally:
        daemon.close()


def troubles(name):
    return {trouble["code"]: trouble["detail"] for trouble in status(name)["troubles"]}


class Rows:
    """Rows and heads that a reader gets, and the longest message."""

    def __init__(self, port, group, part="#"):
        self.rows, self.longest, self.heads = set(), 0, {}
        self.client = wire.Client(port, f"reader-{group}", [f"hearth/1/{group}/{part}"], self.take)
        self.client.ready.wait(10)

    def take(self, topic, payload, retained, size):
        self.longest = max(self.longest, len(topic) + len(payload))
        if topic.endswith("/rows"):
            found = wire.batch(payload)
            self.rows |= {(row["enrolment"], row["series"], row["way"], row["ordinal"]) for _, rows in found["runs"] for row in rows}
        elif "/heads/" in topic:
            self.heads[topic] = retained
        elif "/json/" in topic:
            run = json.loads(payload)
            ordinal, gaps = run["first"], run.get("gaps") or [0] * (run["rows"] - 1)
            for gap in gaps + [0]:
                self.rows.add((run["enrolment"], run["series"], run["way"], ordinal))
                ordinal += gap + 1


def exported():
    daemon, rows, confirm = wire.Daemon(folder / "hub.sock"), set(), False
    while True:
        page = daemon.call("ExportNext", cursor="limits", ordinals=True, confirm=confirm)
        confirm = True
        rows |= {(sample["enrolment"], sample["series"], sample["way"], sample["ordinal"]) for sample in page["samples"]}
        if page["last"]:
            daemon.close()
            return rows


class Strict:
    """A broker that says its limits, and notes what does not keep to them."""

    packets, receive, aliases, alive = 4096, 2, 1, 4

    def __init__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port, self.defects, self.rows, self.pings, self.longest, self.most = self.server.getsockname()[1], [], set(), [], 0, 0
        self.connections, self.will_retained = 0, None
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            link, _ = self.server.accept()
            self.connections += 1
            threading.Thread(target=self.serve, args=(link,), daemon=True).start()

    def serve(self, link):
        lock, out, topics = threading.Lock(), set(), {}

        def say(head, body):
            with lock:
                link.sendall(wire.Client.packet(head, body))

        def acknowledge(number):
            time.sleep(0.03)
            out.discard(number)
            try:
                say(0x40, struct.pack(">H", number))
            except OSError:
                pass

        file = link.makefile("rb")

        def packet():
            head, length, shift, size = file.read(1), 0, 0, 1
            if not head:
                raise OSError
            while True:
                byte = file.read(1)[0]
                size += 1
                length |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return head[0], file.read(length), size + length

        try:
            packet()
            limits = (b"\x21" + struct.pack(">H", self.receive) + b"\x25\x00" + b"\x27" + struct.pack(">I", self.packets) + b"\x22" + struct.pack(">H", self.aliases)
                      + b"\x13" + struct.pack(">H", self.alive))
            say(0x20, b"\0\0" + bytes([len(limits)]) + limits)
            last = time.time()
            while True:
                head, body, size = packet()
                self.pings.append(time.time() - last)
                last = time.time()
                self.longest = max(self.longest, size)
                if size > self.packets:
                    self.defects.append(f"a packet of {size} bytes")
                if head >> 4 == 8:
                    say(0x90, body[:2] + b"\0" + b"\x01")
                elif head >> 4 == 12:
                    say(0xD0, b"")
                elif head >> 4 == 3:
                    self.publish(head, body, out, topics, acknowledge)
        except OSError:
            link.close()

    def publish(self, head, body, out, topics, acknowledge):
        length = struct.unpack(">H", body[:2])[0]
        topic, at = body[2:2 + length].decode(), 2 + length
        if head & 1:
            self.defects.append(f"a retained message to {topic}")
        number = None
        if head & 6:
            number, at = struct.unpack(">H", body[at:at + 2])[0], at + 2
            out.add(number)
            self.most = max(self.most, len(out))
            if len(out) > self.receive:
                self.defects.append(f"{len(out)} messages without acknowledgement")
        properties, at = body[at + 1:at + 1 + body[at]], at + 1 + body[at]
        place = 0
        while place < len(properties):
            if properties[place] == 0x23:
                alias = struct.unpack(">H", properties[place + 1:place + 3])[0]
                if not 0 < alias <= self.aliases:
                    self.defects.append(f"alias {alias}")
                if topic:
                    topics[alias] = topic
                topic = topics[alias]
                place += 3
            else:
                place += 5
        if number:
            threading.Thread(target=acknowledge, args=(number,), daemon=True).start()
        if topic.endswith("/rows"):
            found = wire.batch(body[at:])
            self.rows |= {(row["enrolment"], row["series"], row["way"], row["ordinal"]) for _, rows in found["runs"] for row in rows}


authority = Authority(folder)
authority.certificate("broker", "localhost", "DNS:localhost")
early = lambda days: (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)).strftime("%y%m%d%H%M%SZ")
authority.certificate("early", "localhost", "DNS:localhost", times=(early(2), early(9)))
(folder / "access").write_text("topic read #\ntopic write spBv1.0/#\n")
start("sim", programs / "hearth-sim", "serve", "--population", "gym", "--wearables", "9", "--socket", folder / "hub.sock", "--store", folder / "store")
if not until(20, lambda: wire.Daemon(folder / "hub.sock").call("Status")["status"]["phase"] == "serving"):
    sys.exit((folder / "sim.log").read_text())
until(20, lambda: len(exported()) > 300)

# No reader, and packets are short.
short = mosquitto("short", "max_packet_size 4096\n")
child = uplink("small", short)
check("rows that no client reads are H9010", until(15, lambda: "H9010" in troubles("small")), troubles("small"))
time.sleep(6)
check("and wait", status("small")["rows_acknowledged"] == 0 and status("small")["connected"], f"{status('small')['rows_sent']} sent")
reader = Rows(short, "small")
known = exported()
check("with a reader and packets of 4 KiB every row arrives", until(75, lambda: known <= reader.rows), f"{len(known)} rows, {len(known - reader.rows)} missing")
check("in messages that fit, without trouble", reader.longest <= 4096 and not troubles("small") and status("small")["tries"] <= 1, f"{reader.longest} bytes at most, {troubles('small')}")
child.terminate()
check("ended in order it says how far rings are, for whoever comes", child.wait(8) == 0 and until(5, lambda: reader.heads), len(reader.heads))
late = Rows(short, "small")
check("and the broker keeps that", until(5, lambda: late.heads and all(late.heads.values()) and late.heads.keys() == reader.heads.keys()), len(late.heads))

# Two forms, and a reader of one; packets that are shorter than some row.
child = uplink("both", short, form="both")
reader = Rows(short, "both", "+/json/#")
known = exported()
left = lambda name: int(troubles(name).get("H9011", "0").split()[0])
check("rows as JSON arrive though no client reads batches, but those that are longer than a packet", until(60, lambda: len(known - reader.rows) <= left("both") < 20),
      f"{len(known)} rows, {len(known - reader.rows)} missing, {left('both')} left out")
check("and H9010 says which form nobody reads", "batches wait, rows as JSON do not" in troubles("both").get("H9010", ""), troubles("both"))
child.kill()
narrow = mosquitto("narrow", "max_packet_size 1100\n")
reader = Rows(narrow, "narrow")
child = uplink("narrow", narrow)
known = exported()
until(75, lambda: status("narrow")["rows_acknowledged"] >= len(known) - 200 and len(known - reader.rows) < 200)
check("with packets of 1,100 bytes every row arrives but those that are longer, which are counted", until(20, lambda: len(known - reader.rows) <= left("narrow") < 20) and reader.longest <= 1100,
      f"{len(known)} rows, {len(known - reader.rows)} missing, {left('narrow')} left out, {reader.longest} bytes at most")
child.kill()

# Everything that a CONNACK says.
strict = Strict()
child = uplink("strict", strict.port, more="sparkplug: false\n", every="60s")
known = exported()
check("a broker with every limit gets every row", until(60, lambda: known <= strict.rows), f"{len(known)} rows, {len(known - strict.rows)} missing")
time.sleep(9)
check("and its limits are kept: packets, messages without acknowledgement, aliases, retention", not strict.defects and strict.connections == 1,
      sorted(set(strict.defects))[:4] or f"{strict.longest} bytes, {strict.most} messages at most")
check("its keep-alive holds, not the one that is set", max(strict.pings) <= strict.alive * 1.5, f"{max(strict.pings):.1f} s at most")
check("and nothing is wrong", not troubles("strict"), troubles("strict"))
child.kill()

# What a broker refuses.
tight = mosquitto("tight", "max_packet_size 90\n")
child = uplink("tight", tight)
reader = Rows(tight, "tight")
check("packets that are too small for a row are H9002, and say so", until(15, lambda: "packets of at most 90 bytes" in troubles("tight").get("H9002", "")), troubles("tight"))
child.kill()
forbidden = mosquitto("forbidden", "acl_file FOLDER/access\n")
child = uplink("forbidden", forbidden)
reader = Rows(forbidden, "forbidden")
check("a topic that a hub may not publish to is named by H9002", until(15, lambda: "topic hearth/1/forbidden/gym/" in troubles("forbidden").get("H9002", "")), troubles("forbidden"))
child.kill()
secure = mosquitto("secure", "cafile FOLDER/ca.pem\ncertfile FOLDER/early.pem\nkeyfile FOLDER/early.key\n")
child = uplink("secure", secure, f"  on: true\n  ca: {folder}/ca.pem")
check("a certificate that is not valid yet is said to be that", until(10, lambda: "not yet valid" in troubles("secure").get("H9003", "")), troubles("secure"))
child.kill()

# The settings that it names are its own.
(folder / "wrong.yaml").write_text("broker:\n  adress: localhost\n")
said = subprocess.run([programs / "hearth-uplink", "--check", "--config", folder / "wrong.yaml"], capture_output=True, text=True)
check("--check names the file and the command of this program", said.returncode == 2 and f"next: correct {folder}/wrong.yaml, then hearth-uplink --check" in said.stderr, said.stderr.strip())
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
