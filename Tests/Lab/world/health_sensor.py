"""Health sensors of standard services: a thermometer, a cuff, an oximeter, one with records, and a foot pod. Each has a log of what it sent
and what was confirmed. What they measure is in `sensor_values.py`."""
import asyncio
import datetime
import struct

from bumble.att import ATT_Error
from bumble.core import AdvertisingData, UUID
from bumble.gatt import GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR, Characteristic, CharacteristicValue, Descriptor, Service
from bumble.pairing import PairingConfig, PairingDelegate

import sensor_values as values
from peripheral import Peripheral

ADVERTISING_INTERVAL = 200  # ms
INDICATION, CONFIRMATION = 0x1D, 0x1E
SECURITY_CHANNEL, PAIRING_REQUEST, BONDING = 0x0006, 0x01, 0x03  # SMP: its channel, the request, and the bits of AuthReq that want a bond
PATIENCE = 30.0  # s; ATT's own transaction time
Properties = Characteristic.Properties


class HealthSensor(Peripheral):
    """Logs `connect`, `subscribe`, `notify`, `indicate`, `confirm`, `unconfirmed`. Each measurement has a number, `sequence`, which it keeps when it is sent again."""

    kind = "sensor"
    model = ""
    service = 0
    always_heard = True

    def __init__(self, number, air, log, rssi):
        super().__init__(number, air, log, rssi, f"F0:F1:F2:F3:C5:{number:02X}", f"{self.model} {number}")
        self.name = f"{self.model} {number}".encode()
        self.sequence = 0
        self.subscribed = {}  # number of the characteristic -> (notified, indicated)
        self.on_air = self.always_heard
        self.mute = False  # answers no ATT request
        self.lost_confirmations = 0  # so many will fail: the link is lost instead
        self.turn = asyncio.Lock()  # one indication at a time
        self.confirmation = None
        self.device.add_services([*self._common(), Service(UUID.from_16_bits(self.service), self.own()), *self.more()])
        self.serve = self.device.gatt_server.on_gatt_pdu
        self.device.gatt_server.on_gatt_pdu = self._pdu

    def _common(self):
        return [
            Service(UUID.from_16_bits(0x1800), [self.fixed(0x2A00, self.name)]),
            Service(UUID.from_16_bits(0x180F), [self.fixed(0x2A19, bytes([80 - self.number % 80]))]),
            Service(
                UUID.from_16_bits(0x180A),
                [
                    self.fixed(0x2A29, b"Hearth Lab"),
                    self.fixed(0x2A24, self.model.encode()),
                    self.fixed(0x2A25, f"LAB-S{self.number:03}".encode()),
                    self.fixed(0x2A23, bytes([self.number, 2, 3, 0xFE, 0xFF, 4, 5, 6])),
                    self.fixed(0x2A50, struct.pack("<BHHH", 1, 0xFFFF, 0x1234, 0x0100)),
                ],
            ),
        ]

    def fixed(self, number, value):
        return Characteristic(UUID.from_16_bits(number), Properties.READ, Characteristic.READABLE, value)

    def told(self, number, properties):
        """A characteristic that is notified or indicated; each subscription is logged."""
        one = Characteristic(UUID.from_16_bits(number), properties, Characteristic.READABLE | Characteristic.WRITEABLE, b"")
        one.on(Characteristic.EVENT_SUBSCRIPTION, lambda _bearer, notify, indicate: self._subscription(number, notify, indicate))
        return one

    def _subscription(self, number, notify, indicate):
        self.subscribed[number] = (notify, indicate)
        self.log("subscribe" if notify or indicate else "unsubscribe", characteristic=f"{number:04X}")
        self.listened()

    def wants(self, number):
        return self.connection is not None and any(self.subscribed.get(number, ()))

    # --- for subclasses ---

    def own(self):
        """Characteristics of its service."""
        return []

    def more(self):
        """Other services."""
        return []

    def listened(self):
        """A subscription changed."""

    async def live(self):
        """What it does while it is switched on."""

    # --- the air ---

    async def start(self):
        await self.device.power_on()
        await self.advertise()
        self.tasks = [asyncio.create_task(self.live())]

    async def advertise(self):
        if not self.on_air:
            return
        parts = [
            (AdvertisingData.FLAGS, bytes([0x06])),
            (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, struct.pack("<H", self.service)),
            (AdvertisingData.COMPLETE_LOCAL_NAME, self.name[:20]),
        ]
        await self.device.start_advertising(
            advertising_data=bytes(AdvertisingData(parts)), advertising_interval_min=ADVERTISING_INTERVAL, advertising_interval_max=ADVERTISING_INTERVAL
        )

    async def fall_silent(self):
        self.on_air = False
        if self.connection is None:
            await self.device.stop_advertising()

    def disconnected(self):
        self.subscribed = {}
        if self.confirmation is not None and not self.confirmation.done():
            self.confirmation.set_result(False)

    # --- values ---

    def _pdu(self, bearer, pdu):
        if self.mute:
            return
        if pdu.op_code != CONFIRMATION:
            self.serve(bearer, pdu)
        elif self.confirmation is not None and not self.confirmation.done():
            if self.lost_confirmations > 0:
                self.lost_confirmations -= 1
                asyncio.create_task(self.hang_up())
            else:
                self.confirmation.set_result(True)
        else:
            self.log("stray confirmation")

    def particulars(self, sequence, made):
        return {"sequence": sequence, "hex": made.value.hex(), "is_sample": made.is_sample, "shown": made.shown, **made.numbers}

    def tell(self, characteristic, number, sequence, made):
        """A notification, if a client subscribed."""
        if self.wants(number) and not self.is_away:
            self.notify(characteristic, made.value)
            self.log("notify", characteristic=f"{number:04X}", **self.particulars(sequence, made))

    async def indicate(self, attribute, value, **particulars):
        """True when it was confirmed. A link without confirmations is ended."""
        async with self.turn:
            if self.connection is None or self.is_away:
                return False
            self.confirmation = asyncio.get_running_loop().create_future()
            self.log("indicate", **particulars)
            self.pdu(struct.pack("<BH", INDICATION, attribute.handle) + value)
            try:
                confirmed = await asyncio.wait_for(self.confirmation, PATIENCE)
            except asyncio.TimeoutError:
                confirmed = False
                await self.hang_up()
            self.confirmation = None
            self.log("confirm" if confirmed else "unconfirmed", **particulars)
            return confirmed


