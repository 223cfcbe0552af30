"""The kernel's end of the cable: /dev/vhci makes an HCI controller appear in the kernel, and this program is the controller."""
import asyncio
import os

VENDOR_PACKET = 0xFF  # request and answer that create the controller; all else on the device is H4 framed HCI
PRIMARY_CONTROLLER = 0x00
LONGEST_PACKET = 4096


class Vhci:
    """An HCI transport with one packet per read and per write, as the vhci driver wants it."""

    def __init__(self, path="/dev/vhci"):
        self.path = path
        self.descriptor = None
        self.index = None  # the N of hciN, once the kernel has said it
        self.controller = None
        self.created = None

    async def open(self, controller):
        """Plugs the controller in; returns when the kernel has named it."""
        self.controller = controller
        self.created = asyncio.get_running_loop().create_future()
        self.descriptor = os.open(self.path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        asyncio.get_running_loop().add_reader(self.descriptor, self._readable)
        os.write(self.descriptor, bytes([VENDOR_PACKET, PRIMARY_CONTROLLER]))
        self.index = await self.created

    def close(self):
        """Pulls the controller out, as one pulls a USB stick."""
        if self.descriptor is not None:
            asyncio.get_running_loop().remove_reader(self.descriptor)
            os.close(self.descriptor)
            self.descriptor = None

    def on_packet(self, packet):
        """From the controller to the kernel."""
        if self.descriptor is not None:
            os.write(self.descriptor, packet)

    def _readable(self):
        for _ in range(64):  # so that a busy kernel does not keep the straps from beating
            try:
                packet = os.read(self.descriptor, LONGEST_PACKET)
            except BlockingIOError:
                return
            if not packet:
                return
            if packet[0] != VENDOR_PACKET:
                self.controller.on_packet(packet)
            elif not self.created.done():
                self.created.set_result(int.from_bytes(packet[2:4], "little"))
            if self.descriptor is None:
                return
