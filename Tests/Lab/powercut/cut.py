"""Power cuts: a busy store on a disk that writes everything down, and what a disk could have had at many points of that."""
import random
import time

from disk import Mapped, Mount, make_file_system, read_all, write_all
from report import demand
from torture import State, Work, raise_floor, receipts
from writelog import DISCARD, FLUSH, FUA, MARK, WriteLog


# Seconds for some 75 commits: half a second each on the slowest disk seen, and as long again for one that others keep busy.
FILLING = 120
# Promises after each of which a power cut is tried, over all lives.
MARKS = 50
# Commits that wait for the disk together with the next one, over all lives.
SHARED = 10


class Point:
    """A moment: the first `end` entries of the log. `torn`: what was not flushed by then got there in part, each sector or not."""

    def __init__(self, end, torn=False):
        self.end = end
        self.torn = torn
        self.promised = {}  # by the last mark before it
        self.state = None

    def __str__(self):
        return f"after {self.end} entries{', unflushed writes torn' if self.torn else ''}"


class PowerCut:
    def __init__(self, report, disk, log, spare, program, folder, seed):
        self.report = report
        self.disk = disk  # the disk under the store
        self.log_disk = log
        self.spare = spare  # disk on which images are checked
        self.program = program
        self.folder = folder
        self.random = random.Random(seed)
        self.seed = seed

    # --- writing ---

    def record(self, size, bytes, lives, seconds, full):
        """A store at work for some lives, each ended by SIGKILL. What it promises is marked in the log of writes before it is believed."""
        make_file_system(self.disk, "-J", "size=4")
        self.promised = {}
        if full:
            with Mount(self.disk, self.folder / "disk"), Work(self.program, self.folder / "disk/store", size, bytes, self.seed, "fill") as work:
                demand(work.listen_until(lambda work: work.ended, FILLING), lambda: f"the store does not get full: {work.standing()}")
            demand(work.ending == 0, lambda: f"filling ended with {work.ending}: {work.lines[-1:]}")
            self.promised = work.durable
        self.base = read_all(self.disk)
        self.given = {}  # receipts, by number
        mapped = Mapped("hearth-log", self.disk, f"log-writes {self.disk} {self.log_disk}")
        marks = 0
        shared = 0
        try:
            with Mount(mapped.device, self.folder / "disk"):
                for life in range(lives):
                    with Work(self.program, self.folder / "disk/store", size, bytes, self.seed + life) as work:
                        begin, had = time.monotonic(), marks
                        # A busy machine does less in that time: then it lasts until there is as much as is wanted.
                        while not work.ended:
                            passed = time.monotonic() - begin
                            is_enough = (marks - had) * lives >= MARKS and work.lines.count(["shared"]) * lives >= SHARED
                            if passed > (seconds if is_enough else 10 * seconds):
                                break
                            promised = work.listen(max(0.1, seconds - passed))
                            if promised:
                                mapped.message("mark " + ",".join(f"{name}={number}" for name, number in promised.items()))
                                marks += 1
                    demand(work.ending == -9, lambda: f"it ended by itself: {work.lines[-1:]}")
                    complaints = [line for line in work.lines if line[:1] == ["broken"]]
                    demand(not complaints, lambda: f"the living store: {complaints[:5]}")
                    self.given.update(receipts(work.lines))
                    shared += work.lines.count(["shared"])
        finally:
            mapped.remove()
        self.log = WriteLog(self.log_disk)
        entries = self.log.entries
        demand(marks >= MARKS, f"only {marks} promises were marked")
        demand(any(entry.text == "dm-log-writes-end" for entry in entries[-1:]), "the log of writes is full and ends too early")
        kinds = {"flushes": FLUSH, "FUA": FUA, "discards": DISCARD}
        counts = ", ".join(f"{sum(1 for entry in entries if entry.flags & flag)} {kind}" for kind, flag in kinds.items())
        # If too few commits did, promises that depend on the next commit's pages were not tried.
        demand(shared >= SHARED, f"only {shared} commits shared a wait for the disk with the next one")
        self.report.measured("commits that shared a wait with the next one", shared)
        self.report.measured("log", f"{len(entries)} entries, {self.log.size >> 20} MiB, {counts}, {marks} marks")
        return True

    # --- replaying ---

    def choose(self, around_flushes, torn):
        """Points right before and after random flushes and FUA writes, and random ones at which unflushed writes are torn."""
        entries = self.log.entries
        flushes = [index for index, entry in enumerate(entries) if entry.flags & (FLUSH | FUA)]
        chosen = self.random.sample(flushes, min(around_flushes // 2, len(flushes)))
        points = [Point(end) for index in chosen for end in (index, index + 1)]
        points += [Point(self.random.randrange(len(entries) + 1), torn=True) for _ in range(torn)]
        points += [Point(0), Point(len(entries))]
        return sorted(points, key=lambda point: point.end)

    def replay(self, points):
        """Looks at the store at each point."""
        entries = self.log.entries
        settled = bytearray(self.base)  # everything up to the last flush
        image = bytearray(self.base)
        position = 0
        promised = dict(self.promised)
        for point in points:
            last_flush = next((index + 1 for index in range(point.end - 1, position - 1, -1) if entries[index].flags & FLUSH), position)
            for entry in entries[position:last_flush]:
                self.log.apply(entry, settled)
                raise_floor(promised, self.marked(entry))
            position = last_flush
            image[:] = settled
            point.promised = dict(promised)
            for entry in entries[position:point.end]:
                if point.torn and entry.is_write and not entry.flags & FUA:
                    self.log.apply_torn(entry, image, self.random)
                else:
                    self.log.apply(entry, image)
                raise_floor(point.promised, self.marked(entry))
            point.state = self.look(image)

    @staticmethod
    def marked(entry):
        if not entry.flags & MARK or "=" not in entry.text:
            return {}
        return {name: int(number) for name, _, number in (pair.partition("=") for pair in entry.text.split(","))}

    def look(self, image):
        write_all(self.spare, image)
        with Mount(self.spare, self.folder / "image"):
            return State.of(self.program, self.folder / "image/store")

    # --- judging ---

    def judge(self, points):
        """What is wrong, as sentences. Of two whole points the later one has all that the earlier one had."""
        wrong = []
        reached = {}
        for point in points:
            complaints = point.state.complaints + point.state.below(point.promised)
            complaints += [f"receipt {number} was given as {self.given[number]}, and is kept as {kept}"
                           for number, kept in point.state.receipts.items() if self.given.get(number, kept) != kept]
            if not point.torn:
                complaints += point.state.below(reached)
                raise_floor(reached, point.state.has)
            wrong += [f"{point}: {complaint}" for complaint in complaints]
        return wrong

    def survives(self, around_flushes, torn):
        points = self.points = self.choose(around_flushes, torn)
        began = time.monotonic()
        self.replay(points)
        seconds = time.monotonic() - began
        wrong = self.judge(points)
        with_promise = sum(1 for point in points if point.promised)
        self.report.measured("points", f"{len(points)}, {with_promise} of them after a promise, {seconds / len(points):.2f} s each")
        demand(not wrong, lambda: "\n".join(wrong[:20] + [f"{len(wrong)} complaints"]))
        demand(with_promise >= len(points) // 2, "hardly a point is after a promise")
        last = points[-1].state.has
        demand(last.get("live", 0) > 3000 and len(self.given) > 20 and last.get("exported", 0) > 0, f"hardly anything was written: {last}")
        self.report.measured("at the end", ", ".join(f"{last.get(name, 0)} {name}" for name in ("live", "receipts", "exported", "evicted")))

    # --- whether the proof can fail ---

    def early_promises_are_found(self):
        """The same points, had each promise been made one mark earlier: before the commit that it speaks of. Commits that share a wait are
        promised when the pages of the next one are there. Therefore many promises are still kept when they come a mark too
        early."""
        marks = [(index, self.marked(entry)) for index, entry in enumerate(self.log.entries) if self.marked(entry)]
        lost = 0
        for point in self.points:
            too_early = next((names for index, names in marks if index >= point.end), {})
            lost += bool(point.state.below(too_early))
        self.report.measured("points that a promise made too early does not survive", f"{lost} of {len(self.points)}")
        demand(lost >= len(self.points) // 10, "the proof would not see a promise that is made too early")

    def lies_are_found(self, tries):
        """A disk that says "flushed" and has not: some of the last writes are missing although a flush came after them."""
        entries = self.log.entries
        marks = [index for index, entry in enumerate(entries) if self.marked(entry)]
        found = 0
        for end in sorted(self.random.sample(marks[len(marks) // 4:], tries)):
            image = bytearray(self.base)
            promised = dict(self.promised)
            for index, entry in enumerate(entries[:end + 1]):
                if index < end - 40 or self.random.random() < 0.7:
                    self.log.apply(entry, image)
                raise_floor(promised, self.marked(entry))
            try:
                state = self.look(image)
            except OSError:  # not even a file system
                found += 1
                continue
            found += bool(state.complaints or state.below(promised))
        self.report.measured("lies of the disk that were found", f"{found} of {tries}")
        demand(found > 0, "the proof would not see a disk that loses what it had flushed")
