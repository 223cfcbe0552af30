#!/usr/bin/env python3
"""hearth-uplink between a simulated hub and a real mosquitto: every row arrives with equal values, whatever is killed.

    Tests/Uplink/run.py --programs .build/release [--long]

Needs mosquitto, openssl, and hearth-sim and hearth-uplink (with hearth: its command too) in the folder of --programs.
The short form takes less than a minute; --long adds a frozen link, a slow one and more kills.
"""
import argparse, atexit, collections, json, os, pathlib, random, shutil, signal, socket, subprocess, sys, tempfile, threading, time
from datetime import datetime, timedelta, timezone
from decimal import Decimal

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import wire
from authority import Authority
from ports import free_port
from relay import Relay
from wire import differs, flat, micro

options = argparse.ArgumentParser()
options.add_argument("--programs", required=True, type=pathlib.Path)
options.add_argument("--long", action="store_true")
options.add_argument("--wearables", type=int, default=9)
options = options.parse_args()
programs = options.programs.resolve()
folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-uplink-"))
children, failed, passed = [], 0, 0
began = time.time()


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


def until(seconds, condition, every=0.2):
    end = time.time() + seconds
    while time.time() < end:
        try:
            if condition():
                return True
        except (OSError, RuntimeError):
            pass
        time.sleep(every)
    return False


def start(name, *command):
    log = open(folder / f"{name}.log", "ab")
    child = subprocess.Popen([str(part) for part in command], stdout=log, stderr=log, cwd=folder, env=os.environ | {"SWIFT_BACKTRACE": "enable=no"})
    children.append(child)
    return child


PLAIN, WORDS, SECURE, LINK = (free_port() for _ in range(4))


os.chmod(folder, 0o755)
authority = Authority(folder)
authority.certificate("broker", "localhost", "DNS:localhost,IP:127.0.0.1")
authority.certificate("hub", "gym")
authority.certificate("old", "gym", is_over=True)
subprocess.run(["mosquitto_passwd", "-b", "-c", "words", "gym", "right"], cwd=folder, check=True, capture_output=True)
(folder / "words").chmod(0o644)
(folder / "password").write_text("wrong\n")
(folder / "persons.key").write_bytes(os.urandom(32))
(folder / "mosquitto.conf").write_text(f"""per_listener_settings true
persistence true
persistence_location {folder}/
autosave_interval 1
autosave_on_changes true
max_queued_messages 0
listener {PLAIN} 127.0.0.1
allow_anonymous true
listener {WORDS} 127.0.0.1
allow_anonymous false
password_file {folder}/words
listener {SECURE} 127.0.0.1
cafile {folder}/ca.pem
certfile {folder}/broker.pem
keyfile {folder}/broker.key
require_certificate true
use_identity_as_username true
allow_anonymous false
""")
os.chmod(folder, 0o777)


def broker():
    child = start("mosquitto", "mosquitto", "-c", folder / "mosquitto.conf")
    if not until(10, lambda: not socket.create_connection(("127.0.0.1", PLAIN), 1).close()):
        sys.exit((folder / "mosquitto.log").read_text())
    return child


def settings(name, port, secure=False, certificate="hub", **more):
    lines = {"sparkplug": "true", "limit": "none", "form": "batches", "every": "1s", "user": "none", "window": "128KiB", "cursor": "uplink", "client": "none"} | more
    (folder / f"{name}.yaml").write_text(f"""broker:
  address: localhost:{port}
  user: {lines['user']}
  client: {lines['client']}
  keep_alive: 30s
{'  password_file: ' + str(folder / 'password') if lines['user'] != 'none' else ''}
tls:
  on: {'true' if secure else 'false'}
{f'  ca: {folder}/ca.pem' if secure else ''}
{f'  certificate: {folder}/{certificate}.pem' if secure else ''}
{f'  key: {folder}/{certificate}.key' if secure else ''}
hub_socket: {folder}/hub.sock
socket: {folder}/{name}.sock
persons_key: {folder}/persons.key
sparkplug: {lines['sparkplug']}
limit: {lines['limit']}
history:
  form: {lines['form']}
  every: {lines['every']}
  window: {lines['window']}
  cursor: {lines['cursor']}
""")


def uplink(name):
    return start(name, programs / "hearth-uplink", "--config", folder / f"{name}.yaml")


