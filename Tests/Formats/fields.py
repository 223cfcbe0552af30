"""Records with fields: tag, length, content, and a checksum at the end. A table says what every kind of record may hold."""
import dataclasses
import re
import struct
import typing

import seals
from chunks import Bytes, Damaged, crc32c, need

MAXIMUM = 65536  # bytes of a record
STATE_NAME = re.compile(r"[a-z0-9-]{1,32}")


@dataclasses.dataclass
class Field:
    name: str
    type: typing.Union[str, dict]  # one of READ below; fields by their tags
    always: bool = False
    several: bool = False
    limit: typing.Optional[int] = None  # bytes of content
    least: int = 0
    most: typing.Optional[int] = None  # how often


def _text(content):
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise Damaged("not UTF-8") from error


def _fact(content):
    walk = Bytes(content)
    return {"name": _text(walk.take(walk.byte())), "value": walk.take(walk.left).decode(errors="replace")}  # from the air


def _note(content):
    walk = Bytes(content)
    name = _text(walk.take(walk.byte()))
    need(1 <= len(name.encode()) <= 32 and walk.left <= 120, "length of a note")
    return {"name": name, "value": _text(walk.take(walk.left))}


def _key(content):
    need(1 <= len(content) <= 65, "length of a key")
    # The key itself is left out: any reader of it can listen.
    return {"kind": content[0], "bytes": len(content) - 1}


def _secret(content):
    need(len(content) == 16, "length of a secret")
    return {"bytes": len(content)}  # as with keys


def _flag(content):
    need(content in (b"\0", b"\1"), "neither 0 nor 1")
    return content == b"\1"


def _packed(form, *names):
    def read(content):
        need(len(content) == struct.calcsize(form), "length of a field")
        return dict(zip(names, struct.unpack(form, content))) if names else struct.unpack(form, content)[0]
    return read


def _worn(content):
    need(len(content) == 20, "length of a field")
    return dict(zip(("wearable", "from", "to"), struct.unpack("<Iqq", content)))


def _confirmed(content):
    need(len(content) == 15, "length of a field")
    return dict(zip(("wearable", "series", "way"), struct.unpack(">IHB", content[:7])), below=struct.unpack("<Q", content[7:])[0])


READ = {
    "u8": _packed("<B"), "u16": _packed("<H"), "u32": _packed("<I"), "u64": _packed("<Q"), "i64": _packed("<q"), "i32": _packed("<i"), "i16": _packed("<h"),
    "text": _text, "bytes": bytes.hex, "fact": _fact, "note": _note, "key": _key, "secret": _secret, "seal": seals.layout, "confirmed": _confirmed, "worn": _worn,
    "range": _packed("<HBQQ", "series", "way", "first", "items"),
    "boot": _packed("<QQ", "high", "low"),
    "evidence": _packed("<qqqB", "device", "monotonic", "wall", "trusted"),
    "flag": _flag,
}

