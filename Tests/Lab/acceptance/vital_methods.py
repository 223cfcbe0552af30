"""Vital signs from intervals, written from the published methods alone, in plain Python: what a hub reports must agree with it.

BT-1 makes beats of packets, and LT-1 finds and corrects artefacts (Lipponen and Tarvainen 2019). LS-1 is a Lomb-Scargle density, RSA-1 the breathing
in it, BI-1 Baevsky's stress index, PS-1 two indices in the style of Kubios. Intervals are in ms. `try_vitals_books.py` holds each against the vectors
of Tests/Vectors/hrv.
"""
import dataclasses
import functools
import math
import statistics

JUMP = 2.0  # s: farther from where a beat is expected is a gap
PULL = 0.02  # of the drift that a packet takes back
SHORTEST, LONGEST = 273, 2000  # ms
LEAST_BEATS = 10  # of a stretch that LT-1 looks at
NORMS = {"mean_rr": (926, 90), "rmssd": (42, 15), "sd1_share": (31.6, 11.4), "rate": (64.8, 6.3), "root_si": (9.5, 2.5), "sd2_share": (68.4, 11.4)}
BOUNDS = (50, 150, 500, 900)  # of the stress index
LEVELS = ("low", "normal", "mild", "high", "very_high")


# --- BT-1 -------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Beat:
    ms: float
    time: float  # s, of its end
    stretch: int
    packet: int


def timeline(packets):
    """Beats and gaps [(end, length)] of packets (arrival in s, intervals in ms, reconnect)."""
    beats, gaps, clock, stretch, again = [], [], None, -1, False
    for number, (arrival, intervals, reconnect) in enumerate(packets):
        again = again or reconnect
        if not intervals:
            continue
        length = sum(intervals) / 1000
        if clock is None or again:
            if clock is not None:
                gaps.append((arrival - length, max(0.0, arrival - length - clock)))
            stretch, clock = stretch + 1, arrival
        else:
            drift = arrival - (clock + length)
            if abs(drift) > JUMP:
                gaps.append((arrival - length, max(0.0, arrival - length - clock)))
                stretch, clock = stretch + 1, arrival
            else:
                clock = clock + length + PULL * drift
        again = False
        time = clock
        made = []
        for ms in reversed(intervals):
            made.append(Beat(ms, time, stretch, number))
            time -= ms / 1000
        beats += reversed(made)
    return beats, gaps


# --- LT-1 -------------------------------------------------------------------------------------------------------------


def quantile(values, share):
    """By linear interpolation at share x (count - 1)."""
    values = sorted(values)
    place = share * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def around(values, place, reach):
    return values[max(0, place - reach) : place + reach + 1]


def thresholds(values):
    sizes = [abs(value) for value in values]
    return [5.2 * (quantile(part, 0.75) - quantile(part, 0.25)) / 2 for part in (around(sizes, place, 45) for place in range(len(sizes)))]


def classify(intervals):
    """A class by place: ectopic, missed, extra, longshort; normal beats are left out. Whole ms."""
    if len(intervals) < LEAST_BEATS:
        return {}
    r = [sum(intervals) / len(intervals) / 1000] + [ms / 1000 for ms in intervals]
    count = len(r)
    d = [0.0] + [r[i] - r[i - 1] for i in range(1, count)]
    d[0] = sum(d[1:]) / (count - 1)
    t1 = thresholds(d)
    step = [value / bound if bound else math.nan for value, bound in zip(d, t1)]
    median = [statistics.median(around(r, i, 5)) for i in range(count)]
    off = [value - middle for value, middle in zip(r, median)]
    off = [2 * value if value < 0 else value for value in off]
    t2 = thresholds(off)
    far = [abs(value / bound) > 3 if bound else False for value, bound in zip(off, t2)]
    wide = [step[2], step[1]] + step + [step[-2], step[-3]]  # place i is at i + 2
    found = {}

    def extremes(values, pick):
        return math.nan if any(math.isnan(value) for value in values) else pick(values)

    def tell(place, kind):
        if place > 0:
            found[place - 1] = kind

    def judge(j):
        both = wide[j + 3 : j + 5]
        behind = extremes(both, min) if step[j] >= 0 else extremes(both, max) if step[j] < 0 else 0.0
        long, short = step[j] > 1 and behind < -1, step[j] < -1 and behind > 1
        if not (long or short or far[j]):
            return
        if short and abs(r[j] + (r[j + 1] if j + 1 < count else 0) - median[j]) < t2[j]:
            tell(j, "extra")
        elif long and abs(r[j] / 2 - median[j]) < t2[j]:
            tell(j, "missed")
        else:
            tell(j, "longshort")

    i = 0
    while i < count - 2:
        sides = (wide[i + 1], wide[i + 3])
        beside = extremes(sides, max) if step[i] > 0 else extremes(sides, min) if step[i] < 0 else 0.0
        if abs(step[i]) <= 1:
            i += 1
        elif (step[i] > 1 and beside < -0.13 * step[i] - 0.17) or (step[i] < -1 and beside > -0.13 * step[i] + 0.17):
            tell(i, "ectopic")
            i += 1
        elif not (abs(step[i]) > 1 or far[i]):
            i += 1
        else:
            candidates = [i, i + 1] if abs(step[i + 1]) < abs(step[i + 2]) else [i]
            for j in candidates:
                judge(j)
            i += len(candidates)
    return found


