"""Commands about insoles; see control.py."""
from activities import activity


class InsoleCommands:
    async def insole_vanish(self, insole: int):
        """insole-vanish INSOLE: out of range; answers when both ends have lost the link"""
        await self.world.insoles[insole].vanish()

    async def insole_return(self, insole: int):
        """insole-return INSOLE: in range again"""
        self.world.insoles[insole].come_back()

    async def insole_drop(self, insole: int):
        """insole-drop INSOLE: link loss (0x08 at both ends)"""
        await self.world.insoles[insole].drop()

    async def insole_drop_after(self, insole: int, count: int):
        """insole-drop-after INSOLE BYTES: link loss when so many more bytes of files were sent"""
        self.world.insoles[insole].drop_after = count

    async def insole_forget(self, insole: int):
        """insole-forget INSOLE: it loses its bonds"""
        await self.world.insoles[insole].forget()

    async def insole_refuse_pairing(self, insole: int, on: int = 1):
        """insole-refuse-pairing INSOLE [0|1]: it refuses every pairing"""
        self.world.insoles[insole].refuses_pairing = bool(on)

    async def insole_refuse_profile(self, insole: int, on: int = 1):
        """insole-refuse-profile INSOLE [0|1]: it refuses every profile (ATT 0x0E)"""
        self.world.insoles[insole].refuses_profile = bool(on)

    async def insole_record(self, insole: int, records: int):
        """insole-record INSOLE RECORDS: a session ended, and left a file; says its number"""
        one = self.world.insoles[insole]
        one.sessions += 1
        return one.record(activity(insole, one.sessions, records))

    async def insole_session(self, insole: int, records: int):
        """insole-session INSOLE RECORDS: the same, of a session that ended now by its clock"""
        one = self.world.insoles[insole]
        one.sessions += 1
        return one.record(activity(insole, one.sessions, records, begin=one.seconds() - records - 5))

    async def insole_reboot(self, insole: int):
        """insole-reboot INSOLE: restarts; its files stay"""
        await self.world.insoles[insole].reboot()
