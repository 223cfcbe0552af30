"""A band on a wrist: its services, its advertisements, and the pieces in which frames go out. A log has what it keeps and what was asked of it.

What it answers is in `fitcloud_band.py`, `next_band.py` and `moyoung_band.py`. All of them measure by themselves (`wrist_memory.py`). What they kept when the
world began is from yesterday's midnight until sixteen hours ago; `wear` has them be worn for some of the rest.
"""
import asyncio
import time

from bumble.core import AdvertisingData, UUID
from bumble.gatt import Characteristic, CharacteristicValue, Service

import moyoung_frames
import topstep_frames
from fitcloud_band import SERIES as FITCLOUD_SERIES
from fitcloud_band import FitCloud
from moyoung_band import SERIES as MOYOUNG_SERIES
from moyoung_band import Moyoung, OldMoyoung
from next_band import SERIES as NEXT_SERIES
from next_band import TopStepNext
from peripheral import Peripheral
from wrist_memory import DAY, GRID, Clock, Memory

ADVERTISING_INTERVAL = 150  # ms
FITCLOUD_COMPANY, MOYOUNG_COMPANY = 0x5448, 0xF0EF
GAP = 16 * 3600  # s before the begin in which it was not worn
PACE = 0.004  # s from one piece to the next: four to an event of 15 ms

Properties = Characteristic.Properties


