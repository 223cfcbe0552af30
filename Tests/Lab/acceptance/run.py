#!/usr/bin/env python3
"""The hub from advertisement to export, on a real Linux Bluetooth stack, with straps that no line of the hub plays.

    Tests/Lab/in-lab -t 600 PYTHON Tests/Lab/acceptance/run.py --programs .build/release

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt. Takes about four minutes
of the lab's time. With in-lab -r it also measures processor time and turns of the loop. Exit status 0 if every step passed.
"""
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from act import Act  # noqa: E402
from lamps import Lamps  # noqa: E402
from life import Life  # noqa: E402
from malice import Malice  # noqa: E402
from report import Report  # noqa: E402
from scene import HERE, Hub, World, conclude, parser, scratch  # noqa: E402
from trouble import Trouble  # noqa: E402

# As in board.yaml beside this file.
BOARD = HERE / "board.yaml"
CHIP_LABEL = "hearth-lab"
LINES = {"HUB": "GPIO17", "LINK": "GPIO27", "STORE": "GPIO22"}


def main(arguments):
    folder = scratch("acceptance")
    clock.trust()
    report = Report()
    lamps = Lamps(CHIP_LABEL, LINES)
    world = World(folder, "--straps", "0", "--rssi=-45,-48,-51,-46,-38")
    hub = Hub(folder, arguments.programs, BOARD)
    act = Act(report, world, hub, lamps)
    try:
        Life(act).beginning()
        if report.failed == 0:
            Trouble(act).of_the_air()
            Malice(act).all()
            Trouble(act).of_the_daemon()
            Life(act).end()
        else:
            print("the beginning failed; without it the rest says nothing", flush=True)
    finally:
        hub.end_for_sure()
        world.close()
        lamps.close()
    return conclude(report, hub, arguments.keep)


if __name__ == "__main__":
    sys.exit(main(parser(__doc__).parse_args()))
