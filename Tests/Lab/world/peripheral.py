"""What every wearable of the world has: its own controller, its own Bluetooth stack, its own log, and a link that can be cut."""
import asyncio
import json
import struct
import time

from bumble import hci
from bumble.controller import Controller
from bumble.device import Device, DeviceConfiguration
from bumble.hci import Address
from bumble.host import Host

from air import SUPERVISION

ATT_CHANNEL = 0x0004
NOTIFICATION = 0x1B


class PeripheralController(Controller):
    le_acl_data_packet_length = 251

    def __init__(self, name, air):
        super().__init__(name, link=air)
        self.le_features &= ~(hci.LeFeatureMask.LE_EXTENDED_ADVERTISING | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING)

    def on_le_disconnected(self, connection, reason):
        if self.le_connections.get(connection.peer_address) is connection:
            super().on_le_disconnected(connection, reason)


class Peripheral:
    """Subclasses build their services, say how they advertise, and hear of links through `connected` and `disconnected`."""

    kind = "peripheral"

    def __init__(self, number, air, log, rssi, address, name):
        self.number = number
        self.air = air
        self.log_file = log
        self.address = Address(address)
        air.rssi[self.address] = rssi
        self.connection = None
        self.closes_at_once = False
        self.tasks = []
        host = Host()
        host.controller = PeripheralController(f"{self.kind} {number}", air)
        configuration = DeviceConfiguration(name=name, address=self.address, gap_service_enabled=False)
        self.device = Device(config=configuration, host=host)
        self.device.on(Device.EVENT_CONNECTION, self._connected)

    def log(self, event, **particulars):
        line = {"event": event, self.kind: self.number, "monotonic": time.monotonic(), "wall": time.time(), **particulars}
        print(json.dumps(line), file=self.log_file, flush=True)

    # --- the link ---

    @property
    def is_away(self):
        return self.address in self.air.silent

    def _connected(self, connection):
        self.connection = connection
        self.log("connect", peer=str(connection.peer_address))
        connection.on(connection.EVENT_DISCONNECTION, self._disconnected)
        self.connected(connection)
        if self.closes_at_once:
            asyncio.create_task(self.hang_up())

    def _disconnected(self, reason):
        self.connection = None
        self.disconnected()
        self.log("disconnect", reason=reason)
        asyncio.create_task(self.advertise())

    def connected(self, connection):
        pass

    def disconnected(self):
        pass

    async def hang_up(self):
        if self.connection is not None:
            await self.device.disconnect(self.connection, hci.HCI_ErrorCode.REMOTE_USER_TERMINATED_CONNECTION_ERROR)

    async def vanish(self):
        """Out of range: every packet is lost from now on; both ends notice after the supervision time."""
        self.log("vanish")
        self.air.silent.add(self.address)
        await asyncio.sleep(SUPERVISION)
        self.air.lose(self.address)

    def come_back(self):
        self.air.silent.discard(self.address)
        self.log("return")

    async def drop(self):
        """A link loss without leaving."""
        await self.vanish()
        self.come_back()

    # --- values ---

    def notify(self, characteristic, value):
        """Sends it as it is, whatever the MTU."""
        self.pdu(struct.pack("<BH", NOTIFICATION, characteristic.handle) + value)

    def pdu(self, pdu):
        if self.connection is not None:
            self.device.send_l2cap_pdu(self.connection.handle, ATT_CHANNEL, pdu)
