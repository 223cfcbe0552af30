"""Seals: their layout, and, with the key of the store, what is in them.

Written from Sources/RingStore/FORMAT.md, RFC 8439 and draft-irtf-cfrg-xchacha-03, in plain Python: slow, without shared code.
"""
import hashlib
import hmac
import struct

from chunks import need

OVERHEAD = 1 + 24 + 16
WORD = 0xFFFFFFFF


def layout(seal):
    """What can be told without the key."""
    need(len(seal) >= OVERHEAD and seal[0] == 1, "layout of a seal")
    return {"sealed": len(seal) - OVERHEAD}


def check(key):
    return hashlib.blake2b(b"hearth secrets check", digest_size=16, key=key).digest()


def opened(key, seal, table, tag, record_key, bound=b""):
    """The content, or `None` if the seal is another record's, another key's, or changed."""
    layout(seal)
    data = b"hearth-seal\1" + table.encode() + b"\0" + bytes([tag, len(record_key)]) + record_key + bound
    nonce, text, mark = seal[1:25], seal[25:-16], seal[-16:]
    subkey, nonce = _hchacha(key, nonce[:16]), bytes(4) + nonce[16:]
    once = _block(subkey, 0, nonce)[:32]
    padded = b"".join(part + bytes(-len(part) % 16) for part in (data, text))
    if not hmac.compare_digest(_poly1305(once, padded + struct.pack("<QQ", len(data), len(text))), mark):
        return None
    stream = b"".join(_block(subkey, 1 + number, nonce) for number in range((len(text) + 63) // 64))
    return bytes(one ^ other for one, other in zip(text, stream))


def _rounds(state):
    state = list(state)

    def quarter(a, b, c, d):
        for one, two, three, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[one] = state[one] + state[two] & WORD
            mixed = state[three] ^ state[one]
            state[three] = (mixed << turn | mixed >> 32 - turn) & WORD

    for _ in range(10):
        for a in range(4):
            quarter(a, 4 + a, 8 + a, 12 + a)
        for a in range(4):
            quarter(a, 4 + (a + 1) % 4, 8 + (a + 2) % 4, 12 + (a + 3) % 4)
    return state


_CONSTANT = struct.unpack("<4I", b"expand 32-byte k")


def _block(key, counter, nonce):
    state = (*_CONSTANT, *struct.unpack("<8I", key), counter, *struct.unpack("<3I", nonce))
    return struct.pack("<16I", *(one + other & WORD for one, other in zip(state, _rounds(state))))


def _hchacha(key, nonce):
    state = _rounds((*_CONSTANT, *struct.unpack("<8I", key), *struct.unpack("<4I", nonce)))
    return struct.pack("<8I", *state[:4], *state[12:])


def _poly1305(key, message):
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for start in range(0, len(message), 16):
        total = (total + int.from_bytes(message[start:start + 16] + b"\1", "little")) * r % ((1 << 130) - 5)
    return (total + int.from_bytes(key[16:], "little") & (1 << 128) - 1).to_bytes(16, "little")
