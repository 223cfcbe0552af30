"""What the twins of Polar's wearables have in common: name and id, small services, measurement service, file transfer, bonds."""
import asyncio
import datetime
import struct
import time

from bumble import att
from bumble.core import AdvertisingData, UUID
from bumble.gatt import GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR, Characteristic, CharacteristicValue, Descriptor, Service
from bumble.pairing import PairingConfig, PairingDelegate

import polar_data
import psftp
from measurement import measurement
from peripheral import Peripheral

COMPANY = 0x006B
HEART_RATE, FILE_TRANSFER = 0x180D, 0xFEEE
MEASUREMENT = "FB005C80-02E7-F387-1CAD-8ACD2D8DF0C8"
CONTROL_POINT = "FB005C81-02E7-F387-1CAD-8ACD2D8DF0C8"
DATA = "FB005C82-02E7-F387-1CAD-8ACD2D8DF0C8"
TRANSFER = "FB005C51-02E7-F387-1CAD-8ACD2D8DF0C8"
FROM_DEVICE = "FB005C52-02E7-F387-1CAD-8ACD2D8DF0C8"
TO_DEVICE = "FB005C53-02E7-F387-1CAD-8ACD2D8DF0C8"
RADIO = "6217FF4B-FB31-1140-AD5A-A45545D7ECF3"
RADIO_FEATURES = "6217FF4C-C8EC-B1FB-1380-3AD986708E2D"
RADIO_CONTROL = "6217FF4D-91BB-91D0-7E2A-7CD3BDA8A1F3"
BROADCAST, SECOND_LINK, ANT_PLUS = 1, 8, 10  # the codes that set them; one more asks
RADIO_BITS = b"\x81\x01"  # those three
MTU = 232  # what a wearable agrees to when it is asked for 512
# As many packets of 232 bytes as an LE 1M link carries in an event of 15 ms: 2.5 ms each with its acknowledgement.
EVENT, PACKETS_PER_EVENT = 0.015, 6
ADVERTISING_INTERVAL = 100  # ms

Properties = Characteristic.Properties


class Consent(PairingDelegate):
    """No input, no output: Just Works, with one host. A bond is neither replaced nor joined by another."""

    def __init__(self, wearable):
        super().__init__(PairingDelegate.NO_OUTPUT_NO_INPUT)
        self.wearable = wearable

    async def accept(self):
        bonds = await self.wearable.device.keystore.get_all()
        self.wearable.log("pairing-request", refused=bool(bonds))
        return not bonds