def status(name):
    daemon = wire.Daemon(folder / f"{name}.sock", "io.hearth.Uplink")
    try:
        return daemon.call("Status")["uplink"]
    finally:
        daemon.close()


def codes(name):
    return {trouble["code"] for trouble in status(name)["troubles"]}


class Consumer:
    """Stores each row once, as a sink does, and looks at the order of what is new."""

    def __init__(self):
        self.rows, self.again, self.disorder, self.conflicts = {}, 0, [], 0
        self.newest, self.bytes, self.packed_rows, self.gaps = {}, 0, 0, 0
        self.json_rows, self.json_bytes, self.json_bad = 0, 0, 0
        self.seen, self.resends = collections.Counter(), collections.Counter()
        self.births, self.sequence, self.wrong_sequence, self.unknown_alias = {}, None, 0, 0
        self.deaths, self.live, self.status, self.birth_death = [], [], None, None
        self.retimed, self.retimed_twice = {}, 0
        self.defects = []

    def take(self, topic, payload, retained, size):
        try:
            self.read(topic, payload, size)
        except Exception as defect:
            self.defects.append(f"{topic}: {defect!r}")

    def read(self, topic, payload, size):
        parts = topic.split("/")
        kind = parts[2] if topic.startswith("spBv1.0") else parts[4]
        self.seen[kind] += 1
        if kind == "rows":
            found = wire.batch(payload)
            self.bytes += size
            for skipped, rows in found["runs"]:
                self.packed_rows += len(rows)
                for row in rows:
                    self.store(found["store"], row, found["resend"])
            for skipped, rows in found["retimed"]:
                for row in rows:
                    key = (found["store"], row["enrolment"], row["series"], row["way"], row["ordinal"])
                    self.retimed_twice += key in self.retimed and self.retimed[key] != row
                    self.retimed[key] = row
        elif kind == "json":
            document = json.loads(payload, parse_float=Decimal)
            self.json_rows += document["rows"]
            self.json_bytes += size
            self.json_bad += self.json_differs(document)
        elif kind in ("NCMD", "heads"):
            return
        elif kind == "status":
            self.status = json.loads(payload)
        else:
            self.sparkplug(kind, parts, wire.sparkplug(payload))

    def store(self, store, row, resend):
        ring = (store, row["enrolment"], row["series"], row["way"])
        key = ring + (row["ordinal"],)
        if resend:
            self.resends[resend] += 1
        if key in self.rows:
            self.again += 1
            self.conflicts += self.rows[key] != row
            return
        if not resend and row["ordinal"] <= self.newest.get(ring, -1):
            self.disorder.append(key)
        self.newest[ring] = max(self.newest.get(ring, -1), row["ordinal"])
        self.rows[key] = row

    def json_differs(self, document):
        ordinal, moment, bad = document["first"], micro(document["time"]), 0
        gaps, steps = document.get("gaps") or [0] * (document["rows"] - 1), document.get("steps_ms") or []
        for place in range(document["rows"]):
            if place:
                ordinal += gaps[place - 1] + 1
                moment += int(steps[place - 1] * 1000)
            row = self.rows.get((int(document["store"], 16), document["enrolment"], document["series"], document["way"], ordinal))
            value = document["values"][place] if "values" in document else []
            bad += row is not None and (row["time"] != moment or row["numbers"] != flat(value))
        return bad

    def sparkplug(self, kind, parts, payload):
        device = parts[4] if len(parts) > 4 else ""
        names = [metric["name"] for metric in payload["metrics"]]
        if kind == "NDEATH":
            self.deaths.append((time.time(), payload["metrics"][0]["value"]))
            return
        if kind == "NBIRTH":
            self.births, self.sequence = {}, None
            self.birth_death = next(metric["value"] for metric in payload["metrics"] if metric["name"] == "bdSeq")
        expected = 0 if self.sequence is None else (self.sequence + 1) % 256
        self.wrong_sequence += payload["seq"] != expected
        self.sequence = payload["seq"]
        if kind in ("NBIRTH", "DBIRTH"):
            self.births[device] = {metric["alias"]: metric for metric in payload["metrics"] if metric["alias"]}
        elif kind in ("NDATA", "DDATA"):
            for metric in payload["metrics"]:
                self.unknown_alias += metric["alias"] not in self.births.get(device, {})
                if kind == "DDATA":
                    self.live.append((time.time(), metric["time"] / 1000, device))


