#!/usr/bin/env python3
"""A store moves from a kernel with pages of 4 KiB to one with 16 KiB, as a Raspberry Pi 5 has them, and back. Then the same begins with 16
KiB.

    Tests/Board/pages.py --card FOLDER --programs FOLDER

FOLDER of --card is the result of `serve.py pi --keep`: a card with a store that the emulated Raspberry Pi 3B wrote, and its export. The card stays as it is.
--programs: hearth of this machine, with pages of 4 KiB. Both kernels are real ones, under QEMU. Exit status 0 if every step passed.
"""
import argparse
import pathlib
import struct
import subprocess
import sys

from machine import Card, Machine, prove, scratch

from report import Report, demand

STORE = "/var/lib/hearth"
OTHER = "/var/lib/hearth-16k"
OPENED = f"chown --reference={STORE} {STORE}/data.mdb && rm -f {STORE}/lock.mdb && systemctl start hearthd"


def page_size(store):
    """As the first root of an LMDB file states it; `store` is its beginning."""
    return struct.unpack_from("<I", store, 40)[0]


def lines(export):
    """Rows of samples. What a later start of the daemon added is not among those of before."""
    return set(export.splitlines())


class Pages:
    def __init__(self, report, arguments, folder):
        self.report, self.arguments, self.folder = report, arguments, folder
        self.card = Card(folder, "arm64", arguments.card / "card.ext4")
        self.before = lines((arguments.card / "export.ndjson").read_text())
        self.machine = Machine("pi5", self.card, self.folder)

    def boots(self):
        wall, own = self.machine.boot()
        kernel = self.machine.say("uname -r; getconf PAGE_SIZE").split()
        demand(kernel[1] == "16384", f"the pages of {kernel[0]} have {kernel[1]} bytes")
        self.report.measured("kernel", f"{kernel[0]}, pages of {kernel[1]} bytes; power on to systemd {wall:.0f} s, {own:.1f} s by its clock")

    def size_of(self, store):
        return page_size(self.machine.file(f"<(head -c 64 {store}/data.mdb)"))

    def verify(self, store):
        return self.machine.say(f"hearth --store {store} store verify", 900, (0, 3))

    def reads_small(self):
        self.machine.say("systemctl stop hearthd")
        demand(self.size_of(STORE) == 4096, f"the Pi 3's store has pages of {self.size_of(STORE)} bytes")
        said = self.verify(STORE)
        found = lines(self.machine.file(f"<(hearth --store {STORE} export --format ndjson)").decode())
        demand(self.before <= found, lambda: f"{len(self.before - found)} of {len(self.before)} samples are missing or changed: {sorted(self.before - found)[:3]}")
        self.report.measured("samples of the Pi 3 that the kernel with 16 KiB reads, all equal", len(self.before))
        self.report.measured("verified", said.splitlines()[-1] if said else "clean")

    def serves_with(self, wearer, action):
        """The daemon starts on a store, writes a wearer into it, and ends."""
        self.machine.say(action)
        self.machine.wait_for("systemctl is-active hearthd", 600)
        self.machine.say(f"hearth wearer add {wearer} && hearth wearer | grep {wearer}")
        self.machine.say("systemctl stop hearthd")

    def writes_small(self):
        self.serves_with("Ada", "systemctl start hearthd")
        self.verify(STORE)
        self.machine.say(f"cp -a {STORE} {OTHER}.kept")

    def makes_one(self):
        """Whichever pages it chooses, it must be whole."""
        self.serves_with("Grace", f"rm {STORE}/data.mdb {STORE}/lock.mdb && systemctl start hearthd")
        self.verify(STORE)
        self.report.measured("pages of a store that the daemon makes under this kernel", f"{self.size_of(STORE)} bytes")

    def makes_large(self):
        """LMDB's own tools write all that the Pi 3's store has anew, with the kernel's pages; the daemon goes on with it."""
        self.machine.say(f"mkdir {OTHER} && mdb_dump -a {OTHER}.kept > /root/dump && mdb_load -f /root/dump {OTHER} && cp {OTHER}/data.mdb {STORE}/data.mdb", 900)
        demand(self.size_of(STORE) == 16384, f"its pages have {self.size_of(STORE)} bytes")
        self.serves_with("Mary", OPENED)
        self.verify(STORE)
        self.machine.say(f"cp -a {STORE}/data.mdb {OTHER}/data.mdb")
        self.machine.end()

    def here(self):
        """On this machine, with a kernel of 4 KiB pages."""
        for source, size in ((f"{OTHER}.kept", 4096), (OTHER, 16384)):
            copy = self.folder / f"store-{size}"
            copy.mkdir()
            self.card.take(f"{source}/data.mdb", copy / "data.mdb")
            with open(copy / "data.mdb", "rb") as file:
                demand((found := page_size(file.read(64))) == size, f"{source} has pages of {found}")
            for words in (("store", "verify"), ("export", "--format", "ndjson")):
                done = subprocess.run([self.arguments.programs / "hearth", "--store", copy, *words], capture_output=True, text=True)
                demand(done.returncode in (0, 3), lambda: f"{words} of {source}: {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
                if words[0] == "export":
                    missing = self.before - lines(done.stdout)
                    demand(not missing, lambda: f"{len(missing)} of {len(self.before)} samples of {source} are missing or changed: {sorted(missing)[:3]}")
            self.report.measured(f"store with pages of {size} bytes, read with 4096", f"{(copy / 'data.mdb').stat().st_size} bytes, whole")

    def there(self):
        """On the Pi 3 itself: its daemon goes on with the store of 16 KiB."""
        self.machine = Machine("pi", self.card, self.folder)
        self.machine.boot()
        self.machine.wait_for("systemctl is-active hearthd", 600)
        demand(self.machine.say("getconf PAGE_SIZE") == "4096" and self.size_of(STORE) == 16384, "it is another kernel or another store")
        self.machine.say("hearth wearer add Emmy")
        said = self.machine.say("hearth wearer")
        demand("Mary" in said and "Emmy" in said, said)
        self.machine.say("systemctl stop hearthd")
        self.verify(STORE)
        self.machine.end()


def main(arguments):
    report = Report()
    folder = scratch("pages")
    pages = Pages(report, arguments, folder)
    steps = [
        ("the card boots with a kernel whose pages have 16 KiB", pages.boots),
        ("it reads the store that was written with 4 KiB: whole, and every sample as it was", pages.reads_small),
        ("its daemon goes on with that store", pages.writes_small),
        ("its daemon makes a store", pages.makes_one),
        ("its daemon goes on with a store whose pages have 16 KiB", pages.makes_large),
        ("both are read with 4 KiB on this machine, and have every sample as it was", pages.here),
        ("the Pi 3's daemon goes on with the store whose pages have 16 KiB", pages.there),
    ]
    return prove(report, folder, pages, steps)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    path = lambda text: pathlib.Path(text).resolve()  # noqa: E731
    parser.add_argument("--card", type=path, required=True)
    parser.add_argument("--programs", type=path, required=True)
    sys.exit(main(parser.parse_args()))
