"""The hub's three lights as simulated GPIO lines, read back from the kernel while the daemon drives them."""
import os
import pathlib
import threading
import time

from report import demand

CONFIGFS = pathlib.Path("/sys/kernel/config/gpio-sim")
PERIOD = 0.01  # between looks; the shortest pattern part is 80 ms


class Lamps:
    """A gpio-sim chip with the lines of a board file. `edges[name]` grows while `watch` runs: (monotonic time, level)."""

    def __init__(self, label, lines):
        self.lines = lines  # lamp name → line name
        self.edges = {lamp: [] for lamp in lines}
        self.folder = CONFIGFS / f"hearth-{time.monotonic_ns()}"
        bank = self.folder / "bank0"
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text(str(len(lines)))
        (bank / "label").write_text(label)
        for offset, line in enumerate(lines.values()):
            (bank / f"line{offset}").mkdir()
            (bank / f"line{offset}" / "name").write_text(line)
        (self.folder / "live").write_text("1")
        device = (self.folder / "dev_name").read_text().strip()
        chip = (bank / "chip_name").read_text().strip()
        base = pathlib.Path("/sys/devices/platform") / device / chip
        self.values = {lamp: base / f"sim_gpio{offset}" / "value" for offset, lamp in enumerate(lines)}
        self.running = True
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self):
        files = {lamp: os.open(path, os.O_RDONLY) for lamp, path in self.values.items()}
        levels = {}
        while self.running:
            for lamp, file in files.items():
                level = int(os.pread(file, 8, 0))
                if levels.get(lamp) != level:
                    levels[lamp] = level
                    self.edges[lamp].append((time.monotonic(), level))
            time.sleep(PERIOD)
        for file in files.values():
            os.close(file)

    def edges_between(self, lamp, begin, end):
        return [edge for edge in list(self.edges[lamp]) if begin <= edge[0] < end]

    def pulses(self, lamp, begin, end):
        """Lengths in seconds of the times that the lamp was on, of those that began and ended in the span."""
        edges = self.edges_between(lamp, begin, end)
        return [after[0] - edge[0] for edge, after in zip(edges, edges[1:]) if edge[1] == 1]

    def time_on(self, lamp, begin, end):
        """Seconds in the span that the lamp was on."""
        total, since, level = 0.0, begin, 0
        for moment, new in list(self.edges[lamp]):
            moment = min(max(moment, begin), end)
            total += level * (moment - since)
            since, level = moment, new
        return total + level * (end - since)

    def close(self):
        self.running = False
        self.thread.join()
        (self.folder / "live").write_text("0")
        for line in sorted((self.folder / "bank0").glob("line*")):
            line.rmdir()
        (self.folder / "bank0").rmdir()
        self.folder.rmdir()


def demand_heartbeat(lamps, begin, end):
    """Alive and well: 100 ms of every 2 s, or of every 3 s on a ward."""
    pulses = lamps.pulses("HUB", begin, end)
    demand(len(pulses) >= (end - begin) / 3 - 2, f"{len(pulses)} heartbeats in {end - begin:.0f} s")
    demand(len(pulses) <= (end - begin) / 2 + 2, f"{len(pulses)} heartbeats in {end - begin:.0f} s are too many")
    odd = [pulse for pulse in pulses if not 0.05 <= pulse <= 0.30]
    demand(len(odd) <= len(pulses) / 10, f"heartbeats of {[round(pulse, 3) for pulse in odd]} s")
    return len(pulses)