class Thermometer(HealthSensor):
    """Indicates a measurement every `period` seconds while a client is subscribed, and notifies one on the way to it. Asks each central for the time."""

    model, service, period = "Thermometer", 0x1809, 5.0

    def own(self):
        self.final = self.told(0x2A1C, Properties.INDICATE)
        self.intermediate = self.told(0x2A1E, Properties.NOTIFY)
        return [self.final, self.fixed(0x2A1D, bytes([2])), self.intermediate, self.fixed(0x2A21, struct.pack("<H", int(self.period)))]

    def connected(self, connection):
        asyncio.create_task(self._ask_time(connection))

    async def _ask_time(self, connection):
        try:
            service = (await connection.gatt_client.discover_service(UUID.from_16_bits(0x1805)))[0]
            told = {}
            for one in await service.discover_characteristics():
                told[one.uuid.to_hex_str().upper()] = bytes(await one.read_value()).hex()
            self.log("hub-time", told=told)
        except Exception as trouble:  # the link went meanwhile, or the hub did not answer
            self.log("no-hub-time", trouble=repr(trouble))

    async def live(self):
        while True:
            await asyncio.sleep(self.period)
            if not self.wants(0x2A1C):
                continue
            sequence, moment = self.sequence, values.utc_now()
            self.sequence += 1
            self.tell(self.intermediate, 0x2A1E, sequence, values.temperature(self.number, sequence, moment, is_final=False))
            made = values.temperature(self.number, sequence, moment)
            await self.indicate(self.final, made.value, characteristic="2A1C", **self.particulars(sequence, made))


class Cuff(HealthSensor):
    """Silent until `measure`; heard for `HEARD` seconds then. Indicates unconfirmed measurements, oldest first, and hangs up `STAYS` seconds after."""

    model, service, always_heard = "Cuff", 0x1810, False
    HEARD, STAYS, CAPACITY = 30.0, 10.0, 20

    def own(self):
        self.kept = []  # (sequence, value)
        self.heard = self.HEARD
        self.silence = self.handing = None
        self.measurement = self.told(0x2A35, Properties.INDICATE)
        return [self.measurement, self.fixed(0x2A49, bytes([0x1F, 0]))]

    def take(self, moment, **particulars):
        made = values.pressure(self.number, self.sequence, moment)
        self.log("measure", **particulars, **self.particulars(self.sequence, made))
        self.kept.append((self.sequence, made))
        self.sequence += 1

    async def measure(self):
        self.take(values.utc_now())
        await self.be_heard()

    async def be_heard(self):
        if len(self.kept) > self.CAPACITY:
            self.log("overwritten", sequence=self.kept.pop(0)[0])
        if self.connection is not None:
            return self.listened()
        self.on_air = True
        await self.advertise()
        if self.silence is not None:
            self.silence.cancel()
        self.silence = asyncio.create_task(self._fall_silent())

    def show(self, seconds):
        """Present without a measurement, and gone after `seconds`, linked or not."""
        self.showing = asyncio.create_task(self._show(seconds))

    async def _show(self, seconds):
        self.on_air = True
        if self.connection is None:
            await self.advertise()
        await asyncio.sleep(seconds)
        await self.fall_silent()
        if self.connection is not None:
            await self.drop()

    async def _fall_silent(self):
        await asyncio.sleep(self.heard)
        await self.fall_silent()

    def connected(self, connection):
        self.on_air = False

    def listened(self):
        if self.wants(0x2A35) and (self.handing is None or self.handing.done()):
            self.handing = asyncio.create_task(self._hand_over())

    async def _hand_over(self):
        await asyncio.sleep(0.2)
        while self.wants(0x2A35) and self.kept:
            sequence, made = self.kept[0]
            if not await self.indicate(self.measurement, made.value, characteristic="2A35", **self.particulars(sequence, made)):
                return
            self.kept = [one for one in self.kept if one[0] != sequence]
        link = self.connection
        await asyncio.sleep(self.STAYS)
        if self.kept and self.wants(0x2A35):
            self.handing = asyncio.create_task(self._hand_over())
        elif link is not None and self.connection is link:
            self.log("leave")
            await self.hang_up()