def exported(cursor):
    """All rows that the hub exports, by its own words."""
    daemon, rows, confirm = wire.Daemon(folder / "hub.sock"), {}, False
    while True:
        page = daemon.call("ExportNext", cursor=cursor, ordinals=True, confirm=confirm)
        confirm = True
        for sample in page["samples"]:
            rows[(int(page["store"], 16), sample["enrolment"], sample["series"], sample["way"], sample["ordinal"])] = sample
        if page["last"]:
            daemon.close()
            return rows


def late_clock():
    """A hub that starts 48 minutes behind, as one without a clock module does, and hears a time server. Rows that it published before come
    again with their times, even if the uplink was killed while that became known. The clock is the lab's, which only this test uses."""
    sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Lab/acceptance"))
    import clock

    def step(minutes):
        clock.put_to(datetime.now(timezone.utc).replace(tzinfo=None) + timedelta(minutes=minutes))

    heard = Consumer()
    ear = wire.Client(PLAIN, "late-ear", ["hearth/1/late/gym/rows"], heard.take)
    ear.ready.wait(10)
    clock.distrust()
    step(-48)
    hub = start("late-hub", programs / "hearth-sim", "serve", "--population", "gym", "--wearables", 3, "--socket", folder / "late-hub.sock", "--store", folder / "late-store")
    settings("late", PLAIN, cursor="late", client="late")
    (folder / "late.yaml").write_text((folder / "late.yaml").read_text().replace("/hub.sock", "/late-hub.sock") + "group: late\n")
    child = uplink("late")
    until(120, lambda: sum(row["unsure"] for row in list(heard.rows.values()) if row["way"] == "live") > 100)
    # What it has confirmed by now is told again; what it has only been given comes with its time the next time.
    time.sleep(40)
    before = {key: row for key, row in heard.rows.items() if row["unsure"] and row["way"] == "live"}
    step(48)
    clock.trust()
    child.send_signal(signal.SIGKILL)
    child.wait()
    time.sleep(90)
    child = uplink("late")
    until(200, lambda: len(heard.retimed) >= 100 and before.keys() <= heard.retimed.keys())
    behind = timedelta(minutes=48) // timedelta(microseconds=1)
    wrong = [key for key, row in before.items() if key not in heard.retimed or abs(heard.retimed[key]["time"] - row["time"] - behind) > 2_000_000]
    check("rows of before the time server come again with their times, though the uplink was killed", len(before) > 100 and not wrong,
          f"{len(before)} rows, {len(heard.retimed)} came again, {len(wrong)} not as they should")
    marked = all(row["corrected"] and not row["unsure"] for row in heard.retimed.values())
    check("all of them are marked, and none says two things", marked and heard.retimed_twice == 0)
    told = len(heard.retimed)
    time.sleep(60)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child = uplink("late")
    time.sleep(60)
    check("and they are told once: what the broker acknowledged is confirmed", len(heard.retimed) == told and not heard.defects, "; ".join(heard.defects[:2]))
    for one in (child, hub):
        one.terminate()
        one.wait(10)
    ear.close()


everything = {}


def arrives(sentence, consumer, seconds=20):
    """Everything that the hub has by now is at the consumer, within some seconds."""
    everything.update(exported("other"))
    whole = until(seconds, lambda: all(key in consumer.rows for key in everything))
    missing = sum(key not in consumer.rows for key in everything)
    check(sentence, whole, f"{len(everything)} rows, {missing} missing, {consumer.again} came again")


def memory(child):
    """Altogether, and what of it is this program's own: pages of libraries are shared by all programs."""
    words = dict(line.split(":", 1) for line in open(f"/proc/{child.pid}/status") if ":" in line)
    return " ".join(f"{name} {int(words[name].split()[0]) / 1024:.1f}" for name in ("VmRSS", "VmHWM", "RssAnon", "RssFile"))


class Link(Relay):
    # The kernel holds little: a slow or frozen link is so for the sender.
    piece, buffer = 2048, 8192


