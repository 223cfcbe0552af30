#!/usr/bin/env python3
"""Tries whether wrist_books.py finds out what it should: try_wrist_books.py. An export made of a band's log is accepted; with one sample missing, twice, moved,
changed or without its mark it is not. Exit status 1 and a sentence if that is not so."""
import copy
import datetime
import json
import pathlib
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent), str(pathlib.Path(__file__).resolve().parent.parent / "world")]

from report import Failure, demand  # noqa: E402
from wrist_books import STAGES, Account, WristLog, durable  # noqa: E402
from wrist_memory import DAY, Clock, Item, Memory  # noqa: E402

NOON = 1_772_546_400  # 2026-03-03 14:00 UTC
ADDRESS = "F0:BA:4D:00:00:00"


class Quiet:
    def measured(self, what, value):
        pass


def text(moment):
    return datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).isoformat()


def sample(series, begin, value, **more):
    return {"address": ADDRESS, "series": series, "seconds": float(begin), "time": text(begin), "value": value, "unit": "", "origin": "fetched", **more}


def export(items):
    """As a hub that does everything right would give it out."""
    found = []
    for item in items:
        more = {"manual": True} if item.is_manual else {}
        more |= {} if item.kind == "normal" else {"kind": item.kind}
        if item.series == "sleep_stage":
            found.append(sample("sleep_stage", item.begin, STAGES[item.value], end=text(item.begin + item.length)))
        elif item.series == "steps":
            told = (("steps", item.value[0]), ("calories", item.value[1] / 1000), ("distance", item.value[2]))
            found += [sample(series, item.begin, round(value, 1), end=text(item.begin + item.length)) for series, value in told]
        elif item.series != "blood_pressure":
            found.append(sample(item.series, item.begin, item.value, **more))
    return found


def main():
    clock = Clock(3600, lambda: NOON)
    lines = []

    def note(event, items):
        lines.append({"event": event, "monotonic": 1.0 + len(lines), "wall": NOON, "items": [item.told() for item in items]})

    memory = Memory(0, clock, ("heart_rate", "spo2", "stress", "steps", "sleep_stage", "blood_pressure"), note)
    memory.wear(NOON - 3600, clock.midnight(NOON) - DAY)
    memory.measure("heart_rate")
    extremes = memory.extremes("heart_rate", clock.midnight(NOON) - DAY)
    lines.append({"event": "extremes", "monotonic": 9.0, "wall": NOON, "series": "heart_rate", "items": [[one.begin, one.value] for one in extremes], "is_over": True})
    everything = list(memory.items)
    memory.forget([item for item in everything if item.series == "spo2"], "confirmed")
    right = export(everything) + [sample("heart_rate", one.begin, one.value, kind=kind) for one, kind in zip(extremes, ("minimum", "maximum"))]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))
        file.flush()
        log = WristLog(file.name)

    def accepted(samples, check=lambda samples: Account("band", "topstep_next", log, samples, ADDRESS, Quiet()).all()):
        try:
            check(samples)
        except Failure:
            return False
        return True

    if not accepted(right):
        Account("band", "topstep_next", log, right, ADDRESS, Quiet()).all()
    tried = 0
    for place, one in enumerate(right):
        wrong = {
            "missing": right[:place] + right[place + 1 :],
            "there twice": [*right, one],
            "moved by five minutes": [*right[:place], {**one, "seconds": one["seconds"] + 300, "end": one.get("end")}, *right[place + 1 :]],
            "changed": [*right[:place], {**one, "value": one["value"] + 1}, *right[place + 1 :]],
        }
        if one["series"] in ("heart_rate", "spo2", "stress"):
            marked = copy.copy(one)
            marked["manual"] = not one.get("manual")
            wrong["marked otherwise"] = [*right[:place], marked, *right[place + 1 :]]
        # All of them would take a minute.
        for what, samples in wrong.items():
            if (place + len(what)) % 7 == 0 or one.get("kind") or one.get("manual"):
                tried += 1
                if accepted(samples):
                    raise SystemExit(f"wrist books: {one['series']} {one['value']} of {one['time']} is {what}, and nobody notices")
    forgotten = [one for one in right if one["series"] != "spo2"]
    check = lambda samples: durable("band", "topstep_next", log, samples, ADDRESS, Quiet())  # noqa: E731
    if accepted(forgotten, check) or not accepted(right, check):
        raise SystemExit("wrist books: what was confirmed and is not there is not missed")
    minute = next(item for item in everything if item.series == "heart_rate" and item.begin % 300 == 0 and not item.is_manual and item.kind == "normal")
    beside = Item("heart_rate", minute.begin + 30, 171)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for event, item in (("keep", minute), ("training-rates", beside)):
            file.write(json.dumps({"event": event, "monotonic": 1.0, "wall": NOON, "items": [item.told()]}) + "\n")
        file.flush()
        of_training = WristLog(file.name)
    check = lambda samples: Account("band", "moyoung", of_training, samples, ADDRESS, Quiet()).of_moments()  # noqa: E731
    if not accepted(export([beside]), check) or accepted([], check):
        raise SystemExit("wrist books: a minute of a training stands for the rate of the day, and nothing does not")
    demand(tried > 100, "too little was tried")
    print(f"wrist books: as they should be, {tried} wrong exports were found out")


if __name__ == "__main__":
    main()
