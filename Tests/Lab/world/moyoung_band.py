"""The protocol of a Moyoung band: commands and answers of the same number, heart rate of today and yesterday, nights, days and trainings.

A band that is never bound, and keeps its data after they are read; what is older than yesterday it does not send. Its optical pressure is a guess, and its
heart rate service never sends a value.
"""
import datetime

import moyoung_frames as wire
from wrist_memory import DAY, GRID, Item
from wrist_protocol import Protocol

SERIES = ("heart_rate", "steps", "sleep_stage")
MEASURES = 2.0  # s from an order to the value


class Moyoung(Protocol):
    name = "moyoung"
    is_fixed = False
    maker = "MOYOUNG-V2"

    def __init__(self, number, memory, desk):
        super().__init__(number, memory, desk)
        self.interval, self.goal = 1, 8000
        self.trainings = []
        self.link_begins()

    def link_begins(self):
        super().link_begins()
        self.is_known = True
        self.assembly = wire.Assembly()
        self.parts = []  # of a training's rates that are still to be told

    def received(self, piece):
        content = self.assembly.take(piece)
        if content is None:
            return
        try:
            command, payload, is_fixed = wire.decode(content)
        except wire.Wrong as trouble:
            return self.log("bad-frame", hex=content.hex(), why=str(trouble))
        if self.faults.take("ignored"):
            return self.log("ignored", hex=content.hex())
        self.log("asked", command=command, hex=payload.hex())
        if is_fixed != self.is_fixed:
            self.log("other-framing", command=command)
        self._answer(command, payload)

    def tell(self, command, content=b"", is_history=False):
        if self.faults.take("lost_acknowledgements"):
            return self.log("acknowledgement-lost", command=command)
        self.desk.send(wire.frame(command, content, self.is_fixed), is_history)

    def local(self, moment):
        return datetime.datetime.fromtimestamp(moment + self.clock.offset, datetime.timezone.utc).replace(tzinfo=None)

    def midnight(self, days_ago):
        return self.clock.midnight(self.clock.now()) - days_ago * DAY

    # --- commands ---

    def _answer(self, command, content):
        one = content[0] if content else None
        if command == wire.SET_TIME and len(content) >= 4:
            local = wire.unpack_time(content).replace(tzinfo=datetime.timezone.utc).timestamp()
            self.set_clock(local - self.clock.offset, hex=content.hex())
        elif command == wire.VERSION:
            self.tell(command, bytes([1]))
        elif command == wire.SET_RATE_INTERVAL and one is not None:
            self.interval = one
            self.log("monitor", kind="heart_rate", hex=content.hex())
        elif command == wire.GET_RATE_INTERVAL:
            self.tell(command, bytes([self.interval]))
        elif command == wire.SET_GOAL and len(content) == 4:
            self.goal = int.from_bytes(content, "big")
        elif command == wire.GET_GOAL:
            self.tell(command, self.goal.to_bytes(4, "little"))
        elif command in (wire.GET_TIME_SYSTEM, wire.GET_UNITS):
            self.tell(command, bytes(1))
        elif command in (wire.RATE, wire.SPO2, wire.CONTINUOUS, wire.PRESSURE):
            self._measure(command, content)
        elif not self._history(command, one) and command not in (wire.SET_USER, wire.SET_TIME_SYSTEM, wire.SET_UNITS):
            self.log("unknown", command=command, hex=content.hex())

    def _history(self, command, one):
        """Whether it is one of these."""
        if command == wire.RATES and one is not None and one < 8:
            self._offer(command, self.rates(one), argument=one)
        elif command == wire.MINUTE_RATES and one is not None and one < 20:
            # The band measures each five minutes, and not in between.
            self._offer(command, bytes([one]) + bytes(72), argument=one)
        elif command == wire.SLEEP:
            self._offer(command, self.sleep(0))
        elif command == wire.PAST and one in wire.PAST_STEPS:
            self._offer(command, bytes([one]) + wire.triple(*self.totals(wire.PAST_STEPS[one])), argument=one)
        elif command == wire.PAST and one in wire.PAST_SLEEP:
            self._offer(command, bytes([one]) + self.sleep(wire.PAST_SLEEP[one]), argument=one)
        elif command == wire.TRAININGS:
            told = self.trainings[-3:]
            self._offer(command, b"".join(wire.training(*training) for training in told) + bytes(24 * (3 - len(told))))
        elif command == wire.TRAINING_RATES:
            self._next_part()
        else:
            return False
        return True

    def _offer(self, command, content, **particulars):
        self.log("offer", type=command, bytes=len(content), **particulars)
        self.tell(command, content, True)

    def rates(self, index):
        begin = self.midnight(index // 4) + index % 4 * 6 * 3600
        values = {item.begin: item.value for item in self.memory.of("heart_rate", False)}
        return wire.rates(index, [values.get(begin + place * GRID, 0) for place in range(72)])

    def sleep(self, days_ago):
        """Of the night that ended on that day; the last entry is when the sleeper awoke."""
        begin = self.midnight(days_ago) - 4 * 3600
        items = [item for item in self.memory.of("sleep_stage") if begin <= item.begin < begin + DAY]
        if not items:
            return b""
        end = items[-1].begin + items[-1].length
        return wire.sleep([(item.value, self.local(item.begin)) for item in items] + [("awake", self.local(end))])

    def totals(self, days_ago):
        """Steps, metres, kilocalories."""
        begin = self.midnight(days_ago)
        done = [item.value for item in self.memory.of("steps") if begin <= item.begin < begin + DAY]
        steps, calories, metres = (sum(value[place] for value in done) for place in range(3))
        return steps, metres, calories // 1000

    # --- measuring by order ---

    def _measure(self, command, content):
        is_stop = content[:1] == b"\xff"
        self.log("live-control", command=command, action=0 if is_stop else 1)
        self.live = None if is_stop else (command, self.by_hand)
        order = self.live
        if order:
            self.desk.later(MEASURES, lambda: self._measured(order))

    def _measured(self, order):
        if self.live is not order:
            return
        command, _ = order
        self.by_hand += 1
        rate, oxygen = self.memory.rate_by_hand(self.by_hand), 90 + self.by_hand % 10
        if command == wire.PRESSURE:
            return self.tell(command, bytes([0, 118, 77]))
        self.log("live", **({"spo2": oxygen} if command == wire.SPO2 else {"heart_rate": rate}))
        self.tell(command, bytes([oxygen if command == wire.SPO2 else rate]))
        if command == wire.CONTINUOUS:
            self.desk.later(1.0, lambda: self._measured(order))

    # --- trainings ---

    def train(self, minutes):
        """The wearer ran until now."""
        end = int(self.clock.now())
        begin = end - minutes * 60
        rates = [110 + (place * 7 + self.number) % 60 for place in range(minutes)]
        index = len(self.trainings)
        self.trainings.append((self.local(begin), self.local(end), minutes * 60, index, 1, minutes * 150, minutes * 120, minutes * 9))
        self.memory.note("keep", [Item("training", begin, [minutes * 60, minutes * 120, minutes * 9], minutes * 60)])
        # Told once, while the training ends and the link is there.
        self.memory.note("training-rates", [Item("heart_rate", begin + place * 60, rate) for place, rate in enumerate(rates)])
        first = wire.struct.pack("<BI", 0, wire.shown(self.local(begin)))
        chunks = [bytes(rates[at : at + 15]) for at in range(0, len(rates), 15)]
        self.parts = [first + chunks[0]] + [bytes([1]) + chunk for chunk in chunks[1:]] + [bytes([2])] if chunks else []
        self._next_part()

    def _next_part(self):
        if self.parts:
            self.tell(wire.TRAINING_RATES, self.parts.pop(0), True)

    def reset(self):
        super().reset()
        self.trainings, self.is_known = [], True


class OldMoyoung(Moyoung):
    """The same with the fixed framing."""

    name = "moyoung_old"
    is_fixed = True
    maker = "MOYOUNG"