RECORDS = {
    "registry": {
        1: Field("address", "u64", always=True), 2: Field("address_type", "u8", always=True),
        3: Field("name", "text", always=True, limit=32, least=1), 4: Field("driver", "text", limit=64), 5: Field("kind", "text", limit=64),
        6: Field("enrolled", "i64", always=True), 7: Field("forgotten", "i64"), 8: Field("battery", "u8"),
        9: Field("gatt", "bytes", limit=16384), 10: Field("facts", "fact", several=True, most=16),
        11: Field("notes", "note", several=True, most=24), 12: Field("secret", "secret"),
        13: Field("sealed_secret", "seal", limit=57, least=57),
    },
    "wearers": {
        1: Field("name", "text", always=True, limit=64, least=1), 2: Field("made", "i64", always=True), 3: Field("retired", "i64"),
        4: Field("born", "i32"), 5: Field("sex", "u8"), 6: Field("height", "u16"), 7: Field("weight", "u16"),
        8: Field("maximum_heart_rate", "u16"), 9: Field("resting_heart_rate", "u16"), 10: Field("vo2_max", "u8"), 11: Field("training_background", "u8"),
        12: Field("typical_day", "u8"), 13: Field("sleep_goal", "u16"), 14: Field("take_off", "u8"), 15: Field("external", "text", limit=64, least=1),
    },
    "assignments": {1: Field("wearer", "u32", always=True), 2: Field("entered", "i64", always=True)},
    "cursors": {
        1: Field("position", "i64", always=True), 2: Field("mark", "bytes", limit=64), 3: Field("visit", "u64", always=True),
        4: Field("when", "i64", always=True),
    },
    "readers": {
        1: Field("made", "i64", always=True), 2: Field("confirmed", "i64", always=True), 3: Field("items", "u64", always=True),
        4: Field("rings", "confirmed", several=True, most=3800), 5: Field("by", "text", limit=64), 6: Field("corrections", "u64"),
        7: Field("clock", "bytes", limit=16),
    },
    "bonds": {
        1: Field("wearable", "u32", always=True), 2: Field("made", "i64", always=True), 3: Field("keys", "key", several=True, most=16),
        4: Field("sealed_keys", "seal", limit=1072 + seals.OVERHEAD), 5: Field("traits", "u8"),
    },
    "receipts": {
        1: Field("wearable", "u32", always=True), 2: Field("digest", "bytes", always=True, limit=16, least=16),
        3: Field("source", "text", always=True, limit=255), 4: Field("committed", "i64", always=True), 5: Field("visit", "u64", always=True),
        6: Field("items", "u64", always=True), 7: Field("ranges", "range", several=True),
    },
    "visits": {
        1: Field("wearable", "u32", always=True), 2: Field("began", "i64", always=True), 3: Field("ended", "i64"),
        4: Field("outcome", "u16", always=True), 5: Field("bytes", "u64", always=True), 6: Field("opened", "evidence"),
        7: Field("closed", "evidence"), 8: Field("trigger", "u8"), 9: Field("stage", "u8"), 10: Field("lane_outcome", "u8"),
        11: Field("items_done", "u32"), 12: Field("items_listed", "u32"), 13: Field("remark", "text", limit=120),
        14: Field("boot", "boot"), 15: Field("opened_offset", "i16"), 16: Field("closed_offset", "i16"),
        17: Field("listed", "flag"), 18: Field("unrecorded", "bytes", limit=128),
    },
    "custody": {
        1: Field("mark", "text", always=True, limit=40), 2: Field("size", "u64"), 3: Field("fetched", "u64", always=True),
        4: Field("fetched_at", "i64"), 5: Field("verified_at", "i64"), 6: Field("durable_at", "i64"), 7: Field("erased_at", "i64"),
        8: Field("flags", "u8", always=True), 9: Field("receipts", "u64", several=True, most=64), 10: Field("begins", "i64"),
        11: Field("remark", "text", limit=120), 12: Field("visit", "u64", always=True),
        13: Field("progress", "bytes", limit=2048), 14: Field("first_listed", "u64"), 15: Field("unread", "u8"),
        16: Field("phase", "text", limit=32),
    },
    "events": {
        1: Field("time", "i64", always=True), 2: Field("reason", "u16", always=True), 3: Field("wearable", "u32"),
        4: Field("text", "text", always=True, limit=255), 5: Field("from", "i64"), 6: Field("to", "i64"), 7: Field("count", "u32"),
    },
    # The key "run" of `meta`.
    "run": {
        1: Field("began", "i64", always=True), 2: Field("alive", "i64", always=True), 3: Field("ended", "i64"), 4: Field("boot", "boot"),
        5: Field("untold", "u32"), 6: Field("untold_from", "i64"),
    },
    # The key "hub-orders" of `meta`.
    "hub-orders": {
        1: Field("mutes", {1: Field("code", "u16", always=True), 2: Field("wearable", "u32"), 3: Field("since", "i64", always=True),
                           4: Field("end", {1: Field("until", "i64", always=True), 2: Field("left", "u32", always=True),
                                            3: Field("sure", "flag", always=True)})}, several=True, most=32),
    },
    "accesses": {
        1: Field("user", "u32", always=True), 2: Field("name", "text", limit=32), 3: Field("method", "text", always=True, limit=32),
        4: Field("wearable", "u32"), 5: Field("first", "i64", always=True), 6: Field("last", "i64", always=True), 7: Field("calls", "u64", always=True),
        8: Field("samples", "u64", always=True), 9: Field("wearers", "u32", several=True, most=32), 10: Field("more_wearers", "flag"),
        11: Field("series", "u16", several=True, most=64), 12: Field("earliest", "i64"), 13: Field("latest", "i64"), 14: Field("cursor", "text", limit=32),
    },
    "erasures": {
        1: Field("begun", "i64", always=True), 2: Field("done", "i64"), 3: Field("items", "u64", always=True),
        4: Field("spans", "worn", several=True, most=2800),
    },
    "corrections": {
        1: Field("wearable", "u32", always=True), 2: Field("from", "i64", always=True), 3: Field("to", "i64", always=True),
        4: Field("old", "u32", always=True), 5: Field("new", "u32", always=True), 6: Field("entered", "i64", always=True),
    },
    "watermarks": {1: Field("end", "i64"), 2: Field("visit", "u64", always=True), 3: Field("moved", "i64", always=True), 4: Field("refused", "u64"),
                   5: Field("to_come", "u64", several=True, most=128), 6: Field("read_to", "i64")},
    "state": {1: Field("version", "u16", always=True), 2: Field("fields", "bytes", limit=8192),
              3: Field("sealed", "seal", limit=8192 + seals.OVERHEAD)},
}


