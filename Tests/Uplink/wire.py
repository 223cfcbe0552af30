"""What a consumer has to know of the uplink. MQTT 3.1.1 and 5 as far as a subscriber needs them, protobuf by hand, batches and Sparkplug
payloads. Written from the description of the messages, not from the hub's code."""
import base64, json, socket, ssl, struct, threading, time, zlib
from datetime import datetime, timezone
from decimal import Decimal


def varint(data, at):
    shift = value = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """(number, wire type, value) of a message; 64-bit and 32-bit values as bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        else:
            size = {1: 8, 5: 4}[kind]
            value, at = data[at:at + size], at + size
        yield tag >> 3, kind, value


def zigzag(value):
    return value >> 1 ^ -(value & 1)


def packed(value, kind, convert=lambda number: number):
    if kind == 0:
        return [convert(value)]
    numbers, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        numbers.append(convert(number))
    return numbers


def run_rows(data):
    """A Run as (skipped, rows); a row is a dictionary."""
    one = {}
    lists = {9: [], 12: [], 16: [], 17: [], 18: [], 19: [], 29: []}
    for number, kind, value in fields(data):
        if number in (9, 16, 29):
            lists[number] += packed(value, kind)
        elif number in (12, 17, 18):
            lists[number] += packed(value, kind, zigzag)
        elif number == 19:
            lists[19].append(value)
        else:
            one[number] = struct.unpack("<Q", value)[0] if kind == 1 else value
    text = lambda number: one.get(number, b"").decode()
    count = one[30]
    assert 1 <= count <= 65536
    gaps, times, widths = lists[9] or [0] * (count - 1), lists[12], lists[16] or [one.get(15, 0)] * count
    assert len(gaps) == count - 1 and len(times) == count - 1 and len(widths) == count and len(lists[17]) == sum(widths)
    for number in (18, 19, 29):
        assert len(lists[number]) in (0, count)
    ordinal, moment, step, before, at = one.get(7, 0), zigzag(one.get(10, 0)), 0, [], 0
    address = one.get(3, 0)
    rows = []
    for place in range(count):
        if place:
            ordinal += gaps[place - 1] + 1
            step += times[place - 1] * one[11]
            moment += step
        numbers = []
        for column in range(widths[place]):
            numbers.append(lists[17][at] + (before[column] if column < len(before) else 0))
            at += 1
        before = numbers
        multiple, scale = one[14], Decimal(10) ** one.get(13, 0)
        rows.append({
            "enrolment": one.get(1, 0), "device": text(2), "address": ":".join(f"{address >> shift & 255:02X}" for shift in range(40, -8, -8)) if address else "",
            "series": text(4), "unit": text(5), "way": "fetched" if one.get(6) else "live", "ordinal": ordinal, "time": moment,
            "numbers": [Decimal(number * multiple) / scale for number in numbers], "origin": text(20), "kind": text(21), "manual": bool(one.get(22)),
            "wearer": text(23), "encoding": one.get(24, 0), "period_ns": one.get(25, 0), "record": one.get(26, 0), "unsure": bool(one.get(27)),
            "low": bool(one.get(28)), "corrected": bool(one.get(31)), "end": moment + lists[18][place] if lists[18] else None, "data": bytes(lists[19][place]) if lists[19] else None,
            "count": lists[29][place] if lists[29] else None})
    return one.get(8, 0), rows


def batch(data):
    found = {"store": 0, "hub": "", "resend": 0, "runs": [], "retimed": [], "corrections": 0, "version": 0}
    for number, kind, value in fields(data):
        if number == 1: found["version"] = value
        elif number == 2: found["store"] = struct.unpack("<Q", value)[0]
        elif number == 3: found["hub"] = value.decode()
        elif number == 5: found["runs"].append(run_rows(value))
        elif number == 6:
            for field, _, run in fields(zlib.decompress(value)):
                found[{1: "runs", 2: "retimed"}[field]].append(run_rows(run))
        elif number == 7: found["corrections"] += 1
        elif number == 8: found["resend"] = value
        elif number == 10: found["retimed"].append(run_rows(value))
    assert found["version"] == 1
    return found


def micro(text):
    whole, _, fraction = text.rstrip("Z").partition(".")
    return int(datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc).timestamp()) * 1_000_000 + int((fraction or "0").ljust(6, "0"))


def flat(value):
    return [number for item in value for number in flat(item)] if isinstance(value, list) else [Decimal(value)]


def differs(row, sample):
    """In what a row of a batch is not the sample that the hub exports."""
    wanted = {
        "device": sample["device"], "address": sample["address"], "unit": sample.get("unit", ""), "origin": sample["origin"], "time": micro(sample["time"]),
        "numbers": flat(sample["value"]) if "value" in sample else [], "kind": sample.get("kind", ""), "manual": sample.get("manual", False),
        "end": micro(sample["end"]) if "end" in sample else None, "encoding": sample.get("encoding", 0), "period_ns": sample.get("period_ns", 0),
        "count": sample.get("count"), "record": sample.get("record", 0), "data": base64.b64decode(sample["data"]) if "data" in sample else None,
        "unsure": sample.get("clock") == "unsure", "low": sample.get("quality") == "low"}
    return [name for name, value in wanted.items() if row[name] != value]


def sparkplug(data):
    """seq and metrics: name or alias, value, historical, unit."""
    found = {"seq": None, "time": None, "metrics": []}
    for number, kind, value in fields(data):
        if number == 1: found["time"] = value
        elif number == 3: found["seq"] = value
        elif number == 2:
            metric = {"name": None, "alias": None, "value": None, "historical": False, "unit": None, "time": None, "type": None}
            for field, _, item in fields(value):
                if field == 1: metric["name"] = item.decode()
                elif field == 2: metric["alias"] = item
                elif field == 3: metric["time"] = item
                elif field == 4: metric["type"] = item
                elif field == 5: metric["historical"] = bool(item)
                elif field == 9:
                    for part, _, inner in fields(item):
                        if part == 2: metric["unit"] = next((text.decode() for place, _, text in fields(inner) if place == 8), None)
                elif field in (10, 11): metric["value"] = item
                elif field == 13: metric["value"] = struct.unpack("<d", item)[0]
                elif field == 14: metric["value"] = bool(item)
                elif field == 15: metric["value"] = item.decode()
            found["metrics"].append(metric)
    return found


def rebirth_request():
    name = b"Node Control/Rebirth"
    metric = b"\x0a" + bytes([len(name)]) + name + b"\x20\x0b" + b"\x70\x01"
    return b"\x12" + bytes([len(metric)]) + metric


class Client:
    """A subscriber of MQTT 3.1.1 that reads in a thread of its own, comes back when the broker does, and keeps its session."""

    def __init__(self, port, name, topics, on_message, quality=1, user=None, password=None):
        self.port, self.name, self.topics, self.on_message, self.quality = port, name, topics, on_message, quality
        self.user, self.password = user, password
        self.over, self.link, self.ready = False, None, threading.Event()
        self.lock = threading.Lock()
        threading.Thread(target=self.run, daemon=True).start()

    @staticmethod
    def text(value):
        value = value.encode() if isinstance(value, str) else value
        return struct.pack(">H", len(value)) + value

    @staticmethod
    def packet(head, body):
        size, length = b"", len(body)
        while True:
            length, digit = length >> 7, length & 127
            size += bytes([digit | (128 if length else 0)])
            if not length:
                return bytes([head]) + size + body

    def send(self, data):
        with self.lock:
            self.link.sendall(data)

    def take(self, count):
        data = b""
        while len(data) < count:
            more = self.link.recv(count - len(data))
            if not more:
                raise OSError("closed")
            data += more
        return data

    def read(self):
        head = self.take(1)[0]
        size = shift = 0
        while True:
            byte = self.take(1)[0]
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return head, self.take(size)

    def run(self):
        while not self.over:
            try:
                self.link = socket.create_connection(("127.0.0.1", self.port), 5)
                self.link.settimeout(30)
                flags = (0xC0 if self.user else 0)
                body = self.text("MQTT") + bytes([4, flags]) + struct.pack(">H", 0) + self.text(self.name)
                if self.user:
                    body += self.text(self.user) + self.text(self.password)
                self.send(self.packet(0x10, body))
                head, answer = self.read()
                if head != 0x20 or answer[1]:
                    raise OSError("refused")
                body = b"\0\1" + b"".join(self.text(topic) + bytes([self.quality]) for topic in self.topics)
                if self.topics:
                    self.send(self.packet(0x82, body))
                else:
                    self.ready.set()
                self.link.settimeout(None)
                while True:
                    head, body = self.read()
                    if head >> 4 == 9:
                        self.ready.set()
                    elif head >> 4 == 3:
                        length = struct.unpack(">H", body[:2])[0]
                        topic, rest = body[2:2 + length].decode(), body[2 + length:]
                        number = None
                        if head & 6:
                            number, rest = rest[:2], rest[2:]
                        self.on_message(topic, rest, bool(head & 1), len(body) + 2)
                        if number:
                            self.send(self.packet(0x40, number))
            except (OSError, struct.error):
                if not self.over:
                    time.sleep(0.2)

    def publish(self, topic, payload, quality=0):
        self.send(self.packet(0x30 | quality << 1, self.text(topic) + (b"\x77\x01" if quality else b"") + payload))

    def close(self):
        self.over = True
        if self.link:
            try:
                self.link.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.link.close()


class Daemon:
    """Calls over a UNIX socket, as Varlink has them."""

    def __init__(self, path, interface="io.hearth.Hub"):
        self.link, self.interface, self.rest = socket.socket(socket.AF_UNIX), interface, b""
        self.link.settimeout(30)
        self.link.connect(str(path))

    def call(self, method, **parameters):
        self.link.sendall(json.dumps({"method": f"{self.interface}.{method}", "parameters": parameters}).encode() + b"\0")
        while b"\0" not in self.rest:
            more = self.link.recv(1 << 16)
            if not more:
                raise OSError("hung up")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        reply = json.loads(message, parse_float=Decimal)
        if "error" in reply:
            raise RuntimeError(reply["parameters"].get("code", reply["error"]))
        return reply["parameters"]

    def close(self):
        self.link.close()


def kept_for(port, topic):
    """Seconds that a broker of MQTT 5 will go on to keep the retained message of a topic. `None`: for ever, or there is no message."""
    with socket.create_connection(("127.0.0.1", port), 5) as link:
        body = Client.text("MQTT") + bytes([5, 2]) + struct.pack(">H", 0) + b"\0" + Client.text("kept-for")
        subscription = b"\0\1\0" + Client.text(topic) + bytes([0])
        link.sendall(Client.packet(0x10, body) + Client.packet(0x82, subscription))
        link.settimeout(1)
        data = b""
        try:
            while part := link.recv(4096):
                data += part
        except TimeoutError:
            pass
    # Payload and properties of the only message that can be in it: section 2.2.2.2 of MQTT 5, 0x02 is the expiry.
    place = data.find(Client.text(topic))
    if place < 0:
        return None
    place += len(Client.text(topic))
    properties = data[place + 1 : place + 1 + data[place]]
    return struct.unpack(">I", properties[1:5])[0] if properties[:1] == b"\2" else None
