"""What an acceptance run has on the table: a world of straps, the daemon, the shell of a technician."""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

from report import Failure, demand, eventually, stalls

HERE = pathlib.Path(__file__).resolve().parent
WORLD = HERE.parent / "world"
sys.path.insert(0, str(WORLD))

from ask import ask  # noqa: E402

ADAPTER = "AA:BB:CC:00:00:01"
COMMIT_EVERY = 2.0  # seconds, as in the configuration below
CONFIGURATION = """\
hub:
  name: lab
radio:
  adapter: {adapter}
enroll:
  mode: window
  near_rssi: -60
  window: 120s
store:
  path: {store}
  commit: {{every: 2s, bytes: 4KB}}
lights:
  board: {board}
control:
  socket: {socket}
"""


def scratch(name):
    """An empty folder for one run."""
    folder = pathlib.Path(os.environ.get("HEARTH_LAB_SCRATCH", "/run")) / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def parser(description):
    """Of the words that every run takes."""
    words = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--programs", type=lambda path: pathlib.Path(path).resolve(), required=True, help="folder with hearthd and hearth")
    words.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000), help="of everything that the scene draws")
    words.add_argument("--keep", help="folder to which logs and store are copied at the end")
    return words


def parser_with_load(words):
    """Adds the option of scenes that can be run as on a busy machine."""
    words.add_argument("--load", action="store_true", help="daemon and wearables stand still again and again, as on a busy machine")
    return words


def parser_with_troubles(description):
    """The same for runs with troubles that can be tried by themselves."""
    words = parser(description)
    words.add_argument("--all", action="store_true", help="go on to the trouble even if the beginning failed")
    words.add_argument("--only", help="of the trouble only this, by the name of its method")
    return words


