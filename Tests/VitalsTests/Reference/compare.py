#!/usr/bin/env python3
"""Compares the vital signs of this room with NeuroKit2, scipy and a third classifier in one run.

    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install neurokit2
    /tmp/reference/bin/python Tests/VitalsTests/Reference/compare.py [--seed N] [--stretches 240] [--run COMMAND]

Draws five-minute stretches from a printed seed. A heart has breathing and slow waves, with ectopic, missed and extra beats and noise in
two thirds of them. COMMAND runs the test `ReferenceRun` with HEARTH_VITALS_INPUT and HEARTH_VITALS_OUTPUT set; the default is `swift
test --filter ReferenceRun`. Exit status 1 when a bound does not hold. RMSSD and SDNN hold to 0.5 %, classes are equal in 99 % of beats,
LF and HF hold to 0.1 % of scipy's periodogram. Welch has three lengths of its windows, each of them an approximation. The median over
all stretches is bound to 10 % for each. The share of stretches within 10 % is printed, also by kind of stretch, without a bound. Below
70 beats a minute a spline through the intervals takes away from the high band, which reaches near half the rate of beats. There LS-1 is
above Welch.
"""
import argparse, json, math, os, pathlib, random, statistics, subprocess, sys, tempfile

import neurokit2, numpy, scipy.interpolate, scipy.signal

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=None)
parser.add_argument("--stretches", type=int, default=240)
parser.add_argument("--run", default="swift test --filter ReferenceRun")
options = parser.parse_args()
seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 48)
dice = random.Random(seed)
print(f"seed {seed}, {options.stretches} stretches, neurokit2 {neurokit2.__version__}, scipy {scipy.__version__}")

NAMES = ["normal", "ectopic", "missed", "extra", "longshort"]


def heart(seconds=300):
    """Whole ms: sinus rhythm with breathing, a slow wave, a drift and noise."""
    mean, breath, slow = dice.uniform(600, 1100), dice.uniform(0.17, 0.36), dice.uniform(0.07, 0.12)
    deep, wide, drift, noise = dice.uniform(10, 60), dice.uniform(8, 50), dice.uniform(-30, 30), dice.uniform(1, 12)
    # Breathing is no clock: its phase wanders.
    phase, time, beats = 0.0, 0.0, []
    while time < seconds:
        value = mean + deep * math.sin(phase) + wide * math.sin(2 * math.pi * slow * time) + drift * time / seconds
        value += dice.gauss(0, noise)
        beats.append(round(value))
        time += value / 1000
        phase += 2 * math.pi * breath * value / 1000 * dice.gauss(1, 0.08)
    return beats


def damaged(beats, count):
    """With artefacts at least eight beats apart, and the ends without one."""
    beats, place = list(beats), 15
    for _ in range(count):
        place += dice.randrange(8, 40)
        if place > len(beats) - 20:
            break
        kind = dice.choice(["ectopic", "missed", "extra", "noise"])
        if kind == "ectopic":
            shift = round(beats[place] * dice.uniform(0.2, 0.4))
            beats[place] -= shift
            beats[place + 1] += shift
        elif kind == "missed":
            beats[place : place + 2] = [beats[place] + beats[place + 1]]
        elif kind == "extra":
            part = round(beats[place] * dice.uniform(0.2, 0.8))
            beats[place : place + 1] = [part, beats[place] - part]
        else:
            beats[place] += round(dice.choice([-1, 1]) * dice.uniform(80, 250))
    return beats


stretches = [damaged(heart(), dice.randrange(1, 11)) if index % 3 else heart() for index in range(options.stretches)]


# --- the library -----------------------------------------------------------------------------------------------------


def library(beats):
    """Classes and corrected intervals of neurokit2; it counts peaks."""
    peaks = numpy.concatenate([[0], numpy.cumsum(beats)]).astype(int)
    found, clean = neurokit2.signal_fixpeaks(peaks, sampling_rate=1000, iterative=False, method="Kubios")
    classes = [0] * len(beats)
    for number, name in enumerate(NAMES[1:], 1):
        for place in found[name]:
            if place > 0:
                classes[place - 1] = number
    return classes, numpy.diff(clean)


