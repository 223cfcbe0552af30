#!/usr/bin/env python3
"""What Home Assistant finds by itself: hearth-uplink beside a simulated hub and a real mosquitto.

    Tests/Uplink/home.py --programs .build-tests/release

Descriptions are held against what Home Assistant's documentation says of MQTT discovery, of sensors and of binary sensors. States are read
with the templates of the descriptions, by Jinja, as Home Assistant does it. Needs mosquitto, jinja2 of requirements.txt, and hearth-sim and
hearth-uplink in the folder of --programs. Takes a minute.
"""
import argparse, atexit, json, os, pathlib, re, shutil, signal, socket, subprocess, sys, tempfile, time

import jinja2

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import wire
from ports import free_port

options = argparse.ArgumentParser()
options.add_argument("--programs", required=True, type=pathlib.Path)
programs = options.parse_args().programs.resolve()
folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-home-"))
children, failed, passed = [], 0, 0

# https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery, sensor.mqtt, binary_sensor.mqtt; device classes of sensor and binary_sensor.
COMMON = {
    "availability": list, "availability_mode": str, "availability_template": str, "availability_topic": str, "default_entity_id": str, "device": dict,
    "device_class": str, "enabled_by_default": bool, "encoding": str, "entity_category": str, "entity_picture": str, "expire_after": int,
    "force_update": bool, "icon": str, "json_attributes_template": str, "json_attributes_topic": str, "name": str, "object_id": str, "origin": dict,
    "payload_available": str, "payload_not_available": str, "platform": str, "qos": int, "state_topic": str, "unique_id": str, "value_template": str}
ALLOWED = {
    "sensor": COMMON | {"last_reset_value_template": str, "options": list, "state_class": str, "suggested_display_precision": int, "unit_of_measurement": str},
    "binary_sensor": COMMON | {"off_delay": int, "payload_off": str, "payload_on": str}}
DEVICE = {"configuration_url": str, "connections": list, "hw_version": str, "identifiers": list, "manufacturer": str, "model": str, "model_id": str,
          "name": str, "serial_number": str, "suggested_area": str, "sw_version": str, "via_device": str}
ORIGIN = {"name": str, "sw_version": str, "support_url": str}
CLASSES = {"sensor": {"battery": {"%"}}, "binary_sensor": {"presence": None, "problem": None}}


def defects(topic, text, prefix):
    """What Home Assistant would not take, or take as something else."""
    try:
        found = json.loads(text)
    except ValueError as error:
        return [str(error)]
    if not re.fullmatch(re.escape(prefix) + r"/(sensor|binary_sensor)/[a-zA-Z0-9_-]+/[a-zA-Z0-9_-]+/config", topic):
        return [f"the topic {topic}"]
    component, wrong = topic.split("/")[1], []
    for key, kinds in ((None, ALLOWED[component]), ("device", DEVICE), ("origin", ORIGIN)):
        part = found if key is None else found.get(key)
        if not isinstance(part, dict):
            wrong.append(f"no {key}")
            continue
        wrong += [f"{key or component} has {name}" for name in part if name not in kinds]
        wrong += [f"{name} is {value!r}" for name, value in part.items() if name in kinds and type(value) is not kinds[name]]
    wrong += [f"no {name}" for name in ("name", "unique_id", "state_topic", "value_template", "availability_topic") if not found.get(name)]
    if not found.get("device", {}).get("identifiers") or not found.get("device", {}).get("name"):
        wrong.append("a device that is nobody")
    kind = found.get("device_class")
    if kind is not None and kind not in CLASSES[component]:
        wrong.append(f"device_class {kind}")
    elif kind and CLASSES[component][kind] and found.get("unit_of_measurement") not in CLASSES[component][kind]:
        wrong.append(f"{kind} in {found.get('unit_of_measurement')}")
    if found.get("state_class", "measurement") not in ("measurement", "total", "total_increasing"):
        wrong.append(f"state_class {found['state_class']}")
    if found.get("entity_category", "diagnostic") != "diagnostic" or not str(found.get("icon", "mdi:")).startswith("mdi:") or found.get("expire_after", 1) < 1:
        wrong.append("a category, an icon or a time that is none")
    return wrong


