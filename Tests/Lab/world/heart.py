"""A heart with realistic beats: their intervals fill the time, they breathe, and some come early. The same for every run of one seed."""
import math
import random
import struct

from measurement import CONTACT_DETECTED, CONTACT_SUPPORTED, RR_PRESENT, Measurement

SLOW = 0.09  # Hz: the wave of blood pressure
NOISE = 4.0  # ms
EARLY = 0.7  # of an interval before an ectopic beat; the pause behind it makes up for that
SMOOTHED = 6  # beats of the rate that is shown


class Heart:
    """`mean` ms, breathing `deep` ms deep, `breaths` a minute; each `every`-th beat is ectopic, 0: no ectopic beat. `intervals`: whether
    the strap sends them."""

    def __init__(self, seed, mean, deep, breaths, every=0, intervals=True):
        self.random = random.Random(seed)
        self.mean, self.deep, self.breaths, self.every, self.intervals = mean, deep, breaths, every, intervals
        self.now = 0.0  # s since it began: of the newest beat
        self.count = 0
        self.owed = 0.0  # ms: the pause behind an ectopic beat
        self.recent = []
        self.next = self._interval()

    def _interval(self):
        self.count += 1
        breath, slow = (math.sin(2 * math.pi * hertz * self.now) for hertz in (self.breaths / 60, SLOW))
        length = self.mean + self.deep * breath + self.deep / 2 * slow + self.random.gauss(0, NOISE)
        if self.owed:
            length, self.owed = length + self.owed, 0.0
        elif self.every and self.count % self.every == 0:
            self.owed = length * (1 - EARLY)
            length *= EARLY
        return round(length * 1.024)

    def until(self, moment):
        """Intervals in 1/1024 s of the beats until so many seconds after the first."""
        beats = []
        while self.now + self.next / 1024 <= moment:
            self.now += self.next / 1024
            beats.append(self.next)
            self.next = self._interval()
        self.recent = (self.recent + beats)[-SMOOTHED:]
        return beats

    def measurement(self, beats, contact):
        """As notified; `contact` is `None` if the strap does not feel for skin. The strap sends intervals without contact, too, which do not count."""
        rate = round(60 * 1024 * len(self.recent) / sum(self.recent)) if self.recent else 0
        rr = tuple(beats) if self.intervals else ()
        flags = (0 if contact is None else CONTACT_SUPPORTED | (CONTACT_DETECTED if contact else 0)) | (RR_PRESENT if rr else 0)
        value = struct.pack("<BB", flags, rate) + b"".join(struct.pack("<H", interval) for interval in rr)
        return Measurement(rate, rr, None, rate != 0 and contact is not False, value)