def _several(name, fields, most=None):
    return Field(name, fields, several=True, most=most)


_BEFORE = {1: _several("settings", {1: Field("name", "text", always=True, limit=32), 2: Field("value", "text", limit=32)})}

_END = {1: Field("until", "i64", always=True), 2: Field("left", "u32", always=True), 3: Field("sure", "flag", always=True)}

_MONITORED = {
    2: Field("on", "flag"), 3: Field("begin", "u16"), 4: Field("end", "u16"), 5: Field("seconds", "u32"),
    6: _several("limits", {1: Field("limit", "u8", always=True), 2: Field("value", "i64", always=True)}),
    7: Field("maximum_heart_rate", "u16"),
}

# By table and kind: the version, and what its fields are.
STATES = {
    "hub-state": {
        "orders": (1, {
            1: Field("streams", "u16", several=True, most=64),
            2: _several("rates", {1: Field("series", "u16", always=True), 2: Field("hertz", "u32", always=True)}, 64),
            3: Field("off", "text", several=True, limit=32, most=32),
            4: _several("settings", {1: Field("name", "text", always=True, limit=32), 2: Field("value", "text", always=True, limit=32)}, 32),
        }),
        "listening": (1, {1: Field("on", "flag", always=True)}),
        "erasing": (1, {
            1: Field("choice", "text", limit=8),
            2: Field("period", {
                1: Field("began", "i64", always=True), 2: Field("booted", "i64"), 3: Field("firmware", "u32"), 4: Field("failures", "u8", always=True),
                5: _several("calls", {1: Field("name", "u32", always=True), 2: Field("ineffective", "flag", always=True)}, 8),
            }),
        }),
        "advertising": (1, {1: Field("milliseconds", "u32", always=True)}),
        "advertised-name": (1, {1: Field("name", "text", always=True, limit=248)}),
        "bound": (1, {1: Field("bound", "flag", always=True)}),
        "former-drivers": (1, {1: Field("drivers", "text", several=True, limit=32, most=16)}),
        "joined-by-itself": (1, {1: Field("at", "i64", always=True)}),
        "measure-schedule": (1, {
            1: Field("every", "u32", always=True), 2: Field("seconds", "u16", always=True),
            3: Field("begin", "u16", always=True), 4: Field("end", "u16", always=True)}),
        "brief": (1, {1: Field("brief", "flag", always=True)}),
        "proven": (1, {1: Field("proven", "flag", always=True)}),
        "steady": (1, {1: Field("steady", "flag", always=True)}),
        "capabilities": (2, {
            1: Field("driver", "text", always=True, limit=32), 2: Field("firmware", "text", limit=255),
            3: _several("series", {1: Field("series", "u16", always=True), 2: Field("bits", "u16", always=True)}),
        }),
        "link": (1, {1: Field("kept", "flag", always=True)}),
        "profile": (1, {1: Field("profile", "text", always=True, limit=32), 2: Field("by_central", "flag", always=True)}),
        "idle-refused": (1, {1: Field("what", "text", always=True, limit=32), 2: Field("firmware", "text", always=True, limit=255)}),
        "identity": (1, {
            1: Field("serial", "text", limit=64), 2: Field("manufacturer", "text", limit=64), 3: Field("model", "text", limit=64),
            4: Field("firmware", "text", limit=64), 5: Field("name", "text", limit=64), 6: Field("database", "u64")}),
        "key-set-aside": (1, {1: Field("aside", "flag", always=True)}),
        "clock-agreed": (1, {1: Field("shown", "i64", always=True)}),
        "clock-disowned": (1, {1: Field("visit", "u64", always=True)}),
        "last-seen": (1, {1: Field("time", "i64", always=True), 2: Field("battery_read", "i64")}),
        "readings": (1, {1: Field("marks", "bytes", always=True, limit=1920), 2: Field("unsettled", "bytes", limit=32)}),
        "absent-after": (1, {1: Field("seconds", "u32", always=True)}),
        "collection": (1, {
            1: Field("all", "flag"), 2: Field("phases", "text", several=True, limit=32, most=32), 3: Field("has_times", "flag"),
            4: Field("minutes", "u16", several=True, most=8)}),
        "left-out": (1, {1: Field("since", "i64", always=True), 2: Field("phases", "text", several=True, limit=32, most=32),
                         3: Field("taken_again", "text", several=True, limit=32, most=32),
                         4: _several("earlier", {1: Field("name", "text", always=True, limit=32), 2: Field("since", "i64", always=True)}, 32)}),
        "uncollected": (1, {1: _several("spans", {
            1: Field("from", "i64", always=True), 2: Field("to", "i64"), 3: Field("series", "bytes", limit=128)}, 32),
            2: Field("whole_since", "i64")}),
        "paused": (1, {1: Field("since", "i64", always=True), 2: Field("end", _END)}),
        "alert-limits": (1, {
            1: _several("limits", {1: Field("limit", "u8", always=True), 2: Field("value", "i64", always=True)}),
            2: Field("exercise", "u8"),
        }),
        "alerts": (1, {1: _several("alerts", {
            1: Field("limit", "u8", always=True), 2: Field("source", "u8", always=True), 3: Field("bound", "i64", always=True),
            4: Field("value", "i64", always=True), 5: Field("since", "i64", always=True), 6: Field("last", "i64", always=True),
            7: Field("count", "u32", always=True), 8: Field("ended", "i64"), 9: Field("acknowledged", "flag")}, 7)}),
        "effort": (1, {
            1: Field("origin", "u8", always=True), 2: Field("began", "i64", always=True), 3: Field("bound", "u16"),
            4: Field("clock", {1: Field("boot_high", "u64", always=True), 2: Field("boot_low", "u64", always=True),
                                3: Field("monotonic", "i64", always=True)}),
            5: Field("wearer", "u32")}),
        "sync": (1, {
            1: Field("number", "u64", always=True), 2: Field("ordered", "i64", always=True), 3: Field("ended", "i64"), 4: Field("since", "i64"),
            5: Field("until", "i64"), 6: Field("automatic_only", "flag"), 7: Field("code", "u16"), 8: Field("detail", "text", limit=96),
            9: _several("domains", {
                1: Field("name", "text", always=True, limit=32), 2: Field("state", "u8", always=True), 3: Field("listed", "u32"),
                4: Field("stored", "u32"), 5: Field("undated", "u32"), 6: Field("bytes", "u64"), 7: Field("code", "u16"),
                8: Field("detail", "text", limit=96)}, 16)}),
        "monitoring": (1, {1: _several("series", {1: Field("series", "u16", always=True), **_MONITORED}, 16)}),
        "monitoring-seen": (1, {
            1: Field("since", "i64", always=True),
            2: _several("series", {1: Field("series", "u16", always=True), 2: Field("got", _MONITORED), 3: Field("says", _MONITORED, always=True),
                4: Field("asked", _MONITORED), 5: Field("shortest", "u32"), 6: Field("longest", "u32")}, 16),
        }),
    },
    "driver-state": {
        "polar-recordings": (1, {1: _several("recordings", {
            1: Field("type", "u8", always=True), 2: Field("rate", "u32"), 3: Field("range", "u32"), 4: Field("sdk_mode", "flag", always=True)})}),
        "polar-triggers": (1, {1: Field("mode", "u8", always=True), 2: Field("types", "u8", several=True)}),
        "polar-renewals": (1, {1: _several("renewals", {
            1: Field("type", "u8", always=True), 2: Field("encrypted", "flag", always=True),
            3: _several("settings", {1: Field("setting", "u8", always=True), 2: Field("value", "u32", always=True)})})}),
        "polar-begun": (1, {1: _several("recordings", {1: Field("type", "u8", always=True), 2: Field("when", "i64", always=True)})}),
        "polar-sleep-seen": (1, {1: Field("when", "i64", always=True)}),
        "polar-switched-off": (1, {1: _several("features", {1: Field("name", "text", always=True, limit=32), 2: Field("said", "bytes", limit=256)})}),
        "polar-switched-on": (1, {1: Field("said", "bytes", always=True, limit=256)}),
        "polar-file-before": (1, _BEFORE),
        "polar-radio-before": (1, _BEFORE),
        "polar-exercise-removals": (1, {1: Field("names", "text", several=True, limit=64, most=32)}),
        "polar-clock-waits": (1, {1: Field("since", "i64", always=True)}),
        "botz-streams": (1, {1: Field("may_run", "flag", always=True)}),
        "botz-clock": (1, {1: Field("boot", "text", always=True, limit=64), 2: Field("offset", "i64", always=True)}),
        "interval-before": (1, {1: Field("seconds", "u16", always=True)}),
        "moyoung-rates-wait": (1, {1: Field("since", "i64", always=True), 2: Field("visits", "u8", always=True)}),
        "clock-runs": (2, {1: Field("course", "u8", always=True), 2: Field("firmware", "text", limit=64)}),
        "records-remove": (1, {1: Field("at", "i64", always=True)}),
        "user-data": (1, {1: _several("users", {1: Field("wearer", "u32", always=True), 2: Field("index", "u8", always=True), 3: Field("consent", "u16", always=True)}, most=10)}),
    },
}

