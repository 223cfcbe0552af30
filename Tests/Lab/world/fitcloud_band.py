"""The protocol of a FitCloud band: what it answers, what it keeps until a host confirmed it, how it repeats itself.

Each frame is acknowledged with its number before it is answered. A repeated frame, because its acknowledgement was lost, is only acknowledged again. The
band's own next frame goes out when the one before was acknowledged. History of one type goes out as a begin, parts, and an end with the number of bytes. The
band forgets that history only when the host's verdict says "complete".
"""
import datetime

import fitcloud_frames as wire
from wrist_memory import GRID, SPARSE
from wrist_protocol import Protocol

PATIENCE, REPEATS = 3.0, 2  # s until a frame that is not acknowledged goes out again, and how often
PART = 60  # bytes of history in one frame
RECORD = 144  # items at most
SERIES = ("heart_rate", "spo2", "steps", "sleep_stage", "blood_pressure")
# Type of history: series, by hand, kind.
KEPT = {
    wire.STEPS: ("steps", False, "normal"),
    wire.SLEEP: ("sleep_stage", False, "normal"),
    wire.HEART_RATE: ("heart_rate", False, "normal"),
    wire.HEART_RATE | wire.MANUAL: ("heart_rate", True, "normal"),
    wire.SPO2: ("spo2", False, "normal"),
    wire.SPO2 | wire.MANUAL: ("spo2", True, "normal"),
    wire.PRESSURE: ("blood_pressure", False, "normal"),
    wire.RESTING: ("heart_rate", False, "resting"),
}
MINUTES = {"heart_rate": GRID // 60, "sleep_stage": GRID // 60, "spo2": SPARSE // 60, "steps": SPARSE // 60, "blood_pressure": SPARSE // 60}


class FitCloud(Protocol):
    name = "fitcloud"
    # An optical pressure is a guess: the flag of an air pump is missing, though there is history of it.
    flags = wire.HAS_HEART_RATE | wire.HAS_SPO2 | wire.HAS_PRESSURE | wire.HAS_MANUAL
    history_key = wire.PART

    def __init__(self, number, memory, desk):
        super().__init__(number, memory, desk)
        self.monitors = {kind: wire.monitor(True, 0, 1440, 10) for kind in range(1, 6)}
        self.monitor = wire.monitor(True, 0, 1440, 10)
        self.alarm = bytes([0, 120, 0, 180])
        self.link_begins()

    def link_begins(self):
        super().link_begins()
        self.assembly = wire.assembly()
        self.sequence, self.queue, self.in_flight = 1, [], None
        self.last, self.offered, self.cancel_timer = None, None, lambda: None

    # --- frames ---

    def received(self, piece):
        for content in self.assembly.take(piece):
            try:
                frame = wire.decode(content)
            except wire.Wrong as trouble:
                self.log("bad-frame", hex=content.hex(), why=str(trouble))
                self.desk.send(wire.acknowledgement(int.from_bytes(content[6:8], "big"), True).encode())
                continue
            if frame.is_acknowledgement:
                self._acknowledged(frame)
            else:
                self._frame(frame)

    def _frame(self, frame):
        if self.faults.take("ignored"):
            return self.log("ignored", hex=frame.payload.hex())
        if self.faults.take("lost_acknowledgements"):
            self.log("acknowledgement-lost", sequence=frame.sequence)
        else:
            self.desk.send(wire.acknowledgement(frame.sequence).encode())
        if frame == self.last:
            return self.log("repeated", sequence=frame.sequence)
        self.last = frame
        try:
            command, _, items = wire.read_payload(frame.payload)
        except wire.Wrong as trouble:
            return self.log("bad-payload", hex=frame.payload.hex(), why=str(trouble))
        for key, content in items:
            self.log("asked", command=command, key=key, hex=content.hex())
            self._answer(command, key, content)

    def tell(self, command, key, content=b"", is_history=False):
        self.queue.append((wire.payload(command, (key, content)), is_history))
        self._next()

    def _next(self):
        if self.in_flight is None and self.queue:
            content, is_history = self.queue.pop(0)
            self.in_flight = (wire.Frame(self.sequence, content), is_history)
            self._send(0)

    def _send(self, repeats):
        frame, is_history = self.in_flight
        self.desk.send(self.damaged(frame.encode(), 4), is_history)

        def again():
            if self.in_flight is None or self.in_flight[0] != frame:
                return
            if repeats < REPEATS:
                self.log("again", sequence=frame.sequence)
                self._send(repeats + 1)
            else:
                self.log("given-up", sequence=frame.sequence)
                self.queue, self.in_flight, self.offered = [], None, None

        self.cancel_timer()
        self.cancel_timer = self.desk.later(PATIENCE, again)

    def _acknowledged(self, frame):
        if self.in_flight is None or self.in_flight[0].sequence != frame.sequence:
            return self.log("stray-acknowledgement", sequence=frame.sequence)
        if frame.is_error:
            self.log("refused", sequence=frame.sequence)
            return self._send(1)
        self.cancel_timer()
        self.in_flight = None
        self.sequence = self.sequence + 1 & 0xFFFF
        self._next()

    # --- commands ---

    def _answer(self, command, key, content):
        if command == wire.AUTH:
            self._authenticate(key, content)
        elif command == wire.SETTINGS:
            self._settings(key, content)
        elif command == wire.DATA and not self.is_known:
            self.log("too-early", command=command, key=key)
        elif command == wire.DATA:
            self._data(key, content)
        else:
            self.log("unknown", command=command, key=key)

    def _authenticate(self, key, content):
        user = content[:4].hex()
        if key == wire.BIND and len(content) >= 4:

            def decide():
                if self.faults.take("cancels"):
                    status = wire.CANCELLED
                elif self.faults.take("never_confirms"):
                    status = wire.TIMED_OUT
                else:
                    status = wire.OK if self.owner in (None, user) else wire.NEEDS_RESET
                if status == wire.OK:
                    self.owner, self.is_known = user, True
                self.log("bind", user=user, status=status)
                self.tell(wire.AUTH, wire.BIND_REPLY, bytes([status]))

            self.desk.later(self.CONSIDERS, decide)
        elif key == wire.LOGIN and len(content) >= 4:
            self.is_known = self.owner == user
            self.log("login", user=user, accepted=self.is_known)
            self.tell(wire.AUTH, wire.LOGIN_REPLY, bytes([wire.OK if self.is_known else wire.FAILED]))
        elif key == wire.UNBIND:
            if self.is_known:
                self.owner = None
            self.log("unbind", accepted=self.is_known)
            self.tell(wire.AUTH, wire.UNBIND_REPLY, bytes([wire.OK if self.is_known else wire.FAILED]))
        else:
            self.log("unknown", command=wire.AUTH, key=key)

    def _settings(self, key, content):
        tell = lambda reply, value: self.tell(wire.SETTINGS, reply, value)  # noqa: E731
        if key == wire.SET_TIME and len(content) == 4:
            local = wire.unpack_time(content).replace(tzinfo=datetime.timezone.utc).timestamp()
            self.set_clock(local - self.clock.offset)
        elif key == wire.DEVICE_INFO_REQUEST and not content:
            tell(wire.DEVICE_INFO, self.info())
        elif key == wire.DEVICE_INFO and not content:
            tell(wire.FIRMWARE, self.info())
        elif key == wire.BATTERY_REQUEST:
            tell(wire.BATTERY, bytes([self.battery, 0]))
        elif key == wire.CONFIGURATION_REQUEST:
            tell(wire.CONFIGURATION, bytes(8) + self.info() + self.monitor[:5] + bytes(8))
        elif key == wire.MONITOR_SET and len(content) >= 5:
            self.monitor = content + self.monitor[len(content) :]
            self.log("monitor", kind=None, hex=self.monitor.hex())
        elif key == wire.MONITOR_REQUEST:
            tell(wire.MONITOR, self.monitor)
        elif key == wire.TYPE_MONITOR_SET and len(content) >= 6 and content[0] in self.monitors:
            self.monitors[content[0]] = content[1:] + self.monitors[content[0]][len(content) - 1 :]
            self.log("monitor", kind=content[0], hex=content[1:].hex())
        elif key == wire.TYPE_MONITOR_REQUEST:
            kinds = content or bytes(self.monitors)
            tell(wire.TYPE_MONITOR, b"".join(bytes([kind]) + self.monitors[kind] for kind in kinds if kind in self.monitors))
        elif key == wire.ALARM_SET:
            self.alarm = content
        elif key == wire.ALARM_REQUEST:
            tell(wire.ALARM, self.alarm)
        elif key == wire.RESTING_REQUEST:
            resting = self.memory.of("heart_rate", kind="resting")
            tell(wire.RESTING_TODAY, bytes([resting[-1].value if resting else 0]))
        elif key not in (wire.SET_USER, wire.SET_GOALS, wire.HOST_FEATURES):
            self.log("unknown", command=wire.SETTINGS, key=key)

    def info(self):
        """32 bytes: project 6, sensors 4, pages 4, patch 6, flash 4, app 4, serial 4."""
        return bytes.fromhex("000000000F17") + self.flags.to_bytes(4, "big") + bytes(4) + bytes(6) + bytes(4) + bytes([0, 1, 2, 3]) + (1000 + self.number).to_bytes(4, "big")

    # --- history ---

    def _data(self, key, content):
        if key == wire.START and len(content) == 1:
            self._start(content[0])
        elif key == wire.SIZE_REQUEST and len(content) == 1:
            self.tell(wire.DATA, wire.SIZE, content + len(self.history(self.kept(content[0]), content[0])).to_bytes(4, "big"))
        elif key == wire.VERDICT and len(content) == 1:
            self._verdict(content[0])
        elif key == wire.TODAY_REQUEST:
            self.tell(wire.DATA, wire.TODAY, self.today())
        elif key == wire.LIVE_CONTROL and len(content) == 4:
            self._control(*wire.read_live_control(content))
        else:
            self.log("unknown", command=wire.DATA, key=key)

    def kept(self, kind):
        if kind not in KEPT:
            return []
        series, is_manual, meaning = KEPT[kind]
        return self.memory.of(series, is_manual, meaning)

    def local(self, moment):
        return datetime.datetime.fromtimestamp(moment + self.clock.offset, datetime.timezone.utc).replace(tzinfo=None)

    def history(self, items, kind):
        """Records: items that follow each other in equal steps share one; what the wearer began has one each, of whole minutes."""
        runs = []
        for item in items:
            interval = 1 if item.is_manual or item.kind != "normal" else MINUTES[item.series]
            count = item.length // GRID if item.series == "sleep_stage" else 1
            value = item.value[0] if item.series == "steps" else item.value
            last = runs[-1] if runs else None
            follows = last and not item.is_manual and item.begin == last[0] + len(last[2]) * last[1] * 60 and len(last[2]) + count <= RECORD
            if not follows:
                runs.append((item.begin, interval, []))
            runs[-1][2].extend([value] * count)
        return b"".join(wire.record(kind & 0x7F if kind != wire.RESTING else kind, self.local(begin), interval, values) for begin, interval, values in runs)

    def _start(self, kind):
        items = self.kept(kind)
        content = self.history(items, kind)
        self.offered = (kind, items)
        self.log("offer", type=kind, count=len(items), bytes=len(content))
        self.tell(wire.DATA, wire.BEGIN)
        for at in range(0, len(content), PART):
            self.tell(wire.DATA, wire.PART, content[at : at + PART], True)
        self.tell(wire.DATA, wire.END, len(content).to_bytes(4, "big"))

    def _verdict(self, verdict):
        if self.offered is None or self.queue:
            return self.log("stray-verdict", verdict=verdict)
        (kind, items), self.offered = self.offered, None
        self.log("verdict", type=kind, verdict=verdict, count=len(items))
        if verdict == 0:
            self.memory.forget(items, "confirmed")

    def today(self):
        begin = self.clock.midnight(self.clock.now())
        done = [item.value for item in self.memory.of("steps") if item.begin >= begin]
        rates = [item.value for item in self.memory.of("heart_rate", False) if item.begin >= begin] or [0]
        sums = [sum(value[place] for value in done) for place in range(3)]
        return wire.today(sums[0], sums[2], sums[1], 0, 0, sum(rates) // len(rates))

    # --- live ---

    def _control(self, items, interval, minutes):
        self.log("live-control", items=items, interval=interval, minutes=minutes)
        self.live = (items, max(interval, 1), self.clock.source() + minutes * 60) if items else None
        if self.live:
            self._beat(self.live)

    def _beat(self, order):
        if self.live is not order:
            return
        items, interval, end = order
        if self.clock.source() >= end:
            self.live = None
            return self.log("live-ended", items=items)
        if self.in_flight is None:
            self.by_hand += 1
            rate = self.memory.rate_by_hand(self.by_hand) if "heart_rate" in items else 0
            oxygen = 90 + self.by_hand % 10 if "spo2" in items else 0
            self.log("live", heart_rate=rate, spo2=oxygen)
            self.tell(wire.DATA, wire.LIVE, bytes([rate, oxygen, 0, 0, 0]))
        self.desk.later(interval, lambda: self._beat(order))

    def measured(self):
        if self.is_known:
            self.tell(wire.SETTINGS, wire.CHANGED)
