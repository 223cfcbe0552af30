"""The busy store and what it promised: runs `store-torture`, collects its words, compares what it promised with what is there."""
import os
import pathlib
import select
import subprocess
import time


def raise_floor(floor, names):
    """Both are dictionaries from a name to a number that never goes back."""
    for name, number in names.items():
        floor[name] = max(floor.get(name, 0), number)


def receipts(lines):
    """Of lines in words the receipts, by number."""
    return {int(line[1]): line for line in lines if line[:1] == ["receipt"] and len(line) == 5}


class Work:
    """A running `store-torture run`, until the end of the `with`: then it is killed with SIGKILL."""

    def __init__(self, program, store, size, bytes, seed, *options):
        self.process = subprocess.Popen(
            [program, "run", store, str(size), str(bytes), str(seed), *options], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
        self.rest = b""
        self.lines = []
        self.durable = {}
        self.ended = False
        self.ending = None  # -9: it lived until it was killed

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.ending = self.process.wait()
        while not self.ended:  # its last words
            self.listen(1)
        self.process.stdout.close()

    def listen(self, seconds):
        """Waits for words, at most so long. Returns what they newly promise."""
        if self.ended or not select.select([self.process.stdout], [], [], max(0, seconds))[0]:
            return {}
        chunk = os.read(self.process.stdout.fileno(), 1 << 16)
        self.ended = not chunk
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        promised = {}
        for line in lines:
            words = line.decode().split()
            self.lines.append(words)
            if words and words[0] == "durable":
                promised[words[1]] = int(words[2])
        raise_floor(self.durable, promised)
        return promised

    def listen_until(self, condition, seconds):
        """Whether `condition(self)` came true in time."""
        deadline = time.monotonic() + seconds
        while not condition(self):
            left = deadline - time.monotonic()
            if left <= 0 or self.ended:
                return False
            self.listen(left)
        return True

    def standing(self):
        """Its progress so far, and in which system call each of its threads waits. Distinguishes a slow disk from a hung program."""
        waits = []
        for task in sorted(pathlib.Path(f"/proc/{self.process.pid}/task").glob("*")):
            try:
                name, place, call = ((task / file).read_text().strip() for file in ("comm", "wchan", "syscall"))
                waits.append(f"{name} in {place or '-'} (system call {call.split()[0]})")
            except OSError as error:
                waits.append(f"{task.name}: {error.strerror}")
        return f"{len(receipts(self.lines))} receipts, last words {self.lines[-1:]}, {'; '.join(waits) or 'no thread'}"

    def last(self, word):
        """The rest of the last line that begins with the word; `None` without such a line."""
        return next((line[1:] for line in reversed(self.lines) if line and line[0] == word), None)


class State:
    """What a store has, as `store-torture check` says."""

    def __init__(self):
        self.has = {}
        self.receipts = {}
        self.complaints = []

    @classmethod
    def of(cls, program, store, then_write=True):
        state = cls()
        command = [program, "check", store] + (["--then-write"] if then_write else [])
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=20, stdin=subprocess.DEVNULL,
                env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
        except subprocess.TimeoutExpired:
            state.complaints.append("the checker did not end")
            return state
        wrote = False
        state.receipts = receipts([line.split() for line in done.stdout.splitlines()])
        for line in done.stdout.splitlines():
            word, _, text = line.partition(" ")
            if word == "has":
                name, number = text.split()
                state.has[name] = int(number)
            elif word in ("broken", "failed"):
                state.complaints.append(line)
            wrote = wrote or word == "wrote"
        if done.returncode != 0 and not state.complaints:
            state.complaints.append(f"the checker ended with {done.returncode}: {done.stderr[-300:]}")
        elif then_write and not wrote and not state.complaints:
            state.complaints.append("the store took no commit")
        return state

    def below(self, floor):
        """What was promised and is not there."""
        return [f"{name} goes to {self.has.get(name, 0)}, it was {number} before"
                for name, number in sorted(floor.items()) if self.has.get(name, 0) < number]


def program(folder):
    return str(pathlib.Path(folder).resolve() / "store-torture")
