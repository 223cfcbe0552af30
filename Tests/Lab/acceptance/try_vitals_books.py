#!/usr/bin/env python3
"""Tries whether vital_methods.py and vitals_books.py know what they should: try_vitals_books.py. The methods give what the vectors of
Tests/Vectors/hrv expect. A record made of a strap's log is accepted. A record with an interval missing, twice, changed, moved or marked
otherwise is refused. So is one with a result that is missing, changed, too sure of itself or of too short a time. Exit status 1 and a
sentence if that is not so. Draws its hearts anew; `--seed` repeats them."""
import argparse
import copy
import datetime
import json
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "world")]

import vital_methods as methods  # noqa: E402
from heart import Heart  # noqa: E402
from report import Failure  # noqa: E402
from vitals_stream import in_order  # noqa: E402
from vitals_books import CLASSES, LEAST, METHODS, OF_RATES, QUALITY, RANKS, SHORT, UNITS, Book, milliseconds  # noqa: E402

VECTORS = HERE.parent.parent / "Vectors/hrv"
NOON = 1_772_546_400.0
BODY = {"sex": "female", "age": 34, "weight": 62.0}


def fail(sentence):
    raise SystemExit(f"vitals books: {sentence}")


def near(told, due, tolerance=1e-6):
    return told is not None and abs(told - due) <= tolerance * abs(due) + 1e-6


# --- the methods ------------------------------------------------------------------------------------------------------


def vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text())["vectors"]


def hold(vector, truth, what):
    if not truth:
        fail(f"{vector['id']}: {what}")


def of_beats():
    for vector in vectors("beat_timeline"):
        due = vector["expect"]
        beats, gaps = methods.timeline([(packet["t_s"], packet.get("rr_ms", []), packet.get("reconnect", False)) for packet in vector["packets"]])
        stretches = [[beat.ms for beat in beats if beat.stretch == number] for number in sorted({beat.stretch for beat in beats})]
        hold(vector, stretches == [stretch["rr_ms"] for stretch in due["stretches"]], "other stretches")
        hold(vector, len(gaps) == len(due["gaps"]) and all(near(gap[1], one["length_s"], 1e-4) for gap, one in zip(gaps, due["gaps"])), f"gaps are {gaps}")
        hold(vector, not beats or near(beats[-1].time, due["last_beat_s"]), "the last beat lies elsewhere")
    for vector in vectors("artifacts"):
        due, found = vector["expect"], methods.classify(vector["rr_ms"])
        for kind in CLASSES:
            hold(vector, sorted(place for place, one in found.items() if one == kind) == due[kind], kind)
        made = methods.corrected(vector["rr_ms"], found)
        hold(vector, len(made) == len(due["corrected_rr_ms"]) and all(abs(a - b) < 1e-9 for a, b in zip(made, due["corrected_rr_ms"])), "corrected otherwise")


def of_numbers():
    for vector in vectors("time_domain"):
        due, found = vector["expect"], methods.time_domain([vector["rr_ms"]])
        for name, key in (("mean_rr", "mean_nn"), ("pulse_rate", "mean_hr"), *((name, name) for name in ("sdnn", "rmssd", "pnn50", "sd1", "sd2"))):
            told = due.get(key)
            hold(vector, name not in found if told is None else near(found.get(name), told), f"{name} is {found.get(name)}")
        stress, told = methods.stress_index(vector["rr_ms"]), (due.get("baevsky") or {}).get("si")
        hold(vector, stress is None if told is None else near(stress, told), f"stress is {stress}")
    for vector in vectors("spectral"):
        found = methods.spectrum(vector["rr_ms"])
        for name, key in (("lf", "lf_ms2"), ("hf", "hf_ms2"), ("lf_hf", "lf_hf"), ("lf_nu", "lf_nu")):
            hold(vector, near(found[name], vector["expect"][key]), f"{name} is {found[name]}")
    for vector in vectors("respiration"):
        rate, quality, is_told = methods.respiration(vector["rr_ms"])
        due = vector["expect"]
        hold(vector, near(rate, due["method"]["rate_brpm"]) and near(quality, due["method"]["quality"]) and is_told == due["reported"], f"breathing is {rate}")
    for vector in vectors("indices"):
        given, due = vector["input"], vector["expect"]
        pns, sns = methods.indices(given["mean_nn"], given["rmssd"], given["sd1"], given["sd2"], given["stress_index"])
        hold(vector, near(pns, due["pns_index"]) and near(sns, due["sns_index"]), f"the indices are {pns}, {sns}")
        hold(vector, (methods.zone(pns), methods.zone(sns)) == (due["pns_zone"], due["sns_zone"]), "zones")
        hold(vector, methods.stress_level(given["stress_index"]) == due["stress_level"], "level")
    for vector in vectors("energy_zones"):
        given, due = vector["input"], vector["expect"]
        highest = given["max_hr"] or (methods.highest_rate(given["age"]) if given["age"] else None)
        spent = methods.energy(given["hr"], given["sex"], given["age"], given["weight_kg"]) if given["sex"] and given["weight_kg"] else None
        told = due["kj_per_min"]
        hold(vector, spent is None if told is None else near(spent, told), f"{spent} kJ/min")
        hold(vector, highest is None or methods.rate_zone(given["hr"], highest) == due["zone"], "zone")


