"""An emulated board with its card: a Raspberry Pi 3B, an arm64 machine with a kernel of 16 KiB pages, or a PC."""
import base64
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "Lab"), str(HERE.parent / "Lab" / "acceptance")]

from report import Failure, demand  # noqa: E402

# SIGTERM ends a proof and its board too.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

CACHE = pathlib.Path(os.environ.get("HEARTH_CACHE") or pathlib.Path.home() / ".cache/hearth")
BOOT_LIMIT = 900  # s; a machine of two cores that others use takes 200 s for the Pi
# The daemon runs and answers, whatever it says of itself.
SERVING = "systemctl is-active hearthd && { hearth status > /dev/null; test $? -le 1; }"
# What a kernel does at its start and no test asks for: under emulation these took five seconds.
QUIET = (
    "mitigations=off kpti=off nokaslr audit=0 cryptomgr.notests=1 "
    "initcall_blacklist=jent_mod_init,init_encrypted,crypto_kdf108_init,load_system_certificate_list,clk_debug_init "
    "systemd.show_status=0 quiet loglevel=3 systemd.default_device_timeout_sec=600 systemd.default_timeout_start_sec=600 panic=5"
)


def kvm():
    """Only if it is asked for: a virtual machine may have the device and not what QEMU needs of it."""
    return bool(os.environ.get("HEARTH_BOARD_KVM"))


class Board:
    """What QEMU is told of one kind of board."""

    def __init__(self, name, architecture, kernel, card, agent, radio):
        self.name, self.architecture, self.kernel, self.card, self.agent, self.radio = name, architecture, kernel, card, agent, radio

    def arguments(self, image, agent, radio, network=False):
        """`agent` and `radio` are QEMU's character devices. `network`: one in which this machine is 10.0.2.2."""
        folder = CACHE / "board" / self.architecture
        common = ["-display", "none", "-no-reboot", "-kernel", folder / f"{self.kernel}.image", "-initrd", folder / f"{self.kernel}.initrd"]
        lines = ["-chardev", agent, "-chardev", radio]
        if network:
            lines += ["-netdev", "user,id=network", "-device", f"{'usb-net' if self.name == 'pi' else 'virtio-net-pci'},netdev=network"]
        if self.name == "pi":
            # A single host thread for the four cores: those that wait in the boot code's loop do not spin.
            return ["qemu-system-aarch64", "-M", "raspi3b", "-accel", "tcg,thread=single", "-dtb", folder / "pi3b.dtb", *common, *lines,
                    "-serial", "chardev:radio", "-serial", "chardev:agent", "-drive", f"if=sd,format=raw,file={image},cache=unsafe"]  # fmt: skip
        disk = ["-drive", f"if=none,id=card,format=raw,file={image},cache=unsafe", "-device", "virtio-blk-pci,drive=card"]
        if self.name == "pi5":
            return ["qemu-system-aarch64", "-M", "virt", "-cpu", "max,pauth-impdef=on,sve=off", "-m", "1024", "-smp", "1", "-accel", "tcg", *common, *lines,
                    "-serial", "chardev:agent", "-device", "pci-serial,chardev=radio", *disk]  # fmt: skip
        accelerator = ["-accel", "kvm", "-cpu", "host"] if kvm() else ["-accel", "tcg,thread=multi", "-cpu", "qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt"]
        return ["qemu-system-x86_64", *accelerator, "-m", "1024", "-smp", "2", "-nodefaults", *common, *lines,
                "-serial", "chardev:agent", "-serial", "chardev:radio", *disk]  # fmt: skip


BOARDS = {
    "pi": Board("pi", "arm64", "arm64", "mmcblk0", "ttyS1", "ttyAMA0"),
    "pi5": Board("pi5", "arm64", "arm64-16k", "vda", "ttyAMA0", "ttyS0"),
    "pc": Board("pc", "amd64", "amd64", "vda", "ttyS0", "ttyS1"),
    "pc12": Board("pc12", "amd64-12", "amd64", "vda", "ttyS0", "ttyS1"),
}


