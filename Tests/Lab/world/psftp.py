"""Polar's file transfer as a wearable serves it: air packets, messages, and a file system of folders that stay when they are empty."""
import struct

import protobuf

# Header of an air packet: bit 0 not the first, bits 1-2 status, bits 4-7 sequence.
RESPONSE, LAST, MORE = 0, 1, 3
CANCEL = b"\0\0\0"
GET, PUT, MERGE, REMOVE = range(4)
SUCCESS, NO_SUCH_FILE, NOT_PERMITTED, NOT_IMPLEMENTED, BUSY, INVALID_PARAMETER = 0, 103, 106, 201, 202, 102
SET_SYSTEM_TIME, SET_LOCAL_TIME, GET_LOCAL_TIME, GET_DISK_SPACE, REQUEST_SYNCHRONIZATION = 1, 3, 4, 5, 13
REQUEST_START_RECORDING, REQUEST_STOP_RECORDING, REQUEST_RECORDING_STATUS = 14, 15, 16
START_SYNC, STOP_SYNC, RESET, INITIALIZE_SESSION, TERMINATE_SESSION = 0, 1, 2, 8, 9
FRAGMENT = 512  # bytes


def packets(message, size):
    """The air packets of a message, each of at most `size` bytes."""
    room = size - 1
    cuts = [message[at : at + room] for at in range(0, len(message), room)] or [b""]
    last = len(cuts) - 1
    return [bytes([(index & 15) << 4 | (MORE if index < last else LAST) << 1 | (index > 0)]) + cut for index, cut in enumerate(cuts)]


def status(code):
    return bytes([RESPONSE << 1]) + struct.pack("<H", code)


class Assembly:
    """Puts packets together; what does not follow what came before is dropped."""

    def __init__(self):
        self.message = None
        self.expected = 0

    def take(self, packet):
        """The whole message, once it is."""
        header = packet[0]
        if not header & 1:
            self.message, self.expected = b"", 0
        state, sequence = header >> 1 & 3, header >> 4
        if self.message is None or state not in (LAST, MORE) or sequence != self.expected:
            self.message = None
            return None
        self.message += packet[1:]
        self.expected = self.expected + 1 & 15
        if state == MORE:
            return None
        whole, self.message = self.message, None
        return whole


def request(message):
    """(query, `None`, parameters) of a query; (`None`, (command, path), content) of a request."""
    head = struct.unpack("<H", message[:2])[0]
    if head & 0x8000:
        return head & 0x7FFF, None, message[2:]
    fields = protobuf.read(message[2 : 2 + head])
    return None, (fields[1][0], fields[2][0].decode()), message[2 + head :]


class Files:
    """By path; folders end in `/`."""

    def __init__(self):
        self.content = {}
        self.folders = {"/"}

    def put(self, path, content):
        self.content[path] = content
        at = path.find("/", 1)
        while at > 0:
            self.folders.add(path[: at + 1])
            at = path.find("/", at + 1)

    def under(self, path):
        """Files that go with a path."""
        folder = path if path.endswith("/") else path + "/"
        return sorted(one for one in self.content if one == path or one.startswith(folder))

    def remove(self, path):
        """Removed paths; `None` if there are no such paths."""
        folder = path if path.endswith("/") else path + "/"
        if path not in self.content and (folder not in self.folders or folder == "/"):
            return None
        gone = self.under(path)
        for one in gone:
            del self.content[one]
        self.folders = {one for one in self.folders if not one.startswith(folder)}
        return gone

    def listing(self, folder):
        """PbPFtpDirectory; `None` if there is no such folder."""
        if folder not in self.folders:
            return None
        below = {one[len(folder) :] for one in self.folders if one.startswith(folder) and one != folder}
        entries = {name: 0 for name in below if name.count("/") == 1}
        for path, content in self.content.items():
            if path.startswith(folder) and "/" not in path[len(folder) :]:
                entries[path[len(folder) :]] = len(content)
        return b"".join(protobuf.part(1, protobuf.part(1, name) + protobuf.number(2, size)) for name, size in sorted(entries.items()))

    def space(self, total):
        """PbPFtpDiskSpaceResult"""
        used = sum(-(-len(content) // FRAGMENT) for content in self.content.values())
        return protobuf.number(1, FRAGMENT) + protobuf.number(2, total // FRAGMENT) + protobuf.number(3, max(0, total // FRAGMENT - used))