# --- the paper once more, written for this comparison ----------------------------------------------------------------


def third(beats):
    """Classes by the decision tree, on numpy, without a line of the library or of Swift."""
    r = numpy.array([numpy.mean(beats)] + list(beats), dtype=float) / 1000
    n = len(r)
    d = numpy.diff(r, prepend=numpy.nan)
    d[0] = numpy.nanmean(d)
    around = lambda x, i, k: x[max(0, i - k) : i + k + 1]
    spread = lambda x: numpy.array([2.6 * numpy.subtract(*numpy.percentile(abs(around(x, i, 45)), [75, 25])) for i in range(n)])
    median = numpy.array([numpy.median(around(r, i, 5)) for i in range(n)])
    e = numpy.where(r < median, 2 * (r - median), r - median)
    t1, t2 = spread(d), spread(e)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        step, far = numpy.where(t1 == 0, numpy.nan, d / t1), numpy.where(t2 == 0, numpy.nan, abs(e / t2)) > 3
    wide = numpy.concatenate([step[2:0:-1], step, step[-2:-4:-1]])
    classes = [0] * len(beats)

    def tell(i, what):
        if i:
            classes[i - 1] = what

    def judge(j):
        sign, after = numpy.sign(step[j]), wide[j + 3 : j + 5]
        # Seen from a long beat, what follows must be short in both. Seen from a short one, it must be long in one of them as the
        # library has it.
        turns = abs(step[j]) > 1 and (min(after) < -1 if sign > 0 else max(after) > 1)
        if not (turns or far[j]):
            return
        if turns and sign < 0 and abs(r[j] + r[j + 1] - median[j]) < t2[j]:
            tell(j, 3)
        elif turns and sign > 0 and abs(r[j] / 2 - median[j]) < t2[j]:
            tell(j, 2)
        else:
            tell(j, 4)

    i = 0
    while i < n - 2:
        sides = wide[i + 1], wide[i + 3]
        if abs(step[i]) <= 1 or not (abs(step[i]) > 1 or far[i]):
            i += 1
        elif (step[i] > 1 and max(sides) < -0.13 * step[i] - 0.17) or (step[i] < -1 and min(sides) > -0.13 * step[i] + 0.17):
            tell(i, 1)
            i += 1
        else:
            two = abs(step[i + 1]) < abs(step[i + 2])
            judge(i)
            if two:
                judge(i + 1)
            i += 2 if two else 1
    return classes


# --- Welch, resampled at 4 Hz ----------------------------------------------------------------------------------------


def welch(intervals, segment):
    """LF and HF in ms²: cubic spline at 4 Hz, Hann windows of some seconds, half overlapping, straight line taken out."""
    times = numpy.cumsum(intervals) / 1000
    grid = numpy.arange(times[0], times[-1], 0.25)
    values = scipy.signal.detrend(scipy.interpolate.CubicSpline(times, intervals)(grid))
    length = min(len(values), int(segment * 4))
    f, density = scipy.signal.welch(values, fs=4, nperseg=length, nfft=16384, detrend=False)
    band = lambda low, high: numpy.trapezoid(density[(f >= low) & (f <= high)], f[(f >= low) & (f <= high)])
    return band(0.04, 0.15), band(0.15, 0.40)


def lomb(intervals):
    """LS-1 with scipy's periodogram."""
    intervals = numpy.asarray(intervals, dtype=float)
    times = numpy.concatenate([[0], numpy.cumsum(intervals[1:])]) / 1000
    values = intervals - numpy.polyval(numpy.polyfit(times, intervals, 1), times)
    f = numpy.arange(40, 401) / 1000
    density = 2 * scipy.signal.lombscargle(times, values, 2 * numpy.pi * f) / ((len(times) - 1) / times[-1])
    return numpy.trapezoid(density[:111], f[:111]), numpy.trapezoid(density[110:], f[110:])


