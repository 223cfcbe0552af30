#!/usr/bin/env python3
"""A hub with a store of 1 GB is upgraded, and the power is cut in the middle of dpkg. After each cut the hub serves, with the old or the new version, and has every
sample.

    Tests/Board/upgrade.py BOARD --package OLD.deb --to NEW.deb --programs FOLDER --store FOLDER [--only MOMENT...]

FOLDER of --store has a data.mdb, or hearth-bench of --programs fills one of 1 GB there, in some minutes. BOARD is pc, or pi for patience. Each cut comes at a moment
of dpkg's work that is watched for on the board (MOMENTS below). The upgrade of each cut is to a version of its own, made of NEW with another number. The watch of
updates (hearth-update-watch.service) runs as it is. The store is read at the end by `hearth store verify` of this machine, from the card. Exit status 0 if every step passed.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import time

from machine import BOARDS, SERVING, Card, Machine, prove, scratch
from serve import words

from report import Failure, Report, demand

SIZE = "1000MB"
STATE = "dpkg-query -W -f '${Version} ${db:Status-Status}' hearth"
# Moments of dpkg's work, in their order: what is so, in the board's shell; and seconds from there to the cut.
MOMENTS = {
    "while the installed version keeps itself": ("ls -d /var/lib/hearth-update/packing.*/usr", 0.5),
    "when the trial is on record": ("grep -qx to={version} /var/lib/hearth-update/trial", 0.0),
    "while the first files are unpacked": ("ls -R /usr/bin /usr/libexec /usr/share/hearth /etc | grep -q dpkg-new", 0.0),
    "while the daemon is unpacked": ("test -e /usr/bin/hearthd.dpkg-new", 0.3),
    "when all is unpacked": ("{state} | grep -qx '{version} unpacked'", 0.0),
    "while it is configured": ("{state} | grep -qx '{version} half-configured'", 1.0),
    "when dpkg has ended, and the trial runs": ("{state} | grep -qx '{version} installed'", 5.0),
}
# The target comes behind the watch that each start of the machine has.
JUDGED = ("systemctl is-active -q multi-user.target && ! systemctl is-active -q hearth-update-watch && "
          "grep -qE '^verdict=(good|aborted|returned|rolled-back|stuck)' /var/lib/hearth-update/trial")  # fmt: skip


def version_of(package):
    return subprocess.check_output(["dpkg-deb", "-f", package, "Version"], text=True).strip()


def renumbered(package, version, target, daemon=None):
    """The same package with another number, and where that is told, with a shell script as its daemon."""
    tree = target.with_suffix(".tree")
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
    control = tree / "DEBIAN" / "control"
    control.write_text(control.read_text().replace(f"\nVersion: {version_of(package)}\n", f"\nVersion: {version}\n"))
    if daemon is not None:
        (tree / "usr/bin/hearthd").write_text(f"#!/bin/sh\n{daemon}\n")
        files = sorted(str(path.relative_to(tree)) for path in tree.glob("usr/**/*") if path.is_file() and not path.is_symlink())
        (tree / "DEBIAN" / "md5sums").write_text(subprocess.check_output(["md5sum", *files], cwd=tree, text=True))
    subprocess.run(["dpkg-deb", "-Zgzip", "-z1", "--root-owner-group", "-b", tree, target], check=True, capture_output=True)
    shutil.rmtree(tree)


def judged(machine):
    """Waits until the watch of updates has its verdict; the record of the trial, and how long it took."""
    took = machine.wait_for(JUDGED, 900, 3.0)
    record = dict(line.split("=", 1) for line in machine.say("cat /var/lib/hearth-update/trial").splitlines())
    return record, f"{record['verdict']} after {took:.0f} s{': ' * bool(record['why'])}{record['why']}"


class Upgrade:
    def __init__(self, report, arguments, folder):
        self.report, self.arguments, self.folder = report, arguments, folder
        self.card = Card(folder, BOARDS[arguments.board].architecture, arguments.card)
        self.machine = Machine(arguments.board, self.card, folder)
        self.new = version_of(arguments.to)
        self.moments = [name for name in MOMENTS if not arguments.only or any(word in name for word in arguments.only)]

    def fill(self):
        store = self.arguments.store
        if not (store / "data.mdb").exists():
            store.mkdir(parents=True, exist_ok=True)
            bench = [self.arguments.programs / "hearth-bench", "store", "--only", "hearth", "--big", SIZE, "--big-store", store, "--passes", "1"]
            subprocess.run(bench, check=True, capture_output=True)
        self.before = self.counted(store)
        self.report.measured("store", f"{(store / 'data.mdb').stat().st_size / 1e6:.0f} MB, {self.before['samples']} samples")

    def counted(self, store):
        """What `verify` found of a store that was not changed since."""
        kept, status = store / "verified.json", (store / "data.mdb").stat()
        stamp = [status.st_size, status.st_mtime_ns]
        if kept.exists() and (found := json.loads(kept.read_text()))["stamp"] == stamp:
            return found
        found = self.verify(store)
        kept.write_text(json.dumps({"stamp": stamp, "samples": found["samples"]}))
        return found

    def verify(self, store):
        done = subprocess.run([self.arguments.programs / "hearth", "--store", store, "store", "verify", "--json"], capture_output=True, text=True)
        try:
            found = json.loads(done.stdout)
        except ValueError:
            raise Failure(f"hearth store verify ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}") from None
        demand(found["clean"], lambda: f"the store is not whole: {done.stdout[:2000]}")
        return found

    def put_versions(self):
        for number in range(len(self.moments) + 1):
            package = self.folder / f"{number}.deb"
            renumbered(self.arguments.to, f"{self.new}.{number}", package)
            self.card.put(package, f"/root/{number}.deb")
            package.unlink()

    def goes_on(self):
        """With the card that an earlier run left, on which a version of before is installed."""
        self.card.replay()
        self.put_versions()
        wall, _ = self.machine.boot()
        self.report.measured("with the version of before", f"{self.serves()}; systemd after {wall:.0f} s")
        judged(self.machine)
        self.report.measured("dpkg then", self.machine.say(STATE))

    def installs(self):
        self.card.put(self.arguments.package, "/root/old.deb")
        self.put_versions()
        for name in ("data.mdb", "secrets.key"):
            self.card.put(self.arguments.store / name, f"/root/{name}")
        wall, _ = self.machine.boot()
        self.machine.say("cd /root && apt-get -qq -y install ./old.deb", 600)
        self.machine.say("systemctl stop hearthd && cd /var/lib/hearth && rm -f lock.mdb && mv /root/data.mdb /root/secrets.key . && "
                         "chown hearth:hearth data.mdb secrets.key && chmod 640 data.mdb && chmod 600 secrets.key && sync && systemctl start hearthd", 300)  # fmt: skip
        self.report.measured("with the old version", f"{self.serves()}; systemd after {wall:.0f} s")

    def serves(self):
        """The hub answers, and with all that it had: its state in words."""
        self.machine.wait_for(SERVING, 300)
        held = json.loads(self.machine.say("hearth --json store", 120, (0, 1)))
        demand(held["samples"] >= self.before["samples"], f"it has {held['samples']} samples of {self.before['samples']}")
        # The very process that serves, by its file: an upgrade that was cut may have left either.
        running = self.machine.say(f"sha256sum < /proc/{self.machine.daemon()}/exe | cut -c1-12")
        return f"dpkg says {self.machine.say(STATE)}, serves with {running}, {held['samples']} samples"

    def undisturbed(self):
        began = time.monotonic()
        self.machine.say("dpkg -i /root/0.deb", 900)
        self.report.measured("dpkg takes", f"{time.monotonic() - began:.1f} s")
        record, verdict = judged(self.machine)
        self.report.measured("its trial", verdict)
        demand(record["verdict"] == "good", verdict)
        self.report.measured("then", self.serves())

    def cut(self, number, name):
        moment, wait = MOMENTS[name]
        version = f"{self.new}.{number}"
        before = self.machine.say(STATE).split()[0]
        condition = moment.format(version=version, state=STATE)
        self.machine.say(f"sync; setsid dpkg -i /root/{number}.deb > /root/dpkg.log 2>&1 < /dev/null & while ! {{ {condition}; }} > /dev/null 2>&1; do "
                         f"{STATE} | grep -q '^{version} installed' && exit 7; done; sleep {wait}", 900, (0, 7))  # fmt: skip
        self.machine.cut()
        wall, _ = self.machine.boot()
        found = self.machine.say(STATE, allowed=(0, 1))
        self.report.measured("dpkg after the cut", found)
        record, verdict = judged(self.machine)
        self.report.measured("the watch says", verdict if record["to"] == version else f"nothing of {version}, whose upgrade is not on record")
        after = self.serves()
        self.report.measured("then", f"{after}; systemd after {wall:.0f} s")
        state = self.machine.say(STATE).split()
        demand(state[1] == "installed" and state[0] in (before, version), f"{before} or {version} is to be installed: {state}")
        demand(self.machine.say("dpkg --audit") == "", "dpkg has complaints")
        demand(self.machine.say("dpkg -V hearth | grep -v hearth.yaml", allowed=(0, 1)) == "", "there are files that are none of its version")

    def every_sample(self):
        self.machine.say("systemctl stop hearthd")
        self.machine.end()
        copy = self.folder / "store"
        copy.mkdir()
        self.card.take("/var/lib/hearth/data.mdb", copy / "data.mdb")
        after = self.verify(copy)
        demand(after["samples"] >= self.before["samples"], f"{after['samples']} samples of {self.before['samples']}")
        self.report.measured("samples before, after", f"{self.before['samples']}, {after['samples']}")


def main(arguments):
    report = Report()
    folder = scratch("upgrade")
    upgrade = Upgrade(report, arguments, folder)
    steps = [
        ("there is a store of 1 GB, and it is whole", upgrade.fill),
        ("a hub with the old package serves with it", upgrade.goes_on if arguments.card else upgrade.installs),
        *([] if arguments.card else [("an upgrade that nothing disturbs goes through, and its trial ends well", upgrade.undisturbed)]),
        *((f"the power goes {name}: the hub serves afterwards, and dpkg is at peace", upgrade.cut, number, name) for number, name in enumerate(upgrade.moments, 1)),
        ("the store is whole and has every sample", upgrade.every_sample),
    ]
    return prove(report, folder, upgrade, steps)


if __name__ == "__main__":
    parser = words(__doc__)
    path = lambda text: pathlib.Path(text).resolve()  # noqa: E731
    parser.add_argument("--to", type=path, required=True, help="the package to upgrade to")
    parser.add_argument("--programs", type=path, required=True, help="folder with hearth and hearth-bench of this machine")
    parser.add_argument("--store", type=path, required=True)
    parser.add_argument("--card", type=path, help="card.ext4 that an earlier run left, with a version of --to; a copy of it is used")
    parser.add_argument("--only", nargs="+", metavar="MOMENT", help="of the cuts those whose sentence has one of these words")
    sys.exit(main(parser.parse_args()))
