"""What files of lines, tables and intervals must have, computed from the lines of NDJSON."""
import bisect
import collections
import datetime
import fractions
import json

import series as kinds

Fraction = fractions.Fraction
COLUMNS = ["device", "address", "series", "time", "value", "unit", "origin", "kind", "manual", "end", "wearer", "encoding", "period_ns", "count",
           "record", "data", "clock", "quality"]
SECOND = 1_000_000
SCALARS = {kind.name for kind in kinds.ALL.values() if kind.layout == "scalar"}


def texts(lines):
    """Rows of NDJSON with numbers as they are written."""
    rows = (json.loads(line, parse_float=str, parse_int=str) for line in lines)
    return [row for row in rows if "series" in row]


def microseconds(text):
    whole, _, rest = text.rstrip("Z").partition(".")
    return int(datetime.datetime.fromisoformat(whole + "+00:00").timestamp()) * SECOND + int(rest.ljust(6, "0"))


def flat(value):
    """Numbers of a value, as a field of CSV has them."""
    return ";".join(map(flat, value)) if isinstance(value, list) else value


def csv_cells(row):
    """The text of each column."""
    cells = {name: row.get(name, "") for name in COLUMNS} | {"value": flat(row.get("value", ""))}
    return [("true" if cells[name] is True else cells[name]) for name in COLUMNS]


def exploded(rows):
    """Each sample of a waveform as a row with its own time."""
    for row in rows:
        if "period_ns" not in row or "value" not in row:
            yield row
            continue
        begin = microseconds(row["time"])
        for place, sample in enumerate(row["value"]):
            yield row | {"value": sample, "time": kinds.time_text(begin + place * int(row["period_ns"]) // 1000, True)}


def wide(rows, length):
    """{(time, device, address, wearer): {series: [(microseconds, number)]}} of the rows of a table; `length` in seconds."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        if row["series"] in SCALARS and isinstance(row["value"], str) and "kind" not in row and "quality" not in row and row["origin"] != "advertised":
            time = microseconds(row["time"])
            begin = kinds.time_text(time // (length * SECOND) * length * SECOND, False).replace(".000Z", "Z")
            key = begin, row["device"], row["address"], row.get("wearer", "")
            found[key][row["series"]].append((time, Fraction(row["value"])))
    return found


def beats(rows):
    """By (series, origin), intervals that their sensor does not doubt: [(microseconds, text)] in the order of time."""
    found = collections.defaultdict(list)
    for row in rows:
        value = row.get("value")
        if row["series"] not in ("rr_interval", "ppi") or "kind" in row or "quality" in row or row["origin"] == "advertised":
            continue
        if row["series"] == "ppi":
            value, error, status = value
            if int(status) & 1 or int(status) & 6 == 4 or int(error) > 30:
                continue
        if 0 < Fraction(value) <= 65_535:
            found[row["series"], row["origin"]].append((microseconds(row["time"]), value))
    return {source: sorted(values, key=lambda one: one[0]) for source, values in found.items()}


def joined(ways):
    """Intervals of several ways, that with most first. An interval of another one is left out within ten seconds without a pause of those before it, and
    within three seconds of them."""
    kept = ways[0] if ways else []
    for more in ways[1:]:
        times = [time for time, _ in kept]
        rest = []
        for time, value in more:
            place = bisect.bisect_left(times, time)
            before, behind = ([times[place - 1]] if place else []), times[place:place + 1]
            is_near = any(abs(other - time) < 3 * SECOND for other in before + behind)
            is_inside = before and behind and behind[0] - before[0] < 10 * SECOND
            if not is_near and not is_inside:
                rest.append((time, value))
        kept = sorted(kept + rest, key=lambda one: one[0])
    return kept