# --- the run ---------------------------------------------------------------------------------------------------------

folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-vitals-"))
(folder / "in").write_text("".join(" ".join(map(str, beats)) + "\n" for beats in stretches))
environment = dict(os.environ, HEARTH_VITALS_INPUT=str(folder / "in"), HEARTH_VITALS_OUTPUT=str(folder / "out"))
run = subprocess.run(options.run, shell=True, env=environment, capture_output=True, text=True)
if not (folder / "out").exists():
    sys.exit(run.stdout[-3000:] + run.stderr[-3000:])
ours = [json.loads(line) for line in (folder / "out").read_text().splitlines()]
assert len(ours) == len(stretches)

relative = lambda a, b: abs(a - b) / abs(b) if b else abs(a)
errors = {}
beats = equal = equal_third = injected = 0
unequal = []
for index, (row, stretch) in enumerate(zip(ours, stretches)):
    note = lambda name, a, b: errors.setdefault(name, []).append(relative(a, b))
    classes, clean = library(stretch)
    beats += len(stretch)
    same = sum(a == b for a, b in zip(row["classes"], classes))
    equal += same
    equal_third += sum(a == b for a, b in zip(row["classes"], third(stretch)))
    if same < len(stretch):
        unequal.append(index)
    injected += sum(kind != 0 for kind in classes)
    raw = neurokit2.hrv_time(numpy.concatenate([[0], numpy.cumsum(stretch)]), sampling_rate=1000)
    note("RMSSD as received", row["raw_rmssd"], raw["HRV_RMSSD"][0])
    note("SDNN as received", row["raw_sdnn"], raw["HRV_SDNN"][0])
    fixed = neurokit2.hrv_time(numpy.concatenate([[0], numpy.cumsum(clean)]), sampling_rate=1000)
    note("RMSSD corrected", row["rmssd"], fixed["HRV_RMSSD"][0])
    note("SDNN corrected", row["sdnn"], fixed["HRV_SDNN"][0])
    low, high = lomb(row["corrected"])
    note("LF beside scipy's Lomb-Scargle", row["lf"], low)
    note("HF beside scipy's Lomb-Scargle", row["hf"], high)
    for segment in (300, 150, 64):
        low, high = welch(row["corrected"], segment)
        rate = "below 70 a minute" if numpy.mean(stretch) > 60000 / 70 else "from 70 a minute"
        kind = f"{'damaged' if index % 3 else 'clean'}, {rate}"
        for name in (f"Welch of {segment} s", f"Welch of {segment} s, {kind}"):
            note(f"LF beside {name}", row["lf"], low)
            note(f"HF beside {name}", row["hf"], high)

print(f"beats {beats}, reported by the library {injected}")
print(f"classes equal to the library's {100 * equal / beats:.4f} %, to the third implementation's {100 * equal_third / beats:.4f} %")
if unequal:
    print(f"stretches with other classes than the library's: {unequal}")
for name, values in errors.items():
    values = sorted(values)
    at = lambda share: values[min(len(values) - 1, int(share * len(values)))]
    print(f"{name}: median {100 * statistics.median(values):.4f} %, 95th {100 * at(0.95):.4f} %, worst {100 * values[-1]:.4f} %")
    if "Welch" in name:
        print(f"    within 10 %: {100 * sum(value <= 0.10 for value in values) / len(values):.1f} %")
faults = [name for name in errors if name.startswith(("RMSSD", "SDNN")) and max(errors[name]) > 0.005]
faults += [name for name in errors if "scipy" in name and max(errors[name]) > 0.001]
faults += [name for name in errors if "Welch" in name and "," not in name and statistics.median(errors[name]) > 0.10]
faults += ["classes"] if equal < 0.99 * beats or equal_third < 0.99 * beats else []
print("all bounds hold" if not faults else f"FAILED: {faults}")
sys.exit(1 if faults else 0)