class Home:
    """What a Home Assistant knows: what the broker keeps, and what comes."""

    def __init__(self, port, name, *topics):
        self.kept, self.descriptions, self.removed = {}, {}, set()
        self.client = wire.Client(port, name, list(topics), self.take)
        self.client.ready.wait(10)

    def take(self, topic, payload, retained, size):
        self.kept[topic] = payload
        if topic.endswith("/config"):
            if payload:
                self.descriptions[topic] = json.loads(payload)
            else:
                self.removed.add(topic)
                self.descriptions.pop(topic, None)

    def read(self, template, topic):
        payload = self.kept.get(topic, b"")
        try:
            value = json.loads(payload)
        except ValueError:
            value = None
        return jinja2.Environment().from_string(template).render(value=payload.decode(), value_json=value)

    def state(self, entity):
        return self.read(entity["value_template"], entity["state_topic"])

    def available(self, entity):
        return self.read(entity["availability_template"], entity["availability_topic"])

    def entities(self, end, device=None):
        return [entity for topic, entity in sorted(self.descriptions.items()) if topic.endswith(f"_{end}/config") and device in (None, entity["device"]["name"])]


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
    print(f"{'ok  ' if truth else 'FAIL'} {sentence}" + (f" ({detail})" if detail != "" else ""), flush=True)


def until(seconds, condition):
    end = time.time() + seconds
    while time.time() < end:
        try:
            if condition():
                return True
        except (OSError, RuntimeError, KeyError, IndexError):
            pass
        time.sleep(0.2)
    return False


def start(name, *command):
    log = open(folder / f"{name}.log", "ab")
    children.append(subprocess.Popen([str(part) for part in command], stdout=log, stderr=log, cwd=folder, env=os.environ | {"SWIFT_BACKTRACE": "enable=no"}))
    return children[-1]


def uplink(name, on=True, prefix="homeassistant", sparkplug=True, persons="names", port=None):
    (folder / f"{name}.yaml").write_text(
        f"broker:\n  address: localhost:{port or PORT}\n  client: {name}\ntls:\n  on: false\ngroup: {name}\nhub_socket: {folder}/hub.sock\nsocket: {folder}/{name}.sock\n"
        f"persons: {persons}\npersons_key: {folder}/persons.key\nsparkplug: {str(sparkplug).lower()}\nhome_assistant:\n  on: {str(on).lower()}\n  prefix: {prefix}\n"
        f"history:\n  cursor: {name}\n")
    return start(name, programs / "hearth-uplink", "--config", folder / f"{name}.yaml")


def end(child, how=signal.SIGTERM):
    child.send_signal(how)
    child.wait(10)


def call(method, **parameters):
    daemon = wire.Daemon(folder / "hub.sock")
    try:
        return daemon.call(method, **parameters)
    finally:
        daemon.close()


def troubles(name):
    daemon = wire.Daemon(folder / f"{name}.sock", "io.hearth.Uplink")
    try:
        return {trouble["code"]: trouble["detail"] for trouble in daemon.call("Status")["uplink"]["troubles"]}
    finally:
        daemon.close()


PORT, SHY = free_port(), free_port()
(folder / "persons.key").write_bytes(os.urandom(32))
(folder / "access").write_text("topic read #\ntopic write hearth/#\ntopic write spBv1.0/#\n")
for child in ("persons.key", "access"):
    (folder / child).chmod(0o644)