class SecuredCuff(Cuff):
    """Serves its measurement only over an encrypted link. Logs of each Pairing Request whether it wants a bond, and keeps the key only if it does."""

    def __init__(self, *words):
        super().__init__(*words)
        self.device.irk = bytes([0x5C, self.number] * 8)
        kind = PairingConfig.AddressType.RANDOM
        delegate = PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT)
        self.device.pairing_config_factory = lambda _link: PairingConfig(sc=True, mitm=False, bonding=True, delegate=delegate, identity_address_type=kind)
        channels = self.device.l2cap_channel_manager
        channels.register_fixed_channel(SECURITY_CHANNEL, self._security)

    def own(self):
        features = super().own()[1]
        allowed = Characteristic.READABLE | Characteristic.WRITEABLE | Characteristic.READ_REQUIRES_ENCRYPTION | Characteristic.WRITE_REQUIRES_ENCRYPTION
        self.measurement.permissions = features.permissions = allowed
        value = self.device.gatt_server.make_descriptor_value(self.measurement)
        # Bumble's own descriptor would be written without.
        self.measurement.descriptors = (Descriptor(GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR, allowed, value),)
        return [self.measurement, features]

    def connected(self, connection):
        super().connected(connection)
        connection.on(connection.EVENT_CONNECTION_ENCRYPTION_CHANGE, lambda: self.log("encrypted", on=bool(connection.encryption)))

    def _security(self, link, pdu):
        if pdu[0] == PAIRING_REQUEST:
            self.wants_bond = bool(pdu[3] & BONDING)
            self.log("pairing", bonding=self.wants_bond)
            if not self.wants_bond:
                self.keyless = asyncio.create_task(self._forget_key())
        self.device.on_smp_pdu(link, pdu)

    async def _forget_key(self):
        """Both sides have to want a bond for a key to be kept (part H, 2.3.1)."""
        await asyncio.sleep(5)
        await self.device.keystore.delete_all()


class Oximeter(HealthSensor):
    """Notifies once a second while a client is subscribed."""

    model, service = "Oximeter", 0x1822

    def own(self):
        self.continuous = self.told(0x2A5F, Properties.NOTIFY)
        return [self.fixed(0x2A60, bytes([0x03, 0, 0xA0, 0x20, 0x00, 0x0A, 0x00])), self.continuous]

    async def live(self):
        while True:
            await asyncio.sleep(1)
            if self.wants(0x2A5F):
                self.tell(self.continuous, 0x2A5F, self.sequence, values.saturation(self.number, self.sequence))
                self.sequence += 1


class Clocked(HealthSensor):
    """A sensor with Current Time that can be set. `slow`: seconds by which its clock is behind."""

    slow = 0

    def more(self):
        now = CharacteristicValue(read=lambda _: self._shown(), write=self._set)
        access = Properties.READ | Properties.WRITE
        return [Service(UUID.from_16_bits(0x1805), [Characteristic(UUID.from_16_bits(0x2A2B), access, Characteristic.READABLE | Characteristic.WRITEABLE, now)])]

    def _now(self):
        return values.utc_now() - datetime.timedelta(seconds=self.slow)

    def _shown(self):
        now = self._now()
        return values.date_time(now) + bytes([now.isoweekday(), 0, 0])

    def _set(self, _link, value):
        shown = datetime.datetime(*struct.unpack("<HBBBBB", bytes(value[:7])))
        self.log("set clock", hex=bytes(value).hex(), was_slow=self.slow)
        self.slow = (values.utc_now() - shown).total_seconds()


