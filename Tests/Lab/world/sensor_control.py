"""Commands about health sensors; see control.py."""
import asyncio


class SensorCommands:
    async def sensor_measure(self, sensor: int, count: int = 1):
        """sensor-measure SENSOR [COUNT]: a person measures with the cuff, or with the oximeter that keeps records"""
        for _ in range(count):
            await self.world.sensors[sensor].measure()
            await asyncio.sleep(0.01)

    async def sensor_keep(self, sensor: int, count: int, spacing: int):
        """sensor-keep SENSOR COUNT SECONDS: the oximeter that keeps records, or the cuff with a clock, has COUNT more. Records are SECONDS apart, the last of them of SECONDS ago"""
        self.world.sensors[sensor].keep(count, spacing)

    async def sensor_heard(self, sensor: int, seconds: int):
        """sensor-heard SENSOR SECONDS: for so long the cuff is heard after a measurement"""
        self.world.sensors[sensor].heard = seconds

    async def sensor_show(self, sensor: int, seconds: float):
        """sensor-show SENSOR SECONDS: the cuff is heard for so long without a measurement, then out of range; answers at once"""
        self.world.sensors[sensor].show(seconds)

    async def sensor_lose_confirmations(self, sensor: int, count: int = 1):
        """sensor-lose-confirmations SENSOR [COUNT]: the link ends in place of the next confirmations, which it never hears"""
        self.world.sensors[sensor].lost_confirmations = count

    async def sensor_slow(self, sensor: int, seconds: int):
        """sensor-slow SENSOR SECONDS: its clock is so far behind"""
        self.world.sensors[sensor].slow = seconds

    async def sensor_mute(self, sensor: int, on: int = 1):
        """sensor-mute SENSOR [0|1]: it answers no ATT request"""
        self.world.sensors[sensor].mute = bool(on)

    async def sensor_hangup(self, sensor: int):
        """sensor-hangup SENSOR: it ends the link"""
        await self.world.sensors[sensor].hang_up()

    async def sensor_drop(self, sensor: int):
        """sensor-drop SENSOR: link loss (0x08 at both ends)"""
        await self.world.sensors[sensor].drop()

    async def sensor_vanish(self, sensor: int):
        """sensor-vanish SENSOR: out of range; answers when both ends have lost the link"""
        await self.world.sensors[sensor].vanish()

    async def sensor_return(self, sensor: int):
        """sensor-return SENSOR: in range again"""
        self.world.sensors[sensor].come_back()

    async def sensor_pdu(self, sensor: int, value: bytes.fromhex):
        """sensor-pdu SENSOR HEX: these bytes on the ATT channel"""
        self.world.sensors[sensor].log("pdu", hex=value.hex())
        self.world.sensors[sensor].pdu(value)
