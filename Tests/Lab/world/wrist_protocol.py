"""What the protocols of the three families of bands have in common, without a radio: pieces come in, frames go out, timers are the caller's.

`Desk` is the surrounding of a protocol: `send` takes a whole frame, `log` an event and its particulars. `later` takes a delay in seconds and
what to do then.
"""
import dataclasses


@dataclasses.dataclass
class Faults:
    """What a test has a band do wrong, each so many times."""

    ignored: int = 0  # frames of the host that it passes over
    wrong_checksums: int = 0  # frames of its own that come with another checksum
    lost_acknowledgements: int = 0  # frames that it takes and does not acknowledge
    cancels: int = 0  # times that cancel is pressed on it when it asks to be bound
    never_confirms: int = 0  # times that no key is pressed
    drop_after: int | None = None  # bytes of what it kept after which the link is lost; `wrist.py` sees to that

    def take(self, name):
        """Whether this is the time to do it."""
        left = getattr(self, name)
        if left > 0:
            setattr(self, name, left - 1)
        return left > 0


class Desk:
    """For a protocol without a radio: what it sent and logged are lists, what it wants later happens when it is told to."""

    def __init__(self):
        self.sent, self.logged, self.waiting = [], [], []

    def send(self, frame, is_history=False):
        self.sent.append(bytes(frame))

    def log(self, event, **particulars):
        self.logged.append((event, particulars))

    def later(self, delay, action):
        entry = [action]
        self.waiting.append(entry)
        return lambda: entry.clear()

    def let_time_pass(self):
        """Everything that waits now happens."""
        waiting, self.waiting = self.waiting, []
        for entry in waiting:
            for action in entry:
                action()

    def take(self):
        sent, self.sent = self.sent, []
        return sent


class Protocol:
    """Subclasses take pieces (`received`) and forget what a link was in the middle of (`link_begins`)."""

    CONSIDERS = 0.5  # s until "yes" is pressed on it
    BATTERY = 80  # %, less its number

    def __init__(self, number, memory, desk):
        self.number, self.memory, self.clock, self.desk = number, memory, memory.clock, desk
        self.faults = Faults()
        self.owner = None  # the host it is bound to
        self.bound_before = None  # s since 1970
        self.is_known = False  # the host of this link bound it or logged in
        self.battery = self.BATTERY - number
        self.live = None  # what is measured by order
        self.by_hand = 0

    def log(self, event, **particulars):
        self.desk.log(event, **particulars)

    def link_begins(self):
        self.is_known, self.live = False, None

    def received(self, piece):
        raise NotImplementedError

    def measured(self):
        """Something new is kept: a host that is there is told, if the family can."""

    def reset(self):
        """To what it was in the factory."""
        self.owner = self.bound_before = None
        self.is_known, self.live = False, None
        self.memory.forget(list(self.memory.items), "wipe")
        self.clock.slow = self.clock.source() + self.clock.offset - 946_684_800  # it shows the beginning of 2000
        self.log("reset")

    def bound_by_phone(self):
        self.owner, self.is_known = "a phone", False
        self.log("bound-by-phone")

    def set_clock(self, shown, **particulars):
        late = self.clock.set(shown)
        self.log("clock", shown=shown, late=round(late, 3), **particulars)

    def damaged(self, frame, at):
        """The frame; with another checksum if it is time for that. `at`: place of its checksum."""
        if not self.faults.take("wrong_checksums"):
            return frame
        self.log("wrong-checksum", hex=frame[:16].hex())
        return frame[:at] + bytes([frame[at] ^ 0x5A]) + frame[at + 1 :]
