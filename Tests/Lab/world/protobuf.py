"""As much of protobuf's wire format as the twins of Polar's wearables speak: fields are written by number, and read into lists."""
import struct


def varint(number):
    content = bytearray()
    while True:
        content.append(number & 0x7F | (0x80 if number > 0x7F else 0))
        number >>= 7
        if not number:
            return bytes(content)


def number(field, value):
    """uint32, uint64, bool, an enumeration, or an int32 (of 64 bits if it is negative)."""
    return varint(field << 3) + varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def real(field, value):
    """float"""
    return varint(field << 3 | 5) + struct.pack("<f", value)


def part(field, content):
    """A message, text, or packed numbers."""
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def packed(field, values):
    return part(field, b"".join(map(varint, values)))


def read(data):
    """{field: [value, ...]} with numbers and bytes; ValueError for what is no message."""
    fields, at = {}, 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at)
        elif kind in (1, 2, 5):
            size, at = _varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            value, at = bytes(data[at : at + size]), at + size
            if len(value) != size:
                raise ValueError("cut")
        else:
            raise ValueError(f"wire type {kind}")
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def _varint(data, at):
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise ValueError("cut")
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
    raise ValueError("a number of more than ten bytes")