# Of the keys: the form and what its parts are.
KEYS = {
    "registry": (">I", ("wearable",)), "wearers": (">I", ("wearer",)), "cursors": (">IH", ("wearable", "series")),
    "assignments": (">IQ", ("wearable", "from")), "bonds": (">B6s", ("address_type", "address")), "receipts": (">Q", ("number",)),
    "visits": (">Q", ("number",)), "events": (">Q", ("number",)), "accesses": (">Q", ("number",)), "erasures": (">I", ("wearer",)),
    "corrections": (">Q", ("number",)), "watermarks": (">IH", ("wearable", "series")),
}


def record(kind, value, name=None):
    """What a record says, by the names of RECORDS; fields that are not there are missing, and unknown tags are left out. `name` is that of a kind of
    state."""
    need(5 <= len(value) <= MAXIMUM, "length")
    need(value[0] == 1, "layout")
    need(struct.unpack("<I", value[-4:])[0] == crc32c(value[:-4]), "checksum")
    if kind in STATES:
        return state(kind, value, name)
    result = _fields(RECORDS[kind], Bytes(value[:-4], 1))
    need(not ("sealed_secret" in result and "secret" in result), "a secret in clear beside its seal")
    need(not ("sealed_keys" in result and "keys" in result), "keys in clear beside their seal")
    need(("sealed_keys" in result) == ("traits" in result), "a seal of keys without traits, or traits without one")
    return result


