#!/usr/bin/env python3
"""Updates on a board with systemd as its first process, from a signed repository: what Tests/Package/update shows with a stand-in for systemd.

    Tests/Board/update.py BOARD --package FILE.deb

The versions are FILE with another number and, if the version must not serve, another hearthd. The watch of updates is the unit of the package, started by it. The
card gets unattended-upgrades on this machine, which needs root and a mirror of Debian. BOARD is pc, or pi for patience. Exit status 0 if every step passed.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from machine import BOARDS, HERE, SERVING, Card, Machine, prove, scratch
from serve import words
from upgrade import STATE, judged, renumbered

from report import Report, demand

# To reach the mirror from within the card; and afterwards only the hub's own repository, because a board has no network here.
PREPARE = """
set -e
cp /etc/resolv.conf "$1/etc/resolv.conf"; cp /etc/apt/apt.conf.d/*prox* "$1/etc/apt/apt.conf.d/" 2> /dev/null || true
mount -t proc proc "$1/proc"
printf '#!/bin/sh\\nexit 101\\n' > "$1/usr/sbin/policy-rc.d"; chmod 755 "$1/usr/sbin/policy-rc.d"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
chroot "$1" apt-get -qq update
chroot "$1" apt-get -qq -y --no-install-recommends install unattended-upgrades
umount "$1/proc"
rm -rf "$1/usr/sbin/policy-rc.d" "$1"/var/lib/apt/lists/*_* "$1"/var/cache/apt/archives/*.deb "$1"/etc/apt/sources.list* "$1"/etc/apt/apt.conf.d/*prox*
mkdir -p "$1/etc/apt/sources.list.d"
ln -sf /dev/null "$1/etc/systemd/system/unattended-upgrades.service"
"""


class Update:
    def __init__(self, report, arguments, folder):
        self.report, self.arguments, self.folder = report, arguments, folder
        self.card = Card(folder, BOARDS[arguments.board].architecture)
        self.machine = Machine(arguments.board, self.card, folder)

    def prepares(self):
        """Two repositories: of a hub that was just installed, and as it is later."""
        keys = tempfile.mkdtemp(prefix="hearth-keys-")
        os.environ["GNUPGHOME"] = keys
        try:
            subprocess.run(["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "Hearth packages (test)", "ed25519", "sign", "never"], check=True)
            packages = {number: self.folder / f"hearth_{number}.deb" for number in ("1.0", "1.1", "1.2", "1.3")}
            for number, package in packages.items():
                renumbered(self.arguments.package, number, package, "exit 1" if number == "1.2" else None)
            repository = [HERE.parent.parent / "board" / "repository", self.folder / "repository", "Hearth packages", "--url", "file:/repository"]
            for number in ("1.0", "1.1"):
                subprocess.run([*repository, packages[number]], check=True, capture_output=True)
                shutil.copytree(self.folder / "repository", self.folder / f"repository-{number}")
        finally:
            subprocess.run(["gpgconf", "--kill", "all"], check=False)
            shutil.rmtree(keys)
        root = self.folder / "root"
        root.mkdir()
        subprocess.run(["mount", "-o", "loop", self.card.image, root], check=True)
        try:
            subprocess.run(["unshare", "-m", "bash", "-c", PREPARE, "-", root], check=True, capture_output=True)
            for number in ("1.0", "1.1"):
                shutil.copytree(self.folder / f"repository-{number}", root / f"repository-{number}")
            (root / "repository").symlink_to("repository-1.0")
            shutil.copy(self.folder / "repository" / "hearth.sources", root / "etc/apt/sources.list.d/")
            for number in ("1.2", "1.3"):
                shutil.copy(packages[number], root / "root")
        finally:
            subprocess.run(["umount", root], check=True)

    def installs(self):
        self.machine.boot()
        self.machine.say("apt-get -q update && apt-get -qq -y install hearth", 900)
        self.has("1.0")

    def has(self, number):
        self.machine.wait_for(SERVING, 300)
        state = self.machine.say(STATE)
        demand(state == f"{number} installed", f"dpkg says {state}")

    def unattended(self):
        self.machine.say("hearth setup --defaults --no-join", 120)
        self.machine.say("ln -sfn repository-1.1 /repository && apt-get -q update", 300)
        said = self.machine.say("unattended-upgrade -v", 1200)
        demand("hearth" in said, said)
        record, verdict = judged(self.machine)
        demand(record["verdict"] == "good" and record["to"] == "1.1", verdict)
        self.has("1.1")
        self.machine.say("test -e /etc/hearth/hearth.yaml.before-setup && ! cmp -s /etc/hearth/hearth.yaml /usr/share/hearth/hearth.yaml")
        self.report.measured("its trial", verdict)

    def comes_back(self):
        status, said = self.machine.run("hearth update apply /root/hearth_1.2.deb", 1800)
        demand(status == 1 and "1.1" in said, f"status {status}: {said}")
        record, verdict = judged(self.machine)
        demand(record["verdict"] == "returned" and record["to"] == "1.2", verdict)
        self.report.measured("its trial", verdict)
        self.has("1.1")
        told = self.machine.run("hearth")[1]
        demand("H8060" in told, told)
        journal = self.machine.say("journalctl -u hearth-update-watch -b -o cat --no-pager")
        demand("H8060 hub: going back from Hearth 1.2 to 1.1" in journal, journal[-2000:])

    def applies(self):
        said = self.machine.say("hearth update apply /root/hearth_1.3.deb", 1800)
        self.report.measured("it says", said.splitlines()[-1])
        record, verdict = judged(self.machine)
        demand(record["verdict"] == "good" and record["to"] == "1.3", verdict)
        self.report.measured("its trial", verdict)
        self.has("1.3")

    def ends(self):
        self.machine.say("systemctl stop hearthd")
        self.machine.end()


def main(arguments):
    report = Report()
    folder = scratch("update")
    update = Update(report, arguments, folder)
    steps = [
        ("a card gets unattended-upgrades and a signed repository", update.prepares),
        ("apt installs the hub from it", update.installs),
        ("a hub that was set up is upgraded by unattended-upgrades, and the watch finds that it serves", update.unattended),
        ("hearth update apply takes one whose daemon ends at once: it goes back by itself and says so", update.comes_back),
        ("hearth update apply takes one that serves, waits for its trial, and says so", update.applies),
        ("the board is switched off", update.ends),
    ]
    return prove(report, folder, update, steps)


if __name__ == "__main__":
    sys.exit(main(words(__doc__).parse_args()))
