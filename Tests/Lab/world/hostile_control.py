"""Commands for hostile wearables and attacks from the air."""
import asyncio
import json
import os

import hostile_air
import hostile_binding
import hostile_files
import hostile_packets
import hostile_silence
import hostile_tables
import hostile_values

MODELS = {name: model for room in (hostile_silence, hostile_packets, hostile_tables, hostile_values, hostile_files, hostile_binding) for name, model in room.MODELS.items()}


class HostileCommands:
    async def hostile(self, model: str, deaf: int = 0, at: str = ""):
        """hostile MODEL [0|1 [ADDRESS]]: one more hostile wearable, with 1 one to which no link is ever established; its number and address, as JSON"""
        world = self.world
        number = len(world.hostiles)
        log = open(os.path.join(world.logs, f"hostile-{number}.jsonl"), "w")
        world.hostiles.append(MODELS[model](number, world.air, log, -44, at or None))
        await world.hostiles[number].start()
        address = world.hostiles[number].address
        if deaf:
            world.deaf_to.add(address)
        return json.dumps({"number": number, "address": address.to_string(with_type_qualifier=False)})

    async def hostile_end(self, number: int):
        """hostile-end NUMBER: it is gone for good"""
        await self.world.hostiles[number].end()

    async def hostile_air(self, attack: str, what: str = "", rssi: int = hostile_air.LOUD):
        """hostile-air ATTACK [WHAT [DBM]]: an attack that needs no link, in place of any other, so loud; `none` ends it"""
        if self.world.hostile_air is not None:
            self.world.hostile_air.cancel()
            self.world.hostile_air = None
        if attack != "none":
            made = hostile_air.ATTACKS[attack](*([what] if what else []))
            self.world.hostile_air = asyncio.create_task(hostile_air.run(made, self.world, rssi))

    async def absent(self, strap: int, on: int = 1):
        """absent STRAP [0|1]: the strap ends its link and is silent, so that another device can have its address; 0: it is back"""
        strap = self.world.straps[strap]
        strap.broadcast = on or None  # which keeps it from advertising
        if on:
            await strap.device.stop_advertising()
            await strap.hang_up()
        else:
            strap.log("return")
            await strap.advertise()

    async def keys(self, number: int):
        """keys NUMBER: the long-term keys that a hostile wearable shares with its paired centrals, in hexadecimal, as JSON"""
        bonds = await self.world.hostiles[number].device.keystore.get_all()
        return json.dumps([keys.ltk.value.hex() for _, keys in bonds if keys.ltk])