server = broker()
start("sim", programs / "hearth-sim", "serve", "--population", "gym", "--wearables", options.wearables, "--socket", folder / "hub.sock", "--store", folder / "store")
consumer, second = Consumer(), Consumer()
listener = wire.Client(PLAIN, "consumer", ["hearth/1/hearth/gym/#", "spBv1.0/hearth/#"], consumer.take)
listener.ready.wait(10)
proxy = Link(SECURE, LINK)
until(15, lambda: wire.Daemon(folder / "hub.sock").call("Status")["status"]["phase"] == "serving")
time.sleep(8)

# What is wrong is said with its code, and is mended without a restart.
settings("main", LINK, secure=True, certificate="old")
main = uplink("main")
check("an expired certificate is H9003", until(8, lambda: "H9003" in codes("main")), "; ".join(t["detail"] for t in status("main")["troubles"])[:150])
for end in ("pem", "key"):
    shutil.copy(folder / f"hub.{end}", folder / f"old.{end}")
check("a new certificate is taken without a restart", until(20, lambda: status("main")["connected"]))
arrives("a backlog comes home over TLS with a client certificate", consumer)
check("it speaks MQTT 5", status("main")["protocol"] == "MQTT 5")
left = wire.kept_for(PLAIN, "hearth/1/hearth/gym/status")
check("the broker keeps a status for two and a half minutes, as its will is another", left and 60 < left <= 150, f"{left} s")
settings("words", WORDS, user="gym", cursor="words", client="words")
(folder / "words.yaml").write_text((folder / "words.yaml").read_text() + "group: words\n")
briefly = Consumer()
brief = wire.Client(PLAIN, "briefly", ["hearth/1/words/gym/status"], briefly.take)
brief.ready.wait(5)
words = uplink("words")
check("a wrong password is H9002", until(8, lambda: "H9002" in codes("words")), "; ".join(t["detail"] for t in status("words")["troubles"])[:120])
(folder / "password").write_text("right\n")
check("the right one is taken without a restart", until(12, lambda: status("words")["connected"]))
words.terminate()
check("SIGTERM ends it in order", words.wait(6) == 0)
check("the retained status says offline then", until(3, lambda: briefly.status == {"state": "offline"}))

# Kills, cuts and other clients.
killed, deaths = time.time(), len(consumer.deaths)
main.send_signal(signal.SIGKILL)
main.wait()
check("a dead hub is seen by its will", until(10, lambda: len(consumer.deaths) > deaths), f"after {time.time() - killed:.1f} s")
check("the will belongs to the birth before", consumer.deaths[-1][1] == consumer.birth_death)
settings("main", LINK, secure=True)
main = uplink("main")
arrives("killed -9, it goes on where the broker had acknowledged", consumer)
proxy.cut()
time.sleep(3)
check("a link that is cut is H9001", "H9001" in codes("main"))
proxy.mend()
arrives("a link that was cut comes back, and so does every row", consumer)
births = consumer.seen["NBIRTH"]
listener.publish("spBv1.0/hearth/NCMD/gym", wire.rebirth_request())
check("births come when they are asked for", until(8, lambda: consumer.seen["NBIRTH"] > births))
ignored = status("main")["ignored"]
for payload in (b"", b"\xff" * 300, os.urandom(5000), b"\x12\x00"):
    listener.publish("spBv1.0/hearth/NCMD/gym", payload)
check("all other arrivals are counted and dropped", until(4, lambda: status("main")["ignored"] == ignored + 4) and main.poll() is None)
# At quality of service 1 a broker hands out at most 20 messages that are not acknowledged. All of these come, and what is behind them.
ignored, births = status("main")["ignored"], consumer.seen["NBIRTH"]
for number in range(60):
    listener.publish("spBv1.0/hearth/NCMD/gym", b"\x12\x00", quality=1)
listener.publish("spBv1.0/hearth/NCMD/gym", wire.rebirth_request(), quality=1)
check("requests of quality 1 are acknowledged, and the one behind sixty others is answered",
      until(12, lambda: consumer.seen["NBIRTH"] > births and status("main")["ignored"] == ignored + 60), f"{status('main')['ignored'] - ignored} dropped")