class Polar(Peripheral):
    """Subclasses say which measurements there are (`features`), obey the control point, and have files."""

    model = ""
    firmware = ""
    features = bytes(3)
    memory = 15 << 20  # bytes

    def __init__(self, number, air, log, rssi, address, device_number, clock):
        super().__init__(number, air, log, rssi, address, f"Polar {self.model}")
        self.name = f"Polar {self.model} {polar_data.device_id(device_number)}"
        self.is_nameless = False  # its scan responses are lost
        self.clock = (clock, time.monotonic())
        self.offset = 0  # minutes
        self.files = psftp.Files()
        self.assembly = psftp.Assembly()
        self.notices = psftp.Assembly()
        self.sending = None  # the task of a response on its way
        self.busy = False  # a training runs: SYSTEM_BUSY to everything that concerns files
        self.is_mute = False  # its link stays, and no heart rate comes over it
        self.busy_after = None  # recordings that are still asked for before it begins
        self.drop_after = None  # bytes of files after which the link is lost
        self.sequence = 0  # of heart rate measurements, never repeated
        self.subscribed = False
        self.switches = {BROADCAST: 1, SECOND_LINK: 0, ANT_PLUS: 0}
        self.device.pairing_config_factory = lambda _: PairingConfig(sc=True, mitm=False, bonding=True, delegate=Consent(self))
        self._build_services()
        self.device.gatt_server.max_mtu = MTU

    def now(self):
        """Of its own clock."""
        base, since = self.clock
        return base + datetime.timedelta(seconds=time.monotonic() - since)

    # --- services ---

    def _build_services(self):
        def text(uuid, value):
            return Characteristic(UUID.from_16_bits(uuid), Properties.READ, Characteristic.READABLE, value.encode())

        self.heart_rate_characteristic = Characteristic(UUID.from_16_bits(0x2A37), Properties.NOTIFY, Characteristic.READABLE, b"")
        self.heart_rate_characteristic.on(Characteristic.EVENT_SUBSCRIPTION, self._heart_rate_subscription)
        battery = Characteristic(UUID.from_16_bits(0x2A19), Properties.READ | Properties.NOTIFY, Characteristic.READABLE, bytes([77]))
        self.control_point = Characteristic(
            CONTROL_POINT,
            Properties.READ | Properties.WRITE | Properties.INDICATE,
            Characteristic.READABLE | Characteristic.WRITEABLE,
            CharacteristicValue(read=lambda _: b"\x0f" + self.features, write=self._command_written),
        )
        self.data = Characteristic(DATA, Properties.NOTIFY, Characteristic.READABLE, b"")
        radio_features = Characteristic(RADIO_FEATURES, Properties.READ, Characteristic.READABLE, RADIO_BITS)
        self.radio_control = Characteristic(
            RADIO_CONTROL, Properties.WRITE | Properties.NOTIFY, Characteristic.WRITEABLE, CharacteristicValue(write=self._radio_written)
        )
        both = Properties.WRITE | Properties.WRITE_WITHOUT_RESPONSE
        self.transfer = self._secured(TRANSFER, both | Properties.NOTIFY, self._transfer_written)
        from_device = self._secured(FROM_DEVICE, Properties.NOTIFY)
        self.device.add_services(
            [
                Service(UUID.from_16_bits(0x1800), [text(0x2A00, self.name)]),
                Service(UUID.from_16_bits(HEART_RATE), [self.heart_rate_characteristic]),
                Service(UUID.from_16_bits(0x180F), [battery]),
                Service(
                    UUID.from_16_bits(0x180A),
                    [text(0x2A29, "Polar Electro Oy"), text(0x2A24, self.model), text(0x2A25, self.name.split()[-1]), text(0x2A26, self.firmware)],
                ),
                Service(MEASUREMENT, [self.control_point, self.data]),
                Service(RADIO, [radio_features, self.radio_control]),
                Service(UUID.from_16_bits(FILE_TRANSFER), [self.transfer, from_device, self._secured(TO_DEVICE, both, self._notice_written)]),
            ]
        )

    def _secured(self, uuid, properties, write=None):
        """Both its value and its subscription want an encrypted link; Bumble's own descriptor would not."""
        permissions = Characteristic.WRITEABLE | Characteristic.WRITE_REQUIRES_ENCRYPTION
        characteristic = Characteristic(uuid, properties, permissions, CharacteristicValue(write=write) if write else b"")
        if properties & Properties.NOTIFY:
            value = self.device.gatt_server.make_descriptor_value(characteristic)
            subscription = Descriptor(GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR, Descriptor.READABLE | permissions, value)
            characteristic.descriptors = (subscription,)
        return characteristic

    # --- advertising ---

    async def start(self):
        await self.device.power_on()
        await self.advertise()
        self.tasks = [asyncio.create_task(self._beat())]

    async def advertise(self):
        kinds = AdvertisingData.Type
        # The strap measures for its central alone: what it broadcasts is no heart rate (bit 6), but a block of two bytes.
        block = struct.pack("<HBBBB", COMPANY, 0x72, 2, 8, 0x97)
        answer = b"" if self.is_nameless else bytes(AdvertisingData([(kinds.COMPLETE_LOCAL_NAME, self.name.encode())]))
        self.air.scan_responses[self.address] = answer
        await self.device.start_advertising(
            advertising_data=bytes(
                AdvertisingData(
                    [
                        (kinds.FLAGS, b"\x06"),
                        (kinds.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, struct.pack("<HH", HEART_RATE, FILE_TRANSFER)),
                        (kinds.MANUFACTURER_SPECIFIC_DATA, block),
                    ]
                )
            ),
            scan_response_data=answer,
            advertising_interval_min=ADVERTISING_INTERVAL,
            advertising_interval_max=ADVERTISING_INTERVAL,
        )

    # --- the link ---

    def connected(self, connection):
        self.assembly, self.notices = psftp.Assembly(), psftp.Assembly()
        connection.on(connection.EVENT_CONNECTION_ENCRYPTION_CHANGE, lambda: self.log("encrypted", on=bool(connection.encryption)))
        connection.on(connection.EVENT_PAIRING, lambda _: self.log("paired"))

    def disconnected(self):
        self.subscribed = False
        self._stop_sending()

    async def forget(self):
        """Reset by a person: it knows no host any more, and starts anew."""
        await self.device.keystore.delete_all()
        self.log("forgot")
        await self.drop()

    # --- heart rate ---

    def _heart_rate_subscription(self, _bearer, notify, _indicate):
        self.subscribed = notify
        self.log("subscribe" if notify else "unsubscribe", characteristic="heart_rate")

    async def _beat(self):
        due = time.monotonic()
        while True:
            due += 1.0
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            if self.subscribed and not self.is_away and not self.is_mute:
                made = measurement(self.number, self.sequence)
                self.notify(self.heart_rate_characteristic, made.value)
                self.log("notify", sequence=self.sequence, heart_rate=made.heart_rate, rr=made.rr, energy=made.energy, is_sample=made.is_sample)
                self.sequence += 1

    # --- switches of the radio ---

    def _radio_written(self, connection, value):
        code = value[0] if value else 0
        status, payload = 2, b""
        if code in self.switches and len(value) == 2 and value[1] <= 1:
            status, self.switches[code] = 1, value[1]
            self.log("radio", code=code, on=bool(value[1]))
        elif code - 1 in self.switches:
            status, payload = 1, bytes([self.switches[code - 1]])
        answer = bytes([0xF0, code, status]) + payload
        asyncio.create_task(self.device.gatt_server.notify_subscriber(connection, self.radio_control, answer))

    # --- measurement service ---

    def _command_written(self, connection, value):
        value = bytes(value)
        code, parameters = self.command(value[0], value[1:]) if value else (4, b"")
        self.log("command", hex=value.hex(), status=code)
        echo = value[1:2] or b"\0"
        self.tell(connection, b"\xf0" + value[:1] + echo + bytes([code]) + (b"\0" + parameters if code == 0 else b""))

    def tell(self, connection, value):
        """Indicates it on the control point, after the answer to what is being written."""
        asyncio.create_task(self.device.gatt_server.indicate_subscriber(connection, self.control_point, value))

    def command(self, op, parameters):
        """(status, parameters of the answer)"""
        raise NotImplementedError

    # --- file transfer ---

    def _transfer_written(self, connection, value):
        value = bytes(value)
        if value == psftp.CANCEL:
            self.log("cancelled")
            self._stop_sending()
        elif (message := self.assembly.take(value)) is not None:
            self._stop_sending()
            self.sending = asyncio.create_task(self._answer(connection, message))

    def _stop_sending(self):
        if self.sending is not None:
            self.sending.cancel()
            self.sending = None

    async def _answer(self, connection, message):
        path = None
        try:
            query, operation, rest = psftp.request(message)
            if query is not None:
                answer = self._obey_query(query, rest)
            else:
                answer = self._obey_request(*operation, rest)
                if operation[0] == psftp.GET and isinstance(answer, bytes) and not operation[1].endswith("/"):
                    path = operation[1]
        except (ValueError, KeyError, IndexError, UnicodeDecodeError, struct.error):
            answer = psftp.INVALID_PARAMETER
        size = connection.att_mtu - 3
        await self._send(connection, psftp.packets(answer, size) if isinstance(answer, bytes) else [psftp.status(answer)], path)

    async def _send(self, connection, packets, path):
        packets = list(packets)
        due, sent = time.monotonic(), 0
        for index, packet in enumerate(packets):
            if self.connection is not connection or self.is_away:
                return
            self.notify(self.transfer, packet)
            sent += len(packet) - 1
            if path and self.drop_after is not None:
                self.drop_after -= len(packet) - 1
                if self.drop_after <= 0:
                    self.drop_after = None
                    self.log("broke-off", path=path, sent=sent)
                    # Not by this task, which ends with the link.
                    asyncio.create_task(self.drop())
                    return
            # Before anything is waited for: the next request may come as soon as the last packet has gone, and ends this task.
            if path and index == len(packets) - 1:
                self.log("served", path=path, size=sent)
            if index % PACKETS_PER_EVENT == PACKETS_PER_EVENT - 1:
                due = max(due + EVENT, time.monotonic())
                await asyncio.sleep(due - time.monotonic())

    def _obey_query(self, query, parameters):
        if query == psftp.REQUEST_SYNCHRONIZATION:
            self.log("asked-to-sync", busy=self.busy)
            return psftp.BUSY if self.busy else psftp.SUCCESS
        if query == psftp.SET_LOCAL_TIME:
            now, self.offset = polar_data.moment(parameters)
            self.clock = (now, time.monotonic())
            self.log("set-time", time=str(now), offset=self.offset)
            return psftp.SUCCESS
        if query == psftp.GET_DISK_SPACE:
            return self.files.space(self.memory)
        return self.query(query, parameters)

    def query(self, query, parameters):
        """What the models answer differently."""
        return psftp.NOT_IMPLEMENTED

    def _obey_request(self, command, path, content):
        if command == psftp.GET and path.endswith(".REC") and self.busy_after is not None:
            self.busy_after -= 1
            if self.busy_after <= 0:
                self.busy, self.busy_after = True, None
        if self.busy:
            self.log("busy", path=path)
            return psftp.BUSY
        if command == psftp.GET:
            found = self.read(path)
            if not path.endswith("/"):
                self.log("asked-for", path=path, found=found is not None)
            return psftp.NO_SUCH_FILE if found is None else found
        if command == psftp.PUT:
            self.files.put(path, content)
            self.log("put", path=path, size=len(content))
            return psftp.SUCCESS
        if command == psftp.REMOVE:
            gone = self.files.remove(path)
            self.log("removed", path=path, files=gone)
            return psftp.NO_SUCH_FILE if gone is None else psftp.SUCCESS
        return psftp.NOT_IMPLEMENTED

    def read(self, path):
        """A file or a listing; `None` if there is neither."""
        return self.files.listing(path) if path.endswith("/") else self.files.content.get(path)

    def _notice_written(self, _connection, value):
        message = self.notices.take(bytes(value))
        if message:
            self.log("told", id=message[0], hex=message[1:].hex())

    # --- what a world does to it ---

    def record(self, path, content, **facts):
        """A file that is whole by now."""
        self.files.put(path, content)
        self.log("recorded", path=path, size=len(content), **facts)