# --- a strap, and the record of a hub that does everything right ------------------------------------------------------


def log(heart, length, lost=(), silent=()):
    """Of a strap that sends once a second; without contact, and out of range, in these spans of seconds."""
    lines = [{"event": "worn", "monotonic": -1e6, "wall": NOON - 1}]
    within = lambda spans, second: any(begin <= second < end for begin, end in spans)  # noqa: E731
    for second in range(1, length):
        contact = not within(lost, second)
        made = heart.measurement(heart.until(second), contact)
        if not within(silent, second):
            lines.append({"event": "notify", "monotonic": second - 1e6, "wall": NOON + second, "rr": list(made.rr), "heart_rate": made.heart_rate,
                          "is_sample": made.is_sample, "contact": contact})  # fmt: skip
    return lines


def text(moment):
    return datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def record_of(lines, begin, length, keeps_dropped, body):
    """By the methods. Results that a book finds to be due are filled in. So the books are tried for what they miss, not for what they want."""
    packets = [line for line in lines if line["event"] == "notify" and line["wall"] >= NOON + begin - 15]
    beats, gaps = methods.timeline([(line["wall"], [milliseconds(raw) for raw in line["rr"]], False) for line in packets])
    told, broken = [], True
    end = NOON + begin + length
    last = None
    for beat in beats:
        without = packets[beat.packet]["contact"] is False
        if without:
            broken = True
        if NOON + begin < beat.time <= end and (keeps_dropped or not without):
            flags = ["dropped"] if without else ["begins_stretch"] if broken or beat.stretch != last else []
            told.append({"ms": round(beat.ms, 3), "flags": flags})
            if not without:
                broken, last = False, beat.stretch
    record = {"session": 1, "number": 1, "device": "strap-01", "person": None, "basis": "rr" if told else "rate", "start": text(NOON + begin), "end": text(end),
              "requested_s": float(length), "actual_s": float(length), "ended_by": "duration", "artefact_share": 0.0, "coverage": 1.0, "intervals": len(told),
              "interval_list": told, "left_out": 0, "results": [], "not_reported": [],
              "gaps": [{"start_s": at - length_s - NOON - begin, "length_s": length_s} for at, length_s in gaps if NOON + begin < at <= end]}  # fmt: skip
    if not told:
        rates = [line["heart_rate"] for line in packets if line["is_sample"] and NOON + begin < line["wall"] <= end]
        values = {"pulse_rate": (sum(rates) / len(rates), 0)}
        book = Book("", lines, record, body)
        return filled(record, book._with_body(values), OF_RATES, "high", length)
    book = Book("", lines, record, body)
    found = 0
    for stretch in book.stretches:
        for place, kind in methods.screened([ms for _, ms in stretch]).items():
            told[stretch[place][0]]["flags"].append(CLASSES[kind])
            found += 1
    dropped = sum("dropped" in interval["flags"] for interval in told)
    used = [interval["ms"] for interval in told if "dropped" not in interval["flags"]]
    record["artefact_share"] = (found + dropped) / len(told)
    record["coverage"] = min(1.0, sum(used) / 1000 / length)
    grade = next((name for name, share, least in QUALITY if record["artefact_share"] <= share and record["coverage"] >= least), None)
    values = book.due()
    if "lf" in values and book.longest < LEAST["lf"] - 2 and length >= LEAST["lf"]:
        values = {name: value for name, value in values.items() if name not in ("lf", "hf", "lf_hf", "lf_nu")}
    if book.longest < LEAST["respiration_rate"] - 2:
        values = {name: value for name, value in values.items() if name not in ("respiration_rate", "prq")}
    # An artefact at an edge leaves the beats as they are, and a book demands no word of it.
    if found and book.is_changed:
        record["corrected"] = True
    return filled(record, values if grade else {}, LEAST, grade, length)


def filled(record, values, names, grade, length):
    for name in names:
        if name not in values or length < LEAST[name]:
            record["not_reported"].append({"name": name, "reason": "window_short"})
            continue
        value = values[name][0]
        usual, best = SHORT.get(name, (0, "high"))
        flags = (["window_short"] if length < usual else []) + (["corrected"] if record.get("corrected") else [])
        confidence = min(grade, best, key=RANKS.index) if length < usual else grade
        is_word = isinstance(value, str)
        record["results"].append({"name": name, "value": None if is_word else value, "text": value if is_word else None, "unit": UNITS.get(name, ""),
                                  "confidence": confidence, "window_s": float(length), "method": METHODS.get(name, "TD-1"), "flags": flags})  # fmt: skip
    return record


