#!/usr/bin/env python3
"""What a hub with straps makes a card write, at real speed: bytes and flushes a day, as the device counts them.

    Tests/Engines/card.py --programs FOLDER [--straps 30] [--minutes 65] [--mount OPTIONS]

The hub has hearthd's defaults: a commit each 15 s. The store has a file system of its own (ext4, 4 KiB) on a loop device; its counters are those of /sys/block/*/stat. Begins to
count after ten minutes, when all straps are live and the store is as it is all day. Needs root. Half an hour is one move into the rings.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


class Card:
    def __init__(self, folder, options):
        self.image, self.place = folder / "card.img", folder / "card"
        self.place.mkdir()
        run("truncate", "-s", "1G", self.image)
        run("mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0", self.image)
        self.device = run("losetup", "-f", "--show", self.image).strip()
        run("mount", "-o", options, self.device, self.place)

    def counters(self):
        """Writes, bytes and flushes so far."""
        numbers = list(map(int, pathlib.Path(f"/sys/block/{os.path.basename(self.device)}/stat").read_text().split()))
        return numbers[4], numbers[6] * 512, numbers[15]

    def end(self):
        run("umount", self.place)
        run("losetup", "-d", self.device)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--straps", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=65)
    parser.add_argument("--mount", default="noatime")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hearth-card-") as folder:
        folder = pathlib.Path(folder)
        card = Card(folder, arguments.mount)
        socket = folder / "socket"
        configuration = folder / "hearth.yaml"
        configuration.write_text("hub:\n  name: card\nenroll:\n  mode: all\nstore:\n  size: 256MB\n")
        hub = subprocess.Popen(
            [arguments.programs / "hearth-sim", "serve", "--population", "class", "--wearables", str(arguments.straps), "--adapters", "5",
             "--config", configuration, "--store", card.place / "store", "--socket", socket], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip

        def ask():
            return json.loads(run(arguments.programs / "hearth", "--socket", socket, "store", "--json"))

        try:
            time.sleep(600)
            before, told = card.counters(), ask()
            began = time.monotonic()
            time.sleep(60 * arguments.minutes)
            after, tells = card.counters(), ask()
            days = (time.monotonic() - began) / 86_400
        finally:
            hub.send_signal(signal.SIGTERM)
            hub.wait(60)
            card.end()
        writes, size, flushes = (late - early for early, late in zip(before, after))
        own = tells["wear"]["odometer"] - told["wear"]["odometer"]
        samples = tells["samples"] - told["samples"]
        print(f"{arguments.straps} straps, {arguments.minutes:g} minutes, {arguments.mount}; a day of it:")
        print(f"  device   {size / days / 1e6:8.1f} MB  {writes / days:9.0f} writes  {flushes / days:8.0f} flushes")
        print(f"  the hub  {own / days / 1e6:8.1f} MB  {samples / days:9.0f} samples")


main()