def screened(intervals):
    """The same for intervals as they came, with those that no heart has."""
    found = classify([round(ms) for ms in intervals])
    for place, ms in enumerate(intervals):
        if not SHORTEST <= ms <= LONGEST:
            found.setdefault(place, "longshort")
    return found


def corrected(intervals, classes):
    """As they are if no artefact was found, else in whole ms."""
    if not classes:
        return list(intervals)
    beats = [0]
    for ms in intervals:
        beats.append(beats[-1] + round(ms))
    of = {kind: sorted(place + 1 for place, found in classes.items() if found == kind) for kind in ("extra", "missed", "ectopic", "longshort")}

    def shift(kinds, sources, by):
        for kind in kinds:
            for source in sources:
                of[kind] = [place + by if place > source else place for place in of[kind]]
            of[kind] = sorted(set(of[kind]))

    removed = set(of["extra"])
    beats = [beat for place, beat in enumerate(beats) if place not in removed]
    shift(("missed", "ectopic", "longshort"), of["extra"], -1)
    added = [int(beats[place - 1] + (beats[place] - beats[place - 1]) / 2) for place in of["missed"] if 0 < place < len(beats)]
    beats = sorted(beats + added)
    shift(("ectopic", "longshort"), of["missed"], 1)
    for kind in ("ectopic", "longshort"):
        moved = {place: int((beats[place - 1] + beats[place + 1]) / 2) for place in of[kind] if 1 < place < len(beats) - 1}
        beats = sorted(moved.get(place, beat) for place, beat in enumerate(beats))
    return [after - before for before, after in zip(beats, beats[1:])]


# --- time domain ------------------------------------------------------------------------------------------------------


def time_domain(stretches):
    """Of corrected stretches: means and deviations of all intervals, differences and pairs inside stretches. What is undefined is not there."""
    pool = [ms for stretch in stretches for ms in stretch]
    pairs = [pair for stretch in stretches for pair in zip(stretch, stretch[1:])]
    found = {}
    if pool:
        found["mean_rr"] = sum(pool) / len(pool)
        found["pulse_rate"] = 60_000 / found["mean_rr"]
    if len(pool) > 1:
        found["sdnn"] = statistics.stdev(pool)
    if pairs:
        found["rmssd"] = math.sqrt(sum((after - before) ** 2 for before, after in pairs) / len(pairs))
        found["pnn50"] = 100 * sum(abs(after - before) > 50 for before, after in pairs) / len(pool)
    if len(pairs) > 1:
        found["sd1"] = statistics.stdev([(before - after) / math.sqrt(2) for before, after in pairs])
        found["sd2"] = statistics.stdev([(before + after) / math.sqrt(2) for before, after in pairs])
    return found


