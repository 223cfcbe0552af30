"""A heart-rate strap and its log of what it sent."""
import asyncio
import struct
import time

from bumble.core import AdvertisingData, UUID
from bumble.gatt import Characteristic, CharacteristicValue, Service

from broadcast import Broadcast
from heart import Heart
from measurement import FLOOD_HEART_RATE, measurement
from peripheral import Peripheral

ADVERTISING_INTERVAL = 200  # ms
ADVERTISING_ROOM = 31  # bytes of a legacy advertisement
BATTERY_PERIOD = 15.0  # seconds between battery notifications
CHEST = 1

Properties = Characteristic.Properties
READABLE = Characteristic.READABLE


class Strap(Peripheral):
    """Measures once per `period` seconds while a client is subscribed. Numbers its measurements from 0 and never repeats a number. What it measures is made up,
    in every form that a strap may send, until a person wears it (`heart.py`)."""

    kind = "strap"

    def __init__(self, number, air, log, rssi, period, manufacturer):
        super().__init__(number, air, log, rssi, f"F0:F1:F2:F3:F4:{number:02X}", f"Strap {number}")
        self.period = period
        self.manufacturer = manufacturer
        self.name = f"Strap {number}".encode()
        self.battery = 90 - number % 90  # %
        self.sequence = 0
        self.subscribed = False
        self.battery_subscribed = False
        self.mute = False  # answers no ATT request
        self.broadcast = None  # sends its heart rate without a link, and takes no link
        self.heart = None  # of a person; else what it measures is made up, number by number
        self.worn_since = 0.0
        self.contact = None  # `None`: unknown; else whether it feels skin
        self._build_services()

    def _build_services(self):
        def fixed(uuid, value):
            return Characteristic(UUID.from_16_bits(uuid), Properties.READ, READABLE, value)

        def text(uuid, value):
            return fixed(uuid, value.encode())

        name = CharacteristicValue(read=lambda _: self.name)
        battery = CharacteristicValue(read=lambda _: bytes([self.battery]))
        self.heart_rate_characteristic = Characteristic(UUID.from_16_bits(0x2A37), Properties.NOTIFY, READABLE, b"")
        self.battery_characteristic = Characteristic(
            UUID.from_16_bits(0x2A19), Properties.READ | Properties.NOTIFY, READABLE, battery
        )
        self.heart_rate_characteristic.on(Characteristic.EVENT_SUBSCRIPTION, self._heart_rate_subscription)
        self.battery_characteristic.on(Characteristic.EVENT_SUBSCRIPTION, self._battery_subscription)
        self.device.add_services(
            [
                Service(
                    UUID.from_16_bits(0x1800),
                    [
                        Characteristic(UUID.from_16_bits(0x2A00), Properties.READ, READABLE, name),
                        fixed(0x2A01, struct.pack("<H", 0x0341)),  # appearance: heart rate belt
                    ],
                ),
                Service(UUID.from_16_bits(0x180D), [self.heart_rate_characteristic, fixed(0x2A38, bytes([CHEST]))]),
                Service(UUID.from_16_bits(0x180F), [self.battery_characteristic]),
                Service(
                    UUID.from_16_bits(0x180A),
                    [
                        text(0x2A29, self.manufacturer),
                        text(0x2A24, "Strap"),
                        text(0x2A25, f"LAB-{self.number:04}"),
                        text(0x2A26, f"1.0.{self.number}"),
                    ],
                ),
            ]
        )
        answer = self.device.gatt_server.on_gatt_pdu
        self.device.gatt_server.on_gatt_pdu = lambda bearer, pdu: None if self.mute else answer(bearer, pdu)

    async def start(self):
        await self.device.power_on()
        await self.advertise()
        self.tasks = [asyncio.create_task(self._beat()), asyncio.create_task(self._report_battery())]

    # --- advertising ---

    def advertising_data(self):
        parts = [
            (AdvertisingData.FLAGS, bytes([0x06])),
            (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, struct.pack("<H", 0x180D)),
        ]
        room = ADVERTISING_ROOM - len(bytes(AdvertisingData(parts))) - 2
        kind = AdvertisingData.COMPLETE_LOCAL_NAME if len(self.name) <= room else AdvertisingData.SHORTENED_LOCAL_NAME
        return bytes(AdvertisingData(parts + [(kind, self.name[:room])]))

    async def advertise(self):
        if self.broadcast is not None:
            return
        await self.device.start_advertising(
            advertising_data=self.advertising_data(),
            advertising_interval_min=ADVERTISING_INTERVAL,
            advertising_interval_max=ADVERTISING_INTERVAL,
        )

    async def rename(self, name):
        self.name = name
        if self.connection is None:
            await self.advertise()

    async def set_broadcast(self, on):
        if on and self.broadcast is None:
            self.broadcast = Broadcast(self)
            await self.device.stop_advertising()
            await self.hang_up()
        elif not on and self.broadcast is not None:
            self.broadcast.end()
            self.broadcast = None
            await self.advertise()

    def disconnected(self):
        self.subscribed = self.battery_subscribed = False

    # --- measurements ---

    def _heart_rate_subscription(self, _bearer, notify, _indicate):
        self.subscribed = notify
        self.log("subscribe" if notify else "unsubscribe", characteristic="heart_rate")

    def _battery_subscription(self, _bearer, notify, _indicate):
        self.battery_subscribed = notify
        self.log("subscribe" if notify else "unsubscribe", characteristic="battery")

    def wear(self, mean, deep, breaths, every, intervals):
        """From now on the heart of a person is measured. Contact is felt."""
        self.heart = Heart(self.number, mean, deep, breaths, every, intervals)
        self.worn_since = time.monotonic()
        self.contact = True
        self.log("worn", mean=mean, deep=deep, breaths=breaths, every=every, intervals=intervals)

    def touch(self, on):
        self.contact = on
        self.log("contact", on=on)

    def _measure(self):
        if self.heart is None:
            return measurement(self.number, self.sequence)
        return self.heart.measurement(self.heart.until(time.monotonic() - self.worn_since), self.contact)

    async def _beat(self):
        due = time.monotonic()
        while True:
            due += self.period
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            if not self.subscribed or self.is_away:
                if self.heart is not None:
                    self.heart.until(time.monotonic() - self.worn_since)  # not reported
            else:
                made = self._measure()
                self.notify(self.heart_rate_characteristic, made.value)
                self.log(
                    "notify",
                    sequence=self.sequence,
                    hex=made.value.hex(),
                    heart_rate=made.heart_rate,
                    rr=made.rr,
                    energy=made.energy,
                    is_sample=made.is_sample,
                    contact=self.contact,
                )
                self.sequence += 1

    async def _report_battery(self):
        while True:
            await asyncio.sleep(BATTERY_PERIOD)
            if self.battery_subscribed and not self.is_away:
                self.notify(self.battery_characteristic, bytes([self.battery]))
                self.log("battery", value=self.battery)

    async def flood(self, count):
        """`count` notifications as fast as the link takes them."""
        self.log("flood", count=count)
        for index in range(count):
            if self.connection is None:
                return
            self.notify(self.heart_rate_characteristic, bytes([0x00, FLOOD_HEART_RATE]))
            if index % 50 == 49:
                await asyncio.sleep(0)

    def send_raw(self, value):
        self.log("raw", hex=value.hex())
        self.notify(self.heart_rate_characteristic, value)

    def oversize(self):
        """600 bytes: more than any MTU that was agreed, less than the kernel's own limit of 672."""
        self.send_raw(bytes([0x10, 80]) + bytes(595))
