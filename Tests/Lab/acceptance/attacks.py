#!/usr/bin/env python3
"""A good strap beside hostile wearables, one attack after the other. The strap loses its link in each, and must be back within 5 s with every value as it
was sent.

    Tests/Lab/in-lab -t 900 PYTHON Tests/Lab/acceptance/attacks.py --programs .build/release

Runs as root in the lab. PYTHON has the packages of Tests/Lab/world/requirements.txt. `--list` names the attacks, `--only NAME,NAME` runs some, `--long` also those
for figures: forty hostile wearables and a hundred losses. In each, memory may grow by 4 MB that stay, and no turn of the loop may take more than 20 ms. The
daemon reports its longest turn by the clock, so turns are judged with in-lab -r only. The longest turn before the first attack is allowed on top, and so is
the time that the machine let others wait meanwhile.
"""
import datetime
import json
import pathlib
import random
import re
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]

import clock  # noqa: E402
from attack_meter import GOOD, HEADING, JOINED_WITHIN, Meter, Row  # noqa: E402
from attack_hub import ALL, HubAttacks  # noqa: E402
from attack_table import ATTACKS  # noqa: E402
from ledger import parse_export  # noqa: E402
from report import Failure, Report, demand, eventually  # noqa: E402
from scene import Hub, World, address_of, conclude, parser, scratch  # noqa: E402

NOON = datetime.datetime(2026, 3, 3, 14)  # time on the clocks of the world's bands
HIDES = 15.0  # ms
LOOKED_AT = 5  # hostile wearables with values that are checked
# Least and greatest value, in the units of an export (Health/BoundsTable).
CAN_BE = {"heart_rate": (20, 300), "rr_interval": (99, 10_000), "battery": (0, 100), "body_temperature": (5, 55)}
ENROLLED_WITHIN = 30.0  # s; an insole says what it is when it is asked, and the hub asks for ten seconds from time to time
BEGINS_WITHIN = 4.0  # s until the hub has a link to the hostile side, or has not
LANE = "lane:\n  visit_bound: 30s\n  fresh: 5s\n"