# --- wrong ones -------------------------------------------------------------------------------------------------------


def wrong(record, dice):
    """(what, a record that is wrong in this)."""

    def changed(change):
        one = copy.deepcopy(record)
        change(one)
        return one

    def intervals(change):
        def both(one):
            change(one["interval_list"])
            one["intervals"] = len(one["interval_list"])

        return changed(both)

    told = record["interval_list"]
    for place in dice.sample(range(3, len(told) - 3), min(12, len(told) - 6)) if told else ():
        yield f"interval {place} is missing", intervals(lambda one: one.pop(place))
        yield f"interval {place} is there twice", intervals(lambda one: one.insert(place, dict(one[place], flags=[])))
        yield f"interval {place} is longer", intervals(lambda one: one[place].update(ms=round(milliseconds(round(one[place]["ms"] * 1.024) + 1), 3)))
        if told[place]["ms"] != told[place + 1]["ms"]:
            yield f"intervals {place} and the next are exchanged", intervals(lambda one: one.__setitem__(slice(place, place + 2), one[place : place + 2][::-1]))
        if not told[place]["flags"]:
            yield f"interval {place} is called ectopic", intervals(lambda one: one[place]["flags"].append("ectopic"))
            yield f"interval {place} is dropped", intervals(lambda one: one[place]["flags"].append("dropped"))
            yield f"interval {place} begins a stretch", intervals(lambda one: one[place]["flags"].append("begins_stretch"))
    for place, interval in enumerate(told):
        if place and interval["flags"]:
            yield f"interval {place} is not {interval['flags']}", intervals(lambda one: one[place]["flags"].clear())
    if told:
        yield "the first ten seconds are missing", intervals(lambda one: one.__setitem__(slice(0, 10), []))
        yield "it is of a minute before", changed(lambda one: one.update(start=text(NOON + 1), end=text(NOON + 1 + one["actual_s"])))
        yield "no artefacts are told", changed(lambda one: one.update(artefact_share=one["artefact_share"] + 0.02))
        yield "it covers all", changed(lambda one: one.update(coverage=one["coverage"] - 0.1))
    yield "something is left out", changed(lambda one: one.update(left_out=3))
    yield "it ended by an error", changed(lambda one: one.update(ended_by="error"))
    yield "it is longer than its times", changed(lambda one: one.update(actual_s=one["actual_s"] + 3))
    yield "nothing is not reported", changed(lambda one: one["not_reported"].append({"name": "spo2", "reason": "needs_oximeter"}))
    for place, result in enumerate(record["results"]):
        name = result["name"]
        yield f"{name} is missing", changed(lambda one: one["results"].pop(place))
        yield f"{name} is not reported instead", changed(lambda one: one["not_reported"].append({"name": one["results"].pop(place)["name"], "reason": "x"}))
        yield f"{name} is there twice", changed(lambda one: one["results"].append(one["results"][place]))
        if result["value"]:
            yield f"{name} is a little more", changed(lambda one: one["results"][place].update(value=one["results"][place]["value"] * 1.005 + 1e-4))
        if result["text"]:
            yield f"{name} is another", changed(lambda one: one["results"][place].update(text="extreme"))
        if result["unit"]:
            yield f"{name} is in another unit", changed(lambda one: one["results"][place].update(unit="s"))
        if name in METHODS:
            yield f"{name} is of another method", changed(lambda one: one["results"][place].update(method="LS-2"))
        if record["basis"] != "rate" and result["confidence"] != "high":
            yield f"{name} is sure of itself", changed(lambda one: one["results"][place].update(confidence="high"))
        for flag in result["flags"]:
            if flag == "window_short" or name in ("sdnn", "rmssd"):
                yield f"{name} is not {flag}", changed(lambda one: one["results"][place]["flags"].remove(flag))
    for place, missing in enumerate(record["not_reported"]):
        yield f"{missing['name']} has no reason", changed(lambda one: one["not_reported"][place].update(reason=""))
        yield f"of {missing['name']} is said nothing", changed(lambda one: one["not_reported"].pop(place))
        yield f"{missing['name']} is told all the same", changed(
            lambda one: one["results"].append({"name": one["not_reported"].pop(place)["name"], "value": 71.0, "text": None, "unit": "ms", "confidence": "low",
                                               "window_s": 20.0, "method": "TD-1", "flags": ["window_short"]})  # fmt: skip
        )


# --- news -------------------------------------------------------------------------------------------------------------


def event(kind, member, told):
    return {"event": kind} | dict.fromkeys(("session", "state", "values", "notice", "record", "end")) | {member: told}