def conclude(report, hub, keep=None, folder=None):
    """The end of a run's account. Keeps the hub's folder, or the one that is named. Gives the status of the process."""
    if report.failed:
        print(f"--- the end of hearthd's log\n{hub.log()[-6000:]}\n---", flush=True)
    if keep:
        shutil.copytree(folder or hub.folder, keep, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.sock"))
    return 0 if report.close() else 1


class Phases:
    """Pauses of random length. Without them, virtual time would bring each run to the same moments between two commits or advertisements."""

    def __init__(self, report, seed):
        report.measured("seed", seed)
        self.draw = random.Random(seed)

    def pause(self, longest=COMMIT_EVERY):
        time.sleep(self.draw.uniform(0, longest))


class Load(threading.Thread):
    """A busy machine, also in virtual time: again and again the daemon or the world stands still. The account counts that as stalls of the machine."""

    PAUSE, MEAN, LONGEST = 3.0, 0.2, 1.5  # s; the kernel waits 2 s for an answer of the controller

    def __init__(self, draw, world, *hubs):
        super().__init__(daemon=True)
        self.draw, self.world, self.hubs = random.Random(draw.random()), world, hubs
        self.ended = threading.Event()
        self.start()

    def run(self):
        while not self.ended.wait(self.draw.uniform(0, self.PAUSE)):
            running = [hub.process for hub in self.hubs if hub.process is not None and hub.process.poll() is None]
            process = self.draw.choice([self.world.process, *running])
            seconds = min(self.draw.expovariate(1 / self.MEAN), self.LONGEST)
            process.send_signal(signal.SIGSTOP)
            time.sleep(seconds)
            process.send_signal(signal.SIGCONT)
            stalls.seen.append((time.monotonic(), seconds))

    def end(self):
        self.ended.set()
        self.join()


class World:
    """The straps, in a process of their own."""

    def __init__(self, folder, *options):
        self.socket = str(folder / "world.sock")
        self.logs = folder / "logs"
        self.output = open(folder / "world.log", "w+")
        self.process = subprocess.Popen(
            [sys.executable, WORLD / "world.py", "--control", self.socket, "--logs", self.logs, *options],
            stdout=self.output,
            stderr=subprocess.STDOUT,
        )
        eventually(lambda: "ready" in self._said() or self.process.poll() is not None, 30, "the world is not ready")
        demand(self.process.poll() is None, lambda: f"the world ended: {self._said()}")

    def _said(self):
        self.output.flush()
        return pathlib.Path(self.output.name).read_text()

    def ask(self, *words):
        return ask(self.socket, *words)

    def status(self):
        return json.loads(self.ask("status"))

    def log(self, kind, number, *events):
        """Whole lines of the log of one wearable, such as `sensor` 3, that tell of these events."""
        with open(f"{self.logs}/{kind}-{number}.jsonl") as file:
            told = [json.loads(line) for line in file if line.endswith("\n")]
        return [line for line in told if line["event"] in events]

    def adapter_index(self):
        return self.status()["controller"].removeprefix("hci")

    def close(self):
        self.process.terminate()
        self.process.wait()


def address_of(strap):
    return f"F0:F1:F2:F3:F4:{strap:02X}"


def sensor_address(sensor):
    return f"F0:F1:F2:F3:C5:{sensor:02X}"


class Hub:
    """The daemon and the command line that asks it."""

    def __init__(self, folder, programs, board):
        self.folder = folder
        self.daemon_program = programs / "hearthd"
        self.shell_program = programs / "hearth"
        self.socket = folder / "hearth.sock"
        self.store = folder / "store"
        self.store.mkdir(parents=True)
        self.configuration = folder / "hearth.yaml"
        self.board = board
        self.configuration.write_text(self.variant())
        self.log_path = folder / "hearthd.log"
        self.log_path.touch()
        self.process = None

    def variant(self, **changes):
        """The text of the configuration, with another store, socket or board."""
        values = dict(adapter=ADAPTER, store=self.store, board=self.board, socket=self.socket)
        return CONFIGURATION.format(**(values | changes))

    # --- the daemon ---

    def launch(self, *options):
        with open(self.log_path, "a") as log:
            self.process = subprocess.Popen(
                [self.daemon_program, "--config", self.configuration, *options],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env=dict(os.environ, SWIFT_BACKTRACE="enable=no"),
            )

    def start(self):
        self.launch()
        self.wait_until_it_answers()

    def wait_until_it_answers(self):
        def answers():
            demand(self.process.poll() is None, lambda: f"hearthd ended with {self.process.returncode}:\n{self.log()[-2000:]}")
            return self.shell("status").returncode in (0, 1)

        eventually(answers, 15, "hearthd does not answer")

    def end_for_sure(self):
        """Leaves no process behind, whatever has happened."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def stop(self, with_signal=signal.SIGTERM, within=10):
        """Ends it and returns its exit status."""
        self.process.send_signal(with_signal)
        try:
            return self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failure(f"hearthd did not end within {within} s") from None

    def log(self):
        return self.log_path.read_text(errors="replace")

    def proc(self, file):
        return pathlib.Path(f"/proc/{self.process.pid}/{file}").read_text()

    def proc_status(self, field):
        for line in self.proc("status").splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1])
        raise Failure(f"/proc/PID/status has no {field}")

    def processor_seconds(self):
        # Fields 14 and 15 of /proc/PID/stat; the name in parentheses may have spaces.
        fields = self.proc("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def longest_turn(self):
        """Of the loop since the daemon's start, as it says itself, ms."""
        found = [row["longest_turn_ms"] for row in objects_with(self.json("status"), "longest_turn_ms")]
        demand(found, "hearth status --json does not tell the longest turn of the loop")
        return max(found)

    # --- the shell ---

    def shell(self, *words, asks=True, timeout=20):
        command = [self.shell_program, *(("--socket", self.socket) if asks else ()), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, stdin=subprocess.DEVNULL)

    def say(self, *words, allowed=(0, 1), **options):
        """A command that must succeed; its standard output."""
        done = self.shell(*words, **options)
        demand(done.returncode in allowed, lambda: f"hearth {' '.join(map(str, words))} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def json(self, *words):
        text = self.say(*words, "--json")
        try:
            return json.loads(text)
        except ValueError as problem:
            raise Failure(f"hearth {' '.join(words)} --json is not JSON ({problem}): {text[:300]!r}") from None

    def devices(self):
        """By address."""
        return {device["address"]: device for device in self.json("devices")}

    def accept(self, address, name, called="", within=30):
        """Enrols it as soon as it is heard; by the name that it advertises, if one is given."""

        def accepted():
            if called and called not in self.say("enroll", "list"):
                return False
            self.answer = self.shell("enroll", "accept", address, "--name", name)
            return self.answer.returncode == 0

        self.answer = None
        eventually(accepted, within, lambda: f"{name}: {self.answer}{self.say('enroll', 'list')}", every=0.5)

    def state(self, strap):
        return self.devices().get(address_of(strap), {}).get("state")

    def wait_for_state(self, straps, states, within):
        def all_there():
            devices = self.devices()
            return all(devices.get(address_of(strap), {}).get("state") in states for strap in straps)

        eventually(
            all_there,
            within,
            lambda: f"straps {straps} are not {'/'.join(states)}: "
            + str({address: device.get("state") for address, device in self.devices().items()}),
            every=0.25,
        )

    def wait_until_live(self, straps, within=30):
        self.wait_for_state(straps, ("live",), within)


def objects_with(document, key):
    """Every JSON object in a document that has the key, wherever it is."""
    if isinstance(document, dict):
        if key in document:
            yield document
        for value in document.values():
            yield from objects_with(value, key)
    elif isinstance(document, list):
        for value in document:
            yield from objects_with(value, key)


def sleep_until(moment):
    time.sleep(max(0.0, moment - time.monotonic()))
