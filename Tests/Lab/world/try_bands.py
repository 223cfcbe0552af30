#!/usr/bin/env python3
"""Tries the wrist bands without any kernel or hub: try_bands.py. Exit status 1 and a sentence if they are not as they should be.

First what they take for the wire, against the vectors of Tests/Vectors/topstep, each of which must be tried by a test. Then their protocols, at a desk without a
radio; last each of them against a plain Bumble central.
"""
import asyncio
import datetime
import io
import json
import pathlib
import struct

from bumble.core import UUID

import fitcloud_frames as fit
import moyoung_frames as moy
import next_frames as nxt
import topstep_frames
from air import Air
from fitcloud_band import SERIES as FITCLOUD_SERIES
from fitcloud_band import FitCloud
from moyoung_band import SERIES as MOYOUNG_SERIES
from moyoung_band import Moyoung
from next_band import SERIES as NEXT_SERIES
from next_band import TopStepNext
from try_insole import Central
from wrist import MODELS
from wrist_memory import DAY, Clock, Memory
from wrist_protocol import Desk

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "Vectors" / "topstep"
NOON = 1_772_546_400 + 6 * 3600  # 2026-03-03 20:00 UTC, 21:00 in the zone of these twins


def demand(truth, sentence):
    if not truth:
        raise SystemExit(f"wrist bands: {sentence}")


def same(found, wanted, what):
    demand(found == wanted, f"{what}: {found!r} instead of {wanted!r}")


# --- vectors ---


def vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text())["vectors"]


def fit_expectation(frame):
    if frame.is_acknowledgement:
        return {"ack": True, "error": frame.is_error, "seq": frame.sequence}
    command, version, items = fit.read_payload(frame.payload)
    told = [{"key": key, "value": content.hex().upper()} for key, content in items]
    return {"cmd": command, "version": version, "seq": frame.sequence, "items": told}


def fit_encoded(expect):
    if expect.get("ack"):
        return fit.acknowledgement(expect["seq"], expect["error"]).encode()
    items = [(item["key"], bytes.fromhex(item["value"])) for item in expect["items"]]
    return fit.Frame(expect["seq"], fit.payload(expect["cmd"], *items)).encode()


def try_fitcloud_frame(one, content, expect):
    if one["kind"] == "incomplete":
        return same(fit.assembly().take(content), [], one["id"])
    pieces = [bytes.fromhex(piece) for piece in one["pdus"]] if "pdus" in one else [content]
    desk = Desk()
    twin = FitCloud(0, Memory(0, Clock(0, lambda: NOON), FITCLOUD_SERIES), desk)
    assembly, frames = fit.assembly(), []
    for piece in pieces:
        frames += assembly.take(piece)
        twin.received(piece)
    if one["kind"] == "reject":
        try:
            fit_expectation(fit.decode(frames[0]))
        except fit.Wrong as trouble:
            return same(str(trouble), one["error"], one["id"])
        demand(False, f"{one['id']} was taken")
    decoded = [fit_expectation(fit.decode(frame)) for frame in frames]
    same(decoded, expect if isinstance(expect, list) else [expect], one["id"])
    if one["kind"] == "both":
        same(fit_encoded(expect), content, one["id"])
    if "replies" in one:
        same([sent.hex().upper() for sent in desk.sent if sent[1] & fit.ACKNOWLEDGEMENT], one["replies"], one["id"])


