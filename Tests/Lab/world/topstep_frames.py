"""What FitCloud bands and those of TopStep's new platform share on the wire. This is service, checksum, pieces, and how frames are found in a stream of
pieces.

Both put 0xAB in front, a header, a length and a CRC-16/ARC; they differ in the header. A frame comes in pieces of 20 bytes and more, and several frames
may follow each other in one piece. Bytes that begin no frame are skipped.
"""

SERVICE = "000001FF-3C17-D293-8E48-14FE2E4DA212"
COMMAND = "0000FF02-3C17-D293-8E48-14FE2E4DA212"
ANSWER = "0000FF03-3C17-D293-8E48-14FE2E4DA212"
NAME = "0000FF04-3C17-D293-8E48-14FE2E4DA212"
MARK = 0xAB
PIECE = 20


def crc16(content):
    """CRC-16/ARC: reflected polynomial 0x8005, start 0, no final xor."""
    value = 0
    for byte in content:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xA001 if value & 1 else 0)
    return value


def pieces(frame, size=PIECE):
    return [frame[at : at + size] for at in range(0, len(frame), size)]


class Assembly:
    """Of pieces: whole frames. `size_of(bytes)` gives the length of a frame that begins there, `None` if its header is not whole, 0 if no
    frame begins there."""

    def __init__(self, size_of):
        self.size_of = size_of
        self.buffer = b""

    def take(self, piece):
        """Frames that are whole now, as bytes."""
        self.buffer += bytes(piece)
        found = []
        while self.buffer:
            size = self.size_of(self.buffer) if self.buffer[0] == MARK else 0
            if size == 0:
                self.buffer = self.buffer[1:]
            elif size is None or len(self.buffer) < size:
                break
            else:
                found.append(self.buffer[:size])
                self.buffer = self.buffer[size:]
        return found