class ClockedCuff(Clocked, Cuff):
    """A cuff whose readings have the times of a clock that can be set. Over the link on which that was done it is silent from then on."""

    model = "Clocked cuff"

    def _set(self, link, value):
        super()._set(link, value)
        self.mute = True

    def disconnected(self):
        super().disconnected()
        self.mute = False

    def _take(self, moment):
        self.take(moment, measured=moment.replace(tzinfo=datetime.timezone.utc).timestamp() + self.slow)

    async def measure(self):
        self._take(self._now())
        await self.be_heard()

    def keep(self, count, spacing):
        """Readings of the time until now, so many seconds apart: as if no hub had been there."""
        for place in range(count, 0, -1):
            self._take(self._now() - datetime.timedelta(seconds=place * spacing))


class SpotOximeter(Clocked):
    """Keeps spot-checks behind a Record Access Control Point."""

    model, service = "Spot oximeter", 0x1822
    FIRST = 5  # records that it has from the beginning, an hour apart
    PACE = 0.03  # s from one record of a report to the next: an indication and its confirmation, at an interval of 15 ms

    def own(self):
        self.report = None
        self.records = []
        for hours in range(self.FIRST, 0, -1):
            self._record(values.utc_now() - datetime.timedelta(hours=hours))
        self.spot = self.told(0x2A5E, Properties.INDICATE)
        self.control = self.told(0x2A52, Properties.WRITE | Properties.INDICATE)
        self.control.value = CharacteristicValue(write=self._asked)
        return [self.fixed(0x2A60, bytes([0x0D, 0, 0x80, 0x02])), self.spot, self.control]

    def _record(self, moment, event="record"):
        self.records.append((self.sequence, values.spot_check(self.number, self.sequence, moment)))
        self.sequence += 1
        measured = moment.replace(tzinfo=datetime.timezone.utc).timestamp() + self.slow
        self.log(event, measured=measured, **self.particulars(*self.records[-1]))

    async def measure(self):
        self._record(self._now(), "measure")

    def keep(self, count, spacing):
        """Records of the time until now, so many seconds apart: as if it had been away."""
        for place in range(count, 0, -1):
            self._record(self._now() - datetime.timedelta(seconds=place * spacing))

    @property
    def kept(self):
        return self.records

    def _asked(self, _link, value):
        value = bytes(value)
        self.log("ask", hex=value.hex())
        if not self.wants(0x2A52):
            raise ATT_Error(0xFD)
        if self.report is not None and not self.report.done() and value[:1] != b"\3":
            raise ATT_Error(0xFE)
        asyncio.create_task(self._answer(value))

    async def _answer(self, value):
        await asyncio.sleep(0.02)
        if value[:1] == b"\3":
            if self.report is not None:
                self.report.cancel()
            return await self._reply(bytes([6, 0, 3, 1]))
        if value[1:] != b"\1":
            return await self._reply(bytes([6, 0, value[0], 4]))
        if value[0] == 1:
            self.report = asyncio.create_task(self._report(list(self.records)))
        elif value[0] == 4:
            await self._reply(struct.pack("<BBH", 5, 0, len(self.records)))
        elif value[0] == 2:
            self.log("deleted", sequences=[sequence for sequence, _ in self.records])
            self.records = []
            await self._reply(bytes([6, 0, 2, 1]))
        else:
            await self._reply(bytes([6, 0, value[0], 2]))

    async def _report(self, records):
        self.log("report", count=len(records))
        for sequence, made in records:
            await asyncio.sleep(self.PACE)
            if not await self.indicate(self.spot, made.value, characteristic="2A5E", **self.particulars(sequence, made)):
                return
        self.log("reported", count=len(records))
        await self._reply(bytes([6, 0, 1, 1 if records else 6]))

    async def _reply(self, value):
        await self.indicate(self.control, value, characteristic="2A52", hex=value.hex())


class FootPod(HealthSensor):
    """Notifies once a second while a client is subscribed; its distance wraps after the first hundred metres."""

    model, service = "Foot pod", 0x1814

    def own(self):
        self.distance = 0xFFFFFFFF - 1000  # 0.1 m
        self.measurement = self.told(0x2A53, Properties.NOTIFY)
        return [self.measurement, self.fixed(0x2A54, bytes([7, 0])), self.fixed(0x2A5D, bytes([1]))]

    async def live(self):
        while True:
            await asyncio.sleep(1)
            if self.wants(0x2A53):
                made = values.run(self.number, self.sequence, self.distance)
                self.tell(self.measurement, 0x2A53, self.sequence, made)
                self.distance += made.numbers["speed"] * 10 // 256
                self.sequence += 1


MODELS = {"thermometer": Thermometer, "cuff": Cuff, "clocked-cuff": ClockedCuff, "secured-cuff": SecuredCuff, "oximeter": Oximeter, "spot-oximeter": SpotOximeter, "foot-pod": FootPod}
