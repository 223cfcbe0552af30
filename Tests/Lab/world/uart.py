"""A serial line to a kernel elsewhere: HCI as H4 over TCP, as QEMU hands out the UART of an emulated board."""
import asyncio

from bumble.transport.common import StreamPacketSource


class Uart:
    """In the place of `Vhci`. QEMU connects; each of its connections is a controller that was powered that moment, and its end one without power. The wearables
    outlive the board."""

    index = None

    def __init__(self, port, plug, unplug):
        self.port, self.plug, self.unplug = port, plug, unplug
        self.line = None

    async def listen(self):
        await asyncio.get_running_loop().create_server(lambda: Line(self), "127.0.0.1", self.port)

    async def open(self, controller):
        self.line.source.set_packet_sink(controller)

    def close(self):
        pass

    def on_packet(self, packet):
        """From the controller to the kernel."""
        if self.line is not None:
            self.line.transport.write(packet)


class Line(asyncio.Protocol):
    """A connection of QEMU's."""

    def __init__(self, uart):
        self.uart = uart
        self.transport = self.source = None

    def connection_made(self, transport):
        if self.uart.line is not None:  # one board at a time
            transport.abort()
            return
        self.transport, self.source, self.uart.line = transport, StreamPacketSource(), self
        asyncio.create_task(self.uart.plug())

    def data_received(self, data):
        try:
            self.source.data_received(data)
        except Exception:  # whatever the line carried: noise of a board that lost its power
            self.source.parser.reset()

    def connection_lost(self, _error):
        if self.uart.line is self:
            self.uart.line = None
            asyncio.create_task(self.uart.unplug())
