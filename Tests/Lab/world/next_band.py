"""The protocol of a band of TopStep's new platform. An answer has the number of its request, and what is kept goes out by range of time, day by
day.

Data are neither confirmed nor forgotten: the host says from when on it wants them. A repeated request gets the same answer.
"""
import next_frames as wire
from wrist_memory import DAY, GRID
from wrist_protocol import Protocol

SERIES = ("heart_rate", "spo2", "stress", "steps", "sleep_stage", "blood_pressure")
OF_TYPE = {1: "heart_rate", 2: "spo2", 3: "blood_pressure", 4: "stress", 5: "sleep_stage", 6: "steps"}
# Steps, distance, calories, heart rate, SpO2, stress, sleep, daily activity; setting time, user, goals.
CAPABILITIES = (1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 12 | 1 << 47 | 1 << 49).to_bytes(8, "little")
MEASURED = {1: "heart_rate", 2: "spo2", 4: "stress"}


class TopStepNext(Protocol):
    name = "topstep_next"

    def __init__(self, number, memory, desk):
        super().__init__(number, memory, desk)
        all_day = wire.monitor(True, 0, 1440, 5)
        off = wire.alarm(False, 0, 0)
        self.configs = {
            "heart_rate": wire.heart_rate_config(all_day, off, off, 190),
            "stress": wire.build((1, wire.monitor(True, 0, 1440, 30)), (2, off)),
            "spo2": wire.build((1, wire.monitor(True, 0, 1440, 30)), (2, off)),
            "pressure": b"",
        }
        self.goals = wire.build((1, 8000), (2, 6000.0), (3, 300.0))
        self.link_begins()

    def link_begins(self):
        super().link_begins()
        self.assembly, self.sequence = wire.assembly(), 1
        self.last, self.last_answer = None, []

    # --- frames ---

    def received(self, piece):
        for content in self.assembly.take(piece):
            try:
                frame = wire.decode(content)
            except wire.Wrong as trouble:
                self.log("bad-frame", hex=content.hex(), why=str(trouble))
                continue
            self._frame(frame)

    def _frame(self, frame):
        if self.faults.take("ignored"):
            return self.log("ignored", hex=frame.payload.hex())
        # There is no acknowledgement but the answer.
        is_lost = self.faults.take("lost_acknowledgements")
        asked = (frame.command, frame.key, frame.sequence, frame.payload)
        if asked == self.last:
            self.log("repeated", sequence=frame.sequence)
            for answer in self.last_answer:
                self.desk.send(answer)
            return
        self.last, self.last_answer = asked, []
        self.log("asked", command=frame.command, key=frame.key, hex=frame.payload.hex(), flags=frame.flags)
        self.silent = is_lost
        try:
            self._answer(frame)
        except (ValueError, UnicodeDecodeError) as trouble:
            self.log("bad-payload", hex=frame.payload.hex(), why=str(trouble))
        self.silent = False

    def reply(self, request, payload=b""):
        frame = wire.Frame(request.command, request.key, request.sequence, payload).encode()
        self.last_answer.append(frame)
        if getattr(self, "silent", False):
            return self.log("acknowledgement-lost", sequence=request.sequence)
        self.desk.send(self.damaged(frame, 6))

    def tell(self, command, key, payload=b"", is_history=False):
        frame = wire.Frame(command, key, self.sequence, payload).encode()
        self.sequence = self.sequence + 1 & 0xFFFF
        self.desk.send(self.damaged(frame, 6), is_history)

    # --- commands ---

    def _answer(self, frame):
        if frame.command == wire.ENVIRONMENT:
            self._environment(frame)
        elif not self.is_known:
            self.log("too-early", command=frame.command, key=frame.key)
        elif frame.command == wire.SETTINGS:
            self._settings(frame)
        elif frame.command == wire.SYNC:
            self._sync(frame)
        else:
            self.log("unknown", command=frame.command, key=frame.key)

    def _environment(self, frame):
        if frame.key == wire.BIND:
            self._bind(frame, wire.read_auth(frame.payload))
        elif frame.key == wire.LOGIN:
            asked = wire.read_auth(frame.payload)
            self.is_known = self.owner is not None and self.owner == asked["user_id"]
            self.log("login", user=asked["user_id"], accepted=self.is_known)
            self._tell_time(asked)
            self._auth_reply(frame, wire.OK if self.is_known else wire.OTHER_USER)
        elif frame.key == wire.UNBIND:
            if self.is_known:
                self.owner = None
            self.log("unbind", accepted=self.is_known)
            self.reply(frame, wire.result(0 if self.is_known else 1))
        elif frame.key == wire.USER:
            self.log("user", told=wire.read_user(frame.payload))
            self.reply(frame)
        elif frame.key == wire.TIME and frame.payload:
            self._set_time(frame.payload)
            self.reply(frame)
        elif frame.key == wire.TIME:
            self.reply(frame, wire.time(int(self.clock.now()) - wire.EPOCH, self.clock.offset))
        elif frame.key == wire.BATTERY:
            self.reply(frame, wire.battery(self.battery, False))
        elif frame.key == wire.BLUETOOTH_INFO:
            self.reply(frame, wire.build((2, f"wrist-{self.number:02}")))
        else:
            self.log("unknown", command=frame.command, key=frame.key)

    def _bind(self, frame, asked):
        silent = getattr(self, "silent", False)

        def decide():
            if self.faults.take("cancels"):
                result = wire.CANCELLED
            elif self.faults.take("never_confirms"):
                result = wire.TIMED_OUT
            else:
                result = wire.OK if self.owner in (None, asked["user_id"]) else wire.OTHER_USER
            if result == wire.OK:
                self.owner, self.is_known = asked["user_id"], True
                self._tell_time(asked)
            self.log("bind", user=asked["user_id"], status=result)
            self.silent = silent
            self._auth_reply(frame, result)
            self.silent = False
            if result == wire.OK and self.bound_before is None:
                self.bound_before = int(self.clock.now())

        self.desk.later(self.CONSIDERS, decide)

    def _auth_reply(self, frame, result):
        self.reply(frame, wire.auth_reply(result, self.bound_before is not None, self.bound_before or 0))

    def _tell_time(self, asked):
        if asked["time"] and self.is_known:
            self._set_time(asked["time"])

    def _set_time(self, content):
        timestamp, zone = wire.read_time(content)
        self.clock.offset = zone
        self.set_clock(timestamp + wire.EPOCH, zone=zone)

    def _settings(self, frame):
        for name, (get, put) in wire.CONFIGS.items():
            if frame.key == get:
                return self.reply(frame, self.configs[name])
            if frame.key == put:
                self.configs[name] = frame.payload
                self.log("monitor", kind=name, hex=frame.payload.hex())
                return self.reply(frame)
        if frame.key == wire.DEVICE_INFO:
            info = [(1, "LAB"), (2, "1.2.3"), (3, "Hearth"), (4, "Wrist"), (5, f"LAB-W{self.number:03}"), (8, CAPABILITIES)]
            self.reply(frame, wire.build(*info))
        elif frame.key == wire.GOALS[0]:
            self.reply(frame, self.goals)
        elif frame.key == wire.GOALS[1]:
            self.goals = frame.payload
            self.reply(frame)
        elif frame.key in (wire.FUNCTIONS[0], wire.FUNCTIONS[1], wire.UNITS[0], wire.UNITS[1]):
            self.reply(frame)
        else:
            self.log("unknown", command=frame.command, key=frame.key)

    # --- sync ---

    def _sync(self, frame):
        if frame.key == wire.START:
            self._start(frame)
        elif frame.key == wire.END:
            self.log("host-ended", hex=frame.payload.hex())
            self.reply(frame)
        elif frame.key == wire.LIVE_CONTROL:
            self._control(frame)
        else:
            self.log("unknown", command=frame.command, key=frame.key)

    def _start(self, frame):
        fields = wire.protobuf.read(frame.payload)
        begin, end, kind = (wire.first(fields, number) for number in (1, 2, 3))
        series = OF_TYPE.get(kind)
        items = [item for item in self.memory.items if item.series == series and begin <= item.begin - wire.EPOCH and (not end or item.begin - wire.EPOCH <= end)]
        # A span that began before is still of this time.
        items += [item for item in self.memory.items if item.series == series and item.length and item.begin - wire.EPOCH < begin < item.begin + item.length - wire.EPOCH]
        days = sorted({self._day_of(item) for item in items})
        self.log("offer", type=kind, begin=begin, end=end, count=len(items), days=len(days))
        self.reply(frame, wire.sync_reply(kind, 0 if days else wire.NOT_UPDATED))
        if not days:
            return
        for midnight in days:
            payload = self.day(kind, midnight)
            self.tell(wire.SYNC, kind, payload, True)
            self.log("told-day", type=kind, midnight=midnight, bytes=len(payload))
        self.tell(wire.SYNC, wire.END, wire.build((1, kind)))

    def _day_of(self, item):
        """The local midnight of its day; of sleep at or after 20:00 that of the next."""
        return self.clock.midnight(item.begin + (4 * 3600 if item.series == "sleep_stage" else 0))

    def day(self, kind, midnight):
        series, begin = OF_TYPE[kind], midnight - wire.EPOCH
        items = [item for item in self.memory.items if item.series == series and self._day_of(item) == midnight]
        if series == "sleep_stage":
            return wire.sleep_day(begin, [(item.begin - wire.EPOCH, item.length, item.value) for item in items])
        if series == "steps":
            places = {(item.begin - midnight) // 1800: dict(zip(("steps", "calories", "distance", "active"), item.value)) for item in items}
            return wire.activity_day(begin, begin + DAY - 1, places)
        if series == "blood_pressure":
            return wire.pressure_day(begin, begin + DAY - 1, [(item.begin - wire.EPOCH, *item.value) for item in items])
        slots = [0] * (DAY // GRID)
        for item in items:
            if not item.is_manual and item.kind == "normal":
                slots[(item.begin - midnight) // GRID] = item.value
        manual = [(item.begin - wire.EPOCH, item.value) for item in items if item.is_manual]
        resting = [(item.begin - wire.EPOCH, item.value) for item in items if item.kind == "resting"]
        extremes = self.memory.extremes(series, midnight)
        if extremes:
            self.log("extremes", series=series, items=[[item.begin, item.value] for item in extremes], is_over=self.clock.now() >= midnight + DAY)
        told = [(item.begin - wire.EPOCH, item.value) for item in extremes]
        return wire.rate_day(begin, begin + DAY - 1, manual, slots, resting, told, series == "heart_rate")

    # --- live ---

    def _control(self, frame):
        fields = wire.protobuf.read(frame.payload)
        kind, action, seconds = (wire.first(fields, number) for number in (1, 2, 3))
        series = MEASURED.get(kind)
        self.log("live-control", series=series, action=action, seconds=seconds)
        if action == 0:
            self.live = None
            return self.reply(frame)
        if series is None or self.live is not None:
            return self.reply(frame, wire.result(1))
        self.reply(frame)
        self.live = (kind, series, self.clock.source() + (seconds or 3600))
        order = self.live
        self.desk.later(1.0, lambda: self._beat(order))

    def _beat(self, order):
        if self.live is not order:
            return
        kind, series, end = order
        if self.clock.source() >= end:
            self.live = None
            self.log("live-ended", series=series)
            return self.tell(wire.SYNC, wire.LIVE_STOPPED, wire.build((1, kind)))
        self.by_hand += 1
        value = self.memory.rate_by_hand(self.by_hand) if series == "heart_rate" else 90 + self.by_hand % 10
        self.log("live", **{series: value})
        self.tell(wire.SYNC, wire.LIVE, wire.live_value(value))
        self.desk.later(1.0, lambda: self._beat(order))

    def measured(self):
        if self.is_known:
            self.tell(wire.SETTINGS, wire.DATA_CHANGED)