# By table: the tag of a seal, and the tags that are bound to it.
SEALS = {"bonds": (4, (1, 2, 5)), "registry": (13, ()), "driver-state": (3, (1,))}


def seal(table, value):
    """Tag, seal and bound values of an undamaged record; `None` without a seal."""
    if table not in SEALS:
        return None
    tag, bound = SEALS[table]
    contents = {}
    walk = Bytes(value[:-4], 1)
    while walk.left:
        number = walk.byte()
        contents[number] = walk.take(walk.varint())
    return (tag, contents[tag], b"".join(contents[number] for number in bound)) if tag in contents else None


def state(table, value, name):
    """What is remembered; the fields of a kind or version that is not known here as they lie there."""
    result = _fields(RECORDS["state"], Bytes(value[:-4], 1))
    need(result["version"] >= 1, "version 0")
    need(("fields" in result) != ("sealed" in result), "neither fields nor a seal, or both")
    if "sealed" in result:
        return result
    content = bytes.fromhex(result["fields"])
    version, fields = STATES[table].get(name, (0, None))
    if result["version"] > version:
        _fields({}, Bytes(content, 0))
        return result
    return {"version": result["version"]} | _fields(fields, Bytes(content, 0))


def size_of_state(value):
    """How many bytes its kind's fields have."""
    result = _fields(RECORDS["state"], Bytes(value[:-4], 1))
    return result["sealed"]["sealed"] if "sealed" in result else len(result["fields"]) // 2