def try_fitcloud_value(one, content, expect):
    """Whether a test tries it."""
    kind = one["id"].split("-")[1]
    if kind == "crc":
        same(topstep_frames.crc16(content), expect["crc16"], one["id"])
    elif kind == "time":
        moment = datetime.datetime.fromisoformat(expect["local"])
        same((fit.unpack_time(content), fit.pack_time(moment)), (moment, content), one["id"])
    elif kind == "hist":
        types = {"heart_rate": fit.HEART_RATE, "spo2": fit.SPO2, "steps": fit.STEPS, "sleep": fit.SLEEP}
        found = fit.read_records(types[expect["type"]], content)
        name = "stage" if expect["type"] == "sleep" else "value"
        same([{"local": moment.isoformat(), name: value} for moment, value in found], expect["samples"], one["id"])
    elif kind == "today":
        names = ("steps", "distance_m", "calories_cal", "deep_sleep_min", "light_sleep_min", "avg_hr_bpm")
        same(fit.today(*(expect[name] for name in names)), content, one["id"])
    elif kind == "live":
        told = (expect["items"], expect["interval_s"], expect["max_minutes"])
        same((fit.read_live_control(content), fit.live_control(*told)), (told, content), one["id"])
    elif kind == "user":
        told = tuple(expect[name] for name in ("sex_bit", "age", "height_cm", "weight_kg"))
        same((fit.read_user(content), fit.user(*told)), (told, content), one["id"])
    elif kind == "mon":
        told = (expect["enabled"], expect["start_min"], expect["end_min"])
        same((fit.read_monitor(content), fit.monitor(*told)), ((*told, None), content), one["id"])
    else:
        return False
    return True


def try_fitcloud_vectors():
    for one in vectors("fitcloud"):
        content, expect = bytes.fromhex(one.get("hex", "")), one.get("expect")
        if not try_fitcloud_value(one, content, expect):
            try_fitcloud_frame(one, content, expect)