class Card:
    """A copy of the base card, or of another, in a file that is thrown away. Files go in and out while no board runs from it."""

    def __init__(self, folder, architecture, base=None):
        self.image = folder / "card.ext4"
        base = base or CACHE / "board" / architecture / "base.ext4"
        demand(base.exists(), f"{base} is missing: Tests/Board/card {architecture} makes it")
        subprocess.run(["cp", "--sparse=always", base, self.image], check=True)

    def _debugfs(self, *commands, write=False):
        done = subprocess.run(["debugfs", *(["-w"] if write else []), "-f", "-", self.image], input="\n".join(commands) + "\n", capture_output=True, text=True)
        demand(done.returncode == 0, done.stderr)
        return done.stdout + done.stderr

    def put(self, source, target):
        self._debugfs(f"rm {target}", f"write {source} {target}", write=True)

    def take(self, source, target):
        self._debugfs(f"dump {source} {target}")
        demand(pathlib.Path(target).stat().st_size > 0, f"there is no {source} on the card")

    def replay(self):
        """Replays the journal of a card after its board lost power, as the next boot would."""
        subprocess.run(["e2fsck", "-p", "-E", "journal_only", self.image], capture_output=True)


class Machine:
    """A board, from power on to power off. `uart` is the port of a world (`world.py --uart`); without one its radio is silent. `network`:
    of QEMU's own, in which this machine is 10.0.2.2; most proofs have no network, like most hubs."""

    def __init__(self, board, card, folder, uart=None, network=False):
        self.board, self.card, self.folder, self.uart, self.network = BOARDS[board], card, folder, uart, network
        self.process = self.line = None
        self.number = 0
        self.pending = b""
        self.console = b""

    # --- power ---

    def boot(self):
        """Returns seconds until its systemd serves, and the same by its own clock."""
        agent, monitor = self.folder / "agent.sock", self.folder / "monitor.sock"
        for path in (agent, monitor):
            path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(agent))
        listener.listen(1)
        radio = f"socket,id=radio,host=127.0.0.1,port={self.uart},nodelay=on" if self.uart else "null,id=radio"
        words = self.board.arguments(self.card.image, f"socket,id=agent,path={agent}", radio, self.network)
        words += ["-append", f"console={self.board.agent},115200 rdinit=/init board.card={self.board.card} board.time={int(time.time()) + 5} "
                  f"board.agent={self.board.agent} board.radio={self.board.radio} {QUIET}",
                  "-monitor", f"unix:{monitor},server=on,wait=off"]  # fmt: skip
        began = time.monotonic()
        log = open(self.folder / "qemu.log", "ab")
        self.process = subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        listener.settimeout(30)
        try:
            self.line = listener.accept()[0]
        except TimeoutError:
            raise Failure(f"QEMU does not start: {(self.folder / 'qemu.log').read_text(errors='replace')[-1000:]}") from None
        finally:
            listener.close()
        words = self._answer(b"ready", BOOT_LIMIT)
        return time.monotonic() - began, float(words[0])

    def cut(self):
        """The power goes, this moment."""
        self.process.kill()
        self.process.wait()
        self.line.close()

    def end(self, within=600):
        """As its owner switches it off."""
        self.send("systemctl --no-block poweroff")
        deadline = time.monotonic() + within
        # The console is read to the end: an unread serial line holds the kernel back.
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                self.cut()
                raise Failure(f"it is not off after {within} s: {self.pending[-1500:].decode(errors='replace')}")
            if select.select([self.line], [], [], 0.5)[0]:
                more = self.line.recv(65536)
                self.pending += more
                if not more:
                    time.sleep(0.1)
        self.line.close()

    def end_for_sure(self):
        if self.process is not None and self.process.poll() is None:
            self.cut()

    # --- what is said to it ---

    def send(self, command):
        self.number += 1
        self.line.sendall(b"%d %s\n" % (self.number, base64.b64encode(command.encode())))
        return str(self.number).encode()

    def run(self, command, within=600):
        """Runs a command of bash as root; its exit status, and all that it says."""
        said = base64.b64decode(self._answer(self.send(command), within)[0]).decode(errors="replace")
        output, _, status = said.rpartition("\n")
        return int(status), output

    def say(self, command, within=600, allowed=(0,)):
        """The same of a command that must succeed; what it says."""
        status, output = self.run(command, within)
        demand(status in allowed, lambda: f"{command} ended with {status}: {output[-2000:]}")
        return output.strip()

    def file(self, path):
        """What is in a file of the board, by way of its line."""
        status, text = self.run(f"gzip -c {path} | base64", 600)
        return subprocess.run(["gzip", "-dc"], input=base64.b64decode(text), capture_output=True, check=True).stdout

    def _answer(self, number, within):
        deadline = time.monotonic() + within
        while True:
            found = re.search(rb"\x01" + number + rb" ([^\n]*)\n", self.pending)
            if found:
                self.console += self.pending[: found.start()]
                self.pending = self.pending[found.end() :]
                return found[1].split()
            wait = deadline - time.monotonic()
            demand(wait > 0, lambda: f"no answer within {within} s: {(self.console + self.pending)[-1500:].decode(errors='replace')}")
            if select.select([self.line], [], [], wait)[0]:
                more = self.line.recv(65536)
                demand(more, lambda: f"the board is gone: {(self.console + self.pending)[-1500:].decode(errors='replace')}")
                self.pending += more

    # --- the hub on it ---

    def daemon(self, unit="hearthd"):
        return self.say(f"systemctl show -p MainPID --value {unit}")

    def shown(self, name, unit="hearthd"):
        return self.say(f"systemctl show -p {name} --value {unit}")

    def wait_for(self, command, within, every=1.0):
        """Until a command succeeds; seconds that it took."""
        began, output = time.monotonic(), ""
        while time.monotonic() - began < within:
            status, output = self.run(command)
            if status == 0:
                return time.monotonic() - began
            time.sleep(every)
        raise Failure(f"not within {within} s: {command}: {output[-1500:]}")


