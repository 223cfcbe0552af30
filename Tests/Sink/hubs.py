"""Hubs as a broker sees them: batches of rows written by hand on the wire, and a publisher that waits for every
acknowledgement. Shares with the program only the description of the message."""
import decimal, random, socket, struct, zlib


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return varint((value << 1) ^ (value >> 63) if value >= 0 else (-value << 1) - 1)


def number(field, value):
    return varint(field << 3) + varint(value) if value else b""


def signed(field, value):
    return varint(field << 3) + zigzag(value)


def fixed(field, value):
    return varint(field << 3 | 1) + struct.pack("<Q", value)


def block(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def text(field, value):
    return block(field, value.encode()) if value else b""


def packed(field, values, encode=zigzag):
    return block(field, b"".join(map(encode, values))) if values else b""


class Ring:
    """A series of one wearable: what it sends, and what must be found of it."""

    def __init__(self, enrolment, device, address, series, unit, way="live", exponent=0, origin="live", unsure=False):
        self.enrolment, self.device, self.address, self.series, self.unit = enrolment, device, address, series, unit
        self.way, self.exponent, self.origin, self.unsure = way, exponent, origin, unsure

    def run(self, rows, wearer="", skipped=0, corrected=False):
        """Rows: (ordinal, µs, numbers, µs that it lasts or `None`)."""
        ordinals, times = [row[0] for row in rows], [row[1] for row in rows]
        gaps = [b - a - 1 for a, b in zip(ordinals, ordinals[1:])]
        steps = [b - a for a, b in zip(times, times[1:])]
        changes = [step - before for before, step in zip([0] + steps, steps)]
        widths = [len(row[2]) for row in rows]
        numbers, before = [], []
        for row in rows:
            numbers += [n - (before[place] if place < len(before) else 0) for place, n in enumerate(row[2])]
            before = row[2]
        even = len(set(widths)) == 1
        return b"".join([
            number(1, self.enrolment), text(2, self.device), fixed(3, self.address), text(4, self.series), text(5, self.unit),
            number(6, int(self.way == "fetched")), number(7, ordinals[0]), number(8, skipped),
            packed(9, gaps, varint) if any(gaps) else b"", signed(10, times[0]), number(11, 1), packed(12, changes),
            number(13, self.exponent), number(14, 1), number(15, widths[0]) if even else packed(16, widths, varint),
            packed(17, numbers), packed(18, [row[3] for row in rows]) if rows[0][3] is not None else b"",
            text(20, self.origin), text(23, wearer), number(27, int(self.unsure and not corrected)),
            number(30, len(rows)), number(31, int(corrected))])


class Hub:
    def __init__(self, name, group="hearth", seed=0):
        self.name, self.group = name, group
        self.store = random.Random(f"{group}/{name}/{seed}").getrandbits(64)

    def topic(self, what="rows"):
        return f"hearth/1/{self.group}/{self.name}/{what}"

    def batch(self, runs, sent_ms, corrections=(), deflate=True, retimed=()):
        head = number(1, 1) + fixed(2, self.store) + text(3, self.name) + number(4, sent_ms)
        inner = b"".join([block(1, run) for run in runs] + [block(2, run) for run in retimed])
        if deflate and inner:
            body = block(6, zlib.compress(inner))
        else:
            body = b"".join([block(5, run) for run in runs] + [block(10, run) for run in retimed])
        for enrolment, since, until, wearer in corrections:
            body += block(7, number(1, enrolment) + signed(2, since) + signed(3, until) + text(4, wearer))
        return head + body

    def heads(self, rings, sent_ms):
        """How far rings were acknowledged: (ring, first row, newest row)."""
        body = b"".join(block(9, b"".join([
            number(1, ring.enrolment), text(2, ring.device), fixed(3, ring.address), text(4, ring.series), text(5, ring.unit),
            number(6, int(ring.way == "fetched")), number(7, first[0]), signed(8, first[1]), number(9, newest[0] + 1), signed(10, newest[1])]))
            for ring, first, newest in rings)
        return number(1, 1) + fixed(2, self.store) + text(3, self.name) + number(4, sent_ms) + body

    def row(self, ring, row, wearer):
        """As the database must have it: key, µs, exact numbers, µs it lasts, wearer."""
        values = tuple(str_of(n, ring.exponent) for n in row[2])
        return ((f"{self.store:016x}", ring.enrolment, ring.series, ring.way, row[0]), (row[1], values, row[3], wearer or None))


def str_of(value, exponent):
    number = decimal.Decimal(value).scaleb(-exponent).normalize()
    return f"{number:f}"


def birth(value):
    """A birth or death of Sparkplug with its number alone."""
    return number(1, 1) + block(2, text(1, "bdSeq") + number(4, 4) + number(11, value))


class Publisher:
    """MQTT 3.1.1, quality of service 1, at most `window` without acknowledgement."""

    def __init__(self, port, client, window=200, tls=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file, self.window, self.out, self.last = self.socket.makefile("rb"), window, set(), 0
        self.send(0x10, struct.pack(">H", 4) + b"MQTT\x04\x02\x00\x00" + struct.pack(">H", len(client)) + client.encode())
        assert self.packet()[1][1] == 0, "broker refuses"

    def send(self, head, body):
        self.socket.sendall(bytes([head]) + varint(len(body)) + body)

    def packet(self):
        head, length, shift = self.file.read(1)[0], 0, 0
        while True:
            byte = self.file.read(1)[0]
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return head, self.file.read(length)

    def acknowledged(self, left=0):
        while len(self.out) > left:
            head, body = self.packet()
            if head >> 4 == 4:
                self.out.discard(struct.unpack(">H", body[:2])[0])

    def publish(self, topic, payload, retain=False, quality=1):
        self.acknowledged(self.window)
        topic = topic.encode()
        body = struct.pack(">H", len(topic)) + topic
        if quality:
            self.last = self.last % 65535 + 1
            self.out.add(self.last)
            body += struct.pack(">H", self.last)
        self.send(0x30 | quality << 1 | int(retain), body + payload)

    def close(self):
        self.acknowledged()
        self.send(0xE0, b"")
        self.socket.close()