class Attacks:
    def __init__(self, report, world, hub, draw, losses=None):
        self.report, self.world, self.hub, self.draw, self.losses = report, world, hub, draw, losses
        self.meter = Meter(report, world, hub)
        self.rows, self.straps = [], 1
        self.is_stale = False  # the daemon is to begin anew before the next attack

    def all(self, attacks, others):
        step = self.report.step
        step("the daemon starts, and a good strap is enrolled and live", self.enrol)
        if self.report.failed:
            return
        step("without an attack its link is back within 5 s", self.baseline)
        for attack in attacks:
            step(f"{attack.name}: while one {attack.does}, the good strap is back within 5 s, exact" if attack.models and len(attack.models) == 1 else
                 f"{attack.name}: while {attack.does}, the good strap is back within 5 s, exact", self.under, attack)  # fmt: skip
            if self.hub.process.poll() is not None:
                step("the daemon is still there", demand, False, f"it ended with {self.hub.process.returncode}")
                break
        for name in others:
            attack = getattr(HubAttacks(self), name)
            step(f"{name}: while {attack.__doc__}, the good strap is back within 5 s, exact", self.of_the_hub, name, attack)
        print(HEADING, flush=True)
        for row in self.rows:
            print(row.text(), flush=True)

    def enrol(self):
        self.hub.start()
        self.hub.json("enroll", "open", "--for", "600s")
        self.hub.accept(address_of(GOOD), "good")
        self.hub.wait_until_live([GOOD], 60)

    def baseline(self):
        row = self.meter.begin(Row("(no attack)"))
        row.regained.append(self.meter.lose())
        time.sleep(2)
        self.meter.end(row)
        self.meter.tolerance, row.turn_bound = self.meter.longest, self.meter.longest
        self.close(row)

    def fresh(self):
        """The daemon reports its longest turn since its start. If that was so long that it hides those to come, the daemon is started again."""
        if self.is_stale or self.meter.longest > HIDES + self.meter.tolerance:
            self.restart()
            self.is_stale = False

    def restart(self):
        moment = time.monotonic()
        self.meter.cuts.append((moment - 0.5, moment))
        demand(self.hub.stop() == 0, f"it ended with {self.hub.process.returncode}")
        self.hub.start()
        eventually(lambda: self.meter.moments("subscribe", since=moment), 60, "the good strap is not back after a restart")
        time.sleep(1)
        self.meter.longest = self.hub.longest_turn()

    def links(self, hostile):
        count = 0
        for one in hostile:
            with open(f"{self.world.logs}/hostile-{one['number']}.jsonl") as file:
                count += sum('"event": "connect"' in line for line in file)
        return count

    def under(self, attack):
        row, hostile = Row(attack.name), []
        self.fresh()
        self.meter.is_back(120)  # from the attack before
        self.hub.json("enroll", "open", "--for", "600s")
        self.meter.begin(row)
        try:
            if attack.absent:
                self.meter.leave()
            self.begin(attack, hostile)
            if attack.absent:
                if not attack.goes_on:
                    self.world.ask("hostile-air", "none")
                row.regained.append(self.meter.come_back())
            for _ in range(0 if attack.absent else self.losses or attack.losses):
                row.regained.append(self.meter.lose())
            if attack.joins:
                row.joined = self.join()
            row.links = self.links(hostile)
            troubles = self.told(attack, [one["name"] for one in hostile[:LOOKED_AT] if one["enrolled"]])
        finally:
            self.clean(hostile)
        self.meter.end(row)
        self.close(row)
        demand(not troubles, "\n".join(troubles))
        demand(all(one["enrolled"] for one in hostile), "not all of the hostile side could be enrolled: nothing is proven")
        demand(row.links or attack.deaf or not hostile, "the hub never had a link to the hostile side: nothing is proven")

    def told(self, attack, names):
        """Faults in what the hub stores of hostile wearables: values outside of the possible range, or a lack of counted ones."""
        troubles, counted = [], 0
        for name in names:
            samples = parse_export(self.hub.say("export", "--device", name, "--format", "ndjson"))
            wrong = {(one["series"], one["value"]) for one in samples if one["series"] in CAN_BE and not CAN_BE[one["series"]][0] <= one["value"] <= CAN_BE[one["series"]][1]}
            if wrong:
                troubles.append(f"the hub keeps of {name} what cannot be: {sorted(wrong)[:5]}")
            if attack.impossible:
                counted += self.hub.json("device", name)["counters"].get("impossible", 0)
        if attack.impossible and not counted:
            troubles.append("the hub counted no value as one that cannot be")
        return troubles

    def of_the_hub(self, name, attack):
        self.fresh()
        self.meter.is_back(120)
        row = self.meter.begin(Row(name))
        try:
            attack(row)
        finally:
            self.meter.end(row)
            self.close(row)

    def begin(self, attack, hostile):
        if attack.air:
            self.world.ask("hostile-air", *attack.air.split())
        for model in attack.models:
            hostile.append(json.loads(self.world.ask("hostile", model, int(attack.deaf))))
        for one in hostile:
            one["name"] = f"hostile-{one['number']}"
            try:
                self.hub.accept(one["address"], one["name"], "Polar 360" if "polar" in attack.name else "", within=ENROLLED_WITHIN)
                one["enrolled"] = True
            except Failure:
                one["enrolled"] = False
        begins = time.monotonic() + BEGINS_WITHIN
        while hostile and not attack.deaf and not self.links(hostile) and time.monotonic() < begins:
            time.sleep(0.1)
        time.sleep(0.5 + attack.lasts)

    def join(self):
        strap, self.straps = self.straps, self.straps + 1
        self.hub.json("enroll", "open", "--for", "600s")  # that of the attack's begin may be over
        self.world.ask("add", strap)
        began = time.monotonic()
        self.hub.accept(address_of(strap), f"new-{strap}", within=60)
        try:
            back = eventually(lambda: self.meter.moments("subscribe", strap=strap), 4 * JOINED_WITHIN, "not live")[0]
        except Failure:
            back = time.monotonic()
        self.forget(f"new-{strap}")
        return back - began

    def clean(self, hostile):
        self.world.ask("hostile-air", "none")
        for one in hostile:
            one["forgotten"] = not one.get("enrolled") or self.forget(one["name"]) == ""
            self.world.ask("hostile-end", one["number"])
        for one in hostile:
            if not one["forgotten"]:
                said = self.forget(one["name"])
                demand(not said, f"{one['name']} cannot be forgotten: {said}")

    def forget(self, name):
        """With all that it says that it holds; that may be more each time. Gives what the shell said against it."""
        agreement = ["--yes"]
        for _ in range(5):
            done = self.hub.shell("device", name, "forget", *agreement)
            if done.returncode == 0:
                return ""
            lost = re.search(r"--yes-lose\s+(\d+)", done.stderr + done.stdout)
            agreement = ["--yes-lose", lost[1]] if lost else agreement
        return done.stderr + done.stdout

    def close(self, row):
        self.rows.append(row)
        try:
            self.meter.is_exact()
            row.exact = True
        except Failure as failure:
            row.inexact = str(failure)
        self.meter.judge(row)


def main(arguments):
    wanted = [attack for attack in ATTACKS if (attack.name in arguments.only.split(",") if arguments.only else arguments.long or not attack.is_long)]
    others = [name for name in ALL if not arguments.only or name in arguments.only.split(",")]
    if arguments.list:
        print(*(f"{attack.name:26} {'long ' if attack.is_long else '     '}{attack.does}" for attack in ATTACKS), *(f"{name:26}      {getattr(HubAttacks, name).__doc__}" for name in ALL), sep="\n")
        return 0
    folder = scratch("attacks")
    clock.put_to(NOON)
    clock.trust()
    report = Report()
    world = World(folder, "--straps", "1", "--rssi=-45")
    hub = Hub(folder, arguments.programs, "none")
    hub.configuration.write_text(hub.variant() + LANE)
    try:
        report.measured("seed", arguments.seed)
        Attacks(report, world, hub, random.Random(arguments.seed), arguments.losses).all(wanted, others)
    finally:
        hub.end_for_sure()
        world.close()
    return conclude(report, hub, arguments.keep)


def parse(words):
    options = parser(__doc__)
    options.add_argument("--list", action="store_true", help="name the attacks and end")
    options.add_argument("--only", help="names of attacks, with commas between")
    options.add_argument("--long", action="store_true", help="also what takes long and is for figures")
    options.add_argument("--losses", type=int, help="so many in each attack, in place of its own number")
    return options.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(parse(sys.argv[1:])))