folder.chmod(0o777)
(folder / "mosquitto.conf").write_text(f"per_listener_settings true\nlistener {PORT} 127.0.0.1\nallow_anonymous true\nlistener {SHY} 127.0.0.1\nallow_anonymous true\nacl_file {folder}/access\n")
start("mosquitto", "mosquitto", "-c", folder / "mosquitto.conf")
start("sim", programs / "hearth-sim", "serve", "--population", "gym", "--wearables", "4", "--socket", folder / "hub.sock", "--store", folder / "store")
if not until(20, lambda: not socket.create_connection(("127.0.0.1", PORT), 1).close() and call("Status")["status"]["phase"] == "serving"):
    sys.exit((folder / "sim.log").read_text() + (folder / "mosquitto.log").read_text())
until(60, lambda: sum(device["heart_rate"] is not None for device in call("Devices")["devices"]) >= 2)
names = [device["name"] for device in call("Devices")["devices"] if device["enrolled"]]
call("WearerAdd", name="Łukasz")
call("Assign", name=names[0], wearer="Łukasz")
call("Assign", name=names[1], wearer=None)

# Off, as it is delivered.
home = Home(PORT, "home", "homeassistant/#", "casa/#", "hearth/1/+/+/home/#", "hearth/1/+/+/status")
child = uplink("off", on=False)
check("unless it is wanted nothing is said to Home Assistant", until(15, lambda: "hearth/1/off/gym/status" in home.kept) and time.sleep(3) is None
      and not home.descriptions and not any("/home/" in topic for topic in home.kept), sorted(home.kept)[:3])
end(child)

child = uplink("house", sparkplug=False)
check("each wearable has heart rate, battery, presence and wearer, and the hub its trouble", until(20, lambda: all(
    len(home.entities(kind)) == len(names) for kind in ("heart_rate", "battery", "present", "wearer")) and len(home.entities("trouble")) == 1), sorted(home.descriptions)[:4])
wrong = {topic: found for topic, entity in home.descriptions.items() if (found := defects(topic, json.dumps(entity), "homeassistant"))}
check("every description is one that Home Assistant's documentation knows", not wrong and home.descriptions, wrong or len(home.descriptions))
late = Home(PORT, "late", "homeassistant/#", "hearth/1/house/#")
check("the broker keeps them for a Home Assistant that starts later", until(5, lambda: late.descriptions == home.descriptions), len(late.descriptions))
unique = [entity["unique_id"] for entity in home.descriptions.values()]
check("every entity has an identifier of its own, and every wearable hangs on its hub", len(set(unique)) == len(unique) and {
    entity["device"].get("via_device") for entity in home.descriptions.values()} == {None, home.entities("trouble")[0]["device"]["identifiers"][0]})


def agrees():
    """States as the hub says them itself; a heart rate may be some seconds old."""
    here = {device["name"]: device for device in call("Devices")["devices"]}
    for name in names:
        present, rate, battery = (home.state(home.entities(kind, name)[0]) for kind in ("present", "heart_rate", "battery"))
        is_here = here[name]["state"] in ("present", "waiting", "connecting", "visiting", "linked", "live") or here[name]["heart_rate"] is not None
        if (present == "ON") != is_here or battery != str(here[name]["battery"]):
            return False
        if here[name]["heart_rate"] and not (rate.isdigit() and abs(int(rate) - here[name]["heart_rate"]) < 40):
            return False
    return True


check("states read by their templates are what the hub says", until(60, agrees), [(name, home.state(home.entities("heart_rate", name)[0])) for name in names])
check("heart rates are numbers", until(30, lambda: sum(home.state(entity).isdigit() for entity in home.entities("heart_rate")) >= 2), [home.state(entity) for entity in home.entities("heart_rate")])
check("of a wearable that nobody wears there is no wearer, and of the other the name that the settings let through",
      until(40, lambda: home.state(home.entities("wearer", names[0])[0]) == "Łukasz") and home.state(home.entities("wearer", names[1])[0]) == "None", [home.state(entity) for entity in home.entities("wearer")])
