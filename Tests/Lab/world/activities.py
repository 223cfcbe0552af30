"""What an insole recorded: made up, but the same for every run, so that a test knows every byte."""
import struct

START = 1_763_700_000  # s since 1970; 2025-11-21
RECORD = 26
SERVICE = bytes.fromhex("cdc89efc3f00a889974d69ca166ab35c")


def activity(insole, number, records, is_closed=True, rest=b"", begin=None):
    """An activity file, version 3: header, records, footer; `rest` is what a cut left behind; `begin`: what the insole's clock showed then."""
    begin = START + insole * 100_000 + number * 4000 if begin is None else begin
    header = struct.pack("<4sBII16sBBBBHBB", b"BOTZ", 3, begin, 100, b"001.07.01", 175, 70, 30, 1, 0, 80, 0) + SERVICE
    body = b"".join(_record(insole, number, index, begin) for index in range(records))
    footer = struct.pack("<IIIIHBB", begin + records + 5, 0, records, 0, 0, 80, 0) if is_closed else b""
    return header + body + rest + footer


def _record(insole, number, index, begin):
    pace = 280 + (index * 7 + insole) % 120
    return struct.pack(
        "<IIHHHbHHbbbBBbB",
        index,
        begin + index + 1,
        150 + (index + number) % 40,
        pace,
        36_000 // pace,
        index % 11 - 5,
        230 + index % 50,
        80 + index % 30,
        index % 7 - 3,
        index % 5 - 2,
        index % 3 - 1,
        index % 3,
        (index + 1) % 3,
        index % 9 - 4,
        5 + index % 6,
    )