class Wrist(Peripheral):
    """Logs what came into its memory and went (`keep`, `confirmed`, `overwrite`, `wipe`), what was asked, offered and measured live, its clock and its bindings."""

    kind = "wrist"
    piece = topstep_frames.PIECE

    def __init__(self, number, air, log, rssi, offset, protocol, series, grain=1):
        super().__init__(number, air, log, rssi, f"F0:BA:4D:00:00:{number:02X}", f"wrist-{number:02}")
        self.name = f"wrist-{number:02}"
        self.clock = Clock(offset)
        self.memory = Memory(number, self.clock, series, self._note, grain=grain)
        self.protocol = protocol(number, self.memory, self)
        self.subscribed = False
        self.is_mute = False
        self.is_caught_up = False
        self.pace = PACE
        self.frames = asyncio.Queue()
        self.company = None
        now = self.clock.now()
        self.memory.wear((now - GAP) // GRID * GRID, self.clock.midnight(now) - DAY)
        self.device.add_services(self._common() + self.own())

    def _note(self, event, items):
        self.log(event, items=[item.told() for item in items])

    # --- services ---

    def fixed(self, number, value):
        return Characteristic(UUID.from_16_bits(number), Properties.READ, Characteristic.READABLE, value)

    def _common(self):
        return [Service(UUID.from_16_bits(0x1800), [self.fixed(0x2A00, self.name.encode())])]

    def own(self):
        raise NotImplementedError

    def commanded(self, uuid):
        both = Properties.WRITE | Properties.WRITE_WITHOUT_RESPONSE
        return Characteristic(uuid, both, Characteristic.WRITEABLE, CharacteristicValue(write=self._written))

    def answering(self, uuid):
        self.answer = Characteristic(uuid, Properties.NOTIFY, Characteristic.READABLE, b"")
        self.answer.on(Characteristic.EVENT_SUBSCRIPTION, self._subscription)
        return self.answer

    def _subscription(self, _bearer, notify, _indicate):
        self.subscribed = notify
        self.log("subscribe" if notify else "unsubscribe")

    def _written(self, _connection, value):
        if not self.is_mute:
            self.protocol.received(bytes(value))

    # --- the air ---

    async def start(self):
        await self.device.power_on()
        await self.advertise()
        self.tasks = [asyncio.create_task(self._live()), asyncio.create_task(self._sending())]

    def advertised(self):
        """Beside flags and name."""
        return []

    async def advertise(self):
        kinds = AdvertisingData.Type
        parts = [(kinds.FLAGS, b"\x06"), *self.advertised()]
        self.air.scan_responses[self.address] = bytes(AdvertisingData([(kinds.COMPLETE_LOCAL_NAME, self.name.encode())]))
        await self.device.start_advertising(
            advertising_data=bytes(AdvertisingData(parts)),
            scan_response_data=self.air.scan_responses[self.address],
            advertising_interval_min=ADVERTISING_INTERVAL,
            advertising_interval_max=ADVERTISING_INTERVAL,
        )

    def told_company(self):
        """Manufacturer data with the address behind it, if it says its maker."""
        if self.company is None:
            return []
        return [(AdvertisingData.Type.MANUFACTURER_SPECIFIC_DATA, self.company.to_bytes(2, "little") + bytes(reversed(bytes(self.address))))]

    def connected(self, _connection):
        self.protocol.link_begins()

    def disconnected(self):
        self.subscribed = False
        self.protocol.link_begins()
        self.protocol.is_known = False

    # --- what a protocol asks of its desk ---

    def send(self, frame, is_history=False):
        if self.connection is not None:
            self.frames.put_nowait((self.connection, bytes(frame), is_history))

    def later(self, delay, action):
        link = self.connection

        def now():
            if link is not None and self.connection is link:
                action()

        return asyncio.get_running_loop().call_later(delay, now).cancel

    async def _sending(self):
        """Frames one after the other, in pieces, those of an earlier link passed over. History is counted, so that a link can end in the middle of it."""
        while True:
            link, frame, is_history = await self.frames.get()
            for piece in topstep_frames.pieces(frame, self.piece_size()):
                if self.connection is not link or not self.subscribed or self.is_away or self.is_mute:
                    break
                self.notify(self.answer, piece)
                faults = self.protocol.faults
                if is_history and faults.drop_after is not None:
                    faults.drop_after -= len(piece)
                    if faults.drop_after <= 0:
                        faults.drop_after = None
                        self.log("drop")
                        await self.drop()
                        break
                await asyncio.sleep(self.pace)

    def piece_size(self):
        return self.piece

    # --- the wearer ---

    async def _live(self):
        """Measures by itself once it has caught up with the time, as its clock says. A band that was reset has to get the time first."""
        while True:
            await asyncio.sleep(0.5)
            if self.is_caught_up and abs(self.clock.slow) < DAY:
                self.wear_until(self.clock.now())

    def wear(self, minutes):
        """As if it had been worn for so many minutes more, since it was last; how many of them were left until now."""
        now = self.clock.now()
        end = min(self.memory.worn_until + minutes * 60, now)
        self.is_caught_up = end == now
        self.wear_until(end)

    def wear_until(self, end):
        before = len(self.memory.items)
        self.memory.wear(end)
        if len(self.memory.items) != before:
            self.protocol.measured()

    def measure(self, series):
        self.memory.measure(series)
        self.protocol.measured()

    async def reset(self):
        self.protocol.reset()
        self.memory.worn_until = time.time()
        await self.drop()

    def status(self):
        return {
            "address": self.address.to_string(with_type_qualifier=False),
            "name": self.name,
            "model": self.protocol.name,
            "connected": self.connection is not None,
            "subscribed": self.subscribed,
            "owner": self.protocol.owner,
            "known": self.protocol.is_known,
            "kept": len(self.memory.items),
            "slow": self.clock.slow,
            "caught_up": self.is_caught_up,
        }


class TopStepWrist(Wrist):
    """FitCloud and the new platform: the same service."""

    def own(self):
        name = Characteristic(UUID(topstep_frames.NAME), Properties.READ, Characteristic.READABLE, self.name.encode())
        return [Service(UUID(topstep_frames.SERVICE), [self.commanded(UUID(topstep_frames.COMMAND)), self.answering(UUID(topstep_frames.ANSWER)), name])]

    def advertised(self):
        service = bytes(UUID(topstep_frames.SERVICE))
        return [(AdvertisingData.Type.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, service), *self.told_company()]


class FitCloudWrist(TopStepWrist):
    def __init__(self, number, air, log, rssi, offset):
        super().__init__(number, air, log, rssi, offset, FitCloud, FITCLOUD_SERIES, 60)
        self.company = FITCLOUD_COMPANY


class AnonymousFitCloudWrist(TopStepWrist):
    """A band with advertisements that do not give its family."""

    def __init__(self, number, air, log, rssi, offset):
        super().__init__(number, air, log, rssi, offset, FitCloud, FITCLOUD_SERIES, 60)


class NextWrist(TopStepWrist):
    def __init__(self, number, air, log, rssi, offset):
        super().__init__(number, air, log, rssi, offset, TopStepNext, NEXT_SERIES)


class MoyoungWrist(Wrist):
    protocol_kind = Moyoung

    def __init__(self, number, air, log, rssi, offset):
        super().__init__(number, air, log, rssi, offset, self.protocol_kind, MOYOUNG_SERIES)
        self.company = MOYOUNG_COMPANY

    def own(self):
        steps = Characteristic(
            UUID.from_16_bits(moyoung_frames.STEPS),
            Properties.READ | Properties.NOTIFY,
            Characteristic.READABLE,
            CharacteristicValue(read=lambda _: moyoung_frames.triple(*self.protocol.totals(0))),
        )
        silent = Characteristic(UUID.from_16_bits(0x2A37), Properties.NOTIFY, Characteristic.READABLE, b"")
        return [
            Service(
                UUID.from_16_bits(moyoung_frames.SERVICE),
                [steps, self.commanded(UUID.from_16_bits(moyoung_frames.WRITE)), self.answering(UUID.from_16_bits(moyoung_frames.NOTIFY))],
            ),
            Service(UUID.from_16_bits(0x180F), [self.fixed(0x2A19, bytes([self.protocol.battery]))]),
            Service(
                UUID.from_16_bits(0x180A),
                [self.fixed(0x2A29, self.protocol.maker.encode()), self.fixed(0x2A25, f"LAB-W{self.number:03}".encode()), self.fixed(0x2A26, b"MOY-LAB-1.2.3")],
            ),
            Service(UUID.from_16_bits(0x180D), [silent]),
            # For updates, on some chips: no other client has any business there.
            Service(UUID(topstep_frames.SERVICE), [self._update(topstep_frames.COMMAND), self._update(topstep_frames.ANSWER)]),
        ]

    def _update(self, uuid):
        write = CharacteristicValue(write=lambda _, value: self.log("update-written", hex=bytes(value).hex()))
        return Characteristic(UUID(uuid), Properties.WRITE | Properties.NOTIFY, Characteristic.WRITEABLE, write)

    def advertised(self):
        service = moyoung_frames.SERVICE.to_bytes(2, "little")
        return [(AdvertisingData.Type.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, service), *self.told_company()]

    def piece_size(self):
        return 20 if self.protocol.is_fixed or self.connection is None else max(20, self.connection.att_mtu - 3)


class OldMoyoungWrist(MoyoungWrist):
    protocol_kind = OldMoyoung


MODELS = {
    "fitcloud": FitCloudWrist,
    "fitcloud_anonymous": AnonymousFitCloudWrist,
    "topstep_next": NextWrist,
    "moyoung": MoyoungWrist,
    "moyoung_old": OldMoyoungWrist,
}