class Pins:
    """The pins of the emulated Pi, read on its bus by QEMU's monitor and not by way of its kernel."""

    LEVELS = 0x3F200034  # GPLEV0 of the BCM2837

    def __init__(self, folder):
        self.line = socket.socket(socket.AF_UNIX)
        self.line.connect(str(folder / "monitor.sock"))
        self._said()

    def _said(self):
        said = b""
        while not said.endswith(b"(qemu) "):
            more = self.line.recv(4096)
            demand(more, "QEMU's monitor is gone")
            said += more
        return said.decode(errors="replace")

    def levels(self):
        self.line.sendall(b"xp /1wx 0x%x\n" % self.LEVELS)
        return int(re.search(r"^[0-9a-f]+: (0x[0-9a-f]+)", self._said(), re.M)[1], 16)

    def watch(self, pins, seconds):
        """For each pin, the edges: (seconds since the beginning, level)."""
        began, last, edges = time.monotonic(), {}, {pin: [] for pin in pins}
        while (now := time.monotonic() - began) < seconds:
            levels = self.levels()
            for pin in pins:
                level = levels >> pin & 1
                if last.get(pin) != level:
                    last[pin] = level
                    edges[pin].append((now, level))
            time.sleep(0.01)
        return edges

    def close(self):
        self.line.close()


def scratch(name):
    """An empty folder for one proof. Names of sockets in it are short."""
    folder = pathlib.Path(os.environ.get("TMPDIR") or "/var/tmp") / f"hearth-board-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def prove(report, folder, proof, steps):
    """Runs the steps of a proof up to the first that fails, and switches its board off. After a failure, `folder` is kept for inspection.
    Returns the exit status."""
    try:
        for step in steps:
            if report.failed == 0:
                report.step(*step)
    finally:
        proof.machine.end_for_sure()
    if report.close():
        shutil.rmtree(folder, ignore_errors=True)
        return 0
    return 1
