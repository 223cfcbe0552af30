"""A Botz insole, the right foot: files over SMP, a connection profile, pairing, and the defects that a hub has to survive.

`era` is the interface of the firmware: `head` (profile written only), `2025-08` (profile also read), `2025-06` (nearly everything only over
an encrypted link). The log has every request for a file, every link parameter that took effect, every profile written and every erasure.
"""
import asyncio
import struct
import time

from bumble import att
from bumble.core import AdvertisingData, UUID
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import HCI_Error
from bumble.pairing import PairingConfig, PairingDelegate

from peripheral import Peripheral
from smp import Server

ADVERTISED = UUID("5cb36a16-ca69-4d97-89a8-003ffc9ec8cd")
OTHER_FOOT = UUID("75ad68d6-200c-437d-98b5-061862076c5f")
INFORMATION = UUID("0c372eaa-27eb-437e-bef4-775aefaf3c97")
CONTROL = UUID("4fd5b67f-9d89-4061-92aa-319ca786baae")
SMP = UUID("8d53dc1d-1db7-4cd3-868b-8a527460aa84")
SMP_DATA = UUID("da2e7828-fbce-4e01-ae9e-261174997c48")
FOLDER = "/lfs1/hardware/"
MTU = 121
PIECE = MTU - 3
PIECE_TIME = 0.004  # s for one notification of a reply: some 30 kB/s, as over the air
ADVERTISING_INTERVAL = 100  # ms
FIRST_TIME = 1_749_574_850  # what the clock says at boot
RUNNING_FOR = 86_400  # s before the world began: the hub takes starts within ten minutes of each other for one
CLOCK_WRAP = 512  # s after which it falls back
ERAS = ("head", "2025-08", "2025-06")

# Interval from and to (1.25 ms), latency, supervision time-out (10 ms).
PROFILES = {0: (12, 24, 0, 400), 1: (40, 80, 4, 600), 2: (160, 400, 10, 1000)}
PLAIN = (24, 40, 0, 42)
TRANSFER = (8, 9, 0, 42)
PROFILE_DELAY = 5.0  # s after a connection before it asks for anything
SMP_REST = 5.0  # s without a frame after which a transfer is over

VALUE_NOT_ALLOWED, UNLIKELY, BAD_LENGTH = 0x13, 0x0E, 0x0D
RUNNING, PAUSED = 1 << 25, 1 << 29
# State that start 3, 4 and 5 show; 5 ends any of them. The state outlasts a link.
FOOT, ORIENTATION, BOTH = 1 << 26, 1 << 27, 1 << 28
STREAMS = {3: FOOT, 4: ORIENTATION, 5: BOTH}
STREAM_PERIOD = 0.2  # s between values of orientation, half of that between those of pressure

Properties = Characteristic.Properties


def is_legal(parameters):
    _, longest, latency, timeout = parameters
    return timeout * 40 > (1 + latency) * longest * 5 * 2


class Consent(PairingDelegate):
    """No input, no output: Just Works. Like Zephyr, it does not let such a bond be replaced by another of the same peer."""

    def __init__(self, insole, connection):
        super().__init__(PairingDelegate.NO_OUTPUT_NO_INPUT)
        self.insole = insole
        self.peer = str(connection.peer_address)

    async def accept(self):
        known = await self.insole.device.keystore.get(self.peer) is not None
        self.insole.log("pairing-request", known=known, refused=known or self.insole.refuses_pairing)
        return not known and not self.insole.refuses_pairing


