"""A test run that reads as an account: one sentence a step, what was measured, and a count at the end."""
import os
import threading
import time
import traceback

# Set by in-lab. In virtual time computing takes no time, so figures of processor time, latency and turns of a loop have no
# meaning.
IS_VIRTUAL = os.environ.get("HEARTH_LAB") == "virtual"


class Failure(Exception):
    """A step did not find what it says."""


class Report:
    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.begin = time.monotonic()
        self.left_out = []  # figures that virtual time does not have

    def step(self, sentence, action, *arguments):
        """Runs one step; a failure is reported and counted, and the run goes on. Returns what the action returns, or `None`."""
        began = time.monotonic()
        try:
            result = action(*arguments)
        except Failure as failure:
            self.failed += 1
            self._line("FAILED", sentence, began)
            for line in str(failure).splitlines():
                print("        " + line, flush=True)
            return None
        except Exception:  # a step that breaks has failed, and its place in the code is the message
            self.failed += 1
            self._line("FAILED", sentence, began)
            print("        " + traceback.format_exc().replace("\n", "\n        "), flush=True)
            return None
        self.passed += 1
        self._line("ok", sentence, began)
        return result

    def _line(self, verdict, sentence, began):
        now = time.monotonic()
        print(f"{now - self.begin:6.1f} s  {verdict:6}  {sentence} ({now - began:.1f} s)", flush=True)

    def measured(self, what, value):
        print(f"{'':8}  {'':6}  measured: {what}: {value}", flush=True)

    def has_clock(self, what):
        """Whether real time and processor time can be measured here. If not, the account names `what` as left out."""
        if IS_VIRTUAL:
            self.left_out.append(what)
        return not IS_VIRTUAL

    def by_clock(self, what, value, holds=True):
        """Reports a figure of real time or processor time and fails the step unless `holds`. Left out in virtual time."""
        if self.has_clock(what):
            self.measured(what, value)
            demand(holds, f"{what}: {value}")

    def close(self):
        if self.left_out:
            print(f"left out in virtual time (in-lab -r measures it): {', '.join(dict.fromkeys(self.left_out))}", flush=True)
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        return self.failed == 0


class Stalls(threading.Thread):
    """How long this machine let a program that wanted to run wait, and when. A bound in seconds is that many seconds of a machine that
    runs. What others take from it comes on top; otherwise the bound measures the load and not the hub. In virtual time there are no
    stalls."""

    STEP = 0.01  # s; a lab's own scheduling is a few milliseconds

    def __init__(self):
        super().__init__(daemon=True)
        self.seen = []  # (monotonic, s)
        if not IS_VIRTUAL:
            self.start()

    def run(self):
        while True:
            before = time.monotonic()
            time.sleep(self.STEP)
            now = time.monotonic()
            if now - before > 3 * self.STEP:
                self.seen.append((now, now - before - self.STEP))

    def between(self, begin, end):
        """Seconds of waiting that ended in this time of the monotonic clock."""
        return sum(length for moment, length in list(self.seen) if begin <= moment <= end)

    def around(self, moment, reach=5.0):
        return self.between(moment - reach, moment + reach)

    def longest(self):
        return max((length for _, length in list(self.seen)), default=0.0)


stalls = Stalls()


def demand(truth, complaint):
    if not truth:
        raise Failure(complaint() if callable(complaint) else complaint)


def eventually(condition, within, complaint, every=0.1):
    """Waits until `condition()` is true and returns its value; fails after `within` seconds."""
    deadline = time.monotonic() + within
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failure(f"not within {within} s: {complaint() if callable(complaint) else complaint}")
        time.sleep(every)