def next_message(frame, expect):
    """(what was read of it, what it is made anew), of those messages that the twin reads or tells."""
    message, payload = expect["message"], frame.payload
    fields = nxt.protobuf.read(payload)
    if frame.command == 6:
        path, checksum, size = nxt.text(fields, 1), nxt.first(fields, 2), nxt.first(fields, 3)
        return {"path": path, "crc32": checksum, "size": size}, nxt.build((1, path), (2, checksum), (3, size))
    if (frame.command, frame.key) == (nxt.ENVIRONMENT, nxt.BATTERY):
        return {"level": nxt.first(fields, 1), "charging": bool(nxt.first(fields, 2))}, nxt.battery(message["level"], message["charging"])
    if (frame.command, frame.key) == (nxt.ENVIRONMENT, nxt.TIME):
        timestamp, zone = nxt.read_time(payload)
        return {"timestamp": timestamp, "unix_utc": timestamp + nxt.EPOCH, "zone_offset_s": zone}, nxt.time(message["timestamp"], message["zone_offset_s"])
    if (frame.command, frame.key) == (nxt.ENVIRONMENT, nxt.USER):
        read = dict(zip(("gender", "age", "height_cm", "weight_kg"), nxt.read_user(payload)))
        return read, nxt.user(*message.values())
    if (frame.command, frame.key) == (nxt.ENVIRONMENT, nxt.BIND) and "user_id" in message:
        read = nxt.read_auth(payload)
        user, clock = dict(zip(("gender", "age", "height_cm", "weight_kg"), nxt.read_user(read["user"]))), nxt.read_time(read["time"])
        told = message | {"user": nxt.user(*message["user"].values()), "time": nxt.time(*message["time"].values())}
        order = ("user_id", "system", "version", "brand", "model", "auth_code", "user", "time")
        return read | {"user": user, "time": {"timestamp": clock[0], "zone_offset_s": clock[1]}}, nxt.auth(*(told[name] for name in order))
    if frame.command == nxt.ENVIRONMENT and frame.key in (nxt.BIND, nxt.LOGIN):
        read = {"result": nxt.first(fields, 1), "meaning": message["meaning"]}
        read |= {name: nxt.first(fields, number) for number, name in ((2, "ever_bound"), (3, "bind_time")) if name in message}
        return read, nxt.auth_reply(message["result"], message.get("ever_bound", 0), message.get("bind_time", 0))
    names = {number: name for name, number in nxt.TYPES.items()}
    if (frame.command, frame.key) == (nxt.SYNC, nxt.START):
        return {"type": names[nxt.first(fields, 1)], "result": {1: "not_updated"}[nxt.first(fields, 2)]}, nxt.sync_reply(1, nxt.NOT_UPDATED)
    if (frame.command, frame.key) == (nxt.SYNC, nxt.END):
        return {"type": names[nxt.first(fields, 1)]}, nxt.build((1, 1))
    if (frame.command, frame.key) == (nxt.SYNC, nxt.TYPES["activity"]):
        begin, slots = nxt.read_activity_day(payload)
        keys = (("steps", "steps"), ("calories", "calories_cal"), ("distance", "distance_m"), ("active", "active_min"))
        read = [{"t": moment} | {name: slot[ours] for ours, name in keys} for moment, slot in slots.items()]
        places = {(moment - begin) // 1800: slot for moment, slot in slots.items()}
        written = nxt.activity_day(begin, nxt.first(fields, 2), places)
        return {"day_start": begin, "slots": read}, written
    if (frame.command, frame.key) == (nxt.SYNC, nxt.LIVE_CONTROL):
        action = {0: "stop", 1: "start"}[nxt.first(fields, 2)]
        return {"type": names[nxt.first(fields, 1)], "action": action, "duration_s": nxt.first(fields, 3)}, nxt.live_control(1, 1, message["duration_s"])
    if (frame.command, frame.key) == (nxt.SYNC, nxt.LIVE):
        return {"value": nxt.first(fields, 2)}, nxt.live_value(message["value"])
    if (frame.command, frame.key) == (nxt.SETTINGS, nxt.HEART_RATE_CONFIG[1]) and payload:
        monitor, exercise, resting, maximum = message["monitor"], message["exercise_alarm"], message["resting_alarm"], message["max_threshold"]
        parts = nxt.monitor(*monitor.values()), nxt.alarm(*exercise.values()), nxt.alarm(*resting.values()), maximum
        return message, nxt.heart_rate_config(*parts)
    return {"result": nxt.first(fields, 1)}, nxt.result(message["result"])


def try_next_vectors():
    for one in vectors("newplatform"):
        content, expect = bytes.fromhex(one["hex"]), one.get("expect")
        found = nxt.assembly().take(content)
        if one["kind"] == "incomplete":
            same(found, [], one["id"])
        elif one["kind"] == "reject":
            try:
                nxt.decode(found[0])
                demand(False, f"{one['id']} was taken")
            except nxt.Wrong as trouble:
                same(str(trouble), one["error"], one["id"])
        else:
            same(found, [content], one["id"])
            frame = nxt.decode(content)
            head = {"cmd": frame.command, "key": frame.key, "flags": frame.flags, "seq": frame.sequence, "payload": frame.payload.hex().upper()}
            same(head, {name: value for name, value in expect.items() if name != "message"}, one["id"])
            same(frame.encode(), content, one["id"])
            read, written = next_message(frame, expect)
            same(read, expect["message"], one["id"])
            same(written.hex(), frame.payload.hex(), f"{one['id']} made anew")


def moyoung_message(command, payload, message):
    """(what was read of it, what it is made anew)"""
    first = payload[0] if payload else None
    if command == moy.VERSION:
        return {"value": first} if payload else {}, payload
    if command == moy.SET_USER:
        return moy.read_user(payload), payload
    if command == moy.SET_GOAL:
        return {"goal_steps": int.from_bytes(payload, "big")}, message["goal_steps"].to_bytes(4, "big")
    if command == moy.SET_RATE_INTERVAL:
        return {"interval_min": first * 5}, bytes([message["interval_min"] // 5])
    if command in (moy.RATE, moy.SPO2, moy.PRESSURE) and "action" in message:
        return {"action": "stop" if first == 0xFF else "start"}, payload
    if command == moy.RATE:
        return {"bpm": first or None}, payload
    if command == moy.SPO2:
        return {"spo2": first}, payload
    if command == moy.PRESSURE:
        return {"systolic": payload[1], "diastolic": payload[2]}, payload
    if command == moy.RATES and len(payload) == 1:
        return {"index": first, "days_ago": first // 4, "start_hour": first % 4 * 6}, payload
    if command == moy.RATES:
        index, samples = moy.read_rates(payload)
        told = dict(samples)
        anew = moy.rates(index, [told.get(index % 4 * 360 + place * 5, 0) for place in range(72)])
        return {"index": index, "days_ago": index // 4, "samples": [{"minute_of_day": minute, "bpm": value} for minute, value in samples]}, anew
    if command == moy.SLEEP:
        entries = moy.read_sleep(payload)
        anew = moy.sleep([(stage, datetime.datetime(2026, 3, 3, hour, minute)) for stage, hour, minute in entries])
        return {"segments": [{"start": f"{hour:02}:{minute:02}", "stage": stage} for stage, hour, minute in entries]}, anew
    if command == moy.PAST and len(payload) == 1:
        return {"query": "steps", "days_ago": moy.PAST_STEPS[first]}, payload
    steps, metres, kilocalories = moy.read_triple(payload[1:])
    read = {"days_ago": moy.PAST_STEPS[first], "steps": steps, "distance_m": metres, "calories_kcal": kilocalories}
    return read, payload[:1] + moy.triple(steps, metres, kilocalories)


def try_moyoung_vectors():
    for one in vectors("moyoung"):
        pieces, expect = [bytes.fromhex(piece) for piece in one.get("pdus", [one.get("hex", "")])], one.get("expect")
        assembly, frames = moy.Assembly(), []
        for piece in pieces:
            frames.append(assembly.take(piece))
        if one["kind"] in ("reject", "incomplete"):
            same(frames[-1], None, one["id"])
            continue
        demand(frames[-1] is not None and not any(frames[:-1]), f"{one['id']} was not put together")
        command, payload, is_fixed = moy.decode(frames[-1])
        same((command, payload.hex().upper()), (expect["cmd"], expect["payload"]), one["id"])
        same(moy.frame(command, payload, is_fixed), frames[-1], one["id"])
        if "message" in expect:
            same(is_fixed, expect["framing"] == "fixed20", one["id"])
            read, anew = moyoung_message(command, payload, expect["message"])
            same((read, anew), (expect["message"], payload), one["id"])


# --- protocols without a radio ---


def twin(kind, series, grain=1):
    now = [NOON]
    desk, clock = Desk(), Clock(3600, lambda: now[0])
    noted = []
    memory = Memory(0, clock, series, lambda event, items: noted.append((event, items)), grain=grain)
    memory.wear(NOON - 10 * 3600, clock.midnight(NOON) - DAY)
    band = kind(0, memory, desk)
    band.noted, band.now = noted, now
    return band, desk


class FitCloudHost:
    """As much of a host as it takes to try one."""

    def __init__(self, band, desk):
        self.band, self.desk, self.sequence = band, desk, 1
        self.heard = []
        self.loses = 0  # its own acknowledgements

    def say(self, command, *items, again=False):
        if not again:
            self.frame = fit.Frame(self.sequence, fit.payload(command, *items)).encode()
            self.sequence += 1
        for piece in topstep_frames.pieces(self.frame):
            self.band.received(piece)
        return self.listen()

    def listen(self, waits=2):
        """Everything that it says now, acknowledged; what it does a little later, too."""
        found = []
        for _ in range(1000):
            sent = self.desk.take()
            if not sent and waits:
                waits -= 1
                self.desk.let_time_pass()
                continue
            if not sent:
                break
            for content in sent:
                try:
                    frame = fit.decode(content)
                except fit.Wrong:
                    self.heard.append("damaged")
                    self.band.received(fit.acknowledgement(int.from_bytes(content[6:8], "big"), True).encode())
                    continue
                if frame.is_acknowledgement:
                    self.heard.append((frame.sequence, frame.is_error))
                    continue
                found += fit.read_payload(frame.payload)[2]
                self.band.received(fit.acknowledgement(frame.sequence).encode())
        return found

    def history(self, kind):
        told = self.say(fit.DATA, (fit.START, bytes([kind])))
        same((told[0][0], told[-1][0]), (fit.BEGIN, fit.END), f"frames of a transfer of {kind}")
        content = b"".join(value for key, value in told if key == fit.PART)
        same(int.from_bytes(told[-1][1], "big"), len(content), "bytes of a transfer")
        return fit.read_records(kind & 0x7F, content)


def try_fitcloud():
    band, desk = twin(FitCloud, FITCLOUD_SERIES, 60)
    host = FitCloudHost(band, desk)
    user = struct.pack("<I", 77) + bytes(28)
    same(host.say(fit.DATA, (fit.START, b"\3")), [], "history before a login")
    band.faults.cancels = 1
    same(host.say(fit.AUTH, (fit.BIND, user)), [(fit.BIND_REPLY, bytes([fit.CANCELLED]))], "a cancelled binding")
    same(host.say(fit.AUTH, (fit.LOGIN, user)), [(fit.LOGIN_REPLY, bytes([fit.FAILED]))], "a login before a binding")
    band.faults.wrong_checksums = band.faults.lost_acknowledgements = 1
    same(host.say(fit.AUTH, (fit.BIND, user)), [(fit.BIND_REPLY, b"\0")], "a binding")
    demand("damaged" in host.heard, "no wrong checksum")
    same(host.say(fit.AUTH, again=True), [], "a frame that comes again")
    same(host.heard[-1], (host.sequence - 1, False), "its acknowledgement")
    shown = datetime.datetime(2026, 3, 3, 21, 0, 30)
    same(host.say(fit.SETTINGS, (fit.SET_TIME, fit.pack_time(shown)), (fit.BATTERY_REQUEST, b"")), [(fit.BATTERY, bytes([80, 0]))], "the battery")
    same(band.clock.slow, -30, "its clock")
    band.clock.slow = 0
    kept = band.memory.of("heart_rate", False)
    wanted = [(band.local(item.begin), item.value) for item in kept]
    same(host.history(fit.HEART_RATE), wanted, "its heart rate")
    host.say(fit.DATA, (fit.VERDICT, b"\1"))
    same(host.history(fit.HEART_RATE), wanted, "what it keeps after a transfer that failed")
    later = band.memory.measure("heart_rate")
    host.say(fit.DATA, (fit.VERDICT, b"\0"))
    same((band.memory.of("heart_rate", False), band.noted[-1]), ([], ("confirmed", kept)), "what it forgets")
    same([value for _, value in host.history(fit.HEART_RATE | fit.MANUAL)], [later.value], "what was measured by hand")
    same(host.history(fit.RESPIRATION), [], "what it has not")
    night = host.history(fit.SLEEP)
    same((len(night), night[0][0].minute, {stage for _, stage in night}), (180, 10, {"light", "deep", "rem", "awake"}), "its nights")
    steps = [(band.local(item.begin), item.value[0]) for item in band.memory.of("steps")]
    same(host.history(fit.STEPS), steps, "its steps")
    host.say(fit.SETTINGS, (fit.MONITOR_SET, fit.monitor(True, 480, 1200, 15)))
    same(host.say(fit.SETTINGS, (fit.MONITOR_REQUEST, b"")), [(fit.MONITOR, fit.monitor(True, 480, 1200, 15))], "how it measures by itself")
    told = host.say(fit.DATA, (fit.LIVE_CONTROL, fit.live_control(["heart_rate"], 1, 1)))
    demand(len(told) > 1 and all(key == fit.LIVE and len(value) == 5 and value[0] >= 120 and not any(value[1:]) for key, value in told), f"live values: {told}")
    host.say(fit.DATA, (fit.LIVE_CONTROL, fit.live_control([], 1, 1)))
    band.received(bytes.fromhex("AB030100000200C600060801"))
    same(host.listen(), [], "an answer to a frame of the other family")
    band.bound_by_phone()
    same(host.say(fit.AUTH, (fit.LOGIN, user)), [(fit.LOGIN_REPLY, bytes([fit.FAILED]))], "a login when a phone has it")
    same(host.say(fit.AUTH, (fit.BIND, user)), [(fit.BIND_REPLY, bytes([fit.NEEDS_RESET]))], "a binding when a phone has it")
    band.reset()
    same(band.local(band.clock.now()), datetime.datetime(2000, 1, 1), "its clock after a reset")
    same(host.say(fit.AUTH, (fit.BIND, user)), [(fit.BIND_REPLY, b"\0")], "a binding after a reset")
    same(host.say(fit.AUTH, (fit.UNBIND, b"")), [(fit.UNBIND_REPLY, b"\0")], "an end of the binding")
    band.faults.ignored = 1
    same(host.say(fit.SETTINGS, (fit.BATTERY_REQUEST, b"")), [], "an answer to what it passes over")
    same(host.say(fit.SETTINGS, again=True), [(fit.BATTERY, bytes([80, 0]))], "an answer when it comes again")
    desk.take()
    band.tell(fit.SETTINGS, fit.CHANGED)
    for _ in range(5):
        desk.let_time_pass()
    same(len(desk.take()), 3, "times that it says what nobody acknowledges")


class NextHost:
    def __init__(self, band, desk):
        self.band, self.desk, self.sequence, self.damaged = band, desk, 1, 0

    def say(self, command, key, payload=b"", again=False):
        if not again:
            self.frame = nxt.Frame(command, key, self.sequence, payload)
            self.sequence += 1
        for piece in topstep_frames.pieces(self.frame.encode()):
            self.band.received(piece)
        sent = self.desk.take()
        if not sent:
            self.desk.let_time_pass()
            sent = self.desk.take()
        found = []
        for content in sent:
            try:
                found.append(nxt.decode(content))
            except nxt.Wrong:
                self.damaged += 1
        return found

    def answer(self, *asked, **options):
        found = self.say(*asked, **options)
        demand(len(found) == 1 and (found[0].command, found[0].key, found[0].sequence) == (self.frame.command, self.frame.key, self.frame.sequence), f"{asked}: {found}")
        return found[0].payload

    def sync(self, kind, begin, end=0):
        found = self.say(nxt.SYNC, nxt.START, nxt.sync_start(begin, end, kind))
        outcome = nxt.first(nxt.protobuf.read(found[0].payload), 2)
        if outcome == 0:
            same((found[-1].key, found[-1].payload), (nxt.END, nxt.build((1, kind))), "the end of a sync")
            demand(all(frame.key == kind for frame in found[1:-1]), "the frames of a sync")
        return outcome, [frame.payload for frame in found[1:-1]]


def try_next():
    band, desk = twin(TopStepNext, NEXT_SERIES)
    host = NextHost(band, desk)
    auth = nxt.auth("somebody", 1, "1", "Hub", "Pi", "", time=nxt.time(NOON + 5 - nxt.EPOCH, 3600))
    same(host.say(nxt.SYNC, nxt.START, nxt.sync_start(0, 0, 1)), [], "a sync before a login")
    band.faults.cancels = 1
    same(host.answer(nxt.ENVIRONMENT, nxt.BIND, auth), bytes([8, nxt.CANCELLED]), "a cancelled binding")
    same(host.answer(nxt.ENVIRONMENT, nxt.LOGIN, auth), bytes([8, nxt.OTHER_USER]), "a login before a binding")
    same((host.answer(nxt.ENVIRONMENT, nxt.BIND, auth), band.clock.slow), (b"", -5), "a binding, and its clock")
    band.clock.slow = 0
    band.faults.wrong_checksums = 1
    same((host.say(nxt.ENVIRONMENT, nxt.BATTERY), host.damaged), ([], 1), "a wrong checksum")
    same(host.answer(nxt.ENVIRONMENT, nxt.BATTERY, again=True), nxt.battery(80, False), "the battery, asked again")
    band.faults.lost_acknowledgements = 1
    same(host.say(nxt.ENVIRONMENT, nxt.BATTERY), [], "a lost answer")
    same(host.answer(nxt.ENVIRONMENT, nxt.BATTERY, again=True), nxt.battery(80, False), "the battery, asked again")
    info = nxt.protobuf.read(host.answer(nxt.SETTINGS, nxt.DEVICE_INFO))
    same(nxt.first(info, 8)[0] & 0xFF, 0b11101111, "its capability word")
    order = nxt.heart_rate_config(nxt.monitor(True, 480, 1200, 10), nxt.alarm(False, 0, 0), nxt.alarm(True, 40, 120), 180)
    same(host.answer(nxt.SETTINGS, nxt.HEART_RATE_CONFIG[1], order), b"", "an order")
    same(host.answer(nxt.SETTINGS, nxt.HEART_RATE_CONFIG[0]), order, "what was ordered")
    item = band.memory.measure("heart_rate")
    outcome, days = host.sync(1, 0)
    read = [nxt.read_rate_day(day) for day in days]
    auto = [(moment + nxt.EPOCH, value) for day in read for moment, value in day["auto"]]
    same(auto, [(one.begin, one.value) for one in band.memory.of("heart_rate", False)], "its heart rate")
    same([pair for day in read for pair in day["manual"]], [(item.begin - nxt.EPOCH, item.value)], "what was measured by hand")
    demand(all(len(day["extremes"]) == 2 for day in read) and len(read[0]["resting"]) == 1, "extremes and resting rate")
    same(host.sync(1, item.begin + 1 - nxt.EPOCH)[0], nxt.NOT_UPDATED, "a sync with nothing new")
    same(len(host.sync(1, item.begin - nxt.EPOCH)[1]), 1, "days that have something new")
    same(host.sync(4, 0)[0], 0, "its stress")
    _, items = nxt.read_sleep_day(host.sync(5, 0)[1][0])
    night = [(one.begin, one.length, one.value) for one in band.memory.of("sleep_stage")]
    same([(begin + nxt.EPOCH, seconds, stage) for begin, seconds, stage in items], night[: len(items)], "its nights")
    _, slots = nxt.read_activity_day(host.sync(6, 0)[1][0])
    steps = [(one.begin, one.value[0]) for one in band.memory.of("steps")]
    same([(moment + nxt.EPOCH, slot["steps"]) for moment, slot in slots.items()], steps[: len(slots)], "its steps")
    same(host.answer(nxt.SYNC, nxt.LIVE_CONTROL, nxt.live_control(1, 1, 3)), b"", "a live measurement")
    same(host.answer(nxt.SYNC, nxt.LIVE_CONTROL, nxt.live_control(2, 1, 3)), b"\x08\1", "a second one at once")
    desk.let_time_pass()
    same([(frame.key, len(frame.payload)) for frame in map(nxt.decode, desk.take())], [(nxt.LIVE, 2 + (band.memory.rate_by_hand(1) > 127))], "a live value")
    band.now[0] += 5
    desk.let_time_pass()
    same([nxt.decode(content).key for content in desk.take()], [nxt.LIVE_STOPPED], "the end of a live measurement")
    band.bound_by_phone()
    same(host.answer(nxt.ENVIRONMENT, nxt.BIND, auth)[:2], b"\x08\1", "a binding when a phone has it")
    band.reset()
    same(host.answer(nxt.ENVIRONMENT, nxt.LOGIN, auth), b"\x08\1", "a login after a reset")
    band.memory.capacity = 5
    band.memory.wear(NOON + 3600, NOON)
    same((len(band.memory.of("heart_rate", False)), band.noted[-1][0]), (5, "overwrite"), "what fits in")


def try_moyoung():
    band, desk = twin(Moyoung, MOYOUNG_SERIES)

    def ask(command, content=b""):
        for piece in topstep_frames.pieces(moy.frame(command, content)):
            band.received(piece)
        return [moy.decode(sent)[:2] for sent in desk.take()]

    shown = datetime.datetime(2026, 3, 3, 21, 1, 0)
    same((ask(moy.SET_TIME, moy.pack_time(shown)), band.clock.slow), ([], -60), "its clock")
    band.clock.slow = 0
    same(ask(moy.VERSION), [(moy.VERSION, b"\1")], "its version")
    midnight = band.clock.midnight(NOON)
    found = []
    for index in (4, 5, 6, 7, 0, 1, 2, 3):
        [(_, content)] = ask(moy.RATES, bytes([index]))
        found += [(midnight - index // 4 * DAY + minute * 60, value) for minute, value in moy.read_rates(content)[1]]
    same(found, [(item.begin, item.value) for item in band.memory.of("heart_rate", False)], "its heart rate")
    same(len(moy.read_sleep(ask(moy.SLEEP)[0][1])), 9, "the entries of its night")
    same(ask(moy.PAST, b"\4")[0][1], b"\4" + band.sleep(1), "the night before")
    same(ask(moy.PAST, b"\2")[0][1], b"\2" + moy.triple(*band.totals(1)), "the steps of yesterday")
    band.train(20)
    same([content[:1] for _, content in [moy.decode(desk.take()[0])[:2]]], [b"\0"], "the begin of a training's rates")
    same(ask(moy.TRAINING_RATES)[0][1][:1], b"\1", "more of them")
    same(ask(moy.TRAINING_RATES), [(moy.TRAINING_RATES, b"\2")], "their end")
    told = ask(moy.TRAININGS)[0][1]
    same((len(told), moy.moment(struct.unpack("<I", told[4:8])[0]), told[24:]), (72, datetime.datetime(2026, 3, 3, 21, 0), bytes(48)), "its trainings")
    ask(moy.SET_RATE_INTERVAL, b"\2")
    same(ask(moy.GET_RATE_INTERVAL), [(moy.GET_RATE_INTERVAL, b"\2")], "how it measures by itself")
    same(ask(moy.RATE, b"\0"), [], "a measurement begins")
    desk.let_time_pass()
    same(moy.decode(desk.take()[0])[:2], (moy.RATE, bytes([band.memory.rate_by_hand(1)])), "its value")


# --- with a radio ---


async def meet(model):
    air, log = Air(), io.StringIO()
    band, central = MODELS[model](0, air, log, -50, 3600), Central(air)
    await band.start()
    await central.device.power_on()
    link = await central.device.connect(band.address, own_address_type=0)
    from bumble.device import Peer

    peer = Peer(link)
    await asyncio.sleep(0.2)
    await peer.request_mtu(100)
    await peer.discover_services()
    for service in peer.services:
        await service.discover_characteristics()
    heard = []

    def one(uuid):
        return [one for service in peer.services for one in service.characteristics if one.uuid == UUID(uuid)][0]

    is_moyoung = model.startswith("moyoung")
    write, answer = (one("FEE2"), one("FEE3")) if is_moyoung else (one(topstep_frames.COMMAND), one(topstep_frames.ANSWER))
    await answer.subscribe(lambda value: heard.append(bytes(value)))

    async def say(frame):
        for piece in topstep_frames.pieces(frame):
            await write.write_value(piece, with_response=False)
        await asyncio.sleep(1.2)

    return band, say, heard


async def try_radio():
    band, say, heard = await meet("fitcloud")
    await say(fit.Frame(1, fit.payload(fit.AUTH, (fit.BIND, struct.pack("<I", 5) + bytes(28)))).encode())
    same(b"".join(heard), fit.acknowledgement(1).encode() + fit.Frame(1, fit.payload(fit.AUTH, (fit.BIND_REPLY, b"\0"))).encode(), "what FitCloud said")
    demand(len(band.advertised()) == 2 and max(map(len, heard)) <= 20, "FitCloud's pieces")
    band, say, heard = await meet("topstep_next")
    await say(nxt.Frame(nxt.ENVIRONMENT, nxt.BIND, 1, nxt.auth("me", 1, "1", "", "", "")).encode())
    await say(nxt.Frame(nxt.SYNC, nxt.START, 2, nxt.sync_start(0, 0, 1)).encode())
    assembly, keys = nxt.assembly(), []
    for piece in heard:
        keys += [nxt.decode(content).key for content in assembly.take(piece)]
    same((keys, max(map(len, heard))), ([nxt.BIND, nxt.START, 1, 1, nxt.END], 20), "what the new platform said")
    band.protocol.faults.drop_after = 100
    await say(nxt.Frame(nxt.SYNC, nxt.START, 3, nxt.sync_start(0, 0, 1)).encode())
    await asyncio.sleep(0.5)
    same(band.connection, None, "a link that ends in the middle of a transfer")
    for model, size in (("moyoung", 78), ("moyoung_old", 20)):
        band, say, heard = await meet(model)
        await say(moy.frame(moy.RATES, b"\4", band.protocol.is_fixed))
        same((len(b"".join(heard)), max(map(len, heard))), (78, size), f"what {model} said")
    lines = [json.loads(line) for line in band.log_file.getvalue().splitlines()]
    demand({"keep", "connect", "subscribe", "asked", "offer"} <= {line["event"] for line in lines}, "its log")


def main():
    try_fitcloud_vectors()
    try_next_vectors()
    try_moyoung_vectors()
    try_fitcloud()
    try_next()
    try_moyoung()
    asyncio.run(asyncio.wait_for(try_radio(), 60))
    print("wrist bands: as they should be")


if __name__ == "__main__":
    main()
