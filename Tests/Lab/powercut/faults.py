"""Disks that fail, fill up or turn read-only beneath a store at work: the reason it gives, and that data are not lost."""
import time

from disk import Mapped, Mount, make_file_system
from report import demand
from torture import State, Work

FAILING, FULL, UNWRITABLE = "H4199", "H4007", "H4001"  # storeFailing, storeFull, storeUnwritable


class Faults:
    def __init__(self, report, disk, program, folder):
        self.report = report
        self.disk = disk
        self.program = program
        self.folder = folder / "faulty"
        self.store = self.folder / "store"

    def all(self):
        step = self.report.step
        step("writes that fail for some seconds are waited out, and nothing is lost", self.failing_writes)
        step("a disk that goes away takes the file system along; what was promised is there when it is back", self.lost_disk)
        step("a file system that turns read-only is told, the store lives on, and what was promised is there", self.read_only)
        step("a full disk is told and waited out, and nothing is lost", self.full)

    def work(self, *options):
        return Work(self.program, self.store, 8 << 20, 4096, 7, *(options or ["calm"]))

    def under_way(self, work):
        demand(work.listen_until(lambda work: work.durable.get("live", 0) > 500, 20), lambda: f"it does not get going: {work.lines[-3:]}")

    def in_trouble(self, work, code, nothing_goes=True):
        """Waits for the reason, then looks whether anything more is promised, and whether it lives."""
        demand(work.listen_until(lambda work: work.last("trouble"), 20), "no trouble was told")
        demand(work.last("trouble")[0] == code, lambda: f"the trouble is {work.last('trouble')}, not {code}")
        before = work.durable["live"]
        work.listen_until(lambda work: False, 2)
        demand(not nothing_goes or work.durable["live"] == before, lambda: f"{work.durable['live'] - before} samples promised while none can be written")
        demand(not work.ended, lambda: f"it ended: {work.lines[-3:]}")

    def recovers(self, work):
        # A retry comes after 1, 2, 4, 8 … seconds.
        demand(work.listen_until(lambda work: work.last("trouble") == ["none"], 30), lambda: f"it does not recover: {work.lines[-3:]}")
        goal = work.durable["live"] + 3000
        demand(work.listen_until(lambda work: work.durable["live"] > goal, 20), lambda: f"it does not go on: {work.lines[-3:]}")

    def has_everything(self, work, then_write=True):
        state = State.of(self.program, self.store, then_write)
        complaints = state.complaints + state.below(work.durable)
        demand(not complaints, lambda: "\n".join(complaints[:10]))

    # --- the cases ---

    def failing_writes(self):
        # Without a journal, which would make the file system give up for good at the first error.
        make_file_system(self.disk, "-O", "^has_journal")
        whole = f"linear {self.disk} 0"
        mapped = Mapped("hearth-fault", self.disk, whole)
        try:
            with Mount(mapped.device, self.folder, "noatime,errors=continue"):
                with self.work() as work:
                    self.under_way(work)
                    for _ in range(2):
                        # Up for no second, down for 60: reads pass, every write is an error.
                        mapped.exchange(f"flakey {self.disk} 0 0 60 1 error_writes")
                        self.in_trouble(work, FAILING)
                        mapped.exchange(whole)
                        began = time.monotonic()
                        self.recovers(work)
                        self.report.measured("recovered after", f"{time.monotonic() - began:.1f} s")
                        work.lines.clear()
                self.has_everything(work, then_write=False)
            with Mount(mapped.device, self.folder):
                self.has_everything(work)
        finally:
            mapped.remove()

    def lost_disk(self):
        make_file_system(self.disk, "-J", "size=4")
        mapped = Mapped("hearth-fault", self.disk, f"linear {self.disk} 0")
        try:
            with Mount(mapped.device, self.folder):
                with self.work() as work:
                    self.under_way(work)
                    mapped.exchange("error")
                    self.in_trouble(work, FAILING)
            mapped.exchange(f"linear {self.disk} 0")
            with Mount(mapped.device, self.folder):
                self.has_everything(work)
        finally:
            mapped.remove()

    def read_only(self):
        make_file_system(self.disk, "-J", "size=4")
        with Mount(self.disk, self.folder, "noatime,errors=remount-ro") as mount:
            with self.work() as work:
                self.under_way(work)
                mount.again("abort")  # what ext4 does by itself when its own blocks cannot be written
                self.in_trouble(work, FAILING)
        with Mount(self.disk, self.folder, "ro"):
            self.has_everything(work, then_write=False)
            self.refused(UNWRITABLE)
        with Mount(self.disk, self.folder):
            self.has_everything(work)

    def refused(self, code):
        with self.work() as work:
            work.listen_until(lambda work: work.ended, 10)
            demand((work.last("failed") or [""])[0] == code, lambda: f"opening is not refused with {code}: {work.lines}")

    def full(self):
        make_file_system(self.disk, "-J", "size=4", "-m", "0")
        with Mount(self.disk, self.folder):
            ballast = self.folder / "ballast"
            with self.work() as work:
                self.under_way(work)
                self.fill(ballast)
                # What fits into pages that were free already may still be written.
                self.in_trouble(work, FULL, nothing_goes=False)
                ballast.unlink()
                self.recovers(work)
            self.has_everything(work)
            self.fill(ballast)
            self.store = self.folder / "another"
            self.refused(FULL)

    @staticmethod
    def fill(file):
        """Takes all the room there is."""
        with open(file, "ab", buffering=0) as ballast:
            for size in (1 << 20, 4096, 512):
                try:
                    while ballast.write(bytes(size)) == size:
                        pass
                except OSError:
                    pass
