"""Look-alikes of wearables that keep files. A Polar band has files that are bombs, mazes or silence; insoles stall in a transfer or announce what cannot be."""
import asyncio
import datetime
import gzip
import io

import protobuf
import psftp
import smp
from activities import activity
from band import Band
from insole import FOLDER, Insole
from polar_data import BAND_NOON

YESTERDAY = BAND_NOON - datetime.timedelta(days=1)
DAY = f"/U/0/{YESTERDAY:%Y%m%d}/"
EXERCISE = DAY + "E/101010/00/SAMPLES.GZB"
ACTIVITY = DAY + "ACT/ASAMPL0.BPB"
BASE = 0xA0  # numbers of look-alikes begin here: their addresses are theirs alone


def bomb(megabytes):
    """So many megabytes of zeros, a thousandth as long."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as file:
        for _ in range(megabytes):
            file.write(bytes(1 << 20))
    return packed.getvalue()


def nested(depth):
    content = b""
    while len(content) < depth:
        content = protobuf.part(1, content)
    return content


class HostileBand(Band):
    content = {}  # path -> bytes

    def __init__(self, number, air, log, rssi, address=None):
        super().__init__(BASE + number, air, log, rssi, 0)
        self.files = psftp.Files()
        self.running = {}
        for path, content in self.content.items():
            self.record(path, content)

    async def end(self):
        await leave(self)


async def leave(wearable):
    for task in wearable.tasks:
        task.cancel()

    async def silent():
        pass

    wearable.advertise = silent
    await wearable.hang_up()
    if wearable.device.is_advertising:
        await wearable.device.stop_advertising()
    wearable.air.remove_controller(wearable.device.host.controller)


def keeping(path, content):
    return type("Keeping", (HostileBand,), {"content": {path: content}})


class SilentBand(HostileBand):
    """Takes every request for files and answers no request."""

    def _transfer_written(self, connection, value):
        self.log("ignored")


class StallingBand(HostileBand):
    """Each answer stops before its last packet."""

    async def _send(self, connection, packets, path):
        packets = list(packets)
        await super()._send(connection, packets[:-1] or [b"\x06"], path)


class Maze(HostileBand):
    """Each folder has one more in it, for ever."""

    def read(self, path):
        return protobuf.part(1, protobuf.part(1, "20260302/") + protobuf.number(2, 0)) if path.endswith("/") else b""


class Crowded(HostileBand):
    """Ten thousand entries in each folder."""

    def read(self, path):
        entry = lambda number: protobuf.part(1, protobuf.part(1, f"{number:05}.REC") + protobuf.number(2, 0xFFFF_FFFF))
        return b"".join(map(entry, range(10_000))) if path.endswith("/") else b""


class Timeless(HostileBand):
    """The clock shows 2100 and cannot be set."""

    def now(self):
        return datetime.datetime(2100, 1, 1)


class HostileInsole(Insole):
    def __init__(self, number, air, log, rssi, address=None):
        """At another's address it is that one in all that it shows."""
        number = int(address[-2:], 16) - BASE if address else number
        super().__init__(BASE + number, air, log, rssi, "head", {f"{FOLDER}activity_001.dat": activity(number, 1, 30)})
        answer, self.server._obey = self.server._obey, lambda *request: self.obey(*request)
        self.answer = answer

    def obey(self, group, command, operation, request):
        return self.answer(group, command, operation, request)

    async def end(self):
        await leave(self)


class StallingInsole(HostileInsole):
    """The first frame of a file stops after one piece."""

    async def _send(self):
        while True:
            connection, reply, chunk = await self.sending.get()
            if self.connection is connection and not self.is_away:
                self.notify(self.smp_characteristic, reply[:20])


class SilentInsole(HostileInsole):
    def _smp_written(self, _link, value):
        self.log("ignored")


class Announcing(HostileInsole):
    """Announces a file of four gigabytes and gives it in pieces of one byte."""

    def obey(self, group, command, operation, request):
        if (command, operation) == (smp.DOWNLOAD, smp.READ):
            return {"off": request["off"], "data": b"x", "len": 0xFFFF_FFFF}
        return {"len": 0xFFFF_FFFF} if command == smp.STATUS else {}


class Standing(HostileInsole):
    """Gives an empty answer at the same place again and again."""

    def obey(self, group, command, operation, request):
        return {"off": 0, "data": b"", "len": 1000}


class Counting(HostileInsole):
    """The newest of its files has another number each time that it is asked, and no file has a name that fits."""

    async def attack_counts(self):
        while True:
            await asyncio.sleep(0.05)
            self.newest = self.newest % 255 + 1
            self.path = f"{FOLDER}activity_{self.newest:03}.dat"
            self.notify(self.newest_characteristic, bytes([self.newest]))

    async def start(self):
        await super().start()
        self.tasks.append(asyncio.create_task(self.attack_counts()))


MODELS = {
    "insole-good": HostileInsole,  # not hostile at all: for what others do with its bond
    "polar-bomb": lambda *words: keeping(EXERCISE, bomb(200))(*words),
    "polar-bomb-large": lambda *words: keeping(EXERCISE, bomb(1000))(*words),
    "polar-empty-fields": keeping(ACTIVITY, b"\x0a\0" * 125_000),
    "polar-nested": keeping(ACTIVITY, nested(20_000)),
    "polar-varints": keeping(ACTIVITY, (b"\x08" + b"\xff" * 9 + b"\x01" + b"\x0a" + b"\xff" * 8 + b"\x7f") * 500),
    "polar-silent": SilentBand,
    "polar-stalls": StallingBand,
    "polar-maze": Maze,
    "polar-crowded": Crowded,
    "polar-2100": Timeless,
    "insole-stalls": StallingInsole,
    "insole-silent": SilentInsole,
    "insole-4-gigabytes": Announcing,
    "insole-stands": Standing,
    "insole-counts": Counting,
}
