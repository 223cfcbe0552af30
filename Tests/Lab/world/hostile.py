"""Common part of every hostile wearable: it looks like a strap, is heard, and its packets are its own. Subclasses say what it does to its central."""
import asyncio
import struct

from bumble.core import AdvertisingData, UUID
from bumble.gatt import Characteristic, CharacteristicValue, Service

from peripheral import ATT_CHANNEL, Peripheral

SIGNALLING_CHANNEL, SECURITY_CHANNEL = 0x0005, 0x0006
MTU_REQUEST, INFORMATION, READ_BY_TYPE, READ, READ_BLOB, READ_BY_GROUP, WRITE = 0x02, 0x04, 0x08, 0x0A, 0x0C, 0x10, 0x12
ADVERTISING_INTERVAL = 200  # ms
BURST = 20  # packets before the others of the world have their turn

Properties = Characteristic.Properties


class Hostile(Peripheral):
    """`take` sees each ATT packet before the server does and keeps it by giving True. `take_security` does the same for pairing; `attack`
    runs as long as a link."""

    kind = "hostile"
    service = 0x180D
    name = b"Strap"
    serial = "LAB-H"

    def __init__(self, number, air, log, rssi, address=None):
        super().__init__(number, air, log, rssi, address or f"F0:BA:DD:00:{number >> 8:02X}:{number & 255:02X}", "hostile")
        self.beats = self.subscribed = False
        self.attacking = None
        self.device.add_services(self.services())
        channels = self.device.l2cap_channel_manager
        channels.register_fixed_channel(ATT_CHANNEL, lambda link, pdu: self.take(pdu) or self.device.on_gatt_pdu(link, pdu))
        channels.register_fixed_channel(SECURITY_CHANNEL, lambda link, pdu: self.take_security(pdu) or self.device.on_smp_pdu(link, pdu))

    # --- for subclasses ---

    def take(self, pdu):
        return False

    def take_security(self, pdu):
        return False

    async def attack(self):
        """While it is linked."""

    # --- what it looks like ---

    def services(self):
        self.measurement = Characteristic(UUID.from_16_bits(0x2A37), Properties.NOTIFY, Characteristic.READABLE, b"")
        self.measurement.on(Characteristic.EVENT_SUBSCRIPTION, self._subscription)
        name = CharacteristicValue(read=lambda _: self.name)
        return [
            Service(UUID.from_16_bits(0x1800), [self.fixed(0x2A00, name)]),
            Service(UUID.from_16_bits(0x180D), [self.measurement]),
            Service(UUID.from_16_bits(0x180F), [self.fixed(0x2A19, bytes([self.battery]))]),
            Service(UUID.from_16_bits(0x180A), [self.fixed(0x2A29, b"Hearth Lab"), self.fixed(0x2A25, self.serial.encode())]),
        ]

    battery = 80

    def fixed(self, number, value):
        return Characteristic(UUID.from_16_bits(number), Properties.READ, Characteristic.READABLE, value)

    def _subscription(self, _bearer, notify, _indicate):
        self.subscribed = notify
        self.log("subscribe" if notify else "unsubscribe")

    async def start(self):
        await self.device.power_on()
        await self.advertise()

    def advertising_data(self):
        kinds = AdvertisingData.Type
        parts = [(kinds.FLAGS, b"\x06"), (kinds.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, struct.pack("<H", self.service))]
        return bytes(AdvertisingData([*parts, (kinds.COMPLETE_LOCAL_NAME, self.name[:18])]))

    async def advertise(self):
        await self.device.start_advertising(
            advertising_data=self.advertising_data(), advertising_interval_min=ADVERTISING_INTERVAL, advertising_interval_max=ADVERTISING_INTERVAL
        )

    # --- the link ---

    def connected(self, connection):
        self.attacking = asyncio.create_task(self._attack())

    async def _attack(self):
        try:
            await self.attack()
        except Exception as trouble:  # the link went meanwhile
            self.log("attack-ended", trouble=repr(trouble))

    def disconnected(self):
        self.subscribed = False
        if self.attacking is not None:
            self.attacking.cancel()

    async def end(self):
        """Never heard again."""
        if self.attacking is not None:
            self.attacking.cancel()
        for task in self.tasks:
            task.cancel()
        self.advertise = self._stay_silent
        await self.hang_up()
        if self.device.is_advertising:
            await self.device.stop_advertising()
        self.air.remove_controller(self.device.host.controller)

    async def _stay_silent(self):
        pass

    # --- packets ---

    def security(self, pdu):
        self.device.send_l2cap_pdu(self.connection.handle, SECURITY_CHANNEL, pdu)

    def signal(self, pdu):
        self.device.send_l2cap_pdu(self.connection.handle, SIGNALLING_CHANNEL, pdu)

    def refuse(self, pdu, code):
        """An error in place of an answer."""
        self.pdu(struct.pack("<BBHB", 1, pdu[0], int.from_bytes(pdu[1:3], "little"), code))

    async def flood(self, pdus, pause=0.01, send=None):
        """All of them, without end, a burst at a time."""
        while self.connection is not None:
            for _ in range(BURST):
                (send or self.pdu)(next(pdus))
            await asyncio.sleep(pause)

    async def beat(self, value, every=1.0):
        """`value()` each time that a client is subscribed."""
        while True:
            await asyncio.sleep(every)
            if self.subscribed and self.connection is not None:
                self.notify(self.measurement, value())