def stress_index(intervals):
    """BI-1; `None` if it is undefined."""
    spread = (max(intervals) - min(intervals)) / 1000 if intervals else 0
    if spread == 0:
        return None
    bins = {}
    for ms in intervals:
        bins[ms // 50] = bins.get(ms // 50, 0) + 1
    return 100 * max(bins.values()) / len(intervals) / (2 * statistics.median(intervals) / 1000 * spread)


def stress_level(index):
    return LEVELS[sum(index >= bound for bound in BOUNDS)]


def indices(mean_rr, rmssd, sd1, sd2, stress):
    """PS-1: the parasympathetic and the sympathetic one."""
    values = {"mean_rr": mean_rr, "rmssd": rmssd, "sd1_share": 100 * sd1 / (sd1 + sd2), "rate": 60_000 / mean_rr, "root_si": math.sqrt(stress)}
    values["sd2_share"] = 100 - values["sd1_share"]
    score = {name: (value - NORMS[name][0]) / NORMS[name][1] for name, value in values.items()}
    return (score["mean_rr"] + score["rmssd"] + score["sd1_share"]) / 3, (score["rate"] + score["root_si"] + score["sd2_share"]) / 3


def zone(index):
    return "low" if index < -1 else "normal" if index <= 1 else "high"


# --- LS-1 and RSA-1 ---------------------------------------------------------------------------------------------------


@functools.lru_cache(64)
def density(intervals, first, last):
    """[(f, ms²/Hz)] at first ... last thousandths of a Hz; of a tuple."""
    times = [0.0]
    for ms in intervals[1:]:
        times.append(times[-1] + ms / 1000)
    count = len(times)
    middle, mean = sum(times) / count, sum(intervals) / count
    slope = sum((t - middle) * (x - mean) for t, x in zip(times, intervals)) / sum((t - middle) ** 2 for t in times)
    values = [x - mean - slope * (t - middle) for t, x in zip(times, intervals)]
    found = []
    for k in range(first, last + 1):
        omega = 2 * math.pi * k / 1000
        tau = math.atan2(sum(math.sin(2 * omega * t) for t in times), sum(math.cos(2 * omega * t) for t in times)) / (2 * omega)
        waves = [(math.cos(omega * (t - tau)), math.sin(omega * (t - tau))) for t in times]
        power = 0.0
        for part in (0, 1):
            below = sum(wave[part] ** 2 for wave in waves)
            if below > 1e-12:
                power += sum(x * wave[part] for x, wave in zip(values, waves)) ** 2 / below / 2
        found.append((k / 1000, 2 * power / ((count - 1) / times[-1])))
    return found


def trapezoid(points):
    return sum((after[0] - before[0]) * (after[1] + before[1]) / 2 for before, after in zip(points, points[1:]))


def spectrum(intervals):
    points = density(tuple(intervals), 40, 400)
    low = trapezoid([point for point in points if point[0] <= 0.1505])
    high = trapezoid([point for point in points if point[0] >= 0.1495])
    found = {"lf": low, "hf": high}
    if low + high > 0:
        found["lf_nu"] = 100 * low / (low + high)
    if high > 0:
        found["lf_hf"] = low / high
    return found


def respiration(intervals):
    """(breaths a minute, quality, whether it may be told)."""
    points = density(tuple(intervals), 120, 500)
    powers = [power for _, power in points]
    top = max(range(len(points)), key=powers.__getitem__)
    frequency, edge = points[top][0], top in (0, len(points) - 1)
    if not edge:
        before, here, behind = powers[top - 1 : top + 2]
        bend = before - 2 * here + behind
        if bend:
            frequency += 0.001 * (before - behind) / 2 / bend
    total = sum(powers)
    near = sum(power for f, power in points if abs(f - points[top][0]) <= 0.0305)
    quality = near / total if total else 0.0
    return 60 * frequency, quality, quality >= 0.35 and not edge


# --- a body -----------------------------------------------------------------------------------------------------------


def highest_rate(age):
    return 220 - age


def rate_zone(rate, highest):
    return 1 + sum(100 * rate / highest >= bound for bound in (60, 70, 80, 90))


def energy(rate, sex, age, weight):
    """kJ/min by Keytel; `None` below 90 beats a minute."""
    if rate < 90:
        return None
    if sex == "male":
        made = -55.0969 + 0.6309 * rate + 0.1988 * weight + 0.2017 * age
    else:
        made = -20.4022 + 0.4472 * rate - 0.1263 * weight + 0.074 * age
    return max(0.0, made)
