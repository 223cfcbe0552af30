"""The radio medium between the virtual controllers: which addresses hear each other, how loud, and which are out of range."""
import asyncio

from bumble import hci, ll
from bumble.link import LocalLink

DEFAULT_RSSI = -50
# How long both ends go on believing in a link after the peer fell silent. Real links: the supervision time-out, seconds.
SUPERVISION = 1.0


class Air(LocalLink):
    """Bumble's link, with distance.

    Bumble names the sender of LE data by its random address, but a Linux kernel connects with its public one. The peer would not
    know the data, so here the sender is the peer of the link. Data and control packets of a silent address are lost.
    """

    def __init__(self):
        super().__init__()
        self.rssi = {}  # by address
        self.scan_responses = {}  # by address; without an entry: an empty one
        self.silent = set()  # addresses out of range

    def loudness(self, address):
        return self.rssi.get(address, DEFAULT_RSSI)

    def is_silent(self, *addresses):
        return any(address in self.silent for address in addresses)

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        connection = sender_controller.le_connections.get(destination_address)
        destination = self.find_le_controller(destination_address)
        if connection is None or destination is None or self.is_silent(connection.self_address, destination_address):
            return
        asyncio.get_running_loop().call_soon(destination.on_link_acl_data, connection.self_address, transport, data)

    def send_advertising_pdu(self, sender_controller, packet):
        if isinstance(packet, ll.ConnectInd):
            addresses = (packet.initiator_address, packet.advertiser_address)
        else:
            addresses = (packet.advertiser_address,)
        if not self.is_silent(*addresses):
            super().send_advertising_pdu(sender_controller, packet)

    def broadcast(self, address, data):
        """An advertisement that takes no connection (ADV_NONCONN_IND), which Bumble's controller does not send."""
        for controller in self.controllers:
            if hasattr(controller, "hear") and not self.is_silent(address):
                controller.hear(address, data, self.loudness(address), hci.HCI_LE_Advertising_Report_Event.EventType.ADV_NONCONN_IND)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        if not self.is_silent(sender_address, receiver_address) and self.find_le_controller(receiver_address):
            super().send_ll_control_pdu(sender_address, receiver_address, packet)

    def is_advertising(self, address):
        """Whether a controller would answer a connection request to `address` now."""
        return any(
            controller.le_legacy_advertiser.enabled and controller.le_legacy_advertiser.address == address
            for controller in self.controllers
        ) and not self.is_silent(address)

    def lose(self, address, reason=hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR):
        """Every link of `address` ends at both ends, each end noticing by itself."""
        for controller in list(self.controllers):
            for connection in list(controller.le_connections.values()):
                if address in (connection.self_address, connection.peer_address):
                    controller.on_le_disconnected(connection, reason)