def _fields(fields, walk):
    result = {}
    while walk.left:
        tag = walk.byte()
        content = walk.take(walk.varint())
        field = fields.get(tag)
        if field is None:
            continue
        need(field.least <= len(content) and (field.limit is None or len(content) <= field.limit), f"length of {field.name}")
        meaning = _fields(field.type, Bytes(content, 0)) if isinstance(field.type, dict) else READ[field.type](content)
        if field.several:
            result.setdefault(field.name, []).append(meaning)
            need(field.most is None or len(result[field.name]) <= field.most, f"too many {field.name}")
        else:
            need(field.name not in result, f"{field.name} twice")
            result[field.name] = meaning
    for field in fields.values():
        need(not field.always or field.name in result, f"no {field.name}")
    return result


def key(kind, value):
    """The parts of a key, by name; of `readers` its text."""
    if kind == "readers":
        return {"reader": _text(value)}
    if kind == "custody":
        need(len(value) > 4, "length of the key")
        return {"wearable": int.from_bytes(value[:4], "big"), "item": item_id(value[4:])}
    if kind in STATES:
        need(len(value) > 4 and STATE_NAME.fullmatch(_text(value[4:])), "name of a kind")
        return {"wearable": int.from_bytes(value[:4], "big"), "kind": _text(value[4:])}
    form, names = KEYS[kind]
    need(len(value) == struct.calcsize(form), "length of the key")
    parts = dict(zip(names, struct.unpack(form, value)))
    if kind == "assignments":
        parts["from"] = (parts["from"] ^ 1 << 63) - ((parts["from"] ^ 1 << 63) >> 63 << 64)  # its top bit is inverted
    if kind == "bonds":
        parts["address"] = address_text(int.from_bytes(parts["address"], "big"))
    return parts


def item_id(content):
    need(1 <= len(content) <= 120 and all(0x21 <= byte <= 0x7E for byte in content), "id of an item")
    return content.decode()


def address_text(address):
    return ":".join(f"{byte:02X}" for byte in (address & 0xFFFFFFFFFFFF).to_bytes(6, "big"))
