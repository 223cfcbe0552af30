"""MCUmgr's Simple Management Protocol as an insole serves it: frames cut anywhere, group 8, CBOR maps of indefinite length."""
import struct

HEADER = 8
FILES = 8  # group
DOWNLOAD, STATUS, CLOSE = 0, 1, 4  # commands of that group
READ, WRITE = 0, 2
LONGEST_FRAME = 2475
CHUNK = 2431  # data bytes in a reply
NOT_FOUND, INVALID_OFFSET, NOT_SUPPORTED = 3, 12, 8


def encode(value):
    """CBOR of a dict (of indefinite length), text, bytes, or a number from 0."""
    if isinstance(value, dict):
        return b"\xbf" + b"".join(encode(key) + encode(item) for key, item in value.items()) + b"\xff"
    if isinstance(value, int):
        return _head(0, value)
    content = value.encode() if isinstance(value, str) else bytes(value)
    return _head(3 if isinstance(value, str) else 2, len(content)) + content


def _head(major, number):
    for limit, code, form in ((24, None, None), (1 << 8, 24, ">B"), (1 << 16, 25, ">H"), (1 << 32, 26, ">I")):
        if number < limit:
            return bytes([major << 5 | number]) if code is None else bytes([major << 5 | code]) + struct.pack(form, number)
    raise ValueError(number)


def decode(data):
    """A CBOR map of texts to numbers, texts and bytes, of either form; ValueError for anything else."""
    value, end = _item(data, 0)
    if not isinstance(value, dict) or end != len(data):
        raise ValueError("not one map")
    return value


def _item(data, at):
    first = data[at]
    major, short = first >> 5, first & 31
    at += 1
    if first == 0xBF:
        result = {}
        while data[at] != 0xFF:
            key, at = _item(data, at)
            result[key], at = _item(data, at)
        return result, at + 1
    if short >= 24:
        size = {24: 1, 25: 2, 26: 4, 27: 8}[short]
        number, at = int.from_bytes(data[at : at + size], "big"), at + size
    else:
        number = short
    if major == 0:
        return number, at
    if major in (2, 3):
        if at + number > len(data):
            raise ValueError("cut")
        content = bytes(data[at : at + number])
        return (content.decode() if major == 3 else content), at + number
    if major == 5:
        result = {}
        for _ in range(number):
            key, at = _item(data, at)
            result[key], at = _item(data, at)
        return result, at
    raise ValueError(f"major type {major}")


class Server:
    """Answers requests out of `files` (name to bytes)."""

    def __init__(self, files):
        self.files = files
        self.pending = b""
        self.chunk = None

    def reset(self):
        self.pending = b""

    def receive(self, piece):
        """Bytes of a write. Every reply to what is whole now, with the chunk (name, offset, length, size of the file) that is in it, if one is."""
        self.pending += piece
        replies = []
        while len(self.pending) >= HEADER:
            length = HEADER + struct.unpack(">H", self.pending[2:4])[0]
            if length > LONGEST_FRAME:
                self.pending = b""
                break
            if len(self.pending) < length:
                break
            frame, self.pending = self.pending[:length], self.pending[length:]
            self.chunk = None
            replies.append((self._answer(frame), self.chunk))
        return replies

    def _answer(self, frame):
        flags, _, _, group, sequence, command = struct.unpack(">BBHHBB", frame[:HEADER])
        version, operation = flags >> 3 & 3, flags & 7
        try:
            body = self._obey(group, command, operation, decode(frame[HEADER:]))
        except (ValueError, KeyError, IndexError, UnicodeDecodeError):
            body = {"rc": 3}
        except FileNotFoundError:
            body = {"err": {"group": FILES, "rc": NOT_FOUND}} if version else {"rc": 5}
        content = encode(body)
        return struct.pack(">BBHHBB", version << 3 | operation + 1, 0, len(content), group, sequence, command) + content

    def _obey(self, group, command, operation, request):
        if group != FILES or (command, operation) not in ((DOWNLOAD, READ), (STATUS, READ), (CLOSE, WRITE)):
            return {"rc": NOT_SUPPORTED}
        if command == CLOSE:
            return {}
        if request["name"] not in self.files:
            raise FileNotFoundError
        content = self.files[request["name"]]
        if command == STATUS:
            return {"len": len(content)}
        offset = request["off"]
        if offset > len(content):
            return {"err": {"group": FILES, "rc": INVALID_OFFSET}}
        data = content[offset : offset + CHUNK]
        self.chunk = (request["name"], offset, len(data), len(content))
        return {"off": offset, "data": data, **({"len": len(content)} if offset == 0 else {})}