# The broker dies: what it acknowledged and lost is healed by an order to send again.
server.send_signal(signal.SIGKILL)
server.wait()
time.sleep(1)
server = broker()
check("a broker that was killed is found again", until(20, lambda: status("main")["connected"]))
everything.update(exported("other"))
until(6, lambda: all(key in consumer.rows for key in everything))
order = wire.Daemon(folder / "main.sock", "io.hearth.Uplink")
begin = (datetime.now(timezone.utc) - timedelta(days=400)).strftime("%Y-%m-%dT%H:%M:%SZ")
number = order.call("Resend", **{"from": begin})["resend"]["number"]
try:
    order.call("Resend", **{"from": (datetime.now(timezone.utc) + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")})
    refused = ""
except RuntimeError as error:
    refused = str(error)
check("an order for a time ahead is H9008", refused == "H9008")
check("an order to send again is carried out", until(20, lambda: status("main")["resend"]["ended"] and not status("main")["resend"]["failure"]), f"{status('main')['resend']['rows']} rows")
check("its batches have its number", consumer.resends[number] >= len(everything))
arrives("after the broker's death nothing is missing", consumer)

# Live values go before history on a slow link; JSON beside batches.
slow = Consumer()
watcher = wire.Client(PLAIN, "watcher", ["hearth/1/slow/gym/#", "spBv1.0/slow/#"], slow.take)
watcher.ready.wait(5)
settings("slow", PLAIN, limit="16kbit", form="both", cursor="slow", client="slow")
(folder / "slow.yaml").write_text((folder / "slow.yaml").read_text() + "group: slow\n")
child = uplink("slow")
time.sleep(8)
late = sorted(arrived - measured for arrived, measured, device in slow.live if device.startswith("strap") and arrived > child_began + 3) if (child_began := time.time() - 8) else []
busy = status("slow")
check("live values are not held back by a backlog on 16 kbit/s", late and late[len(late) * 9 // 10] < 3 and busy["in_flight"] > 0, f"{len(late)} values, 9 of 10 within {late[len(late) * 9 // 10] if late else 0:.1f} s, {busy['in_flight']} messages wait")
check("the limit is kept", busy["bytes_sent"] <= 16000 / 8 * 13 + 6000, f"{busy['bytes_sent']} bytes in 8 s")
child.terminate()
child.wait(8)
settings("slow", PLAIN, form="both", cursor="slow", client="slow")
(folder / "slow.yaml").write_text((folder / "slow.yaml").read_text() + "group: slow\n")
child = uplink("slow")
arrives("with JSON beside batches everything arrives too", slow)
time.sleep(1.5)
print(f"figure a row takes {slow.json_bytes / max(1, slow.json_rows):.2f} bytes in JSON, {slow.json_rows} rows")
check("a row takes at most 20 bytes in JSON", slow.json_bytes / max(1, slow.json_rows) <= 20)
check("JSON says the same as batches", slow.json_rows > 0 and slow.json_bad == 0)
child.terminate()
child.wait(8)
settings("slow", PLAIN, sparkplug="false", cursor="plain", client="plain")
(folder / "slow.yaml").write_text((folder / "slow.yaml").read_text() + "group: plain\n")
plain = Consumer()
quiet = wire.Client(PLAIN, "quiet", ["hearth/1/plain/gym/#", "spBv1.0/plain/#"], plain.take)
quiet.ready.wait(5)
child = uplink("slow")
arrives("without Sparkplug everything arrives too", plain)
check("and nothing of Sparkplug is said", set(plain.seen) <= {"rows", "status", "heads"} and plain.status and plain.status["state"] == "online")
child.send_signal(signal.SIGKILL)
check("its will is the retained status then", until(5, lambda: plain.status == {"state": "offline"}))

if options.long:
    for turn in range(6):
        main.send_signal(signal.SIGKILL)
        main.wait()
        main = uplink("main")
        time.sleep(random.uniform(0.2, 3))
    arrives("six kills at any moment", consumer, 40)
    proxy.cut()
    proxy.mend()
    proxy.rate = 4000
    time.sleep(40)
    arrives("a link of 32 kbit/s for 40 s", consumer, 60)
    proxy.rate = None
    deaths, proxy.is_frozen = len(consumer.deaths), True
    frozen = time.time()
    check("a hub behind a frozen link is seen as dead within a minute", until(60, lambda: len(consumer.deaths) > deaths), f"after {time.time() - frozen:.0f} s")
    proxy.is_frozen = False
    arrives("a link that was frozen comes back", consumer, 90)
    for turn in range(4):
        server.send_signal(signal.SIGKILL)
        server.wait()
        time.sleep(random.uniform(0, 2))
        server = broker()
        until(70, lambda: status("main")["connected"])
        time.sleep(2)
    order.close()
    order = wire.Daemon(folder / "main.sock", "io.hearth.Uplink")
    order.call("Resend", **{"from": begin})
    until(40, lambda: status("main")["resend"]["ended"])
    arrives("four deaths of the broker, and one order", consumer, 40)

other = wire.Client(PLAIN, "hearth-gym", [], lambda *_: None, quality=0)
check("another client of its name is H9004", until(8, lambda: "H9004" in codes("main")))
other.close()
if options.long:
    check("and it comes back when that has gone", until(100, lambda: status("main")["connected"]))

def hearth(*words):
    return subprocess.run([programs / "hearth", *words], capture_output=True, text=True, cwd=folder, env=os.environ | {"NO_COLOR": "1"})


if (programs / "hearth").exists():
    shown = hearth("uplink", "--uplink-socket", folder / "main.sock")
    check("hearth uplink says how far it is", shown.returncode in (0, 1) and "acknowledged" in shown.stdout, shown.stdout.split("\n")[0])
    shown = json.loads(hearth("uplink", "--uplink-socket", folder / "main.sock", "--json").stdout or "{}")
    check("and its JSON is the document", shown.get("schema") == "io.hearth.uplink/1" and shown["rows_acknowledged"] > 0)
    again = hearth("uplink", "--uplink-socket", folder / "main.sock", "resend", "--from", "10m")
    check("hearth uplink resend orders it", again.returncode == 0 and "sent again" in again.stdout, (again.stdout or again.stderr).split("\n")[0])
    check("a time that is none is exit code 2", hearth("uplink", "--uplink-socket", folder / "main.sock", "resend", "--from", "soon").returncode == 2)
    gone = hearth("uplink", "--uplink-socket", folder / "nowhere.sock")
    check("without hearth-uplink it is H9009 and exit code 3", gone.returncode == 3 and "H9009" in gone.stderr, gone.stderr.split("\n")[0])

wrong = collections.Counter(name for key, sample in everything.items() if key in consumer.rows for name in differs(consumer.rows[key], sample))
check("a row takes at most 4 bytes in batches", consumer.bytes / max(1, consumer.packed_rows) <= 4, f"{consumer.bytes / max(1, consumer.packed_rows):.2f}, {consumer.packed_rows} rows")
check("each row says what the hub exports", not wrong, f"{len(everything)} rows compared" + (f", {dict(wrong)}" if wrong else ""))
check("each ring is in order", not consumer.disorder, f"{len({key[:4] for key in consumer.rows})} rings" + (f", {consumer.disorder[:3]}" if consumer.disorder else ""))
check("what came again is what came before", consumer.conflicts == 0, f"{consumer.again} came again")
people = {row["wearer"] for row in consumer.rows.values()} - {""}
check("people are pseudonyms", all(len(word) == 16 and int(word, 16) >= 0 for word in people), ", ".join(people) or "nobody wears any")
check("sequence numbers and aliases hold", consumer.wrong_sequence == 0 and consumer.unknown_alias == 0, f"{sum(consumer.seen.values())} messages, {consumer.wrong_sequence} wrong, {consumer.unknown_alias} unknown")
check("every message could be read", not consumer.defects + slow.defects + plain.defects, "; ".join((consumer.defects + slow.defects + plain.defects)[:3]))
check("the status is retained, and says what is", consumer.status and consumer.status["state"] == "online" and consumer.status["wearables"] > 0)
print(f"figure memory of hearth-uplink in MiB: {memory(main)}, {consumer.bytes / max(1, consumer.packed_rows):.2f} bytes a row of all, {dict(consumer.seen)}")
main.terminate()
check("it ends in order", main.wait(6) == 0)
if os.environ.get("HEARTH_LAB") == "virtual":
    late_clock()
else:
    print("skipped: the clock is put back in the lab alone")
listener.close()
proxy.end()
print(f"in {time.time() - began:.0f} s\n{passed} passed, {failed} failed")
sys.exit(failed != 0)
