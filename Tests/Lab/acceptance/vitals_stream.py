"""The news of one measurement of vital signs, `hearth measure NAME --json`, a line each: what may come, and what may follow it."""
from report import demand

FOLLOWS = {
    None: {"initializing"},
    "initializing": {"ready", "terminating"},
    "ready": {"starting", "initializing", "terminating"},
    "starting": {"processing", "stopping"},  # the second only if the sensor is lost
    "processing": {"stopping"},
    "stopping": {"ready", "initializing"},
    "terminating": {"terminated"},
    "terminated": set(),
}
MEMBERS = {"opened": "session", "state": "state", "values": "values", "warning": "notice", "error": "notice", "results": "record", "end": "end"}
LATE = 1.5  # s: a second's values may be told a second late


def in_order(events):
    """Fails unless they are those of a measurement that has ended; returns its record, `None` if it has no record."""
    return all_in_order(events, 1)[-1]


def all_in_order(events, most):
    """The same of a session with up to so many measurements, one behind the other; returns the record of each that was begun."""
    state, record, failed, owed, opened, ended = None, None, None, False, None, None
    records = []
    for number, event in enumerate(events):
        kind = event["event"]
        demand(kind in MEMBERS and event.get(MEMBERS[kind]) is not None, f"event {number} is {event}")
        demand([name for name in set(MEMBERS.values()) if event.get(name) is not None] == [MEMBERS[kind]], f"event {number} has more than {MEMBERS[kind]}")
        told = event[MEMBERS[kind]]
        demand((kind == "opened") == (number == 0), f"event {number} is {kind}")
        demand(ended is None, f"{kind} is told after the end")
        demand(not owed or kind == "state", f"behind the results comes {kind}, and no state")
        if kind == "opened":
            opened = told
        elif kind == "state":
            demand(told["state"] in FOLLOWS[state], f"state {told['state']} follows {state}")
            if told["state"] == "starting":
                demand(failed is None and (record is None) == (not records) and len(records) < most, "another measurement is started")
                records.append(None)
                record = None
            state, owed = told["state"], False
        elif kind == "values":
            demand(state == "processing", f"values are told in {state}")
            demand(0 <= told["elapsed_s"] <= told["requested_s"] + LATE, f"{told['elapsed_s']} of {told['requested_s']} s have elapsed")
            demand(not told["hidden"] or (told["pulse_rate"] is None and not told["results"]), "hidden values are told")
        elif kind == "error":
            if told["on"] and state in ("starting", "processing"):
                failed = told["code"]
        elif kind == "results":
            demand(record is None, "results are told twice")
            demand(failed is None, f"results are told after error {failed}")
            demand(state == "stopping", f"results are told in {state}")
            demand(told["session"] == opened["id"] and told["device"] == opened["device"], f"results are of session {told['session']} of {told['device']}")
            record, owed = told, True
            records[-1] = told
        elif kind == "end":
            demand(state == "terminated", f"it ends in {state}")
            demand((told["end"] in ("duration", "stop")) == (record is not None), f"it ends by {told['end']}, and results are {record and 'told'}")
            demand(failed is None or (told["end"] == "error" and told["code"] == failed), f"it failed with {failed}, and ends by {told['end']} {told['code']}")
            demand(record is not None or told["reason"], "it has no results, and does not say why")
            ended = told
    demand(ended is not None, "its end is not told")
    return records or [None]
