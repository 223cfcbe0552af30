#!/usr/bin/env python3
"""A Polar H10 that streams, a Polar 360 with files and a Verity Sense that encrypts. Every sample and byte is kept, no file is removed too soon, and
every sync ends. Orders of a technician are done, read back and shown.

    Tests/Lab/in-lab -t 600 PYTHON Tests/Lab/acceptance/polar.py --programs .build/release

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt and Tests/Formats/requirements.txt. Accounts that are held
against each other: what the twins sent, served and removed, and what stands in the store.
"""
import datetime
import os
import pathlib
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(TESTS / "Lab" / "acceptance"), str(TESTS / "Lab"), str(TESTS / "Lab" / "world"), str(TESTS / "Formats")]

import clock  # noqa: E402

if not clock.is_user_mode_linux():
    os.environ.setdefault("HEARTH_BAND_NOON", datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None, microsecond=0).isoformat())

import polar_band  # noqa: E402
import polar_sense  # noqa: E402
import polar_strap  # noqa: E402
from ledger import parse_export  # noqa: E402
from polar_band import BandAct  # noqa: E402
from polar_sense import SenseAct  # noqa: E402
from polar_strap import StrapAct  # noqa: E402
from report import Report, demand  # noqa: E402
from scene import COMMIT_EVERY, Hub, World, conclude, parser_with_troubles, scratch  # noqa: E402

# A present wearable is visited as often as the configuration allows.
ZONE = f"  timezone: {polar_band.ZONE}\n"
LANE = f"""\
lane:
  visit_bound: {polar_band.VISIT_BOUND}s
  fresh: 5s
log:
  level: debug
"""


def enrol(hub, world):
    world.ask("h10-nameless", 0)
    hub.start()
    hub.json("enroll", "open", "--for", "300s")
    # Which model it is stands in the scan response, which comes after the first advertisement, or never. The strap first, so that it streams while the band is fetched.
    hub.accept(polar_strap.ADDRESS, polar_strap.NAME)


def enrol_band(hub):
    hub.accept(polar_band.ADDRESS, polar_band.NAME, called="Polar 360")


def enrol_sense(hub):
    hub.json("enroll", "open", "--for", "60s")
    hub.accept(polar_sense.ADDRESS, polar_sense.NAME, called="Polar Sense")


def end(hub, strap):
    time.sleep(COMMIT_EVERY + 1)
    strap.cut()
    demand(hub.stop() == 0, f"it ended with {hub.process.returncode}")


def accounts(hub, strap):
    text = hub.say("--store", hub.store, "export", "--device", polar_strap.NAME, "--format", "ndjson", asks=False, allowed=(0, 3))
    samples = parse_export(text)
    strap.accounts(samples)
    strap.exercises(samples)


def main(arguments):
    folder = scratch("polar")
    clock.put_to(polar_band.NOON)
    clock.trust()
    report = Report()
    world = World(folder, "--straps", "0", "--h10s", "1", "--senses", "1", "--bands", str(arguments.bytes))
    hub = Hub(folder, arguments.programs, "none")
    hub.configuration.write_text(hub.variant().replace("  name: lab\n", "  name: lab\n" + ZONE) + LANE)
    strap = StrapAct(report, world, hub)
    band = BandAct(report, world, hub, arguments.bytes, strap)
    sense = SenseAct(report, world, hub)
    step = report.step
    try:
        band.break_in_the_middle()
        step("the daemon starts, and the strap is enrolled as any strap, for its name was not heard", enrol, hub, world)
        step("over its link it says what it is; with its next link it has its own driver", strap.moved)
        step("the band is enrolled", enrol_band, hub)
        step("electrocardiogram and acceleration are ordered, and begin", lambda: (strap.order(), strap.begin()))
        band.beginning()
        step(f"meanwhile the strap streamed for {polar_strap.TOGETHER} s", strap.together)
        if arguments.only:
            step(arguments.only, getattr(band, arguments.only))
        elif report.failed == 0 or arguments.all:
            step("a stream that the strap ends by itself is begun again", strap.ended_by_itself)
            step("a link that is lost: both streams are there again", strap.link_lost)
            band.trouble()
            step("the strap begins an exercise by order, which is shown and left alone", strap.exercise_begun)
            step("machines of the gym may see the strap by order, and not any more when that is taken back", strap.seen_by_machines)
            band.measuring()
            band.orders()
            band.reset()
            step("a Verity Sense is enrolled", enrol_sense, hub)
            sense.steps()
            step("the exercise is ended by order, listed, fetched and removed", strap.exercise_ended)
        step("SIGTERM ends it cleanly", end, hub, strap)
        step("the strap was left with no stream on", strap.switched_off)
        step("every sample that it sent is in the export, with its value, one period after the other", accounts, hub, strap)
        step("every byte of every file that was removed is in the store, once", band.every_byte)
        step("what was removed was durable before, by the store's own account", band.custody, strap.removed() | sense.removed())
        step("the recordings' samples are in the store", band.samples)
        if not arguments.only:
            step("what was encrypted is in the store as it was, and as samples", sense.accounts)
    finally:
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


def parse(words):
    parser = parser_with_troubles(__doc__)
    parser.add_argument("--bytes", type=int, default=5_000_000, help="of recordings on the band when the run begins")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(parse(sys.argv[1:])))