trouble = home.entities("trouble")[0]
check("trouble is on or off, and the hub is available", home.state(trouble) in ("ON", "OFF") and home.available(trouble) == "online", (home.state(trouble), home.available(trouble)))
end(child, signal.SIGKILL)
check("a hub that is killed is not available, by its will", until(10, lambda: home.available(trouble) == "offline"))
before = dict(home.descriptions)
call("Rename", name=names[1], new_name="band-of-zoe")
call("Forget", name=names[2])
child = uplink("house", sparkplug=False)
check("started again it is available", until(15, lambda: home.available(trouble) == "online"))
gone = {topic for topic, entity in before.items() if entity["device"]["name"] in (names[1], names[2])}
check("what was forgotten or renamed meanwhile is gone, and the rest is as it was", until(15, lambda: gone <= home.removed) and all(
    home.descriptions.get(topic) == entity for topic, entity in before.items() if topic not in gone), sorted(gone - home.removed)[:3])
check("with its states", until(5, lambda: home.kept[f"hearth/1/house/gym/home/{names[2]}"] == b""))
check("and the new name is there", until(10, lambda: len(home.entities("heart_rate", "band-of-zoe")) == 1))
# Left by an uplink of before a reboot; this one does not know of it.
stale = next(topic for topic in before if topic not in gone).rsplit("/", 2)[0] + "/0123456789abcdef_battery/config"
foreign = "homeassistant/sensor/other-device/temperature/config"
home.client.send(wire.Client.packet(0x31, home.client.text(stale) + b'{"name":"stale"}'))
home.client.send(wire.Client.packet(0x31, home.client.text(foreign) + b'{"name":"foreign"}'))
check("what is left of this hub that nobody knows is taken away", until(45, lambda: stale in home.removed))
check("and nothing that is another's", foreign not in home.removed)
end(child)
check("after an end in order it is not available", until(5, lambda: home.available(trouble) == "offline"))
child = uplink("house", sparkplug=False, prefix="casa")
check("with another prefix all is there, and not where it was", until(20, lambda: sum(topic.startswith("casa/") for topic in home.descriptions) == 13)
      and not any(topic.startswith("homeassistant/") and topic != foreign for topic in home.descriptions), len(home.descriptions))
end(child)
child = uplink("house", on=False, sparkplug=False)
check("turned off it takes all of it away", until(15, lambda: not [topic for topic in home.descriptions if topic != foreign]
      and not any(payload for topic, payload in home.kept.items() if "/house/gym/home/" in topic)), sorted(home.descriptions)[:3])
end(child)

# With Sparkplug the will is another: silence tells. People as the settings say.
child = uplink("spark", persons="pseudonyms")
check("with Sparkplug states expire", until(20, lambda: len(home.entities("present")) == 3) and {
    entity.get("expire_after") for entity in home.entities("present") + home.entities("heart_rate")} == {180}, len(home.entities("present")))
check("a pseudonym stays one", until(40, lambda: re.fullmatch("[0-9a-f]{16}", home.state(home.entities("wearer", names[0])[0]))), home.state(home.entities("wearer", names[0])[0]))
end(child)
check("and nowhere is the name", b"\xc5\x81ukasz" not in b"".join(payload for topic, payload in home.kept.items() if "/spark/" in topic)
      and "\\u0141" not in str([payload for topic, payload in home.kept.items() if "/spark/" in topic]))
child = uplink("nobody", persons="none")
check("where nobody is told there is no wearer", until(20, lambda: len([entity for entity in home.entities("present") if "/nobody/" in entity["state_topic"]]) == 3)
      and not [entity for entity in home.entities("wearer") if "/nobody/" in entity["state_topic"]])
end(child)
shy = Home(SHY, "shy-ear", "hearth/1/shy/gym/rows")
child = uplink("shy", port=SHY)
check("a broker that forbids these topics gets rows all the same, and H9002 says so", until(30, lambda: shy.kept and "topic homeassistant/" in troubles("shy").get("H9002", "")
      and "rows go on" in troubles("shy")["H9002"]), troubles("shy"))
end(child)
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
