"""What a band measured and keeps. Values are made up from its number and the time, so that a test can say which value is missing, changed or
there twice.

Times are seconds since 1970 as the band's clock showed them: right if it was right. A heart rate comes each five minutes, SpO2 and stress each half-hour.
Steps are of each half-hour by day, a night is from 23:10 to 06:40 in the zone of the wearer. What the wearer began comes on top.
"""
import dataclasses
import time

GRID, SPARSE = 300, 1800  # s
DAY = 86400
NIGHT_BEGIN, NIGHT_LENGTH = 23 * 3600 + 600, 27_000  # s after local midnight, s: 23:10 to 06:40
NIGHT = (("light", 9), ("deep", 7), ("rem", 5), ("light", 24), ("awake", 2), ("deep", 11), ("rem", 8), ("light", 24))  # of five minutes each
EVERYTHING = ("heart_rate", "spo2", "stress", "steps", "sleep_stage")


@dataclasses.dataclass(frozen=True)
class Item:
    series: str
    begin: int  # s
    value: object  # a number; of sleep the name of a stage; of half-hours a tuple: steps, small calories, metres, minutes; of pressure both
    length: int = 0  # s
    is_manual: bool = False
    kind: str = "normal"

    def told(self):
        """For a log."""
        return [self.series, self.begin, self.value, self.length, self.is_manual, self.kind]


class Clock:
    """A band's own: local wall clock, of a zone that is `offset` seconds before Greenwich's, `slow` seconds behind the right one."""

    def __init__(self, offset=0, source=time.time):
        self.offset, self.slow, self.source = offset, 0, source

    def now(self):
        """s since 1970, as it shows in its zone."""
        return self.source() - self.slow

    def set(self, shown):
        """Sets its clock; returns by how much it had been slow."""
        was, self.slow = self.now(), self.source() - shown
        return shown - was

    def midnight(self, moment):
        """Of the local day in which a moment lies."""
        return int((moment + self.offset) // DAY * DAY - self.offset)


class Memory:
    """Kept items in the order of time. `note(event, items)` hears of each that came and went. `capacity`: items of one
    series; more push out the oldest. `grain`: seconds to which the time of what was measured by hand is rounded down."""

    def __init__(self, number, clock, series=EVERYTHING, note=lambda event, items: None, capacity=5000, grain=1):
        self.number, self.clock, self.series, self.note, self.capacity, self.grain = number, clock, series, note, capacity, grain
        self.items = []
        self.worn_until = None

    # --- what is measured ---

    def rate_at(self, moment, spread=61):
        return 50 + (moment // GRID * 7 + self.number * 13) % spread

    def rate_by_hand(self, count):
        return 120 + (count * 7 + self.number * 3) % 60

    def wear(self, until, since=None):
        """Measures by itself until then, from `since` or from its last stop."""
        begin, self.worn_until = since if since is not None else self.worn_until, until
        found = []
        for moment in range(-(-int(begin) // GRID) * GRID, int(until), GRID):
            if moment >= until:
                break
            found.append(Item("heart_rate", moment, self.rate_at(moment)))
            if moment % SPARSE == 0:
                place = moment // SPARSE
                found.append(Item("spo2", moment, 92 + (place * 3 + self.number) % 8))
                found.append(Item("stress", moment, 10 + (place * 11 + self.number * 5) % 80))
                found.append(Item("blood_pressure", moment, (110 + place % 30, 70 + place % 20)))
            # What lasts is kept when it is over.
            if moment % SPARSE == 0:
                found += self._half_hour(moment - SPARSE)
            if (moment + self.clock.offset) % DAY == (NIGHT_BEGIN + NIGHT_LENGTH) % DAY:
                found += self._night(moment - NIGHT_LENGTH)
            if (moment + self.clock.offset) % DAY == 7 * 3600:
                found.append(Item("heart_rate", moment, 47 + (moment // DAY + self.number) % 9, kind="resting"))
        self._keep([item for item in found if item.series in self.series])

    def _half_hour(self, begin):
        hour = (begin + self.clock.offset) % DAY / 3600
        place = begin // SPARSE
        if not 8 <= hour < 20 or place % 3 == 2:
            return []
        steps = 40 + (place * 37 + self.number * 11) % 900
        return [Item("steps", begin, (steps, steps * 40, steps * 3 // 4, 1 + steps // 60), SPARSE)]

    def _night(self, begin):
        found = []
        for stage, count in NIGHT:
            found.append(Item("sleep_stage", begin, stage, count * GRID))
            begin += count * GRID
        return found

    def measure(self, series, value=None):
        """The wearer measures now; what is in the memory then."""
        moment = int(self.clock.now()) // self.grain * self.grain
        count = sum(item.is_manual for item in self.items) + moment // 60
        item = Item(series, moment, value if value is not None else (self.rate_by_hand(count) if series == "heart_rate" else 90 + count % 10), is_manual=True)
        self._keep([item])
        return item

    # --- what is kept ---

    def _keep(self, found):
        if not found:
            return
        self.items += found
        self.items.sort(key=lambda item: item.begin)
        self.note("keep", found)
        for series in {item.series for item in found}:
            kept = [item for item in self.items if item.series == series]
            if len(kept) > self.capacity:
                self.forget(kept[: len(kept) - self.capacity], "overwrite")

    def forget(self, items, event):
        gone = set(items)
        self.items = [item for item in self.items if item not in gone]
        if items:
            self.note(event, items)

    def of(self, series, is_manual=None, kind="normal"):
        return [item for item in self.items if item.series == series and is_manual in (None, item.is_manual) and item.kind == kind]

    def extremes(self, series, begin):
        """Smallest and largest of the day that begins then, those that were measured by themselves."""
        items = [item for item in self.of(series, False) if begin <= item.begin < begin + DAY]
        return [min(items, key=lambda item: item.value), max(items, key=lambda item: item.value)] if items else []
