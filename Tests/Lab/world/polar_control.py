"""Commands about Polar's wearables; see control.py."""
from polar_data import ACC, ECG


class PolarCommands:
    async def band_vanish(self, band: int):
        """band-vanish BAND: out of range; answers when both ends have lost the link"""
        await self.world.bands[band].vanish()

    async def band_return(self, band: int):
        """band-return BAND: in range again"""
        self.world.bands[band].come_back()

    async def band_forget(self, band: int):
        """band-forget BAND: it is reset: no bond is left, and its link is lost"""
        await self.world.bands[band].forget()

    async def band_mute(self, band: int, on: int = 1):
        """band-mute BAND [0|1]: its link stays, and no packet comes over it"""
        self.world.bands[band].is_mute = bool(on)

    async def band_drop_after(self, band: int, count: int):
        """band-drop-after BAND BYTES: link loss when so many more bytes of files were sent"""
        self.world.bands[band].drop_after = count

    async def band_busy(self, band: int, on: int = 1):
        """band-busy BAND [0|1]: a training runs: SYSTEM_BUSY"""
        self.world.bands[band].busy = bool(on)

    async def band_busy_at(self, band: int, count: int):
        """band-busy-at BAND COUNT: a training begins when the COUNTth recording from now on is asked for"""
        self.world.bands[band].busy_after = count

    async def band_record(self, band: int, count: int):
        """band-record BAND BYTES: one more recording of about so many bytes, which has ended"""
        self.world.bands[band].add(count)

    async def band_file(self, band: int, path: str):
        """band-file BAND PATH: what a file holds, in hexadecimal digits"""
        return self.world.bands[band].files.content[path].hex()

    async def band_put(self, band: int, path: str, content: bytes.fromhex):
        """band-put BAND PATH HEX: another host wrote a file; no data of the wearer"""
        self.world.bands[band].files.put(path, content)

    async def h10_nameless(self, strap: int):
        """h10-nameless STRAP: its scan responses are lost from now on, and its name with them"""
        self.world.h10s[strap].is_nameless = True
        await self.world.h10s[strap].advertise()

    async def h10_drop(self, strap: int):
        """h10-drop STRAP: link loss (0x08 at both ends)"""
        await self.world.h10s[strap].drop()

    async def h10_stop(self, strap: int, stream: lambda word: {"ecg": ECG, "acc": ACC}[word]):
        """h10-stop STRAP ecg|acc: the strap ends a stream by itself, and says so"""
        self.world.h10s[strap].stop_by_itself(stream)
