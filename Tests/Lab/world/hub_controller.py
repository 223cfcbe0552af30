"""The controller that the kernel under test drives: Bumble's, with what it needs to serve a Linux kernel, and with faults on demand."""
import asyncio
import json
import time

from bumble import hci
from bumble.controller import Controller

ADDRESS = "AA:BB:CC:00:00:{:02X}"  # of the first, the second …
DROPS = -1  # in the place of a status: with one link too many another one falls
ACTIVE_SCAN = 1
ONLY_ACCEPT_LIST = 1
READ_TRANSMIT_POWER_LEVEL = 0x0C2D  # Bumble lists it as supported but has no class for it
SUCCESS = hci.HCI_ErrorCode.SUCCESS


class HubController(Controller):
    """An LE controller of the 4.2 kind.

    Extended advertising, periodic advertising and privacy are not claimed: with them the kernel waits for the enhanced connection
    event, which Bumble does not send. ACL buffers hold one whole ATT packet, as those of today's controllers do.
    """

    le_acl_data_packet_length = 251
    supported_max_tx_octets = 251
    supported_max_rx_octets = 251

    def __init__(self, transport, air, log, number=1):
        super().__init__("hub", link=air, public_address=ADDRESS.format(number))
        self.number = number
        self.host = transport
        self.log = log
        self.le_features &= ~(
            hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
            | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
            | hci.LeFeatureMask.LL_PRIVACY
        )
        self.accept_list = set()
        self.reported = set()  # for the duplicate filter
        # Faults.
        self.black_hole = False  # takes every command and stays silent
        self.slots = None  # links it can hold; `None`: no limit
        self.slots_status = hci.HCI_ErrorCode.CONNECTION_LIMIT_EXCEEDED_ERROR
        self.refuses_updates = False  # connection parameters never change
        self.deaf_to = set()  # addresses to which a connection is never established
        self.crosses = False  # an attempt that is cancelled is answered in the same moment
        # Counters.
        self.reports = 0

    # --- commands from the kernel ---

    def on_hci_packet(self, packet):
        if isinstance(packet, hci.HCI_Command):
            line = {"monotonic": time.monotonic(), "controller": self.number, "command": packet.name, "bytes": bytes(packet).hex(), "lost": self.black_hole}
            print(json.dumps(line), file=self.log, flush=True)
        if not self.black_hole:
            super().on_hci_packet(packet)

    def send_hci_packet(self, packet):
        if isinstance(packet, (hci.HCI_LE_Connection_Complete_Event, hci.HCI_Disconnection_Complete_Event)):
            line = {"monotonic": time.monotonic(), "controller": self.number, "told": packet.name, "handle": packet.connection_handle, "status": packet.status, "lost": self.black_hole}
            print(json.dumps(line), file=self.log, flush=True)
        if not self.black_hole:
            super().send_hci_packet(packet)

    def on_hci_command_packet(self, command):
        if command.op_code == READ_TRANSMIT_POWER_LEVEL:
            handle = bytes(command)[4:6]
            self.host.on_packet(bytes([0x04, 0x0E, 7, 1, 0x2D, 0x0C, SUCCESS]) + handle + bytes([0]))
        else:
            super().on_hci_command_packet(command)

    def on_hci_reset_command(self, command):
        self.pending_le_connection = None
        self.le_scan_enable = False
        self.accept_list.clear()
        for connection in list(self.le_connections.values()):
            self.link.lose(connection.peer_address)
        return super().on_hci_reset_command(command)

    def on_hci_read_rssi_command(self, command):
        connection = self.find_le_connection_by_handle(command.handle)
        if connection is None:
            status, rssi = hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, 127
        else:
            status, rssi = SUCCESS, self.link.loudness(connection.peer_address)
        return hci.HCI_Read_RSSI_ReturnParameters(status=status, handle=command.handle, rssi=rssi)

    def on_hci_le_set_data_length_command(self, command):
        return hci.HCI_StatusAndConnectionHandleReturnParameters(status=SUCCESS, connection_handle=command.connection_handle)

    # --- connection parameters ---

    def on_hci_le_connection_update_command(self, command):
        connection = self.find_le_connection_by_handle(command.connection_handle)
        if connection is None or not self.refuses_updates:
            super().on_hci_le_connection_update_command(command)
            return
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        self._updated(command.connection_handle, 0, 0, 0, hci.HCI_ErrorCode.UNACCEPTABLE_CONNECTION_PARAMETERS_ERROR)

    def ask_parameters(self, peer, minimum, maximum, latency, timeout):
        """A peripheral asks over the link layer; the kernel answers."""
        connection = self.le_connections[peer]
        self.send_hci_packet(
            hci.HCI_LE_Remote_Connection_Parameter_Request_Event(
                connection_handle=connection.handle, interval_min=minimum, interval_max=maximum, max_latency=latency, timeout=timeout
            )
        )

    def on_hci_le_remote_connection_parameter_request_reply_command(self, command):
        asyncio.get_running_loop().call_soon(
            self._updated, command.connection_handle, command.interval_max, command.max_latency, command.timeout, SUCCESS
        )
        return hci.HCI_StatusAndConnectionHandleReturnParameters(status=SUCCESS, connection_handle=command.connection_handle)

    def on_hci_le_remote_connection_parameter_request_negative_reply_command(self, command):
        return hci.HCI_StatusAndConnectionHandleReturnParameters(status=SUCCESS, connection_handle=command.connection_handle)

    def _updated(self, handle, interval, latency, timeout, status):
        self.send_hci_packet(
            hci.HCI_LE_Connection_Update_Complete_Event(
                status=status,
                connection_handle=handle,
                connection_interval=interval,
                peripheral_latency=latency,
                supervision_timeout=timeout,
            )
        )

    # --- lists and scans ---

    def on_hci_le_clear_filter_accept_list_command(self, command):
        self.accept_list.clear()
        return super().on_hci_le_clear_filter_accept_list_command(command)

    def on_hci_le_add_device_to_filter_accept_list_command(self, command):
        self.accept_list.add(command.address)
        return super().on_hci_le_add_device_to_filter_accept_list_command(command)

    def on_hci_le_remove_device_from_filter_accept_list_command(self, command):
        self.accept_list.discard(command.address)
        return super().on_hci_le_remove_device_from_filter_accept_list_command(command)

    def on_hci_le_set_scan_enable_command(self, command):
        self.reported.clear()
        return super().on_hci_le_set_scan_enable_command(command)

    # --- connections ---

    def on_hci_le_create_connection_command(self, command):
        if self.slots is not None and len(self.le_connections) >= self.slots:
            if self.slots_status != DROPS:
                self._send_hci_command_status(self.slots_status, command.op_code)
                return
            oldest = next(iter(self.le_connections.values()))
            asyncio.get_running_loop().call_later(1, self.link.lose, oldest.peer_address)
        super().on_hci_le_create_connection_command(command)

    def on_hci_le_create_connection_cancel_command(self, command):
        pending = self.pending_le_connection
        if pending is not None and self.crosses and self.link.is_advertising(pending.peer_address):
            self.create_le_connection(pending.peer_address)
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        event = hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
            connection_handle=0,
            role=hci.Role.CENTRAL,
            peer_address_type=pending.peer_address_type,
            peer_address=pending.peer_address,
            connection_interval=0,
            peripheral_latency=0,
            supervision_timeout=0,
            central_clock_accuracy=0,
        )
        # After the answer to the command itself, which the caller sends when this returns.
        asyncio.get_running_loop().call_soon(self.send_hci_packet, event)
        return hci.HCI_StatusReturnParameters(SUCCESS)

    def on_le_disconnected(self, connection, reason):
        # A link can be ended from both sides at once; the second end finds no link left.
        if self.le_connections.get(connection.peer_address) is connection:
            super().on_le_disconnected(connection, reason)

    # --- the air ---

    def on_advertising_pdu(self, pdu):
        self.hear(pdu.advertiser_address, pdu.data, self.link.loudness(pdu.advertiser_address))
        pending = self.pending_le_connection
        if (
            pending is not None
            and pending.peer_address == pdu.advertiser_address
            and pdu.advertiser_address not in self.deaf_to
            and pdu.advertiser_address not in self.le_connections
            and self.link.is_advertising(pdu.advertiser_address)
        ):
            self.create_le_connection(pdu.advertiser_address)

    def hear(self, address, data, rssi, kind=hci.HCI_LE_Advertising_Report_Event.EventType.ADV_IND):
        """Reports one advertisement to the kernel, if it scans and its filters let it through."""
        if not self.le_scan_enable:
            return
        if self.le_scanning_filter_policy & ONLY_ACCEPT_LIST and address not in self.accept_list:
            return
        if self.filter_duplicates:
            # By address alone, whatever is advertised: a controller may do so (Core specification, volume 4, part E, 7.8.11).
            if address in self.reported:
                return
            self.reported.add(address)
        kinds = hci.HCI_LE_Advertising_Report_Event.EventType
        answers = self.le_scan_type == ACTIVE_SCAN and kind == kinds.ADV_IND
        heard = [(kind, data)] + ([(kinds.SCAN_RSP, self.link.scan_responses.get(address, b""))] if answers else [])
        for kind, payload in heard:
            report = hci.HCI_LE_Advertising_Report_Event.Report(
                event_type=kind, address_type=address.address_type, address=address, data=payload, rssi=rssi
            )
            self.send_hci_packet(hci.HCI_LE_Advertising_Report_Event([report]))
            self.reports += 1
