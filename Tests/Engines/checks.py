"""What a script found out: a line for each check, and the count at the end."""
import sys


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def __call__(self, sentence, holds, what=""):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        # An empty list of faults is not printed.
        print(f"{'ok  ' if holds else 'FAIL'} {sentence}" + ("" if what in ("", [], {}) else f": {what}"), flush=True)

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(self.failed > 0)


check = Checks()
