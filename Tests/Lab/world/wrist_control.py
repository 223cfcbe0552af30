"""Commands about bands on a wrist; see control.py."""
import json


class WristCommands:
    async def wrist_wear(self, wrist: int, minutes: int):
        """wrist-wear WRIST MINUTES: it was worn for so many minutes more since it was last, until now at most; then it measures by itself"""
        self.world.wrists[wrist].wear(minutes)

    async def wrist_measure(self, wrist: int, series: str = "heart_rate"):
        """wrist-measure WRIST [SERIES]: its wearer measures"""
        self.world.wrists[wrist].measure(series)

    async def wrist_train(self, wrist: int, minutes: int):
        """wrist-train WRIST MINUTES: its wearer ran for so long until now (Moyoung)"""
        self.world.wrists[wrist].protocol.train(minutes)

    async def wrist_fault(self, wrist: int, name: str, count: int = 1):
        """wrist-fault WRIST ignored|wrong_checksums|lost_acknowledgements|cancels|never_confirms [COUNT]: so many times from now on; see wrist_protocol.py"""
        faults = self.world.wrists[wrist].protocol.faults
        if not isinstance(getattr(faults, name), int):
            raise ValueError(name)
        setattr(faults, name, count)

    async def wrist_faults(self, wrist: int):
        """wrist-faults WRIST: which of them are still to come, as JSON"""
        return json.dumps(vars(self.world.wrists[wrist].protocol.faults))

    async def wrist_drop_after(self, wrist: int, count: int):
        """wrist-drop-after WRIST BYTES: link loss when so many more bytes of what it kept were sent"""
        self.world.wrists[wrist].protocol.faults.drop_after = count

    async def wrist_pace(self, wrist: int, milliseconds: int):
        """wrist-pace WRIST MS: it waits so long from one piece to the next; a test can do something in the middle of a transfer"""
        self.world.wrists[wrist].pace = milliseconds / 1000

    async def wrist_phone(self, wrist: int):
        """wrist-phone WRIST: a phone bound it meanwhile"""
        self.world.wrists[wrist].protocol.bound_by_phone()

    async def wrist_reset(self, wrist: int):
        """wrist-reset WRIST: to its factory state: not bound, empty, its clock in the year 2000, and its link lost"""
        await self.world.wrists[wrist].reset()

    async def wrist_capacity(self, wrist: int, count: int):
        """wrist-capacity WRIST COUNT: so many items of a series fit in; more push out the oldest"""
        self.world.wrists[wrist].memory.capacity = count

    async def wrist_slow(self, wrist: int, seconds: int):
        """wrist-slow WRIST SECONDS: its clock is so far behind"""
        self.world.wrists[wrist].clock.slow = seconds

    async def wrist_battery(self, wrist: int, percent: int):
        """wrist-battery WRIST PERCENT: what it says from now on"""
        self.world.wrists[wrist].protocol.battery = percent

    async def wrist_mute(self, wrist: int, on: int = 1):
        """wrist-mute WRIST [0|1]: its link stays, and it neither hears nor says anything"""
        self.world.wrists[wrist].is_mute = bool(on)

    async def wrist_hangup(self, wrist: int):
        """wrist-hangup WRIST: it ends the link"""
        await self.world.wrists[wrist].hang_up()

    async def wrist_drop(self, wrist: int):
        """wrist-drop WRIST: link loss (0x08 at both ends)"""
        await self.world.wrists[wrist].drop()

    async def wrist_vanish(self, wrist: int):
        """wrist-vanish WRIST: out of range; answers when both ends have lost the link"""
        await self.world.wrists[wrist].vanish()

    async def wrist_return(self, wrist: int):
        """wrist-return WRIST: in range again"""
        self.world.wrists[wrist].come_back()

    async def wrist_send(self, wrist: int, value: bytes.fromhex):
        """wrist-send WRIST HEX: these bytes as a notification of its answers"""
        self.world.wrists[wrist].notify(self.world.wrists[wrist].answer, value)
