"""The digest of a batch: SipHash-2-4 with 128 bits of output over what the batch holds."""
import struct

KEY = b"hearth batch key"
MASK = (1 << 64) - 1


def siphash(data, key=KEY):
    """16 bytes, as the reference code writes them."""
    low, high = struct.unpack("<QQ", key)
    v = [low ^ 0x736F6D6570736575, high ^ 0x646F72616E646F6D ^ 0xEE, low ^ 0x6C7967656E657261, high ^ 0x7465646279746573]

    def turn(number, bits):
        return (number << bits | number >> 64 - bits) & MASK

    def rounds(count):
        a, b, c, d = v
        for _ in range(count):
            a, c = (a + b) & MASK, (c + d) & MASK
            b, d = turn(b, 13) ^ a, turn(d, 16) ^ c
            a = turn(a, 32)
            c, a = (c + b) & MASK, (a + d) & MASK
            b, d = turn(b, 17) ^ c, turn(d, 21) ^ a
            c = turn(c, 32)
        v[:] = a, b, c, d

    padded = data + bytes(-(len(data) + 1) % 8) + bytes([len(data) & 0xFF])
    for word, in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xEE
    rounds(4)
    first = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= 0xDD
    rounds(4)
    return struct.pack("<QQ", first, v[0] ^ v[1] ^ v[2] ^ v[3])


def varint(number):
    result = b""
    while number >= 0x80:
        result += bytes([number & 0x7F | 0x80])
        number >>= 7
    return result + bytes([number])


def batch(source, groups):
    """Of a source's text and groups of (Ring, items); every group has at least one item."""
    data = varint(len(source.encode())) + source.encode()
    for ring, items in groups:
        data += struct.pack("<HBBQ", ring.series, ring.way, len(items[0].values), len(items))
        for item in items:
            data += struct.pack("<qB", item.time, item.flags) + struct.pack(f"<{len(item.values)}q", *item.values)
            data += varint(len(item.data)) + item.data
    return siphash(data)
