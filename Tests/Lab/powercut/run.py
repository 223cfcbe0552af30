#!/usr/bin/env python3
"""Whether the store survives its disk: power cuts at many points, and disks that fail, fill up or turn read-only while it works.

    Tests/Lab/in-lab -t 500 -d 16 -d 512 -d 16 PYTHON Tests/Lab/powercut/run.py --programs .build/release

Runs as root in the lab, with three disks: the store's, a bigger one for its log of writes, and a copy for checks. Needs dmsetup,
e2fsprogs and plain Python. Each step is reported as a sentence. Exit status 0 if every step passed; 77 without dm-log-writes in the
kernel.
"""
import argparse
import os
import pathlib
import random
import shutil
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import disk  # noqa: E402
import torture  # noqa: E402
from cut import PowerCut  # noqa: E402
from faults import Faults  # noqa: E402
from report import Report  # noqa: E402


def main(arguments):
    missing = {"log-writes", "flakey", "error"} - disk.targets()
    if missing:
        print(f"this kernel's device mapper lacks {', '.join(sorted(missing))}", file=sys.stderr)
        return 77
    disks = os.environ.get("HEARTH_LAB_DISKS", "").split()
    if len(disks) != 3:
        sys.exit("in-lab must be given three disks: -d 16 -d 512 -d 16")
    folder = pathlib.Path(os.environ.get("HEARTH_LAB_SCRATCH", "/run")) / "powercut"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program = torture.program(arguments.programs)
    report = Report()
    report.measured("seed", arguments.seed)
    stores = [
        ("a roomy store", 8 << 20, 4096, False),
        # Small chunks: many writes of the journal file then have several.
        ("a store that gives up its oldest samples", 4 << 20, 256, True),
    ]
    for number, (what, size, bytes, full) in enumerate(stores):
        cut = PowerCut(report, *disks, program, folder, arguments.seed + 100 * number)
        if report.step(f"{what} works for a while, is killed and works again, and every write is logged", cut.record, size, bytes, 3, 1.5, full):
            report.step(f"{what}: the power fails, and everything promised is there", cut.survives, 60, 24)
            report.step(f"{what}: a promise made before its commit would be found out", cut.early_promises_are_found)
            report.step(f"{what}: a disk that lies about its flushes is found out", cut.lies_are_found, 8)
            cut.log.close()
    Faults(report, disks[0], program, folder).all()
    return 0 if report.close() else 1


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="folder with store-torture")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the work and of the points; another one each time")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(parse(sys.argv[1:])))