class Insole(Peripheral):
    kind = "insole"

    def __init__(self, number, air, log, rssi, era, files):
        super().__init__(number, air, log, rssi, f"F0:B0:72:00:{number >> 8:02X}:{number & 255:02X}", "BotzRightSh")
        if era not in ERAS:
            raise ValueError(f"an era is one of {', '.join(ERAS)}")
        self.era = era
        self.files = dict(files)
        self.sessions = len(self.files)  # ever
        self.newest = max((int(name[-7:-4]) for name in files), default=0)
        self.path = f"{FOLDER}activity_{self.newest:03}.pb" if self.newest else ""
        self.status = 0
        self.booted = time.monotonic() - RUNNING_FOR
        self.clock = (FIRST_TIME, time.monotonic())
        self.has_erased = False
        self.profile = None  # what was written; `None`: no write on this link
        self.asks_at = None  # when the first request for parameters goes out
        self.stored = PLAIN  # what it asks for then: the last that was wanted before counts
        self.is_transferring = False
        self.was_read = False  # on this link
        self.refuses_pairing = False
        self.refuses_profile = False
        self.drop_after = None  # bytes of files after which the link is lost
        self.server = Server(self.files)
        self.sending = asyncio.Queue()
        self.asking = asyncio.Lock()
        self.device.pairing_config_factory = lambda connection: PairingConfig(
            sc=True, mitm=False, bonding=True, delegate=Consent(self, connection)
        )
        self._build_services()
        self.device.gatt_server.max_mtu = MTU
        answer = self.device.gatt_server.on_gatt_pdu
        self.device.gatt_server.on_gatt_pdu = lambda bearer, pdu: self._heed(pdu) or answer(bearer, pdu)

    # --- services ---

    def _build_services(self):
        secured = self.era == "2025-06"
        readable = Characteristic.READABLE | (Characteristic.READ_REQUIRES_ENCRYPTION if secured else 0)
        writeable = Characteristic.WRITEABLE | (Characteristic.WRITE_REQUIRES_ENCRYPTION if secured else 0)

        def short(uuid, low):
            return UUID(f"{uuid[:6]}{low}{uuid[8:]}")

        def told(low, read):
            uuid = low if isinstance(low, UUID) else short("0c372eab-27eb-437e-bef4-775aefaf3c97", low)
            return Characteristic(uuid, Properties.READ | Properties.NOTIFY, readable, CharacteristicValue(read=lambda _: read()))

        def command(low, length, obey, properties=Properties.WRITE | Properties.WRITE_WITHOUT_RESPONSE, read=None):
            def write(_, value):
                self.log("control", characteristic=low, hex=bytes(value).hex())
                if length is not None and len(value) != length:
                    raise att.ATT_Error(BAD_LENGTH)
                return obey(bytes(value))

            uuid = short("4fd5b68b-9d89-4061-92aa-319ca786baae", low)
            permissions = writeable | (readable if read else 0)
            return Characteristic(uuid, properties, permissions, CharacteristicValue(read=read and (lambda _: read()), write=write))

        def text(uuid, value):
            return Characteristic(UUID.from_16_bits(uuid), Properties.READ, Characteristic.READABLE, value.encode())

        profile_properties = Properties.WRITE | Properties.WRITE_WITHOUT_RESPONSE
        profile_read = None
        if self.era != "head":
            profile_properties = Properties.READ | Properties.WRITE
            profile_read = lambda: bytes([self.profile or 0])
        nothing = lambda value: None
        self.status_characteristic = told("ab", lambda: struct.pack("<I", self.status))
        self.pressure_characteristic = told("af", lambda: bytes(36))
        self.orientation_characteristic = told("b2", lambda: bytes(20))
        self.newest_characteristic = told("c2", lambda: bytes([self.newest]))
        self.path_characteristic = told("c3", lambda: self.path.encode())
        self.smp_characteristic = Characteristic(
            SMP_DATA,
            Properties.WRITE_WITHOUT_RESPONSE | Properties.NOTIFY,
            Characteristic.WRITEABLE,
            CharacteristicValue(write=self._smp_written),
        )
        self.device.add_services(
            [
                Service(UUID.from_16_bits(0x1800), [text(0x2A00, "BotzRightSh")]),
                Service(
                    INFORMATION,
                    [
                        told(UUID.from_16_bits(0x2A2B), self._current_time),
                        self.status_characteristic,
                        self.pressure_characteristic,
                        told("ad", lambda: b"\0"),
                        told("c8", lambda: bytes([80, 0])),
                        self.orientation_characteristic,
                        told("c6", lambda: bytes(2)),
                        told("c7", self._status_pack),
                        told("b5", lambda: bytes(16)),
                        self.newest_characteristic,
                        self.path_characteristic,
                        told("cd", lambda: bytes(56)),
                        told("ce", lambda: bytes(26)),
                        told("cf", lambda: bytes(20)),
                    ],
                ),
                Service(
                    CONTROL,
                    [
                        command("81", None, self._set_time),
                        command("84", 1, self._start),
                        command("85", 1, self._stop),
                        command("86", 1, nothing),
                        command("87", 1, nothing),
                        command("8b", 1, self._write_profile, profile_properties, profile_read),
                        command("8f", 1, self._reset_bonds, Properties.WRITE),
                        command("90", 6, nothing),
                        command("91", 1, self._erase),
                    ],
                ),
                Service(SMP, [self.smp_characteristic]),
                Service(
                    UUID.from_16_bits(0x180A),
                    [text(0x2A29, "Botz Innovation"), text(0x2A24, "S-01"), text(0x2A25, "12345"), text(0x2A27, "v1.1.0"), text(0x2A26, "001.07.01")],
                ),
                Service(
                    UUID.from_16_bits(0x180F),
                    [Characteristic(UUID.from_16_bits(0x2A19), Properties.READ | Properties.NOTIFY, Characteristic.READABLE, bytes([80]))],
                ),
            ]
        )

    # --- advertising ---

    async def start(self):
        await self.device.power_on()
        await self.advertise()
        self.tasks = [asyncio.create_task(self._send()), asyncio.create_task(self._stream())]

    async def advertise(self):
        answer = bytes(
            AdvertisingData(
                [
                    (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, ADVERTISED.to_bytes()),
                    (AdvertisingData.COMPLETE_LOCAL_NAME, b"BotzRightSh"),
                ]
            )
        )
        self.air.scan_responses[self.address] = answer
        await self.device.start_advertising(
            advertising_data=bytes.fromhex("02010605030f180518"),
            scan_response_data=answer,
            advertising_interval_min=ADVERTISING_INTERVAL,
            advertising_interval_max=ADVERTISING_INTERVAL,
        )

    # --- the link ---

    def connected(self, connection):
        self.profile = None
        self.was_read = False
        self.is_transferring = False
        self.stored = PLAIN
        self.asks_at = time.monotonic() + PROFILE_DELAY
        self.server.reset()
        connection.on(connection.EVENT_CONNECTION_PARAMETERS_UPDATE, self._parameters_changed)
        connection.on(connection.EVENT_CONNECTION_ENCRYPTION_CHANGE, lambda: self.log("encrypted", on=bool(connection.encryption)))
        connection.on(connection.EVENT_PAIRING, lambda _: self.log("paired"))
        connection.on(connection.EVENT_PAIRING_FAILURE, lambda reason: self.log("pairing-failed", reason=str(reason)))
        asyncio.create_task(self._introduce(connection))
        asyncio.create_task(self._ask_first(connection))

    def _heed(self, pdu):
        if pdu.op_code == att.Opcode.ATT_READ_REQUEST and not self.was_read:
            self.was_read = True
            self.log("first-read")

    async def _introduce(self, connection):
        """The insole is a client, too: MTU, a look for the other foot, and a wish for encryption."""
        try:
            mtu = await connection.gatt_client.request_mtu(MTU)
            others = await connection.gatt_client.discover_service(OTHER_FOOT)
            self.log("introduced", mtu=mtu, is_foot=bool(others))
            self.device.request_pairing(connection)
        except Exception as trouble:  # the link went meanwhile, or the hub did not answer
            self.log("not-introduced", trouble=str(trouble))

    async def _ask_first(self, connection):
        await asyncio.sleep(PROFILE_DELAY)
        if self.connection is connection and is_legal(self.stored):
            await self._send_wish(connection, self.stored, "first")

    async def _ask(self, connection, parameters, why):
        """Zephyr keeps one wish for the moment at which it asks first; later ones go out at once."""
        if self.connection is connection and time.monotonic() < self.asks_at:
            self.stored = parameters
        else:
            await self._send_wish(connection, parameters, why)

    async def _send_wish(self, connection, parameters, why):
        """An L2CAP request: the central decides."""
        async with self.asking:
            if self.connection is not connection:
                return
            self.log("ask", why=why, parameters=parameters)
            manager = self.device.l2cap_channel_manager
            try:
                result = await asyncio.wait_for(manager.update_connection_parameters(connection, *parameters), 5)
                self.log("asked", why=why, result=int(result))
            except (asyncio.TimeoutError, HCI_Error) as trouble:
                manager.connection_parameters_update_response = None
                self.log("asked", why=why, trouble=type(trouble).__name__)

    def _parameters_changed(self):
        now = self.connection and self.connection.parameters
        if now:
            self.log("parameters", interval=now.connection_interval, latency=now.peripheral_latency, timeout=now.supervision_timeout)

    def record(self, content):
        """A session ended: one more file."""
        self.newest = self.newest % 255 + 1 if self.files else 1
        name = f"{FOLDER}activity_{self.newest:03}.dat"
        self.files[name] = content
        self.path = name
        self.log("recorded", name=name, size=len(content))
        self.notify(self.newest_characteristic, bytes([self.newest]))
        return self.newest

    async def reboot(self):
        """The memory is as it was, the clock is not, and the insole may be erased again."""
        self.log("reboot")
        self.status = 0
        self.booted = time.monotonic()
        self.clock = (FIRST_TIME, self.booted)
        self.has_erased = False
        await self.drop()

    async def forget(self):
        """The bonds are gone."""
        await self.device.keystore.delete_all()
        self.log("forgot")

    # --- commands ---

    def seconds(self):
        """What the clock shows."""
        base, since = self.clock
        return base + int(time.monotonic() - since) % CLOCK_WRAP

    def _current_time(self):
        now = time.gmtime(self.seconds())
        return struct.pack("<HBBBBBBBBBb", now.tm_year, now.tm_mon, now.tm_mday, now.tm_hour, now.tm_min, now.tm_sec, now.tm_wday + 1, 0, 0, 0, 0)

    def _status_pack(self):
        return struct.pack("<IBBBBIHBB", self.status, 80, 0, 25, 0, int(time.monotonic() - self.booted), 0, 0, 0)

    def _set_time(self, value):
        if len(value) == 4:
            self.log("set-time", shown=self.seconds(), given=struct.unpack(">I", value)[0])
            self.clock = (struct.unpack(">I", value)[0], time.monotonic())

    def _start(self, value):
        if self.status:
            self.log("forbidden", what=f"start {value[0]} while {self.status:#x}")
        if value[0] == 1:
            self._set_status(RUNNING)
        elif value[0] in STREAMS:
            self._set_status(STREAMS[value[0]])

    def _stop(self, value):
        is_stream = self.status in STREAMS.values()
        if value[0] != (5 if is_stream else 1):
            self.log("forbidden", what=f"stop {value[0]} while {self.status:#x}")
        if value[0] == 1 or (value[0] == 5 and is_stream):
            self._set_status(0)

    async def _stream(self):
        """At rest, the right foot alone. A client without a subscription gets no values."""
        count = 0
        while True:
            await asyncio.sleep(STREAM_PERIOD)
            count += 1
            uptime = struct.pack("<I", int((time.monotonic() - self.booted) * 1000) & 0xFFFFFFFF)
            if self.status in (ORIENTATION, BOTH):
                self.notify(self.orientation_characteristic, uptime + struct.pack("<8h", 0, 0, 0, 10_000, 0, 0, 0, 0))
            if self.status in (FOOT, BOTH) and count % 2 == 0:
                self.notify(self.pressure_characteristic, uptime + struct.pack("<16H", *([count % 100] * 8 + [0] * 8)))

    def _set_status(self, status):
        self.status = status
        self.notify(self.status_characteristic, struct.pack("<I", status))

    def _write_profile(self, value):
        code = value[0]
        if code not in PROFILES:
            raise att.ATT_Error(VALUE_NOT_ALLOWED)
        if self.refuses_profile:
            raise att.ATT_Error(UNLIKELY)
        is_early = time.monotonic() < self.asks_at
        self.log("profile", code=code, early=is_early)
        if not is_early and not is_legal(PROFILES[code]):
            raise att.ATT_Error(UNLIKELY)
        self.profile = code
        asyncio.create_task(self._ask(self.connection, PROFILES[code], "profile"))

    def _reset_bonds(self, value):
        if value[0] == 1:
            asyncio.create_task(self.forget())
            asyncio.create_task(self.hang_up())

    def _erase(self, value):
        if value[0] != 1:
            return
        self.log("erase", files=[] if self.has_erased else sorted(self.files), ignored=self.has_erased)
        if not self.has_erased:
            self.files.clear()
        self.has_erased = True

    # --- files ---

    def _smp_written(self, _, value):
        self.last_frame = time.monotonic()
        if not self.is_transferring:
            self.is_transferring = True
            self.log("transfer", streaming=self.status in STREAMS.values())
            asyncio.create_task(self._transfer(self.connection))
        for reply, chunk in self.server.receive(bytes(value)):
            if chunk:
                self.log("asked-for", name=chunk[0], offset=chunk[1])
            self.sending.put_nowait((self.connection, reply, chunk))

    async def _transfer(self, connection):
        """Quick while files are fetched; afterwards its own plain numbers, whatever profile was written."""
        await self._ask(connection, TRANSFER, "transfer")
        while self.connection is connection and time.monotonic() - self.last_frame < SMP_REST:
            await asyncio.sleep(0.2)
        if self.connection is connection:
            self.is_transferring = False
            self.profile = None
            self.log("rest")
            await self._ask(connection, PLAIN, "rest")

    async def _send(self):
        """Replies, cut to what a notification holds."""
        while True:
            connection, reply, chunk = await self.sending.get()
            for begin in range(0, len(reply), PIECE):
                if self.connection is not connection or self.is_away:
                    break
                self.notify(self.smp_characteristic, reply[begin : begin + PIECE])
                await asyncio.sleep(PIECE_TIME)
                if chunk and self.drop_after is not None:
                    self.drop_after -= PIECE
                    if self.drop_after <= 0:
                        self.drop_after = None
                        await self.drop()
            else:
                if chunk:
                    self.log("read", name=chunk[0], offset=chunk[1], length=chunk[2], size=chunk[3])