def state(name):
    return event("state", "state", {"state": name, "time": text(NOON)})


def error(code=8007):
    return event("error", "notice", {"code": code, "on": True})


def values(second):
    return event("values", "values", {"elapsed_s": float(second), "requested_s": 20.0, "pulse_rate": 71.0, "hidden": False, "results": []})


OPENED = event("opened", "session", {"id": 7, "device": "strap-01"})
RESULTS = event("results", "record", {"session": 7, "device": "strap-01"})
BEGUN = [OPENED, state("initializing"), state("ready"), state("starting"), state("processing"), values(1)]
CLOSED = [state("terminating"), state("terminated")]


def end(how, code=None):
    return event("end", "end", {"end": how, "code": code, "reason": None if how in ("duration", "stop") else {"code": "H2105"}})


def streams():
    """(what, events, whether they are right)."""
    whole = [*BEGUN, values(20), state("stopping"), RESULTS, state("ready"), *CLOSED, end("duration")]
    failed = [*BEGUN, error(), state("stopping"), state("initializing"), *CLOSED, end("error", 8007)]
    yield "a measurement", whole, True
    yield "one that lost its link", failed, True
    yield "one that lost its link when it was computed", [*BEGUN, state("stopping"), error(), RESULTS, state("initializing"), *CLOSED, end("duration")], True
    yield "one that was never linked", [OPENED, state("initializing"), error(8003), *CLOSED, end("error", 8003)], True
    yield "one that was ended", [*BEGUN, state("stopping"), state("ready"), *CLOSED, end("terminated")], True
    for events in (whole, failed):
        for place, one in enumerate(events):
            if one["event"] not in ("values", "error"):
                yield f"{one['event']} {place} is missing", events[:place] + events[place + 1 :], False
            if one["event"] != "values":
                yield f"{one['event']} {place} comes twice", events[: place + 1] + events[place:], one["event"] == "error"
    yield "results follow an error", failed[:8] + [RESULTS] + failed[8:], False
    yield "results follow the state", [*BEGUN, state("stopping"), state("ready"), RESULTS, *CLOSED, end("duration")], False
    yield "results come while it measures", [*BEGUN, RESULTS, state("stopping"), state("ready"), *CLOSED, end("duration")], False
    yield "values come before it measures", [*BEGUN[:3], values(1), *whole[3:]], False
    yield "values come between results and state", [*whole[:9], values(20), *whole[9:]], False
    yield "it measures again", [*whole[:-3], state("starting"), state("processing"), state("stopping"), state("ready"), *CLOSED, end("duration")], False
    yield "results are another's", [event("results", "record", {"session": 8, "device": "strap-01"}) if one is RESULTS else one for one in whole], False
    yield "it ends otherwise", [*whole[:-1], end("terminated")], False
    yield "it failed, and says that it was ended", [*failed[:-1], end("terminated")], False
    yield "values are hidden and told", [*BEGUN, event("values", "values", values(2)["values"] | {"hidden": True}), *whole[6:]], False
    yield "an event has two parts", [OPENED, state("initializing") | {"end": {}}, *whole[2:]], False


def of_news():
    tried = 0
    for what, events, is_right in streams():
        tried += 1
        try:
            in_order(events)
            found = True
        except Failure as failure:
            found, why = False, failure
        if found != is_right:
            fail(f"news, {what}: {'nobody notices' if found else why}")
    return tried


def accepted(lines, record, body):
    try:
        Book("strap", lines, record, body).all()
    except Failure:
        return False
    return True


def main(arguments):
    of_beats()
    of_numbers()
    news = of_news()
    dice = random.Random(arguments.seed)
    tried = 0
    for number, (begin, length, every, lost, body, rates) in enumerate(
        (
            (20, 60, 0, (), None, False),
            (20, 55, 23, (), BODY, False),
            (20, 130, 31, (), None, False),
            (25, 40, 0, ((40, 45),), None, False),
            (20, 25, 0, (), BODY, False),
            (20, 30, 0, (), BODY, True),
        )
    ):
        heart = Heart(dice.randrange(1 << 30), dice.uniform(560, 980), dice.uniform(25, 60), dice.uniform(11, 19), every, not rates)
        lines = log(heart, begin + length + 30, lost)
        for keeps_dropped in (True, False) if lost else (True,):
            record = record_of(lines, begin, length, keeps_dropped, body)
            if not accepted(lines, record, body):
                Book("strap", lines, record, body).all()
            for what, one in wrong(record, dice):
                tried += 1
                if accepted(lines, one, body):
                    fail(f"of record {number}, {what}, and nobody notices (seed {arguments.seed})")
    if tried < 400:
        fail(f"only {tried} were tried")
    print(f"vitals books: the methods are as the vectors have them, {tried} wrong records and wrong news among {news} were found out, seed {arguments.seed}")


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    main(words.parse_args())
