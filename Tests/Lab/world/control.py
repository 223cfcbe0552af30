"""Commands to the world: lines on a UNIX socket, one answer a line. `help` lists them."""
import asyncio
import json

import bonding
from hostile_control import HostileCommands
from insole_control import InsoleCommands
from polar_control import PolarCommands
from sensor_control import SensorCommands
from wrist_control import WristCommands


class Control(HostileCommands, InsoleCommands, PolarCommands, SensorCommands, WristCommands):
    """Each public method below is a command of the same name (with `_` for `-`); its annotations say how its words are read."""

    def __init__(self, world):
        self.world = world

    async def serve(self, path):
        await asyncio.start_unix_server(self._client, path)

    async def _client(self, reader, writer):
        while line := await reader.readline():
            try:
                answer = await self._obey(line.decode().split())
            except Exception as error:  # any error: the client that asked must know
                answer = f"error {type(error).__name__}: {error}"
            writer.write((answer + "\n").encode())
            await writer.drain()
        writer.close()

    async def _obey(self, words):
        command = getattr(type(self), words[0].replace("-", "_"), None) if words and words[0][0] != "_" else None
        if command is None or not command.__doc__:
            return "error no such command; try help"
        kinds = [kind for name, kind in command.__annotations__.items() if name != "return"]
        if len(words) - 1 > len(kinds):
            return f"error too many words: {command.__doc__}"
        answer = await command(self, *[kind(word) for kind, word in zip(kinds, words[1:])])
        return "ok" if answer is None else f"ok {answer}"

    async def help(self):
        """help"""
        return " | ".join(command.__doc__ for kind in (Control, HostileCommands, InsoleCommands, PolarCommands, SensorCommands, WristCommands) for name, command in vars(kind).items() if command.__doc__ and name[0] != "_")

    # --- one strap ---

    async def vanish(self, strap: int):
        """vanish STRAP: out of range; answers when both ends have lost the link"""
        await self.world.straps[strap].vanish()

    async def return_(self, strap: int):
        """return STRAP: in range again"""
        self.world.straps[strap].come_back()

    async def drop(self, strap: int):
        """drop STRAP: link loss (0x08 at both ends)"""
        await self.world.straps[strap].drop()

    async def hangup(self, strap: int):
        """hangup STRAP: the strap ends the link (0x13)"""
        await self.world.straps[strap].hang_up()

    async def close_at_once(self, strap: int, on: int = 1):
        """close-at-once STRAP [0|1]: the strap ends every link as soon as it has one"""
        self.world.straps[strap].closes_at_once = bool(on)

    async def mute(self, strap: int, on: int = 1):
        """mute STRAP [0|1]: the strap answers no ATT request"""
        self.world.straps[strap].mute = bool(on)

    async def never_answer(self, strap: int, on: int = 1):
        """never-answer STRAP [0|1]: the strap is heard but no connection to it is ever established"""
        address = self.world.straps[strap].address
        (self.world.deaf_to.add if on else self.world.deaf_to.discard)(address)

    async def broadcast(self, strap: int, on: int = 1):
        """broadcast STRAP [0|1]: the strap tells its heart rate in advertisements, ends its link and takes no other"""
        await self.world.straps[strap].set_broadcast(bool(on))

    async def battery(self, strap: int, percent: int):
        """battery STRAP PERCENT: what it says from now on"""
        self.world.straps[strap].battery = percent

    async def heart(self, strap: int, mean: float, deep: float, breaths: float, every: int = 0):
        """heart STRAP MEAN DEEP BREATHS [EVERY]: a person wears it. Intervals have MEAN ms, with DEEP ms of breathing BREATHS times a minute, and each EVERY-th beat is ectopic"""
        self.world.straps[strap].wear(mean, deep, breaths, every, True)

    async def rates(self, strap: int, mean: float, deep: float, breaths: float):
        """rates STRAP MEAN DEEP BREATHS: the same, of a strap that tells rates and no intervals"""
        self.world.straps[strap].wear(mean, deep, breaths, 0, False)

    async def contact(self, strap: int, on: int):
        """contact STRAP 0|1: whether it feels skin"""
        self.world.straps[strap].touch(bool(on))

    async def flood(self, strap: int, count: int):
        """flood STRAP COUNT: COUNT notifications at once (heart rate 251)"""
        await self.world.straps[strap].flood(count)

    async def oversize(self, strap: int):
        """oversize STRAP: a notification of 600 bytes"""
        self.world.straps[strap].oversize()

    async def send(self, strap: int, value: bytes.fromhex):
        """send STRAP HEX: a heart rate notification with this value"""
        self.world.straps[strap].send_raw(value)

    async def pdu(self, strap: int, value: bytes.fromhex):
        """pdu STRAP HEX: these bytes on the ATT channel"""
        self.world.straps[strap].log("pdu", hex=value.hex())
        self.world.straps[strap].pdu(value)

    async def rename(self, strap: int, name: bytes.fromhex):
        """rename STRAP HEX: its name, advertised (as far as there is room) and readable"""
        await self.world.straps[strap].rename(name)

    async def rssi(self, strap: int, value: int):
        """rssi STRAP DBM: how loud it is"""
        self.world.air.rssi[self.world.straps[strap].address] = value

    async def pairing(self, strap: int, kind: str):
        """pairing STRAP just-works|display|keyboard|compare: how the strap pairs from now on"""
        bonding.set_pairing(self.world.straps[strap], kind)

    async def security(self, strap: int):
        """security STRAP: whether its link is encrypted, and the number it shows, as JSON"""
        return json.dumps(bonding.security(self.world.straps[strap]))

    async def type(self, strap: int, number: int):
        """type STRAP NUMBER: a person types a passkey on the strap"""
        self.world.straps[strap].person.typed.set_result(number)

    async def pair(self, strap: int):
        """pair STRAP: the strap itself asks for security"""
        strap = self.world.straps[strap]
        strap.device.smp_manager.request_pairing(strap.connection)

    async def forget_bonds(self, strap: int):
        """forget-bonds STRAP: the strap knows no key any more"""
        await bonding.forget_bonds(self.world.straps[strap])

    async def hide(self, strap: int):
        """hide STRAP: a fresh resolvable address; says which"""
        return await bonding.hide(self.world.straps[strap])

    async def claim(self, strap: int, address: str):
        """claim STRAP ADDRESS: what it says in pairing that its identity address is"""
        bonding.claim(self.world.straps[strap], address)

    async def show(self, strap: int):
        """show STRAP: its identity address again"""
        await bonding.show(self.world.straps[strap])

    async def ask(self, strap: int, minimum: int, maximum: int, latency: int, timeout: int):
        """ask STRAP MIN MAX LATENCY TIMEOUT: the strap asks for these connection parameters over L2CAP"""
        await bonding.ask_parameters(self.world.straps[strap], minimum, maximum, latency, timeout)

    async def ask_below(self, strap: int, minimum: int, maximum: int, latency: int, timeout: int):
        """ask-below STRAP MIN MAX LATENCY TIMEOUT: the same over the link layer"""
        self.world.controller.ask_parameters(self.world.straps[strap].address, minimum, maximum, latency, timeout)

    async def refuse_updates(self, on: int = 1):
        """refuse-updates [0|1]: every change of connection parameters ends with status 0x3B"""
        self.world.controller.refuses_updates = bool(on)

    async def cross_cancellations(self, on: int = 1):
        """cross-cancellations [0|1]: an attempt that the kernel cancels is answered in the same moment, if its wearable advertises"""
        self.world.controller.crosses = bool(on)

    async def add(self, strap: int):
        """add STRAP: one more strap, which must have the next number"""
        await self.world.add_strap(strap)

    # --- all of them, and the controller ---

    async def advertisers(self, count: int):
        """advertisers COUNT: so many strangers advertise rubbish, each once a second"""
        self.world.set_strangers(count)

    async def remove_controller(self):
        """remove-controller: pull the hub's controller out"""
        await self.world.remove_controller()

    async def add_controller(self):
        """add-controller: plug it in again; says its name"""
        return await self.world.add_controller()

    async def slots(self, count: int, status: lambda word: int(word, 16) = 0x09):
        """slots COUNT [HEX]: more links than COUNT are refused with this status; COUNT -1: no limit"""
        self.world.limit_slots(None if count < 0 else count, status)

    async def plug(self, number: int, slots: int, status: lambda word: int(word, 16) = 0x09):
        """plug NUMBER SLOTS [HEX]: one more controller, the second, third …; beyond SLOTS it refuses with this status, or drops another link (-1); says its name"""
        return await self.world.plug(number, slots, status)

    async def pull(self, number: int):
        """pull NUMBER: pull that one out"""
        await self.world.pull(number)

    async def black_hole(self, on: int = 1, number: int = 1):
        """black-hole [0|1] [NUMBER]: the controller takes everything and never answers"""
        controller = self.world.controller if number == 1 else self.world.more[number][1]
        controller.black_hole = bool(on)

    async def status(self):
        """status: the world as JSON"""
        return json.dumps(self.world.status())

    async def quit(self):
        """quit"""
        self.world.ended.set()


# `return` is a word of Python's own, so the method could not be written with that name.
setattr(Control, "return", Control.return_)
del Control.return_
